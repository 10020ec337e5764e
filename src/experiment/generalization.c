/* generalization.c - The paper's theorem on generalization, measured.
 *
 * Source      paper, theorem 4.2: the loss D(w) of weights that were fitted to a log exceeds the
 *             least loss D(w*) of their class by O(1 / sqrt(n)), with a bound for it
 * Loss        D(w) = |d_w - B d_w| in the space of the kernel, with the true B: what the weights
 *             leave of the flow if transition probabilities are the environment's. It is computed
 *             from the model of the environment, pair by pair.
 * Excess      D(w) - D(w*). w is what a class finds on the log, w* what the same class with the
 *             same optimiser finds on the log *of expected steps*: every transition is there as
 *             often as it has outcomes, once with each, so that its empirical B is the true one.
 * Classes     finite: one weight per pair; linear: in features of the kernel, with a fixed ridge;
 *             network: ten sigmoid units. All with one kernel.
 * Bound       of the answer's own report, theorem.h
 * Settings    Transitions are independent of each other, as the theorem wants: trajectories of one
 *             step from the long run of the behaviour. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "env/exact.h"
#include "estimator/diagnostics.h"
#include "experiment/generalization.h"
#include "experiment/worlds.h"
#include "kernel/coordinates.h"
#include "kernel/kernel.h"
#include "policy/kind.h"
#include "stats/slope.h"

enum { MOST_OUTCOMES = 16 };

#define KERNEL "kernel=gaussian bandwidth=1 action_share=0"
static const bf__contender classes[] = {
    {.name = "excess-finite",
     .label = "finite",
     .estimator = "blackbox",
     .options = "weights=tabular",
     .colour = "#D55E00",
     .point = 7,
     .dash = 1},
    {.name = "excess-linear",
     .label = "linear",
     .estimator = "blackbox",
     .options = "weights=linear ridge=1e-6 " KERNEL,
     .colour = "#0072B2",
     .point = 10,
     .dash = 5},
    {.name = "excess-network",
     .label = "network",
     .estimator = "blackbox",
     .options =
         "weights=neural start=equal hidden=10 activation=sigmoid link=softplus optimizer=lbfgs "
         "restarts=1 steps=300 features=64 " KERNEL,
     .colour = "#009E73",
     .point = 14,
     .dash = 2},
};
enum { CLASSES = sizeof classes / sizeof *classes };

/* ---- The log of expected steps */

/* The least number of copies of a transition with which every outcome has a whole number of them.
 */
static int64_t copies_of(const double *p, int64_t count) {
    for (int64_t copies = 1; copies <= MOST_OUTCOMES; copies++) {
        bool whole = true;
        for (int64_t i = 0; i < count && whole; i++)
            whole = fabs(p[i] * (double)copies - round(p[i] * (double)copies)) < 1e-9;
        if (whole)
            return copies;
    }
    return 0;
}

bf_status bf__expected_log(bf_dataset *out, const bf_dataset *log, const bf_env *env,
                           const bf_policy *target, bf_arena *arena, bf_error *err) {
    int64_t states = env->states, n = log->n, cells = states * env->actions;
    double *p, *r, *start;
    BF_ALLOC(p, arena, cells * states, err);
    BF_ALLOC(r, arena, cells, err);
    BF_ALLOC(start, arena, states, err);
    env->model(p, r, start);
    int64_t copies = copies_of(p, cells * states), m = n * copies;
    if (copies == 0)
        return bf_fail(err, BF_EDATA,
                       "%s: its transition probabilities are not all multiples of 1/1, 1/2, ... or "
                       "1/%d, so no log has exactly what is expected",
                       env->name, MOST_OUTCOMES);
    double *state, *next, *reward, *npi;
    int32_t *action;
    uint8_t *never, *ends;
    BF_ALLOC(state, arena, m, err);
    BF_ALLOC(next, arena, m, err);
    BF_ALLOC(reward, arena, m, err);
    BF_ALLOC(npi, arena, m * env->actions, err);
    BF_ALLOC(action, arena, m, err);
    BF_ZALLOC(never, arena, m, err);
    BF_ZALLOC(ends, arena, m, err);
    for (int64_t i = 0, row = 0; i < n; i++) {
        const double *to = p + ((int64_t)log->state[i] * env->actions + log->action[i]) * states;
        for (int64_t s = 0; s < states; s++)
            for (int64_t k = 0; k < llround(to[s] * (double)copies); k++, row++) {
                state[row] = log->state[i];
                action[row] = log->action[i];
                reward[row] = log->reward[i];
                next[row] = (double)s;
            }
    }
    BF_TRY(target->probabilities(target, next, m, npi, err));
    *out = (bf_dataset){.n = m,
                        .state_dim = 1,
                        .actions = env->actions,
                        .states = states,
                        .state = state,
                        .next_state = next,
                        .action = action,
                        .reward = reward,
                        .terminated = never,
                        .truncated = ends,
                        .npi = npi,
                        .rows_read = m};
    return BF_OK;
}

