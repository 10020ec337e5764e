/* test_horizon.c - Value against horizon: finite processes, by powers of their matrices. */
#include "mdp.h"

#include "detail/walk.h"

TEST_ARENA;

enum { STEPS = 40 };

/* A log of the process in which every step into state `last` is an end, if last >= 0. */
static bf_dataset ending_log(const mdp *m, int last) {
    bf_dataset data = mdp_log(m, 7, arena);
    uint8_t *ends = bf_arena_zalloc(arena, data.n, 1, &err);
    for (int64_t i = 0; i < data.n; i++)
        ends[i] = data.next_state[i] == last;
    data.terminated = last >= 0 ? ends : NULL;
    return data;
}

/* The mean over the first `steps` steps, by plain products with P_pi. */
static double by_powers(const mdp *m, const double *p0, int last, bf_terminal terminal,
                        double gamma, int64_t steps) {
    int n = m->states;
    double p[MDP_MAX * MDP_MAX], r[MDP_MAX], d[MDP_MAX], next[MDP_MAX], sum = 0, time = 0, g = 1;
    mdp_chain(m, p, r);
    memcpy(d, p0, (size_t)n * sizeof *d);
    for (int64_t t = 0; t < steps; t++, g *= gamma) {
        double anew = 0;
        for (int i = 0; i < n; i++)
            sum += g * d[i] * r[i];
        time += g;
        memset(next, 0, sizeof next);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                next[j] += d[i] * p[i * n + j];
        if (last >= 0 && terminal != BF_TERMINAL_IGNORE) {
            anew = terminal == BF_TERMINAL_RESTART ? next[last] : 0;
            next[last] = 0;
        }
        for (int j = 0; j < n; j++)
            d[j] = next[j] + anew * p0[j];
    }
    return sum / time;
}

