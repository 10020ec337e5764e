/* test_compare.c - Differences in pairs against the paired t test, Holm's steps against a worked
 * example, the probability of being the best against the t distribution, and logs whose answer is
 * known. */
#include "mdp.h"

#include "compare/contest.h"

TEST_ARENA;

enum { J = 12 };

/* The values of clusters of three contestants, and their means; c_j = (x_j - mean) / J. */
static void three(bf__measured *out, double *c) {
    bf_rng rng = bf_rng_make(5, "contest", 0);
    for (int g = 0; g < J; g++) {
        double common = bf_rng_normal(&rng);
        for (int a = 0; a < 3; a++)
            c[a * J + g] = common + 0.2 * a + 0.3 * bf_rng_normal(&rng);
    }
    for (int a = 0; a < 3; a++) {
        double mean = 0;
        for (int g = 0; g < J; g++)
            mean += c[a * J + g] / J;
        for (int g = 0; g < J; g++)
            c[a * J + g] = (c[a * J + g] - mean) / J;
        out[a] = (bf__measured){.value = mean, .effective = J, .c = c + a * J};
    }
}

/* Without parts the interval is that of the paired t test. t(0.975, 11) = 2.200985160082949. */
static void paired_t(void **state) {
    (void)state;
    double c[3 * J];
    bf__measured three_of_them[3];
    bf__contest contest;
    three(three_of_them, c);
    bf__contest_input input = {
        .contestants = three_of_them, .count = 3, .clusters = J, .level = 0.95};
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_int_equal(contest.pair_count, 3);
    for (int k = 0; k < 3; k++) {
        const bf__contest_pair *p = &contest.pairs[k];
        double square = 0; /* of the differences x_a - x_b about their mean */
        for (int g = 0; g < J; g++)
            square += pow(J * (c[p->a * J + g] - c[p->b * J + g]), 2);
        double se = sqrt(square / (J - 1) / J), half = 2.200985160082949 * se;
        double d = three_of_them[p->a].value - three_of_them[p->b].value;
        assert_near(p->difference, d, 0);
        assert_near(p->se, se, 1e-14);
        assert_near(p->low, d - half, 1e-10);
        assert_near(p->high, d + half, 1e-10);
        assert_near(p->smallest, half, 1e-10);
        assert_near(p->more, fmax(1, pow(half / d, 2)), 1e-8);
        assert_true((p->p < 0.05) == (p->low > 0 || p->high < 0));
    }
}

/* Two contestants: the probability of being the best is that of t below d / se. */
static void best_of_two(void **state) {
    (void)state;
    double c[3 * J];
    bf__measured of_them[3];
    bf__contest contest;
    three(of_them, c);
    bf__contest_input input = {
        .contestants = of_them, .count = 2, .clusters = J, .level = 0.95, .seed = 3};
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    const bf__contest_pair *p = &contest.pairs[0];
    double first = p->difference > 0 ? 1 - p->p / 2 : p->p / 2;
    assert_near(contest.best[0], first, 0.015);
    assert_near(contest.best[0] + contest.best[1], 1, 1e-12);
    of_them[1] = of_them[0]; /* one policy under two names */
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_near(contest.pairs[0].difference, 0, 0);
    assert_false(contest.pairs[0].decided);
    assert_near(contest.best[0], 0.5, 1e-12);
}

/* Parts: two halves say 1 and 3 against 0 and 0, and the whole log 2.5 against 0. */
static void parts(void **state) {
    (void)state;
    double a[] = {1, 3}, b[] = {0, 0};
    int split[] = {0, 0};
    bf__measured two[] = {{.value = 2.5, .effective = 9, .parts = a},
                          {.value = 0, .effective = 9, .parts = b, .shift = 1}};
    bf__contest contest;
    bf__contest_input input = {.contestants = two,
                               .count = 2,
                               .clusters = 9,
                               .part_count = 2,
                               .part_split = split,
                               .level = 0.9};
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    /* noise^2 = (1 + 1) / 2 / 1, what the halves are off by = 2 - 2.5, shift 0.25 */
    assert_near(contest.pairs[0].se, sqrt(1 + 0.25 + 0.0625), 1e-14);
    a[1] = NAN; /* a half without an answer: nothing is known */
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_false(contest.possible);
    assert_near(contest.pairs[0].difference, 2.5, 0);
}

/* Twelve clusters and two halves that agree: the mean of both variances, unless what clusters
 * contribute is exact; then the halves do not talk it down. */
