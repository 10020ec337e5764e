/* test_experiment.c - Experiments: what comes out on ModelWin, and what is kept on disk.
 *
 * ModelWin is known by heart: the limits of IPS and of the naive mean are exact, the error of the
 * black-box method is that of the rewards at s1 alone. Bias and spread of all methods at 400
 * trajectories come from simulations that share no code with these. */
#include "ration.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "env/simulate.h"
#include "experiment/agenda.h"
#include "experiment/control.h"
#include "experiment/files.h"

TEST_ARENA;

/* ---- A folder, and studies in it */

static char folder[64], path[128];

static int make_folder(void **state) {
    strcpy(folder, "/tmp/backflow-experiment-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/runs.csv", folder);
    return make_arena(state);
}

static int drop_folder(void **state) {
    remove(path);
    rmdir(folder);
    return drop_arena(state);
}

/* "option", "value", ..., NULL */
static bf_status try_plan(bf__study *out, const char *name, const char *const *settings,
                          uint64_t seed, bf_arena *in) {
    const bf__experiment *e = bf__experiment_find(name);
    assert_non_null(e);
    void *options = bf_arena_zalloc(in, 1, e->options->size, &err);
    if (!options)
        return BF_ENOMEM;
    bf_status status = bf_options_init(e->options, options, &err);
    for (; settings[0] && status == BF_OK; settings += 2) {
        const bf_option *row = bf_options_find(e->options, settings[0]);
        assert_non_null(row);
        status = bf_options_set(row, options, settings[1], &err);
    }
    *out = (bf__study){.experiment = e, .options = options, .seed = seed, .arena = in};
    return status == BF_OK ? e->plan(out, options, &err) : status;
}
#define LIST(...)                                                                                  \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

static bf__study plan(const char *name, const char *const *settings, uint64_t seed) {
    bf__study study;
    assert_ok(try_plan(&study, name, settings, seed, arena), err);
    return study;
}

static const bf__truth_effort effort = {.steps = 20000, .single = 100};

static bf_status try_run(bf__study *studies, int count, bool fresh, int threads, bf_arena *in) {
    bf__store *store = NULL;
    bf_arena *records = NULL;
    bf_context context = {.seed = studies[0].seed, .threads = threads};
    bf_status status = bf_arena_create(&records, bf_arena_allocator(in), &err);
    if (status == BF_OK)
        status = bf__store_open(&store, folder, fresh, &context, records, &err);
    if (status == BF_OK)
        status = bf__studies_run(studies, count, &effort, store, &context, NULL, in, &err);
    bf__store_close(store);
    bf_arena_destroy(records);
    return status;
}

static void run(bf__study *studies, int count, bool fresh, int threads) {
    assert_ok(try_run(studies, count, fresh, threads, arena), err);
}

/* ---- The file */

static char *read_file(void) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = bf_arena_zalloc(arena, 1 << 20, 1, &err);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void write_file(const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Lines below the first. */
static int lines(void) {
    int count = 0;
    for (const char *c = read_file(); *c; c++)
        count += *c == '\n';
    return count - 1;
}

/* ---- What comes out */

/* T = 4 .. 128 with T - 1 transitions: limits of the errors of IPS and of the naive mean. */
static const double ips_limit[] = {-0.106667, -0.091429, -0.085333,
                                   -0.082581, -0.081270, -0.080630};
static const double naive_error[] = {0.026667, 0.034286, 0.037333, 0.038710, 0.039365, 0.039685};

static void modelwin_horizon(void **state) {
    (void)state;
    bf__study s = plan("modelwin-horizon", LIST("transitions", "32000", "runs", "60"), 1);
    assert_int_equal(s.group_count, 2 * 6 * 3);
    run(&s, 1, false, 0);
    for (int reading = 0; reading < 2; reading++)
        for (int i = 0; i < 6; i++) {
            double T = 4 << i;
            const bf__run_group *blackbox = bf__study_find(&s, "blackbox", reading, T);
            const bf__run_group *ips = bf__study_find(&s, "ips", reading, T);
            const bf__run_group *naive = bf__study_find(&s, "naive", reading, T);
            assert_near(blackbox->truth.precise.value, -0.08, 1e-15);
            assert_int_equal(blackbox->spread.runs, 60);
            int64_t steps = reading == 0 ? (4 << i) - 1 : 4 << i;
            int64_t visits = 32000 / (4 << i) * ((steps + 1) / 2);
            assert_near(blackbox->spread.rmse.value * sqrt((double)visits) / 0.5345, 1, 0.2);
            double ips_bias = reading == 0 ? ips_limit[i] + 0.08 : 0;
            double naive_bias = reading == 0 ? naive_error[i] : 0.04;
            assert_near(ips->spread.bias.value, ips_bias, 4 * ips->spread.bias.error);
            assert_near(naive->spread.bias.value, naive_bias, 4 * naive->spread.bias.error);
            assert_true(ips->spread.bias.error < 0.001 && naive->spread.bias.error < 0.001);
        }
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 3);
    assert_int_equal(s.claims[0].verdict, BF__PARTLY); /* naive: far off, but not by the same */
    assert_int_equal(s.claims[1].verdict, BF__REPRODUCED);
    assert_int_equal(s.claims[2].verdict, BF__REPRODUCED);
}

