/* reproduce.c - `backflow reproduce`: the paper's experiments, as data, pictures and verdicts. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "experiment/files.h"

enum { OWN_SLOTS = 2, MAX_EXPERIMENTS = 32 };

typedef struct reproduce_options {
    const char *output;
    bool quick, fresh, figures;
    int64_t truth_steps, single_steps;
} reproduce_options;

static const bf_option rows[] = {
    BF_OPTION(reproduce_options, output, NULL, "DIR: The folder for everything. Also -o."),
    BF_OPTION(reproduce_options, quick, "no",
              "A small version of everything, in a few minutes: it shows that all works, and "
              "proves nothing."),
    BF_OPTION(reproduce_options, fresh, "no",
              "Forget the runs that DIR has. Without it they are used again."),
    BF_OPTION(reproduce_options, figures, "yes", "--no-figures draws none and needs no gnuplot."),
    BF_OPTION_RANGE(reproduce_options, truth_steps, "40000000", 1, 1e12,
                    "N: Steps simulated for a precise true value where none is exact."),
    BF_OPTION_RANGE(reproduce_options, single_steps, "50000", 100, 1e9,
                    "N: Steps of the paper's kind of truth, one run."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options", reproduce_options, rows);
static const char *const quick[] = {"truth-steps", "2000000", NULL};

extern const bf__command bf__command_reproduce;

/* ---- Which experiments */

typedef struct choice {
    const bf__experiment *list[MAX_EXPERIMENTS];
    void *options[MAX_EXPERIMENTS];
    int count;
} choice;

static bf_status choose(choice *out, const bf__experiment *e, bf_arena *arena, bf_error *err) {
    for (int i = 0; i < out->count; i++)
        if (out->list[i] == e)
            return BF_OK;
    out->list[out->count] = e;
    out->options[out->count] = bf_arena_zalloc(arena, 1, e->options->size, err);
    return out->options[out->count++] ? BF_OK : BF_ENOMEM;
}

static bf_status parse_name(choice *out, const char *name, bf_arena *arena, bf_error *err) {
    const bf__experiment *e = bf__experiment_find(name);
    bool all = strcmp(name, "all") == 0;
    for (int i = 0; all && bf__experiment_at(i); i++)
        BF_TRY(choose(out, bf__experiment_at(i), arena, err));
    if (all)
        return BF_OK;
    if (e)
        return choose(out, e, arena, err);
    char known[512] = "all";
    for (int i = 0; bf__experiment_at(i); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, ", %s", bf__experiment_at(i)->name);
    }
    return bf_fail(err, BF_EUSAGE, "'%s' is not an experiment; there are %s", name, known);
}

/* Whether the word after `word` is its value: a folder may be called as an experiment is. */
static bool takes_next(const char *word) {
    if (strcmp(word, "-o") == 0)
        return true;
    if (strncmp(word, "--", 2) != 0)
        return false;
    const bf_option *row = bf_options_find(&table, word + 2);
    if (!row)
        row = bf_options_find(&bf__common_table, word + 2);
    for (int i = 0; bf__experiment_at(i) && !row; i++)
        row = bf_options_find(bf__experiment_at(i)->options, word + 2);
    return row && row->type != BF_OPTION_BOOL;
}

/* The experiments among the arguments, before those are parsed: their options depend on them. With
 * none, all: --help shows every option. */
static bf_status find_names(choice *out, int argc, char **argv, bf_arena *arena, bf_error *err) {
    *out = (choice){.count = 0};
    for (int i = 0; i < argc; i++)
        if (takes_next(argv[i]))
            i++;
        else if (bf__experiment_find(argv[i]) || strcmp(argv[i], "all") == 0)
            BF_TRY(parse_name(out, argv[i], arena, err));
    return out->count > 0 ? BF_OK : parse_name(out, "all", arena, err);
}

/* An option of an experiment that was not chosen: says whose it is. */
static bf_status check_owner(const choice *chosen, const char *word, bf_error *err) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    if (bf_options_find(&table, name) || bf_options_find(&bf__common_table, name))
        return BF_OK;
    for (int i = 0; i < chosen->count; i++)
        if (bf_options_find(chosen->list[i]->options, name))
            return BF_OK;
    char owners[512] = "";
    for (int i = 0; bf__experiment_at(i); i++)
        if (bf_options_find(bf__experiment_at(i)->options, name)) {
            size_t used = strlen(owners);
            snprintf(owners + used, sizeof owners - used, "%s%s", used ? ", " : "",
                     bf__experiment_at(i)->name);
        }
    return owners[0] ? bf_fail(err, BF_EUSAGE, "--%s: is an option of %s alone", name, owners)
                     : BF_OK;
}

