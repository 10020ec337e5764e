/* subjects.h - Every estimator of the registry, with every model that it chooses from, on logs of a
 * few dozen rows, and how to run them in a short time. The test's arena and error are here. */
#ifndef BF_TESTS_SUBJECTS_H
#define BF_TESTS_SUBJECTS_H

#include "models.h"

#include <stdio.h>

TEST_ARENA;

/* ---- What is tested */

typedef struct subject {
    const bf_estimator *method;
    const bf_model *model; /* NULL: it has none */
    const char *row;       /* the option that chooses the model, NULL: the log does */
    char choice[32];
    bool finite; /* which of the logs it is tested on */
} subject;

enum { SUBJECTS = 64, STATES = 3, ACTIONS = 2 };

typedef struct bench {
    mdp process;
    bf_dataset finite, real;
    subject subject[SUBJECTS];
    int count;
} bench;

/* Three states, two actions, four rows of every pair; the behaviour is uniform. */
static inline void make_finite(bench *b) {
    static const int tally[STATES * ACTIONS][STATES] = {{1, 3, 0}, {2, 0, 2}, {0, 1, 3},
                                                        {3, 1, 0}, {1, 1, 2}, {0, 4, 0}};
    b->process = mdp_new(STATES, ACTIONS, arena);
    for (int k = 0; k < STATES * ACTIONS; k++)
        for (int t = 0; t < STATES; t++) {
            b->process.tally[k * STATES + t] = tally[k][t];
            b->process.reward[k * STATES + t] = sin(1 + k + 2.5 * t);
        }
    static const double first[STATES] = {0.8, 0.35, 0.1};
    for (int s = 0; s < STATES; s++) {
        b->process.pi[s * ACTIONS] = first[s];
        b->process.pi[s * ACTIONS + 1] = 1 - first[s];
    }
    b->finite = mdp_log(&b->process, 6, arena);
}

static inline void add_behaviour(bf_dataset *data) {
    double *mu = bf_arena_alloc(arena, data->n, sizeof *mu, &err);
    assert_non_null(mu);
    for (int64_t i = 0; i < data->n; i++)
        mu[i] = 1.0 / data->actions;
    data->mu = mu;
}

/* dr has no option to make its networks small, and its weights are those of blackbox, which is
 * tested with all of them. */
static inline bool too_slow(const bf_estimator *e, const char *choice) {
    return strcmp(e->name, "dr") == 0 && strcmp(choice, "neural") == 0;
}

/* The row of the method's own options that names a model, or NULL. */
static inline const bf_option *choosing_row(const bf_estimator *e) {
    for (int j = 0; e->options && j < e->options->count; j++) {
        const bf_option *row = &e->options->rows[j];
        if (row->type == BF_OPTION_ENUM && strncmp(row->choices, "auto|", 5) == 0)
            return row;
    }
    return NULL;
}

static inline void add(bench *b, const bf_estimator *e, const char *row, const char *choice,
                       bool finite) {
    subject *s = &b->subject[b->count++];
    assert_true(b->count < SUBJECTS);
    *s = (subject){.method = e, .row = row, .finite = finite};
    snprintf(s->choice, sizeof s->choice, "%s", choice);
    bf_settings *settings;
    bf_problem problem = {finite ? &b->finite : &b->real, 1, BF_TERMINAL_RESTART};
    assert_ok(bf_estimator_settings(&settings, e, NULL, arena, &err), err);
    if (row)
        assert_ok(bf_settings_set(settings, row, choice, &err), err);
    assert_ok(bf_estimator_choose(&s->model, e, &problem, settings, arena, &err), err);
    assert_true(!e->model || s->model);
}

static inline bench make_bench(void) {
    bench b = {.count = 0};
    make_finite(&b);
    b.real = models_walk(24, 2, ACTIONS, 6, 5, arena);
    add_behaviour(&b.finite);
    add_behaviour(&b.real);
    for (int i = 0; bf_estimator_at(i); i++) {
        const bf_estimator *e = bf_estimator_at(i);
        const bf_option *row = choosing_row(e);
        char choice[32];
        for (int c = 1; row && bf_options_choice(row->choices, c, choice, sizeof choice); c++)
            if (!too_slow(e, choice))
                add(&b, e, row->field, choice, strcmp(choice, "tabular") == 0);
        for (int finite = 0; finite < 2 && !row; finite++)
            add(&b, e, NULL, "", finite);
    }
    return b;
}

/* ---- Running */

static inline const char *name_of(const subject *s) {
    static char text[128];
    snprintf(text, sizeof text, "%s %s%s%s on %s states", s->method->name, s->choice,
             s->model ? "/" : "", s->model ? s->model->name : "", s->finite ? "finite" : "real");
    return text;
}

/* What makes a run short: few steps and small networks, and none of the target's own runs, whose
 * number does not go by the rows; test_runs.c has them. */
static const char *const cheap[][2] = {
    {"steps", "100"},  {"rounds", "2"},   {"rollout", "200"},  {"hidden", "4"},
    {"restarts", "2"}, {"features", "6"}, {"rate_nu", "0.01"}, {"rate_zeta", "0.05"},
    {"batch", "16"},   {"chains", "2"},   {"runs", "no"},
};

/* The optimizer of weights by a network decides whether it reads batches or features. */
static inline bool depends(const subject *s, const char *name) {
    return bf_estimator_reads(s->method, s->model, "optimizer") &&
           (strcmp(name, "batch") == 0 || strcmp(name, "features") == 0);
}

/* Settings of the subject, short; `name` is left for the caller to set. */
static inline bf_settings *settings_of(const subject *s, const char *name, bf_arena *in) {
    bf_settings *settings;
    assert_ok(bf_estimator_settings(&settings, s->method, NULL, in, &err), err);
    if (s->row && strcmp(name, s->row) != 0)
        assert_ok(bf_settings_set(settings, s->row, s->choice, &err), err);
    for (size_t i = 0; i < sizeof cheap / sizeof *cheap; i++)
        if (strcmp(cheap[i][0], name) != 0 && !depends(s, cheap[i][0]) &&
            (s->model || !s->method->model) && bf_estimator_reads(s->method, s->model, cheap[i][0]))
            assert_ok(bf_settings_set(settings, cheap[i][0], cheap[i][1], &err), err);
    return settings;
}

static inline bf_status run(bf_estimate *out, const bench *b, const subject *s, double gamma,
                            const bf_settings *settings, const bf_context *context, bf_arena *in) {
    bf_problem problem = {s->finite ? &b->finite : &b->real, gamma, BF_TERMINAL_RESTART};
    return bf__estimator_run(s->method, out, &problem, settings, context, in, &err);
}

#endif
