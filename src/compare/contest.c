/* contest.c - Which of several policies is better, as far as one log can tell.
 *
 * Pairs   d +- t s, s = |z_a - z_b|, t by max(2, effective clusters - 1) degrees of freedom
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

/* ---- The error vectors */

/* Whether all contestants have a value on all parts of the split. */
static bool whole(const bf__contest_input *in, int split) {
    bool any = false;
    for (int k = 0; k < in->part_count; k++)
        for (int a = 0; a < in->count && in->part_split[k] == split; a++) {
            any = true;
            if (!isfinite(in->contestants[a].parts[k]))
                return false;
        }
    return any;
}

static int split_count(const bf__contest_input *in) {
    int count = 0;
    for (int k = 0; k < in->part_count; k++)
        count = in->part_split[k] + 1 > count ? in->part_split[k] + 1 : count;
    return count;
}

/* The number of parts of a split, and the mean of the contestant's values on them. */
static int part_mean(double *mean, const bf__contest_input *in, int a, int split) {
    int parts = 0;
    *mean = 0;
    for (int k = 0; k < in->part_count; k++)
        if (in->part_split[k] == split) {
            *mean += in->contestants[a].parts[k];
            parts++;
        }
    *mean /= parts;
    return parts;
}

/* z (J + 2 part_count + 1) of contestant a; by_clusters: whether all have contributions. Returns
 * whether there is anything but the shift in it. */
static bool fill(double *z, const bf__contest_input *in, int a, bool by_clusters) {
    const bf__contestant *own = &in->contestants[a];
    int splits = split_count(in), used = 0, df = 0;
    double j = (double)in->clusters, mean;
    double *parts = z + in->clusters, *shifts = parts + in->part_count;
    memset(z, 0, (size_t)(in->clusters + 2 * in->part_count + 1) * sizeof *z);
    for (int s = 0; s < splits; s++)
        if (whole(in, s)) {
            df += part_mean(&mean, in, a, s) - 1;
            used++;
        }
    double share = by_clusters && df > 0 ? 0.5 : 1; /* of each of the two */
    for (int64_t g = 0; g < in->clusters && by_clusters; g++)
        z[g] = sqrt(share * j / (j - 1)) * own->c[g];
    for (int s = 0; s < splits && df > 0; s++) {
        if (!whole(in, s))
            continue;
        int count = part_mean(&mean, in, a, s);
        for (int k = 0; k < in->part_count; k++)
            if (in->part_split[k] == s)
                parts[k] = sqrt(share / count / df) * (own->parts[k] - mean);
        shifts[s] = sqrt(share / used) * (mean - own->value);
    }
    shifts[in->part_count] = (df > 0 ? 0.2 : 0.3) * own->shift;
    return by_clusters || df > 0;
}

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

static void judge_pair(bf__contest_pair *pair, const bf__contest_input *in, const double *z,
                       int64_t length) {
    const bf__contestant *a = &in->contestants[pair->a], *b = &in->contestants[pair->b];
    double square = 0;
    for (int64_t e = 0; e < length; e++) {
        double gap = z[pair->a * length + e] - z[pair->b * length + e];
        square += gap * gap;
    }
    /* Answers that are exact have no error but rounding. */
    double rounding = 1e-12 * fmax(fabs(a->value), fabs(b->value));
    pair->se = fmax(sqrt(square), rounding);
    pair->df = fmax(2, fmin(a->effective, b->effective) - 1);
    double t = bf__student_quantile(0.5 + 0.5 * in->level, pair->df);
    pair->smallest = t * pair->se;
    pair->low = pair->difference - pair->smallest;
    pair->high = pair->difference + pair->smallest;
    pair->p = pair->se > 0 ? 2 * bf__student_cdf(-fabs(pair->difference) / pair->se, pair->df) : 1;
    double ratio = pair->smallest / fabs(pair->difference);
    pair->more = pair->difference != 0 ? fmax(1, ratio * ratio) : INFINITY;
}

/* ---- The best */

/* l (K, K), lower: l l' is the covariance of the errors; a direction without variance is left out.
 */
static void factor(double *l, const double *z, int count, int64_t length) {
    for (int a = 0; a < count; a++)
        for (int b = 0; b <= a; b++) {
            double sum = 0, own = 0;
            for (int64_t e = 0; e < length; e++) {
                sum += z[a * length + e] * z[b * length + e];
                own += a == b ? z[a * length + e] * z[a * length + e] : 0;
            }
            for (int k = 0; k < b; k++)
                sum -= l[a * count + k] * l[b * count + k];
            if (a == b)
                l[a * count + a] = sum > 1e-12 * own ? sqrt(sum) : 0;
            else
                l[a * count + b] = l[b * count + b] > 0 ? sum / l[b * count + b] : 0;
        }
}

static void find_best(double *best, const bf__contest_input *in, const double *l) {
    int count = in->count;
    double df = INFINITY, rounding = 0, draw[BF__MOST_CONTESTANTS], normal[BF__MOST_CONTESTANTS];
    bf_rng rng = bf_rng_make(in->seed, "best", 0);
    for (int a = 0; a < count; a++) {
        best[a] = 0;
        df = fmin(df, fmax(2, in->contestants[a].effective - 1));
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
    int64_t length = in->clusters + 2 * in->part_count + 1;
    bool by_clusters = in->clusters > 1, finite = true;
    double *z, *l, *p, *holm;
    *out = (bf__contest){.possible = true, .pair_count = pairs};
    BF_ALLOC(out->pairs, arena, pairs, err);
    BF_ALLOC(out->best, arena, count, err);
    BF_ALLOC(z, arena, count * length, err);
    BF_ZALLOC(l, arena, count * count, err);
    BF_ALLOC(p, arena, pairs, err);
    BF_ALLOC(holm, arena, pairs, err);
    for (int a = 0; a < count; a++) {
        by_clusters = by_clusters && in->contestants[a].c;
        finite = finite && isfinite(in->contestants[a].value);
        out->best[a] = NAN;
    }
    for (int a = 0; a < count; a++)
        out->possible = fill(z + a * length, in, a, by_clusters) && finite && out->possible;
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++) {
            out->pairs[at] =
                (bf__contest_pair){a,     b,   in->contestants[a].value - in->contestants[b].value,
                                   NAN,   NAN, NAN,
                                   NAN,   NAN, NAN,
                                   false, NAN, NAN};
            if (out->possible)
                judge_pair(&out->pairs[at], in, z, length);
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
    factor(l, z, count, length);
    find_best(out->best, in, l);
    return BF_OK;
}
