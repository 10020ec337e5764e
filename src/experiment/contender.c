/* contender.c - Methods as experiments name them.
 *
 * The colours are those of Okabe and Ito, which colour-blind readers can tell apart. Point and dash
 * types do the same on grey paper. */
#include "experiment/contender.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"

/* The discount of returns, for methods that are asked for discounted rewards up to the end. An
 * episode of 2,500 steps loses a hundredth of its return by it. */
#define NEARLY_1 0.99999

static const bf__contender list[] = {
    {"naive", "naive mean", "naive", "", "#000000", 6, 3, 0.001, NULL},
    {"model", "model", "model", "", "#E69F00", 8, 2, 0.5, NULL},
    {"ips", "IPS", "ips", "", "#56B4E9", 4, 4, 0.9, NULL},
    {"ips-linear", "IPS (tuned)", "ips", "variant=linear", "#56B4E9", 4, 4, 0.2, NULL},
    {"ips-network", "IPS (its authors' network)", "ips", "variant=neural", "#0072B2", 12, 5, 0.8,
     NULL},
    {"lstdq", "LSTD-Q", "lstdq", "", "#0072B2", 10, 5, 1.5, NULL},
    {"dualdice", "DualDICE (networks)", "dualdice", "", "#CC79A7", 12, 2, 3.2, NULL},
    {"dualdice-0.9999", "DualDICE (0.9999)", "dualdice", "average-gamma=0.9999", "#0072B2", 10, 5,
     18, NULL},
    {"dualdice-0.9", "DualDICE (0.9)", "dualdice", "average-gamma=0.9", "#CC79A7", 12, 2, 18, NULL},
    {"blackbox-network", "black-box (paper's network)", "blackbox",
     "weights=neural hidden=30-20-10 features=150 restarts=1 residual=no", "#009E73", 14, 2, 0.6,
     NULL},
    {"blackbox", "black-box (default)", "blackbox", "", "#D55E00", 7, 1, 1.3, NULL},
    {"blackbox-full", "black-box, full interval", "blackbox", "", "#D55E00", 7, 1, 5, "full"},
    {"blackbox-fast", "black-box, fast interval", "blackbox", "", "#0072B2", 10, 5, 3, "fast"},
    /* What is known about the process: the experiment `structure`. */
    {"blackbox-flat", "black-box, angles as numbers", "blackbox", "periodic=none", "#000000", 6, 3,
     1.3, NULL},
    {"blackbox-mirror", "black-box, with its mirror image", "blackbox", "", "#009E73", 9, 1, 5,
     NULL, "mirror"},
    {"blackbox-noise", "black-box, with three columns of noise", "blackbox", "scale=none",
     "#000000", 6, 3, 1.3, NULL, "idle"},
    {"blackbox-noise-found", "black-box, noise found and left out", "blackbox", "", "#0072B2", 10,
     5, 3, NULL, "idle"},
    {"blackbox-noise-told", "black-box, noise left out by the user", "blackbox",
     "scale=s2:0,s3:0,s4:0", "#E69F00", 8, 2, 1.3, NULL, "idle"},
    /* Returns of episodes: the experiment `episodes`. */
    {"log-return", "mean of the log's episodes", "naive", "", "#000000", 6, 3, 0.001, NULL,
     "limits"},
    {"is-return", "IS", "is", "", "#56B4E9", 4, 4, 0.01, "full", "limits", NEARLY_1},
    {"wis-return", "weighted IS", "wis", "", "#E69F00", 8, 2, 0.01, "full", "limits", NEARLY_1},
    {"pdis-return", "PDIS", "pdis", "", "#CC79A7", 12, 2, 0.01, "full", "limits", NEARLY_1},
    {"fqe-return", "FQE", "fqe", "members=1 rounds=400 close=no", "#0072B2", 10, 5, 2.5, NULL, NULL,
     NEARLY_1},
    {"blackbox-return", "black-box, by renewal", "blackbox", "", "#D55E00", 7, 1, 6, "full"},
    {"blackbox-clock", "black-box, time in the state", "blackbox", "", "#009E73", 14, 2, 6, "full",
     "clock"},
    {"walk-return", "black-box, T steps along its chain", "blackbox", "", "#882255", 9, 1, 4,
     "full", .walks = true},
};
#define COUNT ((int)(sizeof list / sizeof *list))

