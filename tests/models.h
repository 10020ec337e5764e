/* models.h - Running a model of the weights by name, and logs that are hard on any of them. */
#ifndef BF_TESTS_MODELS_H
#define BF_TESTS_MODELS_H

#include "mdp.h"

/* Options as pairs of name and text, ended by NULL. */
static inline bf_status models_try(bf_estimate *out, const bf_dataset *data, double gamma,
                                   int terminal, const bf_context *context,
                                   const char *const *options, bf_arena *arena, bf_error *err) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_problem problem = {data, gamma, terminal};
    bf_settings *values;
    assert_ok(bf_estimator_settings(&values, blackbox, NULL, arena, err), *err);
    for (; *options; options += 2) {
        bf_status status = bf_settings_set(values, options[0], options[1], err);
        if (status != BF_OK)
            return status;
    }
    return bf__estimator_run(blackbox, out, &problem, values, context, arena, err);
}

static inline bf_estimate models_run(const bf_dataset *data, double gamma, int terminal,
                                     int threads, const char *const *options, bf_arena *arena) {
    bf_estimate out;
    bf_error err;
    bf_context context = {.threads = threads, .seed = 1};
    assert_ok(models_try(&out, data, gamma, terminal, &context, options, arena, &err), err);
    return out;
}

/* Points in d dimensions under two or more actions: a random walk with drift by the action, in
 * episodes of `length`; every seventh episode ends in a terminated step. */
