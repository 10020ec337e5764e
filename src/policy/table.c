/* table.c - Files with a policy as a table: one row of probabilities per state.
 *
 * .csv   pi0,pi1,... under a header or without one; row i is state i. With a column s rows are in
 *        any order and say their state; memory is for the rows that are there, whatever states
 *        they claim. Columns pi:NAME name actions, and words in s name states.
 * .npy   an array (S, A).
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/columns.h"
#include "dataset/reader.h"
#include "format/npy.h"
#include "format/number.h"
#include "policy/table_policy.h"

#define SLACK 1e-6 /* how far the sum of probabilities may be from 1 */

/* Checks one row of probabilities, `stride` apart. `where` opens the message if something is
 * wrong. */
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

static bf_status from_view(bf_policy **out, const char *name, bf_view rows, bf_arena *arena,
                           bf_error *err) {
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
    bf__table table = {copy, rows.rows, NULL, NULL};
    return bf__table_make(out, name, &table, actions, NULL, arena, err);
}

bf_status bf_policy_from_table(const bf_policy **out, const char *name, bf_view rows,
                               bf_arena *arena, bf_error *err) {
    bf_policy *made = NULL;
    bf_status status = from_view(&made, name, rows, arena, err);
    *out = made;
    return status;
}

/* ---- .npy */

static bf_status read_npy(bf_policy **out, const char *path, const bf__bytes *bytes,
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
    return from_view(out, path, bf_view_of(rows, states, actions), arena, err);
}

/* ---- .csv */

/* The columns of a table are pi0, pi1, ... (or pi:NAME) and perhaps s. place[c] is the action, or
 * -1 for s. */
static bf_status columns(const bf__file *file, int *place, int *actions, bool *by_state,
                         bf__labels *labels, bf_arena *scratch, bf_error *err) {
    bf__schema schema;
    bf__column_group *group;
    BF_ALLOC(group, scratch, file->count, err);
    BF_TRY(bf__schema_make(&schema, group, place, file->names, file->count, NULL, file->path,
                           scratch, err));
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
    *labels = schema.labels;
    *by_state = schema.width[BF__S] > 0;
    if (!*actions)
        return bf_fail(err, BF_EPOLICY, "%s: no columns pi0, pi1, ...", file->path);
    return BF_OK;
}

/* A row of the file and the state that it is for. */
typedef struct entry {
    int64_t state, row;
} entry;

