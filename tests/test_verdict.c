/* test_verdict.c - What the verdict goes by, on logs where it can be counted, and every rule on
 * both sides of its limit. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "estimator/diagnostics.h"
#include "trust/evidence.h"
#include "trust/verdict.h"

TEST_ARENA;

/* ---- Facts */

enum { EPISODES = 4, LENGTH = 10, ROWS = EPISODES * LENGTH };

/* A log of EPISODES walks along a line: episode e goes from e * apart in steps of 1. */
typedef struct walk {
    bf_dataset data;
    double s[ROWS], ns[ROWS], r[ROWS], npi[ROWS], pi[ROWS], w[ROWS];
    int32_t a[ROWS];
    uint8_t terminated[ROWS];
    int64_t begin[EPISODES + 1], order[ROWS];
} walk;

static walk *make_walk(double apart) {
    walk *log = bf_arena_zalloc(arena, 1, sizeof *log, &err);
    for (int i = 0; i < ROWS; i++) {
        log->s[i] = apart * (i / LENGTH) + i % LENGTH;
        log->ns[i] = log->s[i] + 1;
        log->r[i] = i % LENGTH;
        log->npi[i] = log->pi[i] = 1;
        log->w[i] = 1.0 / ROWS;
        log->order[i] = i;
    }
    for (int e = 0; e <= EPISODES; e++)
        log->begin[e] = e * LENGTH;
    log->data = (bf_dataset){.n = ROWS,
                             .state_dim = 1,
                             .actions = 1,
                             .real_state = true,
                             .state = log->s,
                             .next_state = log->ns,
                             .action = log->a,
                             .reward = log->r,
                             .terminated = log->terminated,
                             .pi = log->pi,
                             .npi = log->npi,
                             .episodes = EPISODES,
                             .begin = log->begin,
                             .order = log->order};
    return log;
}

static bf__facts look_at(walk *log, double gamma) {
    static bf_trust trust;
    bf__facts out;
    bf__clusters clusters;
    bf_estimate *estimate = bf_arena_zalloc(arena, 1, sizeof *estimate, &err);
    bf_problem problem = {.data = &log->data, .gamma = gamma, .terminal = BF_TERMINAL_RESTART};
    estimate->weights = log->w;
    assert_ok(bf__clusters_make(&clusters, &log->data, NULL, NULL, 0, arena, &err), err);
    assert_ok(bf__evidence_gather(&out, estimate, &problem, &trust, &clusters, "none", NULL, NULL,
                                  arena, &err),
              err);
    return out;
}

static void weigh(walk *log, int first, int count) {
    for (int i = 0; i < ROWS; i++)
        log->w[i] = i >= first && i < first + count ? 1.0 / count : 0;
}

static void rewards_and_clusters(void **state) {
    (void)state;
    walk *log = make_walk(0);
    bf__facts e = look_at(log, 1);
    assert_near(e.effective, EPISODES, 1e-12);
    assert_near(e.largest, 1.0 / EPISODES, 1e-12);
    assert_near(e.deviation, sqrt(8.25), 1e-12); /* of 0, 1, ... 9 */
    assert_near(e.weighted_deviation, e.deviation, 1e-12);
    assert_true(e.low == 0 && e.high == 9 && !e.ends && e.longest == LENGTH);
    weigh(log, 5, 10); /* half of two episodes */
    e = look_at(log, 1);
    assert_near(e.effective, 2, 1e-12);
    assert_near(e.largest, 0.5, 1e-12);
    weigh(log, 7, 1);
    e = look_at(log, 1);
    assert_near(e.effective, 1, 1e-12);
    assert_near(e.weighted_deviation, 0, 1e-12);
}

static void ends_and_horizons(void **state) {
    (void)state;
    walk *log = make_walk(0);
    assert_true(isinf(look_at(log, 1).horizon));
    assert_near(look_at(log, 0.9).horizon, 10, 1e-12);
    log->terminated[LENGTH - 1] = 1;
    bf__facts e = look_at(log, 1);
    assert_true(e.ends);
    assert_near(e.ended, 1.0 / ROWS, 1e-12);
    weigh(log, 0, 5);
    assert_true(look_at(log, 1).ended == 0);
}

/* The latest fifth of the rows are the last two steps of every walk. */
static void weight_goes_with_age(void **state) {
    (void)state;
    walk *log = make_walk(0);
    assert_near(look_at(log, 1).age_rise, 1, 1e-12);
    for (int i = 0; i < ROWS; i++)
        log->w[i] = i % LENGTH >= LENGTH - 2 ? 6 : 2;
    assert_near(look_at(log, 1).age_rise, 3, 1e-12);
}