/* Episodes of `length` steps from state 0, by a behaviour that takes every action alike. */
static bf_dataset mdp_simulate(const mdp *m, int episodes, int length, bf_rng *rng, bf_arena *own) {
    int64_t n = (int64_t)episodes * length;
    double *s = bf_arena_alloc(own, n, sizeof *s, &err);
    double *ns = bf_arena_alloc(own, n, sizeof *s, &err);
    double *r = bf_arena_alloc(own, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(own, n * m->actions, sizeof *s, &err);
    double *npi = bf_arena_alloc(own, n * m->actions, sizeof *s, &err);
    int32_t *act = bf_arena_alloc(own, n, sizeof *act, &err);
    int64_t *begin = bf_arena_alloc(own, episodes + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(own, n, sizeof *order, &err);
    int state = 0;
    for (int64_t i = 0; i < n; i++) {
        state = i % length == 0 ? 0 : (int)ns[i - 1];
        act[i] = (int32_t)bf_rng_below(rng, m->actions);
        const int *tally = mdp_tally(m, state, act[i]);
        int64_t all = 0, next = 0;
        for (int t = 0; t < m->states; t++)
            all += tally[t];
        int64_t pick = bf_rng_below(rng, all);
        while (pick >= tally[next])
            pick -= tally[next++];
        s[i] = state;
        ns[i] = (double)next;
        r[i] = m->reward[(state * m->actions + act[i]) * m->states + next];
        for (int a = 0; a < m->actions; a++) {
            pi[a * n + i] = m->pi[state * m->actions + a];
            npi[a * n + i] = m->pi[next * m->actions + a];
        }
        order[i] = i;
    }
    for (int e = 0; e <= episodes; e++)
        begin[e] = (int64_t)e * length;
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = m->actions,
                        .states = m->states,
                        .state = s,
                        .next_state = ns,
                        .action = act,
                        .reward = r,
                        .pi = pi,
                        .npi = npi,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

static void matrix_powers(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(11, "horizon", 0);
    for (int trial = 0; trial < 40; trial++) {
        mdp m = mdp_random((mdp_kind)(trial % 4), &rng, arena);
        int last = trial % 3 == 0 ? 1 : -1;
        bf_dataset data = ending_log(&m, last);
        double p0[MDP_MAX], value[STEPS], covered[STEPS];
        mdp_starts(&data, m.states, p0);
        for (int mode = BF_TERMINAL_RESTART; mode <= BF_TERMINAL_IGNORE; mode++)
            for (int discounted = 0; discounted < 2; discounted++) {
                double gamma = discounted ? 0.9 : 1;
                bf_problem problem = {&data, gamma, mode, NULL, 0};
                bf__walk walk;
                assert_ok(bf__walk_make(&walk, &problem, NULL, NULL, arena, &err), err);
                assert_string_equal(walk.chain, "tabular");
                assert_ok(bf__walk_values(value, covered, &walk, STEPS, gamma, NULL, arena, &err),
                          err);
                for (int t = 1; t <= STEPS; t++) {
                    assert_near(value[t - 1], by_powers(&m, p0, last, (bf_terminal)mode, gamma, t),
                                1e-11);
                    assert_near(covered[t - 1], 1, 1e-12);
                }
            }
    }
}

/* Pairs that are met again and again are a table for the chain of neighbours, too. */
static void neighbours_of_a_table(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(12, "horizon", 0);
    for (int trial = 0; trial < 6; trial++) {
        mdp m = mdp_random(MDP_DENSE, &rng, arena);
        bf_dataset data = ending_log(&m, trial % 2 ? 1 : -1);
        double p0[MDP_MAX], value[STEPS], covered[STEPS];
        mdp_starts(&data, m.states, p0);
        for (int mode = BF_TERMINAL_RESTART; mode <= BF_TERMINAL_IGNORE; mode++) {
            bf_problem problem = {&data, 1, mode, NULL, 0};
            bf__walk walk;
            assert_ok(bf__walk_neighbours(&walk, &problem, NULL, NULL, arena, &err), err);
            assert_ok(bf__walk_values(value, covered, &walk, STEPS, 1, NULL, arena, &err), err);
            for (int t = 1; t <= STEPS; t++)
                assert_near(value[t - 1],
                            by_powers(&m, p0, trial % 2 ? 1 : -1, (bf_terminal)mode, 1, t), 1e-9);
        }
    }
}

/* Two states in a row and an end after the second with probability 1/2: ages are geometric. */
static void ages(void **state) {
    (void)state;
    mdp m = mdp_new(2, 1, arena);
    mdp_tally(&m, 0, 0)[0] = 10;
    mdp_tally(&m, 0, 0)[1] = 10;
    mdp_tally(&m, 1, 0)[0] = 10;
    m.pi[0] = m.pi[1] = 1;
    m.reward[0] = 1;
    bf_dataset data = ending_log(&m, 1);
    int64_t begin[2] = {0, data.n};
    data.episodes = 1;
    data.begin = begin;
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART, NULL, 0};
    bf__walk walk;
    double beyond;
    assert_ok(bf__walk_make(&walk, &problem, NULL, NULL, arena, &err), err);
    for (int age = 1; age < 6; age++) {
        assert_ok(bf__walk_beyond(&beyond, &walk, age, 1000000, 1, arena, &err), err);
        assert_near(beyond, pow(0.5, age), 1e-12);
        assert_ok(bf__walk_beyond(&beyond, &walk, age, 1000000, 0.8, arena, &err), err);
        assert_near(beyond, pow(0.4, age), 1e-12);
    }
    problem.terminal = BF_TERMINAL_ABSORB;
    assert_ok(bf__walk_make(&walk, &problem, NULL, NULL, arena, &err), err);
    assert_ok(bf__walk_beyond(&beyond, &walk, 2, 1000000, 0.8, arena, &err), err);
    assert_near(beyond, 0.2 * (0.16 / (1 - 0.4)), 1e-12);
    problem.terminal = BF_TERMINAL_IGNORE;
    assert_ok(bf__walk_make(&walk, &problem, NULL, NULL, arena, &err), err);
    assert_ok(bf__walk_beyond(&beyond, &walk, 2, 1000000, 1, arena, &err), err);
    assert_near(beyond, 1, 0);
}

static void comes_to_the_answer(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(13, "horizon", 0);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    bf_dataset data = mdp_log(&m, 7, arena);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART, NULL, 0};
    const bf_estimate *estimate;
    const bf_horizon *h;
    int64_t asked[] = {1, 100, 1000000}, steps;
    double value, covered, late;
    assert_ok(bf_estimator_run(&estimate, bf_estimator_find("blackbox"), &problem, NULL, NULL,
                               arena, &err),
              err);
    assert_ok(bf_horizon_measure(&h, estimate, &problem, NULL, asked, 3, NULL, NULL, arena, &err),
              err);
    assert_true(bf_horizon_at(h, 2, &steps, &late, &covered));
    assert_int_equal(steps, 1000000);
    assert_near(late, bf_estimate_value(estimate), 1e-5);
    assert_near(bf_horizon_get(h, "limit"), bf_estimate_value(estimate), 0);
    assert_near(bf_horizon_get(h, "longest"), 7, 0);
    assert_near(bf_horizon_get(h, "beyond"), 1, 0);
    assert_true(bf_horizon_get(h, "settles_after") >= 1);
    assert_false(bf_horizon_at(h, 3, &steps, &value, &covered));
    assert_true(bf_horizon_curve(h, 0, &steps, &value));
    assert_int_equal(steps, 1);
    double last = 0;
    for (int k = 0; bf_horizon_curve(h, k, &steps, &value); k++)
        last = value;
    assert_near(last, late, 0);
}

/* The target takes actions that the log never shows: the answer fills such gaps, and the walk ends
 * where the answer is. Without filling, mass is lost on the way. */
static void comes_to_the_answer_across_gaps(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(15, "horizon", 0);
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    for (int k = 0; k < 20; k++) {
        mdp m = mdp_random(MDP_UNSEEN, &rng, arena);
        for (int c = 0; c < m.states * m.actions; c++)
            m.pi[c] = m.pi[c] > 0 ? 0.7 * m.pi[c] : 0.3;
        bf_dataset data = mdp_log(&m, 7, arena);
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART, NULL, 0};
        bf_settings *settings;
        const bf_estimate *estimate;
        const bf_horizon *h;
        int64_t asked[] = {1, 2, 200000}, steps;
        double value, covered, lost[3];
        assert_ok(bf_estimator_settings(&settings, blackbox, NULL, arena, &err), err);
        for (int program = 1; program >= 0; program--) {
            assert_ok(bf_settings_set(settings, "gaps", program ? "program" : "log", &err), err);
            assert_ok(bf_estimator_run(&estimate, blackbox, &problem, settings, NULL, arena, &err),
                      err);
            assert_ok(bf_horizon_measure(&h, estimate, &problem, settings, asked, 3, NULL, NULL,
                                         arena, &err),
                      err);
            for (int t = 0; t < 3; t++) { /* how much was shown does not depend on the filling */
                assert_true(bf_horizon_at(h, t, &steps, &value, &covered));
                assert_true(covered < 0.71);
                assert_near(covered, program ? covered : lost[t], 1e-12);
                lost[t] = covered;
            }
        }
        assert_near(lost[0], 0.7, 1e-12);
        assert_near(lost[1], (0.7 + 0.49) / 2, 1e-12);
        assert_near(bf_horizon_get(h, "limit"), bf_estimate_value(estimate), 0);
        assert_near(value, bf_estimate_value(estimate), 1e-4);
    }
}

