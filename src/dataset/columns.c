/* columns.c - What the names of columns mean: s0, ns, pi1, na0_2, .... */
#include "dataset/columns.h"

#include <stdio.h>
#include <string.h>

#include "core/fail.h"

enum { PLAIN = 1, NUMBERED = 2, TWICE = 4 };

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
    [BF__MU] = {"mu", PLAIN, "behaviour probability of the action taken"},
    [BF__MU_ALL] = {"mu", NUMBERED, "behaviour probabilities"},
    [BF__PI] = {"pi", NUMBERED, "target policy at s"},
    [BF__NPI] = {"npi", NUMBERED, "target policy at s'"},
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
            return (bf__name){(bf__column_group)g, -1, -1};
        int first = number_at(&p), second = -1;
        if (first >= 0 && !*p && (groups[g].forms & NUMBERED))
            return (bf__name){(bf__column_group)g, first, -1};
        if (first >= 0 && *p == '_' && (groups[g].forms & TWICE)) {
            p++;
            second = number_at(&p);
            if (second >= 0 && !*p)
                return (bf__name){(bf__column_group)g, first, second};
        }
    }
    return (bf__name){BF__GROUPS, -1, -1};
}

const char *bf__name_of(const bf__schema *schema, bf__column_group group, int index,
                        char text[48]) {
    const char *name = groups[group].name;
    if (groups[group].forms & TWICE) {
        int k = schema->samples > 0 ? schema->width[group] / schema->samples : 1;
        snprintf(text, 48, "%s%d_%d", name, index / k, index % k);
    } else if (schema->plain[group]) {
        snprintf(text, 48, "%s", name);
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
            found = strcmp(names[c], text) == 0;
    }
    return bf_fail(err, BF_EDATA, "%s: columns %s{j}_{k} are there, but no %s", path, group, text);
}

bf_status bf__schema_make(bf__schema *out, bf__column_group *group, int *place,
                          const char *const *names, int count, const char *path, bf_error *err) {
    *out = (bf__schema){0};
    bool plain[BF__GROUPS] = {0}, numbered[BF__GROUPS] = {0};
    int dimensions[BF__GROUPS] = {0};
    for (int c = 0; c < count; c++) { /* how many there are of each */
        bf__name name = bf__name_parse(names[c]);
        bf__column_group g = group[c] = name.group;
        if (g == BF__GROUPS)
            continue;
        if (name.first < 0)
            plain[g] = out->plain[g] = true;
        else
            numbered[g] = true;
        if (plain[g] && numbered[g])
            return bf_fail(err, BF_EDATA,
                           "%s: columns %s and %s0, ... are both there; one of them is the %s",
                           path, groups[g].name, groups[g].name, groups[g].meaning);
        int width = name.first < 0 ? 1 : name.first + 1;
        if (name.second >= dimensions[g])
            dimensions[g] = name.second + 1;
        if (width > out->width[g])
            out->width[g] = width;
    }
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
    for (int c = 0; c < count; c++) { /* find the place of each, and check that no two share one */
        bf__name name = bf__name_parse(names[c]);
        if (name.group == BF__GROUPS)
            continue;
        place[c] = name.first < 0 ? 0 : name.first;
        if (name.second >= 0)
            place[c] = name.first * dimensions[name.group] + name.second;
        for (int b = 0; b < c; b++)
            if (group[b] == group[c] && place[b] == place[c])
                return bf_fail(err, BF_EDATA, "%s: column %s is there twice", path, names[c]);
    }
    for (int g = 0; g < BF__GROUPS; g++)
        BF_TRY(check_group(out, (bf__column_group)g, group, place, count, path, err));
    return BF_OK;
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
        char list[256] = "";
        for (int c = 0; c < count && strlen(list) < 200; c++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.40s", c ? ", " : "",
                     names[c]);
        return bf_fail(err, BF_EDATA,
                       "%s: no %s: there has to be a column %s; the columns are %s%s", path,
                       groups[needed[i].group].meaning, needed[i].form, list,
                       strlen(list) < 200 ? "" : ", ...");
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
    static const bf__column_group tables[] = {BF__MU_ALL, BF__PI, BF__NPI};
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
        if (a->width[g] && b->width[g] && a->plain[g] != b->plain[g])
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
