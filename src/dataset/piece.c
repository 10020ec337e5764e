/* piece.c - Some rows of a file: those of the episodes that begin in a range of its lines or rows.
 *
 * Where an episode begins is what episodes.c makes of rows that stand in order: a new id; without
 * ids, a t that does not increase; and a row after one that ended. Without ids, t and flags every
 * row is for itself. */
#include "dataset/piece.h"

#include <string.h>

#include "core/fail.h"

typedef struct columns {
    const double *id, *t, *terminated, *truncated; /* (n) or NULL */
} columns;

static bool ends(const columns *c, int64_t i) {
    return (c->terminated && c->terminated[i] != 0) || (c->truncated && c->truncated[i] != 0);
}

static bool begins(const columns *c, int64_t i) {
    if (ends(c, i - 1))
        return true;
    if (c->id)
        return c->id[i] != c->id[i - 1];
    if (c->t)
        return c->t[i] <= c->t[i - 1];
    return !c->terminated && !c->truncated;
}

/* Ids increase, so that none comes again in another piece. */
static bf_status check_order(const bf_dataset *data, const bf__rows *rows, const columns *c,
                             int64_t low, int64_t high, bf_error *err) {
    char where[256];
    for (int64_t i = low + 1; c->id && i < high; i++)
        if (c->id[i] < c->id[i - 1])
            return bf_fail(
                err, BF_EDATA,
                "%s: %s: episode %.17g after %.17g: a log that is read in pieces has its "
                "episodes one after the other, in increasing order of their ids",
                bf_dataset_where(data, i, where, sizeof where), rows->names[BF__EPISODE][0],
                c->id[i], c->id[i - 1]);
    return BF_OK;
}

/* Rows [low, high) of (width, n) to the front. */
static void keep(double *block, int width, int64_t n, int64_t low, int64_t high) {
    for (int64_t j = 0; block && j < width; j++)
        memmove(block + j * (high - low), block + j * n + low,
                (size_t)(high - low) * sizeof *block);
}

static void keep_all(bf_dataset *data, bf__rows *rows, int64_t low, int64_t high) {
    for (int g = 0; g < BF__GROUPS; g++)
        keep(rows->column[g], rows->schema.width[g], data->n, low, high);
    keep((double *)(uintptr_t)data->extra, data->extras, data->n, low, high);
    memmove(rows->row, rows->row + low, (size_t)(high - low) * sizeof *rows->row);
    data->n = data->rows_read = high - low;
}

static bf_status refuse_words(const bf_dataset *data, const bf__rows *rows, bf_error *err) {
    for (int g = 0; g < BF__GROUPS; g++)
        for (int j = 0; j < rows->schema.width[g]; j++)
            if (rows->words[g][j])
                return bf_fail(err, BF_EDATA,
                               "%s: column %s holds words: a log that is read in pieces holds "
                               "numbers",
                               data->sources[0].path, rows->names[g][j]);
    return BF_OK;
}

/* Where row i is, in what first_line and end_line count in. */
static int64_t place_of(const bf__piece *p, const bf__rows *rows, int64_t i) {
    return p->by_index ? p->index + i : rows->row[i];
}

bf_status bf__piece_cut(bf__piece *p, bf_dataset *data, bf__rows *rows, bf_error *err) {
    columns c = {rows->column[BF__EPISODE], rows->column[BF__T], rows->column[BF__TERMINATED],
                 rows->column[BF__TRUNCATED]};
    int64_t n = data->n, low = 0, high;
    BF_TRY(refuse_words(data, rows, err));
    p->has_id = c.id;
    p->has_t = c.t;
    p->timed = rows->timed;
    p->short_behind = !p->from_start && (n == 0 || place_of(p, rows, 0) >= p->first_line);
    while (low < n && !(place_of(p, rows, low) >= p->first_line &&
                        (low == 0 ? p->from_start : begins(&c, low))))
        low++;
    for (high = low; high < n; high++)
        if (place_of(p, rows, high) >= p->end_line && (high == low || begins(&c, high)))
            break;
    p->short_ahead = high == n && !p->to_end;
    if (p->short_behind || p->short_ahead) {
        data->n = 0;
        return BF_OK;
    }
    BF_TRY(check_order(data, rows, &c, low, high, err));
    if (high > low) {
        p->ended = ends(&c, high - 1);
        p->first_id = c.id ? c.id[low] : 0;
        p->last_id = c.id ? c.id[high - 1] : 0;
        p->first_t = c.t ? c.t[low] : 0;
        p->last_t = c.t ? c.t[high - 1] : 0;
    }
    keep_all(data, rows, low, high);
    return BF_OK;
}
