/* columns.c - What the names of columns mean: s0, ns, pi1, na0_2, .... */
#include "dataset/columns.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"

enum { PLAIN = 1, NUMBERED = 2, TWICE = 4, LABELLED = 8 };

static const struct {
    const char *name;
    int forms;
    const char *meaning;
} groups[BF__GROUPS] = {
    [BF__S] = {"s", PLAIN | NUMBERED, "state"},
    [BF__NS] = {"ns", PLAIN | NUMBERED, "next state"},
    [BF__A] = {"a", PLAIN | NUMBERED, "action"},
    [BF__R] = {"r", PLAIN, "reward"},
    [BF__EPISODE] = {"episode", PLAIN, "trajectory id"},
    [BF__T] = {"t", PLAIN, "step"},
    [BF__TERMINATED] = {"terminated", PLAIN, "0/1"},
    [BF__TRUNCATED] = {"truncated", PLAIN, "0/1"},
    [BF__WEIGHT] = {"weight", PLAIN, "how much a row counts"},
    [BF__DURATION] = {"duration", PLAIN, "time that a step takes"},
    [BF__MU] = {"mu", PLAIN, "behaviour probability of the action taken"},
    [BF__MU_ALL] = {"mu", NUMBERED | LABELLED, "behaviour probabilities"},
    [BF__PI] = {"pi", NUMBERED | LABELLED, "target policy at s"},
    [BF__NPI] = {"npi", NUMBERED | LABELLED, "target policy at s'"},
    [BF__MASK] = {"mask", NUMBERED | LABELLED, "0/1: the action was not allowed at s"},
    [BF__NA] = {"na", TWICE, "actions sampled from the target policy at s'"},
    [BF__SA] = {"sa", TWICE, "actions sampled from the target policy at s"},
};

/* Reads a number below a million without leading zeros at *p. Returns -1 if there is none. */
static int number_at(const char **p) {
    const char *c = *p;
    int value = 0;
    if (*c < '0' || *c > '9' || (*c == '0' && c[1] >= '0' && c[1] <= '9'))
        return -1;
    for (; *c >= '0' && *c <= '9'; c++) {
        value = 10 * value + (*c - '0');
        if (value >= 1000000)
            return -1;
    }
    *p = c;
    return value;
}

bf__name bf__name_parse(const char *name) {
    for (int g = 0; g < BF__GROUPS; g++) {
        size_t length = strlen(groups[g].name);
        if (strncmp(name, groups[g].name, length) != 0)
            continue;
        const char *p = name + length;
        if (!*p && (groups[g].forms & PLAIN))
            return (bf__name){(bf__column_group)g, -1, -1, NULL};
        if (*p == ':' && p[1] && (groups[g].forms & LABELLED))
            return (bf__name){(bf__column_group)g, -1, -1, p + 1};
        int first = number_at(&p), second = -1;
        if (first >= 0 && !*p && (groups[g].forms & NUMBERED))
            return (bf__name){(bf__column_group)g, first, -1, NULL};
        if (first >= 0 && *p == '_' && (groups[g].forms & TWICE)) {
            p++;
            second = number_at(&p);
            if (second >= 0 && !*p)
                return (bf__name){(bf__column_group)g, first, second, NULL};
        }
    }
    return (bf__name){BF__GROUPS, -1, -1, NULL};
}

const char *bf__group_name(bf__column_group group) {
    return groups[group].name;
}

const char *bf__name_of(const bf__schema *schema, bf__column_group group, int index,
                        char text[48]) {
    const char *name = groups[group].name;
    if (groups[group].forms & TWICE) {
        int k = schema->samples > 0 ? schema->width[group] / schema->samples : 1;
        snprintf(text, 48, "%s%d_%d", name, index / k, index % k);
    } else if (schema->plain[group]) {
        snprintf(text, 48, "%s", name);
    } else if (schema->labelled[group]) {
        snprintf(text, 48, "%s:%s", name, schema->labels.text[index]);
    } else {
        snprintf(text, 48, "%s%d", name, index);
    }
    return text;
}

