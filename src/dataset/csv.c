/* csv.c - Logs as comma-separated text.
 *
 * A header of column names, then one record a line: numbers between commas, perhaps in quotes
 * (doubled inside), blanks around them allowed; LF or CRLF; a byte-order mark, lines that start
 * with '#' and blank lines are skipped. Columns that nobody asked for may hold any text.
 *
 * The file is in memory. A first pass finds the records and cuts the file into chunks of about
 * 2 MiB at their ends; then the rows of a chunk have a known place in the columns, and chunks are
 * parsed by any number of threads with the same result. Waves of chunks run one after another:
 * between them progress is told, text that has been parsed is given back to the system, and the
 * first bad record of the file is the one reported.
 *
 * Cost: one look at every byte in the first pass (memchr), one parse in the second. Memory: the
 * file shrinks while the columns grow, so that the larger of the two is what is needed. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/context.h"
#include "core/fail.h"
#include "dataset/reader.h"
#include "format/number.h"

#define CHUNK ((ptrdiff_t)2 << 20)
#define WAVE  8 /* chunks per thread between two reports of progress */

typedef struct chunk {
    const char *begin, *end;
    int64_t first_row, rows;
    int64_t first_line; /* 1-based line of `begin` */
    bf_status status;
    bf_error err;
} chunk;

/* What `open` leaves for `fill`. */
typedef struct layout {
    chunk *chunks;
    int64_t count;
    bool quotes; /* there is a quote, so a record may go over several lines */
} layout;

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && is_blank(*p))
        p++;
    return p;
}

/* ---- Records and fields */

/* Says if p is at the end of a record: a line feed, with or without a carriage return, or the
 * end. */
static inline bool at_end(const char *p, const char *end) {
    return p == end || *p == '\n' || (*p == '\r' && (p + 1 == end || p[1] == '\n'));
}

/* Comments and blank lines are no records. */
static inline bool is_record(const char *p, const char *end) {
    if (p<end && * p> ' ')
        return *p != '#';
    return !at_end(skip_blanks(p, end), end);
}

/* The character after the field at p: a comma or the end of the record. */
static const char *field_end(const char *p, const char *end) {
    const char *start = skip_blanks(p, end);
    if (start < end && *start == '"') {
        for (p = start + 1; p < end; p++)
            if (*p == '"' && !(p + 1 < end && p[1] == '"' && p++))
                break;
    }
    while (p < end && *p != ',' && !at_end(p, end))
        p++;
    return p;
}

/* The line feed that ends the record at p, or `end`. A quote means something only where a field
 * starts with it. */
static const char *record_end(const char *p, const char *end, bool quotes) {
    if (!quotes || *p == '#') {
        const char *feed = memchr(p, '\n', (size_t)(end - p));
        return feed ? feed : end;
    }
    while ((p = field_end(p, end)) < end && *p == ',')
        p++;
    return p < end && *p == '\r' ? p + 1 : p;
}

/* The text of the field [p, end) without blanks and quotes, into `text`; returns its length, or
 * -1 where it does not fit. What cannot be printed becomes '?'. */
static int field_text(const char *p, const char *end, char *text, int size) {
    p = skip_blanks(p, end);
    while (end > p && is_blank(end[-1]))
        end--;
    if (end - p >= 2 && *p == '"' && end[-1] == '"') {
        p = skip_blanks(p + 1, end - 1);
        end--;
        while (end > p && is_blank(end[-1]))
            end--;
    }
    int length = 0;
    for (; p < end && length < size - 1; p++) {
        if (*p == '"' && p + 1 < end && p[1] == '"')
            p++;
        text[length++] = *p;
        if ((unsigned char)*p < ' ' || *p == 127)
            text[length - 1] = '?';
    }
    text[length] = '\0';
    return p < end ? -1 : length;
}

/* ---- Rows */

/* Says what is wrong with the field at p of column c. */
static bf_status bad_value(const bf__file *file, int c, bool flag, int64_t line, const char *p,
                           const char *end, bf_error *err) {
    char text[48];
    double value;
    const char *path = file->path, *name = file->names[c], *after = field_end(p, end);
    int length = field_text(p, after, text, sizeof text);
    p = skip_blanks(p, end);
    if (p < end && *p == '"' && (after - p == 1 || !memchr(p + 1, '"', (size_t)(after - p - 1))))
        return bf_fail(err, BF_EFORMAT, "%s:%lld: %s: a quote is opened and never closed", path,
                       (long long)line, name);
    if (length == 0)
        return bf_fail(err, BF_EFORMAT, "%s:%lld: %s: empty, but every row needs a number here",
                       path, (long long)line, name);
    const char *rest = bf__number(text, text + strlen(text), &value);
    const char *word = text + (*text == '-' || *text == '+');
    if (length > 0 &&
        ((rest && !*rest) || !strncasecmp(word, "nan", 3) || !strncasecmp(word, "inf", 3)))
        return bf_fail(err, BF_EDATA, "%s:%lld: %s: '%s' is not a finite number", path,
                       (long long)line, name, text);
    return bf_fail(err, BF_EFORMAT, "%s:%lld: %s: '%s%s' is %s", path, (long long)line, name, text,
                   length < 0 ? "..." : "", flag ? "neither 0 nor 1" : "not a number");
}

