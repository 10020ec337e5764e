/* test_runs.c - Steps from states that the log does not have, and weights from runs of them,
 * against processes whose every number is known. */
#include "line.h"
#include "ration.h"

#include "weights/local.h"
#include "weights/runs.h"

/* Points by hand, in coordinates that are what they are: n rows of two actions. */
static bf__points points_of(int d, int64_t n, const double *z, const double *nz,
                            const int32_t *action, const double *npi) {
    return (bf__points){.n = n,
                        .d = d,
                        .z = z,
                        .nz = nz,
                        .actions = 2,
                        .action = action,
                        .npi = npi,
                        .steps = {.gamma = 1},
                        .seed = 1,
                        .made_by = "test"};
}

/* ---- Steps */

enum { N = 4000, QUARTER = N / 4 };
static double z[2 * N], nz[2 * N], npi[2 * N];
static int32_t action[N];

/* A turn, and with `bend` a part of second order that action 1 has twice. */
static void move(double *to, const double *x, int a, double bend) {
    to[0] = 0.8 * x[0] - 0.5 * x[1] + bend * (1 + a) * (x[0] * x[1] - 0.5 * x[1] * x[1]);
    to[1] = 0.5 * x[0] + 0.8 * x[1] + bend * (1 + a) * x[0] * x[0] + 0.1 * a;
}

static bf__points plane_of(int n, double bend) {
    bf_rng rng = bf_rng_make(4, "plane", 0);
    for (int i = 0; i < n; i++) {
        double x[2] = {bf_rng_between(&rng, -1, 1), bf_rng_between(&rng, -1, 1)}, to[2];
        action[i] = bf_rng_uniform(&rng) < 0.5;
        move(to, x, action[i], bend);
        for (int c = 0; c < 2; c++) {
            z[c * n + i] = x[c];
            nz[c * n + i] = to[c];
            npi[c * n + i] = 0.5;
        }
    }
    return points_of(2, n, z, nz, action, npi);
}

static bf__points plane(double bend) {
    return plane_of(N, bend);
}

/* The root of the mean square of what steps from inside of a log of n rows are off by. */
static double off_by(int n, double bend) {
    static bf__local_step step;
    const bf__local *local;
    bf__points points = plane_of(n, bend);
    bf_rng rng = bf_rng_make(5, "asked", 0);
    double square = 0;
    assert_ok(bf__local_make(&local, &points, 16, arena, &err), err);
    assert_int_equal(local->going_on, n);
    for (int k = 0; k < 500; k++) {
        double x[2] = {bf_rng_between(&rng, -0.8, 0.8), bf_rng_between(&rng, -0.8, 0.8)}, to[2];
        move(to, x, k % 2, bend);
        bf__local_take(&step, local, x, k % 2);
        assert_near(step.ended, 0, 1e-12);
        for (int c = 0; c < 2; c++)
            square += (step.next[c] - to[c]) * (step.next[c] - to[c]) / 1000;
    }
    return sqrt(square);
}

/* What is left is of the second order: half the distance, a quarter of it. A straight process
 * leaves what the ridge takes, and that is little. */
static void steps_are_straight_lines(void **state) {
    (void)state;
    double many = off_by(N, 0.5), few = off_by(QUARTER, 0.5), straight = off_by(N, 0);
    if (!(many < 2e-3 && many < 0.3 * few && many > 0.2 * few))
        fail_msg("off by %g with %d rows and by %g with %d", many, N, few, QUARTER);
    if (!(straight < 1e-5))
        fail_msg("a straight process is off by %g", straight);
}

/* A linear process is followed beyond the hull of the neighbours, but not far beyond the log. */
static void steps_go_on_beyond_the_hull(void **state) {
    (void)state;
    static bf__local_step step;
    const bf__local *local;
    bf__points points = plane(0);
    const double beyond[2] = {1.03, 0.2}, far[2] = {30, 0};
    double to[2];
    assert_ok(bf__local_make(&local, &points, 16, arena, &err), err);
    bf__local_take(&step, local, beyond, 0);
    move(to, beyond, 0, 0);
    for (int c = 0; c < 2; c++)
        assert_near(step.next[c], to[c], 2e-3);
    bf__local_take(&step, local, far, 0);
    assert_true(hypot(step.next[0], step.next[1]) < 2);
}

