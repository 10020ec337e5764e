/* mirror_map.c - What a mirror does to the columns of a log, as a user writes it.
 *
 *     text   = item { "," item }
 *     item   = column "=" [ number ] sign column | column "=" column
 *            | kind ":" name "=" name
 *     column = "s" digits | "a" digits | "s" | "a"      sign = "+" | "-"
 *     kind   = "s" | "a"                                 name: of a state or an action
 *
 * "s0=-s0" changes the sign, "s0=9-s0" counts from the other end, "s1=s2" and "s1=-s2" let two
 * columns change places, "a:left=right" two actions. An item says what the column on its left is in
 * the mirror. A mirror of a mirror is what it was, so the other direction follows.
 *
 * Cost  none to speak of */
#include "dataset/mirror_map.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"

enum { WORD = 256, ANY = 1 << 20 };

/* ---- Reading the text */

typedef struct item {
    char kind;                 /* 's' or 'a' */
    bool names;                /* KIND:NAME=NAME */
    int left, right;           /* columns; -1: written without a number */
    double shift, sign;        /* left becomes shift + sign * right */
    char from[WORD], to[WORD]; /* names */
} item;

static bool parse_column(const char *word, char *kind, int *number) {
    char *end;
    *kind = word[0];
    *number = -1;
    if (*kind != 's' && *kind != 'a')
        return false;
    if (!word[1])
        return true;
    if (!isdigit((unsigned char)word[1]))
        return false;
    long value = strtol(word + 1, &end, 10);
    *number = (int)value;
    return !*end && value < ANY;
}

static bf_status wrong_item(const char *word, bf_error *err) {
    return bf_fail(err, BF_EUSAGE,
                   "mirror: '%s' should be COLUMN=-COLUMN, COLUMN=NUMBER-COLUMN, COLUMN=COLUMN or "
                   "a:ACTION=ACTION, as in s0=-s0,a:left=right",
                   word);
}

/* "-s0", "9-s0", "s1": what a column is in the mirror. */
static bool parse_side(item *out, char *side) {
    char kind, *column = strpbrk(side, "sa");
    out->sign = 1;
    out->shift = 0;
    if (!column || !parse_column(column, &kind, &out->right) || kind != out->kind)
        return false;
    if (column == side)
        return true;
    if (column[-1] != '-' && column[-1] != '+')
        return false;
    out->sign = column[-1] == '-' ? -1 : 1;
    column[-1] = '\0';
    return column - 1 == side || (bf__parse_real(side, &out->shift) && isfinite(out->shift));
}

static bf_status parse_item(item *out, const char *word, bf_error *err) {
    char left[WORD], right[WORD];
    const char *equal = strchr(word, '=');
    *out = (item){.kind = word[0]};
    if (!equal || strlen(word) >= WORD)
        return wrong_item(word, err);
    snprintf(left, sizeof left, "%.*s", (int)(equal - word), word);
    snprintf(right, sizeof right, "%s", equal + 1);
    if ((left[0] == 's' || left[0] == 'a') && left[1] == ':') {
        out->names = true;
        strcpy(out->from, left + 2);
        strcpy(out->to, right);
        return *out->from && *out->to ? BF_OK : wrong_item(word, err);
    }
    if (!parse_column(left, &out->kind, &out->left) || !parse_side(out, right))
        return wrong_item(word, err);
    if (out->left == out->right && out->sign > 0)
        return bf_fail(err, BF_EUSAGE,
                       out->shift == 0 ? "mirror: '%s' changes nothing"
                                       : "mirror: '%s' moves the column on with every turn: a "
                                         "mirror of a mirror has to be what it was",
                       word);
    return BF_OK;
}

/* The next item of the text, of which *rest is what is left; NULL: nothing is. */
static bf_status next_item(item *out, const char **rest, bf_error *err) {
    char word[WORD + 8];
    const char *text = *rest + strspn(*rest, " ");
    size_t whole = strcspn(text, ","), length = whole;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    *rest = text[whole] ? text + whole + 1 : NULL;
    return parse_item(out, word, err);
}

bf_status bf__mirror_check(const bf_option *row, const char *text, bf_error *err) {
    (void)row;
    item one;
    for (const char *rest = text; rest;)
        BF_TRY(next_item(&one, &rest, err));
    return BF_OK;
}

/* ---- What it means for a log */

