/* policy.c - The list of kinds of policies, and what they have in common. */
#include "backflow/policy.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/mask.h"
#include "format/bytes.h"
#include "policy/kind.h"

#define BF_POLICY(name) extern const bf__policy_kind bf__policy_##name;
#include "policy/policies.def"
#undef BF_POLICY

static const bf__policy_kind *const kinds[] = {
#define BF_POLICY(name) &bf__policy_##name,
#include "policy/policies.def"
#undef BF_POLICY
};

const bf__policy_kind *bf__policy_kind_at(int index) {
    int count = (int)(sizeof kinds / sizeof *kinds);
    return index >= 0 && index < count ? kinds[index] : NULL;
}

bool bf_policy_describe(int index, const char **name, const char **summary) {
    const bf__policy_kind *kind = bf__policy_kind_at(index);
    if (kind) {
        *name = kind->name;
        *summary = kind->summary;
    }
    return kind != NULL;
}

/* FNV-1a, 64 bits; never 0. */
static uint64_t fingerprint(const bf__bytes *bytes) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < bytes->size; i++)
        hash = (hash ^ bytes->data[i]) * 1099511628211u;
    return hash ? hash : 1;
}

static bf_status read_bytes(bf_policy **out, const char *path, const bf__bytes *bytes,
                            bf_arena *arena, bf_error *err) {
    size_t length = bytes->size < 512 ? bytes->size : 512;
    if (length == 0)
        return bf_fail(err, BF_EPOLICY, "%s: the file is empty", path);
    for (int k = 0; bf__policy_kind_at(k); k++)
        if (kinds[k]->claims(path, bytes->data, length))
            return kinds[k]->read(out, path, bytes, arena, err);
    return bf_fail(err, BF_EPOLICY,
                   "%s: not a policy: 'backflow list policies' says which files are", path);
}

bf_status bf_policy_read(const bf_policy **out, const char *path, bf_arena *arena, bf_error *err) {
    bf_arena *scratch;
    bf__bytes bytes;
    bf_policy *policy = NULL;
    BF_TRY(bf_arena_create(&scratch, bf_arena_allocator(arena), err));
    bf_status status = bf__bytes_open(&bytes, path, scratch, err);
    if (status == BF_OK)
        status = read_bytes(&policy, path, &bytes, arena, err);
    if (status == BF_OK)
        policy->content = fingerprint(&bytes);
    bf__bytes_close(&bytes);
    bf_arena_destroy(scratch);
    *out = policy;
    return status;
}

int bf_policy_actions(const bf_policy *policy) {
    return policy->actions;
}

const char *bf_policy_kind(const bf_policy *policy) {
    return policy->kind;
}

bf_status bf_policy_probabilities(const bf_policy *policy, const double *states, int dim, int64_t n,
                                  double *probabilities, bf_error *err) {
    if (policy->state_dim && policy->state_dim != dim)
        return bf_fail(err, BF_EPOLICY, "%s: a policy of states of %d number%s, asked about %d",
                       policy->name, policy->state_dim, policy->state_dim > 1 ? "s" : "", dim);
    if (!policy->probabilities)
        return bf_fail(err, BF_EPOLICY, "%s: its actions are vectors, which have no probabilities",
                       policy->name);
    return policy->probabilities(policy, states, n, probabilities, err);
}

/* A wrong answer about row i of the log is told by that row. */
static bf_status blame(const bf_policy *policy, const bf_dataset *data, const char *column,
                       bf_status status, bf_error *err) {
    char where[256];
    if (status == BF_OK || !err || !policy->wrong || *policy->wrong < 0)
        return status;
    bf_error cause = *err;
    return bf_fail(err, status, "%s: %s: %s",
                   bf_dataset_where(data, *policy->wrong, where, sizeof where), column,
                   cause.message);
}

/* Actions that are vectors: sampled at s and at s'. */
static bf_status apply_samples(const bf_policy *policy, bf_dataset *data, bf_arena *arena,
                               bf_error *err) {
    double *sa, *na;
    int64_t n = data->n, width = (int64_t)policy->samples * policy->action_dim;
    if (policy->action_dim != data->action_dim)
        return bf_fail(err, BF_EPOLICY,
                       "%s: a policy whose actions have %d number%s, but those of the log have %d",
                       policy->name, policy->action_dim, policy->action_dim > 1 ? "s" : "",
                       data->action_dim);
    BF_ALLOC(sa, arena, n * width, err);
    BF_ALLOC(na, arena, n * width, err);
    BF_TRY(blame(policy, data, "sa", policy->sample(policy, data->state, n, sa, err), err));
    BF_TRY(blame(policy, data, "na", policy->sample(policy, data->next_state, n, na, err), err));
    data->sa = sa;
    data->na = na;
    data->samples = policy->samples;
    return BF_OK;
}

