/* mix.h - Policies made from nothing and from others, and how a user writes them. */
#ifndef BF_POLICY_MIX_H
#define BF_POLICY_MIX_H

#include <stdbool.h>

#include "backflow/policy.h"

/* Every action alike, at any state. */
bf_status bf__policy_uniform(const bf_policy **out, int actions, bf_arena *arena, bf_error *err);

/* alpha * base + (1 - alpha) * uniform; alpha 1 gives `base` itself. `base` is borrowed. */
bf_status bf__policy_mix(const bf_policy **out, const bf_policy *base, double alpha,
                         bf_arena *arena, bf_error *err);

/* A policy as a user writes it: NAME or NAME@ALPHA, NAME being `uniform` (of so many `actions`) or
 * a policy file. ALPHA mixes it with the uniform policy; without it, `alpha` does. */
bf_status bf__policy_parse(const bf_policy **out, const char *spec, int actions, double alpha,
                           bf_arena *arena, bf_error *err);

/* NAME@ALPHA into its parts; `name` has room for spec. Without @ALPHA *alpha stays as it is. A
 * file whose own name has an @ is taken as it stands. */
bf_status bf__policy_split(const char *spec, char *name, double *alpha, bf_error *err);

/* NAME alone. */
bf_status bf__policy_by_name(const bf_policy **out, const char *name, int actions, bf_arena *arena,
                             bf_error *err);

bool bf__policy_is_file(const char *path);

#endif
