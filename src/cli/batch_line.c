/* batch_line.c - One question of a batch becomes one line of JSON.
 *
 * It is asked as `estimate` would ask it: by the same code, so that the digits are the same. What
 * the tool would say on standard error stands in the line. */
#include "cli/batch_line.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

/* ---- Lines */

static void put_string(FILE *out, const char *text) {
    json_t *string = json_string(text);
    char plain[1024], *said;
    if (!string) { /* not UTF-8 */
        snprintf(plain, sizeof plain, "%s", text);
        for (char *c = plain; *c; c++)
            *c = (char)(*c & 0x80 ? '?' : *c);
        string = json_string(plain);
    }
    said = json_dumps(string, JSON_ENCODE_ANY);
    fputs(said ? said : "\"\"", out);
    free(said);
    json_decref(string);
}

/* JSON in one line: without the white space outside of strings, but for one blank after a comma
 * or colon. */
static void put_compact(FILE *out, const char *json) {
    bool inside = false;
    for (const char *c = json; *c; c++) {
        if (inside || !strchr(" \t\r\n", *c))
            fputc(*c, out);
        if (!inside && (*c == ',' || *c == ':'))
            fputc(' ', out);
        if (inside && *c == '\\' && c[1])
            fputc(*++c, out);
        else if (*c == '"')
            inside = !inside;
    }
}

/* What a question was told while it ran. */
typedef struct voice {
    bool (*go_on)(const void *context);
    const void *context;
    FILE *out; /* the strings of a JSON array */
    int count;
} voice;

static void on_message(void *context, bf_message_level level, const char *text) {
    voice *v = context;
    char said[2048];
    if (level == BF_MESSAGE_DEBUG)
        return;
    snprintf(said, sizeof said, "%s", text);
    fputs(v->count++ ? ", " : "", v->out);
    put_string(v->out, bf__flags(said));
}

static bool on_progress(void *context, const bf_progress *progress) {
    const voice *v = context;
    (void)progress;
    return v->go_on(v->context);
}

void bf__batch_names(FILE *out, const bf__questions *all, const bf__batch_question *question) {
    const bf__batch_log *log = &all->logs[question->log];
    fputs(log->count > 1 ? "\"log\": [" : "\"log\": ", out);
    for (int k = 0; k < log->count; k++) {
        fputs(k ? ", " : "", out);
        put_string(out, log->paths[k]);
    }
    fputs(log->count > 1 ? "], " : ", ", out);
    size_t length = question->text ? bf__compare_name(question->text) : 0;
    if (length) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)length, question->text);
        fputs("\"name\": ", out);
        put_string(out, name);
        fputs(", ", out);
    }
    if (question->policy) {
        fputs("\"policy\": ", out);
        put_string(out, question->policy);
        fputs(", ", out);
    }
}

/* ---- One question */

static bf_status answer(const char **json, bool *cannot_tell, const bf__batch_way *way,
                        bf__tool *tool, const bf__job *j, bf_error *err) {
    bf_answer found;
    BF_TRY(bf__methods_check(&way->with->methods, &j->q.problem, tool->arena, err));
    BF_TRY(bf__ask_method(&found, tool, j, 0, err));
    BF_TRY(bf__ask_further(&found, tool, way->further, j, err));
    *cannot_tell = bf_trust_verdict(found.trust) == BF_VERDICT_CANNOT_TELL;
    return bf_report_json(json, &found, tool->arena, err);
}

static void close_commands(bf__tool *tool) {
    for (int k = 0; k < tool->command_count; k++)
        bf_policy_close(tool->commands[k]);
}

static bf_status ask_in_memory(const char **json, bool *cannot_tell, const bf__batch_way *way,
                               bf__tool *tool, const bf__batch_question *question,
                               const bf__asked *asked, bf_error *err) {
    bf__job j = {.with = way->with};
    bf__shelved log;
    bf_status status = bf__shelf_take(&log, way->shelf, question->log, &tool->context, err);
    if (status == BF_OK) {
        j.q.seconds_read = log.seconds;
        j.q.problem = (bf_problem){.data = log.data,
                                   .gamma = asked->gamma,
                                   .terminal = asked->terminal,
                                   .size = sizeof j.q.problem};
        status = bf__question_apply(&j.q, tool, asked, err);
    }
    if (status == BF_OK)
        status = answer(json, cannot_tell, way, tool, &j, err);
    close_commands(tool);
    bf__shelf_give_back(way->shelf, question->log, &log);
    return status;
}

