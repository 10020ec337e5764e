/* command.c - A policy that another program computes: it is started once, reads states and answers
 * with probabilities, or with actions.
 *
 * docs/policy-command.md is the protocol. A question is a line and numbers, 8 bytes each in the
 * machine's own order:
 *
 *     probabilities ROWS STATE ACTIONS        ROWS x STATE numbers
 *     actions ROWS STATE SAMPLES SIZE         ROWS x STATE numbers
 *
 * and so is an answer:
 *
 *     probabilities ROWS ACTIONS              ROWS x ACTIONS numbers
 *     actions ROWS SAMPLES SIZE               ROWS x SAMPLES x SIZE numbers
 *
 * The line of the answer makes a stray print, a short answer and a wrong shape errors with a name,
 * where bytes alone would be read as odd numbers. The first question is one state of the log: its
 * answer says how many actions the policy knows, which may be more than the log has seen. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "policy/command.h"
#include "policy/kind.h"

enum { LINE = 128, MOST_ACTIONS = 1000000 };

static const bf_option rows[] = {
    BF_OPTION_RANGE(bf_command_options, policy_samples, "8", 1, 10000,
                    "M: How many actions --policy-command draws at a state, if actions are "
                    "vectors."),
    BF_OPTION_RANGE(bf_command_options, policy_timeout, "60", 0.001, 1e6,
                    "SECONDS: How long --policy-command may be silent before that is an error."),
};
const bf_option_table bf_command_table =
    BF_OPTION_TABLE("Policies by a command", bf_command_options, rows);

/* ---- Answers */

void bf__reply_begin(bf__reply *out, const bf__shape *wanted, double *numbers) {
    *out = (bf__reply){.wanted = *wanted, .numbers = (unsigned char *)numbers};
}

/* The words that are asked for, as they have to stand in the answer. */
static void describe(const bf__shape *s, char text[LINE]) {
    if (s->size)
        snprintf(text, LINE, "actions %lld %d %d", (long long)s->rows, s->columns / s->size,
                 s->size);
    else
        snprintf(text, LINE, "probabilities %lld %d", (long long)s->rows, s->columns);
}

/* What stands where the line should, for a message. */
static bf_status no_line(const bf__reply *r, bf_error *err) {
    char shown[64], wanted[LINE];
    int k = 0;
    for (; k < r->line_length && k < 48; k++) {
        unsigned char c = (unsigned char)r->line[k];
        shown[k] = (char)(c < ' ' || c >= 127 ? '?' : c);
    }
    shown[k] = '\0';
    describe(&r->wanted, wanted);
    return bf_fail(err, BF_EPOLICY, "answered '%s%s' where the line '%s' should be", shown,
                   r->line_length > 48 ? "..." : "", wanted);
}

/* Reads the line of an answer. */
static bf_status take_line(bf__reply *r, bf_error *err) {
    bf__shape *w = &r->wanted;
    long long count, first, second = 1;
    int used = -1;
    r->line[r->line_length] = '\0';
    if (r->line_length && r->line[r->line_length - 1] == '\r')
        r->line[r->line_length - 1] = '\0';
    if (w->size)
        sscanf(r->line, "actions %9lld %9lld %9lld%n", &count, &first, &second, &used);
    else
        sscanf(r->line, "probabilities %9lld %9lld%n", &count, &first, &used);
    if (used < 0 || r->line[used])
        return no_line(r, err);
    if (w->open && !w->size && count == w->rows && first >= w->columns && first <= MOST_ACTIONS)
        w->columns = (int)first;
    bool fits = count == w->rows && first * second == w->columns && (!w->size || second == w->size);
    if (!fits) {
        char wanted[LINE];
        describe(w, wanted);
        return bf_fail(err, BF_EPOLICY, "answered '%s' where '%s' was asked for", r->line, wanted);
    }
    r->numbers_size = (size_t)w->rows * (size_t)w->columns * sizeof(double);
    return BF_OK;
}

bf_status bf__reply_take(void *context, const unsigned char *bytes, size_t count, bool *whole,
                         bf_error *err) {
    bf__reply *r = context;
    while (count && !r->lined) {
        if (*bytes == '\n')
            r->lined = true;
        else if (r->line_length == LINE - 1)
            return no_line(r, err);
        else
            r->line[r->line_length++] = (char)*bytes;
        bytes++;
        count--;
        if (!r->lined)
            continue;
        BF_TRY(take_line(r, err));
        if (r->wanted.open) { /* how many numbers will come was not known before */
            r->own = malloc(r->numbers_size);
            r->numbers = (unsigned char *)r->own;
            if (!r->own)
                return bf_fail(err, BF_ENOMEM, "out of memory");
        }
    }
    size_t left = r->numbers_size - r->used;
    if (count > left)
        return bf_fail(err, BF_EPOLICY, "answered with more numbers than it was asked for");
    if (count)
        memcpy(r->numbers + r->used, bytes, count);
    r->used += count;
    *whole = r->lined && r->used == r->numbers_size;
    return BF_OK;
}

