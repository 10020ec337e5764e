/* trial.c - A policy run in a fitted process.
 *
 * Chains start at start states of the log (at any logged state if it has none) and take `steps`
 * steps. Each stays with one member of the fits, so that the spread over members shows in values.
 *
 *     gamma = 1   the mean reward after the first quarter of the steps
 *     gamma < 1   sum gamma^t r / sum gamma^t, with t counted from the last start: the mean over
 * the process of problem/steps.h by renewal, whose masses g and h these are. A chain whose discount
 * has fallen below 1e-3 begins anew.
 *
 * If a step ends the episode, the chain begins anew. Under `absorb` the rest of its discounted time
 * is spent at reward 0 first. States stay in the range of the log, column by column, and angles in
 * their turn; rewards stay in the range of the log's.
 *
 * Cost        steps x chains x members x (centres of the fits)(inputs + outputs)
 *
 * Every chain has a random stream of its own: digits do not depend on the number of threads. */
#include "model/trial.h"

#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"

enum {
    PARTS = 20,
    SKIP = 5,
    ROUND = 50,
    GROUP = 32,
    NO_EPISODES = 50
}; /* PARTS of the time; steps of a round */

typedef struct group { /* up to GROUP chains of one member */
    int member, chains;
    int64_t longest; /* episode of the log */
    bf_rng stream[GROUP];
    double *state;          /* (d, chains) */
    double discount[GROUP]; /* gamma^t */
    double since[2][GROUP]; /* steps and reward since the start */
    double length[GROUP];   /* steps after which the chain begins anew */
    double sum[PARTS], mass[PARTS];
    double chain_sum[GROUP], chain_mass[GROUP];
    double cut, far, ends, done[2]; /* done: steps and reward of episodes that ended */
    double *z, *x, *u, *end, *step; /* end (chains), step (chains, 1 + d) */
    double *after, *scratch;        /* after (d) */
    bf_error error;
} group;

/* Steps after which a replay of episode e begins anew. An episode that ended by itself does not say
 * how long it would have been watched: the longest one of the log does. */
static double replay_length(const group *g, const bf__dynamics *m, int64_t e) {
    const bf_dataset *data = m->problem->data;
    if (!data->begin)
        return NO_EPISODES;
    bool ended = bf__step_ended(&m->points->steps, data->order[data->begin[e + 1] - 1]);
    return (double)(ended ? g->longest : data->begin[e + 1] - data->begin[e]);
}

static void begin_anew(group *g, const bf__trial_task *t, int j) {
    const bf_dataset *data = t->dynamics->problem->data;
    bf_rng *rng = &g->stream[j];
    int64_t e = data->begin ? bf_rng_below(rng, data->episodes) : 0;
    int64_t i = data->begin ? data->order[data->begin[e]] : bf_rng_below(rng, data->n);
    for (int c = 0; c < t->dynamics->d; c++)
        g->state[c * g->chains + j] = data->state[c * data->n + i];
    g->discount[j] = 1;
    g->since[0][j] = g->since[1][j] = 0;
    g->length[j] = t->replay ? replay_length(g, t->dynamics, e) : INFINITY;
}

/* The state of chain j after a step that goes on; g->after is scratch. */
static void move(group *g, const bf__trial_task *t, int j) {
    const bf__dynamics *m = t->dynamics;
    bool cut = false;
    double *after = g->after;
    const double *change = g->step + j * (1 + m->d) + 1;
    const double *missed = m->missed + bf_rng_below(&g->stream[j], m->missed_rows) * (1 + m->d) + 1;
    for (int c = 0; c < m->d; c++)
        after[c] = g->state[c * g->chains + j] + change[c] + missed[c];
    for (int c = 0; c < m->d; c++) {
        double *other = m->sine[c] < 0 ? NULL : &after[m->sine[c]];
        double size = other ? hypot(after[c], *other) : 0;
        if (size > 0) {
            after[c] /= size;
            *other /= size;
        }
    }
    for (int c = 0; c < m->d; c++) {
        double *s = &g->state[c * g->chains + j];
        if (m->period[c] > 0) {
            *s = after[c] - m->period[c] * floor((after[c] - m->low[c]) / m->period[c]);
            continue;
        }
        *s = fmin(fmax(after[c], m->low[c]), m->high[c]);
        cut = cut || fabs(*s - after[c]) > 0.05 * (m->high[c] - m->low[c]);
    }
    g->cut += cut;
}

