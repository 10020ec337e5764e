/* auto.c - The default: the black-box estimate, or a simulator where neighbours say little.
 *
 * Answers with what one of its parts says, and names it with its reasons. The parts:
 *
 *   blackbox    first, with the options that were given, which are its own. For finite states, and
 * in few dimensions, nothing else is asked: there neighbours tell what the target meets. simulator
 * in more than eight dimensions, states and vector actions together, if the user has set no option
 * of blackbox. It answers if it has nothing against its own answer. That is more than a formality:
 * it runs the log's own behaviour as well, and has to reproduce what the log earned (judge.c).
 *
 * If both are asked and the simulator does not believe itself, blackbox answers, with its own
 * reasons. The weights of blackbox are handed out in any case: a simulator has none.
 *
 * Cost  that of the parts that are asked */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/answer.h"
#include "weights/weights.h"

enum { FEW_DIMENSIONS = 8 };

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    return bf_estimator_find("blackbox")->choose(out, problem, settings, arena, err);
}

static bool many_dimensions(const bf_estimate *first, const bf_dataset *data) {
    return strcmp(first->model, "tabular") != 0 &&
           data->state_dim + data->action_dim > FEW_DIMENSIONS;
}

static const char *say(bf_arena *arena, bf_error *err, const char *format, const char *text) {
    char *out = bf_arena_alloc(arena, 512, 1, err);
    if (out)
        snprintf(out, 512, format, text);
    return out;
}

/* What the simulator says, if it says anything; *failed is why it does not. */
static bf_status ask_simulator(bf_estimate *out, const char **failed, const bf_problem *problem,
                               const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_error cause = {.message = ""};
    bf_status status = bf__estimator_run(bf_estimator_find("simulator"), out, problem, NULL,
                                         context, arena, &cause);
    *failed = NULL;
    if (status == BF_OK)
        return BF_OK;
    if (status == BF_ENOMEM || status == BF_ECANCELLED) {
        if (err)
            *err = cause;
        return status;
    }
    *out = (bf_estimate){.value = NAN};
    *failed = say(arena, err, "%s", cause.message);
    return *failed ? BF_OK : BF_ENOMEM;
}

/* The code of the first warning that says not to trust the answer; NULL: there is none. */
static const char *doubt(const bf_estimate *estimate) {
    for (int i = 0; i < estimate->warning_count; i++)
        if (estimate->warnings[i].distrust)
            return estimate->warnings[i].code;
    return NULL;
}

/* Puts the simulator's answer in the place of blackbox's, if it is the better one. */
static bf_status compare(bf_estimate *out, bf__part *first, bf__part *second,
                         const bf_problem *problem, const bf_context *context, bf_arena *arena,
                         bf_error *err) {
    bf_estimate other;
    const char *why;
    BF_TRY(ask_simulator(&other, &why, problem, context, arena, err));
    *second = (bf__part){"simulator", other.model, other.value, 0, why};
    if (!why && doubt(&other)) {
        second->why = say(arena, err, "it does not trust itself: %s", doubt(&other));
        first->why = "the simulator does not trust itself";
    } else if (why) {
        first->why = "the simulator could not run";
    } else {
        other.spare = out->weights;
        other.spare_signed = out->signed_weights;
        *out = other;
        out->maker = bf_estimator_find("simulator");
        *second =
            (bf__part){"simulator", other.model, other.value, 1,
                       other.warning_count > 0
                           ? "its doubts about itself are smaller than the difference it finds"
                           : "it reproduces the log, and its runs have settled"};
        first->share = 0;
        first->why = "in so many dimensions neighbours say little";
    }
    return second->why ? BF_OK : BF_ENOMEM;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf__part part[2];
    int count = 1;
    (void)model;
    BF_TRY(bf__estimator_run(blackbox, out, problem, settings, context, arena, err));
    part[0] = (bf__part){blackbox->name, out->model, out->value, 1, "its weights balance the flow"};
    out->maker = blackbox;
    out->maker_settings = settings;
    if (bf_settings_given_at(settings, 0))
        part[0].why = "its options were given";
    else if (many_dimensions(out, problem->data))
        BF_TRY(compare(out, &part[0], &part[count++], problem, context, arena, err));
    memcpy(out->parts, part, (size_t)count * sizeof *part);
    out->part_count = count;
    return BF_OK;
}

const bf_estimator bf__estimator_auto = {
    .name = "auto",
    .summary = "the default: blackbox, or in many dimensions a simulator that reproduces the log",
    .needs = BF_NEEDS_TARGET,
    .options = &bf__blackbox_table,
    .model = bf__weights_model,
    .choose = choose,
    .run = run,
    .chooses = true,
};
