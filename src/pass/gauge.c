/* gauge.c - What an episode contributes, for a finite model that is solved.
 *
 * Cost  that of q_cells.c twice; then O(d) per row. */
#include "pass/gauge.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "value/q_cells.h"

enum { LEAST = -400, MOST = 450 }; /* exponents, so that those of products can be had */

/* ---- Making it */

/* States and pairs of the tally, without what was counted. */
static bf_status copy_names(bf__tally *out, const bf__tally *t, bf_arena *arena, bf_error *err) {
    bool twice;
    BF_TRY(bf__tally_make(out, t->d, t->actions, t->follow, t->exponent, arena, err));
    BF_TRY(bf__tally_reserve(out, t->states.count, t->pairs.count, 0, err));
    out->states.count = t->states.count;
    out->pairs.count = t->pairs.count;
    memcpy(out->states.key, t->states.key, (size_t)(t->states.count * t->d) * sizeof(double));
    memcpy(out->states.pair, t->states.pair,
           (size_t)(t->states.count * t->actions) * sizeof(int64_t));
    return bf__tally_index(&twice, out, err);
}

/* q, v and g for one reward of the cells. */
static bf_status solve(bf__gauge *out, int k, const bf__cells *m, const double *reward,
                       const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__cells *question;
    bf__cell_values values;
    BF_ALLOC(question, arena, 1, err);
    *question = *m;
    question->reward = reward;
    BF_TRY(bf__cell_values_of(&values, question, context, arena, err));
    out->q[k] = values.q;
    out->v[k] = values.v;
    out->g[k] = values.g;
    return BF_OK;
}

