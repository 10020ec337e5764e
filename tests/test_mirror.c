/* test_mirror.c - A log and its mirror image. The oracle is the log with the mirrored rows written
 * out by hand, and the physics of the environments. */
#include "logs.h"

#include <math.h>

#include "dataset/mirror.h"
#include "env/simulate.h"
#include "policy/kind.h"
#include "problem/folds.h"
#include "problem/symmetry.h"
#include "trust/clusters.h"
#include "trust/subset.h"

static bf_dataset read_with(logs *l, const char *text, const char *mirror) {
    bf_dataset data;
    bf_read_options options = {.mirror = mirror, .size = sizeof options};
    const char *path = logs_write(l, "log.csv", text, strlen(text));
    assert_ok(bf__dataset_read(&data, &path, 1, &options, NULL, l->arena, &l->err), l->err);
    return data;
}

static void same_column(const bf_dataset *a, const bf_dataset *b, const char *name) {
    bf_array x, y;
    bool has = bf_dataset_column(&x, a, name);
    assert_int_equal(bf_dataset_column(&y, b, name), has);
    if (!has)
        return;
    int64_t each = x.type == BF_FLOAT64 ? 8 : x.type == BF_INT32 ? 4 : 1, width = 1;
    assert_int_equal(x.ndim, y.ndim);
    for (int k = 0; k < x.ndim; k++) {
        assert_int_equal(x.shape[k], y.shape[k]);
        width *= x.shape[k];
    }
    assert_memory_equal(x.data, y.data, (size_t)(width * each));
}

static void same_log(const bf_dataset *a, const bf_dataset *b) {
    static const char *const names[] = {"s",          "ns",        "a",      "r",
                                        "terminated", "truncated", "weight", "duration",
                                        "mu",         "mu_all",    "mask"};
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->actions, b->actions);
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->episodes, b->episodes);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        same_column(a, b, names[k]);
    for (int64_t e = 0; e <= a->episodes && a->begin; e++)
        assert_int_equal(a->begin[e], b->begin[e]);
    for (int64_t i = 0; i < a->n && a->begin; i++)
        assert_int_equal(a->order[i], b->order[i]);
}

/* Every column of a log of numbered actions, with signs, ends counted from, and places changed. */
static void written_by_hand(void **state) {
    logs *l = *state;
    bf_dataset a = read_with(l,
                             "episode,s0,s1,s2,a,r,ns0,ns1,ns2,terminated,weight,duration,mu0,mu1,"
                             "mu2,mask0,mask1,mask2\n"
                             "7,1,2,3,0,.5,1.5,2,4,0,2,.5,.2,.8,0,0,0,1\n"
                             "7,1.5,2,4,1,-1,0,1,5,1,2,.5,.1,.8,.1,0,0,0\n"
                             "8,-3,0,9,2,4,-2,1,1,0,1,2,0,.4,.6,1,0,0\n",
                             "s0=-s0, s1=s2, a=2-a");
    bf_dataset b = logs_good(l, "episode,s0,s1,s2,a,r,ns0,ns1,ns2,terminated,weight,duration,mu0,"
                                "mu1,mu2,mask0,mask1,mask2\n"
                                "7,1,2,3,0,.5,1.5,2,4,0,2,.5,.2,.8,0,0,0,1\n"
                                "70,-1,3,2,2,.5,-1.5,4,2,0,2,.5,0,.8,.2,1,0,0\n"
                                "7,1.5,2,4,1,-1,0,1,5,1,2,.5,.1,.8,.1,0,0,0\n"
                                "70,-1.5,4,2,1,-1,0,5,1,1,2,.5,.1,.8,.1,0,0,0\n"
                                "8,-3,0,9,2,4,-2,1,1,0,1,2,0,.4,.6,1,0,0\n"
                                "80,3,9,0,0,4,2,1,1,0,1,2,.6,.4,0,0,0,1\n");
    /* Episodes of b are 7, 8, 70, 80 in the order of ids: those of a are in pairs. */
    const int64_t pair[] = {0, 2, 1, 3};
    assert_int_equal(a.n, b.n);
    assert_int_equal(a.episodes, 4);
    for (int e = 0; e < 4; e++)
        for (int64_t j = 0; j < a.begin[e + 1] - a.begin[e]; j++)
            assert_int_equal(a.order[a.begin[e] + j], b.order[b.begin[pair[e]] + j]);
    b.begin = a.begin;
    b.order = a.order;
    same_log(&a, &b);
    assert_true(bf_dataset_mirrored(&a));
    char where[256], name[32];
    assert_non_null(strstr(bf_dataset_where(&a, 5, where, sizeof where), "log.csv:4"));
    assert_string_equal(bf_dataset_episode_name(&a, 3, name, sizeof name), "8");
}