static void exact_contributions_are_not_talked_down(void **state) {
    (void)state;
    double c[3 * J], same[] = {0, 0};
    int split[] = {0, 0};
    bf__measured of_them[3];
    bf__contest contest;
    three(of_them, c);
    bf__contest_input input = {
        .contestants = of_them, .count = 2, .clusters = J, .level = 0.95, .part_split = split};
    for (int a = 0; a < 2; a++) {
        of_them[a].parts = same;
        of_them[a].value = 0;
    }
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    double se = contest.pairs[0].se;
    input.part_count = 2;
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_near(contest.pairs[0].se, se / sqrt(2), 1e-14);
    of_them[0].exact = of_them[1].exact = true;
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_near(contest.pairs[0].se, se, 1e-14);
}

/* Steps without noise: the geometric mean of both, but not less than a third of the clusters'. */
static void steady_steps_have_smaller_errors(void **state) {
    (void)state;
    double c[3 * J], near[] = {-1, 1}, none[] = {0, 0};
    int split[] = {0, 0};
    bf__measured of_them[3];
    bf__contest contest;
    three(of_them, c);
    bf__contest_input input = {
        .contestants = of_them, .count = 2, .clusters = J, .level = 0.95, .part_split = split};
    for (int a = 0; a < 2; a++) {
        of_them[a].parts = a == 0 ? near : none;
        of_them[a].value = 0;
        of_them[a].steady = true;
    }
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    double se = contest.pairs[0].se;
    input.part_count = 2;
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_near(contest.pairs[0].se, sqrt(se * 1), 1e-14); /* S^2 = (1 + 1) / 2 */
    near[0] = -1e-3 * se;
    near[1] = 1e-3 * se;
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_near(contest.pairs[0].se, se / 3, 1e-14);
    of_them[2].parts = none; /* of a third nothing is known, which is no matter to these two */
    of_them[2].value = 0;
    input.count = 3;
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_near(contest.pairs[0].se, se / 3, 1e-14);
    input.count = 2;
    of_them[1].steady = false; /* of one of the two nothing is known */
    assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
    assert_near(contest.pairs[0].se, se * sqrt((1 + 1e-6) / 2), 1e-13);
}

/* What answers may lean by counts in squares, and of a difference what they do not have in common.
 * Of its size no more is known than five degrees of freedom say. */
static void answers_may_lean(void **state) {
    (void)state;
    double c[3 * J], before[3], after[3];
    bf__measured of_them[3];
    bf__contest contest;
    three(of_them, c);
    bf__contest_input input = {.contestants = of_them, .count = 3, .clusters = J, .level = 0.95};
    for (int leans = 0; leans < 2; leans++) {
        for (int a = 0; a < 3 && leans; a++)
            of_them[a].lean = 0.1 * (a + 1);
        assert_ok(bf__contest_judge(&contest, &input, arena, &err), err);
        for (int k = 0; k < 3; k++)
            (leans ? after : before)[k] = contest.pairs[k].se;
    }
    for (int k = 0; k < 3; k++) {
        double apart = 0.1 * (contest.pairs[k].b - contest.pairs[k].a);
        assert_near(after[k], hypot(before[k], apart), 1e-14);
        double part = pow(apart / after[k], 2), rest = 1 - part;
        assert_near(contest.pairs[k].df, 1 / (rest * rest / 11 + part * part / 5), 1e-12);
    }
}

/* Halves alone: no more degrees of freedom than they have, and at least 2. */
static void few_parts_are_few_numbers(void **state) {
    (void)state;
    double v[] = {1, 2, 3, 4, 5, 6, 7}, z[200];
    int split[] = {0, 0, 1, 1, 1, 1, 1};
    bf__measured answer = {.value = 3, .effective = 100, .parts = v};
    bf__error_form form = bf__error_form_of(&answer, 1, 100, 7, split);
    assert_int_equal(form.df, 5);
    bf__error_fill(z, &form, &answer);
    assert_near(bf__error_df(&form, z, 100), 5, 0);
    assert_near(bf__error_df(&form, z, 3.5), 2.5, 0);
    assert_near(bf__error_df(&form, z, 1), 2, 0);
    form = bf__error_form_of(&answer, 1, 100, 2, split);
    bf__error_fill(z, &form, &answer);
    assert_near(bf__error_df(&form, z, 100), 2, 0);
    answer.lean = 1e9; /* hardly anything else is in the error */
    bf__error_fill(z, &form, &answer);
    assert_near(bf__error_df(&form, z, 100), 5, 1e-9);
    answer.lean = 0;
    answer.c = v;
    form = bf__error_form_of(&answer, 1, 7, 2, split);
    bf__error_fill(z, &form, &answer);
    assert_near(bf__error_df(&form, z, 7), 6, 0);
}

