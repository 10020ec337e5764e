/* stream_text.c - A log in pieces: text, by ranges of its bytes.
 *
 * Piece [begin, end) of a file has the episodes whose first row begins in it. To find them, some
 * bytes before `begin` are read as well, for the row that comes before, and some after `end`, for
 * the rest of the last episode; more of either until it is enough. What the CSV reader is given is
 * the header and these bytes, so that a piece is read by the code that reads files.
 *
 * Lines in messages are those of the file: the lines before a piece are counted if a message needs
 * them, or known from an earlier reading. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/fail.h"
#include "dataset/stream.h"

enum { MOST_HEADER = 1 << 20, AROUND = 1 << 16 };

/* ---- The header */

/* Where the first row begins: after the first line that is neither blank nor a comment. */
static bf_status find_header(bf__streamed *s, const unsigned char *bytes, int64_t size,
                             bf_error *err) {
    int64_t at = 0;
    for (bool found = false; !found && at < size; at++, s->header_lines++) {
        const unsigned char *feed = memchr(bytes + at, '\n', (size_t)(size - at));
        int64_t stop = feed ? feed - bytes : size;
        int64_t first = at == 0 && size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : at;
        while (first < stop && bytes[first] <= ' ')
            first++;
        found = first < stop && bytes[first] != '#';
        if (!feed)
            return found && size == s->size
                       ? BF_OK /* the reader will say that there are no rows */
                       : bf_fail(err, BF_EFORMAT, "%s: no line of column names", s->path);
        at = stop;
    }
    s->header = at;
    return BF_OK;
}

bf_status bf__stream_header(bf__streamed *of, bf__open_file *open, bf_arena *arena, bf_error *err) {
    int64_t size = of->size < MOST_HEADER ? of->size : MOST_HEADER;
    unsigned char *bytes;
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(bytes, arena, size, err);
    BF_TRY(bf__open_file_bytes(open, bytes, 0, size, err));
    BF_TRY(find_header(of, bytes, size, err));
    bf_arena_rewind(arena, mark);
    BF_ALLOC(of->head, arena, of->header, err);
    return bf__open_file_bytes(open, of->head, 0, of->header, err);
}

/* ---- A piece of text */

/* The bytes around a piece, after the header. */
typedef struct window {
    bf__bytes bytes;
    int64_t low, high; /* what of the file it has */
    int64_t header;
} window;

static int64_t feeds(const unsigned char *from, const unsigned char *to) {
    int64_t count = 0;
    while (from < to && (from = memchr(from, '\n', (size_t)(to - from)))) {
        count++;
        from++;
    }
    return count;
}

/* Bytes [low, high) of the file, less parts of lines at both ends. */
static bf_status read_window(window *w, bf__open_file *open, int64_t low, int64_t high,
                             bf_error *err) {
    const bf__streamed *s = open->of;
    size_t size = (size_t)(s->header + high - low);
    unsigned char *data =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return bf_fail(err, BF_ENOMEM, "%s: out of memory: a piece has %zu bytes", s->path, size);
    w->bytes = (bf__bytes){data, size, true};
    w->header = s->header;
    if (s->header > 0)
        memcpy(data, s->head, (size_t)s->header);
    unsigned char *rows = data + s->header, *end = data + size;
    BF_TRY(bf__open_file_bytes(open, rows, low, high - low, err));
    if (low > s->header) { /* from the first line that is whole */
        unsigned char *feed = memchr(rows, '\n', (size_t)(end - rows));
        int64_t skip = feed ? feed + 1 - rows : end - rows;
        memmove(rows, rows + skip, (size_t)(end - rows - skip));
        low += skip;
        end -= skip;
    }
    while (high < s->size && end > rows && end[-1] != '\n') {
        end--;
        high--;
    }
    w->low = low;
    w->high = high;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size_t)(end - data);
    size_t kept = (used + page - 1) / page * page, whole = (size + page - 1) / page * page;
    if (kept > 0 && kept < whole)
        munmap(data + kept, whole - kept);
    w->bytes.size = kept > 0 ? used : size;
    if (memchr(rows, '"', (size_t)(end - rows)))
        return bf_fail(err, BF_EDATA,
                       "%s: has quotes, in which a line may go on: it cannot be read in pieces",
                       s->path);
    return BF_OK;
}

