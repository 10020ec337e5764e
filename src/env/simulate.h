/* simulate.h - A log of one or several behaviours in an environment. */
#ifndef BF_ENV_SIMULATE_H
#define BF_ENV_SIMULATE_H

#include "backflow/context.h"
#include "backflow/env.h"
#include "dataset/dataset.h"

/* As bf_simulate, into a struct that the caller has. */
bf_status bf__simulate(bf_dataset *out, const bf_simulation *simulation, const bf_context *context,
                       bf_arena *arena, bf_error *err);

/* The same, but every trajectory begins at a state drawn from begin (S); NULL: start states. If
 * these are the long-run visits of the behaviour, every row is distributed as in its long run. Only
 * for finite environments. */
bf_status bf__simulate_from(bf_dataset *out, const bf_simulation *simulation, const double *begin,
                            const bf_context *context, bf_arena *arena, bf_error *err);

#endif
