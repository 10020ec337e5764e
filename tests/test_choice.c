/* test_choice.c - The default method: what it asks, what it answers with, and how it says so. */
#include "control_log.h"
#include "mdp.h"

#include <math.h>
#include <string.h>

#include "choice/shares.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "report/summary.h"

TEST_ARENA;

enum { EPISODES = 12, STEPS = 30 };

/* A log of linear dynamics in `dim` columns: column 0 is pushed by action 1, the others go their
 * own way. The log takes action 1 half of the time, the target with probability `push`. A sticky
 * log takes the action of the step before with probability `sticky`, which states do not tell, and
 * its reward is the square of column 0: a simulator cannot reproduce it. */
static bf_problem any_log_of(int dim, double push, double sticky, int64_t episodes, double start) {
    bf_rng rng = bf_rng_make(3, "linear log", (uint64_t)dim);
    int64_t n = episodes * STEPS;
    bf_dataset *data = bf_arena_alloc(arena, 1, sizeof *data, &err);
    double *s = bf_arena_alloc(arena, n * dim, sizeof *s, &err);
    double *next = bf_arena_alloc(arena, n * dim, sizeof *s, &err);
    double *reward = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, 2 * n, sizeof *s, &err);
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    int64_t *begin = bf_arena_alloc(arena, episodes + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err);
    double x[16];
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < dim && i % STEPS == 0; c++)
            x[c] = start * bf_rng_normal(&rng);
        action[i] = bf_rng_uniform(&rng) < 0.5;
        if (sticky > 0 && i % STEPS > 0 && bf_rng_uniform(&rng) < sticky)
            action[i] = action[i - 1];
        reward[i] = sticky > 0 ? x[0] * x[0] : x[0];
        for (int c = 0; c < dim; c++) {
            s[c * n + i] = x[c];
            x[c] = 0.8 * x[c] + (c == 0 ? 0.5 * action[i] : 0.2 * x[(c + 1) % dim]) +
                   0.1 * bf_rng_normal(&rng);
            next[c * n + i] = x[c];
        }
        pi[i] = 1 - push;
        pi[n + i] = push;
        order[i] = i;
    }
    for (int64_t e = 0; e <= episodes; e++)
        begin[e] = e * STEPS;
    *data = (bf_dataset){.n = n,
                         .state_dim = dim,
                         .actions = 2,
                         .state = s,
                         .next_state = next,
                         .action = action,
                         .reward = reward,
                         .pi = pi,
                         .npi = pi,
                         .episodes = episodes,
                         .begin = begin,
                         .order = order};
    return (bf_problem){data, 1, BF_TERMINAL_RESTART};
}

static bf_problem sticky_log_of(int dim, double push, double sticky) {
    return any_log_of(dim, push, sticky, EPISODES, 1);
}

/* Its starts are no farther from each other than what follows: it fills all of its dimensions. */
static bf_problem round_log_of(int dim, double push, int64_t episodes) {
    return any_log_of(dim, push, 0, episodes, 0.17);
}

static bf_problem log_of(int dim, double push) {
    return sticky_log_of(dim, push, 0);
}

static bf_estimate answer(const char *method, const bf_problem *problem, const char *options,
                          bf_settings **settings) {
    bf_estimate out;
    bf_settings *own;
    const bf_estimator *estimator = bf_estimator_find(method);
    assert_ok(bf_estimator_settings(&own, estimator, options, arena, &err), err);
    assert_ok(bf__estimator_run(estimator, &out, problem, own, NULL, arena, &err), err);
    if (settings)
        *settings = own;
    return out;
}

/* The part that the answer is made of; there is one. */
static int chosen(const bf_estimate *estimate) {
    double share, value;
    const char *why;
    int at = -1;
    for (int k = 0; bf_estimate_part(estimate, k, NULL, NULL, &value, &share, &why); k++) {
        assert_true(share == 0 || share == 1);
        assert_true(why && why[0]);
        if (share == 1) {
            assert_int_equal(at, -1);
            assert_near(value, bf_estimate_value(estimate), 0);
            at = k;
        }
    }
    assert_true(at >= 0);
    return at;
}

