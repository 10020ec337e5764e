/* test_weight.c - Rows that count differently. The oracle is the log with its episodes, or its
 * rows, written out as often as their weight says. */
#include "mdp.h"

#include "backflow/detail.h"

TEST_ARENA;

enum { STATES = 6, ACTIONS = 2, LONGEST = 12 };

/* The columns of a log of at most `room` rows. */
typedef struct table {
    bf_dataset data;
    double *state, *next, *reward, *pi, *npi, *mu, *weight, *episode;
    int32_t *action;
    uint8_t *terminated;
    int64_t *begin, *order;
} table;

static table table_make(int64_t n, int64_t episodes, int dim) {
    table t = {.data = {.n = n, .state_dim = dim, .actions = ACTIONS, .episodes = episodes}};
    t.state = bf_arena_zalloc(arena, dim * n, sizeof *t.state, &err);
    t.next = bf_arena_zalloc(arena, dim * n, sizeof *t.state, &err);
    t.reward = bf_arena_zalloc(arena, n, sizeof *t.state, &err);
    t.pi = bf_arena_zalloc(arena, ACTIONS * n, sizeof *t.state, &err);
    t.npi = bf_arena_zalloc(arena, ACTIONS * n, sizeof *t.state, &err);
    t.mu = bf_arena_zalloc(arena, n, sizeof *t.state, &err);
    t.weight = bf_arena_zalloc(arena, n, sizeof *t.state, &err);
    t.episode = bf_arena_zalloc(arena, n, sizeof *t.state, &err);
    t.action = bf_arena_zalloc(arena, n, sizeof *t.action, &err);
    t.terminated = bf_arena_zalloc(arena, n, 1, &err);
    t.begin = bf_arena_zalloc(arena, episodes + 1, sizeof *t.begin, &err);
    t.order = bf_arena_zalloc(arena, n, sizeof *t.order, &err);
    for (int64_t i = 0; i < n; i++)
        t.order[i] = i;
    t.data.state = t.state;
    t.data.next_state = t.next;
    t.data.reward = t.reward;
    t.data.pi = t.pi;
    t.data.npi = t.npi;
    t.data.mu = t.mu;
    t.data.weight = t.weight;
    t.data.action = t.action;
    t.data.terminated = t.terminated;
    t.data.begin = t.begin;
    t.data.order = t.order;
    t.data.states = dim == 1 ? STATES : 0;
    t.data.real_state = dim > 1;
    return t;
}

/* The target's probability of action 1. */
static double target(int s) {
    return 0.15 + 0.12 * s;
}

/* Row i goes from s to ns; finite states, or the same on a grid. */
static void put(table *t, int64_t i, int s, int ns) {
    int64_t n = t->data.n;
    bool grid = t->data.state_dim > 1;
    t->state[i] = grid ? s % 3 : s;
    t->next[i] = grid ? ns % 3 : ns;
    if (grid) {
        t->state[n + i] = s / 3;
        t->next[n + i] = ns / 3;
    }
    t->pi[n + i] = target(s);
    t->pi[i] = 1 - target(s);
    t->npi[n + i] = target(ns);
    t->npi[i] = 1 - target(ns);
    t->mu[i] = 0.5;
}

/* Random walks from random starts; the last state ends an episode. Every episode has a whole weight
 * from 1 to 4, which depends on how it went: leaving the weights out gives another answer. */
