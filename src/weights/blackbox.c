/* blackbox.c - The black-box estimator: weights that make the flow balance.
 *
 * Estimates   sum_i w_i r_i,  w in the simplex, w_i ~ W(s_i, a_i),
 *             W = argmin | sum_i w_i psi_i |^2,   psi_i = phi(x_i) - E_pi phi(x'_i)
 * Source      Mousavi, Li, Liu, Zhou, Black-box off-policy estimation for infinite-horizon
 *             reinforcement learning, ICLR 2020, eq. (9) to (11); appendix A for gamma < 1
 *
 * What W may be is a list of its own, weights.def; here one is chosen. */
#include "core/context.h"
#include "core/fail.h"
#include "kernel/bandwidth.h"
#include "problem/label_states.h"
#include "problem/points.h"
#include "weights/theorem.h"
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

const char bf__kernel_choices[] = "auto"
#define BF_KERNEL(name) "|" #name
#include "kernel/kernels.def"
#undef BF_KERNEL
    ;

typedef struct blackbox_options {
    int weights; /* 0 auto; otherwise 1 + the model's place in weights.def */
} blackbox_options;

static const bf_option rows[] = {
    BF_OPTION_CHOICE(blackbox_options, weights, "auto", weights_choices,
                     "The model W(s, a) of the weights; auto goes by the log."),
};
const bf_option_table bf__blackbox_table =
    BF_OPTION_TABLE("Options of blackbox", blackbox_options, rows);

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

const bf_model *bf__weights_model(int index) {
    return bf__weights_at(index) ? &bf__weights_at(index)->model : NULL;
}

/* For auto: coordinates that repeat are labels of finitely many states, unless a kernel that looks
 * at distances between them was asked for. */
static bf_status number_states(bf_dataset *out, const bf_settings *settings, bf_arena *arena,
                               bf_error *err) {
    const blackbox_options *o = bf_settings_of(settings, &bf__blackbox_table);
    const int *kernel = bf_settings_value(settings, "kernel");
    const bf__kernel_kind *kind = bf__kernel_at(*kernel - 1);
    bf_dataset numbered;
    bool found = false;
    if (o->weights != 0 || out->states > 0 || !out->action || (kind && kind->wide))
        return BF_OK;
    BF_TRY(bf__label_states(&found, &numbered, out, arena, err));
    if (found)
        *out = numbered;
    return BF_OK;
}

static bf_status choose(const bf_model **out, const bf_problem *problem,
                        const bf_settings *settings, bf_arena *arena, bf_error *err) {
    const blackbox_options *o = bf_settings_of(settings, &bf__blackbox_table);
    *out = bf__weights_model(o->weights - 1);
    if (*out || !problem)
        return BF_OK;
    bf_mark mark = bf_arena_mark(arena);
    bf_dataset data = *problem->data;
    BF_TRY(number_states(&data, settings, arena, err));
    *out = &best_for(&data)->model;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_model *model,
                     const bf_settings *settings, const bf_context *context, bf_arena *arena,
                     bf_error *err) {
    const bf__weights *weights = models[0];
    for (int i = 0; bf__weights_at(i); i++)
        if (&models[i]->model == model)
            weights = models[i];
    bf_dataset data = *problem->data;
    bf_problem numbered = *problem;
    if (weights->suits(&data) < best_for(&data)->suits(&data))
        BF_TRY(number_states(&data, settings, arena, err));
    numbered.data = &data;
    if (data.states != problem->data->states)
        bf__message(
            context, BF_MESSAGE_NOTE,
            "states repeat: %lld of them, taken as a finite state space (`weights` corrected "
            "goes by their coordinates)",
            (long long)data.states);
    out->model = model->name;
    BF_TRY(weights->run(out, &numbered, settings, context, arena, err));
    return bf__theorem_diagnose(out, &data, arena, err);
}

const bf_estimator bf__estimator_blackbox = {
    .name = "blackbox",
    .summary = "weights that balance the flow of the target policy; needs no behaviour policy",
    .needs = BF_NEEDS_TARGET,
    .traits = BF_BALANCES,
    .options = &bf__blackbox_table,
    .model = bf__weights_model,
    .choose = choose,
    .run = run,
    .leans = 1,
};
