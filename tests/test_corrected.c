/* test_corrected.c - Weights for real-valued states: processes with a known value, a plain version
 * of the correction, and logs of every awkward kind. */
#include "mdp.h"

#include "linalg/dense.h"
#include "weights/noise.h"
#include "weights/rebalance.h"

TEST_ARENA;

/* ---- A process on the line: s' = 0.9 s +- 0.3 + noise, reward -s^2; pushing towards 0 is good.
 * Where `edge` is above 0 an episode ends beyond it. */

typedef struct line {
    double edge;
    int extra;   /* columns of noise beside the state */
    double unit; /* of the states */
} line;

enum { MOST_EXTRA = 99 };

static double start_of(const line *l, bf_rng *rng) {
    return l->edge > 0 ? 0.5 * bf_rng_normal(rng) * (l->edge < 1 ? l->edge : 1) : 0;
}

static double toward(double s, double good) { /* probability of action 1, a push to the right */
    return s < 0 ? good : 1 - good;
}

/* What the target earns: by simulation, with ends as `terminal` has them. */
static double line_value(const line *l, double gamma, int terminal) {
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

static void line_policy(double *pi, const double *s, int64_t n, double unit) {
    for (int64_t i = 0; i < n; i++) {
        pi[n + i] = toward(s[i] / unit, 0.9);
        pi[i] = 1 - pi[n + i];
    }
}

/* A log of n steps by a behaviour that pushes either way. */
static bf_dataset line_log(const line *l, int64_t n, uint64_t seed) {
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

static bf_status try_with(bf_estimate *out, const bf_dataset *data, double gamma, int terminal,
                          const char *weights, const bf_context *context) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_problem problem = {data, gamma, terminal};
    bf_settings *options;
    assert_ok(bf_estimator_settings(&options, blackbox, NULL, arena, &err), err);
    assert_ok(bf_settings_set(options, "weights", weights, &err), err);
    return bf__estimator_run(blackbox, out, &problem, options, context, arena, &err);
}

/* An answer, whatever the log: not outside the rewards, weights not negative and of the right
 * sum. */
static bf_estimate answer(const bf_dataset *data, double gamma, int terminal, const char *weights) {
    bf_estimate out;
    bf_context context = {.threads = 2, .seed = 1};
    assert_ok(try_with(&out, data, gamma, terminal, weights, &context), err);
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

static double naive(const bf_dataset *data) {
    double sum = 0;
    for (int64_t i = 0; i < data->n; i++)
        sum += data->reward[i] / (double)data->n;
    return sum;
}

static void the_value_of_a_noisy_line(void **state) {
    (void)state;
    line l = {.unit = 1};
    double truth = line_value(&l, 1, BF_TERMINAL_RESTART);
    double worst = 0, base = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_dataset data = line_log(&l, 2000, seed);
        bf_estimate out = answer(&data, 1, BF_TERMINAL_RESTART, "auto");
        assert_string_equal(out.model, "corrected");
        worst = fmax(worst, fabs(out.value - truth));
        out = answer(&data, 1, BF_TERMINAL_RESTART, "neighbours");
        base = fmax(base, fabs(out.value - truth));
        assert_true(fabs(naive(&data) - truth) > 0.3);
        bf_arena_rewind(arena, mark);
    }
    assert_near(worst, 0, 0.05);
    assert_near(base, 0, 0.08);
}

static void ends_and_discounts(void **state) {
    (void)state;
    line l = {.edge = 1, .unit = 1};
    const struct {
        double gamma;
        int terminal;
        double error;
    } cases[] = {
        {1, BF_TERMINAL_RESTART, 0.012},  {0.9, BF_TERMINAL_RESTART, 0.012},
        {0.9, BF_TERMINAL_ABSORB, 0.012}, {0.99, BF_TERMINAL_ABSORB, 0.012},
        {0.5, BF_TERMINAL_RESTART, 0.03}, {0, BF_TERMINAL_RESTART, 0.03},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bf_mark mark = bf_arena_mark(arena);
        double truth = line_value(&l, cases[k].gamma, cases[k].terminal);
        bf_dataset data = line_log(&l, 3000, 3);
        const char *models[] = {"corrected", "neighbours"};
        for (int m = 0; m < 2; m++) {
            bf_estimate out = answer(&data, cases[k].gamma, cases[k].terminal, models[m]);
            assert_near(out.value, truth, cases[k].error);
        }
        bf_arena_rewind(arena, mark);
    }
}

static void ends_that_stay_ended_earn_nothing_in_the_long_run(void **state) {
    (void)state;
    line l = {.edge = 1, .unit = 1};
    bf_dataset data = line_log(&l, 500, 3);
    bf_estimate out = answer(&data, 1, BF_TERMINAL_ABSORB, "auto");
    assert_near(out.value, 0, 0);
    assert_near(bf_estimate_get(&out, "absorbed"), 1, 0);
    assert_true(out.warning_count > 0);
}

/* ---- Against the table */

/* The states of a finite log as points of the plane. */
static bf_dataset as_coordinates(const bf_dataset *data) {
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

static void repeated_states_are_a_table(void **state) {
    (void)state;
    int tables = 0;
    for (int k = 0; k < 40; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(7, "random process", (uint64_t)k);
        mdp m = mdp_random((mdp_kind)(k % 4), &rng, arena);
        bf_dataset data = mdp_log(&m, 7, arena), points = as_coordinates(&data);
        bf_estimate table = answer(&data, 0.9, BF_TERMINAL_RESTART, "tabular");
        bf_estimate out = answer(&points, 0.9, BF_TERMINAL_RESTART, "auto");
        if (strcmp(out.model, "tabular") == 0) {
            assert_near(out.value, table.value, 1e-10);
            tables++;
        }
        bf_arena_rewind(arena, mark);
    }
    assert_true(tables > 10);
}

/* Every row twice: each pair is met exactly, so the chain is the empirical one. */
static bf_dataset twice(const bf_dataset *data) {
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

static void a_chain_of_repeated_pairs_is_the_empirical_one(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(7, "random process", (uint64_t)k);
        mdp m = mdp_random((mdp_kind)(k % 4), &rng, arena);
        bf_dataset data = mdp_log(&m, 7, arena), table = twice(&data);
        if (table.n > 10000)
            continue; /* more would be sampled */
        bf_dataset points = as_coordinates(&table);
        double p0[MDP_MAX];
        mdp_starts(&data, m.states, p0);
        double truth = mdp_value(&m, 0.9, p0), size = 0;
        for (int64_t i = 0; i < data.n; i++)
            size = fmax(size, fabs(data.reward[i]));
        bf_estimate out = answer(&points, 0.9, BF_TERMINAL_RESTART, "neighbours");
        assert_near(out.value, truth, 1e-6 * size);
        bf_arena_rewind(arena, mark);
    }
}

/* ---- The correction, written out */

static void check_correction(bool leave_own) {
    enum { N = 300, M = 12 };
    line l = {.edge = 2, .unit = 1};
    bf_dataset data = line_log(&l, N, 11);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf__pointwise options = {.bandwidth = "median"};
    bf__points points;
    bf__neighbours base;
    bf__pair_kernel kernel;
    bf__lowrank *lowrank;
    bf__correction *correction;
    assert_ok(bf__points_make(&points, &problem, "none", NULL, NULL, arena, &err), err);
    assert_ok(bf__neighbours_solve(&base, &problem, &points, 16, 0, NULL, arena, &err), err);
    assert_ok(bf__features_read(&kernel, &points, &options, arena, &err), err);
    assert_ok(bf__features_make(&lowrank, &points, &kernel, 1, M, NULL, arena, &err), err);
    assert_int_equal(lowrank->m, M);
    static double phi[N * M], psi[N * M], w[2 * N], z[N * M];
    assert_ok(bf__lowrank_rows(phi, psi, lowrank, 0, N, NULL, &err), err);
    assert_ok(bf__correction_make(&correction, &base, lowrank, NULL, NULL, leave_own, 1, NULL,
                                  arena, &err),
              err);
    const double ridge[2] = {1e-3, fmax(1e-9, bf__correction_least(correction))};
    assert_true(leave_own ? ridge[1] < 1e-4 : ridge[1] == 1e-9);
    assert_ok(bf__correct(w, correction, ridge, 2, NULL, arena, &err), err);
    double mean[M] = {0}, balance[M] = {0}, reward = 0;
    for (int i = 0; i < N; i++) {
        reward += base.u[i] * data.reward[i];
        for (int p = 0; p < M; p++) {
            mean[p] += base.u[i] * phi[i * M + p];
            balance[p] += base.u[i] * psi[i * M + p];
        }
    }
    double g[M * M] = {0}, c[M * M] = {0};
    for (int i = 0; i < N; i++)
        for (int p = 0; p < M; p++)
            for (int q = 0; q < M; q++) {
                double f = base.u[i] * (phi[i * M + p] - mean[p]);
                g[p * M + q] += f * (phi[i * M + q] - mean[q]);
                c[p * M + q] += f * (psi[i * M + q] - balance[q]);
            }
    for (int p = 0; p < M; p++)
        g[p * M + p] += 1e-7;
    /* The instruments of row i: its fitted psi, less its own part in it. */
    for (int i = 0; i < N; i++) {
        double copy[M * M], x[M], own = 0;
        memcpy(copy, g, sizeof copy);
        for (int p = 0; p < M; p++)
            x[p] = phi[i * M + p] - mean[p];
        plain_solve(copy, x, M);
        for (int p = 0; p < M; p++)
            own += base.u[i] * x[p] * (phi[i * M + p] - mean[p]);
        for (int q = 0; q < M; q++) {
            z[i * M + q] = leave_own ? -own * (psi[i * M + q] - balance[q]) : 0;
            for (int p = 0; p < M; p++)
                z[i * M + q] += c[p * M + q] * x[p];
        }
    }
    for (int s = 0; s < 2; s++) {
        /* theta of sum u z (r - rho - psi'theta) = ridge theta, by elimination. */
        double a[M * M] = {0}, theta[M] = {0}, value = reward, signed_value = 0, sum = 0;
        for (int i = 0; i < N; i++)
            for (int p = 0; p < M; p++) {
                theta[p] += base.u[i] * z[i * M + p] * (data.reward[i] - reward);
                for (int q = 0; q < M; q++)
                    a[p * M + q] += base.u[i] * z[i * M + p] * (psi[i * M + q] - balance[q]);
            }
        for (int p = 0; p < M; p++)
            a[p * M + p] += ridge[s];
        plain_solve(a, theta, M);
        for (int p = 0; p < M; p++)
            value -= balance[p] * theta[p];
        for (int i = 0; i < N; i++) {
            signed_value += w[s * N + i] * data.reward[i];
            sum += w[s * N + i];
        }
        assert_near(sum, 1, 1e-8);
        assert_near(signed_value, value, 1e-6);
    }
    double residual[2];
    assert_ok(bf__features_residual(residual, lowrank, base.u, 1, false, 1, NULL, arena, &err),
              err);
    double before = 0, after = 0;
    for (int p = 0; p < M; p++)
        before += balance[p] * balance[p];
    assert_near(residual[0], before, 1e-12);
    for (int p = 0; p < M; p++) {
        double gap = 0;
        for (int i = 0; i < N; i++)
            gap += w[N + i] * psi[i * M + p];
        after += gap * gap;
    }
    assert_true(after < 1e-3 * before); /* the small ridge leaves next to nothing */
}

static void the_correction_is_two_stage_least_squares(void **state) {
    (void)state;
    check_correction(false);
}

static void the_correction_can_leave_own_rows_out(void **state) {
    (void)state;
    check_correction(true);
}

/* ---- Noise */

/* A line is left by steps with noise of `deviation`, in a log of `n` rows. */
static double noise_of(double deviation, int64_t n) {
    bf_dataset data = {.n = n, .state_dim = 1, .actions = 2};
    double *s, *next, *reward, *npi, share;
    int32_t *action;
    bf_rng rng = bf_rng_make(5, "a line", 0);
    s = bf_arena_alloc(arena, n, sizeof *s, &err);
    next = bf_arena_alloc(arena, n, sizeof *s, &err);
    reward = bf_arena_alloc(arena, n, sizeof *s, &err);
    npi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    action = bf_arena_alloc(arena, n, sizeof *action, &err);
    for (int64_t i = 0; i < n; i++) {
        s[i] = bf_rng_uniform(&rng);
        action[i] = bf_rng_uniform(&rng) < 0.5;
        next[i] = s[i] + (action[i] ? 0.3 : -0.2) * sin(5 * s[i]) + (s[i] > 0.9 ? 1 : 0) +
                  deviation * bf_rng_normal(&rng);
        reward[i] = 0;
        npi[i] = npi[n + i] = 0.5;
    }
    data.state = s;
    data.next_state = next;
    data.reward = reward;
    data.npi = npi;
    data.action = action;
    bf_problem problem = {&data, 1, BF_TERMINAL_IGNORE};
    bf__points points;
    assert_ok(bf__points_make(&points, &problem, "none", NULL, NULL, arena, &err), err);
    assert_ok(bf__step_noise(&share, &points, arena, &err), err);
    return share;
}

static void steps_are_as_noisy_as_they_are(void **state) {
    (void)state;
    assert_true(noise_of(0, 3000) < 1e-3); /* a jump is no noise */
    assert_true(noise_of(0, 60) < 0.1);
    double little = noise_of(0.02, 3000), much = noise_of(0.3, 3000);
    assert_true(little > 0.003 && little < 0.05); /* 0.0004 of that */
    assert_true(much > 0.5 && much < 0.9);        /* 0.09 of 0.09 + about 0.03 */
    assert_true(noise_of(0.3, 5) == 0);           /* too few to say */
}

/* ---- Awkward logs */

static void small_logs_have_an_answer(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 7, 20, 49};
    const int terminals[] = {BF_TERMINAL_RESTART, BF_TERMINAL_ABSORB, BF_TERMINAL_IGNORE};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int e = 0; e < 2; e++)
            for (int t = 0; t < 3; t++)
                for (int g = 0; g < 2; g++) {
                    bf_mark mark = bf_arena_mark(arena);
                    line l = {.edge = e ? 0.6 : 0, .unit = 1};
                    bf_dataset data = line_log(&l, sizes[k], k);
                    answer(&data, g ? 0.9 : 1, terminals[t], "auto");
                    answer(&data, g ? 0.9 : 1, terminals[t], "neighbours");
                    bf_arena_rewind(arena, mark);
                }
}