static void few_dimensions_are_for_blackbox(void **state) {
    (void)state;
    bf_problem problem = log_of(3, 0.6);
    bf_estimate own = answer("auto", &problem, NULL, NULL);
    const char *method;
    assert_int_equal(chosen(&own), 0);
    assert_true(bf_estimate_part(&own, 0, &method, NULL, NULL, NULL, NULL));
    assert_string_equal(method, "blackbox");
    assert_false(bf_estimate_part(&own, 1, NULL, NULL, NULL, NULL, NULL));
    assert_near(own.value, answer("blackbox", &problem, NULL, NULL).value, 0);
    assert_near(own.lean, 0, 0);
}

static void options_are_those_of_blackbox(void **state) {
    (void)state;
    bf_problem problem = log_of(9, 0.6);
    bf_estimate own = answer("auto", &problem, "weights=linear", NULL);
    assert_int_equal(chosen(&own), 0);
    assert_false(bf_estimate_part(&own, 1, NULL, NULL, NULL, NULL, NULL));
    assert_near(own.value, answer("blackbox", &problem, "weights=linear", NULL).value, 0);
}

/* The answer, its interval and its verdict are those of the simulator; weights are there all the
 * same. In column 0 the target has the mean 0.5 * 0.6 / 0.2 in the long run. */
static void many_dimensions_are_for_the_simulator(void **state) {
    (void)state;
    bf_problem problem = log_of(9, 0.6);
    bf_settings *settings[2];
    bf_estimate own = answer("auto", &problem, NULL, &settings[0]);
    bf_estimate part = answer("simulator", &problem, NULL, &settings[1]);
    const bf_trust *trust[2];
    bf_interval interval[2];
    assert_int_equal(chosen(&own), 1);
    assert_near(own.value, part.value, 0);
    assert_near(own.value, 1.5, 0.1);
    assert_null(part.weights);
    assert_non_null(bf_estimate_weights(&own));
    assert_non_null(bf_estimate_signed_weights(&own));
    assert_ok(bf_trust_measure(&trust[0], &own, bf_estimator_find("auto"), &problem, settings[0],
                               NULL, NULL, arena, &err),
              err);
    assert_ok(bf_trust_measure(&trust[1], &part, bf_estimator_find("simulator"), &problem,
                               settings[1], NULL, NULL, arena, &err),
              err);
    for (int k = 0; k < 2; k++)
        assert_true(bf_trust_interval(trust[k], &interval[k]));
    assert_near(interval[0].low, interval[1].low, 0);
    assert_near(interval[0].high, interval[1].high, 0);
    assert_int_equal(bf_trust_verdict(trust[0]), bf_trust_verdict(trust[1]));
    /* In so many dimensions 0.15 of the difference that it finds is a standard error. */
    assert_near(own.lean, 0.15 * (own.value - mean_reward(problem.data)), 1e-12);
    assert_true(interval[0].se > fabs(own.lean));
}

/* By the number of columns, or, in a log that is not small, by how far next pairs lie outside the
 * hull of their neighbours, if that was measured, the less so if nothing vouches for the weights.
 */
static void where_neighbours_say_little(void **state) {
    (void)state;
    static const struct {
        int dim;
        int64_t n;
        double off;
        bool dropped, little;
    } cases[] = {
        {8, 2000, 0.069, false, false}, {8, 2000, 0.071, false, true},
        {8, 1999, 0.071, false, false}, {8, 1999, 100, true, false},
        {9, 10, 0, false, true},        {3, 5000, 0.5, false, true},
        {8, 5000, NAN, true, false},    {9, 5000, NAN, false, true},
        {8, 2000, 0.041, true, true},   {8, 2000, 0.039, true, false},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bf_dataset data = *log_of(cases[c].dim, 0.6).data;
        bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
        bf_estimate estimate = {.value = 0};
        data.n = cases[c].n;
        if (isfinite(cases[c].off))
            bf__diagnose(&estimate, BF__D_OFF_HULL, cases[c].off);
        if (cases[c].dropped)
            assert_ok(bf__warn(&estimate, arena, &err, BF__W_CORRECTION_DROPPED, false, "dropped"),
                      err);
        assert_int_equal(bf__neighbours_say_little(&estimate, &problem), cases[c].little);
    }
}

