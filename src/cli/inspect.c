/* inspect.c - `backflow inspect`: what a log was understood to hold. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

typedef struct inspect_options {
    const char *json;
} inspect_options;

static const bf_option rows[] = {
    BF_OPTION(inspect_options, json, NULL,
              "[FILE]: One JSON object on standard output, or in FILE, instead of text."),
};
static const bf_option_table table = BF_OPTION_TABLE("Output", inspect_options, rows);

extern const bf__command bf__command_inspect;

enum { MOST_FAULTS = 50 };

/* ---- The command */

/* What was found, a line each. */
static bf_status say_faults(bf__tool *tool, const bf_fault *faults, int listed, int64_t found,
                            bf_error *err) {
    size_t size = 128, used = 0;
    char *all;
    for (int k = 0; k < listed; k++)
        size += strlen(faults[k].message) + 1;
    BF_ALLOC(all, tool->arena, (int64_t)size, err);
    used += (size_t)snprintf(all, size, "%lld problems", (long long)found);
    if (listed < found)
        used +=
            (size_t)snprintf(all + used, size - used, ", of which these are the first %d", listed);
    used += (size_t)snprintf(all + used, size - used, ":\n");
    for (int k = 0; k < listed; k++)
        used += (size_t)snprintf(all + used, size - used, "%s\n", faults[k].message);
    return bf__answer_say(tool, all, err);
}

/* Shows all that is wrong with a log that could not be read. The first fault stays the error. */
static bf_status list_faults(bf__tool *tool, const bf__words *words, const bf_read_options *reading,
                             const char *json, bf_status status, bf_error *err) {
    bf_fault first = {.episode = -1, .row = -1, .count = 1, .message = err ? err->message : ""};
    const bf_fault *faults = &first;
    const char *text;
    int listed = 1;
    int64_t found = -1;
    bool again = true;
    bf_error other;
    if (status != BF_EDATA && status != BF_EFORMAT)
        return status;
    for (int k = 0; k < words->count; k++)
        again = again && strcmp(words->word[k], "-") != 0; /* it cannot be read again */
    if (again && bf_dataset_faults(&faults, &listed, &found, words->word, words->count, reading,
                                   MOST_FAULTS, &tool->context, tool->arena, &other) != BF_OK)
        return status;
    if (!json && found > 1)
        BF_TRY(say_faults(tool, faults, listed, found, &other));
    if (!json)
        return status;
    BF_TRY(bf_report_faults_json(&text, faults, listed, found, words->word, words->count,
                                 tool->arena, &other));
    BF_TRY(bf__answer_give(tool, json, NULL, text, &other));
    return status;
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    inspect_options options;
    bf_read_options reading;
    bf__slot slots[] = {
        {&table, &options}, {&bf_read_table, &reading}, {&bf__common_table, &tool->common}};
    bf__words words;
    BF_TRY(bf__args_begin(tool, &bf__command_inspect, slots, 3, argc, argv, &words, err));
    if (words.help)
        return BF_OK;
    if (words.count == 0)
        return bf_fail(err, BF_EUSAGE, "no log given: backflow inspect DATA...");
    const bf__written outputs[] = {{"--json", options.json}, {NULL, NULL}};
    BF_TRY(bf__check_outputs(outputs, words.word, words.count, err));
    const bf_dataset *data;
    bf_status status =
        bf_dataset_read(&data, words.word, words.count, &reading, &tool->context, tool->arena, err);
    if (status != BF_OK)
        return list_faults(tool, &words, &reading, options.json, status, err);
    const char *json, *text;
    BF_TRY(bf_report_log_json(&json, data, tool->arena, err));
    BF_TRY(bf_report_log_text(&text, data, tool->arena, err));
    return bf__answer_give(tool, options.json, options.json ? NULL : text, json, err);
}

const bf__command bf__command_inspect = {
    .name = "inspect",
    .summary = "what is in a log: shapes, ranges, episodes, problems",
    .usage = "inspect DATA... [--json [FILE]] [options]",
    .text = "Reads a log (several files are one log) and says what it was understood to hold.\n"
            "If it cannot be read, every problem is listed, in the JSON as well.\n",
    .run = run,
};
