/* estimate.c - `backflow estimate`: from a log to an answer. */
#include <stdlib.h>
#include <string.h>

#include "cli/ask.h"
#include "cli/compare.h"
#include "cli/forecast.h"
#include "cli/page.h"

typedef struct estimate_options {
    const char *method, *behavior, *json, *report, *weights_out;
    bf__further further;
    bf_list policy, policy_command;
    double gamma;
    int terminal;
    bf__large_options large;
    bool strict, verbose, forecast;
} estimate_options;

static const bf_option rows[] = {
    BF_OPTION(
        estimate_options, method, "auto",
        "NAME: The estimator; `backflow list estimators` shows all. Several with commas, or all: "
        "one table; an option is for every method that has it."),
    BF_OPTION_CHECKED(
        estimate_options, policy, NULL, bf__compare_check,
        "P: The target policy: a file (a table, .csv or .npy, one row per state, or a network), "
        "uniform, or ENV:NAME for one that an environment has; P@ALPHA mixes it with the uniform "
        "policy. Not needed where the log has npi columns. Several, each as NAME=P: they are "
        "compared, as `backflow compare` does."),
    BF_OPTION_CHECKED(estimate_options, policy_command, NULL, bf__command_check, BF__COMMAND_HELP),
    BF_OPTION(estimate_options, behavior, NULL, BF__BEHAVIOR_HELP),
    BF_OPTION_RANGE(estimate_options, gamma, "1", 0, 1, BF__GAMMA_HELP),
    BF_OPTION_CHOICE(estimate_options, terminal, "restart", "restart|absorb|ignore",
                     BF__TERMINAL_HELP),
    BF__FURTHER_ROWS(estimate_options, further.),
    BF__LARGE_ROWS(estimate_options, large.),
    BF__WORK_ROW(estimate_options, large.),
    BF_OPTION(estimate_options, json, NULL, BF__JSON_HELP),
    BF_OPTION(estimate_options, report, NULL, BF__REPORT_HELP),
    BF_OPTION(
        estimate_options, weights_out, NULL,
        "FILE: Write two weights of every transition, in the log's order: weight, which is never "
        "negative, and signed, for which the sum of signed times reward is the estimate; and the "
        "names of its episode and action, if the log has them. With --mirror, a row has the weight "
        "of its mirror, too."),
    BF_OPTION(estimate_options, strict, "no",
              "Exit with status 1 if the verdict is that the log cannot tell."),
    BF_OPTION(estimate_options, verbose, "no", BF__VERBOSE_HELP),
    BF_OPTION(estimate_options, forecast, "yes", BF__FORECAST_HELP),
};
static const bf_option_table table = BF_OPTION_TABLE("Options", estimate_options, rows);

extern const bf__command bf__command_estimate;

/* A field of CSV: quoted if it has to be. */
static bool put_field(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n") && *text != '#')
        return fprintf(file, ",%s", text) >= 0;
    bool good = fputs(",\"", file) >= 0;
    for (; *text; text++) {
        if (*text == '"')
            good = fputc('"', file) >= 0 && good;
        good = fputc(*text, file) >= 0 && good;
    }
    return fputc('"', file) >= 0 && good;
}

/* The episode of each transition; NULL if the log has no ids of episodes. */
static bf_status find_episodes(int64_t **out, const bf_dataset *data, bf_arena *arena,
                               bf_error *err) {
    const int64_t *begin, *order;
    *out = NULL;
    if (!bf_dataset_episodes_named(data))
        return BF_OK;
    int64_t count = bf_dataset_episodes(data, &begin, &order, NULL);
    BF_ALLOC(*out, arena, bf_dataset_rows(data), err);
    for (int64_t e = 0; e < count; e++)
        for (int64_t j = begin[e]; j < begin[e + 1]; j++)
            (*out)[order[j]] = e;
    return BF_OK;
}

