/* test_corrected.c - Whole answers for real-valued states: processes with a known value, the table
 * of a finite process, and logs of every awkward kind. */
#include "line.h"

/* ---- Known values */

static void the_value_of_a_noisy_line(void **state) {
    (void)state;
    line l = {.unit = 1};
    double truth = line_value(&l, 1, BF_TERMINAL_RESTART);
    double worst = 0, base = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_dataset data = line_log(&l, 2000, seed);
        bf_estimate out = line_answer(&data, 1, BF_TERMINAL_RESTART, "auto");
        assert_string_equal(out.model, "corrected");
        worst = fmax(worst, fabs(out.value - truth));
        out = line_answer(&data, 1, BF_TERMINAL_RESTART, "neighbours");
        base = fmax(base, fabs(out.value - truth));
        assert_true(fabs(mean_reward(&data) - truth) > 0.3);
        bf_arena_rewind(arena, mark);
    }
    assert_near(worst, 0, 0.05);
    assert_near(base, 0, 0.08);
}

static void ends_and_discounts(void **state) {
    (void)state;
    line l = {.edge = 1, .unit = 1};
    const struct {
        double gamma;
        int terminal;
        double error;
    } cases[] = {
        {1, BF_TERMINAL_RESTART, 0.012},  {0.9, BF_TERMINAL_RESTART, 0.012},
        {0.9, BF_TERMINAL_ABSORB, 0.012}, {0.99, BF_TERMINAL_ABSORB, 0.012},
        {0.5, BF_TERMINAL_RESTART, 0.03}, {0, BF_TERMINAL_RESTART, 0.03},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bf_mark mark = bf_arena_mark(arena);
        double truth = line_value(&l, cases[k].gamma, cases[k].terminal);
        bf_dataset data = line_log(&l, 3000, 3);
        const char *models[] = {"corrected", "neighbours"};
        for (int m = 0; m < 2; m++) {
            bf_estimate out = line_answer(&data, cases[k].gamma, cases[k].terminal, models[m]);
            assert_near(out.value, truth, cases[k].error);
        }
        bf_arena_rewind(arena, mark);
    }
}

static void ends_that_stay_ended_earn_nothing_in_the_long_run(void **state) {
    (void)state;
    line l = {.edge = 1, .unit = 1};
    bf_dataset data = line_log(&l, 500, 3);
    bf_estimate out = line_answer(&data, 1, BF_TERMINAL_ABSORB, "auto");
    assert_near(out.value, 0, 0);
    assert_near(bf_estimate_get(&out, "absorbed"), 1, 0);
    assert_true(out.warning_count > 0);
}

/* ---- Against the table */

static void repeated_states_are_a_table(void **state) {
    (void)state;
    int tables = 0;
    for (int k = 0; k < 40; k++) {
        bf_mark mark = bf_arena_mark(arena);
        bf_rng rng = bf_rng_make(7, "random process", (uint64_t)k);
        mdp m = mdp_random((mdp_kind)(k % 4), &rng, arena);
        bf_dataset data = mdp_log(&m, 7, arena), points = as_coordinates(&data);
        bf_estimate table = line_answer(&data, 0.9, BF_TERMINAL_RESTART, "tabular");
        bf_estimate out = line_answer(&points, 0.9, BF_TERMINAL_RESTART, "auto");
        if (strcmp(out.model, "tabular") == 0) {
            assert_near(out.value, table.value, 1e-10);
            tables++;
        }
        bf_arena_rewind(arena, mark);
    }
    assert_true(tables > 10);
}

/* ---- Awkward logs */

static void small_logs_have_an_answer(void **state) {
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 7, 20, 49};
    const int terminals[] = {BF_TERMINAL_RESTART, BF_TERMINAL_ABSORB, BF_TERMINAL_IGNORE};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int e = 0; e < 2; e++)
            for (int t = 0; t < 3; t++)
                for (int g = 0; g < 2; g++) {
                    bf_mark mark = bf_arena_mark(arena);
                    line l = {.edge = e ? 0.6 : 0, .unit = 1};
                    bf_dataset data = line_log(&l, sizes[k], k);
                    line_answer(&data, g ? 0.9 : 1, terminals[t], "auto");
                    line_answer(&data, g ? 0.9 : 1, terminals[t], "neighbours");
                    bf_arena_rewind(arena, mark);
                }
}

