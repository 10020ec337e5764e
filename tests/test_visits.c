/* test_visits.c - Long-run visits of large sparse chains against elimination, exact sums and plain
 * steps. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "solver/chain.h"
#include "solver/sums.h"
#include "solver/visits.h"
#include "solver/visits_leap.h"

TEST_ARENA;

typedef struct columns {
    int64_t *begin, *row_begin;
    int32_t *from, *to;
    double *prob, *row_prob;
} columns;

/* A walk on a ring that goes on with probability p and back otherwise, and jumps now and then:
 * small jumps make it slow to mix. */
static columns ring(int n, double p, double jump) {
    columns c;
    c.begin = bf_arena_alloc(arena, n + 1, sizeof *c.begin, &err);
    c.row_begin = bf_arena_alloc(arena, n + 1, sizeof *c.begin, &err);
    c.from = bf_arena_alloc(arena, 3 * n, sizeof *c.from, &err);
    c.to = bf_arena_alloc(arena, 3 * n, sizeof *c.from, &err);
    c.prob = bf_arena_alloc(arena, 3 * n, sizeof *c.prob, &err);
    c.row_prob = bf_arena_alloc(arena, 3 * n, sizeof *c.prob, &err);
    for (int j = 0; j < n; j++) {
        const int far[3] = {(j + n - 1) % n, (j + 1) % n, (j + n / 3) % n};
        const int next[3] = {(j + 1) % n, (j + n - 1) % n, (j + n - n / 3) % n};
        double here[3], there[3];
        for (int e = 0; e < 3; e++) { /* p varies along the ring */
            double at = p + 0.1 * sin(far[e]), mine = p + 0.1 * sin(j);
            there[e] = e == 2 ? jump : (1 - jump) * (e == 0 ? at : 1 - at);
            here[e] = e == 2 ? jump : (1 - jump) * (e == 0 ? mine : 1 - mine);
            c.from[3 * j + e] = far[e];
            c.to[3 * j + e] = next[e];
            c.prob[3 * j + e] = there[e];
            c.row_prob[3 * j + e] = here[e];
        }
        c.begin[j] = c.row_begin[j] = 3 * j;
    }
    c.begin[n] = c.row_begin[n] = 3 * n;
    return c;
}

static void visits_are_the_stationary_distribution(void **state) {
    (void)state;
    const double jumps[] = {0.1, 0.001, 0};
    enum { N = 300 };
    for (size_t t = 0; t < 3; t++) {
        bf_mark mark = bf_arena_mark(arena);
        columns c = ring(N, 0.5, jumps[t]);
        double x[N], exact[N], reward[N], residual, gap = 0;
        for (int j = 0; j < N; j++) {
            x[j] = 1.0 / N;
            reward[j] = sin(0.02 * j);
        }
        bf__chain chain = {N, c.row_begin, c.to, c.row_prob};
        bf__classes classes;
        assert_ok(bf__chain_classes(&classes, &chain, arena, &err), err);
        assert_ok(bf__chain_stationary(exact, &residual, &chain, &classes, 0, NULL, arena, &err),
                  err);
        bf__visits visits = {.n = N,
                             .begin = c.begin,
                             .from = c.from,
                             .prob = c.prob,
                             .closed = true,
                             .reward = reward,
                             .scale = 1};
        bf__visits_result result;
        assert_ok(bf__visits_solve(x, &result, &visits, NULL, arena, &err), err);
        for (int j = 0; j < N; j++)
            gap += fabs(x[j] - exact[j]);
        assert_near(gap, 0, 1e-4);
        assert_true(result.steps < 20000);
        bf_arena_rewind(arena, mark);
    }
}

