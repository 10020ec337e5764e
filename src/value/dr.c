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
#include <string.h>

#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "value/q.h"

typedef struct dr_options {
    const char *weights;
    const char *bandwidth, *periodic, *scale;
    bf_auto ridge;
    int64_t features;
} dr_options;

static const bf_option rows[] = {
    BF_OPTION(dr_options, weights, "auto",
              "NAME: The model W(s, a) of the weights, as for --method blackbox."),
    BF__Q_ROWS(dr_options),
};
static const bf_option_table table = BF_OPTION_TABLE("Options of dr", dr_options, rows);

/* Options of the black-box method: its own defaults, and what was asked for here by the same name.
 */
static bf_status weight_options(void **out, const bf_estimator *blackbox, const dr_options *o,
                                bf_arena *arena, bf_error *err) {
    static const char *const shared[] = {"weights", "bandwidth", "periodic", "scale"};
    *out = bf_arena_zalloc(arena, 1, blackbox->options->size, err);
    if (!*out)
        return BF_ENOMEM;
    BF_TRY(bf_options_init(blackbox->options, *out, err));
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) {
        const bf_option *from = bf_options_find(&table, shared[k]);
        const bf_option *to = bf_options_find(blackbox->options, shared[k]);
        const char *text = *(const char *const *)((const char *)o + from->offset);
        bool asked = text && (!from->initial || strcmp(text, from->initial) != 0);
        if (to && asked)
            BF_TRY(bf_options_set(to, *out, text, err));
    }
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const void *options,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const dr_options *o = options;
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf__q_options q_options = {o->bandwidth, o->periodic, o->scale, o->ridge, o->features};
    bf_estimate weighted;
    bf__q q;
    void *chosen;
    BF_TRY(weight_options(&chosen, blackbox, o, arena, err));
    BF_TRY(bf__estimator_run(blackbox, &weighted, problem, chosen, context, arena, err));
    if (!weighted.weights)
        return bf_fail(err, BF_ENUMERIC, "dr: blackbox gave no weights");
    BF_TRY(bf__q_fit(&q, problem, &q_options, context, arena, err));
    *out = weighted;
    out->level = 0; /* its interval is about another number */
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
    .run = run,
};
