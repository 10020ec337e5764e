/* control_log.h - For tests: a log of a control problem, of its trained policy mixed 0.7 with the
 * uniform one, and mixed 0.9 as the target; trajectories of 200 steps. */
#ifndef BF_TESTS_CONTROL_LOG_H
#define BF_TESTS_CONTROL_LOG_H

#include "env/simulate.h"
#include "harness.h"

static inline bf_dataset control_log(const char *name, int trajectories, uint64_t seed,
                                     bf_arena *arena) {
    const bf_env *env = bf_env_find(name);
    const bf_policy *behavior, *target;
    bf_context context = {.threads = 1, .seed = seed};
    bf_error err;
    bf_dataset out;
    assert_ok(bf_env_policy_parse(&behavior, env, "trained@0.7", 1, arena, &err), err);
    assert_ok(bf_env_policy_parse(&target, env, "trained@0.9", 1, arena, &err), err);
    bf_simulation simulation = {.env = env,
                                .behaviors = &behavior,
                                .behavior_count = 1,
                                .target = target,
                                .trajectories = trajectories,
                                .steps = 200};
    assert_ok(bf__simulate(&out, &simulation, &context, arena, &err), err);
    return out;
}

#endif