/* ---- Asking */

typedef struct command {
    bf__process process;
    int state_dim;
    bf__shape shape;
    double timeout;
} command;

/* states (rows, d); the line of the question and the numbers, in one piece. */
static bf_status put_question(unsigned char **out, size_t *size, const command *c,
                              const double *states, int64_t count, bf_error *err) {
    char line[LINE];
    int length;
    if (c->shape.size)
        length = snprintf(line, LINE, "actions %lld %d %d %d\n", (long long)count, c->state_dim,
                          c->shape.columns / c->shape.size, c->shape.size);
    else
        length = snprintf(line, LINE, "probabilities %lld %d %d\n", (long long)count, c->state_dim,
                          c->shape.columns);
    size_t bytes = (size_t)count * (size_t)c->state_dim * sizeof *states;
    *size = (size_t)length + bytes;
    *out = malloc(*size);
    if (!*out)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    memcpy(*out, line, (size_t)length);
    memcpy(*out + length, states, bytes);
    return BF_OK;
}

static bf_status ask(command *c, const double *states, int64_t count, bf__reply *reply,
                     bf_error *err) {
    unsigned char *question;
    size_t size;
    BF_TRY(put_question(&question, &size, c, states, count, err));
    bf_status status =
        bf__process_ask(&c->process, question, size, bf__reply_take, reply, c->timeout, err);
    free(question);
    return status;
}

static int answer(void *context, const double *states, int64_t count, double *numbers,
                  bf_error *err) {
    command *c = context;
    bf__reply reply;
    bf__shape shape = c->shape;
    shape.rows = count;
    bf__reply_begin(&reply, &shape, numbers);
    if (ask(c, states, count, &reply, err) == BF_OK)
        return 0;
    bf__process_close(&c->process); /* where it is in its answers is not known any more */
    return 1;
}

/* ---- Starting */

/* Asks about one state: how many actions are there? */
static bf_status greet(command *c, const bf_dataset *data, bf_error *err) {
    bf__reply reply;
    bf__shape shape = c->shape;
    double *first = malloc((size_t)c->state_dim * sizeof *first);
    if (!first)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    for (int j = 0; j < c->state_dim; j++)
        first[j] = data->state[j * data->n];
    shape.rows = 1;
    shape.open = true;
    bf__reply_begin(&reply, &shape, NULL);
    bf_status status = ask(c, first, 1, &reply, err);
    free(reply.own);
    free(first);
    c->shape.columns = reply.wanted.columns;
    return status;
}

static bf_status begin(command *c, const char *text, const bf_dataset *data, bf_arena *arena,
                       bf_error *err) {
    char **words;
    BF_TRY(bf__process_words(&words, text, arena, err));
    BF_TRY(bf__process_start(&c->process, words, err));
    return greet(c, data, err);
}

bf_status bf_policy_from_command(const bf_policy **out, const char *text, const bf_dataset *data,
                                 const bf_command_options *options, bf_arena *arena,
                                 bf_error *err) {
    bf_command_options o;
    command *c;
    bf_error cause = {BF_OK, ""};
    BF_TRY(bf_options_init(&bf_command_table, &o, err));
    o = options ? *options : o;
    BF_ZALLOC(c, arena, 1, err);
    bool vectors = !data->action;
    c->state_dim = data->state_dim;
    c->timeout = o.policy_timeout;
    c->shape =
        (bf__shape){.columns = vectors ? (int)o.policy_samples * data->action_dim : data->actions,
                    .size = vectors ? data->action_dim : 0};
    bf_status status = begin(c, text, data, arena, &cause);
    if (status != BF_OK) {
        bf__process_close(&c->process);
        return bf_fail(err, status, "policy command '%.80s': %s", text, cause.message);
    }
    char name[128];
    snprintf(name, sizeof name, "policy command '%.80s'", text);
    bf_policy_function function = {
        .name = name,
        .state_dim = c->state_dim,
        .actions = vectors ? 0 : c->shape.columns,
        .probabilities = vectors ? NULL : answer,
        .action_dim = vectors ? data->action_dim : 0,
        .samples = vectors ? (int)o.policy_samples : 0,
        .sample = vectors ? answer : NULL,
        .context = c,
        .size = sizeof function,
    };
    status = bf_policy_from_function(out, &function, arena, err);
    if (status != BF_OK) {
        bf__process_close(&c->process);
        return status;
    }
    bf_policy *made = (bf_policy *)(uintptr_t)*out; /* by us, just now */
    made->kind = "command";
    made->process = &c->process;
    return BF_OK;
}

void bf_policy_close(const bf_policy *policy) {
    if (policy && policy->process)
        bf__process_close(policy->process);
}
