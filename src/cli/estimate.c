/* estimate.c - `backflow estimate`: from a log to an answer. */
#include <string.h>

#include "cli/cli.h"
#include "core/fail.h"
#include "core/log.h"
#include "core/output.h"
#include "policy/mix.h"
#include "report/report.h"

typedef struct estimate_options {
    const char *method, *policy, *json, *weights_out;
    double gamma;
    int terminal;
    bool strict;
} estimate_options;

static const bf_option rows[] = {
    BF_OPTION(estimate_options, method, "blackbox",
              "NAME: The estimator; `backflow list estimators` shows all."),
    BF_OPTION(
        estimate_options, policy, NULL,
        "P: The target policy: a file (a table, .csv or .npy, one row per state), or uniform; "
        "P@ALPHA mixes it with the uniform policy. Not needed where the log has npi "
        "columns."),
    BF_OPTION_RANGE(estimate_options, gamma, "1", 0, 1,
                    "G: Discount. 1 is the long-run average reward per step; below 1, the "
                    "discounted reward times 1 - G, from the log's start states."),
    BF_OPTION_CHOICE(estimate_options, terminal, "restart", "restart|absorb|ignore",
                     "What a terminated step leads to: a start state of the log, reward 0 for "
                     "ever, or the logged next state."),
    BF_OPTION(estimate_options, json, NULL,
              "[FILE]: One JSON object on standard output and nothing else there, or in FILE "
              "(which ends in .json, or is given as --json=FILE)."),
    BF_OPTION(estimate_options, weights_out, NULL,
              "FILE: Write the weight of every transition, one per line, in the log's order."),
    BF_OPTION(estimate_options, strict, "no",
              "Exit with status 1 where the answer should not be trusted."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options", estimate_options, rows);

extern const bf__command bf__command_estimate;

static bf_status write_weights(const char *path, const bf_estimate *estimate, int64_t n,
                               bf_error *err) {
    if (!estimate->weights)
        return bf_fail(err, BF_EUSAGE, "--weights-out: this method has no weights");
    bf__output output;
    BF_TRY(bf__output_open(&output, path, err));
    fputs("w\n", output.file);
    for (int64_t i = 0; i < n; i++)
        fprintf(output.file, "%.17g\n", estimate->weights[i]);
    return bf__output_commit(&output, err);
}

static bf_status write_answer(bf__tool *tool, const estimate_options *o, const bf__answer *answer,
                              bf_error *err) {
    bf__output output;
    if (!o->json) {
        bf__report_text(tool->out, answer);
        return BF_OK;
    }
    if (strcmp(o->json, "-") == 0)
        return bf__report_json(tool->out, answer, err);
    BF_TRY(bf__output_open(&output, o->json, err));
    bf_status status = bf__report_json(output.file, answer, err);
    if (status != BF_OK) {
        bf__output_abandon(&output);
        return status;
    }
    BF_TRY(bf__output_commit(&output, err));
    bf__report_text(tool->out, answer);
    return BF_OK;
}

/* An option of another method is known, but not here. */
static bf_status explain_option(int argc, char **argv, const bf_estimator *chosen,
                                const bf_error *cause, bf_error *err) {
    for (int i = 0; i < argc; i++)
        for (int e = 0; bf_estimator_at(e); e++) {
            const bf_estimator *other = bf_estimator_at(e);
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[i], "="), argv[i]);
            if (chosen->options && strlen(name) > 2 && bf_options_find(chosen->options, name + 2))
                break; /* it has one too: the value is what is wrong */
            if (other != chosen && other->options && strncmp(name, "--", 2) == 0 &&
                strncmp(cause->message, name, strlen(name)) == 0 &&
                bf_options_find(other->options, name + 2))
                return bf_fail(err, BF_EUSAGE, "%s: an option of --method %s, not of %s", name,
                               other->name, chosen->name);
        }
    *err = *cause;
    return cause->status;
}