/* The log is read for this question alone, as `estimate` reads one that does not fit. */
static bf_status ask_in_pieces(const char **json, bool *cannot_tell, const bf__batch_way *way,
                               const bf__opening *with, bf__tool *tool, const bf__asked *asked,
                               bf_error *err) {
    const bf__further *f = way->further;
    bf__large large = {.options = NULL};
    bf__job j = {.with = with, .large = &large, .whole = !f->horizon && !f->risk && !f->by};
    bf_status status = bf__large_load(&large, &j.q, tool, way->large, asked, with, err);
    if (status == BF_OK)
        status = answer(json, cannot_tell, way, tool, &j, err);
    close_commands(tool);
    bf__large_close(&large);
    return status;
}

static bf_status ask(const char **json, bool *cannot_tell, const bf__batch_way *way, bf__tool *tool,
                     const bf__batch_question *question, bf_error *err) {
    const bf__batch_log *log = &way->logs[question->log];
    bf__opening with = *way->with;
    bf__asked asked = way->asked;
    bool pieces = false;
    asked.policy = question->policy;
    with.log_count = log->count;
    BF_ALLOC(with.logs, tool->arena, log->count, err);
    memcpy(with.logs, log->paths, (size_t)log->count * sizeof *with.logs);
    bf_status status = bf__large_wanted(&pieces, way->large, tool, &with, err);
    if (status == BF_OK)
        status = pieces ? ask_in_pieces(json, cannot_tell, way, &with, tool, &asked, err)
                        : ask_in_memory(json, cannot_tell, way, tool, question, &asked, err);
    return bf__args_flags(way->with->slots, way->with->slot_count, status, err);
}

static void put_line(FILE *out, const char *messages, const char *json, const bf__line_head *head) {
    fwrite(head, sizeof *head, 1, out);
    if (*messages)
        fprintf(out, "\"messages\": [%s], ", messages);
    if (json) {
        fputs("\"answer\": ", out);
        put_compact(out, json);
    } else {
        fputs("\"error\": ", out);
        put_string(out, head->failure.message);
        fprintf(out, ", \"status\": %d", bf_status_exit(head->failure.status));
    }
    fputs("}", out);
}

/* A copy in the arena, with names as flags. */
static bf_status said(const char **out, const char *text, bf_arena *arena, bf_error *err) {
    char *copy;
    *out = NULL;
    if (!text)
        return BF_OK;
    BF_ALLOC(copy, arena, (int64_t)strlen(text) + 1, err);
    *out = bf__flags(strcpy(copy, text));
    return BF_OK;
}

/* What was written into memory, in the arena. Gives the memory back. */
static bf_status close_text(const void **out, size_t *size, FILE *file, char **text,
                            bf_arena *arena, bf_error *err) {
    char *copy = NULL;
    bool good = file && fclose(file) == 0;
    if (good)
        copy = bf_arena_alloc(arena, (int64_t)*size + 1, 1, err);
    if (copy)
        memcpy(copy, *text, *size + 1);
    free(*text);
    *text = NULL;
    *out = copy;
    return copy ? BF_OK : bf_fail(err, BF_ENOMEM, "out of memory");
}

bf_status bf__batch_line(const void **bytes, size_t *size, const bf__batch_way *way,
                         const bf__batch_question *question, bool (*go_on)(const void *context),
                         const void *context, bf_arena *arena, bf_error *err) {
    const char *json = NULL;
    const void *messages;
    char *text = NULL;
    bf__line_head head = {.cannot_tell = false};
    voice v = {.go_on = go_on, .context = context, .out = open_memstream(&text, size)};
    bf__tool tool = {.common = *way->common, .arena = arena};
    tool.context = (bf_context){{on_message, on_progress, &v}, way->threads, way->common->seed};
    bf_status status =
        v.out ? ask(&json, &head.cannot_tell, way, &tool, question, &head.failure) : BF_ENOMEM;
    BF_TRY(close_text(&messages, size, v.out, &text, arena, err));
    if (status == BF_ECANCELLED) {
        *err = head.failure;
        return status;
    }
    if (status == BF_OK)
        head.failure = (bf_error){BF_OK, ""};
    bf__flags(head.failure.message);
    BF_TRY(said(&json, json, arena, err));
    FILE *out = open_memstream(&text, size);
    if (out)
        put_line(out, messages, json, &head);
    return close_text(bytes, size, out, &text, arena, err);
}
