/* csv.c - Logs as comma-separated text: the header, and what the columns hold.
 *
 * A header of column names, then one record a line: values between commas, or whatever stands
 * between the names, perhaps in quotes
 * (doubled inside), blanks around them allowed; LF or CRLF; a byte-order mark, lines that start
 * with '#' and blank lines are skipped. Columns that nobody asked for may hold any text. A look at
 * the first rows says which columns hold numbers and which hold words. csv_rows.c reads the rows.
 */
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/csv_rows.h"
#include "dataset/piece.h"
#include "format/number.h"

#define LOOK       1000 /* rows that are looked at, to see what columns hold */
#define LOOK_BYTES ((ptrdiff_t)1 << 20)

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
        if (strpbrk(file->names[0], "|,;? "))
            return bf_fail(err, BF_EFORMAT,
                           "%s:%lld: one column, '%.60s'; columns are separated by commas, "
                           "semicolons or tabs, or `delimiter` says by what",
                           file->path, (long long)line, file->names[0]);
    }
    return BF_OK;
}

/* The delimiter that the options name; 0: it is to be found. */
static bf_status named_delimiter(char *out, const bf__file *file, bf_error *err) {
    const char *text = file->delimiter;
    *out = 0;
    if (!text || strcmp(text, "auto") == 0)
        return BF_OK;
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0)
        text = "\t";
    if (!*text || text[1] || strchr("\"#\n\r.+-", *text) || (*text >= '0' && *text <= '9'))
        return bf_fail(err, BF_EUSAGE,
                       "`delimiter`: '%s' cannot be between fields; one character can, or tab",
                       file->delimiter);
    *out = *text;
    return BF_OK;
}

/* The delimiter that stands most often between the names [p, end). */
static char usual_delimiter(const char *p, const char *end, char decimal) {
    static const char known[] = ",;\t";
    int count[3] = {0};
    bool quoted = false;
    for (; p < end; p++) {
        const char *at = *p ? strchr(known, *p) : NULL;
        quoted ^= *p == '"';
        if (at && !quoted)
            count[at - known]++;
    }
    int best = decimal == ',';
    for (int k = best + 1; k < 3; k++)
        if (count[k] > count[best])
            best = k;
    return known[best];
}

/* How the text is written, by what the options say and the line at p, which may be the header. */
static bf_status find_dialect(bf__dialect *out, const bf__file *file, const char *p,
                              const char *end, bf_error *err) {
    const char *decimal = file->decimal ? file->decimal : ".";
    if (strcmp(decimal, ".") != 0 && strcmp(decimal, ",") != 0)
        return bf_fail(err, BF_EUSAGE, "`decimal`: '%s' is neither . nor ,", decimal);
    BF_TRY(named_delimiter(&out->delimiter, file, err));
    out->decimal = decimal[0];
    if (out->delimiter == out->decimal)
        return bf_fail(err, BF_EUSAGE, "`delimiter`: '%c' is the decimal point, too", out->decimal);
    if (!out->delimiter) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        out->delimiter = usual_delimiter(p, stop ? stop : end, out->decimal);
    }
    return BF_OK;
}

static bf_status read_header(bf__file *file, const bf__dialect *d, const char *p, const char *end,
                             bf_arena *scratch, bf_error *err) {
    int64_t count = bf__count_fields(d, p, end);
    if (count > 1 << 20)
        return bf_fail(err, BF_EFORMAT, "%s: %lld columns are more than can be read", file->path,
                       (long long)count);
    file->count = (int)count;
    BF_ALLOC(file->names, scratch, count, err);
    for (int c = 0; c < file->count; c++) {
        const char *after = bf__field_end(d, p, end);
        int size = (int)(after - p < 1000 ? after - p : 1000) + 16;
        char *name;
        BF_ALLOC(name, scratch, size, err);
        if (file->bare)
            snprintf(name, (size_t)size, "pi%d", c);
        else
            bf__field_text(d, p, after, name, size);
        file->names[c] = name;
        p = after + 1;
    }
    return BF_OK;
}

/* Looks at the first rows, from p on. */
static bf_status look_at(bf__file *file, const bf__layout *own, const char *p, const char *end,
                         bf_arena *scratch, bf_error *err) {
    const bf__dialect *d = &own->dialect;
    const char *begin = p;
    bf__look *looks;
    BF_ZALLOC(looks, scratch, file->count, err);
    file->looks = looks;
    for (int rows = 0; rows < LOOK && p < end && p - begin < LOOK_BYTES; rows++) {
        const char *stop = bf__record_end(d, p, end, own->quotes);
        bool record = bf__is_record(d, p, stop);
        for (int c = 0; record && c < file->count && p < stop; c++) {
            const char *after = bf__field_end(d, p, stop);
            bf__field_look(&looks[c], d, p, after);
            p = after + 1;
        }
        p = stop + 1;
    }
    return BF_OK;
}

static bf_status open_csv(bf__file *file, const bf_context *context, bf_arena *scratch,
                          bf_error *err) {
    (void)context;
    const char *p = (const char *)file->bytes.data, *end = p + file->bytes.size;
    bf__layout *own;
    BF_ZALLOC(own, scratch, 1, err);
    const bf__dialect *d = &own->dialect;
    file->own = own;
    if (file->bytes.size >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    int64_t line = 1;
    bool comments = false;
    const char *stop = NULL;
    for (; p < end; p = stop + 1, line++) {
        BF_TRY(find_dialect(&own->dialect, file, p, end, err));
        stop = bf__record_end(d, p, end, true);
        if (bf__is_record(d, p, stop))
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
    BF_TRY(read_header(file, d, p, stop, scratch, err));
    if (!file->bare) {
        BF_TRY(check_header(file, line, comments, err));
        for (const char *f = p; (f = memchr(f, '\n', (size_t)(stop - f))); f++)
            line++;
        p = stop < end ? stop + 1 : end;
        line++;
    }
    BF_TRY(bf__rows_cut(file, own, p, end, line + file->line_base, scratch, err));
    bool part = file->piece && !(file->piece->from_start && file->piece->to_end);
    if (file->rows == 0 && part)
        return BF_OK;
    if (file->rows == 0)
        return bf_fail(err, BF_EFORMAT, "%s: only a header; there are no rows", file->path);
    return look_at(file, own, p, end, scratch, err);
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
    .summary = "text with a header, separated by commas, semicolons or tabs",
    .suffix = ".csv",
    .by_line = true,
    .claims = claims,
    .open = open_csv,
    .fill = bf__rows_fill,
};