/* Actions that are vectors; a shift; two columns with signs. */
static void vectors(void **state) {
    logs *l = *state;
    bf_dataset a = read_with(l, "s0,s1,a0,a1,r,ns0,ns1\n1,2,3,4,5,6,7\n", "s0=9-s0,a0=-a1");
    bf_dataset b = logs_good(l, "s0,s1,a0,a1,r,ns0,ns1\n1,2,3,4,5,6,7\n8,2,-4,-3,5,3,7\n");
    same_log(&a, &b);
    a = read_with(l, "s0,s1,a0,r,ns0,ns1\n1,2,3,5,6,7\n", "s0=4+s1,a=1.5-a");
    b = logs_good(l, "s0,s1,a0,r,ns0,ns1\n1,2,3,5,6,7\n6,-3,-1.5,5,11,2\n");
    same_log(&a, &b);
}

/* Names of actions and of states; finite states that are counted from the other end; actions that
 * the log has not shown. */
static void names(void **state) {
    logs *l = *state;
    bf_dataset a = read_with(l, "s,a,r,ns\nup,left,1,down\ndown,stay,2,up\nup,right,3,hall\n",
                             "a:left=right,s:up=down");
    bf_dataset b = logs_good(l, "s,a,r,ns\nup,left,1,down\ndown,right,1,up\ndown,stay,2,up\n"
                                "up,stay,2,down\nup,right,3,hall\ndown,left,3,hall\n");
    char text[2][64];
    assert_int_equal(a.n, b.n);
    for (int64_t i = 0; i < a.n; i++) {
        assert_string_equal(bf_dataset_action_name(&a, a.action[i], text[0], 64),
                            bf_dataset_action_name(&b, b.action[i], text[1], 64));
        assert_string_equal(bf_dataset_state_label(&a, (int64_t)a.state[i], text[0], 64),
                            bf_dataset_state_label(&b, (int64_t)b.state[i], text[1], 64));
        assert_string_equal(bf_dataset_state_label(&a, (int64_t)a.next_state[i], text[0], 64),
                            bf_dataset_state_label(&b, (int64_t)b.next_state[i], text[1], 64));
    }
    a = read_with(l, "s,a,r,ns\n0,0,1,2\n1,0,2,0\n", "s=4-s,a=1-a");
    b = logs_good(l, "s,a,r,ns\n0,0,1,2\n4,1,1,2\n1,0,2,0\n3,1,2,4\n");
    same_log(&a, &b);
    a = read_with(l, "s,a,r,ns\n0,0,1,2\n1,0,2,0\n", "s:1=2,a:0=1");
    b = logs_good(l, "s,a,r,ns\n0,0,1,2\n0,1,1,1\n1,0,2,0\n2,1,2,0\n");
    same_log(&a, &b);
}

/* What the estimators and intervals make of it is what they make of the log written out, with a
 * column that says which episodes are one cluster. */
