/* test_page.c - The page of an answer: text that cannot break it, round ticks, where the target
 * goes and the balance of the flow against numbers worked out by hand. tests/page shows pages to a
 * browser. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/report.h"
#include "page/columns.h"
#include "page/html.h"
#include "page/svg.h"

TEST_ARENA;

/* ---- Text */

static void check_text(void (*put)(FILE *, const char *), const char *text, const char *expected) {
    char *got = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&got, &size);
    put(file, text);
    fclose(file);
    assert_string_equal(got, expected);
    free(got);
}

static void test_text(void **state) {
    (void)state;
    check_text(bf__html_put, "<script>a & b</script>", "&lt;script&gt;a &amp; b&lt;/script&gt;");
    check_text(bf__html_put, "\" onload='x' `y`", "&quot; onload=&#39;x&#39; &#96;y&#96;");
    check_text(bf__html_say, "set `gamma` < 1", "set `gamma` &lt; 1");
    check_text(bf__html_put, "Größe → ∞ 😀", "Größe → ∞ 😀");
    check_text(bf__html_put,
               "a\x01\x1b\x7f"
               "b\n",
               "a   b\n");
    /* No UTF-8: a lone byte, one cut short, a long form of '/', a surrogate, beyond the last. */
    check_text(bf__html_put, "\xff|", "&#xFFFD;|");
    check_text(bf__html_put, "\xe2\x82", "&#xFFFD;&#xFFFD;");
    check_text(bf__html_put, "\xc0\xaf", "&#xFFFD;&#xFFFD;");
    check_text(bf__html_put, "\xed\xa0\x80", "&#xFFFD;&#xFFFD;&#xFFFD;");
    check_text(bf__html_put, "\xf4\x90\x80\x80", "&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;");
}

static void test_ticks(void **state) {
    (void)state;
    bf_rng rng = bf_rng_make(3, "ticks", 0);
    double tick[8];
    for (int k = 0; k < 2000; k++) {
        double low = 100 * bf_rng_normal(&rng);
        double high = low + exp(3 * bf_rng_normal(&rng));
        int count = bf__ticks(tick, 8, low, high, 3);
        assert_in_range(count, 3, 8);
        double step = tick[1] - tick[0], power = pow(10, round(log10(step) - 0.35));
        double digit = step / power;
        assert_true(fabs(digit - 1) < 1e-6 || fabs(digit - 2) < 1e-6 || fabs(digit - 5) < 1e-6);
        for (int i = 0; i < count; i++) {
            assert_true(tick[i] >= low - 1e-6 * step && tick[i] <= high + 1e-6 * step);
            assert_near(tick[i] - tick[0], i * step, 1e-6 * step);
        }
    }
    assert_int_equal(bf__ticks(tick, 8, 1, 1, 4), 0);
    assert_int_equal(bf__ticks(tick, 8, -INFINITY, 1, 4), 0);
}

/* ---- Balance */

/* Two states and two actions: 0 leads to 1 and back. pi(1) = (1, 0), pi(0) = (1/4, 3/4). */
static const double s[] = {0, 0, 1}, ns[] = {1, 1, 0}, r[] = {1, 3, 0};
static const int32_t a[] = {0, 1, 0};
static const double npi[] = {1, 1, 0.25, 0, 0, 0.75};
static const bf_dataset circle = {.n = 3,
                                  .state_dim = 1,
                                  .states = 2,
                                  .actions = 2,
                                  .state = s,
                                  .next_state = ns,
                                  .action = a,
                                  .reward = r,
                                  .npi = npi};

static void test_balance(void **state) {
    (void)state;
    const double visits[] = {0.125, 0.375, 0.5};
    const bf_problem problem = {.data = &circle, .gamma = 1};
    const bf_balance *list;
    int count;
    assert_ok(bf_report_balance(&list, &count, &problem, visits, arena, &err), err);
    assert_int_equal(count, 2);
    assert_string_equal(list[0].name, "s");
    assert_true(list[0].share && list[1].share);
    assert_near(list[0].before, 1.0 / 3, 1e-12); /* 2/3 of the rows are in 0, 1/3 go there */
    assert_near(list[0].after, 0, 1e-12);
    assert_string_equal(list[1].name, "action");
    assert_near(list[1].before, 0.75 - 2.0 / 3, 1e-12);
    assert_near(list[1].after, 0, 1e-12);
}

