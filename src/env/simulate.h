/* simulate.h - A log of one or several behaviours in an environment. */
#ifndef BF_ENV_SIMULATE_H
#define BF_ENV_SIMULATE_H

#include "backflow/context.h"
#include "backflow/env.h"
#include "dataset/dataset.h"

/* As bf_simulate, into a struct that the caller has. */
bf_status bf__simulate(bf_dataset *out, const bf_simulation *simulation, const bf_context *context,
                       bf_arena *arena, bf_error *err);

#endif
