/* test_flow.c - psi and K: everything fast against the plain double sum. */
#include "flow_input.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flow/exact.h"
#include "flow/lowrank.h"
#include "flow/plan.h"
#include "flow/repeats.h"

static const bf_context one = {.threads = 1}, two = {.threads = 2};

/* Rows, diagonal and loss in double; stored K and both products in float. */
static void compare(spec s) {
    bf_mark mark = bf_arena_mark(arena);
    input in = make(s);
    int64_t n = s.n, *all = bf_arena_alloc(arena, n, sizeof *all, &err);
    double *k = room(n * n), *rows = room(n * n), *diagonal = room(n), *w = weights(n);
    double *y = room(n), *stored = room(n), *free_y = room(n), loss = 0, got, size = 0;
    bf__flow *flow;
    bf__exact *exact;
    assert_ok(bf__flow_plain(k, &in.points, &in.kernel, arena, &err), err);
    assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &one, arena, &err), err);
    if (s.chain)
        assert_true(flow->place || n < 20);
    for (int64_t i = 0; i < n; i++)
        all[i] = i;
    bf__flow_rows(rows, flow, all, n, &two);
    bf__flow_diagonal(diagonal, flow, &two);
    assert_ok(bf__exact_create(&exact, n, arena, &err), err);
    bf__exact_fill(exact, flow, &two);
    for (int64_t i = 0; i < n; i++) {
        size = fmax(size, fabs(k[i * n + i]));
        for (int64_t j = 0; j < n; j++) {
            y[i] += k[i * n + j] * w[j];
            loss += w[i] * k[i * n + j] * w[j];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        assert_near(diagonal[i], k[i * n + i], 1e-12);
        for (int64_t j = 0; j < n; j++) {
            assert_near(rows[i * n + j], k[i * n + j], 1e-12);
            assert_near(bf__exact_at(exact, i, j), k[i * n + j], 1e-5 * size);
        }
    }
    assert_ok(bf__flow_loss(&got, flow, w, &two, arena, &err), err);
    assert_near(got, loss, 1e-12);
    bf__exact_product(stored, exact, w, &two);
    assert_ok(bf__flow_product(free_y, flow, w, &two, arena, &err), err);
    for (int64_t i = 0; i < n; i++) {
        assert_near(stored[i], y[i], 1e-5 * size);
        assert_near(free_y[i], stored[i], 1e-6 * size);
    }
    bf_arena_rewind(arena, mark);
}

static void every_kernel_and_number_of_actions(void **state) {
    (void)state;
    for (int k = 0; bf__kernel_at(k); k++)
        for (int actions = 1; actions <= 5; actions++)
            for (int c = 0; c < 2; c++)
                compare((spec){.kernel = bf__kernel_at(k)->name,
                               .n = 67,
                               .d = 4,
                               .actions = actions,
                               .gamma = 1,
                               .share = 0.3 * c,
                               .terminal = BF_TERMINAL_IGNORE});
}

static void every_end_and_discount(void **state) {
    (void)state;
    const double gammas[] = {1, 0.9, 0};
    for (int terminal = BF_TERMINAL_RESTART; terminal <= BF_TERMINAL_IGNORE; terminal++)
        for (int g = 0; g < 3; g++)
            for (int chain = 0; chain <= 25; chain += 25)
                compare((spec){.kernel = "gaussian",
                               .n = 75,
                               .d = 3,
                               .actions = 2,
                               .starts = 4,
                               .gamma = gammas[g],
                               .share = 0.2,
                               .terminal = terminal,
                               .chain = chain});
}

static void sizes_around_the_tile(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 15, 255, 256, 257, 519};
    for (int i = 0; i < 7; i++)
        for (int chain = 0; chain <= 60; chain += 60)
            compare((spec){.kernel = "gaussian",
                           .n = sizes[i],
                           .d = 2,
                           .actions = 3,
                           .starts = 1,
                           .gamma = 0.99,
                           .chain = chain});
}