/* Lines of the window that begin before byte `at` of the file. */
static int64_t lines_before(const window *w, int64_t at) {
    const unsigned char *rows = w->bytes.data + w->header;
    return at <= w->low ? 0 : 1 + feeds(rows, rows + (at - 1 - w->low));
}

static bf_status count_feeds(int64_t *out, bf__open_file *open, int64_t end, bf_arena *arena,
                             bf_error *err) {
    unsigned char *bytes;
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(bytes, arena, AROUND, err);
    *out = 0;
    for (int64_t at = 0; at < end; at += AROUND) {
        int64_t size = end - at < AROUND ? end - at : AROUND;
        BF_TRY(bf__open_file_bytes(open, bytes, at, size, err));
        *out += feeds(bytes, bytes + size);
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* One attempt with so many bytes before and after; `lines` are those before the piece. */
static bf_status try_piece(bf_dataset *out, bf__piece *p, double *own_lines, bf__open_file *open,
                           const bf__range_of *at, int64_t behind, int64_t ahead, int64_t lines,
                           const bf_read_options *options, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    const bf__streamed *s = open->of;
    window w = {.low = 0};
    int64_t low = at->begin - behind > s->header ? at->begin - behind : s->header;
    int64_t high = s->size - at->end > ahead ? at->end + ahead : s->size;
    *p = (bf__piece){0};
    bf_status status = read_window(&w, open, low, high, err);
    if (status != BF_OK) {
        bf__bytes_close(&w.bytes);
        return status;
    }
    const unsigned char *rows = w.bytes.data + w.header;
    int64_t before = feeds(rows, rows + (at->begin > w.low ? at->begin - w.low : 0));
    int64_t stop = at->end < w.high ? at->end : w.high;
    *own_lines = (double)feeds(rows + (at->begin - w.low), rows + (stop - w.low));
    bf__file text = {.path = s->path,
                     .reader = s->reader,
                     .bytes = w.bytes,
                     .delimiter = options->delimiter,
                     .decimal = options->decimal,
                     .line_base = lines - before - s->header_lines,
                     .piece = p};
    int64_t first = lines - before + 1; /* the line that the window begins with */
    p->from_start = w.low == s->header;
    p->to_end = w.high == s->size;
    p->first_line = first + lines_before(&w, at->begin);
    p->end_line = p->to_end && at->end == s->size ? INT64_MAX : first + lines_before(&w, at->end);
    return bf__dataset_from(out, &text, options, context, arena, err);
}

bf_status bf__stream_text(bf_dataset *out, bf__piece *p, double *own_lines, bf__open_file *open,
                          const bf__range_of *at, int64_t lines, const bf_read_options *options,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf__streamed *of = open->of;
    bool whole = at->begin == of->header && at->end == of->size;
    int64_t behind = whole ? 0 : AROUND, ahead = behind, counted = lines;
    lines = lines >= 0 ? lines : of->header_lines;
    for (;;) {
        bf_mark mark = bf_arena_mark(arena);
        bf_status status = try_piece(out, p, own_lines, open, at, behind, ahead, lines, options,
                                     context, arena, err);
        if (status != BF_OK && status != BF_ENOMEM && status != BF_ECANCELLED && counted < 0) {
            /* once more, for the message to name the lines of the file */
            BF_TRY(count_feeds(&counted, open, at->begin, arena, err));
            return try_piece(out, p, own_lines, open, at, behind, ahead, counted, options, context,
                             arena, err);
        }
        BF_TRY(status);
        if (!p->short_behind && !p->short_ahead)
            return BF_OK;
        behind *= p->short_behind ? 8 : 1;
        ahead *= p->short_ahead ? 8 : 1;
        bf_arena_rewind(arena, mark);
    }
}
