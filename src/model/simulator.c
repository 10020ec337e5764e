/* simulator.c - A simulator of the process, learned from the log, in which the target is run.
 *
 * Estimates   the mean reward of long runs of the target policy (trial.c) in a fitted process
 *             (dynamics.c), where the policy is asked itself or is fitted too (actor.c)
 * Source      the idea is that of the model-based baseline (model.c); what differs is the
 *             regression, which learns in which directions the process changes (krr.c), and which
 *             makes it of use in many dimensions and with actions that are vectors
 * Finite      states and actions that are numbers: the value of the log's frequencies, exactly
 *
 * Members. The log is cut into folds of whole episodes, and member e of every fit has not seen fold
 * e. Chains stay with their member, and the value is the mean over members. How far the members
 * differ says how far the answer depends on the rows.
 *
 * Replay. The behaviour is fitted like the target, and run in the simulator from the log's start
 * states for as long as the log's episodes are. What it earns there is known: the mean reward of
 * the log. A simulator that does not reproduce the log is not to be believed about anything else.
 *
 * Flattery. A simulator in which the log's behaviour does better than in the log, as a robot that
 * falls on its back too seldom, will flatter the target as well. At gamma = 1 the difference that
 * it finds between the target and the log, m, becomes smaller by what the replay is off in the same
 * direction, as far as that is not noise:
 *
 *     value = mean + m - b off,   off = replay - mean,   b = 1 - s^2 / off^2 and not below 0
 *
 * with s^2 the squared standard error of `off`: that of the log's mean, by episodes, and that of
 * the replay. This is shrinkage of James and Stein's kind: if the fit is right, hardly anything of
 * the noise in `off` comes into the value. The value does not pass the log's mean. If the replay is
 * off in the other direction, m stays as it is: a replay may be off because the behaviour was no
 * function of the state, and that is no reason to claim more.
 *
 * Cost        see krr.c and trial.c; 10,000 rows in 17 dimensions with 6 numbers an action: some 5
 *             seconds of a processor */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "model/model.h"
#include "model/trial.h"
#include "problem/folds.h"
#include "problem/points.h"

typedef struct simulator_options {
    const char *periodic, *scale;
    bf_auto features;
    int64_t members, steps, chains;
} simulator_options;

