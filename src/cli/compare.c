/* compare.c - `backflow compare`: which of several policies is better, from one log. */
#include "cli/compare.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/forecast.h"
#include "cli/page.h"

typedef struct compare_options {
    const char *method, *behavior, *json, *report;
    bf_list policy, policy_command;
    double gamma;
    int terminal;
    bool strict, verbose, forecast;
} compare_options;

static const bf_option rows[] = {
    BF_OPTION(compare_options, method, "auto",
              "NAME: The estimator; `backflow list estimators` shows all."),
    BF_OPTION_CHECKED(
        compare_options, policy, NULL, bf__compare_check,
        "NAME=P: A policy and what to call it; once for every policy. P is a file (a table, .csv "
        "or "
        ".npy, one row per state, or a network), uniform, or ENV:NAME for one that an environment "
        "has; P@ALPHA mixes it with the uniform policy. Without NAME= it is called P."),
    BF_OPTION_CHECKED(compare_options, policy_command, NULL, bf__command_check, BF__COMMAND_HELP),
    BF_OPTION(compare_options, behavior, NULL, BF__BEHAVIOR_HELP),
    BF_OPTION_RANGE(compare_options, gamma, "1", 0, 1, BF__GAMMA_HELP),
    BF_OPTION_CHOICE(compare_options, terminal, "restart", "restart|absorb|ignore",
                     BF__TERMINAL_HELP),
    BF_OPTION(compare_options, json, NULL, BF__JSON_HELP),
    BF_OPTION(compare_options, report, NULL, BF__REPORT_HELP),
    BF_OPTION(compare_options, strict, "no",
              "Exit with status 1 if the log cannot tell the sign of some difference between "
              "policies (if there is one, between it and the log), or what one of them earns."),
    BF_OPTION(compare_options, verbose, "no", BF__VERBOSE_HELP),
    BF_OPTION(compare_options, forecast, "yes", BF__FORECAST_HELP),
};
static const bf_option_table table = BF_OPTION_TABLE("Options", compare_options, rows);

extern const bf__command bf__command_compare;

/* ---- NAME=P */

/* Where NAME ends, or NULL if there is none. A file whose own name has an = is taken as it is. */
static const char *name_end(const char *text) {
    const char *equals = strchr(text, '=');
    if (strncmp(text, BF__COMMAND_MARK, strlen(BF__COMMAND_MARK)) == 0)
        return NULL;
    return equals && access(text, F_OK) != 0 ? equals : NULL;
}

const char *bf__compare_policy(const char *text) {
    const char *end = name_end(text);
    return end ? end + 1 : text;
}

size_t bf__compare_name(const char *text) {
    const char *end = name_end(text);
    return end ? (size_t)(end - text) : 0;
}

bf_status bf__compare_check(const bf_option *row, const char *text, bf_error *err) {
    const char *end = name_end(text);
    if ((end && (end == text || !end[1])) || !*text)
        return bf_fail(err, BF_EUSAGE, "%s: '%s' should be NAME=P, as in new=policy.csv",
                       row->field, text);
    if (end && strncmp(text, "the log", (size_t)(end - text)) == 0 && end - text == 7)
        return bf_fail(err, BF_EUSAGE, "%s: '%s': \"the log\" is what its own behaviour is called",
                       row->field, text);
    return BF_OK;
}

/* The name before a command ends at the first =, if it is one word: commands have = themselves. */
static const char *command_name_end(const char *text) {
    size_t length = strcspn(text, "= \t/'\"\\");
    return length && text[length] == '=' ? text + length : NULL;
}

bf_status bf__command_check(const bf_option *row, const char *text, bf_error *err) {
    const char *end = command_name_end(text);
    const char *command = end ? end + 1 : text;
    if (!command[strspn(command, " \t\n")])
        return bf_fail(err, BF_EUSAGE,
                       "%s: '%s' should be COMMAND or NAME=COMMAND, as in 'python3 policy.py'",
                       row->field, text);
    return BF_OK;
}

