/* test_tobit.c - Regression on numbers that were cut to a range: against integrals, against its own
 * likelihood written down anew, and against numbers drawn with known slopes. Policies that saturate
 * against the mean of what they do, by an integral. */
#include "mdp.h"

#include "model/actor.h"
#include "solver/tobit.h"

TEST_ARENA;

/* The integral of x^power phi(x) from `low` on, by the midpoint rule. */
static double tail(double low, int power) {
    double sum = 0, step = 1e-4;
    for (double x = low + step / 2; x < low + 40; x += step)
        sum += step * pow(x, power) * exp(-x * x / 2) / sqrt(2 * M_PI);
    return sum;
}

static void means_behind_a_cut_are_integrals(void **state) {
    (void)state;
    for (double u = -8; u < 5; u += 1.7) {
        double mean = tail(-u, 1) / tail(-u, 0);
        assert_near(bf__mills(u), mean, 1e-6 * fmax(1, mean));
        /* y = 3 + 2 x is cut from above at b with (3 - b) / 2 = u. */
        assert_near(bf__tobit_mean(3, 2, 3 - 2 * u, true), 3 + 2 * mean, 1e-5);
        assert_near(bf__tobit_mean(-3, 2, -3 + 2 * u, false), -3 - 2 * mean, 1e-5);
    }
    /* Far out the ratio is that of its asymptotic series, and there is no step between the two. */
    assert_near(bf__mills(-29.999999), bf__mills(-30.000001), 1e-4);
    assert_near(bf__mills(-1e6), 1e6, 1);
}

enum { N = 4000, P = 3 };
static const double slopes[P + 1] = {2, -1, 0.5, 0.3}, size = 0.4, low = -1, high = 0.8;

typedef struct sample {
    double x[N * P], y[N];
} sample;

static sample *draw(void) {
    sample *s = bf_arena_alloc(arena, 1, sizeof *s, &err);
    bf_rng rng = bf_rng_make(4, "tobit test", 0);
    for (int i = 0; i < N; i++) {
        double y = slopes[P] + size * bf_rng_normal(&rng);
        for (int c = 0; c < P; c++) {
            s->x[i * P + c] = bf_rng_normal(&rng);
            y += slopes[c] * s->x[i * P + c];
        }
        s->y[i] = fmin(fmax(y, low), high);
    }
    return s;
}

/* Minus the log likelihood of slopes and the size of the noise, straight from its definition. */
static double unlikely(const sample *s, const double *beta, double sigma) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double mean = beta[P];
        for (int c = 0; c < P; c++)
            mean += beta[c] * s->x[i * P + c];
        double z = (s->y[i] - mean) / sigma;
        if (s->y[i] >= high)
            sum -= log(0.5 * erfc(z / sqrt(2)));
        else if (s->y[i] <= low)
            sum -= log(0.5 * erfc(-z / sqrt(2)));
        else
            sum += z * z / 2 + log(sigma);
    }
    return sum;
}

static void the_likelihood_is_at_its_top(void **state) {
    (void)state;
    sample *s = draw();
    double beta[P + 1], sigma, inside = 0;
    bf__tobit_task task = {.n = N, .inputs = P, .x = s->x, .y = s->y, .low = low, .high = high};
    assert_ok(bf__tobit_fit(beta, &sigma, &task, arena, &err), err);
    for (int i = 0; i < N; i++)
        inside += s->y[i] > low && s->y[i] < high;
    assert_true(inside < 0.6 * N); /* else the test would be of least squares */
    double top = unlikely(s, beta, sigma);
    for (int c = 0; c <= P; c++) {
        assert_near(beta[c], slopes[c], 0.05);
        for (double move = -0.01; move < 0.02; move += 0.02) {
            double other[P + 1];
            memcpy(other, beta, sizeof other);
            other[c] += move;
            assert_true(unlikely(s, other, sigma) > top);
        }
    }
    assert_near(sigma, size, 0.02);
    assert_true(unlikely(s, beta, sigma + 0.005) > top && unlikely(s, beta, sigma - 0.005) > top);
}

static void nothing_cut_is_least_squares(void **state) {
    (void)state;
    sample *s = draw();
    double beta[P + 1], sigma, gap[P + 1] = {0}, square = 0;
    bf__tobit_task task = {
        .n = N, .inputs = P, .x = s->x, .y = s->y, .low = -INFINITY, .high = INFINITY};
    assert_ok(bf__tobit_fit(beta, &sigma, &task, arena, &err), err);
    for (int i = 0; i < N; i++) {
        double rest = s->y[i] - beta[P];
        for (int c = 0; c < P; c++)
            rest -= beta[c] * s->x[i * P + c];
        for (int c = 0; c <= P; c++)
            gap[c] += rest * (c < P ? s->x[i * P + c] : 1) / N;
        square += rest * rest / N;
    }
    for (int c = 0; c <= P; c++) /* what is left is orthogonal to the inputs, but for the ridge */
        assert_near(gap[c], 0, 1e-5);
    assert_near(sigma, sqrt(square), 1e-5);
}