/* ---- The loss with true transition probabilities */

bf_status bf__expected_loss(double *out, const double *mass, const bf_dataset *log,
                            const bf_env *env, const bf_policy *target, bf_arena *arena,
                            bf_error *err) {
    int64_t states = env->states, cells = states * env->actions;
    int actions = env->actions;
    double *p, *r, *start, *s, *z, *pi, *inflow, *left, sum = 0, width = 1;
    BF_ALLOC(p, arena, cells * states, err);
    BF_ALLOC(r, arena, cells, err);
    BF_ALLOC(start, arena, states, err);
    BF_ALLOC(s, arena, states, err);
    BF_ALLOC(z, arena, states, err);
    BF_ALLOC(pi, arena, cells, err);
    BF_ZALLOC(inflow, arena, states, err);
    BF_ALLOC(left, arena, cells, err);
    env->model(p, r, start);
    for (int64_t i = 0; i < states; i++)
        s[i] = (double)i;
    BF_TRY(target->probabilities(target, s, states, pi, err));
    bf__coordinates coordinates;
    bf__kernel kernel;
    BF_TRY(bf__coordinates_fit(&coordinates, log->state, log->n, 1, NULL, NULL, arena, err));
    bf__coordinates_apply(z, &coordinates, s, states);
    BF_TRY(bf__kernel_set(&kernel, bf__kernel_find("gaussian"), &width, 1, err));
    for (int64_t c = 0; c < cells; c++)
        for (int64_t to = 0; to < states; to++)
            inflow[to] += mass[c] * p[c * states + to];
    for (int64_t c = 0; c < cells; c++)
        left[c] = mass[c] - pi[c % actions * states + c / actions] * inflow[c / actions];
    for (int64_t c = 0; c < cells; c++)
        for (int64_t e = c % actions; e < cells; e += actions) /* of the same action */
            sum += left[c] * left[e] *
                   bf__kernel_plain(&kernel, &z[c / actions], 1, &z[e / actions], 1, 1);
    *out = sqrt(fmax(sum, 0));
    return BF_OK;
}

/* ---- A run */

/* The loss of what a class finds on `problem`, and its bound. */
static bf_status fit(double *loss, double *bound, const bf_problem *problem,
                     const bf__setting *setting, const bf__contender *method,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_env *env = setting->env;
    const bf_dataset *data = problem->data;
    const bf_estimator *estimator;
    const bf_settings *options;
    bf_estimate estimate;
    double *mass;
    BF_TRY(bf__contender_prepare(&estimator, &options, method, env->name, arena, err));
    BF_TRY(bf__estimator_run(estimator, &estimate, problem, options, context, arena, err));
    BF_ZALLOC(mass, arena, env->states * env->actions, err);
    for (int64_t i = 0; i < data->n; i++)
        mass[(int64_t)data->state[i] * env->actions + data->action[i]] +=
            estimate.signed_weights[i];
    *bound = bf__diagnosed(&estimate, BF__D_LOSS_BOUND);
    return bf__expected_loss(loss, mass, data, env, setting->target_policy, arena, err);
}

static bf_status measure(double *value, double *beside, const bf__setting *setting,
                         const bf__contender *method, const bf_problem *problem,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_dataset expected;
    bf_problem ideal = *problem;
    double least, other;
    BF_TRY(bf__expected_log(&expected, problem->data, setting->env, setting->target_policy, arena,
                            err));
    ideal.data = &expected;
    BF_TRY(fit(value, beside, problem, setting, method, context, arena, err));
    BF_TRY(fit(&least, &other, &ideal, setting, method, context, arena, err));
    *value -= least;
    return BF_OK;
}

static const bf__measure excess = {.loss = true, .run = measure};

/* ---- The experiment */

typedef struct generalization_options {
    const char *finite, *sizes;
    int64_t runs;
} generalization_options;