/* Sums over pieces: the same digits for any number of threads, and right. */
static void sums_do_not_depend_on_threads(void **state) {
    (void)state;
    enum { N = 300001 };
    double *a = bf_arena_alloc(arena, 3 * N, sizeof *a, &err), *b = a + N, *c = b + N;
    long double products = 0, sum = 0;
    bf_rng rng = bf_rng_make(5, "sums", 0);
    assert_non_null(a);
    for (int i = 0; i < N; i++) {
        a[i] = bf_rng_uniform(&rng);
        b[i] = bf_rng_normal(&rng);
        products += (long double)a[i] * b[i];
        sum += a[i];
    }
    assert_near(bf__sum_products(a, b, N, 1), (double)products, 1e-9);
    assert_near(bf__sum(a, N, 1), (double)sum, 1e-8);
    assert_near(bf__sum(a, 7, 1), a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6], 1e-15);
    assert_true(bf__sum(a, 0, 3) == 0);
    for (int threads = 2; threads < 4; threads++) {
        assert_true(bf__sum_products(a, b, N, threads) == bf__sum_products(a, b, N, 1));
        assert_true(bf__sum(a, N, threads) == bf__sum(a, N, 1));
    }
    memcpy(c, a, N * sizeof *c);
    bf__scale_to_one(c, N, 2);
    assert_near(bf__sum(c, N, 1), 1, 1e-12);
    assert_true(c[N - 1] == a[N - 1] / bf__sum(a, N, 1));
    memset(c, 0, N * sizeof *c);
    bf__scale_to_one(c, N, 1);
    assert_true(c[0] == 0 && c[N - 1] == 0);
}

/* A random walk on a square; of the mass at the middle, `wall` times as much crosses it as moves
 * elsewhere. */
typedef struct walk {
    int n;
    int64_t *begin;
    int32_t *from, *order;
    double *prob, *restart, *start;
} walk;

/* Point i of a tour through ever smaller squares, as a tree of halves would have them; side is a
 * power of two. */
static int32_t in_blocks(int i, int side) {
    int x = 0, y = 0;
    for (int bit = 0; 1 << bit < side; bit++) {
        x |= (i >> (2 * bit) & 1) << bit;
        y |= (i >> (2 * bit + 1) & 1) << bit;
    }
    return y * side + x;
}

static walk random_walk(int side, double wall, uint64_t seed) {
    walk w = {.n = side * side};
    bf_rng rng = bf_rng_make(seed, "walk", 0);
    int64_t edges = 0;
    double *rate = bf_arena_alloc(arena, 4 * w.n, sizeof *rate, &err);
    w.begin = bf_arena_alloc(arena, w.n + 1, sizeof *w.begin, &err);
    w.from = bf_arena_alloc(arena, 4 * w.n, sizeof *w.from, &err);
    w.prob = bf_arena_alloc(arena, 4 * w.n, sizeof *w.prob, &err);
    w.order = bf_arena_alloc(arena, w.n, sizeof *w.order, &err);
    w.restart = bf_arena_alloc(arena, w.n, sizeof *w.restart, &err);
    w.start = bf_arena_zalloc(arena, w.n, sizeof *w.start, &err);
    static const int right[4] = {1, -1, 0, 0}, up[4] = {0, 0, 1, -1};
    for (int i = 0; i < w.n; i++) { /* rates of going out; those over the edge stay 0 */
        double sum = 0;
        w.order[i] = in_blocks(i, side);
        w.restart[i] = i % 7 == 0 ? 0.001 : 0;
        w.start[i] = i < 5 ? 0.2 : 0;
        for (int e = 0; e < 4; e++) {
            int x = i % side + right[e], y = i / side + up[e];
            bool crosses = (i % side < side / 2) != (x < side / 2);
            bool inside = x >= 0 && x < side && y >= 0 && y < side;
            rate[4 * i + e] = inside ? (0.05 + bf_rng_uniform(&rng)) * (crosses ? wall : 1) : 0;
            sum += rate[4 * i + e];
        }
        for (int e = 0; e < 4; e++)
            rate[4 * i + e] *= (1 - w.restart[i]) / sum;
    }
    for (int j = 0; j < w.n; j++) {
        w.begin[j] = edges;
        for (int e = 0; e < 4; e++) {
            int x = j % side - right[e], y = j / side - up[e], i = y * side + x;
            if (x < 0 || x >= side || y < 0 || y >= side)
                continue;
            w.from[edges] = i;
            w.prob[edges++] = rate[4 * i + e];
        }
    }
    w.begin[w.n] = edges;
    return w;
}

