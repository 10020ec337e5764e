/* assemble.c - From named columns to a log: flags, episodes, next states.
 *
 * If the log has no next states, s' of a row is the state of the next row of its episode, and pi at
 * s' is that row's pi. The last row of an episode then has no next state. If the episode terminated
 * there, the row keeps its own state as s', which nothing reads under restarts. Otherwise the row
 * is dropped and counted. Dropping a row moves the following ones down, in place. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/assemble.h"
#include "dataset/drop.h"
#include "dataset/gaps.h"

static bf_status flags(const uint8_t **out, const bf_dataset *data, const bf__rows *rows,
                       bf__column_group group, bf__faults *faults, bf_arena *arena, bf_error *err) {
    const double *values = rows->column[group];
    int64_t count = data->n * rows->schema.width[group];
    uint8_t *bits;
    char where[256];
    if (!values)
        return BF_OK;
    BF_ALLOC(bits, arena, count, err);
    for (int64_t i = 0; i < count; i++) {
        const char *name = rows->names[group][i / data->n];
        bool gap =
            (rows->gap || faults) && isnan(values[i]); /* the row will be dropped, or is told */
        bf_fault at = bf__fault_at(data, i % data->n, name);
        if (!gap && values[i] != 0 && values[i] != 1)
            BF_TRY(bf__faults_take(faults,
                                   bf_fail(err, BF_EDATA, "%s: %s: %.17g is neither 0 nor 1",
                                           bf_dataset_where(data, i % data->n, where, sizeof where),
                                           name, values[i]),
                                   &at, err));
        bits[i] = values[i] == 1;
    }
    *out = bits;
    return BF_OK;
}

/* If both flags are set, the step terminated: a limit cannot have cut off its successor, because it
 * has none. */
static void settle_ends(bf_dataset *data) {
    if (!data->terminated || !data->truncated)
        return;
    uint8_t *truncated = (uint8_t *)(uintptr_t)data->truncated;
    for (int64_t i = 0; i < data->n; i++)
        truncated[i] &= (uint8_t)!data->terminated[i];
}

/* next[i] is the row after i in its episode, i itself after a terminated end, or -1 if i is
 * dropped. */
static void successors(const bf_dataset *data, int64_t *next) {
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
            int64_t i = data->order[j];
            bool terminated = data->terminated && data->terminated[i];
            if (j + 1 < data->begin[e + 1])
                next[i] = data->order[j + 1];
            else
                next[i] = terminated ? i : -1;
        }
}

/* Copies (width, n) of `from` at the rows `next`. */
static bf_status follow(const double **out, const double *from, int width, int64_t n,
                        const int64_t *next, bf_arena *arena, bf_error *err) {
    double *to;
    BF_ALLOC(to, arena, n * width, err);
    for (int j = 0; j < width; j++)
        for (int64_t i = 0; i < n; i++)
            to[j * n + i] = next[i] < 0 ? 0 : from[j * n + next[i]];
    *out = to;
    return BF_OK;
}

/* Takes the next states from the next rows; next (n) says which they are. */
static bf_status link_rows(bf_dataset *data, const int64_t *next, bf_arena *arena, bf_error *err) {
    int64_t n = data->n, dropped = 0;
    BF_TRY(follow(&data->next_state, data->state, data->state_dim, n, next, arena, err));
    if (data->pi && !data->npi)
        BF_TRY(follow(&data->npi, data->pi, data->actions, n, next, arena, err));
    if (data->sa && !data->na)
        BF_TRY(follow(&data->na, data->sa, data->samples * data->action_dim, n, next, arena, err));
    for (int64_t i = 0; i < n; i++)
        dropped += next[i] < 0;
    data->rows_dropped = dropped;
    if (dropped == n)
        return bf_fail(err, BF_EDATA,
                       "%s: no transitions: without ns columns the next state comes from the next "
                       "row, and no episode has two rows",
                       data->sources[0].path);
    return BF_OK;
}

