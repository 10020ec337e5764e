/* influence.c - What each cluster contributes to the error: plain means, and the standard error. */
#include "trust/influence.h"

#include <math.h>

#include "core/fail.h"
#include "dataset/row_weights.h"

void bf__influence_finish(bf__influence *out, int64_t clusters) {
    double j = (double)clusters;
    for (int k = 0; k < out->rewards; k++) {
        double squares = 0, sum = 0;
        for (int64_t g = 0; g < clusters; g++) {
            sum += out->c[k * clusters + g];
            squares += out->c[k * clusters + g] * out->c[k * clusters + g];
        }
        out->sum[k] = sum;
        out->se[k] = sqrt(squares * j / (j - 1));
    }
}

bf_status bf__influence_mean(bf__influence *out, const bf_problem *problem, const double *rewards,
                             int count, const double *w, const bf__clusters *clusters,
                             bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    bf__row_weights rows = bf__row_weights_of(problem->data);
    *out = (bf__influence){.rewards = count, .exact = true};
    BF_ZALLOC(out->c, arena, count * clusters->count, err);
    for (int k = 0; k < count; k++) {
        const double *r = rewards + k * n;
        double value = 0, sum = 0;
        for (int64_t i = 0; i < n; i++) {
            value += (w ? w[i] : bf__row_weight(&rows, i)) * r[i];
            sum += w ? w[i] : bf__row_weight(&rows, i);
        }
        for (int64_t i = 0; i < n; i++)
            out->c[k * clusters->count + clusters->of[i]] +=
                (w ? w[i] : bf__row_weight(&rows, i)) * (r[i] - value / sum) / sum;
    }
    bf__influence_finish(out, clusters->count);
    return BF_OK;
}