/* All walks on the same points, and a last next state that lies one and a half steps beyond: it is
 * met by no other walk, and all others are. With walks far apart none is. */
static void next_pairs_of_other_episodes(void **state) {
    (void)state;
    walk *log = make_walk(0), *apart = make_walk(1000), *two = make_walk(1000);
    for (int i = LENGTH - 1; i < ROWS; i += LENGTH)
        log->ns[i] += 0.5;
    assert_near(look_at(log, 1).gap, 0.1, 1e-12);
    assert_near(look_at(apart, 1).gap, 1, 1e-12);
    for (int i = 0; i < LENGTH; i++) { /* the second walk goes where the first went */
        two->s[LENGTH + i] = two->s[i];
        two->ns[LENGTH + i] = two->ns[i];
    }
    two->ns[LENGTH - 1] = two->ns[2 * LENGTH - 1] = 5;
    assert_near(look_at(two, 1).gap, 0.5, 1e-12);
    weigh(two, 0, 2 * LENGTH);
    assert_near(look_at(two, 1).gap, 0, 1e-12);
}

static void states_that_hardly_move(void **state) {
    (void)state;
    walk *log = make_walk(0);
    assert_near(look_at(log, 1).still, 0, 1e-12);
    for (int i = 0; i < ROWS; i += 4)
        log->ns[i] = log->s[i];
    assert_near(look_at(log, 1).still, 0.25, 1e-12);
}

/* ---- Rules */

static bf_estimate estimate;
static bf_trust trust;

static bf__facts nothing_wrong(void) {
    estimate = (bf_estimate){.value = 0.5};
    trust = bf__trust_unmeasured(&estimate);
    return (bf__facts){.estimate = &estimate,
                       .unit = "episode",
                       .half = 0.1,
                       .bias = 0.01,
                       .n = 1000,
                       .low = 0,
                       .high = 1,
                       .deviation = 0.3,
                       .weighted_deviation = 0.2,
                       .clusters = 30,
                       .effective = 20,
                       .largest = 0.1,
                       .ended = 0.1,
                       .gap = 0.1,
                       .longest = 100,
                       .horizon = INFINITY,
                       .age_rise = 1.5,
                       .still = 0.1};
}

/* The verdict, and the code of the only reason, or "". */
static const char *judged(const bf__facts *e, bf_verdict *verdict) {
    assert_ok(bf__verdict(&trust, e, arena, &err), err);
    assert_in_range(trust.reason_count, 0, 1);
    *verdict = trust.verdict;
    return trust.reason_count ? trust.reasons[0].code : "";
}

#define expect(wanted_verdict, wanted_code, changes)                                               \
    do {                                                                                           \
        bf__facts e = nothing_wrong();                                                             \
        bf_verdict verdict;                                                                        \
        changes;                                                                                   \
        assert_string_equal(judged(&e, &verdict), wanted_code);                                    \
        assert_int_equal(verdict, wanted_verdict);                                                 \
    } while (0)

static void every_rule_has_two_sides(void **state) {
    (void)state;
    const bf_verdict sound = BF_VERDICT_SOUND, look = BF_VERDICT_LOOK;
    const bf_verdict cannot_tell = BF_VERDICT_CANNOT_TELL;
    expect(sound, "", (void)0);
    expect(cannot_tell, "one-reward", (e.weighted_deviation = 0, e.half = e.bias = 0));
    expect(cannot_tell, "one-reward", (e.weighted_deviation = 0, e.half = NAN));
    expect(sound, "",
           e.weighted_deviation = 0); /* the parts say otherwise, and the width shows it */
    expect(sound, "", e.weighted_deviation = 1e-6);
    expect(cannot_tell, "one-reward", (e.low = 1, e.weighted_deviation = 0));
    expect(sound, "", (e.low = 1, e.weighted_deviation = 0, e.ends = true));
    expect(cannot_tell, "no-ends",
           (e.low = 1, e.weighted_deviation = 0, e.ends = true, e.ended = 0));
    expect(sound, "", (e.ends = true, e.ended = 0)); /* rewards differ: the value is what counts */
    expect(cannot_tell, "mirror-differs", e.mirror_excess = 4.1);
    expect(sound, "", e.mirror_excess = 3.9);
    expect(cannot_tell, "few-clusters", (e.effective = 1.9, e.clusters = 10));
    expect(look, "few-clusters", (e.effective = 3.9, e.clusters = 10));
    expect(sound, "", (e.effective = 4.1, e.clusters = 10));
    expect(cannot_tell, "few-of-many", (e.effective = 14, e.clusters = 100));
    expect(sound, "", (e.effective = 5, e.clusters = 39));
    expect(sound, "", (e.effective = 16, e.clusters = 100));
    expect(look, "next-pairs-alone", e.gap = 0.45);
    expect(sound, "", e.gap = 0.35);
    expect(look, "piles-up", e.age_rise = 4.5);
    expect(sound, "", (e.age_rise = 4.5, e.horizon = 90));
    expect(sound, "", e.still = 0.9);
    expect(look, "parts-shift", e.bias = -0.11);
    expect(look, "parts-failed", e.failed = 1);
    expect(sound, "", (e.gap = e.age_rise = e.still = e.effective = NAN)); /* not measured */
    expect(sound, "", (e.half = e.bias = NAN));
}