/* Holm (1979) on 0.01, 0.04, 0.03, 0.005: 4 x 0.005, 3 x 0.01, 2 x 0.03, then not below that. */
static void holm(void **state) {
    (void)state;
    double p[] = {0.01, 0.04, 0.03, 0.005}, out[4], expected[] = {0.03, 0.06, 0.06, 0.02};
    bf__holm(out, p, 4);
    for (int k = 0; k < 4; k++)
        assert_near(out[k], expected[k], 1e-15);
}

/* ---- Logs */

/* A log of one state: action 1 pays 1, action 0 pays 0, with noise that both have in common. */
static bf_dataset lever(int episodes, double noise) {
    int64_t n = 20 * episodes;
    double *s = bf_arena_zalloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_zalloc(arena, n, sizeof *s, &err);
    int32_t *act = bf_arena_zalloc(arena, n, sizeof *act, &err);
    int64_t *begin = bf_arena_zalloc(arena, episodes + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_zalloc(arena, n, sizeof *order, &err);
    bf_rng rng = bf_rng_make(8, "lever", 0);
    for (int64_t i = 0; i < n; i++) {
        act[i] = bf_rng_uniform(&rng) < 0.5;
        r[i] = act[i] + noise * bf_rng_normal(&rng);
        order[i] = i;
    }
    for (int e = 0; e <= episodes; e++)
        begin[e] = 20 * e;
    return (bf_dataset){.n = n,
                        .state_dim = 1,
                        .actions = 2,
                        .states = 1,
                        .state = s,
                        .next_state = s,
                        .action = act,
                        .reward = r,
                        .episodes = episodes,
                        .begin = begin,
                        .order = order};
}

static const bf_policy *pulls(double often) {
    double table[] = {1 - often, often};
    const bf_policy *policy;
    assert_ok(bf_policy_from_table(&policy, "lever", bf_view_of(table, 1, 2), arena, &err), err);
    return policy;
}

static void which_lever(void **state) {
    (void)state;
    bf_dataset clear = lever(40, 0.1), murky = lever(8, 20);
    bf_named_policy policies[] = {{"often", pulls(0.9)}, {"seldom", pulls(0.2)}};
    const bf_contest *contest;
    bf_contestant e;
    bf_pair p;
    char text[512];
    bf_problem problem = {.data = &clear, .gamma = 1, .size = sizeof problem};
    assert_ok(bf_compare_policies(&contest, policies, 2, bf_estimator_find("blackbox"), &problem,
                                  NULL, NULL, NULL, arena, &err),
              err);
    assert_true(bf_contest_entry(contest, 2, &e) && e.log && strcmp(e.name, "the log") == 0);
    assert_false(bf_contest_entry(contest, 3, &e));
    assert_true(bf_contest_pair(contest, 0, &p));
    assert_true(p.decided && p.low < 0.7 && 0.7 < p.high);
    assert_true(bf_contest_sentence(contest, 0, text, sizeof text) > 0);
    assert_non_null(strstr(text, "often is better than seldom by 0."));
    assert_true(bf_contest_sentence(contest, 2, text, sizeof text) > 0);
    assert_non_null(strstr(text, "seldom is worse than the log by 0."));
    assert_int_equal(bf_contest_sentence(contest, 3, text, sizeof text), 0);
    problem.data = &murky;
    assert_ok(bf_compare_policies(&contest, policies, 2, bf_estimator_find("blackbox"), &problem,
                                  NULL, NULL, NULL, arena, &err),
              err);
    assert_true(bf_contest_pair(contest, 0, &p));
    assert_true(!p.decided && p.more > 1);
    assert_true(bf_contest_sentence(contest, 0, text, sizeof text) > 0);
    assert_non_null(strstr(text, "cannot be told from this log"));
    problem.gamma = 0.9; /* the mean of the log answers another question */
    problem.data = &clear;
    assert_ok(bf_compare_policies(&contest, policies, 2, bf_estimator_find("blackbox"), &problem,
                                  NULL, NULL, NULL, arena, &err),
              err);
    assert_false(bf_contest_entry(contest, 2, &e));
    policies[1].name = "often";
    assert_int_equal(bf_compare_policies(&contest, policies, 2, bf_estimator_find("blackbox"),
                                         &problem, NULL, NULL, NULL, arena, &err),
                     BF_EUSAGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(paired_t),
        arena_test(best_of_two),
        arena_test(parts),
        arena_test(holm),
        arena_test(which_lever),
        arena_test(answers_may_lean),
        arena_test(few_parts_are_few_numbers),
        arena_test(exact_contributions_are_not_talked_down),
        arena_test(steady_steps_have_smaller_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