/* Takes out the rows that have a gap, or whose next row has one. */
static bf_status leave_gaps(bf_dataset *data, const bf__rows *rows, int64_t *next, bool linked,
                            bf_error *err) {
    int64_t n = data->n, ends = 0, removed = 0;
    for (int64_t e = 0; e < data->episodes; e++)
        data->starts_gapped += rows->gap[data->order[data->begin[e]]];
    for (int64_t i = 0; i < n; i++)
        ends += next[i] < 0 && !rows->gap[i];
    for (int64_t i = 0; i < n; i++)
        if (rows->gap[i] || (linked && next[i] >= 0 && rows->gap[next[i]]))
            next[i] = -1;
    for (int64_t i = 0; i < n; i++)
        removed += next[i] < 0;
    data->rows_dropped = ends;
    data->rows_gapped = removed - ends;
    return removed < n ? BF_OK
                       : bf_fail(err, BF_EDATA, "%s: no transitions: every row has a gap",
                                 data->sources[0].path);
}

/* Decides which rows are transitions, and drops the others. */
static bf_status settle_rows(bf_dataset *data, bf__rows *rows, bool linked, bf_arena *arena,
                             bf_arena *scratch, bf_error *err) {
    int64_t n = data->n, *next, left = 0;
    if (!linked && !rows->gap)
        return BF_OK;
    BF_ALLOC(next, scratch, n, err);
    for (int64_t i = 0; i < n; i++)
        next[i] = i;
    if (linked) {
        successors(data, next);
        BF_TRY(link_rows(data, next, arena, err));
    }
    if (rows->gap)
        BF_TRY(leave_gaps(data, rows, next, linked, err));
    for (int64_t i = 0; i < n; i++)
        left += next[i] < 0;
    if (left)
        bf__drop(data, rows, next);
    return BF_OK;
}

bf_status bf__assign(bf_dataset *data, bf__rows *rows, bf__faults *faults, bf_arena *arena,
                     bf_error *err) {
    double **column = rows->column;
    const int *width = rows->schema.width;
    data->state_dim = width[BF__S];
    data->real_state = !rows->schema.plain[BF__S];
    data->state = column[BF__S];
    data->next_state = column[BF__NS];
    data->reward = column[BF__R];
    data->weight = column[BF__WEIGHT];
    data->duration = column[BF__DURATION];
    data->mu = column[BF__MU];
    data->mu_all = column[BF__MU_ALL];
    data->pi = column[BF__PI];
    data->npi = column[BF__NPI];
    data->na = column[BF__NA];
    data->sa = column[BF__SA];
    if (rows->schema.plain[BF__A]) {
        data->actions = width[BF__MU_ALL] ? width[BF__MU_ALL]
                        : width[BF__PI]   ? width[BF__PI]
                        : width[BF__NPI]  ? width[BF__NPI]
                                          : width[BF__MASK];
        BF_TRY(bf__encode_actions(data, rows, faults, arena, err));
    } else {
        data->action_vector = column[BF__A];
        data->action_dim = width[BF__A];
        data->samples = rows->schema.samples;
    }
    BF_TRY(flags(&data->terminated, data, rows, BF__TERMINATED, faults, arena, err));
    BF_TRY(flags(&data->truncated, data, rows, BF__TRUNCATED, faults, arena, err));
    return flags(&data->mask, data, rows, BF__MASK, faults, arena, err);
}

bf_status bf__assemble(bf_dataset *data, bf__rows *rows, const bf_read_options *options,
                       const bf_context *context, bf_arena *arena, bf_arena *scratch,
                       bf_error *err) {
    bool linked = !data->next_state;
    settle_ends(data);
    BF_TRY(bf__episodes_find(data, rows, linked, arena, scratch, err));
    BF_TRY(bf__gaps_fill(data, rows, options->missing, scratch, err));
    BF_TRY(bf__encode_states(data, rows, arena, scratch, err));
    BF_TRY(settle_rows(data, rows, linked, arena, scratch, err));
    return bf__choose_rows(data, rows, options->max_rows, context, scratch, err);
}
