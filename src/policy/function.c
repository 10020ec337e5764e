/* function.c - A policy that the calling program computes.
 *
 * The program's function sees states as rows, (n, d), as numpy and most networks have them, at most
 * ROWS at a time, and one call at a time: methods ask from several threads, and a function of
 * another language rarely expects that. What it answers is checked; the first wrong row is named.
 *
 * Cost        two copies of what is asked and answered; the rest is the function's */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "policy/kind.h"

enum { ROWS = 4096 };
#define SLACK 1e-6 /* how far from 1 probabilities may sum */

typedef struct function {
    bf_policy base;
    bf_policy_function given;
    pthread_mutex_t *one_at_a_time;
    int64_t wrong; /* row of the last question whose answer was wrong; -1: none */
} function;

/* Says what is wrong with the answer for one state, or nothing. */
static bf_status check_probabilities(const function *f, const double *p, int64_t row,
                                     bf_error *err) {
    double sum = 0;
    for (int a = 0; a < f->given.actions; a++) {
        if (!(p[a] >= 0) || p[a] > 1 + SLACK)
            return bf_fail(err, BF_EPOLICY, "%s: row %lld: %.10g is not a probability (action %d)",
                           f->base.name, (long long)row, p[a], a);
        sum += p[a];
    }
    if (!(fabs(sum - 1) <= SLACK))
        return bf_fail(err, BF_EPOLICY,
                       "%s: row %lld: the probabilities sum to %.10g; they have to sum to 1",
                       f->base.name, (long long)row, sum);
    return BF_OK;
}

static bf_status check_actions(const function *f, const double *actions, int64_t row,
                               bf_error *err) {
    for (int c = 0; c < f->given.samples * f->given.action_dim; c++)
        if (!isfinite(actions[c]))
            return bf_fail(err, BF_EPOLICY,
                           "%s: row %lld: sampled action %d: %g is not a finite "
                           "number",
                           f->base.name, (long long)row, c / f->given.action_dim, actions[c]);
    return BF_OK;
}

/* Rows [first, first + count) of the question; answers (width, n), column after column. */
static bf_status ask_some(function *f, const double *states, int64_t n, int64_t first,
                          int64_t count, double *rows, double *answers, int width, bf_error *err) {
    int d = f->given.state_dim;
    double *replies = rows + (int64_t)ROWS * d;
    bool discrete = f->given.actions > 0;
    for (int64_t i = 0; i < count; i++)
        for (int j = 0; j < d; j++)
            rows[i * d + j] = states[j * n + first + i];
    bf_error cause = {BF_OK, ""};
    int failed = discrete ? f->given.probabilities(f->given.context, rows, count, replies, &cause)
                          : f->given.sample(f->given.context, rows, count, replies, &cause);
    if (failed)
        return bf_fail(err, cause.status == BF_OK ? BF_EPOLICY : cause.status, "%s: %s",
                       f->base.name,
                       cause.message[0] ? cause.message : "the policy's function failed");
    for (int64_t i = 0; i < count; i++) {
        f->wrong = first + i;
        BF_TRY(discrete ? check_probabilities(f, replies + i * width, first + i, err)
                        : check_actions(f, replies + i * width, first + i, err));
        f->wrong = -1;
        for (int c = 0; c < width; c++)
            answers[c * n + first + i] = replies[i * width + c];
    }
    return BF_OK;
}

static bf_status ask(const bf_policy *self, const double *states, int64_t n, double *answers,
                     bf_error *err) {
    function *f = (function *)(uintptr_t)self; /* made by us, never constant */
    int width = f->given.actions ? f->given.actions : f->given.samples * f->given.action_dim;
    double *rows = malloc((size_t)ROWS * (size_t)(f->given.state_dim + width) * sizeof *rows);
    if (!rows)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    bf_status status = BF_OK;
    pthread_mutex_lock(f->one_at_a_time);
    f->wrong = -1;
    for (int64_t first = 0; first < n && status == BF_OK; first += ROWS)
        status = ask_some(f, states, n, first, n - first < ROWS ? n - first : ROWS, rows, answers,
                          width, err);
    pthread_mutex_unlock(f->one_at_a_time);
    free(rows);
    return status;
}

static bf_status check(const bf_policy_function *g, const char *name, bf_error *err) {
    if (g->size != 0 && g->size < offsetof(bf_policy_function, size))
        return bf_fail(err, BF_EUSAGE, "%s: `size` is %zu; sizeof(bf_policy_function) is needed",
                       name, g->size);
    if (g->state_dim < 1)
        return bf_fail(err, BF_EUSAGE, "%s: `state_dim` is %d; a state has 1 number at least", name,
                       g->state_dim);
    if (!g->probabilities == !g->sample)
        return bf_fail(err, BF_EUSAGE,
                       "%s: either `probabilities` (discrete actions) or `sample` (vectors) is "
                       "needed, not both",
                       name);
    if (g->probabilities && g->actions < 1)
        return bf_fail(err, BF_EUSAGE, "%s: `actions` is %d; `probabilities` needs 1 at least",
                       name, g->actions);
    if (g->sample && (g->action_dim < 1 || g->samples < 1 || g->actions != 0))
        return bf_fail(err, BF_EUSAGE,
                       "%s: `sample` needs `action_dim` and `samples` of 1 at least, and `actions` "
                       "0",
                       name);
    return BF_OK;
}

bf_status bf_policy_from_function(const bf_policy **out, const bf_policy_function *given,
                                  bf_arena *arena, bf_error *err) {
    const char *name = given->name ? given->name : "policy";
    function *f;
    char *copy;
    BF_TRY(check(given, name, err));
    BF_ZALLOC(f, arena, 1, err);
    BF_ALLOC(f->one_at_a_time, arena, 1, err);
    BF_ALLOC(copy, arena, (int64_t)strlen(name) + 1, err);
    strcpy(copy, name);
    *f->one_at_a_time = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; /* needs no destruction */
    f->given = *given;
    f->wrong = -1;
    f->base = (bf_policy){.kind = "function",
                          .name = copy,
                          .actions = given->actions,
                          .state_dim = given->state_dim,
                          .action_dim = given->action_dim,
                          .samples = given->samples,
                          .wrong = &f->wrong,
                          .probabilities = given->probabilities ? ask : NULL,
                          .sample = given->sample ? ask : NULL};
    *out = &f->base;
    return BF_OK;
}