static const bf_option rows[] = {
    BF_OPTION(generalization_options, finite, "ladder", BF_FINITE_HELP),
    BF_OPTION(generalization_options, sizes, "300,600,1200,2400,4800",
              "LIST: Transitions of a log, with commas."),
    BF_OPTION_RANGE(generalization_options, runs, "60", 2, 1e6, "N: Logs per setting."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of generalization", generalization_options, rows);
static const char *const quick[] = {"sizes", "300,1200", "runs", "4", NULL};

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    const generalization_options *o = options;
    const bf__contender *methods[CLASSES];
    bf__setting like = {.stationary = true, .measure = &excess};
    for (int k = 0; k < CLASSES; k++)
        methods[k] = &classes[k];
    BF_TRY(bf__finite_plan(study, o->finite, o->sizes, 1, &like, methods, CLASSES, o->runs,
                           BF_SHOW_BIAS, err));
    int problems = study->panel_count; /* three at most: there is room for twice as many */
    for (int k = 0; k < problems; k++) {
        const char *title;
        BF_TRY(bf__print(&title, study->arena, err, "%s: the bound", study->panels[k].title));
        study->panels[bf__study_panel(study, title, BF_SHOW_BOUND)].of = k;
        BF_TRY(bf__print(&study->panels[k].title, study->arena, err, "%s: loss in excess",
                         study->panels[k].title));
    }
    return BF_OK;
}

/* The slope of one class on one problem; NaN if there is only one size, or no excess. */
static bf_mean slope_of(const bf__study *study, const bf__contender *class, int panel,
                        const double *x, int count) {
    bf_mean y[BF_MAX_PLACES];
    double at[BF_MAX_PLACES];
    int used = 0;
    for (int i = 0; i < count; i++) {
        const bf__run_group *g = bf__study_find(study, class->name, panel, x[i]);
        if (g && g->spread.bias.value > 1e-9 && g->spread.bias.error > 0) {
            at[used] = x[i];
            y[used++] = g->spread.bias;
        }
    }
    return used > 1 ? bf__log_slope(at, y, used) : (bf_mean){NAN, NAN};
}

static bf_status judge_slopes(bf__study *study, const double *x, int count, bf_error *err) {
    int all = 0, fast = 0;
    const char *text = "";
    for (int panel = 0; panel < study->panel_count / 2; panel++)
        for (int k = 0; k < CLASSES; k++) {
            bf_mean slope = slope_of(study, &classes[k], panel, x, count);
            if (isnan(slope.value))
                continue;
            fast += slope.value <= -0.5 + 2 * slope.error;
            BF_TRY(bf__print(&text, study->arena, err, "%s%s%s %.3f (standard error %.3f)", text,
                             all++ ? ", " : "", classes[k].label, slope.value, slope.error));
        }
    if (all == 0)
        return BF_OK;
    bf__claim c = {
        .claim = "The loss of fitted weights exceeds the least loss of their class by O(1 / "
                 "sqrt(n)).",
        .rule = "Slope of the logarithm of the mean excess against that of n, by weighted least "
                "squares. It is at most -1/2, or above that by at most two standard errors, for "
                "every class: reproduced; for some: partly.",
        .verdict = fast == all ? BF__REPRODUCED
                   : fast > 0  ? BF__PARTLY
                               : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err, "Slopes: %s.", text);
}

static bf_status judge_bound(bf__study *study, bf_error *err) {
    int64_t runs = 0, held = 0;
    double least = INFINITY, largest = 0;
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        for (int64_t i = 0; i < group->runs; i++) {
            runs += !isnan(group->value[i]);
            held += group->value[i] <= group->half[i];
        }
        double ratio = group->covering.half / group->spread.bias.value;
        if (group->spread.bias.value > 1e-9) {
            least = fmin(least, ratio);
            largest = fmax(largest, ratio);
        }
    }
    if (runs == 0)
        return BF_OK;
    bf__claim c = {
        .claim = "The theorem's bound on that excess holds with probability 0.95.",
        .rule = "Share of the runs in which the excess is at most the bound: 0.95 is reproduced, "
                "0.5 partly.",
        .verdict = (double)held >= 0.95 * (double)runs  ? BF__REPRODUCED
                   : (double)held >= 0.5 * (double)runs ? BF__PARTLY
                                                        : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(study, &c, err,
                           "It holds in %lld of %lld runs, and is far from tight: %.2g to %.2g "
                           "times the mean excess.",
                           (long long)held, (long long)runs, least, largest);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    double x[BF_MAX_PLACES];
    int count = bf__study_places(study, x, BF_MAX_PLACES);
    BF_TRY(judge_slopes(study, x, count, err));
    return judge_bound(study, err);
}

extern const bf__experiment bf__experiment_generalization;
const bf__experiment bf__experiment_generalization = {
    .name = "generalization",
    .place = "Theorem 4.2",
    .title = "Loss in excess of the oracle's",
    .summary = "what fitted weights lose with true transition probabilities, and the bound for it",
    .text = "Logs of independent transitions. Fitted weights have a loss, the MMD of the flow that "
            "they leave with the true transition probabilities. The oracle is the same class, "
            "fitted to a log in which every transition has each of its outcomes as often as it "
            "should. Points are means over the logs of what the fitted weights lose more; bars are "
            "one standard error. Beside it is the bound of the theorem, for probability 0.95, with "
            "the class of the answer: its largest weight and its Rademacher complexity, which "
            "backflow estimate --verbose shows for every answer of black-box.",
    .options = &table,
    .quick = quick,
    .x_label = "transitions",
    .y_label = "loss (MMD)",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
