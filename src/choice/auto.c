/* auto.c - The default: it asks other methods, and answers with what one of them says, or several.
 *
 * The methods are the parts of parts.def, the safest first. For finite states, in few dimensions,
 * and if options were given (they are those of blackbox), the first is mostly all that is asked:
 * there neighbours tell what the target meets. In more than eight dimensions, states and vector
 * actions together, and in fewer if the target goes on outside the hull of its neighbours, they say
 * little, and the others are asked as well, the boldest first:
 *
 *     value = sum_k share_k value_k
 *
 * with the shares of shares.c, by bf__doubt: what a part measured against itself, beside the
 * difference that it finds to the log's mean. A part that says not to be trusted is not certain of
 * anything. So a simulator answers alone if it reproduces the log, stays near to it, does not
 * depend on which episodes it has seen, and finds hardly less of a difference than fqe, which
 * mostly stops short. What it leaves is fqe's, as far as its networks agree. What that leaves goes
 * to the part in the middle of all that they say: far from neighbours the weights are no safer than
 * the others, and two of three are seldom wrong in the same way.
 *
 * A part that answers alone answers whole: its interval and its verdict are its own, but for what
 * it may lean by. A blend has the reasons and the diagnostics of the part with the largest share,
 * and one more that says how far its parts differ; its interval is that of the blend, by running
 * all parts on parts of the log. The weights of the first are handed out in any case.
 *
 * Smaller logs of few dimensions. Weights whose correction moves the value far may be off by a part
 * of that, as intervals have it (trust/error.h). If that is not little beside the difference to the
 * log's mean, fqe is asked, whose error is what its networks differ by and what they still move.
 * Its share makes the sum of the squares least. On small logs lstdq is asked as a third: if both it
 * and fqe are on one side of that mean, the answer moves to the nearer of them, by up to twice what
 * the weights may be off by. So it becomes the median of the three, where the weights allow for it.
 * The answer remains that of the weights in all else: `aside`, what the others have moved the value
 * by, is one more error of the interval. Above SMALL rows networks are quick ones, and there is no
 * third. Above MIDDLING corrections are better, and networks cost more than they find.
 *
 * Cost  that of the parts that are asked */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "choice/shares.h"
#include "core/context.h"
#include "core/fail.h"
#include "estimator/answer.h"
#include "estimator/diagnostics.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "trust/error.h"
#include "weights/weights.h"

/* Rows for networks: with fewer, they differ by more than they find. With more than MIDDLING, in
 * few dimensions, they cost more than they find, and with more than SMALL only quick ones do not:
 * half as many, and half as many rows in a step. */
enum { ENOUGH = 2000, SMALL = 5000, MIDDLING = 20000 };
static const char quick[] = "members=2 batch=64";
/* Errors of the weights up to which networks are not asked, and up to which parts that differ are
 * no news, beside the difference to the log's mean. */
static const double slight = 0.01, no_news = 0.25;

static bool always(const bf_problem *problem, const bf_estimate *first) {
    (void)problem;
    (void)first;
    return true;
}

static bool neighbours_say_little(const bf_problem *problem, const bf_estimate *first) {
    return bf__neighbours_say_little(first, problem);
}

/* What the correction of the weights may be off by; 0: nothing is known of it. */
static double correction_error(const bf_estimate *weights) {
    double base = bf__diagnosed(weights, BF__D_BASE_VALUE);
    return isfinite(base) ? bf__shift_alone * fabs(weights->value - base) : 0;
}

/* In few dimensions, whether the correction of a log of at most so many rows moves the value far.
 */
static bool in_doubt(const bf_problem *problem, const bf_estimate *first, int64_t most) {
    double moved = fabs(first->value - bf__facts_of(first, problem).mean);
    return !neighbours_say_little(problem, first) && problem->data->n >= ENOUGH &&
           bf__dataset_size(problem->data) <= most && correction_error(first) > slight * moved;
}

static bool small_and_in_doubt(const bf_problem *problem, const bf_estimate *first) {
    return in_doubt(problem, first, SMALL);
}

static bool networks(const bf_problem *problem, const bf_estimate *first) {
    return neighbours_say_little(problem, first) ? problem->data->n >= ENOUGH
                                                 : in_doubt(problem, first, MIDDLING);
}

