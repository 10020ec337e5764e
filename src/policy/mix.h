/* mix.h - The uniform policy, mixtures with it, and how a user writes them. */
#ifndef BF_POLICY_MIX_H
#define BF_POLICY_MIX_H

#include <stdbool.h>

#include "backflow/policy.h"

/* A policy as a user writes it: NAME or NAME@ALPHA. NAME is `uniform` (over `actions` actions) or a
 * policy file. ALPHA mixes it with the uniform policy. If there is no @ALPHA, `alpha` is used. */
bf_status bf__policy_parse(const bf_policy **out, const char *spec, int actions, double alpha,
                           bf_arena *arena, bf_error *err);

/* Splits NAME@ALPHA into its parts; `name` has room for spec. If there is no @ALPHA, *alpha stays
 * as it is. If a file's own name contains an @, the name is taken as it stands. */
bf_status bf__policy_split(const char *spec, char *name, double *alpha, bf_error *err);

/* The same for NAME alone. */
bf_status bf__policy_by_name(const bf_policy **out, const char *name, int actions, bf_arena *arena,
                             bf_error *err);

bool bf__policy_is_file(const char *path);

#endif