/* Checks that the policy and the log have the same states and actions. */
static bf_status match(const bf_policy *policy, const bf_dataset *data, bf_error *err) {
    if (data->action && !policy->probabilities)
        return bf_fail(err, BF_EPOLICY,
                       "%s: a policy whose actions are vectors, but those of the log are 0, 1, ...",
                       policy->name);
    if (!data->action && !policy->sample)
        return bf_fail(err, BF_EPOLICY,
                       "%s: a policy of %d discrete actions, but actions of the log are vectors "
                       "(a0, ...)",
                       policy->name, policy->actions);
    bool fixed = data->pi || data->npi || data->mu_all || data->mask;
    if (data->action &&
        (policy->actions < data->actions || (fixed && policy->actions != data->actions)))
        return bf_fail(err, BF_EPOLICY, "%s: a policy of %d action%s, but the log has %d",
                       policy->name, policy->actions, policy->actions > 1 ? "s" : "",
                       data->actions);
    if (policy->states && !data->states)
        return bf_fail(err, BF_EPOLICY,
                       "%s: a table is for states that are whole numbers (one column s); the log "
                       "has real-valued states of %d number%s",
                       policy->name, data->state_dim, data->state_dim > 1 ? "s" : "");
    if (policy->state_dim && policy->state_dim != data->state_dim)
        return bf_fail(
            err, BF_EPOLICY, "%s: a policy of states of %d number%s, but a state of the log has %d",
            policy->name, policy->state_dim, policy->state_dim > 1 ? "s" : "", data->state_dim);
    return BF_OK;
}

static bf_status within(const bf_policy *policy, const bf_dataset *data, bf_error *err) {
    char where[256];
    for (int64_t i = 0; policy->states && i < data->n; i++)
        for (int next = 0; next < 2; next++) {
            double s = next ? data->next_state[i] : data->state[i];
            if (s >= (double)policy->states)
                return bf_fail(err, BF_EPOLICY,
                               "%s: %s: state %.17g is not in %s, which has states 0 to %lld",
                               bf_dataset_where(data, i, where, sizeof where), next ? "ns" : "s", s,
                               policy->name, (long long)policy->states - 1);
        }
    return BF_OK;
}

bf_status bf_policy_bind(const bf_policy **out, const bf_policy *policy, const bf_dataset *data,
                         bf_arena *arena, bf_error *err) {
    *out = policy;
    return policy->bind ? policy->bind(out, policy, data, arena, err) : BF_OK;
}

/* The actions of the policy as names of the log; those that nobody named have their number. */
static bf_status name_actions(const bf_policy *policy, bf_dataset *data, bf_arena *arena,
                              bf_error *err) {
    const char **names;
    char *number;
    if (policy->action_names)
        data->action_names = policy->action_names;
    if (!data->action_names || data->actions == policy->actions)
        return BF_OK;
    BF_ALLOC(names, arena, policy->actions, err);
    for (int a = 0; a < policy->actions; a++) {
        if (policy->action_names || a < data->actions) {
            names[a] = data->action_names[a];
            continue;
        }
        BF_ALLOC(number, arena, 16, err);
        snprintf(number, 16, "%d", a);
        names[a] = number;
    }
    data->action_names = names;
    return BF_OK;
}

bf_status bf__policy_apply(const bf_policy *policy, bf_dataset *data, bf_arena *arena,
                           bf_error *err) {
    double *pi, *npi;
    BF_TRY(bf_policy_bind(&policy, policy, data, arena, err));
    BF_TRY(match(policy, data, err));
    BF_TRY(within(policy, data, err));
    if (!data->action)
        return apply_samples(policy, data, arena, err);
    BF_ALLOC(pi, arena, data->n * policy->actions, err);
    BF_ALLOC(npi, arena, data->n * policy->actions, err);
    BF_TRY(blame(policy, data, "pi",
                 bf_policy_probabilities(policy, data->state, data->state_dim, data->n, pi, err),
                 err));
    BF_TRY(
        blame(policy, data, "npi",
              bf_policy_probabilities(policy, data->next_state, data->state_dim, data->n, npi, err),
              err));
    data->pi = pi;
    data->npi = npi;
    BF_TRY(name_actions(policy, data, arena, err));
    data->actions = policy->actions;
    return BF_OK;
}

bf_status bf_policy_apply(const bf_dataset **out, const bf_policy *policy, const bf_dataset *data,
                          bf_arena *arena, bf_error *err) {
    bf_dataset *copy;
    BF_ALLOC(copy, arena, 1, err);
    *copy = *data;
    BF_TRY(bf__policy_apply(policy, copy, arena, err));
    BF_TRY(bf__mask_check(copy, NULL, err));
    *out = copy;
    return BF_OK;
}
