/* answer.c - From counts to an answer. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "finite/tabular.h"
#include "model/count_report.h"
#include "pass/counts.h"
#include "pass/effects.h"

static bool is(const char *a, const char *b) {
    return a && strcmp(a, b) == 0;
}

/* The default asks blackbox first, with the same settings. */
static bool is_blackbox(const bf_estimator *estimator) {
    return is(estimator->name, "blackbox") || is(estimator->name, "auto");
}

bf_status bf_pass_countable(bool *out, const bf_estimator *estimator, const bf_problem *sampled,
                            const bf_settings *settings, bf_arena *arena, bf_error *err) {
    const bf_model *model;
    BF_TRY(bf_estimator_choose(&model, estimator, sampled, settings, arena, err));
    *out = sampled->data->action && model &&
           ((is_blackbox(estimator) && is(model->name, "tabular")) ||
            (is(estimator->name, "model") && is(model->name, "count")));
    return BF_OK;
}

/* ---- The answer */

/* The weights (n) of the rows of the sample. */
static bf_status weigh_sample(double **out, const bf__tally *t, const bf__cells *m, const double *x,
                              const bf_dataset *data, bf_arena *arena, bf_error *err) {
    double *w;
    BF_ALLOC(w, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        for (int j = 0; j < t->d; j++)
            t->x[j] = data->state[j * data->n + i] + 0.0;
        int64_t s = bf__tally_find(t, t->x);
        int64_t c = s < 0 ? -1 : t->states.pair[s * t->actions + data->action[i]];
        if (c < 0)
            return bf_fail(err, BF_EDATA,
                           "a row of the sample is not among those that were counted: the files "
                           "have changed");
        w[i] = x[c] / m->count[c];
    }
    *out = w;
    return BF_OK;
}

static bf_status judge(bf_estimate *out, const char *method, const bf__counts *counts,
                       const bf__cells *m, const bf_problem *sampled, bf_arena *arena,
                       bf_error *err) {
    bf__facts f = bf__facts_of(out, sampled);
    if (!isfinite(out->value))
        return bf_fail(err, BF_ENUMERIC, "%s gave %g, which is no answer", method, out->value);
    f.n = (double)m->rows;
    f.episodes = m->has_start ? (double)counts->tally.episodes : 0;
    f.low = counts->low;
    f.high = counts->high;
    f.rests = m->steps.absorbs;
    f.mean = 0;
    for (int64_t c = 0; c < m->cells; c++)
        f.mean += m->count[c] / f.n * m->reward[c];
    return bf__judge_facts(out, &f, arena, err);
}

bf_status bf_pass_counts_answer(const bf_estimate **out, bf_pass **effects, bf_pass *pass,
                                const bf_estimator *estimator, const bf_problem *sampled,
                                const bf_settings *settings, const bf_context *context,
                                bf_arena *arena, bf_error *err) {
    bf__counts *counts;
    bf__cells *m;
    bf_estimate *estimate;
    bf__gauge gauge;
    double *x, *w = NULL;
    BF_TRY(bf__counts_of(&counts, pass, err));
    if (counts->tally.rows == 0)
        return bf_fail(err, BF_EDATA, "no rows were counted");
    BF_ALLOC(m, arena, 1, err);
    BF_ALLOC(estimate, arena, 1, err);
    *estimate = (bf_estimate){.value = NAN};
    BF_TRY(bf__cells_of(m, &counts->tally, sampled->gamma, (bf_terminal)sampled->terminal, arena,
                        err));
    BF_TRY(bf__need_starts(estimator->name, &m->steps, m->has_start, sampled->data->pi, err));
    if (is(estimator->name, "model")) {
        BF_TRY(bf__count_estimate(estimate, &x, m, context, arena, err));
    } else {
        estimate->model = "tabular";
        BF_TRY(bf__tabular_estimate(estimate, &x, m, settings, context, arena, err));
    }
    BF_TRY(judge(estimate, estimator->name, counts, m, sampled, arena, err));
    BF_TRY(weigh_sample(&w, &counts->tally, m, x, sampled->data, arena, err));
    estimate->weights = estimate->signed_weights = w;
    BF_TRY(bf__gauge_make(&gauge, &counts->tally, m, x, context, arena, err));
    BF_TRY(bf__effects_make(effects, &gauge, arena, err));
    if (is(estimator->name, "auto")) {
        estimate->maker = bf_estimator_find("blackbox");
        estimate->maker_settings = settings;
        estimate->parts[estimate->part_count++] =
            (bf__part){estimate->maker->name, estimate->model, estimate->value, 1,
                       "all of the log was counted"};
    }
    *out = estimate;
    return BF_OK;
}