static void same_answers(void **state) {
    logs *l = *state;
    static const char *const methods[] = {"blackbox", "lstdq", "pdis", "naive"};
    char *text = bf_arena_alloc(l->arena, 1 << 20, 1, &l->err), *by_hand;
    size_t used, used_by_hand;
    by_hand = bf_arena_alloc(l->arena, 1 << 20, 1, &l->err);
    bf_rng rng = bf_rng_make(5, "mirror", 0);
    used = (size_t)sprintf(text, "episode,t,s0,s1,a,r,ns0,ns1,terminated,mu,pair\n");
    used_by_hand = (size_t)sprintf(by_hand, "%s", text);
    for (int e = 0; e < 8; e++) {
        double x = bf_rng_normal(&rng), y = bf_rng_normal(&rng);
        for (int t = 0; t < 30; t++) {
            int a = (int)bf_rng_below(&rng, 2), end = t == 29 && e % 2;
            double nx = 0.8 * x + 0.4 * (2 * a - 1) + 0.1 * y + 0.2 * bf_rng_normal(&rng);
            double ny = 0.7 * y + 0.3 * x, r = nx * nx;
            used +=
                (size_t)sprintf(text + used, "%d,%d,%.17g,%.17g,%d,%.17g,%.17g,%.17g,%d,.5,%d\n", e,
                                t, x, y, a, r, nx, ny, end, e);
            for (int m = 0; m < 2; m++) {
                double k = m ? -1 : 1;
                used_by_hand += (size_t)sprintf(
                    by_hand + used_by_hand, "%d,%d,%.17g,%.17g,%d,%.17g,%.17g,%.17g,%d,.5,%d\n",
                    2 * e + m, t, k * x, k * y, m ? 1 - a : a, r, k * nx, k * ny, end, e);
            }
            x = nx;
            y = ny;
        }
    }
    bf_dataset both[2];
    const char *paths[2] = {logs_write(l, "one.csv", text, used),
                            logs_write(l, "hand.csv", by_hand, used_by_hand)};
    bf_read_options options = {
        .keep = "pair", .mirror = "s0=-s0,s1=-s1,a:0=1", .size = sizeof options};
    for (int k = 0; k < 2; k++, options.mirror = NULL)
        assert_ok(bf__dataset_read(&both[k], &paths[k], 1, &options, NULL, l->arena, &l->err),
                  l->err);
    same_log(&both[0], &both[1]);
    const bf_policy *policy;
    assert_ok(bf_policy_parse(&policy, "uniform", 2, l->arena, &l->err), l->err);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        double value[2];
        bf_interval interval[2];
        for (int k = 0; k < 2; k++) {
            const bf_estimator *method = bf_estimator_find(methods[m]);
            const bf_estimate *estimate;
            const bf_trust *trust;
            bf_trust_options how;
            assert_ok(bf_options_init(&bf_trust_table, &how, &l->err), l->err);
            how.cluster = k ? "pair" : NULL;
            bf_problem problem = {.gamma = 0.9, .size = sizeof problem};
            assert_ok(bf_policy_apply(&problem.data, policy, &both[k], l->arena, &l->err), l->err);
            assert_ok(bf_estimator_run(&estimate, method, &problem, NULL, NULL, l->arena, &l->err),
                      l->err);
            assert_ok(bf_trust_measure(&trust, estimate, method, &problem, NULL, &how, NULL,
                                       l->arena, &l->err),
                      l->err);
            value[k] = bf_estimate_value(estimate);
            assert_true(bf_trust_interval(trust, &interval[k]));
        }
        assert_true(value[0] == value[1]);
        assert_true(interval[0].low == interval[1].low && interval[0].high == interval[1].high);
    }
}

