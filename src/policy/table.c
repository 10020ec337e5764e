/* table.c - A policy as a table: one row of probabilities per state.
 *
 * .csv   pi0,pi1,... under a header or without one; row i is state i. With a column s rows are in
 *        any order and say their state.
 * .npy   an array (S, A).
 *
 * Shapes      table (S, A) row-major
 * Cost        O(A) per state asked about
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/columns.h"
#include "dataset/npy.h"
#include "dataset/number.h"
#include "dataset/reader.h"
#include "policy/kind.h"

#define SLACK 1e-6 /* how far from 1 probabilities may sum */

typedef struct table {
    bf_policy base;
    const double *rows; /* (S, A); a state that the file leaves out has NAN */
} table;

static bf_status probabilities(const bf_policy *self, const double *states, int64_t n, double *out,
                               bf_error *err) {
    const table *t = (const table *)self;
    int actions = self->actions;
    for (int64_t i = 0; i < n; i++) {
        double s = states[i];
        if (!(s >= 0 && s < (double)self->states) || s != floor(s))
            return bf_fail(err, BF_EPOLICY, "%s: state %.17g is not one of its states, 0 to %lld",
                           self->name, s, (long long)self->states - 1);
        const double *row = t->rows + (int64_t)s * actions;
        if (isnan(row[0]))
            return bf_fail(err, BF_EPOLICY, "%s: no row for state %.17g, which the log visits",
                           self->name, s);
        for (int a = 0; a < actions; a++)
            out[a * n + i] = row[a];
    }
    return BF_OK;
}

static bf_status make(const bf_policy **out, const char *name, const double *rows, int64_t states,
                      int actions, bf_arena *arena, bf_error *err) {
    table *t;
    char *copy;
    BF_ALLOC(t, arena, 1, err);
    BF_ALLOC(copy, arena, (int64_t)strlen(name) + 1, err);
    strcpy(copy, name);
    *t = (table){.base = {.kind = "table",
                          .name = copy,
                          .actions = actions,
                          .state_dim = 1,
                          .states = states,
                          .probabilities = probabilities},
                 .rows = rows};
    *out = &t->base;
    return BF_OK;
}

/* One row of probabilities, `stride` apart; `where` stands in front of what is wrong. */
static bf_status check_row(const double *row, int64_t stride, int actions, const char *where,
                           bf_error *err) {
    double sum = 0;
    for (int a = 0; a < actions; a++) {
        double p = row[a * stride];
        if (!(p >= 0) || p > 1 + SLACK)
            return bf_fail(err, BF_EPOLICY, "%s: pi%d: %.10g is not a probability", where, a, p);
        sum += p;
    }
    if (!(fabs(sum - 1) <= SLACK))
        return bf_fail(err, BF_EPOLICY,
                       "%s: pi0 to pi%d sum to %.10g; probabilities have to sum to 1", where,
                       actions - 1, sum);
    return BF_OK;
}

bf_status bf_policy_from_table(const bf_policy **out, const char *name, bf_view rows,
                               bf_arena *arena, bf_error *err) {
    double *copy;
    char where[320];
    if (rows.rows < 1 || rows.cols < 1 || rows.cols > INT_MAX)
        return bf_fail(err, BF_EPOLICY, "%s: a table needs a state and an action", name);
    int actions = (int)rows.cols;
    BF_ALLOC(copy, arena, rows.rows * actions, err);
    for (int64_t s = 0; s < rows.rows; s++) {
        snprintf(where, sizeof where, "%.256s: row %lld", name, (long long)s);
        BF_TRY(check_row(bf_view_row(rows, s), 1, actions, where, err));
        memcpy(copy + s * actions, bf_view_row(rows, s), (size_t)actions * sizeof *copy);
    }
    return make(out, name, copy, rows.rows, actions, arena, err);
}

/* ---- .npy */

static bf_status read_npy(const bf_policy **out, const char *path, const bf__bytes *bytes,
                          bf_arena *arena, bf_arena *scratch, bf_error *err) {
    bf__npy npy;
    char shape[160];
    double *column, *rows;
    BF_TRY(bf__npy_header(&npy, bytes->data, bytes->size, path, err));
    if (npy.dims != 2 || npy.count == 0 || npy.shape[1] > 1 << 20)
        return bf_fail(err, BF_EPOLICY, "%s: shape %s; (S, A) is needed, a row per state", path,
                       bf__npy_shape(&npy, shape));
    if ((bytes->size - npy.offset) / (size_t)npy.size < (size_t)npy.count)
        return bf_fail(err, BF_EFORMAT, "%s: %zu bytes where its shape %s asks for %zu", path,
                       bytes->size, bf__npy_shape(&npy, shape),
                       npy.offset + (size_t)npy.count * (size_t)npy.size);
    int64_t states = npy.shape[0];
    int actions = (int)npy.shape[1];
    BF_ALLOC(column, scratch, states, err);
    BF_ALLOC(rows, scratch, npy.count, err);
    for (int a = 0; a < actions; a++) {
        bf__npy_column(&npy, bytes->data + npy.offset, a, column);
        for (int64_t s = 0; s < states; s++)
            rows[s * actions + a] = column[s];
    }
    return bf_policy_from_table(out, path, bf_view_of(rows, states, actions), arena, err);
}

/* ---- .csv */

