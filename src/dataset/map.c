/* map.c - What the columns of a log are, in the words of its owner. */
#include "dataset/map.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "format/bytes.h"

/* ---- Reading */

/* A mapping while it is being read. */
typedef struct source {
    const char *at, *end, *begin;
    const char *file; /* NULL: an argument */
    bf_arena *arena;
} source;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(source *s) {
    while (s->at < s->end && (is_space(*s->at) || (s->file && *s->at == '#'))) {
        if (*s->at == '#')
            while (s->at < s->end && *s->at != '\n')
                s->at++;
        else
            s->at++;
    }
}

/* Where the reader is, as messages begin: "`map`" or "study.map:3". */
static const char *where(const source *s, char text[320]) {
    int line = 1;
    for (const char *p = s->begin; p < s->at; p++)
        line += *p == '\n';
    if (s->file)
        snprintf(text, 320, "%.300s:%d", s->file, line);
    else
        snprintf(text, 320, "`map`");
    return text;
}

/* A word up to one of `stops` or a space; "in quotes" it may have any, and "" is a quote. *bare
 * takes the length of what was not quoted, at the end. */
static bf_status take_word(char **out, size_t *bare, source *s, const char *stops, bf_error *err) {
    char text[320], *word;
    size_t length = 0;
    bool quoted = false;
    BF_ALLOC(word, s->arena, s->end - s->at + 1, err);
    *bare = 0;
    for (; s->at < s->end; s->at++) {
        char c = *s->at;
        if (c == '"' && quoted && s->at + 1 < s->end && s->at[1] == '"') {
            word[length++] = *s->at++;
        } else if (c == '"') {
            quoted = !quoted;
            *bare = 0;
        } else if (!quoted && (is_space(c) || strchr(stops, c))) {
            break;
        } else if ((unsigned char)c < ' ' || c == 127) {
            return bf_fail(err, BF_EUSAGE, "%s: byte %d stands in a name", where(s, text), c);
        } else {
            word[length++] = c;
            *bare += !quoted;
        }
    }
    if (quoted)
        return bf_fail(err, BF_EUSAGE, "%s: a quote is opened and never closed", where(s, text));
    word[length] = '\0';
    *out = word;
    return BF_OK;
}

/* The name that columns of this meaning have in logs, or NULL. */
static const char *group_of(const char *word) {
    static const char *const longer[][2] = {{"state", "s"},  {"next_state", "ns"}, {"action", "a"},
                                            {"reward", "r"}, {"time", "t"},        {"step", "t"},
                                            {"mu_all", "mu"}};
    for (size_t k = 0; k < sizeof longer / sizeof *longer; k++)
        if (strcmp(longer[k][0], word) == 0)
            return longer[k][1];
    for (int g = 0; g < BF__GROUPS; g++)
        if (strcmp(bf__group_name((bf__column_group)g), word) == 0)
            return word;
    return bf__name_parse(word).group != BF__GROUPS ? word : NULL;
}

/* A column on the right: a name, perhaps with a star or a kind at its end. */
static void take_column(bf__map_column *out, char *word, size_t bare) {
    size_t length = strlen(word);
    char *colon = strrchr(word, ':');
    *out = (bf__map_column){.name = word};
    if (colon && (size_t)(word + length - colon) <= bare && bf__kind_named(colon + 1)) {
        out->kind = bf__kind_named(colon + 1);
        *colon = '\0';
        bare -= length - strlen(word);
        length = strlen(word);
    }
    if (bare > 0 && length > 0 && word[length - 1] == '*') {
        out->prefix = true;
        word[length - 1] = '\0';
    }
}