static const bf_option rows[] = {
    BF__POINTS_ROWS(simulator_options, ),
    BF_OPTION_RANGE(simulator_options, features, "auto", 1, 20000,
                    "Kernel features of the fits of rewards and changes; those of policies have "
                    "half as many. auto grows with the log, from 1000 at 10,000 rows to 2457 at "
                    "200,000."),
    BF_OPTION_RANGE(simulator_options, members, "4", 2, BF__TRIAL_MOST,
                    "Fits of everything, each without a share of the episodes."),
    BF_OPTION_RANGE(simulator_options, steps, "1000", 20, 1e8,
                    "Steps that the policy is run in the simulator; more for a `gamma` near 1."),
    BF_OPTION_RANGE(simulator_options, chains, "16", 1, 1e6, "Runs in each member."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of simulator, regression", simulator_options, rows);

enum { ROUNDS = 3 }; /* in which the fits learn which directions count */

enum { COUNT, REGRESSION };

static const bf_model models[] = {
    {"count", "frequencies, for finite states", NULL, BF_TAKES_WEIGHT},
    {"regression", "kernel regression in learned metrics", &table, 0},
};

static const bf_model *model_at(int index) {
    return index >= COUNT && index <= REGRESSION ? &models[index] : NULL;
}

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    (void)settings;
    (void)arena;
    (void)err;
    *out = NULL;
    if (problem)
        *out = &models[bf__dataset_counts(problem->data) ? COUNT : REGRESSION];
    return BF_OK;
}

typedef struct simulator {
    const bf_problem *problem;
    const simulator_options *options;
    const bf_context *context;
    int64_t features;
    bf__points points;
    const int32_t *fold; /* (n) */
    const bool *seen;    /* (A): actions that the log has */
    bf__dynamics dynamics;
    bf__actor target, behaviour;
} simulator;

/* ---- Policies */

/* Adds what is shown of a policy at the states z (d, n): columns `shown` (width, n), or, if that is
 * NULL, the actions of the log as numbers. */
static void show(bf__actor_task *t, double *x, double *y, int32_t *fold, int64_t width,
                 const simulator *s, const double *z, const double *shown, bool next) {
    const bf_dataset *data = s->problem->data;
    int64_t n = data->n;
    for (int64_t i = 0; i < n; i++) {
        if (next && data->terminated && data->terminated[i])
            continue;
        for (int c = 0; c < t->inputs; c++)
            x[t->n * t->inputs + c] = z[c * n + i];
        for (int64_t c = 0; c < width; c++)
            y[t->n * width + c] = shown ? shown[c * n + i] : data->action[i] == c;
        fold[t->n++] = s->fold[i];
    }
}

static bf_status fit_policy(bf__actor *out, const simulator *s, bool target, bf_arena *arena,
                            bf_error *err) {
    const bf_dataset *data = s->problem->data;
    const bf__points *f = &s->points;
    bf__actor_task t = {.inputs = f->d,
                        .members = (int)s->options->members,
                        .dim = f->action_dim,
                        .samples = f->actions ? 0
                                   : target   ? f->samples
                                              : 1,
                        .actions = f->actions,
                        .features = s->features / 2 + 1,
                        .rounds = ROUNDS,
                        .what = target ? "fitting the target policy" : "fitting the behaviour"};
    int64_t width = f->actions ? f->actions : (int64_t)t.samples * t.dim;
    const double *next = target ? f->actions ? f->npi : data->na : NULL;
    const double *here = target ? f->actions ? data->pi : data->sa : data->action_vector;
    double *x, *y;
    int32_t *fold;
    BF_ALLOC(x, arena, 2 * data->n * t.inputs, err);
    BF_ALLOC(y, arena, 2 * data->n * width, err);
    BF_ALLOC(fold, arena, 2 * data->n, err);
    if (next)
        show(&t, x, y, fold, width, s, f->nz, next, true);
    if (here || !target)
        show(&t, x, y, fold, width, s, f->z, here, false);
    if (t.n == 0)
        return bf_fail(err, BF_EDATA,
                       "every step of the log terminates: there are no next states at which the "
                       "target policy is known; columns sa or pi give it at the states");
    t.x = x;
    t.fold = fold;
    t.shown = y;
    BF_TRY(bf__actor_fit(out, &t, s->context, arena, err));
    out->seen = s->seen;
    return BF_OK;
}

static bf_status fit_all(simulator *s, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = s->problem->data;
    const bf__points *f = &s->points;
    bool *seen;
    BF_TRY(bf__folds_make(&s->fold, data, (int)s->options->members, "simulator folds", s->context,
                          arena, err));
    BF_ZALLOC(seen, arena, f->actions + 1, err);
    for (int64_t i = 0; i < data->n && f->actions > 0; i++)
        seen[f->action[i]] = true;
    s->seen = seen;
    bf__dynamics_task task = {.problem = s->problem,
                              .points = f,
                              .fold = s->fold,
                              .members = (int)s->options->members,
                              .rounds = ROUNDS,
                              .features = s->features};
    BF_TRY(bf__dynamics_fit(&s->dynamics, &task, s->context, arena, err));
    BF_TRY(fit_policy(&s->behaviour, s, false, arena, err));
    if (!s->problem->target)
        return fit_policy(&s->target, s, true, arena, err);
    s->target = (bf__actor){.policy = s->problem->target,
                            .state_dim = data->state_dim,
                            .dim = f->action_dim,
                            .actions = f->actions,
                            .seen = seen};
    return BF_OK;
}

/* ---- Running */

/* As many steps as it takes until a discount has fallen off, with fewer chains for them. */
static bf__trial_task target_task(const simulator *s) {
    const simulator_options *o = s->options;
    bf__trial_task t = {.dynamics = &s->dynamics,
                        .actor = &s->target,
                        .steps = o->steps,
                        .chains = (int)o->chains,
                        .what = "running the target"};
    double gamma = s->points.steps.gamma, need = gamma < 1 ? ceil(7 / (1 - gamma)) : 0;
    if (need > (double)t.steps) {
        double steps = fmin(need, 20 * (double)t.steps);
        t.chains = (int)fmax((double)t.chains * (double)t.steps / steps, fmin(t.chains, 4));
        t.steps = (int64_t)steps;
    }
    return t;
}

/* A whole number of the log's longest episodes, so that every age counts as in the log. */
static bf__trial_task replay_task(const simulator *s) {
    const simulator_options *o = s->options;
    int64_t longest = bf__dataset_longest(s->problem->data), steps = o->steps;
    if (longest > 0 && longest < steps)
        steps = (steps + longest - 1) / longest * longest;
    return (bf__trial_task){.dynamics = &s->dynamics,
                            .actor = &s->behaviour,
                            .steps = steps,
                            .chains = (int)(o->chains + 3) / 4,
                            .replay = true,
                            .what = "replaying the log"};
}

/* The mean reward of the first `steps` steps of the log's episodes, and its squared standard error:
 * episodes are independent, steps and mirrored episodes are not. */
static double earned(double *square, const bf_dataset *data, int64_t steps) {
    double sum = 0, n = 0, squares = 0, gap = 0, e = (double)bf__episodes_own(data), mean = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (int64_t k = 0; k < data->episodes; k++) {
            const int64_t *row = data->order + data->begin[k];
            int64_t length = data->begin[k + 1] - data->begin[k];
            length = length < steps ? length : steps;
            if (k == 0 || bf__episode_own(data, k) != bf__episode_own(data, k - 1))
                gap = 0;
            double before = gap;
            for (int64_t j = 0; j < length; j++)
                gap += data->reward[row[j]] - mean;
            sum += turn == 0 ? gap - before : 0;
            n += turn == 0 ? (double)length : 0;
            squares += turn == 1 ? gap * gap - before * before : 0;
        }
        mean = sum / n;
    }
    *square = squares / n / n * e / (e - 1);
    return mean;
}

