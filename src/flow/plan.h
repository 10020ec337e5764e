/* plan.h - Which way to compute with K, by size and memory. */
#ifndef BF_FLOW_PLAN_H
#define BF_FLOW_PLAN_H

#include <stdint.h>

typedef enum bf__flow_way {
    BF__WAY_STORED,   /* K in memory (exact.h) */
    BF__WAY_LOWRANK,  /* Psi, Phi in memory (lowrank.h) */
    BF__WAY_STREAMED, /* their rows made again in blocks whenever they are needed */
} bf__flow_way;

typedef struct bf__flow_plan {
    bf__flow_way way;
    int64_t rank;       /* low rank: features; otherwise 0 */
    int64_t candidates; /* low rank: pairs that pivots are chosen among */
    double bytes;       /* of the largest things held */
    char text[200];     /* in words, for a report */
} bf__flow_plan;

/* memory: bytes that may be used (0: 2 GiB). rank: features wanted where K is not stored (0: by n
 * and memory, up to 1,000). features: whether phi is needed beside psi, which a stored K does not
 * give, so that it is low rank from the start. */
bf__flow_plan bf__flow_choose(int64_t n, double memory, int64_t rank, int features);

#endif
