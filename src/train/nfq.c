/* nfq.c - Neural fitted Q iteration [1]: a network that is its own teacher.
 *
 * Iterates    q_a(s) <- r(s, a) + gamma max_b Q(s', b)      (r alone if the episode ended)
 *             Q      <- argmin sum_{s, a} (Q(s, a) - q_a(s))^2    by `epochs` of Rprop, warm
 * Shapes      N = random + visited states; every action is tried at each of them, so that
 *             targets are (A, N); the network has one output per action
 * Cost        iterations * epochs * O(N parameters)
 *
 * Departures from [1]: The simulator can be put into any state. Therefore a part of the states is
 * spread evenly over a box, which greedy episodes alone would not fill, and all actions are tried
 * at each state. The other part comes from the network's own episodes, and new states replace the
 * oldest. The network has one output per action instead of the action as an input, so that one pass
 * serves all actions. Values do not improve steadily. We keep the network with the best trial
 * episodes, which start from the same states in every iteration. New episodes judge it in the end.
 *
 * [1] Riedmiller, Neural fitted Q iteration, ECML 2005. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backflow/train.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "policy/network.h"
#include "solver/mlp.h"
#include "solver/rprop.h"
#include "train/evaluate.h"

typedef struct trainer {
    const bf_env *env;
    const bf_train_options *o;
    bf__network policy; /* of the parameters below, as floats in `shown` */
    double low[BF_ENV_MAX_DIM], high[BF_ENV_MAX_DIM];
    float least, most;   /* the range that Q can have */
    int inputs, actions; /* I, A */
    int64_t n;           /* N */
    double *seen;        /* (d, N): states as the policy sees them */
    double *next_seen;   /* (A, d, N) */
    float *x;            /* (I, N) */
    float *next;         /* (I, A * N): of state i under action a at a * N + i */
    float *reward;       /* (A, N): rewards as trained on */
    uint8_t *ended;      /* (A, N) */
    float *q, *target;   /* (A, N); q also holds the error */
    float *next_q;       /* (A, A * N) */
    double *parameters, *gradient;
    float *shown, *best;
    int64_t count; /* parameters */
    bf__mlp_work *work;
    bf__rprop rprop;
    double inner[BF_ENV_MAX_DIM]; /* of the episode under way */
    int64_t t, slot;              /* its step; the visited state that is renewed next */
    bf_rng rng;
} trainer;

/* ---- Reading options */

static bf_status parse_box(trainer *tr, bf_error *err) {
    const char *at = tr->o->box;
    char piece[64];
    int found = 0;
    for (; *at; found++) {
        size_t length = strcspn(at, ",");
        snprintf(piece, sizeof piece, "%.*s", (int)length, at);
        char *colon = strchr(piece, ':');
        if (colon)
            *colon = '\0';
        if (found >= tr->env->inner_dim || length >= sizeof piece || !colon ||
            !bf__parse_real(piece, &tr->low[found]) ||
            !bf__parse_real(colon + 1, &tr->high[found]) ||
            !(isfinite(tr->low[found]) && isfinite(tr->high[found])) ||
            !(tr->low[found] < tr->high[found]))
            break;
        at += length + (at[length] == ',');
    }
    if (*at || found != tr->env->inner_dim)
        return bf_fail(err, BF_EUSAGE,
                       "`box`: '%s' is not %d ranges LOW:HIGH separated by commas, which %s needs",
                       tr->o->box, tr->env->inner_dim, tr->env->name);
    return BF_OK;
}

static bf_status parse_angles(trainer *tr, bf_error *err) {
    for (const char *at = tr->o->angles; *at;) {
        size_t length = strcspn(at, ",");
        int j = 0;
        while (j < tr->env->state_dim && (strlen(tr->env->state_names[j]) != length ||
                                          strncmp(tr->env->state_names[j], at, length) != 0))
            j++;
        if (j == tr->env->state_dim)
            return bf_fail(err, BF_EUSAGE, "`angles`: %s has no state '%.*s'", tr->env->name,
                           (int)length, at);
        tr->policy.angle[j] = true;
        at += length + (at[length] == ',');
    }
    return BF_OK;
}

