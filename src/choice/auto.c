/* auto.c - The default: the black-box estimate, or another if the log gives cause.
 *
 * Answers with what one of its parts says, and says which and why. The first part is blackbox, with
 * the options that were given: they are its own. If the user has set one of them, or if blackbox
 * has nothing against its own answer, that is the answer. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimator/answer.h"
#include "weights/weights.h"

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    return bf_estimator_find("blackbox")->choose(out, problem, settings, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    (void)model;
    BF_TRY(bf__estimator_run(blackbox, out, problem, settings, context, arena, err));
    out->maker = blackbox;
    out->maker_settings = settings;
    out->parts[out->part_count++] =
        (bf__part){blackbox->name, out->model, out->value, 1, "its weights balance the flow"};
    return BF_OK;
}

const bf_estimator bf__estimator_auto = {
    .name = "auto",
    .summary = "the default: blackbox, or another method where the log gives cause",
    .needs = BF_NEEDS_TARGET,
    .options = &bf__blackbox_table,
    .model = bf__weights_model,
    .choose = choose,
    .run = run,
    .chooses = true,
};
