/* pieces.c - Intervals of any numbers that a log gives, by halves of it.
 *
 * Cost  three times what the numbers take on the whole log, at most */
#include "detail/pieces.h"

#include <math.h>

#include "core/fail.h"
#include "trust/student.h"
#include "trust/subset.h"

enum { SPLITS = 3, HALVES = 2 };

/* The numbers on one half; NaN if it has no answer. */
static bf_status run_half(double *out, int count, const int32_t *part, int which, bf__piece_run run,
                          const void *self, const bf_problem *problem, const bf__clusters *clusters,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_arena *own;
    bf_dataset data;
    bf_problem question = *problem;
    bf_context silent = context ? *context : (bf_context){.seed = 1};
    bf_error cause;
    silent.callbacks.message = NULL;
    question.data = &data;
    BF_TRY(bf_arena_create(&own, bf_arena_allocator(arena), err));
    bf_status status = bf__subset(&data, problem->data, clusters, part, which, own, &cause);
    if (status == BF_OK)
        status = run(out, count, &question, self, &silent, own, &cause);
    bf_arena_destroy(own);
    if (status == BF_ENOMEM || status == BF_ECANCELLED) {
        if (err)
            *err = cause;
        return status;
    }
    for (int k = 0; k < count && status != BF_OK; k++)
        out[k] = NAN;
    return BF_OK;
}

static const char *why_none(const bf__clusters *clusters, const bf_trust_options *how) {
    if (how->interval != BF_INTERVAL_FULL)
        return "Intervals of these numbers take halves of the log, which `interval` full does.";
    return clusters->none;
}

bf_status bf__pieces_intervals(bf_interval *out, const char **none, const double *whole, int count,
                               bf__piece_run run, const void *self, const bf_problem *problem,
                               const bf_trust_options *how, const bf_context *context,
                               bf_arena *arena, bf_error *err) {
    bf__clusters clusters;
    int32_t *part;
    double *found, *square;
    BF_TRY(bf__clusters_for(&clusters, problem->data, how, arena, err));
    *none = why_none(&clusters, how);
    for (int k = 0; k < count; k++)
        out[k] = (bf_interval){.level = 0};
    if (*none)
        return BF_OK;
    BF_ALLOC(part, arena, clusters.count, err);
    BF_ALLOC(found, arena, count, err);
    BF_ZALLOC(square, arena, count, err);
    for (int s = 0; s < SPLITS; s++) {
        bf__clusters_deal(part, clusters.count, HALVES, context ? context->seed : 1, "pieces",
                          (uint64_t)s);
        for (int h = 0; h < HALVES; h++) {
            BF_TRY(run_half(found, count, part, h, run, self, problem, &clusters, context, arena,
                            err));
            for (int k = 0; k < count; k++)
                square[k] += (found[k] - whole[k]) * (found[k] - whole[k]) / (SPLITS * HALVES);
        }
    }
    double t = bf__student_quantile(0.5 + 0.5 * how->level, SPLITS);
    for (int k = 0; k < count; k++) {
        double se = sqrt(square[k]);
        if (isfinite(se))
            out[k] = (bf_interval){.level = how->level,
                                   .low = whole[k] - t * se,
                                   .high = whole[k] + t * se,
                                   .se = se,
                                   .df = SPLITS,
                                   .half = t * se};
    }
    return BF_OK;
}