/* A row and its mirror are in one cluster and in one fold, whatever those are. */
static void kept_together(void **state) {
    logs *l = *state;
    bf_dataset episodes = read_with(l,
                                    "episode,s0,s1,a,r,ns0,ns1\n1,0,0,0,0,1,1\n1,1,1,1,0,2,2\n"
                                    "1,2,2,1,0,2,2\n2,5,5,0,0,4,4\n3,7,7,0,0,4,4\n",
                                    "s0=-s0");
    bf_dataset bag = read_with(
        l, "s0,s1,a,r,ns0,ns1\n0,0,0,0,1,1\n1,1,1,0,2,2\n2,2,1,0,2,2\n5,5,0,0,4,4\n", "s0=-s0");
    bag.begin = bag.order = NULL;
    bag.episodes = 0;
    const struct {
        const bf_dataset *data;
        int64_t block, count;
    } cases[] = {{&episodes, 0, 3}, {&episodes, 2, 4}, {&bag, 2, 2}, {&bag, 3, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const bf_dataset *data = cases[k].data;
        bf__clusters clusters;
        const int32_t *fold;
        assert_ok(bf__clusters_make(&clusters, data, NULL, NULL, cases[k].block, l->arena, &l->err),
                  l->err);
        assert_int_equal(clusters.count, cases[k].count);
        for (int folds = 2; folds < 5; folds++) {
            assert_ok(bf__folds_make(&fold, data, folds, "test", NULL, l->arena, &l->err), l->err);
            for (int64_t i = 0; i < data->n; i += 2) {
                assert_int_equal(clusters.of[i], clusters.of[i + 1]);
                assert_int_equal(fold[i], fold[i + 1]);
            }
        }
        /* A part of the log is still one of pairs. */
        const int32_t part[] = {0, 1, 0, 1};
        bf_dataset some;
        assert_ok(bf__subset(&some, data, &clusters, part, 1, l->arena, &l->err), l->err);
        assert_true(some.mirrored && some.n > 0);
        for (int64_t i = 0; i < some.n; i += 2)
            assert_true(some.state[i] == -some.state[i + 1] &&
                        some.state[some.n + i] == some.state[some.n + i + 1]);
        for (int64_t e = 0; e < some.episodes; e += 2)
            assert_int_equal(some.order[some.begin[e]] + 1, some.order[some.begin[e + 1]]);
    }
}

/* The control problems look the same from the other side: a step from the mirrored state is the
 * mirror of the step. */
static void physics(void **state) {
    logs *l = *state;
    static const struct {
        const char *env, *mirror;
        double sign[6];
        int inner, actions;
    } problems[] = {
        {"cartpole", "s0=-s0,s1=-s1,s2=-s2,s3=-s3,a:0=1", {-1, -1, -1, -1}, 4, 2},
        {"pendulum", "s0=-s0,s1=-s1,a=4-a", {-1, -1}, 2, 5},
        {"acrobot", "s1=-s1,s3=-s3,s4=-s4,s5=-s5,a=2-a", {1, -1, 1, -1, -1, -1}, 4, 3},
    };
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++) {
        const bf_env *env = bf_env_find(problems[k].env);
        const bf_policy *policy;
        bf_dataset log, both;
        assert_ok(bf_env_policy_parse(&policy, env, "uniform", 1, l->arena, &l->err), l->err);
        bf_simulation simulation = {
            .env = env, .behaviors = &policy, .behavior_count = 1, .trajectories = 3, .steps = 40};
        assert_ok(bf__simulate(&log, &simulation, NULL, l->arena, &l->err), l->err);
        assert_ok(bf__dataset_mirror(&both, &log, problems[k].mirror, l->arena, &l->err), l->err);
        assert_int_equal(env->state_dim, log.state_dim);
        bf_rng rng = bf_rng_make(3, "physics", 0);
        for (int step = 0; step < 200; step++) {
            double here[BF_ENV_MAX_DIM], there[BF_ENV_MAX_DIM], seen[2][BF_ENV_MAX_DIM], reward[2];
            int action = (int)bf_rng_below(&rng, env->actions);
            env->reset(here, &rng);
            for (int j = 0; j < problems[k].inner; j++) {
                here[j] += 0.15 * bf_rng_normal(&rng);
                there[j] = -here[j];
            }
            bool end = env->step(here, action, BF_REWARDS_PAPER, &rng, &reward[0]);
            bool other = env->step(there, problems[k].actions - 1 - action, BF_REWARDS_PAPER, &rng,
                                   &reward[1]);
            env->observe(here, seen[0]);
            env->observe(there, seen[1]);
            assert_int_equal(end, other);
            assert_near(reward[0], reward[1], 1e-9);
            for (int j = 0; j < env->state_dim; j++)
                assert_near(seen[0][j], problems[k].sign[j] * seen[1][j], 1e-9);
        }
        for (int64_t i = 0; i < both.n; i += 2) {
            assert_int_equal(both.action[i] + both.action[i + 1], problems[k].actions - 1);
            for (int j = 0; j < both.state_dim; j++)
                assert_true(both.state[j * both.n + i] ==
                            problems[k].sign[j] * both.state[j * both.n + i + 1]);
        }
    }
}