static bf_status check_owners(const choice *chosen, int argc, char **argv, bf_error *err) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) == 0)
            BF_TRY(check_owner(chosen, argv[i], err));
        i += takes_next(argv[i]);
    }
    return BF_OK;
}

/* What --quick changes, where the user has not said otherwise. */
static bf_status be_quick(const bf_option_table *of, void *options, const char *const *changes,
                          int argc, char **argv, bf_error *err) {
    for (; changes[0]; changes += 2)
        if (!bf__args_peek(argc, argv, changes[0]))
            BF_TRY(bf_options_set(bf_options_find(of, changes[0]), options, changes[1], err));
    return BF_OK;
}

/* ---- Running */

/* A policy must not be one of the files that the experiment writes. */
static bf_status check_files(const bf__study *study, const char *folder, bf_error *err) {
    static const char *const names[] = {"runs.csv", "report.html"};
    char path[4][4096];
    bf__written outputs[5] = {{NULL, NULL}};
    for (int i = 0; i < 4; i++) {
        if (i < 2)
            snprintf(path[i], sizeof path[i], "%.3000s/%s", folder, names[i]);
        else
            snprintf(path[i], sizeof path[i], "%.3000s/%s.%s", folder, study->experiment->name,
                     i == 2 ? "csv" : "json");
        outputs[i] = (bf__written){"--output", path[i]};
    }
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__setting *s = &study->groups[g].setting;
        const char *inputs[] = {s->behavior, s->target};
        BF_TRY(bf__check_outputs(outputs, inputs, 2, err));
    }
    return BF_OK;
}

static bf_status plan(bf__study *studies, bf__tool *tool, const choice *chosen, bf_error *err) {
    for (int i = 0; i < chosen->count; i++) {
        studies[i] = (bf__study){.experiment = chosen->list[i],
                                 .options = chosen->options[i],
                                 .seed = tool->common.seed,
                                 .arena = tool->arena};
        BF_TRY(chosen->list[i]->plan(&studies[i], chosen->options[i], err));
    }
    return BF_OK;
}

static bf_status write_all(bf__tool *tool, bf__study *studies, int count,
                           const reproduce_options *o, const bf__provenance *provenance,
                           bf_error *err) {
    for (int i = 0; i < count; i++) {
        BF_TRY(studies[i].experiment->judge(&studies[i], studies[i].options, err));
        BF_TRY(bf__study_csv(&studies[i], o->output, err));
        BF_TRY(bf__study_json(&studies[i], provenance, o->output, err));
        bf_progress progress = {"drawing", i, count, studies[i].experiment->name};
        tool->context.callbacks.progress(tool->context.callbacks.context, &progress);
        if (o->figures)
            BF_TRY(bf__study_figure(&studies[i], o->output, tool->arena, err));
    }
    return bf__report_page(studies, count, provenance, o->figures, o->output, err);
}

static void tell(bf__tool *tool, const bf__study *studies, int count, const char *folder) {
    for (int i = 0; i < count; i++) {
        fprintf(tool->out, "%s (%s)\n", studies[i].experiment->name, studies[i].experiment->place);
        for (int c = 0; c < studies[i].claim_count; c++) {
            const bf__claim *claim = &studies[i].claims[c];
            fprintf(tool->out, "  %-10s  ", bf__verdict_text(claim->verdict));
            bf_paragraph(tool->out, claim->claim, 14);
            fprintf(tool->out, "%14s", "");
            bf_paragraph(tool->out, claim->measured, 14);
        }
    }
    fprintf(tool->out, "%s/report.html\n", folder);
}

/* The folder and what it has. */
static bf_status open_folder(bf__store **store, bf__tool *tool, const reproduce_options *o,
                             bf_arena *records, bf_error *err) {
    if (o->figures)
        BF_TRY(bf__figure_check(err));
    if (mkdir(o->output, 0777) != 0 && errno != EEXIST)
        return bf_fail(err, BF_EFILE, "%s: cannot be made: %s", o->output, strerror(errno));
    return bf__store_open(store, o->output, o->fresh, &tool->context, records, err);
}

/* The first process of a team has the folder; all run what is dealt to them. */
static bf_status run_studies(bf__store **store, bf__tool *tool, bf__study *studies, int count,
                             const reproduce_options *o, const bf__truth_effort *effort,
                             bf_arena *records, bf_error *err) {
    const bf__team *team = tool->team;
    bf_status status = BF_OK;
    if (!team || team->rank == 0)
        status = open_folder(store, tool, o, records, err);
    if (team)
        status = team->agree(status, err);
    BF_TRY(status);
    return bf__studies_run(studies, count, effort, *store, &tool->context, team, tool->arena, err);
}

