/* judge.c - Judging an answer by what its method measured of itself: one set of rules for all.
 *
 * A method measures; it writes what it measured into the diagnostics of its answer. The rules here
 * read them (rules.h). All their limits stand here, and only here. */
#include "estimator/judge.h"

#include <math.h>

#include "core/fail.h"
#include "dataset/extreme.h"
#include "estimator/result.h"
#include "solver/kdtree.h"

/* ---- Limits */

static const double largest_weight = 0.1;
static const double negative_seen = 0.02, negative_much = 0.05;
static const double runs_cut = 0.05, runs_cut_much = 0.25; /* steps in a simulator */
static const double drift_seen = 0.02, drift_much = 0.1;   /* in deviations of the reward */
static const double far_away = 0.03, far_away_much = 0.2;  /* of them, where 0.01 are expected */
static const double missed_much = 0.5;               /* of the changes of the state, noise apart */
static const double far_off = 0.25, too_far_off = 1; /* of the hull, in deviations */
/* The same, where neighbours say little; and if corrections were dropped. */
static const double outside_of_them = 0.07, outside_if_dropped = 0.04;
enum { ENOUGH = 2000 }; /* rows of a log that should have neighbours, in few dimensions */
static const double covered_enough = 0.99;

double bf__least_rows(double n) {
    return fmin(fmax(20, 0.005 * n), 0.5 * n);
}

double bf__least_rows_of_fit(double n) {
    return fmin(fmax(20, 0.01 * n), 0.1 * n);
}

/* ---- Rules */

static double fact(const bf__facts *f, bf__diagnostic_id id) {
    return bf__diagnosed(f->estimate, id);
}

static bool not_finite(bf__reason *out, const bf__facts *f) {
    for (int i = 0; i < f->estimate->diagnostic_count; i++) {
        const bf_diagnostic *d = &f->estimate->diagnostics[i];
        if (!isfinite(d->value))
            return bf__say(out, BF__W_NOT_FINITE, true,
                           "a number that the answer is judged by is not finite: '%s' is %g",
                           d->label, d->value);
    }
    return false;
}

/* Methods that weigh whole episodes are judged by these. In a log of 20 rows few rows are no news.
 */
static bool few_rows(bf__reason *out, const bf__facts *f) {
    double ess = fact(f, BF__D_ESS);
    if (!(f->n > 20 && ess < bf__least_rows(f->n)) || !isnan(fact(f, BF__D_ESS_EPISODES)) ||
        fact(f, BF__D_ABSORBED) == 1)
        return false;
    return bf__say(
        out, BF__W_FEW_ROWS, true,
        "the answer rests on few transitions: all %.0f count for as much as %.3g equally "
        "weighted ones",
        f->n, ess);
}

static bool few_episodes(bf__reason *out, const bf__facts *f) {
    double ess = fact(f, BF__D_ESS_EPISODES);
    if (!(ess < 0.1 * f->episodes || (ess < 10 && ess < 0.5 * f->episodes)))
        return false;
    return bf__say(out, BF__W_FEW_EPISODES, true,
                   "the products of ratios over up to %.0f steps leave %.3g effective episodes of "
                   "%.0f: the rest of the log hardly counts",
                   fact(f, BF__D_LONGEST_EPISODE), ess, f->episodes);
}

static bool one_row(bf__reason *out, const bf__facts *f) {
    double largest = fact(f, BF__D_MAX_WEIGHT);
    if (!(largest > largest_weight && f->n > 20) || !isnan(fact(f, BF__D_ESS_EPISODES)))
        return false;
    return bf__say(out, BF__W_ONE_ROW, true, "a single transition has %.3g of all the weight",
                   largest);
}

/* The weights of finite states minimise the residual: what is left of it is the log's fault, and
 * coverage says so. */
static bool flow_unbalanced(bf__reason *out, const bf__facts *f) {
    double after = fact(f, BF__D_FLOW_RESIDUAL), before = fact(f, BF__D_FLOW_RESIDUAL_UNIFORM);
    bool hardly = before > 20 / f->n && after > 0.5 * before;
    bool worse = after > before * (1 + 1e-6) + 1e-14; /* below rounding there is nothing left */
    if (!(hardly || worse) || !isnan(fact(f, BF__D_COVERAGE)) || fact(f, BF__D_ABSORBED) == 1)
        return false;
    return bf__say(out, BF__W_FLOW_UNBALANCED, true,
                   "the weights hardly balance the flow: its residual is %.3g, and %.3g for equal "
                   "weights",
                   after, before);
}