static bf_status start_turn(bf__turn *t, int width, bf_arena *arena, bf_error *err) {
    BF_ALLOC(t->from, arena, width, err);
    BF_ZALLOC(t->shift, arena, width, err);
    BF_ALLOC(t->sign, arena, width, err);
    BF_ZALLOC(t->said, arena, width, err);
    for (int j = 0; j < width; j++) {
        t->from[j] = j;
        t->sign[j] = 1;
    }
    return BF_OK;
}

static bf_status say(bf__turn *t, char kind, int left, int right, double shift, double sign,
                     bf_error *err) {
    bool same = t->from[left] == right && t->shift[left] == shift && t->sign[left] == sign;
    if (t->said[left] && !same)
        return bf_fail(err, BF_EUSAGE, "`mirror`: column %c%d is there twice", kind, left);
    t->said[left] = true;
    t->from[left] = right;
    t->shift[left] = shift;
    t->sign[left] = sign;
    return BF_OK;
}

static bf_status turn_columns(bf__turn *t, const item *one, int width, bf_error *err) {
    int columns[2] = {one->left, one->right};
    for (int k = 0; k < 2; k++) {
        if (columns[k] < 0 && width == 1)
            columns[k] = 0;
        if (columns[k] < 0 || columns[k] >= width) {
            char name[32] = "";
            if (columns[k] >= 0)
                snprintf(name, sizeof name, "%d", columns[k]);
            return bf_fail(err, BF_EUSAGE,
                           "`mirror`: the log has no %s column '%c%s'; it has %c0 to %c%d",
                           one->kind == 's' ? "state" : "action", one->kind, name, one->kind,
                           one->kind, width - 1);
        }
    }
    BF_TRY(say(t, one->kind, columns[0], columns[1], one->shift, one->sign, err));
    /* The way back: y = sign (x - shift). */
    return say(t, one->kind, columns[1], columns[0], -one->sign * one->shift, one->sign, err);
}

/* The number of an action or of a state, by its name or by itself; -1: there is none. */
static int64_t find_name(const char *const *names, int64_t count, const char *name) {
    double number;
    for (int64_t k = 0; names && k < count; k++)
        if (strcmp(names[k], name) == 0)
            return k;
    if (names || !bf__parse_real(name, &number) || !(number >= 0 && number < ANY) ||
        number != floor(number))
        return -1;
    return (int64_t)number;
}

/* Two numbers, 0 .. count - 1, of what an item swaps. */
static bf_status find_pair(int64_t pair[2], const item *one, const char *const *names,
                           int64_t count, bf_error *err) {
    for (int k = 0; k < 2; k++) {
        const char *name = k ? one->to : one->from;
        pair[k] = find_name(names, count, name);
        if (pair[k] < 0)
            return bf_fail(err, BF_EUSAGE, "`mirror`: '%s' is no %s of the log", name,
                           one->kind == 's' ? "state" : "action");
    }
    if (pair[0] == pair[1])
        return bf_fail(err, BF_EUSAGE, "`mirror`: '%c:%s=%s' changes nothing", one->kind, one->from,
                       one->to);
    return BF_OK;
}

/* The greatest action that an item speaks of. */
static bf_status count_actions(bf__mirror_map *m, const char *text, const bf_dataset *data,
                               bf_error *err) {
    bool fixed = data->action_names || data->mu_all || data->mask;
    m->action_count = data->actions;
    for (const char *rest = text; rest;) {
        item one;
        int64_t pair[2] = {0, 0}, most = 0;
        BF_TRY(next_item(&one, &rest, err));
        if (one.kind != 'a')
            continue;
        if (one.names)
            BF_TRY(find_pair(pair, &one, data->action_names, data->actions, err));
        else if (one.shift == floor(one.shift) && one.shift >= 0 && one.shift < ANY)
            most = (int64_t)one.shift;
        most = pair[0] > most ? pair[0] : most;
        most = pair[1] > most ? pair[1] : most;
        if (most >= m->action_count && fixed)
            return bf_fail(err, BF_EUSAGE, "`mirror`: there is no action %lld; the log has %d",
                           (long long)most, data->actions);
        if (most >= m->action_count)
            m->action_count = (int)most + 1;
    }
    return BF_OK;
}