static table walks(int64_t episodes, int dim, uint64_t seed) {
    table t = table_make(episodes * LONGEST, episodes, dim);
    bf_rng rng = bf_rng_make(seed, "walks", 0);
    int64_t n = 0;
    for (int64_t e = 0; e < episodes; e++) {
        int s = (int)bf_rng_below(&rng, STATES - 1), high = 0;
        t.begin[e] = n;
        for (int k = 0; k < LONGEST; k++, n++) {
            int32_t a = (int32_t)bf_rng_below(&rng, ACTIONS);
            int ns = (int)bf_rng_below(&rng, STATES - 2) + (bf_rng_uniform(&rng) < 0.3 + 0.2 * a);
            bool end = bf_rng_uniform(&rng) < 0.08 + 0.05 * a;
            put(&t, n, s, ns);
            t.action[n] = a;
            t.reward[n] = s - 0.7 * a + 0.5 * ns + bf_rng_normal(&rng);
            t.terminated[n] = end;
            t.episode[n] = (double)e;
            high += ns > 2;
            s = ns;
            if (end) {
                n++;
                break;
            }
        }
        for (int64_t i = t.begin[e]; i < n; i++)
            t.weight[i] = 1 + (high % 3 == 0) + 2 * (high > 3);
    }
    t.begin[episodes] = n;
    table kept = table_make(n, episodes, dim); /* columns of n rows, not of more */
    for (int64_t i = 0; i < n; i++) {
        int64_t room = t.data.n;
        put(&kept, i, (int)(t.state[i] + (dim > 1 ? 3 * t.state[room + i] : 0)),
            (int)(t.next[i] + (dim > 1 ? 3 * t.next[room + i] : 0)));
        kept.action[i] = t.action[i];
        kept.reward[i] = t.reward[i];
        kept.terminated[i] = t.terminated[i];
        kept.weight[i] = t.weight[i];
        kept.episode[i] = t.episode[i];
    }
    memcpy(kept.begin, t.begin, sizeof *t.begin * (size_t)(episodes + 1));
    return kept;
}

/* The log with every episode (rows: every row of a bag) as often as its weight says. */
static table written_out(const table *t, bool rows) {
    const bf_dataset *d = &t->data;
    int64_t units = rows ? d->n : d->episodes, n = 0, count = 0, at = 0, unit = 0;
    for (int64_t u = 0; u < units; u++) {
        int64_t from = rows ? u : d->begin[u], to = rows ? u + 1 : d->begin[u + 1];
        n += (int64_t)t->weight[from] * (to - from);
        count += (int64_t)t->weight[from];
    }
    table out = table_make(n, count, d->state_dim);
    for (int64_t u = 0; u < units; u++) {
        int64_t from = rows ? u : d->begin[u], to = rows ? u + 1 : d->begin[u + 1];
        for (int k = 0; k < (int)t->weight[from]; k++) {
            out.begin[unit++] = at;
            for (int64_t i = from; i < to; i++, at++) {
                for (int c = 0; c < d->state_dim; c++) {
                    out.state[c * n + at] = t->state[c * d->n + i];
                    out.next[c * n + at] = t->next[c * d->n + i];
                }
                for (int a = 0; a < ACTIONS; a++) {
                    out.pi[a * n + at] = t->pi[a * d->n + i];
                    out.npi[a * n + at] = t->npi[a * d->n + i];
                }
                out.action[at] = t->action[i];
                out.reward[at] = t->reward[i];
                out.terminated[at] = t->terminated[i];
                out.mu[at] = t->mu[i];
                out.episode[at] = t->episode[i];
            }
        }
    }
    out.begin[unit] = at;
    out.data.weight = NULL;
    if (rows) {
        out.data.begin = out.data.order = NULL;
        out.data.episodes = 0;
    }
    return out;
}

static bf_estimate run(const bf_dataset *data, const char *method, const char *settings,
                       double gamma, int terminal) {
    bf_problem problem = {.data = data, .gamma = gamma, .terminal = terminal};
    const bf_estimator *estimator = bf_estimator_find(method);
    bf_settings *values;
    bf_estimate out;
    assert_ok(bf_estimator_settings(&values, estimator, settings, arena, &err), err);
    assert_ok(bf__estimator_run(estimator, &out, &problem, values, NULL, arena, &err), err);
    return out;
}