/* A controller of great gain between limits: a = clip(20 x_0 - 5 x_1 + e / 2). */
static void a_policy_that_saturates_is_steep(void **state) {
    (void)state;
    enum { STATES = 3000, SAMPLES = 4, DRAWS = 4000 };
    double *x = bf_arena_alloc(arena, STATES * 2, sizeof *x, &err);
    double *shown = bf_arena_alloc(arena, STATES * SAMPLES, sizeof *x, &err);
    int32_t *fold = bf_arena_alloc(arena, STATES, sizeof *fold, &err);
    bf_rng rng = bf_rng_make(5, "saturating", 0);
    for (int i = 0; i < STATES; i++) {
        x[i * 2] = bf_rng_normal(&rng);
        x[i * 2 + 1] = bf_rng_normal(&rng);
        fold[i] = i % 4;
        for (int m = 0; m < SAMPLES; m++) {
            double a = 20 * x[i * 2] - 5 * x[i * 2 + 1] + 0.5 * bf_rng_normal(&rng);
            shown[i * SAMPLES + m] = fmin(fmax(a, -1), 1);
        }
    }
    bf__actor actor;
    bf__actor_task task = {.n = STATES,
                           .inputs = 2,
                           .members = 4,
                           .x = x,
                           .fold = fold,
                           .dim = 1,
                           .samples = SAMPLES,
                           .shown = shown,
                           .features = 100,
                           .rounds = 1,
                           .what = "test"};
    assert_ok(bf__actor_fit(&actor, &task, NULL, arena, &err), err);
    double *at = bf_arena_alloc(arena, DRAWS * 2, sizeof *at, &err);
    double *u = bf_arena_alloc(arena, DRAWS, sizeof *at, &err);
    bf_rng *streams = bf_arena_alloc(arena, DRAWS, sizeof *streams, &err);
    double *scratch = bf_arena_alloc(arena, bf__actor_room(&actor, DRAWS), sizeof *at, &err);
    for (double x0 = -0.05; x0 < 0.06; x0 += 0.025) {
        double mean = 0, square = 0, exact = 0, power = 0, step = 1e-3;
        for (int j = 0; j < DRAWS; j++) {
            at[2 * j] = x0;
            at[2 * j + 1] = 0.02;
            streams[j] = bf_rng_make(6, "draw", (uint64_t)j);
        }
        assert_ok(bf__actor_draw(u, &actor, 1, at, NULL, DRAWS, streams, scratch, &err), err);
        for (int j = 0; j < DRAWS; j++) {
            mean += u[j] / DRAWS;
            square += u[j] * u[j] / DRAWS;
        }
        for (double e = -8; e < 8; e += step) {
            double a = fmin(fmax(20 * x0 - 5 * 0.02 + 0.5 * e, -1), 1);
            exact += step * a * exp(-e * e / 2) / sqrt(2 * M_PI);
            power += step * a * a * exp(-e * e / 2) / sqrt(2 * M_PI);
        }
        if (!(fabs(mean - exact) < 0.05 && fabs(square - power) < 0.06))
            fail_msg("at %g: mean %g, not %g; square %g, not %g", x0, mean, exact, square, power);
    }
}

/* An arm whose angle is given as cosine and sine: theta' = theta + a, a ~ N(-theta / 2, 0.05^2) and
 * ten times that noise in the log. theta is normal in the long run, with variance v = 0.05^2 /
 * 0.75, and the mean of 10 cos theta is 10 exp(-v / 2). */
static void an_angle_stays_one(void **state) {
    (void)state;
    enum { ROWS = 3000, LENGTH = 100, SAMPLES = 4 };
    bf_rng rng = bf_rng_make(7, "arm", 0);
    double *s = bf_arena_alloc(arena, 2 * ROWS, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, 2 * ROWS, sizeof *s, &err);
    double *a = bf_arena_alloc(arena, ROWS, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, ROWS, sizeof *s, &err);
    double *na = bf_arena_alloc(arena, SAMPLES * ROWS, sizeof *s, &err);
    int64_t *begin = bf_arena_alloc(arena, ROWS / LENGTH + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, ROWS, sizeof *order, &err);
    double angle = 0;
    for (int i = 0; i < ROWS; i++) {
        order[i] = i;
        begin[i / LENGTH] = i - i % LENGTH;
        if (i % LENGTH == 0)
            angle = 0.5 * bf_rng_normal(&rng);
        a[i] = -angle / 2 + 0.5 * bf_rng_normal(&rng);
        s[i] = cos(angle);
        s[ROWS + i] = sin(angle);
        r[i] = 10 * cos(angle);
        angle += a[i];
        ns[i] = cos(angle);
        ns[ROWS + i] = sin(angle);
        for (int m = 0; m < SAMPLES; m++)
            na[m * ROWS + i] = -angle / 2 + 0.05 * bf_rng_normal(&rng);
    }
    begin[ROWS / LENGTH] = ROWS;
    bf_dataset data = {.n = ROWS,
                       .state_dim = 2,
                       .action_dim = 1,
                       .samples = SAMPLES,
                       .state = s,
                       .next_state = ns,
                       .action_vector = a,
                       .reward = r,
                       .na = na,
                       .episodes = ROWS / LENGTH,
                       .begin = begin,
                       .order = order};
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    const bf_estimator *simulator = bf_estimator_find("simulator");
    bf_settings *settings;
    bf_estimate out;
    bf_context context = {.threads = 2, .seed = 3};
    assert_ok(bf_estimator_settings(&settings, simulator, "features=200 steps=400", arena, &err),
              err);
    assert_ok(bf__estimator_run(simulator, &out, &problem, settings, &context, arena, &err), err);
    assert_near(out.value, 10 * exp(-0.05 * 0.05 / 0.75 / 2), 0.02);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(means_behind_a_cut_are_integrals),
        arena_test(the_likelihood_is_at_its_top),
        arena_test(nothing_cut_is_least_squares),
        arena_test(a_policy_that_saturates_is_steep),
        arena_test(an_angle_stays_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
