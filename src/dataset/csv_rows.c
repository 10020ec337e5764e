/* csv_rows.c - The rows of delimited text.
 *
 * A first pass finds the records and cuts the file into chunks of about 2 MiB at their ends; then
 * the rows of a chunk have a known place in the columns, and chunks are parsed by any number of
 * threads with the same result. Waves of chunks run one after another: between them progress is
 * told, text that has been parsed is given back to the system, and the first bad record of the file
 * is the one reported. Words get codes within their chunk first; after the wave, chunk by chunk,
 * these become codes of the dictionary, so that its order is that of the file.
 *
 * Cost: one look at every byte in the first pass (memchr), one parse in the second. Memory: the
 * file shrinks while the columns grow, so that the larger of the two is what is needed. */
#include "dataset/csv_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"

#define CHUNK ((ptrdiff_t)2 << 20)
#define WAVE  8 /* chunks per thread between two reports of progress */

const char *bf__record_end(const bf__dialect *d, const char *p, const char *end, bool quotes) {
    if (!quotes || *p == '#') {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        return feed ? feed : end;
    }
    while ((p = bf__field_end(d, p, end)) < end && *p == d->delimiter)
        p++;
    return p < end && *p == '\r' ? p + 1 : p;
}

int64_t bf__count_fields(const bf__dialect *d, const char *p, const char *end) {
    int64_t count = 1;
    for (p = bf__field_end(d, p, end); p < end && *p == d->delimiter;
         p = bf__field_end(d, p + 1, end))
        count++;
    return count;
}

bf_status bf__rows_cut(bf__file *file, bf__layout *own, const char *p, const char *end,
                       int64_t line, bf_arena *scratch, bf_error *err) {
    const bf__dialect *d = &own->dialect;
    own->quotes = memchr(p, '"', (size_t)(end - p)) != NULL;
    BF_ALLOC(own->chunks, scratch, (end - p) / CHUNK + 2, err);
    while (p < end) {
        bf__chunk *part = &own->chunks[own->count++];
        *part = (bf__chunk){.begin = p, .first_row = file->rows, .first_line = line};
        while (p < end && p - part->begin < CHUNK) {
            const char *stop = bf__record_end(d, p, end, own->quotes);
            part->rows += bf__is_record(d, p, stop);
            line++;
            if (own->quotes)
                for (const char *f = p; (f = memchr(f, '\n', (size_t)(stop - f))); f++)
                    line++;
            p = stop < end ? stop + 1 : end;
        }
        part->end = p;
        file->rows += part->rows;
    }
    return BF_OK;
}

/* ---- Parsing */

/* What chunks are parsed with. */
typedef struct parse {
    const bf__file *file;
    const bf__dialect *dialect;
    const bf__sink *sinks;
    int *shared;  /* (count): the first column that has the same dictionary */
    bool words;   /* a column holds words */
    int64_t *row; /* (rows): lines */
    const bf_allocator *allocator;
} parse;

static bf_status bad_value(const parse *with, int c, int64_t line, const char *field,
                           const char *end, bf_error *err) {
    char where[320];
    snprintf(where, sizeof where, "%.290s:%lld", with->file->path, (long long)line);
    return bf__field_wrong(with->dialect, field, end, &with->sinks[c], where, with->file->names[c],
                           err);
}

static bf_status bad_count(const parse *with, int64_t line, const char *p, const char *end,
                           bf_error *err) {
    const bf__file *file = with->file;
    int64_t found = bf__count_fields(with->dialect, p, end);
    return bf_fail(err, BF_EFORMAT, "%s:%lld: %lld field%s, but the %s has %d", file->path,
                   (long long)line, (long long)found, found == 1 ? "" : "s",
                   file->bare ? "first row" : "header", file->count);
}

/* A row that is wrong as a whole has no values. */
static void spoil_row(const parse *with, int64_t row) {
    for (int c = 0; c < with->file->count; c++)
        if (with->sinks[c].values)
            with->sinks[c].values[row] = bf__faulty();
}

static bf_status parse_row(const parse *with, bf__chunk *part, const char *p, const char *end,
                           int64_t line, int64_t row) {
    const bf__dialect *d = with->dialect;
    const char *begin = p;
    for (int c = 0;; c++) {
        const bf__sink *sink = &with->sinks[c];
        const char *after;
        double value;
        if (!sink->values)
            after = bf__field_end(d, p, end);
        else if (!sink->words)
            after = bf__field_number(d, p, end, sink, &value);
        else
            BF_TRY(bf__field_word(&after, d, p, end, sink, part->words[with->shared[c]], &value,
                                  &part->err));
        if (!after) {
            bf_status bad = bad_value(with, c, line, p, end, &part->err);
            bf_fault at = bf__fault_in(with->file->path, with->file->names[c]);
            at.row = line;
            BF_TRY(bf__faults_take(part->faults, bad, &at, &part->err));
            after = bf__field_end(d, p, end);
            value = bf__faulty();
        }
        if (sink->values)
            sink->values[row] = value;
        p = after;
        bool more = p < end && *p == d->delimiter;
        if (more != (c + 1 < with->file->count)) {
            bf_fault at = bf__fault_in(with->file->path, NULL);
            at.row = line;
            spoil_row(with, row);
            return bf__faults_take(part->faults, bad_count(with, line, begin, end, &part->err), &at,
                                   &part->err);
        }
        if (!more)
            return BF_OK;
        p++;
    }
}