/* Every correction was dropped: the answer is that of the base. That alone is something to look at;
 * if the weights gather on few rows, at the ends of trajectories or where no other trajectory is,
 * the log cannot tell. */
static void nothing_vouches_for_the_base(void **state) {
    (void)state;
    for (int k = 0; k < 9; k++) {
        bool astray = k == 1 || k == 2 || k == 6 || k == 8;
        bf__facts e = nothing_wrong();
        estimate.warnings[0] = (bf_warning){"correction-dropped", "dropped", "Compare.", false};
        estimate.warnings[1] = (bf_warning){"one-row", "one row", "Look.", true};
        estimate.warning_count = k == 1 || k == 4 ? 2 : 1;
        bf__diagnose(&estimate, BF__D_BASE_VALUE, k == 4 || k == 5 ? 0.4 : estimate.value);
        bf__diagnose(&estimate, BF__D_ESS, k == 6 ? 19 : k == 7 ? 21 : 500); /* of 1000 rows */
        e.gap = k == 8 ? 0.45 : 0.04;
        e.age_rise = k == 2 || k == 3 || k == 5 ? 5 : 1;
        e.horizon = k == 3 ? 50 : INFINITY; /* the trajectories are long enough */
        assert_ok(bf__verdict(&trust, &e, arena, &err), err);
        assert_int_equal(trust.verdict, astray ? BF_VERDICT_CANNOT_TELL : BF_VERDICT_LOOK);
        bool found = false;
        for (int i = 0; i < trust.reason_count; i++)
            found = found || strcmp(trust.reasons[i].code, "uncorrected") == 0;
        assert_true(found == astray);
    }
}

/* Pairs that the log never shows: an interval has them, if there is one and they are not many. */
static void gaps_are_in_the_width(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        bf__facts e = nothing_wrong();
        bf_verdict verdict;
        estimate.warnings[0] = (bf_warning){"unseen-pairs", "unseen", "Collect.", true};
        estimate.warning_count = 1;
        bf__diagnose(&estimate, k & 2 ? BF__D_COVERAGE_MODEL : BF__D_COVERAGE, k & 1 ? 0.84 : 0.86);
        assert_string_equal(judged(&e, &verdict), "unseen-pairs");
        assert_int_equal(verdict, k & 1 ? BF_VERDICT_CANNOT_TELL : BF_VERDICT_LOOK);
        e.half = e.bias = NAN;
        assert_string_equal(judged(&e, &verdict), "unseen-pairs");
        assert_int_equal(verdict, BF_VERDICT_CANNOT_TELL);
    }
}

/* Few rows, or next pairs that no other trajectory shows: each alone says less than both. */
static void little_support(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        bf__facts e = nothing_wrong();
        bf__diagnose(&estimate, BF__D_ESS, k & 1 ? 29 : 31);
        e.gap = k & 2 ? 0.06 : 0.04;
        bf_verdict verdict;
        assert_string_equal(judged(&e, &verdict), k == 3 ? "thin-support" : "");
        assert_int_equal(verdict, k == 3 ? BF_VERDICT_CANNOT_TELL : BF_VERDICT_SOUND);
    }
}