bf_status bf__command_join(bf_list *policies, const bf_list *commands, bf_arena *arena,
                           bf_error *err) {
    for (int k = 0; k < commands->count; k++) {
        const char *text = commands->item[k], *end = command_name_end(text);
        size_t name = end ? (size_t)(end + 1 - text) : 0;
        int64_t room = (int64_t)(strlen(text) + strlen(BF__COMMAND_MARK)) + 1;
        char *joined;
        if (policies->count == BF_LIST_ROOM)
            return bf_fail(err, BF_EUSAGE, "`policy_command`: more than %d policies", BF_LIST_ROOM);
        BF_ALLOC(joined, arena, room, err);
        snprintf(joined, (size_t)room, "%.*s%s%s", (int)name, text, BF__COMMAND_MARK, text + name);
        policies->item[policies->count++] = joined;
    }
    return BF_OK;
}

/* Several policies have a name each: without one nobody could tell them apart in the table. */
static bf_status check_names(const bf_list *policies, bf_error *err) {
    for (int k = 0; k < policies->count && policies->count > 1; k++)
        if (!name_end(policies->item[k]))
            return bf_fail(
                err, BF_EUSAGE,
                "`policy`: '%s' has no name; several policies are given as NAME=P, as in "
                "new=policy.csv",
                policies->item[k]);
    return BF_OK;
}

bf_status bf__compare_check_command(const bf__written *outputs, const bf_list *policies,
                                    const char *behavior, bf_error *err) {
    const char *read[BF_LIST_ROOM + 1];
    int count = 0;
    BF_TRY(check_names(policies, err));
    for (; count < policies->count; count++)
        read[count] = bf__compare_policy(policies->item[count]);
    read[count++] = behavior;
    BF_TRY(bf__check_outputs(outputs, read, count, err));
    return bf__try_outputs(outputs, err);
}

static bf_status read_policies(bf_named_policy *out, const bf__compare *what, bf__tool *tool,
                               bf_error *err) {
    for (int k = 0; k < what->policies->count; k++) {
        const char *text = what->policies->item[k], *end = name_end(text);
        size_t length = end ? (size_t)(end - text) : strlen(text);
        char *name;
        BF_ALLOC(name, tool->arena, (int64_t)length + 1, err);
        memcpy(name, text, length);
        name[length] = '\0';
        out[k].name = name;
        BF_TRY(bf__policy_open(&out[k].policy, tool, bf__compare_policy(text),
                               what->question->problem.data, &what->with->command, err));
    }
    return BF_OK;
}

/* ---- Running */

/* Whether the terminal shows Unicode, by the rules of setlocale. */
static bool shows_unicode(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *locale = getenv(names[k]);
        if (!locale || !*locale)
            continue;
        for (const char *at = locale; *at; at++)
            if (strncasecmp(at, "utf-8", 5) == 0 || strncasecmp(at, "utf8", 4) == 0)
                return true;
        return false;
    }
    return false;
}

static void judge(const bf_contest *contest, int *exit_status) {
    bf_pair pair;
    bf_contestant a, b;
    bool alone = !bf_contest_entry(contest, 1, &b) || b.log; /* against the log, then */
    for (int k = 0; bf_contest_pair(contest, k, &pair); k++) {
        bf_contest_entry(contest, pair.a, &a);
        bf_contest_entry(contest, pair.b, &b);
        if ((alone || !b.log) && !pair.decided)
            *exit_status = 1;
    }
    for (int k = 0; bf_contest_entry(contest, k, &a); k++)
        if (bf_trust_verdict(a.trust) == BF_VERDICT_CANNOT_TELL)
            *exit_status = 1;
}

/* What the first policy takes is taken for all. */
static bf_status forecast(const bf__tool *tool, const bf__compare *what,
                          const bf_named_policy *policies, bf_error *err) {
    const bf__methods *methods = &what->with->methods;
    bf_mark mark = bf_arena_mark(tool->arena);
    bf_problem problem = what->question->problem;
    problem.target = policies[0].policy;
    BF_TRY(bf_policy_apply(&problem.data, problem.target, problem.data, tool->arena, err));
    bf_status status = bf__forecast(tool, methods->list[0], &problem, methods->settings[0],
                                    &what->with->trust, what->policies->count, err);
    bf_arena_rewind(tool->arena, mark);
    return status;
}

