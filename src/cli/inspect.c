/* inspect.c - `backflow inspect`: what a log was understood to hold.
 *
 * A log that would take more than half a gigabyte is read in pieces, once, for a pass `survey`. If
 * it cannot be cut into pieces (it has words, or comes from a pipe), it is read into memory. */
#include <stdio.h>
#include <string.h>

#include "cli/pieces.h"

typedef struct inspect_options {
    const char *json;
    double max_memory;
} inspect_options;

static const bf_option rows[] = {
    BF_OPTION(inspect_options, json, NULL,
              "[FILE]: One JSON object on standard output, or in FILE, instead of text."),
    BF_OPTION_RANGE(inspect_options, max_memory, "0", 0, 1e6,
                    "GB: If the log would take more than this, read it in pieces, or refuse it if "
                    "it cannot be cut (docs/scale.md). 0: more than 0.5 is read in pieces, or into "
                    "memory if it cannot be cut."),
};
static const bf_option_table table = BF_OPTION_TABLE("Output", inspect_options, rows);

extern const bf__command bf__command_inspect;

enum { MOST_FAULTS = 50, PIECE = 16 << 20 };
static const double usual = 0.5; /* GB that a log may take as a whole */

/* ---- Logs that cannot be read */

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

/* ---- In pieces */

typedef struct survey {
    bf_pass *pass;
    const bf_stream *stream;
    bf_file_rows *files; /* (count) */
    int count;
} survey;

static bf_status add_piece(void *self, const bf_dataset *data, int64_t first, int64_t piece,
                           bf_arena *arena, bf_error *err) {
    survey *s = self;
    (void)arena;
    for (int f = 0; f < s->count; f++)
        if (s->files[f].path == bf_stream_file(s->stream, piece))
            s->files[f].rows += bf_dataset_rows(data);
    return bf_pass_add(s->pass, data, first, err);
}

static bf_status look_at(survey *s, bf__tool *tool, bf_stream *stream, bf_error *err) {
    s->stream = stream;
    BF_ALLOC(s->files, tool->arena, bf_stream_pieces(stream), err);
    for (int64_t k = 0; k < bf_stream_pieces(stream); k++) {
        const char *path = bf_stream_file(stream, k);
        if (s->count == 0 || s->files[s->count - 1].path != path)
            s->files[s->count++] = (bf_file_rows){path, 0};
    }
    BF_TRY(bf_pass_survey(&s->pass, tool->arena, err));
    BF_TRY(bf__pieces_read(tool, stream, "reading", add_piece, s, err));
    return bf_stream_settle(stream, 0, 0, err);
}

/* Bytes of a piece, so that a piece with its rows is a small part of the memory. */
static int64_t piece_bytes(double max_memory) {
    double bytes = 1e9 * max_memory / 32;
    return bytes <= 0 || bytes > PIECE ? PIECE : bytes < 65536 ? 65536 : (int64_t)bytes;
}

/* *done: the log was read in pieces, and the texts are there. */
static bf_status try_pieces(bool *done, const char **text, const char **json, bf__tool *tool,
                            const inspect_options *o, const bf__words *words,
                            const bf_read_options *reading, bf_error *err) {
    double most = 1e9 * (o->max_memory > 0 ? o->max_memory : usual);
    bf_stream *stream;
    survey s = {NULL};
    *done = false;
    BF_TRY(bf_stream_open(&stream, words->word, words->count, reading, piece_bytes(o->max_memory),
                          tool->arena, err));
    if (BF__OF_BYTES * (double)bf_stream_bytes(stream, -1) <= most)
        return BF_OK;
    bf_status status = look_at(&s, tool, stream, err);
    bf_stream_close(stream);
    BF_TRY(status);
    *done = true;
    BF_TRY(bf_report_survey_json(json, s.pass, s.files, s.count, tool->arena, err));
    return bf_report_survey_text(text, s.pass, s.files, s.count, tool->arena, err);
}

/* ---- The command */

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    inspect_options o;
    bf_read_options reading;
    bf__slot slots[] = {
        {&table, &o}, {&bf_read_table, &reading}, {&bf__common_table, &tool->common}};
    bf__words words;
    BF_TRY(bf__args_begin(tool, &bf__command_inspect, slots, 3, argc, argv, &words, err));
    if (words.help)
        return BF_OK;
    if (words.count == 0)
        return bf_fail(err, BF_EUSAGE, "no log given: backflow inspect DATA...");
    const bf__written outputs[] = {{"--json", o.json}, {NULL, NULL}};
    BF_TRY(bf__check_outputs(outputs, words.word, words.count, err));
    const char *json, *text;
    bool done;
    bf_status status = try_pieces(&done, &text, &json, tool, &o, &words, &reading, err);
    if (status == BF_ECANCELLED || status == BF_ENOMEM || (status != BF_OK && o.max_memory > 0))
        return status;
    if (!done) { /* small, or not to be cut; reading it will tell what is wrong */
        const bf_dataset *data;
        status = bf_dataset_read(&data, words.word, words.count, &reading, &tool->context,
                                 tool->arena, err);
        if (status != BF_OK)
            return list_faults(tool, &words, &reading, o.json, status, err);
        BF_TRY(bf_report_log_json(&json, data, tool->arena, err));
        BF_TRY(bf_report_log_text(&text, data, tool->arena, err));
    }
    return bf__answer_give(tool, o.json, o.json ? NULL : text, json, err);
}

const bf__command bf__command_inspect = {
    .name = "inspect",
    .summary = "what is in a log: shapes, ranges, episodes, problems",
    .usage = "inspect DATA... [--json [FILE]] [options]",
    .text = "Reads a log (several files are one log) and says what it was understood to hold.\n"
            "If it cannot be read, every problem is listed, in the JSON as well.\n",
    .run = run,
};
