/* neural_log.h - Logs of all shapes for tests of weights by a network. They are in `arena`, which
 * comes with this header, as `err` does. */
#ifndef BF_TESTS_NEURAL_LOG_H
#define BF_TESTS_NEURAL_LOG_H

#include "harness.h"

#include "backflow/dataset.h"

TEST_ARENA;

static inline void *room(int64_t count, size_t size) {
    void *x = bf_arena_zalloc(arena, count, size, &err);
    assert_non_null(x);
    return x;
}

typedef struct shape {
    int64_t n;
    int d, actions, horizon; /* actions 0: vectors of 2, 3 samples */
    double scale;
    bool terminated, constant, duplicates;
} shape;

static inline double *numbers(int64_t count, bf_rng *rng, double scale) {
    double *x = room(count, sizeof *x);
    for (int64_t i = 0; i < count; i++)
        x[i] = scale * bf_rng_normal(rng);
    return x;
}

static inline double *policy(int actions, int64_t n, bf_rng *rng) {
    double *p = room(actions * n, sizeof *p);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int a = 0; a < actions; a++)
            sum += p[a * n + i] = 0.1 + bf_rng_uniform(rng);
        for (int a = 0; a < actions; a++)
            p[a * n + i] /= sum;
    }
    return p;
}

/* States that drift to 0, pushed by the action; rewards the first coordinate. */
static inline bf_dataset make_log(shape s) {
    bf_rng rng = bf_rng_make(11, "log", (uint64_t)(s.n + s.d));
    int64_t n = s.n;
    double *z = numbers(s.d * n, &rng, 1), *nz = numbers(s.d * n, &rng, 0.4);
    double *r = room(n, sizeof *r), *u = numbers(2 * n, &rng, 1);
    int32_t *action = room(n, sizeof *action);
    uint8_t *terminated = room(n, 1);
    int64_t *begin = room(n + 1, sizeof *begin), *order = room(n, sizeof *order), episodes = 0;
    for (int64_t i = 0; i < n; i++) {
        action[i] = s.actions ? (int32_t)bf_rng_below(&rng, s.actions) : 0;
        double push = s.actions ? (double)action[i] : u[i];
        for (int c = 0; c < s.d; c++) {
            if (i % s.horizon)
                z[c * n + i] = nz[c * n + i - 1];
            if (s.duplicates && i)
                z[c * n + i] = z[c * n];
            nz[c * n + i] += 0.7 * z[c * n + i] + (c ? 0 : 0.5 * push);
            if (s.constant)
                z[c * n + i] = nz[c * n + i] = 7;
        }
        r[i] = z[i];
        order[i] = i;
        if (i % s.horizon == 0)
            begin[episodes++] = i;
        terminated[i] = s.terminated && i % s.horizon == s.horizon - 1;
    }
    begin[episodes] = n;
    for (int64_t i = 0; i < s.d * n; i++) {
        z[i] *= s.scale;
        nz[i] *= s.scale;
    }
    bf_dataset data = {.n = n, .state_dim = s.d, .state = z, .next_state = nz, .reward = r};
    data.terminated = terminated;
    data.episodes = episodes;
    data.begin = begin;
    data.order = order;
    data.real_state = true;
    if (s.actions) {
        data.actions = s.actions;
        data.action = action;
        data.pi = policy(s.actions, n, &rng);
        data.npi = policy(s.actions, n, &rng);
    } else {
        data.action_dim = 2;
        data.samples = 3;
        data.action_vector = u;
        data.na = numbers(6 * n, &rng, 1);
    }
    return data;
}

#endif