/* The first place of the group that no column has is a gap. */
static bf_status check_group(const bf__schema *schema, bf__column_group g,
                             const bf__column_group *group, const int *place, int count,
                             const char *path, bf_error *err) {
    char text[48], last[48];
    int have = 0;
    for (int c = 0; c < count; c++)
        have += group[c] == g;
    if (have == schema->width[g])
        return BF_OK;
    for (int index = 0; index < schema->width[g]; index++) {
        bool found = false;
        for (int c = 0; c < count && !found; c++)
            found = group[c] == g && place[c] == index;
        if (!found && schema->labelled[g])
            return bf_fail(err, BF_EDATA, "%s: no column %s, but another one names that action",
                           path, bf__name_of(schema, g, index, text));
        if (!found)
            return bf_fail(err, BF_EDATA, "%s: column %s is there, but no %s", path,
                           bf__name_of(schema, g, schema->width[g] - 1, last),
                           bf__name_of(schema, g, index, text));
    }
    return BF_OK;
}

/* If there are fewer columns than na{j}_{k} (or sa) needs, names the first that is missing. */
static bf_status sample_gap(const char *const *names, int count, const char *group, int dimensions,
                            const char *path, bf_error *err) {
    char text[48] = "";
    bool found = true;
    for (int i = 0; i <= count && found; i++) {
        snprintf(text, sizeof text, "%s%d_%d", group, i / dimensions, i % dimensions);
        found = false;
        for (int c = 0; c < count && !found; c++)
            found = names[c] && strcmp(names[c], text) == 0;
    }
    return bf_fail(err, BF_EDATA, "%s: columns %s{j}_{k} are there, but no %s", path, group, text);
}

/* The place of a name of an action in the list, or -1. */
static int label_place(const bf__labels *labels, const char *label) {
    for (int k = 0; k < labels->count; k++)
        if (strcmp(labels->text[k], label) == 0)
            return k;
    return -1;
}

/* Lists the actions that columns name. */
static bf_status find_labels(bf__labels *out, const char *const *names, int count,
                             const bf__labels *known, const char *path, bf_arena *scratch,
                             bf_error *err) {
    *out = known ? *known : (bf__labels){0};
    bool fixed = out->count > 0;
    for (int c = 0; c < count; c++) {
        const char *label = names[c] ? bf__name_parse(names[c]).label : NULL;
        if (!label || label_place(out, label) >= 0)
            continue;
        if (fixed)
            return bf_fail(err, BF_EDATA, "%s: column %s: '%s' is not one of the actions, %s%s%s",
                           path, names[c], label, out->text[0], out->count > 1 ? ", " : "",
                           out->count > 2   ? "..."
                           : out->count > 1 ? out->text[1]
                                            : "");
        if (!out->text)
            BF_ALLOC(out->text, scratch, count, err);
        out->text[out->count++] = label;
    }
    return BF_OK;
}

/* Notes one more column of its group; it must have the form of those before it. */
static bf_status count_column(bf__schema *out, bool numbered[BF__GROUPS], bf__name name,
                              const char *path, bf_error *err) {
    bf__column_group g = name.group;
    if (name.label)
        out->labelled[g] = true;
    else if (name.first < 0)
        out->plain[g] = true;
    else
        numbered[g] = true;
    if (out->plain[g] && numbered[g])
        return bf_fail(err, BF_EDATA,
                       "%s: columns %s and %s0, ... are both there; one of them is the %s", path,
                       groups[g].name, groups[g].name, groups[g].meaning);
    if (out->labelled[g] && numbered[g])
        return bf_fail(err, BF_EDATA,
                       "%s: columns %s0, ... and %s:%s are both there; actions have numbers or "
                       "names, not both",
                       path, groups[g].name, groups[g].name, out->labels.text[0]);
    int width = name.label ? out->labels.count : name.first < 0 ? 1 : name.first + 1;
    if (width > out->width[g])
        out->width[g] = width;
    return BF_OK;
}

