/* verdict.h - Sound, look, or cannot tell: what the weights and the parts of a log say. */
#ifndef BF_TRUST_VERDICT_H
#define BF_TRUST_VERDICT_H

#include "estimator/rules.h"
#include "trust/trust.h"

/* Fills trust->reasons, with the warnings of the estimate first, and trust->verdict. */
bf_status bf__verdict(bf_trust *trust, const bf__facts *facts, bf_arena *arena, bf_error *err);

#endif
