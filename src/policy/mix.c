/* mix.c - The uniform policy, and the paper's mixtures of a policy with it.
 *
 *     pi(a|s) = alpha base(a|s) + (1 - alpha) / A
 *
 * If `base` is the greedy policy of a trained network, alpha = 0.7 is the paper's behaviour and
 * alpha = 0.9 its target (section 5.2). */
#include "policy/mix.h"

#include <string.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/text.h"
#include "policy/kind.h"

static bf_status even(const bf_policy *self, const double *states, int64_t n, double *probabilities,
                      bf_error *err) {
    (void)states;
    (void)err;
    double share = 1.0 / self->actions;
    int64_t size = n * self->actions;
    for (int64_t i = 0; i < size; i++)
        probabilities[i] = share;
    return BF_OK;
}

bf_status bf_policy_uniform(const bf_policy **out, int actions, bf_arena *arena, bf_error *err) {
    if (actions < 1)
        return bf_fail(err, BF_EPOLICY, "uniform: needs discrete actions");
    bf_policy *policy;
    BF_ALLOC(policy, arena, 1, err);
    *policy = (bf_policy){
        .kind = "uniform", .name = "uniform", .actions = actions, .probabilities = even};
    *out = policy;
    return BF_OK;
}

typedef struct mixture {
    bf_policy self;
    const bf_policy *base;
    double alpha;
} mixture;

static bf_status mixed(const bf_policy *self, const double *states, int64_t n,
                       double *probabilities, bf_error *err) {
    const mixture *m = (const mixture *)self;
    BF_TRY(m->base->probabilities(m->base, states, n, probabilities, err));
    double alpha = m->alpha, rest = (1 - alpha) / self->actions;
    int64_t size = n * self->actions;
    for (int64_t i = 0; i < size; i++)
        probabilities[i] = alpha * probabilities[i] + rest;
    return BF_OK;
}

static bf_status bind(const bf_policy **out, const bf_policy *self, const bf_dataset *data,
                      bf_arena *arena, bf_error *err) {
    const mixture *m = (const mixture *)self;
    const bf_policy *base;
    BF_TRY(bf_policy_bind(&base, m->base, data, arena, err));
    return bf_policy_mix(out, base, m->alpha, arena, err);
}

bf_status bf_policy_mix(const bf_policy **out, const bf_policy *base, double alpha, bf_arena *arena,
                        bf_error *err) {
    *out = base;
    if (!(alpha >= 0 && alpha <= 1))
        return bf_fail(err, BF_EPOLICY, "%s: alpha %g is outside 0 to 1", base->name, alpha);
    if (alpha == 1)
        return BF_OK;
    if (!base->probabilities)
        return bf_fail(err, BF_EPOLICY,
                       "%s: actions that are vectors cannot be mixed with uniform ones",
                       base->name);
    mixture *m;
    BF_ALLOC(m, arena, 1, err);
    *m = (mixture){*base, base, alpha};
    m->self.kind = "mixture";
    m->self.probabilities = mixed;
    m->self.bind = base->bind ? bind : NULL;
    *out = &m->self;
    return BF_OK;
}

bool bf__policy_is_file(const char *path) {
    return access(path, F_OK) == 0;
}

bf_status bf__policy_split(const char *spec, char *name, double *alpha, bf_error *err) {
    strcpy(name, spec);
    const char *at = strrchr(spec, '@');
    if (!at || bf__policy_is_file(spec))
        return BF_OK;
    double value;
    if (!bf__parse_real(at + 1, &value) || !(value >= 0 && value <= 1))
        return bf_fail(err, BF_EUSAGE,
                       "%s: '%s' after the @ is not a number from 0 to 1, the share of the policy "
                       "in its mixture with the uniform one",
                       spec, at + 1);
    name[at - spec] = '\0';
    *alpha = value;
    return BF_OK;
}

bf_status bf__policy_by_name(const bf_policy **out, const char *name, int actions, bf_arena *arena,
                             bf_error *err) {
    if (strcmp(name, "uniform") == 0)
        return bf_policy_uniform(out, actions, arena, err);
    return bf_policy_read(out, name, arena, err);
}

bf_status bf__policy_parse(const bf_policy **out, const char *spec, int actions, double alpha,
                           bf_arena *arena, bf_error *err) {
    char *name;
    const bf_policy *base;
    BF_ALLOC(name, arena, (int64_t)strlen(spec) + 1, err);
    BF_TRY(bf__policy_split(spec, name, &alpha, err));
    BF_TRY(bf__policy_by_name(&base, name, actions, arena, err));
    return bf_policy_mix(out, base, alpha, arena, err);
}