/* A step ends where its neighbours do, and goes on as those do that go on. */
static void steps_end_as_their_neighbours_do(void **state) {
    (void)state;
    static bf__local_step step;
    static uint8_t ended[N];
    const bf__local *local;
    bf__points points = plane(0);
    int64_t goes = 0;
    for (int i = 0; i < 6; i++) { /* one node, all of whose rows end */
        z[i] = z[N + i] = 0.9;
        action[i] = 1;
    }
    for (int i = 0; i < N; i++) {
        ended[i] = z[i] > 0.5;
        goes += !ended[i];
        if (ended[i])
            nz[i] = nz[N + i] = 1e6; /* means nothing */
    }
    points.steps.ended = ended;
    points.steps.restarts = points.steps.starts = true;
    assert_ok(bf__local_make(&local, &points, 16, arena, &err), err);
    assert_int_equal(local->going_on, goes);
    assert_int_equal(local->nodes.n, N - 5);
    for (int64_t j = 0; j < local->nodes.n; j++)
        assert_true(local->ended[j] == 0 || local->ended[j] == 1);
    double where[3][2] = {{0.3, 0}, {0.7, 0.1}, {0.5, -0.2}}, to[2];
    bf__local_take(&step, local, where[0], 1);
    assert_near(step.ended, 0, 1e-12);
    bf__local_take(&step, local, where[1], 1);
    assert_near(step.ended, 1, 1e-12);
    bf__local_take(&step, local, where[2], 1);
    assert_true(step.ended > 0.05 && step.ended < 0.95);
    move(to, where[2], 1, 0);
    for (int c = 0; c < 2; c++)
        assert_near(step.next[c], to[c], 0.1);
    assert_true(z[bf__local_row(local, where[0])] <= 0.5);
}

/* ---- Runs */

enum { ROWS = 3000, STARTS = 400 };
static double s[ROWS], ns[ROWS], right[2 * ROWS], equal[ROWS];
static double first[STARTS], right0[2 * STARTS];
static int32_t push[ROWS];

/* s' = 0.9 s +- 0.3, to the right with probability 0.8 whatever the state; states of the log from
 * -3.2 to 3.2, starts from -3 to 3. */
static bf__points drift(double gamma) {
    bf_rng rng = bf_rng_make(6, "drift", 0);
    for (int i = 0; i < ROWS; i++) {
        s[i] = bf_rng_between(&rng, -3.2, 3.2);
        push[i] = bf_rng_uniform(&rng) < 0.5;
        ns[i] = 0.9 * s[i] + (push[i] ? 0.3 : -0.3);
        right[i] = 0.2;
        right[ROWS + i] = 0.8;
        equal[i] = 1.0 / ROWS;
    }
    for (int k = 0; k < STARTS; k++) {
        first[k] = -3 + 6 * (k + 0.5) / STARTS;
        right0[k] = 0.2;
        right0[STARTS + k] = 0.8;
    }
    bf__points points = points_of(1, ROWS, s, ns, push, right);
    points.steps.gamma = gamma;
    if (gamma < 1) {
        points.steps.starts = true;
        points.starts = STARTS;
        points.z0 = first;
        points.pi0 = right0;
    }
    return points;
}

/* The mean of s^2 under the target: its mean is m (1 - 0.9^t) after t steps from mean 0, and its
 * variance goes from 3, that of the starts, to v. */
static double exact(double gamma) {
    double m = 0.3 * 0.6 / 0.1, v = 0.09 * 4 * 0.8 * 0.2 / 0.19, sum = 0, discount = 1 - gamma;
    if (gamma == 1)
        return m * m + v;
    for (int t = 0; t < 2000; t++, discount *= gamma) {
        double mean = m * (1 - pow(0.9, t));
        sum += discount * (mean * mean + v + (3 - v) * pow(0.81, t));
    }
    return sum;
}

static void check_visits(double gamma) {
    static double visits[ROWS], again[ROWS];
    bf_context one = {.threads = 1}, two = {.threads = 2};
    bf__points points = drift(gamma);
    double sum = 0, square = 0;
    assert_true(bf__runs_suit(&points, 0));
    assert_ok(bf__runs_visit(visits, &points, equal, 16, &one, arena, &err), err);
    for (int i = 0; i < ROWS; i++) {
        assert_true(visits[i] >= 0);
        sum += visits[i];
        square += visits[i] * s[i] * s[i];
    }
    assert_near(sum, 1, 1e-12);
    assert_near(square, exact(gamma), 0.12); /* 45,000 steps, of which some 12 are as one: 0.033 */
    assert_ok(bf__runs_visit(again, &points, equal, 16, &two, arena, &err), err);
    assert_memory_equal(visits, again, sizeof visits);
}

static void runs_visit_what_the_target_does(void **state) {
    (void)state;
    check_visits(1);
    check_visits(0.9);
}