/* What is taken off the value, `found`, for what the replay is off: b off, or 0. A discounted
 * question is about other ages, and without episodes nothing says which states a replay should
 * visit. */
static double flattery(const simulator *s, double found, const bf__trial *replay, int64_t steps) {
    const bf_dataset *data = s->problem->data;
    const bf__steps *kind = &s->points.steps;
    if (kind->gamma < 1 || kind->absorbs || !data->begin || bf__episodes_own(data) < 2)
        return 0;
    double noise, mean = earned(&noise, data, steps);
    return bf__flattery(found - mean, replay->value - mean, noise + replay->error * replay->error);
}

static double mean_of(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] / n;
    return sum;
}

static void report(bf_estimate *out, const simulator *s, const bf__trial *target,
                   const bf__trial *replay, double taken) {
    const bf__dynamics *m = &s->dynamics;
    int members = (int)s->options->members;
    double square = 0;
    for (int e = 0; e < members; e++)
        square += pow(target->member[e] - target->value, 2) / (members - 1);
    bf__diagnose(out, BF__D_MEMBER_SPREAD, sqrt(square));
    bf__diagnose(out, BF__D_REPLAY_VALUE, replay->value);
    bf__diagnose(out, BF__D_FLATTERY, taken);
    if (m->missed_rows > 0) {
        bf__diagnose(out, BF__D_REWARD_MISSED, m->step.missed[0]);
        bf__diagnose(out, BF__D_CHANGE_MISSED, mean_of(m->step.missed + 1, m->d));
        bf__diagnose(out, BF__D_NOISE_SHARE, m->noise);
    }
    if (!s->target.policy)
        bf__diagnose(out, BF__D_POLICY_MISSED,
                     mean_of(s->target.mean.missed, s->target.mean.outputs));
    bf__diagnose(out, BF__D_ROLLOUT_ERROR, target->error);
    bf__diagnose(out, BF__D_ROLLOUT_DRIFT, target->drift);
    bf__diagnose(out, BF__D_ROLLOUT_CUT, target->cut);
    bf__diagnose(out, BF__D_ROLLOUT_FAR, target->far);
    bf__diagnose(out, BF__D_ROLLOUT_ENDS, target->ends);
    bf__diagnose(out, BF__D_FEATURES, (double)s->features);
    if (s->points.steps.restarts && target->ends > 0 && s->points.steps.gamma == 1) {
        bf__diagnose(out, BF__D_EPISODE_RETURN, target->gain - taken * target->length);
        bf__diagnose(out, BF__D_EPISODE_LENGTH, target->length);
    }
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    if (model == &models[COUNT])
        return bf__model_count(out, problem, context, arena, err);
    out->model = model->name;
    simulator s = {
        .problem = problem, .options = bf_settings_of(settings, &table), .context = context};
    bf__trial target, replay;
    BF_TRY(bf__steps_last(problem, err));
    BF_TRY(bf__points_make(&s.points, problem, s.options->periodic, s.options->scale, context,
                           arena, err));
    double n = (double)problem->data->n;
    s.features = s.options->features.given
                     ? (int64_t)s.options->features.value
                     : (int64_t)ceil(fmin(n / 2, 1000 * pow(fmin(fmax(n, 1e4), 2e5) / 1e4, 0.3)));
    BF_TRY(fit_all(&s, arena, err));
    bf__trial_task target_run = target_task(&s), replay_run = replay_task(&s);
    BF_TRY(bf__trial_run(&target, &target_run, context, arena, err));
    BF_TRY(bf__trial_run(&replay, &replay_run, context, arena, err));
    double taken = flattery(&s, target.value, &replay, replay_run.steps);
    out->value = target.value - taken;
    report(out, &s, &target, &replay, taken);
    s.points.borrowed_starts = false; /* actions at the start states were not looked at */
    return bf__remark_points(out, &s.points, arena, err);
}

const bf_estimator bf__estimator_simulator = {
    .name = "simulator",
    .summary = "a simulator learned from the log, in which the target is run; many dimensions",
    .needs = BF_NEEDS_TARGET,
    .model = model_at,
    .choose = choose,
    .run = run,
    .leans = 0.15,
};
