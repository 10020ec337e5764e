/* test_flow_features.c - Features that stand in for K, low rank and Fourier, against K itself. */
#include "flow_input.h"

#include <math.h>

#include "flow/lowrank.h"
#include "flow/rff.h"
#include "linalg/dense.h"

static const bf_context one = {.threads = 1}, two = {.threads = 2};

/* |Psi'w|^2. */
static double low_loss(const double *psi, const double *w, int64_t n, int64_t m) {
    double total = 0;
    for (int64_t p = 0; p < m; p++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += psi[i * m + p] * w[i];
        total += sum * sum;
    }
    return total;
}

static void low_rank_is_within_its_guard(void **state) {
    (void)state;
    for (int actions = 0; actions <= 3; actions += 3) {
        spec s = {.kernel = "gaussian", .n = 400, .d = 2, .actions = actions, .starts = 5};
        s.gamma = 0.95;
        s.share = 0.1;
        input in = make(s);
        bf__flow *flow;
        assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &two, arena, &err), err);
        double *w = weights(s.n), loss, last = INFINITY;
        assert_ok(bf__flow_loss(&loss, flow, w, &two, arena, &err), err);
        const int64_t ranks[] = {10, 30, 90, 270, 400};
        for (int r = 0; r < 5; r++) {
            int64_t m = ranks[r];
            bf__lowrank *low;
            bf__lowrank_options options = {.rank = m, .seed = 1};
            assert_ok(bf__lowrank_create(&low, flow, &options, &two, arena, &err), err);
            double *psi = room(s.n * m), *phi = room(s.n * m), *residual = room(s.n);
            assert_ok(bf__lowrank_rows(phi, psi, low, 0, s.n, &two, &err), err);
            bf__lowrank_residual(residual, flow, psi, low->m, &two);
            double gap = loss - low_loss(psi, w, s.n, low->m);
            double guard = bf__lowrank_guard(w, residual, s.n);
            assert_true(gap >= -1e-9 && gap <= guard + 1e-9);
            assert_true(guard <= 1.01 * last + 1e-9);
            last = guard;
            /* a pivot is in the span: all of its norm is there */
            double norm = 0;
            for (int64_t p = 0; p < low->m; p++)
                norm += phi[low->index[0] * low->m + p] * phi[low->index[0] * low->m + p];
            assert_near(norm, 1, 1e-6);
            int64_t rank, *pivots = bf_arena_alloc(arena, m, sizeof *pivots, &err);
            assert_ok(
                bf__flow_factor(psi, pivots, &rank, residual, flow, m, 0, 2, &two, arena, &err),
                err);
            gap = loss - low_loss(psi, w, s.n, m);
            assert_true(gap >= -1e-9 && gap <= bf__lowrank_guard(w, residual, s.n) + 1e-9);
            if (m == 400)
                assert_near(gap, 0, 1e-7);
        }
    }
}

