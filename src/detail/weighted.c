/* weighted.c - Quantiles and tail means of numbers with weights.
 *
 * Cost  O(n log n) to put them in order, O(log n) and O(n) after that */
#include "detail/weighted.h"

#include <math.h>
#include <stdlib.h>

#include "core/fail.h"

typedef struct item {
    double x, w;
} item;

static int by_number(const void *a, const void *b) {
    double x = ((const item *)a)->x, y = ((const item *)b)->x;
    return (x > y) - (x < y);
}

bf_status bf__order(bf__ordered *out, const double *x, const double *w, int64_t n, bool rest,
                    bf_arena *arena, bf_error *err) {
    item *items;
    double *value, *upto, sum = 0, mass = 0;
    int64_t count = 0, kept = 0;
    BF_ALLOC(value, arena, n + 1, err);
    BF_ALLOC(upto, arena, n + 1, err);
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(items, arena, n + 1, err);
    for (int64_t i = 0; i < n; i++) {
        sum += w[i];
        if (w[i] > 0)
            items[count++] = (item){x[i], w[i]};
    }
    if (rest && sum < 1 - 1e-12) {
        items[count++] = (item){0, 1 - sum};
        sum = 1;
    }
    qsort(items, (size_t)count, sizeof *items, by_number);
    for (int64_t i = 0; i < count; i++) {
        mass += items[i].w / sum;
        if (kept > 0 && items[i].x == value[kept - 1])
            kept--;
        value[kept] = items[i].x;
        upto[kept++] = mass;
    }
    if (kept > 0)
        upto[kept - 1] = 1;
    bf_arena_rewind(arena, mark);
    *out = (bf__ordered){kept, value, upto};
    return BF_OK;
}

double bf__quantile(const bf__ordered *o, double q) {
    int64_t low = 0, high = o->n - 1;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (o->upto[middle] >= q - 1e-12)
            high = middle;
        else
            low = middle + 1;
    }
    return o->n > 0 ? o->x[low] : NAN;
}

double bf__tail_mean(const bf__ordered *o, double q) {
    double sum = 0, before = 0;
    for (int64_t i = 0; i < o->n && before < q; i++) {
        sum += (fmin(o->upto[i], q) - before) * o->x[i];
        before = o->upto[i];
    }
    return o->n > 0 ? sum / q : NAN;
}