/* The same by elimination: exact (n). */
static void eliminate_walk(double *exact, const walk *w, bool restarts, bool leaves) {
    int64_t most = w->begin[w->n] + (leaves ? w->n + 5 : 5) * w->n, *begin, edges = 0;
    begin = bf_arena_zalloc(arena, w->n + 2, sizeof *begin, &err);
    int32_t *to = bf_arena_alloc(arena, most, sizeof *to, &err);
    double *prob = bf_arena_alloc(arena, most, sizeof *prob, &err), residual;
    for (int i = 0; i < w->n; i++) {
        begin[i] = edges;
        for (int j = 0; j < w->n; j++)
            for (int64_t e = w->begin[j]; e < w->begin[j + 1]; e++)
                if (w->from[e] == i) {
                    to[edges] = j;
                    prob[edges++] = w->prob[e];
                }
        for (int j = 0; j < 5 && restarts; j++) {
            to[edges] = j;
            prob[edges++] = w->restart[i] * w->start[j];
        }
        for (int j = 0; j < w->n && leaves; j++) {
            to[edges] = j;
            prob[edges++] = w->restart[i] / w->n;
        }
    }
    begin[w->n] = edges;
    bf__chain chain = {w->n, begin, to, prob};
    bf__classes classes;
    assert_ok(bf__chain_classes(&classes, &chain, arena, &err), err);
    assert_ok(bf__chain_stationary(exact, &residual, &chain, &classes, 0, NULL, arena, &err), err);
}

/* Cycles over coarser chains against elimination, and against the plain steps: fewer of them. */
static void coarser_chains_give_what_steps_give(void **state) {
    (void)state;
    static const double walls[] = {1, 0.01, 0.0001};
    for (int t = 0; t < 6; t++) {
        bf_mark mark = bf_arena_mark(arena);
        walk w = random_walk(32, walls[t % 3], 7 + (uint64_t)t);
        double *x = bf_arena_alloc(arena, 3 * w.n, sizeof *x, &err), *plain = x + w.n;
        double *exact = plain + w.n, gap = 0;
        double *reward = bf_arena_alloc(arena, w.n, sizeof *reward, &err);
        for (int j = 0; j < w.n; j++) {
            x[j] = plain[j] = 1.0 / w.n;
            reward[j] = j % 32 < 16;
        }
        bf__visits visits = {.n = w.n,
                             .begin = w.begin,
                             .from = w.from,
                             .prob = w.prob,
                             .start = t < 3 ? w.start : NULL,
                             .restart = t < 3 ? w.restart : NULL,
                             .closed = true,
                             .reward = reward,
                             .scale = 1};
        if (t >= 3) /* without restarts what is left of the rows is made whole by scaling */
            for (int64_t e = 0; e < w.begin[w.n]; e++)
                w.prob[e] /= 1 - w.restart[w.from[e]];
        bf__visits_result slow, fast;
        eliminate_walk(exact, &w, t < 3, false);
        assert_ok(bf__visits_solve(plain, &slow, &visits, NULL, arena, &err), err);
        visits.order = w.order;
        assert_ok(bf__visits_solve(x, &fast, &visits, NULL, arena, &err), err);
        for (int j = 0; j < w.n; j++)
            gap += fabs(x[j] - exact[j]);
        if (t == 5) { /* 1 in 10,000 crosses: whoever has not got there has to say so */
            assert_true(gap < 1e-4 || !fast.settled);
        } else {
            assert_true(fast.settled);
            assert_near(gap, 0, 1e-5);
            assert_true(fast.steps < slow.steps);
        }
        bf_arena_rewind(arena, mark);
    }
}

