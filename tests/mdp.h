/* mdp.h - Finite decision processes for tests: logs with exact frequencies, and plain solves.
 *
 * Everything here is the slow, obvious version, and shares nothing with the library but the
 * dataset struct and the random numbers. */
#ifndef BF_TESTS_MDP_H
#define BF_TESTS_MDP_H

#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MDP_MAX = 128 };

typedef struct mdp {
    int states, actions;
    int *tally;     /* (S, A, S): rows of each transition; probability is tally over its sum */
    double *reward; /* (S, A, S) */
    double *pi;     /* (S, A) */
} mdp;

static inline int *mdp_tally(const mdp *m, int s, int a) {
    return m->tally + (s * m->actions + a) * m->states;
}

/* Gaussian elimination with partial pivoting, in place: a (n, n), b (n) becomes the solution. */
static inline void plain_solve(double *a, double *b, int n) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        for (int j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= a[i * n + j] * b[j];
        b[i] /= a[i * n + i];
    }
}

/* P_pi (S, S) and r_pi (S) of the true process. */
static inline void mdp_chain(const mdp *m, double *p, double *r) {
    memset(p, 0, sizeof *p * (size_t)(m->states * m->states));
    for (int s = 0; s < m->states; s++) {
        r[s] = 0;
        for (int a = 0; a < m->actions; a++) {
            const int *tally = mdp_tally(m, s, a);
            double pi = m->pi[s * m->actions + a], total = 0;
            for (int t = 0; t < m->states; t++)
                total += tally[t];
            for (int t = 0; t < m->states && pi > 0; t++) {
                p[s * m->states + t] += pi * tally[t] / total;
                r[s] += pi * tally[t] / total * m->reward[(s * m->actions + a) * m->states + t];
            }
        }
    }
}

/* d = d P, sum d = 1, by a direct solve; the value d'r. Where gamma < 1, P is mixed with p0. */
static inline double mdp_value(const mdp *m, double gamma, const double *p0) {
    int n = m->states;
    double *p = calloc((size_t)(n * n), sizeof *p), *r = calloc((size_t)n, sizeof *r);
    double *a = calloc((size_t)(n * n), sizeof *a), *d = calloc((size_t)n, sizeof *d), value = 0;
    mdp_chain(m, p, r);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double flow = gamma * p[i * n + j] + (gamma < 1 ? (1 - gamma) * p0[j] : 0);
            a[j * n + i] = (i == j) - flow;
        }
    for (int i = 0; i < n; i++) /* one equation is redundant: the sum takes its place */
        a[(n - 1) * n + i] = 1;
    d[n - 1] = 1;
    plain_solve(a, d, n);
    for (int i = 0; i < n; i++)
        value += d[i] * r[i];
    free(p);
    free(r);
    free(a);
    free(d);
    return value;
}

/* A log whose frequencies are exactly the process: tally[s][a][s'] rows of each transition, in
 * order. Episodes of `length` rows where length > 0 (they only say which states are starts). */
