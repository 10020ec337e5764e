/* test_simulator.c - Regression in a learned metric against plain loops and against functions of
 * known shape; the simulator against processes whose value is known exactly: linear with Gaussian
 * noise (by the equations of its moments), episodes that end by a coin, a finite process. */
#include "mdp.h"

#include "model/trial.h"
#include "solver/krr.h"

TEST_ARENA;

/* ---- Regression */

enum { P = 12, MEMBERS = 4 };

typedef struct sample {
    double *x, *y;
    int32_t *fold;
} sample;

/* y_0 is a wave along one direction of twelve, y_1 is linear, y_2 is noise. */
static sample make_sample(int64_t n, uint64_t seed) {
    sample s = {bf_arena_alloc(arena, n * P, sizeof(double), &err),
                bf_arena_alloc(arena, n * 3, sizeof(double), &err),
                bf_arena_alloc(arena, n, sizeof(int32_t), &err)};
    bf_rng rng = bf_rng_make(seed, "krr test", 0);
    for (int64_t i = 0; i < n; i++) {
        double *x = s.x + i * P;
        for (int c = 0; c < P; c++)
            x[c] = bf_rng_normal(&rng);
        s.y[i * 3] = sin(1.5 * (0.6 * x[0] + 0.8 * x[1]));
        s.y[i * 3 + 1] = 2 + x[2] - 3 * x[5];
        s.y[i * 3 + 2] = bf_rng_normal(&rng);
        s.fold[i] = (int32_t)(i % MEMBERS);
    }
    return s;
}

static bf__krr_task task_of(const sample *s, int64_t n, int rounds) {
    return (bf__krr_task){.n = n,
                          .inputs = P,
                          .outputs = 3,
                          .members = MEMBERS,
                          .x = s->x,
                          .y = s->y,
                          .fold = s->fold,
                          .features = 200,
                          .rounds = rounds,
                          .what = "test"};
}

static bf__krr fit(const bf__krr_task *task) {
    bf__krr out;
    assert_ok(bf__krr_fit(&out, task, NULL, arena, &err), err);
    return out;
}

/* Above 200,000 rows the kernel part is on every second one, and misses as much as a fit of fewer
 * rows does. The third output is noise: in the long sample it is 0 on every row that is passed
 * over, so that what is missed on the others is twice the variance of all. */
static void of_many_rows_a_part_is_enough(void **state) {
    (void)state;
    const int64_t many = 200001, few = 20000;
    bf__krr f[2];
    for (int k = 0; k < 2; k++) {
        int64_t n = k == 0 ? many : few;
        sample s = make_sample(n, 5);
        for (int64_t i = 0; i < n; i++) {
            s.fold[i] = (int32_t)(i / 10 % MEMBERS);
            s.y[i * 3 + 2] *= k == 0 && i % 2 == 1 ? 0 : 1;
        }
        bf__krr_task task = task_of(&s, n, 0);
        task.features = 20;
        f[k] = fit(&task);
    }
    assert_near(f[0].missed[0], f[1].missed[0], 0.02);
    assert_near(f[0].missed[1], 0, 1e-9);
    assert_near(f[0].missed[2], 2, 0.02);
    assert_near(f[1].missed[2], 1, 0.01);
}

static void predictions_are_those_of_plain_loops(void **state) {
    (void)state;
    sample s = make_sample(500, 1);
    bf__krr_task task = task_of(&s, 500, 2);
    bf__krr f = fit(&task);
    double y[3 * 7], scratch[7 * (P + 200)];
    assert_int_equal(bf__krr_room(&f, 7), 7 * (P + 200));
    for (int e = 0; e < MEMBERS; e++) {
        assert_ok(bf__krr_predict(y, &f, e, s.x + 30 * P, 7, scratch, &err), err);
        for (int i = 0; i < 7; i++)
            for (int o = 0; o < 3; o++) {
                const double *x = s.x + (30 + i) * P, *b = f.linear + o * (P + 1);
                double sum = b[P], nearest = INFINITY, other = INFINITY;
                for (int c = 0; c < P; c++)
                    sum += b[c] * x[c];
                for (int j = 0; j < f.features; j++) {
                    double square = 0;
                    for (int c = 0; c < P; c++) {
                        double u = -f.centres[j * P + c];
                        for (int k = 0; k < P; k++)
                            u += x[k] * f.turn[k * P + c];
                        square += u * u;
                    }
                    sum += exp(-square) * f.alpha[(e * f.features + j) * 3 + o];
                    nearest = fmin(nearest, square);
                    other = square > 1e-9 ? fmin(other, square) : other;
                }
                assert_near(y[i * 3 + o], sum, 1e-8);
                assert_near(bf__krr_distance(&f, scratch, 7, i, false), nearest, 1e-8);
                assert_near(bf__krr_distance(&f, scratch, 7, i, true), other, 1e-8);
            }
    }
}