/* Eight columns, and a target that leaves the neighbours of this log: a simulator is asked. */
static void few_dimensions_without_neighbours(void **state) {
    (void)state;
    bf_problem problem = round_log_of(8, 0.9, 70);
    bf_estimate own = answer("auto", &problem, NULL, NULL);
    bf_estimate weights = answer("blackbox", &problem, NULL, NULL);
    const char *method;
    double truth = 0.5 * 0.9 / 0.2;
    assert_true(bf_estimate_get(&weights, "off_hull") > 0.07);
    assert_true(bf_estimate_part(&own, 2, &method, NULL, NULL, NULL, NULL));
    assert_string_equal(method, "simulator");
    assert_true(fabs(own.value - truth) < 0.5 * fabs(weights.value - truth));
    /* The simulator does not trust itself here, and fqe alone answers: that is news. */
    assert_int_equal(chosen(&own), 1);
    assert_true(bf__was_said(&own, BF__W_PARTS_DIFFER));
}

/* This target spends its time where the log never was, and the runs of the simulator leave it. */
static void a_simulator_that_leaves_the_log_is_not_chosen(void **state) {
    (void)state;
    bf_problem problem = log_of(9, 0.9);
    bf_estimate own = answer("auto", &problem, NULL, NULL);
    const char *why;
    assert_int_equal(chosen(&own), 0);
    assert_true(bf_estimate_part(&own, 1, NULL, NULL, NULL, NULL, &why));
    assert_non_null(strstr(why, "does not trust itself"));
    assert_near(own.value, answer("blackbox", &problem, NULL, NULL).value, 0);
}

/* The text, the page and the summary say the same sentence about a part. */
static void each_part_has_its_sentence(void **state) {
    (void)state;
    static const char *const expected[] = {
        "blackbox would have said 0.25: neighbours say little.",
        "model has no answer: it needs start states.",
        "The answer is that of simulator: it reproduces the log.",
        "0.75 of the answer is from fqe, which says 3: it has settled.",
    };
    bf_estimate e = {.value = 2,
                     .part_count = 4,
                     .parts = {{"blackbox", "corrected", 0.25, 0, "neighbours say little"},
                               {"model", NULL, NAN, 0, "it needs start states"},
                               {"simulator", "regression", 2, 1, "it reproduces the log"},
                               {"fqe", NULL, 3, 0.75, "it has settled"}}};
    char sentence[BF__SENTENCE];
    for (int k = 0; k < 4; k++) {
        assert_true(bf__summary_part(sentence, &e, k));
        assert_string_equal(sentence, expected[k]);
    }
    assert_false(bf__summary_part(sentence, &e, 4));
}

/* The share of the simulator, by what it measured against itself. */
static double certain(const bf_problem *problem) {
    bf_estimate found = answer("simulator", problem, NULL, NULL);
    double mean = mean_reward(problem->data), moved = fabs(found.value - mean);
    double off = fabs(bf_estimate_get(&found, "replay_value") - mean) -
                 fabs(bf_estimate_get(&found, "flattery")) / 2;
    double doubt = fmax(off, bf_estimate_get(&found, "member_spread")) / moved;
    doubt = fmax(doubt, bf_estimate_get(&found, "rollout_far") / 0.2);
    return (0.4 - doubt) / 0.25;
}

/* Some of the steps in the simulator are far from this log: it is believed the less. fqe is not
 * asked about so few rows. */