static void any_dimension_and_several_widths(void **state) {
    (void)state;
    const int dims[] = {1, 2, 5, 6, 7, 100};
    for (int i = 0; i < 6; i++)
        for (int widths = 1; widths <= 2; widths++)
            compare((spec){.kernel = i % 2 ? "imq" : "gaussian",
                           .n = 40,
                           .d = dims[i],
                           .actions = 2,
                           .starts = 2,
                           .gamma = 0.95,
                           .widths = widths,
                           .chain = i % 3 ? 40 : 0});
}

static void continuous_actions(void **state) {
    (void)state;
    for (int terminal = BF_TERMINAL_RESTART; terminal <= BF_TERMINAL_IGNORE; terminal++)
        for (int c = 0; c < 2; c++)
            compare((spec){.kernel = "laplace",
                           .n = 50,
                           .d = 3,
                           .starts = 3,
                           .gamma = c ? 0.9 : 1,
                           .share = 0.25 * c,
                           .terminal = terminal,
                           .chain = c ? 50 : 0});
}

/* What psi is for: the weights of the chain itself leave nothing of it. Two states, one action;
 * 0 -> 1 and 1 -> 0: uniform weights are stationary, others are not. */
static void stationary_weights_have_no_loss(void **state) {
    (void)state;
    const double z[] = {0, 1}, nz[] = {1, 0}, npi[] = {1, 1}, even[] = {0.5, 0.5}, h = 1;
    const double odd[] = {0.75, 0.25};
    const int32_t action[] = {0, 0};
    bf__points in = {.n = 2, .d = 1, .z = z, .nz = nz, .actions = 1, .action = action};
    bf__pair_kernel kernel = {.share = 0};
    in.npi = npi;
    in.steps = bf__steps_make(NULL, 2, 1, BF_TERMINAL_RESTART);
    assert_ok(bf__kernel_set(&kernel.state, bf__kernel_find("gaussian"), &h, 1, &err), err);
    bf__flow *flow;
    double loss;
    assert_ok(bf__flow_create(&flow, &in, &kernel, NULL, arena, &err), err);
    assert_ok(bf__flow_loss(&loss, flow, even, NULL, arena, &err), err);
    assert_near(loss, 0, 1e-16);
    assert_ok(bf__flow_loss(&loss, flow, odd, NULL, arena, &err), err);
    assert_near(loss, 0.25 * (2 - 2 * exp(-0.5)), 1e-15); /* |0.5 (phi(0) - phi(1))|^2 */
    const double bad_pi[] = {0, 1};
    in.npi = bad_pi;
    assert_int_equal(bf__flow_create(&flow, &in, &kernel, NULL, arena, &err), BF_EPOLICY);
    const int32_t bad_action[] = {0, 1};
    in.npi = npi;
    in.action = bad_action;
    assert_int_equal(bf__flow_create(&flow, &in, &kernel, NULL, arena, &err), BF_EDATA);
    in.action = action;
    in.steps = bf__steps_make(NULL, 2, 0.9, BF_TERMINAL_RESTART);
    assert_int_equal(bf__flow_create(&flow, &in, &kernel, NULL, arena, &err), BF_ENEEDS);
}

/* (columns, n) at rows from (count) of x (columns, m). */
static double *at_rows(const double *x, int64_t columns, int64_t m, const int64_t *from,
                       int64_t count) {
    double *out = room(columns * count);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < count; i++)
            out[c * count + i] = x[c * m + from[i]];
    return out;
}

/* The points of `in`, whose row i is row from[i] of what it was, n of them. One thing only is that
 * of the row after, in the rows from n - tail on: the state, the action, the next state, what the
 * policy does there, or whether it ended; 0: nothing. */
enum { SAME, STATE, ACTION, NEXT, POLICY, END, CHANGES };
static input repeated(input in, const int64_t *from, int64_t n, int64_t tail, int change) {
    bf__points p = in.points;
    int64_t m = p.n, k = p.action_dim, *from_of[CHANGES];
    for (int c = 0; c < CHANGES; c++) {
        from_of[c] = bf_arena_alloc(arena, n, sizeof **from_of, &err);
        for (int64_t i = 0; i < n; i++)
            from_of[c][i] = i >= n - tail && c == change ? (from[i] + 1) % m : from[i];
    }
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    uint8_t *ended = bf_arena_alloc(arena, n, 1, &err);
    for (int64_t i = 0; i < n; i++) {
        action[i] = p.action[from_of[ACTION][i]];
        ended[i] = p.steps.ended[from_of[END][i]];
    }
    p.n = n;
    p.z = at_rows(p.z, p.d, m, from_of[STATE], n);
    p.nz = at_rows(p.nz, p.d, m, from_of[NEXT], n);
    p.action = action;
    if (p.actions) {
        p.npi = at_rows(p.npi, p.actions, m, from_of[POLICY], n);
    } else {
        p.u = at_rows(p.u, k, m, from_of[ACTION], n);
        p.nu = at_rows(p.nu, k * p.samples, m, from_of[POLICY], n);
    }
    p.steps.ended = ended;
    in.points = p;
    return in;
}

