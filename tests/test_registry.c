/* test_registry.c - A listed thing is a tested thing.
 *
 * Every estimator of the registry, with every model that it chooses from, on logs of a few dozen
 * rows: exact where it claims to be, the same digits for any number of threads, a clean error at
 * every allocation and at every report of progress, each need refused by name, and every option
 * of every table changes something. A new estimator, model or option is in all of them by itself;
 * what it claims to be exact for is said in `claims`. */
#include "ration.h"
#include "subjects.h"

/* Every model that a method has is one of the subjects: none is left out. */
static void every_model_is_tested(void **state) {
    (void)state;
    bench b = make_bench();
    for (int i = 0; bf_estimator_at(i); i++) {
        const bf_estimator *e = bf_estimator_at(i);
        int found = 0;
        for (int k = 0; k < b.count; k++)
            found += b.subject[k].method == e;
        assert_true(found > 0);
        for (int m = 0; e->model && e->model(m); m++) {
            bool there = false;
            for (int k = 0; k < b.count; k++)
                there = there || (b.subject[k].method == e && b.subject[k].model == e->model(m));
            if (!there)
                fail_msg("%s with %s is not tested", e->name, e->model(m)->name);
        }
    }
}

/* Whether two answers are the same to the last digit. */
static bool same(const bf_estimate *x, const bf_estimate *y, int64_t n) {
    if (memcmp(&x->value, &y->value, sizeof x->value) != 0 || !x->weights != !y->weights ||
        x->diagnostic_count != y->diagnostic_count)
        return false;
    for (int i = 0; i < x->diagnostic_count; i++)
        if (strcmp(x->diagnostics[i].name, y->diagnostics[i].name) != 0 ||
            memcmp(&x->diagnostics[i].value, &y->diagnostics[i].value, sizeof(double)) != 0)
            return false;
    return !x->weights || memcmp(x->weights, y->weights, (size_t)n * sizeof(double)) == 0;
}

/* ---- What is claimed */

/* How near a method comes to the truth on a finite log with exact frequencies, and to a reward that
 * is the same everywhere; gamma 1 and 0.9. Infinity: it makes no such claim, and may say that it
 * found no answer. What is not listed here need not be exact, and gets a constant reward to 1e-6.
 */
static const struct {
    const char *method, *choice;
    double exact, constant;
} claims[] = {
    {"naive", "", INFINITY, 1e-12},
    {"blackbox", "tabular", 1e-12, 1e-12},
    {"blackbox", "neighbours", INFINITY, 1e-9},
    {"blackbox", "corrected", INFINITY, 1e-9},
    {"blackbox", "linear", INFINITY, 1e-9},
    {"blackbox", "anchors", INFINITY, 1e-9},
    {"blackbox", "neural", INFINITY, 1e-6},
    {"model", "", 1e-12, 1e-9},
    {"simulator", "", 1e-12, 1e-9},
    {"lstdq", "", 1e-12, 1e-9},
    {"dr", "tabular", 1e-12, 1e-9},
    {"dr", "neighbours", INFINITY, 1e-9},
    {"dr", "corrected", INFINITY, 1e-9},
    {"dr", "linear", INFINITY, 1e-9},
    {"dr", "anchors", INFINITY, 1e-9},
    {"ips", "tabular", INFINITY, 1e-9},
    {"ips", "linear", INFINITY, 1e-9},
    {"ips", "neural", INFINITY, 1e-6},
    {"dualdice", "tabular", INFINITY, 1e-9},
    {"dualdice", "neural", INFINITY, INFINITY},
    {"is", "", INFINITY, INFINITY},
    {"wis", "", INFINITY, 1e-9},
    {"pdis", "", INFINITY, INFINITY},
    {"fqe", "", INFINITY, INFINITY},
};

