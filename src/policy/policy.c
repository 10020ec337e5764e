/* policy.c - Reading policies. */
#include "backflow/policy.h"

#include "core/fail.h"
#include "policy/kind.h"

bf_status bf_policy_read(const bf_policy **out, const char *path, bf_arena *arena, bf_error *err) {
    (void)arena;
    *out = NULL;
    return bf_fail(err, BF_EPOLICY, "%s: no kind of policy file is known", path);
}

int bf_policy_actions(const bf_policy *policy) {
    return policy->actions;
}

bf_status bf_policy_probabilities(const bf_policy *policy, const double *states, int dim, int64_t n,
                                  double *probabilities, bf_error *err) {
    if (policy->state_dim != 0 && policy->state_dim != dim)
        return bf_fail(err, BF_EPOLICY, "%s: is for states of %d numbers, not %d", policy->name,
                       policy->state_dim, dim);
    return policy->probabilities(policy, states, n, probabilities, err);
}