/* na{j}_{k} and sa{j}_{k}: as many j as samples, as many k as an action has numbers. */
static bf_status count_samples(bf__schema *out, const int dimensions[BF__GROUPS],
                               const char *const *names, int count, const char *path,
                               bf_error *err) {
    out->samples = out->width[out->width[BF__NA] ? BF__NA : BF__SA];
    if (out->width[BF__NA] && out->width[BF__SA] && out->width[BF__NA] != out->width[BF__SA])
        return bf_fail(err, BF_EDATA,
                       "%s: %d actions are sampled at s (sa0_0, ...), but %d at s' (na0_0, ...)",
                       path, out->width[BF__SA], out->width[BF__NA]);
    for (int g = BF__NA; g <= BF__SA; g++) {
        if ((int64_t)out->width[g] * dimensions[g] > count)
            return sample_gap(names, count, groups[g].name, dimensions[g], path, err);
        out->width[g] *= dimensions[g];
    }
    return BF_OK;
}

bf_status bf__schema_make(bf__schema *out, bf__column_group *group, int *place,
                          const char *const *names, int count, const bf__labels *known,
                          const char *path, bf_arena *scratch, bf_error *err) {
    static const bf__name nothing = {BF__GROUPS, -1, -1, NULL};
    bool numbered[BF__GROUPS] = {0};
    int dimensions[BF__GROUPS] = {0};
    *out = (bf__schema){0};
    BF_TRY(find_labels(&out->labels, names, count, known, path, scratch, err));
    for (int c = 0; c < count; c++) { /* how many there are of each */
        bf__name name = names[c] ? bf__name_parse(names[c]) : nothing;
        group[c] = name.group;
        if (name.group == BF__GROUPS)
            continue;
        BF_TRY(count_column(out, numbered, name, path, err));
        if (name.second >= dimensions[name.group])
            dimensions[name.group] = name.second + 1;
    }
    BF_TRY(count_samples(out, dimensions, names, count, path, err));
    for (int c = 0; c < count; c++) { /* find the place of each, and check that no two share one */
        if (group[c] == BF__GROUPS)
            continue;
        bf__name name = bf__name_parse(names[c]);
        place[c] = name.first < 0 ? 0 : name.first;
        if (name.second >= 0)
            place[c] = name.first * dimensions[name.group] + name.second;
        if (name.label)
            place[c] = label_place(&out->labels, name.label);
        for (int b = 0; b < c; b++)
            if (group[b] == group[c] && place[b] == place[c])
                return bf_fail(err, BF_EDATA, "%s: column %s is there twice", path, names[c]);
    }
    for (int g = 0; g < BF__GROUPS; g++)
        BF_TRY(check_group(out, (bf__column_group)g, group, place, count, path, err));
    return BF_OK;
}

const char *bf__list_names(char text[256], const char *const *names, int count) {
    text[0] = '\0';
    for (int c = 0; c < count && strlen(text) < 200; c++)
        if (c == 0 || strcmp(names[c], names[c - 1]) != 0)
            snprintf(text + strlen(text), 256 - strlen(text), "%s%.40s", c ? ", " : "", names[c]);
    if (strlen(text) >= 200)
        strcat(text, ", ...");
    return text;
}

/* Checks that s, a and r are there. A user who writes "observation" for s sees both names in the
 * message. */
static bf_status check_needed(const bf__schema *schema, const char *const *names, int count,
                              const char *path, bf_error *err) {
    static const struct {
        bf__column_group group;
        const char *form;
    } needed[] = {{BF__S, "s, or s0, s1, ..."}, {BF__A, "a, or a0, a1, ..."}, {BF__R, "r"}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (schema->width[needed[i].group])
            continue;
        char list[256];
        return bf_fail(err, BF_EDATA, "%s: no %s: there has to be a column %s; the columns are %s",
                       path, groups[needed[i].group].meaning, needed[i].form,
                       bf__list_names(list, names, count));
    }
    return BF_OK;
}