/* One direction of twelve matters. Learning the metric finds it; the linear output is exact, and
 * of noise nothing is believed. */
static void the_direction_that_matters_is_found(void **state) {
    (void)state;
    sample s = make_sample(2000, 2);
    bf__krr_task plain = task_of(&s, 2000, 0), learned = task_of(&s, 2000, 4);
    bf__krr before = fit(&plain), after = fit(&learned);
    assert_true(before.missed[0] > 0.1);
    assert_true(after.missed[0] < 0.1 * before.missed[0]);
    assert_true(after.missed[1] < 1e-9);
    assert_true(after.missed[2] > 0.97 && after.missed[2] < 1.03);
    /* Fresh rows agree with what the folds said. */
    sample fresh = make_sample(1000, 3);
    double *y = bf_arena_alloc(arena, 3000, sizeof *y, &err), gap = 0, size = 0;
    double *scratch = bf_arena_alloc(arena, bf__krr_room(&after, 1000), sizeof *y, &err);
    assert_ok(bf__krr_predict(y, &after, 1, fresh.x, 1000, scratch, &err), err);
    for (int i = 0; i < 1000; i++) {
        gap += pow(y[i * 3] - fresh.y[i * 3], 2);
        size += pow(fresh.y[i * 3], 2);
    }
    assert_true(gap / size < 2 * after.missed[0] + 1e-3);
}

/* The errors that come from the sums of the folds are those of the predictions themselves, row by
 * row, and what is predicted for rows of pure noise has nothing to do with it. */
static void what_is_held_out_was_not_seen(void **state) {
    (void)state;
    enum { N = 900 };
    sample s = make_sample(N, 4);
    bf__krr_task task = task_of(&s, N, 2);
    double *y = bf_arena_alloc(arena, 3 * N, sizeof *y, &err);
    bf__krr f = fit(&task);
    assert_ok(bf__krr_held_out(y, &f, &task, arena, &err), err);
    for (int o = 0; o < 3; o++) {
        double error = 0, mean = 0, variance = 0;
        for (int i = 0; i < N; i++)
            mean += s.y[i * 3 + o] / N;
        for (int i = 0; i < N; i++) {
            error += pow(y[i * 3 + o] - s.y[i * 3 + o], 2);
            variance += pow(s.y[i * 3 + o] - mean, 2);
        }
        assert_near(error / variance, f.missed[o], 1e-6);
    }
    double *scratch = bf_arena_alloc(arena, bf__krr_room(&f, 1), sizeof *y, &err), both = 0;
    for (int i = 0; i < N; i++) {
        double fitted[3];
        assert_ok(bf__krr_predict(fitted, &f, s.fold[i], s.x + i * P, 1, scratch, &err), err);
        assert_near(fitted[0], y[i * 3], 1e-9);
        both += y[i * 3 + 2] * s.y[i * 3 + 2] / N;
    }
    assert_true(both < 0.05);
}

/* ---- A linear process with Gaussian noise
 *
 *     s' = F s + G a + noise,  a ~ N(K s, sigma^2),  r = 1 - |s|^2 / 2 - a^2 / 10,  d = 3
 *
 * Its moments follow a plain iteration: mean m' = L m and second moments S' = L S L' + G G' sigma^2
 * + noise, L = F + G K. */

enum { D = 3, SAMPLES = 4, LENGTH = 100 };

static const double F[D][D] = {{0.9, 0.2, 0}, {-0.2, 0.9, 0.1}, {0, 0, 0.7}};
static const double G[D] = {0, 0.3, 0.5};
static const double target_gain[D] = {0.1, -0.6, -0.3}, logged_gain[D] = {0, -0.2, 0.1};
static const double target_noise = 0.2, logged_noise = 0.6;

static double act(const double *gain, double noise, const double *s, bf_rng *rng) {
    double a = noise * bf_rng_normal(rng);
    for (int c = 0; c < D; c++)
        a += gain[c] * s[c];
    return a;
}

static double reward(const double *s, double a) {
    return 1 - 0.5 * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]) - 0.1 * a * a;
}

