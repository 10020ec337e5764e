/* blackbox.c - The black-box estimator: weights that make the flow balance.
 *
 * Estimates   sum_i w_i r_i,  w in the simplex, w_i ~ W(s_i, a_i),
 *             W = argmin | sum_i w_i psi_i |^2,   psi_i = phi(x_i) - E_pi phi(x'_i)
 * Source      Mousavi, Li, Liu, Zhou, Black-box off-policy estimation for infinite-horizon
 *             reinforcement learning, ICLR 2020, eq. (9) to (11); appendix A for gamma < 1
 *
 * What W may be is a list of its own, weights.def; here one is chosen. */
#include "core/fail.h"
#include "core/log.h"
#include "kernel/bandwidth.h"
#include "problem/points.h"
#include "problem/repeated.h"
#include "solver/mlp.h"
#include "weights/ridge.h"
#include "weights/weights.h"

#define BF_WEIGHTS(name) extern const bf__weights bf__weights_##name;
#include "weights/weights.def"
#undef BF_WEIGHTS

static const bf__weights *const models[] = {
#define BF_WEIGHTS(name) &bf__weights_##name,
#include "weights/weights.def"
#undef BF_WEIGHTS
};

static const char weights_choices[] = "auto"
#define BF_WEIGHTS(name) "|" #name
#include "weights/weights.def"
#undef BF_WEIGHTS
    ;

static const char kernel_choices[] = "auto"
#define BF_KERNEL(name) "|" #name
#include "kernel/kernels.def"
#undef BF_KERNEL
    ;

static const bf_option rows[] = {
    BF_OPTION_CHOICE(bf__blackbox_options, weights, "auto", weights_choices,
                     "The model W(s, a) of the weights; auto goes by the log."),
    BF_OPTION_CHOICE(bf__blackbox_options, kernel, "auto", kernel_choices,
                     "The kernel of the flow residual, on the states; actions count as equal or "
                     "not. auto is delta for tabular weights, and the model's own for others."),
    BF_OPTION_CHECKED(
        bf__blackbox_options, bandwidth, "median", bf__bandwidth_check,
        "W: Width of the kernel on standardised states: median, a percentile of the "
        "distances (p25), a number, any of them times a factor (median*0.5), or several "
        "with commas, which are mixed."),
    BF__POINTS_ROWS(bf__blackbox_options),
    BF_OPTION_RANGE(bf__blackbox_options, features, "0", 0, 20000,
                    "M: Features, or anchors, that the weights are made of; 0: as many as the "
                    "model takes by itself."),
    BF_OPTION_RANGE(bf__blackbox_options, action_share, "auto", 0, 1,
                    "C: What different actions at one state have in common, 0 (nothing) to 1 "
                    "(all)."),
    BF__RIDGE_ROW(bf__blackbox_options,
                  "LAMBDA: Penalty on the size of linear weights; auto goes by the log."),
    BF_OPTION_RANGE(bf__blackbox_options, neighbours, "16", 1, 128,
                    "K: Logged pairs that a next pair is spread over (neighbours, corrected)."),
    BF_OPTION_RANGE(bf__blackbox_options, memory, "2", 0.01, 1e6,
                    "GB: Memory for features; with less, they are made again block by block."),
    BF_OPTION_CHECKED(
        bf__blackbox_options, anchor_width, "0.15,0.2,0.3", bf__anchors_check,
        "SHARES: Widths around the anchors, as shares of the kernel's; the weights are the "
        "mean over them."),
    BF_OPTION_CHECKED(bf__blackbox_options, hidden, "30-20-10", bf__mlp_check,
                      "SIZES: Hidden layers of a network of weights."),
    BF_OPTION_CHOICE(bf__blackbox_options, activation, "sigmoid", BF__MLP_ACTIVATIONS,
                     "Of its hidden units."),
    BF_OPTION_CHOICE(bf__blackbox_options, optimizer, "auto", "auto|lbfgs|adam",
                     "How it is fitted: lbfgs on all transitions, adam on batches of them; auto is "
                     "lbfgs where the kernel, or its features, fit the memory."),
    BF_OPTION_RANGE(bf__blackbox_options, steps, "0", 0, 1e8,
                    "N: Steps of the optimiser; 0: as many as it takes by itself."),
    BF_OPTION_RANGE(bf__blackbox_options, batch, "1024", 2, 1e6, "B: Transitions in a batch."),
    BF_OPTION_RANGE(bf__blackbox_options, rate, "0.01", 1e-9, 10, "R: First step size of adam."),
    BF_OPTION_RANGE(bf__blackbox_options, restarts, "2", 1, 1000,
                    "N: Networks fitted from different starts; the weights are their mean."),
    BF_OPTION_RANGE(bf__blackbox_options, spread, "0", 0, 1e6,
                    "S: Adds S / (effective sample size) to the flow residual that is minimised."),
};

static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox", bf__blackbox_options, rows);

const bf__weights *bf__weights_at(int index) {
    int count = (int)(sizeof models / sizeof *models);
    return index >= 0 && index < count ? models[index] : NULL;
}

static const bf__weights *best_for(const bf_dataset *data) {
    const bf__weights *best = models[0];
    for (int i = 1; bf__weights_at(i); i++)
        if (models[i]->suits(data) > best->suits(data))
            best = models[i];
    return best;
}

/* For auto: coordinates that repeat are labels of finitely many states, unless a kernel that looks
 * at distances between them was asked for. */
static bf_status number_states(bf_dataset *out, const bf__blackbox_options *options,
                               const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__kernel_kind *kind = bf__kernel_at(options->kernel - 1);
    bf_dataset numbered;
    bool found = false;
    if (options->weights != 0 || out->states > 0 || !out->action || (kind && kind->wide))
        return BF_OK;
    BF_TRY(bf__repeated_states(&found, &numbered, out, arena, err));
    if (found) {
        *out = numbered;
        bf__log(context, BF_LOG_NOTE,
                "states repeat: %lld of them, taken as a finite state space (--weights corrected "
                "goes by their coordinates)",
                (long long)numbered.states);
    }
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const void *options,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__blackbox_options *o = options;
    bf_dataset data = *problem->data;
    BF_TRY(number_states(&data, o, context, arena, err));
    bf_problem numbered = *problem;
    numbered.data = &data;
    const bf__weights *model = o->weights == 0 ? best_for(&data) : bf__weights_at(o->weights - 1);
    out->model = model->name;
    return model->run(out, &numbered, o, context, arena, err);
}

const bf_estimator bf__estimator_blackbox = {
    .name = "blackbox",
    .summary = "weights that balance the flow of the target policy; needs no behaviour policy",
    .needs = BF_NEEDS_TARGET,
    .options = &table,
    .run = run,
};
