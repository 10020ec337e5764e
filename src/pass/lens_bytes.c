/* lens_bytes.c - A lens as bytes, and back. Trees are planted again from the pairs. */
#include <math.h>

#include "core/fail.h"
#include "pass/lens.h"

enum { MOST_COLUMNS = 1 << 20, MOST_ACTIONS = 1 << 20 };

/* ---- Writing */

static void pack_coordinates(bf__packer *out, const bf__coordinates *c) {
    bf__pack_i64(out, c->in);
    bf__pack_i64(out, c->out);
    for (int k = 0; k < c->out; k++) {
        bf__pack_i64(out, c->list[k].column);
        bf__pack_i64(out, c->list[k].quarter);
        bf__pack_f64(out, c->list[k].period);
        bf__pack_f64(out, c->list[k].centre);
        bf__pack_f64(out, c->list[k].scale);
    }
}

static void pack_kernel(bf__packer *out, const bf__kernel *k) {
    int kind = 0;
    while (bf__kernel_at(kind) && bf__kernel_at(kind) != k->kind)
        kind++;
    bf__pack_i64(out, kind);
    bf__pack_i64(out, k->widths);
    bf__pack_f64s(out, k->width, k->widths);
}

static void pack_nodes(bf__packer *out, const bf__lens *lens) {
    const bf__nodes *n = &lens->nodes;
    bf__pack_i64(out, n->n);
    bf__pack_i64(out, lens->ratio != NULL);
    bf__pack_i64s(out, n->first, n->groups + 1);
    bf__pack_f64s(out, n->x, n->n * n->dim);
    for (int64_t j = 0; j < n->n; j++)
        bf__pack_i64(out, n->count[j]);
    bf__pack_f64s(out, lens->visits, n->n);
    bf__pack_f64s(out, lens->reach, n->n);
    if (lens->ratio)
        bf__pack_f64s(out, lens->ratio, n->n);
}

static void pack_basis(bf__packer *out, const bf__basis *b, int quantities) {
    bf__pack_i64(out, b->members);
    bf__pack_i64(out, b->m);
    bf__pack_f64(out, b->flow.kernel.share);
    pack_kernel(out, &b->flow.kernel.state);
    if (!b->flow.actions)
        pack_kernel(out, &b->flow.kernel.action);
    bf__pack_f64s(out, b->pivots.z, b->flow.d * b->m);
    for (int64_t p = 0; p < b->m && b->flow.actions; p++)
        bf__pack_i64(out, b->pivots.action[p]);
    if (!b->flow.actions)
        bf__pack_f64s(out, b->pivots.u, b->flow.action_dim * b->m);
    bf__pack_f64s(out, b->beta, (int64_t)b->members * quantities * b->m);
}

void bf__lens_pack(bf__packer *out, const bf__lens *lens) {
    const bf__points *f = &lens->frame;
    bf__pack_i64(out, lens->state_dim);
    bf__pack_i64(out, f->actions);
    bf__pack_i64(out, f->action_dim);
    bf__pack_i64(out, f->samples);
    bf__pack_f64(out, f->steps.gamma);
    bf__pack_i64(out, lens->terminal);
    bf__pack_i64(out, f->steps.restarts || f->steps.absorbs);
    pack_coordinates(out, &f->coordinates);
    if (!f->actions)
        pack_coordinates(out, &f->action_coordinates);
    for (int a = 0; a < f->actions; a++)
        bf__pack_i64(out, f->seen[a]);
    bf__pack_f64(out, lens->sum);
    bf__pack_i64(out, lens->quantities);
    bf__pack_i64(out, lens->bases);
    bf__pack_f64s(out, lens->centre, lens->quantities);
    bf__pack_f64s(out, lens->bound, lens->quantities);
    bf__pack_f64(out, lens->low);
    bf__pack_f64(out, lens->high);
    bf__pack_f64(out, lens->doubt);
    bf__pack_i64(out, lens->longest);
    pack_nodes(out, lens);
    for (int b = 0; b < lens->bases; b++)
        pack_basis(out, &lens->basis[b], lens->quantities);
}