/* WORD=COLUMN,COLUMN,... at s->at. */
static bf_status take_item(bf__map *map, source *s, bf_error *err) {
    char text[320], *word, *name;
    size_t bare;
    int room = 1;
    bf__map_item item = {0};
    BF_TRY(take_word(&word, &bare, s, "=,", err));
    skip_space(s);
    if (s->at == s->end || *s->at != '=')
        return bf_fail(err, BF_EUSAGE,
                       "%s: '%.100s' says nothing; MEANING=COLUMNS is needed, as in "
                       "'state=age,ward action=dose reward=r'",
                       where(s, text), word);
    item.word = word;
    item.group = group_of(word);
    bool actions = strcmp(word, "actions") == 0;
    if (!item.group && !actions)
        return bf_fail(err, BF_EUSAGE,
                       "%s: '%.100s' is not what a column can be; state, next_state, action, "
                       "reward, episode, t, terminated, truncated, weight, duration, mu, "
                       "pi:ACTION, npi:ACTION, mask:ACTION and "
                       "the other names of docs/log-format.md are",
                       where(s, text), word);
    for (int k = 0; k < map->count; k++)
        if (item.group && strcmp(map->items[k].group, item.group) == 0)
            return bf_fail(err, BF_EUSAGE, "%s: '%s' is there twice", where(s, text), word);
    if (actions && map->actions.count)
        return bf_fail(err, BF_EUSAGE, "%s: '%s' is there twice", where(s, text), word);
    for (const char *p = s->at; p < s->end; p++)
        room += *p == ',';
    BF_ALLOC(item.columns, s->arena, room, err);
    do {
        s->at++;
        skip_space(s);
        BF_TRY(take_word(&name, &bare, s, "=,", err));
        if (!*name || (s->at < s->end && *s->at == '='))
            return bf_fail(err, BF_EUSAGE, "%s: '%.100s=' needs the name of a column%s%.100s",
                           where(s, text), word, *name ? ", not " : "", name);
        take_column(&item.columns[item.count], name, actions ? 0 : bare);
        item.count++;
        skip_space(s);
    } while (s->at < s->end && *s->at == ',');
    if (!actions) {
        map->items[map->count++] = item;
        return BF_OK;
    }
    BF_ALLOC(map->actions.text, s->arena, item.count, err);
    for (int k = 0; k < item.count; k++) {
        for (int j = 0; j < k; j++)
            if (strcmp(item.columns[j].name, item.columns[k].name) == 0)
                return bf_fail(err, BF_EUSAGE, "%s: the action '%s' is there twice", where(s, text),
                               item.columns[k].name);
        map->actions.text[k] = item.columns[k].name;
    }
    map->actions.count = item.count;
    return BF_OK;
}

static bf_status take_items(bf__map *map, source *s, bf_error *err) {
    bf__map_item *items;
    int room = map->count;
    for (const char *p = s->begin; p < s->end; p++)
        room += *p == '=';
    BF_ALLOC(items, s->arena, room, err);
    if (map->count)
        memcpy(items, map->items, (size_t)map->count * sizeof *items);
    map->items = items;
    for (skip_space(s); s->at < s->end; skip_space(s))
        BF_TRY(take_item(map, s, err));
    return BF_OK;
}

