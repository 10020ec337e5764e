/* test_judge.c - How answers are judged: every rule on both sides of its limit, answers that must
 * be refused, and weights that give the value they are handed out with. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimator/judge.h"
#include "estimator/result.h"
#include "solver/visits.h"
#include "weights/weights.h"

TEST_ARENA;

/* ---- A log on the line with episodes, a known behaviour, and a target; finite if `cells` > 0. */

enum { LENGTH = 30 };

static bf_dataset make_log(int64_t n, int cells, double step, double shift) {
    bf_rng rng = bf_rng_make(7, "judge", 0);
    double *s = bf_arena_alloc(arena, n, sizeof *s, &err), now = 0;
    double *ns = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *mu = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, n, sizeof *a, &err);
    int64_t *begin = bf_arena_alloc(arena, n + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *begin, &err);
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        begin[i / LENGTH] = i - i % LENGTH;
        if (i % LENGTH == 0)
            now = bf_rng_uniform(&rng);
        a[i] = bf_rng_uniform(&rng) < 0.5;
        s[i] = cells > 0 ? floor(now * cells) : now;
        r[i] = shift + now * now - 0.3 * a[i];
        now += step * ((a[i] ? 1 : -1) + bf_rng_normal(&rng));
        now = fmin(fmax(now, 0), 0.999);
        ns[i] = cells > 0 ? floor(now * cells) : now;
        mu[i] = 0.5;
        pi[i] = npi[i] = 0.3;
        pi[n + i] = npi[n + i] = 0.7;
    }
    int64_t episodes = (n + LENGTH - 1) / LENGTH;
    begin[episodes] = n;
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = 2,
                        .states = cells,
                        .real_state = cells == 0,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .mu = mu,
                        .pi = pi,
                        .npi = npi,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

static bf_status run(bf_estimate *out, const char *method, const char *weights,
                     const bf_dataset *data, double gamma) {
    const bf_estimator *estimator = bf_estimator_find(method);
    bf_context context = {.threads = 1, .seed = 1};
    bf_problem problem = {data, gamma, BF_TERMINAL_RESTART};
    bf_settings *options;
    assert_ok(bf_estimator_settings(&options, estimator, NULL, arena, &err), err);
    if (weights)
        assert_ok(bf_settings_set(options, "weights", weights, &err), err);
    return bf__estimator_run(estimator, out, &problem, options, &context, arena, &err);
}

static const bf_warning *warning_of(const bf_estimate *e, const char *code) {
    for (int i = 0; i < e->warning_count; i++)
        if (strcmp(e->warnings[i].code, code) == 0)
            return &e->warnings[i];
    return NULL;
}

/* ---- Rules */

typedef struct trial {
    const char *code;
    int distrust; /* 1, 0, or -1: the rule says nothing */
    double value, gamma;
    struct {
        bf__diagnostic_id id;
        double value;
    } facts[3];
    int count;
    double odd; /* the first reward, unless 0 */
} trial;