static void count(group *g, int j, int part, double reward, double mass) {
    g->sum[part] += reward;
    g->mass[part] += mass;
    if (part < SKIP)
        return;
    g->chain_sum[j] += reward;
    g->chain_mass[j] += mass;
}

static bf_status step(group *g, const bf__trial_task *t, int part, bf_error *err) {
    const bf__dynamics *m = t->dynamics;
    const bf__steps *steps = &m->points->steps;
    int d = m->points->d, n = g->chains;
    bf__coordinates_apply(g->z, &m->points->coordinates, g->state, n);
    for (int j = 0; j < n; j++)
        for (int c = 0; c < d; c++)
            g->x[j * d + c] = g->z[c * n + j];
    BF_TRY(
        bf__actor_draw(g->u, t->actor, g->member, g->x, g->state, n, g->stream, g->scratch, err));
    bf__dynamics_inputs(g->x, m, g->z, g->u, n, g->scratch);
    if (m->ends)
        BF_TRY(bf__krr_predict(g->end, &m->end, g->member, g->x, n, g->scratch, err));
    if (m->missed_rows > 0)
        BF_TRY(bf__krr_predict(g->step, &m->step, g->member, g->x, n, g->scratch, err));
    for (int j = 0; j < n && m->missed_rows > 0; j++)
        g->far += bf__krr_distance(&m->step, g->scratch, n, j, false) > m->far;
    for (int j = 0; j < n; j++) {
        double r = g->step[j * (1 + m->d)];
        bool ended = m->missed_rows == 0;
        if (m->ends && !ended) {
            double score = m->chance[0] + m->chance[1] * g->end[j];
            ended = bf_rng_uniform(&g->stream[j]) < 1 / (1 + exp(-score));
        }
        if (ended)
            BF_TRY(
                bf__krr_predict(&r, &m->last, g->member, g->x + j * m->inputs, 1, g->scratch, err));
        r = fmin(fmax(r, m->least), m->most);
        count(g, j, part, g->discount[j] * r, g->discount[j]);
        g->since[0][j]++;
        g->since[1][j] += r;
        g->discount[j] *= t->replay ? 1 : steps->gamma;
        if (ended) {
            g->ends++;
            g->done[0] += g->since[0][j];
            g->done[1] += g->since[1][j];
            if (steps->absorbs && !t->replay)
                count(g, j, part, 0, g->discount[j] / (1 - steps->gamma));
        }
        if (ended || g->discount[j] < 1e-3 || g->since[0][j] >= g->length[j])
            begin_anew(g, t, j);
        else
            move(g, t, j);
    }
    return BF_OK;
}

static bf_status make_group(group *g, const bf__trial_task *t, int64_t first, int member,
                            int chains, const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__dynamics *m = t->dynamics;
    int64_t action = m->inputs - m->points->d, n = chains;
    int64_t room = bf__actor_room(t->actor, n), one = bf__krr_room(&m->step, n);
    int64_t other = bf__krr_room(&m->end, n), actions = 2 * n * action;
    room = room > one ? room : one;
    room = room > other ? room : other;
    other = bf__krr_room(&m->last, 1);
    room = room > other ? room : other;
    room = room > actions ? room : actions;
    *g = (group){
        .member = member, .chains = chains, .longest = bf__dataset_longest(m->problem->data)};
    BF_ALLOC(g->state, arena, m->d * n, err);
    BF_ALLOC(g->z, arena, m->points->d * n, err);
    BF_ALLOC(g->x, arena, m->inputs * n, err);
    BF_ALLOC(g->u, arena, action * n, err);
    BF_ALLOC(g->end, arena, n, err);
    BF_ALLOC(g->after, arena, m->d, err);
    BF_ZALLOC(g->step, arena, (1 + m->d) * n, err);
    BF_ALLOC(g->scratch, arena, room, err);
    for (int j = 0; j < chains; j++) {
        g->stream[j] = bf_rng_make(context ? context->seed : 1, t->what, (uint64_t)(first + j));
        begin_anew(g, t, j);
    }
    return BF_OK;
}