static void units_do_not_matter(void **state) {
    (void)state;
    double first = 0;
    const double units[] = {1, 1e12, 1e-12};
    for (int k = 0; k < 3; k++) {
        line l = {.unit = units[k]};
        bf_dataset data = line_log(&l, 400, 5);
        bf_estimate out = answer(&data, 1, BF_TERMINAL_RESTART, "auto");
        first = k ? first : out.value;
        assert_near(out.value, first, 0.01); /* combinations of neighbours stop early */
        double *r = bf_arena_alloc(arena, data.n, sizeof *r, &err);
        for (int64_t i = 0; i < data.n; i++)
            r[i] = 1e12 * data.reward[i];
        data.reward = r;
        out = answer(&data, 1, BF_TERMINAL_RESTART, "auto");
        assert_near(1e-12 * out.value, first, 0.01);
    }
}

static void columns_that_say_nothing(void **state) {
    (void)state;
    line plain = {.unit = 1}, wide = {.unit = 1, .extra = MOST_EXTRA};
    bf_dataset data = line_log(&plain, 300, 5);
    double *s = bf_arena_alloc(arena, 2 * data.n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, 2 * data.n, sizeof *s, &err);
    for (int64_t i = 0; i < data.n; i++) {
        s[i] = data.state[i];
        ns[i] = data.next_state[i];
        s[data.n + i] = ns[data.n + i] = 7; /* a constant */
    }
    double before = answer(&data, 1, BF_TERMINAL_RESTART, "auto").value;
    data.state = s;
    data.next_state = ns;
    data.state_dim = 2;
    assert_near(answer(&data, 1, BF_TERMINAL_RESTART, "auto").value, before, 1e-9);
    data = line_log(&wide, 300, 5);
    bf_estimate out = answer(&data, 1, BF_TERMINAL_RESTART, "auto");
    assert_true(bf_estimate_get(&out, "off_hull") > 1);
    assert_true(out.warning_count > 0);
}