/* The names that a row has in the log: of its episode and of its action. */
static bool put_names(FILE *file, const bf_dataset *data, const int64_t *episode,
                      const bf_array *action, int64_t i) {
    char name[1024];
    bool good = true;
    if (episode)
        good = put_field(file, bf_dataset_episode_name(data, episode[i], name, sizeof name));
    if (action->data)
        good = put_field(file, bf_dataset_action_name(data, ((const int32_t *)action->data)[i],
                                                      name, sizeof name)) &&
               good;
    return good;
}

static bf_status write_weights(const char *path, const bf_estimate *estimate,
                               const bf_dataset *data, bf_arena *arena, bf_error *err) {
    const double *weights = bf_estimate_weights(estimate);
    const double *signed_weights = bf_estimate_signed_weights(estimate);
    char *text = NULL;
    size_t size = 0;
    int64_t *episode;
    bf_array action = {0};
    if (!weights)
        return bf_fail(err, BF_EUSAGE, "--weights-out: this method has no weights");
    BF_TRY(find_episodes(&episode, data, arena, err));
    if (bf_dataset_actions_named(data))
        bf_dataset_column(&action, data, "a");
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    /* Only the calls tell if memory did not grow. */
    bool bad = fprintf(file, "weight,signed%s%s\n", episode ? ",episode" : "",
                       action.data ? ",action" : "") < 0;
    int64_t each = bf_dataset_mirrored(data) ? 2 : 1; /* a row has the weight of its mirror, too */
    for (int64_t i = 0; i < bf_dataset_rows(data); i += each) {
        double both[2] = {weights[i], signed_weights[i]};
        if (each == 2) {
            both[0] += weights[i + 1];
            both[1] += signed_weights[i + 1];
        }
        bad = fprintf(file, "%.17g,%.17g", both[0], both[1]) < 0 || bad;
        bad = !put_names(file, data, episode, &action, i) || bad;
        bad = fputc('\n', file) < 0 || bad;
    }
    bad = fclose(file) != 0 || bad;
    bf_status status =
        bad ? bf_fail(err, BF_ENOMEM, "out of memory") : bf_file_write(path, text, size, err);
    free(text);
    return status;
}

/* ---- Running */

static void judge(const bf_trust *trust, const estimate_options *o, int *exit_status) {
    if (o->strict && bf_trust_verdict(trust) == BF_VERDICT_CANNOT_TELL)
        *exit_status = 1;
}

/* An option that is about one answer, if it was given; NULL: none was. */
static const char *about_one(const estimate_options *o) {
    return o->weights_out       ? "--weights-out"
           : o->further.horizon ? "--horizon"
           : o->further.risk    ? "--risk"
           : o->further.by      ? "--by"
                                : NULL;
}

static bf_status run_one(bf__tool *tool, const estimate_options *o, const bf__job *j,
                         int *exit_status, bf_error *err) {
    const bf__question *q = &j->q;
    const bf__opening *with = j->with;
    bf_answer answer;
    const char *text, *json;
    BF_TRY(bf__ask_method(&answer, tool, j, 0, err));
    BF_TRY(bf__ask_further(&answer, tool, &o->further, j, err));
    if (o->weights_out)
        BF_TRY(write_weights(o->weights_out, answer.estimate, q->problem.data, tool->arena, err));
    answer.verbose = o->verbose;
    BF_TRY(bf__page_of_answer(tool, o->report, &answer, with->methods.settings[0], err));
    BF_TRY(bf_report_text(&text, &answer, tool->arena, err));
    BF_TRY(bf_report_json(&json, &answer, tool->arena, err));
    judge(answer.trust, o, exit_status);
    return bf__answer_give(tool, o->json, text, json, err);
}

/* Puts a method among those that did not run, with the reason. */
static bf_status skip(bf_comparison *c, bf_skipped *skipped, const bf_estimator *method,
                      const char *why, bf_arena *arena, bf_error *err) {
    char *reason;
    BF_ALLOC(reason, arena, (int64_t)strlen(why) + 1, err);
    strcpy(reason, why);
    skipped[c->skipped_count++] = (bf_skipped){method->name, reason};
    return BF_OK;
}