static void units_do_not_matter(void **state) {
    (void)state;
    double first = 0;
    const double units[] = {1, 1e12, 1e-12};
    for (int k = 0; k < 3; k++) {
        line l = {.unit = units[k]};
        bf_dataset data = line_log(&l, 400, 5);
        bf_estimate out = line_answer(&data, 1, BF_TERMINAL_RESTART, "auto");
        first = k ? first : out.value;
        assert_near(out.value, first, 0.01); /* combinations of neighbours stop early */
        double *r = bf_arena_alloc(arena, data.n, sizeof *r, &err);
        for (int64_t i = 0; i < data.n; i++)
            r[i] = 1e12 * data.reward[i];
        data.reward = r;
        out = line_answer(&data, 1, BF_TERMINAL_RESTART, "auto");
        assert_near(1e-12 * out.value, first, 0.01);
    }
}

static void columns_that_say_nothing(void **state) {
    (void)state;
    line plain = {.unit = 1}, wide = {.unit = 1, .extra = MOST_EXTRA};
    bf_dataset data = line_log(&plain, 300, 5);
    double *s = bf_arena_alloc(arena, 2 * data.n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, 2 * data.n, sizeof *s, &err);
    for (int64_t i = 0; i < data.n; i++) {
        s[i] = data.state[i];
        ns[i] = data.next_state[i];
        s[data.n + i] = ns[data.n + i] = 7; /* a constant */
    }
    double before = line_answer(&data, 1, BF_TERMINAL_RESTART, "auto").value;
    data.state = s;
    data.next_state = ns;
    data.state_dim = 2;
    assert_near(line_answer(&data, 1, BF_TERMINAL_RESTART, "auto").value, before, 1e-9);
    data = line_log(&wide, 300, 5);
    bf_estimate out = line_answer(&data, 1, BF_TERMINAL_RESTART, "auto");
    assert_true(bf_estimate_get(&out, "off_hull") > 1);
    assert_true(out.warning_count > 0);
}

static void rewards_that_do_not_vary(void **state) {
    (void)state;
    line l = {.unit = 1, .edge = 1};
    bf_dataset data = line_log(&l, 300, 5);
    double *r = bf_arena_alloc(arena, data.n, sizeof *r, &err);
    for (int64_t i = 0; i < data.n; i++)
        r[i] = -2.5;
    data.reward = r;
    assert_near(line_answer(&data, 1, BF_TERMINAL_RESTART, "auto").value, -2.5, 1e-9);
}

static void duplicated_rows_change_little(void **state) {
    (void)state;
    line l = {.unit = 1};
    bf_dataset data = line_log(&l, 1500, 5), both = twice(&data);
    double once = line_answer(&data, 1, BF_TERMINAL_RESTART, "corrected").value;
    assert_near(line_answer(&both, 1, BF_TERMINAL_RESTART, "corrected").value, once, 0.05);
}

static void actions_never_taken_are_left_out(void **state) {
    (void)state;
    line l = {.unit = 1};
    bf_dataset data = line_log(&l, 500, 5);
    int64_t n = data.n;
    double *npi = bf_arena_alloc(arena, 3 * n, sizeof *npi, &err);
    for (int64_t i = 0; i < n; i++) {
        npi[i] = 0.7 * data.npi[i];
        npi[n + i] = 0.7 * data.npi[n + i];
        npi[2 * n + i] = 0.3;
    }
    double before = line_answer(&data, 1, BF_TERMINAL_RESTART, "auto").value;
    data.npi = npi;
    data.actions = 3;
    bf_estimate out = line_answer(&data, 1, BF_TERMINAL_RESTART, "auto");
    assert_near(out.value, before, 1e-6);
    assert_near(bf_estimate_get(&out, "coverage_actions"), 0.7, 1e-9);
    assert_true(out.warning_count > 0);
}

