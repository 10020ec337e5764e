/* answers.c - A file of answers, one JSON object a line, from which an interrupted batch goes on.
 *
 * A line is one write at the end of the file, so that a crash can damage only the last line. */
#include "cli/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct bf__answers {
    const char *path; /* NULL: standard output */
    int file;
    bool echo; /* lines go to standard output as well */
};

static bf_status failed(const char *path, const char *what, bf_error *err) {
    return bf_fail(err, BF_EFILE, "%s: cannot be %s: %s", path, what, strerror(errno));
}

/* ---- Keys */

typedef struct hash {
    uint64_t state, length;
} hash;

static void stir(hash *h, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    h->length += size;
    for (; size > 0; at += 8, size -= size < 8 ? size : 8) {
        uint64_t word = 0;
        memcpy(&word, at, size < 8 ? size : 8);
        h->state = (h->state ^ word) * 0x9E3779B97F4A7C15u;
        h->state ^= h->state >> 32;
    }
}

/* A file that cannot be read counts as an empty one: who reads it will say so. */
static bf_status stir_file(hash *h, const char *path, bf_error *err) {
    enum { SIZE = 1 << 16 };
    struct stat about;
    FILE *file = stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    char *buffer = malloc(SIZE);
    size_t got;
    while (file && buffer && (got = fread(buffer, 1, SIZE, file)) > 0)
        stir(h, buffer, got);
    stir(h, &h->length, sizeof h->length);
    if (file)
        fclose(file);
    bool good = buffer;
    free(buffer);
    return good ? BF_OK : bf_fail(err, BF_ENOMEM, "out of memory");
}

bf_status bf__key_of(bf__key *out, const char *text, const char *const *specs, bf_error *err) {
    hash h = {1, 0};
    char path[4096];
    stir(&h, text, strlen(text));
    for (; *specs; specs++)
        for (int k = 0; bf__named_file(path, *specs, k); k++)
            BF_TRY(stir_file(&h, path, err));
    snprintf(out->text, sizeof out->text, "%016" PRIx64, h.state);
    return BF_OK;
}

/* ---- What is there */

typedef struct contents {
    char *kept, *old; /* lines that stay, and those that answer other questions */
    size_t kept_size, old_size;
    FILE *keep, *move, *echo; /* echo NULL: nowhere */
    int64_t moved;
    bool changed; /* something does not stay */
} contents;

/* The question that the line is about, by its names; -1: none. */
static int64_t question_of(const char *line, const bf__key *keys, int64_t count) {
    static const char *const next[] = {"\"messages\"", "\"answer\"", "\"error\""};
    const char *names = strchr(line, ',') ? strchr(line, ',') + 2 : line; /* after the key */
    for (int64_t k = 0; k < count; k++) {
        size_t length = strlen(keys[k].names);
        if (strncmp(names, keys[k].names, length) != 0)
            continue;
        for (int i = 0; i < 3; i++)
            if (strncmp(names + length, next[i], strlen(next[i])) == 0)
                return k;
    }
    return -1;
}

static bf_status sort_line(contents *c, const char *line, size_t size, const char *path,
                           int64_t number, bf__known *known, const bf__key *keys, int64_t count,
                           bf_error *err) {
    json_t *object = json_loadb(line, size, 0, NULL), *answer = json_object_get(object, "answer");
    const char *key = json_string_value(json_object_get(object, "key"));
    bool answered = answer, ours = key && (answer || json_object_get(object, "error"));
    int64_t k = ours ? question_of(line, keys, count) : -1;
    bool same = k >= 0 && strcmp(keys[k].text, key) == 0;
    bool stays = answered && (k < 0 || (same && !known->answered[k]));
    if (stays && k >= 0) {
        known->answered[k] = true;
        known->untrusted = known->untrusted || json_is_false(json_object_get(answer, "trusted"));
    }
    json_decref(object);
    if (!ours)
        return bf_fail(err, BF_EFORMAT,
                       "%s:%lld: is not an answer of backflow batch; --fresh begins the file anew",
                       path, (long long)number);
    c->changed = c->changed || !stays;
    if (stays && k >= 0 && c->echo)
        fwrite(line, 1, size, c->echo);
    if (stays)
        fwrite(line, 1, size, c->keep);
    else if (answered)
        c->moved += fwrite(line, 1, size, c->move) > 0;
    return BF_OK;
}

static bf_status sort_lines(contents *c, FILE *file, const char *path, bf__known *known,
                            const bf__key *keys, int64_t count, bf_error *err) {
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    bf_status status = BF_OK;
    for (int64_t number = 1; status == BF_OK && (size = getline(&line, &room, file)) > 0; number++)
        if (line[size - 1] == '\n')
            status = sort_line(c, line, (size_t)size, path, number, known, keys, count, err);
        else
            c->changed = true; /* it was cut off */
    free(line);
    return status;
}

