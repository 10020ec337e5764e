/* ratios.h - For tests of estimators by ratios: running them with options, and ModelWin logs. */
#ifndef BF_TESTS_RATIOS_H
#define BF_TESTS_RATIOS_H

#include "mdp.h"

TEST_ARENA;

/* Options as "name value name value", "" for none. */
static inline bf_status attempt(bf_estimate *out, const char *method, const char *options,
                                const bf_dataset *data, double gamma, int terminal) {
    const bf_estimator *estimator = bf_estimator_find(method);
    bf_settings *set;
    assert_non_null(estimator);
    assert_ok(bf_estimator_settings(&set, estimator, NULL, arena, &err), err);
    char *text = bf_arena_zalloc(arena, 256, 1, &err), *rest = NULL;
    strncpy(text, options, 255);
    for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        bf_status status = bf_settings_set(set, name, strtok_r(NULL, " ", &rest), &err);
        if (status != BF_OK)
            return status;
    }
    bf_problem problem = {data, gamma, terminal};
    bf_context context = {.threads = 1, .seed = 3};
    return bf__estimator_run(estimator, out, &problem, set, &context, arena, &err);
}

static inline bf_estimate estimate(const char *method, const char *options, const bf_dataset *data,
                                   double gamma) {
    bf_estimate out;
    assert_ok(attempt(&out, method, options, data, gamma, BF_TERMINAL_RESTART), err);
    return out;
}

static inline double value(const char *method, const char *options, const bf_dataset *data,
                           double gamma) {
    return estimate(method, options, data, gamma).value;
}

/* ---- ModelWin: from 0, action 0 leads to 1 (+1) with 0.4 and to 2 (-1) with 0.6, action 1 the
 * other way round; from 1 and 2 any action leads back. Behaviour 0.7 / 0.3, target 0.9 / 0.1. */

static inline double model_win(int s, int a, double first) {
    double p = s == 0 ? first : 0.5;
    return a == 0 ? p : 1 - p;
}

typedef struct columns {
    double *s, *ns, *r, *mu, *pi, *npi;
    int32_t *a;
    int64_t n;
} columns;

static inline columns columns_new(int64_t n) {
    columns c = {.n = n};
    double **all[] = {&c.s, &c.ns, &c.r, &c.mu};
    for (int k = 0; k < 4; k++)
        *all[k] = bf_arena_alloc(arena, n, sizeof(double), &err);
    c.pi = bf_arena_alloc(arena, 2 * n, sizeof(double), &err);
    c.npi = bf_arena_alloc(arena, 2 * n, sizeof(double), &err);
    c.a = bf_arena_alloc(arena, n, sizeof *c.a, &err);
    return c;
}

static inline void columns_put(columns *c, int64_t i, int s, int a, int ns) {
    c->s[i] = s;
    c->a[i] = a;
    c->ns[i] = ns;
    c->r[i] = s != 0 ? 0 : ns == 1 ? 1 : -1;
    c->mu[i] = model_win(s, a, 0.7);
    for (int b = 0; b < 2; b++) {
        c->pi[b * c->n + i] = model_win(s, b, 0.9);
        c->npi[b * c->n + i] = model_win(ns, b, 0.9);
    }
}

/* Episodes of `steps` rows each, in order; `steps` 0: no episodes. */
static inline bf_dataset columns_log(const columns *c, int64_t steps) {
    bf_dataset data = {.n = c->n,
                       .state_dim = 1,
                       .actions = 2,
                       .states = 3,
                       .state = c->s,
                       .next_state = c->ns,
                       .action = c->a,
                       .reward = c->r,
                       .mu = c->mu,
                       .pi = c->pi,
                       .npi = c->npi};
    if (steps > 0) {
        int64_t episodes = c->n / steps;
        int64_t *begin = bf_arena_alloc(arena, episodes + 1, sizeof *begin, &err);
        int64_t *order = bf_arena_alloc(arena, c->n, sizeof *order, &err);
        for (int64_t e = 0; e <= episodes; e++)
            begin[e] = e * steps;
        for (int64_t i = 0; i < c->n; i++)
            order[i] = i;
        data.episodes = episodes;
        data.begin = begin;
        data.order = order;
    }
    return data;
}

static inline bf_dataset model_win_sampled(int64_t episodes, int steps, uint64_t seed) {
    columns c = columns_new(episodes * steps);
    bf_rng rng = bf_rng_make(seed, "modelwin ratios", (uint64_t)steps);
    for (int64_t i = 0; i < c.n; i++) {
        int s = i % steps == 0 ? 0 : (int)c.ns[i - 1];
        int a = bf_rng_uniform(&rng) < model_win(s, 0, 0.7) ? 0 : 1;
        bool wins = bf_rng_uniform(&rng) < (a == 0 ? 0.4 : 0.6);
        columns_put(&c, i, s, a, s != 0 ? 0 : wins ? 1 : 2);
    }
    return columns_log(&c, steps);
}

/* The expected log of `visits` visits to 0 and `returns` rows back, both in hundreds: whole numbers
 * of rows of each kind. No episodes. */
static inline bf_dataset model_win_expected(int visits, int returns) {
    columns c = columns_new(100 * (visits + returns));
    int64_t at = 0;
    /* 0.7 * 0.4, 0.7 * 0.6, 0.3 * 0.6, 0.3 * 0.4 in percent. */
    const int kinds[4][3] = {{28, 0, 1}, {42, 0, 2}, {18, 1, 1}, {12, 1, 2}};
    for (int v = 0; v < visits; v++)
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < kinds[k][0]; i++)
                columns_put(&c, at++, 0, kinds[k][1], kinds[k][2]);
    for (int v = 0; v < returns; v++) /* 46% of the visits lead to 1 */
        for (int i = 0; i < 100; i++)
            columns_put(&c, at++, i < 46 ? 1 : 2, i % 2, 0);
    return columns_log(&c, 0);
}

#endif