static void a_part_in_doubt_has_a_share(void **state) {
    (void)state;
    bf_problem problem = sticky_log_of(9, 0.6, 0.88);
    bf_estimate own = answer("auto", &problem, NULL, NULL);
    double share[2], value[2], expected = certain(&problem);
    for (int k = 0; k < 2; k++)
        assert_true(bf_estimate_part(&own, k, NULL, NULL, &value[k], &share[k], NULL));
    assert_false(bf_estimate_part(&own, 2, NULL, NULL, NULL, NULL, NULL));
    assert_true(expected > 0.05 && expected < 0.95);
    assert_near(share[1], expected, 1e-9);
    assert_near(share[0], 1 - share[1], 1e-12);
    assert_near(own.value, share[0] * value[0] + share[1] * value[1], 1e-9);
    /* It may lean by a part of the most that a part finds. */
    double found = value[1] - mean_reward(problem.data);
    assert_true(fabs(found) > fabs(value[0] - mean_reward(problem.data)));
    assert_near(own.lean, (share[0] + 0.15 * share[1]) * found, 1e-9);
    assert_true(bf__was_said(&own, BF__W_PARTS_DIFFER));
    assert_non_null(bf_estimate_weights(&own));
    /* Its interval is that of the blend: parts of the log are asked by the default itself. */
    assert_ptr_equal(bf__maker(&own, bf_estimator_find("auto"), NULL), bf_estimator_find("auto"));
}

/* Voices are the weights, fqe, which stops short, and the simulator; the log's mean is 1. By hand.
 */