/* A force on column 0 that the log does not show has one sign in every other episode. */
static bf_dataset linear_log(int64_t n, double noise, double force, bool with_sa, uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "linear process", 0);
    double *s = bf_arena_alloc(arena, D * n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, D * n, sizeof *s, &err);
    double *a = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *na = bf_arena_alloc(arena, SAMPLES * n, sizeof *s, &err);
    double *sa = bf_arena_alloc(arena, SAMPLES * n, sizeof *s, &err);
    int64_t *begin = bf_arena_alloc(arena, n / LENGTH + 2, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err);
    double now[D], then[D];
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        begin[i / LENGTH] = i - i % LENGTH;
        if (i % LENGTH == 0)
            for (int c = 0; c < D; c++)
                now[c] = 1 + 0.3 * bf_rng_normal(&rng);
        a[i] = act(logged_gain, logged_noise, now, &rng);
        r[i] = reward(now, a[i]);
        for (int c = 0; c < D; c++) {
            then[c] = G[c] * a[i] + noise * bf_rng_normal(&rng);
            then[c] += c > 0 ? 0 : i / LENGTH % 2 ? force : -force;
            for (int k = 0; k < D; k++)
                then[c] += F[c][k] * now[k];
            s[c * n + i] = now[c];
            ns[c * n + i] = then[c];
        }
        for (int m = 0; m < SAMPLES; m++) {
            sa[m * n + i] = act(target_gain, target_noise, now, &rng);
            na[m * n + i] = act(target_gain, target_noise, then, &rng);
        }
        memcpy(now, then, sizeof now);
    }
    begin[n / LENGTH] = n;
    return (bf_dataset){.n = n,
                        .state_dim = D,
                        .action_dim = 1,
                        .samples = SAMPLES,
                        .state = s,
                        .next_state = ns,
                        .action_vector = a,
                        .reward = r,
                        .na = na,
                        .sa = with_sa ? sa : NULL,
                        .episodes = n / LENGTH,
                        .begin = begin,
                        .order = order};
}

/* The value by the moments: gamma 1 after many steps, below 1 the discounted sum times 1 - gamma.
 */
static double linear_value(const bf_dataset *data, double noise, double gamma) {
    double S[D][D], L[D][D], value = 0, weight = 0, discount = 1;
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            S[i][j] = 0; /* second moments of the log's own start states */
            for (int64_t e = 0; e < data->episodes; e++)
                S[i][j] += data->state[i * data->n + data->begin[e]] *
                           data->state[j * data->n + data->begin[e]] / (double)data->episodes;
            L[i][j] = F[i][j] + G[i] * target_gain[j];
        }
    for (int t = 0; t < 5000; t++) {
        double mean = 1 - 0.5 * (S[0][0] + S[1][1] + S[2][2]) - 0.1 * target_noise * target_noise;
        double T[D][D] = {{0}}, next[D][D] = {{0}};
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                mean -= 0.1 * target_gain[i] * S[i][j] * target_gain[j];
        if (gamma < 1) {
            value += discount * mean;
            weight += discount;
            discount *= gamma;
        } else {
            value = mean;
            weight = 1;
        }
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                for (int k = 0; k < D; k++)
                    T[i][j] += L[i][k] * S[k][j];
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) {
                for (int k = 0; k < D; k++)
                    next[i][j] += T[i][k] * L[j][k];
                next[i][j] += G[i] * G[j] * target_noise * target_noise;
                next[i][j] += i == j ? noise * noise : 0;
            }
        memcpy(S, next, sizeof S);
    }
    return value / weight;
}

static bf_estimate simulate(const bf_problem *problem, const char *text) {
    const bf_estimator *simulator = bf_estimator_find("simulator");
    bf_settings *settings;
    bf_estimate out;
    bf_context context = {.threads = 2, .seed = 3};
    assert_ok(bf_estimator_settings(&settings, simulator, text, arena, &err), err);
    assert_ok(bf__estimator_run(simulator, &out, problem, settings, &context, arena, &err), err);
    return out;
}

