/* flow_input.h - Random points, policies and kernels for tests of psi and K. They are in `arena`,
 * which comes with this header, as `err` does. */
#ifndef BF_TESTS_FLOW_INPUT_H
#define BF_TESTS_FLOW_INPUT_H

#include "harness.h"

#include "flow/flow.h"

TEST_ARENA;

static inline double *room(int64_t count) {
    double *x = bf_arena_zalloc(arena, count, sizeof *x, &err);
    assert_non_null(x);
    return x;
}

static inline double *normal(int64_t count, bf_rng *rng) {
    double *x = room(count);
    for (int64_t i = 0; i < count; i++)
        x[i] = bf_rng_normal(rng);
    return x;
}

static inline double *policy(int actions, int64_t n, bf_rng *rng) {
    double *pi = room(actions * n);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int a = 0; a < actions; a++)
            sum += pi[a * n + i] = bf_rng_uniform(rng);
        for (int a = 0; a < actions; a++)
            pi[a * n + i] /= sum;
    }
    return pi;
}

typedef struct spec {
    const char *kernel;
    int64_t n, starts;
    int d, actions, widths; /* actions 0: continuous */
    double gamma, share;
    int terminal, chain; /* length of trajectories; 0: a bag */
} spec;

/* A question, and a kernel for it. */
typedef struct input {
    bf__points points;
    bf__pair_kernel kernel;
} input;

static inline input make(spec s) {
    bf_rng rng = bf_rng_make(5, "test", (uint64_t)(s.n + 100 * s.d + s.actions));
    int64_t n = s.n;
    const double h[2] = {1.2, 0.5};
    double *z = normal(s.d * n, &rng), *nz = normal(s.d * n, &rng);
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    uint8_t *terminated = bf_arena_zalloc(arena, n, 1, &err);
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < s.d; c++) {
            if (s.chain && i % s.chain)
                z[c * n + i] = nz[c * n + i - 1];
            nz[c * n + i] = z[c * n + i] + 0.3 * nz[c * n + i];
            if (s.d > 1)
                z[n + i] = nz[n + i] = 0; /* a constant column */
            if (i == 3)                   /* a duplicate */
                z[c * n + i] = z[c * n];
        }
        action[i] = s.actions ? (int32_t)bf_rng_below(&rng, s.actions) : 0;
        terminated[i] = bf_rng_below(&rng, 6) == 0;
    }
    input made = {.points = {.n = n,
                             .d = s.d,
                             .z = z,
                             .nz = nz,
                             .actions = s.actions,
                             .action = action,
                             .starts = s.starts,
                             .z0 = normal(s.d * s.starts, &rng)},
                  .kernel = {.share = s.share}};
    bf__points *in = &made.points;
    in->steps = bf__steps_make(terminated, n, s.gamma, (bf_terminal)s.terminal);
    if (s.actions) {
        in->npi = policy(s.actions, n, &rng);
        in->pi0 = policy(s.actions, s.starts, &rng);
    } else {
        in->action_dim = 2;
        in->samples = 3;
        in->u = normal(2 * n, &rng);
        in->nu = normal(6 * n, &rng);
        in->u0 = normal(6 * s.starts, &rng);
    }
    const bf__kernel_kind *kind = bf__kernel_find(s.kernel);
    assert_ok(bf__kernel_set(&made.kernel.state, kind, h, s.widths ? s.widths : 1, &err), err);
    assert_ok(bf__kernel_set(&made.kernel.action, bf__kernel_find("gaussian"), h, 1, &err), err);
    return made;
}

static inline double *weights(int64_t n) {
    bf_rng rng = bf_rng_make(3, "weights", 0);
    double *w = room(n), sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += w[i] = bf_rng_uniform(&rng);
    for (int64_t i = 0; i < n; i++)
        w[i] /= sum;
    return w;
}

#endif