bf_status bf__lens_print(uint64_t *out, const bf__lens *lens, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    bf__packer p = {.arena = arena};
    bf__lens_pack(&p, lens);
    if (p.failed)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    *out = bf__checksum(p.bytes, p.size);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- Reading */

static double number(bf__unpacker *in, double low, double high) {
    double x = bf__unpack_f64(in);
    if (!(x >= low && x <= high)) {
        in->bad = true;
        return low;
    }
    return x;
}

static bf_status numbers(double **out, bf__unpacker *in, int64_t count, bf_arena *arena,
                         bf_error *err) {
    if (in->bad || (uint64_t)count > (in->size - in->at) / 8) {
        in->bad = true;
        count = 0;
    }
    BF_ALLOC(*out, arena, count, err);
    for (int64_t i = 0; i < count; i++)
        (*out)[i] = number(in, -1e300, 1e300);
    return BF_OK;
}

static bf_status unpack_coordinates(bf__coordinates *out, bf__unpacker *in, int columns,
                                    bf_arena *arena, bf_error *err) {
    bf__coordinate *list;
    out->in = (int)bf__unpack_in(in, columns, columns);
    out->out = (int)bf__unpack_count(in, 40);
    BF_ZALLOC(list, arena, out->out, err);
    for (int k = 0; k < out->out; k++) {
        list[k].column = (int)bf__unpack_in(in, 0, columns - 1);
        list[k].quarter = (int)bf__unpack_in(in, 0, 1);
        list[k].period = number(in, 0, 1e300);
        list[k].centre = number(in, -1e300, 1e300);
        list[k].scale = number(in, 1e-300, 1e300);
    }
    out->list = list;
    in->bad = in->bad || out->out < 1 || out->out > 2 * columns;
    return BF_OK;
}

static bf_status unpack_kernel(bf__kernel *out, bf__unpacker *in, bf_error *err) {
    double width[BF__MAX_WIDTHS] = {0};
    const bf__kernel_kind *kind = bf__kernel_at((int)bf__unpack_in(in, 0, 1000));
    int widths = (int)bf__unpack_in(in, 1, BF__MAX_WIDTHS);
    for (int w = 0; w < widths; w++)
        width[w] = number(in, 1.1e-18, 0.9e18);
    in->bad = in->bad || !kind;
    return in->bad ? BF_OK : bf__kernel_set(out, kind, width, widths, err);
}

static bf_status unpack_nodes(bf__lens *lens, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    bf__nodes *n = &lens->nodes;
    int64_t *first;
    int32_t *count;
    double *x;
    n->groups = lens->frame.actions ? lens->frame.actions : 1;
    n->dim = lens->frame.coordinates.out +
             (lens->frame.actions ? 0 : lens->frame.action_coordinates.out);
    n->n = bf__unpack_count(in, 8 * (size_t)(n->dim + 2));
    bool settled = bf__unpack_in(in, 0, 1);
    BF_ALLOC(first, arena, n->groups + 1, err);
    bf__unpack_i64s(in, first, n->groups + 1, 0, n->n);
    for (int b = 0; b < n->groups; b++)
        in->bad = in->bad || first[b + 1] < first[b];
    in->bad = in->bad || n->n < 1 || first[0] != 0 || first[n->groups] != n->n;
    BF_TRY(numbers(&x, in, n->n * n->dim, arena, err));
    if (in->bad)
        return BF_OK;
    BF_ALLOC(count, arena, n->n, err);
    for (int64_t j = 0; j < n->n; j++)
        count[j] = (int32_t)bf__unpack_in(in, 1, INT32_MAX);
    BF_TRY(numbers(&lens->visits, in, n->n, arena, err));
    BF_TRY(numbers(&lens->reach, in, n->n, arena, err));
    if (settled)
        BF_TRY(numbers(&lens->ratio, in, n->n, arena, err));
    if (in->bad)
        return BF_OK;
    for (int64_t j = 0; j < n->n; j++) {
        double ratio = settled ? lens->ratio[j] : 0;
        in->bad = in->bad || !(lens->reach[j] >= 0) ||
                  !(lens->visits[j] >= 0 && lens->visits[j] <= 1 + 1e-6) ||
                  !(ratio >= 0 && ratio <= 1e100);
        lens->largest = fmax(lens->largest, ratio);
    }
    n->first = first;
    n->count = count;
    n->x = x;
    return bf__nodes_plant(n, arena, err);
}

static bf_status unpack_basis(bf__lens *lens, bf__basis *b, bf__unpacker *in, bf_arena *arena,
                              bf_error *err) {
    const bf__points *f = &lens->frame;
    double *z, *u = NULL;
    int32_t *action = NULL;
    b->members = (int)bf__unpack_in(in, 0, BF__MOST_MEMBERS - lens->members);
    b->m = bf__unpack_count(in, 8);
    b->flow = (bf__flow){.d = f->coordinates.out,
                         .actions = f->actions,
                         .action_dim = f->actions ? 0 : f->action_coordinates.out,
                         .samples = f->samples};
    b->flow.kernel.share = number(in, 0, 1);
    BF_TRY(unpack_kernel(&b->flow.kernel.state, in, err));
    if (!f->actions)
        BF_TRY(unpack_kernel(&b->flow.kernel.action, in, err));
    BF_TRY(numbers(&z, in, b->flow.d * b->m, arena, err));
    if (f->actions) {
        BF_ZALLOC(action, arena, b->m, err);
        for (int64_t p = 0; p < b->m; p++)
            action[p] = (int32_t)bf__unpack_in(in, 0, f->actions - 1);
    } else {
        BF_TRY(numbers(&u, in, b->flow.action_dim * b->m, arena, err));
    }
    BF_TRY(numbers(&b->beta, in, (int64_t)b->members * lens->quantities * b->m, arena, err));
    lens->members += b->members;
    if (in->bad)
        return BF_OK;
    return bf__data_make(&b->pivots, &b->flow, z, action, u, b->m, arena, err);
}

static bf_status unpack_frame(bf__lens *lens, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    bf__points *f = &lens->frame;
    bool *seen;
    lens->state_dim = (int)bf__unpack_in(in, 1, MOST_COLUMNS);
    f->actions = (int)bf__unpack_in(in, 0, MOST_ACTIONS);
    f->action_dim = (int)bf__unpack_in(in, 0, 1 << 10);
    f->samples = (int)bf__unpack_in(in, 0, 1 << 10);
    double gamma = number(in, 0, 1);
    lens->terminal = (bf_terminal)bf__unpack_in(in, 0, BF_TERMINAL_IGNORE);
    f->steps = bf__steps_any(bf__unpack_in(in, 0, 1), gamma, lens->terminal);
    BF_TRY(unpack_coordinates(&f->coordinates, in, lens->state_dim, arena, err));
    in->bad = in->bad || (f->actions > 0) == (f->action_dim > 0) ||
              (f->actions == 0 && f->samples == 0) ||
              (uint64_t)f->actions > (in->size - in->at) / 8;
    if (in->bad)
        return BF_OK;
    if (!f->actions)
        BF_TRY(unpack_coordinates(&f->action_coordinates, in, f->action_dim, arena, err));
    BF_ZALLOC(seen, arena, f->actions, err);
    for (int a = 0; a < f->actions; a++)
        seen[a] = bf__unpack_in(in, 0, 1);
    f->seen = seen;
    return BF_OK;
}

bf_status bf__lens_unpack(bf__lens *lens, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    *lens = (bf__lens){.members = 0};
    BF_TRY(unpack_frame(lens, in, arena, err));
    lens->sum = number(in, 0, 1 + 1e-6);
    lens->quantities = (int)bf__unpack_in(in, 1, BF__MOST_QUANTITIES);
    lens->bases = (int)bf__unpack_in(in, 1, BF__MOST_BASES);
    for (int k = 0; k < lens->quantities; k++)
        lens->centre[k] = number(in, -1e150, 1e150);
    for (int k = 0; k < lens->quantities; k++)
        lens->bound[k] = number(in, 0, 1e150);
    lens->low = number(in, -1e150, 1e150);
    lens->high = number(in, lens->low, 1e150);
    lens->doubt = number(in, 0, 1e150);
    lens->longest = bf__unpack_in(in, 0, (int64_t)1 << 36);
    if (in->bad)
        return BF_OK;
    BF_TRY(unpack_nodes(lens, in, arena, err));
    for (int b = 0; b < lens->bases && !in->bad; b++)
        BF_TRY(unpack_basis(lens, &lens->basis[b], in, arena, err));
    in->bad = in->bad || lens->members < 1;
    return BF_OK;
}
