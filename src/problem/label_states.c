/* label_states.c - Real-valued states that are few: a finite state space given as coordinates.
 *
 * A process with finitely many states may be logged by coordinates (row and column of a grid, a
 * discretised sensor). Where every state comes again and again, what follows from it is known by
 * counting, and looking at neighbours can only blur it.
 *
 * Cost O(n d log n); for large logs of states that do not repeat, that of 2,000 rows. */
#include "problem/label_states.h"

#include <stdlib.h>
#include <string.h>

#include "backflow/rng.h"
#include "core/fail.h"

enum { SAMPLE = 2000, EACH = 5, MOST = 3000 };

/* State p is that of transition p, or the next state of transition p - n. */
static double coordinate(const bf_dataset *data, int64_t p, int c) {
    return p < data->n ? data->state[c * data->n + p] : data->next_state[c * data->n + p - data->n];
}

static int compare_states(const bf_dataset *data, int64_t a, int64_t b) {
    for (int c = 0; c < data->state_dim; c++) {
        double x = coordinate(data, a, c), y = coordinate(data, b, c);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare(const void *left, const void *right, void *self) {
    return compare_states(self, *(const int64_t *)left, *(const int64_t *)right);
}

/* Sorts them and counts how many differ. */
static int64_t distinct(int64_t *which, int64_t count, const bf_dataset *data) {
    int64_t different = 1;
    qsort_r(which, (size_t)count, sizeof *which, compare, (void *)data);
    for (int64_t i = 1; i < count; i++)
        different += compare_states(data, which[i - 1], which[i]) != 0;
    return different;
}

/* Of a few thousand states drawn among as many as are allowed, some dozens would be the same. */
static bool repeats_in_sample(int64_t *which, const bf_dataset *data) {
    bf_rng rng = bf_rng_make(1, "repeated states", 0);
    if (data->n <= 10 * SAMPLE)
        return true;
    for (int64_t i = 0; i < SAMPLE; i++)
        which[i] = bf_rng_below(&rng, data->n);
    return distinct(which, SAMPLE, data) < SAMPLE - SAMPLE / 40;
}

bf_status bf__label_states(bool *found, bf_dataset *out, const bf_dataset *data, bf_arena *arena,
                           bf_error *err) {
    int64_t n = data->n, *which, count = 0;
    *found = false;
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(which, arena, 2 * n, err);
    if (repeats_in_sample(which, data)) {
        for (int64_t i = 0; i < 2 * n; i++)
            which[i] = i;
        count = distinct(which, 2 * n, data);
    }
    if (count == 0 || count > n / EACH || count > MOST) {
        bf_arena_rewind(arena, mark);
        return BF_OK;
    }
    double *label;
    BF_ALLOC(label, arena, 2 * n, err);
    count = -1;
    for (int64_t i = 0; i < 2 * n; i++) {
        count += i == 0 || compare_states(data, which[i - 1], which[i]) != 0;
        label[which[i]] = (double)count;
    }
    *out = *data;
    out->share = NULL;
    out->state = label;
    out->next_state = label + n;
    out->state_dim = 1;
    out->states = count + 1;
    *found = true;
    return BF_OK;
}
