/* test_idle.c - Which columns are left out: those that nothing drives and that drive nothing.
 *
 * The process is known: a point on the line is pushed by actions, and one more column is made to
 * matter in one way, or in none. */
#include <math.h>
#include <string.h>

#include "dataset/dataset.h"
#include "harness.h"
#include "problem/points.h"

TEST_ARENA;

/* What a column is. The first four mean nothing for what is asked; each of the others counts in one
 * way. */
typedef enum meaning {
    NOISE,
    OF_EPISODE,
    CLOCK,
    SLOW,
    PAYS,
    IS_LOOKED_AT,
    PUSHES,
    ENDS,
    LAST_ACTION,
    COPY,
    KICKS, /* now and then, and only if it is above 0 */
} meaning;

enum { STEPS = 100, MOST = 4 };

typedef struct log {
    int64_t n;
    int columns; /* beside the point */
    meaning means[MOST];
    bool vectors; /* actions are numbers on a line, not choices */
} log_of;

static double *doubles(int64_t n) {
    double *out = bf_arena_zalloc(arena, n, sizeof *out, &err);
    assert_non_null(out);
    return out;
}

static double column_at(meaning means, bf_rng *rng, double before, double x, double action, int t,
                        double of_episode) {
    switch (means) {
    case OF_EPISODE:
        return of_episode;
    case CLOCK:
        return t;
    case SLOW:
        return 0.95 * before + 0.3 * bf_rng_normal(rng);
    case LAST_ACTION:
        return action;
    case COPY:
        return x;
    default:
        return bf_rng_normal(rng);
    }
}

/* The chance to push to the right: by the side of the point, and by the column if it is looked
 * at. */
static double right(const log_of *l, const double *s, int64_t n) {
    double sign = s[0] < 0 ? 1 : -1;
    for (int c = 0; c < l->columns; c++)
        if (l->means[c] == IS_LOOKED_AT && s[(c + 1) * n] < 0)
            sign = -sign;
    return 0.5 + 0.4 * sign;
}

static bf_dataset make(const log_of *l) {
    bf_rng rng = bf_rng_make(3, "idle", 0);
    int64_t n = l->n, episodes = n / STEPS;
    int d = 1 + l->columns;
    double *s = doubles(d * n), *ns = doubles(d * n), *r = doubles(n), *pi = doubles(2 * n);
    double *npi = doubles(2 * n), *u = doubles(n), now[MOST + 1] = {0}, next[MOST + 1];
    int32_t *a = bf_arena_alloc(arena, n, sizeof *a, &err);
    uint8_t *terminated = bf_arena_zalloc(arena, n, 1, &err);
    int64_t *begin = bf_arena_alloc(arena, episodes + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err);
    double of_episode[MOST] = {0};
    for (int64_t i = 0; i < n; i++) {
        int t = (int)(i % STEPS);
        if (t == 0) {
            begin[i / STEPS] = i;
            now[0] = bf_rng_normal(&rng);
            for (int c = 0; c < l->columns; c++) {
                of_episode[c] = bf_rng_normal(&rng);
                now[c + 1] = column_at(l->means[c], &rng, 0, now[0], 0, 0, of_episode[c]);
            }
        }
        double good = 0.3 * now[0] * now[0];
        order[i] = i;
        u[i] = l->vectors ? bf_rng_normal(&rng) : 0;
        a[i] = bf_rng_uniform(&rng) < 0.5;
        double push = l->vectors ? 0.3 * u[i] : a[i] ? 0.3 : -0.3;
        next[0] = 0.9 * now[0] + push + 0.05 * bf_rng_normal(&rng);
        for (int c = 0; c < l->columns; c++) {
            good += l->means[c] == PAYS ? 0.3 * now[c + 1] : 0;
            next[0] += l->means[c] == PUSHES ? 0.3 * now[c + 1] : 0;
            if (l->means[c] == KICKS && now[c + 1] > 0 && bf_rng_uniform(&rng) < 0.06)
                next[0] += 1.5;
            terminated[i] |= l->means[c] == ENDS && now[c + 1] > 1.5;
        }
        for (int c = 0; c < l->columns; c++)
            next[c + 1] = column_at(l->means[c], &rng, now[c + 1], next[0],
                                    l->vectors ? u[i] : a[i], t + 1, of_episode[c]);
        r[i] = good;
        for (int c = 0; c < d; c++) {
            s[c * n + i] = now[c];
            ns[c * n + i] = now[c] = next[c];
        }
        pi[n + i] = right(l, s + i, n);
        pi[i] = 1 - pi[n + i];
        npi[n + i] = right(l, ns + i, n);
        npi[i] = 1 - npi[n + i];
    }
    begin[episodes] = n;
    bf_dataset out = {.n = n,
                      .state_dim = d,
                      .real_state = true,
                      .state = s,
                      .next_state = ns,
                      .reward = r,
                      .terminated = terminated,
                      .episodes = episodes,
                      .begin = begin,
                      .order = order};
    if (l->vectors) { /* the target's push is the chance of the other kind */
        out.action_dim = 1;
        out.action_vector = u;
        out.samples = 1;
        out.sa = pi + n;
        out.na = npi + n;
        return out;
    }
    out.actions = 2;
    out.action = a;
    out.pi = pi;
    out.npi = npi;
    return out;
}

