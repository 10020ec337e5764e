/* policy.c - Reading policies. */
#include "backflow/policy.h"

#include "core/fail.h"

bf_status bf_policy_read(const bf_policy **out, const char *path, bf_arena *arena, bf_error *err) {
    (void)arena;
    *out = NULL;
    return bf_fail(err, BF_EPOLICY, "%s: no kind of policy file is known", path);
}
