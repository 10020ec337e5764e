/* exact.c - The true value of a policy in a finite environment, by elimination.
 *
 *     d (I - gamma P_pi) = (1 - gamma) p0,    value = sum_s d(s) sum_a pi(a|s) R(s, a)
 *
 * with P_pi (S, S). At gamma = 1 the system has rank S - 1 where the chain has one recurrent class:
 * its last equation gives way to sum d = 1. Plain Gaussian elimination with row pivots, O(S^3), on
 * purpose: nothing here is shared with the estimators whose oracle it is. */
#include "env/exact.h"

#include <math.h>

#include "core/fail.h"
#include "policy/kind.h"

/* Solves m (n, n) x = b in place: x in b. False where a pivot vanishes. */
static bool eliminate(double *m, double *b, int64_t n) {
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabs(m[i * n + k]) > fabs(m[pivot * n + k]))
                pivot = i;
        if (fabs(m[pivot * n + k]) < 1e-13)
            return false;
        for (int64_t j = 0; j < n; j++) {
            double swap = m[k * n + j];
            m[k * n + j] = m[pivot * n + j];
            m[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int64_t i = k + 1; i < n; i++) {
            double factor = m[i * n + k] / m[k * n + k];
            for (int64_t j = k; j < n; j++)
                m[i * n + j] -= factor * m[k * n + j];
            b[i] -= factor * b[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        for (int64_t j = k + 1; j < n; j++)
            b[k] -= m[k * n + j] * b[j];
        b[k] /= m[k * n + k];
    }
    return true;
}

/* pi (S, A) row-major. */
static bf_status tabulate(double **out, const bf_env *env, const bf_policy *policy, bf_arena *arena,
                          bf_error *err) {
    int64_t states = env->states;
    double *s, *columns, *pi;
    BF_ALLOC(s, arena, states, err);
    BF_ALLOC(columns, arena, states * env->actions, err);
    BF_ALLOC(pi, arena, states * env->actions, err);
    for (int64_t i = 0; i < states; i++)
        s[i] = (double)i;
    BF_TRY(policy->probabilities(policy, s, states, columns, err));
    for (int64_t i = 0; i < states; i++)
        for (int a = 0; a < env->actions; a++)
            pi[i * env->actions + a] = columns[a * states + i];
    *out = pi;
    return BF_OK;
}

bf_status bf__exact_value(double *out, const bf_env *env, const bf_policy *policy, double gamma,
                          double *visits, bf_arena *arena, bf_error *err) {
    if (!env->model)
        return bf_fail(err, BF_ENEEDS, "%s is not finite: its values have to be simulated",
                       env->name);
    int64_t n = env->states;
    int actions = env->actions;
    double *p, *r, *d, *m, *pi;
    BF_ALLOC(p, arena, n * actions * n, err);
    BF_ALLOC(r, arena, n * actions, err);
    BF_ALLOC(d, arena, n, err);
    BF_ZALLOC(m, arena, n * n, err);
    env->model(p, r, d);
    BF_TRY(tabulate(&pi, env, policy, arena, err));

    /* Row s' of the system: d(s') - gamma sum_s d(s) P_pi(s, s') = (1 - gamma) p0(s'). */
    for (int64_t to = 0; to < n; to++) {
        for (int64_t from = 0; from < n; from++)
            for (int a = 0; a < actions; a++)
                m[to * n + from] -=
                    gamma * pi[from * actions + a] * p[(from * actions + a) * n + to];
        m[to * n + to] += 1;
        d[to] *= 1 - gamma;
    }
    for (int64_t from = 0; from < n && gamma == 1; from++)
        m[(n - 1) * n + from] = 1;
    if (gamma == 1)
        d[n - 1] = 1;
    if (!eliminate(m, d, n))
        return bf_fail(err, BF_ENUMERIC,
                       "%s: the long run depends on the start under this policy (more than one "
                       "recurrent class); mix in some uniform, e.g. NAME@0.99",
                       env->name);
    *out = 0;
    for (int64_t s = 0; s < n; s++) {
        for (int a = 0; a < actions; a++)
            *out += d[s] * pi[s * actions + a] * r[s * actions + a];
        if (visits)
            visits[s] = d[s];
    }
    return BF_OK;
}