/* A field in quotes, or "true" or "false" in a column of flags; NULL where it is no number. */
static const char *unusual_value(const char *p, const char *end, const bf__sink *sink,
                                 double *out) {
    char text[256];
    const char *after = field_end(p, end);
    int length = field_text(p, after, text, sizeof text);
    if (length <= 0)
        return NULL;
    if (sink->flag && (strcasecmp(text, "true") == 0 || strcasecmp(text, "false") == 0)) {
        *out = text[0] == 't' || text[0] == 'T';
        return after;
    }
    const char *rest = bf__number(text, text + length, out);
    return rest == text + length ? after : NULL;
}

static inline const char *value_at(const char *p, const char *end, const bf__sink *sink,
                                   double *out) {
    const char *after = bf__number(p, end, out);
    if (after && after < end && *after == ',')
        return after;
    p = skip_blanks(p, end);
    after = bf__number(p, end, out);
    if (after) {
        after = skip_blanks(after, end);
        if ((after < end && *after == ',') || at_end(after, end))
            return after;
    }
    return unusual_value(p, end, sink, out);
}

static int64_t count_fields(const char *p, const char *end) {
    int64_t count = 1;
    for (p = field_end(p, end); p < end && *p == ','; p = field_end(p + 1, end))
        count++;
    return count;
}

static bf_status bad_count(const bf__file *file, int64_t line, int64_t found, bf_error *err) {
    return bf_fail(err, BF_EFORMAT, "%s:%lld: %lld field%s, but the %s has %d", file->path,
                   (long long)line, (long long)found, found == 1 ? "" : "s",
                   file->bare ? "first row" : "header", file->count);
}

static bf_status parse_row(const bf__file *file, const char *p, const char *end, int64_t line,
                           int64_t row, const bf__sink *sinks, bf_error *err) {
    const char *begin = p;
    for (int c = 0;; c++) {
        const bf__sink *sink = &sinks[c];
        if (sink->values) {
            double value;
            const char *after = value_at(p, end, sink, &value);
            if (!after || !(value - value == 0))
                return bad_value(file, c, sink->flag, line, p, end, err);
            sink->values[row] = value;
            p = after;
        } else {
            p = field_end(p, end);
        }
        bool more = p < end && *p == ',';
        if (more != (c + 1 < file->count))
            return bad_count(file, line, count_fields(begin, end), err);
        if (!more)
            return BF_OK;
        p++;
    }
}

static void parse_chunk(const bf__file *file, chunk *part, bool quotes, const bf__sink *sinks,
                        int64_t *rows) {
    int64_t line = part->first_line, row = part->first_row;
    for (const char *p = part->begin; p < part->end;) {
        const char *end = record_end(p, part->end, quotes);
        if (is_record(p, end)) {
            part->status = parse_row(file, p, end, line, row, sinks, &part->err);
            if (part->status != BF_OK)
                return;
            rows[row++] = line;
        }
        line++;
        if (quotes)
            for (const char *feed = p; (feed = memchr(feed, '\n', (size_t)(end - feed))); feed++)
                line++;
        p = end + 1;
    }
}

static bf_status fill(const bf__file *file, const bf__sink *sinks, int64_t *row,
                      const bf_context *context, bf_arena *scratch, bf_error *err) {
    (void)scratch;
    const layout *own = file->own;
    int threads = bf__threads(context);
    int64_t wave = (int64_t)WAVE * threads;
    char task[160];
    snprintf(task, sizeof task, "reading %s", file->path);
    for (int64_t first = 0; first < own->count; first += wave) {
        if (!bf__progress(context, task, (double)first, (double)own->count, NULL))
            return bf_fail(err, BF_ECANCELLED, "%s: reading was interrupted", file->path);
        int64_t last = first + wave < own->count ? first + wave : own->count;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (last - first > 1)
        for (int64_t k = first; k < last; k++)
            parse_chunk(file, &own->chunks[k], own->quotes, sinks, row);
        for (int64_t k = first; k < last; k++)
            if (own->chunks[k].status != BF_OK) {
                if (err)
                    *err = own->chunks[k].err;
                return own->chunks[k].status;
            }
        const char *done = own->chunks[last - 1].end;
        bf__bytes_forget(&file->bytes, (size_t)(done - (const char *)file->bytes.data));
    }
    return BF_OK;
}

