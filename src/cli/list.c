/* list.c - `backflow list`: what is built in. */
#include <string.h>

#include "cli/cli.h"
#include "experiment/experiment.h"

typedef struct kind {
    const char *name;
    /* Name and one line about entry `index`; false past the end. */
    bool (*entry)(int index, const char **name, const char **summary);
    void (*print_below)(FILE *out, int index); /* NULL: nothing more to say about an entry */
} kind;

/* An entry function over a list whose items have a name and a summary. */
#define ENTRY(function, type, at)                                                                  \
    static bool function(int index, const char **name, const char **summary) {                     \
        const type *item = at(index);                                                              \
        if (item) {                                                                                \
            *name = item->name;                                                                    \
            *summary = item->summary;                                                              \
        }                                                                                          \
        return item != NULL;                                                                       \
    }
ENTRY(estimator_entry, bf_estimator, bf_estimator_at)
ENTRY(env_entry, bf_env, bf_env_at)
ENTRY(experiment_entry, bf__experiment, bf__experiment_at)
ENTRY(command_entry, bf__command, bf__command_at)

static bool weights_entry(int index, const char **name, const char **summary) {
    const bf_model *model = bf_estimator_find("blackbox")->model(index);
    if (model) {
        *name = model->name;
        *summary = model->summary;
    }
    return model != NULL;
}

static bool contender_entry(int index, const char **name, const char **summary) {
    const bf__contender *item = bf__contender_at(index);
    if (item) {
        *name = item->name;
        *summary = item->label;
    }
    return item != NULL;
}

static bool diagnostic_entry(int index, const char **name, const char **summary) {
    const char *label;
    return bf_diagnostic_describe(index, name, &label, summary);
}

/* The policies that come with an environment; `uniform` is there for all. */
static void print_policies(FILE *out, int index) {
    for (const bf_env_policy *p = bf_env_at(index)->policies; p && p->name; p++)
        fprintf(out, "    %-10s %s\n", p->name, p->summary);
}

extern const bf__command bf__command_list;

static const kind kinds[] = {
    {"estimators", estimator_entry},   {"weights", weights_entry},
    {"kernels", bf_kernel_describe},   {"readers", bf_reader_describe},
    {"policies", bf_policy_describe},  {"envs", env_entry, print_policies},
    {"experiments", experiment_entry}, {"contenders", contender_entry},
    {"diagnostics", diagnostic_entry}, {"reasons", bf_reason_describe},
    {"commands", command_entry},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

static void print_kind(FILE *out, const kind *k) {
    const char *name, *summary;
    int width = 12;
    for (int i = 0; k->entry(i, &name, &summary); i++)
        width = (int)strlen(name) > width ? (int)strlen(name) : width;
    fprintf(out, "%s\n", k->name);
    for (int i = 0; k->entry(i, &name, &summary); i++) {
        char said[1024];
        snprintf(said, sizeof said, "%s", summary);
        fprintf(out, "  %-*s %s\n", width, name, bf__flags(said));
        if (k->print_below)
            k->print_below(out, i);
    }
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    bf__slot slots[] = {{&bf__common_table, &tool->common}};
    bf__words words;
    BF_TRY(bf__args_begin(tool, &bf__command_list, slots, 1, argc, argv, &words, err));
    if (words.help)
        return BF_OK;
    if (words.count == 0)
        for (int k = 0; k < KINDS; k++)
            print_kind(tool->out, &kinds[k]);
    for (int i = 0; i < words.count; i++) {
        int k = 0;
        while (k < KINDS && strcmp(kinds[k].name, words.word[i]) != 0)
            k++;
        if (k == KINDS)
            return bf_fail(err, BF_EUSAGE,
                           "'%s' is not a list; 'backflow list' alone shows all of them",
                           words.word[i]);
        print_kind(tool->out, &kinds[k]);
    }
    return BF_OK;
}

const bf__command bf__command_list = {
    .name = "list",
    .summary = "what is built in: methods, weights, kernels, environments, ...",
    .usage = "list [estimators|weights|kernels|readers|policies|envs|experiments|contenders|"
             "diagnostics|reasons|commands]",
    .run = run,
};