/* Puts lines at the end of another file. */
static bf_status move_lines(const char *path, const contents *c, bf__tool *tool, bf_error *err) {
    char old[4096];
    snprintf(old, sizeof old, "%s.old", path);
    FILE *file = fopen(old, "ab");
    bool bad = !file || fwrite(c->old, 1, c->old_size, file) != c->old_size;
    bad = (file && fclose(file) != 0) || bad;
    if (bad)
        return failed(old, "written", err);
    bf__tool_note(
        tool, BF_MESSAGE_NOTE,
        "%s: a log, a policy or an option has changed since %lld of the answers; these are "
        "in %s now",
        path, (long long)c->moved, old);
    return BF_OK;
}

/* Opens the file to add lines, and locks it. */
static bf_status open_locked(bf__answers *a, bf_error *err) {
    a->file = open(a->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (a->file < 0)
        return failed(a->path, "written", err);
    if (flock(a->file, LOCK_EX | LOCK_NB) != 0)
        return bf_fail(err, BF_EFILE,
                       "%s: another process is writing to it; wait for its end, or choose another "
                       "file",
                       a->path);
    return BF_OK;
}

/* Reads the file and leaves in it only what counts. */
static bf_status settle(bf__answers *a, bf__known *known, const bf__key *keys, int64_t count,
                        bf__tool *tool, bf_error *err) {
    contents c = {.echo = a->echo ? tool->out : NULL};
    const char *path = a->path;
    FILE *file = fopen(path, "rb");
    if (!file)
        return failed(path, "read", err);
    c.keep = open_memstream(&c.kept, &c.kept_size);
    c.move = open_memstream(&c.old, &c.old_size);
    bf_status status = c.keep && c.move ? sort_lines(&c, file, path, known, keys, count, err)
                                        : bf_fail(err, BF_ENOMEM, "out of memory");
    fclose(file);
    if (c.echo)
        fflush(c.echo);
    bool bad = c.keep && fclose(c.keep) != 0;
    bad = (c.move && fclose(c.move) != 0) || bad;
    if (bad && status == BF_OK)
        status = bf_fail(err, BF_ENOMEM, "out of memory");
    if (status == BF_OK && c.moved > 0)
        status = move_lines(path, &c, tool, err);
    if (status == BF_OK && c.changed)
        status = bf_file_write(path, c.kept, c.kept_size, err);
    free(c.kept);
    free(c.old);
    if (status != BF_OK || !c.changed)
        return status;
    close(a->file); /* another file stands there now */
    return open_locked(a, err);
}

/* ---- The file */

bf_status bf__answers_open(bf__answers **out, bf__known *known, const char *path, bool fresh,
                           bool echo, const bf__key *keys, int64_t count, bf__tool *tool,
                           bf_error *err) {
    struct stat about;
    bf__answers *a;
    BF_ALLOC(a, tool->arena, 1, err);
    *a = (bf__answers){path, STDOUT_FILENO, path && echo};
    *out = a;
    BF_ALLOC(known->answered, tool->arena, count, err);
    memset(known->answered, 0, (size_t)count * sizeof *known->answered);
    known->untrusted = false;
    if (!path)
        return BF_OK;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) { /* a device or a pipe */
        a->file = open(path, O_WRONLY | O_CLOEXEC);
        return a->file < 0 ? failed(path, "written", err) : BF_OK;
    }
    BF_TRY(open_locked(a, err));
    if (fresh && ftruncate(a->file, 0) != 0)
        return failed(path, "written", err);
    return settle(a, known, keys, count, tool, err);
}

static bf_status write_line(int file, const char *path, const char *line, size_t length,
                            bf_error *err) {
    for (size_t at = 0; at < length;) {
        ssize_t wrote = write(file, line + at, length - at);
        if (wrote < 0)
            return failed(path ? path : "standard output", "written", err);
        at += (size_t)wrote;
    }
    return BF_OK;
}

bf_status bf__answers_add(bf__answers *a, const bf__key *key, const char *text, size_t size,
                          bf_error *err) {
    char *line = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&line, &length);
    if (out)
        fprintf(out, "{\"key\": \"%s\", %s%.*s\n", key->text, key->names, (int)size, text);
    if (!out || fclose(out) != 0) {
        free(line);
        return bf_fail(err, BF_ENOMEM, "out of memory");
    }
    bf_status status = write_line(a->file, a->path, line, length, err);
    if (status == BF_OK && a->echo)
        status = write_line(STDOUT_FILENO, NULL, line, length, err);
    free(line);
    return status;
}

void bf__answers_close(bf__answers *a) {
    if (a && a->path && a->file >= 0)
        close(a->file);
}