static void rewards_that_do_not_vary(void **state) {
    (void)state;
    line l = {.unit = 1, .edge = 1};
    bf_dataset data = line_log(&l, 300, 5);
    double *r = bf_arena_alloc(arena, data.n, sizeof *r, &err);
    for (int64_t i = 0; i < data.n; i++)
        r[i] = -2.5;
    data.reward = r;
    assert_near(answer(&data, 1, BF_TERMINAL_RESTART, "auto").value, -2.5, 1e-9);
}

static void duplicated_rows_change_little(void **state) {
    (void)state;
    line l = {.unit = 1};
    bf_dataset data = line_log(&l, 1500, 5), both = twice(&data);
    double once = answer(&data, 1, BF_TERMINAL_RESTART, "corrected").value;
    assert_near(answer(&both, 1, BF_TERMINAL_RESTART, "corrected").value, once, 0.05);
}

static void actions_never_taken_are_left_out(void **state) {
    (void)state;
    line l = {.unit = 1};
    bf_dataset data = line_log(&l, 500, 5);
    int64_t n = data.n;
    double *npi = bf_arena_alloc(arena, 3 * n, sizeof *npi, &err);
    for (int64_t i = 0; i < n; i++) {
        npi[i] = 0.7 * data.npi[i];
        npi[n + i] = 0.7 * data.npi[n + i];
        npi[2 * n + i] = 0.3;
    }
    double before = answer(&data, 1, BF_TERMINAL_RESTART, "auto").value;
    data.npi = npi;
    data.actions = 3;
    bf_estimate out = answer(&data, 1, BF_TERMINAL_RESTART, "auto");
    assert_near(out.value, before, 1e-6);
    assert_near(bf_estimate_get(&out, "coverage_actions"), 0.7, 1e-9);
    assert_true(out.warning_count > 0);
}

