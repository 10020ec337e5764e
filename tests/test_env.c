/* test_env.c - Environments: against Gymnasium's own steps, against exact values, and whether what
 * each one declares is what it does. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env/acrobot.h"
#include "env/exact.h"

#define PI 3.14159265358979323846

static const char *const classic[] = {"pendulum", "mountaincar", "cartpole", "acrobot"};

/* ---- Gymnasium */

/* The numbers of the next line of `file`; how many there were. */
static int read_line(FILE *file, double *values, int room) {
    char line[1024];
    if (!fgets(line, sizeof line, file))
        return 0;
    int count = 0;
    for (char *at = line; *at && *at != '\n' && count < room; at++) {
        values[count++] = strtod(at, &at);
        if (*at != ',')
            break;
    }
    return count;
}

static FILE *fixture(const char *name, const char *suffix) {
    char path[512];
    snprintf(path, sizeof path, FIXTURES "/gymnasium/%s%s.csv", name, suffix);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s: cannot be opened", path);
    return file;
}

static void steps_are_those_of_gymnasium(void **unused) {
    (void)unused;
    for (int e = 0; e < 4; e++) {
        const bf_env *env = bf_env_find(classic[e]);
        FILE *file = fixture(classic[e], "");
        int d = env->inner_dim, lines = 0, ends = 0;
        double row[16];
        while (read_line(file, row, 16) == 2 * d + 3) {
            double state[BF_ENV_MAX_DIM], reward;
            memcpy(state, row, (size_t)d * sizeof *row);
            bool terminal = env->step(state, (int)row[d], BF_REWARDS_GYMNASIUM, NULL, &reward);
            for (int j = 0; j < d; j++) {
                double want = row[d + 1 + j];
                assert_near(state[j], want, 1e-12 * fmax(1, fabs(want)));
            }
            assert_near(reward, row[2 * d + 1], 1e-12 * fmax(1, fabs(row[2 * d + 1])));
            assert_int_equal(terminal, row[2 * d + 2]);
            lines++;
            ends += terminal;
        }
        fclose(file);
        assert_int_equal(lines, 1000);
        assert_true(e == 0 ? ends == 0 : ends > 20); /* the fixture meets what it should */
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest gap between the distribution functions of two sorted samples. */
static double gap(const double *a, int n, const double *b, int m) {
    double widest = 0;
    for (int i = 0, j = 0; i < n && j < m;) {
        double at = a[i] < b[j] ? a[i] : b[j];
        while (i < n && a[i] <= at)
            i++;
        while (j < m && b[j] <= at)
            j++;
        widest = fmax(widest, fabs((double)i / n - (double)j / m));
    }
    return widest;
}

/* Kolmogorov-Smirnov, 200 against 2,000: 1.95 sqrt(1/200 + 1/2000) is passed once in a thousand.
 * The ranges themselves are checked too: all within, and both ends nearly reached. */
static void starts_are_those_of_gymnasium(void **unused) {
    (void)unused;
    static const double reach[][4] = {{PI, 1}, {0.1, 0}, {.05, .05, .05, .05}, {.1, .1, .1, .1}};
    static const double middle[][4] = {{0, 0}, {-0.5, 0}, {0}, {0}};
    enum { THEIRS = 200, OURS = 2000 };
    for (int e = 0; e < 4; e++) {
        const bf_env *env = bf_env_find(classic[e]);
        static double theirs[4][THEIRS], ours[4][OURS];
        FILE *file = fixture(classic[e], "_reset");
        double row[8];
        for (int i = 0; i < THEIRS; i++) {
            assert_int_equal(read_line(file, row, 8), env->inner_dim);
            for (int j = 0; j < env->inner_dim; j++)
                theirs[j][i] = row[j];
        }
        fclose(file);
        bf_rng rng = bf_rng_make(3, "test", (uint64_t)e);
        for (int i = 0; i < OURS; i++) {
            env->reset(row, &rng);
            for (int j = 0; j < env->inner_dim; j++)
                ours[j][i] = row[j];
        }
        for (int j = 0; j < env->inner_dim; j++) {
            qsort(theirs[j], THEIRS, sizeof(double), ascending);
            qsort(ours[j], OURS, sizeof(double), ascending);
            double low = middle[e][j] - reach[e][j], high = middle[e][j] + reach[e][j];
            assert_true(ours[j][0] >= low && ours[j][OURS - 1] <= high);
            assert_near(ours[j][0], low, 0.01 * reach[e][j]);
            assert_near(ours[j][OURS - 1], high, 0.01 * reach[e][j]);
            assert_true(gap(theirs[j], THEIRS, ours[j], OURS) <
                        1.95 * sqrt(1.0 / 200 + 1.0 / 2000));
        }
    }
}

/* ---- Runs of several steps, from independent double-precision code */

static double run(const char *name, double *state, const int *actions, int period, int steps) {
    const bf_env *env = bf_env_find(name);
    double sum = 0, reward;
    for (int t = 0; t < steps; t++) {
        env->step(state, actions[t % period], BF_REWARDS_GYMNASIUM, NULL, &reward);
        sum += reward;
    }
    return sum;
}

static void assert_state(const double *state, const double *want, int d) {
    for (int j = 0; j < d; j++)
        assert_near(state[j], want[j], 1e-12);
}

static void runs_end_where_they_should(void **unused) {
    (void)unused;
    double swing[] = {1, 0.5};
    double sum = run("pendulum", swing, (int[]){4, 1, 2, 3, 0, 4, 4, 4, 4, 4}, 10, 10);
    assert_state(swing, (double[]){3.34723162009841, 8}, 2);
    assert_near(sum, -54.8306868922799, 1e-12);

    double car[] = {-0.5, 0};
    run("mountaincar", car, (int[]){2, 2, 0, 1, 2}, 5, 20);
    assert_state(car, (double[]){-0.462548710288759, 0.00227999145449503}, 2);

    double pole[] = {.01, -.02, .03, .04};
    run("cartpole", pole, (int[]){0, 1}, 2, 10);
    assert_state(
        pole,
        (double[]){-0.0140178186173910, -0.0268407016001441, 0.0784775845360612, 0.191445587374163},
        4);

    double links[] = {.05, -.05, .1, -.1};
    run("acrobot", links, (int[]){2, 2, 1, 0, 0}, 5, 10);
    assert_state(
        links,
        (double[]){0.0435150186806234, -0.175852212566590, 0.128204625933627, -0.502517704031056},
        4);
    double nips[] = {.05, -.05, .1, -.1};
    for (int t = 0; t < 10; t++)
        bf__acrobot_move(nips, (double[]){1, 1, 0, -1, -1}[t % 5], false);
    assert_state(
        nips,
        (double[]){0.0438775371061628, -0.176065246962614, 0.129521214375196, -0.505874346768823},
        4);
}

static void pushing_with_the_velocity_gets_out_of_the_valley(void **unused) {
    (void)unused;
    const bf_env *env = bf_env_find("mountaincar");
    double state[] = {-0.5, 0}, p[3], reward;
    int steps = 0;
    bool there = false;
    while (!there && steps < 1000) {
        env->policies[0].probabilities(state, p);
        there = env->step(state, p[2] == 1 ? 2 : 0, BF_REWARDS_PAPER, NULL, &reward);
        assert_true(reward == (there ? 100 : -1));
        steps++;
    }
    assert_int_equal(steps, 124);
    assert_state(state, (double[]){0.534949982565574, 0.0481909779286651}, 2);
}

static void rewards_of_the_paper_mark_the_end(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        double state[4], usual[4];
        double paper, gymnasium, step;
    } cases[] = {
        {"mountaincar", {0.499, 0.05}, {-0.5, 0}, 100, -1, -1},
        {"cartpole", {2.399, 1, 0, 0}, {0}, -100, 1, 1},
        {"cartpole", {0, 0, 0.209, 1}, {0}, -100, 1, 1},
        {"acrobot", {PI, 0, 0, 0}, {0}, 100, 0, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bf_env *env = bf_env_find(cases[i].name);
        double state[4], reward;
        for (int kind = 0; kind < 2; kind++) {
            bf_rewards rewards = kind == 0 ? BF_REWARDS_PAPER : BF_REWARDS_GYMNASIUM;
            memcpy(state, cases[i].state, sizeof state);
            assert_true(env->step(state, 1, rewards, NULL, &reward));
            assert_true(reward == (kind == 0 ? cases[i].paper : cases[i].gymnasium));
            memcpy(state, cases[i].usual, sizeof state);
            assert_false(env->step(state, 1, rewards, NULL, &reward));
            assert_true(reward == cases[i].step);
        }
    }
}

static void pendulum_is_seen_with_its_angle_wrapped(void **unused) {
    (void)unused;
    const bf_env *env = bf_env_find("pendulum");
    for (double theta = -20; theta < 20; theta += 0.37) {
        double seen[2];
        env->observe((double[]){theta, 1.5}, seen);
        assert_true(seen[0] >= -PI && seen[0] < PI && seen[1] == 1.5);
        assert_near(sin(seen[0]), sin(theta), 1e-13);
        assert_near(cos(seen[0]), cos(theta), 1e-13);
    }
}

/* ---- Finite ones */

static double exact(const char *name, const char *spec, double gamma, double *visits) {
    bf_error err;
    bf_arena *arena;
    const bf_policy *policy;
    double value;
    const bf_env *env = bf_env_find(name);
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    assert_ok(bf_env_policy_parse(&policy, env, spec, 1, arena, &err), err);
    assert_ok(bf__exact_value(&value, env, policy, gamma, visits, arena, &err), err);
    bf_arena_destroy(arena);
    return value;
}

static void exact_values_are_the_known_ones(void **unused) {
    (void)unused;
    assert_near(exact("modelwin", "target", 1, NULL), -0.08, 1e-14);
    assert_near(exact("modelwin", "behavior", 1, NULL), -0.04, 1e-14);
    for (int k = 0; k < 10; k++)
        assert_near(exact("modelwin", "target", 0.1 * k, NULL), -0.16 / (1 + 0.1 * k), 1e-14);
    for (double gap = 1e-3; gap > 2e-16; gap /= 10) /* as near to 1 as a number can be */
        assert_near(exact("modelwin", "target", 1 - gap, NULL), -0.16 / (2 - gap), 1e-14);
    assert_near(exact("gridwalk", "greedy@0.9", 1, NULL), 0.9897623, 5e-8);
    assert_near(exact("gridwalk", "greedy@0.6", 1, NULL), 0.9354699, 5e-8);
    assert_near(exact("gridwalk", "greedy@0.3", 1, NULL), 0.7781742, 5e-8);
    static const double chain[] = {.22755494, .11368444, .10707364, .09496983, .08896937,
                                   .07618741, .07094044, .05732126, .05300455, .03835176,
                                   .03518349, .01925465, .01750423};
    double visits[13], reward = 0;
    double value = exact("boyan", "uniform", 1, visits);
    for (int s = 0; s < 13; s++) {
        assert_near(visits[s], chain[s], 5e-9);
        reward += chain[s] * (s >= 2 ? -3 : s == 1 ? -2 : 0);
    }
    assert_near(value, reward, 1e-7);
    double rungs[12], climbed = 0, all = 0; /* 0.6 / 0.4 = 1.5 from rung to rung */
    value = exact("ladder", "climber", 1, rungs);
    for (int s = 0; s < 12; s++) {
        assert_near(rungs[s], rungs[0] * pow(1.5, s), 1e-14);
        climbed += pow(1.5, s) * s / 11;
        all += pow(1.5, s);
    }
    assert_near(value, climbed / all, 1e-14);
}

/* The discounted value near gamma = 1 goes to the average; and equals a plain sum over time. */
static void exact_discounted_values_are_sums_over_time(void **unused) {
    (void)unused;
    const bf_env *env = bf_env_find("boyan");
    double p[13 * 2 * 13], r[13 * 2], d[13], sum = 0, discount = 1;
    const double gamma = 0.95;
    env->model(p, r, d);
    for (int t = 0; t < 2000; t++, discount *= gamma) {
        double next[13] = {0};
        for (int s = 0; s < 13; s++) {
            sum += (1 - gamma) * discount * d[s] * r[s * 2];
            for (int to = 0; to < 13; to++)
                next[to] += d[s] * p[s * 2 * 13 + to];
        }
        memcpy(d, next, sizeof d);
    }
    assert_near(exact("boyan", "uniform", gamma, NULL), sum, 1e-12);
    assert_near(exact("boyan", "uniform", 1 - 1e-9, NULL), exact("boyan", "uniform", 1, NULL),
                1e-6);
    assert_near(exact("boyan", "uniform", 1 - 1e-14, NULL), exact("boyan", "uniform", 1, NULL),
                1e-11);
}

static void models_say_what_steps_do(void **unused) {
    (void)unused;
    enum { DRAWS = 4000 };
    for (int e = 0; bf_env_at(e); e++) {
        const bf_env *env = bf_env_at(e);
        if (!env->model)
            continue;
        int64_t n = env->states, cells = n * env->actions;
        double *p = calloc((size_t)(cells * n), sizeof *p), *r = calloc((size_t)cells, sizeof *r);
        double *p0 = calloc((size_t)n, sizeof *p0), *seen = calloc((size_t)n, sizeof *seen);
        env->model(p, r, p0);
        bf_rng rng = bf_rng_make(5, "test", 0);
        for (int64_t cell = -1; cell < cells; cell++) { /* -1: the start */
            const double *law = cell < 0 ? p0 : p + cell * n;
            double total = 0, mean = 0;
            memset(seen, 0, (size_t)n * sizeof *seen);
            for (int i = 0; i < DRAWS / (n > 20 ? 4 : 1); i++) {
                double state = (double)(cell / env->actions), reward = 0;
                if (cell < 0)
                    env->reset(&state, &rng);
                else
                    assert_false(env->step(&state, (int)(cell % env->actions), BF_REWARDS_PAPER,
                                           &rng, &reward));
                assert_true(state >= 0 && state < (double)n && state == floor(state));
                seen[(int)state]++;
                total++;
                mean += reward;
            }
            double sum = 0;
            for (int64_t to = 0; to < n; to++) {
                sum += law[to];
                assert_true(law[to] >= 0 && (law[to] > 0 || seen[to] == 0));
                assert_near(seen[to] / total, law[to],
                            5 * sqrt(law[to] * (1 - law[to]) / total) + 1e-12);
            }
            assert_near(sum, 1, 1e-12);
            if (cell >= 0)
                assert_near(mean / total, r[cell], 5 / sqrt(total));
        }
        free(p);
        free(r);
        free(p0);
        free(seen);
    }
}

/* ---- All of them, and their policies */

/* At one state each of the policies, up to a NULL, is a distribution over the actions. */
static void assert_policies_sum_to_one(const bf_env *env, const bf_policy *const *policies,
                                       const double *seen) {
    double p[BF_ENV_MAX_ACTIONS];
    bf_error err;
    for (; *policies; policies++) {
        double sum = 0;
        assert_ok(bf_policy_probabilities(*policies, seen, env->state_dim, 1, p, &err), err);
        for (int a = 0; a < env->actions; a++)
            sum += p[a];
        assert_near(sum, 1, 1e-15);
    }
}

static void environments_are_what_they_declare(void **unused) {
    (void)unused;
    bf_error err;
    bf_arena *arena;
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    assert_null(bf_env_at(-1));
    assert_null(bf_env_find("nowhere"));
    for (int e = 0; bf_env_at(e); e++) {
        const bf_env *env = bf_env_at(e);
        assert_ptr_equal(bf_env_find(env->name), env);
        assert_true(env->inner_dim <= BF_ENV_MAX_DIM && env->state_dim <= BF_ENV_MAX_DIM);
        assert_true(env->actions >= 1 && env->actions <= BF_ENV_MAX_ACTIONS && env->limit > 0);
        assert_int_equal(env->states > 0, env->model != NULL);
        bf_rng rng = bf_rng_make(1, "test", 0);
        double state[BF_ENV_MAX_DIM + 1], seen[BF_ENV_MAX_DIM + 1], reward;
        const bf_policy *policies[8] = {NULL};
        for (int k = 0; env->policies && env->policies[k].name; k++) {
            const bf_env_policy *entry = &env->policies[k];
            assert_true(k < 7 && (entry->probabilities == NULL) == (entry->network != NULL));
            assert_ok(bf_env_policy_parse(&policies[k], env, entry->name, 1, arena, &err), err);
        }
        state[env->inner_dim] = seen[env->state_dim] = 12345; /* not to be touched */
        env->reset(state, &rng);
        for (int t = 0; t < 3000; t++) {
            env->observe(state, seen);
            for (int j = 0; j < env->state_dim; j++)
                assert_true(isfinite(seen[j]) && env->state_names[j][0]);
            assert_policies_sum_to_one(env, policies, seen);
            int action = (int)bf_rng_below(&rng, env->actions);
            if (env->step(state, action, BF_REWARDS_PAPER, &rng, &reward))
                env->reset(state, &rng);
            assert_true(isfinite(reward));
        }
        assert_true(state[env->inner_dim] == 12345 && seen[env->state_dim] == 12345);
    }
    bf_arena_destroy(arena);
}

/* `trained` is the file in policies/: every byte of it, and every answer. */
static void trained_is_the_file(void **unused) {
    (void)unused;
    enum { N = 2000 };
    static double states[BF_ENV_MAX_DIM * N], p[BF_ENV_MAX_ACTIONS * N], q[BF_ENV_MAX_ACTIONS * N];
    static char text[1 << 16];
    bf_error err;
    bf_arena *arena;
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    for (size_t e = 0; e < sizeof classic / sizeof *classic; e++) {
        const bf_env *env = bf_env_find(classic[e]);
        const bf_env_policy *entry = env->policies;
        const bf_policy *trained, *from_file;
        char path[512];
        while (strcmp(entry->name, "trained") != 0)
            assert_non_null((++entry)->name);
        snprintf(path, sizeof path, POLICIES "/%s.policy", env->name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        assert_string_equal(entry->network, text);

        bf_rng rng = bf_rng_make(1, "test", 0);
        for (int i = 0; i < N * env->state_dim; i++)
            states[i] = bf_rng_between(&rng, -1, 1);
        assert_ok(bf_env_policy_parse(&trained, env, "trained@0.9", 1, arena, &err), err);
        assert_ok(bf_env_policy_parse(&from_file, env, path, 0.9, arena, &err), err);
        assert_ok(bf_policy_probabilities(trained, states, env->state_dim, N, p, &err), err);
        assert_ok(bf_policy_probabilities(from_file, states, env->state_dim, N, q, &err), err);
        assert_memory_equal(p, q, (size_t)(N * env->actions) * sizeof *p);
        double least = 1, most = 0; /* of an action's probability: it is not the uniform policy */
        for (int i = 0; i < N; i++) {
            least = fmin(least, p[i]);
            most = fmax(most, p[i]);
        }
        assert_near(least, 0.1 / env->actions, 1e-15);
        assert_near(most, 0.9 + 0.1 / env->actions, 1e-15);
    }
    bf_arena_destroy(arena);
}

static void policies_are_written_as_name_at_alpha(void **unused) {
    (void)unused;
    bf_error err;
    bf_arena *arena;
    const bf_policy *policy;
    const bf_env *env = bf_env_find("modelwin");
    double p[6];
    assert_ok(bf_arena_create(&arena, NULL, &err), err);
    assert_ok(bf_env_policy_parse(&policy, env, "target@0.5", 1, arena, &err), err);
    assert_ok(bf_policy_probabilities(policy, (double[]){0, 1, 2}, 1, 3, p, &err), err);
    assert_near(p[0], 0.5 * 0.9 + 0.25, 1e-15);
    assert_near(p[3], 0.5 * 0.1 + 0.25, 1e-15);
    assert_near(p[1] + p[4], 1, 1e-15);
    assert_ok(bf_env_policy_parse(&policy, env, "target", 0.5, arena, &err), err);
    double again[6];
    assert_ok(bf_policy_probabilities(policy, (double[]){0, 1, 2}, 1, 3, again, &err), err);
    assert_memory_equal(p, again, sizeof p);
    assert_ok(bf_env_policy_parse(&policy, env, "uniform", 1, arena, &err), err);
    assert_int_equal(bf_policy_actions(policy), 2);

    static const struct {
        const char *spec, *message;
        bf_status status;
    } bad[] = {
        {"tarqet",
         "'tarqet' is neither a file nor a policy that modelwin has (uniform, target, "
         "behavior)",
         BF_EPOLICY},
        {"target@1.5",
         "target@1.5: '1.5' after the @ is not a number from 0 to 1, the share of "
         "the policy in its mixture with the uniform one",
         BF_EUSAGE},
        {"target@",
         "target@: '' after the @ is not a number from 0 to 1, the share of the policy "
         "in its mixture with the uniform one",
         BF_EUSAGE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(bf_env_policy_parse(&policy, env, bad[i].spec, 1, arena, &err),
                         bad[i].status);
        assert_string_equal(err.message, bad[i].message);
    }
    bf_arena_destroy(arena);
}

/* The mean reward of a long run is that of the formula, for a policy that does not look at x. */
static void drift_has_its_exact_value(void **state) {
    (void)state;
    const bf_env *env = bf_env_find("drift");
    const double p[3] = {0.1, 0.2, 0.7};
    double m = p[2] - p[0], v = p[0] + p[2] - m * m, x, reward, sum = 0;
    double exact = -((0.25 * v + 0.09) / 0.36 + (2.5 * m - 1) * (2.5 * m - 1));
    bf_rng rng = bf_rng_make(3, "drift", 0);
    const int64_t steps = 1000000;
    env->reset(&x, &rng);
    assert_true(x == 0);
    for (int64_t t = 0; t < steps; t++) {
        assert_false(env->step(&x, bf_rng_choice(&rng, p, 1, 3), BF_REWARDS_PAPER, &rng, &reward));
        sum += reward / (double)steps;
    }
    assert_near(sum, exact, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_gymnasium),
        cmocka_unit_test(starts_are_those_of_gymnasium),
        cmocka_unit_test(runs_end_where_they_should),
        cmocka_unit_test(pushing_with_the_velocity_gets_out_of_the_valley),
        cmocka_unit_test(rewards_of_the_paper_mark_the_end),
        cmocka_unit_test(pendulum_is_seen_with_its_angle_wrapped),
        cmocka_unit_test(exact_values_are_the_known_ones),
        cmocka_unit_test(drift_has_its_exact_value),
        cmocka_unit_test(exact_discounted_values_are_sums_over_time),
        cmocka_unit_test(models_say_what_steps_do),
        cmocka_unit_test(environments_are_what_they_declare),
        cmocka_unit_test(trained_is_the_file),
        cmocka_unit_test(policies_are_written_as_name_at_alpha),
    };
    return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