bf_status bf__compare_run(bf__tool *tool, const bf__compare *what, int *exit_status,
                          bf_error *err) {
    bf_named_policy policies[BF_LIST_ROOM];
    const bf__methods *methods = &what->with->methods;
    const bf_contest *contest;
    const char *text, *json;
    BF_TRY(read_policies(policies, what, tool, err));
    if (what->forecast)
        BF_TRY(forecast(tool, what, policies, err));
    BF_TRY(bf_compare_policies(&contest, policies, what->policies->count, methods->list[0],
                               &what->question->problem, methods->settings[0], &what->with->trust,
                               &tool->context, tool->arena, err));
    bf_contest_answer answer = {contest,       what->with->filled,
                                BF__OWN_SLOTS, what->question->seconds_read,
                                sizeof answer, what->verbose};
    BF_TRY(bf__page_of_policies(tool, what->report, &answer, what->with->methods.settings[0], err));
    BF_TRY(bf_report_contest_text(&text, &answer, shows_unicode(), tool->arena, err));
    BF_TRY(bf_report_contest_json(&json, &answer, tool->arena, err));
    if (what->strict)
        judge(contest, exit_status);
    return bf__answer_give(tool, what->json, text, json, err);
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    compare_options o;
    bf__opening with;
    bf__question q;
    BF_TRY(bf__opening_parse(&with, tool, &bf__command_compare, &table, &o, argc, argv, err));
    if (with.log_count == 0)
        return BF_OK;
    BF_TRY(bf__command_join(&o.policy, &o.policy_command, tool->arena, err));
    if (o.policy.count == 0)
        return bf_fail(
            err, BF_EUSAGE,
            "no policy given: --policy new=FILE --policy old=FILE compares two, and each "
            "with what the log itself did");
    if (with.methods.several)
        return bf_fail(err, BF_EUSAGE,
                       "--method: compare takes one method, not %s; backflow estimate compares "
                       "methods",
                       with.methods.text);
    BF_TRY(bf__methods_check(&with.methods, NULL, tool->arena, err));
    const bf__written outputs[] = {{"--json", o.json}, {"--report", o.report}, {NULL, NULL}};
    BF_TRY(bf__check_outputs(outputs, with.logs, with.log_count, err));
    BF_TRY(bf__compare_check_command(outputs, &o.policy, o.behavior, err));
    bf__asked asked = {NULL, o.behavior,   o.gamma, o.terminal, with.trust.cluster,
                       NULL, &with.command};
    BF_TRY(bf__question_load(&q, tool, &asked, &with.read, with.logs, with.log_count, err));
    bf__compare what = {&o.policy, &q, &with, o.json, o.report, o.strict, o.verbose, o.forecast};
    return bf__args_flags(with.slots, with.slot_count,
                          bf__compare_run(tool, &what, exit_status, err), err);
}

const bf__command bf__command_compare = {
    .name = "compare",
    .summary = "which of several policies is better, from a log",
    .usage = "compare DATA... --policy NAME=P [--policy NAME=P ...] [options]",
    .text =
        "Estimates what each policy would earn from the same log, and judges their differences\n"
        "in pairs: errors that the policies have in common cancel, so that a log can tell which\n"
        "of two is better although the interval of each is wide. What the log's own behaviour\n"
        "earned takes part. Says by how much one is better, at least and at most, or that the log\n"
        "cannot tell and how much more of it would be needed. The p-values of the differences\n"
        "are adjusted for the number of pairs (Holm); `best` is the probability of being the best\n"
        "of all.\n\n"
        "Examples:\n"
        "  backflow compare log.csv --policy new=new.csv --policy old=old.csv\n"
        "  backflow compare log.npz --policy a=net.policy@0.9 --policy b=net.policy@0.8 --json\n"
        "  backflow compare log.csv --policy new=new.csv --strict && deploy\n",
    .run = run,
};
