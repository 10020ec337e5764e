/* recipes.c - The options of training, and the settings in which an environment differs from the
 * others. To add a recipe, add its rows below. docs/training.md says why they are what they are. */
#include <string.h>

#include "backflow/train.h"
#include "core/fail.h"
#include "solver/mlp.h"

typedef bf_train_options O;
static const bf_option rows[] = {
    BF_OPTION_CHECKED(O, hidden, "20-20", bf__mlp_check, "LAYERS: Units of the hidden layers."),
    BF_OPTION_CHOICE(O, activation, "tanh", BF__MLP_ACTIVATIONS, "Of the hidden units."),
    BF_OPTION(O, angles, "", "NAMES: States that enter the network as cos, sin."),
    BF_OPTION(O, box, "", "LOW:HIGH,...: Where random states lie, inside the environment."),
    BF_OPTION_RANGE(O, gamma, "0.98", 0, 1, "Discount."),
    BF_OPTION(O, reward, "0.01", "Trained on: this times Gymnasium's reward, ..."),
    BF_OPTION(O, terminal, "0", "... plus this where the episode ends."),
    BF_OPTION_RANGE(O, random, "2000", 1, 1e6, "N: States to learn from that are random."),
    BF_OPTION_RANGE(O, visited, "2000", 1, 1e6, "N: States to learn from that were visited."),
    BF_OPTION_RANGE(O, fresh, "200", 0, 1e6, "N: Of these, how many an iteration renews."),
    BF_OPTION_RANGE(O, explore, "0.1", 0, 1, "Share of random actions when visiting."),
    BF_OPTION_RANGE(O, iterations, "100", 1, 1e6, "N: Q iterations."),
    BF_OPTION_RANGE(O, epochs, "300", 1, 1e6, "N: Steps of Rprop in each."),
    BF_OPTION_RANGE(O, step, "0.001", 1e-6, 50, "First step of Rprop."),
    BF_OPTION_RANGE(O, trials, "200", 1, 1e6, "N: Episodes that rank a network."),
    BF_OPTION_RANGE(O, episodes, "1000", 2, 1e6, "N: New episodes that judge the best one."),
};
#define ROWS ((int)(sizeof rows / sizeof *rows))

typedef struct recipe {
    const char *env;
    struct {
        const char *option, *value;
    } own[ROWS];
} recipe;

static const recipe recipes[] = {
    {"pendulum",
     {{"angles", "theta"},
      {"box", "-3.141592653589793:3.141592653589793,-8:8"},
      {"reward", "0.0614492"}, /* 1 / 16.2736, the largest cost of a step */
      {"gamma", "0.98"},
      {"iterations", "60"}}},
    {"mountaincar",
     {{"box", "-1.2:0.5,-0.07:0.07"},
      {"gamma", "0.99"},
      {"iterations", "200"},
      {"epochs", "600"}}}, /* a step is worth 0.01: the fit has to be that fine */
    {"cartpole",
     {{"box", "-2.4:2.4,-3:3,-0.2095:0.2095,-3.5:3.5"},
      {"reward", "0.02"}, /* standing up earns a reward, so a fall need not cost anything */
      {"gamma", "0.98"},
      {"iterations", "60"}}},
    {"acrobot",
     {{"box", "-3.141592653589793:3.141592653589793,-3.141592653589793:3.141592653589793,-6:6,"
              "-10:10"},
      {"gamma", "0.99"},
      {"iterations", "200"},
      {"trials", "400"}}},
};

static const recipe *find(const bf_env *env) {
    for (size_t k = 0; env && k < sizeof recipes / sizeof *recipes; k++)
        if (strcmp(recipes[k].env, env->name) == 0)
            return &recipes[k];
    return NULL;
}

bf_status bf_train_table(bf_option_table *out, const bf_env *env, bf_arena *arena, bf_error *err) {
    const recipe *own = find(env);
    bf_option *copy;
    BF_ALLOC(copy, arena, ROWS, err);
    memcpy(copy, rows, sizeof rows);
    *out = (bf_option_table){"Options of training", copy, ROWS, sizeof(bf_train_options)};
    for (int i = 0; own && i < ROWS && own->own[i].option; i++) {
        const bf_option *row = bf_options_find(out, own->own[i].option);
        if (!row)
            return bf_fail(err, BF_EUSAGE, "the recipe of %s: there is no option '%s'", env->name,
                           own->own[i].option);
        copy[row - copy].initial = own->own[i].value;
    }
    return BF_OK;
}