/* The paper tunes every method at 50 trajectories, knowing the truth. For the width of the model's
 * kernel it chooses among the quartiles of the distances. The options of IPS are from the grid of
 * bench/ratios.sh, on logs that are in no figure; linear ratios are better than the network on each
 * problem; docs/notes/baselines.md has the numbers. Those of the network are from bench/network.sh
 * and in docs/notes/neural-weights.md. */
static const struct {
    const char *problem, *contender, *options;
} tuned[] = {
    {"pendulum", "model", "bandwidth=p25"},
    {"mountaincar", "model", "bandwidth=p75"},
    {"cartpole", "model", "bandwidth=p25"},
    {"acrobot", "model", "bandwidth=p75"},
    {"pendulum", "blackbox-network", "start=chain bandwidth=median steps=12"},
    {"mountaincar", "blackbox-network", "start=equal bandwidth=median steps=12"},
    {"cartpole", "blackbox-network", "start=chain bandwidth=p25 steps=6"},
    {"acrobot", "blackbox-network", "start=chain bandwidth=p75 steps=12"},
    {"pendulum", "ips-linear", "features=100 bandwidth=median*0.125 ridge=1e-8"},
    {"mountaincar", "ips-linear", "features=250 bandwidth=median*0.25 ridge=1e-13"},
    {"cartpole", "ips-linear", "features=100 bandwidth=median ridge=1e-7"},
    {"acrobot", "ips-linear", "features=100 bandwidth=median*0.5 ridge=1e-10"},
    {"pendulum", "ips-network", "smoothing=0 bandwidth=median*2 rate=0.01 steps=300"},
    {"mountaincar", "ips-network", "smoothing=0 bandwidth=median*0.25"},
    {"cartpole", "ips-network", "rate=0.01"},
    {"acrobot", "ips-network", "smoothing=0 bandwidth=median*0.25 rate=0.01"},
};

const bf__contender *bf__contender_at(int index) {
    return index >= 0 && index < COUNT ? &list[index] : NULL;
}

bf_status bf__contender_find(const bf__contender **out, const char *name, bf_arena *arena,
                             bf_error *err) {
    for (int i = 0; i < COUNT; i++)
        if (strcmp(list[i].name, name) == 0) {
            *out = &list[i];
            return BF_OK;
        }
    const bf_estimator *estimator = bf_estimator_find(name);
    if (!estimator) {
        char known[1024] = "";
        for (int i = 0; i < COUNT; i++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s, ", list[i].name);
        }
        return bf_fail(err, BF_EUSAGE,
                       "--methods: '%s' is not known; there are %sand every estimator of "
                       "`backflow list estimators`",
                       name, known);
    }
    bf__contender *made;
    BF_ALLOC(made, arena, 1, err);
    *made = (bf__contender){
        estimator->name, estimator->name, estimator->name, "", "#777777", 2, 1, 3, NULL};
    *out = made;
    return BF_OK;
}

bf_status bf__contender_prepare(const bf_estimator **out, const bf_settings **settings,
                                const bf__contender *contender, const char *problem,
                                bf_arena *arena, bf_error *err) {
    bf_settings *made;
    *out = bf_estimator_find(contender->estimator);
    BF_TRY(bf_estimator_settings(&made, *out, contender->options, arena, err));
    for (size_t i = 0; i < sizeof tuned / sizeof *tuned; i++)
        if (strcmp(tuned[i].problem, problem) == 0 &&
            strcmp(tuned[i].contender, contender->name) == 0)
            BF_TRY(bf_settings_set_text(made, tuned[i].options, arena, err));
    /* They are part of the contender's name: one that a log leaves unread is no mistake of anyone.
     */
    for (const char *name; (name = bf_settings_given_at(made, 0));)
        bf_settings_forget(made, name);
    *settings = made;
    return BF_OK;
}
