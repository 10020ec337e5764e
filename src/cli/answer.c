/* answer.c - What the tool says: answers as text, JSON or both, notes, and names as users know
 * them. */
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"

/* Length of the name at `text` that ends in a backquote; 0: it is none. */
static size_t name_length(const char *text) {
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
    return text[length] == '`' ? length : 0;
}

char *bf__flags(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        size_t length = *from == '`' ? name_length(from + 1) : 0;
        if (length == 0) {
            *to++ = *from++;
            continue;
        }
        char name[64];
        size_t kept = length < sizeof name ? length : sizeof name;
        memcpy(name, from + 1, kept);
        memcpy(to, "--", 2);
        for (size_t i = 0; i < kept; i++)
            to[2 + i] = name[i] == '_' ? '-' : name[i];
        to += 2 + kept;
        from += 2 + length;
    }
    *to = '\0';
    return text;
}

/* A copy of `text` with flags. */
static bf_status translated(char **out, const char *text, bf_arena *arena, bf_error *err) {
    BF_ALLOC(*out, arena, (int64_t)strlen(text) + 1, err);
    strcpy(*out, text);
    bf__flags(*out);
    return BF_OK;
}

bool bf__answer_is_piped(const char *where) {
    return where && strcmp(where, "-") == 0;
}

bf_status bf__answer_say(const bf__tool *tool, const char *text, bf_error *err) {
    char *said;
    BF_TRY(translated(&said, text, tool->arena, err));
    fputs(said, tool->out);
    fflush(tool->out); /* whether it arrived is asked at the end */
    return BF_OK;
}

bf_status bf__answer_give(const bf__tool *tool, const char *where, const char *text,
                          const char *json, bf_error *err) {
    char *said;
    bool piped = bf__answer_is_piped(where);
    if (tool->team && tool->team->rank > 0)
        return BF_OK;
    if (where) {
        BF_TRY(translated(&said, json, tool->arena, err));
        if (piped)
            fputs(said, tool->out);
        else
            BF_TRY(bf_file_write(where, said, strlen(said), err));
    }
    return text && !piped ? bf__answer_say(tool, text, err) : BF_OK;
}

void bf__tool_note(const bf__tool *tool, bf_message_level level, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tool->context.callbacks.message(tool->context.callbacks.context, level, text);
}

double bf__tool_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