/* s' = 0.8 s + a + noise, reward -s^2; the log's actions are noise, the target's steer back. */
static void actions_that_are_vectors(void **state) {
    (void)state;
    enum { N = 3000, SAMPLES = 4 };
    static double s[N], ns[N], a[N], na[SAMPLES * N], r[N];
    bf_rng rng = bf_rng_make(4, "vectors", 0);
    double now = 0, truth = 0;
    for (int i = 0; i < 200000; i++) {
        truth -= now * now / 200000;
        now = 0.8 * now - 0.5 * now + 0.3 * bf_rng_normal(&rng) + 0.3 * bf_rng_normal(&rng);
    }
    for (int i = 0; i < N; i++) {
        s[i] = now;
        r[i] = -now * now;
        a[i] = 0.6 * bf_rng_normal(&rng);
        ns[i] = now = 0.8 * now + a[i] + 0.3 * bf_rng_normal(&rng);
        for (int m = 0; m < SAMPLES; m++)
            na[m * N + i] = -0.5 * now + 0.3 * bf_rng_normal(&rng);
    }
    int64_t begin[2] = {0, N}, order[N];
    for (int i = 0; i < N; i++)
        order[i] = i;
    bf_dataset data = {.n = N,
                       .state_dim = 1,
                       .action_dim = 1,
                       .samples = SAMPLES,
                       .real_state = true,
                       .state = s,
                       .next_state = ns,
                       .action_vector = a,
                       .reward = r,
                       .na = na,
                       .episodes = 1,
                       .begin = begin,
                       .order = order};
    assert_true(fabs(naive(&data) - truth) > 0.5);
    assert_near(answer(&data, 1, BF_TERMINAL_RESTART, "auto").value, truth, 0.06);
    answer(&data, 0.9, BF_TERMINAL_RESTART, "auto");
}