/* The same states as a column of numbers: in standard deviations of it. */
static void test_balance_of_numbers(void **state) {
    (void)state;
    const double visits[] = {0.1, 0.3, 0.6};
    bf_dataset data = circle;
    data.states = 0;
    data.real_state = true;
    const bf_problem problem = {.data = &data, .gamma = 1};
    const bf_balance *list;
    int count;
    double deviation = sqrt(2.0 / 9); /* of 0, 0, 1 */
    assert_ok(bf_report_balance(&list, &count, &problem, visits, arena, &err), err);
    assert_string_equal(list[0].name, "s0");
    assert_false(list[0].share);
    assert_near(list[0].before, (1.0 / 3) / deviation, 1e-12);
    assert_near(list[0].after, 0.2 / deviation, 1e-12); /* 0.6 there, 0.4 go there */
}

/* Discounted from state 0, which goes to 1 for ever: half the time is spent in each at 1/2. */
static void test_balance_with_starts(void **state) {
    (void)state;
    static const double from[] = {0, 1}, to[] = {1, 1}, reward[] = {0, 1};
    static const int32_t action[] = {0, 0};
    static const double ones[] = {1, 1};
    static const int64_t begin[] = {0, 2}, order[] = {0, 1};
    const bf_dataset data = {.n = 2,
                             .state_dim = 1,
                             .states = 2,
                             .actions = 1,
                             .state = from,
                             .next_state = to,
                             .action = action,
                             .reward = reward,
                             .pi = ones,
                             .npi = ones,
                             .episodes = 1,
                             .begin = begin,
                             .order = order};
    const bf_problem problem = {.data = &data, .gamma = 0.5};
    const double wrong[] = {0.9, 0.1};
    const bf_balance *list;
    int count;
    assert_ok(bf_report_balance(&list, &count, &problem, wrong, arena, &err), err);
    assert_near(list[0].before, 0, 1e-12);
    assert_near(list[0].after, 0.4, 1e-12); /* 0.9 - 0.5 in state 0 */
    assert_near(list[1].after, 0, 1e-12);
}

/* An episode that ends after each step and stays ended: at 1/2, half the mass has ended. */
static void test_balance_of_ended(void **state) {
    (void)state;
    static const uint8_t ends[] = {1, 1};
    static const double from[] = {2, 2}, reward[] = {0, 1};
    static const int32_t action[] = {0, 0};
    static const double ones[] = {1, 1};
    static const int64_t begin[] = {0, 1, 2}, order[] = {0, 1};
    const bf_dataset data = {.n = 2,
                             .state_dim = 1,
                             .states = 3,
                             .actions = 1,
                             .state = from,
                             .next_state = from,
                             .action = action,
                             .reward = reward,
                             .terminated = ends,
                             .pi = ones,
                             .npi = ones,
                             .episodes = 2,
                             .begin = begin,
                             .order = order};
    const bf_problem problem = {.data = &data, .gamma = 0.5, .terminal = BF_TERMINAL_ABSORB};
    const double visits[] = {0.25, 0.25};
    const bf_balance *list;
    int count;
    assert_ok(bf_report_balance(&list, &count, &problem, visits, arena, &err), err);
    assert_near(list[0].after, 0, 1e-12);
    assert_near(list[1].after, 0, 1e-12);
}

/* ---- Columns */

static void test_columns(void **state) {
    (void)state;
    enum { N = 3000 };
    static double x[2 * N], reward[N], w[N];
    static int32_t action[N];
    bf_rng rng = bf_rng_make(5, "columns", 0);
    double expected[3] = {0, 0, 0};
    for (int i = 0; i < N; i++) {
        x[i] = bf_rng_normal(&rng);
        x[N + i] = i % 5;
        action[i] = i % 3;
        reward[i] = x[i] > 0;
        w[i] = (i % 5 == 4 ? 3 : 0.5) / N; /* they sum to 1 */
        expected[i % 3] += w[i];
    }
    const bf_dataset data = {.n = N,
                             .state_dim = 2,
                             .actions = 3,
                             .state = x,
                             .next_state = x,
                             .action = action,
                             .reward = reward};
    bf__columns list;
    assert_ok(bf__columns_take(&list, &data, w, arena, &err), err);
    assert_int_equal(list.count, 4);
    assert_int_equal(list.states, 2);
    assert_int_equal(list.order[0], 1); /* the weights go by the second column */
    const bf__column *five = &list.column[1], *normal = &list.column[0];
    assert_true(five->values);
    assert_int_equal(five->count, 5);
    assert_string_equal(five->label[4], "4");
    assert_near(five->logged[4], 0.2, 1e-9);
    assert_near(five->target[4], 0.6, 1e-9);
    assert_near(five->distance, 0.4, 1e-9);
    for (int k = 0; k < 3; k++)
        assert_near(list.column[2].target[k], expected[k], 1e-9);
    assert_false(normal->values);
    double logged[BF__BINS] = {0}, sum = 0;
    for (int i = 0; i < N; i++) { /* bins by their edges; the outer ones are open */
        int at = 0;
        while (at < BF__BINS - 1 &&
               x[i] >= normal->low + (normal->high - normal->low) * (at + 1) / BF__BINS)
            at++;
        logged[at] += 1.0 / N;
    }
    for (int k = 0; k < BF__BINS; k++) {
        assert_near(normal->logged[k], logged[k], 1.5 / N); /* an edge may round either way */
        sum += normal->target[k];
    }
    assert_near(sum, 1, 1e-9);
}

