/* test_fqe.c - The networks of fitted Q evaluation: what they find, when they stop, and that they
 * say so if they have not settled. */
#include "lyapunov.h"
#include "neural/critic.h"

static bf_estimate fqe_on(const bf_dataset *data, const char *options, int threads) {
    const bf_estimator *fqe = bf_estimator_find("fqe");
    bf_problem problem = {data, 1, BF_TERMINAL_RESTART};
    bf_context context = {.threads = threads, .seed = 3};
    bf_settings *settings;
    bf_estimate out;
    char name[64], value[64];
    assert_ok(bf_estimator_settings(&settings, fqe, NULL, arena, &err), err);
    for (int used; sscanf(options, " %63s %63s%n", name, value, &used) == 2; options += used)
        assert_ok(bf_settings_set(settings, name, value, &err), err);
    assert_ok(bf__estimator_run(fqe, &out, &problem, settings, &context, arena, &err), err);
    return out;
}

static bool says(const bf_estimate *e, const char *code) {
    for (int i = 0; i < e->warning_count; i++)
        if (strcmp(e->warnings[i].code, code) == 0)
            return true;
    return false;
}

/* In 2,000 rows of noise in 12 dimensions: better than the log's own mean, no more. */
static void it_finds_the_value_of_a_linear_process(void **state) {
    (void)state;
    process p = read_process();
    bf_dataset data = make_log(&p);
    bf_estimate out = fqe_on(&data, "hidden 16", 2);
    double off = fabs(out.value - p.target.value);
    double naive = fabs(mean_reward(&data) - p.target.value);
    if (!(off < 0.4 * naive))
        fail_msg("%g, not %g (naive is off by %g)", out.value, p.target.value, naive);
    assert_true(bf_estimate_get(&out, "held_out_error") > bf_estimate_get(&out, "bellman_error"));
    assert_false(says(&out, "fit-drifts"));
    /* Too few rounds for them to settle, and too few for the features of the solves. */
    bf_estimate begun = fqe_on(&data, "hidden 16 rounds 100 close no", 2);
    assert_true(says(&begun, "fit-drifts"));
    bf_estimate hardly = fqe_on(&data, "hidden 16 rounds 30", 2);
    assert_true(says(&hardly, "fit-drifts"));
    /* In many dimensions it takes 150 rounds by itself. Solves are nearer than rounds alone, and
     * look to the end. */
    assert_near(fqe_on(&data, "hidden 16 rounds 150", 2).value, out.value, 0);
    assert_true(off < fabs(begun.value - p.target.value));
    assert_near(bf_estimate_get(&out, "solve_discount"), 0, 0);
}

static void digits_are_the_same_for_any_number_of_threads(void **state) {
    (void)state;
    process p = read_process();
    bf_dataset data = make_log(&p);
    bf_estimate one = fqe_on(&data, "hidden 8 rounds 20", 1);
    for (int threads = 2; threads <= 3; threads++) {
        bf_estimate other = fqe_on(&data, "hidden 8 rounds 20", threads);
        assert_near(other.value, one.value, 0);
        for (int k = 0; k < one.diagnostic_count; k++)
            assert_near(other.diagnostics[k].value, one.diagnostics[k].value, 0);
    }
}

/* A log in single precision is the same log. */
static void rounding_the_log_changes_little(void **state) {
    (void)state;
    process p = read_process();
    bf_dataset data = make_log(&p), rounded = data;
    struct {
        const double **column;
        int64_t size;
    } columns[] = {{&rounded.state, D},
                   {&rounded.next_state, D},
                   {&rounded.action_vector, M},
                   {&rounded.reward, 1},
                   {&rounded.na, SAMPLES * M}};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
        double *copy = bf_arena_alloc(arena, columns[k].size * ROWS, sizeof *copy, &err);
        for (int64_t i = 0; i < columns[k].size * ROWS; i++)
            copy[i] = (double)(float)(*columns[k].column)[i];
        *columns[k].column = copy;
    }
    bf_estimate exact = fqe_on(&data, "hidden 8 rounds 40", 2);
    bf_estimate single = fqe_on(&rounded, "hidden 8 rounds 40", 2);
    double naive = fabs(mean_reward(&data) - p.target.value);
    assert_near(single.value, exact.value, 0.001 * naive);
}

/* Rewards of nothing but noise: what a network learns of them is wrong on other episodes, and other
 * networks learn something else. */
