/* model_rollout.c - Kernel regression of what follows, and a rollout of the target policy in it.
 *
 * Model       per action, Nadaraya-Watson means of the next state, the reward and the chance that
 *             the step terminates (regression.c). This is the plain reading of "model-based by
 *             kernel regression": the model is deterministic but for termination, so the rollout
 *             sees mean next states, not the spread of them.
 * Estimates   the mean reward of one rollout of T steps, actions drawn from the target policy
 * Cost        O(T n / A (d + targets)): 1 s for T = 50,000, n = 10,000
 *
 * An angle is predicted by its cosine and sine. The next state is a mean over rows that did not
 * terminate. With the chance that regression gives, the step terminates: a start state of the log
 * follows (restart), or reward 0 (absorb). For gamma < 1 every step restarts with probability
 * 1 - gamma besides: the mean reward of that process is the discounted value times 1 - gamma.
 *
 * --predict change regresses s' - s in place of s'. A mean of next states over a wide kernel is far
 * from any of them, whereas changes are alike nearby: a better model, but not the paper's.
 *
 * The target policy is asked at the states that the rollout visits. Where there are only columns
 * of the log, it is taken to do what it does at the nearest logged next state. */
#include <math.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/context.h"
#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "kernel/bandwidth.h"
#include "model/model.h"
#include "model/regression.h"
#include "problem/points.h"
#include "solver/kdtree.h"

#define TAU 6.283185307179586476925286766559

enum { BATCHES = 20, FIXED = 3 }; /* targets before the state's: reward, ends, goes on */

typedef struct rollout {
    const bf_problem *problem;
    const bf__points *points;
    bf__regression regression;
    bool change;
    int d, joint;         /* numbers of a state of the log; coordinates of a point of the model */
    const int *column;    /* (targets - FIXED): the state's column that a target is of */
    const double *period; /* (d): 0 where no angle */
    const double *low, *high; /* (d): the range of the log */
    const bool *seen;         /* (A) */
    bf__kdtree places;        /* points at which columns give the target policy; .n 0: not needed */
    const int64_t *origin;    /* (places): the transition, or n + the start state */
    double *state, *next, *z, *pi, *mean, *scratch;
} rollout;

/* ---- What the regression predicts */

static double wrapped(double change, double period) {
    return period > 0 ? change - period * round(change / period) : change;
}

/* The target of column c for row i; `part` 1 is the sine of an angle. */
static double target_of(const rollout *r, int c, int part, int64_t i) {
    const bf_dataset *data = r->problem->data;
    double s = data->state[c * data->n + i], ns = data->next_state[c * data->n + i];
    if (r->change)
        return wrapped(ns - s, r->period[c]);
    if (r->period[c] == 0)
        return ns;
    return part ? sin(ns * TAU / r->period[c]) : cos(ns * TAU / r->period[c]);
}

static bf_status make_targets(double **out, int *targets, rollout *r, bf_arena *arena,
                              bf_error *err) {
    const bf_dataset *data = r->problem->data;
    int64_t n = data->n;
    int *column, count = 0;
    BF_ALLOC(column, arena, 2 * r->d, err);
    for (int c = 0; c < r->d; c++) {
        column[count++] = c;
        if (r->period[c] > 0 && !r->change)
            column[count++] = c;
    }
    r->column = column;
    *targets = FIXED + count;
    double *y;
    BF_ALLOC(y, arena, *targets * n, err);
    for (int64_t i = 0; i < n; i++) {
        double ended = bf__step_ended(&r->points->steps, i) ? 1 : 0;
        y[i] = data->reward[i];
        y[n + i] = ended;
        y[2 * n + i] = 1 - ended;
        for (int t = 0; t < count; t++)
            y[(FIXED + t) * n + i] =
                (1 - ended) * target_of(r, column[t], t > 0 && column[t - 1] == column[t], i);
    }
    *out = y;
    return BF_OK;
}

/* The next state from the means, r->state from r->next. */
static void move(rollout *r) {
    double on = r->mean[2];
    const double *mean = r->mean + FIXED;
    for (int t = 0; t < r->regression.targets - FIXED; t++) {
        int c = r->column[t];
        double value = mean[t] / on;
        if (r->period[c] > 0 && !r->change) {
            value = atan2(mean[t + 1], mean[t]) * r->period[c] / TAU;
            t++;
        }
        if (r->change)
            value += r->state[c];
        if (r->period[c] > 0) /* into the turn that the log is in */
            value -= r->period[c] * floor((value - r->low[c]) / r->period[c]);
        r->next[c] = r->period[c] > 0 ? value : fmin(fmax(value, r->low[c]), r->high[c]);
    }
    memcpy(r->state, r->next, (size_t)r->d * sizeof *r->state);
}

/* ---- The target policy, anywhere */