/* 1,000 rows in 50 episodes; rewards -1 and 1, half each. */
static const trial trials[] = {
    {"few-rows", 1, 0, 1, {{BF__D_ESS, 19}}, 1},
    {"few-rows", -1, 0, 1, {{BF__D_ESS, 21}}, 1},
    {"few-rows", -1, 0, 1, {{BF__D_ESS, 19}, {BF__D_ESS_EPISODES, 30}}, 2},
    {"few-rows", -1, 0, 1, {{BF__D_ESS, 0}, {BF__D_ABSORBED, 1}}, 2},
    {"few-episodes", 1, 0, 1, {{BF__D_ESS_EPISODES, 4.9}}, 1},
    {"few-episodes", 1, 0, 1, {{BF__D_ESS_EPISODES, 9.9}}, 1},
    {"few-episodes", -1, 0, 1, {{BF__D_ESS_EPISODES, 10.1}}, 1},
    {"one-row", 1, 0, 1, {{BF__D_MAX_WEIGHT, 0.11}}, 1},
    {"one-row", -1, 0, 1, {{BF__D_MAX_WEIGHT, 0.09}}, 1},
    {"flow-unbalanced",
     1,
     0,
     1,
     {{BF__D_FLOW_RESIDUAL, .06}, {BF__D_FLOW_RESIDUAL_UNIFORM, .1}},
     2},
    {"flow-unbalanced",
     -1,
     0,
     1,
     {{BF__D_FLOW_RESIDUAL, .04}, {BF__D_FLOW_RESIDUAL_UNIFORM, .1}},
     2},
    {"flow-unbalanced",
     1,
     0,
     1,
     {{BF__D_FLOW_RESIDUAL, .002}, {BF__D_FLOW_RESIDUAL_UNIFORM, .001}},
     2},
    {"off-hull", 1, 0, 1, {{BF__D_OFF_HULL, 1.1}}, 1},
    {"off-hull", 0, 0, 1, {{BF__D_OFF_HULL, 0.3}}, 1},
    {"off-hull", -1, 0, 1, {{BF__D_OFF_HULL, 0.2}}, 1},
    {"chain-stopped",
     1,
     0,
     1,
     {{BF__D_CHAIN_SETTLED, 0}, {BF__D_CHAIN_STEPS, 20000}, {BF__D_CHAIN_CHANGE, 1e-6}},
     3},
    {"chain-stopped",
     -1,
     0,
     1,
     {{BF__D_CHAIN_SETTLED, 1}, {BF__D_CHAIN_STEPS, 300}, {BF__D_CHAIN_CHANGE, 1e-8}},
     3},
    {"ends-absorb", 1, 0, 1, {{BF__D_ABSORBED, 0.5}}, 1},
    {"ends-absorb", 0, 0, 1, {{BF__D_ABSORBED, 1}}, 1},
    {"ends-absorb", -1, 0, 0.9, {{BF__D_ABSORBED, 0.5}}, 1},
    {"negative-weight", 1, 0, 1, {{BF__D_NEGATIVE_MASS, 0.06}}, 1},
    {"negative-weight", 0, 0, 1, {{BF__D_NEGATIVE_MASS, 0.03}}, 1},
    {"negative-weight", -1, 0, 1, {{BF__D_NEGATIVE_MASS, 0.01}}, 1},
    {"variants-differ", 1, 0.1, 1, {{BF__D_SPREAD, 0.2}}, 1},
    {"variants-differ", 0, 0.1, 1, {{BF__D_SPREAD, 0.05}}, 1},
    {"variants-differ", -1, 0.5, 1, {{BF__D_SPREAD, 0.05}}, 1},
    {"unseen-pairs", 1, 0, 1, {{BF__D_COVERAGE, 0.98}}, 1},
    {"unseen-pairs", 0, 0, 1, {{BF__D_COVERAGE, 0.995}}, 1},
    {"unseen-pairs", -1, 0, 1, {{BF__D_COVERAGE, 1}}, 1},
    {"unseen-pairs", 1, 0, 1, {{BF__D_COVERAGE_MODEL, 0.98}}, 1},
    {"unseen-pairs", -1, 0, 1, {{BF__D_COVERAGE_MODEL, 1}}, 1},
    {"unseen-actions", 1, 0, 1, {{BF__D_COVERAGE_ACTIONS, 0.98}}, 1},
    {"unseen-actions", 0, 0, 1, {{BF__D_COVERAGE_ACTIONS, 0.995}}, 1},
    {"unseen-actions", -1, 0, 1, {{BF__D_COVERAGE_ACTIONS, 1}}, 1},
    {"members-differ", 1, 0.4, 1, {{BF__D_MEMBER_SPREAD, 0.5}}, 1},
    {"members-differ", 0, 0.4, 1, {{BF__D_MEMBER_SPREAD, 0.2}}, 1},
    {"members-differ", -1, 0.4, 1, {{BF__D_MEMBER_SPREAD, 0.05}}, 1},
    {"fit-drifts", 1, 0, 1, {{BF__D_DRIFT, 0.11}}, 1},
    {"fit-drifts", 0, 0, 1, {{BF__D_DRIFT, 0.03}}, 1},
    {"fit-drifts", -1, 0, 1, {{BF__D_DRIFT, 0.019}}, 1},
    {"replay-off", 1, 0.4, 1, {{BF__D_REPLAY_VALUE, -0.5}}, 1},
    {"replay-off", 0, 0.4, 1, {{BF__D_REPLAY_VALUE, 0.2}}, 1},
    {"replay-off", -1, 0.4, 1, {{BF__D_REPLAY_VALUE, 0.08}}, 1},
    {"replay-off", -1, 0, 1, {{BF__D_REPLAY_VALUE, 0.04}}, 1},
    {"replay-off", 0, 0.1, 1, {{BF__D_REPLAY_VALUE, 0.04}}, 1},
    {"replay-off", -1, 0.1, 1, {{BF__D_REPLAY_VALUE, 0.02}}, 1},
    {"runs-leave", 1, 0, 1, {{BF__D_ROLLOUT_CUT, 0.3}}, 1},
    {"runs-leave", 0, 0, 1, {{BF__D_ROLLOUT_CUT, 0.06}}, 1},
    {"runs-leave", -1, 0, 1, {{BF__D_ROLLOUT_CUT, 0.04}}, 1},
    {"runs-far", 1, 0.1, 1, {{BF__D_ROLLOUT_FAR, 0.21}}, 1},
    {"runs-far", 0, 0.1, 1, {{BF__D_ROLLOUT_FAR, 0.04}}, 1},
    {"runs-far", -1, 0.1, 1, {{BF__D_ROLLOUT_FAR, 0.02}}, 1},
    {"runs-drift", 1, 0.1, 1, {{BF__D_ROLLOUT_DRIFT, -0.2}, {BF__D_ROLLOUT_ERROR, 0.01}}, 2},
    {"runs-drift", 0, 0.4, 1, {{BF__D_ROLLOUT_DRIFT, 0.2}, {BF__D_ROLLOUT_ERROR, 0.01}}, 2},
    {"runs-drift", -1, 0.4, 1, {{BF__D_ROLLOUT_DRIFT, 0.2}, {BF__D_ROLLOUT_ERROR, 0.06}}, 2},
    {"runs-drift", -1, 0.4, 0.9, {{BF__D_ROLLOUT_DRIFT, 0.2}, {BF__D_ROLLOUT_ERROR, 0.01}}, 2},
    {"model-misses", 1, 0, 1, {{BF__D_CHANGE_MISSED, 0.6}, {BF__D_NOISE_SHARE, 0}}, 2},
    {"model-misses", -1, 0, 1, {{BF__D_CHANGE_MISSED, 0.6}, {BF__D_NOISE_SHARE, 0.5}}, 2},
    {"not-finite", 1, 0, 1, {{BF__D_FLOW_RESIDUAL, NAN}}, 1},
    {"not-finite", 1, 0, 1, {{BF__D_MEAN_RATIO, INFINITY}}, 1},
    {"not-finite", -1, 0, 1, {{BF__D_MEAN_RATIO, 1}}, 1},
    {"extreme-number", 1, 0, 1, {{BF__D_MEAN_RATIO, 1}}, 1, 1e300},
    {"extreme-number", 1, 0, 1, {{BF__D_MEAN_RATIO, 1}}, 1, -2.1e6},
    {"extreme-number", -1, 0, 1, {{BF__D_MEAN_RATIO, 1}}, 1, 1.9e6},
};