/* What the chunk has of its own: faults, and dictionaries of the columns that hold words. */
static bf_status make_words(const parse *with, bf__chunk *part) {
    if (!with->words && !with->file->faults)
        return BF_OK;
    BF_TRY(bf_arena_create(&part->arena, with->allocator, &part->err));
    if (with->file->faults)
        BF_TRY(
            bf__faults_create(&part->faults, with->file->faults->limit, part->arena, &part->err));
    BF_ZALLOC(part->words, part->arena, with->file->count, &part->err);
    for (int c = 0; c < with->file->count; c++)
        if (with->sinks[c].words && with->shared[c] == c)
            BF_TRY(bf__words_create(&part->words[c], part->arena, &part->err));
    return BF_OK;
}

static bf_status parse_rows(const parse *with, bf__chunk *part, bool quotes) {
    int64_t line = part->first_line, row = part->first_row;
    BF_TRY(make_words(with, part));
    for (const char *p = part->begin; p < part->end;) {
        const char *end = bf__record_end(with->dialect, p, part->end, quotes);
        if (bf__is_record(with->dialect, p, end)) {
            BF_TRY(parse_row(with, part, p, end, line, row));
            with->row[row++] = line;
        }
        line++;
        if (quotes)
            for (const char *feed = p; (feed = memchr(feed, '\n', (size_t)(end - feed))); feed++)
                line++;
        p = end + 1;
    }
    return BF_OK;
}

/* Codes of the chunk become codes of the dictionaries. */
static bf_status join_words(const parse *with, const bf__chunk *part, bf_arena *scratch,
                            bf_error *err) {
    double *code;
    for (int first = 0; with->words && first < with->file->count; first++) {
        const bf__words *own = part->words[first];
        if (!own)
            continue;
        bf_mark mark = bf_arena_mark(scratch);
        BF_ALLOC(code, scratch, own->count, err);
        for (int64_t k = 0; k < own->count; k++) {
            int64_t joined;
            BF_TRY(bf__words_add(with->sinks[first].words, own->text[k], strlen(own->text[k]),
                                 &joined, err));
            code[k] = (double)joined;
        }
        for (int c = first; c < with->file->count; c++) {
            if (with->sinks[c].words != with->sinks[first].words || with->shared[c] != first ||
                !with->sinks[c].values)
                continue;
            double *values = with->sinks[c].values + part->first_row;
            for (int64_t i = 0; i < part->rows; i++)
                if (values[i] >= 0 && values[i] < (double)own->count)
                    values[i] = code[(int64_t)values[i]];
        }
        bf_arena_rewind(scratch, mark);
    }
    return BF_OK;
}

static bf_status join_faults(bf__faults *all, const bf__faults *own, bf_error *err) {
    for (int k = 0; own && k < own->count; k++)
        BF_TRY(bf__faults_add(all, &own->list[k], err));
    if (own)
        all->found += own->found - own->count;
    return BF_OK;
}

static bf_status finish_wave(const parse *with, bf__chunk *chunks, int64_t count, bf_arena *scratch,
                             bf_error *err) {
    bf_status status = BF_OK;
    for (int64_t k = 0; k < count; k++) {
        if (status == BF_OK && (status = chunks[k].status) != BF_OK && err)
            *err = chunks[k].err;
        if (status == BF_OK)
            status = join_words(with, &chunks[k], scratch, err);
        if (status == BF_OK)
            status = join_faults(with->file->faults, chunks[k].faults, err);
        bf_arena_destroy(chunks[k].arena);
        chunks[k].arena = NULL;
    }
    return status;
}

/* shared[c] is the first column that has the dictionary of column c. */
static bf_status find_shared(parse *with, bf_arena *scratch, bf_error *err) {
    BF_ALLOC(with->shared, scratch, with->file->count, err);
    for (int c = 0; c < with->file->count; c++) {
        with->shared[c] = c;
        with->words |= with->sinks[c].words != NULL;
        for (int b = c - 1; with->sinks[c].words && b >= 0; b--)
            if (with->sinks[b].words == with->sinks[c].words)
                with->shared[c] = b;
    }
    return BF_OK;
}

bf_status bf__rows_fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                        const bf_context *context, bf_arena *scratch, bf_error *err) {
    const bf__layout *own = file->own;
    parse with = {file, &own->dialect, sinks, NULL, false, row, bf_arena_allocator(scratch)};
    int threads = bf__threads(context);
    int64_t wave = (int64_t)WAVE * threads;
    char task[160];
    snprintf(task, sizeof task, "reading %s", file->path);
    BF_TRY(find_shared(&with, scratch, err));
    for (int64_t first = 0; first < own->count; first += wave) {
        if (!bf__progress(context, task, (double)first, (double)own->count, NULL))
            return bf_fail(err, BF_ECANCELLED, "%s: reading was interrupted", file->path);
        int64_t last = first + wave < own->count ? first + wave : own->count;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (last - first > 1)
        for (int64_t k = first; k < last; k++)
            own->chunks[k].status = parse_rows(&with, &own->chunks[k], own->quotes);
        BF_TRY(finish_wave(&with, own->chunks + first, last - first, scratch, err));
        const char *done = own->chunks[last - 1].end;
        bf__bytes_forget(&file->bytes, (size_t)(done - (const char *)file->bytes.data));
    }
    return BF_OK;
}
