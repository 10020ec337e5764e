/* places.c - Where a log lies: files, folders of files, patterns. */
#include "dataset/places.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "format/bytes.h"

typedef struct list {
    const char **path;
    int count, room;
    bf_arena *arena;
} list;

static bf_status add(list *l, const char *folder, const char *name, bf_error *err) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path;
    if (l->count == l->room) {
        const char **larger;
        l->room = l->room ? 2 * l->room : 16;
        BF_ALLOC(larger, l->arena, l->room, err);
        if (l->count)
            memcpy(larger, l->path, (size_t)l->count * sizeof *larger);
        l->path = larger;
    }
    BF_ALLOC(path, l->arena, (int64_t)size, err);
    bool joined = *folder && folder[strlen(folder) - 1] != '/';
    snprintf(path, size, "%s%s%s", folder, joined ? "/" : "", name);
    l->path[l->count++] = path;
    return BF_OK;
}

static int by_name(const void *left, const void *right) {
    return strverscmp(*(const char *const *)left, *(const char *const *)right);
}

static void sort_from(list *l, int first) {
    if (l->count > first)
        qsort(l->path + first, (size_t)(l->count - first), sizeof *l->path, by_name);
}

static bool is_folder(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* Whether the name ends in a suffix, perhaps of a compressed file. */
static bool is_log(const char *name, const char *const *suffixes) {
    char plain[256];
    snprintf(plain, sizeof plain, "%s", name);
    size_t length = strlen(plain);
    if (bf__has_suffix(plain, ".gz"))
        plain[length - 3] = '\0';
    else if (bf__has_suffix(plain, ".zst"))
        plain[length - 4] = '\0';
    for (int k = 0; suffixes[k]; k++)
        if (bf__has_suffix(plain, suffixes[k]))
            return true;
    return false;
}

static bf_status add_folder(list *l, const char *path, const char *const *suffixes, bf_error *err) {
    int first = l->count;
    bf_status status = BF_OK;
    DIR *folder = opendir(path);
    if (!folder)
        return bf_fail(err, BF_EFILE, "%s: cannot be opened: %s", path, strerror(errno));
    for (struct dirent *entry; status == BF_OK && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && is_log(entry->d_name, suffixes)) {
            status = add(l, path, entry->d_name, err);
            if (status == BF_OK && is_folder(l->path[l->count - 1]))
                l->count--;
        }
    closedir(folder);
    sort_from(l, first);
    return status;
}

/* A data set of Minari has its files in a folder of its own, `data`. */
static bf_status add_folders(list *l, const char *path, const char *const *suffixes,
                             bf_error *err) {
    int first = l->count;
    BF_TRY(add_folder(l, path, suffixes, err));
    if (l->count > first)
        return BF_OK;
    BF_TRY(add(l, path, "data", err));
    const char *data = l->path[--l->count];
    if (is_folder(data))
        BF_TRY(add_folder(l, data, suffixes, err));
    return l->count > first ? BF_OK
                            : bf_fail(err, BF_EFILE, "%s: is a folder, and no log is in it", path);
}

static bf_status add_pattern(list *l, const char *path, bf_error *err) {
    glob_t found;
    int first = l->count, failed = glob(path, GLOB_NOSORT, NULL, &found);
    bf_status status = BF_OK;
    if (failed == GLOB_NOMATCH)
        return bf_fail(err, BF_EFILE, "%s: no file is called so", path);
    if (failed)
        return bf_fail(err, failed == GLOB_NOSPACE ? BF_ENOMEM : BF_EFILE,
                       "%s: cannot look for such files", path);
    for (size_t k = 0; k < found.gl_pathc && status == BF_OK; k++)
        if (!is_folder(found.gl_pathv[k]))
            status = add(l, "", found.gl_pathv[k], err);
    globfree(&found);
    sort_from(l, first);
    if (status == BF_OK && l->count == first)
        return bf_fail(err, BF_EFILE, "%s: only folders are called so", path);
    return status;
}

bf_status bf__places_find(const char *const **out, int *out_count, const char *const *paths,
                          int count, const char *const *suffixes, bf_arena *arena, bf_error *err) {
    list l = {.arena = arena};
    for (int k = 0; k < count; k++) {
        bool there = access(paths[k], F_OK) == 0;
        if (there && is_folder(paths[k]))
            BF_TRY(add_folders(&l, paths[k], suffixes, err));
        else if (!there && strpbrk(paths[k], "*?["))
            BF_TRY(add_pattern(&l, paths[k], err));
        else
            BF_TRY(add(&l, "", paths[k], err));
    }
    *out = l.path;
    *out_count = l.count;
    return BF_OK;
}