static int by_state_and_row(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = (a->state > b->state) - (a->state < b->state);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* The order of rows by the column s, which names every state at most once. */
static bf_status sort_states(entry *out, const bf__file *file, const double *state,
                             const int64_t *line, bf_error *err) {
    for (int64_t i = 0; i < file->rows; i++) {
        if (!(state[i] >= 0 && state[i] < 1e8) || state[i] != floor(state[i]))
            return bf_fail(err, BF_EPOLICY,
                           "%s:%lld: s: %.17g is not a state; states are 0, 1, ...", file->path,
                           (long long)line[i], state[i]);
        out[i] = (entry){(int64_t)state[i], i};
    }
    qsort(out, (size_t)file->rows, sizeof *out, by_state_and_row);
    for (int64_t i = 1; i < file->rows; i++)
        if (out[i].state == out[i - 1].state)
            return bf_fail(err, BF_EPOLICY, "%s:%lld: s: state %lld is there twice", file->path,
                           (long long)line[out[i].row], (long long)out[i].state);
    return BF_OK;
}

/* Every row names its state, and no two the same. */
static bf_status name_states(const char ***out, const bf__file *file, const bf__words *words,
                             const double *code, const int64_t *line, bf_arena *arena,
                             bf_error *err) {
    BF_ALLOC(*out, arena, file->rows, err);
    for (int64_t i = 0; i < file->rows; i++) {
        (*out)[i] = words->text[(int64_t)code[i]];
        if (code[i] != (double)i) /* new words have new codes */
            return bf_fail(err, BF_EPOLICY, "%s:%lld: s: state '%s' is there twice", file->path,
                           (long long)line[i], (*out)[i]);
    }
    return BF_OK;
}

/* Copies names of the file into the arena of the policy. */
static bf_status copy_names(const char ***out, const bf__labels *labels, bf_arena *arena,
                            bf_error *err) {
    char *copy;
    *out = NULL;
    if (!labels->count)
        return BF_OK;
    BF_ALLOC(*out, arena, labels->count, err);
    for (int k = 0; k < labels->count; k++) {
        BF_ALLOC(copy, arena, (int64_t)strlen(labels->text[k]) + 1, err);
        (*out)[k] = strcpy(copy, labels->text[k]);
    }
    return BF_OK;
}

static bf_status read_csv(bf_policy **out, const bf__file *file, bf_arena *arena, bf_arena *scratch,
                          bf_error *err) {
    int *place, actions = 0;
    bool by_state = false;
    int64_t n = file->rows, *line, *states = NULL;
    double *pi, *state, *rows;
    entry *order;
    bf__sink *sinks;
    bf__labels labels = {0};
    bf__words *words = NULL;
    const char **names, **state_names = NULL;
    char where[320];
    BF_ALLOC(place, scratch, file->count, err);
    BF_TRY(columns(file, place, &actions, &by_state, &labels, scratch, err));
    BF_ALLOC(line, scratch, n, err);
    BF_ALLOC(state, scratch, n, err);
    BF_ALLOC(order, scratch, n, err);
    BF_ALLOC(pi, scratch, n * actions, err);
    BF_ZALLOC(sinks, scratch, file->count, err);
    for (int c = 0; c < file->count; c++) {
        sinks[c].values = place[c] < 0 ? state : pi + n * place[c];
        if (place[c] < 0 && file->looks && bf__kind_of(BF__S, true, &file->looks[c]) == BF__TEXT) {
            BF_TRY(bf__words_create(&words, arena, err));
            sinks[c].words = words;
        }
    }
    BF_TRY(file->reader->fill(file, sinks, line, NULL, scratch, err));
    for (int64_t i = 0; i < n; i++) {
        snprintf(where, sizeof where, "%.256s:%lld", file->path, (long long)line[i]);
        BF_TRY(check_row(pi + i, n, actions, where, err));
        order[i] = (entry){i, i};
    }
    if (words) {
        BF_TRY(name_states(&state_names, file, words, state, line, arena, err));
    } else if (by_state) {
        BF_TRY(sort_states(order, file, state, line, err));
        BF_ALLOC(states, arena, n, err);
    }
    BF_ALLOC(rows, arena, n * actions, err);
    for (int64_t i = 0; i < n; i++) {
        if (states)
            states[i] = order[i].state;
        for (int a = 0; a < actions; a++)
            rows[i * actions + a] = pi[a * n + order[i].row];
    }
    BF_TRY(copy_names(&names, &labels, arena, err));
    bf__table table = {rows, n, states, state_names};
    return bf__table_make(out, file->path, &table, actions, names, arena, err);
}

/* ---- Both */

/* Says if the first line that is no comment starts with a number. Then there is no header. */
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

static bf_status read_either(bf_policy **out, const char *path, const bf__bytes *bytes,
                             bf__file *file, bf_arena *arena, bf_arena *scratch, bf_error *err) {
    if (bf__npy_claims(bytes->data, bytes->size))
        return read_npy(out, path, bytes, arena, scratch, err);
    int csv = 0;
    while (bf__reader_at(csv) && strcmp(bf__reader_at(csv)->name, "csv") != 0)
        csv++;
    bf__bytes borrowed = {bytes->data, bytes->size, false};
    BF_TRY(bf__file_parse(file, path, &borrowed, csv + 1, is_bare(bytes), NULL, scratch, err));
    return read_csv(out, file, arena, scratch, err);
}

static bf_status read(bf_policy **out, const char *path, const bf__bytes *bytes, bf_arena *arena,
                      bf_error *err) {
    bf_arena *scratch;
    bf__file file = {0};
    BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(arena), err));
    bf_status status = read_either(out, path, bytes, &file, arena, scratch, err);
    bf__file_close(&file);
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