static void bias_and_variance(void **state) {
    (void)state;
    static const struct {
        const char *method;
        double bias, sd; /* of 200 runs, as here: both have an error */
    } known[] = {{"blackbox", -0.0010, 0.0195},
                 {"ips", -0.0279, 0.0262},
                 {"dualdice-0.9", -0.0051, 0.0206},
                 {"naive", 0.0260, 0.0253}};
    bf__study s = plan("bias-variance", LIST("trajectories", "400"), 1);
    run(&s, 1, false, 0);
    for (int i = 0; i < 4; i++) {
        const bf__run_group *g = bf__study_find(&s, known[i].method, 0, 400);
        assert_int_equal(g->spread.runs, 200);
        double error = known[i].sd / sqrt(200);
        assert_near(g->spread.bias.value, known[i].bias, 4 * hypot(error, g->spread.bias.error));
        assert_near(g->spread.sd.value, known[i].sd,
                    4 * hypot(error / sqrt(2), g->spread.sd.error));
    }
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 3);
}

static void assert_same(const bf__study *a, const bf__study *b) {
    assert_int_equal(a->group_count, b->group_count);
    for (int64_t g = 0; g < a->group_count; g++) {
        const bf__run_group *x = &a->groups[g], *y = &b->groups[g];
        assert_int_equal(x->runs, y->runs);
        assert_memory_equal(&x->truth, &y->truth, sizeof x->truth);
        assert_memory_equal(x->value, y->value, (size_t)x->runs * sizeof *x->value);
        assert_memory_equal(&x->spread, &y->spread, sizeof x->spread);
    }
}

/* ModelWin, whose truth is exact: intervals hold it as often as they say, their runs are kept like
 * all others, and the claim says what the numbers say. */
static void coverage(void **state) {
    (void)state;
    const char *const *settings =
        LIST("problems", "modelwin", "policy", "behavior", "horizon", "20", "trajectories", "6,30",
             "runs", "120", "methods", "blackbox-full,blackbox-fast,blackbox");
    bf__study s = plan("coverage", settings, 1), again;
    assert_int_equal(s.group_count, 6);
    run(&s, 1, false, 0);
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 1);
    assert_int_equal(s.claims[0].verdict, BF__REPRODUCED);
    for (int64_t g = 0; g < s.group_count; g++) {
        const bf__run_group *group = &s.groups[g];
        int64_t answered = 0, held = 0;
        double half = 0, square = 0;
        for (int64_t r = 0; r < group->runs; r++) {
            double width = group->half[r];
            if (isnan(width))
                continue;
            answered++;
            held += group->value[r] - width <= group->truth.precise.value &&
                    group->value[r] + width >= group->truth.precise.value;
            half += width;
            square += pow(group->value[r] - group->truth.precise.value, 2);
        }
        bool has = group->method->interval != NULL;
        assert_int_equal(group->covering.answered, answered);
        assert_int_equal(answered, has ? group->runs : 0);
        if (!has)
            continue;
        assert_near(group->covering.covered.value, (double)held / (double)answered, 1e-12);
        assert_near(group->covering.half, half / (double)answered, 1e-12);
        assert_near(group->covering.rmse, sqrt(square / (double)answered), 1e-12);
        assert_in_range(held, group->x < 20 ? 100 : 107, 119);
    }
    int before = lines();
    again = plan("coverage", settings, 1);
    run(&again, 1, false, 1);
    assert_same(&s, &again);
    assert_int_equal(lines(), before);
    assert_memory_equal(s.groups[0].half, again.groups[0].half,
                        (size_t)s.groups[0].runs * sizeof(double));
    again = plan("coverage",
                 LIST("problems", "modelwin", "policy", "behavior", "trajectories", "30", "runs",
                      "2", "methods", "naive"),
                 1);
    run(&again, 1, false, 1);
    assert_ok(again.experiment->judge(&again, again.options, &err), err);
    assert_int_equal(again.claim_count, 0); /* no intervals: nothing to judge */
}

/* Independent rows of the ladder. A ratio that is known has, to first order, the variance
 * sum_x d_pi(x)^2 / d_mu(x) (v(x) + (m(x) - value)^2) / n, with m and v the mean and variance of
 * the reward at x; one whose frequencies are counted has only v(x) in it. d_pi goes as 1.5^rung,
 * d_mu is even, and the reward is 1 or 0. */
