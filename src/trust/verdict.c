/* verdict.c - Sound, look, or cannot tell: the rules, and asking them.
 *
 * estimator/judge.c goes by what a method measured of itself. The rules here go by where the
 * weights of the answer lie in the log, and by what its parts say. Each knows one way in which a
 * log cannot tell; docs/trust.md says how often each was right on logs whose truth is known. */
#include "trust/verdict.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimator/diagnostics.h"
#include "estimator/judge.h"

/* ---- Limits; docs/trust.md has the logs they were chosen on */

static const double same_reward = 1e-9; /* of the range of rewards */
static const double same_width = 1e-6;  /* the parts give the same constant */
static const double few_clusters = 2, some_clusters = 4;
static const double enough_clusters = 3;
static const double share_of_clusters = 0.15, many_clusters = 40;
static const double wide_gap = 0.4;
static const double thin_rows = 0.03, thin_gap = 0.05; /* shares: of rows, of next pairs */
static const double steep = 4;                         /* rise of weight with age */
static const double mostly_still = 0.5;
static const double mostly_shown = 0.85; /* of what the target does next */
static const double mirror_misses = 4;   /* in mean squares, of what own rows miss */
static const double moves = 1;           /* shift of the parts, in half-widths */

static bool is(const bf_warning *warning, bf__reason_id id) {
    return strcmp(warning->code, bf__reason_code((int)id)) == 0;
}

/* ---- Rules */

/* The answer is a constant, whatever the target does: the weights are where nothing else was ever
 * paid, as on a log that never reached the goal. */
static bool one_reward(bf__reason *out, const bf__facts *f) {
    if (!(f->high > f->low))
        return !f->ends &&
               bf__say(out, BF__W_ONE_REWARD, true,
                       "every reward of the log is %.6g: whatever the target policy does, "
                       "the answer is that constant",
                       f->low);
    if (!(f->weighted_deviation <= same_reward * (f->high - f->low)) ||
        f->half > same_width * (f->high - f->low))
        return false;
    return bf__say(
        out, BF__W_ONE_REWARD, true,
        "all the weight is on rows of one reward, %.6g, and the log has rewards from %.6g "
        "to %.6g: the answer is that constant",
        bf_estimate_value(f->estimate), f->low, f->high);
}

/* If every step pays the same, the value says nothing, and the return and length of an episode are
 * what is asked for: without weight on an end they cannot be told. */
static bool no_ends(bf__reason *out, const bf__facts *f) {
    if (f->high > f->low || !f->ends || !(f->ended <= 0))
        return false;
    return bf__say(
        out, BF__W_NO_ENDS, true,
        "every step of the log pays %.6g, and no weight is on the end of an episode: how "
        "long an episode of the target policy lasts cannot be told",
        f->low);
}

/* The user says that the process is symmetric, and the log says that it is not. */
static bool mirror_differs(bf__reason *out, const bf__facts *f) {
    if (!(f->mirror_excess > mirror_misses))
        return false;
    return bf__say(
        out, BF__W_MIRROR_DIFFERS, true,
        "mirrored rows do not tell what rows of the log do: near each other, they miss %s "
        "by %.3g times as much, in the mean square",
        f->mirror_of, f->mirror_excess);
}

static bool few_carry(bf__reason *out, const bf__facts *f) {
    if (!(f->effective < some_clusters))
        return false;
    return bf__say(
        out, BF__W_FEW_CLUSTERS, f->effective < few_clusters,
        "few %ss carry the weight: all %.0f count for as much as %.3g of equal weight, and "
        "one has %.3g of it",
        f->unit, f->clusters, f->effective, f->largest);
}

static bool few_of_many(bf__reason *out, const bf__facts *f) {
    if (!(f->clusters >= many_clusters && f->effective < share_of_clusters * f->clusters))
        return false;
    return bf__say(
        out, BF__W_FEW_OF_MANY, true,
        "the target policy goes where few %ss of the log have been: %.0f of them count for "
        "as much as %.3g of equal weight",
        f->unit, f->clusters, f->effective);
}