/* Whatever differs, the loss is that of all pairs; and what is equal is counted once. */
static void copies_of_a_transition_are_added_up(void **state) {
    (void)state;
    enum { M = 24, N = 5 * M, TAIL = M };
    int64_t from[N];
    for (int i = 0; i < N; i++)
        from[i] = i * 7 % M;
    for (int test = 0; test < 4 * CHANGES; test++) {
        bf_mark mark = bf_arena_mark(arena);
        int change = test / 4, actions = test % 2 ? 3 : 0;
        input in = make((spec){.kernel = "gaussian",
                               .n = M,
                               .d = 2,
                               .actions = actions,
                               .starts = 3,
                               .gamma = test % 4 / 2 ? 0.9 : 1,
                               .share = 0.25});
        in = repeated(in, from, N, TAIL, change);
        double *k = room(N * N), *w = weights(N), loss = 0, got;
        bf__flow *flow;
        const bf__flow *distinct;
        const int64_t *of;
        assert_ok(bf__flow_plain(k, &in.points, &in.kernel, arena, &err), err);
        assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &one, arena, &err), err);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < N; j++)
                loss += w[i] * k[i * N + j] * w[j];
        assert_ok(bf__flow_loss(&got, flow, w, &two, arena, &err), err);
        assert_near(got, loss, 1e-12);
        assert_ok(bf__flow_distinct(&distinct, &of, flow, arena, &err), err);
        assert_non_null(of);
        assert_true(change ? distinct->n > M && distinct->n <= 2 * M : distinct->n == M);
        for (int64_t i = 0; i < N; i++) {
            assert_true(distinct->next_d.z[of[i]] == in.points.nz[i]);
            assert_true(distinct->data_d.z[distinct->n + of[i]] == in.points.z[N + i]);
        }
        bf_arena_rewind(arena, mark);
    }
    /* If more than half differ, all are looked at. */
    for (int more = 0; more < 2; more++) {
        input in = make((spec){.kernel = "gaussian", .n = M, .d = 1, .actions = 2, .gamma = 1});
        bf__flow *flow;
        const bf__flow *distinct;
        const int64_t *of;
        in.points.steps = bf__steps_make(NULL, M, 1, BF_TERMINAL_RESTART);
        in.points.steps.ended = bf_arena_zalloc(arena, M, 1, &err);
        for (int i = 0; i < 2 * M; i++)
            from[i] = i < M ? i : i / 2;
        in = repeated(in, from, 2 * M - more, 0, SAME);
        assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &one, arena, &err), err);
        assert_ok(bf__flow_distinct(&distinct, &of, flow, arena, &err), err);
        assert_int_equal(distinct->n, more ? 2 * M - 1 : M);
        assert_int_equal(of == NULL, more);
        assert_int_equal(distinct == flow, more);
    }
}

