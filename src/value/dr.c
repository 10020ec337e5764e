/* dr.c - Doubly robust: black-box weights, and what a value function says they got wrong.
 *
 * Estimates   sum_i w_i (r_i + E q(x'_i) - q(x_i)),   discounted and restarting as psi is (q.h)
 *
 * Where the weights balance the flow the terms in q cancel, whatever q is; where q is right every
 * term is the value itself but for noise, whatever the weights. The error is a product of theirs.
 *
 * w is what --method blackbox gives, with its defaults but for the options that are named here; q
 * is that of --method lstdq. For finite states both are exact on the log's frequencies and the
 * three agree. */
#include <math.h>

#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "value/q.h"

typedef struct dr_options {
    int weights; /* as for blackbox */
} dr_options;

static const char weights_choices[] = "auto"
#define BF_WEIGHTS(name) "|" #name
#include "weights/weights.def"
#undef BF_WEIGHTS
    ;

static const bf_option rows[] = {
    BF_OPTION_CHOICE(dr_options, weights, "auto", weights_choices,
                     "The model W(s, a) of the weights, as for blackbox."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of dr", dr_options, rows);

/* Settings of the black-box method: its own defaults, and what was asked for here by the same name.
 * If its model does not read one of them, q does: nothing goes unread. */
static bf_status weight_settings(bf_settings **out, const bf_estimator *blackbox,
                                 const bf_settings *settings, bf_arena *arena, bf_error *err) {
    static const char *const shared[] = {"bandwidth", "periodic", "scale"};
    const dr_options *o = bf_settings_of(settings, &table);
    char model[64];
    bf_options_choice(weights_choices, o->weights, model, sizeof model);
    BF_TRY(bf_estimator_settings(out, blackbox, NULL, arena, err));
    BF_TRY(bf_settings_set(*out, "weights", model, err));
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        const char *const *text = bf_settings_value(settings, shared[k]);
        if (!bf_settings_given(settings, shared[k]))
            continue;
        BF_TRY(bf_settings_set(*out, shared[k], *text, err));
        bf_settings_forget(*out, shared[k]);
    }
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_estimate weighted;
    bf_settings *chosen;
    bf__q q;
    (void)model;
    BF_TRY(weight_settings(&chosen, blackbox, settings, arena, err));
    BF_TRY(bf__estimator_run(blackbox, &weighted, problem, chosen, context, arena, err));
    if (!weighted.weights)
        return bf_fail(err, BF_ENUMERIC, "dr: blackbox gave no weights");
    BF_TRY(bf__q_fit(&q, problem, bf_settings_of(settings, &bf__q_table), context, arena, err));
    *out = weighted;
    out->value = bf__dr_value(weighted.weights, &q, problem);
    bf__diagnose(out, BF__D_WEIGHTED, weighted.value);
    bf__diagnose(out, BF__D_DIRECT, q.value);
    bf__diagnose(out, BF__D_BELLMAN_ERROR, q.error);
    bf__diagnose_also(out, &q.remarks);
    for (int i = 0; i < q.remarks.warning_count && weighted.warning_count == 0; i++)
        if (out->warning_count < BF_MAX_WARNINGS)
            out->warnings[out->warning_count++] = q.remarks.warnings[i];
    /* The value is no sum of weights times rewards: blackbox has the weights. */
    return bf__hand_out(out, problem, NULL, NULL, NAN, arena, err);
}

const bf_estimator bf__estimator_dr = {
    .name = "dr",
    .summary = "doubly robust: black-box weights corrected by the value function of lstdq",
    .needs = BF_NEEDS_TARGET,
    .options = &table,
    .model = bf__q_model,
    .choose = bf__q_choose,
    .run = run,
    .leans = 1,
};
