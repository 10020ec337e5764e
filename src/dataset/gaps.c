/* gaps.c - Missing values: what becomes of NaN in a column as it was read.
 *
 *   drop      the row is left out. If next states come from the next row, so is the row before it,
 *             which has no next state then.
 *   forward   a state column takes its last value in the episode; for a next state, that of its own
 *             row. If there is no earlier value, the mean.
 *   mean      a state column takes its mean over the log. Words and numbers of a finite state space
 *             have no mean: the most frequent value stands in.
 *
 * Rewards, actions and probabilities are never made up, and a row without its episode, its time or
 * its end has no place. Cost: one pass over every column, and one per column that is filled. */
#include "dataset/gaps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

bool bf__gaps_allowed(const char *missing) {
    return missing && strcmp(missing, "error") != 0;
}

/* ---- Finding them */

/* A column as it was read. */
typedef struct column {
    double *values; /* (n) */
    const char *name;
    int group;   /* BF__GROUPS: a column that is kept */
    int place;   /* in its group */
    bool counts; /* its values are names, which have no mean */
} column;

static bool has_place(int g) {
    return g != BF__EPISODE && g != BF__T && g != BF__TERMINATED && g != BF__TRUNCATED;
}

static bool is_filled(int g) {
    return g == BF__S || g == BF__NS || g == BF__GROUPS;
}

/* All columns of the log, in scratch memory. */
static bf_status list_columns(column **out, int *count, const bf_dataset *data,
                              const bf__rows *rows, bf_arena *scratch, bf_error *err) {
    int room = data->extras;
    for (int g = 0; g < BF__GROUPS; g++)
        room += rows->schema.width[g];
    BF_ALLOC(*out, scratch, room, err);
    *count = 0;
    for (int g = 0; g < BF__GROUPS; g++)
        for (int j = 0; j < rows->schema.width[g]; j++)
            (*out)[(*count)++] = (column){rows->column[g] + j * data->n, rows->names[g][j], g, j,
                                          rows->words[g][j] || rows->schema.plain[g]};
    double *extra = (double *)(uintptr_t)data->extra;
    for (int k = 0; k < data->extras; k++)
        (*out)[(*count)++] = (column){extra + k * data->n, data->extra_names[k], BF__GROUPS, k,
                                      data->extra_words[k] != NULL};
    return BF_OK;
}

static bf_status refuse(const bf_dataset *data, const column *c, const bf__gap *gap,
                        const char *missing, bf_error *err) {
    char where[256], times[48] = "";
    bf_dataset_where(data, gap->first, where, sizeof where);
    if (gap->count > 1)
        snprintf(times, sizeof times, ", as in %lld other rows", (long long)gap->count - 1);
    if (!has_place(c->group))
        return bf_fail(err, BF_EDATA, "%s: %s: missing%s; a row without it has no place in the log",
                       where, c->name, times);
    return bf_fail(err, BF_EDATA,
                   "%s: %s: missing%s; `missing` %s fills state columns only, drop leaves such "
                   "rows out",
                   where, c->name, times, missing);
}

bf_status bf__gaps_find(bf_dataset *data, bf__rows *rows, const char *missing, bf_arena *arena,
                        bf_arena *scratch, bf_error *err) {
    column *columns;
    bf__gap *gaps;
    int count;
    if (!bf__gaps_allowed(missing))
        return BF_OK;
    bool dropped = strcmp(missing, "drop") == 0;
    BF_TRY(list_columns(&columns, &count, data, rows, scratch, err));
    BF_ALLOC(gaps, arena, count, err);
    if (dropped)
        BF_ZALLOC(rows->gap, scratch, data->n, err);
    for (int c = 0; c < count; c++) {
        bf__gap gap = {columns[c].name, 0, -1};
        for (int64_t i = 0; i < data->n; i++)
            if (isnan(columns[c].values[i])) {
                gap.first = gap.count++ ? gap.first : i;
                if (dropped)
                    rows->gap[i] = 1;
            }
        if (!gap.count)
            continue;
        if (!has_place(columns[c].group) || (!dropped && !is_filled(columns[c].group)))
            return refuse(data, &columns[c], &gap, missing, err);
        bool twice = false; /* a column that is kept and has a meaning besides */
        for (int k = 0; k < data->gap_count; k++)
            twice |= strcmp(gaps[k].column, gap.column) == 0;
        if (!twice)
            gaps[data->gap_count++] = gap;
    }
    data->gaps = gaps;
    if (data->gap_count)
        data->missing = dropped ? "drop" : strcmp(missing, "mean") == 0 ? "mean" : "forward";
    else
        rows->gap = NULL;
    return BF_OK;
}

static bool is_gap(double value) {
    return isnan(value) && !bf__is_faulty(value);
}