static bf_status take_file(bf__map *map, const char *path, bf_arena *arena, bf_error *err) {
    bf__bytes bytes;
    BF_TRY(bf__bytes_open(&bytes, path, arena, err));
    const char *text = (const char *)bytes.data;
    if (bytes.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        text += 3;
    source s = {text, (const char *)bytes.data + bytes.size, text, path, arena};
    int before = map->count, actions = map->actions.count;
    bf_status status = take_items(map, &s, err);
    bf__bytes_close(&bytes);
    if (status == BF_OK && map->count == before && map->actions.count == actions)
        return bf_fail(err, BF_EUSAGE, "%s: the file maps nothing", path);
    return status;
}

bf_status bf__map_read(bf__map *out, const bf_list *texts, bf_arena *arena, bf_error *err) {
    *out = (bf__map){0};
    for (int k = 0; texts && k < texts->count; k++) {
        const char *text = texts->item[k];
        if (text[0] == '@') {
            BF_TRY(take_file(out, text + 1, arena, err));
            continue;
        }
        source s = {text, text + strlen(text), text, NULL, arena};
        BF_TRY(take_items(out, &s, err));
    }
    return BF_OK;
}

/* ---- Applying */

/* Where columns of a file are put while the mapping is applied. */
typedef struct work {
    const bf__found *found;
    const char **meaning;
    bf__kind *kinds;
    const bf__map_item **taken; /* (count): by which item; NULL: by none */
    bf_arena *arena;
} work;

static bf_status no_column(const bf__found *f, const bf__map_item *item, const char *name,
                           bool prefix, bf_error *err) {
    char list[256];
    return bf_fail(err, BF_EDATA, "%s: there is no column '%s%s' for %s; the columns are %s",
                   f->path, name, prefix ? "*" : "", item->word,
                   bf__list_names(list, f->arrays ? f->arrays : f->names, f->count));
}

/* The name of the column at place `index` of those that the item gives: s0, s1, ...; or s, if it is
 * `alone` and nothing makes it a number. Sampled actions keep the two numbers of their array. */
static void new_name(char *name, size_t size, const work *w, const bf__map_item *item, int c,
                     int index, bool alone) {
    const char *group = item->group;
    bool real = w->kinds[c] == BF__NUMBER && (!strcmp(group, "s") || !strcmp(group, "ns"));
    bool several = !alone || real || strcmp(item->word, "mu_all") == 0;
    bool samples = strcmp(group, "na") == 0 || strcmp(group, "sa") == 0;
    const char *array = w->found->arrays ? w->found->arrays[c] : NULL;
    if (samples && array)
        snprintf(name, size, "%s%s", group, w->found->names[c] + strlen(array));
    else if (several || bf__name_parse(group).group == BF__GROUPS)
        snprintf(name, size, "%s%d", group, index);
    else
        snprintf(name, size, "%s", group);
    if (index == 0 && bf__name_parse(name).group == BF__GROUPS)
        snprintf(name, size, "%s", group); /* r0 is r */
}

/* Gives column c of the file to the item. */
static bf_status take(work *w, const bf__map_item *item, int c, int index, bool alone,
                      bf__kind kind, bf_error *err) {
    const bf__found *f = w->found;
    if (w->taken[c])
        return bf_fail(err, BF_EUSAGE, "`map`: column '%s' is given to both %s and %s", f->names[c],
                       w->taken[c]->word, item->word);
    w->taken[c] = item;
    w->kinds[c] = kind;
    char *name;
    int64_t size = (int64_t)(strlen(item->group) + strlen(f->names[c])) + 16;
    BF_ALLOC(name, w->arena, size, err);
    new_name(name, (size_t)size, w, item, c, index, alone);
    if (bf__name_parse(name).group == BF__GROUPS)
        return bf_fail(err, BF_EUSAGE, "`map`: %s is one column, and several are given to it",
                       item->word);
    w->meaning[c] = name;
    return BF_OK;
}

static bf_status apply_item(work *w, const bf__map_item *item, bf_error *err) {
    const bf__found *f = w->found;
    int put = 0;
    for (int k = 0; k < item->count; k++) {
        const bf__map_column *column = &item->columns[k];
        size_t length = strlen(column->name);
        int before = put;
        bool exact = false;
        for (int c = 0; c < f->count && !column->prefix; c++)
            exact |= strcmp(f->names[c], column->name) == 0;
        for (int c = 0; c < f->count; c++) {
            bool named = column->prefix ? strncmp(f->names[c], column->name, length) == 0
                         : exact
                             ? strcmp(f->names[c], column->name) == 0
                             : f->arrays && f->arrays[c] && strcmp(f->arrays[c], column->name) == 0;
            if (named)
                BF_TRY(take(w, item, c, put++, item->count == 1 && exact, column->kind, err));
        }
        if (put == before)
            return no_column(f, item, column->name, column->prefix, err);
    }
    return BF_OK;
}

bf_status bf__map_apply(const bf__map *map, const bf__found *found, const char **meaning,
                        bf__kind *kinds, bf_arena *arena, bf_error *err) {
    work w = {found, meaning, kinds, NULL, arena};
    BF_ZALLOC(w.taken, arena, found->count, err);
    for (int c = 0; c < found->count; c++) {
        kinds[c] = BF__ANY;
        meaning[c] = found->names[c];
    }
    for (int k = 0; k < map->count; k++)
        BF_TRY(apply_item(&w, &map->items[k], err));
    for (int c = 0; c < found->count; c++) /* a table of patients may well have a weight */
        if (map->count > 0 && !w.taken[c] &&
            (bf__name_parse(found->names[c]).group == BF__WEIGHT ||
             bf__name_parse(found->names[c]).group == BF__DURATION))
            meaning[c] = NULL;
    for (int c = 0; c < found->count; c++) /* whose name was given away has no meaning left */
        for (int k = 0; k < map->count && !w.taken[c]; k++) {
            bf__column_group own = bf__name_parse(found->names[c]).group;
            if (own != BF__GROUPS && (strcmp(map->items[k].group, found->names[c]) == 0 ||
                                      strcmp(map->items[k].group, bf__group_name(own)) == 0))
                meaning[c] = NULL;
        }
    return BF_OK;
}
