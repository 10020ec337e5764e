/* value.c - `backflow value`: what a policy earns in an environment, exactly or by running it. */
#include <string.h>

#include "cli/cli.h"

typedef struct value_options {
    const char *policy, *json;
    double alpha, gamma;
    bool per_episode, single, simulate;
    int64_t chains, steps, burn_in;
    int rewards;
} value_options;

static const bf_option rows[] = {
    BF_OPTION(value_options, policy, "uniform",
              "P: The policy: a file, uniform, or one that the environment has; P@ALPHA mixes it "
              "with the uniform policy."),
    BF_OPTION_RANGE(value_options, alpha, "1", 0, 1,
                    "Share of the policy in its mixture with the uniform one."),
    BF_OPTION_RANGE(value_options, gamma, "1", 0, 1,
                    "G: Discount. 1 is the long-run average reward per step; below 1, the "
                    "discounted reward times 1 - G, from a start state."),
    BF_OPTION(value_options, per_episode, "no",
              "The (discounted) sum of rewards of one episode, cut at --steps."),
    BF_OPTION(value_options, single, "no",
              "One run of 50,000 steps from a start state: the paper's own yardstick."),
    BF_OPTION(value_options, simulate, "no",
              "Run the policy even where the environment is finite and the value can be solved "
              "for."),
    BF_OPTION_RANGE(value_options, chains, "0", 0, 1e9,
                    "N: Independent runs. 0 means 256, or 1000 per episode, or as many as make "
                    "five million discounted steps."),
    BF_OPTION_RANGE(value_options, steps, "0", 0, 1e12,
                    "N: Steps of each run. 0 means 20,000, the usual time limit of an episode, or "
                    "until the discount has fallen to 1e-10."),
    BF_OPTION_RANGE(value_options, burn_in, "-1", -1, 1e12,
                    "N: Steps of each run that do not count, before those that do. -1 means 2000, "
                    "or none with --single. Average only."),
    BF_OPTION_CHOICE(value_options, rewards, "paper", "paper|gymnasium",
                     "The paper's rewards or the environment's own."),
    BF_OPTION(value_options, json, NULL,
              "[FILE]: One JSON object on standard output and nothing else there, or in FILE "
              "(which ends in .json, or is given as --json=FILE)."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options", value_options, rows);

extern const bf__command bf__command_value;

bf_status bf__env_argument(const bf_env **out, const char *const *words, int count, bf_error *err) {
    char known[256] = "";
    for (int i = 0; bf_env_at(i); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", bf_env_at(i)->name);
    }
    if (count == 0)
        return bf_fail(err, BF_EUSAGE, "no environment given; there are %s", known);
    if (count > 1)
        return bf_fail(err, BF_EUSAGE, "'%s': one environment at a time", words[1]);
    *out = bf_env_find(words[0]);
    if (!*out)
        return bf_fail(err, BF_EUSAGE, "'%s' is not an environment; there are %s", words[0], known);
    return BF_OK;
}

static bf_status make_plan(bf_truth_plan *plan, const value_options *o, bf_error *err) {
    *plan = (bf_truth_plan){.kind = BF_TRUTH_AVERAGE,
                            .gamma = o->gamma,
                            .chains = o->chains,
                            .steps = o->steps,
                            .burn_in = o->burn_in,
                            .rewards = o->rewards == 0 ? BF_REWARDS_PAPER : BF_REWARDS_GYMNASIUM,
                            .simulate = o->simulate || o->single,
                            .size = sizeof *plan};
    if (o->per_episode)
        plan->kind = BF_TRUTH_EPISODE;
    else if (o->gamma < 1)
        plan->kind = BF_TRUTH_DISCOUNTED;
    if (o->single) {
        if (plan->kind != BF_TRUTH_AVERAGE)
            return bf_fail(err, BF_EUSAGE,
                           "--single: is about the average reward; leave out --gamma and "
                           "--per-episode");
        plan->chains = 1;
        plan->steps = o->steps ? o->steps : 50000;
        plan->burn_in = o->burn_in >= 0 ? o->burn_in : 0;
    }
    return BF_OK;
}

static bf_status find_value(bf__tool *tool, const value_options *o, const bf_env *env,
                            bf_error *err) {
    const bf_policy *policy;
    bf_truth_plan plan;
    bf_filled settings[] = {{&table, o}, {&bf__common_table, &tool->common}};
    const char *text, *json;
    const bf__written outputs[] = {{"--json", o->json}, {NULL, NULL}};
    BF_TRY(bf__check_outputs(outputs, &o->policy, 1, err));
    BF_TRY(bf_env_policy_parse(&policy, env, o->policy, o->alpha, tool->arena, err));
    BF_TRY(make_plan(&plan, o, err));
    bf_value_answer answer = {.env = env,
                              .policy = o->policy,
                              .alpha = o->alpha,
                              .settings = settings,
                              .settings_count = 2,
                              .size = sizeof answer};
    double begun = bf__tool_seconds();
    BF_TRY(bf_true_value(&answer.truth, &plan, env, policy, &tool->context, tool->arena, err));
    answer.seconds = bf__tool_seconds() - begun;
    BF_TRY(bf_report_value_text(&text, &answer, tool->arena, err));
    BF_TRY(bf_report_value_json(&json, &answer, tool->arena, err));
    return bf__answer_give(tool, o->json, text, json, err);
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    value_options o;
    bf__slot slots[] = {{&table, &o}, {&bf__common_table, &tool->common}};
    bf__words words;
    const bf_env *env;
    BF_TRY(bf__args_begin(tool, &bf__command_value, slots, 2, argc, argv, &words, err));
    if (words.help)
        return BF_OK;
    BF_TRY(bf__env_argument(&env, words.word, words.count, err));
    return find_value(tool, &o, env, err);
}

const bf__command bf__command_value = {
    .name = "value",
    .summary = "what a policy earns in an environment: the truth",
    .usage = "value ENV [--policy P] [options]",
    .text =
        "Solves for the value of a policy where the environment is finite, and runs the policy\n"
        "where it is not: many independent runs, with a standard error. Where an episode ends,\n"
        "the next one starts. `backflow list envs` shows environments and policies.\n\n"
        "Examples:\n"
        "  backflow value modelwin --policy target\n"
        "  backflow value mountaincar --policy trained --alpha 0.9\n"
        "  backflow value cartpole --policy handmade --per-episode --rewards gymnasium\n"
        "  backflow value pendulum --policy handmade@0.9 --single --json\n",
    .run = run,
};