/* ---- Threads, samples, interruptions */

static void digits_do_not_depend_on_threads(void **state) {
    (void)state;
    line l = {.unit = 1, .edge = 2, .extra = 1};
    bf_dataset data = line_log(&l, 1200, 5);
    bf_estimate out[2];
    for (int t = 0; t < 2; t++) {
        bf_context context = {.threads = 1 + 2 * t, .seed = 1};
        assert_ok(try_with(&out[t], &data, 1, BF_TERMINAL_RESTART, "auto", &context), err);
    }
    assert_memory_equal(&out[0].value, &out[1].value, sizeof out[0].value);
    assert_memory_equal(out[0].weights, out[1].weights, (size_t)data.n * sizeof(double));
}

static void a_chain_on_a_sample_serves_all_rows(void **state) {
    (void)state;
    line l = {.unit = 1};
    double truth = line_value(&l, 1, BF_TERMINAL_RESTART), sum = 0, value = 0;
    bf_dataset data = line_log(&l, 6000, 8);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf__points points;
    bf__neighbours base;
    assert_ok(bf__points_make(&points, &problem, "none", NULL, NULL, arena, &err), err);
    assert_ok(bf__neighbours_solve(&base, &problem, &points, 16, 1500, NULL, arena, &err), err);
    assert_true(base.rows < 1600);
    for (int64_t i = 0; i < data.n; i++) {
        sum += base.u[i];
        value += base.u[i] * data.reward[i];
    }
    assert_near(sum, 1, 1e-9);
    assert_near(value, truth, 0.08);
}

