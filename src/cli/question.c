/* question.c - What was asked and what it is asked of: the log, the target, the behaviour. */
#include "cli/question.h"

#include <stdio.h>
#include <string.h>

static bf_status take_behavior(bf__question *q, bf__tool *tool, const char *spec, bool several,
                               bf_error *err) {
    const bf_dataset *data = q->problem.data;
    const bf_policy *policy;
    bf_array mu;
    if (several && strcmp(spec, "estimate") == 0 && bf_dataset_actions(data) == 0) {
        bf__tool_note(tool, BF_MESSAGE_WARNING,
                      "--behavior estimate needs discrete actions, and those of the log are "
                      "vectors: it is left out");
        return BF_OK;
    }
    if (bf_dataset_column(&mu, data, "mu") || bf_dataset_column(&mu, data, "mu_all"))
        bf__tool_note(tool, BF_MESSAGE_NOTE, "--behavior takes the place of the log's columns mu");
    if (strcmp(spec, "estimate") != 0) {
        BF_TRY(bf_policy_parse(&policy, spec, bf_dataset_actions(data), tool->arena, err));
        return bf_behavior_apply(&q->problem.data, policy, data, tool->arena, err);
    }
    BF_TRY(bf_behavior_fit(&q->problem.data, data, &tool->context, tool->arena, err));
    const bf_behavior *b = bf_dataset_behavior(q->problem.data);
    if (strcmp(b->model, "counts") == 0)
        bf__tool_note(tool, BF_MESSAGE_NOTE,
                      "behaviour policy estimated from the log: shares of actions per state");
    else
        bf__tool_note(
            tool, BF_MESSAGE_NOTE,
            "behaviour policy estimated from the log: logistic regression on %lld features, "
            "ridge %g; on rows it was not fitted to: log likelihood %.4f (%.4f without looking "
            "at states), calibration error %.4f",
            (long long)b->features, b->ridge, b->likelihood, b->frequencies, b->calibration);
    return BF_OK;
}

/* The options of reading, with one more column to keep. */
static bf_status keep_also(bf_read_options *out, const bf_read_options *read, const char *column,
                           bf_arena *arena, bf_error *err) {
    *out = *read;
    if (column && read->keep) {
        size_t room = strlen(read->keep) + strlen(column) + 2;
        char *both;
        BF_ALLOC(both, arena, (int64_t)room, err);
        snprintf(both, room, "%s,%s", read->keep, column);
        out->keep = both;
    } else if (column) {
        out->keep = column;
    }
    return BF_OK;
}

/* Columns that groups can be made of without being kept. */
static bool has_meaning(const char *column) {
    return strcmp(column, "a") == 0 || strcmp(column, "s") == 0;
}

bf_status bf__policy_open(const bf_policy **out, bf__tool *tool, const char *text,
                          const bf_dataset *data, const bf_command_options *how, bf_error *err) {
    size_t length = strlen(BF__COMMAND_MARK);
    if (strncmp(text, BF__COMMAND_MARK, length) != 0)
        return bf_policy_parse(out, text, bf_dataset_actions(data), tool->arena, err);
    BF_TRY(bf_policy_from_command(out, text + length, data, how, tool->arena, err));
    tool->commands[tool->command_count++] = *out; /* no more than a list has room for */
    return BF_OK;
}

bf_status bf__question_reading(bf_read_options *out, const bf__asked *o,
                               const bf_read_options *read, bf_arena *arena, bf_error *err) {
    BF_TRY(keep_also(out, read, o->cluster, arena, err));
    if (o->by && !has_meaning(o->by) && !(o->cluster && strcmp(o->by, o->cluster) == 0))
        BF_TRY(keep_also(out, out, o->by, arena, err));
    return BF_OK;
}

bf_status bf__question_apply(bf__question *q, bf__tool *tool, const bf__asked *o, bf_error *err) {
    bf_problem *problem = &q->problem;
    if (bf_dataset_ignored(problem->data))
        bf__tool_note(tool, BF_MESSAGE_WARNING, "columns not known and not used: %s",
                      bf_dataset_ignored(problem->data));
    char gaps[512];
    if (bf_dataset_gaps_text(problem->data, gaps, sizeof gaps))
        bf__tool_note(tool, BF_MESSAGE_WARNING, "%s", gaps);
    if (bf_dataset_rows_left_out(problem->data))
        bf__tool_note(tool, BF_MESSAGE_NOTE, "--max-rows left out %lld rows, in whole episodes",
                      (long long)bf_dataset_rows_left_out(problem->data));
    if (bf_dataset_mirrored(problem->data))
        bf__tool_note(tool, BF_MESSAGE_NOTE,
                      "every row counts as its mirror, too: half of the %lld transitions are "
                      "mirrored ones",
                      (long long)bf_dataset_rows(problem->data));
    if (o->policy) {
        BF_TRY(bf__policy_open(&problem->target, tool, o->policy, problem->data, o->command, err));
        BF_TRY(bf_policy_bind(&problem->target, problem->target, problem->data, tool->arena, err));
        BF_TRY(bf_policy_apply(&problem->data, problem->target, problem->data, tool->arena, err));
    }
    return o->behavior ? take_behavior(q, tool, o->behavior, o->several, err) : BF_OK;
}

bf_status bf__question_load(bf__question *q, bf__tool *tool, const bf__asked *o,
                            const bf_read_options *read, const char *const *paths, int count,
                            bf_error *err) {
    double begun = bf__tool_seconds();
    bf_problem *problem = &q->problem;
    bf_read_options reading;
    *problem = (bf_problem){.gamma = o->gamma, .terminal = o->terminal, .size = sizeof *problem};
    BF_TRY(bf__question_reading(&reading, o, read, tool->arena, err));
    BF_TRY(
        bf_dataset_read(&problem->data, paths, count, &reading, &tool->context, tool->arena, err));
    BF_TRY(bf__question_apply(q, tool, o, err));
    q->seconds_read = bf__tool_seconds() - begun;
    return BF_OK;
}
