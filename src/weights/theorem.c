/* theorem.c - What the paper's theorem on generalization says of weights.
 *
 * Source      paper, theorem 4.2: with probability 1 - delta
 *             D(w) - D(w*) <= 16 r R + (16 r^2 + r^2 sqrt(8 log(1 / delta))) / sqrt(n)
 *             D       MMD between the weighted pairs and where the target leads from them
 *             w, w*   of least loss on the log, and with the true transition probabilities
 *             r       r_max, the larger of |W| and sqrt k(x, x), which is 1 here
 *             R       Rademacher complexity of the class that W was chosen from
 *
 * The theorem wants a class in which W is bounded. Ours are not, so the class is taken to be that
 * of the answer: functions of the same kind between the smallest and the largest n w_i that were
 * found, and 0. Whatever the kind, R is at most that of all functions of the pair (s, a) between
 * these two (solver/rademacher.h), which is small if pairs repeat, and half of their distance if
 * they do not. A model whose class is smaller says so itself; linear weights do.
 * Cost        O(n d) to find which pairs repeat */
#include "weights/theorem.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimator/diagnostics.h"
#include "solver/rademacher.h"

/* Bits of row i of (d, n) columns. 0 and -0 are one number. */
static uint64_t mix(uint64_t h, const double *columns, int d, int64_t n, int64_t i) {
    for (int c = 0; c < d; c++) {
        double x = columns[c * n + i] + 0.0;
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        h = (h ^ bits) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static uint64_t hash(const bf_dataset *data, int64_t i) {
    uint64_t h = mix(1, data->state, data->state_dim, data->n, i);
    return data->action ? (h ^ (uint64_t)data->action[i]) * 0xbf58476d1ce4e5b9u
                        : mix(h, data->action_vector, data->action_dim, data->n, i);
}

static bool same(const double *columns, int d, int64_t n, int64_t i, int64_t j) {
    for (int c = 0; c < d; c++)
        if (columns[c * n + i] != columns[c * n + j])
            return false;
    return true;
}

static bool same_pair(const bf_dataset *data, int64_t i, int64_t j) {
    int64_t n = data->n;
    return same(data->state, data->state_dim, n, i, j) &&
           (data->action ? data->action[i] == data->action[j]
                         : same(data->action_vector, data->action_dim, n, i, j));
}

bf_status bf__theorem_signs(double *out, const bf_dataset *data, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t n = data->n, room = 16;
    while (2 * room < 3 * n)
        room *= 2;
    /* Open addressing; 16 bytes a row at most. */
    uint32_t *table, *count; /* (room): 1 + the first row of a pair, or 0; (n): rows of its pair */
    BF_ZALLOC(table, arena, room, err);
    BF_ZALLOC(count, arena, n, err);
    for (int64_t i = 0; i < n; i++) {
        uint64_t at = hash(data, i) >> 7 & (uint64_t)(room - 1);
        while (table[at] > 0 && !same_pair(data, table[at] - 1, i))
            at = (at + 1) & (uint64_t)(room - 1);
        if (table[at] == 0)
            table[at] = (uint32_t)(i + 1);
        count[table[at] - 1]++;
    }
    *out = 0;
    for (int64_t i = 0; i < n; i++)
        *out += bf__signs_mean(count[i]);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

void bf__theorem_numbers(bf_estimate *out, double low, double high, double signs, int64_t n) {
    double own = bf__diagnosed(out, BF__D_RADEMACHER), r_max = fmax(1, fmax(high, -low));
    double complexity = fmin(own, bf__rademacher_box(low, high, signs, n)); /* skips NaN */
    bf__diagnose(out, BF__D_R_MAX, r_max);
    if (isnan(own))
        bf__diagnose(out, BF__D_RADEMACHER, complexity);
    else
        bf__diagnose_again(out, BF__D_RADEMACHER, complexity);
    bf__diagnose(out, BF__D_LOSS_BOUND,
                 bf__generalization_bound(r_max, complexity, n, BF__THEOREM_DELTA));
}

bf_status bf__theorem_diagnose(bf_estimate *out, const bf_dataset *data, bf_arena *arena,
                               bf_error *err) {
    const double *w = out->signed_weights;
    double low = 0, high = 0, signs, n = (double)data->n;
    if (!w || data->weight || data->n >= UINT32_MAX || !isnan(bf__diagnosed(out, BF__D_R_MAX)))
        return BF_OK;
    for (int64_t i = 0; i < data->n; i++) {
        low = fmin(low, n * w[i]);
        high = fmax(high, n * w[i]);
    }
    BF_TRY(bf__theorem_signs(&signs, data, arena, err));
    bf__theorem_numbers(out, low, high, signs, data->n);
    return BF_OK;
}