static bf_status choose_places(rollout *r, bf_arena *arena, bf_error *err) {
    const bf__points *f = r->points;
    int64_t most = f->n + f->starts, at = 0, *origin;
    double *place;
    BF_ALLOC(origin, arena, most, err);
    for (int64_t i = 0; i < f->n; i++)
        if (!bf__step_ended(&f->steps, i))
            origin[at++] = i;
    for (int64_t e = 0; e < f->starts; e++)
        origin[at++] = f->n + e;
    BF_ALLOC(place, arena, f->d * at, err);
    for (int c = 0; c < f->d; c++)
        for (int64_t p = 0; p < at; p++)
            place[c * at + p] = origin[p] < f->n ? f->nz[c * f->n + origin[p]]
                                                 : f->z0[c * f->starts + origin[p] - f->n];
    r->origin = origin;
    if (at == 0)
        return bf_fail(err, BF_EDATA,
                       "every step of the log terminates: there are no next states "
                       "at which the target policy is known");
    return bf__kdtree_build(&r->places, place, at, f->d, arena, err);
}

/* Draws an action at r->state, of coordinates r->z: its group; a vector goes behind them. */
static bf_status act(int *group, rollout *r, bf_rng *rng, bf_error *err) {
    const bf__points *f = r->points;
    int actions = f->actions;
    double sum = 0;
    *group = 0;
    if (r->problem->target && actions > 0) {
        BF_TRY(bf_policy_probabilities(r->problem->target, r->state, r->d, 1, r->pi, err));
    } else {
        int32_t place;
        double square;
        bf__kdtree_nearest(&place, &square, &r->places, r->z, 1, 0);
        int64_t i = r->origin[place];
        bool start = i >= f->n;
        i -= start ? f->n : 0;
        int64_t stride = start ? f->starts : f->n;
        const double *from = start ? f->pi0 : f->npi, *vectors = start ? f->u0 : f->nu;
        for (int a = 0; a < actions; a++)
            r->pi[a] = from[a * stride + i];
        if (actions == 0) {
            int64_t m = bf_rng_below(rng, f->samples);
            for (int c = 0; c < f->action_dim; c++)
                r->z[f->d + c] = vectors[(m * f->action_dim + c) * stride + i];
            return BF_OK;
        }
    }
    for (int a = 0; a < actions; a++)
        sum += r->seen[a] ? r->pi[a] : 0;
    for (int a = 0; a < actions; a++)
        r->pi[a] = !r->seen[a] ? 0 : sum > 1e-12 ? r->pi[a] / sum : 1;
    if (!(sum > 1e-12)) { /* only actions that were never taken: any other */
        double count = 0;
        for (int a = 0; a < actions; a++)
            count += r->pi[a];
        for (int a = 0; a < actions; a++)
            r->pi[a] /= count;
    }
    *group = bf_rng_choice(rng, r->pi, 1, actions);
    return BF_OK;
}

/* ---- Rolling out */

/* A start state of the log, or one of its states where it has none. */
static void begin_anew(rollout *r, bf_rng *rng) {
    const bf_dataset *data = r->problem->data;
    int64_t i = data->begin ? data->order[data->begin[bf_rng_below(rng, data->episodes)]]
                            : bf_rng_below(rng, data->n);
    for (int c = 0; c < r->d; c++)
        r->state[c] = data->state[c * data->n + i];
}

typedef struct tally {
    double sum[BATCHES], rows;
    int64_t ends;
    bool over; /* absorbed, for good */
} tally;

static bf_status roll(tally *out, rollout *r, int64_t steps, const bf_context *context,
                      bf_error *err) {
    bf_rng rng = bf_rng_make(context ? context->seed : 1, "model rollout", 0);
    const bf__steps *s = &r->points->steps;
    bool absorbed = false;
    int group;
    *out = (tally){.rows = 0};
    begin_anew(r, &rng);
    for (int64_t t = 0; t < steps; t++) {
        if (t % 1000 == 0 &&
            !bf__progress(context, "rolling out in the model", (double)t, (double)steps, NULL))
            return bf_fail(err, BF_ECANCELLED, "cancelled");
        bool restart = s->gamma < 1 && bf_rng_uniform(&rng) >= s->gamma;
        if (!absorbed) {
            bf__coordinates_apply(r->z, &r->points->coordinates, r->state, 1);
            BF_TRY(act(&group, r, &rng, err));
            out->rows += bf__regression_at(r->mean, &r->regression, group, r->z, r->scratch);
            out->sum[t * BATCHES / steps] += r->mean[0];
            bool ended = s->ended && (bf_rng_uniform(&rng) < r->mean[1] || !(r->mean[2] > 1e-12));
            out->ends += ended;
            absorbed = ended && s->absorbs;
            restart = restart || (ended && !absorbed);
            if (!ended && !restart)
                move(r);
        }
        if (restart) {
            begin_anew(r, &rng);
            absorbed = false;
        }
        if (absorbed && s->gamma == 1) {
            out->over = true;
            return BF_OK;
        }
    }
    return BF_OK;
}

/* ---- Setting up */

