/* finish.c - Checks of a log, and what follows from its columns.
 *
 * Everything that a user could have got wrong is checked once, here, so that no method has to check
 * it again: every number is finite, every action exists, every row of probabilities sums to 1. The
 * message says which row and column is wrong. Cost: one pass over every column. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/dataset.h"
#include "dataset/faults.h"
#include "dataset/mask.h"

#define SLACK 1e-6 /* how far the sum of probabilities may be from 1 */

typedef struct check {
    const bf_dataset *data;
    bf__faults *faults; /* NULL: the first thing that is wrong ends the check */
    bf_error *err;
} check;

/* Says that something is wrong with a column of row i. The check goes on if there is a list. */
#define COMPLAIN(c, i, column, ...)                                                                \
    do {                                                                                           \
        bf_fault at_ = bf__fault_at((c).data, i, column);                                          \
        BF_TRY(                                                                                    \
            bf__faults_take((c).faults, bf_fail((c).err, BF_EDATA, __VA_ARGS__), &at_, (c).err));  \
    } while (0)

/* Whether the list has this value already, as a gap or as something worse. */
static bool told(const check *c, double value) {
    return c->faults && isnan(value);
}

static const char *where(const check *c, int64_t i, char text[256]) {
    return bf_dataset_where(c->data, i, text, 256);
}

/* Checks `column` (width, n), if it is there. '#' in `name` stands for its number. */
static bf_status all_finite(check c, const double *column, int width, const char *name) {
    int64_t n = c.data->n;
    char text[256], full[48];
    for (int64_t k = 0; column && k < n * width; k++)
        if (!(column[k] - column[k] == 0) && !told(&c, column[k])) {
            const char *number = strchr(name, '#');
            if (number)
                snprintf(full, sizeof full, "%.*s%lld", (int)(number - name), name,
                         (long long)(k / n));
            COMPLAIN(c, k % n, number ? full : name, "%s: %s: %g is not a finite number",
                     where(&c, k % n, text), number ? full : name, column[k]);
        }
    return BF_OK;
}

/* Column m * k + c of the sampled actions is na{m}_{c}, or sa{m}_{c}. */
static bf_status samples_finite(check c, const double *samples, const char *name) {
    const bf_dataset *d = c.data;
    char text[48];
    for (int j = 0; samples && j < d->samples * d->action_dim; j++) {
        snprintf(text, sizeof text, "%s%d_%d", name, j / d->action_dim, j % d->action_dim);
        BF_TRY(all_finite(c, samples + j * d->n, 1, text));
    }
    return BF_OK;
}

static bf_status probabilities(check c, const double *p, const char *name) {
    int64_t n = c.data->n;
    int actions = c.data->actions;
    char text[256], column[48];
    for (int64_t i = 0; p && i < n; i++) {
        double sum = 0;
        bool wrong = false;
        for (int a = 0; a < actions; a++) {
            double x = p[a * n + i];
            bool bad = !(x >= 0) || x > 1 + SLACK;
            snprintf(column, sizeof column, "%s%d", name, a);
            wrong |= bad;
            if (bad && !told(&c, x))
                COMPLAIN(c, i, column, "%s: %s: %.10g is not a probability", where(&c, i, text),
                         column, x);
            sum += x;
        }
        if (!wrong && !(fabs(sum - 1) <= SLACK))
            COMPLAIN(c, i, name, "%s: %s0 to %s sum to %.10g; probabilities have to sum to 1",
                     where(&c, i, text), name, column, sum);
    }
    return BF_OK;
}

/* Checks a column (n) of which every number has to be above 0. */
static bf_status positive(check c, const double *column, const char *name, const char *meaning) {
    char text[256];
    for (int64_t i = 0; column && i < c.data->n; i++)
        if (!(column[i] > 0 && isfinite(column[i])) && !told(&c, column[i]))
            COMPLAIN(c, i, name, "%s: %s: %.10g is not above 0; %s", where(&c, i, text), name,
                     column[i], meaning);
    return BF_OK;
}

static bf_status behaviour(check c) {
    const bf_dataset *d = c.data;
    char text[256], column[32];
    for (int64_t i = 0; d->mu && i < d->n; i++)
        if (!(d->mu[i] > 0) || (d->action && d->mu[i] > 1 + SLACK))
            COMPLAIN(c, i, "mu",
                     "%s: mu: %.10g cannot be the probability of an action that was taken",
                     where(&c, i, text), d->mu[i]);
    for (int64_t i = 0; d->mu_all && i < d->n; i++) {
        double taken = d->mu_all[(int64_t)d->action[i] * d->n + i];
        snprintf(column, sizeof column, "mu%d", d->action[i]);
        if (!(taken > 0))
            COMPLAIN(c, i, column, "%s: mu%d: 0, but action %d was taken", where(&c, i, text),
                     d->action[i], d->action[i]);
        if (d->mu && fabs(d->mu[i] - taken) > SLACK)
            COMPLAIN(c, i, "mu", "%s: mu is %.10g, but mu%d is %.10g", where(&c, i, text), d->mu[i],
                     d->action[i], taken);
    }
    return BF_OK;
}

static bf_status actions(check c, bf_dataset *data) {
    char text[256];
    int32_t most = 0;
    for (int64_t i = 0; i < data->n; i++) {
        if (c.faults && data->action[i] < 0) /* it is told */
            continue;
        if (data->action[i] < 0 || (data->actions && data->action[i] >= data->actions))
            COMPLAIN(c, i, "a", "%s: a: %d, but there are %d actions: 0 to %d", where(&c, i, text),
                     data->action[i], data->actions, data->actions - 1);
        if (data->action[i] > most)
            most = data->action[i];
    }
    if (!data->actions)
        data->actions = most + 1;
    return BF_OK;
}

