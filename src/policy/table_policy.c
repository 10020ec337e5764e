/* table_policy.c - A policy as a table: one row of probabilities per state, by number or by name.
 *
 * Shapes      rows (count, A) row-major
 * Cost        O(A) per state asked about, and O(log rows) where rows say their state
 */
#include "policy/table_policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/words.h"

typedef struct table {
    bf_policy base;
    bf__table of;
} table;

/* The row of a state, or -1 where the file leaves it out. */
static int64_t row_of(const bf__table *t, int64_t state) {
    int64_t low = 0, high = t->count;
    if (!t->state)
        return state;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (t->state[middle] < state)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->count && t->state[low] == state ? low : -1;
}

static bf_status probabilities(const bf_policy *self, const double *states, int64_t n, double *out,
                               bf_error *err) {
    const table *t = (const table *)self;
    int actions = self->actions;
    if (t->of.labels)
        return bf_fail(err, BF_EPOLICY,
                       "%s: its states have names, and no log says which numbers they are",
                       self->name);
    for (int64_t i = 0; i < n; i++) {
        double s = states[i];
        if (!(s >= 0 && s < (double)self->states) || s != floor(s))
            return bf_fail(err, BF_EPOLICY, "%s: state %.17g is not one of its states, 0 to %lld",
                           self->name, s, (long long)self->states - 1);
        int64_t at = row_of(&t->of, (int64_t)s);
        if (at < 0)
            return bf_fail(err, BF_EPOLICY, "%s: no row for state %.17g, which the log visits",
                           self->name, s);
        for (int a = 0; a < actions; a++)
            out[a * n + i] = t->of.rows[at * actions + a];
    }
    return BF_OK;
}

/* ---- Names */

/* The place of `name` among the names, or -1. */
static int find_name(const char *const *names, int count, const char *name) {
    for (int k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    return -1;
}

/* action[a] is the place in the table of the log's action a; *count and *names are those of both
 * together. */
static bf_status match_actions(int **action, const char ***names, const table *t,
                               const bf_dataset *data, bf_arena *arena, bf_error *err) {
    const bf_policy *base = &t->base;
    int actions = base->actions, put = 0;
    if (!data->action_names)
        return bf_fail(err, BF_EPOLICY,
                       "%s: names its actions ('%s', ...), but those of the log are numbers",
                       base->name, base->action_names[0]);
    BF_ALLOC(*action, arena, actions, err);
    BF_ALLOC(*names, arena, actions, err);
    for (int a = 0; a < data->actions; a++) {
        int place = find_name(base->action_names, actions, data->action_names[a]);
        if (place < 0)
            return bf_fail(err, BF_EPOLICY, "%s: no column pi:%s, but that is an action of the log",
                           base->name, data->action_names[a]);
        (*names)[put] = data->action_names[a];
        (*action)[put++] = place;
    }
    for (int k = 0; k < actions; k++)
        if (find_name(data->action_names, data->actions, base->action_names[k]) < 0) {
            (*names)[put] = base->action_names[k];
            (*action)[put++] = k;
        }
    return BF_OK;
}

/* row[s] is the row of the log's state s. */
static bf_status match_states(int64_t **row, const table *t, const bf_dataset *data,
                              bf_arena *arena, bf_error *err) {
    bf__words *words;
    if (!data->state_labels)
        return bf_fail(err, BF_EPOLICY,
                       "%s: s: names its states ('%s', ...), but those of the log are %s",
                       t->base.name, t->of.labels[0], data->states ? "numbers" : "no single words");
    BF_ALLOC(*row, arena, data->states, err);
    BF_TRY(bf__words_create(&words, arena, err));
    for (int64_t k = 0; k < t->of.count; k++) {
        int64_t code;
        BF_TRY(bf__words_add(words, t->of.labels[k], strlen(t->of.labels[k]), &code, err));
    }
    for (int64_t s = 0; s < data->states; s++) {
        const char *label = data->state_labels[s];
        (*row)[s] = bf__words_find(words, label, strlen(label));
        if ((*row)[s] < 0)
            return bf_fail(err, BF_EPOLICY, "%s: no row for state '%s', which the log visits",
                           t->base.name, label);
    }
    return BF_OK;
}

static bf_status bind(const bf_policy **out, const bf_policy *self, const bf_dataset *data,
                      bf_arena *arena, bf_error *err) {
    const table *t = (const table *)self;
    int *action = NULL, actions = self->actions;
    int64_t *row = NULL, count = t->of.count;
    const char **names = NULL;
    double *rows;
    bf_policy *bound;
    if (data->state_labels && !t->of.labels)
        return bf_fail(err, BF_EPOLICY,
                       "%s: the states of the log are words ('%s', ...): a column s has to name "
                       "them",
                       self->name, data->state_labels[0]);
    if (self->action_names && data->action)
        BF_TRY(match_actions(&action, &names, t, data, arena, err));
    if (t->of.labels) {
        BF_TRY(match_states(&row, t, data, arena, err));
        count = data->states;
    }
    if (!action && !row)
        return BF_OK;
    BF_ALLOC(rows, arena, count * actions, err);
    for (int64_t i = 0; i < count; i++)
        for (int a = 0; a < actions; a++)
            rows[i * actions + a] =
                t->of.rows[(row ? row[i] : i) * actions + (action ? action[a] : a)];
    bf__table of = {rows, count, row ? NULL : t->of.state, NULL};
    BF_TRY(bf__table_make(&bound, self->name, &of, actions, names, arena, err));
    bound->content = self->content;
    bound->bind = NULL; /* it is in the order of the log now */
    *out = bound;
    return BF_OK;
}

bf_status bf__table_make(bf_policy **out, const char *name, const bf__table *rows, int actions,
                         const char *const *action_names, bf_arena *arena, bf_error *err) {
    table *t;
    char *copy;
    BF_ALLOC(t, arena, 1, err);
    BF_ALLOC(copy, arena, (int64_t)strlen(name) + 1, err);
    strcpy(copy, name);
    *t = (table){.base = {.kind = "table",
                          .name = copy,
                          .actions = actions,
                          .state_dim = 1,
                          .states = rows->state ? rows->state[rows->count - 1] + 1 : rows->count,
                          .probabilities = probabilities,
                          .action_names = action_names,
                          .bind = bind},
                 .of = *rows};
    *out = &t->base;
    return BF_OK;
}