static void surprise(void **state) {
    (void)state;
    enum { N = 3000, RUNS = 300 };
    bf__study s = plan("surprise",
                       LIST("finite", "ladder", "sizes", "3000", "horizon", "1", "runs", "300"), 1);
    assert_int_equal(s.group_count, 6);
    run(&s, 1, false, 0);
    double all = 0, value = 0, known = 0, counted = 0;
    for (int rung = 0; rung < 12; rung++) {
        all += pow(1.5, rung);
        value += pow(1.5, rung) * rung / 11;
    }
    value /= all;
    for (int x = 0; x < 24; x++) {
        double m = x / 2 / 11.0, d = pow(1.5, x / 2) / all * (x % 2 ? 0.6 : 0.4);
        known += d * d * 24 * (m * (1 - m) + (m - value) * (m - value)) / N;
        counted += d * d * 24 * m * (1 - m) / N;
    }
    const bf__run_group *ratio = bf__study_find(&s, "ratio", 0, N);
    const bf__run_group *estimated = bf__study_find(&s, "ratio-counted", 0, N);
    assert_near(ratio->truth.precise.value, value, 1e-14);
    assert_near(ratio->spread.sd.value, sqrt(known), 4 * ratio->spread.sd.error);
    assert_near(estimated->spread.sd.value, sqrt(counted), 4 * estimated->spread.sd.error);
    assert_true(estimated->spread.sd.error < 0.1 * estimated->spread.sd.value);
    assert_true(counted < 0.75 * known);
    /* With counted behaviour, states and pairs tell the same but for the ridge of ips. */
    const bf__run_group *fitted = bf__study_find(&s, "ips-fitted", 0, N);
    const bf__run_group *blackbox = bf__study_find(&s, "blackbox", 0, N);
    for (int i = 0; i < RUNS; i++)
        assert_near(fitted->value[i], blackbox->value[i], 0.02);
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 4);
    assert_int_equal(s.claims[2].verdict, BF__REPRODUCED);
    assert_int_equal(s.claims[3].verdict, BF__NOT_REPRODUCED); /* steps are noisy here */
}

/* The excess falls, and stays below its bound; what is kept is found again. */
static void generalization(void **state) {
    (void)state;
    const char *const *settings = LIST("sizes", "300,1200", "runs", "8");
    bf__study s = plan("generalization", settings, 1), again = plan("generalization", settings, 1);
    assert_int_equal(s.group_count, 6);
    run(&s, 1, false, 0);
    for (int64_t g = 0; g < 6; g++) {
        const bf__run_group *group = &s.groups[g];
        assert_true(group->truth.precise.value == 0 && group->covering.answered == 8);
        assert_true(group->spread.bias.value > 0);
        assert_true(group->covering.half > 100 * group->spread.bias.value);
    }
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 2);
    assert_int_equal(s.claims[0].verdict, BF__REPRODUCED);
    assert_int_equal(s.claims[1].verdict, BF__REPRODUCED);
    int before = lines();
    run(&again, 1, false, 1);
    assert_int_equal(lines(), before);
    assert_same(&s, &again);
    again = plan("generalization", LIST("finite", "gridwalk", "sizes", "300", "runs", "2"), 1);
    run(&again, 1, false, 1);
    assert_ok(again.experiment->judge(&again, again.options, &err), err);
    assert_int_equal(again.claim_count, 1); /* one size has no slope */
}

/* Choices of the discrepancy: the same answers where all is seen, others where it is not; a choice
 * that does not suit a problem is not run. */
static void discrepancy(void **state) {
    (void)state;
    bf__study s = plan("discrepancy",
                       LIST("sizes", "30,1000", "finite", "ladder,gridwalk", "real", "drift",
                            "real-sizes", "300", "runs", "3"),
                       1);
    assert_int_equal(s.group_count, 2 * 7 + 2 * 6 + 4);
    run(&s, 1, false, 0);
    for (int64_t g = 0; g < s.group_count; g++)
        assert_int_equal(s.groups[g].spread.runs, 3);
    const bf__run_group *delta = bf__study_find(&s, "mmd-delta", 0, 1000);
    const bf__run_group *moved = bf__study_find(&s, "wasserstein", 0, 1000);
    for (int i = 0; i < 3; i++)
        assert_near(delta->value[i], moved->value[i], 1e-12);
    assert_true(bf__study_find(&s, "mmd-delta", 1, 30)->value[0] !=
                bf__study_find(&s, "variation", 1, 30)->value[0]);
    assert_null(bf__study_find(&s, "wasserstein", 1, 30));
    assert_null(bf__study_find(&s, "mmd-delta", 2, 300));
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 1);
    assert_non_null(strstr(s.claims[0].measured, "in 1 more all answers are equal"));
}