/* Coordinates of psi are those of its parts: Psi = Phi - g Phi' - h Phi0. */
static void atoms_of_ones_own_are_in_the_same_space(void **state) {
    (void)state;
    enum { N = 60, M = 25 };
    input in =
        make((spec){.kernel = "gaussian", .n = N, .d = 2, .actions = 3, .starts = 4, .gamma = 0.9});
    bf__flow *flow;
    bf__lowrank *low;
    assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &two, arena, &err), err);
    bf__lowrank_options options = {.rank = M, .seed = 1};
    assert_ok(bf__lowrank_create(&low, flow, &options, &two, arena, &err), err);
    double *phi = room(N * M), *psi = room(N * M), *next = room(N * M), *start = room(4 * M), g[N];
    double *again = room(N * M);
    for (int i = 0; i < N; i++)
        g[i] = 1;
    bf__data_d data;
    bf__next_d successors, starts;
    assert_ok(bf__data_make(&data, flow, in.points.z, in.points.action, NULL, N, arena, &err), err);
    assert_ok(
        bf__next_make(&successors, flow, in.points.nz, in.points.npi, NULL, g, N, arena, &err),
        err);
    assert_ok(bf__next_make(&starts, flow, in.points.z0, in.points.pi0, NULL, g, 4, arena, &err),
              err);
    assert_ok(bf__lowrank_rows(phi, psi, low, 0, N, &two, &err), err);
    assert_ok(bf__lowrank_data(again, low, &data, &two, &err), err);
    assert_ok(bf__lowrank_next(next, low, &successors, &two, &err), err);
    assert_ok(bf__lowrank_next(start, low, &starts, &two, &err), err);
    int64_t m = low->m;
    for (int i = 0; i < N; i++)
        for (int64_t p = 0; p < m; p++) {
            double mean = 0, gi = in.points.steps.ended[i] ? 0 : 0.9;
            for (int s = 0; s < 4; s++)
                mean += start[s * m + p] / 4;
            assert_near(again[i * m + p], phi[i * m + p], 1e-9);
            assert_near(psi[i * m + p], phi[i * m + p] - gi * next[i * m + p] - (1 - gi) * mean,
                        1e-9);
        }
    /* rows in blocks are the same rows */
    assert_ok(bf__lowrank_rows(again, NULL, low, 7, 11, &one, &err), err);
    for (int64_t p = 0; p < 11 * m; p++)
        assert_near(again[p], phi[7 * m + p], 1e-9);
}

/* Rows that choosing pivots left are those that are made anew, whether all are left, some (what is
 * left and what is made then alternate) or fewer columns than were asked for; and inner products
 * become coordinates by one solve. */
static void kept_rows_are_the_rows(void **state) {
    (void)state;
    enum { N = 700, M = 120 };
    const int64_t candidates[3] = {N, 400, 300};
    input in =
        make((spec){.kernel = "matern", .n = N, .d = 2, .actions = 3, .starts = 4, .gamma = 0.9});
    bf__flow *flow;
    assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &two, arena, &err), err);
    double *phi = room(N * M), *psi = room(N * M), *again = room(N * M), *inner = room(N * M);
    for (int t = 0; t < 6; t++) {
        bf__lowrank *plain, *low;
        bf__lowrank_options options = {.rank = M, .seed = 1, .candidates = candidates[t % 3]};
        options.tolerance = t < 3 ? 0 : 1e-2;
        assert_ok(bf__lowrank_create(&plain, flow, &options, &two, arena, &err), err);
        options.keep = true;
        assert_ok(bf__lowrank_create(&low, flow, &options, &two, arena, &err), err);
        int64_t m = low->m;
        assert_int_equal(m, plain->m);
        assert_true(t < 3 ? m == M : m < M);
        assert_int_equal(low->kept != NULL, 2 * candidates[t % 3] >= N);
        assert_int_equal(low->kept_rows, low->kept ? candidates[t % 3] : 0);
        assert_ok(bf__lowrank_rows(phi, psi, plain, 0, N, &two, &err), err);
        assert_ok(bf__lowrank_inner(again, inner, low, 0, N, &two, &err), err);
        assert_ok(bf__lower_solve(inner, N, low->l, m, false, &two, &err), err);
        for (int64_t p = 0; p < N * m; p++) {
            assert_near(again[p], phi[p], 1e-9);
            assert_near(inner[p], psi[p], 1e-9);
        }
        assert_ok(bf__lowrank_rows(again, NULL, low, 301, 330, &one, &err), err);
        for (int64_t p = 0; p < 330 * m; p++)
            assert_near(again[p], phi[301 * m + p], 1e-9);
    }
}