static bool stop_at(void *word, const bf_progress *progress) {
    return strncmp(progress->task, word, strlen(word)) != 0;
}

static void interruptions(void **state) {
    (void)state;
    line l = {.unit = 1};
    bf_dataset data = line_log(&l, 1000, 5);
    bf_estimate out, base = answer(&data, 1, BF_TERMINAL_RESTART, "neighbours");
    bf_context context = {.seed = 1, .callbacks = {.progress = stop_at, .context = "finding"}};
    assert_int_equal(try_with(&out, &data, 1, BF_TERMINAL_RESTART, "auto", &context),
                     BF_ECANCELLED);
    context.callbacks.context = "correcting";
    assert_ok(try_with(&out, &data, 1, BF_TERMINAL_RESTART, "auto", &context), err);
    assert_near(out.value, base.value, 1e-12);
    assert_true(out.warning_count > 0 && out.warnings[out.warning_count - 1].distrust);
}

/* Sums over a sample are those over all rows, but for noise; each row is there once. */
static void a_sample_stands_for_all_rows(void **state) {
    (void)state;
    enum { N = 20000, SIZE = 2000 };
    static double w[N];
    double exact[3] = {0}, sum[3] = {0}, total = 0;
    bf_rng rng = bf_rng_make(3, "weights", 0);
    for (int i = 0; i < N; i++)
        total += w[i] = pow(bf_rng_uniform(&rng), 8);
    bf__sample sample;
    for (int i = 0; i < N; i++)
        w[i] /= total;
    assert_ok(bf__sample_draw(&sample, w, N, SIZE, 5, arena, &err), err);
    assert_true(sample.n > SIZE / 2 && sample.n <= SIZE + 1);
    for (int i = 0; i < N; i++)
        for (int p = 0; p < 3; p++)
            exact[p] += w[i] * pow(i / (double)N, p);
    for (int64_t k = 0; k < sample.n; k++) {
        assert_true(k == 0 || sample.row[k] > sample.row[k - 1]);
        for (int p = 0; p < 3; p++)
            sum[p] += sample.u[k] * pow((double)sample.row[k] / N, p);
    }
    for (int p = 0; p < 3; p++)
        assert_near(sum[p], exact[p], p == 0 ? 1e-12 : 0.02);
}

