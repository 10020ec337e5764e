/* line.h - A process on the line for tests of weights for real-valued states, and what is asked of
 * any answer about it. The test's arena and error are here.
 *
 * s' = 0.9 s +- 0.3 + noise, reward -s^2; pushing towards 0 is good. If `edge` is above 0 an
 * episode ends beyond it. */
#ifndef BF_TESTS_LINE_H
#define BF_TESTS_LINE_H

#include "mdp.h"

TEST_ARENA;

typedef struct line {
    double edge;
    int extra;   /* columns of noise beside the state */
    double unit; /* of the states */
} line;

enum { MOST_EXTRA = 99 };

static inline double start_of(const line *l, bf_rng *rng) {
    return l->edge > 0 ? 0.5 * bf_rng_normal(rng) * (l->edge < 1 ? l->edge : 1) : 0;
}

static inline double toward(double s,
                            double good) { /* probability of action 1, a push to the right */
    return s < 0 ? good : 1 - good;
}

/* What the target earns: by simulation, with ends as `terminal` has them. */
static inline double line_value(const line *l, double gamma, int terminal) {
    bf_rng rng = bf_rng_make(99, "truth", 0);
    double total = 0;
    int64_t steps = 400000, episodes = gamma < 1 ? 20000 : 1, counted = 0;
    for (int64_t e = 0; e < episodes; e++) {
        double s = start_of(l, &rng), discount = 1, sum = 0;
        for (int64_t t = 0; t < (gamma < 1 ? 200 : steps); t++) {
            int a = bf_rng_uniform(&rng) < toward(s, 0.9);
            sum += discount * -s * s;
            discount *= gamma;
            counted++;
            s = 0.9 * s + (a ? 0.3 : -0.3) + 0.3 * bf_rng_normal(&rng);
            if (l->edge > 0 && fabs(s) > l->edge) {
                if (terminal == BF_TERMINAL_ABSORB)
                    break;
                s = start_of(l, &rng);
            }
        }
        total += sum;
    }
    return gamma < 1 ? (1 - gamma) * total / (double)episodes : total / (double)counted;
}

static inline void line_policy(double *pi, const double *s, int64_t n, double unit) {
    for (int64_t i = 0; i < n; i++) {
        pi[n + i] = toward(s[i] / unit, 0.9);
        pi[i] = 1 - pi[n + i];
    }
}

/* A log of n steps by a behaviour that pushes either way. */
static inline bf_dataset line_log(const line *l, int64_t n, uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "line", 0);
    int d = 1 + l->extra;
    double *s = bf_arena_alloc(arena, d * n, sizeof *s, &err), now = start_of(l, &rng);
    double *ns = bf_arena_alloc(arena, d * n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err), noise[MOST_EXTRA] = {0};
    double *pi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, n, sizeof *a, &err);
    uint8_t *terminated = bf_arena_zalloc(arena, n, 1, &err);
    int64_t *begin = bf_arena_alloc(arena, n + 1, sizeof *begin, &err), episodes = 0;
    int64_t *order = bf_arena_alloc(arena, n, sizeof *begin, &err);
    begin[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        a[i] = bf_rng_uniform(&rng) < 0.5;
        s[i] = l->unit * now;
        r[i] = -now * now;
        now = 0.9 * now + (a[i] ? 0.3 : -0.3) + 0.3 * bf_rng_normal(&rng);
        ns[i] = l->unit * now;
        for (int c = 0; c < l->extra; c++) {
            s[(c + 1) * n + i] = noise[c];
            ns[(c + 1) * n + i] = noise[c] = bf_rng_normal(&rng);
        }
        terminated[i] = l->edge > 0 && fabs(now) > l->edge;
        if (terminated[i]) {
            now = start_of(l, &rng);
            begin[++episodes] = i + 1;
        }
    }
    if (begin[episodes] < n)
        begin[++episodes] = n;
    line_policy(pi, s, n, l->unit);
    line_policy(npi, ns, n, l->unit);
    return (bf_dataset){.n = n,
                        .state_dim = d,
                        .actions = 2,
                        .real_state = true,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .terminated = terminated,
                        .pi = pi,
                        .npi = npi,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

static inline bf_status line_try(bf_estimate *out, const bf_dataset *data, double gamma,
                                 int terminal, const char *weights, const bf_context *context) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_problem problem = {data, gamma, terminal};
    bf_settings *options;
    assert_ok(bf_estimator_settings(&options, blackbox, NULL, arena, &err), err);
    assert_ok(bf_settings_set(options, "weights", weights, &err), err);
    return bf__estimator_run(blackbox, out, &problem, options, context, arena, &err);
}

/* An answer, whatever the log: not outside the rewards, weights not negative and of the right
 * sum. */
static inline bf_estimate line_answer(const bf_dataset *data, double gamma, int terminal,
                                      const char *weights) {
    bf_estimate out;
    bf_context context = {.threads = 2, .seed = 1};
    assert_ok(line_try(&out, data, gamma, terminal, weights, &context), err);
    double low = 0, high = -INFINITY, sum = 0;
    for (int64_t i = 0; i < data->n; i++) {
        low = fmin(low, data->reward[i]);
        high = fmax(high, data->reward[i]);
        assert_true(out.weights[i] >= 0);
        sum += out.weights[i];
    }
    assert_true(out.value >= low - 1e-12 && out.value <= fmax(high, 0) + 1e-12);
    if (terminal != BF_TERMINAL_ABSORB)
        assert_near(sum, 1, 1e-9);
    assert_true(sum <= 1 + 1e-9);
    for (int k = 0; k < out.diagnostic_count; k++)
        assert_true(isfinite(out.diagnostics[k].value));
    return out;
}

/* The states of a finite log as points of the plane. */
static inline bf_dataset as_coordinates(const bf_dataset *data) {
    bf_dataset out = *data;
    int64_t n = data->n;
    double *s = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    for (int64_t i = 0; i < n; i++) {
        s[i] = sin(data->state[i]);
        s[n + i] = cos(3 * data->state[i]);
        ns[i] = sin(data->next_state[i]);
        ns[n + i] = cos(3 * data->next_state[i]);
    }
    out.state = s;
    out.next_state = ns;
    out.state_dim = 2;
    out.states = 0;
    return out;
}

/* Every row twice: each pair is met exactly, so the chain is the empirical one. */
static inline bf_dataset twice(const bf_dataset *data) {
    bf_dataset out = *data;
    int64_t n = data->n;
#define TWICE(field, columns)                                                                      \
    do {                                                                                           \
        char *to = bf_arena_alloc(arena, 2 * n * (columns), sizeof *data->field, &err);            \
        for (int c = 0; c < 2 * (columns); c++)                                                    \
            memcpy(to + (size_t)(c * n) * sizeof *data->field, data->field + c / 2 * n,            \
                   (size_t)n * sizeof *data->field);                                               \
        out.field = (void *)to;                                                                    \
    } while (0)
    TWICE(state, data->state_dim);
    TWICE(next_state, data->state_dim);
    TWICE(action, 1);
    TWICE(reward, 1);
    TWICE(pi, data->actions);
    TWICE(npi, data->actions);
    if (data->terminated)
        TWICE(terminated, 1);
#undef TWICE
    out.n = 2 * n;
    return out;
}

#endif
