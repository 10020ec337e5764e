/* contest.c - Which of several policies is better, as far as one log can tell.
 *
 * Pairs   d +- t s, s the length of the difference of two error vectors
 * Best    the share of 20,000 draws of all errors together, as a multivariate t, in which a value
 *         comes out as the greatest
 * Cost    O(K^2 (J + parts)) and 20,000 K^2 */
#include "compare/contest.h"

#include <math.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/fail.h"
#include "trust/student.h"

enum { DRAWS = 20000 };

/* ---- Pairs */

void bf__holm(double *holm, const double *p, int n) {
    bool done[BF__MOST_CONTESTANTS * BF__MOST_CONTESTANTS] = {false};
    double largest = 0;
    for (int step = 0; step < n; step++) {
        int least = -1;
        for (int k = 0; k < n; k++)
            if (!done[k] && (least < 0 || p[k] < p[least]))
                least = k;
        done[least] = true;
        largest = fmax(largest, fmin(1, p[least] * (n - step)));
        holm[least] = largest;
    }
}

/* The vectors of all contestants, in one form. */
typedef struct vectors {
    const bf__measured *of;
    bf__error_form form;
    int64_t length;
    const double *z; /* (count, length) */
    double *gap;     /* (length): room for a difference */
} vectors;

/* The variance of the error of a less that of b, which is left in `gap`; b < 0: of a alone. What is
 * known of the errors of others does not matter. */
static double variance(const vectors *v, int a, int b) {
    const double *first = v->z + a * v->length, *second = v->z + b * v->length;
    bf__error_form form = v->form;
    form.exact = v->of[a].exact && (b < 0 || v->of[b].exact);
    form.steady = v->of[a].steady && (b < 0 || v->of[b].steady);
    if (b < 0)
        return bf__error_variance(&form, first);
    for (int64_t e = 0; e < v->length; e++)
        v->gap[e] = first[e] - second[e];
    return bf__error_variance(&form, v->gap);
}

static void judge_pair(bf__contest_pair *pair, const bf__contest_input *in, const vectors *v) {
    const bf__measured *a = &in->contestants[pair->a], *b = &in->contestants[pair->b];
    /* Answers that are exact have no error but rounding. */
    double rounding = 1e-12 * fmax(fabs(a->value), fabs(b->value));
    pair->se = fmax(sqrt(variance(v, pair->a, pair->b)), rounding);
    pair->df = bf__error_df(&v->form, v->gap, fmin(a->effective, b->effective));
    double t = bf__student_quantile(0.5 + 0.5 * in->level, pair->df);
    pair->smallest = t * pair->se;
    pair->low = pair->difference - pair->smallest;
    pair->high = pair->difference + pair->smallest;
    pair->p = pair->se > 0 ? 2 * bf__student_cdf(-fabs(pair->difference) / pair->se, pair->df) : 1;
    double ratio = pair->smallest / fabs(pair->difference);
    pair->more = pair->difference != 0 ? fmax(1, ratio * ratio) : INFINITY;
}

/* ---- The best */

/* l (K, K), lower: l l' is the covariance of the errors, which the variances of their differences
 * give; a direction without variance is left out. */
static void factor(double *l, const vectors *v, int count) {
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++) {
            double own = variance(v, a, -1);
            double sum = a == b ? own : 0.5 * (own + variance(v, b, -1) - variance(v, a, b));
            for (int k = 0; k < b; k++)
                sum -= l[a * count + k] * l[b * count + k];
            if (a == b)
                l[a * count + a] = sum > 1e-12 * own ? sqrt(sum) : 0;
            else
                l[a * count + b] = l[b * count + b] > 0 ? sum / l[b * count + b] : 0;
        }
}

static void find_best(double *best, const bf__contest_input *in, const vectors *v,
                      const double *l) {
    int count = in->count;
    double df = INFINITY, rounding = 0, draw[BF__MOST_CONTESTANTS], normal[BF__MOST_CONTESTANTS];
    bf_rng rng = bf_rng_make(in->seed, "best", 0);
    for (int a = 0; a < count; a++) {
        best[a] = 0;
        df = fmin(df, bf__error_df(&v->form, v->z + a * v->length, in->contestants[a].effective));
    }
    for (int k = 0; k < count * count; k++)
        rounding = fmax(rounding, 1e-9 * fabs(l[k]));
    int whole_df = df > 100 ? 100 : (int)df;
    for (int r = 0; r < DRAWS; r++) {
        double chi = 0, most = -INFINITY;
        int ties = 0;
        for (int k = 0; k < whole_df; k++) {
            double g = bf_rng_normal(&rng);
            chi += g * g;
        }
        for (int a = 0; a < count; a++)
            normal[a] = bf_rng_normal(&rng) / sqrt(chi / whole_df);
        for (int a = 0; a < count; a++) {
            draw[a] = in->contestants[a].value;
            for (int b = 0; b <= a; b++)
                draw[a] += l[a * count + b] * normal[b];
            most = fmax(most, draw[a]);
        }
        for (int a = 0; a < count; a++)
            ties += draw[a] >= most - rounding;
        for (int a = 0; a < count; a++)
            best[a] += draw[a] >= most - rounding ? 1.0 / ties : 0;
    }
    for (int a = 0; a < count; a++)
        best[a] /= DRAWS;
}

bf_status bf__contest_judge(bf__contest *out, const bf__contest_input *in, bf_arena *arena,
                            bf_error *err) {
    int count = in->count, pairs = count * (count - 1) / 2, at = 0;
    double *z, *l, *p, *holm;
    vectors v = {.of = in->contestants,
                 .form = bf__error_form_of(in->contestants, count, in->clusters, in->part_count,
                                           in->part_split)};
    v.length = bf__error_length(&v.form);
    *out = (bf__contest){.possible = v.form.clusters > 0 || v.form.df > 0, .pair_count = pairs};
    BF_ALLOC(out->pairs, arena, pairs, err);
    BF_ALLOC(out->best, arena, count, err);
    BF_ALLOC(z, arena, count * v.length, err);
    BF_ALLOC(v.gap, arena, v.length, err);
    BF_ZALLOC(l, arena, count * count, err);
    BF_ALLOC(p, arena, pairs, err);
    BF_ALLOC(holm, arena, pairs, err);
    for (int a = 0; a < count; a++) {
        bf__error_fill(z + a * v.length, &v.form, &in->contestants[a]);
        out->possible = out->possible && isfinite(in->contestants[a].value);
        out->best[a] = NAN;
    }
    v.z = z;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            out->pairs[at] =
                (bf__contest_pair){a,     b,   in->contestants[a].value - in->contestants[b].value,
                                   NAN,   NAN, NAN,
                                   NAN,   NAN, NAN,
                                   false, NAN, NAN};
            if (out->possible)
                judge_pair(&out->pairs[at], in, &v);
            p[at] = out->pairs[at].p;
            at++;
        }
    if (!out->possible)
        return BF_OK;
    bf__holm(holm, p, pairs);
    for (int k = 0; k < pairs; k++) {
        out->pairs[k].holm = holm[k];
        out->pairs[k].decided = holm[k] <= 1 - in->level;
    }
    factor(l, &v, count);
    find_best(out->best, in, &v, l);
    return BF_OK;
}
