/* repeats.c - The transitions of a flow that differ from each other, each of them once.
 *
 * If states are few, a log has the same transitions over and over. Equal transitions have one psi,
 *
 *     |sum_i w_i psi_i|^2 = |sum_j v_j psi_j|^2,     v_j the sum of w_i over the copies of j,
 *
 * so that a loss over n transitions of which m differ takes m^2 kernel values in place of n^2.
 * Transitions are equal if state, action, next state, policy there, g and h are, in every bit but
 * the sign of 0; b and e of the starts follow from these.
 * Cost  O(n (d + A)), by hashes; and the columns of what differs */
#include "flow/repeats.h"

#include "core/equals.h"
#include "core/fail.h"
#include "core/mix.h"

/* One column of numbers that a transition consists of: number i is x[i * step]. */
typedef struct column {
    const double *x;
    int64_t step;
} column;

/* All that a transition consists of. */
typedef struct listing {
    const column *columns;
    int64_t count;
    const int32_t *action; /* NULL: it is among the columns */
} listing;

static int64_t add_columns(column *to, const double *x, int64_t count, int64_t n) {
    for (int64_t c = 0; c < count && x; c++)
        to[c] = (column){x + c * n, 1};
    return x ? count : 0;
}

static bf_status list_columns(listing *out, const bf__flow *flow, bf_arena *arena, bf_error *err) {
    int64_t n = flow->n, d = flow->d, k = flow->action_dim, at = 0;
    column *list;
    BF_ALLOC(list, arena, 2 * d + k * (1 + flow->samples) + flow->actions + 2, err);
    at += add_columns(list + at, flow->data_d.z, d, n);
    at += add_columns(list + at, flow->next_d.z, d, n);
    at += add_columns(list + at, flow->data_d.u, k, n);
    at += add_columns(list + at, flow->next_d.nu, k * flow->samples, n);
    at += add_columns(list + at, flow->next_d.g, 1, n);
    at += add_columns(list + at, flow->h_d, 1, n);
    for (int a = 0; a < flow->actions; a++)
        list[at++] = (column){flow->next_d.q + a, flow->actions};
    *out = (listing){list, at, flow->data_d.action};
    return BF_OK;
}

static uint64_t hash(const void *self, int64_t i) {
    const listing *l = self;
    uint64_t hash = bf__mix(1, l->action ? (uint64_t)l->action[i] : 0);
    for (int64_t c = 0; c < l->count; c++)
        hash = bf__mix_real(hash, l->columns[c].x[i * l->columns[c].step]);
    return hash;
}

static bool equal(const void *self, int64_t i, int64_t j) {
    const listing *l = self;
    if (l->action && l->action[i] != l->action[j])
        return false;
    for (int64_t c = 0; c < l->count; c++)
        if (l->columns[c].x[i * l->columns[c].step] != l->columns[c].x[j * l->columns[c].step])
            return false;
    return true;
}

/* out (columns, m) = x (columns, n) at the transitions `first`. NULL of NULL. */
static bf_status gather(const double **out, const double *x, int64_t columns, int64_t n,
                        const int64_t *first, int64_t m, bf_arena *arena, bf_error *err) {
    double *made;
    *out = NULL;
    if (!x)
        return BF_OK;
    BF_ALLOC(made, arena, columns * m, err);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t j = 0; j < m; j++)
            made[c * m + j] = x[c * n + first[j]];
    *out = made;
    return BF_OK;
}

static bf_status gather_actions(bf__flow *out, const bf__flow *flow, const int64_t *first,
                                int64_t m, bf_arena *arena, bf_error *err) {
    int64_t actions = flow->actions;
    int32_t *action;
    double *q;
    BF_ALLOC(action, arena, m, err);
    BF_ALLOC(q, arena, m * actions, err);
    for (int64_t j = 0; j < m; j++) {
        action[j] = flow->data_d.action[first[j]];
        for (int64_t a = 0; a < actions; a++)
            q[j * actions + a] = flow->next_d.q[first[j] * actions + a];
    }
    out->data_d.action = action;
    out->next_d.q = q;
    BF_TRY(gather(&out->data_d.o, flow->data_d.o, actions, flow->n, first, m, arena, err));
    return gather(&out->next_d.pg, flow->next_d.pg, actions, flow->n, first, m, arena, err);
}

static bf_status take(const bf__flow **out, const bf__flow *flow, const int64_t *first, int64_t m,
                      bf_arena *arena, bf_error *err) {
    const bf__data_d *data = &flow->data_d;
    const bf__next_d *next = &flow->next_d;
    int64_t n = flow->n, d = flow->d, k = flow->action_dim;
    bf__flow *made;
    BF_ALLOC(made, arena, 1, err);
    *made = (bf__flow){.n = m,
                       .d = flow->d,
                       .actions = flow->actions,
                       .action_dim = flow->action_dim,
                       .samples = flow->samples,
                       .kernel = flow->kernel,
                       .data_d = {.n = m},
                       .next_d = {.n = m},
                       .start = flow->start,
                       .corrected = flow->corrected};
    BF_TRY(gather(&made->data_d.z, data->z, d, n, first, m, arena, err));
    BF_TRY(gather(&made->data_d.u, data->u, k, n, first, m, arena, err));
    BF_TRY(gather(&made->next_d.z, next->z, d, n, first, m, arena, err));
    BF_TRY(gather(&made->next_d.nu, next->nu, k * flow->samples, n, first, m, arena, err));
    BF_TRY(gather(&made->next_d.g, next->g, 1, n, first, m, arena, err));
    BF_TRY(gather(&made->h_d, flow->h_d, 1, n, first, m, arena, err));
    BF_TRY(gather(&made->b_d, flow->b_d, 1, n, first, m, arena, err));
    BF_TRY(gather(&made->e_d, flow->e_d, 1, n, first, m, arena, err));
    *out = made;
    return flow->actions ? gather_actions(made, flow, first, m, arena, err) : BF_OK;
}

bf_status bf__flow_distinct(const bf__flow **out, const int64_t **of, const bf__flow *flow,
                            bf_arena *arena, bf_error *err) {
    int64_t n = flow->n, kinds, *kind, *first;
    listing list;
    *out = flow;
    *of = NULL;
    BF_TRY(list_columns(&list, flow, arena, err));
    BF_ALLOC(kind, arena, n, err);
    BF_ALLOC(first, arena, n / 2, err);
    bf__things things = {&list, hash, equal};
    BF_TRY(bf__equals_find(&kinds, kind, first, n, n / 2, &things, arena, err));
    if (kinds == 0)
        return BF_OK;
    *of = kind;
    return take(out, flow, first, kinds, arena, err);
}
