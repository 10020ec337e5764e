/* simulate.c - `backflow simulate`: a log from a built-in environment. */
#include <string.h>

#include "cli/cli.h"

typedef struct simulate_options {
    const char *behavior, *policy, *target, *output;
    double alpha_behavior, alpha_target;
    int64_t episodes, horizon;
    int rewards;
    bool drop_last, per_episode;
} simulate_options;

static const bf_option rows[] = {
    BF_OPTION(simulate_options, output, NULL, "FILE: The log: .csv or .npz. Also -o."),
    BF_OPTION(simulate_options, behavior, NULL,
              "P: Who acts: a policy file, uniform, or a policy that the environment has; P@ALPHA "
              "mixes it with the uniform policy. Several with commas: trajectories are dealt out "
              "among them. [behavior where the environment has it, else uniform]"),
    BF_OPTION(simulate_options, policy, NULL, "P: The same as --behavior."),
    BF_OPTION(simulate_options, target, NULL,
              "P: The policy to be evaluated: adds its probabilities as columns pi and npi."),
    BF_OPTION_RANGE(simulate_options, alpha_behavior, "1", 0, 1,
                    "Share of the behaviour in its mixture with uniform, where no @ALPHA says."),
    BF_OPTION_RANGE(simulate_options, alpha_target, "1", 0, 1, "The same for the target."),
    BF_OPTION_RANGE(simulate_options, episodes, "100", 1, 1e12, "N: Trajectories."),
    BF_OPTION_RANGE(simulate_options, horizon, "200", 1, 1e12,
                    "T: Steps of each trajectory. Where an episode ends before, the next one "
                    "starts inside the trajectory."),
    BF_OPTION(simulate_options, per_episode, "no",
              "A trajectory is one episode, and --horizon is its time limit."),
    BF_OPTION(simulate_options, drop_last, "no",
              "A trajectory of T states: T - 1 transitions instead of T."),
    BF_OPTION_CHOICE(simulate_options, rewards, "paper", "paper|gymnasium",
                     "The paper's rewards or the environment's own."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options", simulate_options, rows);

extern const bf__command bf__command_simulate;

static const char *usual_behavior(const bf_env *env) {
    for (const bf_env_policy *p = env->policies; p && p->name; p++)
        if (strcmp(p->name, "behavior") == 0)
            return p->name;
    return "uniform";
}

/* The policies of a comma-separated list. */
static bf_status parse_list(const bf_policy ***out, int *count, const bf_env *env, const char *text,
                            double alpha, bf_arena *arena, bf_error *err) {
    char *words;
    BF_ALLOC(words, arena, (int64_t)strlen(text) + 1, err);
    strcpy(words, text);
    *count = 1;
    for (const char *c = text; *c; c++)
        *count += *c == ',';
    BF_ALLOC(*out, arena, *count, err);
    for (int i = 0; i < *count; i++) {
        char *end = words + strcspn(words, ",");
        *end = '\0';
        if (!*words)
            return bf_fail(err, BF_EUSAGE, "--behavior: '%s' has an empty name in it", text);
        BF_TRY(bf_env_policy_parse(&(*out)[i], env, words, alpha, arena, err));
        words = end + 1;
    }
    return BF_OK;
}

static void tell(bf__tool *tool, const simulate_options *o, const bf_dataset *data) {
    bf_array reward, terminated;
    double sum = 0;
    int64_t ended = 0, n = bf_dataset_rows(data);
    bf_dataset_column(&reward, data, "r");
    bf_dataset_column(&terminated, data, "terminated");
    for (int64_t i = 0; i < n; i++) {
        sum += bf_array_double(&reward, i, 0);
        ended += ((const uint8_t *)terminated.data)[i];
    }
    fprintf(tool->out,
            "%s: %lld transitions, %lld trajectories, %lld episodes of which %lld terminated, "
            "mean reward %.6g\n",
            o->output, (long long)n, (long long)o->episodes,
            (long long)bf_dataset_episodes(data, NULL, NULL, NULL), (long long)ended,
            sum / (double)n);
}

static bf_status simulate(bf__tool *tool, const simulate_options *o, const bf_env *env,
                          bf_error *err) {
    const bf_policy **behaviors, *target = NULL;
    int count;
    const bf_dataset *data;
    if (!o->output)
        return bf_fail(err, BF_EUSAGE, "-o FILE is missing: where the log goes, .csv or .npz");
    const bf__written outputs[] = {{"--output", o->output}, {NULL, NULL}};
    const char *inputs[] = {o->behavior, o->policy, o->target};
    BF_TRY(bf__check_outputs(outputs, inputs, 3, err));
    BF_TRY(bf_dataset_write_check(o->output, err));
    if (o->behavior && o->policy)
        return bf_fail(err, BF_EUSAGE, "--policy is the same as --behavior: give one of them");
    const char *who = o->behavior ? o->behavior : o->policy ? o->policy : usual_behavior(env);
    BF_TRY(parse_list(&behaviors, &count, env, who, o->alpha_behavior, tool->arena, err));
    if (o->target)
        BF_TRY(bf_env_policy_parse(&target, env, o->target, o->alpha_target, tool->arena, err));
    if (o->drop_last && o->horizon < 2)
        return bf_fail(err, BF_EUSAGE, "--drop-last: needs --horizon 2 at least");
    bf_simulation simulation = {.env = env,
                                .rewards =
                                    o->rewards == 0 ? BF_REWARDS_PAPER : BF_REWARDS_GYMNASIUM,
                                .behaviors = behaviors,
                                .behavior_count = count,
                                .target = target,
                                .trajectories = o->episodes,
                                .steps = o->horizon - o->drop_last,
                                .per_episode = o->per_episode,
                                .size = sizeof simulation};
    BF_TRY(bf_simulate(&data, &simulation, &tool->context, tool->arena, err));
    BF_TRY(bf_dataset_write(data, o->output, &tool->context, tool->arena, err));
    tell(tool, o, data);
    return BF_OK;
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    simulate_options o;
    bf__slot slots[] = {{&table, &o}, {&bf__common_table, &tool->common}};
    bf__words words;
    const bf_env *env;
    BF_TRY(bf__args_begin(tool, &bf__command_simulate, slots, 2, argc, argv, &words, err));
    if (words.help)
        return BF_OK;
    BF_TRY(bf__env_argument(&env, words.word, words.count, err));
    return simulate(tool, &o, env, err);
}

const bf__command bf__command_simulate = {
    .name = "simulate",
    .summary = "make a log from a built-in environment",
    .usage = "simulate ENV [--behavior P] [--target P] -o FILE [options]",
    .text =
        "Runs a behaviour policy and writes every transition (s, a, r, s'), with the behaviour's\n"
        "probability of the action taken (mu) and, with --target, the target policy at s and\n"
        "s' (pi, npi). Trajectories start at start states. The last row of an episode that\n"
        "ended is `terminated`, that of a trajectory that went on is `truncated`.\n\n"
        "Examples:\n"
        "  backflow simulate modelwin --behavior behavior --target target -o log.csv\n"
        "  backflow simulate mountaincar --behavior trained@0.7 --target trained@0.9 \\\n"
        "      --episodes 50 -o car.npz\n"
        "  backflow simulate gridwalk --behavior uniform,greedy@0.5 --episodes 1000 -o mix.csv\n",
    .run = run,
};
