/* test_slow.c - A policy that mixes slowly, on a whole log: no sound answer is far from the truth.
 *
 * A walker on [0, 1] takes small steps to the left or to the right and is thrown back at the walls;
 * the reward is where it stands. The target goes right slightly more often than left, so that its
 * long run is reached after about (1 / step)^2 steps, while no trajectory of the log is longer than
 * TOGETHER steps. A step is 8 cells of a grid, give or take up to 2, so that the truth is that of
 * the same walk on the cells, by applying it again and again: it shares no code with the library.
 *
 * A chain that is stopped before it has settled must say so, and the interval of whatever is called
 * sound holds the truth, or nearly. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

TEST_ARENA;

enum { N = 3000, TOGETHER = 30, MOST_CELLS = 768, STRIDE = 8, WOBBLE = 2 };
#define RIGHT 0.53

typedef struct walk {
    double s[N], ns[N], r[N], pi[2 * N], npi[2 * N];
    int32_t a[N];
    int64_t episode[N], t[N];
} walk;

static double reflect(double x) {
    return x < 0 ? -x : x > 1 ? 2 - x : x;
}

/* A generator of its own: 48 bits, as drand48 has them. */
static double uniform(unsigned short seed[3]) {
    return erand48(seed);
}

static void make_log(walk *w, int cells, unsigned short start) {
    unsigned short seed[3] = {start, 7, 11};
    double x = 0;
    for (int i = 0; i < N; i++) {
        if (i % TOGETHER == 0)
            x = uniform(seed);
        w->a[i] = uniform(seed) < 0.5;
        w->s[i] = w->r[i] = x;
        int wobble = (int)(uniform(seed) * (2 * WOBBLE + 1)) - WOBBLE;
        x = w->ns[i] = reflect(x + ((w->a[i] ? STRIDE : -STRIDE) + wobble) / (double)cells);
        w->pi[2 * i] = w->npi[2 * i] = 1 - RIGHT;
        w->pi[2 * i + 1] = w->npi[2 * i + 1] = RIGHT;
        w->episode[i] = i / TOGETHER;
        w->t[i] = i % TOGETHER;
    }
}

/* The mean of the stationary distribution on the cells. */
static double truth(int cells) {
    static double p[MOST_CELLS], q[MOST_CELLS];
    double mean = 0, before = -1;
    for (int c = 0; c < cells; c++)
        p[c] = 1.0 / cells;
    for (int k = 0; k % 1000 || fabs(mean - before) > 1e-8; k++) {
        if (k % 1000 == 0)
            before = mean;
        memset(q, 0, sizeof q);
        for (int c = 0; c < cells; c++)
            for (int e = -WOBBLE; e <= WOBBLE; e++) {
                int left = abs(c - STRIDE + e + (c - STRIDE + e < 0)); /* -1 is thrown back to 0 */
                int right = c + STRIDE + e;
                right = right < cells ? right : 2 * cells - 1 - right;
                q[left] += p[c] * (1 - RIGHT) / (2 * WOBBLE + 1);
                q[right] += p[c] * RIGHT / (2 * WOBBLE + 1);
            }
        memcpy(p, q, sizeof p);
        mean = 0;
        for (int c = 0; c < cells; c++)
            mean += p[c] * (c + 0.5) / cells;
    }
    return mean;
}

static const bf_dataset *log_of(const walk *w) {
    bf_columns *columns;
    const bf_dataset *data;
    bf_array s = bf_array_1d(w->s, BF_FLOAT64, N), ns = bf_array_1d(w->ns, BF_FLOAT64, N);
    bf_array pi = bf_array_1d(w->pi, BF_FLOAT64, N), npi;
    bf_array a = bf_array_1d(w->a, BF_INT32, N), r = bf_array_1d(w->r, BF_FLOAT64, N);
    bf_array episode = bf_array_1d(w->episode, BF_INT64, N), t = bf_array_1d(w->t, BF_INT64, N);
    pi.ndim = 2;
    pi.shape[1] = 2;
    pi.strides[0] = 2 * sizeof(double);
    pi.strides[1] = sizeof(double);
    npi = pi;
    npi.data = w->npi;
    assert_ok(bf_columns_create(&columns, "walk", arena, &err), err);
    assert_ok(bf_columns_add(columns, "s0", &s, &err), err);
    assert_ok(bf_columns_add(columns, "ns0", &ns, &err), err);
    assert_ok(bf_columns_add(columns, "a", &a, &err), err);
    assert_ok(bf_columns_add(columns, "r", &r, &err), err);
    assert_ok(bf_columns_add(columns, "pi", &pi, &err), err);
    assert_ok(bf_columns_add(columns, "npi", &npi, &err), err);
    assert_ok(bf_columns_add(columns, "episode", &episode, &err), err);
    assert_ok(bf_columns_add(columns, "t", &t, &err), err);
    assert_ok(bf_dataset_from_columns(&data, columns, NULL, arena, &err), err);
    return data;
}

/* What one method says, held against the truth. Returns the verdict. */
static bf_verdict ask(const bf_dataset *data, const char *settings_text, double expected) {
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART, NULL, sizeof problem};
    bf_context context = {.threads = 1, .seed = 1};
    const bf_estimator *method = bf_estimator_find("blackbox");
    const bf_estimate *estimate;
    const bf_trust *trust;
    bf_settings *settings;
    bf_interval interval = {0};
    assert_ok(bf_estimator_settings(&settings, method, settings_text, arena, &err), err);
    assert_ok(bf_estimator_run(&estimate, method, &problem, settings, &context, arena, &err), err);
    assert_ok(
        bf_trust_measure(&trust, estimate, method, &problem, settings, NULL, &context, arena, &err),
        err);
    bf_verdict verdict = bf_trust_verdict(trust);
    double settled = bf_estimate_get(estimate, "chain_settled");
    /* One interval in 20 misses by design; one that is half as wide again, one in 300. */
    bool covered = bf_trust_interval(trust, &interval) &&
                   fabs(bf_estimate_value(estimate) - expected) <= 1.5 * interval.half;
    print_message("%s: %.4f [%.4f, %.4f], true %.4f, settled %g, %s\n", settings_text,
                  bf_estimate_value(estimate), interval.low, interval.high, expected, settled,
                  bf_verdict_name(verdict));
    if (settled == 0 && verdict == BF_VERDICT_SOUND)
        fail_msg("%s: a chain that was stopped is called sound", settings_text);
    if (verdict == BF_VERDICT_SOUND && !covered)
        fail_msg("%s: %.4f is called sound, and the truth is %.4f", settings_text,
                 bf_estimate_value(estimate), expected);
    return verdict;
}

static void no_sound_answer_is_far_off(void **state) {
    (void)state;
    static const int cells[] = {256, MOST_CELLS};
    static const char *const settings[] = {"weights=corrected", "weights=neighbours"};
    static walk w;
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        double expected = truth(cells[k]);
        make_log(&w, cells[k], (unsigned short)(k + 1));
        const bf_dataset *data = log_of(&w);
        for (size_t m = 0; m < sizeof settings / sizeof *settings; m++)
            ask(data, settings[m], expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {arena_test(no_sound_answer_is_far_off)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