/* Says if every state is a whole number from 0 on. *most takes the greatest. */
static bool whole_states(const double *values, int64_t n, double *most) {
    for (int64_t i = 0; i < n; i++) {
        if (!(values[i] >= 0 && values[i] < 2147483647.0) || values[i] != floor(values[i]))
            return false;
        if (values[i] > *most)
            *most = values[i];
    }
    return true;
}

static bf_status states(check c, bf_dataset *data) {
    double most = 0;
    char text[256];
    if (data->state_dim != 1 || data->real_state) {
        data->states = 0;
        return BF_OK;
    }
    bool finite_space =
        whole_states(data->state, data->n, &most) && whole_states(data->next_state, data->n, &most);
    if (!data->states) {
        data->states = finite_space ? (int64_t)most + 1 : 0;
        return BF_OK;
    }
    for (int64_t i = 0; i < data->n; i++)
        for (int next = 0; next < 2; next++) {
            double s = next ? data->next_state[i] : data->state[i];
            if (!(s >= 0 && s < (double)data->states) || s != floor(s))
                COMPLAIN(c, i, next ? "ns" : "s",
                         "%s: %s: %.10g is not one of the states 0 to %lld", where(&c, i, text),
                         next ? "ns" : "s", s, (long long)data->states - 1);
        }
    return BF_OK;
}

static bf_status episodes(check c) {
    const bf_dataset *d = c.data;
    if (!d->begin && !d->order && !d->episodes)
        return BF_OK;
    if (!d->begin || !d->order || d->episodes < 1 || d->begin[0] != 0 ||
        d->begin[d->episodes] != d->n)
        return bf_fail(c.err, BF_EDATA, "episodes: begin and order do not cover the transitions");
    for (int64_t e = 0; e < d->episodes; e++)
        if (d->begin[e + 1] <= d->begin[e])
            return bf_fail(c.err, BF_EDATA, "episodes: episode %lld is empty", (long long)e);
    for (int64_t j = 0; j < d->n; j++)
        if (d->order[j] < 0 || d->order[j] >= d->n)
            return bf_fail(c.err, BF_EDATA, "episodes: order[%lld] is %lld, no transition",
                           (long long)j, (long long)d->order[j]);
    return BF_OK;
}

bf_status bf__dataset_finish(bf_dataset *data, bf_arena *arena, bf_error *err) {
    (void)arena;
    return bf__dataset_check(data, NULL, err);
}

bf_status bf__dataset_values(bf_dataset *data, bf__faults *faults, bf_error *err) {
    check c = {data, faults, err};
    bool plain = data->state_dim == 1 && !data->real_state;
    BF_TRY(all_finite(c, data->state, data->state_dim, plain ? "s" : "s#"));
    BF_TRY(all_finite(c, data->next_state, data->state_dim, plain ? "ns" : "ns#"));
    BF_TRY(all_finite(c, data->reward, 1, "r"));
    BF_TRY(all_finite(c, data->action_vector, data->action_dim, "a#"));
    BF_TRY(samples_finite(c, data->na, "na"));
    BF_TRY(samples_finite(c, data->sa, "sa"));
    for (int k = 0; k < data->extras; k++)
        BF_TRY(all_finite(c, data->extra + k * data->n, 1, data->extra_names[k]));
    BF_TRY(positive(c, data->weight, "weight", "it says how many rows this one stands for"));
    BF_TRY(positive(c, data->duration, "duration", "it says how long the step took"));
    BF_TRY(all_finite(c, data->mu, 1, "mu"));
    if (data->next_state)
        BF_TRY(states(c, data));
    if (data->action)
        BF_TRY(actions(c, data));
    BF_TRY(probabilities(c, data->mu_all, "mu"));
    BF_TRY(probabilities(c, data->pi, "pi"));
    return probabilities(c, data->npi, "npi");
}

bf_status bf__dataset_check(bf_dataset *data, bf__faults *faults, bf_error *err) {
    check c = {data, faults, err};
    if (data->n < 1)
        return bf_fail(err, BF_EDATA, "the log has no transitions");
    if (data->state_dim < 1 || !data->state || !data->next_state || !data->reward)
        return bf_fail(err, BF_EDATA, "a log needs state, next_state and reward");
    if (!data->action == !data->action_vector || (data->action_vector && data->action_dim < 1))
        return bf_fail(err, BF_EDATA, "a log needs either action or action_vector");
    if (data->action_vector && (data->pi || data->npi || data->mu_all || data->mask))
        return bf_fail(err, BF_EDATA, "pi, npi, mu_all and mask are for discrete actions");
    if ((data->na || data->sa) && (data->samples < 1 || !data->action_vector))
        return bf_fail(err, BF_EDATA, "na and sa need action_vector and samples >= 1");
    BF_TRY(bf__dataset_values(data, faults, err));
    if (!faults || !faults->found) /* it asks about actions, which have to exist */
        BF_TRY(behaviour(c));
    if (!faults || !faults->found) {
        BF_TRY(episodes(c));
        BF_TRY(bf__mask_check(data, faults, err));
    }
    return faults && faults->found ? bf__faults_first(faults, err) : BF_OK;
}
