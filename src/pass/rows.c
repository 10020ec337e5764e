/* rows.c - The rows of a log as plain numbers, one row after the other, and back. */
#include "pass/rows.h"

#include <string.h>

#include "core/fail.h"

enum { TERMINATED, TRUNCATED, MU, MU_ALL, PI, NPI, NA, SA, TABLES, HAS };
enum { MOST_EXTRAS = 1000, MOST_WIDTH = 1 << 22 };

static void count(bf__row_form *f) {
    int sampled = f->samples * f->action_dim;
    f->width = 2 * f->state_dim + (f->action_dim > 0 ? f->action_dim : 1) + 1 + f->has[TERMINATED] +
               f->has[TRUNCATED] + f->has[MU] + f->actions * (f->has[MU_ALL] + f->has[PI]) +
               f->actions * f->has[NPI] + sampled * (f->has[NA] + f->has[SA]) + f->extras;
}

static bf_status describe(bf__row_form *out, const bf_dataset *d, bf_arena *arena, bf_error *err) {
    *out = (bf__row_form){.state_dim = d->state_dim,
                          .action_dim = d->action_dim,
                          .samples = d->samples,
                          .actions = d->actions,
                          .real_state = d->real_state,
                          .has = {d->terminated != NULL, d->truncated != NULL, d->mu != NULL,
                                  d->mu_all != NULL, d->pi != NULL, d->npi != NULL, d->na != NULL,
                                  d->sa != NULL},
                          .extras = d->extras};
    out->has[TABLES] = d->mu_all || d->pi || d->npi;
    BF_ALLOC(out->extra_names, arena, d->extras, err);
    for (int k = 0; k < d->extras; k++) {
        size_t size = strlen(d->extra_names[k]) + 1;
        char *name;
        BF_ALLOC(name, arena, (int64_t)size, err);
        memcpy(name, d->extra_names[k], size);
        out->extra_names[k] = name;
    }
    count(out);
    return BF_OK;
}

bf_status bf__row_form_join(bf__row_form *f, const bf__row_form *other, bf_error *err) {
    bool same = f->state_dim == other->state_dim && f->action_dim == other->action_dim &&
                f->samples == other->samples && f->real_state == other->real_state &&
                f->extras == other->extras && memcmp(f->has, other->has, sizeof f->has) == 0 &&
                (!f->has[TABLES] || f->actions == other->actions);
    for (int k = 0; k < f->extras && same; k++)
        same = strcmp(f->extra_names[k], other->extra_names[k]) == 0;
    if (!same)
        return bf_fail(err, BF_EDATA, "batches of one log have to have the same columns");
    if (other->actions > f->actions)
        f->actions = other->actions;
    return BF_OK;
}

