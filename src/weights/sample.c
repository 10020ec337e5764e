/* sample.c - A few transitions that stand for all of a large log under given weights.
 *
 * Row i is drawn p_i size times in the mean, p_i = w_i / (2 sum w) + 1 / (2 n): as often as the
 * whole part of that, and once more by a random number of its own. So rows of much weight are there
 * surely, others at random, and those of nearly the same weights are nearly the same. A row drawn c
 * times counts c w_i / (p_i size) times; these are scaled to the sum of w.
 *
 * Cost O(n). */
#include "weights/sample.h"

#include <math.h>

#include "backflow/rng.h"
#include "core/fail.h"

bf_status bf__sample_draw(bf__sample *out, const double *w, int64_t n, int64_t size, uint64_t seed,
                          bf_arena *arena, bf_error *err) {
    double sum = 0, drawn = 0;
    for (int64_t i = 0; i < n; i++)
        sum += w[i];
    for (int pass = 0; pass < 2; pass++) { /* counts, then fills */
        bf_rng rng = bf_rng_make(seed, "rows", 0);
        if (pass == 1) {
            BF_ALLOC(out->row, arena, out->n, err);
            BF_ALLOC(out->u, arena, out->n, err);
        }
        out->n = 0;
        for (int64_t i = 0; i < n; i++) {
            double expected = (0.5 / (double)n + 0.5 * w[i] / sum) * (double)size;
            double whole = floor(expected), random = bf_rng_uniform(&rng);
            double times = whole + (random < expected - whole);
            if (times == 0)
                continue;
            if (pass == 1) {
                out->row[out->n] = i;
                out->u[out->n] = times * w[i] / expected;
                drawn += out->u[out->n];
            }
            out->n++;
        }
    }
    for (int64_t k = 0; k < out->n; k++)
        out->u[k] *= sum / drawn;
    return BF_OK;
}

/* to (columns, sample) = from (columns, n). */
static bf_status take(const double **to, const double *from, int64_t columns, int64_t n,
                      const bf__sample *s, bf_arena *arena, bf_error *err) {
    double *x;
    *to = NULL;
    if (!from)
        return BF_OK;
    BF_ALLOC(x, arena, columns * s->n, err);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t k = 0; k < s->n; k++)
            x[c * s->n + k] = from[c * n + s->row[k]];
    *to = x;
    return BF_OK;
}

bf_status bf__sample_take(bf__points *out, const bf__points *in, const bf__sample *s,
                          bf_arena *arena, bf_error *err) {
    *out = *in;
    out->share = NULL; /* which rows depends on the policy */
    out->n = s->n;
    BF_TRY(take(&out->z, in->z, in->d, in->n, s, arena, err));
    BF_TRY(take(&out->nz, in->nz, in->d, in->n, s, arena, err));
    BF_TRY(take(&out->npi, in->npi, in->actions, in->n, s, arena, err));
    BF_TRY(take(&out->u, in->u, in->action_dim, in->n, s, arena, err));
    BF_TRY(take(&out->weight, in->weight, 1, in->n, s, arena, err));
    BF_TRY(take(&out->nu, in->nu, (int64_t)in->samples * in->action_dim, in->n, s, arena, err));
    if (in->action) {
        int32_t *action;
        BF_ALLOC(action, arena, s->n, err);
        for (int64_t k = 0; k < s->n; k++)
            action[k] = in->action[s->row[k]];
        out->action = action;
    }
    if (in->steps.ended) {
        uint8_t *ended;
        BF_ALLOC(ended, arena, s->n, err);
        for (int64_t k = 0; k < s->n; k++)
            ended[k] = in->steps.ended[s->row[k]];
        out->steps.ended = ended;
    }
    return BF_OK;
}
