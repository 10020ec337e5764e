/* error.c - The error of an answer as a vector, and its length, which is the standard error.
 *
 * Shapes  z: clusters, then parts, then one shift for every split, then the correction,
 *         then what another method moved, then how far the answer may lean
 * Cost    one pass over it */
#include "trust/error.h"

#include <math.h>
#include <string.h>

/* docs/trust.md has the logs they were chosen on, and what was measured on others. */
static const double shift_with_parts = 0.25;
const double bf__shift_alone = 0.3;
static const double least = 1.0 / 3; /* of se */
static const double lean_df = 5;     /* how well the size of what answers lean by is known */

enum { SHIFT, ASIDE, LEAN, BESIDE }; /* what counts whatever parts and clusters say */

static bool has_part(const bf__measured *answers, int count, int part) {
    for (int a = 0; a < count; a++)
        if (!answers[a].parts || !isfinite(answers[a].parts[part]))
            return false;
    return true;
}

bf__error_form bf__error_form_of(const bf__measured *answers, int count, int64_t clusters,
                                 int part_count, const int *part_split) {
    bf__error_form form = {.clusters = clusters > 1 ? clusters : 0,
                           .part_count = part_count,
                           .part_split = part_split,
                           .exact = true,
                           .steady = true};
    bool lacking[BF__MOST_SPLITS] = {false};
    for (int a = 0; a < count; a++) {
        form.clusters = answers[a].c ? form.clusters : 0;
        form.exact = form.exact && answers[a].exact;
        form.steady = form.steady && answers[a].steady;
    }
    for (int k = 0; k < part_count; k++) {
        form.size[part_split[k]]++;
        lacking[part_split[k]] = lacking[part_split[k]] || !has_part(answers, count, k);
    }
    for (int s = 0; s < BF__MOST_SPLITS; s++) {
        form.size[s] = lacking[s] ? 0 : form.size[s];
        form.df += form.size[s] > 0 ? form.size[s] - 1 : 0;
        form.splits += form.size[s] > 0;
    }
    return form;
}

int64_t bf__error_length(const bf__error_form *form) {
    return form->clusters + form->part_count + BF__MOST_SPLITS + BESIDE;
}

void bf__error_fill(double *z, const bf__error_form *form, const bf__measured *answer) {
    double *parts = z + form->clusters, *shifts = parts + form->part_count;
    double j = (double)form->clusters, mean[BF__MOST_SPLITS] = {0};
    memset(z, 0, (size_t)bf__error_length(form) * sizeof *z);
    for (int64_t g = 0; g < form->clusters; g++)
        z[g] = sqrt(j / (j - 1)) * answer->c[g];
    for (int k = 0; k < form->part_count; k++) {
        int s = form->part_split[k];
        if (form->size[s] > 0)
            mean[s] += answer->parts[k] / form->size[s];
    }
    for (int k = 0; k < form->part_count; k++) {
        int s = form->part_split[k], size = form->size[s];
        if (size > 0 && form->df > 0)
            parts[k] = sqrt(1.0 / size / form->df) * (answer->parts[k] - mean[s]);
    }
    for (int s = 0; s < BF__MOST_SPLITS; s++)
        if (form->size[s] > 0)
            shifts[s] = sqrt(1.0 / form->splits) * (mean[s] - (answer->value - answer->aside));
    double *beside = shifts + BF__MOST_SPLITS;
    beside[SHIFT] = (form->df > 0 ? shift_with_parts : bf__shift_alone) * answer->shift;
    beside[ASIDE] = answer->aside;
    beside[LEAN] = answer->lean;
}

static double squares(const double *z, int64_t n) {
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += z[k] * z[k];
    return sum;
}

double bf__error_variance(const bf__error_form *form, const double *z) {
    int64_t parts = form->part_count + BF__MOST_SPLITS;
    double by_cluster = squares(z, form->clusters);
    double by_part = squares(z + form->clusters, parts);
    double beside = squares(z + form->clusters + parts, BESIDE), variance = NAN;
    if (form->clusters > 0 && form->df > 0 && form->steady)
        variance = fmax(sqrt(by_cluster * by_part), least * least * by_cluster);
    else if (form->clusters > 0 && form->df > 0)
        variance = (by_cluster + by_part) / 2;
    else if (form->clusters > 0 || form->df > 0)
        variance = by_cluster + by_part;
    if (form->clusters > 0 && form->exact)
        variance = fmax(variance, by_cluster);
    return variance + beside;
}

double bf__error_df(const bf__error_form *form, const double *z, double effective) {
    double df = effective - 1, all = bf__error_variance(form, z);
    df = fmax(2, form->clusters > 0 ? df : fmin(df, form->df));
    double lean = z[bf__error_length(form) - BESIDE + LEAN];
    double part = all > 0 ? lean * lean / all : 0;
    return part > 0 ? 1 / ((1 - part) * (1 - part) / df + part * part / lean_df) : df;
}

bf__scatter bf__error_scatter(const bf__error_form *form, const double *z) {
    const double *parts = z + form->clusters, *shifts = parts + form->part_count;
    bf__scatter out = {NAN, NAN, form->df};
    if (form->df == 0)
        return out;
    out.noise = sqrt(squares(parts, form->part_count));
    out.bias = 0;
    for (int s = 0; s < BF__MOST_SPLITS; s++)
        out.bias += shifts[s] / sqrt(form->splits);
    return out;
}