static void what_is_claimed_holds(void **state) {
    (void)state;
    bench b = make_bench();
    double *reward = bf_arena_alloc(arena, b.real.n + b.finite.n, sizeof *reward, &err);
    for (int64_t i = 0; i < b.real.n + b.finite.n; i++)
        reward[i] = 2.5;
    for (int k = 0; k < b.count; k++) {
        const subject *s = &b.subject[k];
        size_t c = 0, known = sizeof claims / sizeof *claims;
        while (c < known && (strcmp(claims[c].method, s->method->name) != 0 ||
                             strcmp(claims[c].choice, s->choice) != 0))
            c++;
        double exact = c < known ? claims[c].exact : INFINITY;
        double constant = c < known ? claims[c].constant : 1e-6;
        for (int g = 0; g < 2; g++) {
            bf_estimate out;
            double gamma = g == 0 ? 1 : 0.9, starts[STATES];
            bench same_reward = b;
            mdp_starts(&b.finite, STATES, starts);
            if (s->finite && exact < INFINITY) {
                assert_ok(run(&out, &b, s, gamma, settings_of(s, "", arena), NULL, arena), err);
                assert_near(out.value, mdp_value(&b.process, gamma, starts), exact);
            }
            same_reward.finite.reward = same_reward.real.reward = reward;
            bf_status status =
                run(&out, &same_reward, s, gamma, settings_of(s, "", arena), NULL, arena);
            if (status == BF_ENUMERIC && !(constant < INFINITY))
                continue;
            assert_ok(status, err);
            assert_true(isfinite(out.value));
            if (constant < INFINITY && !(fabs(out.value - 2.5) <= constant))
                fail_msg("%s, gamma %g: %.17g, not 2.5", name_of(s), gamma, out.value);
        }
    }
}

/* ---- Threads */

static void threads_do_not_change_digits(void **state) {
    (void)state;
    bench b = make_bench();
    for (int k = 0; k < b.count; k++) {
        const subject *s = &b.subject[k];
        bf_estimate one, more;
        for (int threads = 1; threads <= 3; threads++) {
            bf_context context = {.threads = threads, .seed = 7};
            bf_estimate *out = threads == 1 ? &one : &more;
            assert_ok(run(out, &b, s, 1, settings_of(s, "", arena), &context, arena), err);
            if (threads > 1 && !same(&one, &more, s->finite ? b.finite.n : b.real.n))
                fail_msg("%s: other digits with %d threads", name_of(s), threads);
        }
    }
}

/* ---- Memory */

static void every_allocation_may_fail(void **state) {
    (void)state;
    bench b = make_bench();
    bf_context context = {.threads = 1, .seed = 7};
    for (int k = 0; k < b.count; k++) {
        const subject *s = &b.subject[k];
        bf_settings *settings = settings_of(s, "", arena);
        bf_estimate expected, out;
        assert_ok(run(&expected, &b, s, 1, settings, &context, arena), err);
        bf_status status = BF_ENOMEM;
        for (long left = 0; status != BF_OK; left++) {
            ration r = {.left = left};
            bf_allocator allocator = ration_allocator(&r);
            bf_arena *small;
            status = bf_arena_create(&small, &allocator, &err);
            if (status == BF_OK)
                status = run(&out, &b, s, 1, settings, &context, small);
            if (status != BF_OK && status != BF_ENOMEM)
                fail_msg("%s: allocation %ld fails with '%s'", name_of(s), left, err.message);
            assert_true(status != BF_OK || out.value == expected.value);
            bf_arena_destroy(small);
            assert_int_equal(r.live, 0);
        }
    }
}

/* ---- Stopping */

typedef struct patience {
    int calls, stop; /* stops at call number `stop`; 0: never */
} patience;

static bool progress(void *context, const bf_progress *report) {
    patience *p = context;
    (void)report;
    return ++p->calls != p->stop;
}

/* An answer that was reached in spite of it says so, and is not to be trusted. */
static bool owns_up(const bf_estimate *out) {
    for (int i = 0; i < out->warning_count; i++)
        if (out->warnings[i].distrust && strstr(out->warnings[i].text, "interrupted"))
            return true;
    return false;
}

static void every_report_of_progress_may_stop(void **state) {
    (void)state;
    bench b = make_bench();
    for (int k = 0; k < b.count; k++) {
        const subject *s = &b.subject[k];
        bf_settings *settings = settings_of(s, "", arena);
        patience p = {.stop = 0};
        bf_context context = {.threads = 1, .seed = 7, .callbacks = {NULL, progress, &p}};
        bf_estimate out;
        assert_ok(run(&out, &b, s, 1, settings, &context, arena), err);
        int all = p.calls, step = 1 + all / 100;
        for (int stop = 1; stop <= all; stop += step) {
            bf_mark mark = bf_arena_mark(arena);
            p = (patience){.stop = stop};
            bf_status status = run(&out, &b, s, 1, settings, &context, arena);
            if (status != BF_ECANCELLED && !(status == BF_OK && owns_up(&out)))
                fail_msg("%s: stopped at report %d of %d, it gives status %d", name_of(s), stop,
                         all, (int)status);
            bf_arena_rewind(arena, mark);
        }
    }
}