/* Mass that leaves for anywhere, with cycles and without. */
static void leaving_goes_where_it_should(void **state) {
    (void)state;
    walk w = random_walk(16, 0.01, 3);
    double *x = bf_arena_alloc(arena, 3 * w.n, sizeof *x, &err), *exact = x + w.n;
    double *even = exact + w.n;
    eliminate_walk(exact, &w, false, true);
    for (int cycles = 0; cycles < 2; cycles++) {
        double gap = 0;
        for (int j = 0; j < w.n; j++)
            x[j] = even[j] = 1.0 / w.n;
        bf__visits visits = {.n = w.n,
                             .begin = w.begin,
                             .from = w.from,
                             .prob = w.prob,
                             .away = even,
                             .leave = w.restart,
                             .closed = true,
                             .reward = w.restart,
                             .scale = 1e-3,
                             .order = cycles ? w.order : NULL};
        bf__visits_result result;
        assert_ok(bf__visits_solve(x, &result, &visits, NULL, arena, &err), err);
        for (int j = 0; j < w.n; j++)
            gap += fabs(x[j] - exact[j]);
        assert_true(result.settled);
        assert_near(gap, 0, 1e-5);
    }
}

/* Steps that run out are said to. */
static void too_few_steps_are_not_settled(void **state) {
    (void)state;
    columns c = ring(300, 0.5, 0.001);
    double x[300], reward[300];
    for (int j = 0; j < 300; j++) {
        x[j] = 1.0 / 300;
        reward[j] = sin(0.02 * j);
    }
    bf__visits visits = {.n = 300,
                         .begin = c.begin,
                         .from = c.from,
                         .prob = c.prob,
                         .closed = true,
                         .reward = reward,
                         .scale = 1,
                         .steps = 50};
    bf__visits_result result;
    assert_ok(bf__visits_solve(x, &result, &visits, NULL, arena, &err), err);
    assert_false(result.settled);
    visits.steps = 0;
    assert_ok(bf__visits_solve(x, &result, &visits, NULL, arena, &err), err);
    assert_true(result.settled);
}

/* x = g P'x + (1 - g) start, with loss: against a sum over time. */
static void losing_chains_are_summed_over_time(void **state) {
    (void)state;
    enum { N = 50 };
    columns c = ring(N, 0.7, 0.05);
    double x[N] = {0}, source[N] = {0}, sum[N] = {0}, now[N] = {0}, next[N], reward[N];
    source[0] = 0.1;
    now[0] = 0.1;
    for (int e = 0; e < 3 * N; e++)
        c.prob[e] *= 0.9;
    for (int j = 0; j < N; j++)
        reward[j] = j;
    for (int t = 0; t < 1000; t++) {
        for (int j = 0; j < N; j++) {
            sum[j] += now[j];
            next[j] = 0;
            for (int e = 0; e < 3; e++)
                next[j] += c.prob[3 * j + e] * now[c.from[3 * j + e]];
        }
        memcpy(now, next, sizeof now);
    }
    bf__visits visits = {.n = N,
                         .begin = c.begin,
                         .from = c.from,
                         .prob = c.prob,
                         .source = source,
                         .reward = reward,
                         .scale = 1};
    bf__visits_result result;
    assert_ok(bf__visits_solve(x, &result, &visits, NULL, arena, &err), err);
    for (int j = 0; j < N; j++)
        assert_near(x[j], sum[j], 1e-8);
}

/* Every node leads to the one after it, and the last one to the first, which leads back to itself
 * (`stays`) or to the second. A part `leak` of the mass goes anywhere at each step: against the
 * sums one after the other. Whether more of a source was taken. */
static bool line_with_trap(double *x, bool stays, double leak, double more) {
    enum { N = 400 };
    int64_t begin[N + 1];
    int32_t from[N + 1], order[N];
    double prob[N + 1], source[N], reward[N];
    int64_t edges = 0;
    for (int j = 0; j < N; j++) {
        begin[j] = edges;
        if (stays ? j == 0 : j == 1)
            from[edges++] = 0;
        if (j != 1)
            from[edges++] = (int32_t)(j + N - 1) % N;
        x[j] = 1.0 / N;
        source[j] = leak / N;
        reward[j] = j == 0;
        order[j] = (int32_t)j;
    }
    begin[N] = edges;
    for (int64_t e = 0; e < edges; e++)
        prob[e] = 1;
    bf__visits visits = {.n = N,
                         .begin = begin,
                         .from = from,
                         .prob = prob,
                         .source = source,
                         .more_source = more,
                         .closed = true,
                         .reward = reward,
                         .scale = 1,
                         .order = order};
    bf__visits_result result;
    assert_ok(bf__visits_solve(x, &result, &visits, NULL, arena, &err), err);
    assert_true(result.settled);
    return result.more;
}