/* In high dimension pairs far from all of the log go on anywhere in it; the walk does so, too. */
static void comes_to_the_answer_in_high_dimension(void **state) {
    (void)state;
    enum { ROWS = 300, DIM = 30, LENGTH = 20 };
    static double s[DIM * ROWS], ns[DIM * ROWS], r[ROWS], pi[2 * ROWS];
    static int32_t act[ROWS];
    static int64_t begin[ROWS / LENGTH + 1], order[ROWS];
    bf_rng rng = bf_rng_make(16, "horizon", 0);
    for (int i = 0; i < ROWS; i++) {
        order[i] = i;
        begin[i / LENGTH] = i - i % LENGTH;
        act[i] = (int32_t)bf_rng_below(&rng, 2);
        pi[i] = 0.2;
        pi[ROWS + i] = 0.8;
        for (int d = 0; d < DIM; d++) {
            s[d * ROWS + i] = i % LENGTH == 0 ? bf_rng_normal(&rng) : ns[d * ROWS + i - 1];
            ns[d * ROWS + i] = bf_rng_normal(&rng);
        }
        r[i] = s[i] + act[i];
    }
    begin[ROWS / LENGTH] = ROWS;
    bf_dataset data = {.n = ROWS,
                       .state_dim = DIM,
                       .actions = 2,
                       .real_state = true,
                       .state = s,
                       .next_state = ns,
                       .action = act,
                       .reward = r,
                       .pi = pi,
                       .npi = pi,
                       .episodes = ROWS / LENGTH,
                       .begin = begin,
                       .order = order};
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART, NULL, 0};
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_settings *settings;
    const bf_estimate *estimate;
    const bf_horizon *h;
    int64_t asked[] = {20000}, steps;
    double value, covered;
    assert_ok(bf_estimator_settings(&settings, blackbox, "weights=neighbours", arena, &err), err);
    assert_ok(bf_estimator_run(&estimate, blackbox, &problem, settings, NULL, arena, &err), err);
    assert_true(bf_estimate_get(estimate, "left_for_log") > 0.1);
    assert_ok(
        bf_horizon_measure(&h, estimate, &problem, settings, asked, 1, NULL, NULL, arena, &err),
        err);
    assert_true(bf_horizon_at(h, 0, &steps, &value, &covered));
    assert_near(bf_horizon_get(h, "limit"), bf_estimate_value(estimate), 0);
    assert_near(value, bf_estimate_value(estimate), 1e-3);
}