/* ---- Needs */

static void every_need_is_refused_by_name(void **state) {
    (void)state;
    static const struct {
        unsigned need;
        const char *word;
    } needs[] = {{BF_NEEDS_TARGET, "target policy at the next states"},
                 {BF_NEEDS_BEHAVIOR, "behaviour policy"},
                 {BF_NEEDS_EPISODES, "episodes"},
                 {BF_NEEDS_PI, "target policy at the logged states"}};
    bench b = make_bench();
    for (int i = 0; bf_estimator_at(i); i++)
        for (size_t k = 0; k < sizeof needs / sizeof *needs; k++) {
            const bf_estimator *e = bf_estimator_at(i);
            bf_dataset data = b.finite;
            bf_estimate out;
            bf_problem problem = {&data, 1, BF_TERMINAL_RESTART};
            if (!(e->needs & needs[k].need))
                continue;
            if (needs[k].need == BF_NEEDS_TARGET)
                data.npi = NULL;
            if (needs[k].need == BF_NEEDS_BEHAVIOR)
                data.mu = NULL;
            if (needs[k].need == BF_NEEDS_EPISODES)
                data.begin = NULL;
            if (needs[k].need == BF_NEEDS_PI)
                data.pi = NULL;
            assert_int_equal(bf__estimator_run(e, &out, &problem, NULL, NULL, arena, &err),
                             BF_ENEEDS);
            if (!strstr(err.message, e->name) || !strstr(err.message, needs[k].word))
                fail_msg("%s: '%s' does not name %s", e->name, err.message, needs[k].word);
        }
}

/* ---- Options */

/* Texts that are not the default, for rows that take any. */
static const char *const texts[][2] = {{"bandwidth", "0.7"},
                                       {"periodic", "s0:7"},
                                       {"scale", "s0:3"},
                                       {"hidden", "5"},
                                       {"anchor_width", "0.5"}};

/* They change how long it takes and how much memory, not the answer; or the answer of a log with
 * gaps (test_gaps.c), or of one whose corrections are weak (test_residue.c), which the one here is
 * not. */
static const char *const only_cost[] = {"memory", "gaps", "discrepancy", "networks"};

/* An option that is read only if another one is set. */
static const char *const together[][3] = {{"bandwidth", "kernel", "gaussian"},
                                          {"discrepancy", "gaps", "program"},
                                          {"batch", "optimizer", "adam"},
                                          {"rate", "optimizer", "adam"}};

/* Value number `index` of the row that is not its default; false past the last one. */
static bool other_value(char *text, size_t size, const bf_option *row, int index) {
    double real = isfinite(row->min) && row->min > 0 && isfinite(row->max)
                      ? sqrt(row->min * row->max)
                      : fmax(row->min, fmin(row->max, 0.3));
    switch (row->type) {
    case BF_OPTION_BOOL:
        snprintf(text, size, "%s", strcmp(row->initial, "yes") == 0 ? "no" : "yes");
        return index == 0;
    case BF_OPTION_INT:
        snprintf(text, size, "%.0f", fmax(row->min, 5) + (atof(row->initial) == 5));
        return index == 0;
    case BF_OPTION_REAL:
        snprintf(text, size, "%.9g",
                 atof(row->initial) > 0 ? fmax(row->min, atof(row->initial) / 4) : real);
        return index == 0;
    case BF_OPTION_AUTO:
        snprintf(text, size, "%.9g", real);
        return index == 0;
    case BF_OPTION_ENUM:
        if (!bf_options_choice(row->choices, index, text, size))
            return false;
        return true;
    case BF_OPTION_STRING:
        for (size_t i = 0; i < sizeof texts / sizeof *texts && index == 0; i++)
            if (strcmp(texts[i][0], row->field) == 0) {
                snprintf(text, size, "%s", texts[i][1]);
                return true;
            }
        if (index == 0)
            fail_msg("%s: say in `texts` a value that is not the default", row->field);
        return false;
    case BF_OPTION_SEED:
    case BF_OPTION_LIST:
        break;
    }
    return false;
}