static const struct part {
    const char *method;
    bool (*when)(const bf_problem *problem, const bf_estimate *first);
    double little, much;
    bool stops_short;
    const char *forgiven, *why;
} parts[] = {
#define BF_PART(method, when, little, much, short, forgiven, why)                                  \
    {#method, when, little, much, short, forgiven, why},
#include "choice/parts.def"
#undef BF_PART
};

enum {
#define BF_PART(method, when, little, much, short, forgiven, why) PART_##method,
#include "choice/parts.def"
#undef BF_PART
    PARTS
};
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

/* The code of the first warning that says not to trust the answer, but for one that is forgiven;
 * NULL: there is none. */
static const char *distrust(const bf_estimate *estimate, const char *forgiven) {
    for (int i = 0; i < estimate->warning_count; i++)
        if (estimate->warnings[i].distrust &&
            !(forgiven && strcmp(estimate->warnings[i].code, forgiven) == 0))
            return estimate->warnings[i].code;
    return NULL;
}

/* What a part says of this log, with its own defaults but for `options`. If its answer is not to be
 * taken, *against is why not. A part that cannot run says so; only a call that cannot go on is an
 * error. One that is interrupted can go on if there is an answer without the part. */
static bf_status ask(bf_estimate *out, const char **against, const struct part *part,
                     const char *options, bool needed, const bf_problem *problem,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_estimator *method = bf_estimator_find(part->method);
    bf_error cause = {.message = ""};
    bf_settings *settings;
    BF_TRY(bf_estimator_settings(&settings, method, options, arena, err));
    bf_status status = bf__estimator_run(method, out, problem, settings, context, arena, &cause);
    *against = NULL;
    if (status == BF_ENOMEM || (status == BF_ECANCELLED && needed)) {
        if (err)
            *err = cause;
        return status;
    }
    if (status != BF_OK) {
        *out = (bf_estimate){.value = NAN};
        *against = say(arena, err, "%s", cause.message);
        return *against ? BF_OK : BF_ENOMEM;
    }
    const char *code = distrust(out, part->forgiven);
    if (!code)
        return BF_OK;
    *against = say(arena, err, "it does not trust itself: %s", code);
    return *against ? BF_OK : BF_ENOMEM;
}

/* What the parts say of this log, and how much of the answer each one has. */
typedef struct hearing {
    bf_estimate said[PARTS];
    const char *against[PARTS];
    bool asked[PARTS];
    bf__voice voice[PARTS];
    double share[PARTS];
    bool few; /* in few dimensions: the answer is that of the weights, moved by what networks say */
} hearing;

/* How much there is to say for the weights, from 0 to 1: next pairs lie in the hull of logged ones,
 * and little of the flow's residual under equal weights is left. */
static double proven(const bf_estimate *weights) {
    double off = bf__diagnosed(weights, BF__D_OFF_HULL);
    double after = bf__diagnosed(weights, BF__D_FLOW_RESIDUAL);
    double before = bf__diagnosed(weights, BF__D_FLOW_RESIDUAL_UNIFORM);
    if (distrust(weights, NULL) || isnan(off) || !(before > 0) || isnan(after))
        return 0;
    return fmin(bf__falls(off, 0.05, 0.1), bf__falls(after / before, 0.02, 0.05));
}

/* In few dimensions networks have a share by their error and that of the weights. Then a third
 * method may move the answer to the middle, by up to twice what the weights may be off by. */
static void weigh(hearing *h) {
    const bf__voice *voice = h->voice;
    const bf_estimate *critic = &h->said[PART_fqe];
    double spread = bf__diagnosed(critic, BF__D_MEMBER_SPREAD);
    double drift = bf__diagnosed(critic, BF__D_DRIFT), error = correction_error(&h->said[0]);
    double second = bf__share_of_second(error, hypot(spread, drift)), share[3];
    if (!voice[PART_fqe].counts || !isfinite(second))
        return;
    const double said[3] = {voice[0].value, voice[PART_fqe].value,
                            voice[PART_lstdq].counts ? voice[PART_lstdq].value : NAN};
    bf__shares_of_three(share, said, second, 2 * error);
    h->share[0] = share[0];
    h->share[PART_fqe] = share[1];
    h->share[PART_lstdq] = share[2];
}

static bf_status hear(hearing *h, const bf_problem *problem, const bf_context *context,
                      bf_arena *arena, bf_error *err) {
    double mean = bf__facts_of(&h->said[0], problem).mean;
    h->voice[0].value = h->said[0].value;
    h->voice[0].proven = proven(&h->said[0]);
    h->few = !neighbours_say_little(problem, &h->said[0]);
    for (int k = PARTS - 1; k > 0; k--) {
        if (!parts[k].when(problem, &h->said[0]))
            continue;
        bool small = bf__dataset_size(problem->data) <= SMALL;
        const char *options = k == PART_fqe && h->few && !small ? quick : NULL;
        BF_TRY(ask(&h->said[k], &h->against[k], &parts[k], options, !h->few, problem, context,
                   arena, err));
        h->asked[k] = true;
        h->voice[k] = (bf__voice){.value = h->said[k].value,
                                  .little = parts[k].little,
                                  .much = parts[k].much,
                                  .stops_short = parts[k].stops_short,
                                  .speaks = isfinite(h->said[k].value),
                                  .counts = !h->against[k]};
        if (h->few)
            continue;
        if (h->voice[k].counts)
            h->voice[k].doubt = bf__doubt(&h->said[k], problem);
        bf__shares(h->share, h->voice, PARTS, mean);
    }
    if (h->few)
        weigh(h);
    return BF_OK;
}

/* A number of the answer, from the parts that have a share and know it; NaN: none of them does. */
static double mixed(const hearing *h, bf__diagnostic_id id) {
    double sum = 0, shares = 0;
    for (int k = 0; k < PARTS; k++) {
        double said = h->share[k] > 0 ? bf__diagnosed(&h->said[k], id) : NAN;
        sum += isfinite(said) ? h->share[k] * said : 0;
        shares += isfinite(said) ? h->share[k] : 0;
    }
    return shares > 0 ? sum / shares : NAN;
}

/* What is in `out` is that of one part: the value becomes that of all of them. If two equal shares
 * differ by more than the answer differs from the log, or unequal ones by accordingly more, it is
 * not to be trusted. That parts differ by little is news only if no part would do alone. */
static bf_status blend(bf_estimate *out, const hearing *h, const bf_problem *problem,
                       bf_arena *arena, bf_error *err) {
    static const bf__diagnostic_id answers[] = {BF__D_EPISODE_RETURN, BF__D_EPISODE_LENGTH};
    double low = INFINITY, high = -INFINITY, square = 0, mean = bf__facts_of(out, problem).mean;
    out->value = 0;
    for (int k = 0; k < PARTS; k++)
        out->value += h->share[k] > 0 ? h->share[k] * h->said[k].value : 0;
    for (int k = 0; k < PARTS; k++) {
        if (h->share[k] == 0)
            continue;
        low = fmin(low, h->said[k].value);
        high = fmax(high, h->said[k].value);
        square += h->share[k] * pow(h->said[k].value - out->value, 2);
    }
    for (int k = 0; k < 2; k++)
        if (isfinite(mixed(h, answers[k])))
            bf__diagnose_again(out, answers[k], mixed(h, answers[k]));
    double apart = 2 * sqrt(square), moved = fabs(out->value - mean);
    if (h->few) /* reasons and weights are those of the first, which may have no share */
        apart = fmax(apart, fabs(out->value - h->said[0].value));
    if (h->few && apart <= no_news * moved)
        return BF_OK;
    return bf__warn(
        out, arena, err, BF__W_PARTS_DIFFER, apart > moved,
        "the answer is a blend of parts that do not agree: they say from %.6g to %.6g, and "
        "the log's mean is %.6g",
        low, high, mean);
}

static const char *why(const hearing *h, int k) {
    if (h->share[k] > 0 && h->against[k])
        return "no part is certain of all, and of what they say it is in the middle";
    if (h->against[k])
        return h->against[k];
    if (h->few && k == PART_fqe)
        return "its share is by what its networks differ by, beside what the correction of the "
               "weights moves";
    if (h->few)
        return parts[k].why;
    if (h->share[k] == 0 && h->voice[0].proven > 0)
        return "it is not in the middle of what the parts say";
    if (k == 0 && h->voice[0].proven == 0)
        return h->share[0] == 1 ? "the others could not run or do not trust themselves"
                                : "neighbours say little of what the target meets";
    if (h->voice[k].outdone > 0)
        return "it finds less of a difference than fqe, which mostly finds too little";
    if (h->share[k] == 0)
        return "it doubts too much of the difference that it finds";
    return k > 0 && h->said[k].warning_count > 0
               ? "its doubts about itself are smaller than the difference it finds"
               : parts[k].why;
}

/* The first part answers, moved by what the others say, but not out of the range of the rewards,
 * which no mean of them leaves, whatever networks find. */
static bf_status move(bf_estimate *out, const hearing *h, const bf_problem *problem,
                      const bf_settings *settings, bf_arena *arena, bf_error *err) {
    double own = h->said[0].value;
    *out = h->said[0];
    if (h->share[0] < 1) {
        bf__facts facts = bf__facts_of(out, problem);
        BF_TRY(blend(out, h, problem, arena, err));
        out->value = fmin(fmax(out->value, fmin(facts.low, own)), fmax(facts.high, own));
    }
    out->aside = out->value - own;
    out->maker = bf_estimator_find(parts[0].method);
    out->maker_settings = settings;
    return BF_OK;
}

/* One part answers, be it that the bolder ones are not certain, or that nobody is and it is in the
 * middle: then it is not to be trusted. If fewer than three were asked there was no choice. */
static bf_status stand_alone(bf_estimate *out, const hearing *h, const bf_problem *problem,
                             int part, bf_arena *arena, bf_error *err) {
    double low = INFINITY, high = -INFINITY;
    bool someone = h->voice[0].proven > 0;
    int asked = 0;
    for (int k = 0; k < PARTS; k++) {
        const bf__voice *voice = &h->voice[k];
        asked += h->asked[k];
        someone = someone || (voice->counts && voice->doubt < voice->much);
        if (h->asked[k] && isfinite(voice->value)) {
            low = fmin(low, voice->value);
            high = fmax(high, voice->value);
        }
    }
    if (asked < 3 || (someone && (part == 0 || part == PARTS - 1)))
        return BF_OK;
    return bf__warn(out, arena, err, BF__W_PARTS_DIFFER, !someone,
                    "%s: they say from %.6g to %.6g, and the log's mean is %.6g",
                    someone ? "the answer is that of one part, and bolder ones are not certain"
                            : "no part is certain, and the answer is the middle one",
                    low, high, bf__facts_of(out, problem).mean);
}

/* What the answer may lean by. Parts that find little are off by no less than those that find much,
 * so the largest difference to the log's mean that a part finds is the unit for all. Parts that do
 * not trust themselves are asked for it if no other is. */
static double lean(const hearing *h, double mean) {
    double most = 0, unit = 0;
    bool some = false;
    for (int k = 1; k < PARTS; k++)
        some = some || h->voice[k].counts;
    for (int k = 0; k < PARTS; k++) {
        double found = h->said[k].value - mean;
        bool heard = k == 0 || h->voice[k].counts || (!some && h->voice[k].speaks);
        most = heard && fabs(found) > fabs(most) ? found : most;
        unit += h->share[k] * bf_estimator_find(parts[k].method)->leans;
    }
    return unit * most;
}

/* The answer of the part with the largest share takes the place of what is in `out`, of equal ones
 * that of the boldest; the weights of the first stay. */
static bf_status take(bf_estimate *out, const hearing *h, const bf_problem *problem,
                      const bf_settings *settings, bf_arena *arena, bf_error *err) {
    int largest = 0;
    for (int k = 1; k < PARTS; k++)
        largest = h->share[k] > 0 && h->share[k] >= h->share[largest] ? k : largest;
    bool whole = h->share[largest] == 1;
    *out = h->said[largest];
    out->lean = lean(h, bf__facts_of(out, problem).mean);
    if (!out->weights && largest > 0) {
        out->spare = bf_estimate_weights(&h->said[0]);
        out->spare_signed = bf_estimate_signed_weights(&h->said[0]);
    }
    if (!whole)
        out->model = NULL;
    BF_TRY(whole ? stand_alone(out, h, problem, largest, arena, err)
                 : blend(out, h, problem, arena, err));
    out->maker = whole ? bf_estimator_find(parts[largest].method) : NULL;
    out->maker_settings = whole && largest == 0 ? settings : NULL;
    return BF_OK;
}

static bf_status answer(bf_estimate *out, const hearing *h, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    int count = 0;
    BF_TRY((h->few ? move : take)(out, h, problem, settings, arena, err));
    for (int k = 0; k < PARTS; k++)
        if (h->asked[k])
            out->parts[count++] = (bf__part){parts[k].method, h->said[k].model, h->said[k].value,
                                             h->share[k], why(h, k)};
    out->part_count = count;
    if (count == 1)
        out->parts[0].why = parts[0].why;
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    bool given = bf_settings_given_at(settings, 0);
    hearing h = {.asked = {true}, .share = {1}, .few = true};
    (void)model;
    BF_TRY(bf__estimator_run(bf_estimator_find(parts[0].method), &h.said[0], problem, settings,
                             context, arena, err));
    if (!given)
        BF_TRY(hear(&h, problem, context, arena, err));
    BF_TRY(answer(out, &h, problem, settings, arena, err));
    if (given)
        out->parts[0].why = "its options were given";
    return BF_OK;
}

const bf_estimator bf__estimator_auto = {
    .name = "auto",
    .summary = "the default: blackbox, with fqe and lstdq beside it on small logs; where "
               "neighbours say little, a simulator that reproduces the log, or fqe",
    .needs = BF_NEEDS_TARGET,
    .options = &bf__blackbox_table,
    .model = bf__weights_model,
    .choose = choose,
    .run = run,
    .chooses = true,
};
