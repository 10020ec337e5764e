/* q.c - Which way to fit q, and what both share. */
#include "value/q.h"

#include <math.h>

#include "core/fail.h"
#include "dataset/row_weights.h"
#include "estimator/result.h"

static const bf_option rows[] = {
    BF_OPTION_CHECKED(bf__q_options, bandwidth, "median", bf__bandwidth_check,
                      "W: Width of the Gaussian kernel on standardised states: median, a "
                      "percentile of the distances (p25), a number, any of them times a factor "
                      "(median*0.5), or several with commas, which are mixed."),
    BF_OPTION_RANGE(bf__q_options, features, "0", 0, 20000,
                    "M: Features that q is linear in, for real-valued states; 0: 500."),
    BF__RIDGE_ROW(bf__q_options,
                  "LAMBDA: Penalty on the size of q; auto is the least for which the weights that "
                  "the fit implies hardly go below 0."),
    BF__POINTS_ROWS(bf__q_options, ),
};
const bf_option_table bf__q_table = BF_OPTION_TABLE("Options of q", bf__q_options, rows);

enum { CELLS, LOWRANK };

static const bf_model models[] = {
    {"tabular", "q exact on the count model, for finite states", NULL, BF_TAKES_WEIGHT},
    {"lowrank", "q linear in kernel features, for real-valued states", &bf__q_table,
     BF_TAKES_WEIGHT},
};

const bf_model *bf__q_model(int index) {
    return index >= CELLS && index <= LOWRANK ? &models[index] : NULL;
}

bf_status bf__q_choose(const bf_model **out, const bf_problem *problem, const bf_settings *settings,
                       bf_arena *arena, bf_error *err) {
    (void)settings;
    (void)arena;
    (void)err;
    *out = NULL;
    if (problem)
        *out = &models[bf__dataset_counts(problem->data) ? CELLS : LOWRANK];
    return BF_OK;
}

bf_status bf__q_fit(bf__q *out, const bf_problem *problem, const bf__q_options *options,
                    const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    if (bf__dataset_counts(data))
        BF_TRY(bf__q_cells(out, problem, context, arena, err));
    else
        BF_TRY(bf__q_lowrank(out, problem, options, context, arena, err));
    double sum = 0;
    bf__row_weights rows_of = bf__row_weights_of(data);
    for (int64_t i = 0; i < data->n; i++) {
        double error = data->reward[i] - out->gap[i] - out->value;
        sum += bf__row_weight(&rows_of, i) * error * error / (double)data->n;
    }
    out->error = sqrt(sum);
    return BF_OK;
}

double bf__dr_value(const double *w, const bf__q *q, const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    double value = 0, mass = 0;
    for (int64_t i = 0; i < data->n; i++) {
        value += w[i] * (data->reward[i] - q->gap[i]);
        mass += w[i];
    }
    return problem->gamma < 1 ? value + (1 - mass) * q->value : value;
}
