/* exact.c - The true value of a policy in a finite environment, by elimination.
 *
 *     d (I - gamma P_pi) = (1 - gamma) p0,    value = sum_s d(s) sum_a pi(a|s) R(s, a)
 *
 * with P_pi (S, S). At gamma = 1 the system has rank S - 1 where the chain has one recurrent class:
 * its last equation gives way to sum d = 1, and plain Gaussian elimination with row pivots solves
 * it. Below 1 the system is nearly singular when gamma is nearly 1. There d is the stationary
 * distribution of gamma P_pi + (1 - gamma) 1 p0', the chain that starts anew with probability
 * 1 - gamma; eliminating its states one by one adds and never subtracts, which keeps all digits.
 * O(S^3), on purpose: nothing here is shared with the estimators whose oracle it is. */
#include "env/exact.h"

#include <math.h>

#include "core/fail.h"
#include "policy/kind.h"

/* Solves m (n, n) x = b in place; b becomes x. Returns false if a pivot vanishes. */
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

/* The stationary distribution of the chain m (n, n) into d, by elimination of states n-1, ..., 1.
 * Each of them must lead to a lower state; m is used up. */
static void settle(double *m, double *d, int64_t n) {
    for (int64_t k = n - 1; k > 0; k--) {
        double out = 0;
        for (int64_t j = 0; j < k; j++)
            out += m[k * n + j];
        for (int64_t i = 0; i < k; i++) {
            m[i * n + k] /= out;
            for (int64_t j = 0; j < k; j++)
                m[i * n + j] += m[i * n + k] * m[k * n + j];
        }
    }
    double sum = d[0] = 1;
    for (int64_t k = 1; k < n; k++) {
        d[k] = 0;
        for (int64_t i = 0; i < k; i++)
            d[k] += d[i] * m[i * n + k];
        sum += d[k];
    }
    for (int64_t k = 0; k < n; k++)
        d[k] /= sum;
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

/* d for gamma < 1. The likeliest start state changes places with state 0: every state leads there.
 */
static void discounted_visits(double *d, double *m, const double *pi, const double *p,
                              const double *start, double gamma, int64_t n, int actions) {
    int64_t first = 0;
    for (int64_t s = 1; s < n; s++)
        if (start[s] > start[first])
            first = s;
#define PLACE(s) ((s) == first ? 0 : (s) == 0 ? first : (s))
    for (int64_t from = 0; from < n; from++)
        for (int64_t to = 0; to < n; to++) {
            double *cell = &m[PLACE(from) * n + PLACE(to)];
            *cell = (1 - gamma) * start[to];
            for (int a = 0; a < actions; a++)
                *cell += gamma * pi[from * actions + a] * p[(from * actions + a) * n + to];
        }
#undef PLACE
    settle(m, d, n);
    double swap = d[0];
    d[0] = d[first];
    d[first] = swap;
}

/* d for gamma = 1. Row s' of the system: d(s') - sum_s d(s) P_pi(s, s') = 0; the last: sum d = 1.
 */
static bool average_visits(double *d, double *m, const double *pi, const double *p, int64_t n,
                           int actions) {
    for (int64_t to = 0; to < n; to++) {
        for (int64_t from = 0; from < n; from++)
            for (int a = 0; a < actions; a++)
                m[to * n + from] -= pi[from * actions + a] * p[(from * actions + a) * n + to];
        m[to * n + to] += 1;
        d[to] = 0;
    }
    for (int64_t from = 0; from < n; from++)
        m[(n - 1) * n + from] = 1;
    d[n - 1] = 1;
    return eliminate(m, d, n);
}

static bf_status find_visits(double *d, const bf_env *env, const double *pi, const double *p,
                             const double *start, double gamma, bf_arena *arena, bf_error *err) {
    double *m;
    BF_ZALLOC(m, arena, env->states * env->states, err);
    if (gamma < 1)
        discounted_visits(d, m, pi, p, start, gamma, env->states, env->actions);
    else if (!average_visits(d, m, pi, p, env->states, env->actions))
        return bf_fail(err, BF_ENUMERIC,
                       "%s: the long run depends on the start under this policy (more than one "
                       "recurrent class); mix in some uniform, e.g. NAME@0.99",
                       env->name);
    return BF_OK;
}

bf_status bf__exact_value(double *out, const bf_env *env, const bf_policy *policy, double gamma,
                          double *visits, bf_arena *arena, bf_error *err) {
    if (!env->model)
        return bf_fail(err, BF_ENEEDS, "%s is not finite: its values have to be simulated",
                       env->name);
    int64_t n = env->states;
    int actions = env->actions;
    double *p, *r, *start, *d, *pi;
    BF_ALLOC(p, arena, n * actions * n, err);
    BF_ALLOC(r, arena, n * actions, err);
    BF_ALLOC(start, arena, n, err);
    BF_ALLOC(d, arena, n, err);
    env->model(p, r, start);
    BF_TRY(tabulate(&pi, env, policy, arena, err));
    BF_TRY(find_visits(d, env, pi, p, start, gamma, arena, err));
    *out = 0;
    for (int64_t s = 0; s < n; s++) {
        for (int a = 0; a < actions; a++)
            *out += d[s] * pi[s * actions + a] * r[s * actions + a];
        if (visits)
            visits[s] = d[s];
    }
    return BF_OK;
}