/* "log.csv:5, 9, 12, ..." into `text`; steps of an episode are named with it. */
static void first_rows(char *text, size_t size, const bf_dataset *data, const column *c) {
    char where[256];
    int shown = 0;
    size_t used = 0;
    for (int64_t i = 0; i < data->n && shown <= 5 && used + 60 < size; i++) {
        if (!is_gap(c->values[i]))
            continue;
        bf_fault at = bf__fault_at(data, i, NULL);
        if (shown == 5)
            used += (size_t)snprintf(text + used, size - used, ", ...");
        else if (shown == 0)
            used += (size_t)snprintf(text + used, size - used, "%.160s",
                                     bf_dataset_where(data, i, where, sizeof where));
        else if (at.episode >= 0)
            used += (size_t)snprintf(text + used, size - used, "; episode_%lld, step %lld",
                                     (long long)at.episode, (long long)at.row);
        else
            used += (size_t)snprintf(text + used, size - used, ", %lld", (long long)at.row);
        shown++;
    }
}

bf_status bf__gaps_list(bf_dataset *data, const bf__rows *rows, const char *missing,
                        bf__faults *faults, bf_arena *scratch, bf_error *err) {
    column *columns;
    int count;
    bool treated = bf__gaps_allowed(missing), dropped = treated && strcmp(missing, "drop") == 0;
    BF_TRY(list_columns(&columns, &count, data, rows, scratch, err));
    for (int c = 0; c < count; c++) {
        char text[512], where[400];
        int64_t gaps = 0, first = -1;
        for (int64_t i = 0; i < data->n; i++)
            if (is_gap(columns[c].values[i]))
                first = gaps++ ? first : i;
        bool left = has_place(columns[c].group) && (dropped || is_filled(columns[c].group));
        if (!gaps || (treated && left))
            continue;
        first_rows(where, sizeof where, data, &columns[c]);
        snprintf(text, sizeof text, "%s: %.60s: missing in %lld row%s", where, columns[c].name,
                 (long long)gaps, gaps == 1 ? "" : "s");
        bf_fault fault = bf__fault_at(data, first, columns[c].name);
        fault.count = gaps;
        fault.message = text;
        BF_TRY(bf__faults_add(faults, &fault, err));
    }
    return BF_OK;
}

/* ---- Filling them */

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The most frequent value; of several, the least. */
static double most_frequent(double *values, int64_t count) {
    double best = values[0];
    int64_t most = 0;
    qsort(values, (size_t)count, sizeof *values, by_value);
    for (int64_t i = 0, run = 0; i < count; i++) {
        run = i && values[i] == values[i - 1] ? run + 1 : 1;
        if (run > most) {
            most = run;
            best = values[i];
        }
    }
    return best;
}

/* What stands in for a value of the column; *out is NaN if there is no value at all. */
static bf_status usual_value(double *out, const double *values, int64_t n, bool named,
                             bf_arena *scratch, bf_error *err) {
    double *present, sum = 0;
    int64_t count = 0;
    BF_ALLOC(present, scratch, n, err);
    for (int64_t i = 0; i < n; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            present[count++] = values[i];
        }
    *out = !count ? NAN : named ? most_frequent(present, count) : sum / (double)count;
    return BF_OK;
}

/* Fills from earlier rows of the episode. `own` (n) is known at the row itself; NULL: nothing is.
 */
static int64_t carry(double *values, const double *own, const bf_dataset *data, double usual) {
    int64_t early = 0;
    for (int64_t e = 0; e < data->episodes; e++) {
        double last = NAN;
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
            int64_t i = data->order[j];
            double known = own ? own[i] : last;
            if (!isnan(values[i])) {
                last = values[i];
                continue;
            }
            early += isnan(known);
            values[i] = isnan(known) ? usual : known;
            last = known;
        }
    }
    return early;
}

static void put_usual(double *values, int64_t n, double usual) {
    for (int64_t i = 0; i < n; i++)
        if (isnan(values[i]))
            values[i] = usual;
}

bf_status bf__gaps_fill(bf_dataset *data, bf__rows *rows, const char *missing, bf_arena *scratch,
                        bf_error *err) {
    column *columns;
    int count;
    if (!data->gap_count || rows->gap)
        return BF_OK;
    bool forward = strcmp(missing, "forward") == 0;
    if (forward && !data->begin)
        return bf_fail(err, BF_EDATA,
                       "%s: `missing` forward needs episodes: there is no earlier row in a bag of "
                       "transitions",
                       data->sources[0].path);
    BF_TRY(list_columns(&columns, &count, data, rows, scratch, err));
    for (int c = 0; c < count; c++) {
        const column *of = &columns[c];
        const double *own = NULL;
        double usual;
        if (!is_filled(of->group))
            continue;
        bf_mark mark = bf_arena_mark(scratch);
        BF_TRY(usual_value(&usual, of->values, data->n, of->counts, scratch, err));
        bf_arena_rewind(scratch, mark);
        if (isnan(usual))
            return bf_fail(err, BF_EDATA, "%s: %s: no row has a value", data->sources[0].path,
                           of->name);
        if (of->group == BF__NS)
            own = rows->column[BF__S] + of->place * data->n;
        if (forward)
            data->gaps_early += carry(of->values, own, data, usual);
        else
            put_usual(of->values, data->n, usual);
    }
    return BF_OK;
}