/* Nothing to compare with: no verdict, instead of one that says all is well. */
static void no_verdict_on_nothing(void **state) {
    (void)state;
    const struct {
        const char *name;
        const char *const *settings;
    } cases[] = {
        {"bias-variance", LIST("trajectories", "5,6", "methods", "blackbox", "runs", "2")},
        {"modelwin-horizon", LIST("horizons", "4", "methods", "ips", "runs", "2")},
        {"control-rmse", LIST("problems", "modelwin", "policy", "behavior", "horizon", "3",
                              "methods", "naive", "trajectories", "5", "runs", "2")},
        {"control-rmse", LIST("problems", "modelwin", "policy", "behavior", "horizon", "3",
                              "methods", "blackbox", "trajectories", "50", "runs", "2")},
        {"control-rmse", LIST("problems", "modelwin", "policy", "behavior", "horizon", "3",
                              "methods", "ips,blackbox", "trajectories", "5,6", "runs", "2")},
        {"sensitivity", LIST("problems", "modelwin", "policy", "behavior", "horizon", "3",
                             "methods", "blackbox", "alphas", "0.5", "runs", "2")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bf__study s = plan(cases[i].name, cases[i].settings, 1);
        run(&s, 1, false, 1);
        assert_ok(s.experiment->judge(&s, s.options, &err), err);
        if (s.claim_count > 0)
            fail_msg("%s: %s %s", cases[i].name, s.claims[0].claim, s.claims[0].measured);
    }
}

/* Returns of episodes: the log of a run is made again, and what importance sampling and the mean of
 * the log say of it is computed by hand, as is the truth within the limit. */
static void returns_of_episodes(void **state) {
    (void)state;
    enum { RUNS = 3, EPISODES = 4 };
    const double gamma = 0.99999;
    bf__study s = plan("episodic",
                       LIST("problems", "cartpole", "trajectories", "4", "runs", "3", "methods",
                            "log-return,is-return,wis-return,pdis-return"),
                       1);
    assert_int_equal(s.group_count, 2 * 4);
    run(&s, 1, false, 2);
    for (int run_number = 0; run_number < RUNS; run_number++) {
        bf__cell cell;
        bf__cell_make(&cell, &s.groups[0], 1, run_number);
        bf_rng rng = bf_rng_make(1, cell.log, (uint64_t)run_number);
        bf_context context = {.seed = bf_rng_u64(&rng), .threads = 1};
        const bf__setting *of = &s.groups[0].setting;
        bf_simulation simulation = {.env = of->env,
                                    .rewards = BF_REWARDS_GYMNASIUM,
                                    .behaviors = (const bf_policy *const *)&of->behavior_policy,
                                    .behavior_count = 1,
                                    .target = of->target_policy,
                                    .trajectories = EPISODES,
                                    .steps = 500,
                                    .per_episode = true};
        bf_dataset log;
        double mean = 0, is = 0, pdis = 0, ratios = 0;
        assert_ok(bf__simulate(&log, &simulation, &context, arena, &err), err);
        assert_int_equal(log.episodes, EPISODES);
        for (int64_t e = 0; e < EPISODES; e++) {
            double ratio = 1, power = 1, sum = 0;
            for (int64_t i = log.begin[e]; i < log.begin[e + 1]; i++, power *= gamma) {
                ratio *= log.pi[log.action[i] * log.n + i] / log.mu[i];
                sum += power * log.reward[i];
                pdis += ratio * power * log.reward[i] / EPISODES;
                mean += log.reward[i] / EPISODES;
            }
            is += ratio * sum / EPISODES;
            ratios += ratio / EPISODES;
        }
        const double by_hand[] = {mean, is, is / ratios, pdis};
        for (int g = 0; g < 8; g++) { /* both questions have the same answers */
            double value = s.groups[g].value[run_number], known = by_hand[g % 4];
            assert_near(value, known, 1e-9 * fabs(known));
            assert_near(s.groups[g].error[run_number], value - s.groups[g].truth.precise.value,
                        1e-9 * fabs(known));
        }
    }
    const bf_truth *truth;
    bf_truth_plan how = {.kind = BF_TRUTH_EPISODE,
                         .gamma = 1,
                         .rewards = BF_REWARDS_GYMNASIUM,
                         .chains = effort.steps / 500,
                         .steps = 500};
    bf_context context = {.seed = 1, .threads = 1};
    assert_ok(bf_true_value(&truth, &how, s.groups[4].setting.env,
                            s.groups[4].setting.target_policy, &context, arena, &err),
              err);
    assert_true(s.groups[4].truth.precise.value == truth->value.value);
    assert_true(s.groups[0].truth.precise.value > 500); /* nobody cuts it */
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 0); /* none of the methods that they are about */
}

/* What is known about the process: all methods see the same log, in their own way, and the claims
 * say what the numbers say. */
static void structure(void **state) {
    (void)state;
    bf__study s = plan("structure", LIST("trajectories", "3", "horizon", "40", "runs", "2"), 1);
    assert_int_equal(s.group_count, 3 + 2 + 2 + 4);
    run(&s, 1, false, 2);
    const bf__run_group *plain = bf__study_find(&s, "blackbox", 0, 3);
    const bf__run_group *again = bf__study_find(&s, "blackbox", 3, 3);
    const bf__run_group *told = bf__study_find(&s, "blackbox-noise-told", 3, 3);
    const bf__run_group *mirror = bf__study_find(&s, "blackbox-mirror", 0, 3);
    for (int i = 0; i < 2; i++) {
        assert_true(plain->value[i] == again->value[i]);
        assert_true(plain->value[i] == told->value[i]); /* the same columns are left */
        assert_true(plain->value[i] != mirror->value[i] && isfinite(mirror->value[i]));
    }
    assert_ok(s.experiment->judge(&s, s.options, &err), err);
    assert_int_equal(s.claim_count, 4);
    double ratio[3], mean = 0, square = 0;
    for (int panel = 0; panel < 3; panel++) {
        ratio[panel] = log(bf__study_find(&s, "blackbox-mirror", panel, 3)->spread.rmse.value /
                           bf__study_find(&s, "blackbox", panel, 3)->spread.rmse.value);
        mean += ratio[panel] / 3;
    }
    for (int panel = 0; panel < 3; panel++)
        square += (ratio[panel] - mean) * (ratio[panel] - mean) / 2;
    bool clearly = mean < -2 * sqrt(square / 3);
    assert_int_equal(s.claims[0].verdict, clearly    ? BF__REPRODUCED
                                          : mean < 0 ? BF__PARTLY
                                                     : BF__NOT_REPRODUCED);
}

