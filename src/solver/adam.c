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

void bf__adam_move(bf__adam *adam, const double *gradient, double *parameters) {
    double t = (double)++adam->moves;
    double mean_share = 1 - pow(adam->beta1, t), square_share = 1 - pow(adam->beta2, t);
    for (int64_t i = 0; i < adam->count; i++) {
        double g = gradient[i];
        adam->mean[i] = adam->beta1 * adam->mean[i] + (1 - adam->beta1) * g;
        adam->square[i] = adam->beta2 * adam->square[i] + (1 - adam->beta2) * g * g;
        parameters[i] -= adam->rate * (adam->mean[i] / mean_share) /
                         (sqrt(adam->square[i] / square_share) + adam->epsilon);
    }
}
