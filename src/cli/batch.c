/* batch.c - `backflow batch`: the question of `estimate`, of many logs and for many policies.
 *
 * A job is one question. Jobs are dealt to threads and to the processes of a team (team/deal.h),
 * and each runs as `estimate` would run it: the same code, so the same digits. A log is read once
 * in each process, and the questions about it share it (shelf.h).
 *
 * The first process alone knows the keys of questions and writes the file of answers. */
#include <stdlib.h>
#include <string.h>

#include "cli/answers.h"
#include "cli/batch_line.h"
#include "cli/compare.h"
#include "team/deal.h"

typedef struct batch_options {
    const char *method, *policies, *behavior, *output;
    bf_list policy, policy_command;
    double gamma;
    int terminal;
    bf__further further;
    bf__large_options large;
    bool together, fresh, lines, strict;
} batch_options;

static const bf_option rows[] = {
    BF_OPTION(batch_options, method, "auto",
              "NAME: The estimator; `backflow list estimators` shows all."),
    BF_OPTION(batch_options, policies, NULL,
              "LIST: A file with one policy a line, P or NAME=P, written as for --policy; empty "
              "lines and those that begin with # do not count. -: standard input."),
    BF_OPTION_CHECKED(
        batch_options, policy, NULL, bf__compare_check,
        "P: A target policy, or NAME=P; once for every policy. P is a file (a table, .csv or .npy, "
        "one row per state, or a network), uniform, or ENV:NAME for one that an environment has; "
        "P@ALPHA mixes it with the uniform policy. Without any policy, those in the logs."),
    BF_OPTION_CHECKED(batch_options, policy_command, NULL, bf__command_check, BF__COMMAND_HELP),
    BF_OPTION(batch_options, together, "no",
              "DATA... are parts of one log; otherwise each is a log of its own."),
    BF_OPTION(batch_options, behavior, NULL, BF__BEHAVIOR_HELP),
    BF_OPTION_RANGE(batch_options, gamma, "1", 0, 1, BF__GAMMA_HELP),
    BF_OPTION_CHOICE(batch_options, terminal, "restart", "restart|absorb|ignore",
                     BF__TERMINAL_HELP),
    BF__FURTHER_ROWS(batch_options, further.),
    BF__LARGE_ROWS(batch_options, large.),
    BF_OPTION(batch_options, output, NULL,
              "FILE: Where the lines go; they are added as they come, and answers that FILE has "
              "are not asked for again. Without it, standard output. Also -o."),
    BF_OPTION(batch_options, fresh, "no", "Forget the answers that FILE has."),
    BF_OPTION(batch_options, lines, "no",
              "Print every line on standard output, too, if there is a FILE: those that it has "
              "first."),
    BF_OPTION(batch_options, strict, "no",
              "Exit with status 1 if all have an answer, but a verdict is that the log cannot "
              "tell."),
};
static const bf_option_table table = BF_OPTION_TABLE("Options", batch_options, rows);

extern const bf__command bf__command_batch;

/* ---- What is shared */

typedef struct batch {
    bf__tool *tool;
    const batch_options *o;
    bf__questions questions;
    bf__batch_way way;
    bf_read_options reading;
    int64_t *open; /* (open_count): questions to be asked */
    int64_t open_count, finished;
    /* In the first process. */
    bf__key *keys; /* (questions) */
    bf__answers *answers;
    int64_t failed, first_failed; /* the first in the order of the questions */
    bf_error failure;
    bool cannot_tell;
} batch;

/* ---- All questions */

static bool go_on(const void *deal) {
    return bf__deal_going(deal);
}

static bf_status run_job(void *self, int64_t job, bf__deal *deal, bf_error *err) {
    batch *b = self;
    bf_arena *arena;
    const void *line;
    size_t size;
    BF_TRY(bf_arena_create(&arena, bf_arena_allocator(b->tool->arena), err));
    bf_status status = bf__batch_line(&line, &size, &b->way, &b->questions.list[b->open[job]],
                                      go_on, deal, arena, err);
    if (status == BF_OK)
        status = bf__deal_give(deal, job, line, size, err);
    bf_arena_destroy(arena);
    return status;
}

