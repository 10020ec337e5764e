/* adam.c - Adam [1], algorithm 1.
 *
 *     m = b1 m + (1 - b1) g,  v = b2 v + (1 - b2) g^2,
 *     x = x - rate (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + epsilon)
 * Cost        O(count) a move
 *
 * [1] Kingma and Ba, Adam: a method for stochastic optimization, ICLR 2015. */
#include "solver/adam.h"

#include <math.h>

#include "core/fail.h"
#include "linalg/clones.h"

bf_status bf__adam_make(bf__adam *out, int64_t count, double rate, bf_arena *arena, bf_error *err) {
    *out = (bf__adam){.count = count, .rate = rate, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8};
    BF_ALLOC(out->mean, arena, count, err);
    BF_ALLOC(out->square, arena, count, err);
    bf__adam_reset(out);
    return BF_OK;
}

void bf__adam_reset(bf__adam *adam) {
    adam->moves = 0;
    for (int64_t i = 0; i < adam->count; i++)
        adam->mean[i] = adam->square[i] = 0;
}

BF_CLONES static void adam_move(double *restrict x, double *restrict mean, double *restrict square,
                                const double *restrict g, int64_t count, const bf__adam *adam,
                                double mean_share, double square_share) {
    double beta1 = adam->beta1, beta2 = adam->beta2, rate = adam->rate, epsilon = adam->epsilon;
#pragma omp simd
    for (int64_t i = 0; i < count; i++) {
        mean[i] = beta1 * mean[i] + (1 - beta1) * g[i];
        square[i] = beta2 * square[i] + (1 - beta2) * g[i] * g[i];
        x[i] -= rate * (mean[i] / mean_share) / (sqrt(square[i] / square_share) + epsilon);
    }
}

void bf__adam_move(bf__adam *adam, const double *gradient, double *parameters) {
    double t = (double)++adam->moves;
    double mean_share = 1 - pow(adam->beta1, t), square_share = 1 - pow(adam->beta2, t);
    adam_move(parameters, adam->mean, adam->square, gradient, adam->count, adam, mean_share,
              square_share);
}