/* Whether a value of the option changes the answer, or is refused with a sentence that names it. */
static bool has_effect(const bench *b, const subject *s, const bf_option *row) {
    char text[64];
    bf_context context = {.threads = 1, .seed = 7};
    for (int v = 0; other_value(text, sizeof text, row, v); v++) {
        bf_settings *before = settings_of(s, row->field, arena);
        bf_settings *after = settings_of(s, row->field, arena);
        bf_estimate x, y;
        for (size_t i = 0; i < sizeof together / sizeof *together; i++)
            if (strcmp(together[i][0], row->field) == 0 &&
                bf_estimator_reads(s->method, s->model, together[i][1])) {
                assert_ok(bf_settings_set(before, together[i][1], together[i][2], &err), err);
                assert_ok(bf_settings_set(after, together[i][1], together[i][2], &err), err);
            }
        assert_ok(bf_settings_set(after, row->field, text, &err), err);
        bf_status first = run(&x, b, s, 1, before, &context, arena);
        bf_error cause = err; /* no answer is an outcome too, and says why */
        if (first != BF_ENUMERIC)
            assert_ok(first, err);
        bf_status status = run(&y, b, s, 1, after, &context, arena);
        if (status != BF_OK && status != BF_ENUMERIC &&
            strncmp(err.message, row->field, strlen(row->field)) != 0)
            fail_msg("%s: %s=%s: %s", name_of(s), row->field, text, err.message);
        if (status != first || (status == BF_OK ? !same(&x, &y, s->finite ? b->finite.n : b->real.n)
                                                : strcmp(cause.message, err.message) != 0))
            return true;
    }
    return false;
}

static void every_option_does_something(void **state) {
    (void)state;
    bench b = make_bench();
    for (int k = 0; k < b.count; k++) {
        const subject *s = &b.subject[k];
        const bf_option_table *tables[] = {s->method->options, s->model ? s->model->options : NULL};
        for (int t = 0; t < 2; t++)
            for (int j = 0; tables[t] && j < tables[t]->count; j++) {
                const bf_option *row = &tables[t]->rows[j];
                bool cost = false;
                for (size_t i = 0; i < sizeof only_cost / sizeof *only_cost; i++)
                    cost = cost || strcmp(only_cost[i], row->field) == 0;
                if (!cost && !(s->row && strcmp(row->field, s->row) == 0) &&
                    !has_effect(&b, s, row))
                    fail_msg("%s: %s does nothing", name_of(s), row->field);
            }
    }
}

/* An option of another model of the same method is refused by name. */
static void no_option_of_another_model_is_taken(void **state) {
    (void)state;
    bench b = make_bench();
    int refused = 0;
    for (int k = 0; k < b.count; k++) {
        const subject *s = &b.subject[k];
        for (int m = 0; s->method->model && s->method->model(m); m++) {
            const bf_option_table *table = s->method->model(m)->options;
            for (int j = 0; table && j < table->count; j++) {
                const bf_option *row = &table->rows[j];
                bf_settings *settings = settings_of(s, row->field, arena);
                bf_estimate out;
                char text[64];
                if (bf_estimator_reads(s->method, s->model, row->field) ||
                    !other_value(text, sizeof text, row, row->type == BF_OPTION_ENUM ? 1 : 0))
                    continue;
                assert_ok(bf_settings_set(settings, row->field, text, &err), err);
                assert_int_equal(run(&out, &b, s, 1, settings, NULL, arena), BF_EUSAGE);
                if (strncmp(err.message, row->field, strlen(row->field)) != 0 ||
                    !strstr(err.message, s->method->model(m)->name))
                    fail_msg("%s: %s: %s", name_of(s), row->field, err.message);
                refused++;
            }
        }
    }
    assert_true(refused > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(every_model_is_tested),
        arena_test(what_is_claimed_holds),
        arena_test(threads_do_not_change_digits),
        arena_test(every_allocation_may_fail),
        arena_test(every_report_of_progress_may_stop),
        arena_test(every_need_is_refused_by_name),
        arena_test(every_option_does_something),
        arena_test(no_option_of_another_model_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
