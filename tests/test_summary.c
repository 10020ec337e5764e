/* test_summary.c - An answer in sentences: what the first line says, how many lines follow, which
 * of them come first, and the marks of diagnostics. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backflow/report.h"
#include "report/summary.h"

TEST_ARENA;

static const double rewards[] = {1, 2, 3, 6};
static const bf_dataset log_of_four = {
    .n = 4, .state_dim = 1, .states = 2, .actions = 2, .reward = rewards};
static const bf_problem problem = {.data = &log_of_four, .gamma = 1, .size = sizeof problem};

static bf_estimate make_estimate(void) {
    bf_estimate e = {.value = 2.5, .model = "tabular"};
    bf__diagnose(&e, BF__D_ESS, 3.5);
    bf__diagnose(&e, BF__D_MAX_WEIGHT, 0.4);
    bf__diagnose(&e, BF__D_FLOW_RESIDUAL, 0.001);
    bf__diagnose(&e, BF__D_FLOW_RESIDUAL_UNIFORM, 0.5);
    bf__diagnose(&e, BF__D_COVERAGE, 1);
    bf__diagnose(&e, BF__D_CELLS, 3);
    return e;
}

static bf_answer make_answer(const bf_estimate *e, const bf_trust *t) {
    return (bf_answer){.problem = &problem,
                       .estimator = bf_estimator_find("blackbox"),
                       .estimate = e,
                       .trust = t,
                       .size = sizeof(bf_answer)};
}

static void test_first_line(void **state) {
    (void)state;
    bf_estimate e = make_estimate();
    bf_warning reasons[] = {{"few-rows", "few", "More.", true}, {"one-row", "one", "Look.", false}};
    bf_trust t = {.value = {.level = 0.9, .low = 2.4321, .high = 2.5671},
                  .verdict = BF_VERDICT_CANNOT_TELL,
                  .reasons = reasons,
                  .reason_count = 2};
    bf_answer answer = make_answer(&e, &t);
    char text[BF__SENTENCE];
    bf__summary_answer(text, &answer);
    assert_string_equal(text, "The target policy earns 2.5 per step (90% interval 2.4321 to "
                              "2.5671); the log earned 3. Cannot tell: few-rows.");
    bf_trust none = {.none = "It was not measured.", .verdict = BF_VERDICT_SOUND};
    bf_problem discounted = problem;
    discounted.gamma = 0.5;
    answer.trust = &none;
    answer.problem = &discounted;
    bf__summary_answer(text, &answer);
    assert_string_equal(text, "The target policy earns 2.5 per step at gamma 0.5 (no interval); "
                              "the log earned 3. Sound.");
    assert_false(bf__summary_episodes(text, &answer));
}

static void test_episodes(void **state) {
    (void)state;
    static const uint8_t ends[] = {0, 1, 0, 1};
    bf_estimate e = make_estimate();
    bf_dataset data = log_of_four;
    bf_problem ending = problem;
    data.terminated = ends;
    ending.data = &data;
    bf__diagnose(&e, BF__D_EPISODE_RETURN, 7.25);
    bf__diagnose(&e, BF__D_EPISODE_LENGTH, 3);
    bf_trust t = {.episode_return = {.level = 0.95, .low = 6, .high = 9}};
    bf_answer answer = make_answer(&e, &t);
    answer.problem = &ending;
    char text[BF__SENTENCE];
    assert_true(bf__summary_episodes(text, &answer));
    assert_string_equal(text, "Its episodes return 7.25 (95% interval 6.00 to 9.00) in 3 steps; "
                              "those of the log returned 6 in 2.");
}

static void test_rounding(void **state) {
    (void)state;
    char text[32];
    const struct {
        double value, low, high;
        const char *text;
    } cases[] = {
        {0.123456789, 0.1, 0.2, "0.1235"}, {12345.678, 12000, 13000, "12346"},
        {-3, -3.4, -2.4, "-3.000"},        {1.5, 1.5, 1.5, "1.5"},
        {1e15, 1e15, 1.1e15, "1e+15"},     {0.0001234567, 0, 2e-9, "0.00012345670"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bf_interval i = {.level = 0.95, .low = cases[k].low, .high = cases[k].high};
        assert_string_equal(bf__rounded(cases[k].value, &i, text), cases[k].text);
    }
    assert_string_equal(bf__rounded(0.123456789, NULL, text), "0.123457");
    assert_string_equal(bf__grouped(1234567, text), "1,234,567");
    assert_string_equal(bf__grouped(-123, text), "-123");
}

/* Whatever was found, no more lines than there is room for; the gravest first; a line that says how
 * many were left out. */
static void test_lines(void **state) {
    (void)state;
    bf_estimate e = make_estimate();
    bf_warning reasons[9];
    bf__line lines[5];
    for (int count = 0; count <= 9; count++) {
        for (int k = 0; k < count; k++)
            reasons[k] = (bf_warning){"interrupted", k % 2 ? "grave one" : "log.csv:5: slight",
                                      "Do.", k % 2 == 1};
        bf_trust t = {.reasons = reasons, .reason_count = count};
        bf_answer answer = make_answer(&e, &t);
        int said = bf__summary_lines(lines, 5, &answer), bad = 0;
        assert_int_equal(said, count > 5 ? 5 : count + 3 > 5 ? 5 : count + 3);
        for (int k = 0; k < said; k++)
            bad += lines[k].mark == BF__MARK_BAD;
        assert_int_equal(bad, count / 2 > 4 ? 4 : count / 2);
        if (count > 1)
            assert_string_equal(lines[0].text, "Grave one. Do.");
        char left[64];
        snprintf(left, sizeof left, "%d more reasons to doubt the answer: `verbose`.", count - 4);
        if (count > 5)
            assert_string_equal(lines[4].text, left);
        if (count == 1)
            assert_string_equal(lines[0].text, "log.csv:5: slight. Do.");
    }
}

static void test_marks(void **state) {
    (void)state;
    bf_warning reasons[] = {{"few-rows", "few", "More.", true},
                            {"unseen-pairs", "pairs", "More.", false}};
    bf_trust t = {.reasons = reasons, .reason_count = 2, .none = "It was not measured."};
    assert_int_equal(bf__mark_of(&t, "ess"), BF__MARK_BAD);
    assert_int_equal(bf__mark_of(&t, "coverage"), BF__MARK_LOOK);
    assert_int_equal(bf__mark_of(&t, "flow_residual"), BF__MARK_LOOK);
    assert_int_equal(bf__mark_of(&t, "max_weight"), BF__MARK_GOOD);
    assert_int_equal(bf__mark_of(&t, "cells"), BF__MARK_NONE);
    bf_estimate e = make_estimate();
    bf_answer answer = make_answer(&e, &t);
    const char *text;
    answer.verbose = true;
    assert_ok(bf_report_text(&text, &answer, arena, &err), err);
    assert_non_null(strstr(text, "\n  bad   effective sample size"));
    assert_non_null(strstr(text, "\n  good  largest weight"));
    assert_non_null(strstr(text, "\n        visited (state, action) pairs"));
    assert_non_null(strstr(text, "What to do: More."));
    answer.verbose = false;
    assert_ok(bf_report_text(&text, &answer, arena, &err), err);
    assert_null(strstr(text, "effective sample size"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(test_first_line), arena_test(test_episodes), arena_test(test_rounding),
        arena_test(test_lines),      arena_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