static bool off_hull(bf__reason *out, const bf__facts *f) {
    double off = fact(f, BF__D_OFF_HULL);
    if (!(off > far_off))
        return false;
    return bf__say(
        out, BF__W_OFF_HULL, off > too_far_off,
        "next states lie outside what the log surrounds with the target's actions: by %.3g "
        "standard deviations in the mean",
        off);
}

static bool chain_stopped(bf__reason *out, const bf__facts *f) {
    if (!(fact(f, BF__D_CHAIN_SETTLED) == 0))
        return false;
    return bf__say(out, BF__W_CHAIN_STOPPED, true,
                   "the chain was stopped after %.0f steps before it had settled: over the last "
                   "hundred the value still moved by %.3g standard deviations of the reward",
                   fact(f, BF__D_CHAIN_STEPS), fact(f, BF__D_CHAIN_CHANGE));
}

static bool ends_absorb(bf__reason *out, const bf__facts *f) {
    double ended = fact(f, BF__D_ABSORBED);
    if (!(f->gamma == 1 && ended > 0))
        return false;
    return bf__say(out, BF__W_ENDS_ABSORB, ended < 1,
                   "episodes end and stay ended, so %.3g of the long run is spent at reward 0",
                   ended);
}

static bool negative_weight(bf__reason *out, const bf__facts *f) {
    double negative = fact(f, BF__D_NEGATIVE_MASS);
    if (!(negative > negative_seen))
        return false;
    return bf__say(out, BF__W_NEGATIVE_WEIGHT, negative > negative_much * (1 + 1e-9),
                   "%.3g of the weight is negative, of a total of 1: the value counts it with its "
                   "sign, the column of weights that are not negative has it set to 0",
                   negative);
}

/* Differences below rounding of the rewards are none. */
static bool variants_differ(bf__reason *out, const bf__facts *f) {
    double spread = fact(f, BF__D_SPREAD), moved = fabs(f->estimate->value - f->mean);
    double rounding = 1e-9 * fmax(fabs(f->low), fabs(f->high));
    if (!(spread > fmax(fmax(0.25 * moved, 0.02 * f->deviation), rounding)))
        return false;
    return bf__say(
        out, BF__W_VARIANTS_DIFFER, spread > moved,
        "the answer depends on the features: their variants differ by %.3g (one standard "
        "deviation)",
        spread);
}

/* ---- Of fits to parts of the episodes */

/* Differences below this do not matter: a fiftieth of a deviation, a quarter of what the method
 * changes, and rounding. */
static double little(const bf__facts *f) {
    double moved = fabs(f->estimate->value - f->mean);
    return fmax(fmax(0.25 * moved, 0.02 * f->deviation), 1e-9 * fmax(fabs(f->low), fabs(f->high)));
}

static bool members_differ(bf__reason *out, const bf__facts *f) {
    double spread = fact(f, BF__D_MEMBER_SPREAD);
    if (!(spread > little(f)))
        return false;
    return bf__say(
        out, BF__W_MEMBERS_DIFFER, spread > fabs(f->estimate->value - f->mean),
        "the answer depends on which episodes it was fitted to: its members, each without "
        "a share of them, differ by %.3g (one standard deviation)",
        spread);
}

static bool fit_drifts(bf__reason *out, const bf__facts *f) {
    double drift = fact(f, BF__D_DRIFT);
    if (!(drift > drift_seen * f->deviation))
        return false;
    return bf__say(out, BF__W_FIT_DRIFTS, drift > drift_much * f->deviation,
                   "the fit has not settled: the value still moved by %.3g over the last rounds",
                   drift);
}

/* ---- Of a simulator */

/* If the answer hardly differs from what the log earned, a twentieth of a deviation is allowed;
 * otherwise what is little beside the difference. */
static bool replay_off(bf__reason *out, const bf__facts *f) {
    double replay = fact(f, BF__D_REPLAY_VALUE), off = fabs(replay - f->mean);
    double moved = fabs(f->estimate->value - f->mean), allowed = 0.05 * f->deviation;
    if (!(off > (moved > allowed ? little(f) : fmax(little(f), allowed))))
        return false;
    return bf__say(out, BF__W_REPLAY_OFF, off > moved,
                   "the simulator does not reproduce the log: in it the log's own behaviour earns "
                   "%.6g a step, and %.6g in the log",
                   replay, f->mean);
}