/* Says the rows from `first` on, as soon as they are known: methods take minutes. */
static bf_status say_rows(bf__tool *tool, const estimate_options *o, const bf_comparison *c,
                          int first, bf_error *err) {
    const char *text;
    if (bf__answer_is_piped(o->json))
        return BF_OK;
    BF_TRY(bf_report_table_rows(&text, c, first, tool->arena, err));
    return bf__answer_say(tool, text, err);
}

/* Runs each method in turn and says its row. A method that cannot run is skipped, with its reason.
 * *ended tells why methods are left that did not get their turn; they are skipped too. */
static bf_status run_each(bf_comparison *c, bf_answer *answers, bf_skipped *skipped,
                          bf_error *ended, bf__tool *tool, const estimate_options *o,
                          const bf__job *j, bf_error *err) {
    const bf__methods *methods = &j->with->methods;
    *ended = (bf_error){BF_OK, ""};
    for (int k = 0; k < methods->count; k++) {
        bf_error cause = *ended;
        bf_status status = cause.status;
        if (status == BF_OK)
            status = bf__ask_method(&answers[c->answer_count], tool, j, k, &cause);
        if (status == BF_OK) {
            c->answer_count++;
            BF_TRY(say_rows(tool, o, c, c->answer_count - 1, err));
            continue;
        }
        bool last = k + 1 == methods->count;
        bool stop = status == BF_ENOMEM || status == BF_ECANCELLED || status == BF_EUSAGE;
        if (c->answer_count == 0 && (stop || last)) {
            *err = cause;
            return status;
        }
        if (stop)
            *ended = cause;
        BF_TRY(skip(c, skipped, methods->list[k], cause.message, tool->arena, err));
    }
    return BF_OK;
}

/* What each method's answer is worth beside the others'. */
static bf_status hold_together(bf_answer *answers, int count, bf_arena *arena, bf_error *err) {
    const bf_trust *trusts[BF__MAX_METHODS];
    const char *methods[BF__MAX_METHODS];
    for (int k = 0; k < count; k++) {
        trusts[k] = answers[k].trust;
        methods[k] = answers[k].estimator->name;
    }
    for (int k = 0; k < count; k++)
        BF_TRY(bf_trust_among(&answers[k].trust, trusts, methods, count, k, arena, err));
    return BF_OK;
}

static bf_status run_several(bf__tool *tool, const estimate_options *o, const bf__job *j,
                             int *exit_status, bf_error *err) {
    const bf__question *q = &j->q;
    const bf__opening *with = j->with;
    bf_answer answers[BF__MAX_METHODS];
    bf_skipped skipped[BF__MAX_METHODS];
    const char *text, *json;
    bf_error ended;
    bf_comparison comparison = {.problem = &q->problem,
                                .answers = answers,
                                .skipped = skipped,
                                .settings = with->filled,
                                .settings_count = BF__OWN_SLOTS,
                                .seconds_read = q->seconds_read,
                                .size = sizeof comparison,
                                .verbose = o->verbose};
    BF_TRY(run_each(&comparison, answers, skipped, &ended, tool, o, j, err));
    BF_TRY(hold_together(answers, comparison.answer_count, tool->arena, err));
    BF_TRY(bf__page_of_methods(tool, o->report, &comparison, err));
    BF_TRY(bf_report_table_end(&text, &comparison, tool->arena, err));
    BF_TRY(bf_report_table_json(&json, &comparison, tool->arena, err));
    BF_TRY(bf__answer_give(tool, o->json, text, json, err));
    for (int k = 0; k < comparison.answer_count; k++)
        judge(answers[k].trust, o, exit_status);
    if (ended.status != BF_OK)
        *err = ended;
    return ended.status;
}

/* Several policies, as `compare` answers it. */
static bf_status run_policies(bf__tool *tool, const estimate_options *o, const bf__question *q,
                              const bf__opening *with, int *exit_status, bf_error *err) {
    const bf__methods *methods = &with->methods;
    if (methods->several || about_one(o))
        return bf_fail(err, BF_EUSAGE, "%s: is for one policy, and --policy is given %d times",
                       methods->several ? "--method with several methods" : about_one(o),
                       o->policy.count);
    bf__compare what = {&o->policy, q,         with,       o->json,
                        o->report,  o->strict, o->verbose, o->forecast};
    return bf__compare_run(tool, &what, exit_status, err);
}