/* Memory that ends, at any piece, is an error, and everything is given back. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    static double visits[ROWS];
    bf_context context = {.threads = 1};
    bf__points points = drift(1);
    bf_status status = BF_ENOMEM;
    long left = 0;
    for (; status != BF_OK; left++) {
        ration r = {.left = left};
        bf_allocator allocator = ration_allocator(&r);
        bf_arena *small;
        status = bf_arena_create(&small, &allocator, &err);
        if (status == BF_OK)
            status = bf__runs_visit(visits, &points, equal, 16, &context, small, &err);
        assert_true(status == BF_OK || status == BF_ENOMEM);
        bf_arena_destroy(small);
        assert_int_equal(r.live, 0);
    }
    assert_true(left > 10); /* it takes some memory */
}

typedef struct patience {
    int calls, stop; /* says no at call number `stop`; 0: never */
} patience;

static bool go_on(void *self, const bf_progress *report) {
    patience *p = self;
    (void)report;
    return ++p->calls != p->stop;
}

static void runs_may_be_stopped(void **state) {
    (void)state;
    static double visits[ROWS];
    patience p = {0};
    bf_context context = {.threads = 1, .callbacks = {NULL, go_on, &p}};
    bf__points points = drift(1);
    assert_ok(bf__runs_visit(visits, &points, equal, 16, &context, arena, &err), err);
    int all = p.calls;
    assert_true(all > 2);
    for (int stop = 1; stop <= all; stop++) {
        p = (patience){.stop = stop};
        assert_int_equal(bf__runs_visit(visits, &points, equal, 16, &context, arena, &err),
                         BF_ECANCELLED);
    }
}

static void runs_are_for_what_they_suit(void **state) {
    (void)state;
    bf__points points = drift(1), other = points;
    assert_true(bf__runs_suit(&points, 0.005));
    assert_false(bf__runs_suit(&points, 0.02)); /* noise */
    other.size = 100000;                        /* a large log, or a part that is to tell of one */
    assert_false(bf__runs_suit(&other, 0));
    other = points;
    other.actions = 0; /* vectors */
    assert_false(bf__runs_suit(&other, 0));
    other = points;
    other.weight = equal;
    assert_false(bf__runs_suit(&other, 0));
    other = points;
    other.steps.absorbs = true;
    assert_false(bf__runs_suit(&other, 0));
}

/* ---- Their share in an answer */

static bf_estimate answer(const bf_dataset *data, const char *options) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_context context = {.threads = 2, .seed = 1};
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART};
    bf_settings *settings;
    bf_estimate out;
    assert_ok(bf_estimator_settings(&settings, blackbox, options, arena, &err), err);
    assert_ok(bf__estimator_run(blackbox, &out, &problem, settings, &context, arena, &err), err);
    return out;
}

static void an_answer_begins_with_runs(void **state) {
    (void)state;
    enum { FEW = 200 }; /* with more of them the chain is hardly off, and there are no runs */
    static double reward[FEW], chosen[2 * FEW];
    drift(1);
    for (int i = 0; i < FEW; i++) {
        reward[i] = s[i] * s[i];
        chosen[i] = 0.2;
        chosen[FEW + i] = 0.8;
    }
    bf_dataset data = {.n = FEW,
                       .state_dim = 1,
                       .actions = 2,
                       .real_state = true,
                       .state = s,
                       .next_state = ns,
                       .action = push,
                       .reward = reward,
                       .npi = chosen};
    bf_estimate with = answer(&data, NULL), without = answer(&data, "runs=no");
    double share = bf_estimate_get(&with, "runs_share");
    if (!(share > 0 && share < 1))
        fail_msg("the share of runs is %g", share);
    assert_near(with.value, exact(1), 0.01);
    assert_near(without.value, exact(1), 0.01);
    assert_near(bf_estimate_get(&without, "runs_share"), 0, 0);
    assert_true(bf_estimate_get(&with, "base_value") != bf_estimate_get(&without, "base_value"));
    for (int i = 0; i < FEW; i++)
        reward[i] = 7; /* there is nothing to gain */
    bf_estimate flat = answer(&data, NULL);
    assert_near(bf_estimate_get(&flat, "runs_share"), 0, 0);
    line noisy = {.unit = 1};
    bf_dataset line_data = line_log(&noisy, 1000, 3);
    bf_estimate of_noise = answer(&line_data, NULL);
    assert_near(bf_estimate_get(&of_noise, "runs_share"), 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_straight_lines),
        cmocka_unit_test(steps_go_on_beyond_the_hull),
        cmocka_unit_test(steps_end_as_their_neighbours_do),
        cmocka_unit_test(runs_visit_what_the_target_does),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(runs_may_be_stopped),
        cmocka_unit_test(runs_are_for_what_they_suit),
        cmocka_unit_test(an_answer_begins_with_runs),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