/* ---- What the chains say together */

double bf__flattery(double m, double off, double variance) {
    if (!(off * off > variance) || off * m < 0)
        return 0;
    return copysign(fmin(fabs(off - variance / off), fabs(m)), off);
}

static double ratio(double sum, double mass) {
    return mass > 0 ? sum / mass : 0;
}

static void sum_up(bf__trial *out, const bf__trial_task *t, const group *g, int64_t groups) {
    int members = t->dynamics->members, skip = SKIP;
    if (t->replay || t->dynamics->points->steps.gamma < 1)
        skip = 0;
    double sum[BF__TRIAL_MOST] = {0}, mass[BF__TRIAL_MOST] = {0}, late[2][2] = {{0}};
    double done[2] = {0}, squares = 0;
    *out = (bf__trial){.value = 0};
    for (int64_t k = 0; k < groups; k++) {
        for (int p = skip; p < PARTS; p++) {
            sum[g[k].member] += g[k].sum[p];
            mass[g[k].member] += g[k].mass[p];
            if (p >= PARTS / 2) {
                late[p >= PARTS * 3 / 4][0] += g[k].sum[p];
                late[p >= PARTS * 3 / 4][1] += g[k].mass[p];
            }
        }
        out->cut += g[k].cut;
        out->far += g[k].far;
        out->ends += g[k].ends;
        done[0] += g[k].done[0];
        done[1] += g[k].done[1];
    }
    for (int e = 0; e < members; e++) {
        out->member[e] = ratio(sum[e], mass[e]);
        out->value += out->member[e] / members;
    }
    double chains = 0;
    for (int64_t k = 0; k < groups; k++)
        for (int j = 0; j < g[k].chains; j++, chains++)
            squares +=
                pow(ratio(g[k].chain_sum[j], g[k].chain_mass[j]) - out->member[g[k].member], 2);
    out->error = sqrt(squares) / chains;
    out->drift = ratio(late[1][0], late[1][1]) - ratio(late[0][0], late[0][1]);
    out->cut /= (double)t->steps * chains;
    out->far /= (double)t->steps * chains;
    out->length = out->ends > 0 ? done[0] / out->ends : NAN;
    out->gain = out->ends > 0 ? done[1] / out->ends : NAN;
}

bf_status bf__trial_run(bf__trial *out, const bf__trial_task *t, const bf_context *context,
                        bf_arena *arena, bf_error *err) {
    int members = t->dynamics->members, threads = bf__threads(context);
    int each = (t->chains + GROUP - 1) / GROUP, groups = each * members;
    bf_mark mark = bf_arena_mark(arena);
    group *g;
    BF_ALLOC(g, arena, groups, err);
    for (int k = 0; k < groups; k++) {
        int of = k % each, chains = t->chains * (of + 1) / each - t->chains * of / each;
        BF_TRY(make_group(&g[k], t, (int64_t)k * GROUP, k / each, chains, context, arena, err));
    }
    for (int64_t at = 0; at < t->steps; at += ROUND) {
        int64_t end = at + ROUND < t->steps ? at + ROUND : t->steps;
        if (!bf__progress(context, t->what, (double)at, (double)t->steps, NULL))
            return bf_fail(err, BF_ECANCELLED, "cancelled");
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int k = 0; k < groups; k++)
            for (int64_t s = at; s < end && g[k].error.status == BF_OK; s++)
                step(&g[k], t, (int)(s * PARTS / t->steps), &g[k].error);
        for (int k = 0; k < groups; k++)
            if (g[k].error.status != BF_OK)
                return bf_fail(err, g[k].error.status, "%s", g[k].error.message);
    }
    sum_up(out, t, g, groups);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