static void shares_by_hand(void **state) {
    (void)state;
    static const struct {
        double fqe, fqe_doubt;
        bool fqe_counts;
        double simulator, doubt;
        bool counts;
        double share[3];
    } cases[] = {
        {1.5, 0, true, 2, 0.15, true, {0, 0, 1}},         /* nothing against the simulator */
        {1.5, 0, true, 2, 0.2, true, {0, 0.2, 0.8}},      /* (0.4 - 0.2) / 0.25 */
        {1.5, 0.75, true, 2, 0.2, true, {0.1, 0.1, 0.8}}, /* fqe: (1 - 0.75) / 0.5 = 0.5 */
        {1.5, 0, false, 2, 0.2, true, {0.2, 0, 0.8}},     /* fqe does not trust itself */
        {1.5, 1.2, true, 2, 0.2, true, {0.2, 0, 0.8}},
        {1.5, 0, true, 2, 0.2, false, {0, 1, 0}},        /* nor does the simulator */
        {1.5, 0, true, 2, 0.5, true, {0, 1, 0}},         /* too much in doubt */
        {1.5, 0, true, 1.35, 0.3, true, {0, 1, 0}},      /* it finds less than fqe, */
        {1.5, 0, true, 0.4, 0.3, true, {0, 1, 0}},       /* or something else, */
        {0.5, 0, true, 0.4, 0.2, true, {0, 0.2, 0.8}},   /* or more, on the other side; */
        {1.5, 0, true, 1.3, 0.2, true, {0, 0.76, 0.24}}, /* less, in less doubt: 0.8 (0.8 - 0.5) */
        {1.5, 0, true, 1.3, 0.1, true, {0, 0.5, 0.5}},   /* and without any; */
        {1.5, 0.75, true, 1.3, 0.1, true, {0.125, 0.125, 0.75}}, /* fqe has some: 1 - 0.5 0.5 */
        {1.5, 2, true, 1.3, 0.2, true, {0.2, 0, 0.8}},      /* less than an fqe that says nothing */
        {1.5, 0, true, 1.425, 0.1, true, {0, 0, 1}},        /* hardly less: it lacks 0.15 of it */
        {1.5, 0, true, 1.3875, 0.1, true, {0, 0.25, 0.75}}, /* 0.225, half of the way to 0.3 */
        {0.5, 0, true, 0.6125, 0.3, true, {0, 0.8, 0.2}},   /* and on the other side */
        {1.5, 0, false, 2, 0, false, {1, 0, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bf__voice voice[3] = {{.value = 1.2},
                              {.value = cases[c].fqe,
                               .doubt = cases[c].fqe_doubt,
                               .little = 0.5,
                               .much = 1,
                               .stops_short = true,
                               .counts = cases[c].fqe_counts},
                              {.value = cases[c].simulator,
                               .doubt = cases[c].doubt,
                               .little = 0.15,
                               .much = 0.4,
                               .counts = cases[c].counts}};
        double share[3];
        for (int turn = 0; turn < 3; turn++) { /* with as much to say for the weights */
            double part = 0.5 * turn, said[3], middle = 0;
            int heard = 0;
            voice[0].proven = part;
            bf__shares(share, voice, 3, 1);
            for (int k = 0; k < 3; k++) {
                double low = k == 0 ? 0 : voice[k].doubt - voice[k].much;
                if (k == 0 || (voice[k].counts && low < 0))
                    said[heard++] = voice[k].value;
            }
            for (int i = 0; i < heard; i++) /* sorted */
                for (int j = i + 1; j < heard; j++)
                    if (said[j] < said[i]) {
                        double swap = said[i];
                        said[i] = said[j];
                        said[j] = swap;
                    }
            middle = (said[(heard - 1) / 2] + said[heard / 2]) / 2;
            double value = 0, expected = part * middle;
            for (int k = 0; k < 3; k++) {
                value += share[k] * voice[k].value;
                expected += (1 - part) * cases[c].share[k] * voice[k].value;
                if (turn == 0 && !(fabs(share[k] - cases[c].share[k]) < 1e-12))
                    fail_msg("case %zu: share %d is %g, not %g", c, k, share[k], cases[c].share[k]);
            }
            assert_near(value, expected, 1e-12);
            assert_near(share[0] + share[1] + share[2], 1, 1e-12);
        }
    }
}

/* What the certain leave goes to the voice in the middle of all three, be they certain or not. If
 * there are two, or the weights are proven, it is that of the weights. By hand. */
static void what_is_left_goes_to_the_middle(void **state) {
    (void)state;
    static const struct {
        double fqe, fqe_doubt, simulator;
        bool speaks;
        double proven, share[3];
    } cases[] = {
        {1.5, 1.2, 2, true, 0, {0, 1, 0}}, /* nobody is certain: 1.2, 1.5 and 2 */
        {0.9, 1.2, 2, true, 0, {1, 0, 0}},          {2.5, 1.2, 2, true, 0, {0, 0, 1}},
        {1.5, 0.75, 1.4, true, 0, {0, 0.5, 0.5}}, /* fqe is half certain */
        {1.5, 0.75, 2, true, 0, {0, 1, 0}},       /* and in the middle */
        {1.5, 0, 1.4, true, 0, {0, 1, 0}},        /* and leaves nothing */
        {1.5, 1.2, 2, false, 0, {1, 0, 0}},       /* two voices have no middle */
        {1.5, 1.2, 2, true, 1, {1, 0, 0}},        /* the weights are proven, the others are not */
        {1.5, 1.2, 2, true, 0.25, {0.25, 0.75, 0}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        bf__voice voice[3] = {{.value = 1.2, .proven = cases[c].proven},
                              {.value = cases[c].fqe,
                               .doubt = cases[c].fqe_doubt,
                               .little = 0.5,
                               .much = 1,
                               .stops_short = true,
                               .speaks = true,
                               .counts = true},
                              {.value = cases[c].simulator, .speaks = cases[c].speaks}};
        double share[3];
        bf__shares(share, voice, 3, 1);
        for (int k = 0; k < 3; k++)
            if (!(fabs(share[k] - cases[c].share[k]) < 1e-12))
                fail_msg("case %zu: share %d is %g, not %g", c, k, share[k], cases[c].share[k]);
    }
}

/* ---- Small logs of few dimensions */

static double standard_error(const char *method, const bf_estimate *estimate,
                             const bf_problem *problem, const bf_settings *settings) {
    bf_trust_options how;
    const bf_trust *trust;
    bf_interval interval;
    assert_ok(bf_options_init(&bf_trust_table, &how, &err), err);
    how.interval = BF_INTERVAL_FAST;
    assert_ok(bf_trust_measure(&trust, estimate, bf_estimator_find(method), problem, settings, &how,
                               NULL, arena, &err),
              err);
    assert_true(bf_trust_interval(trust, &interval));
    return interval.se;
}

/* On ten trajectories of Acrobot a correction moves the value far. Networks have a share by what
 * they differ by and still move, a third method may move the answer to the middle, and what all of
 * that moves the value by is one more error. */
static void networks_move_an_answer_whose_correction_is_large(void **state) {
    (void)state;
    bf_dataset data = control_log("acrobot", 10, 1, arena);
    bf_settings *settings[2];
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf_estimate own = answer("auto", &problem, NULL, &settings[0]);
    bf_estimate weights = answer("blackbox", &problem, NULL, &settings[1]);
    bf_estimate third = answer("lstdq", &problem, NULL, NULL);
    bf_estimate networks = answer("fqe", &problem, NULL, NULL);
    double mine = 0.3 * fabs(weights.value - bf_estimate_get(&weights, "base_value"));
    double spread = bf_estimate_get(&networks, "member_spread");
    double drift = bf_estimate_get(&networks, "drift"), share[3], value[3];
    double second = mine * mine / (mine * mine + spread * spread + drift * drift);
    double mean = (1 - second) * weights.value + second * networks.value;
    double low = fmin(networks.value, third.value), high = fmax(networks.value, third.value);
    double middle = fmin(fmax(mean, low), high);
    double expected = fmin(fmax(middle, mean - 2 * mine), mean + 2 * mine);
    assert_true(second > 0.05);
    for (int k = 0; k < 3; k++)
        assert_true(bf_estimate_part(&own, k, NULL, NULL, &value[k], &share[k], NULL));
    assert_near(value[0], weights.value, 0);
    assert_near(value[1], third.value, 0);
    assert_near(value[2], networks.value, 0);
    assert_near(share[0] + share[1] + share[2], 1, 1e-12);
    assert_near(own.value, expected, 1e-9);
    assert_near(own.value, share[0] * value[0] + share[1] * value[1] + share[2] * value[2], 1e-12);
    assert_memory_equal(bf_estimate_weights(&own), bf_estimate_weights(&weights),
                        (size_t)data.n * sizeof(double));
    double moved = own.value - weights.value;
    double before = standard_error("blackbox", &weights, &problem, settings[1]);
    double after = standard_error("auto", &own, &problem, settings[0]);
    assert_true(fabs(moved) > 1e-4);
    assert_near(after * after, before * before + moved * moved, 1e-9);
}

/* As on a log of more than 5,000 rows, and of more than 20,000: two quick networks and no third
 * method, and no networks. */
static void networks_are_quick_on_larger_logs(void **state) {
    (void)state;
    bf_dataset data = control_log("acrobot", 10, 1, arena);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    const char *method;
    double value, share;
    data.part_of = 5001;
    bf_estimate own = answer("auto", &problem, NULL, NULL);
    bf_estimate weights = answer("blackbox", &problem, NULL, NULL);
    bf_estimate networks = answer("fqe", &problem, "members=2 batch=64", NULL);
    double mine = 0.3 * fabs(weights.value - bf_estimate_get(&weights, "base_value"));
    double theirs =
        hypot(bf_estimate_get(&networks, "member_spread"), bf_estimate_get(&networks, "drift"));
    assert_true(bf_estimate_part(&own, 1, &method, NULL, &value, &share, NULL));
    assert_string_equal(method, "fqe");
    assert_near(value, networks.value, 0);
    assert_near(share, mine * mine / (mine * mine + theirs * theirs), 1e-12);
    assert_near(own.value, weights.value + share * (networks.value - weights.value), 1e-12);
    assert_false(bf_estimate_part(&own, 2, NULL, NULL, NULL, NULL, NULL));
    data.part_of = 20001;
    own = answer("auto", &problem, NULL, NULL);
    assert_near(own.value, weights.value, 0);
    assert_false(bf_estimate_part(&own, 1, NULL, NULL, NULL, NULL, NULL));
}

static bool all_but_networks(void *user, const bf_progress *progress) {
    (void)user;
    return strcmp(progress->task, "fitting Q") != 0;
}

/* What the weights say is not lost. */
static void networks_that_are_interrupted_have_no_share(void **state) {
    (void)state;
    bf_dataset data = control_log("acrobot", 10, 1, arena);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf_context context = {.threads = 2, .seed = 1, .callbacks = {.progress = all_but_networks}};
    bf_estimate own;
    const char *why;
    double value, share;
    assert_ok(
        bf__estimator_run(bf_estimator_find("auto"), &own, &problem, NULL, &context, arena, &err),
        err);
    assert_true(bf_estimate_part(&own, 0, NULL, NULL, &value, &share, NULL));
    assert_near(own.value, value, 0);
    assert_near(share, 1, 0);
    assert_true(bf_estimate_part(&own, 2, NULL, NULL, NULL, &share, &why));
    assert_near(share, 0, 0);
    assert_non_null(strstr(why, "stopped"));
}

/* On Pendulum the weights need next to no correction. */
static void networks_are_not_asked_without_need(void **state) {
    (void)state;
    bf_dataset data = control_log("pendulum", 10, 1, arena);
    bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
    bf_estimate own = answer("auto", &problem, NULL, NULL);
    assert_false(bf_estimate_part(&own, 1, NULL, NULL, NULL, NULL, NULL));
}

static void shares_of_two_by_their_errors(void **state) {
    (void)state;
    assert_near(bf__share_of_second(0, 0), 0, 0);
    assert_near(bf__share_of_second(0, 1), 0, 0);
    assert_near(bf__share_of_second(1, 0), 1, 0);
    assert_near(bf__share_of_second(1, 2), 0.2, 1e-15);
    for (double s = 0; s <= 1; s += 0.01) /* no other share has a smaller error */
        assert_true(pow(3 * (1 - s), 2) + pow(s, 2) >= pow(3 * (1 - bf__share_of_second(3, 1)), 2) +
                                                           pow(bf__share_of_second(3, 1), 2));
}

/* By hand. The first two have a mean of 2 unless said otherwise. */
static void shares_of_three_go_to_the_middle(void **state) {
    (void)state;
    static const struct {
        double value[3], second, reach, share[3], answer;
    } cases[] = {
        {{1, 5, 0}, 0.25, 9, {0.75, 0.25, 0}, 2},            /* the mean is between the others */
        {{1, 5, NAN}, 0.25, 9, {0.75, 0.25, 0}, 2},          /* there is no third */
        {{1, 5, 3}, 0.25, 9, {0, 0, 1}, 3},                  /* the third is in the middle */
        {{1, 5, 7}, 0.25, 9, {0, 1, 0}, 5},                  /* the second is */
        {{1, 5, 4}, 0.25, 0.5, {0.5625, 0.1875, 0.25}, 2.5}, /* not all the way: a quarter of 2 */
        {{1, 5, 4}, 0.25, 0, {0.75, 0.25, 0}, 2},            /* not at all */
        {{4, 4, 7}, 0.25, 9, {0.75, 0.25, 0}, 4},            /* the first two are one */
        {{-1, -5, -3}, 0.25, 9, {0, 0, 1}, -3},              /* the other side */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double share[3], answer = 0;
        bf__shares_of_three(share, cases[c].value, cases[c].second, cases[c].reach);
        for (int k = 0; k < 3; k++) {
            assert_near(share[k], cases[c].share[k], 1e-15);
            answer += share[k] > 0 ? share[k] * cases[c].value[k] : 0;
        }
        assert_near(answer, cases[c].answer, 1e-14);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(few_dimensions_are_for_blackbox),
        arena_test(options_are_those_of_blackbox),
        arena_test(many_dimensions_are_for_the_simulator),
        arena_test(where_neighbours_say_little),
        arena_test(few_dimensions_without_neighbours),
        arena_test(a_simulator_that_leaves_the_log_is_not_chosen),
        arena_test(a_part_in_doubt_has_a_share),
        arena_test(shares_by_hand),
        arena_test(what_is_left_goes_to_the_middle),
        arena_test(each_part_has_its_sentence),
        arena_test(networks_move_an_answer_whose_correction_is_large),
        arena_test(networks_are_quick_on_larger_logs),
        arena_test(networks_that_are_interrupted_have_no_share),
        arena_test(networks_are_not_asked_without_need),
        arena_test(shares_of_two_by_their_errors),
        arena_test(shares_of_three_go_to_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