static void test_rules(void **state) {
    (void)state;
    enum { ROWS = 1000 };
    static double reward[ROWS];
    for (int i = 0; i < ROWS; i++)
        reward[i] = i % 2 ? 1 : -1;
    bf_dataset data = {.n = ROWS, .reward = reward, .episodes = 50};
    for (size_t k = 0; k < sizeof trials / sizeof *trials; k++) {
        const trial *t = &trials[k];
        reward[0] = t->odd != 0 ? t->odd : -1;
        bf_problem problem = {&data, t->gamma, BF_TERMINAL_RESTART};
        bf_estimate e = {.value = t->value};
        for (int i = 0; i < t->count; i++)
            bf__diagnose(&e, t->facts[i].id, t->facts[i].value);
        assert_ok(bf__judge(&e, "test", &problem, arena, &err), err);
        const bf_warning *w = warning_of(&e, t->code);
        if ((w ? w->distrust : -1) != t->distrust)
            fail_msg("trial %d, %s: %d, not %d", (int)k, t->code, w ? w->distrust : -1,
                     t->distrust);
        if (w) {
            assert_true(strlen(w->text) > 10 && strlen(w->advice) > 10);
            assert_int_equal(e.warning_count, 1);
        }
        int before = e.warning_count; /* judged again, nothing is said twice */
        assert_ok(bf__judge(&e, "test", &problem, arena, &err), err);
        assert_int_equal(e.warning_count, before);
    }
}

/* Every rule is on both sides of its limit above. */
static void test_every_rule_is_tried(void **state) {
    (void)state;
    for (int id = 0; id <= BF__W_MODEL_MISSES; id++) {
        int said = 0, silent = 0;
        for (size_t k = 0; k < sizeof trials / sizeof *trials; k++)
            if (strcmp(trials[k].code, bf__reason_code(id)) == 0)
                *(trials[k].distrust >= 0 ? &said : &silent) += 1;
        if (!said || !silent)
            fail_msg("%s is not tried on both sides", bf__reason_code(id));
    }
    int rules = 0;
    while (bf__rule_at(rules))
        rules++;
    assert_int_equal(rules, BF__W_MODEL_MISSES + 2); /* unseen-pairs has two */
}

