/* large.c - Logs that do not fit into memory: `estimate` in passes over pieces of its files.
 *
 *     1  sample    what there is; a sample of episodes, on which the question is put
 *     2  counts    of all rows, if states are finite and the method goes by counts
 *     3  effects   of all episodes, for the interval
 *     2  landmarks of real-valued states: the rows that each pair of the sample stands for
 *     3  moments   of all rows, under what the sample gave
 *
 * If the method does not add up, the sample stands for the log. Pieces are dealt to the
 * processes of a team in turn. With `work`, every finished reading is kept there with the question
 * that it belongs to. */
#include "cli/large.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/pieces.h"

bf_status bf__large_wanted(bool *out, const bf__large_options *o, const bf__tool *tool,
                           const bf__opening *with, bf_error *err) {
    bf_stream *stream;
    *out = tool->team;
    if (*out || o->max_memory == 0)
        return BF_OK;
    bf_mark mark = bf_arena_mark(tool->arena);
    bf_read_options plain = {.format = with->read.format};
    BF_TRY(bf_stream_open(&stream, with->logs, with->log_count, &plain, 0, tool->arena, err));
    *out = BF__OF_BYTES * (double)bf_stream_bytes(stream, -1) > 1e9 * o->max_memory;
    bf_arena_rewind(tool->arena, mark);
    return BF_OK;
}

/* ---- One reading */

static bf_status agree(const bf__large *l, bf_status status, bf_error *err) {
    return l->tool->team ? l->tool->team->agree(status, err) : status;
}

/* A pass that rows are added to, under the policy that is asked about. */
typedef struct adding {
    bf_pass *pass;
    const bf_policy *policy;
} adding;

static bf_status add_piece(void *self, const bf_dataset *data, int64_t first, int64_t piece,
                           bf_arena *arena, bf_error *err) {
    const adding *to = self;
    (void)piece;
    if (to->policy)
        BF_TRY(bf_policy_apply(&data, to->policy, data, arena, err));
    return bf_pass_add(to->pass, data, first, err);
}

/* All pieces of this process. */
static bf_status read_pieces(bf_pass *pass, bf__large *l, bf_error *err) {
    char task[64];
    adding to = {pass, l->policy};
    bf_pass_threads(pass, &l->tool->context);
    snprintf(task, sizeof task, "reading %d, for %s", l->readings, bf_pass_kind(pass));
    return bf__pieces_read(l->tool, l->stream, task, add_piece, &to, err);
}

/* ---- What is kept of it */

static void name_file(char path[4096], const bf__large *l, const char *name) {
    snprintf(path, 4096, "%s/%s", l->options->work, name);
}