bf_status bf__schema_check(const bf__schema *schema, const char *const *names, int count,
                           const char *path, bf_error *err) {
    const int *width = schema->width;
    BF_TRY(check_needed(schema, names, count, path, err));
    if (width[BF__NS] &&
        (width[BF__NS] != width[BF__S] || schema->plain[BF__NS] != schema->plain[BF__S])) {
        char s[48], ns[48];
        return bf_fail(err, BF_EDATA,
                       "%s: the state has %d column%s (to %s), the next state %d (to %s)", path,
                       width[BF__S], width[BF__S] > 1 ? "s" : "",
                       bf__name_of(schema, BF__S, width[BF__S] - 1, s), width[BF__NS],
                       bf__name_of(schema, BF__NS, width[BF__NS] - 1, ns));
    }
    bool discrete = schema->plain[BF__A];
    static const bf__column_group tables[] = {BF__MU_ALL, BF__PI, BF__NPI, BF__MASK};
    const char *first = NULL;
    int actions = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        bf__column_group g = tables[i];
        if (!width[g])
            continue;
        if (!discrete)
            return bf_fail(err, BF_EDATA,
                           "%s: columns %s0, ... are for discrete actions (column a); the actions "
                           "here are vectors (a0, ...)",
                           path, groups[g].name);
        if (actions && width[g] != actions)
            return bf_fail(err, BF_EDATA, "%s: %d columns %s0, ..., but %d columns %s0, ...", path,
                           actions, first, width[g], groups[g].name);
        actions = width[g];
        first = groups[g].name;
    }
    for (int g = BF__NA; g <= BF__SA; g++) {
        if (width[g] && discrete)
            return bf_fail(err, BF_EDATA,
                           "%s: columns %s0_0, ... are for actions that are vectors (a0, ...); "
                           "here the action is one column, a",
                           path, groups[g].name);
        if (width[g] && width[g] != schema->samples * width[BF__A])
            return bf_fail(err, BF_EDATA,
                           "%s: an action has %d column%s (a0, ...), a sampled %saction %d "
                           "(%s0_0, ...)",
                           path, width[BF__A], width[BF__A] > 1 ? "s" : "",
                           g == BF__NA ? "next " : "", width[g] / schema->samples, groups[g].name);
    }
    return BF_OK;
}

/* The first column that `a` has and `b` does not have, or NULL. */
static const char *lacking(const bf__schema *a, const bf__schema *b, char text[48]) {
    for (int g = 0; g < BF__GROUPS; g++) {
        if (a->width[g] && b->width[g] &&
            (a->plain[g] != b->plain[g] || a->labelled[g] != b->labelled[g]))
            return bf__name_of(a, (bf__column_group)g, 0, text);
        if ((groups[g].forms & TWICE) && a->width[g] && b->width[g] && a->samples != b->samples &&
            a->width[g] / a->samples == b->width[g] / b->samples) {
            if (a->samples > b->samples)
                return bf__name_of(a, (bf__column_group)g, b->width[g], text);
        } else if (a->width[g] > b->width[g]) {
            return bf__name_of(a, (bf__column_group)g, b->width[g], text);
        }
    }
    return NULL;
}

bf_status bf__schema_compare(const bf__schema *schema, const char *path, const bf__schema *other,
                             const char *other_path, bf_error *err) {
    char text[48];
    const char *name = lacking(schema, other, text);
    if (name)
        return bf_fail(err, BF_EDATA,
                       "%s: no column %s, which %s has; files of one log have the "
                       "same columns",
                       other_path, name, path);
    name = lacking(other, schema, text);
    if (name)
        return bf_fail(err, BF_EDATA,
                       "%s: no column %s, which %s has; files of one log have the "
                       "same columns",
                       path, name, other_path);
    return BF_OK;
}