static bool runs_leave(bf__reason *out, const bf__facts *f) {
    double cut = fact(f, BF__D_ROLLOUT_CUT);
    if (!(cut > runs_cut))
        return false;
    return bf__say(
        out, BF__W_RUNS_LEAVE, cut > runs_cut_much,
        "%.3g%% of the steps in the simulator would lead out of what the log shows, and were "
        "cut to its range",
        100 * cut);
}

static bool runs_far(bf__reason *out, const bf__facts *f) {
    double far = fact(f, BF__D_ROLLOUT_FAR);
    if (!(far > far_away))
        return false;
    return bf__say(
        out, BF__W_RUNS_FAR, far > far_away_much,
        "%.3g%% of the steps in the simulator are farther from the log than 99 of 100 of "
        "its own rows: what follows there rests on the fit alone",
        100 * far);
}

static bool runs_drift(bf__reason *out, const bf__facts *f) {
    double drift = fabs(fact(f, BF__D_ROLLOUT_DRIFT));
    if (!(f->gamma == 1 && drift > fmax(little(f), 4 * fact(f, BF__D_ROLLOUT_ERROR))))
        return false;
    return bf__say(
        out, BF__W_RUNS_DRIFT, drift > fabs(f->estimate->value - f->mean),
        "the runs in the simulator have not settled: their reward still moved by %.3g over "
        "the last quarter",
        drift);
}

static bool model_misses(bf__reason *out, const bf__facts *f) {
    double reward = fact(f, BF__D_REWARD_MISSED), change = fact(f, BF__D_CHANGE_MISSED);
    double noise = fact(f, BF__D_NOISE_SHARE), mistakes = change * (1 - noise);
    if (!(mistakes > missed_much))
        return false;
    return bf__say(
        out, BF__W_MODEL_MISSES, true,
        "the simulator hardly knows the process: on episodes that it has not seen it misses "
        "%.3g of the changes of the state and %.3g of the rewards",
        change, reward);
}

static bool unseen_pairs(bf__reason *out, const bf__facts *f) {
    double covered = fact(f, BF__D_COVERAGE);
    if (!(covered < 1))
        return false;
    bool filled = !isnan(fact(f, BF__D_LEFT_FOR_LOG));
    return bf__say(
        out, BF__W_UNSEEN_PAIRS, covered < covered_enough,
        "%.3g%% of what the target policy does next is at (state, action) pairs that the "
        "log never shows: %s",
        100 * (1 - covered),
        filled ? "there it is taken to do as the log did"
               : "no weights can balance the flow, and the value given is of the best "
                 "balance there is");
}

static bool unseen_in_model(bf__reason *out, const bf__facts *f) {
    double covered = fact(f, BF__D_COVERAGE_MODEL);
    if (!(covered < 1))
        return false;
    return bf__say(out, BF__W_UNSEEN_PAIRS, covered < covered_enough,
                   "%.3g%% of what the target policy does is at (state, action) pairs that the log "
                   "never shows: there it is taken to do as the log did",
                   100 * (1 - covered));
}

static bool unseen_actions(bf__reason *out, const bf__facts *f) {
    double covered = fact(f, BF__D_COVERAGE_ACTIONS);
    if (!(covered < 1 - 1e-9))
        return false;
    return bf__say(
        out, BF__W_UNSEEN_ACTIONS, covered < covered_enough,
        "%.3g%% of what the target policy does next are actions that the log never took: "
        "they are left out, as if the target chose among the others",
        100 * (1 - covered));
}

static bool extreme_number(bf__reason *out, const bf__facts *f) {
    bf__extreme x;
    char where[256];
    if (!bf__dataset_extreme(&x, f->data))
        return false;
    return bf__say(
        out, BF__W_EXTREME_NUMBER, true,
        "%s: %s: %g is far from everything else in its column, where nine of ten numbers are "
        "within %g of %g: it moves the answer",
        bf_dataset_where(f->data, x.row, where, sizeof where), x.column, x.value, x.usual,
        x.middle);
}

static const bf__rule rules[] = {
    extreme_number,  not_finite,   few_rows,        few_episodes,   one_row,
    flow_unbalanced, off_hull,     chain_stopped,   ends_absorb,    negative_weight,
    variants_differ, unseen_pairs, unseen_in_model, unseen_actions, members_differ,
    fit_drifts,      replay_off,   runs_leave,      runs_far,       runs_drift,
    model_misses,
};

bf__rule bf__rule_at(int index) {
    return index >= 0 && index < (int)(sizeof rules / sizeof *rules) ? rules[index] : NULL;
}

/* ---- Asking them */