static bf_status swap_actions(bf__mirror_map *m, const item *one, const bf_dataset *data,
                              bf_error *err) {
    int64_t pair[2];
    if (!one->names) {
        if (one->left >= 0 || one->right >= 0 || one->sign > 0)
            return bf_fail(err, BF_EUSAGE,
                           "`mirror`: actions of the log are 0 to %d, without columns a0, ...: "
                           "a=%d-a or a:0=1 would be right",
                           data->actions - 1, data->actions - 1);
        if (one->shift != m->action_count - 1)
            return bf_fail(err, BF_EUSAGE,
                           "`mirror`: a=%.15g-a makes action %d %.15g, which is none; a=%d-a would "
                           "be right for %d actions",
                           one->shift, m->action_count - 1, one->shift - (m->action_count - 1),
                           m->action_count - 1, m->action_count);
        for (int a = 0; a < m->action_count; a++)
            m->actions[a] = m->action_count - 1 - a;
        return BF_OK;
    }
    BF_TRY(find_pair(pair, one, data->action_names, data->actions, err));
    for (int k = 0; k < 2; k++)
        if (m->actions[pair[k]] != pair[k] && m->actions[pair[k]] != pair[1 - k])
            return bf_fail(err, BF_EUSAGE, "`mirror`: action '%s' is there twice",
                           k ? one->to : one->from);
    m->actions[pair[0]] = (int32_t)pair[1];
    m->actions[pair[1]] = (int32_t)pair[0];
    return BF_OK;
}

static bf_status swap_states(bf__mirror_map *m, const item *one, const bf_dataset *data,
                             bf_arena *arena, bf_error *err) {
    int64_t pair[2];
    if (data->states == 0)
        return bf_fail(err, BF_EUSAGE,
                       "`mirror`: '%c:%s=%s': states of the log are numbers and not finitely many",
                       one->kind, one->from, one->to);
    BF_TRY(find_pair(pair, one, data->state_labels, data->states, err));
    if (!m->states) {
        BF_ALLOC(m->states, arena, data->states, err);
        for (int64_t s = 0; s < data->states; s++)
            m->states[s] = (double)s;
    }
    for (int k = 0; k < 2; k++) {
        if (pair[k] >= data->states)
            return bf_fail(err, BF_EUSAGE, "`mirror`: '%s' is no state of the log",
                           k ? one->to : one->from);
        int64_t now = (int64_t)m->states[pair[k]];
        if (now != pair[k] && now != pair[1 - k])
            return bf_fail(err, BF_EUSAGE, "`mirror`: state '%s' is there twice",
                           k ? one->to : one->from);
    }
    m->states[pair[0]] = (double)pair[1];
    m->states[pair[1]] = (double)pair[0];
    return BF_OK;
}

static bf_status add_item(bf__mirror_map *m, const item *one, const bf_dataset *data,
                          bf_arena *arena, bf_error *err) {
    if (one->kind == 'a' && data->action)
        return swap_actions(m, one, data, err);
    if (one->kind == 'a' && one->names)
        return bf_fail(err, BF_EUSAGE,
                       "`mirror`: 'a:%s=%s': actions of the log are vectors, a0, ...", one->from,
                       one->to);
    if (one->kind == 'a')
        return turn_columns(&m->action, one, data->action_dim, err);
    if (one->names)
        return swap_states(m, one, data, arena, err);
    if (data->state_labels)
        return bf_fail(err, BF_EUSAGE,
                       "`mirror`: states of the log are words; s:%s=%s would be right",
                       data->state_labels[0], data->state_labels[data->states > 1]);
    return turn_columns(&m->state, one, data->state_dim, err);
}

bf_status bf__mirror_map_make(bf__mirror_map *m, const char *text, const bf_dataset *data,
                              bf_arena *arena, bf_error *err) {
    *m = (bf__mirror_map){.states = NULL};
    BF_TRY(start_turn(&m->state, data->state_dim, arena, err));
    BF_TRY(start_turn(&m->action, data->action_dim, arena, err));
    if (data->action)
        BF_TRY(count_actions(m, text, data, err));
    BF_ALLOC(m->actions, arena, m->action_count, err);
    for (int a = 0; a < m->action_count; a++)
        m->actions[a] = a;
    for (const char *rest = text; rest;) {
        item one;
        BF_TRY(next_item(&one, &rest, err));
        BF_TRY(add_item(m, &one, data, arena, err));
    }
    return BF_OK;
}
