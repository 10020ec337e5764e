/* hdf5_rows.c - Logs as HDF5: the numbers of a range of rows.
 *
 * Of every array, the rows of the range alone are read, in blocks of whole chunks from the first of
 * them on.
 *
 * Cost  every number once; a chunk that two ranges share is unpacked for both */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "dataset/hdf5_rows.h"

/* "episode_3/observations/arm", or "observations". */
const char *bf__hdf5_place(const bf__hdf5_log *own, int64_t piece, const char *name,
                           const char *below, char text[BF__HDF5_PLACE]) {
    if (own->layout->episodes)
        snprintf(text, BF__HDF5_PLACE, "episode_%lld/%s%s", (long long)piece, name, below);
    else
        snprintf(text, BF__HDF5_PLACE, "%s%s", name, below);
    return text;
}

/* Opens an array of a piece, `rows` rows of the leaf's shape. */
static bf_status open_leaf(bf__hdf5_array *out, const bf__file *file, bf__hdf5_log *own,
                           const bf__leaf *leaf, int64_t rows, const char *place, bf_error *err) {
    char shape[160], expected[160];
    BF_TRY(bf__hdf5_array_open(out, own->hdf5, place, err));
    const bf__npy *npy = &out->npy;
    bf__npy wanted = {.dims = leaf->dims + 1, .shape = {rows}};
    memcpy(wanted.shape + 1, leaf->shape, (size_t)leaf->dims * sizeof *leaf->shape);
    bool fits = npy->shape[0] == rows && npy->dims == wanted.dims &&
                memcmp(npy->shape, wanted.shape, (size_t)npy->dims * sizeof *npy->shape) == 0;
    /* One number per row may stand as (rows, 1) or (rows). */
    fits = fits || (npy->shape[0] == rows && npy->count == rows && leaf->elements == 1);
    return fits ? BF_OK
                : bf_fail(err, BF_EDATA, "%s: %s: shape %s; %s is needed", file->path, place,
                          bf__npy_shape(npy, shape), bf__npy_shape(&wanted, expected));
}

/* Where the rows of a leaf go. */
typedef struct target {
    const bf__space *space;
    bool combine;
    const bf__sink *sinks; /* NULL: nowhere */
    int64_t row;           /* of the range: where the first row goes */
    int64_t skip;          /* rows of the array that come before it */
    int64_t rows;          /* that are wanted */
} target;

/* Puts rows [first, first + count) of a leaf where they go, as far as they are wanted there. */
static void put(const target *t, const bf__leaf *leaf, const double *values, int64_t first,
                int64_t count) {
    int64_t from = first > t->skip ? first : t->skip;
    int64_t to = first + count < t->skip + t->rows ? first + count : t->skip + t->rows;
    if (t->sinks && to > from)
        bf__space_put(t->space, leaf, values ? values + (from - first) * leaf->elements : NULL,
                      to - from, t->combine, t->sinks, t->row + from - t->skip);
}

/* Rows [first, first + count) of an array: what is no choice is an error, or goes to the list. */
static bf_status check_values(const bf__file *file, const bf__hdf5_log *own, int64_t piece,
                              const char *place, const bf__leaf *leaf, double *values,
                              int64_t first, int64_t count, bf_error *err) {
    bf_error why;
    for (int64_t at = 0; bf__space_check(leaf, values, count, &at, &why) != BF_OK; at++) {
        bf_fault fault = bf__fault_in(file->path, place);
        fault.row = first + at / leaf->elements;
        fault.episode = own->layout->episodes ? piece : -1;
        BF_TRY(bf__faults_take(file->faults,
                               bf_fail(err, why.status, "%s: %s: row %lld: %s", file->path, place,
                                       (long long)fault.row, why.message),
                               &fault, err));
        values[at] = bf__faulty();
    }
    return BF_OK;
}

/* Reads what is wanted of one array of a space of a piece, of `rows` rows, to one or two places. */
static bf_status read_leaf(const bf__file *file, bf__hdf5_log *own, int64_t piece,
                           const char *place, const bf__leaf *leaf, int64_t rows,
                           const target *targets, int target_count, bf_arena *scratch,
                           bf_error *err) {
    bf__hdf5_array array;
    double *values;
    BF_TRY(open_leaf(&array, file, own, leaf, rows, place, err));
    int64_t from = targets[0].skip, to = from + targets[0].rows;
    for (int t = 1; t < target_count; t++)
        if (targets[t].sinks && targets[t].skip + targets[t].rows > to)
            to = targets[t].skip + targets[t].rows;
    int64_t block = array.block < to - from ? array.block : to - from;
    BF_ALLOC(values, scratch, block * leaf->elements, err);
    for (int64_t first = from; first < to; first += block) {
        int64_t count = to - first < block ? to - first : block;
        BF_TRY(bf__hdf5_read(own->hdf5, &array, first, count, values, err));
        BF_TRY(check_values(file, own, piece, place, leaf, values, first, count, err));
        for (int t = 0; t < target_count; t++)
            put(&targets[t], leaf, values, first, count);
    }
    bf__hdf5_array_close(own->hdf5, &array);
    return BF_OK;
}