/* The log of a pole says whether a mirror is right. */
static void checked_against_the_log(void **state) {
    logs *l = *state;
    static const struct {
        const char *mirror;
        bool right;
    } cases[] = {{"s0=-s0,s1=-s1,s2=-s2,s3=-s3,a:0=1", true},
                 {"s0=-s0,s1=-s1,s2=-s2,s3=-s3", false},
                 {"s0=-s0,s1=-s1,s3=-s3,a:0=1", false},
                 {"s1=-s1,s2=-s2,s3=-s3,a:0=1", false}};
    const bf_env *env = bf_env_find("cartpole");
    const bf_policy *policy;
    bf_dataset log, both;
    assert_ok(bf_env_policy_parse(&policy, env, "trained@0.5", 1, l->arena, &l->err), l->err);
    bf_simulation simulation = {
        .env = env, .behaviors = &policy, .behavior_count = 1, .trajectories = 12, .steps = 100};
    assert_ok(bf__simulate(&log, &simulation, NULL, l->arena, &l->err), l->err);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bf_problem problem = {.data = &both, .gamma = 1};
        bf__points points;
        bf__symmetry found;
        assert_ok(bf__dataset_mirror(&both, &log, cases[k].mirror, l->arena, &l->err), l->err);
        assert_ok(bf__policy_apply(policy, &both, l->arena, &l->err), l->err);
        assert_ok(bf__points_make(&points, &problem, "none", "none", NULL, l->arena, &l->err),
                  l->err);
        assert_ok(bf__symmetry_look(&found, &points, &both, l->arena, &l->err), l->err);
        assert_true(found.compared > 60);
        assert_true(cases[k].right ? found.excess < 2 : found.excess > 20);
        assert_non_null(found.of);
    }
    /* A log on one side alone has nothing to compare with. */
    double *side = (double *)(uintptr_t)log.state, *next = (double *)(uintptr_t)log.next_state;
    for (int64_t i = 0; i < log.n; i++) {
        side[i] += 100;
        next[i] += 100;
    }
    bf_problem problem = {.data = &both, .gamma = 1};
    bf__points points;
    bf__symmetry found;
    assert_ok(bf__dataset_mirror(&both, &log, "s0=-s0", l->arena, &l->err), l->err);
    assert_ok(bf__policy_apply(policy, &both, l->arena, &l->err), l->err);
    assert_ok(bf__points_make(&points, &problem, "none", "none", NULL, l->arena, &l->err), l->err);
    assert_ok(bf__symmetry_look(&found, &points, &both, l->arena, &l->err), l->err);
    assert_true(found.compared < 10 && isnan(found.excess));
}

/* The target is asked in mirrored states; what the log says of it is not taken over. */
static void target_is_asked(void **state) {
    logs *l = *state;
    bf_dataset a = read_with(l, "s,a,r,ns,npi0,npi1\n0,0,1,1,.5,.5\n1,0,2,0,.9,.1\n", "s=1-s");
    const bf_estimate *estimate;
    const bf_dataset *twice;
    bf_problem problem = {.data = &a, .gamma = 1, .size = sizeof problem};
    assert_null(a.npi);
    assert_int_equal(bf_estimator_run(&estimate, bf_estimator_find("blackbox"), &problem, NULL,
                                      NULL, l->arena, &l->err),
                     BF_ENEEDS);
    assert_non_null(strstr(l->err.message, "give the policy itself"));
    assert_int_equal(bf_dataset_mirror(&twice, &a, "s=1-s", l->arena, &l->err), BF_EUSAGE);
    assert_non_null(strstr(l->err.message, "already"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(written_by_hand, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(vectors, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(names, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(same_answers, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(kept_together, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(physics, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(checked_against_the_log, logs_setup, logs_teardown),
        cmocka_unit_test_setup_teardown(target_is_asked, logs_setup, logs_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