/* Value, return and length, and the weights of rows if there are any. */
static void same(const table *t, const table *all, const char *method, const char *settings,
                 double gamma, int terminal, double tolerance) {
    bf_estimate one = run(&t->data, method, settings, gamma, terminal);
    bf_estimate two = run(&all->data, method, settings, gamma, terminal);
    bf_dataset bare = t->data;
    bare.weight = NULL;
    if (fabs(one.value - two.value) > tolerance)
        print_message("%s %s, gamma %g, terminal %d\n", method, settings ? settings : "", gamma,
                      terminal);
    assert_near(one.value, two.value, tolerance);
    double r = bf_estimate_get(&two, "episode_return"), l = bf_estimate_get(&two, "episode_length");
    if (isfinite(r)) {
        assert_near(bf_estimate_get(&one, "episode_return"), r, 100 * tolerance);
        assert_near(bf_estimate_get(&one, "episode_length"), l, 100 * tolerance);
    }
    double sum = 0;
    for (int64_t i = 0; i < t->data.n && one.signed_weights; i++)
        sum += one.signed_weights[i] * t->data.reward[i];
    if (one.signed_weights)
        assert_near(sum, one.value, 1e-9);
    if (strcmp(method, "naive") == 0) /* the weights are not idle */
        assert_true(fabs(run(&bare, method, settings, gamma, terminal).value - one.value) > 0.01);
}

static void episodes_of_finite_states(void **state) {
    (void)state;
    static const struct {
        const char *method, *settings;
    } all[] = {{"naive", NULL}, {"blackbox", NULL},
               {"model", NULL}, {"lstdq", NULL},
               {"dr", NULL},    {"wis", NULL},
               {"is", NULL},    {"pdis", NULL},
               {"auto", NULL},  {"blackbox", "kernel=gaussian"}};
    static const double gammas[] = {1, 0.9};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        table t = walks(60, 1, seed), out = written_out(&t, false);
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            for (int g = 0; g < 2; g++)
                for (int end = BF_TERMINAL_RESTART; end <= BF_TERMINAL_IGNORE; end++) {
                    bool over = end == BF_TERMINAL_ABSORB && gammas[g] == 1;
                    if (!over)
                        same(&t, &out, all[k].method, all[k].settings, gammas[g], end, 1e-9);
                }
    }
    table t = walks(60, 1, 4), out = written_out(&t, false);
    same(&t, &out, "pdis", "normalise=yes", 0.9, BF_TERMINAL_ABSORB, 1e-9);
    same(&t, &out, "pdis", "normalise=yes", 1, BF_TERMINAL_RESTART, 1e-9);
}

/* A few states on a grid, as real-valued ones: neighbours are met exactly, features span all pairs,
 * so that the answers are functions of frequencies. */
static void episodes_of_points(void **state) {
    (void)state;
    static const double gammas[] = {1, 0.9};
    table t = walks(60, 2, 5), out = written_out(&t, false);
    for (int g = 0; g < 2; g++) {
        same(&t, &out, "blackbox", "weights=neighbours", gammas[g], BF_TERMINAL_RESTART, 1e-7);
        same(&t, &out, "blackbox", "weights=corrected", gammas[g], BF_TERMINAL_RESTART, 1e-7);
        same(&t, &out, "blackbox", "weights=linear bandwidth=1 scale=s0:1,s1:1 ridge=1e-12",
             gammas[g], BF_TERMINAL_RESTART, 1e-6);
        same(&t, &out, "blackbox", "weights=anchors bandwidth=1 scale=s0:1,s1:1", gammas[g],
             BF_TERMINAL_RESTART, 1e-4);
        same(&t, &out, "lstdq", "bandwidth=1 scale=s0:1,s1:1 ridge=1e-12", gammas[g],
             BF_TERMINAL_RESTART, 1e-6);
        same(&t, &out, "dr", "bandwidth=1 scale=s0:1,s1:1 ridge=1e-12", gammas[g],
             BF_TERMINAL_RESTART, 1e-6);
    }
}