/* ---- States to learn from */

/* Tries every action at `inner` and stores the results at place i. */
static void learn_from(trainer *tr, int64_t i, const double *inner) {
    const bf_env *env = tr->env;
    double seen[BF_ENV_MAX_DIM], moved[BF_ENV_MAX_DIM], reward;
    env->observe(inner, seen);
    for (int j = 0; j < env->state_dim; j++)
        tr->seen[j * tr->n + i] = seen[j];
    for (int a = 0; a < env->actions; a++) {
        memcpy(moved, inner, sizeof moved);
        bool ended = env->step(moved, a, BF_REWARDS_GYMNASIUM, &tr->rng, &reward);
        env->observe(moved, seen);
        for (int j = 0; j < env->state_dim; j++)
            tr->next_seen[(j * tr->actions + a) * tr->n + i] = seen[j];
        tr->reward[a * tr->n + i] = (float)(tr->o->reward * reward + tr->o->terminal * ended);
        tr->ended[a * tr->n + i] = ended;
    }
}

static void encode_all(trainer *tr) {
    bf__network_encode(&tr->policy, tr->seen, tr->n, tr->x);
    bf__network_encode(&tr->policy, tr->next_seen, tr->n * tr->actions, tr->next);
}

static int greedy(const trainer *tr, const double *inner) {
    double seen[BF_ENV_MAX_DIM];
    float x[BF__NETWORK_MAX_INPUTS], q[BF__NETWORK_MAX_ACTIONS];
    tr->env->observe(inner, seen);
    bf__network_encode(&tr->policy, seen, 1, x);
    bf__mlp_predict(&tr->policy.net, tr->shown, x, 1, q);
    int best = 0;
    for (int a = 1; a < tr->actions; a++)
        if (q[a] > q[best])
            best = a;
    return best;
}

/* Renews `count` visited states along episodes. A share `explore` of their actions is random. */
static void visit(trainer *tr, int64_t count, double explore) {
    const bf_env *env = tr->env;
    double reward;
    for (int64_t k = 0; k < count; k++) {
        if (tr->t == 0)
            env->reset(tr->inner, &tr->rng);
        learn_from(tr, tr->o->random + tr->slot, tr->inner);
        tr->slot = (tr->slot + 1) % tr->o->visited;
        int action = bf_rng_uniform(&tr->rng) < explore ? (int)bf_rng_below(&tr->rng, tr->actions)
                                                        : greedy(tr, tr->inner);
        bool ended = env->step(tr->inner, action, BF_REWARDS_GYMNASIUM, &tr->rng, &reward);
        tr->t = ended || tr->t + 1 >= env->limit ? 0 : tr->t + 1;
    }
}

/* Centre and width of every coordinate, from the states to learn from. */
static void standardise(trainer *tr) {
    for (int j = 0; j < tr->env->state_dim; j++) {
        double sum = 0, square = 0, n = (double)tr->n;
        const double *column = tr->seen + j * tr->n;
        for (int64_t i = 0; i < tr->n; i++)
            sum += column[i];
        for (int64_t i = 0; i < tr->n; i++)
            square += (column[i] - sum / n) * (column[i] - sum / n);
        tr->policy.centre[j] = sum / n;
        tr->policy.width[j] = square > 0 ? sqrt(square / n) : 1;
    }
}

/* An episode may cut a sum of rewards short. Such a sum lies between the smallest and the largest
 * reward earned for ever. */
static void bound(trainer *tr) {
    float low = 0, high = 0, horizon = (float)(1 / (1 - tr->o->gamma));
    for (int64_t i = 0; i < tr->n * tr->actions; i++) {
        float end = tr->ended[i] ? (float)tr->o->terminal : 0;
        low = fminf(low, tr->reward[i] - end);
        high = fmaxf(high, tr->reward[i] - end);
    }
    float end = (float)tr->o->terminal;
    tr->least = (low < 0 ? low * horizon : 0) + fminf(end, 0);
    tr->most = (high > 0 ? high * horizon : 0) + fmaxf(end, 0);
}