/* More states than bins: the frequent ones by name, the others together. */
static void test_many_states(void **state) {
    (void)state;
    enum { N = 500, S = 60 };
    static double x[N], reward[N], w[N];
    static int32_t action[N];
    for (int i = 0; i < N; i++) {
        x[i] = i < 2 * S ? i % S : i % 7;
        w[i] = 1.0 / N;
    }
    const bf_dataset data = {.n = N,
                             .state_dim = 1,
                             .states = S,
                             .actions = 1,
                             .state = x,
                             .next_state = x,
                             .action = action,
                             .reward = reward};
    bf__columns list;
    assert_ok(bf__columns_take(&list, &data, w, arena, &err), err);
    const bf__column *c = &list.column[0];
    double rest = 0, sum = 0;
    for (int i = 0; i < N; i++) {
        bool named = false;
        for (int k = 0; k < BF__BINS - 1; k++)
            named = named || atof(c->label[k]) == x[i];
        rest += named ? 0 : 1.0 / N;
    }
    assert_int_equal(c->count, BF__BINS);
    assert_string_equal(c->label[BF__BINS - 1], "all others");
    assert_near(c->logged[BF__BINS - 1], rest, 1e-9);
    for (int k = 0; k < BF__BINS; k++)
        sum += c->logged[k];
    assert_near(sum, 1, 1e-9);
    assert_near(c->distance, 0, 1e-9);
}

/* ---- The page */

/* A method without weights, and names that would break a page, are no matter. */
static void test_page(void **state) {
    (void)state;
    const bf_problem problem = {.data = &circle, .gamma = 1};
    const bf_page_options options = {
        .title = "<b>&", .command = "backflow '<x>'", .size = sizeof options};
    bf_warning reason = {"few-rows", "few <rows>", "Set `gamma`.", true};
    bf_estimate estimate = {.value = 0.5};
    bf_trust trust = {.none = "It was not measured.",
                      .verdict = BF_VERDICT_CANNOT_TELL,
                      .reasons = &reason,
                      .reason_count = 1};
    bf_answer answer = {.problem = &problem,
                        .estimator = bf_estimator_find("lstdq"),
                        .estimate = &estimate,
                        .trust = &trust,
                        .size = sizeof answer};
    const char *html;
    assert_ok(bf_report_html(&html, &answer, &options, arena, &err), err);
    assert_non_null(strstr(html, "<title>&lt;b&gt;&amp;</title>"));
    assert_non_null(strstr(html, "backflow &#39;&lt;x&gt;&#39;"));
    assert_non_null(strstr(html, "few &lt;rows&gt;"));
    assert_non_null(strstr(html, "Set `gamma`."));
    assert_non_null(strstr(html, "This method gives no weights"));
    assert_non_null(strstr(html, "</html>"));
    const double visits[] = {0.125, 0.375, 0.5};
    estimate.weights = visits;
    assert_ok(bf_report_html(&html, &answer, NULL, arena, &err), err);
    assert_non_null(strstr(html, "Rows with the largest weight"));
    assert_null(strstr(html, "This method gives no weights"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(test_text),
        arena_test(test_ticks),
        arena_test(test_balance),
        arena_test(test_balance_of_numbers),
        arena_test(test_balance_with_starts),
        arena_test(test_balance_of_ended),
        arena_test(test_columns),
        arena_test(test_many_states),
        arena_test(test_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