static void identical_points_have_rank_one(void **state) {
    (void)state;
    enum { N = 50 };
    double z[N], nz[N], npi[N], *psi = room(N * 10), h = 1;
    int32_t action[N];
    for (int i = 0; i < N; i++) {
        z[i] = nz[i] = 2;
        npi[i] = 1;
        action[i] = 0;
    }
    bf__points in = {.n = N, .d = 1, .z = z, .nz = nz, .actions = 1, .action = action};
    bf__pair_kernel kernel = {.share = 0};
    in.npi = npi;
    in.steps = bf__steps_make(NULL, N, 1, BF_TERMINAL_RESTART);
    assert_ok(bf__kernel_set(&kernel.state, bf__kernel_find("gaussian"), &h, 1, &err), err);
    bf__flow *flow;
    bf__lowrank *low;
    bf__lowrank_options options = {.rank = 10};
    assert_ok(bf__flow_create(&flow, &in, &kernel, NULL, arena, &err), err);
    assert_ok(bf__lowrank_create(&low, flow, &options, NULL, arena, &err), err);
    assert_int_equal(low->m, 1);
    assert_ok(bf__lowrank_rows(NULL, psi, low, 0, N, NULL, &err), err);
    for (int i = 0; i < N; i++)
        assert_near(psi[i], 0, 1e-15);
    int64_t pivots[10], rank;
    double residual[N];
    assert_ok(bf__flow_factor(psi, pivots, &rank, residual, flow, 10, 0, 1, NULL, arena, &err),
              err);
    assert_int_equal(rank, 0); /* psi = 0: nothing to span */
}

static void fourier_features_converge(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++)
        for (int actions = 0; actions <= 3; actions += 3) {
            spec s = {.kernel = bf__kernel_at(k)->name, .n = 30, .d = 2, .actions = actions};
            s.starts = 3;
            s.gamma = 0.9;
            s.share = actions ? 0.2 : 0.5;
            s.widths = 2;
            bf_mark mark = bf_arena_mark(arena);
            input in = make(s);
            in.points.nz = in.points.z; /* keeps K small and the sign of errors mixed */
            bf__flow *flow;
            double *plain = room(s.n * s.n), errors[2];
            assert_ok(bf__flow_plain(plain, &in.points, &in.kernel, arena, &err), err);
            assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, &two, arena, &err), err);
            for (int round = 0; round < 2; round++) {
                bf__rff *rff;
                double squares = 0;
                assert_ok(bf__rff_create(&rff, flow, round ? 4000 : 100, 1, arena, &err), err);
                double *psi = room(s.n * rff->m), *phi = room(s.n * rff->m);
                bf__rff_rows(phi, psi, rff, 0, s.n, &two);
                for (int64_t i = 0; i < s.n; i++)
                    for (int64_t j = 0; j < s.n; j++) {
                        double sum = 0;
                        for (int64_t f = 0; f < rff->m; f++)
                            sum += psi[i * rff->m + f] * psi[j * rff->m + f];
                        sum -= plain[i * s.n + j];
                        squares += sum * sum;
                    }
                errors[round] = sqrt(squares) / (double)s.n;
                double norm = 0;
                for (int64_t f = 0; f < rff->m; f++)
                    norm += phi[f] * phi[f];
                assert_near(norm, 1, 1e-12);
            }
            /* 40 times the waves: about 6 times closer */
            assert_true(errors[1] < 0.03 && errors[1] < 0.4 * errors[0]);
            bf_arena_rewind(arena, mark);
        }
    input in =
        make((spec){.kernel = "delta", .n = 10, .d = 1, .actions = 2, .gamma = 1, .terminal = 2});
    bf__flow *flow;
    bf__rff *rff;
    assert_ok(bf__flow_create(&flow, &in.points, &in.kernel, NULL, arena, &err), err);
    assert_int_equal(bf__rff_create(&rff, flow, 10, 1, arena, &err), BF_EUSAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_rank_is_within_its_guard),
        cmocka_unit_test(atoms_of_ones_own_are_in_the_same_space),
        cmocka_unit_test(kept_rows_are_the_rows),
        cmocka_unit_test(identical_points_have_rank_one),
        cmocka_unit_test(fourier_features_converge),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