/* The columns of a table: pi0, pi1, ... and perhaps s. place[c] is the action, or -1 for s. */
static bf_status columns(const bf__file *file, int *place, int *actions, bool *by_state,
                         bf_arena *scratch, bf_error *err) {
    bf__schema schema;
    bf__group *group;
    BF_ALLOC(group, scratch, file->count, err);
    BF_TRY(bf__schema_make(&schema, group, place, file->names, file->count, file->path, err));
    for (int c = 0; c < file->count; c++) {
        bool state = group[c] == BF__S && schema.plain[BF__S];
        if (group[c] != BF__PI && !state)
            return bf_fail(err, BF_EPOLICY,
                           "%s: column '%s' does not belong into a table of a policy; pi0, pi1, "
                           "... and s do",
                           file->path, file->names[c]);
        if (state)
            place[c] = -1;
    }
    *actions = schema.width[BF__PI];
    *by_state = schema.width[BF__S] > 0;
    if (!*actions)
        return bf_fail(err, BF_EPOLICY, "%s: no columns pi0, pi1, ...", file->path);
    return BF_OK;
}

/* How many states the column s names: the greatest plus 1. */
static bf_status count_states(int64_t *out, const bf__file *file, const double *state,
                              const int64_t *line, bf_error *err) {
    *out = 0;
    for (int64_t i = 0; i < file->rows; i++) {
        if (!(state[i] >= 0 && state[i] < 1e8) || state[i] != floor(state[i]))
            return bf_fail(err, BF_EPOLICY,
                           "%s:%lld: s: %.17g is not a state; states are 0, 1, ...", file->path,
                           (long long)line[i], state[i]);
        if (state[i] >= (double)*out)
            *out = (int64_t)state[i] + 1;
    }
    return BF_OK;
}

static bf_status read_csv(const bf_policy **out, const bf__file *file, bf_arena *arena,
                          bf_arena *scratch, bf_error *err) {
    int *place, actions = 0;
    bool by_state = false;
    int64_t n = file->rows, *line, states = n;
    double *pi, *state, *rows;
    bf__sink *sinks;
    char where[320];
    BF_ALLOC(place, scratch, file->count, err);
    BF_TRY(columns(file, place, &actions, &by_state, scratch, err));
    BF_ALLOC(line, scratch, n, err);
    BF_ALLOC(state, scratch, n, err);
    BF_ALLOC(pi, scratch, n * actions, err);
    BF_ZALLOC(sinks, scratch, file->count, err);
    for (int c = 0; c < file->count; c++)
        sinks[c].values = place[c] < 0 ? state : pi + n * place[c];
    BF_TRY(file->reader->fill(file, sinks, line, NULL, scratch, err));
    if (by_state)
        BF_TRY(count_states(&states, file, state, line, err));
    BF_ALLOC(rows, arena, states * actions, err);
    for (int64_t k = 0; k < states * actions; k++)
        rows[k] = NAN;
    for (int64_t i = 0; i < n; i++) {
        int64_t s = by_state ? (int64_t)state[i] : i;
        snprintf(where, sizeof where, "%.256s:%lld", file->path, (long long)line[i]);
        BF_TRY(check_row(pi + i, n, actions, where, err));
        if (!isnan(rows[s * actions]))
            return bf_fail(err, BF_EPOLICY, "%s: s: state %lld is there twice", where,
                           (long long)s);
        for (int a = 0; a < actions; a++)
            rows[s * actions + a] = pi[a * n + i];
    }
    return make(out, file->path, rows, states, actions, arena, err);
}

/* ---- Either */

/* Whether the first line that is no comment starts with a number: no header. */
static bool is_bare(const bf__bytes *bytes) {
    const char *p = (const char *)bytes->data, *end = p + bytes->size;
    double value;
    while (p < end && (*p == '#' || *p == '\n' || *p == '\r')) {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        p = feed ? feed + 1 : end;
    }
    while (p < end && (*p == ' ' || *p == '"'))
        p++;
    return bf__number(p, end, &value) != NULL;
}

static bf_status read_either(const bf_policy **out, const char *path, bf__bytes *bytes,
                             bf__file *file, bf_arena *arena, bf_arena *scratch, bf_error *err) {
    BF_TRY(bf__bytes_open(bytes, path, scratch, err));
    if (bf__npy_claims(bytes->data, bytes->size))
        return read_npy(out, path, bytes, arena, scratch, err);
    int csv = 0;
    while (bf__reader_at(csv) && strcmp(bf__reader_at(csv)->name, "csv") != 0)
        csv++;
    BF_TRY(bf__file_open(file, path, csv + 1, is_bare(bytes), NULL, scratch, err));
    return read_csv(out, file, arena, scratch, err);
}

static bf_status read(const bf_policy **out, const char *path, bf_arena *arena, bf_error *err) {
    bf_arena *scratch;
    bf__bytes bytes = {0};
    bf__file file = {0};
    BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(arena), err));
    bf_status status = read_either(out, path, &bytes, &file, arena, scratch, err);
    bf__file_close(&file);
    bf__bytes_close(&bytes);
    bf_arena_destroy(scratch);
    if (status == BF_EDATA) { /* what spoils a log there spoils the policy here */
        status = BF_EPOLICY;
        if (err)
            err->status = status;
    }
    return status;
}

/* Numbers in text, or an array; a suffix claims what is neither, so that the message is about a
 * table. */
static bool claims(const char *path, const unsigned char *head, size_t length) {
    if (bf__npy_claims(head, length) || bf__has_suffix(path, ".csv") ||
        bf__has_suffix(path, ".npy"))
        return true;
    for (size_t i = 0; i < length; i++)
        if (head[i] < '\t' || head[i] == '{')
            return false;
    return true;
}

const bf__policy_kind bf__policy_table = {
    .name = "table",
    .summary = "probabilities per state: .csv with pi0,pi1,... or .npy (S, A)",
    .claims = claims,
    .read = read,
};