/* Reads the arrays of a space of a piece. One that cannot be read is an error, or goes to the list.
 */
static bf_status read_space(const bf__file *file, bf__hdf5_log *own, int64_t piece,
                            const char *name, int64_t rows, const target *targets, int target_count,
                            bf_arena *scratch, bf_error *err) {
    const bf__space *space = targets[0].space;
    for (int k = 0; k < space->count; k++) {
        char place[BF__HDF5_PLACE];
        bf_mark mark = bf_arena_mark(scratch);
        bf__hdf5_place(own, piece, name, space->leaves[k].place, place);
        bf_status status = read_leaf(file, own, piece, place, &space->leaves[k], rows, targets,
                                     target_count, scratch, err);
        bf_arena_rewind(scratch, mark);
        if (status == BF_OK)
            continue;
        bf_fault fault = bf__fault_in(file->path, place);
        BF_TRY(bf__faults_take(file->faults, status, &fault, err));
        for (int t = 0; t < target_count; t++)
            put(&targets[t], &space->leaves[k], NULL, 0, rows);
    }
    return BF_OK;
}

/* The steps [from, to) of piece e are wanted, for rows of the range from `row` on. */
typedef struct steps {
    int64_t e, from, to, row;
} steps;

/* Reads one number per step. */
static bf_status read_numbers(const bf__file *file, bf__hdf5_log *own, const steps *of,
                              const char *name, const bf__sink *sinks, int column,
                              bf_arena *scratch, bf_error *err) {
    static bf__leaf number = {.place = "", .elements = 1};
    const bf__space one = {.leaves = &number, .count = 1, .width = 1};
    int64_t rows = own->begin[of->e + 1] - own->begin[of->e];
    target t = {&one, false, sinks + column, of->row, of->from, of->to - of->from};
    return read_space(file, own, of->e, name, rows, &t, 1, scratch, err);
}

static bf_status read_piece(const bf__file *file, bf__hdf5_log *own, const steps *of,
                            const bf__sink *sinks, bf_arena *scratch, bf_error *err) {
    const bf__hdf5_layout *l = own->layout;
    int64_t e = of->e, rows = own->begin[e + 1] - own->begin[e], wanted = of->to - of->from;
    target state[2] = {
        {&own->state, false, sinks + own->s, of->row, of->from, wanted},
        {&own->state, false, l->episodes ? sinks + own->ns : NULL, of->row, of->from + 1, wanted},
    };
    target next = {&own->state, false, sinks + own->ns, of->row, of->from, wanted};
    target action = {&own->action, own->action.choice, sinks + own->a, of->row, of->from, wanted};
    BF_TRY(read_space(file, own, e, "observations", rows + l->episodes, state, 2, scratch, err));
    if (own->has_next)
        BF_TRY(read_space(file, own, e, l->next, rows, &next, 1, scratch, err));
    BF_TRY(read_space(file, own, e, "actions", rows, &action, 1, scratch, err));
    BF_TRY(read_numbers(file, own, of, "rewards", sinks, own->r, scratch, err));
    if (own->has_terminated)
        BF_TRY(read_numbers(file, own, of, l->terminated, sinks, own->terminated, scratch, err));
    if (own->has_truncated)
        BF_TRY(read_numbers(file, own, of, l->truncated, sinks, own->truncated, scratch, err));
    if (own->has_mu) {
        BF_TRY(read_numbers(file, own, of, l->log_probs, sinks, own->mu, scratch, err));
        double *mu = sinks[own->mu].values;
        for (int64_t i = of->row; mu && i < of->row + wanted; i++)
            mu[i] = bf__is_faulty(mu[i]) ? mu[i] : exp(mu[i]);
    }
    return BF_OK;
}

bf_status bf__hdf5_fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                        const bf_context *context, bf_arena *scratch, bf_error *err) {
    bf__hdf5_log *own = file->own;
    int64_t end = file->skip + file->rows;
    char task[160];
    snprintf(task, sizeof task, "reading %s", file->path);
    for (int64_t e = 0; e < own->pieces; e++) {
        int64_t first = own->begin[e], after = own->begin[e + 1];
        if (after <= file->skip || first >= end)
            continue;
        steps of = {.e = e,
                    .from = first < file->skip ? file->skip - first : 0,
                    .to = (after < end ? after : end) - first};
        of.row = first + of.from - file->skip;
        if (!bf__progress(context, task, (double)of.row, (double)file->rows, NULL))
            return bf_fail(err, BF_ECANCELLED, "%s: reading was interrupted", file->path);
        BF_TRY(read_piece(file, own, &of, sinks, scratch, err));
        double *episode = own->episode < file->count ? sinks[own->episode].values : NULL;
        for (int64_t i = 0; i < of.to - of.from; i++) {
            row[of.row + i] = (int64_t)((uint64_t)e << 32) + of.from + i;
            if (episode)
                episode[of.row + i] = (double)e;
        }
    }
    return BF_OK;
}
