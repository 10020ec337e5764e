/* balance.c - How well the flow balances, column by column.
 *
 * Weights w that are the visits of the target satisfy, for every function f of a pair x = (s, a),
 *
 *     sum_i w_i (f(x_i) - g_i E_pi f(s'_i, .) - h_i F0) = 0,
 *
 * with g and h of problem/steps.h and F0 the mean of E_pi f over the start states. Here f is one
 * column. For a column of numbers the sum is given in standard deviations. For finite states and
 * actions f is the indicator of each value in turn, and half the sum of what the values lack or
 * have too much of is the share that is in the wrong place.
 *
 * If ends absorb, the weights sum to less than 1: what is missing has ended, and of it 1 - gamma
 * begins anew, too.
 *
 * Cost: O(n) for every column; for A actions O(n A). */
#include "backflow/report.h"

#include <math.h>
#include <stdio.h>

#include "core/fail.h"
#include "page/columns.h"
#include "problem/steps.h"

/* The question, and two sets of weights: equal ones and those of the answer. */
typedef struct flow {
    const bf_dataset *data;
    bf__steps steps;
    bf__row_weights rows;
    const double *start; /* (episodes): weights of start states; NULL: all the same */
    const double *weights;
    double scale; /* of the weights */
    double ended; /* mass that has ended for good, under the weights, and begins anew */
} flow;

static double weight(const flow *f, int which, int64_t i) {
    return which == 0 ? bf__row_weight(&f->rows, i) / (double)f->data->n : f->weights[i] * f->scale;
}

/* How much begins at a start state. */
static double mass_of_starts(const flow *f, int which) {
    double mass = which == 0 ? 0 : f->ended;
    for (int64_t i = 0; i < f->data->n; i++)
        mass += weight(f, which, i) * bf__step_h(&f->steps, i);
    return mass;
}

/* The mean of x (n) over the first rows of episodes. */
static double mean_of_starts(const flow *f, const double *x) {
    const bf_dataset *d = f->data;
    double mean = 0;
    for (int64_t e = 0; e < d->episodes; e++)
        mean += (f->start ? f->start[e] : 1) * x[d->order[d->begin[e]]] / (double)d->episodes;
    return mean;
}

/* What is left of x (n), with what follows, nx (n), and its values where it starts, sx (n; NULL:
 * 0), under one set of weights. Centred at `mean`, so that rounding does not grow with it. */
static double left_of(const flow *f, int which, const double *x, const double *nx, const double *sx,
                      double mean) {
    double start = (f->steps.starts && sx ? mean_of_starts(f, sx) : 0) - mean;
    double left = which == 0 ? 0 : -f->ended * start;
    for (int64_t i = 0; i < f->data->n; i++)
        left += weight(f, which, i) * ((x[i] - mean) - bf__step_g(&f->steps, i) * (nx[i] - mean) -
                                       bf__step_h(&f->steps, i) * start);
    return left;
}

/* A column of numbers. */
static void numbers(bf_balance *out, const flow *f, const double *x, const double *nx,
                    const double *sx) {
    double mean = 0, square = 0;
    for (int64_t i = 0; i < f->data->n; i++)
        mean += weight(f, 0, i) * x[i];
    for (int64_t i = 0; i < f->data->n; i++)
        square += weight(f, 0, i) * (x[i] - mean) * (x[i] - mean);
    out->before = square > 0 ? fabs(left_of(f, 0, x, nx, sx, mean)) / sqrt(square) : 0;
    out->after = square > 0 ? fabs(left_of(f, 1, x, nx, sx, mean)) / sqrt(square) : 0;
}

/* A column of text: `count` numbers from j on, each 0 or 1. */
static void categories(bf_balance *out, const flow *f, int j, int count) {
    const bf_dataset *d = f->data;
    out->share = true;
    for (int k = j; k < j + count; k++) {
        const double *x = d->state + k * d->n, *nx = d->next_state + k * d->n;
        out->before += 0.5 * fabs(left_of(f, 0, x, nx, x, 0));
        out->after += 0.5 * fabs(left_of(f, 1, x, nx, x, 0));
    }
}