/* The columns that are left out, as a text: "s1, s2". */
static const char *left_out(const bf_dataset *data, const char *scale) {
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART};
    bf__points points;
    assert_ok(bf__points_make(&points, &problem, "none", scale, NULL, arena, &err), err);
    assert_int_equal(points.d + points.left_out_count, data->state_dim);
    return points.left_out ? points.left_out : "none";
}

static void assert_left_out(log_of l, const char *expected) {
    bf_dataset data = make(&l);
    assert_string_equal(left_out(&data, "auto"), expected);
}

static void columns_that_mean_nothing_are_left_out(void **state) {
    (void)state;
    for (int means = NOISE; means <= SLOW; means++)
        assert_left_out((log_of){4000, 1, {(meaning)means}}, "s1");
    assert_left_out((log_of){4000, 4, {NOISE, OF_EPISODE, CLOCK, SLOW}}, "s1, s2, s3, s4");
    assert_left_out((log_of){.n = 4000, .columns = 1, .means = {NOISE}, .vectors = true}, "s1");
}

static void columns_that_count_stay(void **state) {
    (void)state;
    for (int means = PAYS; means <= COPY; means++)
        assert_left_out((log_of){4000, 1, {(meaning)means}}, "none");
    for (int means = PAYS; means <= COPY; means++) /* beside one that does not */
        assert_left_out((log_of){4000, 2, {(meaning)means, NOISE}}, "s2");
    assert_left_out((log_of){.n = 4000, .columns = 1, .means = {PUSHES}, .vectors = true}, "none");
    assert_left_out((log_of){.n = 4000, .columns = 1, .means = {LAST_ACTION}, .vectors = true},
                    "none");
}

/* That a column drives something now and then does not show in a few thousand rows, but in many. */
static void a_large_log_shows_what_is_rare(void **state) {
    (void)state;
    assert_left_out((log_of){100000, 1, {KICKS}}, "none");
    assert_left_out((log_of){100000, 1, {NOISE}}, "s1");
}

static void a_small_log_cannot_say(void **state) {
    (void)state;
    assert_left_out((log_of){400, 1, {NOISE}}, "none");
}

/* The policy may be known at the next states alone. */
static void without_the_policy_at_the_states(void **state) {
    (void)state;
    log_of noise = {4000, 1, {NOISE}}, looked_at = {4000, 1, {IS_LOOKED_AT}};
    bf_dataset data = make(&noise);
    data.pi = NULL;
    data.terminated = NULL;
    assert_string_equal(left_out(&data, "auto"), "s1");
    data = make(&looked_at);
    data.pi = NULL;
    data.terminated = NULL;
    assert_string_equal(left_out(&data, "auto"), "none");
}

static void the_option_has_the_last_word(void **state) {
    (void)state;
    log_of l = {4000, 2, {NOISE, PAYS}};
    bf_dataset data = make(&l);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf__points points;
    assert_string_equal(left_out(&data, "none"), "none");
    assert_string_equal(left_out(&data, "s2:0"), "s2");
    assert_string_equal(left_out(&data, "s2:0,s1:3"), "s2");
    assert_string_equal(left_out(&data, "s0:2"), "none");
    assert_int_equal(
        bf__points_make(&points, &problem, "none", "s0:0,s1:0,s2:0", NULL, arena, &err), BF_EUSAGE);
    assert_string_equal(err.message, "scale: s0:0,s1:0,s2:0 leaves out every column of the state");
}

/* Whoever leaves a column out says what a log without it says, to the last digit. */
static void the_answer_is_that_of_the_log_without_the_column(void **state) {
    (void)state;
    static const char *const methods[] = {"auto", "lstdq", "model"};
    log_of with = {1000, 1, {NOISE}};
    bf_dataset data = make(&with), plain = data;
    plain.state_dim = 1; /* the first column comes first */
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        double value[2];
        for (int without = 0; without < 2; without++) {
            bf_problem problem = {without ? &plain : &data, 1, BF_TERMINAL_RESTART};
            bf_estimate out;
            assert_ok(bf__estimator_run(bf_estimator_find(methods[k]), &out, &problem, NULL, NULL,
                                        arena, &err),
                      err);
            value[without] = out.value;
        }
        if (value[0] != value[1])
            fail_msg("%s: %.17g with the column, %.17g without", methods[k], value[0], value[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(columns_that_mean_nothing_are_left_out),
        arena_test(columns_that_count_stay),
        arena_test(a_large_log_shows_what_is_rare),
        arena_test(a_small_log_cannot_say),
        arena_test(without_the_policy_at_the_states),
        arena_test(the_option_has_the_last_word),
        arena_test(the_answer_is_that_of_the_log_without_the_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