/* A correction whose moments are summed over a "sample" of all rows is the correction. */
static void moments_of_some_rows_are_those_of_all(void **state) {
    (void)state;
    enum { N = 400, M = 20 };
    line l = {.edge = 2, .unit = 1};
    bf_dataset data = line_log(&l, N, 12);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf__pointwise options = {.bandwidth = "median"};
    bf__points points;
    bf__neighbours base;
    bf__pair_kernel kernel;
    bf__lowrank *lowrank, part;
    bf__correction *all, *some;
    static double w[2][N];
    int64_t row[N];
    double weight[N];
    const double ridge = 1e-9;
    assert_ok(bf__points_make(&points, &problem, "none", NULL, NULL, arena, &err), err);
    assert_ok(bf__neighbours_solve(&base, &problem, &points, 16, 0, NULL, arena, &err), err);
    assert_ok(bf__features_read(&kernel, &points, &options, arena, &err), err);
    assert_ok(bf__features_make(&lowrank, &points, &kernel, 2, M, NULL, arena, &err), err);
    for (int i = 0; i < N; i++) {
        row[i] = i;
        weight[i] = base.u[i];
    }
    bf__sample sample = {N, row, weight};
    assert_ok(bf__features_part(&part, lowrank, &points, &kernel, 2, &sample, NULL, arena, &err),
              err);
    for (int leave_own = 0; leave_own < 2; leave_own++) {
        assert_ok(
            bf__correction_make(&all, &base, lowrank, NULL, NULL, leave_own, 1, NULL, arena, &err),
            err);
        assert_ok(bf__correction_make(&some, &base, lowrank, &sample, &part, leave_own, 1, NULL,
                                      arena, &err),
                  err);
        double at = fmax(ridge, bf__correction_least(all));
        assert_ok(bf__correct(w[0], all, &at, 1, NULL, arena, &err), err);
        assert_ok(bf__correct(w[1], some, &at, 1, NULL, arena, &err), err);
        for (int i = 0; i < N; i++)
            assert_near(w[1][i], w[0][i], 1e-6);
    }
}

/* Among 99 columns of noise only the next row is near, if its action is the one: all other mass
 * goes on as the log did, and weights are near to equal. */
static void far_from_everything_is_the_log(void **state) {
    (void)state;
    enum { N = 600 };
    for (int far = 0; far < 2; far++) {
        line l = {.edge = 2, .unit = 1, .extra = far ? 99 : 0};
        bf_dataset data = line_log(&l, N, 21);
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
        bf__points points;
        bf__neighbours base;
        double furthest = 0;
        assert_ok(bf__points_make(&points, &problem, "none", NULL, NULL, arena, &err), err);
        assert_ok(bf__neighbours_solve(&base, &problem, &points, 16, 0, NULL, arena, &err), err);
        for (int i = 0; i < N; i++)
            furthest = fmax(furthest, fabs(N * base.u[i] - 1));
        assert_true(far ? base.left > 0.4 && furthest < 4 : base.left < 1e-6 && furthest > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_from_everything_is_the_log),
        cmocka_unit_test(a_sample_stands_for_all_rows),
        cmocka_unit_test(moments_of_some_rows_are_those_of_all),
        cmocka_unit_test(the_value_of_a_noisy_line),
        cmocka_unit_test(ends_and_discounts),
        cmocka_unit_test(ends_that_stay_ended_earn_nothing_in_the_long_run),
        cmocka_unit_test(repeated_states_are_a_table),
        cmocka_unit_test(a_chain_of_repeated_pairs_is_the_empirical_one),
        cmocka_unit_test(the_correction_is_two_stage_least_squares),
        cmocka_unit_test(the_correction_can_leave_own_rows_out),
        cmocka_unit_test(steps_are_as_noisy_as_they_are),
        cmocka_unit_test(small_logs_have_an_answer),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(columns_that_say_nothing),
        cmocka_unit_test(rewards_that_do_not_vary),
        cmocka_unit_test(duplicated_rows_change_little),
        cmocka_unit_test(actions_never_taken_are_left_out),
        cmocka_unit_test(actions_that_are_vectors),
        cmocka_unit_test(digits_do_not_depend_on_threads),
        cmocka_unit_test(a_chain_on_a_sample_serves_all_rows),
        cmocka_unit_test(interruptions),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