static void first_states(trainer *tr) {
    double inner[BF_ENV_MAX_DIM];
    for (int64_t i = 0; i < tr->o->random; i++) {
        for (int j = 0; j < tr->env->inner_dim; j++)
            inner[j] = bf_rng_between(&tr->rng, tr->low[j], tr->high[j]);
        learn_from(tr, i, inner);
    }
    visit(tr, tr->o->visited, 1);
    standardise(tr);
    bound(tr);
    encode_all(tr);
}

/* ---- One iteration */

/* Fills target (A, N). Before the first fit Q is 0. Returns the mean of max Q over random
 * states. */
static double make_targets(trainer *tr, bool first) {
    int64_t n = tr->n, m = n * tr->actions;
    double gamma = first ? 0 : tr->o->gamma, value = 0;
    bf__mlp_predict(&tr->policy.net, tr->shown, tr->next, m, tr->next_q);
    for (int64_t i = 0; i < m; i++) {
        float most = tr->next_q[i];
        for (int b = 1; b < tr->actions; b++)
            most = fmaxf(most, tr->next_q[b * m + i]);
        float target = tr->reward[i] + (tr->ended[i] ? 0 : (float)gamma * most);
        tr->target[i] = fminf(fmaxf(target, tr->least), tr->most);
    }
    for (int64_t i = 0; i < tr->o->random; i++) {
        float most = tr->target[i];
        for (int b = 1; b < tr->actions; b++)
            most = fmaxf(most, tr->target[b * n + i]);
        value += (double)most;
    }
    return value / (double)tr->o->random;
}

static double fit(trainer *tr) {
    int64_t m = tr->n * tr->actions;
    double loss = 0;
    bf__rprop_reset(&tr->rprop);
    for (int64_t e = 0; e < tr->o->epochs; e++) {
        bf__mlp_forward(tr->work, tr->parameters, tr->x, tr->n, tr->q);
        loss = 0;
        for (int64_t i = 0; i < m; i++) {
            tr->q[i] -= tr->target[i];
            loss += (double)tr->q[i] * (double)tr->q[i];
        }
        bf__mlp_backward(tr->work, tr->q, tr->gradient);
        bf__rprop_move(&tr->rprop, tr->gradient, tr->parameters);
    }
    for (int64_t i = 0; i < tr->count; i++)
        tr->shown[i] = (float)tr->parameters[i];
    return sqrt(loss / (double)m);
}

static bf_status iterate(trainer *tr, bf_train_result *out, bf_train_point *curve,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    char detail[128] = "";
    bf__evaluation trial = {.mean = -INFINITY};
    double best = -INFINITY;
    for (int64_t k = 0; k < tr->o->iterations; k++) {
        if (!bf__progress(context, "training", (double)k, (double)tr->o->iterations, detail))
            break;
        if (k > 0) {
            visit(tr, tr->o->fresh, tr->o->explore);
            encode_all(tr);
        }
        curve[k].value = make_targets(tr, k == 0);
        curve[k].loss = fit(tr);
        if (!isfinite(curve[k].loss))
            return bf_fail(err, BF_ENUMERIC,
                           "training broke down in iteration %lld: values grew beyond all bounds; "
                           "a smaller `step` may help",
                           (long long)k + 1);
        BF_TRY(
            bf__evaluate(&trial, tr->env, &tr->policy.base, 0, tr->o->trials, context, arena, err));
        curve[k].score = trial.mean;
        out->iterations = k + 1;
        if (trial.mean >= best) { /* of equals we keep the later one, which has learnt longer */
            best = trial.mean;
            out->best = k + 1;
            memcpy(tr->best, tr->shown, (size_t)tr->count * sizeof *tr->best);
        }
        bf__format(detail, sizeof detail, "return %.4g, best %.4g, error of fit %.2g", trial.mean,
                   best, curve[k].loss);
    }
    if (out->iterations == 0)
        return bf_fail(err, BF_ECANCELLED, "interrupted before the first iteration was done");
    return BF_OK;
}

