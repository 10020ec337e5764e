/* test_points.c - What rows become points with, besides what test_problem.c says of their steps:
 * the actions of the target at the start states. */
#include "neural_log.h"

#include "problem/points.h"

/* The plain version: the first of the nearest next states that do not end an episode. */
static int64_t nearest(const bf__points *p, const uint8_t *terminated, int64_t e) {
    double least = INFINITY;
    int64_t best = 0;
    for (int64_t i = 0; i < p->n; i++) {
        double square = 0;
        for (int c = 0; c < p->d; c++)
            square += pow(p->nz[c * p->n + i] - p->z0[c * p->starts + e], 2);
        if (!terminated[i] && square < least) {
            least = square;
            best = i;
        }
    }
    return best;
}

/* If the log has no actions at its states, a start state takes those of the nearest next state. In
 * two dimensions, in twelve, and on states that are all the same. */
static void start_states_borrow_actions(void **state) {
    (void)state;
    const shape shapes[] = {
        {.n = 700, .d = 2, .horizon = 9, .scale = 1, .terminated = true},
        {.n = 400, .d = 12, .horizon = 30, .scale = 5, .terminated = true},
        {.n = 60, .d = 3, .horizon = 7, .scale = 1, .terminated = true, .constant = true},
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        bf_dataset data = make_log(shapes[k]);
        bf_context context = {.threads = 1};
        bf__points points;
        assert_ok(bf__points_make(&points, &(bf_problem){&data, 1, BF_TERMINAL_RESTART}, "none",
                                  "none", &context, arena, &err),
                  err);
        assert_int_equal(points.starts, data.episodes);
        assert_true(points.borrowed_starts);
        for (int64_t e = 0; e < points.starts; e++) {
            int64_t i = nearest(&points, data.terminated, e);
            for (int c = 0; c < points.samples * points.action_dim; c++)
                assert_true(points.u0[c * points.starts + e] == points.nu[c * points.n + i]);
        }
    }
}

/* A log of which every step ends has nothing to borrow, and takes the first row's. */
static void nothing_goes_on(void **state) {
    (void)state;
    bf_dataset data =
        make_log((shape){.n = 40, .d = 2, .horizon = 1, .scale = 1, .terminated = true});
    bf_context context = {.threads = 1};
    bf__points points;
    assert_ok(bf__points_make(&points, &(bf_problem){&data, 1, BF_TERMINAL_RESTART}, "none", "none",
                              &context, arena, &err),
              err);
    for (int64_t e = 0; e < points.starts; e++)
        assert_true(points.u0[e] == points.nu[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(start_states_borrow_actions),
        arena_test(nothing_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