/* Every row of a bag of transitions has a weight of its own. */
static void rows_of_a_bag(void **state) {
    (void)state;
    static const char *const methods[] = {"naive", "blackbox", "model", "lstdq", "dr"};
    for (int dim = 1; dim <= 2; dim++) {
        table t = walks(80, dim, 9);
        t.data.begin = t.data.order = NULL;
        t.data.episodes = 0;
        for (int64_t i = 0; i < t.data.n; i++)
            t.weight[i] = 1 + (t.reward[i] > 2) + 3 * (t.next[i] > 1);
        table out = written_out(&t, true);
        for (int k = 0; k < (dim == 1 ? 5 : 2); k++)
            same(&t, &out, methods[k], NULL, 1, BF_TERMINAL_IGNORE, 1e-9);
        if (dim == 2)
            same(&t, &out, "blackbox", "weights=corrected", 1, BF_TERMINAL_IGNORE, 1e-7);
    }
}

/* Only ratios of weights count; equal ones are none. */
static void scale(void **state) {
    (void)state;
    table t = walks(60, 1, 6);
    bf_dataset bare = t.data;
    bare.weight = NULL;
    double before = run(&t.data, "blackbox", NULL, 1, 0).value;
    for (int64_t i = 0; i < t.data.n; i++)
        t.weight[i] *= 1e-3;
    assert_near(run(&t.data, "blackbox", NULL, 1, 0).value, before, 1e-12);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < t.data.n; i++) {
        sum += t.weight[i];
        squares += t.weight[i] * t.weight[i];
    }
    bf_estimate naive = run(&t.data, "naive", NULL, 1, 0);
    assert_near(bf_estimate_get(&naive, "ess"), sum * sum / squares, 1e-9);
    for (int64_t i = 0; i < t.data.n; i++)
        t.weight[i] = 7;
    static const char *const methods[] = {"naive", "blackbox", "model", "lstdq", "dr", "wis"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        assert_near(run(&t.data, methods[k], NULL, 1, 0).value,
                    run(&bare, methods[k], NULL, 1, 0).value, 1e-12);
    table walk = walks(60, 2, 6);
    for (int64_t i = 0; i < walk.data.n; i++)
        walk.weight[i] = 0.25;
    bare = walk.data;
    bare.weight = NULL;
    assert_near(run(&walk.data, "fqe", "rounds=20", 1, 0).value,
                run(&bare, "fqe", "rounds=20", 1, 0).value, 1e-4);
}

/* A network on finite states comes near what counting gives, and that is elsewhere without weights.
 */
static void fitted_values(void **state) {
    (void)state;
    table t = walks(200, 1, 12);
    for (int64_t i = 0; i < t.data.n; i++) /* steps that went up stand for many */
        t.weight[i] = t.next[i] > t.state[i] ? 8 : 1;
    bf_dataset bare = t.data;
    bare.weight = NULL;
    double exact = run(&t.data, "lstdq", NULL, 0.8, BF_TERMINAL_IGNORE).value;
    double without = run(&bare, "lstdq", NULL, 0.8, BF_TERMINAL_IGNORE).value;
    assert_true(fabs(without - exact) > 0.3);
    const char *small = "hidden=16 rounds=150 batch=128 rate=0.01";
    assert_near(run(&t.data, "fqe", small, 0.8, BF_TERMINAL_IGNORE).value, exact, 0.1);
}

/* An interval takes an episode for one, whatever its weight: that of the log written out, whose
 * copies are told to be one cluster. */