/* The content of a file of the folder, in the arena; NULL if there is none. */
static bf_status load(const void **out, size_t *size, const bf__large *l, const char *name,
                      bf_error *err) {
    char path[4096];
    struct stat about;
    char *bytes;
    *out = NULL;
    name_file(path, l, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return BF_OK;
    if (fstat(fileno(file), &about) != 0 || about.st_size < 0) {
        fclose(file);
        return bf_fail(err, BF_EFILE, "%s: cannot be read", path);
    }
    bytes = bf_arena_alloc(l->tool->arena, (int64_t)about.st_size + 1, 1, err);
    *size = bytes ? fread(bytes, 1, (size_t)about.st_size, file) : 0;
    fclose(file);
    if (!bytes)
        return BF_ENOMEM;
    bytes[*size] = '\0';
    *out = bytes;
    return *size == (size_t)about.st_size ? BF_OK
                                          : bf_fail(err, BF_EFILE, "%s: cannot be read", path);
}

static bf_status save(const bf__large *l, const char *name, const void *bytes, size_t size,
                      bf_error *err) {
    char path[4096];
    if (l->tool->team && l->tool->team->rank > 0)
        return BF_OK;
    name_file(path, l, name);
    return bf_file_write(path, bytes, size, err);
}

/* The folder is made if it is not there, and is about this question. */
static bf_status open_folder(const bf__large *l, bf_error *err) {
    const void *found;
    size_t size;
    struct stat about;
    mkdir(l->options->work, 0777);
    if (stat(l->options->work, &about) != 0 || !S_ISDIR(about.st_mode) ||
        access(l->options->work, W_OK) != 0)
        return bf_fail(err, BF_EFILE, "--work: '%s' is no folder that can be written to",
                       l->options->work);
    BF_TRY(load(&found, &size, l, "question.txt", err));
    if (!found)
        return save(l, "question.txt", l->question, strlen(l->question), err);
    if (strcmp(found, l->question) != 0)
        return bf_fail(err, BF_EUSAGE,
                       "--work: '%s' holds readings for another question, or of files that have "
                       "changed; its question.txt says which",
                       l->options->work);
    return BF_OK;
}

static bf_status load_pass(bf_pass **out, const bf__large *l, const char *name, bf_error *err) {
    const void *bytes;
    size_t size;
    char path[4096], file[64];
    *out = NULL;
    snprintf(file, sizeof file, "%s.pass", name);
    BF_TRY(load(&bytes, &size, l, file, err));
    name_file(path, l, file);
    return bytes ? bf_pass_unpack(out, bytes, size, path, l->tool->arena, err) : BF_OK;
}

static bf_status save_pass(const bf__large *l, bf_pass *pass, bf_error *err) {
    const void *bytes;
    size_t size;
    char file[64];
    snprintf(file, sizeof file, "%s.pass", bf_pass_kind(pass));
    BF_TRY(bf_pass_pack(&bytes, &size, pass, l->tool->arena, err));
    return save(l, file, bytes, size, err);
}

/* The notes of the stream, one number a line. */
static bf_status save_notes(const bf__large *l, bf_error *err) {
    int64_t count;
    const double *notes = bf_stream_notes(l->stream, &count);
    char *text;
    size_t used = 0;
    BF_ALLOC(text, l->tool->arena, count * 32 + 1, err);
    for (int64_t k = 0; k < count; k++)
        used += (size_t)snprintf(text + used, 32, "%.17g\n", notes[k]);
    return save(l, "pieces.txt", text, used, err);
}

static bf_status load_notes(const bf__large *l, bf_error *err) {
    int64_t count;
    double *notes = bf_stream_notes(l->stream, &count);
    const void *text;
    size_t size;
    BF_TRY(load(&text, &size, l, "pieces.txt", err));
    const char *at = text ? text : "";
    for (int64_t k = 0; k < count; k++) {
        char *after;
        notes[k] = strtod(at, &after);
        if (after == at || *after != '\n')
            return bf_fail(err, BF_EFORMAT, "%s/pieces.txt: damaged: number %lld of %lld",
                           l->options->work, (long long)k + 1, (long long)count);
        at = after + 1;
    }
    return BF_OK;
}

/* Reads all pieces for the pass, or finds that this was done before. */
static bf_status fill(bf_pass **pass, bf__large *l, bf_error *err) {
    const bf__team *team = l->tool->team;
    bf_pass *kept = NULL;
    bool first = strcmp(bf_pass_kind(*pass), "sample") == 0;
    int64_t count;
    double *notes = bf_stream_notes(l->stream, &count);
    l->readings++;
    bf_status status = BF_OK;
    if (l->question)
        status = load_pass(&kept, l, bf_pass_kind(*pass), err);
    if (kept && first)
        status = load_notes(l, err);
    BF_TRY(agree(l, status, err));
    if (kept && bf_pass_merge(kept, *pass, NULL) == BF_OK) { /* it is of the same answer */
        *pass = kept;
        return BF_OK;
    }
    BF_TRY(agree(l, read_pieces(*pass, l, err), err));
    if (team && first)
        team->sum(notes, count);
    BF_TRY(agree(l, bf__team_join(pass, team, l->tool->arena, err), err));
    status = BF_OK;
    if (l->question && first)
        status = save_notes(l, err);
    if (l->question && status == BF_OK)
        status = save_pass(l, *pass, err);
    return agree(l, status, err);
}

/* ---- The question */

/* Everything that the passes depend on, in words. */
static bf_status describe(bf__large *l, const bf__asked *asked, const bf__opening *with,
                          bf_error *err) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    fprintf(out, "backflow %s\nmethod %s\ngamma %.17g\nterminal %d\npolicy %s\nsample %lld\n",
            bf_version(), with->methods.text, asked->gamma, asked->terminal,
            asked->policy ? asked->policy : "in the log", (long long)l->options->sample);
    fprintf(out, "seed %llu\npieces %lld of %lld bytes\nkeep %s\n",
            (unsigned long long)l->tool->context.seed, (long long)bf_stream_pieces(l->stream),
            (long long)bf_stream_bytes(l->stream, -1), with->read.keep ? with->read.keep : "");
    for (int f = 0; f < with->log_count; f++) {
        struct stat about = {0};
        if (stat(with->logs[f], &about) == 0)
            fprintf(out, "file %s, %lld bytes, changed at %lld\n", with->logs[f],
                    (long long)about.st_size, (long long)about.st_mtime);
    }
    bool bad = fclose(out) != 0;
    l->question = bad ? NULL : bf_arena_alloc(l->tool->arena, (int64_t)size + 1, 1, err);
    if (l->question)
        memcpy(l->question, text, size + 1);
    free(text);
    return l->question ? BF_OK : bf_fail(err, BF_ENOMEM, "out of memory");
}

/* Bytes of a piece, so that a piece with its rows is a small part of the memory. */
static int64_t piece_bytes(double max_memory) {
    double bytes = max_memory > 0 ? 1e9 * max_memory / 64 : 32e6;
    return bytes < 65536 ? 65536 : bytes > 64e6 ? 64000000 : (int64_t)bytes;
}

