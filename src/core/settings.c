/* settings.c - Options of several tables together, and which of them were set. */
#include <stdio.h>
#include <string.h>

#include "backflow/options.h"
#include "core/fail.h"

typedef struct part {
    const bf_option_table *table;
    void *values;
    bool *given; /* by row */
} part;

struct bf_settings {
    part *parts;
    int count;
    bf_arena *arena;
};

bf_status bf_settings_make(bf_settings **out, const bf_option_table *const *tables, int count,
                           bf_arena *arena, bf_error *err) {
    bf_settings *s;
    BF_ZALLOC(s, arena, 1, err);
    BF_ALLOC(s->parts, arena, count + 1, err);
    s->arena = arena;
    for (int i = 0; i < count; i++) {
        part *p = &s->parts[s->count];
        if (!tables[i] || bf_settings_of(s, tables[i]))
            continue;
        p->table = tables[i];
        p->values = bf_arena_zalloc(arena, 1, tables[i]->size, err);
        if (!p->values)
            return BF_ENOMEM;
        BF_ZALLOC(p->given, arena, tables[i]->count, err);
        BF_TRY(bf_options_init(tables[i], p->values, err));
        s->count++;
    }
    *out = s;
    return BF_OK;
}

const void *bf_settings_of(const bf_settings *settings, const bf_option_table *table) {
    for (int i = 0; i < settings->count; i++)
        if (settings->parts[i].table == table)
            return settings->parts[i].values;
    return NULL;
}

const bf_option *bf_settings_find(const bf_settings *settings, const char *name) {
    const bf_option *row = NULL;
    for (int i = 0; i < settings->count && !row; i++)
        row = bf_options_find(settings->parts[i].table, name);
    return row;
}

const void *bf_settings_value(const bf_settings *settings, const char *name) {
    for (int i = 0; i < settings->count; i++) {
        const bf_option *row = bf_options_find(settings->parts[i].table, name);
        if (row)
            return (const char *)settings->parts[i].values + row->offset;
    }
    return NULL;
}

bf_status bf_settings_set(bf_settings *settings, const char *name, const char *text,
                          bf_error *err) {
    char *copy;
    bool found = false;
    BF_ALLOC(copy, settings->arena, (int64_t)strlen(text) + 1, err);
    strcpy(copy, text);
    for (int i = 0; i < settings->count; i++) {
        const part *p = &settings->parts[i];
        const bf_option *row = bf_options_find(p->table, name);
        if (!row)
            continue;
        BF_TRY(bf_options_set(row, p->values, copy, err));
        p->given[row - p->table->rows] = true;
        found = true;
    }
    return found ? BF_OK : bf_fail(err, BF_EUSAGE, "%s: there is no such option", name);
}

const char *bf_settings_given_at(const bf_settings *settings, int index) {
    for (int i = 0; i < settings->count; i++) {
        const bf_option_table *table = settings->parts[i].table;
        for (int j = 0; j < table->count; j++) {
            bool again = false;
            for (int k = 0; k < i; k++)
                again = again || bf_options_find(settings->parts[k].table, table->rows[j].field);
            if (settings->parts[i].given[j] && !again && index-- == 0)
                return table->rows[j].field;
        }
    }
    return NULL;
}

bool bf_settings_given(const bf_settings *settings, const char *name) {
    for (int i = 0; i < settings->count; i++) {
        const bf_option *row = bf_options_find(settings->parts[i].table, name);
        if (row && settings->parts[i].given[row - settings->parts[i].table->rows])
            return true;
    }
    return false;
}

void bf_settings_forget(bf_settings *settings, const char *name) {
    for (int i = 0; i < settings->count; i++) {
        const bf_option *row = bf_options_find(settings->parts[i].table, name);
        if (row)
            settings->parts[i].given[row - settings->parts[i].table->rows] = false;
    }
}