static bool next_pairs_alone(bf__reason *out, const bf__facts *f) {
    if (!(f->gap > wide_gap))
        return false;
    return bf__say(out, BF__W_ALONE, false,
                   "%.3g%% of what the target policy does next has no logged pair of another %s "
                   "within one median step: what follows there rests on interpolation",
                   100 * f->gap, f->unit);
}

/* Few rows may carry an answer if several trajectories show what follows there; and a chain may
 * interpolate where it has much to go by. Both at once is a guess. */
static bool thin_support(bf__reason *out, const bf__facts *f) {
    double rows = bf__diagnosed(f->estimate, BF__D_ESS);
    if (!(rows < thin_rows * f->n && f->gap > thin_gap))
        return false;
    return bf__say(out, BF__W_THIN_SUPPORT, true,
                   "the weight is on few rows, as if on %.3g of %.0f, and %.3g%% of what the "
                   "target policy does next there has no logged pair of another %s nearby",
                   rows, f->n, 100 * f->gap, f->unit);
}

static bool piles_up(bf__reason *out, const bf__facts *f) {
    if (!(f->age_rise > steep && f->horizon > f->longest))
        return false;
    return bf__say(
        out, BF__W_PILES_UP, false,
        "the question looks further ahead than any trajectory of the log (%.0f steps), and "
        "weight piles up at their ends: the latest fifth of the rows has %.3g times the "
        "weight of the others",
        f->longest, f->age_rise);
}

static bool stands_still(bf__reason *out, const bf__facts *f) {
    if (!(f->still > mostly_still && f->effective < some_clusters))
        return false;
    return bf__say(
        out, BF__W_STANDS_STILL, true,
        "%.3g of the weight is on rows whose state hardly moves, in %.3g %ss: the target "
        "seems to come to rest there",
        f->still, f->effective, f->unit);
}

/* No correction was credible, so nothing vouches for the chain of neighbours; and its mass is where
 * such a chain goes astray: on few rows, at the ends of trajectories that are too short, or where
 * no other trajectory shows what the target does. */
static bool uncorrected(bf__reason *out, const bf__facts *f) {
    double base = bf__diagnosed(f->estimate, BF__D_BASE_VALUE);
    bool dropped = bf__was_said(f->estimate, BF__W_CORRECTION_DROPPED) &&
                   fabs(f->estimate->value - base) <= 1e-9 * (f->high - f->low);
    bool late = f->age_rise > steep && f->horizon > f->longest;
    bool few = bf__was_said(f->estimate, BF__W_ONE_ROW) ||
               bf__diagnosed(f->estimate, BF__D_ESS) < bf__least_rows_of_fit(f->n);
    bool alone = f->gap > wide_gap;
    if (!dropped || !(late || few || alone))
        return false;
    return bf__say(out, BF__W_UNCORRECTED, true,
                   "no correction of the weights was credible, and they gather %s: nothing "
                   "vouches for the answer",
                   few    ? "on few rows"
                   : late ? "at the ends of the trajectories"
                          : "where the target goes alone");
}

static bool parts_shift(bf__reason *out, const bf__facts *f) {
    if (!(fabs(f->bias) > moves * f->half))
        return false;
    return bf__say(
        out, BF__W_PARTS_SHIFT, false,
        "the answer moves with the amount of data: parts of the log give %+.3g more in the "
        "mean",
        f->bias);
}

static bool parts_failed(bf__reason *out, const bf__facts *f) {
    if (!(f->failed > 0))
        return false;
    return bf__say(out, BF__W_PARTS_FAILED, false,
                   "%.0f parts of the log gave no answer of their own", f->failed);
}

static const bf__rule rules[] = {
    mirror_differs, one_reward, no_ends,      few_carry,   few_of_many, next_pairs_alone,
    thin_support,   piles_up,   stands_still, uncorrected, parts_shift, parts_failed,
};

/* ---- Asking them */

/* The share of what the target does next that the log shows, by the weights or by the model. */
static double shown(const bf_estimate *estimate) {
    double by_weights = bf__diagnosed(estimate, BF__D_COVERAGE);
    return isnan(by_weights) ? bf__diagnosed(estimate, BF__D_COVERAGE_MODEL) : by_weights;
}

