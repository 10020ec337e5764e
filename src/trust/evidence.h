/* evidence.h - What the verdict goes by: facts about where the weights of an answer lie. */
#ifndef BF_TRUST_EVIDENCE_H
#define BF_TRUST_EVIDENCE_H

#include "estimator/rules.h"
#include "trust/clusters.h"
#include "trust/trust.h"

/* Facts about the log, the weights of the answer, and, from *trust, its interval and its parts. */
bf_status bf__evidence_gather(bf__facts *out, const bf_estimate *estimate,
                              const bf_problem *problem, const bf_trust *trust,
                              const bf__clusters *clusters, const char *periodic, const char *scale,
                              const bf_context *context, bf_arena *arena, bf_error *err);

#endif