/* s' = 0.8 s + a + noise, reward -s^2; the log's actions are noise, the target's steer back. */
static void actions_that_are_vectors(void **state) {
    (void)state;
    enum { N = 3000, SAMPLES = 4 };
    static double s[N], ns[N], a[N], na[SAMPLES * N], r[N];
    bf_rng rng = bf_rng_make(4, "vectors", 0);
    double now = 0, truth = 0;
    for (int i = 0; i < 200000; i++) {
        truth -= now * now / 200000;
        now = 0.8 * now - 0.5 * now + 0.3 * bf_rng_normal(&rng) + 0.3 * bf_rng_normal(&rng);
    }
    for (int i = 0; i < N; i++) {
        s[i] = now;
        r[i] = -now * now;
        a[i] = 0.6 * bf_rng_normal(&rng);
        ns[i] = now = 0.8 * now + a[i] + 0.3 * bf_rng_normal(&rng);
        for (int m = 0; m < SAMPLES; m++)
            na[m * N + i] = -0.5 * now + 0.3 * bf_rng_normal(&rng);
    }
    int64_t begin[2] = {0, N}, order[N];
    for (int i = 0; i < N; i++)
        order[i] = i;
    bf_dataset data = {.n = N,
                       .state_dim = 1,
                       .action_dim = 1,
                       .samples = SAMPLES,
                       .real_state = true,
                       .state = s,
                       .next_state = ns,
                       .action_vector = a,
                       .reward = r,
                       .na = na,
                       .episodes = 1,
                       .begin = begin,
                       .order = order};
    assert_true(fabs(mean_reward(&data) - truth) > 0.5);
    assert_near(line_answer(&data, 1, BF_TERMINAL_RESTART, "auto").value, truth, 0.06);
    line_answer(&data, 0.9, BF_TERMINAL_RESTART, "auto");
}

/* ---- Threads, interruptions */

static void digits_do_not_depend_on_threads(void **state) {
    (void)state;
    line l = {.unit = 1, .edge = 2, .extra = 1};
    bf_dataset data = line_log(&l, 1200, 5);
    bf_estimate out[2];
    for (int t = 0; t < 2; t++) {
        bf_context context = {.threads = 1 + 2 * t, .seed = 1};
        assert_ok(line_try(&out[t], &data, 1, BF_TERMINAL_RESTART, "auto", &context), err);
    }
    assert_memory_equal(&out[0].value, &out[1].value, sizeof out[0].value);
    assert_memory_equal(out[0].weights, out[1].weights, (size_t)data.n * sizeof(double));
}

static bool stop_at(void *word, const bf_progress *progress) {
    return strncmp(progress->task, word, strlen(word)) != 0;
}

static void interruptions(void **state) {
    (void)state;
    line l = {.unit = 1};
    bf_dataset data = line_log(&l, 1000, 5);
    bf_estimate out, base = line_answer(&data, 1, BF_TERMINAL_RESTART, "neighbours");
    bf_context context = {.seed = 1, .callbacks = {.progress = stop_at, .context = "finding"}};
    assert_int_equal(line_try(&out, &data, 1, BF_TERMINAL_RESTART, "auto", &context),
                     BF_ECANCELLED);
    context.callbacks.context = "correcting";
    assert_ok(line_try(&out, &data, 1, BF_TERMINAL_RESTART, "auto", &context), err);
    assert_near(out.value, base.value, 1e-12);
    assert_true(out.warning_count > 0 && out.warnings[out.warning_count - 1].distrust);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_value_of_a_noisy_line),
        cmocka_unit_test(ends_and_discounts),
        cmocka_unit_test(ends_that_stay_ended_earn_nothing_in_the_long_run),
        cmocka_unit_test(repeated_states_are_a_table),
        cmocka_unit_test(small_logs_have_an_answer),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(columns_that_say_nothing),
        cmocka_unit_test(rewards_that_do_not_vary),
        cmocka_unit_test(duplicated_rows_change_little),
        cmocka_unit_test(actions_never_taken_are_left_out),
        cmocka_unit_test(actions_that_are_vectors),
        cmocka_unit_test(digits_do_not_depend_on_threads),
        cmocka_unit_test(interruptions),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
