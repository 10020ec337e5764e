/* network_inputs.c - (state, action) pairs as inputs of a network. Cost O(inputs) a pair. */
#include "problem/network_inputs.h"

#include "core/fail.h"
#include "solver/mlp.h"

enum { MOST_STATES = 100 };

bf_status bf__pairs_narrow(const float **out, const double *x, int64_t count, bf_arena *arena,
                           bf_error *err) {
    float *kept;
    BF_ALLOC(kept, arena, count, err);
    for (int64_t i = 0; i < count; i++)
        kept[i] = (float)x[i];
    *out = kept;
    return BF_OK;
}

/* One input per state for the states of rows order[begin[.]] or of all rows. */
static bf_status one_hot(const float **out, const double *state, const int64_t *index,
                         int64_t count, int64_t states, bf_arena *arena, bf_error *err) {
    float *kept;
    BF_ZALLOC(kept, arena, states * count, err);
    for (int64_t i = 0; i < count; i++) {
        int64_t s = (int64_t)state[index ? index[i] : i];
        kept[s * count + i] = 1;
    }
    *out = kept;
    return BF_OK;
}

/* States that are labels enter as one input each, not by their numbers. */
static bool labels(const bf_dataset *data) {
    return data->states >= 2 && data->states <= MOST_STATES;
}

static bf_status coordinates(bf__pairs *out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err) {
    const bf__points *in = &out->points;
    if (!labels(data)) {
        out->d = in->d;
        BF_TRY(bf__pairs_narrow(&out->z, in->z, in->d * in->n, arena, err));
        BF_TRY(bf__pairs_narrow(&out->nz, in->nz, in->d * in->n, arena, err));
        return bf__pairs_narrow(&out->z0, in->z0, in->d * in->starts, arena, err);
    }
    out->d = (int)data->states;
    int64_t *first;
    BF_ALLOC(first, arena, in->starts, err);
    for (int64_t e = 0; e < in->starts; e++)
        first[e] = data->order[data->begin[e]];
    BF_TRY(one_hot(&out->z, data->state, NULL, in->n, data->states, arena, err));
    BF_TRY(one_hot(&out->nz, data->next_state, NULL, in->n, data->states, arena, err));
    return one_hot(&out->z0, data->state, first, in->starts, data->states, arena, err);
}

bf_status bf__pairs_check(const bf_problem *problem, const bf_settings *settings, bf_error *err) {
    static const char *const names[] = {"periodic", "scale"};
    for (int k = 0; k < 2 && labels(problem->data); k++)
        if (bf_settings_given(settings, names[k]))
            return bf_fail(err, BF_EUSAGE,
                           "%s: the states of this log are labels, one input of the network each, "
                           "and have no coordinates",
                           names[k]);
    return BF_OK;
}

bf_status bf__pairs_on(bf__pairs *out, const bf__points *points, const bf_dataset *data,
                       bf_arena *arena, bf_error *err) {
    const bf__points *in = points;
    *out = (bf__pairs){.points = *points, .n = data->n, .starts = in->starts};
    BF_TRY(coordinates(out, data, arena, err));
    out->choices = in->actions ? in->actions : in->samples;
    out->inputs = out->d + (in->actions ? in->actions : in->action_dim);
    return bf__mlp_takes(out->inputs, err);
}

bf_status bf__pairs_make(bf__pairs *out, const bf_problem *problem, const char *periodic,
                         const char *scale, const bf_context *context, bf_arena *arena,
                         bf_error *err) {
    bf__points points;
    BF_TRY(bf__points_make(&points, problem, periodic, scale, context, arena, err));
    return bf__pairs_on(out, &points, problem->data, arena, err);
}

void bf__pairs_logged(float *out, int64_t stride, int64_t first, const bf__pairs *pairs,
                      const int64_t *rows, int64_t count) {
    const bf__points *in = &pairs->points;
    for (int64_t j = 0; j < count; j++) {
        int64_t i = rows ? rows[j] : j;
        float *to = out + first + j;
        for (int c = 0; c < pairs->d; c++)
            to[c * stride] = pairs->z[c * pairs->n + i];
        for (int c = pairs->d; c < pairs->inputs; c++)
            to[c * stride] = in->actions ? in->action[i] == c - pairs->d
                                         : (float)in->u[(c - pairs->d) * in->n + i];
    }
}

/* pi (A, n) and u (M * k, n) are the policy at the n states z (d, n). */
static void targets(float *out, int64_t stride, int64_t first, double *p, const bf__pairs *pairs,
                    const int64_t *index, int64_t count, const float *z, int64_t n,
                    const double *pi, const double *u) {
    const bf__points *in = &pairs->points;
    for (int k = 0; k < pairs->choices; k++)
        for (int64_t j = 0; j < count; j++) {
            int64_t i = index ? index[j] : j;
            float *to = out + first + k * count + j;
            for (int c = 0; c < pairs->d; c++)
                to[c * stride] = z[c * n + i];
            for (int c = 0; c < pairs->inputs - pairs->d; c++)
                to[(pairs->d + c) * stride] =
                    in->actions ? c == k : (float)u[((int64_t)k * in->action_dim + c) * n + i];
            p[k * count + j] = in->actions ? pi[k * n + i] : 1.0 / pairs->choices;
        }
}

void bf__pairs_next(float *out, int64_t stride, int64_t first, double *p, const bf__pairs *pairs,
                    const int64_t *rows, int64_t count) {
    const bf__points *in = &pairs->points;
    targets(out, stride, first, p, pairs, rows, count, pairs->nz, pairs->n, in->npi, in->nu);
}

void bf__pairs_start(float *out, int64_t stride, int64_t first, double *p, const bf__pairs *pairs,
                     const int64_t *which, int64_t count) {
    const bf__points *in = &pairs->points;
    targets(out, stride, first, p, pairs, which, count, pairs->z0, pairs->starts, in->pi0, in->u0);
}
