/* test_tabular.c - The black-box estimator with tabular weights against plain linear algebra. */
#include "mdp.h"

#include <stdio.h>

#include "finite/cells_qp.h"
#include "problem/cells.h"

TEST_ARENA;

static bf_estimate blackbox(const bf_dataset *data, double gamma, int terminal, int threads) {
    bf_estimate out;
    bf_problem problem = {data, gamma, terminal};
    bf_context context = {.threads = threads};
    assert_ok(bf__estimator_run(bf_estimator_find("blackbox"), &out, &problem, NULL, &context,
                                arena, &err),
              err);
    return out;
}

static double sum_of(const double *x, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

/* Exact frequencies in, exact value out, for every gamma. */
static void random_processes_are_solved_exactly(void **state) {
    (void)state;
    const double gammas[] = {1, 0, 0.5, 0.9, 0.99};
    for (int k = 0; k < 200; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(7, "random process", (uint64_t)k);
        mdp m = mdp_random((mdp_kind)(k % 4), &rng, arena);
        bf_dataset data = mdp_log(&m, 7, arena);
        double p0[MDP_MAX];
        mdp_starts(&data, m.states, p0);
        for (size_t g = 0; g < sizeof gammas / sizeof *gammas; g++) {
            bf_estimate out = blackbox(&data, gammas[g], BF_TERMINAL_RESTART, 1);
            assert_near(out.value, mdp_value(&m, gammas[g], p0), 1e-8);
            assert_near(bf_estimate_get(&out, "coverage"), 1, 0);
            assert_near(bf_estimate_get(&out, "flow_residual"), 0, 1e-20);
            assert_near(sum_of(out.weights, data.n), 1, 1e-12);
            assert_int_equal(out.warning_count, 0);
        }
        bf_arena_rewind(arena, mark);
    }
}

/* ---- Environments whose exact values are known */

/* `env` with `rows` rows per pair, in the proportions of its model (whole numbers of rows), under
 * the policy `spec`. Rewards are the expected ones. */
static mdp from_env(const bf_env *env, const char *spec, int rows) {
    int states = (int)env->states, actions = env->actions;
    mdp m = mdp_new(states, actions, arena);
    double *p = bf_arena_alloc(arena, (int64_t)states * actions * states, sizeof *p, &err);
    double *r = bf_arena_alloc(arena, states * actions, sizeof *r, &err);
    double *p0 = bf_arena_alloc(arena, states, sizeof *p0, &err);
    double *all = bf_arena_alloc(arena, states, sizeof *all, &err);
    double *pi = bf_arena_alloc(arena, states * actions, sizeof *pi, &err);
    const bf_policy *policy;
    env->model(p, r, p0);
    for (int s = 0; s < states; s++)
        all[s] = s;
    assert_ok(bf_env_policy_parse(&policy, env, spec, 1, arena, &err), err);
    assert_ok(bf_policy_probabilities(policy, all, 1, states, pi, &err), err);
    for (int i = 0; i < states * actions; i++) {
        m.pi[i] = pi[i % actions * states + i / actions];
        int sum = 0;
        for (int t = 0; t < states; t++) {
            double share = p[i * states + t] * rows;
            m.tally[i * states + t] = (int)lround(share);
            assert_near(share, m.tally[i * states + t], 1e-9);
            m.reward[i * states + t] = r[i];
            sum += m.tally[i * states + t];
        }
        assert_int_equal(sum, rows);
    }
    return m;
}

/* Average rewards of GridWalk to seven digits, and the stationary distribution of Boyan's chain to
 * eight, computed elsewhere; and our own plain solve to 1e-8 for every gamma. */
static void known_environments_come_out(void **state) {
    (void)state;
    const struct {
        const char *spec;
        double value;
    } grid[] = {{"greedy@0.9", 0.9897623}, {"greedy@0.6", 0.9354699}, {"greedy@0.3", 0.7781742}};
    const double boyan[] = {.22755494, .11368444, .10707364, .09496983, .08896937,
                            .07618741, .07094044, .05732126, .05300455, .03835176,
                            .03518349, .01925465, .01750423};
    const double gammas[] = {1, 0, 0.5, 0.9, 0.99};
    for (int k = 0; k < 4; k++) {
        mdp m = k < 3 ? from_env(bf_env_find("gridwalk"), grid[k].spec, 1)
                      : from_env(bf_env_find("boyan"), "uniform", 130);
        bf_dataset data = mdp_log(&m, 17, arena);
        double p0[MDP_MAX];
        mdp_starts(&data, m.states, p0);
        for (size_t g = 0; g < sizeof gammas / sizeof *gammas; g++) {
            bf_estimate out = blackbox(&data, gammas[g], BF_TERMINAL_RESTART, 1);
            assert_near(out.value, mdp_value(&m, gammas[g], p0), 1e-8);
            if (gammas[g] == 1 && k < 3)
                assert_near(out.value, grid[k].value, 1e-7);
            double d[MDP_MAX] = {0};
            for (int64_t i = 0; i < data.n; i++)
                d[(int)data.state[i]] += out.weights[i];
            for (int s = 0; s < 13 && k == 3 && gammas[g] == 1; s++)
                assert_near(d[s], boyan[s], 1e-8);
        }
    }
}

/* ---- Theorem 4.1 of the paper: l(d) = (d - d_pi)' ktilde (d - d_pi), 0 only at d_pi. */
static void the_loss_is_a_distance_to_the_stationary_distribution(void **state) {
    (void)state;
    for (int k = 0; k < 40; k++) {
        bf_rng rng = bf_rng_make(8, "theorem", (uint64_t)k);
        mdp m = mdp_random(MDP_DENSE, &rng, arena);
        bf_dataset data = mdp_log(&m, 0, arena);
        int pairs = m.states * m.actions;
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
        bf__cells cells;
        bf__quadratic q;
        assert_ok(bf__cells_build(&cells, &problem, arena, &err), err);
        assert_ok(bf__cells_quadratic(&q, &cells, arena, &err), err);
        assert_int_equal(cells.cells, pairs);
        /* From the definition: P over pairs, ktilde = (I - P)(I - P)' for the delta kernel. */
        double *p = calloc((size_t)(pairs * pairs), sizeof *p);
        double *kt = calloc((size_t)(pairs * pairs), sizeof *kt);
        for (int i = 0; i < pairs; i++) {
            double total = 0;
            for (int t = 0; t < m.states; t++)
                total += m.tally[i * m.states + t];
            for (int j = 0; j < pairs; j++)
                p[i * pairs + j] = m.tally[i * m.states + j / m.actions] / total * m.pi[j];
        }
        for (int i = 0; i < pairs; i++)
            for (int j = 0; j < pairs; j++)
                for (int l = 0; l < pairs; l++)
                    kt[i * pairs + j] +=
                        ((i == l) - p[i * pairs + l]) * ((j == l) - p[j * pairs + l]);
        bf_estimate out = blackbox(&data, 1, BF_TERMINAL_RESTART, 1);
        double *d_pi = calloc((size_t)pairs, sizeof *d_pi);
        for (int64_t i = 0; i < data.n; i++)
            d_pi[(int)data.state[i] * m.actions + data.action[i]] += out.weights[i];
        for (int trial = 0; trial < 5; trial++) {
            double *d = calloc((size_t)pairs, sizeof *d), total = 0, distance = 0, loss = 0;
            double *x = calloc((size_t)pairs, sizeof *x), *qx = calloc((size_t)pairs, sizeof *qx);
            for (int i = 0; i < pairs; i++)
                total += d[i] = bf_rng_uniform(&rng);
            for (int i = 0; i < pairs; i++)
                d[i] /= total;
            for (int i = 0; i < pairs; i++)
                for (int j = 0; j < pairs; j++)
                    distance += (d[i] - d_pi[i]) * kt[i * pairs + j] * (d[j] - d_pi[j]);
            for (int64_t i = 0; i < data.n; i++)
                x[cells.row_cell[i]] = d[(int)data.state[i] * m.actions + data.action[i]];
            q.apply(q.self, x, qx);
            for (int c = 0; c < pairs; c++)
                loss += x[c] * qx[c];
            assert_near(loss, distance, 1e-14);
            assert_true(loss > 1e-6); /* d is not d_pi */
            free(d);
            free(x);
            free(qx);
        }
        assert_near(bf_estimate_get(&out, "flow_residual"), 0, 1e-28);
        free(p);
        free(kt);
        free(d_pi);
    }
}

/* ---- Terminal steps */

/* One state, one action, ends with probability 1/4, pays 1: as a renewal process the average is 1,
 * an episode returns 4 and is 4 long. Absorbed and discounted: sum (3/4 gamma)^t (1 - gamma). */
static void terminal_steps_restart_absorb_or_not(void **state) {
    (void)state;
    double s[] = {0, 0, 0, 0}, r[] = {1, 1, 1, 1}, pi[] = {1, 1, 1, 1};
    int32_t a[] = {0, 0, 0, 0};
    uint8_t ends[] = {0, 0, 0, 1};
    int64_t begin[] = {0, 4}, order[] = {0, 1, 2, 3};
    bf_dataset data = {.n = 4,
                       .state_dim = 1,
                       .actions = 1,
                       .states = 1,
                       .state = s,
                       .next_state = s,
                       .action = a,
                       .reward = r,
                       .terminated = ends,
                       .pi = pi,
                       .npi = pi,
                       .episodes = 1,
                       .begin = begin,
                       .order = order};
    bf_estimate out = blackbox(&data, 1, BF_TERMINAL_RESTART, 1);
    assert_near(out.value, 1, 1e-15);
    assert_near(bf_estimate_get(&out, "episode_return"), 4, 1e-14);
    assert_near(bf_estimate_get(&out, "episode_length"), 4, 1e-14);
    for (double gamma = 0; gamma < 1; gamma += 0.3) {
        out = blackbox(&data, gamma, BF_TERMINAL_ABSORB, 1);
        assert_near(out.value, (1 - gamma) / (1 - 0.75 * gamma), 1e-14);
        assert_near(bf_estimate_get(&out, "absorbed"), 1 - out.value, 1e-14);
    }
    out = blackbox(&data, 1, BF_TERMINAL_ABSORB, 1);
    assert_near(out.value, 0, 1e-15);
    assert_int_equal(out.warning_count, 1);
    out = blackbox(&data, 1, BF_TERMINAL_IGNORE, 1);
    assert_near(out.value, 1, 1e-15);
    assert_true(isnan(bf_estimate_get(&out, "episode_return")));
    data.begin = data.order = NULL;
    data.episodes = 0;
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    assert_int_equal(
        bf__estimator_run(bf_estimator_find("blackbox"), &out, &problem, NULL, NULL, arena, &err),
        BF_ENEEDS);
    assert_non_null(strstr(err.message, "start states"));
}

/* ---- Several closed classes: states 0, 1 | 2 | and 3, which goes to 1 or 2. */
static void closed_classes_are_mixed_by_where_the_process_ends(void **state) {
    (void)state;
    double s[] = {0, 1, 2, 3, 3, 3, 3}, ns[] = {1, 0, 2, 1, 1, 1, 2};
    double r[] = {2, 4, 10, 0, 0, 0, 0}, pi[] = {1, 1, 1, 1, 1, 1, 1};
    int32_t a[7] = {0};
    int64_t begin[] = {0, 7}, order[] = {3, 0, 1, 2, 4, 5, 6};
    bf_dataset data = {.n = 7,
                       .state_dim = 1,
                       .actions = 1,
                       .states = 4,
                       .state = s,
                       .next_state = ns,
                       .action = a,
                       .reward = r,
                       .pi = pi,
                       .npi = pi,
                       .episodes = 1,
                       .begin = begin,
                       .order = order};
    bf_estimate out = blackbox(&data, 1, BF_TERMINAL_RESTART, 1); /* starts at 3 */
    assert_near(out.value, 0.75 * 3 + 0.25 * 10, 1e-14);
    assert_near(bf_estimate_get(&out, "closed_classes"), 2, 0);
    assert_near(bf_estimate_get(&out, "class_value_low"), 3, 1e-14);
    assert_near(bf_estimate_get(&out, "class_value_high"), 10, 1e-14);
    assert_int_equal(out.warning_count, 1);
    assert_true(out.warnings[0].distrust);
    assert_near(bf_estimate_get(&out, "flow_residual"), 0, 1e-30);
    data.episodes = 0; /* no starts: from where the rows are */
    data.begin = data.order = NULL;
    out = blackbox(&data, 1, BF_TERMINAL_RESTART, 1);
    double first = (2 + 4 * 0.75) / 7;
    assert_near(out.value, first * 3 + (1 - first) * 10, 1e-14);
}

/* ---- Pairs that were never seen */

/* The minimiser on logs with gaps, as cvxopt found it from the definition, for two kernels. */
static void uncovered_logs_agree_with_cvxopt(void **state) {
    (void)state;
    FILE *list = fopen(FIXTURES "/uncovered.txt", "r");
    assert_non_null(list);
    char name[64], kernel[16], path[512];
    double gamma, value, residual, uniform, covered;
    int count = 0;
    while (fscanf(list, "%63s %lf %15s %lf %lf %lf %lf", name, &gamma, kernel, &value, &residual,
                  &uniform, &covered) == 7) {
        snprintf(path, sizeof path, "%s/%s", FIXTURES, name);
        const char *paths[] = {path};
        bf_dataset data;
        bf_estimate out;
        assert_ok(bf__dataset_read(&data, paths, 1, NULL, NULL, arena, &err), err);
        const bf_estimator *estimator = bf_estimator_find("blackbox");
        bf_settings *options;
        assert_ok(bf_estimator_settings(&options, estimator, NULL, arena, &err), err);
        assert_ok(bf_settings_set(options, "kernel", kernel, &err), err);
        if (strcmp(kernel, "delta") != 0)
            assert_ok(bf_settings_set(options, "bandwidth", "1", &err), err);
        assert_ok(bf_settings_set(options, "gaps", "program", &err), err);
        bf_problem problem = {&data, gamma, BF_TERMINAL_RESTART};
        assert_ok(bf__estimator_run(estimator, &out, &problem, options, NULL, arena, &err), err);
        assert_near(out.value, value, 1e-6);
        assert_near(bf_estimate_get(&out, "flow_residual"), residual, 1e-12);
        assert_near(bf_estimate_get(&out, "flow_residual_uniform"), uniform, 1e-14);
        assert_near(bf_estimate_get(&out, "coverage"), covered, 1e-6);
        assert_true(bf_estimate_get(&out, "duality_gap") <= 1e-12);
        assert_true(out.warning_count > 0 && out.warnings[0].distrust);
        count++;
    }
    fclose(list);
    assert_int_equal(count, 12);
}

/* Where all is covered the kernel does not matter, but the residual is its own. */
static void covered_logs_do_not_depend_on_the_kernel(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(9, "kernels", 0);
    mdp m = mdp_random(MDP_DENSE, &rng, arena);
    bf_dataset data = mdp_log(&m, 0, arena);
    const bf_estimator *estimator = bf_estimator_find("blackbox");
    const char *kernels[] = {"delta", "gaussian", "laplace", "imq"};
    double values[4], uniform[4];
    for (int k = 0; k < 4; k++) {
        bf_estimate out;
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
        bf_settings *options;
        assert_ok(bf_estimator_settings(&options, estimator, NULL, arena, &err), err);
        assert_ok(bf_settings_set(options, "kernel", kernels[k], &err), err);
        assert_ok(bf__estimator_run(estimator, &out, &problem, options, NULL, arena, &err), err);
        values[k] = out.value;
        uniform[k] = bf_estimate_get(&out, "flow_residual_uniform");
        assert_near(bf_estimate_get(&out, "flow_residual"), 0, 1e-28);
        assert_true(values[k] == values[0]);
        assert_true(k == 0 || uniform[k] != uniform[k - 1]);
    }
}

/* ---- The same digits */

/* 40 states x 3 actions, sampled, with gaps or without. */
static bf_dataset sampled_log(int64_t n, bool gaps, uint64_t seed) {
    enum { S = 40, A = 3 };
    bf_rng rng = bf_rng_make(seed, "sampled log", 0);
    double *s = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, n * A, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, n * A, sizeof *s, &err);
    int32_t *a = bf_arena_alloc(arena, n, sizeof *a, &err);
    int at = 0;
    for (int64_t i = 0; i < n; i++) {
        a[i] = (int32_t)bf_rng_below(&rng, gaps && at % 4 == 0 ? 2 : A);
        s[i] = at;
        at =
            (int)(bf_rng_uniform(&rng) < 0.5 ? (at * 3 + a[i] * 7 + 1) % S : bf_rng_below(&rng, S));
        ns[i] = at;
        r[i] = bf_rng_normal(&rng);
        for (int b = 0; b < A; b++) {
            pi[b * n + i] = (1.0 + ((int)s[i] + b) % 3) / 6;
            npi[b * n + i] = (1.0 + ((int)ns[i] + b) % 3) / 6;
        }
    }
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = A,
                        .states = S,
                        .state = s,
                        .next_state = ns,
                        .action = a,
                        .reward = r,
                        .pi = pi,
                        .npi = npi};
}

