/* rff.h - Random Fourier features: the kernel as a mean over random waves. */
#ifndef BF_FLOW_RFF_H
#define BF_FLOW_RFF_H

#include "flow/flow.h"

typedef struct bf__rff {
    const bf__flow *flow;
    int64_t waves;        /* frequencies; each gives a cosine and a sine */
    bool common;          /* a channel that all actions share: c > 0 */
    int64_t m;            /* features: 2 waves per channel, see rff.c */
    const double *state;  /* (waves, d): frequencies on states */
    const double *action; /* (waves, k): on action vectors; NULL: discrete */
    const double *start;  /* (m): features of S0; NULL where it has no part */
} bf__rff;

/* BF_EUSAGE for a kernel whose frequencies are not known (delta). */
bf_status bf__rff_create(bf__rff **out, const bf__flow *flow, int64_t waves, uint64_t seed,
                         bf_arena *arena, bf_error *err);

/* As bf__lowrank_rows: phi, psi (count, m), either may be NULL, not both. */
void bf__rff_rows(double *phi, double *psi, const bf__rff *rff, int64_t first, int64_t count,
                  const bf_context *context);

#endif
