/* help.c - What --help and the manual say about options: each once, under a heading that says whose
 * it is. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

/* ---- Whose an option is */

/* Two models may have the same row, each in a table of its own. */
static bool same_row(const bf_option *a, const bf_option *b) {
    return a && b && strcmp(a->field, b->field) == 0 && strcmp(a->help, b->help) == 0 &&
           (a->initial == b->initial ||
            (a->initial && b->initial && !strcmp(a->initial, b->initial)));
}

/* Whether slot k is of a model of the same method as slot i, and has the row too. */
static bool shares(const bf__slot *slots, int k, int i, const bf_option *row) {
    return slots[k].model && slots[k].method == slots[i].method &&
           same_row(bf_options_find(slots[k].table, row->field), row);
}

/* "Options of blackbox with corrected and linear" */
static void title_of(char *title, size_t size, const bf__slot *slots, int count, int i,
                     const bf_option *row) {
    int owners = 0, named = 0;
    for (int k = i; k < count; k++)
        owners += shares(slots, k, i, row);
    size_t used = (size_t)snprintf(title, size, "Options of %s with ", slots[i].method->name);
    for (int k = i; k < count && used < size; k++)
        if (shares(slots, k, i, row)) {
            named++;
            used += (size_t)snprintf(title + used, size - used, "%s%s",
                                     named == 1        ? ""
                                     : named == owners ? " and "
                                                       : ", ",
                                     slots[k].model->name);
        }
}

static bool table_repeats(const bf__slot *slots, int index) {
    for (int i = 0; i < index; i++)
        if (slots[i].table == slots[index].table && slots[i].method == slots[index].method)
            return true;
    return false;
}

/* The group with that title, made if there is none yet. */
static bf__option_group *group_of(bf__option_group *groups, int *count, const char *title) {
    for (int i = 0; i < *count; i++)
        if (strcmp(groups[i].title, title) == 0)
            return &groups[i];
    bf__option_group *group = &groups[*count < BF__MAX_GROUPS - 1 ? (*count)++ : *count];
    group->count = 0;
    snprintf(group->title, sizeof group->title, "%s", title);
    return group;
}

int bf__option_groups(bf__option_group *out, const bf__slot *slots, int slot_count) {
    int groups = 0;
    for (int i = 0; i < slot_count; i++)
        for (int j = 0; j < slots[i].table->count && !table_repeats(slots, i); j++) {
            const bf_option *row = &slots[i].table->rows[j];
            char title[sizeof out->title];
            bool shown = false;
            for (int k = 0; k < i && slots[i].model; k++)
                shown = shown || shares(slots, k, i, row);
            if (slots[i].model)
                title_of(title, sizeof title, slots, slot_count, i, row);
            else
                snprintf(title, sizeof title, "%s", slots[i].table->title);
            bf__option_group *group = shown ? NULL : group_of(out, &groups, title);
            if (group && group->count < BF__MAX_ROWS)
                group->row[group->count++] = row;
        }
    return groups;
}

/* ---- Text */

void bf__option_describe(const bf_option *row, bf__option_text *out) {
    const char *help = row->help;
    const char *colon = strstr(help, ": ");
    bool named = colon && (help[0] == '[' || isupper((unsigned char)help[0])) &&
                 strcspn(help, " ") == (size_t)(colon - help) + 1;
    char name[64];
    bf__flag_name(row->field, name, sizeof name);
    snprintf(out->flag, sizeof out->flag, "--%s", name);
    out->argument[0] = '\0';
    if (named) {
        snprintf(out->argument, sizeof out->argument, "%.*s", (int)(colon - help), help);
        help = colon + 2;
    } else if (row->type == BF_OPTION_ENUM) {
        snprintf(out->argument, sizeof out->argument, "NAME");
    } else if (row->type != BF_OPTION_BOOL) {
        snprintf(out->argument, sizeof out->argument, "X");
    }
    size_t used = (size_t)snprintf(out->text, sizeof out->text, "%s", help);
    if (row->choices && used < sizeof out->text)
        used += (size_t)snprintf(out->text + used, sizeof out->text - used, " One of %s.",
                                 row->choices);
    if (row->initial && row->initial[0] && row->type != BF_OPTION_BOOL && used < sizeof out->text)
        snprintf(out->text + used, sizeof out->text - used, " [%s]", row->initial);
    bf__flags(out->text);
}

static void option_help(FILE *out, const bf_option *row) {
    bf__option_text option;
    char left[160];
    bf__option_describe(row, &option);
    snprintf(left, sizeof left, "  %s%s%s", option.flag, option.argument[0] ? " " : "",
             option.argument);
    fprintf(out, "%-26s", left);
    if (strlen(left) > 24)
        fprintf(out, "\n%26s", "");
    bf_paragraph(out, option.text, 26);
}

void bf__args_help(bf__tool *tool, const bf__command *command, const bf__slot *slots,
                   int slot_count) {
    static bf__option_group groups[BF__MAX_GROUPS];
    FILE *out = tool->out;
    if (tool->manual) {
        bf__man_command(out, command, slots, slot_count);
        return;
    }
    fprintf(out, "backflow %s - %s\n\nUsage: backflow %s\n", command->name, command->summary,
            command->usage);
    if (command->text)
        fprintf(out, "\n%s", command->text);
    int count = bf__option_groups(groups, slots, slot_count);
    for (int i = 0; i < count; i++) {
        fprintf(out, "\n%s:\n", groups[i].title);
        for (int j = 0; j < groups[i].count; j++)
            option_help(out, groups[i].row[j]);
    }
}
