/* tobit.c - Linear regression on numbers that were cut to a range.
 *
 * Computes    the most likely beta and sigma of  y = clip(beta'[x; 1] + sigma e),  e normal
 * Source      Tobin, Estimation of relationships for limited dependent variables, Econometrica
 * 1958; Olsen, Note on the uniqueness of the maximum likelihood estimator for the Tobit model,
 *             Econometrica 1978: in delta = beta / sigma and h = 1 / sigma the likelihood is
 * concave Method      Newton's, with steps halved until the likelihood rises Cost        n p^2 a
 * step, some ten steps
 *
 * Controllers push to the limit of what motors can do. What is logged is then flat at the limits
 * and steep between them, and least squares sees neither. What lies behind the cut is often simple.
 */
#include "solver/tobit.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "linalg/dense.h"

enum { MOST_STEPS = 50, MOST_HALVINGS = 30 };
static const double RIDGE = 1e-6; /* on delta, of n */

double bf__mills(double u) {
    if (u < -30) /* erfc would leave the range of doubles further out */
        return -u - 1 / u;
    return sqrt(2 / M_PI) * exp(-u * u / 2) / erfc(-u / M_SQRT2);
}

static double log_normal(double u) {
    if (u < -30)
        return -u * u / 2 - log(-u) - 0.5 * log(2 * M_PI);
    return log(0.5 * erfc(-u / M_SQRT2));
}

double bf__tobit_mean(double mean, double sigma, double bound, bool above) {
    double side = above ? 1 : -1;
    return mean + side * sigma * bf__mills(side * (mean - bound) / sigma);
}

typedef struct fit {
    const bf__tobit_task *task;
    int p;                    /* parameters: delta (inputs + 1), h */
    double *gradient, *curve; /* (p), (p, p): of minus the log likelihood */
    double *row;              /* (p) */
} fit;

/* Minus the log likelihood over n, and its derivatives if `derive`. */
static double loss(const fit *f, const double *at, bool derive) {
    const bf__tobit_task *t = f->task;
    int p = f->p, k = t->inputs;
    double sum = 0, n = (double)t->n, h = at[k + 1];
    if (!(h > 0))
        return INFINITY;
    if (derive) {
        memset(f->gradient, 0, (size_t)p * sizeof *f->gradient);
        memset(f->curve, 0, (size_t)(p * p) * sizeof *f->curve);
    }
    for (int64_t i = 0; i < t->n; i++) {
        const double *x = t->x + i * k;
        bool above = t->y[i] >= t->high, below = t->y[i] <= t->low;
        double y = above ? t->high : below ? t->low : t->y[i], side = below ? -1 : 1;
        double score = at[k], slope, bend, own = 0;
        for (int c = 0; c < k; c++)
            score += at[c] * x[c];
        double u = score - h * y; /* of a cut number, how far behind the cut its mean lies */
        if (above || below) {
            double mills = bf__mills(side * u);
            sum -= log_normal(side * u) / n;
            slope = -side * mills;
            bend = mills * (mills + side * u);
        } else {
            sum += (u * u / 2 - log(h)) / n;
            slope = u;
            bend = 1;
            own = 1;
        }
        if (!derive)
            continue;
        memcpy(f->row, x, (size_t)k * sizeof *x);
        f->row[k] = 1;
        f->row[k + 1] = -y;
        for (int a = 0; a < p; a++) {
            double scaled = bend * f->row[a] / n;
            f->gradient[a] += slope * f->row[a] / n;
            for (int b = 0; b <= a; b++)
                f->curve[a * p + b] += scaled * f->row[b];
        }
        f->gradient[p - 1] -= own / h / n;
        f->curve[p * p - 1] += own / (h * h) / n;
    }
    for (int c = 0; c < k; c++) {
        sum += RIDGE * at[c] * at[c] / 2;
        if (derive) {
            f->gradient[c] += RIDGE * at[c];
            f->curve[c * p + c] += RIDGE;
        }
    }
    return sum;
}

bf_status bf__tobit_fit(double *beta, double *sigma, const bf__tobit_task *t, bf_arena *arena,
                        bf_error *err) {
    int k = t->inputs, p = k + 2;
    bf_mark mark = bf_arena_mark(arena);
    double *at, *next, mean = 0, square = 0;
    fit f = {.task = t, .p = p};
    BF_ZALLOC(at, arena, p, err);
    BF_ALLOC(next, arena, p, err);
    BF_ALLOC(f.gradient, arena, p, err);
    BF_ALLOC(f.curve, arena, (int64_t)p * p, err);
    BF_ALLOC(f.row, arena, p, err);
    for (int64_t i = 0; i < t->n; i++)
        mean += t->y[i] / (double)t->n;
    for (int64_t i = 0; i < t->n; i++)
        square += (t->y[i] - mean) * (t->y[i] - mean) / (double)t->n;
    double least = 1e-9 * (fabs(mean) + sqrt(square)) + 1e-300;
    at[k + 1] = 1 / fmax(sqrt(square), least);
    at[k] = mean * at[k + 1];
    for (int step = 0; step < MOST_STEPS; step++) {
        double now = loss(&f, at, true), share = 1, then = INFINITY, decrease = 0;
        BF_TRY(bf__cholesky(f.curve, p, NULL, arena, err));
        memcpy(next, f.gradient, (size_t)p * sizeof *next);
        BF_TRY(bf__cholesky_solve(next, 1, f.curve, p, NULL, err));
        for (int a = 0; a < p; a++) {
            decrease += next[a] * f.gradient[a];
            f.gradient[a] = next[a]; /* the step, from here on */
        }
        for (int turn = 0; turn < MOST_HALVINGS && !(then <= now); turn++, share /= 2) {
            for (int a = 0; a < p; a++)
                next[a] = at[a] - share * f.gradient[a];
            then = loss(&f, next, false);
        }
        if (!(then <= now))
            break;
        memcpy(at, next, (size_t)p * sizeof *at);
        if (decrease < 1e-12 || 1 / at[k + 1] <= least)
            break;
    }
    *sigma = 1 / at[k + 1];
    for (int c = 0; c <= k; c++)
        beta[c] = at[c] * *sigma;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