static bf_status take_line(void *self, int64_t job, const void *bytes, size_t size, bf_error *err) {
    batch *b = self;
    bf__line_head head;
    int64_t number = b->open[job];
    memcpy(&head, bytes, sizeof head);
    b->cannot_tell = b->cannot_tell || head.cannot_tell;
    if (head.failure.status != BF_OK && (b->failed++ == 0 || number < b->first_failed)) {
        b->first_failed = number;
        b->failure = head.failure;
    }
    return bf__answers_add(b->answers, &b->keys[number], (const char *)bytes + sizeof head,
                           size - sizeof head, err);
}

static void on_finished(void *self, int64_t job) {
    batch *b = self;
    (void)job;
#pragma omp atomic
    b->finished++;
}

static bool on_watch(void *self) {
    batch *b = self;
    char detail[64];
    int64_t finished;
#pragma omp atomic read
    finished = b->finished;
    snprintf(detail, sizeof detail, "%lld of %lld questions", (long long)finished,
             (long long)b->open_count);
    bf_progress progress = {"answering", (double)finished, (double)b->open_count, detail};
    return b->tool->context.callbacks.progress(b->tool->context.callbacks.context, &progress);
}

/* ---- Keys */

/* Options that do not change an answer, or stand in a key by themselves. */
static bool counts(const char *field) {
    static const char *const others[] = {
        "policies", "policy", "policy_command", "output", "together", "fresh",
        "lines",    "strict", "threads",        "quiet",  "help"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (strcmp(field, others[k]) == 0)
            return false;
    return true;
}

static void describe_options(FILE *out, const bf__opening *with) {
    for (int s = 0; s < with->slot_count; s++) {
        const bf_option_table *of = with->slots[s].table;
        const bf_settings *settings = with->slots[s].settings;
        const void *options = settings ? bf_settings_of(settings, of) : with->slots[s].options;
        for (int r = 0; r < of->count; r++) {
            char value[4096];
            if (!counts(of->rows[r].field))
                continue;
            bf_options_format(&of->rows[r], options, value, sizeof value);
            fprintf(out, "%s=%s\n", of->rows[r].field, value);
        }
    }
}

static bf_status make_key(bf__key *out, const batch *b, const bf__batch_question *question,
                          const bf__key *log, bf_error *err) {
    const char *specs[] = {question->policy ? question->policy : "", b->o->behavior, NULL};
    char *text = NULL, *names;
    size_t size = 0, length;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    bf__batch_names(file, &b->questions, question);
    fflush(file);
    length = size;
    fprintf(file, "\nbackflow %s\nlog %s\n", bf_version(), log->text);
    describe_options(file, b->way.with);
    bf_status status = fclose(file) == 0 ? bf__key_of(out, text, specs, err)
                                         : bf_fail(err, BF_ENOMEM, "out of memory");
    names = status == BF_OK ? bf_arena_alloc(b->tool->arena, (int64_t)length + 1, 1, err) : NULL;
    if (names)
        snprintf(names, length + 1, "%s", text);
    out->names = names;
    free(text);
    return status == BF_OK && !names ? BF_ENOMEM : status;
}

static bf_status make_keys(batch *b, bf_error *err) {
    const bf__questions *q = &b->questions;
    bf__key log;
    BF_ALLOC(b->keys, b->tool->arena, q->count, err);
    for (int64_t k = 0; k < q->count; k++) {
        int of = q->list[k].log;
        if (k == 0 || of != q->list[k - 1].log) {
            const char **paths;
            BF_ALLOC(paths, b->tool->arena, q->logs[of].count + 1, err);
            for (int f = 0; f < q->logs[of].count; f++)
                paths[f] = q->logs[of].paths[f];
            paths[q->logs[of].count] = NULL;
            BF_TRY(bf__key_of(&log, "", paths, err));
        }
        BF_TRY(make_key(&b->keys[k], b, &q->list[k], &log, err));
    }
    return BF_OK;
}

/* ---- The command */

/* Which questions are open: the first process looks, and tells the others. */
static bf_status find_open(batch *b, bf_error *err) {
    const bf__team *team = b->tool->team;
    int64_t count = b->questions.count;
    bf__known known = {NULL, false};
    double *open;
    bf_status status = BF_OK;
    BF_ALLOC(open, b->tool->arena, count, err);
    BF_ALLOC(b->open, b->tool->arena, count, err);
    memset(open, 0, (size_t)count * sizeof *open);
    if (!team || team->rank == 0) {
        status = make_keys(b, err);
        if (status == BF_OK)
            status = bf__answers_open(&b->answers, &known, b->o->output, b->o->fresh, b->o->lines,
                                      b->keys, count, b->tool, err);
        for (int64_t k = 0; k < count && status == BF_OK; k++)
            open[k] = !known.answered[k];
        b->cannot_tell = known.untrusted;
    }
    if (team)
        BF_TRY(team->agree(status, err));
    BF_TRY(status);
    if (team)
        team->sum(open, count);
    for (int64_t k = 0; k < count; k++)
        if (open[k] > 0)
            b->open[b->open_count++] = k;
    return BF_OK;
}

/* If there is one log, all threads read it before the questions begin. Whether it can be read is
 * told by every question. */
static bf_status read_only_log(const batch *b, bf_error *err) {
    bf__shelved log;
    bf_error cause = {BF_OK, ""};
    if (b->questions.log_count > 1 || b->o->large.max_memory > 0)
        return BF_OK;
    bf_status status = bf__shelf_take(&log, b->way.shelf, 0, &b->tool->context, &cause);
    bf__shelf_give_back(b->way.shelf, 0, &log);
    if (status == BF_ECANCELLED)
        *err = cause;
    return status == BF_ECANCELLED ? status : BF_OK;
}

/* Threads go to questions first; what is left of them, to the work within a question. */
static bf_status answer_all(batch *b, bf_error *err) {
    const bf__team *team = b->tool->team;
    int threads =
        b->tool->context.threads > 0 ? b->tool->context.threads : bf_machine_describe().threads;
    int64_t share = (b->open_count + (team ? team->size : 1) - 1) / (team ? team->size : 1);
    int workers = share < threads ? (int)(share > 0 ? share : 1) : threads;
    b->way.threads = threads / workers;
    bf__work work = {b->open_count, workers,     b->way.threads, run_job,
                     take_line,     on_finished, on_watch,       b};
    const bf__questions *q = &b->questions;
    bf_status status = bf__shelf_make(&b->way.shelf, q->logs, q->log_count, workers,
                                      q->count == q->log_count, &b->reading, b->tool->arena, err);
    if (b->open_count > 0 && status == BF_OK)
        status = read_only_log(b, err);
    if (b->open_count > 0 && status == BF_OK)
        status = bf__deal_run(&work, team, b->tool->arena, err);
    bf__shelf_clear(b->way.shelf);
    return team ? team->agree(status, err) : status;
}

static bf_status tell(const batch *b, bf_error *err) {
    const bf__questions *q = &b->questions;
    int64_t answers = q->count - b->failed, before = q->count - b->open_count;
    if (b->o->output && !b->o->lines) {
        fprintf(b->tool->out, "%s: %lld answer%s", b->o->output, (long long)answers,
                answers == 1 ? "" : "s");
        if (before > 0)
            fprintf(b->tool->out, " (%lld from before)", (long long)before);
        fputc('\n', b->tool->out);
    }
    if (b->failed == 0)
        return BF_OK;
    const bf__batch_question *first = &q->list[b->first_failed];
    return bf_fail(err, b->failure.status, "%lld of %lld questions %s: %s%s%s: %s",
                   (long long)b->failed, (long long)q->count,
                   b->failed > 1 ? "have no answer; the first of them" : "has no answer",
                   q->logs[first->log].paths[0], first->text ? ", " : "",
                   first->text ? first->text : "", b->failure.message);
}

static bf_status ask_all(batch *b, int *exit_status, bf_error *err) {
    const bf__team *team = b->tool->team;
    BF_TRY(find_open(b, err));
    bf_status status = answer_all(b, err);
    if (status == BF_ECANCELLED && b->o->output)
        return bf_fail(err, status, "interrupted; the same command goes on from here");
    BF_TRY(status);
    if (team && team->rank > 0)
        return BF_OK;
    if (b->o->strict && b->cannot_tell)
        *exit_status = 1;
    return tell(b, err);
}

/* Nothing that is written is read. */
static bf_status check_files(const batch *b, const bf__opening *with, bf_error *err) {
    const bf__written outputs[] = {{"--output", b->o->output}, {NULL, NULL}};
    const char *others[] = {b->o->behavior, b->o->policies};
    BF_TRY(bf__check_outputs(outputs, with->logs, with->log_count, err));
    BF_TRY(bf__check_outputs(outputs, others, 2, err));
    for (int64_t k = 0; k < b->questions.count; k++)
        BF_TRY(bf__check_outputs(outputs, &b->questions.list[k].policy, 1, err));
    return BF_OK;
}

static bf_status run(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err) {
    batch_options o;
    bf__opening with;
    batch b = {.tool = tool, .o = &o};
    BF_TRY(bf__opening_parse(&with, tool, &bf__command_batch, &table, &o, argc, argv, err));
    if (with.log_count == 0)
        return BF_OK;
    BF_TRY(bf__command_join(&o.policy, &o.policy_command, tool->arena, err));
    if (with.methods.several)
        return bf_fail(err, BF_EUSAGE, "--method: batch takes one method, not %s",
                       with.methods.text);
    if (tool->team && tool->team->size > 1 && o.policies && strcmp(o.policies, "-") == 0)
        return bf_fail(err, BF_EUSAGE,
                       "--policies: several processes need a file, not standard input");
    BF_TRY(bf__methods_check(&with.methods, NULL, tool->arena, err));
    BF_TRY(bf__questions_make(&b.questions, with.logs, with.log_count, o.together, &o.policy,
                              o.policies, tool->arena, err));
    BF_TRY(check_files(&b, &with, err));
    b.way = (bf__batch_way){.with = &with,
                            .asked = {NULL, o.behavior, o.gamma, o.terminal, with.trust.cluster,
                                      o.further.by, &with.command, false},
                            .further = &o.further,
                            .large = &o.large,
                            .logs = b.questions.logs,
                            .common = &tool->common};
    BF_TRY(bf__question_reading(&b.reading, &b.way.asked, &with.read, tool->arena, err));
    bf_status status = ask_all(&b, exit_status, err);
    bf__answers_close(b.answers);
    return status;
}

const bf__command bf__command_batch = {
    .name = "batch",
    .summary = "the question of `estimate`, of many logs and for many policies",
    .usage = "batch DATA... [--policies LIST] [-o FILE] [options]",
    .text =
        "Asks what every policy would earn, of every log DATA, and answers each question with one\n"
        "line of JSON as soon as it is known: its key, log and policy, and under `answer` what\n"
        "`backflow estimate --json` says, with the same digits. A question that fails has `error` "
        "and\n"
        "`status` instead, and the others go on. A log is read once for all policies. Lines come\n"
        "in the order in which they are ready; with --threads 1, in the order of logs and then of\n"
        "policies.\n\n"
        "With -o FILE, the same command goes on where it was interrupted: answers that FILE has "
        "are\n"
        "not asked for again, and failures are. The key of a question is made of the content of "
        "the\n"
        "log and of the policy and of all options, so that what has changed is asked again; the "
        "old\n"
        "answer moves to FILE.old. (Of a policy that is a program, only the command counts.)\n\n"
        "The exit status is 0 if every question has an answer; otherwise it is that of the first\n"
        "question without one, as `estimate` would end. `mpirun -n 4 backflow-mpi batch ...` "
        "deals\n"
        "the questions to processes.\n\n"
        "Examples:\n"
        "  ls checkpoints/*.npy | backflow batch log.csv --policies - -o answers.jsonl\n"
        "  backflow batch day-*.csv --policy new.csv --gamma 0.99 -o days.jsonl\n"
        "  backflow batch part-1.csv part-2.csv --together --policies list.txt >answers.jsonl\n"
        "  jq -r '[.policy, .answer.value] | @tsv' answers.jsonl\n",
    .run = run,
    .team = true,
};