static void a_linear_process_has_its_value(void **state) {
    (void)state;
    static const struct {
        double noise, gamma;
        bool with_sa;
    } cases[] = {{0.3, 1, false}, {0, 0.95, true}};
    for (int k = 0; k < 2; k++) {
        double noise = cases[k].noise, gamma = cases[k].gamma;
        bf_dataset data = linear_log(3000, noise, 0, cases[k].with_sa, 5);
        bf_problem problem = {&data, gamma, BF_TERMINAL_RESTART};
        bf_estimate out = simulate(&problem, "features=200 chains=16 steps=400");
        double truth = linear_value(&data, noise, gamma), mean = mean_reward(&data);
        double off = fabs(out.value - truth);
        if (!(off < 0.2 * fabs(mean - truth) && off < 0.03))
            fail_msg("noise %g, gamma %g: %g, not %g (naive %g)", noise, gamma, out.value, truth,
                     mean);
        if (noise > 0)
            assert_true(bf_estimate_get(&out, "noise_share") > 0.7);
        assert_near(bf_estimate_get(&out, "replay_value"), mean, 0.15);
        if (gamma < 1)
            assert_near(bf_estimate_get(&out, "flattery"), 0, 0);
    }
}

static void what_flatters_is_taken_off(void **state) {
    (void)state;
    static const struct {
        double m, off, variance, taken;
    } cases[] = {
        {2, 0.5, 0, 0.5},   {2, 0.5, 0.05, 0.4},   {-2, -0.5, 0.05, -0.4}, {2, 0.5, 0.3, 0},
        {2, -0.5, 0.05, 0}, {-2, 0.5, 0.05, 0},    {0.3, 0.5, 0.05, 0.3},  {2, 0, 0, 0},
        {0, 0.5, 0.05, 0},  {2, 0.5, INFINITY, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        assert_near(bf__flattery(cases[k].m, cases[k].off, cases[k].variance), cases[k].taken,
                    1e-12);
}

/* With a force that nobody sees, the replay costs less than the log, and the target more: nothing
 * is taken off. Without it the replay is right but for noise, of which little comes into the value:
 * at most what is over one standard error of the log's mean. */
static void a_replay_that_is_off_the_other_way_changes_nothing(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        bf_dataset data = linear_log(3000, 0.1, k ? 1.5 : 0, false, 5);
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
        bf_estimate out = simulate(&problem, "features=200 chains=16 steps=400");
        double mean = mean_reward(&data), off = bf_estimate_get(&out, "replay_value") - mean;
        double taken = bf_estimate_get(&out, "flattery"), e = (double)data.episodes, squares = 0;
        for (int64_t j = 0; j < data.n; j += LENGTH) {
            double sum = 0;
            for (int64_t i = j; i < j + LENGTH; i++)
                sum += (data.reward[i] - mean) / (double)data.n;
            squares += sum * sum * e / (e - 1);
        }
        if (k == 1) {
            assert_true(off > 1 && out.value < mean);
            assert_near(taken, 0, 0);
        } else {
            assert_true(fabs(taken) <= fmax(fabs(off) - squares / fabs(off), 0) + 1e-12);
        }
    }
}

/* A target that goes where the log has not been is found out; one that stays within it is not. */
static void runs_far_from_the_log_are_counted(void **state) {
    (void)state;
    for (int away = 0; away < 2; away++) {
        bf_dataset data = linear_log(2000, 0.1, 0, false, 6);
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
        double *na = bf_arena_alloc(arena, SAMPLES * data.n, sizeof *na, &err);
        for (int64_t i = 0; i < SAMPLES * data.n; i++)
            na[i] = data.na[i] + 3 * away;
        data.na = na;
        bf_estimate out = simulate(&problem, "features=200 chains=8 steps=200");
        double far = bf_estimate_get(&out, "rollout_far");
        bool said = false;
        for (int i = 0; i < out.warning_count; i++)
            said = said || strcmp(out.warnings[i].code, "runs-far") == 0;
        if (!(away ? far > 0.5 : far < 0.02) || said != away)
            fail_msg("away %d: %g of the steps are far", away, far);
    }
}

/* ---- The policy itself */

typedef struct asked {
    int64_t states;
} asked;

static int sample_actions(void *context, const double *states, int64_t n, double *actions,
                          bf_error *cause) {
    asked *a = context;
    (void)cause;
    for (int64_t i = 0; i < n; i++) /* without noise: deterministic, the same for any thread */
        actions[i] = 0.1 * states[i * D] - 0.6 * states[i * D + 1] - 0.3 * states[i * D + 2];
    a->states += n;
    return 0;
}

static void the_policy_is_asked_where_there_is_one(void **state) {
    (void)state;
    bf_dataset data = linear_log(1000, 0.3, 0, false, 6);
    asked count = {0};
    bf_policy_function function = {.name = "linear",
                                   .state_dim = D,
                                   .action_dim = 1,
                                   .samples = 1,
                                   .sample = sample_actions,
                                   .context = &count};
    const bf_policy *policy;
    const bf_dataset *applied;
    assert_ok(bf_policy_from_function(&policy, &function, arena, &err), err);
    assert_ok(bf_policy_apply(&applied, policy, &data, arena, &err), err);
    bf_problem problem = {applied, 1, BF_TERMINAL_RESTART, .target = policy};
    count.states = 0;
    bf_estimate out = simulate(&problem, "features=50 chains=8 steps=200");
    assert_true(count.states == 4 * 8 * 200);
    assert_true(isnan(bf_estimate_get(&out, "policy_missed")));
    assert_true(isfinite(out.value));
}

/* ---- Ends: after every step a coin is tossed, with the chance p of the end. r = 1, and 5 at the
 * end. */

static bf_dataset coin_log(int64_t n, double p, bf_rng *rng) {
    double *s = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, n, sizeof *a, &err);
    uint8_t *ended = bf_arena_alloc(arena, n, 1, &err);
    int64_t *begin = bf_arena_alloc(arena, n + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err), episodes = 0;
    bool fresh = true;
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        if (fresh)
            begin[episodes++] = i;
        s[i] = fresh ? bf_rng_normal(rng) : ns[i - 1];
        a[i] = bf_rng_uniform(rng) < 0.5;
        ns[i] = 0.5 * s[i] + bf_rng_normal(rng);
        ended[i] = bf_rng_uniform(rng) < (a[i] ? p : 3 * p);
        r[i] = ended[i] ? 5 : 1;
        pi[i] = 0;
        pi[n + i] = 1; /* the target takes action 1 always */
        fresh = ended[i];
    }
    begin[episodes] = n;
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = 2,
                        .real_state = true,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .terminated = ended,
                        .pi = pi,
                        .npi = pi,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

