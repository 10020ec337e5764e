/* questions.c - The questions of a batch: every log with every policy. */
#include "cli/questions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare.h"

typedef struct texts {
    const char **text; /* (room): policies */
    int64_t count, room;
} texts;

/* `place` is where the text stands, for messages. */
static bf_status add(texts *t, const char *text, const char *place, bf_arena *arena,
                     bf_error *err) {
    size_t name = bf__compare_name(text);
    for (int64_t k = 0; k < t->count; k++) {
        bool same = strcmp(t->text[k], text) == 0;
        if (same ||
            (name && bf__compare_name(t->text[k]) == name && strncmp(t->text[k], text, name) == 0))
            return bf_fail(err, BF_EUSAGE, "%s: '%.*s' is there twice%s", place,
                           same ? (int)strlen(text) : (int)name, text,
                           same ? "" : ", as the name of two policies");
    }
    if (t->count == t->room) {
        const char **larger;
        t->room = t->room ? 2 * t->room : 64;
        BF_ALLOC(larger, arena, t->room, err);
        for (int64_t k = 0; k < t->count; k++)
            larger[k] = t->text[k];
        t->text = larger;
    }
    t->text[t->count++] = text;
    return BF_OK;
}

static bf_status copy(char **out, const char *text, size_t size, bf_arena *arena, bf_error *err) {
    BF_ALLOC(*out, arena, (int64_t)size + 1, err);
    memcpy(*out, text, size);
    (*out)[size] = '\0';
    return BF_OK;
}

/* One line: a policy, or nothing if it is empty or begins with #. */
static bf_status take_line(texts *t, char *line, const char *name, int number, bf_arena *arena,
                           bf_error *err) {
    char place[4200], *text, *where;
    size_t size = strlen(line);
    while (size > 0 && strchr(" \t\r\n", line[size - 1]))
        line[--size] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return BF_OK;
    snprintf(place, sizeof place, "%.4000s:%d", name, number);
    BF_TRY(copy(&where, place, strlen(place), arena, err));
    BF_TRY(copy(&text, line, strlen(line), arena, err));
    BF_TRY(bf__compare_check(&(bf_option){.field = where}, text, err));
    return add(t, text, where, arena, err);
}

static bf_status read_list(texts *t, const char *path, bf_arena *arena, bf_error *err) {
    bool input = strcmp(path, "-") == 0;
    const char *name = input ? "standard input" : path;
    FILE *file = input ? stdin : fopen(path, "r");
    int64_t before = t->count;
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    bf_status status = BF_OK;
    if (!file)
        return bf_fail(err, BF_EFILE, "--policies: %s: cannot be opened: %s", name,
                       strerror(errno));
    for (int number = 1; status == BF_OK && (size = getline(&line, &room, file)) > 0; number++)
        status = memchr(line, '\0', (size_t)size)
                     ? bf_fail(err, BF_EFORMAT,
                               "%s:%d: is not text; a list of policies has one a "
                               "line, as P or NAME=P",
                               name, number)
                     : take_line(t, line, name, number, arena, err);
    if (status == BF_OK && ferror(file))
        status = bf_fail(err, BF_EFILE, "--policies: %s: cannot be read", name);
    free(line);
    if (!input)
        fclose(file);
    if (status == BF_OK && t->count == before)
        status = bf_fail(err, BF_EFORMAT,
                         "--policies: %s: has no policy; it should have one a line", name);
    return status;
}

bf_status bf__questions_make(bf__questions *out, const char *const *files, int file_count,
                             bool together, const bf_list *policies, const char *list,
                             bf_arena *arena, bf_error *err) {
    texts t = {0};
    out->log_count = together ? 1 : file_count;
    BF_ALLOC(out->logs, arena, out->log_count, err);
    for (int k = 0; k < out->log_count; k++) {
        out->logs[k] = (bf__batch_log){files + k, together ? file_count : 1};
        if (strcmp(files[k], "-") == 0)
            return bf_fail(err, BF_EUSAGE, "a log of a batch is a file, not standard input");
        for (int j = 0; j < k; j++)
            if (strcmp(files[j], files[k]) == 0)
                return bf_fail(err, BF_EUSAGE, "the log '%s' is there twice", files[k]);
    }
    for (int k = 0; k < policies->count; k++)
        BF_TRY(add(&t, policies->item[k], "--policy", arena, err));
    if (list)
        BF_TRY(read_list(&t, list, arena, err));
    int64_t each = t.count > 0 ? t.count : 1;
    out->count = 0;
    BF_ALLOC(out->list, arena, each * out->log_count, err);
    for (int l = 0; l < out->log_count; l++)
        for (int64_t p = 0; p < each; p++) {
            const char *text = t.count > 0 ? t.text[p] : NULL;
            out->list[out->count++] =
                (bf__batch_question){l, text, text ? bf__compare_policy(text) : NULL};
        }
    return BF_OK;
}