/* The rows of a log in another order. */
static bf_dataset shuffled(const bf_dataset *data, uint64_t seed) {
    bf_rng rng = bf_rng_make(seed, "shuffle", 0);
    int64_t n = data->n, *order = bf_arena_alloc(arena, n, sizeof *order, &err);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = bf_rng_below(&rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    bf_dataset out = *data;
    const double *from[] = {data->state, data->next_state, data->reward, data->pi, data->npi};
    const double **to[] = {&out.state, &out.next_state, &out.reward, &out.pi, &out.npi};
    const int columns[] = {1, 1, 1, data->actions, data->actions};
    for (int k = 0; k < 5; k++) {
        double *block = bf_arena_alloc(arena, n * columns[k], sizeof *block, &err);
        for (int c = 0; c < columns[k]; c++)
            for (int64_t i = 0; i < n; i++)
                block[c * n + i] = from[k][c * n + order[i]];
        *to[k] = block;
    }
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    for (int64_t i = 0; i < n; i++)
        action[i] = data->action[order[i]];
    out.action = action;
    return out;
}

static void digits_do_not_depend_on_threads_or_order(void **state) {
    (void)state;
    for (int gaps = 0; gaps < 2; gaps++) {
        bf_dataset data = sampled_log(5000, gaps, 3);
        bf_estimate one = blackbox(&data, 1, BF_TERMINAL_RESTART, 1);
        bf_estimate two = blackbox(&data, 1, BF_TERMINAL_RESTART, 2);
        assert_true(one.value == two.value);
        assert_memory_equal(one.weights, two.weights, sizeof(double) * (size_t)data.n);
        assert_true((bf_estimate_get(&one, "coverage") < 1) == gaps);
        for (uint64_t k = 0; k < 5; k++) {
            bf_dataset other = shuffled(&data, k);
            bf_estimate again = blackbox(&other, 1, BF_TERMINAL_RESTART, 2);
            assert_near(again.value, one.value, 1e-10);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(random_processes_are_solved_exactly),
        arena_test(known_environments_come_out),
        arena_test(the_loss_is_a_distance_to_the_stationary_distribution),
        arena_test(terminal_steps_restart_absorb_or_not),
        arena_test(closed_classes_are_mixed_by_where_the_process_ends),
        arena_test(uncovered_logs_agree_with_cvxopt),
        arena_test(covered_logs_do_not_depend_on_the_kernel),
        arena_test(digits_do_not_depend_on_threads_or_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
