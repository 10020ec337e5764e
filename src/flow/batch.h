/* batch.h - The flow of a few of the transitions, as mini-batches need it. */
#ifndef BF_FLOW_BATCH_H
#define BF_FLOW_BATCH_H

#include "flow/flow.h"

/* `flow` is that of the transitions gathered last, in float32 alone: bf__flow_product and
 * bf__exact_fill take it, nothing that reads doubles does. */
typedef struct bf__batch {
    bf__flow flow;
    int64_t room;
    float *z, *o, *u, *nz, *pg, *q, *nu, *g, *h, *b, *e;
    int32_t *action;
} bf__batch;

/* Room for `room` transitions of `flow`. */
bf_status bf__batch_create(bf__batch **out, const bf__flow *flow, int64_t room, bf_arena *arena,
                           bf_error *err);
/* Copies transitions index[0 .. count-1] of `flow`, count <= room; an index may come twice. */
void bf__batch_gather(bf__batch *batch, const bf__flow *flow, const int64_t *index, int64_t count);

#endif