static bf_status reproduce(bf__tool *tool, const reproduce_options *o, const choice *chosen,
                           const bf__provenance *provenance, bf_arena *records, bf_error *err) {
    bf__study studies[MAX_EXPERIMENTS];
    bf__store *store = NULL;
    BF_TRY(plan(studies, tool, chosen, err));
    for (int i = 0; i < chosen->count; i++)
        BF_TRY(check_files(&studies[i], o->output, err));
    bf_status status =
        run_studies(&store, tool, studies, chosen->count, o, &provenance->effort, records, err);
    bool writes = !tool->team || tool->team->rank == 0;
    if (status == BF_OK && writes)
        status = write_all(tool, studies, chosen->count, o, provenance, err);
    bf__store_close(store);
    if (status == BF_OK && writes)
        tell(tool, studies, chosen->count, o->output);
    return status;
}

/* The command as it was typed. */
static bf_status spell(const char **out, int argc, char **argv, bf_arena *arena, bf_error *err) {
    *out = "backflow reproduce";
    for (int i = 0; i < argc; i++)
        BF_TRY(bf__print(out, arena, err, "%s %s", *out, argv[i]));
    return BF_OK;
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    reproduce_options o;
    choice chosen;
    bf__words words;
    bf__provenance provenance;
    bf__slot slots[OWN_SLOTS + MAX_EXPERIMENTS] = {{&table, &o},
                                                   {&bf__common_table, &tool->common}};
    BF_TRY(spell(&provenance.command, argc, argv, tool->arena, err));
    BF_TRY(find_names(&chosen, argc, argv, tool->arena, err));
    BF_TRY(check_owners(&chosen, argc, argv, err));
    for (int i = 0; i < chosen.count; i++)
        slots[OWN_SLOTS + i] = (bf__slot){chosen.list[i]->options, chosen.options[i]};
    BF_TRY(bf__args_begin(tool, &bf__command_reproduce, slots, OWN_SLOTS + chosen.count, argc, argv,
                          &words, err));
    if (words.help)
        return BF_OK;
    if (words.count == 0)
        return bf_fail(err, BF_EUSAGE,
                       "no experiment given; `backflow list experiments` shows "
                       "them, and 'all' is all of them");
    for (int i = 0; i < words.count; i++)
        BF_TRY(parse_name(&chosen, words.word[i], tool->arena, err));
    if (!o.output)
        return bf_fail(err, BF_EUSAGE, "-o DIR is missing: where everything goes");
    if (o.quick) {
        BF_TRY(be_quick(&table, &o, quick, argc, argv, err));
        for (int i = 0; i < chosen.count; i++)
            BF_TRY(be_quick(chosen.list[i]->options, chosen.options[i], chosen.list[i]->quick, argc,
                            argv, err));
    }
    provenance.quick = o.quick;
    provenance.seed = tool->common.seed;
    provenance.effort = (bf__truth_effort){o.truth_steps, o.single_steps};
    bf_arena *records;
    BF_TRY(bf_arena_create(&records, bf_arena_allocator(tool->arena), err));
    bf_status status = reproduce(tool, &o, &chosen, &provenance, records, err);
    bf_arena_destroy(records);
    return status;
}

const bf__command bf__command_reproduce = {
    .name = "reproduce",
    .summary = "the paper's experiments: data, figures, a verdict on each claim",
    .usage = "reproduce FIGURE...|all [--quick] -o DIR [options]",
    .text =
        "Runs experiments of the paper from seeds and writes tables (CSV), settings and results\n"
        "(JSON), figures (SVG, PNG; by gnuplot) and a page, report.html, with a verdict on each\n"
        "claim. `backflow list experiments` shows what there is. All processors work; numbers do\n"
        "not depend on how many there are. Finished runs are kept in DIR/runs.csv: the same\n"
        "command goes on where it was interrupted. An option is for every experiment that has\n"
        "it. Methods are those of `backflow list contenders`, or any estimator.\n"
        "`mpirun -n 8 backflow-mpi reproduce ...` deals the runs to processes.\n\n"
        "Examples:\n"
        "  backflow reproduce all --quick -o small\n"
        "  backflow reproduce all -o experiments\n"
        "  backflow reproduce modelwin-horizon -o win --runs 100 --horizons 2,4,8\n"
        "  backflow reproduce control-rmse -o mine --problems cartpole --methods "
        "naive,fqe,blackbox\n",
    .run = run,
    .team = true,
};
