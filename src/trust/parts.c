/* parts.c - An estimator run on complementary parts of a log.
 *
 * Parts have no cluster in common, so their answers are independent, whatever the estimator does
 * inside. Drawing clusters with replacement, as the bootstrap does, would not do: a pair that is
 * there twice is met exactly by a method that looks for neighbours, and such answers vary far too
 * little.
 *
 * Cost  a split costs one run on the whole log, or less if the method is more than linear. */
#include "trust/parts.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/share.h"
#include "trust/subset.h"

void bf__measures(double out[BF__MEASURES], const bf_estimate *estimate) {
    out[BF__VALUE] = estimate->value;
    out[BF__RETURN] = bf_estimate_get(estimate, "episode_return");
    out[BF__LENGTH] = bf_estimate_get(estimate, "episode_length");
}

/* One part, in memory of its own. */
static bf_status run_part(double out[BF__MEASURES], const bf_estimator *estimator,
                          const bf_problem *problem, const bf_settings *settings,
                          const bf__clusters *clusters, const int32_t *part, int split, int count,
                          int32_t which, const bf_context *context, bf_arena *arena,
                          bf_error *err) {
    bf_arena *own;
    bf_dataset data;
    bf_estimate *estimate;
    BF_TRY(bf_arena_create(&own, bf_arena_allocator(arena), err));
    bf_problem question = *problem;
    question.data = &data;
    bf_status status = bf__subset(&data, problem->data, clusters, part, which, own, err);
    if (status == BF_OK) /* the parts of another policy's log are the same */
        status = bf__share_part(&data.share, problem->data->share, split, count, which, err);
    estimate = status == BF_OK ? bf_arena_alloc(own, 1, sizeof *estimate, err) : NULL;
    if (status == BF_OK && !estimate)
        status = BF_ENOMEM;
    if (status == BF_OK)
        status = bf__estimator_run(estimator, estimate, &question, settings, context, own, err);
    if (status == BF_OK)
        bf__measures(out, estimate);
    bf_arena_destroy(own);
    return status;
}

/* Whether a failure is one of the part, not of the machine. */
static bool of_the_part(bf_status status) {
    return status != BF_OK && status != BF_ENOMEM && status != BF_ECANCELLED;
}

static bf_status note_failure(bf__parts *out, const bf_error *cause, bf_arena *arena,
                              bf_error *err) {
    if (out->failed++ > 0)
        return BF_OK;
    char *text;
    BF_ALLOC(text, arena, (int64_t)sizeof cause->message, err);
    memcpy(text, cause->message, sizeof cause->message);
    out->why = text;
    return BF_OK;
}

/* A part reports no messages of its own: they would be about a log that the user does not know. */
static bf_context silent(const bf_context *context) {
    bf_context own = context ? *context : (bf_context){.seed = 1};
    own.callbacks.message = NULL;
    return own;
}

bf_status bf__parts_run(bf__parts *out, const int *counts, int splits,
                        const bf_estimator *estimator, const bf_problem *problem,
                        const bf_settings *settings, const bf__clusters *clusters,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_context own = silent(context);
    int32_t *part;
    double begun = bf__seconds();
    *out = (bf__parts){.seed = own.seed};
    BF_ALLOC(part, arena, clusters->count, err);
    for (int s = 0, dealt = 0; s < splits; s++) {
        if (counts[s] > clusters->count || counts[s] > BF__MOST_PARTS)
            continue;
        bf__clusters_deal(part, clusters->count, counts[s], own.seed, "parts", (uint64_t)s);
        for (int k = 0; k < counts[s]; k++) {
            double found[BF__MEASURES] = {NAN, NAN, NAN};
            bf_error cause = {.message = ""};
            bf_status status = run_part(found, estimator, problem, settings, clusters, part, s,
                                        counts[s], k, &own, arena, &cause);
            if (of_the_part(status)) {
                BF_TRY(note_failure(out, &cause, arena, err));
            } else if (status == BF_ECANCELLED) {
                out->interrupted = true;
                out->count = 0;
                return BF_OK;
            } else if (status != BF_OK) {
                if (err)
                    *err = cause;
                return status;
            }
            for (int q = 0; q < BF__MEASURES; q++)
                out->value[q][out->count] = found[q];
            out->split[out->count++] = dealt;
        }
        dealt++;
    }
    out->seconds = bf__seconds() - begun;
    return BF_OK;
}
