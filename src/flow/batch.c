/* batch.c - Gathering a few transitions so that the fast rows run over neighbours in memory.
 *
 * Cost  O(count (d + A)) per batch; the rows that follow cost 4 state kernels per pair. */
#include "flow/batch.h"

#include "core/fail.h"

bf_status bf__batch_create(bf__batch **out, const bf__flow *flow, int64_t room, bf_arena *arena,
                           bf_error *err) {
    bf__batch *b;
    int64_t d = flow->d, actions = flow->actions, k = flow->action_dim;
    *out = NULL;
    BF_ZALLOC(b, arena, 1, err);
    b->room = room;
    BF_ALLOC(b->z, arena, d * room, err);
    BF_ALLOC(b->nz, arena, d * room, err);
    BF_ALLOC(b->o, arena, actions * room, err);
    BF_ALLOC(b->pg, arena, actions * room, err);
    BF_ALLOC(b->q, arena, actions * room, err);
    BF_ALLOC(b->u, arena, k * room, err);
    BF_ALLOC(b->nu, arena, flow->samples * k * room, err);
    BF_ALLOC(b->g, arena, room, err);
    BF_ALLOC(b->h, arena, room, err);
    BF_ALLOC(b->b, arena, room, err);
    BF_ALLOC(b->e, arena, room, err);
    BF_ALLOC(b->action, arena, room, err);
    b->flow = *flow;
    b->flow.place = b->flow.stop = NULL; /* a batch is a bag */
    b->flow.chain_f = NULL;
    b->flow.chain_d = NULL;
    b->flow.points = 0;
    b->flow.data_d = (bf__data_d){.n = 0};
    b->flow.next_d = (bf__next_d){.n = 0};
    *out = b;
    return BF_OK;
}

/* to (rows, count) = columns index[.] of from (rows, n). */
static void gather_rows(float *to, const float *from, int64_t rows, int64_t n, const int64_t *index,
                        int64_t count) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t p = 0; p < count; p++)
            to[r * count + p] = from[r * n + index[p]];
}

void bf__batch_gather(bf__batch *b, const bf__flow *flow, const int64_t *index, int64_t count) {
    int64_t n = flow->n, actions = flow->actions, k = flow->action_dim;
    gather_rows(b->z, flow->data_f.z, flow->d, n, index, count);
    gather_rows(b->nz, flow->next_f.z, flow->d, n, index, count);
    gather_rows(b->o, flow->data_f.o, actions, n, index, count);
    gather_rows(b->pg, flow->next_f.pg, actions, n, index, count);
    gather_rows(b->u, flow->data_f.u, k, n, index, count);
    gather_rows(b->nu, flow->next_f.nu, flow->samples * k, n, index, count);
    gather_rows(b->g, flow->next_f.g, 1, n, index, count);
    for (int64_t p = 0; p < count; p++) {
        for (int64_t a = 0; a < actions; a++)
            b->q[p * actions + a] = flow->next_f.q[index[p] * actions + a];
        b->action[p] = actions ? flow->data_f.action[index[p]] : 0;
    }
    if (flow->corrected) {
        gather_rows(b->h, flow->h_f, 1, n, index, count);
        gather_rows(b->b, flow->b_f, 1, n, index, count);
        gather_rows(b->e, flow->e_f, 1, n, index, count);
    }
    b->flow.n = count;
    b->flow.data_f = (bf__data_f){count, b->z, b->o, b->u, b->action};
    b->flow.next_f = (bf__next_f){count, b->nz, b->pg, b->q, b->nu, b->g};
    b->flow.h_f = b->h;
    b->flow.b_f = b->b;
    b->flow.e_f = b->e;
}