/* Reads the log, into memory or in pieces, and answers the question. `large` is to be closed. */
static bf_status load_and_run(bf__tool *tool, const estimate_options *o, const bf__opening *with,
                              const bf__asked *asked, bf__large *large, int *exit_status,
                              bf_error *err) {
    bf__job j = {.with = with, .forecast = o->forecast};
    bool pieces;
    BF_TRY(bf__large_wanted(&pieces, &o->large, tool, with, err));
    if (pieces) {
        if (o->weights_out || o->report)
            return bf_fail(err, BF_EUSAGE, "%s: needs the log in memory",
                           o->weights_out ? "--weights-out" : "--report");
        j.large = large;
        j.whole = o->policy.count <= 1 && !with->methods.several && !about_one(o);
        BF_TRY(bf__args_flags(with->slots, with->slot_count,
                              bf__large_load(large, &j.q, tool, &o->large, asked, with, err), err));
        if (!j.whole)
            bf__tool_note(
                tool, BF_MESSAGE_NOTE, "a sample of %lld of %lld transitions stands for the log",
                (long long)large->whole.seen.sample_rows, (long long)large->whole.seen.rows);
    } else {
        BF_TRY(bf__question_load(&j.q, tool, asked, &with->read, with->logs, with->log_count, err));
    }
    bf_status status;
    if (o->policy.count > 1) {
        status = run_policies(tool, o, &j.q, with, exit_status, err);
    } else {
        BF_TRY(bf__methods_check(&with->methods, &j.q.problem, tool->arena, err));
        status = with->methods.several ? run_several(tool, o, &j, exit_status, err)
                                       : run_one(tool, o, &j, exit_status, err);
    }
    return bf__args_flags(with->slots, with->slot_count, status, err);
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    estimate_options o;
    bf__opening with;
    bf__large large = {.options = NULL};
    BF_TRY(bf__opening_parse(&with, tool, &bf__command_estimate, &table, &o, argc, argv, err));
    if (with.log_count == 0)
        return BF_OK;
    BF_TRY(bf__command_join(&o.policy, &o.policy_command, tool->arena, err));
    if (with.methods.several && about_one(&o))
        return bf_fail(err, BF_EUSAGE, "%s: is for one method, not for --method %s", about_one(&o),
                       with.methods.text);
    BF_TRY(bf__methods_check(&with.methods, NULL, tool->arena, err));
    const bf__written outputs[] = {
        {"--json", o.json}, {"--report", o.report}, {"--weights-out", o.weights_out}, {NULL, NULL}};
    BF_TRY(bf__check_outputs(outputs, with.logs, with.log_count, err));
    BF_TRY(bf__compare_check_command(outputs, &o.policy, o.behavior, err));
    bf__asked asked = {o.policy.count == 1 ? bf__compare_policy(o.policy.item[0]) : NULL,
                       o.behavior,
                       o.gamma,
                       o.terminal,
                       with.trust.cluster,
                       o.further.by,
                       &with.command,
                       with.methods.several};
    bf_status status = load_and_run(tool, &o, &with, &asked, &large, exit_status, err);
    bf__large_close(&large);
    return status;
}

const bf__command bf__command_estimate = {
    .name = "estimate",
    .summary = "what a target policy would earn, from a log",
    .usage = "estimate DATA... [--policy P] [options]",
    .text =
        "Reads a log of transitions (s, a, r, s'), CSV or NPZ, and says what the target policy\n"
        "would earn per step in the long run. The target policy is in the log (columns npi0,\n"
        "npi1, ..., and pi0, ... where steps terminate or --gamma is below 1) or in --policy.\n"
        "Nothing has to be known about how the log was collected.\n\n"
        "Examples:\n"
        "  backflow estimate log.csv\n"
        "  backflow estimate day1.csv day2.csv --policy table.csv --json answer.json\n"
        "  backflow estimate log.npz --gamma 0.99 --terminal absorb\n"
        "  backflow estimate log.csv --method all --behavior estimate\n",
    .run = run,
    .team = true,
};