/* ---- Running */

#define TINY                                                                                       \
    LIST("problems", "pendulum", "trajectories", "3,6", "horizon", "15", "runs", "3", "methods",   \
         "naive,ips-linear,blackbox-network,blackbox")

static void threads_do_not_matter(void **state) {
    (void)state;
    bf__study one[2];
    for (int threads = 1; threads <= 3; threads++) {
        bf__study s[] = {plan("control-rmse", TINY, 1),
                         plan("bias-variance", LIST("trajectories", "20", "runs", "9"), 1)};
        run(s, 2, true, threads);
        if (threads == 1)
            memcpy(one, s, sizeof s);
        for (int i = 0; i < 2; i++)
            assert_same(&s[i], &one[i]);
    }
}

/* 2 sizes, 3 logs, 4 methods; and both kinds of truth. */
static void shared_runs_are_run_once(void **state) {
    (void)state;
    bf__study both[] = {plan("control-rmse", TINY, 1), plan("control-quantiles", TINY, 1)};
    run(both, 2, false, 2);
    assert_int_equal(lines(), 2 * 3 * 4 + 2);
    assert_same(&both[0], &both[1]);
    /* Finished runs are used again, and only what is new is run. */
    char *before = read_file();
    bf__study again = plan("control-quantiles", TINY, 1);
    run(&again, 1, false, 1);
    assert_string_equal(before, read_file());
    assert_same(&again, &both[1]);
    bf__study more = plan("control-rmse",
                          LIST("problems", "pendulum", "trajectories", "6", "horizon", "15", "runs",
                               "4", "methods", "naive,blackbox-network"),
                          1);
    run(&more, 1, false, 2);
    assert_int_equal(lines(), 2 * 3 * 4 + 2 + 2);
    const bf__run_group *x = bf__study_find(&more, "blackbox-network", 0, 6);
    const bf__run_group *y = bf__study_find(&both[0], "blackbox-network", 0, 6);
    assert_memory_equal(x->value, y->value, 3 * sizeof *x->value);
    /* Logs are not the same, though. */
    assert_true(x->value[3] != x->value[2] && x->value[2] != x->value[1]);
    run(&more, 1, true, 2);
    assert_int_equal(lines(), 2 * 4 + 2);
    /* Nor does it matter what else was asked of a log. */
    assert_memory_equal(x->value, y->value, 3 * sizeof *x->value);
}

/* Whatever changes the log or the question is run anew; the same is not. */
static void keys(void **state) {
    (void)state;
    static const char *const changes[][2] = {{"alpha", "0.5"},      {"target-alpha", "0.8"},
                                             {"size", "6"},         {"horizon", "5"},
                                             {"policy", "uniform"}, {"methods", "ips"},
                                             {"gammas", "0.5"},     {"gammas", "0.50000000001"}};
    const char *settings[] = {"problems", "modelwin", "policy",  "behavior", "size", "5",
                              "horizon",  "4",        "gammas",  "1",        "runs", "3",
                              "methods",  "naive",    "horizon", "4",        NULL};
    bf__study s = plan("discounted", settings, 1);
    run(&s, 1, false, 1);
    int before = lines();
    assert_int_equal(before, 3 + 1); /* the precise truth is exact: not run */
    for (size_t i = 0; i <= sizeof changes / sizeof *changes; i++) {
        bool seed = i == sizeof changes / sizeof *changes;
        settings[14] = seed ? "runs" : changes[i][0];
        settings[15] = seed ? "3" : changes[i][1];
        for (int time = 0; time < 2; time++) {
            s = plan("discounted", settings, seed ? 2 : 1);
            run(&s, 1, false, 1);
            if (time == 0 && lines() < before + 3)
                fail_msg("%s %s: only %d new lines", settings[14], settings[15], lines() - before);
            if (time == 1)
                assert_int_equal(lines(), before);
            before = lines();
        }
    }
}

/* Weighted importance sampling needs two episodes. */
static void a_method_without_an_answer(void **state) {
    (void)state;
    for (int time = 0; time < 2; time++) { /* the second time from the file */
        bf__study s =
            plan("bias-variance",
                 LIST("trajectories", "1,30", "methods", "naive,wis,blackbox", "runs", "4"), 1);
        run(&s, 1, false, 2);
        assert_int_equal(lines(), 2 * 3 * 4 + 1);
        for (int64_t g = 0; g < s.group_count; g++) {
            const bf__run_group *group = &s.groups[g];
            bool none = strcmp(group->method->name, "wis") == 0 && group->x == 1;
            assert_int_equal(group->spread.runs, none ? 0 : 4);
            for (int i = 0; i < 4; i++)
                assert_int_equal(isnan(group->value[i]), none);
            assert_int_equal(isnan(group->spread.rmse.value), none);
        }
        assert_ok(s.experiment->judge(&s, s.options, &err), err);
        assert_ok(bf__study_csv(&s, folder, &err), err);
    }
    char name[160], line[1024];
    snprintf(name, sizeof name, "%s/bias-variance-summary.csv", folder);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    bool found = false;
    while (fgets(line, sizeof line, file))
        found |= strstr(line, ",1,3,1,wis,4,0,") && strstr(line, ",,,,,,,,,,,");
    fclose(file);
    assert_true(found);
    remove(name);
    snprintf(name, sizeof name, "%s/bias-variance.csv", folder);
    assert_int_equal(remove(name), 0);
}

