/* visits_mix.c - The best combination of the last steps of an iteration.
 *
 * Anderson's mixing [1]: where a step is all but linear, the differences of the last x and those
 * of their gaps say how the gap changes with x. The combination whose gap is least, in squares,
 * is found by a small linear system, and the step from there is proposed.
 *
 * Cost O(WINDOW^2 n) a proposal, for WINDOW^2 / 2 inner products; memory 2 WINDOW vectors.
 *
 * [1] Anderson, Iterative procedures for nonlinear integral equations, J. ACM 12 (1965). */
#include "solver/visits_mix.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "solver/sums.h"

enum { WINDOW = BF__MIX_WINDOW };

bf_status bf__mix_make(bf__mix *mix, int64_t n, int threads, bf_arena *arena, bf_error *err) {
    *mix = (bf__mix){.n = n, .threads = threads};
    for (int p = 0; p < WINDOW; p++) {
        BF_ALLOC(mix->move[p], arena, n, err);
        BF_ALLOC(mix->change[p], arena, n, err);
    }
    return BF_OK;
}

void bf__mix_before(bf__mix *mix, const double *x, const double *gap) {
    memcpy(mix->move[mix->next], x, (size_t)mix->n * sizeof *x);
    memcpy(mix->change[mix->next], gap, (size_t)mix->n * sizeof *gap);
}

void bf__mix_after(bf__mix *mix, const double *x, const double *gap) {
    double *move = mix->move[mix->next], *change = mix->change[mix->next];
    int together = bf__threads_over(mix->n, mix->threads);
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t j = 0; j < mix->n; j++) {
        move[j] = x[j] - move[j];
        change[j] = gap[j] - change[j];
    }
    mix->next = (mix->next + 1) % WINDOW;
    mix->held += mix->held < WINDOW;
}

void bf__mix_undo(bf__mix *mix, double *x) {
    memcpy(x, mix->move[mix->next], (size_t)mix->n * sizeof *x);
    bf__mix_forget(mix);
}

void bf__mix_forget(bf__mix *mix) {
    mix->held = mix->next = 0;
}

/* theta: least |gap - sum_p theta_p change_p|^2, by elimination with a trace of a ridge. */
static bool combine(double *theta, const bf__mix *mix, const double *gap) {
    int m = mix->held;
    double a[WINDOW][WINDOW + 1], ridge = 0;
    for (int p = 0; p < m; p++) {
        for (int q = 0; q <= p; q++)
            a[p][q] = a[q][p] =
                bf__sum_products(mix->change[p], mix->change[q], mix->n, mix->threads);
        a[p][m] = bf__sum_products(mix->change[p], gap, mix->n, mix->threads);
        ridge += 1e-12 * a[p][p] / m;
    }
    for (int p = 0; p < m; p++) {
        a[p][p] += ridge;
        if (!(a[p][p] > 0))
            return false;
        for (int r = p + 1; r < m; r++) {
            double share = a[r][p] / a[p][p];
            for (int q = p; q <= m; q++)
                a[r][q] -= share * a[p][q];
        }
    }
    for (int p = m - 1; p >= 0; p--) {
        theta[p] = a[p][m];
        for (int q = p + 1; q < m; q++)
            theta[p] -= a[p][q] * theta[q];
        theta[p] /= a[p][p];
        if (!isfinite(theta[p]))
            return false;
    }
    return true;
}

bool bf__mix_propose(double *out, const bf__mix *mix, const double *x, const double *gap) {
    double theta[WINDOW];
    int together = bf__threads_over(mix->n, mix->threads);
    if (mix->held < 2 || !combine(theta, mix, gap))
        return false;
#pragma omp parallel for schedule(static) num_threads(together)
    for (int64_t j = 0; j < mix->n; j++) {
        double sum = x[j] + gap[j];
        for (int p = 0; p < mix->held; p++)
            sum -= theta[p] * (mix->move[p][j] + mix->change[p][j]);
        out[j] = sum > 0 ? sum : 0;
    }
    return true;
}