/* ---- The header and the first pass */

/* A header that is none: numbers, or words with another separator between them. */
static bf_status check_header(const bf__file *file, int64_t line, bool comments, bf_error *err) {
    double value;
    for (int c = 0; c < file->count; c++) {
        const char *name = file->names[c];
        const char *rest = bf__number(name, name + strlen(name), &value);
        if (rest && !*rest)
            return bf_fail(err, BF_EFORMAT,
                           "%s:%lld: '%s' stands where a column name should; the first line has to "
                           "name the columns: s0,s1,a,r,...%s",
                           file->path, (long long)line, name,
                           comments ? " (a header after '#' is a comment)" : "");
    }
    if (file->count == 1) {
        char separator = (char)(strchr(file->names[0], ';')   ? ';'
                                : strchr(file->names[0], '|') ? '|'
                                                              : 0);
        if (separator || strpbrk(file->names[0], "? "))
            return bf_fail(err, BF_EFORMAT,
                           "%s:%lld: one column, '%.60s'; columns are separated by commas",
                           file->path, (long long)line, file->names[0]);
    }
    return BF_OK;
}

static bf_status read_header(bf__file *file, const char *p, const char *end, bf_arena *scratch,
                             bf_error *err) {
    int64_t count = count_fields(p, end);
    if (count > 1 << 20)
        return bf_fail(err, BF_EFORMAT, "%s: %lld columns are more than can be read", file->path,
                       (long long)count);
    file->count = (int)count;
    BF_ALLOC(file->names, scratch, count, err);
    for (int c = 0; c < file->count; c++) {
        const char *after = field_end(p, end);
        int size = (int)(after - p < 1000 ? after - p : 1000) + 16;
        char *name;
        BF_ALLOC(name, scratch, size, err);
        if (file->bare)
            snprintf(name, (size_t)size, "pi%d", c);
        else
            field_text(p, after, name, size);
        file->names[c] = name;
        p = after + 1;
    }
    return BF_OK;
}

/* Cuts [p, end) at the ends of records and counts the rows. */
static bf_status cut(bf__file *file, layout *own, const char *p, const char *end, int64_t line,
                     bf_arena *scratch, bf_error *err) {
    own->quotes = memchr(p, '"', (size_t)(end - p)) != NULL;
    BF_ALLOC(own->chunks, scratch, (end - p) / CHUNK + 2, err);
    while (p < end) {
        chunk *part = &own->chunks[own->count++];
        *part = (chunk){.begin = p, .first_row = file->rows, .first_line = line};
        while (p < end && p - part->begin < CHUNK) {
            const char *stop = record_end(p, end, own->quotes);
            part->rows += is_record(p, stop);
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

static bf_status open_csv(bf__file *file, const bf_context *context, bf_arena *scratch,
                          bf_error *err) {
    (void)context;
    const char *p = (const char *)file->bytes.data, *end = p + file->bytes.size;
    if (file->bytes.size >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    int64_t line = 1;
    bool comments = false;
    const char *stop = NULL;
    for (; p < end; p = stop + 1, line++) {
        stop = record_end(p, end, true);
        if (is_record(p, stop))
            break;
        comments |= *p == '#';
        if (stop == end)
            p = stop - 1; /* so that the step after it ends the loop at `end` */
    }
    if (p >= end)
        return bf_fail(err, BF_EFORMAT, "%s: no line of column names: the file is empty",
                       file->path);
    if (memchr(p, '\0', (size_t)(stop - p)))
        return bf_fail(err, BF_EFORMAT, "%s: not text: byte 0 in line %lld", file->path,
                       (long long)line);
    BF_TRY(read_header(file, p, stop, scratch, err));
    if (!file->bare) {
        BF_TRY(check_header(file, line, comments, err));
        for (const char *f = p; (f = memchr(f, '\n', (size_t)(stop - f))); f++)
            line++;
        p = stop < end ? stop + 1 : end;
        line++;
    }
    layout *own;
    BF_ZALLOC(own, scratch, 1, err);
    file->own = own;
    BF_TRY(cut(file, own, p, end, line, scratch, err));
    if (file->rows == 0)
        return bf_fail(err, BF_EFORMAT, "%s: only a header; there are no rows", file->path);
    return BF_OK;
}

/* The file is text if no byte among the first ones is below a tab. */
static bool claims(const unsigned char *head, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (head[i] < '\t')
            return false;
    return true;
}

const bf__reader bf__reader_csv = {
    .name = "csv",
    .summary = "comma-separated text with a header",
    .suffix = ".csv",
    .by_line = true,
    .claims = claims,
    .open = open_csv,
    .fill = fill,
};