/* ---- The store */

static void a_line_that_was_cut_off(void **state) {
    (void)state;
    const char *const *settings = LIST("trajectories", "9", "runs", "3", "methods", "naive,ips");
    bf__study whole = plan("bias-variance", settings, 1), s;
    run(&whole, 1, false, 1);
    int count = lines();
    const char *text = read_file();
    size_t size = strlen(text), last = size - 1;
    while (text[last - 1] != '\n')
        last--;
    for (size_t cut = last; cut < size; cut++) {
        write_file(text, cut);
        s = plan("bias-variance", settings, 1);
        run(&s, 1, false, 1);
        assert_int_equal(lines(), count);
        assert_same(&s, &whole);
    }
    /* A disk may leave zeros where a line was to be. */
    char *zeros = bf_arena_zalloc(arena, (int64_t)size + 9, 1, &err);
    memcpy(zeros, text, last);
    write_file(zeros, last + 9);
    s = plan("bias-variance", settings, 1);
    run(&s, 1, false, 1);
    assert_int_equal(lines(), count);
    assert_same(&s, &whole);
    /* Within the first line: nothing is there. */
    write_file(text, 20);
    s = plan("bias-variance", settings, 1);
    run(&s, 1, false, 1);
    assert_int_equal(lines(), count);
}

static void assert_refused(const char *text, bf_status status, const char *message) {
    char expected[256];
    bf__store *store = NULL;
    write_file(text, strlen(text));
    snprintf(expected, sizeof expected, "%s:%s", path, message);
    assert_int_equal(bf__store_open(&store, folder, false, NULL, arena, &err), status);
    bf__store_close(store);
    if (strncmp(err.message, expected, strlen(expected)) != 0)
        fail_msg("'%s' should begin with '%s'", err.message, expected);
    if (strchr(err.message, '\n'))
        fail_msg("'%s' is more than one line", err.message);
    assert_string_equal(read_file(), text); /* as it was */
}

#define FIRST                                                                                      \
    "version,problem,behavior,target,trajectories,steps,gamma,method,seed,run,value,error,"        \
    "seconds\n"
#define LINE "0.1.0,p,b,t,5,3,1,naive,1,0,"

static void damaged_lines(void **state) {
    (void)state;
    assert_refused(FIRST LINE "1,nan,2\n" LINE "1x,nan,2\n", BF_EFORMAT,
                   "3: value: '1x' is not a number");
    assert_refused(FIRST LINE "1,,2\n", BF_EFORMAT, "2: error: '' is not a number");
    assert_refused(FIRST LINE "1,2,\n", BF_EFORMAT, "2: seconds: '' is not a number");
    assert_refused(FIRST LINE "1,2\n", BF_EFORMAT, "2: 12 columns where there should be 13");
    assert_refused(FIRST LINE "1,nan,2\n\n", BF_EFORMAT, "3: 1 columns where there should be 13");
    assert_refused("a,b\n1,2\n", BF_EFORMAT, "1: is not a list of runs");
    assert_refused("version,value\n" FIRST FIRST, BF_EFORMAT, "1: is not a list of runs");
    /* --fresh starts over. */
    bf__store *store = NULL;
    assert_ok(bf__store_open(&store, folder, true, NULL, arena, &err), err);
    bf__store_close(store);
    assert_string_equal(read_file(), FIRST);
}

static void other_versions(void **state) {
    (void)state;
    char text[512];
    bf__store *store = NULL;
    snprintf(text, sizeof text, FIRST "0.0.9,%s,7,nan,1\n%s,%s,8,nan,1\n", "p,b,t,5,3,1,m,1,0",
             bf_version(), "p,b,t,5,3,1,m,1,1");
    write_file(text, strlen(text));
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_null(bf__store_find(store, "p,b,t,5,3,1,m,1,0"));
    assert_non_null(bf__store_find(store, "p,b,t,5,3,1,m,1,1"));
    assert_ok(bf__store_add(store, &(bf__record){"p,b,t,5,3,1,m,1,0", 0.1, NAN, 2}, &err), err);
    bf__store_close(store);
    assert_int_equal(lines(), 3);
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_true(bf__store_find(store, "p,b,t,5,3,1,m,1,0")->value == 0.1);
    assert_true(bf__store_find(store, "p,b,t,5,3,1,m,1,1")->value == 8);
    bf__store_close(store);
}