bf_status bf__row_form_of(bf__row_form *form, const bf_dataset *data, bf_arena *arena,
                          bf_error *err) {
    bf__row_form here;
    if (form->width == 0)
        return describe(form, data, arena, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(describe(&here, data, arena, err));
    BF_TRY(bf__row_form_join(form, &here, err));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- Row by row */

static double *take(double *to, const double *block, int64_t width, int64_t n, int64_t i) {
    for (int64_t c = 0; block && c < width; c++)
        *to++ = block[c * n + i];
    return to;
}

void bf__row_take(double *to, const bf__row_form *f, const bf_dataset *d, int64_t i) {
    int64_t n = d->n, sampled = (int64_t)d->samples * d->action_dim;
    to = take(to, d->state, d->state_dim, n, i);
    to = take(to, d->next_state, d->state_dim, n, i);
    if (d->action)
        *to++ = d->action[i];
    to = take(to, d->action_vector, d->action_dim, n, i);
    *to++ = d->reward[i];
    if (f->has[TERMINATED])
        *to++ = d->terminated[i];
    if (f->has[TRUNCATED])
        *to++ = d->truncated[i];
    to = take(to, d->mu, 1, n, i);
    to = take(to, d->mu_all, d->actions, n, i);
    to = take(to, d->pi, d->actions, n, i);
    to = take(to, d->npi, d->actions, n, i);
    to = take(to, d->na, sampled, n, i);
    to = take(to, d->sa, sampled, n, i);
    take(to, d->extra, d->extras, n, i);
}

/* ---- A log of them */

typedef struct source {
    const double *values;
    int64_t n, at; /* rows; numbers of a row that are taken already */
    int64_t width;
    bf_arena *arena;
} source;

/* out (width, n): the next columns; NULL if they are not there. */
static bf_status next_columns(const double **out, source *s, int64_t columns, bool there,
                              bf_error *err) {
    double *block;
    *out = NULL;
    if (!there || columns == 0)
        return BF_OK;
    BF_ALLOC(block, s->arena, columns * s->n, err);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < s->n; i++)
            block[c * s->n + i] = s->values[i * s->width + s->at + c];
    s->at += columns;
    *out = block;
    return BF_OK;
}

static bf_status next_flags(const uint8_t **out, source *s, bool there, bf_error *err) {
    uint8_t *flags;
    *out = NULL;
    if (!there)
        return BF_OK;
    BF_ALLOC(flags, s->arena, s->n, err);
    for (int64_t i = 0; i < s->n; i++)
        flags[i] = s->values[i * s->width + s->at] != 0;
    s->at++;
    *out = flags;
    return BF_OK;
}

static bf_status next_actions(const int32_t **out, source *s, bf_error *err) {
    int32_t *action;
    BF_ALLOC(action, s->arena, s->n, err);
    for (int64_t i = 0; i < s->n; i++) {
        double a = s->values[i * s->width + s->at];
        action[i] = a >= 0 && a <= 1e6 ? (int32_t)a : -1; /* which no log has */
    }
    s->at++;
    *out = action;
    return BF_OK;
}

bf_status bf__rows_log(bf_dataset *out, const bf__row_form *f, const double *values, int64_t n,
                       const int64_t *begin, int64_t episodes, bf_arena *arena, bf_error *err) {
    source s = {values, n, 0, f->width, arena};
    int64_t *row, sampled = (int64_t)f->samples * f->action_dim;
    bf_source *from;
    BF_ALLOC(row, arena, n, err);
    BF_ALLOC(from, arena, 1, err);
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    *from = (bf_source){"the sample", 0, false};
    *out = (bf_dataset){.n = n,
                        .state_dim = f->state_dim,
                        .action_dim = f->action_dim,
                        .samples = f->samples,
                        .actions = f->action_dim > 0 ? 0 : f->actions,
                        .real_state = f->real_state,
                        .extras = f->extras,
                        .extra_names = f->extra_names,
                        .episodes = episodes,
                        .begin = episodes > 0 ? begin : NULL,
                        .order = episodes > 0 ? row : NULL,
                        .sources = from,
                        .source_count = 1,
                        .row = row,
                        .rows_read = n};
    BF_TRY(next_columns(&out->state, &s, f->state_dim, true, err));
    BF_TRY(next_columns(&out->next_state, &s, f->state_dim, true, err));
    if (f->action_dim == 0)
        BF_TRY(next_actions(&out->action, &s, err));
    BF_TRY(next_columns(&out->action_vector, &s, f->action_dim, true, err));
    BF_TRY(next_columns(&out->reward, &s, 1, true, err));
    BF_TRY(next_flags(&out->terminated, &s, f->has[TERMINATED], err));
    BF_TRY(next_flags(&out->truncated, &s, f->has[TRUNCATED], err));
    BF_TRY(next_columns(&out->mu, &s, 1, f->has[MU], err));
    BF_TRY(next_columns(&out->mu_all, &s, f->actions, f->has[MU_ALL], err));
    BF_TRY(next_columns(&out->pi, &s, f->actions, f->has[PI], err));
    BF_TRY(next_columns(&out->npi, &s, f->actions, f->has[NPI], err));
    BF_TRY(next_columns(&out->na, &s, sampled, f->has[NA], err));
    BF_TRY(next_columns(&out->sa, &s, sampled, f->has[SA], err));
    BF_TRY(next_columns(&out->extra, &s, f->extras, true, err));
    return bf__dataset_finish(out, arena, err);
}

/* ---- Bytes */

void bf__row_form_pack(bf__packer *out, const bf__row_form *f) {
    bf__pack_i64(out, f->width);
    if (f->width == 0)
        return;
    bf__pack_i64(out, f->state_dim);
    bf__pack_i64(out, f->action_dim);
    bf__pack_i64(out, f->samples);
    bf__pack_i64(out, f->actions);
    bf__pack_i64(out, f->real_state);
    for (int k = 0; k < HAS; k++)
        bf__pack_i64(out, f->has[k]);
    bf__pack_i64(out, f->extras);
    for (int k = 0; k < f->extras; k++)
        bf__pack_text(out, f->extra_names[k]);
}

bf_status bf__row_form_unpack(bf__row_form *f, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    int64_t width = bf__unpack_in(in, 0, MOST_WIDTH);
    *f = (bf__row_form){0};
    if (width == 0)
        return BF_OK;
    f->state_dim = (int)bf__unpack_in(in, 1, 1 << 20);
    f->action_dim = (int)bf__unpack_in(in, 0, 1 << 10);
    f->samples = (int)bf__unpack_in(in, 0, 1 << 10);
    f->actions = (int)bf__unpack_in(in, 0, 1 << 20);
    f->real_state = bf__unpack_in(in, 0, 1);
    for (int k = 0; k < HAS; k++)
        f->has[k] = bf__unpack_in(in, 0, 1);
    f->extras = (int)bf__unpack_in(in, 0, MOST_EXTRAS);
    BF_ZALLOC(f->extra_names, arena, f->extras, err);
    for (int k = 0; k < f->extras; k++)
        BF_TRY(bf__unpack_text(&f->extra_names[k], in, INT64_MAX, arena, err));
    bool tables = f->has[MU_ALL] || f->has[PI] || f->has[NPI];
    in->bad = in->bad || tables != f->has[TABLES] || (f->action_dim > 0 && tables) ||
              (f->action_dim == 0 && (f->actions == 0 || f->samples > 0)) ||
              ((f->has[NA] || f->has[SA]) && f->samples == 0);
    if (in->bad) {
        *f = (bf__row_form){0};
        return BF_OK;
    }
    count(f);
    in->bad = f->width != width;
    return BF_OK;
}
