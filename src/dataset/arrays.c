/* arrays.c - Arrays with names become columns of a log.
 *
 * The keys are the names of the columns: r (n,), a (n,), s (n, d), pi (n, A), na (n, M, k), ...; a
 * key with two dimensions is several columns, s0, s1, .... One column of shape (n, 1) is s0, the
 * real-valued form, unless its elements are whole numbers by type. Keys that mean nothing may hold
 * anything. */
#include "dataset/arrays.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/columns.h"

static bf_status bad_shape(const bf__keyed *a, const char *path, const char *expected,
                           bf_error *err) {
    char shape[160];
    return bf_fail(err, BF_EFORMAT, "%s: %s: shape %s; %s is needed", path, a->key,
                   bf__npy_shape(&a->npy, shape), expected);
}

/* How many columns an array gives: known keys by name, with the shape they must have. */
bf_status bf__keyed_count(bf__keyed *a, const char *path, bf_error *err) {
    static const struct {
        const char *key;
        int least, most; /* dimensions */
        const char *expected;
    } keys[] = {
        {"s", 1, 2, "(n,) or (n, d)"}, {"ns", 1, 2, "(n,) or (n, d)"},
        {"a", 1, 2, "(n,) or (n, k)"}, {"mu", 1, 2, "(n,) or (n, A)"},
        {"mu_all", 2, 2, "(n, A)"},    {"pi", 2, 2, "(n, A)"},
        {"npi", 2, 2, "(n, A)"},       {"na", 2, 3, "(n, M, k)"},
        {"sa", 2, 3, "(n, M, k)"},
    };
    const bf__npy *npy = &a->npy;
    if (npy->dims == 0)
        return bad_shape(a, path, "one row per transition", err);
    bool squeezed = npy->dims == 1 || (npy->dims == 2 && npy->shape[1] == 1);
    if (npy->dims > 1 && npy->shape[0] && npy->count / npy->shape[0] > 1 << 20)
        return bad_shape(a, path, "fewer columns", err);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (strcmp(a->key, keys[k].key) != 0)
            continue;
        if (npy->dims < keys[k].least || npy->dims > keys[k].most || (npy->shape[0] && !npy->count))
            return bad_shape(a, path, keys[k].expected, err);
        a->columns = npy->shape[0] ? (int)(npy->count / npy->shape[0]) : 1;
        return BF_OK;
    }
    if (!squeezed)
        return bad_shape(a, path, "(n,)", err);
    a->columns = 1;
    return BF_OK;
}

bool bf__keyed_meant(const char *key) {
    return strcmp(key, "pi") == 0 || strcmp(key, "npi") == 0 || strcmp(key, "na") == 0 ||
           strcmp(key, "sa") == 0 || strcmp(key, "mu_all") == 0 ||
           bf__name_parse(key).group != BF__GROUPS;
}

static bool is(const bf__keyed *a, const char *key) {
    return strcmp(a->key, key) == 0;
}

/* Column `j` of an array: s, s3, pi1, na0_2. */
static void name_column(const bf__keyed *a, int j, char *text, size_t size) {
    const bf__npy *npy = &a->npy;
    bool vector = is(a, "s") || is(a, "ns") || is(a, "a") || is(a, "mu");
    bool one = npy->dims == 1 || (a->columns == 1 && (npy->kind != 'f' || is(a, "mu")));
    if (a->columns && (is(a, "na") || is(a, "sa"))) {
        int k = npy->dims == 3 ? (int)npy->shape[2] : 1;
        snprintf(text, size, "%s%d_%d", a->key, j / k, j % k);
    } else if (a->columns && is(a, "mu_all")) {
        snprintf(text, size, "mu%d", j);
    } else if (a->columns && (is(a, "pi") || is(a, "npi") || (vector && !one))) {
        snprintf(text, size, "%s%d", a->key, j);
    } else {
        snprintf(text, size, "%s", a->key);
    }
}

/* Every array has the same number of rows: that of r, or of the first. */
static bf_status agree(bf__file *file, const bf__keyed *arrays, int count, bf_error *err) {
    const bf__keyed *model = NULL;
    for (int k = 0; k < count; k++)
        if (arrays[k].columns && (!model || strcmp(arrays[k].key, "r") == 0))
            model = &arrays[k];
    if (!model)
        return bf_fail(err, BF_EDATA, "%s: none of the keys of a log: s, a, r, ns, ...",
                       file->path);
    file->rows = model->npy.shape[0];
    for (int k = 0; k < count; k++)
        if (arrays[k].columns && arrays[k].npy.shape[0] != file->rows)
            return bf_fail(err, BF_EDATA, "%s: %s has %lld rows, %s has %lld", file->path,
                           arrays[k].key, (long long)arrays[k].npy.shape[0], model->key,
                           (long long)file->rows);
    if (file->rows == 0)
        return bf_fail(err, BF_EDATA, "%s: the arrays have no rows", file->path);
    return BF_OK;
}

bf_status bf__keyed_name(bf__file *file, bf__keyed *arrays, int count, bf_arena *scratch,
                         bf_error *err) {
    BF_TRY(agree(file, arrays, count, err));
    int64_t total = 0;
    for (int k = 0; k < count; k++)
        total += arrays[k].columns ? arrays[k].columns : 1;
    if (total > 1 << 20)
        return bf_fail(err, BF_EFORMAT, "%s: %lld columns are more than can be read", file->path,
                       (long long)total);
    BF_ALLOC(file->names, scratch, total, err);
    for (int k = 0; k < count; k++) {
        bf__keyed *a = &arrays[k];
        a->first = file->count;
        for (int j = 0; j < (a->columns ? a->columns : 1); j++) {
            char *name;
            int64_t size = (int64_t)strlen(a->key) + 24;
            BF_ALLOC(name, scratch, size, err);
            name_column(a, j, name, (size_t)size);
            file->names[file->count++] = name;
        }
    }
    return BF_OK;
}