static bf_status answer_question(bf__tool *tool, const estimate_options *o,
                                 const bf_read_options *read, const bf_estimator *estimator,
                                 const void *method_options, const bf__slot *slots, int slot_count,
                                 const char *const *paths, int path_count, int *exit_status,
                                 bf_error *err) {
    bf_dataset data;
    bf_estimate estimate;
    double begun = bf__seconds();
    BF_TRY(bf_dataset_read(&data, paths, path_count, read, &tool->context, tool->arena, err));
    if (data.ignored)
        bf__log(&tool->context, BF_LOG_WARNING, "columns not known and not used: %s", data.ignored);
    if (o->policy) {
        const bf_policy *policy;
        BF_TRY(bf__policy_parse(&policy, o->policy, data.actions, 1, tool->arena, err));
        BF_TRY(bf_policy_apply(policy, &data, tool->arena, err));
    }
    double ready = bf__seconds(), naive = 0;
    bf_problem problem = {&data, o->gamma, o->terminal};
    BF_TRY(bf_estimator_run(estimator, &estimate, &problem, method_options, &tool->context,
                            tool->arena, err));
    for (int64_t i = 0; i < data.n; i++)
        naive += data.reward[i] / (double)data.n;
    bf__settings settings[8];
    for (int i = 0; i < slot_count; i++)
        settings[i] = (bf__settings){slots[i].table, slots[i].options};
    bf__answer answer = {.problem = &problem,
                         .estimator = estimator,
                         .estimate = &estimate,
                         .naive = naive,
                         .settings = settings,
                         .settings_count = slot_count,
                         .seconds_read = ready - begun,
                         .seconds_estimate = bf__seconds() - ready};
    if (o->weights_out)
        BF_TRY(write_weights(o->weights_out, &estimate, data.n, err));
    BF_TRY(write_answer(tool, o, &answer, err));
    for (int i = 0; i < estimate.warning_count && o->strict; i++)
        if (estimate.warnings[i].distrust)
            *exit_status = 1;
    return BF_OK;
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    estimate_options o;
    bf_read_options read;
    const char *method = bf__args_peek(argc, argv, "method");
    const bf_estimator *estimator = bf_estimator_find(method ? method : rows[0].initial);
    if (!estimator)
        return bf_fail(err, BF_EUSAGE,
                       "--method: '%s' is not an estimator; `backflow list estimators` shows all",
                       method);
    bf__slot slots[4] = {{&table, &o}, {&bf_read_table, &read}, {&bf__common_table, &tool->common}};
    int slot_count = 3;
    void *method_options = NULL;
    if (estimator->options) {
        method_options = bf_arena_zalloc(tool->arena, 1, estimator->options->size, err);
        if (!method_options)
            return BF_ENOMEM;
        slots[slot_count++] = (bf__slot){estimator->options, method_options};
    }
    const char **words;
    int count;
    BF_ALLOC(words, tool->arena, argc + 1, err);
    bf_error cause;
    if (bf__args_parse(tool, slots, slot_count, argc, argv, words, &count, &cause) != BF_OK)
        return explain_option(argc, argv, estimator, &cause, err);
    if (tool->common.help) {
        bf__args_help(tool, &bf__command_estimate, slots, slot_count);
        return BF_OK;
    }
    if (count == 0)
        return bf_fail(err, BF_EUSAGE, "no log given; backflow estimate --help shows how");
    return answer_question(tool, &o, &read, estimator, method_options, slots, slot_count, words,
                           count, exit_status, err);
}

const bf__command bf__command_estimate = {
    .name = "estimate",
    .summary = "what a target policy would earn, from a log",
    .usage = "estimate DATA... [--policy P] [options]",
    .text =
        "Reads a log of transitions (s, a, r, s'), CSV or NPZ, and says what the target policy\n"
        "would earn per step in the long run. The target policy is in the log (columns npi0,\n"
        "npi1, ..., and pi0, ... where steps terminate or --gamma is below 1) or in --policy.\n"
        "Nothing has to be known about how the log was collected.\n\n"
        "Examples:\n"
        "  backflow estimate log.csv\n"
        "  backflow estimate day1.csv day2.csv --policy table.csv --json answer.json\n"
        "  backflow estimate log.npz --gamma 0.99 --terminal absorb\n",
    .run = run,
};
