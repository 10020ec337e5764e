/* neighbours.h - What there is to say of weights from a chain on the logged pairs. */
#ifndef BF_WEIGHTS_NEIGHBOURS_H
#define BF_WEIGHTS_NEIGHBOURS_H

#include "estimator/answer.h"
#include "weights/neighbours_chain.h"

/* Notes what the columns were taken for. */
void bf__neighbours_note(const bf__points *points, const bf_context *context);

/* Diagnostics of the chain, and of weights as such: `after` and `before` are
 * the flow residuals of the weights and of equal weights, on `features` features. Follows
 * bf__result_from_weights. */
bf_status bf__neighbours_report(bf_estimate *out, const bf__points *points,
                                const bf__neighbours *base, double after, double before,
                                int64_t features, bf_arena *arena, bf_error *err);

#endif