static void intervals(void **state) {
    (void)state;
    static const char *const methods[] = {"naive", "blackbox"};
    static const char *names[] = {"patient"};
    table t = walks(60, 1, 7), out = written_out(&t, false);
    out.data.extras = 1;
    out.data.extra_names = names;
    out.data.extra = out.episode;
    for (int k = 0; k < 2; k++)
        for (int kind = BF_INTERVAL_FULL; kind <= BF_INTERVAL_FAST; kind++) {
            const bf_estimator *estimator = bf_estimator_find(methods[k]);
            bf_problem problem[] = {{.data = &t.data, .gamma = 1}, {.data = &out.data, .gamma = 1}};
            bf_interval value[2], length[2];
            for (int q = 0; q < 2; q++) {
                const bf_estimate *estimate;
                const bf_trust *trust;
                bf_trust_options how;
                assert_ok(bf_options_init(&bf_trust_table, &how, &err), err);
                how.interval = kind;
                how.cluster = q == 1 ? "patient" : NULL;
                assert_ok(
                    bf_estimator_run(&estimate, estimator, &problem[q], NULL, NULL, arena, &err),
                    err);
                assert_ok(bf_trust_measure(&trust, estimate, estimator, &problem[q], NULL, &how,
                                           NULL, arena, &err),
                          err);
                assert_true(bf_trust_interval(trust, &value[q]));
                assert_true(bf_trust_episode_length(trust, &length[q]));
            }
            assert_near(value[0].low, value[1].low, 1e-9);
            assert_near(value[0].high, value[1].high, 1e-9);
            assert_near(length[0].half, length[1].half, 1e-8);
        }
}

static const bf_outcomes *outcomes(const bf_dataset *data) {
    bf_problem problem = {.data = data, .gamma = 1};
    const bf_estimator *estimator = bf_estimator_find("blackbox");
    const bf_estimate *estimate;
    const bf_outcomes *out;
    double share = 0.25;
    bf_outcomes_options what = {&share, 1, "a"};
    assert_ok(bf_estimator_run(&estimate, estimator, &problem, NULL, NULL, arena, &err), err);
    assert_ok(bf_outcomes_measure(&out, &what, estimate, estimator, &problem, NULL, NULL, NULL,
                                  arena, &err),
              err);
    return out;
}

static void risk_and_groups(void **state) {
    (void)state;
    table t = walks(60, 1, 8), out = written_out(&t, false);
    const bf_outcomes *one = outcomes(&t.data), *two = outcomes(&out.data);
    bf_risk a, b;
    bf_group g, h;
    assert_true(bf_outcomes_risk(one, 0, &a) && bf_outcomes_risk(two, 0, &b));
    assert_near(a.quantile, b.quantile, 1e-12);
    assert_near(a.tail_mean, b.tail_mean, 1e-9);
    for (int k = 0; k < 2; k++) {
        assert_true(bf_outcomes_group(one, k, &g) && bf_outcomes_group(two, k, &h));
        assert_near(g.share, h.share, 1e-9);
        assert_near(g.mean, h.mean, 1e-9);
    }
}

/* Real-valued states, thinned by how steps went: rows that went up are kept one time in four, and
 * count four times. */