static bool all_zero(const double *weights, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (weights[i] != 0)
            return false;
    return true;
}

bf_status bf__judge_facts(bf_estimate *out, const bf__facts *facts, bf_arena *arena,
                          bf_error *err) {
    return bf__ask(out->warnings, &out->warning_count, BF_MAX_WARNINGS, rules,
                   (int)(sizeof rules / sizeof *rules), facts, arena, err);
}

bf_status bf__judge(bf_estimate *out, const char *method, const bf_problem *problem,
                    bf_arena *arena, bf_error *err) {
    if (!isfinite(out->value))
        return bf_fail(err, BF_ENUMERIC, "%s gave %g, which is no answer", method, out->value);
    if (out->weights && all_zero(out->weights, problem->data->n) &&
        bf__diagnosed(out, BF__D_ABSORBED) != 1)
        return bf_fail(err, BF_ENUMERIC,
                       "%s gave every transition the weight 0, which is no answer: the log shows "
                       "nothing that the target policy does, as far as this method can see",
                       method);
    bf__facts facts = bf__facts_of(out, problem);
    return bf__judge_facts(out, &facts, arena, err);
}

bool bf__was_said(const bf_estimate *estimate, bf__reason_id id) {
    for (int i = 0; i < estimate->warning_count; i++)
        if (strcmp(estimate->warnings[i].code, bf__reason_code((int)id)) == 0)
            return true;
    return false;
}

bool bf__neighbours_say_little(const bf_estimate *estimate, const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    double left_out = bf__diagnosed(estimate, BF__D_COLUMNS_LEFT_OUT);
    double dimensions = data->state_dim + data->action_dim - (isnan(left_out) ? 0 : left_out);
    bool dropped = bf__was_said(estimate, BF__W_CORRECTION_DROPPED);
    double off = bf__diagnosed(estimate, BF__D_OFF_HULL);
    bool outside = data->n >= ENOUGH && off > (dropped ? outside_if_dropped : outside_of_them);
    return !bf__dataset_counts(data) && (dimensions > BF__FEW_DIMENSIONS || outside);
}

/* What was taken off the value for the replay is half believed: that what flatters the log flatters
 * the target as much is a guess. */
double bf__doubt(const bf_estimate *estimate, const bf_problem *problem) {
    bf__facts f = bf__facts_of(estimate, problem);
    double moved = fabs(estimate->value - f.mean), spread = fact(&f, BF__D_MEMBER_SPREAD);
    double taken = fact(&f, BF__D_FLATTERY);
    double off = fabs(fact(&f, BF__D_REPLAY_VALUE) - f.mean) - (isnan(taken) ? 0 : fabs(taken) / 2);
    double far = fact(&f, BF__D_ROLLOUT_FAR) / far_away_much;
    double most = fmax(isnan(spread) ? 0 : spread, isnan(off) ? 0 : off);
    return fmax(isnan(far) ? 0 : far, most > 0 ? most / moved : 0);
}

/* ---- Handing out weights */

bf_status bf__cut_to_range(bf_estimate *out, double low, double high, bf_arena *arena,
                           bf_error *err) {
    double found = out->value, range = high - low;
    out->value = fmin(fmax(found, low), high);
    double moved = fabs(out->value - found);
    if (!(moved > 1e-9 * fmax(range, fmax(fabs(low), fabs(high)))))
        return BF_OK;
    return bf__warn(out, arena, err, BF__W_OUT_OF_RANGE, moved > 0.01 * range,
                    "the fit gave %.6g, which no rewards from %.6g to %.6g can have as their mean: "
                    "it was cut to that range",
                    found, low, high);
}

bf_status bf__hand_out(bf_estimate *out, const bf_problem *problem, const double *weights,
                       double *with_signs, double mass, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    bf__facts f = bf__facts_of(out, problem);
    double low = f.low, high = f.high, found = out->value, inside = 0;
    if (!isnan(mass)) {
        low *= mass;
        high *= mass;
    } else if (f.rests) {
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    out->weights = weights;
    out->signed_weights = with_signs;
    BF_TRY(bf__cut_to_range(out, low, high, arena, err));
    if (out->value == found)
        return BF_OK;
    for (int64_t i = 0; i < data->n && weights; i++)
        inside += weights[i] * data->reward[i];
    double part = weights ? fmin((found - out->value) / (found - inside), 1) : 0;
    for (int64_t i = 0; i < data->n && weights; i++)
        with_signs[i] += part * (weights[i] - with_signs[i]);
    return BF_OK;
}