static bf_status take_sample(bf__large *l, bf__question *q, const bf__asked *asked, bf_error *err) {
    bf__tool *tool = l->tool;
    bf_pass *sample;
    BF_TRY(bf_pass_sample(&sample, l->options->sample, tool->context.seed, tool->arena, err));
    BF_TRY(fill(&sample, l, err));
    bf_overview o = l->whole.seen = bf_pass_overview(sample);
    BF_TRY(bf_stream_settle(l->stream, o.actions, o.states, err));
    q->problem =
        (bf_problem){.gamma = asked->gamma, .terminal = asked->terminal, .size = sizeof q->problem};
    BF_TRY(bf_pass_sample_log(&q->problem.data, sample, &tool->context, tool->arena, err));
    return bf__question_apply(q, tool, asked, err);
}

bf_status bf__large_load(bf__large *l, bf__question *q, bf__tool *tool,
                         const bf__large_options *options, const bf__asked *asked,
                         const bf__opening *with, bf_error *err) {
    double begun = bf__tool_seconds();
    bf_read_options reading;
    *l = (bf__large){.options = options, .tool = tool, .whole = {.by = "sample"}};
    BF_TRY(bf__question_reading(&reading, asked, &with->read, tool->arena, err));
    bf_status status = bf_stream_open(&l->stream, with->logs, with->log_count, &reading,
                                      piece_bytes(options->max_memory), tool->arena, err);
    if (status == BF_OK && options->work) {
        status = describe(l, asked, with, err);
        if (status == BF_OK)
            status = open_folder(l, err);
    }
    BF_TRY(agree(l, status, err));
    BF_TRY(agree(l, take_sample(l, q, asked, err), err));
    l->policy = q->problem.target;
    q->seconds_read = bf__tool_seconds() - begun;
    return BF_OK;
}

/* ---- The answer */

static bf_status count(const bf_estimate **estimate, const bf_trust **trust, bf__large *l,
                       const bf__question *q, const bf__opening *with, int k, bf_error *err) {
    bf__tool *tool = l->tool;
    bf_pass *counts, *effects;
    BF_TRY(bf_pass_counts(&counts, &q->problem, &l->whole.seen, tool->arena, err));
    BF_TRY(fill(&counts, l, err));
    BF_TRY(
        agree(l,
              bf_pass_counts_answer(estimate, &effects, counts, with->methods.list[k], &q->problem,
                                    with->methods.settings[k], &tool->context, tool->arena, err),
              err));
    BF_TRY(agree(l, bf__team_share(&effects, tool->team, tool->arena, err), err));
    BF_TRY(fill(&effects, l, err));
    l->whole.naive = bf_pass_naive(effects);
    return bf_pass_trust(trust, effects, *estimate, &q->problem, &l->whole.seen, &with->trust,
                         &tool->context, tool->arena, err);
}

static bf_status sum_up(const bf_estimate **estimate, const bf_trust **trust, bf__large *l,
                        const bf__question *q, const bf__opening *with, int k, bf_error *err) {
    bf__tool *tool = l->tool;
    const bf_estimator *method = with->methods.list[k];
    const bf_estimate *on_sample = NULL;
    bf_pass *landmarks = NULL, *moments = NULL;
    BF_TRY(agree(l,
                 bf_pass_landmarks(&landmarks, &on_sample, method, &q->problem, &l->whole.seen,
                                   with->methods.settings[k], &tool->context, tool->arena, err),
                 err));
    BF_TRY(agree(l, bf__team_share(&landmarks, tool->team, tool->arena, err), err));
    BF_TRY(fill(&landmarks, l, err));
    BF_TRY(agree(l, bf_pass_moments(&moments, landmarks, tool->arena, err), err));
    BF_TRY(fill(&moments, l, err));
    l->whole.naive = bf_pass_naive(moments);
    BF_TRY(bf_pass_moments_answer(estimate, moments, method, on_sample, &q->problem, tool->arena,
                                  err));
    return bf_pass_trust(trust, moments, *estimate, &q->problem, &l->whole.seen, &with->trust,
                         &tool->context, tool->arena, err);
}

bf_status bf__large_answer(bool *counted, const bf_estimate **estimate, const bf_trust **trust,
                           bf__large *l, const bf__question *q, const bf__opening *with, int k,
                           bf_error *err) {
    const bf_estimator *method = with->methods.list[k];
    const bf_settings *settings = with->methods.settings[k];
    bf_arena *arena = l->tool->arena;
    bool summed = false;
    BF_TRY(bf_pass_countable(counted, method, &q->problem, settings, arena, err));
    /* If the sample is the log, what it says in memory is of all rows, with a full interval. */
    if (!*counted && l->whole.seen.sample_rows < l->whole.seen.rows)
        BF_TRY(bf_pass_summable(&summed, method, &q->problem, settings, arena, err));
    l->whole.by = *counted ? "effects" : summed ? "moments" : "sample";
    l->whole.counted = *counted || summed;
    if (*counted)
        return count(estimate, trust, l, q, with, k, err);
    *counted = summed;
    return summed ? sum_up(estimate, trust, l, q, with, k, err) : BF_OK;
}

void bf__large_close(bf__large *l) {
    bf_stream_close(l->stream);
}