static double largest(const double *x, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* The weights sum to 1 at most, so an episode's effect is no larger than the largest surprise, and
 * what its start adds no larger than the range of v. */
static int bound(const bf__gauge *g, int k, double reward) {
    double v = largest(g->v[k], g->states + 1);
    double most =
        reward + largest(g->g[k], g->states + 1) + 4 * v + largest(g->q[k], g->names.pairs.count);
    return bf__total_exponent(2 * most) > LEAST ? bf__total_exponent(2 * most) : LEAST;
}

bf_status bf__gauge_make(bf__gauge *out, const bf__tally *tally, const bf__cells *m,
                         const double *x, const bf_context *context, bf_arena *arena,
                         bf_error *err) {
    double *w, *ends, flow = 0, mass = 0;
    *out = (bf__gauge){.states = m->states,
                       .episodes = tally->episodes,
                       .starts = m->has_start,
                       .steps = m->steps,
                       .reward_exponent = tally->exponent};
    out->steps.ended = NULL;
    BF_TRY(copy_names(&out->names, tally, arena, err));
    BF_ALLOC(w, arena, m->cells, err);
    BF_ALLOC(ends, arena, m->cells, err);
    for (int64_t c = 0; c < m->cells; c++) {
        double rows = m->count[c];
        w[c] = m->count[c] > 0 ? x[c] / rows : 0;
        ends[c] = m->count[c] > 0 ? m->ended[c] / rows : 0;
        if (m->count[c] == 0)
            continue;
        mass += x[c];
        flow +=
            x[c] * (m->steps.restarts ? ends[c] : 0) * m->steps.gamma + x[c] * (1 - m->steps.gamma);
    }
    if (m->absorbing)
        flow += (1 - mass) * (1 - m->steps.gamma);
    out->w = w;
    BF_TRY(solve(out, BF__EFFECT_REWARD, m, m->reward, context, arena, err));
    BF_TRY(solve(out, BF__EFFECT_ENDS, m, ends, context, arena, err));
    out->flow[BF__EFFECT_REWARD] = out->flow[BF__EFFECT_ENDS] = flow;
    out->exponent[BF__EFFECT_REWARD] = bound(out, BF__EFFECT_REWARD, ldexp(1, tally->exponent));
    out->exponent[BF__EFFECT_ENDS] = bound(out, BF__EFFECT_ENDS, 1);
    out->exponent[BF__EFFECT_SHARE] = 1;
    if (out->exponent[BF__EFFECT_REWARD] > MOST || out->exponent[BF__EFFECT_ENDS] > MOST)
        return bf_fail(err, BF_ENUMERIC,
                       "rewards as large as %g, or values that follow from them, cannot be squared",
                       ldexp(1, tally->exponent));
    return BF_OK;
}

/* ---- Applying it */

static int64_t find(const bf__gauge *g, double *x, const double *block, int64_t n, int64_t i) {
    for (int j = 0; j < g->names.d; j++)
        x[j] = block[j * n + i] + 0.0;
    return bf__tally_find(&g->names, x);
}

static bf_status unknown(const bf_dataset *data, int64_t i, bf_error *err) {
    char where[256];
    return bf_fail(err, BF_EDATA,
                   "%s: this row was not there when the log was counted: its files have changed",
                   bf_dataset_where(data, i, where, sizeof where));
}

bf_status bf__gauge_apply(double *effect, const bf__gauge *g, const bf_dataset *data,
                          const int64_t *order, int64_t count, bf_error *err) {
    double *x = g->names.x;
    memset(effect, 0, BF__EFFECTS * sizeof *effect);
    for (int64_t j = 0; j < count; j++) {
        int64_t i = order[j], s = find(g, x, data->state, data->n, i), to = g->states - 1;
        bool ended = !g->names.follow && data->terminated && data->terminated[i];
        int64_t pair = s < 0 ? -1 : g->names.states.pair[s * g->names.actions + data->action[i]];
        if (!ended)
            to = find(g, x, data->next_state, data->n, i);
        if (pair < 0 || to < 0)
            return unknown(data, i, err);
        double through = ended && g->steps.restarts ? 1 : 1 - g->steps.gamma;
        for (int k = 0; k < BF__MEASURED; k++) {
            double r = k == BF__EFFECT_REWARD ? data->reward[i]
                                              : (double)(data->terminated && data->terminated[i]);
            double next =
                through * g->v[k][g->states] + (through < 1 ? (1 - through) * g->v[k][to] : 0);
            effect[k] += g->w[pair] * (r - g->g[k][s] + next - g->q[k][pair]);
        }
        effect[BF__EFFECT_SHARE] += g->w[pair];
    }
    if (!g->starts)
        return BF_OK;
    int64_t s = find(g, x, data->state, data->n, order[0]);
    for (int k = 0; k < BF__MEASURED; k++)
        effect[k] += g->flow[k] * (g->v[k][s] - g->v[k][g->states]) / (double)g->episodes;
    return BF_OK;
}

/* ---- Bytes */

void bf__gauge_pack(bf__packer *out, const bf__gauge *g) {
    const bf__tally *t = &g->names;
    bf__pack_i64(out, t->d);
    bf__pack_i64(out, t->actions);
    bf__pack_i64(out, t->follow);
    bf__pack_i64(out, g->episodes);
    bf__pack_i64(out, g->starts);
    bf__pack_f64(out, g->steps.gamma);
    bf__pack_i64(out, g->steps.restarts);
    bf__pack_i64(out, g->steps.absorbs);
    bf__pack_i64(out, g->reward_exponent);
    for (int k = 0; k < BF__EFFECTS; k++)
        bf__pack_i64(out, g->exponent[k]);
    bf__pack_i64(out, t->states.count);
    bf__pack_i64(out, t->pairs.count);
    bf__pack_f64s(out, t->states.key, t->states.count * t->d);
    bf__pack_i64s(out, t->states.pair, t->states.count * t->actions);
    bf__pack_f64s(out, g->w, t->pairs.count);
    for (int k = 0; k < BF__MEASURED; k++) {
        bf__pack_f64s(out, g->q[k], t->pairs.count);
        bf__pack_f64s(out, g->v[k], g->states + 1);
        bf__pack_f64s(out, g->g[k], g->states + 1);
        bf__pack_f64(out, g->flow[k]);
    }
}

static bf_status numbers(const double **out, bf__unpacker *in, int64_t count, bf_arena *arena,
                         bf_error *err) {
    double *x;
    BF_ALLOC(x, arena, count, err);
    bf__unpack_f64s(in, x, count);
    for (int64_t i = 0; i < count; i++)
        in->bad = in->bad || !isfinite(x[i]);
    *out = x;
    return BF_OK;
}

static bf_status unpack_names(bf__tally *t, bf__unpacker *in, int64_t states, int64_t pairs,
                              bf_error *err) {
    bool twice;
    BF_TRY(bf__tally_reserve(t, states, pairs, 0, err));
    t->states.count = states;
    t->pairs.count = pairs;
    bf__unpack_f64s(in, t->states.key, states * t->d);
    bf__unpack_i64s(in, t->states.pair, states * t->actions, -1, pairs - 1);
    for (int64_t k = 0; k < states * t->d; k++)
        in->bad = in->bad || !isfinite(t->states.key[k]);
    BF_TRY(bf__tally_index(&twice, t, err));
    in->bad = in->bad || twice;
    return BF_OK;
}

bf_status bf__gauge_unpack(bf__gauge *g, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    *g = (bf__gauge){0};
    int d = (int)bf__unpack_in(in, 1, 1 << 20), actions = (int)bf__unpack_in(in, 1, 1 << 20);
    bool follow = bf__unpack_in(in, 0, 1);
    g->episodes = bf__unpack_in(in, 0, INT64_MAX / 4);
    g->starts = bf__unpack_in(in, 0, 1);
    double gamma = bf__unpack_f64(in);
    bool restarts = bf__unpack_in(in, 0, 1), absorbs = bf__unpack_in(in, 0, 1);
    g->reward_exponent = (int)bf__unpack_in(in, BF__TOTAL_LEAST, BF__TOTAL_MOST);
    for (int k = 0; k < BF__EFFECTS; k++)
        g->exponent[k] = (int)bf__unpack_in(in, LEAST, MOST);
    int64_t states = bf__unpack_count(in, 8 * (size_t)(d + actions)),
            pairs = bf__unpack_count(in, 8);
    in->bad = in->bad || !(gamma >= 0 && gamma <= 1) || (restarts && absorbs) || states == 0 ||
              (g->starts && g->episodes == 0);
    if (in->bad)
        return BF_OK;
    g->steps = bf__steps_any(restarts || absorbs, gamma,
                             absorbs ? BF_TERMINAL_ABSORB : BF_TERMINAL_RESTART);
    g->states = states + absorbs;
    BF_TRY(bf__tally_make(&g->names, d, actions, follow, g->reward_exponent, arena, err));
    BF_TRY(unpack_names(&g->names, in, states, pairs, err));
    BF_TRY(numbers(&g->w, in, pairs, arena, err));
    for (int k = 0; k < BF__MEASURED; k++) {
        BF_TRY(numbers(&g->q[k], in, pairs, arena, err));
        BF_TRY(numbers(&g->v[k], in, g->states + 1, arena, err));
        BF_TRY(numbers(&g->g[k], in, g->states + 1, arena, err));
        g->flow[k] = bf__unpack_f64(in);
    }
    return BF_OK;
}

bool bf__gauge_same(const bf__gauge *a, const bf__gauge *b) {
    const bf__tally *s = &a->names, *t = &b->names;
    return s->d == t->d && s->actions == t->actions && s->states.count == t->states.count &&
           s->pairs.count == t->pairs.count && a->episodes == b->episodes &&
           memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0 &&
           memcmp(a->w, b->w, (size_t)s->pairs.count * sizeof *a->w) == 0;
}
