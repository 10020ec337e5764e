/* test_neighbours.c - The chain among neighbours that corrected weights start from: against the
 * empirical chain, on a sample, and where nothing is near. */
#include "line.h"

#include "problem/nodes.h"
#include "weights/rebalance.h"

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
        bf_estimate out = line_answer(&points, 0.9, BF_TERMINAL_RESTART, "neighbours");
        assert_near(out.value, truth, 1e-6 * size);
        bf_arena_rewind(arena, mark);
    }
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

/* The rows of a large log are asked for in another order than that of the log. Still a row's edges
 * are its own: they lead, in the mean, to its next state. Every state is another one, so that nodes
 * are the rows of each action by their states. */
static void a_large_log_leads_where_it_did(void **state) {
    (void)state;
    enum { N = 60000 };
    line l = {.unit = 1};
    bf_dataset data = line_log(&l, N, 5);
    bf_problem problem = {&data, 0.5, BF_TERMINAL_RESTART};
    bf__points points;
    bf__nodes nodes;
    bf__visits chain;
    double *mean = bf_arena_zalloc(arena, N, sizeof *mean, &err);
    double *mass = bf_arena_zalloc(arena, N, sizeof *mass, &err);
    assert_ok(bf__points_make(&points, &problem, "none", "none", NULL, arena, &err), err);
    assert_ok(bf__nodes_make(&nodes, &points, N, arena, &err), err);
    assert_int_equal(nodes.n, N);
    assert_ok(bf__neighbours_chain(&chain, &problem, &points, 16, NULL, arena, &err), err);
    for (int64_t j = 0; j < N; j++)
        for (int64_t e = chain.begin[j]; e < chain.begin[j + 1]; e++) {
            mean[chain.from[e]] += 2 * chain.prob[e] * nodes.x[j];
            mass[chain.from[e]] += 2 * chain.prob[e];
        }
    int64_t looked = 0;
    for (int64_t i = 0; i < N; i++)
        if (fabs(points.nz[i]) < 2.5) {
            int32_t node = nodes.node_of[i];
            assert_near(nodes.x[node], points.z[i], 0);
            assert_near(mass[node], 1, 1e-12);
            assert_near(mean[node], points.nz[i], 0.01);
            looked++;
        }
    assert_true(looked > N / 2);
}

/* Among 99 columns of noise only the next row is near, if its action is the one: all other mass
 * goes on as the log did, and weights are near to equal. The columns are not looked through. */
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
        assert_ok(bf__points_make(&points, &problem, "none", "none", NULL, arena, &err), err);
        assert_ok(bf__neighbours_solve(&base, &problem, &points, 16, 0, NULL, arena, &err), err);
        for (int i = 0; i < N; i++)
            furthest = fmax(furthest, fabs(N * base.u[i] - 1));
        assert_true(far ? base.left > 0.4 && furthest < 4 : base.left < 1e-6 && furthest > 10);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_of_repeated_pairs_is_the_empirical_one),
        cmocka_unit_test(a_chain_on_a_sample_serves_all_rows),
        cmocka_unit_test(a_large_log_leads_where_it_did),
        cmocka_unit_test(far_from_everything_is_the_log),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