/* Some reasons of a method are about what an interval measures, and then are something to look at.
 * Few rows with much weight make an answer vary: the width has it if enough clusters are left to
 * measure it by. So do gaps of a finite log: other clusters have other gaps. */
static bool in_the_width(const bf_warning *warning, const bf__facts *f) {
    if (!isfinite(f->half))
        return false;
    if (is(warning, BF__W_UNSEEN_PAIRS))
        return shown(f->estimate) >= mostly_shown;
    return (is(warning, BF__W_FEW_ROWS) || is(warning, BF__W_ONE_ROW)) &&
           f->effective >= enough_clusters;
}

bf_status bf__verdict(bf_trust *trust, const bf__facts *facts, bf_arena *arena, bf_error *err) {
    const bf_estimate *estimate = facts->estimate;
    int own = (int)(sizeof rules / sizeof *rules), room = estimate->warning_count + own;
    bf_warning *list;
    BF_ALLOC(list, arena, room, err);
    trust->reason_count = estimate->warning_count;
    memcpy(list, estimate->warnings, (size_t)estimate->warning_count * sizeof *list);
    for (int i = 0; i < trust->reason_count; i++)
        list[i].distrust = list[i].distrust && !in_the_width(&list[i], facts);
    BF_TRY(bf__ask(list, &trust->reason_count, room, rules, own, facts, arena, err));
    trust->reasons = list;
    trust->verdict = bf__verdict_of(list, trust->reason_count);
    return BF_OK;
}

/* ---- Several methods */

/* Whether each lies outside the other's interval. */
static bool disagree(const bf_trust *a, const bf_trust *b) {
    double x = a->measured.value, y = b->measured.value;
    return a->value.level > 0 && b->value.level > 0 && (y < a->value.low || y > a->value.high) &&
           (x < b->value.low || x > b->value.high);
}

/* The reason, if some other answer disagrees: the one that is farthest away. */
static bool find_disagreement(bf__reason *out, const bf_trust *const *trusts,
                              const char *const *methods, int count, int index) {
    int worst = -1;
    double far = -1;
    for (int k = 0; k < count && strcmp(methods[index], "naive") != 0; k++) {
        double apart = fabs(trusts[k]->measured.value - trusts[index]->measured.value);
        bool speaks =
            strcmp(methods[k], "naive") != 0 && trusts[k]->verdict != BF_VERDICT_CANNOT_TELL;
        if (!speaks || !disagree(trusts[index], trusts[k]) || apart <= far)
            continue;
        far = apart;
        worst = k;
    }
    if (worst < 0)
        return false;
    const bf_trust *other = trusts[worst];
    return bf__say(out, BF__W_METHODS_DISAGREE, false,
                   "%s says %.4g (%.4g to %.4g), and each of the two answers lies outside the "
                   "other's interval",
                   methods[worst], other->measured.value, other->value.low, other->value.high);
}

bf_status bf_trust_among(const bf_trust **out, const bf_trust *const *trusts,
                         const char *const *methods, int count, int index, bf_arena *arena,
                         bf_error *err) {
    bf__reason reason;
    bf_trust *changed;
    bf_warning *list;
    char *text;
    *out = trusts[index];
    if (!find_disagreement(&reason, trusts, methods, count, index))
        return BF_OK;
    int before = trusts[index]->reason_count;
    BF_ALLOC(changed, arena, 1, err);
    BF_ALLOC(list, arena, before + 1, err);
    BF_ALLOC(text, arena, (int64_t)sizeof reason.text, err);
    memcpy(text, reason.text, sizeof reason.text);
    memcpy(list, trusts[index]->reasons, (size_t)before * sizeof *list);
    list[before] = (bf_warning){bf__reason_code((int)reason.id), text,
                                bf__reason_advice((int)reason.id), reason.distrust};
    *changed = *trusts[index];
    changed->reasons = list;
    changed->reason_count = before + 1;
    changed->verdict = bf__verdict_of(list, before + 1);
    *out = changed;
    return BF_OK;
}
