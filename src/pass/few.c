/* few.c - A few rows of a log, those of least hash.
 *
 * There is room for twice as many. If it is used up, the larger half goes.
 *
 * Cost  one comparison per row, and O(log) per row that is kept for a while */
#include "pass/few.h"

#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

bf_status bf__few_begin(bf__few *f, int width, bf_arena *arena, bf_error *err) {
    *f = (bf__few){.width = width};
    BF_ZALLOC(f->rows, arena, 2 * BF__FEW, err);
    BF_ALLOC(f->values, arena, (int64_t)2 * BF__FEW * width, err);
    for (int64_t k = 0; k < 2 * BF__FEW; k++)
        f->rows[k].at = k;
    return BF_OK;
}

static int by_hash(const void *a, const void *b) {
    const bf__few_row *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Places that are given up go to the end of the list, where the next rows find them. */
void bf__few_cut(bf__few *f) {
    int64_t kept = 0;
    if (f->count > 1)
        qsort(f->rows, (size_t)f->count, sizeof *f->rows, by_hash);
    for (int64_t k = 0; k < f->count; k++)
        if (k == 0 || f->rows[k].hash != f->rows[kept - 1].hash) {
            bf__few_row swap = f->rows[kept];
            f->rows[kept++] = f->rows[k];
            f->rows[k] = swap;
        }
    while (kept > 0 && f->full && f->rows[kept - 1].hash >= f->limit)
        kept--;
    f->count = kept < BF__FEW ? kept : BF__FEW;
    if (kept > BF__FEW) {
        f->full = true;
        f->limit = f->rows[BF__FEW].hash;
    }
}

bool bf__few_take(double **values, bf__few *f, uint64_t hash) {
    if (f->full && hash >= f->limit)
        return false;
    if (f->count == 2 * BF__FEW)
        bf__few_cut(f);
    if (f->full && hash >= f->limit) /* as the cut has found */
        return false;
    f->rows[f->count].hash = hash;
    *values = f->values + f->rows[f->count].at * f->width;
    f->count++;
    return true;
}

void bf__few_join(bf__few *f, const bf__few *other) {
    if (other->full && (!f->full || other->limit < f->limit)) {
        f->full = true;
        f->limit = other->limit;
    }
    for (int64_t k = 0; k < other->count; k++) {
        double *values;
        if (bf__few_take(&values, f, other->rows[k].hash))
            memcpy(values, other->values + other->rows[k].at * f->width,
                   (size_t)f->width * sizeof *values);
    }
}

void bf__few_pack(bf__packer *out, bf__few *f) {
    bf__few_cut(f);
    bf__pack_i64(out, f->full);
    bf__pack_u64(out, f->full ? f->limit : 0);
    bf__pack_i64(out, f->count);
    for (int64_t k = 0; k < f->count; k++) {
        bf__pack_u64(out, f->rows[k].hash);
        bf__pack_f64s(out, f->values + f->rows[k].at * f->width, f->width);
    }
}

void bf__few_unpack(bf__few *f, bf__unpacker *in) {
    bool full = bf__unpack_in(in, 0, 1);
    uint64_t limit = bf__unpack_u64(in), before = 0;
    int64_t count = bf__unpack_in(in, 0, BF__FEW);
    for (int64_t k = 0; k < count && !in->bad; k++) {
        double *values;
        uint64_t hash = bf__unpack_u64(in);
        in->bad = in->bad || (k > 0 && hash <= before) || (full && hash >= limit);
        before = hash;
        if (bf__few_take(&values, f, hash))
            bf__unpack_f64s(in, values, f->width);
    }
    f->full = full;
    f->limit = limit;
}