static void ends_are_what_the_question_says(void **state) {
    (void)state;
    double p = 0.05, gamma = 0.9;
    bf_rng rng = bf_rng_make(8, "coin", 0);
    bf_dataset data = coin_log(4000, p, &rng);
    bf_problem average = {&data, 1, BF_TERMINAL_RESTART};
    bf_problem absorb = {&data, gamma, BF_TERMINAL_ABSORB};
    bf_problem ignore = {&data, 1, BF_TERMINAL_IGNORE};
    /* Of every step the share p earns 5. Absorbed, time goes on with probability gamma (1 - p). */
    double step = 1 + 4 * p, lasting = (1 - gamma) / (1 - gamma * (1 - p));
    bf_estimate out = simulate(&average, "features=20 chains=8");
    assert_near(out.value, step, 0.06);
    assert_near(bf_estimate_get(&out, "episode_length"), 1 / p, 4);
    assert_near(simulate(&absorb, "features=20 chains=16").value, step * lasting, 0.06);
    assert_near(simulate(&ignore, "features=20 chains=8").value, step, 0.06);
    bf_problem over = {&data, 1, BF_TERMINAL_ABSORB};
    bf_estimate none;
    assert_int_equal(
        bf__estimator_run(bf_estimator_find("simulator"), &none, &over, NULL, NULL, arena, &err),
        BF_EUSAGE);
    assert_non_null(strstr(err.message, "absorb"));
}

/* Every row ends: a bandit, whose value is the mean reward of the target's action. */
static void a_log_of_single_steps_is_a_bandit(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(9, "coin", 0);
    bf_dataset data = coin_log(500, 2, &rng);
    double *r = bf_arena_alloc(arena, data.n, sizeof *r, &err);
    for (int64_t i = 0; i < data.n; i++)
        r[i] = data.action[i] ? 2 : -1;
    data.reward = r;
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    assert_near(simulate(&problem, "features=50 steps=100").value, 2, 0.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(predictions_are_those_of_plain_loops),
        arena_test(of_many_rows_a_part_is_enough),
        arena_test(the_direction_that_matters_is_found),
        arena_test(what_is_held_out_was_not_seen),
        arena_test(a_linear_process_has_its_value),
        arena_test(what_flatters_is_taken_off),
        arena_test(a_replay_that_is_off_the_other_way_changes_nothing),
        arena_test(runs_far_from_the_log_are_counted),
        arena_test(the_policy_is_asked_where_there_is_one),
        arena_test(ends_are_what_the_question_says),
        arena_test(a_log_of_single_steps_is_a_bandit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
