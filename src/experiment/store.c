/* store.c - Finished runs on disk.
 *
 * The file is CSV, so that any program can read it:
 *
 *     version,problem,behavior,target,trajectories,steps,gamma,method,seed,run,value,error,seconds
 *
 * A line is one write at the end of the file, so a crash can damage only the last line. In memory,
 * the records of this version are in a hash table over their keys. */
#include "experiment/store.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backflow/machine.h"
#include "backflow/version.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"

#define HEADER                                                                                     \
    "version,problem,behavior,target,trajectories,steps,gamma,method,seed,run,value,error,"        \
    "seconds"
#define FIRST_LINE  HEADER "\n"
#define KEY_COLUMNS 10 /* with the version */

struct bf__store {
    char path[4096];
    int file;
    bf_arena *arena;
    bf__record *slots; /* (room), open addressing; key NULL: empty */
    int64_t room, count;
};

/* ---- The table */

static uint64_t hash(const char *text) {
    uint64_t h = 14695981039346656037u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

/* The place of the key, or the place where it would go. */
static bf__record *slot_of(const bf__store *store, const char *key) {
    uint64_t mask = (uint64_t)store->room - 1;
    uint64_t i = hash(key) & mask;
    while (store->slots[i].key && strcmp(store->slots[i].key, key) != 0)
        i = (i + 1) & mask;
    return &store->slots[i];
}

const bf__record *bf__store_find(const bf__store *store, const char *key) {
    const bf__record *found = slot_of(store, key);
    return found->key ? found : NULL;
}

/* If a key occurs twice, the later line counts. */
static bf_status keep(bf__store *store, const bf__record *record, bf_error *err) {
    if (2 * (store->count + 1) > store->room) {
        bf__record *larger, *old = store->slots;
        int64_t old_room = store->room;
        BF_ZALLOC(larger, store->arena, 2 * old_room, err); /* or the store stays as it is */
        store->slots = larger;
        store->room = 2 * old_room;
        for (int64_t i = 0; i < old_room; i++)
            if (old[i].key)
                *slot_of(store, old[i].key) = old[i];
    }
    bf__record *slot = slot_of(store, record->key);
    const char *key = slot->key;
    if (!key) {
        char *copy;
        BF_ALLOC(copy, store->arena, (int64_t)strlen(record->key) + 1, err);
        strcpy(copy, record->key);
        key = copy;
        store->count++;
    }
    *slot = (bf__record){key, record->value, record->error, record->seconds};
    return BF_OK;
}

/* ---- The file */

static bf_status failed(const bf__store *store, const char *what, bf_error *err) {
    return bf_fail(err, BF_EFILE, "%s: cannot be %s: %s", store->path, what, strerror(errno));
}

static bf_status append(bf__store *store, const char *text, size_t length, bf_error *err) {
    while (length > 0) {
        ssize_t wrote = write(store->file, text, length);
        if (wrote < 0)
            return failed(store, "written", err);
        text += wrote;
        length -= (size_t)wrote;
    }
    return BF_OK;
}

static bf_status write_first_line(bf__store *store, bf_error *err) {
    if (ftruncate(store->file, 0) != 0)
        return failed(store, "written", err);
    return append(store, FIRST_LINE, strlen(FIRST_LINE), err);
}

/* Reads line `number`, which is terminated and has no newline. */
static bf_status read_line(bf__store *store, char *line, int64_t number, int64_t *others,
                           bf_error *err) {
    static const char *const names[] = {"value", "error", "seconds"};
    double numbers[3];
    int columns = 1;
    char *column = line, *key = NULL, *values = NULL;
    for (; (column = strchr(column, ',')); columns++) {
        column++;
        if (columns == 1)
            key = column;
        if (columns == KEY_COLUMNS)
            values = column;
    }
    if (columns != KEY_COLUMNS + 3)
        return bf_fail(err, BF_EFORMAT,
                       "%s:%lld: %d columns where there should be %d; --fresh "
                       "starts over",
                       store->path, (long long)number, columns, KEY_COLUMNS + 3);
    key[-1] = values[-1] = '\0';
    for (int i = 0; i < 3; i++) {
        char *end = strchr(values, ',');
        if (end)
            *end = '\0';
        if (!bf__parse_real(values, &numbers[i]))
            return bf_fail(err, BF_EFORMAT,
                           "%s:%lld: %s: '%s' is not a number; --fresh starts over", store->path,
                           (long long)number, names[i], values);
        values = end ? end + 1 : values;
    }
    if (strcmp(line, bf_version()) != 0) {
        ++*others;
        return BF_OK;
    }
    return keep(store, &(bf__record){key, numbers[0], numbers[1], numbers[2]}, err);
}

static bf_status read_all(bf__store *store, int64_t size, const bf_context *context,
                          bf_error *err) {
    char *text;
    int64_t done = 0, number = 1, others = 0;
    BF_ALLOC(text, store->arena, size + 1, err);
    while (done < size) {
        ssize_t got = pread(store->file, text + done, (size_t)(size - done), (off_t)done);
        if (got <= 0)
            return failed(store, "read", err);
        done += got;
    }
    text[size] = '\0';
    /* A file that ends within its first line is empty. */
    bool begun = size < (int64_t)strlen(FIRST_LINE);
    if (strncmp(text, FIRST_LINE, begun ? (size_t)size : strlen(FIRST_LINE)) != 0)
        return bf_fail(err, BF_EFORMAT, "%s:1: is not a list of runs: the first line should be %s",
                       store->path, HEADER);
    if (begun)
        return write_first_line(store, err);
    char *line = text + strlen(FIRST_LINE), *over = text + size;
    for (char *end; (end = memchr(line, '\n', (size_t)(over - line))); line = end + 1) {
        *end = '\0';
        BF_TRY(read_line(store, line, ++number, &others, err));
    }
    if (line < over) {
        bf__message(context, BF_MESSAGE_NOTE,
                    "%s: the last line was cut off; its run is done again", store->path);
        if (ftruncate(store->file, (off_t)(line - text)) != 0)
            return failed(store, "written", err);
    }
    if (others > 0)
        bf__message(context, BF_MESSAGE_NOTE, "%s: %lld runs of another version are not used",
                    store->path, (long long)others);
    return BF_OK;
}

bf_status bf__store_add(bf__store *store, const bf__record *record, bf_error *err) {
    char line[BF_KEY_SIZE + 160], value[32], error[32], seconds[32];
    bf__format_real(value, record->value);
    bf__format_real(error, record->error);
    snprintf(seconds, sizeof seconds, "%.3g", record->seconds);
    int length = snprintf(line, sizeof line, "%s,%s,%s,%s,%s\n", bf_version(), record->key, value,
                          error, seconds);
    BF_TRY(append(store, line, (size_t)length, err));
    return keep(store, record, err);
}

bf_status bf__store_open(bf__store **out, const char *folder, bool fresh, const bf_context *context,
                         bf_arena *arena, bf_error *err) {
    bf__store *store;
    struct stat info;
    BF_ALLOC(store, arena, 1, err);
    *store = (bf__store){.arena = arena};
    *out = store;
    snprintf(store->path, sizeof store->path, "%s/runs.csv", folder);
    store->file = open(store->path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (store->file < 0)
        return failed(store, "opened", err);
    if (flock(store->file, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK
                   ? bf_fail(err, BF_EFILE,
                             "%s: another process is writing to it; wait for its end, or choose "
                             "another folder",
                             store->path)
                   : failed(store, "locked", err);
    store->room = 1024;
    BF_ZALLOC(store->slots, arena, store->room, err);
    if (fresh && ftruncate(store->file, 0) != 0)
        return failed(store, "written", err);
    if (fstat(store->file, &info) != 0)
        return failed(store, "read", err);
    return read_all(store, (int64_t)info.st_size, context, err);
}

void bf__store_close(bf__store *store) {
    if (store && store->file >= 0)
        close(store->file);
}
