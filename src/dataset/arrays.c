/* arrays.c - Arrays with names become columns of a log.
 *
 * The keys are the names of the columns: r (n,), a (n,), s (n, d), pi (n, A), na (n, M, k), ...; a
 * key with two dimensions is several columns, s0, s1, .... One column of shape (n, 1) is s0, the
 * real-valued form, unless its elements are whole numbers by type. Other keys become columns in the
 * same way, for a mapping to find them: obs (n, 3) is obs0, obs1, obs2. If they cannot, because
 * they have other rows or no numbers, they are left alone. */
#include "dataset/arrays.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "dataset/columns.h"

#define MOST_COLUMNS 4096 /* of a key without a meaning: more are pictures */

static bf_status bad_shape(const bf__keyed *a, const char *path, const char *expected,
                           bf_error *err) {
    char shape[160];
    return bf_fail(err, BF_EFORMAT, "%s: %s: shape %s; %s is needed", path, a->key,
                   bf__npy_shape(&a->npy, shape), expected);
}

bool bf__keyed_meant(const char *key) {
    return strcmp(key, "pi") == 0 || strcmp(key, "npi") == 0 || strcmp(key, "na") == 0 ||
           strcmp(key, "sa") == 0 || strcmp(key, "mu_all") == 0 || strcmp(key, "mask") == 0 ||
           bf__name_parse(key).group != BF__GROUPS;
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
        {"sa", 2, 3, "(n, M, k)"},     {"mask", 2, 2, "(n, A)"},
    };
    const bf__npy *npy = &a->npy;
    int64_t columns = npy->dims && npy->shape[0] ? npy->count / npy->shape[0] : 1;
    if (!bf__keyed_meant(a->key)) {
        if (npy->dims >= 1 && npy->dims <= 3 && columns >= 1 && columns <= MOST_COLUMNS)
            a->columns = (int)columns;
        return BF_OK;
    }
    if (npy->dims == 0)
        return bad_shape(a, path, "one row per transition", err);
    bool squeezed = npy->dims == 1 || (npy->dims == 2 && npy->shape[1] == 1);
    if (npy->dims > 1 && columns > 1 << 20)
        return bad_shape(a, path, "fewer columns", err);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (strcmp(a->key, keys[k].key) != 0)
            continue;
        if (npy->dims < keys[k].least || npy->dims > keys[k].most || (npy->shape[0] && !npy->count))
            return bad_shape(a, path, keys[k].expected, err);
        a->columns = (int)columns;
        return BF_OK;
    }
    if (!squeezed)
        return bad_shape(a, path, "(n,)", err);
    a->columns = 1;
    return BF_OK;
}

static bool is(const bf__keyed *a, const char *key) {
    return strcmp(a->key, key) == 0;
}

/* Column `j` of an array: s, s3, pi1, na0_2. Keys without a meaning are like s, or na. */
static void name_column(const bf__keyed *a, int j, char *text, size_t size) {
    const bf__npy *npy = &a->npy;
    bool other = !bf__keyed_meant(a->key);
    bool vector = is(a, "s") || is(a, "ns") || is(a, "a") || is(a, "mu") || other;
    bool one = npy->dims == 1 || (a->columns == 1 && (npy->kind != 'f' || is(a, "mu")));
    if (a->columns && (is(a, "na") || is(a, "sa") || (other && npy->dims == 3))) {
        int k = npy->dims == 3 ? (int)npy->shape[2] : 1;
        snprintf(text, size, "%s%d_%d", a->key, j / k, j % k);
    } else if (a->columns && is(a, "mu_all")) {
        snprintf(text, size, "mu%d", j);
    } else if (a->columns && (is(a, "pi") || is(a, "npi") || is(a, "mask") || (vector && !one))) {
        snprintf(text, size, "%s%d", a->key, j);
    } else {
        snprintf(text, size, "%s", a->key);
    }
}

/* The array that says how many rows there are: r, or the first that means something, or the first
 * of those that agree with most others. */
static const bf__keyed *find_model(const bf__keyed *arrays, int count) {
    const bf__keyed *model = NULL;
    int most = 0;
    for (int k = 0; k < count; k++)
        if (arrays[k].columns && bf__keyed_meant(arrays[k].key) && (!model || is(&arrays[k], "r")))
            model = &arrays[k];
    for (int k = 0; k < count && (!model || most); k++) {
        int agreed = 0;
        for (int b = 0; b < count; b++)
            agreed += arrays[b].columns && arrays[k].columns &&
                      arrays[b].npy.shape[0] == arrays[k].npy.shape[0];
        if (agreed > most) {
            most = agreed;
            model = &arrays[k];
        }
    }
    return model;
}

/* Arrays that mean something have the same number of rows; others are left out if they have not. */
static bf_status agree(bf__file *file, bf__keyed *arrays, int count, bf_error *err) {
    const bf__keyed *model = find_model(arrays, count);
    if (!model)
        return bf_fail(err, BF_EDATA, "%s: none of the keys of a log: s, a, r, ns, ...",
                       file->path);
    file->rows = model->npy.shape[0];
    for (int k = 0; k < count; k++) {
        if (!arrays[k].columns || arrays[k].npy.shape[0] == file->rows)
            continue;
        bf_fault at = bf__fault_in(file->path, arrays[k].key);
        if (bf__keyed_meant(arrays[k].key))
            BF_TRY(bf__faults_take(file->faults,
                                   bf_fail(err, BF_EDATA, "%s: %s has %lld rows, %s has %lld",
                                           file->path, arrays[k].key,
                                           (long long)arrays[k].npy.shape[0], model->key,
                                           (long long)file->rows),
                                   &at, err));
        arrays[k].columns = 0;
    }
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
    BF_ALLOC(file->arrays, scratch, total, err);
    for (int k = 0; k < count; k++) {
        bf__keyed *a = &arrays[k];
        a->first = file->count;
        for (int j = 0; j < (a->columns ? a->columns : 1); j++) {
            char *name;
            int64_t size = (int64_t)strlen(a->key) + 24;
            BF_ALLOC(name, scratch, size, err);
            name_column(a, j, name, (size_t)size);
            file->arrays[file->count] = a->key;
            file->names[file->count++] = name;
        }
    }
    return BF_OK;
}

bf_status bf__sink_words(const bf__sink *sink, int64_t rows, bf_error *err) {
    char text[32];
    int64_t code;
    for (int64_t i = 0; i < rows; i++) {
        if (!(sink->values[i] - sink->values[i] == 0))
            continue;
        int length = bf__format_real(text, sink->values[i]);
        BF_TRY(bf__words_add(sink->words, text, (size_t)length, &code, err));
        sink->values[i] = (double)code;
    }
    return BF_OK;
}