static void a_thinned_log(void **state) {
    (void)state;
    static const char *const how[][2] = {{"blackbox", "weights=corrected"},
                                         {"blackbox", "weights=neighbours"},
                                         {"blackbox", "weights=linear"},
                                         {"lstdq", NULL}};
    int64_t all = 6000, n = 0;
    table full = table_make(all, 0, 1), thin = table_make(all, 0, 1);
    bf_rng rng = bf_rng_make(3, "thinned", 0);
    double x = 0;
    for (int64_t i = 0; i < all; i++) {
        int32_t a = (int32_t)bf_rng_below(&rng, ACTIONS);
        double next = 0.6 * x + 0.5 * a + 0.5 * bf_rng_normal(&rng);
        table *both[] = {&full, &thin};
        bool kept = next < 0.6 * x + 0.5 * a || bf_rng_below(&rng, 4) == 0;
        for (int k = 0; k < (kept ? 2 : 1); k++) {
            table *t = both[k];
            int64_t at = k == 0 ? i : n++;
            t->state[at] = x;
            t->next[at] = next;
            t->action[at] = a;
            t->reward[at] = next;
            t->npi[at] = t->pi[at] = 0.2;
            t->npi[all + at] = t->pi[all + at] = 0.8;
            t->weight[at] = next < 0.6 * x + 0.5 * a ? 1 : 4;
        }
        x = next;
    }
    table short_one = table_make(n, 0, 1);
    for (int64_t i = 0; i < n; i++) {
        short_one.state[i] = thin.state[i];
        short_one.next[i] = thin.next[i];
        short_one.action[i] = thin.action[i];
        short_one.reward[i] = thin.reward[i];
        short_one.weight[i] = thin.weight[i];
        short_one.npi[i] = short_one.pi[i] = 0.2;
        short_one.npi[n + i] = short_one.pi[n + i] = 0.8;
    }
    table *logs[] = {&full, &short_one};
    for (int k = 0; k < 2; k++) {
        logs[k]->data.begin = logs[k]->data.order = NULL;
        logs[k]->data.states = 0;
        logs[k]->data.real_state = true;
    }
    full.data.weight = NULL;
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) { /* the truth is 0.8 0.5 / 0.4 = 1 */
        bf_dataset bare = short_one.data;
        bare.weight = NULL;
        double whole = run(&full.data, how[k][0], how[k][1], 1, BF_TERMINAL_IGNORE).value;
        double with = run(&short_one.data, how[k][0], how[k][1], 1, BF_TERMINAL_IGNORE).value;
        double without = run(&bare, how[k][0], how[k][1], 1, BF_TERMINAL_IGNORE).value;
        assert_near(whole, 1, 0.1);
        assert_near(with, 1, 0.1);
        assert_true(fabs(without - 1) > 0.3);
    }
}

/* What cannot take weights says so, before any work. */
static void refusals(void **state) {
    (void)state;
    table t = walks(60, 1, 1), grid = walks(60, 2, 1);
    static const struct {
        const char *method, *settings;
        bool points;
    } cannot[] = {{"ips", NULL, false},
                  {"dualdice", NULL, false},
                  {"model", NULL, true},
                  {"simulator", NULL, true},
                  {"blackbox", "weights=neural", true}};
    for (size_t k = 0; k < sizeof cannot / sizeof *cannot; k++) {
        bf_problem problem = {.data = cannot[k].points ? &grid.data : &t.data, .gamma = 1};
        const bf_estimator *estimator = bf_estimator_find(cannot[k].method);
        bf_settings *values;
        const bf_estimate *out;
        assert_ok(bf_estimator_settings(&values, estimator, cannot[k].settings, arena, &err), err);
        assert_int_equal(bf_estimator_run(&out, estimator, &problem, values, NULL, arena, &err),
                         BF_ENEEDS);
        assert_non_null(strstr(err.message, "lets every row count the same"));
    }
    t.weight[1] += 1; /* of an episode of several rows */
    bf_problem problem = {.data = &t.data, .gamma = 1};
    const bf_estimate *out;
    assert_int_equal(
        bf_estimator_run(&out, bf_estimator_find("wis"), &problem, NULL, NULL, arena, &err),
        BF_EDATA);
    assert_non_null(strstr(err.message, "wis weighs whole episodes"));
    const bf_dataset *fitted;
    assert_int_equal(bf_behavior_fit(&fitted, &grid.data, NULL, arena, &err), BF_EUSAGE);
    assert_non_null(strstr(err.message, "column weight"));
    bf_pass *pass;
    assert_ok(bf_pass_sample(&pass, 100, 1, arena, &err), err);
    assert_int_equal(bf_pass_add(pass, &t.data, 0, &err), BF_EUSAGE);
    assert_non_null(strstr(err.message, "into memory"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(episodes_of_finite_states),
        arena_test(episodes_of_points),
        arena_test(rows_of_a_bag),
        arena_test(scale),
        arena_test(fitted_values),
        arena_test(intervals),
        arena_test(risk_and_groups),
        arena_test(a_thinned_log),
        arena_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