/* Many records, numbers that are hard to write, and one key twice: the later line counts. */
static void all_is_found_again(void **state) {
    (void)state;
    static const double hard[] = {1.0 / 3, -1e-300, 5e-324, 1e300, 0.1 + 0.2, -0.0, NAN, 12345};
    bf__store *store = NULL;
    char key[64];
    for (int open = 0; open < 2; open++) {
        assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
        for (int i = 0; i < 3000; i++) {
            double value = hard[i % 8];
            snprintf(key, sizeof key, "p,b,t,5,3,1,m,1,%d", i);
            if (open == 0)
                assert_ok(bf__store_add(store, &(bf__record){key, value, i, 0.5}, &err), err);
            const bf__record *found = bf__store_find(store, key);
            assert_non_null(found);
            assert_true(isnan(value) ? isnan(found->value) : found->value == value);
            assert_int_equal(signbit(found->value) != 0, signbit(value) != 0);
            assert_true(found->error == i && found->seconds == 0.5);
        }
        assert_null(bf__store_find(store, "p,b,t,5,3,1,m,1,3000"));
        bf__store_close(store);
    }
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_ok(bf__store_add(store, &(bf__record){"p,b,t,5,3,1,m,1,7", 2, 3, 4}, &err), err);
    bf__store_close(store);
    assert_ok(bf__store_open(&store, folder, false, NULL, arena, &err), err);
    assert_true(bf__store_find(store, "p,b,t,5,3,1,m,1,7")->value == 2);
    bf__store_close(store);
}

static void one_writer(void **state) {
    (void)state;
    bf__store *first = NULL, *second = NULL;
    assert_ok(bf__store_open(&first, folder, false, NULL, arena, &err), err);
    for (int fresh = 0; fresh < 2; fresh++) {
        assert_int_equal(bf__store_open(&second, folder, fresh, NULL, arena, &err), BF_EFILE);
        assert_non_null(strstr(err.message, "runs.csv: another process is writing to it"));
        bf__store_close(second);
    }
    assert_string_equal(read_file(), FIRST);
    bf__store_close(first);
    assert_ok(bf__store_open(&second, folder, false, NULL, arena, &err), err);
    bf__store_close(second);
}

/* ---- Interruption and failure */

static bool refuse(void *context, const bf_progress *progress) {
    (void)context;
    (void)progress;
    return false;
}

static void interrupted(void **state) {
    (void)state;
    static const char *const problems[] = {"modelwin", "pendulum"}; /* in the runs, in the truth */
    for (int i = 0; i < 2; i++) {
        bf__study s = plan(
            "control-rmse",
            LIST("problems", problems[i], "policy", "uniform", "methods", "blackbox", "runs", "40"),
            1);
        bf__store *store = NULL; /* too few runs for it to grow */
        bf_context context = {.callbacks = {.progress = refuse}, .seed = 1, .threads = 2};
        assert_ok(bf__store_open(&store, folder, true, NULL, arena, &err), err);
        assert_int_equal(bf__studies_run(&s, 1, &effort, store, &context, NULL, arena, &err),
                         BF_ECANCELLED);
        bf__store_close(store);
        assert_string_equal(err.message, "interrupted; the same command goes on from here");
        assert_true(lines() < 6 * 40);
    }
}

/* Out of memory at every allocation in turn: a clean error each time. */
static void every_allocation_may_fail(void **state) {
    (void)state;
    const char *const *settings = LIST("trajectories", "5", "runs", "2", "methods", "naive,ips");
    double expected = 0;
    for (long failures = -1;; failures++) { /* without a limit first */
        ration r = {.left = failures};
        bf_allocator allocator = ration_allocator(&r);
        bf_arena *in = NULL;
        bf__study s;
        err = (bf_error){BF_OK, ""};
        bf_status status = bf_arena_create(&in, &allocator, &err);
        if (status == BF_OK)
            status = try_plan(&s, "bias-variance", settings, 1, in);
        if (status == BF_OK)
            status = try_run(&s, 1, true, 1, in);
        if (status == BF_OK)
            status = s.experiment->judge(&s, s.options, &err);
        double value = status == BF_OK ? s.groups[1].spread.rmse.value : 0;
        bf_arena_destroy(in);
        assert_int_equal(r.live, 0);
        if (failures < 0)
            expected = value;
        if (failures >= 0 && status == BF_OK) {
            assert_true(value == expected && value > 0);
            assert_true(failures > 50);
            return;
        }
        assert_int_equal(status, failures < 0 ? BF_OK : BF_ENOMEM);
    }
}

/* ---- Planning */