/* ---- The whole */

static bf_status allocate(trainer *tr, const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t m = tr->n * tr->actions;
    int d = tr->env->state_dim;
    BF_ALLOC(tr->seen, arena, d * tr->n, err);
    BF_ALLOC(tr->next_seen, arena, d * m, err);
    BF_ALLOC(tr->x, arena, tr->inputs * tr->n, err);
    BF_ALLOC(tr->next, arena, tr->inputs * m, err);
    BF_ALLOC(tr->reward, arena, m, err);
    BF_ALLOC(tr->ended, arena, m, err);
    BF_ALLOC(tr->q, arena, m, err);
    BF_ALLOC(tr->target, arena, m, err);
    BF_ALLOC(tr->next_q, arena, tr->actions * m, err);
    BF_ALLOC(tr->parameters, arena, tr->count, err);
    BF_ALLOC(tr->gradient, arena, tr->count, err);
    BF_ALLOC(tr->shown, arena, tr->count, err);
    BF_ALLOC(tr->best, arena, tr->count, err);
    BF_TRY(bf__rprop_make(&tr->rprop, tr->count, tr->o->step, arena, err));
    return bf__mlp_prepare(&tr->work, &tr->policy.net, tr->n, bf__threads(context), arena, err);
}

static bf_status set_up(trainer *tr, const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_env *env = tr->env;
    if (env->states > 0)
        return bf_fail(err, BF_EUSAGE,
                       "%s has finitely many states: a table is its policy, not a network",
                       env->name);
    tr->policy.base.state_dim = env->state_dim;
    tr->policy.base.name = tr->policy.env = env->name;
    for (int j = 0; j < env->state_dim; j++)
        tr->policy.state_name[j] = env->state_names[j];
    BF_TRY(parse_box(tr, err));
    BF_TRY(parse_angles(tr, err));
    tr->inputs = bf__network_inputs(&tr->policy);
    tr->actions = env->actions;
    tr->n = tr->o->random + tr->o->visited;
    BF_TRY(bf__mlp_make(&tr->policy.net, tr->inputs, tr->o->hidden, tr->actions,
                        (bf__activation)tr->o->activation, BF__IDENTITY, err));
    bf__network_finish(&tr->policy);
    tr->count = bf__mlp_parameters(&tr->policy.net);
    BF_TRY(allocate(tr, context, arena, err));
    tr->policy.parameters = tr->shown;
    tr->rng = bf_rng_make(context->seed, "train", 0);
    bf__mlp_init(&tr->policy.net, tr->parameters, &tr->rng);
    for (int64_t i = 0; i < tr->count; i++)
        tr->shown[i] = (float)tr->parameters[i];
    return BF_OK;
}

bf_status bf_train(bf_train_result *out, const bf_env *env, const bf_train_options *options,
                   const bf_context *context, bf_arena *arena, bf_error *err) {
    static const bf_context none = {.threads = 0};
    trainer *tr;
    bf_train_point *curve;
    context = context ? context : &none;
    BF_ZALLOC(tr, arena, 1, err);
    BF_ALLOC(curve, arena, options->iterations, err);
    *out = (bf_train_result){.curve = curve};
    tr->env = env;
    tr->o = options;
    BF_TRY(set_up(tr, context, arena, err));
    first_states(tr);
    BF_TRY(iterate(tr, out, curve, context, arena, err));
    tr->policy.parameters = tr->best;
    bf__evaluation judged;
    /* These episodes were in no trial, because the best of many trials flatters itself. */
    BF_TRY(bf__evaluate(&judged, env, &tr->policy.base, options->trials, options->episodes, context,
                        arena, err));
    out->policy = &tr->policy.base;
    out->score = judged.mean;
    out->score_error = judged.error;
    out->worst = judged.worst;
    return BF_OK;
}

bf_status bf_train_write(const bf_train_result *result, const char *command, const char *path,
                         bf_error *err) {
    bf__network network = *(const bf__network *)result->policy;
    network.command = command;
    return bf__network_write(&network, path, err);
}