/* The rewards have the mean 0. Doubt is 1 where the rules refuse. */
static void test_doubt(void **state) {
    (void)state;
    static const struct {
        double value, spread, replay, far, taken, doubt;
    } cases[] = {
        {0.4, 0.1, 0, 0, 0, 0.25},  {0.4, 0.1, -0.2, 0, 0, 0.5}, {-0.4, 0.4, 0, 0.1, 0, 1},
        {0.4, 0.1, 0, 0.1, 0, 0.5}, {0.4, 0, 0, 0, 0, 0},        {0.4, 0.1, 0.3, 0, 0.2, 0.5},
    };
    double reward[] = {-1, 1, 1, -1}, s[] = {0, 1, 2, 3};
    bf_dataset data = {.n = 4, .state_dim = 1, .state = s, .next_state = s, .reward = reward};
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf_estimate bare = {.value = 0.4};
    assert_near(bf__doubt(&bare, &problem), 0, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bf_estimate e = {.value = cases[k].value};
        bf__diagnose(&e, BF__D_MEMBER_SPREAD, cases[k].spread);
        bf__diagnose(&e, BF__D_REPLAY_VALUE, cases[k].replay);
        bf__diagnose(&e, BF__D_ROLLOUT_FAR, cases[k].far);
        bf__diagnose(&e, BF__D_FLATTERY, cases[k].taken);
        assert_near(bf__doubt(&e, &problem), cases[k].doubt, 1e-12);
    }
}

/* ---- Answers that are none */

static void test_all_weights_zero(void **state) {
    (void)state;
    bf_dataset data = make_log(300, 4, 0.2, 0);
    double *pi = bf_arena_alloc(arena, 2 * data.n, sizeof *pi, &err);
    for (int64_t i = 0; i < data.n; i++) { /* the target does what the log never did */
        pi[data.action[i] * data.n + i] = 0;
        pi[(1 - data.action[i]) * data.n + i] = 1;
    }
    data.pi = pi;
    bf_estimate e;
    assert_int_equal(run(&e, "is", NULL, &data, 0.9), BF_ENUMERIC);
    assert_non_null(strstr(err.message, "weight 0"));
    assert_int_equal(run(&e, "pdis", NULL, &data, 0.9), BF_ENUMERIC);
}

/* A next state that no computation survives is refused by row and column. */
static void test_extreme_state(void **state) {
    (void)state;
    static const char *const models[] = {"corrected", "neighbours", "linear", "anchors", "neural"};
    bf_dataset data = make_log(300, 0, 0.1, 0);
    double *ns = bf_arena_alloc(arena, data.n, sizeof *ns, &err);
    memcpy(ns, data.next_state, (size_t)data.n * sizeof *ns);
    ns[17] = 1.7e308;
    data.next_state = ns;
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        bf_estimate e;
        assert_int_equal(run(&e, "blackbox", models[k], &data, 1), BF_EDATA);
        assert_non_null(strstr(err.message, "ns0"));
        assert_non_null(strstr(err.message, "17"));
        assert_non_null(strstr(err.message, "1.7e+308"));
    }
}

/* ---- Rewards */

static void test_constant_rewards(void **state) {
    (void)state;
    bf_dataset data = make_log(1200, 0, 0.1, 0);
    double *r = bf_arena_alloc(arena, data.n, sizeof *r, &err);
    for (int64_t i = 0; i < data.n; i++)
        r[i] = -1;
    data.reward = r;
    bf_estimate e;
    assert_ok(run(&e, "blackbox", "corrected", &data, 1), err);
    assert_near(e.value, -1, 1e-12);
    assert_null(warning_of(&e, "variants-differ"));
    assert_null(warning_of(&e, "out-of-range"));
    assert_null(warning_of(&e, "chain-stopped")); /* a change below rounding is none */
}

/* A constant added to all rewards is added to the answer. */
static void test_rewards_far_from_0(void **state) {
    (void)state;
    double shift = 1e12;
    bf_dataset near = make_log(6000, 5, 0.2, 0), far = near;
    double *r = bf_arena_alloc(arena, near.n, sizeof *r, &err);
    double *back = bf_arena_alloc(arena, near.n, sizeof *r, &err);
    for (int64_t i = 0; i < near.n; i++) {
        r[i] = shift + near.reward[i];
        back[i] = r[i] - shift; /* what the sum can still say of it */
    }
    near.reward = back;
    far.reward = r;
    bf_estimate a, b;
    assert_ok(run(&a, "blackbox", "tabular", &near, 1), err);
    assert_ok(run(&b, "blackbox", "tabular", &far, 1), err);
    assert_near(b.value - shift, a.value, 2e-4); /* one unit of the last place of 1e12 is 1.2e-4 */
}