static inline bf_dataset models_walk(int64_t n, int d, int actions, int length, uint64_t seed,
                                     bf_arena *arena) {
    bf_error err;
    bf_rng rng = bf_rng_make(seed, "walk", 0);
    int64_t episodes = (n + length - 1) / length;
    double *s = bf_arena_alloc(arena, d * n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, d * n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, actions * n, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, actions * n, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, n, sizeof *a, &err);
    uint8_t *end = bf_arena_zalloc(arena, n, 1, &err);
    int64_t *begin = bf_arena_alloc(arena, episodes + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err);
    for (int64_t i = 0; i < n; i++) {
        bool fresh = i % length == 0;
        order[i] = i;
        a[i] = (int32_t)bf_rng_below(&rng, actions);
        r[i] = 0;
        for (int c = 0; c < d; c++) {
            s[c * n + i] = fresh ? bf_rng_normal(&rng) : ns[c * n + i - 1];
            ns[c * n + i] =
                0.8 * s[c * n + i] + 0.3 * (a[i] - 0.5 * (actions - 1)) + 0.3 * bf_rng_normal(&rng);
            r[i] += s[c * n + i] / d;
        }
        for (int b = 0; b < actions; b++) {
            pi[b * n + i] = (b == 0 ? 0.7 : 0) + 0.3 / actions;
            npi[b * n + i] = pi[b * n + i];
        }
        end[i] = (i % length == length - 1 || i == n - 1) && i / length % 7 == 0;
    }
    for (int64_t e = 0; e <= episodes; e++)
        begin[e] = e < episodes ? e * length : n;
    return (bf_dataset){.n = n,
                        .state_dim = d,
                        .actions = actions,
                        .real_state = true,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .terminated = end,
                        .pi = pi,
                        .npi = npi,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

enum { MODELS_HARD = 11 };

/* Log `which` of those that break things. */
static inline bf_dataset models_hard(int which, bf_arena *arena) {
    bf_error err;
    int64_t n = which == 0 ? 1 : which == 1 ? 9 : 60;
    int d = which == 2 ? 100 : which == 3 ? 1 : 2;
    bf_dataset data = models_walk(n, d, 2, which <= 1 ? 9 : 10, 5, arena);
    double *s = (double *)data.state, *ns = (double *)data.next_state;
    double scale = which == 4 ? 1e12 : which == 5 ? 1e-12 : 1;
    for (int64_t i = 0; i < d * n; i++) {
        s[i] *= scale;
        ns[i] *= scale;
        if (which == 6 || (which == 7 && i >= n)) /* nothing varies; one column does not */
            s[i] = ns[i] = 3;
        if (which == 8) { /* few distinct rows */
            s[i] = i % 2 == 0;
            ns[i] = i % 3 == 0;
        }
    }
    for (int64_t i = 0; i < n; i++) {
        ((double *)data.reward)[i] *= scale;
        if (which == 9) /* action 1 was never taken */
            ((int32_t *)data.action)[i] = 0;
    }
    if (which == 10) { /* vectors for actions */
        double *u = bf_arena_alloc(arena, 2 * n, sizeof *u, &err);
        double *na = bf_arena_alloc(arena, 3 * 2 * n, sizeof *u, &err);
        bf_rng rng = bf_rng_make(3, "vectors", 0);
        for (int64_t i = 0; i < 2 * n; i++)
            u[i] = bf_rng_normal(&rng);
        for (int64_t i = 0; i < 6 * n; i++)
            na[i] = bf_rng_normal(&rng);
        data.action = NULL;
        data.actions = 0;
        data.pi = data.npi = NULL;
        data.action_dim = 2;
        data.samples = 3;
        data.action_vector = u;
        data.na = na;
    }
    return data;
}

/* The answer is one: a number that rewards can give, and weights that are weights. */
static inline void models_check(const bf_estimate *out, const bf_dataset *data, bool absorb) {
    double low = absorb ? 0 : INFINITY, high = absorb ? 0 : -INFINITY, sum = 0, size = 0;
    for (int64_t i = 0; i < data->n; i++) {
        low = fmin(low, data->reward[i]);
        high = fmax(high, data->reward[i]);
        size = fmax(size, fabs(data->reward[i]));
        sum += out->weights[i];
        assert_true(out->weights[i] >= 0);
    }
    assert_true(out->value >= low - 1e-9 * size && out->value <= high + 1e-9 * size);
    if (absorb)
        assert_true(sum >= 0 && sum <= 1 + 1e-9);
    else
        assert_near(sum, 1, 1e-9);
    for (int i = 0; i < out->diagnostic_count; i++)
        assert_true(isfinite(out->diagnostics[i].value));
}

/* Every hard log, every discount, every kind of end, for the model `name`. */
static inline void models_survive(const char *name, bf_arena *arena) {
    const double gammas[] = {1, 0.9, 0};
    const char *options[] = {"weights", name, NULL};
    for (int which = 0; which < MODELS_HARD; which++)
        for (int g = 0; g < 3; g++)
            for (int terminal = 0; terminal < 3; terminal++) {
                bf_mark mark = bf_arena_mark(arena);
                bf_dataset data = models_hard(which, arena);
                bf_estimate out = models_run(&data, gammas[g], terminal, 1, options, arena);
                models_check(&out, &data, terminal == BF_TERMINAL_ABSORB);
                bf_arena_rewind(arena, mark);
            }
}

/* Every row that leaves the last state terminates. */
static inline void models_end_last(bf_dataset *data, int states, bf_arena *arena) {
    bf_error err;
    uint8_t *end = bf_arena_zalloc(arena, data->n, 1, &err);
    for (int64_t i = 0; i < data->n; i++)
        end[i] = data->state[i] == states - 1;
    data->terminated = end;
}

/* Finite processes, given as numbers on a line: the options must give the tabular answer. */
static inline void models_tabular(const char *const *options, bf_arena *arena) {
    const double gammas[] = {1, 0.9, 0};
    const char *const tabular[] = {"weights", "tabular", NULL};
    for (int k = 0; k < 12; k++)
        for (int g = 0; g < 3; g++)
            for (int terminal = 0; terminal < 2; terminal++) {
                bf_mark mark = bf_arena_mark(arena);
                bf_rng rng = bf_rng_make(11, "random process", (uint64_t)k);
                mdp m = mdp_random(k % 2 ? MDP_PERIODIC : MDP_DENSE, &rng, arena);
                bf_dataset data = mdp_log(&m, 7, arena);
                if (k % 3 == 0)
                    models_end_last(&data, m.states, arena);
                bf_estimate exact = models_run(&data, gammas[g], terminal, 1, tabular, arena);
                bf_estimate out = models_run(&data, gammas[g], terminal, 1, options, arena);
                assert_near(out.value, exact.value, 1e-5);
                bf_arena_rewind(arena, mark);
            }
}

static inline bool models_stop(void *context, const bf_progress *progress) {
    (void)context;
    (void)progress;
    return false;
}

#endif