static void visits_that_pile_up_get_more_of_a_source(void **state) {
    (void)state;
    enum { N = 400 };
    double x[N], plain[N];
    for (int more = 0; more < 2; more++) {
        double leak = more ? 1e-3 : 1e-6, exact = 0, sum = 0;
        assert_int_equal(line_with_trap(x, true, 1e-6, more ? 1000 : 0), more);
        for (int j = 1; j < N; j++) {
            exact = (exact + leak / N) / (1 + leak);
            sum += exact;
            assert_near(x[j], exact, 1e-8);
        }
        assert_near(x[0], 1 - sum, 1e-6);
    }
    assert_false(line_with_trap(plain, false, 1e-6, 0));
    assert_false(line_with_trap(x, false, 1e-6, 1000));
    assert_memory_equal(x, plain, sizeof x);
}

/* x = limit + share c^t drift, seen three times. Where a leap leads, against the sum of what is to
 * come. */
static double leap_from(double *x, double c, double wobble) {
    enum { N = 5 };
    static const double limit[N] = {0.1, 0.3, 0.2, 0.3, 0.1}, way[N] = {1, -2, 0, 2, -1};
    static const double other[N] = {1, 1, -4, 1, 1};
    bf__leap leap;
    assert_ok(bf__leap_make(&leap, N, arena, &err), err);
    bool leapt = false;
    double power = 0.01;
    for (int t = 0; t < 3; t++, power *= c) {
        assert_false(leapt);
        for (int j = 0; j < N; j++)
            x[j] = limit[j] + power * way[j] + (t == 2 ? wobble * other[j] : 0);
        leapt = bf__leap_try(&leap, x, 1);
    }
    double gap = 0;
    for (int j = 0; j < N; j++)
        gap += fabs(x[j] - limit[j]);
    assert_int_equal(leap.taken, leapt ? 1 : 0);
    return leapt ? gap : INFINITY;
}

static void what_creeps_leaps_to_its_limit(void **state) {
    (void)state;
    double x[5];
    assert_near(leap_from(x, 0.95, 0), 0, 1e-12);
    assert_near(leap_from(x, 0.6, 0), 0, 1e-12);
    assert_near(leap_from(x, 0.95, 1e-6), 0, 1e-3);
    assert_true(isinf(leap_from(x, 0.95, 1e-3))); /* more than one way */
    assert_true(isinf(leap_from(x, 0.4, 0)));     /* fast enough */
    assert_true(isinf(leap_from(x, -0.9, 0)));    /* to and fro */
    assert_true(isinf(leap_from(x, 1.5, 0)));
    /* Growing, so 50 times the last drift; but no mass falls below a tenth of what it was. */
    assert_true(isfinite(leap_from(x, 1.05, 0)));
    double power = 0.01 * 1.05 * 1.05, drift = power - 0.01 * 1.05, sum = 0, expected[5];
    static const double limit[] = {0.1, 0.3, 0.2, 0.3, 0.1}, way[] = {1, -2, 0, 2, -1};
    for (int j = 0; j < 5; j++) {
        double now = limit[j] + power * way[j];
        expected[j] = fmax(now + 50 * drift * way[j], 0.1 * now);
        sum += expected[j];
    }
    for (int j = 0; j < 5; j++)
        assert_near(x[j], expected[j] / sum, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visits_are_the_stationary_distribution),
        cmocka_unit_test(coarser_chains_give_what_steps_give),
        cmocka_unit_test(leaving_goes_where_it_should),
        cmocka_unit_test(too_few_steps_are_not_settled),
        cmocka_unit_test(sums_do_not_depend_on_threads),
        cmocka_unit_test(losing_chains_are_summed_over_time),
        cmocka_unit_test(visits_that_pile_up_get_more_of_a_source),
        cmocka_unit_test(what_creeps_leaps_to_its_limit),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