/* ---- Weights give the value */

static void check_weights(const bf_estimate *e, const bf_dataset *data, const char *what) {
    double value = 0, size = 0;
    if (!e->weights) {
        assert_null(e->signed_weights);
        return;
    }
    assert_non_null(e->signed_weights);
    for (int64_t i = 0; i < data->n; i++) {
        assert_true(e->weights[i] >= 0);
        value += e->signed_weights[i] * data->reward[i];
        size += fabs(e->signed_weights[i] * data->reward[i]);
    }
    if (!(fabs(value - e->value) <= 1e-12 * size))
        fail_msg("%s: the weights give %.17g, the value is %.17g", what, value, e->value);
}

static void test_weights_give_the_value(void **state) {
    (void)state;
    static const double gammas[] = {1, 0.9};
    int handed_out = 0;
    for (int finite = 0; finite < 2; finite++)
        for (int g = 0; g < 2; g++) {
            bf_dataset data = make_log(600, finite ? 5 : 0, 0.2, 0);
            bf_estimate e;
            for (int k = 0; bf__weights_at(k); k++) {
                const char *model = bf__weights_at(k)->model.name;
                if ((strcmp(model, "tabular") == 0) != (finite == 1))
                    continue;
                assert_ok(run(&e, "blackbox", model, &data, gammas[g]), err);
                assert_non_null(e.weights);
                check_weights(&e, &data, model);
                handed_out++;
            }
            for (int k = 0; bf_estimator_at(k); k++) {
                const char *name = bf_estimator_at(k)->name;
                if (strcmp(name, "blackbox") == 0 || strcmp(name, "fqe") == 0 ||
                    (!finite && strcmp(name, "dualdice") == 0))
                    continue; /* fqe has no weights; the networks of dualdice take long: finite
                                 states do */
                assert_ok(run(&e, name, NULL, &data, gammas[g]), err);
                check_weights(&e, &data, name);
                handed_out += e.weights != NULL;
            }
        }
    assert_true(handed_out >= 12 + 4 * 5);
}

/* A value that was cut to the range of the rewards is given by the weights all the same. */
static void test_a_value_that_was_cut(void **state) {
    (void)state;
    double reward[] = {0, 1, 2}, w[] = {0.5, 0.5, 0}, with_signs[] = {1.5, 0, -0.5};
    bf_dataset data = {.n = 3, .reward = reward};
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf_estimate e = {.value = -1};
    assert_ok(bf__hand_out(&e, &problem, w, with_signs, 1, arena, &err), err);
    assert_near(e.value, 0, 0);
    assert_near(with_signs[0] * 0 + with_signs[1] * 1 + with_signs[2] * 2, 0, 1e-15);
    assert_near(with_signs[0] + with_signs[1] + with_signs[2], 1, 1e-15);
    assert_non_null(warning_of(&e, "out-of-range"));
    assert_true(warning_of(&e, "out-of-range")->distrust);
}

/* ---- Chains */

/* A ring of nodes that is left and entered by a trace: it can not settle in a few steps. */
static void test_chain_says_stopped(void **state) {
    (void)state;
    enum { N = 400 };
    int64_t begin[N + 1];
    int32_t from[2 * N];
    double prob[2 * N], reward[N], x[N];
    for (int j = 0; j < N; j++) {
        begin[j] = 2 * j;
        from[2 * j] = (j + N - 1) % N;
        from[2 * j + 1] = (j + 1) % N;
        prob[2 * j] = prob[2 * j + 1] = 0.5;
        reward[j] = j < N / 2;
    }
    begin[N] = 2 * N;
    bf__visits visits = {.n = N,
                         .begin = begin,
                         .from = from,
                         .prob = prob,
                         .closed = true,
                         .reward = reward,
                         .scale = 0.5};
    bf__visits_result result;
    bf_context context = {.threads = 1};
    for (int few = 0; few < 2; few++) {
        for (int j = 0; j < N; j++)
            x[j] = j == 0;
        visits.steps = few ? 150 : 0;
        assert_ok(bf__visits_solve(x, &result, &visits, &context, arena, &err), err);
        assert_int_equal(result.settled, !few);
        assert_int_equal(result.steps == 150, few);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(test_rules),
        arena_test(test_every_rule_is_tried),
        arena_test(test_doubt),
        arena_test(test_all_weights_zero),
        arena_test(test_extreme_state),
        arena_test(test_constant_rewards),
        arena_test(test_rewards_far_from_0),
        arena_test(test_weights_give_the_value),
        arena_test(test_a_value_that_was_cut),
        arena_test(test_chain_says_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