static void threads_do_not_change_a_digit(void **state) {
    (void)state;
    for (int chain = 0; chain <= 100; chain += 100) {
        input in = make((spec){.kernel = "gaussian",
                               .n = 1500,
                               .d = 3,
                               .actions = 3,
                               .starts = 30,
                               .gamma = 0.97,
                               .chain = chain});
        enum { M = 60 };
        bf_context contexts[] = {one, two, {.threads = 3}};
        double *w = weights(in.points.n), *y[3], *free_y[3], *psi[3], *factor[3], residual[1500],
               loss[3];
        for (int t = 0; t < 3; t++) {
            bf__flow *flow;
            bf__exact *exact;
            bf__lowrank *low;
            int64_t pivots[M], rank;
            y[t] = room(in.points.n);
            free_y[t] = room(in.points.n);
            psi[t] = room(in.points.n * M);
            factor[t] = room(in.points.n * M);
            assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &contexts[t], arena, &err),
                      err);
            assert_ok(bf__exact_create(&exact, in.points.n, arena, &err), err);
            bf__exact_fill(exact, flow, &contexts[t]);
            bf__exact_product(y[t], exact, w, &contexts[t]);
            assert_ok(bf__flow_product(free_y[t], flow, w, &contexts[t], arena, &err), err);
            assert_ok(bf__flow_loss(&loss[t], flow, w, &contexts[t], arena, &err), err);
            bf__lowrank_options options = {.rank = M, .seed = 1, .candidates = 700};
            assert_ok(bf__lowrank_create(&low, flow, &options, &contexts[t], arena, &err), err);
            assert_int_equal(low->m, M);
            assert_ok(bf__lowrank_rows(NULL, psi[t], low, 0, in.points.n, &contexts[t], &err), err);
            assert_ok(bf__flow_factor(factor[t], pivots, &rank, residual, flow, M, 0, 1,
                                      &contexts[t], arena, &err),
                      err);
        }
        for (int t = 1; t < 3; t++) {
            assert_memory_equal(y[t], y[0], (size_t)in.points.n * sizeof *y[0]);
            assert_memory_equal(free_y[t], free_y[0], (size_t)in.points.n * sizeof *y[0]);
            assert_memory_equal(psi[t], psi[0], (size_t)in.points.n * M * sizeof *y[0]);
            assert_memory_equal(factor[t], factor[0], (size_t)in.points.n * M * sizeof *y[0]);
            assert_true(loss[t] == loss[0]);
        }
    }
}

/* More start states than the cap: a sample of them, about the same K. */
static void many_start_states_are_sampled(void **state) {
    (void)state;
    enum { N = 3 };
    input in = make(
        (spec){.kernel = "gaussian", .n = N, .d = 2, .actions = 2, .starts = 1500, .gamma = 0.5});
    bf__flow *flow;
    double all[N * N], some[N];
    assert_ok(bf__flow_plain(all, &in.points, &in.kernel, arena, &err), err);
    assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, NULL, arena, &err), err);
    assert_int_equal(flow->start.n, 1000);
    bf__flow_diagonal(some, flow, NULL);
    for (int i = 0; i < N; i++) {
        assert_near(all[i * N + i], some[i], 0.02);
        assert_true(fabs(all[i * N + i] - some[i]) > 1e-9);
    }
}

static void the_way_follows_size_and_memory(void **state) {
    (void)state;
    bf__flow_plan plan = bf__flow_choose(10000, 0, 0, 0);
    assert_int_equal(plan.way, BF__WAY_STORED);
    assert_non_null(strstr(plan.text, "exact kernel of 10000"));
    assert_true(plan.bytes > 2e8 && plan.bytes < 2.3e8);
    plan = bf__flow_choose(10000, 1e8, 0, 0);
    assert_int_equal(plan.way, BF__WAY_LOWRANK);
    assert_int_equal(plan.rank, 1000);
    plan = bf__flow_choose(10000, 0, 0, 1);
    assert_int_equal(plan.way, BF__WAY_LOWRANK);
    plan = bf__flow_choose(10000000, 1e9, 300, 1);
    assert_int_equal(plan.way, BF__WAY_STREAMED);
    assert_int_equal(plan.rank, 300);
    assert_int_equal(plan.candidates, 20000);
    plan = bf__flow_choose(5, 0, 0, 1);
    assert_int_equal(plan.rank, 5);
    assert_int_equal(plan.candidates, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_and_number_of_actions),
        cmocka_unit_test(every_end_and_discount),
        cmocka_unit_test(sizes_around_the_tile),
        cmocka_unit_test(any_dimension_and_several_widths),
        cmocka_unit_test(continuous_actions),
        cmocka_unit_test(stationary_weights_have_no_loss),
        cmocka_unit_test(copies_of_a_transition_are_added_up),
        cmocka_unit_test(threads_do_not_change_a_digit),
        cmocka_unit_test(many_start_states_are_sampled),
        cmocka_unit_test(the_way_follows_size_and_memory),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
