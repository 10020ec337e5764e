/* auto.c - The default: it asks other methods, and answers with what one of them says, or two.
 *
 * The methods are the parts of parts.def, the safest first. For finite states, in few dimensions,
 * and if options were given (they are those of blackbox), the first is all that is asked: there
 * neighbours tell what the target meets. In more than eight dimensions, states and vector actions
 * together, neighbours say little, and the others are asked as well. The answer is that of the last
 * one that has nothing against itself. That is more than a formality: a simulator runs the log's
 * own behaviour as well, and has to reproduce what the log earned (judge.c). If all of them doubt
 * themselves, the first answers, with its own reasons.
 *
 * Between the two, a part that doubts some of what it finds is believed the less:
 *
 *     value = before + share (found - before),   share = (1 - doubt) / (1 - LITTLE), at most 1
 *
 * where `before` is what the parts before it say, and doubt is bf__doubt: at LITTLE the rules begin
 * to speak, and at 1 they refuse. So the answer does not jump where a limit is passed.
 *
 * A part that answers alone answers whole: its interval and its verdict are its own. A blend has
 * the reasons and the diagnostics of the later part, and its interval is that of the blend, by
 * running all parts on parts of the log. The weights of the first are handed out in any case.
 *
 * Cost  that of the parts that are asked */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/answer.h"
#include "estimator/diagnostics.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "problem/nodes.h"
#include "weights/weights.h"

static const double LITTLE = 0.25; /* of judge.c */

static bool always(const bf_problem *problem, const bf_estimate *first) {
    (void)problem;
    (void)first;
    return true;
}

static bool many_dimensions(const bf_problem *problem, const bf_estimate *first) {
    const bf_dataset *data = problem->data;
    double left_out = bf__diagnosed(first, BF__D_COLUMNS_LEFT_OUT);
    double dimensions = data->state_dim + data->action_dim - (isnan(left_out) ? 0 : left_out);
    return !bf__dataset_counts(data) && dimensions > BF__FEW_DIMENSIONS;
}

static const struct part {
    const char *method;
    bool (*when)(const bf_problem *problem, const bf_estimate *first);
    const char *why, *against_others;
} parts[] = {
#define BF_PART(method, when, why, against_others) {#method, when, why, against_others},
#include "choice/parts.def"
#undef BF_PART
};

enum { PARTS = sizeof parts / sizeof *parts };
_Static_assert((int)PARTS <= BF_MAX_PARTS, "an answer has no room for so many parts");

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    return bf_estimator_find(parts[0].method)->choose(out, problem, settings, arena, err);
}

static const char *say(bf_arena *arena, bf_error *err, const char *format, const char *text) {
    char *out = bf_arena_alloc(arena, 512, 1, err);
    if (out)
        snprintf(out, 512, format, text);
    return out;
}

/* The code of the first warning that says not to trust the answer; NULL: there is none. */
static const char *doubt(const bf_estimate *estimate) {
    for (int i = 0; i < estimate->warning_count; i++)
        if (estimate->warnings[i].distrust)
            return estimate->warnings[i].code;
    return NULL;
}

/* What a part says of this log with its own defaults. If its answer is not to be taken, *against is
 * why not. A part that cannot run says so; only a call that cannot go on is an error. */
static bf_status ask(bf_estimate *out, const char **against, const struct part *part,
                     const bf_problem *problem, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    bf_error cause = {.message = ""};
    bf_status status = bf__estimator_run(bf_estimator_find(part->method), out, problem, NULL,
                                         context, arena, &cause);
    *against = NULL;
    if (status == BF_ENOMEM || status == BF_ECANCELLED) {
        if (err)
            *err = cause;
        return status;
    }
    if (status != BF_OK) {
        *out = (bf_estimate){.value = NAN};
        *against = say(arena, err, "%s", cause.message);
        return *against ? BF_OK : BF_ENOMEM;
    }
    if (!doubt(out))
        return BF_OK;
    *against = say(arena, err, "it does not trust itself: %s", doubt(out));
    return *against ? BF_OK : BF_ENOMEM;
}

static double mix(double before, double found, double share) {
    return before + share * (found - before);
}

/* The diagnostics of `out` that are answers themselves: mixed, if both parts have them. */
static void mix_episodes(bf_estimate *out, const bf_estimate *before, double share) {
    static const bf__diagnostic_id ids[] = {BF__D_EPISODE_RETURN, BF__D_EPISODE_LENGTH};
    for (int k = 0; k < 2; k++) {
        double other = bf__diagnosed(before, ids[k]), own = bf__diagnosed(out, ids[k]);
        if (isfinite(other) && isfinite(own))
            bf__diagnose_again(out, ids[k], mix(other, own, share));
    }
}

/* The answer of a part takes the place of what is in `out`, or a share of it; weights stay. */
static void take(bf_estimate *out, bf__part *before, bf__part *now, const struct part *part,
                 const bf_estimate *other, double share) {
    const double *weights = bf_estimate_weights(out), *with_signs = bf_estimate_signed_weights(out);
    bf_estimate was = *out;
    *out = *other;
    if (!out->weights) {
        out->spare = weights;
        out->spare_signed = with_signs;
    }
    out->maker = bf_estimator_find(part->method);
    before->why = part->against_others;
    now->why = other->warning_count > 0
                   ? "its doubts about itself are smaller than the difference it finds"
                   : part->why;
    before->share = 1 - share;
    now->share = share;
    if (share == 1)
        return;
    out->value = mix(was.value, other->value, share);
    mix_episodes(out, &was, share);
    out->model = NULL;
    out->maker = NULL;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const bf_estimator *first = bf_estimator_find(parts[0].method);
    bool given = bf_settings_given_at(settings, 0);
    bf__part said[PARTS];
    int count = 1, chosen = 0;
    (void)model;
    BF_TRY(bf__estimator_run(first, out, problem, settings, context, arena, err));
    said[0] = (bf__part){first->name, out->model, out->value, 1,
                         given ? "its options were given" : parts[0].why};
    out->maker = first;
    out->maker_settings = settings;
    const bf_estimate answer = *out;
    for (int k = 1; k < PARTS && !given; k++) {
        bf_estimate other;
        const char *against;
        if (!parts[k].when(problem, &answer))
            continue;
        BF_TRY(ask(&other, &against, &parts[k], problem, context, arena, err));
        said[count] = (bf__part){parts[k].method, other.model, other.value, 0, against};
        if (!against) {
            double certain = (1 - bf__doubt(&other, problem)) / (1 - LITTLE);
            double share = other.warning_count > 0 ? fmin(fmax(certain, 0), 1) : 1;
            take(out, &said[chosen], &said[count], &parts[k], &other, share);
            chosen = count;
        }
        count++;
    }
    if (count > 1 && chosen == 0)
        said[0].why = "the others could not run or do not trust themselves";
    memcpy(out->parts, said, (size_t)count * sizeof *said);
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