/* Simulated logs of a known process: how often the interval has the truth. */
static void intervals(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(21, "horizon", 0);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    int64_t asked[] = {3, 50};
    int logs = 60, held[2] = {0};
    double p0[MDP_MAX] = {1};
    for (int k = 0; k < logs; k++) {
        bf_arena *own;
        assert_ok(bf_arena_create(&own, NULL, &err), err);
        bf_dataset data = mdp_simulate(&m, 40, 10, &rng, own);
        bf_problem problem = {.data = &data, .gamma = 1, .size = sizeof problem};
        bf_trust_options how;
        const bf_horizon *h;
        bf_interval i;
        assert_ok(bf_options_init(&bf_trust_table, &how, &err), err);
        assert_ok(bf_horizon_measure(&h, NULL, &problem, NULL, asked, 2, &how, NULL, own, &err),
                  err);
        for (int t = 0; t < 2; t++) {
            double truth = by_powers(&m, p0, -1, BF_TERMINAL_RESTART, 1, asked[t]);
            assert_true(bf_horizon_interval(h, t, &i));
            held[t] += i.low <= truth && truth <= i.high;
        }
        how.interval = BF_INTERVAL_NONE;
        assert_ok(bf_horizon_measure(&h, NULL, &problem, NULL, asked, 2, &how, NULL, own, &err),
                  err);
        assert_false(bf_horizon_interval(h, 0, &i));
        bf_arena_destroy(own);
    }
    assert_in_range(held[0], 50, 60);
    assert_in_range(held[1], 50, 60);
}

static void what_is_missing(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(14, "horizon", 0);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    bf_dataset data = mdp_log(&m, 7, arena), bag = mdp_log(&m, 0, arena);
    bf_problem problem = {&bag, 1, BF_TERMINAL_RESTART, NULL, 0};
    bf__walk walk;
    int64_t out[4];
    assert_int_equal(bf__walk_make(&walk, &problem, NULL, NULL, arena, &err), BF_EDATA);
    assert_non_null(strstr(err.message, "no episodes"));
    data.pi = NULL;
    problem.data = &data;
    assert_int_equal(bf__walk_make(&walk, &problem, NULL, NULL, arena, &err), BF_EDATA);
    assert_non_null(strstr(err.message, "pi0"));
    assert_int_equal(bf_horizon_parse(out, 4, "10,200", &err), 2);
    assert_int_equal(out[1], 200);
    static const char *const wrong[] = {"",     "0",   "1,",  "-3",       "ten",
                                        "1,,2", "1.5", "1e3", "1,2,3,4,5"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(bf_horizon_parse(out, 4, wrong[k], &err), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(matrix_powers),
        arena_test(neighbours_of_a_table),
        arena_test(ages),
        arena_test(comes_to_the_answer),
        arena_test(intervals),
        arena_test(what_is_missing),
        arena_test(comes_to_the_answer_across_gaps),
        arena_test(comes_to_the_answer_in_high_dimension),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