/* Answers of several methods: each has to lie outside the other's interval. */
static void methods_disagree(void **state) {
    (void)state;
    static const char *const methods[] = {"blackbox", "lstdq", "model", "naive"};
    bf_trust of[4];
    const bf_trust *all[4], *out;
    double value[] = {0.5, 0.8, 0.6, 2}, half[] = {0.1, 0.1, 1, 0.1};
    nothing_wrong();
    for (int k = 0; k < 4; k++) {
        of[k] = bf__trust_unmeasured(&estimate);
        of[k].measured.value = value[k];
        of[k].value =
            (bf_interval){.level = 0.95, .low = value[k] - half[k], .high = value[k] + half[k]};
        all[k] = &of[k];
    }
    for (int k = 0; k < 4; k++) {
        assert_ok(bf_trust_among(&out, all, methods, 4, k, arena, &err), err);
        const char *code = "", *text = "";
        bf_trust_reason(out, 0, &code, &text, NULL, NULL);
        assert_string_equal(code, k < 2 ? "methods-disagree" : "");
        assert_int_equal(bf_trust_verdict(out), k < 2 ? BF_VERDICT_LOOK : BF_VERDICT_SOUND);
        assert_true(k >= 2 || strstr(text, methods[1 - k]));
    }
    of[1].verdict = BF_VERDICT_CANNOT_TELL; /* says nothing about others; others do about it */
    assert_ok(bf_trust_among(&out, all, methods, 4, 0, arena, &err), err);
    assert_ptr_equal(out, all[0]);
    assert_ok(bf_trust_among(&out, all, methods, 4, 1, arena, &err), err);
    assert_int_equal(out->reason_count, 1);
    of[1].verdict = BF_VERDICT_SOUND;
    of[1].value.level = 0; /* without an interval nothing can be said */
    assert_ok(bf_trust_among(&out, all, methods, 4, 0, arena, &err), err);
    assert_ptr_equal(out, all[0]);
}

/* Two reasons at once: few episodes carry the weight, and it stands still in them. */
static void standing_still_in_few_episodes(void **state) {
    (void)state;
    bf__facts e = nothing_wrong();
    e.still = 0.9;
    e.effective = 3;
    e.clusters = 10;
    assert_ok(bf__verdict(&trust, &e, arena, &err), err);
    assert_int_equal(trust.reason_count, 2);
    assert_string_equal(trust.reasons[1].code, "stands-still");
    assert_true(trust.reasons[1].distrust);
    assert_int_equal(trust.verdict, BF_VERDICT_CANNOT_TELL);
}

/* Few rows: the interval has it already, if there is one and it was measured by enough clusters. */
static void few_rows_are_in_the_width(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        bf__facts e = nothing_wrong();
        estimate.warnings[0] = (bf_warning){"few-rows", "few rows", "Collect more.", true};
        estimate.warning_count = 1;
        e.clusters = 10;
        e.effective = k == 1 ? 2.9 : 5;
        e.half = k == 2 ? NAN : 0.1;
        assert_ok(bf__verdict(&trust, &e, arena, &err), err);
        assert_int_equal(trust.verdict, k == 0 ? BF_VERDICT_LOOK : BF_VERDICT_CANNOT_TELL);
        assert_true(estimate.warnings[0].distrust); /* the estimate's own are not touched */
    }
}

/* Warnings of the method come first, and count. */
static void warnings_are_reasons(void **state) {
    (void)state;
    bf__facts e = nothing_wrong();
    estimate.warnings[0] = (bf_warning){"off-hull", "far off", "Collect more.", false};
    estimate.warning_count = 1;
    assert_ok(bf__verdict(&trust, &e, arena, &err), err);
    assert_int_equal(trust.verdict, BF_VERDICT_LOOK);
    assert_string_equal(trust.reasons[0].code, "off-hull");
    estimate.warnings[0].distrust = true;
    assert_ok(bf__verdict(&trust, &e, arena, &err), err);
    assert_int_equal(trust.verdict, BF_VERDICT_CANNOT_TELL);
    assert_string_equal(bf_verdict_name(trust.verdict), "cannot tell");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(rewards_and_clusters),
        arena_test(ends_and_horizons),
        arena_test(weight_goes_with_age),
        arena_test(next_pairs_of_other_episodes),
        arena_test(states_that_hardly_move),
        arena_test(every_rule_has_two_sides),
        arena_test(standing_still_in_few_episodes),
        arena_test(few_rows_are_in_the_width),
        arena_test(warnings_are_reasons),
        arena_test(nothing_vouches_for_the_base),
        arena_test(gaps_are_in_the_width),
        arena_test(methods_disagree),
        arena_test(little_support),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