static bf_status ranges(rollout *r, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = r->problem->data;
    double *low, *high, *period;
    BF_ALLOC(low, arena, r->d, err);
    BF_ALLOC(high, arena, r->d, err);
    BF_ZALLOC(period, arena, r->d, err);
    for (int k = 0; k < r->points->coordinates.out; k++)
        period[r->points->coordinates.list[k].column] = r->points->coordinates.list[k].period;
    for (int c = 0; c < r->d; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int64_t i = 0; i < data->n; i++) {
            double s = data->state[c * data->n + i], ns = data->next_state[c * data->n + i];
            low[c] = fmin(low[c], fmin(s, ns));
            high[c] = fmax(high[c], fmax(s, ns));
        }
    }
    r->low = low;
    r->high = high;
    r->period = period;
    return BF_OK;
}

/* Points of the model: states, and actions behind them where they are vectors. */
static bf_status joint_points(const double **out, rollout *r, bf_arena *arena, bf_error *err) {
    const bf__points *f = r->points;
    double *z;
    r->joint = f->d + f->action_dim;
    *out = f->z;
    if (f->action_dim == 0)
        return BF_OK;
    BF_ALLOC(z, arena, r->joint * f->n, err);
    memcpy(z, f->z, (size_t)(f->d * f->n) * sizeof *z);
    memcpy(z + f->d * f->n, f->u, (size_t)(f->action_dim * f->n) * sizeof *z);
    *out = z;
    return BF_OK;
}

static bf_status set_up(rollout *r, const bf__model_options *options, const bf_context *context,
                        bf_arena *arena, bf_error *err) {
    const bf_dataset *data = r->problem->data;
    const bf__points *f = r->points;
    const double *points;
    double *y;
    int targets;
    bool *seen;
    bf__kernel kernel;
    r->d = data->state_dim;
    r->change = options->predict == BF__PREDICT_CHANGE;
    BF_ZALLOC(seen, arena, f->actions, err);
    for (int64_t i = 0; i < f->n && f->actions > 0; i++)
        seen[f->action[i]] = true;
    r->seen = seen;
    BF_TRY(ranges(r, arena, err));
    BF_TRY(joint_points(&points, r, arena, err));
    BF_TRY(make_targets(&y, &targets, r, arena, err));
    BF_TRY(bf__kernel_make(&kernel, "gaussian", options->bandwidth, points, f->n, r->joint,
                           context ? context->seed : 1, arena, err));
    BF_TRY(bf__regression_make(&r->regression, &kernel, points, r->joint, y, targets, f->action,
                               f->actions > 0 ? f->actions : 1, f->n, arena, err));
    if (!(r->problem->target && f->actions > 0))
        BF_TRY(choose_places(r, arena, err));
    BF_ALLOC(r->state, arena, r->d, err);
    BF_ALLOC(r->next, arena, r->d, err);
    BF_ALLOC(r->z, arena, r->joint, err);
    BF_ALLOC(r->pi, arena, f->actions + 1, err);
    BF_ALLOC(r->mean, arena, targets, err);
    BF_ALLOC(r->scratch, arena, r->regression.most, err);
    return BF_OK;
}

static bf_status report(bf_estimate *out, const rollout *r, const tally *t, int64_t steps,
                        bf_arena *arena, bf_error *err) {
    double mean = 0, square = 0, part = (double)steps / BATCHES;
    for (int b = 0; b < BATCHES; b++)
        mean += t->sum[b] / (double)steps;
    for (int b = 0; b < BATCHES; b++)
        square += pow(t->sum[b] / part - mean, 2);
    out->value = t->over ? 0 : mean;
    bf__diagnose(out, BF__D_ROLLOUT_ERROR, sqrt(square / (BATCHES * (BATCHES - 1))));
    bf__diagnose(out, BF__D_ROLLOUT_ENDS, (double)t->ends);
    bf__diagnose(out, BF__D_BANDWIDTH, r->regression.kernel.width[0]);
    bf__diagnose(out, BF__D_NEIGHBOURS, t->rows / (double)steps);
    if (t->over)
        BF_TRY(bf__warn(out, arena, err, BF__W_ENDS_ABSORB, false,
                        "episodes end and stay ended, so all of the long run is spent at reward "
                        "0"));
    if (r->places.n > 0)
        BF_TRY(bf__warn(out, arena, err, BF__W_POLICY_ELSEWHERE, false,
                        "the rollout visits states that are not in the log, and the target policy "
                        "is only known at those that are: it is taken to do what it does at the "
                        "nearest logged next state"));
    return bf__remark_points(out, r->points, arena, err);
}

bf_status bf__model_rollout(bf_estimate *out, const bf_problem *problem,
                            const bf__model_options *options, const bf_context *context,
                            bf_arena *arena, bf_error *err) {
    bf__points points;
    tally t;
    BF_TRY(
        bf__points_make(&points, problem, options->periodic, options->scale, context, arena, err));
    rollout r = {.problem = problem, .points = &points};
    BF_TRY(set_up(&r, options, context, arena, err));
    BF_TRY(roll(&t, &r, options->rollout, context, err));
    return report(out, &r, &t, options->rollout, arena, err);
}
