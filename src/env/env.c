/* env.c - The list of environments, and the policies that come with them.
 *
 * A policy of an environment is a function of one state, or the text of a network's file. This file
 * turns both into a bf_policy, which answers for many states at a time. */
#include "backflow/env.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "policy/kind.h"
#include "policy/mix.h"
#include "policy/network.h"

#define BF_ENV(name) extern const bf_env bf__env_##name;
#include "env/envs.def"
#undef BF_ENV

static const bf_env *const envs[] = {
#define BF_ENV(name) &bf__env_##name,
#include "env/envs.def"
#undef BF_ENV
};

const bf_env *bf_env_at(int index) {
    int count = (int)(sizeof envs / sizeof *envs);
    return index >= 0 && index < count ? envs[index] : NULL;
}

const bf_env *bf_env_find(const char *name) {
    for (int i = 0; bf_env_at(i); i++)
        if (strcmp(envs[i]->name, name) == 0)
            return envs[i];
    return NULL;
}

/* ---- Policies */

typedef struct builtin {
    bf_policy base;
    void (*act)(const double *seen, double *p);
} builtin;

static bf_status builtin_probabilities(const bf_policy *self, const double *states, int64_t n,
                                       double *probabilities, bf_error *err) {
    (void)err;
    const builtin *policy = (const builtin *)self;
    double seen[BF_ENV_MAX_DIM], p[BF_ENV_MAX_ACTIONS];
    for (int64_t i = 0; i < n; i++) {
        for (int j = 0; j < self->state_dim; j++)
            seen[j] = states[j * n + i];
        policy->act(seen, p);
        for (int a = 0; a < self->actions; a++)
            probabilities[a * n + i] = p[a];
    }
    return BF_OK;
}

static bf_status make_builtin(const bf_policy **out, const bf_env *env, const bf_env_policy *entry,
                              bf_arena *arena, bf_error *err) {
    if (entry->network)
        return bf__network_parse(out, entry->name, entry->network, arena, err);
    builtin *policy;
    BF_ALLOC(policy, arena, 1, err);
    *policy = (builtin){.base = {.kind = "builtin",
                                 .name = entry->name,
                                 .actions = env->actions,
                                 .state_dim = env->state_dim,
                                 .states = env->states,
                                 .probabilities = builtin_probabilities},
                        .act = entry->probabilities};
    *out = &policy->base;
    return BF_OK;
}

static bf_status by_name(const bf_policy **out, const bf_env *env, const char *name,
                         bf_arena *arena, bf_error *err) {
    char known[256] = "uniform";
    for (const bf_env_policy *entry = env->policies; entry && entry->name; entry++) {
        if (strcmp(name, entry->name) == 0)
            return make_builtin(out, env, entry, arena, err);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", entry->name);
    }
    if (strcmp(name, "uniform") != 0 && !strpbrk(name, "./") && !bf__policy_is_file(name))
        return bf_fail(err, BF_EPOLICY, "'%s' is neither a file nor a policy that %s has (%s)",
                       name, env->name, known);
    return bf__policy_by_name(out, name, env->actions, arena, err);
}

bf_status bf_env_policy_parse(const bf_policy **out, const bf_env *env, const char *spec,
                              double alpha, bf_arena *arena, bf_error *err) {
    char *name;
    BF_ALLOC(name, arena, (int64_t)strlen(spec) + 1, err);
    BF_TRY(bf__policy_split(spec, name, &alpha, err));
    BF_TRY(by_name(out, env, name, arena, err));
    const bf_policy *found = *out;
    if (found->actions != env->actions)
        return bf_fail(err, BF_EPOLICY, "%s: has %d actions; %s has %d", name, found->actions,
                       env->name, env->actions);
    if (found->states != 0 && found->states < env->states)
        return bf_fail(err, BF_EPOLICY, "%s: has %lld states; %s has %lld", name,
                       (long long)found->states, env->name, (long long)env->states);
    if (found->state_dim != 0 && found->state_dim != env->state_dim)
        return bf_fail(err, BF_EPOLICY, "%s: is for states of %d number%s; %s has %d", name,
                       found->state_dim, found->state_dim > 1 ? "s" : "", env->name,
                       env->state_dim);
    return bf_policy_mix(out, found, alpha, arena, err);
}

bf_status bf_policy_parse(const bf_policy **out, const char *spec, int actions, bf_arena *arena,
                          bf_error *err) {
    char name[64];
    const char *colon = strchr(spec, ':');
    snprintf(name, sizeof name, "%.*s", colon ? (int)(colon - spec) : 0, spec);
    const bf_env *env = colon && !bf__policy_is_file(spec) ? bf_env_find(name) : NULL;
    return env ? bf_env_policy_parse(out, env, colon + 1, 1, arena, err)
               : bf__policy_parse(out, spec, actions, 1, arena, err);
}