static inline bf_dataset mdp_log(const mdp *m, int length, bf_arena *arena) {
    bf_error err;
    int64_t n = 0, at = 0;
    for (int i = 0; i < m->states * m->actions * m->states; i++)
        n += m->tally[i];
    double *s = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, n, sizeof *s, &err);
    double *pi = bf_arena_alloc(arena, n * m->actions, sizeof *s, &err);
    double *npi = bf_arena_alloc(arena, n * m->actions, sizeof *s, &err);
    int32_t *act = bf_arena_alloc(arena, n, sizeof *act, &err);
    for (int state = 0; state < m->states; state++)
        for (int a = 0; a < m->actions; a++)
            for (int next = 0; next < m->states; next++)
                for (int k = 0; k < mdp_tally(m, state, a)[next]; k++, at++) {
                    s[at] = state;
                    act[at] = a;
                    ns[at] = next;
                    r[at] = m->reward[(state * m->actions + a) * m->states + next];
                    for (int b = 0; b < m->actions; b++) {
                        pi[b * n + at] = m->pi[state * m->actions + b];
                        npi[b * n + at] = m->pi[next * m->actions + b];
                    }
                }
    bf_dataset data = {.n = n,
                       .state_dim = 1,
                       .actions = m->actions,
                       .states = m->states,
                       .state = s,
                       .next_state = ns,
                       .action = act,
                       .reward = r,
                       .pi = pi,
                       .npi = npi};
    if (length > 0) {
        int64_t episodes = (n + length - 1) / length;
        int64_t *begin = bf_arena_alloc(arena, episodes + 1, sizeof *begin, &err);
        int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err);
        for (int64_t e = 0; e <= episodes; e++)
            begin[e] = e < episodes ? e * length : n;
        for (int64_t i = 0; i < n; i++)
            order[i] = i;
        data.episodes = episodes;
        data.begin = begin;
        data.order = order;
    }
    return data;
}

/* The distribution of the first states of the episodes. */
static inline void mdp_starts(const bf_dataset *data, int states, double *p0) {
    memset(p0, 0, sizeof *p0 * (size_t)states);
    for (int64_t e = 0; e < data->episodes; e++)
        p0[(int)data->state[data->order[data->begin[e]]]] += 1.0 / (double)data->episodes;
}

/* Room for a process; all zero. */
static inline mdp mdp_new(int states, int actions, bf_arena *arena) {
    bf_error err;
    mdp m = {states, actions, NULL, NULL, NULL};
    int cells = states * actions;
    m.tally = bf_arena_zalloc(arena, cells * states, sizeof *m.tally, &err);
    m.reward = bf_arena_zalloc(arena, cells * states, sizeof *m.reward, &err);
    m.pi = bf_arena_zalloc(arena, cells, sizeof *m.pi, &err);
    return m;
}

typedef enum mdp_kind { MDP_DENSE, MDP_PERIODIC, MDP_NEARLY, MDP_UNSEEN } mdp_kind;

/* A random process: dense; one that moves between two halves in turn; two halves joined by one
 * row in two thousand; or one with pairs never seen, where pi is 0. */
static inline mdp mdp_random(mdp_kind kind, bf_rng *rng, bf_arena *arena) {
    int states = 2 * (2 + (int)bf_rng_below(rng, 5)), actions = 2 + (int)bf_rng_below(rng, 3);
    mdp m = mdp_new(states, actions, arena);
    for (int s = 0; s < states; s++) {
        int hidden = kind == MDP_UNSEEN ? (int)bf_rng_below(rng, actions) : -1;
        double sum = 0;
        for (int a = 0; a < actions; a++) {
            double *pi = &m.pi[s * actions + a];
            *pi = a == hidden ? 0 : 0.05 + bf_rng_uniform(rng);
            sum += *pi;
            for (int t = 0; t < states; t++)
                m.reward[(s * actions + a) * states + t] = bf_rng_normal(rng);
            if (a == hidden)
                continue;
            int half = s < states / 2 ? 0 : states / 2;
            for (int k = 0; k < (kind == MDP_NEARLY ? 2000 : 20); k++) {
                int t = (int)bf_rng_below(rng, states);
                if (kind == MDP_PERIODIC) /* always to the other half */
                    t = states / 2 - half + t % (states / 2);
                if (kind == MDP_NEARLY) /* row 0 crosses, the rest stay */
                    t = (k == 0 ? states / 2 - half : half) + t % (states / 2);
                mdp_tally(&m, s, a)[t]++;
            }
        }
        for (int a = 0; a < actions; a++)
            m.pi[s * actions + a] /= sum;
    }
    return m;
}

/* What the log earned. */
static inline double mean_reward(const bf_dataset *data) {
    double sum = 0;
    for (int64_t i = 0; i < data->n; i++)
        sum += data->reward[i] / (double)data->n;
    return sum;
}

#endif