static void refused_plans(void **state) {
    (void)state;
    const struct {
        const char *name;
        const char *const *settings;
        const char *message;
    } cases[] = {
        {"bias-variance", LIST("trajectories", "4,04"), "--trajectories: 4 and 04 are the same"},
        {"bias-variance", LIST("trajectories", "4,4"), "--trajectories: '4' is there twice"},
        {"bias-variance", LIST("trajectories", "4.5"), "--trajectories: '4.5' is not a whole"},
        {"bias-variance", LIST("trajectories", "nan"), "--trajectories: 'nan' is not a whole"},
        {"bias-variance", LIST("trajectories", "0"), "--trajectories: 0 is outside 1 to 1e+09"},
        {"bias-variance", LIST("behavior", "behavior,target"), "--behavior: 'behavior,target': "},
        {"bias-variance", LIST("target", "nosuch"), "'nosuch' is neither a file nor a policy"},
        {"modelwin-horizon", LIST("behavior", "nosuch"), "'nosuch' is neither a file nor"},
        {"modelwin-horizon", LIST("horizons", "1,4"), "--horizons: 1 is outside 2 to 200000"},
        {"discounted", LIST("problems", "cartpole,modelwin"), "'trained' is neither a file nor"},
        {"discounted", LIST("gammas", "0.9,1.5"), "--gammas: 1.5 is outside 0 to 1"},
        {"surprise", LIST("finite", "boyan"), "--finite: 'boyan' is not one of modelwin,"},
        {"surprise", LIST("finite", "ladder,ladder"), "--finite: 'ladder' is there twice"},
        {"surprise", LIST("finite", "ladder,"), "--finite: '' is not one of modelwin,"},
        {"surprise", LIST("sizes", "5"), "--sizes: 5 is outside 10 to 1e+09"},
        {"generalization", LIST("finite", "pendulum"), "--finite: 'pendulum' is not one of"},
        {"generalization", LIST("sizes", "0.5"), "--sizes: '0.5' is not a whole number"},
        {"discrepancy", LIST("real", "boyan"), "--real: 'boyan' is not one of drift,"},
        {"discrepancy", LIST("real-sizes", "50"), "--real-sizes: 50 is outside 100 to 1e+09"},
        {"discrepancy", LIST("finite", "drift"), "--finite: 'drift' is not one of modelwin,"},
        {"sensitivity", LIST("policy", "a,b"), "--policy: 'a,b': "},
        {"sensitivity", LIST("methods", "naive,,ips"), "--methods: 'naive,,ips' has an empty"},
        {"control-rmse", LIST("methods", "wis-return"), "--methods: 'wis-return' answers with the"},
        {"episodic", LIST("trajectories", "1"), "--trajectories: 1 is outside 2 to 1e+09"},
        {"episodic", LIST("problems", "cartpole,acrobot,mountaincar,pendulum,modelwin"),
         "--problems: 5 entries; there is room for 4"},
        {"structure", LIST("policy", "a,b"), "--policy: 'a,b': "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bf__study s;
        err = (bf_error){BF_OK, ""};
        assert_int_not_equal(try_plan(&s, cases[i].name, cases[i].settings, 1, arena), BF_OK);
        if (strncmp(err.message, cases[i].message, strlen(cases[i].message)) != 0)
            fail_msg("'%s' should begin with '%s'", err.message, cases[i].message);
    }
    char many[1024] = "1";
    for (int i = 2; i <= BF_MAX_PLACES; i++)
        sprintf(many + strlen(many), ",%d", i);
    plan("bias-variance", LIST("trajectories", many), 1);
    strcat(many, ",1000");
    bf__study s;
    assert_int_equal(try_plan(&s, "bias-variance", LIST("trajectories", many), 1, arena),
                     BF_EUSAGE);
    assert_string_equal(err.message, "--trajectories: 65 entries; there is room for 64");
}

#define folder_test(f) cmocka_unit_test_setup_teardown(f, make_folder, drop_folder)

/* Who is best: answers that differ by rounding alone are tied, a clear lead is not. */
static void ties(void **state) {
    (void)state;
    enum { RUNS = 4 };
    static const bf__contender methods[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    double same[RUNS] = {-1, -1, -1, -1}, rounded[RUNS], worse[RUNS] = {-2, -2.1, -1.9, -2};
    for (int i = 0; i < RUNS; i++)
        rounded[i] = same[i] * (1 + 1e-10);
    bf__run_group groups[] = {{.method = &methods[0], .x = 1, .runs = RUNS, .error = same},
                              {.method = &methods[1], .x = 1, .runs = RUNS, .error = rounded},
                              {.method = &methods[2], .x = 1, .runs = RUNS, .error = worse}};
    bf__study study = {.groups = groups, .group_count = 3, .seed = 1, .arena = arena};
    for (int g = 0; g < 3; g++)
        assert_ok(bf__spread_of(&groups[g].spread, groups[g].error, RUNS, 1, arena, &err), err);
    bool best[3];
    for (int g = 0; g < 3; g++)
        assert_ok(bf__control_best(&best[g], &study, methods[g].name, "", 0, 1, &err), err);
    assert_true(best[0] && best[1] && !best[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        folder_test(modelwin_horizon),
        folder_test(bias_and_variance),
        folder_test(no_verdict_on_nothing),
        folder_test(coverage),
        folder_test(surprise),
        folder_test(generalization),
        folder_test(discrepancy),
        folder_test(returns_of_episodes),
        folder_test(structure),
        arena_test(ties),
        folder_test(threads_do_not_matter),
        folder_test(shared_runs_are_run_once),
        folder_test(keys),
        folder_test(a_method_without_an_answer),
        folder_test(a_line_that_was_cut_off),
        folder_test(damaged_lines),
        folder_test(other_versions),
        folder_test(all_is_found_again),
        folder_test(one_writer),
        folder_test(interrupted),
        folder_test(every_allocation_may_fail),
        folder_test(refused_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