static void it_says_that_it_learned_noise(void **state) {
    (void)state;
    process p = read_process();
    bf_dataset data = make_log(&p);
    bf_rng rng = bf_rng_make(5, "noise", 0);
    double *noise = bf_arena_alloc(arena, ROWS, sizeof *noise, &err);
    for (int64_t i = 0; i < ROWS; i++)
        noise[i] = bf_rng_normal(&rng);
    data.reward = noise;
    bf_estimate out = fqe_on(&data, "hidden 64 rounds 100 rate 0.01", 2);
    assert_near(bf_estimate_get(&out, "stopped_early"), 4, 0);
    assert_true(bf_estimate_get(&out, "held_out_error") >
                1.3 * bf_estimate_get(&out, "bellman_error"));
    assert_true(says(&out, "members-differ"));
    bf_estimate one = fqe_on(&data, "hidden 64 rounds 20 members 1", 2);
    assert_true(
        isnan(bf_estimate_get(&one, "stopped_early"))); /* there is no fold to judge it by */
}

/* Column `at` of inputs (., stride) is what the network is asked about row i with choice k. */
static void is_asked(const bf__critic_task *t, const bf__critic_view *view, int64_t i, int k,
                     const float *inputs, int64_t stride, int64_t at) {
    const bf__critic_places *p = &t->places[view->places];
    int64_t place = view->at ? view->at[i] : i;
    int d = t->pairs->d, dim = t->pairs->inputs - d;
    assert_in_range(place, 0, p->count - 1);
    assert_in_range(k, 0, p->choices - 1);
    for (int c = 0; c < d; c++)
        assert_true(p->z[c * p->count + place] == inputs[c * stride + at]);
    for (int c = 0; c < dim; c++)
        assert_true((p->u ? p->u[(k * dim + c) * p->count + place] : (float)(c == k)) ==
                    inputs[(d + c) * stride + at]);
}

/* Whatever states repeat, and wherever answers are found: the pairs are those of the log and of the
 * target. States are few here, so that most of them are asked about once for several rows. */
static void networks_are_asked_about_the_right_pairs(void **state) {
    (void)state;
    enum { N = 80, STARTS = 5, K = 3, DIM = 2, STATES = 30 };
    for (int vectors = 0; vectors < 2; vectors++) {
        bf_rng rng = bf_rng_make(1, "places", 0);
        float z[2 * N], nz[2 * N], z0[2 * STARTS], next[5 * K * N], start[5 * K * N];
        double numbers[K * DIM * N], p[K * N];
        int32_t action[N];
        int64_t seen[STATES] = {0}, distinct = 0;
        for (int i = 0; i < 2 * N + STARTS; i++) {
            int64_t s = bf_rng_below(&rng, STATES);
            int row = i % N;
            float *to = i < N ? z : i < 2 * N ? nz : z0;
            int stride = i < 2 * N ? N : STARTS;
            distinct += seen[s]++ == 0;
            to[row] = (float)(s % 7);
            to[stride + row] = s == 0 ? -0.0f : (float)(s / 7);
        }
        for (int i = 0; i < K * DIM * N; i++)
            numbers[i] = bf_rng_normal(&rng);
        for (int i = 0; i < N; i++)
            action[i] = (int32_t)bf_rng_below(&rng, K);
        bf__pairs pairs = {.n = N, .starts = STARTS, .d = 2, .choices = K, .z = z, .nz = nz};
        pairs.z0 = z0;
        pairs.inputs = 2 + (vectors ? DIM : K);
        pairs.points = (bf__points){.n = N, .starts = STARTS};
        if (vectors) {
            pairs.points.action_dim = DIM;
            pairs.points.samples = K;
            pairs.points.u = pairs.points.nu = pairs.points.u0 = numbers;
        } else {
            pairs.points.actions = K;
            pairs.points.action = action;
            pairs.points.npi = pairs.points.pi0 = numbers;
        }
        bf__critic_task task = {.pairs = &pairs};
        assert_ok(bf__critic_inputs(&task, arena, &err), err);
        assert_int_equal(task.places[0].count, vectors ? N : distinct);
        float *logged = bf_arena_alloc(arena, 5 * N, sizeof *logged, &err);
        bf__pairs_logged(logged, N, 0, &pairs, NULL, N);
        assert_memory_equal(task.inputs, logged, (size_t)(pairs.inputs * N) * sizeof *logged);
        bf__pairs_next(next, K * N, 0, p, &pairs, NULL, N);
        assert_memory_equal(task.next_p, p, sizeof p);
        for (int i = 0; i < N; i++)
            is_asked(&task, &task.logged, i, vectors ? 0 : action[i], logged, N, i);
        for (int i = 0; i < K * N; i++)
            is_asked(&task, &task.next, i % N, i / N, next, K * N, i);
        bf__pairs_start(start, K * STARTS, 0, p, &pairs, NULL, STARTS);
        assert_memory_equal(task.start_p, p, K * STARTS * sizeof *p);
        for (int i = 0; i < K * STARTS; i++)
            is_asked(&task, &task.start, i % STARTS, i / STARTS, start, K * STARTS, i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(it_finds_the_value_of_a_linear_process),
        arena_test(digits_are_the_same_for_any_number_of_threads),
        arena_test(rounding_the_log_changes_little),
        arena_test(it_says_that_it_learned_noise),
        arena_test(networks_are_asked_about_the_right_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
