/* list.c - `backflow list`: what is built in. */
#include <string.h>

#include "cli/cli.h"
#include "core/fail.h"

typedef struct kind {
    const char *name;
    /* Name and one line about entry `index`; false past the end. */
    bool (*entry)(int index, const char **name, const char **summary);
} kind;

static bool estimator_entry(int index, const char **name, const char **summary) {
    const bf_estimator *e = bf_estimator_at(index);
    if (e) {
        *name = e->name;
        *summary = e->summary;
    }
    return e != NULL;
}

static bool env_entry(int index, const char **name, const char **summary) {
    const bf_env *e = bf_env_at(index);
    if (e) {
        *name = e->name;
        *summary = e->summary;
    }
    return e != NULL;
}

static bool command_entry(int index, const char **name, const char **summary) {
    const bf__command *c = bf__command_at(index);
    if (c) {
        *name = c->name;
        *summary = c->summary;
    }
    return c != NULL;
}

extern const bf__command bf__command_list;

static const kind kinds[] = {
    {"estimators", estimator_entry},  {"readers", bf_reader_describe},
    {"policies", bf_policy_describe}, {"envs", env_entry},
    {"commands", command_entry},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static void print_kind(FILE *out, const kind *k) {
    const char *name, *summary;
    fprintf(out, "%s\n", k->name);
    for (int i = 0; k->entry(i, &name, &summary); i++)
        fprintf(out, "  %-12s %s\n", name, summary);
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    bf__slot slots[] = {{&bf__common_table, &tool->common}};
    const char **words;
    int count;
    BF_ALLOC(words, tool->arena, argc, err);
    BF_TRY(bf__args_parse(tool, slots, 1, argc, argv, words, &count, err));
    if (tool->common.help) {
        bf__args_help(tool, &bf__command_list, slots, 1);
        return BF_OK;
    }
    if (count == 0)
        for (int k = 0; k < KINDS; k++)
            print_kind(tool->out, &kinds[k]);
    for (int i = 0; i < count; i++) {
        int k = 0;
        while (k < KINDS && strcmp(kinds[k].name, words[i]) != 0)
            k++;
        if (k == KINDS)
            return bf_fail(err, BF_EUSAGE,
                           "'%s' is not a list; 'backflow list' alone shows all of them", words[i]);
        print_kind(tool->out, &kinds[k]);
    }
    return BF_OK;
}

const bf__command bf__command_list = {
    .name = "list",
    .summary = "what is built in: estimators, readers, policies, envs, commands",
    .usage = "list [estimators|readers|policies|envs|commands]",
    .run = run,
};
