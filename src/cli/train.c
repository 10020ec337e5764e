/* train.c - `backflow train`: a policy for a built-in environment. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

extern const bf__command bf__command_train;

typedef struct train_options {
    const char *output, *curve;
} train_options;

static const bf_option own_rows[] = {
    BF_OPTION(train_options, output, NULL, "FILE: Where the policy goes; also -o FILE."),
    BF_OPTION(train_options, curve, NULL, "FILE: Where the learning curve goes, as CSV."),
};
static const bf_option_table own_table =
    BF_OPTION_TABLE("Options of train", train_options, own_rows);

static bf_status write_curve(const bf_train_result *result, const char *path, bf_error *err) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    bool bad = fputs("iteration,error_of_fit,mean_value,trial_return\n", out) < 0;
    for (int64_t k = 0; k < result->iterations;
         k++) /* only the calls tell if memory did not grow */
        bad = fprintf(out, "%lld,%.9g,%.9g,%.9g\n", (long long)k + 1, result->curve[k].loss,
                      result->curve[k].value, result->curve[k].score) < 0 ||
              bad;
    bad = fclose(out) != 0 || bad;
    bf_status status =
        bad ? bf_fail(err, BF_ENOMEM, "out of memory") : bf_file_write(path, text, size, err);
    free(text);
    return status;
}

/* The command that makes the same policy again: what is not a default of this environment. */
static void command_line(char *text, size_t size, const bf_env *env, const bf__tool *tool,
                         const bf_option_table *table, const bf_train_options *options,
                         const char *output) {
    const char *slash = strrchr(output, '/');
    size_t used =
        (size_t)snprintf(text, size, "backflow train %s -o %s --seed %llu", env->name,
                         slash ? slash + 1 : output, (unsigned long long)tool->common.seed);
    for (int i = 0; i < table->count && used < size; i++) {
        char value[512], flag[64];
        bf_options_format(&table->rows[i], options, value, sizeof value);
        if (strcmp(value, table->rows[i].initial) == 0)
            continue;
        snprintf(flag, sizeof flag, "%s", table->rows[i].field);
        for (char *c = flag; *c; c++)
            *c = *c == '_' ? '-' : *c;
        bool plain = value[0] && !value[strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-+.,:")];
        used += (size_t)snprintf(text + used, size - used, plain ? " --%s %s" : " --%s '%s'", flag,
                                 value);
    }
    for (char *c = text; *c; c++) /* a name may hold anything; the file's line may not */
        if ((unsigned char)*c < ' ')
            *c = '?';
}

static bf_status find_env(const bf_env **out, const char *const *words, int count, bf_error *err) {
    char known[512] = "";
    for (int i = 0; bf_env_at(i); i++)
        if (bf_env_at(i)->states == 0) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                     bf_env_at(i)->name);
        }
    if (count != 1)
        return bf_fail(err, BF_EUSAGE, "one environment is needed: %s", known);
    *out = bf_env_find(words[0]);
    if (!*out)
        return bf_fail(err, BF_EUSAGE, "'%s' is not an environment; there are %s", words[0], known);
    return BF_OK;
}

static void report(const bf__tool *tool, const bf_env *env, const bf_train_result *result,
                   const bf_train_options *options, const char *output, double seconds) {
    fprintf(tool->out, "environment    %s\n", env->name);
    fprintf(tool->out, "iterations     %lld, the best was number %lld\n",
            (long long)result->iterations, (long long)result->best);
    fprintf(tool->out, "trial return   %.6g over the %lld episodes that ranked it\n",
            result->curve[result->best - 1].score, (long long)options->trials);
    fprintf(tool->out,
            "return         %.6g +- %.2g over %lld new episodes of at most %lld steps, the worst "
            "%.6g\n",
            result->score, result->score_error, (long long)options->episodes, (long long)env->limit,
            result->worst);
    fprintf(tool->out, "seconds        %.1f\nwritten        %s\n", seconds, output);
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    (void)exit_status;
    train_options own;
    bf_train_options options;
    bf_option_table table;
    bf_train_result result;
    const bf_env *env = NULL;
    const char **words;
    int count;
    BF_ALLOC(words, tool->arena, argc, err);
    BF_TRY(bf_train_table(&table, NULL, tool->arena, err));
    bf__slot slots[] = {{&own_table, &own}, {&table, &options}, {&bf__common_table, &tool->common}};
    /* Read twice: the environment, wherever it stands, decides what the defaults are. */
    BF_TRY(bf__args_parse(tool, slots, 3, argc, argv, words, &count, err));
    if (!tool->common.help || count > 0)
        BF_TRY(find_env(&env, words, count, err));
    BF_TRY(bf_train_table(&table, env, tool->arena, err));
    BF_TRY(bf__args_parse(tool, slots, 3, argc, argv, words, &count, err));
    if (tool->common.help) {
        bf__args_help(tool, &bf__command_train, slots, 3);
        return BF_OK;
    }
    if (!own.output)
        return bf_fail(err, BF_EUSAGE, "-o FILE is needed: where the policy goes");
    const bf__written outputs[] = {{"--output", own.output}, {"--curve", own.curve}, {NULL, NULL}};
    BF_TRY(bf__check_outputs(outputs, NULL, 0, err));
    /* Minutes of work should not end in a file that cannot be written. */
    BF_TRY(bf_file_check(own.output, err));
    double started = bf__tool_seconds();
    BF_TRY(bf_train(&result, env, &options, &tool->context, tool->arena, err));
    char command[4096];
    command_line(command, sizeof command, env, tool, &table, &options, own.output);
    BF_TRY(bf_train_write(&result, command, own.output, err));
    if (own.curve)
        BF_TRY(write_curve(&result, own.curve, err));
    report(tool, env, &result, &options, own.output, bf__tool_seconds() - started);
    return BF_OK;
}

const bf__command bf__command_train = {
    .name = "train",
    .summary = "a policy for a built-in environment, by neural fitted Q iteration",
    .usage = "train ENV -o POLICY [options]",
    .text =
        "Trains a network of action values and keeps the one whose greedy policy earns most\n"
        "in trial episodes. Defaults are the environment's own: see backflow train ENV --help.\n"
        "\n"
        "  backflow train mountaincar -o mountaincar.policy\n"
        "  backflow train pendulum -o pendulum.policy --seed 2 --curve curve.csv\n",
    .run = run,
};