/* Finite states. */
static bf_status states(bf_balance *out, const flow *f, bf_arena *arena, bf_error *err) {
    const bf_dataset *d = f->data;
    double *left, found[2];
    BF_ALLOC(left, arena, d->states, err);
    for (int which = 0; which < 2; which++) {
        for (int64_t s = 0; s < d->states; s++)
            left[s] = 0;
        double mass = f->steps.starts ? mass_of_starts(f, which) : 0;
        for (int64_t i = 0; i < d->n; i++) {
            left[(int64_t)d->state[i]] += weight(f, which, i);
            left[(int64_t)d->next_state[i]] -= weight(f, which, i) * bf__step_g(&f->steps, i);
        }
        for (int64_t e = 0; e < d->episodes && mass > 0; e++)
            left[(int64_t)d->state[d->order[d->begin[e]]]] -=
                mass * (f->start ? f->start[e] : 1) / (double)d->episodes;
        found[which] = 0;
        for (int64_t s = 0; s < d->states; s++)
            found[which] += 0.5 * fabs(left[s]);
    }
    out->share = true;
    out->before = found[0];
    out->after = found[1];
    return BF_OK;
}

static void actions(bf_balance *out, const flow *f) {
    const bf_dataset *d = f->data;
    double found[2] = {0, 0};
    for (int a = 0; a < d->actions; a++) {
        const double *next = d->npi + a * d->n;
        double start = f->steps.starts ? mean_of_starts(f, d->pi + a * d->n) : 0;
        for (int which = 0; which < 2; which++) {
            double left = which == 0 ? 0 : -f->ended * start;
            for (int64_t i = 0; i < d->n; i++)
                left += weight(f, which, i) *
                        ((d->action[i] == a) - bf__step_g(&f->steps, i) * next[i] -
                         bf__step_h(&f->steps, i) * start);
            found[which] += 0.5 * fabs(left);
        }
    }
    out->share = true;
    out->before = found[0];
    out->after = found[1];
}

/* Number k of the mean action of (M * k, n) samples. */
static bf_status mean_action(double **out, const bf_dataset *d, const double *samples, int k,
                             bf_arena *arena, bf_error *err) {
    BF_ZALLOC(*out, arena, d->n, err);
    for (int m = 0; m < d->samples; m++)
        for (int64_t i = 0; i < d->n; i++)
            (*out)[i] += samples[(m * d->action_dim + k) * d->n + i] / d->samples;
    return BF_OK;
}

static bf_status vectors(bf_balance *list, int *count, const flow *f, bf_arena *arena,
                         bf_error *err) {
    const bf_dataset *d = f->data;
    for (int k = 0; k < d->action_dim; k++) {
        double *next, *start = NULL;
        bf_balance *b = &list[(*count)++];
        BF_TRY(mean_action(&next, d, d->na, k, arena, err));
        if (f->steps.starts)
            BF_TRY(mean_action(&start, d, d->sa, k, arena, err));
        bf__action_part_name(d, k, b->name, sizeof b->name);
        numbers(b, f, d->action_vector + k * d->n, next, start);
    }
    return BF_OK;
}

bf_status bf_report_balance(const bf_balance **out, int *count, const bf_problem *problem,
                            const double *weights, bf_arena *arena, bf_error *err) {
    const bf_dataset *d = problem->data;
    flow f = {d, bf__steps_of(problem), bf__row_weights_of(d), NULL, weights, 1, 0};
    double sum = 0;
    bf_balance *list;
    *count = 0;
    BF_TRY(bf__start_weights(&f.start, d, arena, err));
    BF_ZALLOC(list, arena, d->state_dim + d->action_dim + 1, err);
    *out = list;
    for (int64_t i = 0; i < d->n; i++)
        sum += weights[i];
    if (f.steps.absorbs)
        f.ended = (1 - sum) * (1 - f.steps.gamma);
    else
        f.scale = 1 / sum;
    if (f.steps.starts && d->episodes == 0)
        return BF_OK;
    for (int j = 0, together; j < d->state_dim; j += together) {
        bf_balance *b = &list[(*count)++];
        together = bf__inputs_together(d, j);
        bf__input_name(d, j, b->name, sizeof b->name);
        if (d->states > 0)
            BF_TRY(states(b, &f, arena, err));
        else if (together > 1)
            categories(b, &f, j, together);
        else
            numbers(b, &f, d->state + j * d->n, d->next_state + j * d->n, d->state + j * d->n);
    }
    if (d->action && d->npi && (d->pi || !f.steps.starts)) {
        bf_balance *b = &list[(*count)++];
        snprintf(b->name, sizeof b->name, "action");
        actions(b, &f);
    }
    if (d->action_vector && d->na && d->samples > 0 && (d->sa || !f.steps.starts))
        BF_TRY(vectors(list, count, &f, arena, err));
    return BF_OK;
}
