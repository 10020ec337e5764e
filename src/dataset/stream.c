/* stream.c - A log in pieces: text is cut near equal numbers of bytes, between two episodes.
 *
 * Piece [begin, end) of a file has the episodes whose first row begins in it. To find them, some
 * bytes before `begin` are read as well, for the row that comes before, and some after `end`, for
 * the rest of the last episode; more of both until it is enough. What the CSV reader is given is
 * the header and these bytes, so that a piece is read by the code that reads files.
 *
 * Lines in messages are those of the file: the lines before a piece are counted if a message needs
 * them, or known from an earlier reading.
 *
 * Memory  the bytes of a piece, and its rows. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "dataset/piece.h"
#include "dataset/reader.h"

enum { HEAD = 512, MOST_HEADER = 1 << 20, AROUND = 1 << 16 };
static const int64_t usual = (int64_t)32 << 20;

typedef struct source {
    const char *path;
    bool cut;       /* text, in pieces */
    int64_t size;   /* bytes */
    int64_t header; /* bytes up to the first row */
    int64_t header_lines;
} source;

typedef struct place {
    int file;
    int64_t begin, end;
} place;

/* What is known of a piece that was read. */
enum { SEEN, ROWS, LINES, ENDED, HAS_ID, HAS_T, TIMED, FIRST_ID, LAST_ID, FIRST_T, LAST_T, NOTES };

struct bf_stream {
    source *sources;
    int source_count;
    place *places;
    int64_t count;
    double *notes; /* (count, NOTES) */
    bf_read_options options;
    bool settled;
    int actions;
    int64_t states;
};

/* ---- Files */

/* Reads bytes [from, from + size) of a file. */
static bf_status read_at(unsigned char *to, int file, const char *path, int64_t from, int64_t size,
                         bf_error *err) {
    while (size > 0) {
        ssize_t got = pread(file, to, (size_t)size, from);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", path, strerror(errno));
        if (got == 0)
            return bf_fail(err, BF_EFILE, "%s: became shorter while it was being read", path);
        to += got;
        from += got;
        size -= got;
    }
    return BF_OK;
}

static bool is_csv(const unsigned char *head, size_t length, const bf_read_options *options) {
    if (options->format && strcmp(options->format, "auto") != 0)
        return strcmp(options->format, "csv") == 0;
    for (int i = 0; bf__reader_at(i); i++)
        if (bf__reader_at(i)->claims(head, length))
            return strcmp(bf__reader_at(i)->name, "csv") == 0;
    return false;
}

/* Where the first row begins: after the first line that is neither blank nor a comment. */
static bf_status find_header(source *s, const unsigned char *bytes, int64_t size, bf_error *err) {
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

static bf_status open_source(source *s, int file, const bf_read_options *options, bf_arena *arena,
                             bf_error *err) {
    struct stat about;
    unsigned char head[HEAD], *bytes;
    if (fstat(file, &about) != 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", s->path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return bf_fail(err, BF_EFILE, "%s: is a folder, not a file", s->path);
    if (!S_ISREG(about.st_mode))
        return bf_fail(err, BF_EFILE,
                       "%s: is no plain file: a log that is read in pieces is read several times",
                       s->path);
    s->size = about.st_size;
    int64_t length = s->size < HEAD ? s->size : HEAD;
    BF_TRY(read_at(head, file, s->path, 0, length, err));
    s->cut = length > 0 && is_csv(head, (size_t)length, options);
    if (!s->cut)
        return BF_OK;
    bf_mark mark = bf_arena_mark(arena);
    int64_t size = s->size < MOST_HEADER ? s->size : MOST_HEADER;
    BF_ALLOC(bytes, arena, size, err);
    BF_TRY(read_at(bytes, file, s->path, 0, size, err));
    BF_TRY(find_header(s, bytes, size, err));
    bf_arena_rewind(arena, mark);
    if (s->header == 0)
        s->cut = false; /* one line: nothing to cut */
    return BF_OK;
}

static int64_t pieces_of(const source *s, int64_t bytes) {
    return s->cut && s->size - s->header > bytes ? (s->size - s->header + bytes - 1) / bytes : 1;
}

bf_status bf_stream_open(bf_stream **out, const char *const *paths, int count,
                         const bf_read_options *options, int64_t bytes, bf_arena *arena,
                         bf_error *err) {
    bf_stream *s;
    if (count < 1)
        return bf_fail(err, BF_EUSAGE, "no log to read");
    if (bytes < 0)
        return bf_fail(err, BF_EUSAGE, "bytes: %lld is no size of a piece", (long long)bytes);
    if (options && options->missing && strcmp(options->missing, "error") != 0)
        return bf_fail(err, BF_EUSAGE, "missing: '%s' needs the log in memory", options->missing);
    if (options && options->max_rows > 0)
        return bf_fail(err, BF_EUSAGE, "max_rows: needs the log in memory; `sample` does not");
    bytes = bytes > 0 ? bytes : usual;
    BF_TRY(bf__files_find(&paths, &count, paths, count, arena, err));
    BF_ZALLOC(s, arena, 1, err);
    s->options = options ? *options : (bf_read_options){0};
    s->source_count = count;
    BF_ZALLOC(s->sources, arena, count, err);
    for (int f = 0; f < count; f++) {
        source *of = &s->sources[f];
        char *path;
        BF_ALLOC(path, arena, (int64_t)strlen(paths[f]) + 1, err);
        strcpy(path, paths[f]);
        of->path = path;
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            return bf_fail(err, BF_EFILE, "%s: cannot be opened: %s", path, strerror(errno));
        bf_status status = open_source(of, file, &s->options, arena, err);
        close(file);
        BF_TRY(status);
        s->count += pieces_of(of, bytes);
    }
    BF_ALLOC(s->places, arena, s->count, err);
    BF_ZALLOC(s->notes, arena, s->count * NOTES, err);
    int64_t at = 0;
    for (int f = 0; f < count; f++) {
        const source *of = &s->sources[f];
        int64_t pieces = pieces_of(of, bytes), length = of->size - of->header;
        for (int64_t k = 0; k < pieces; k++)
            s->places[at++] =
                (place){f, of->header + length / pieces * k,
                        k + 1 < pieces ? of->header + length / pieces * (k + 1) : of->size};
    }
    *out = s;
    return BF_OK;
}

int64_t bf_stream_pieces(const bf_stream *s) {
    return s->count;
}

int64_t bf_stream_bytes(const bf_stream *s, int64_t piece) {
    int64_t sum = 0;
    if (piece >= 0)
        return s->places[piece].end - s->places[piece].begin;
    for (int f = 0; f < s->source_count; f++)
        sum += s->sources[f].size;
    return sum;
}

double *bf_stream_notes(bf_stream *s, int64_t *count) {
    *count = s->count * NOTES;
    return s->notes;
}

static double *notes_of(const bf_stream *s, int64_t piece) {
    return s->notes + piece * NOTES;
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
static bf_status read_window(window *w, int file, const source *s, int64_t low, int64_t high,
                             bf_error *err) {
    size_t size = (size_t)(s->header + high - low);
    unsigned char *data =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return bf_fail(err, BF_ENOMEM, "%s: out of memory: a piece has %zu bytes", s->path, size);
    w->bytes = (bf__bytes){data, size, true};
    w->header = s->header;
    BF_TRY(read_at(data, file, s->path, 0, s->header, err));
    unsigned char *rows = data + s->header, *end = data + size;
    BF_TRY(read_at(rows, file, s->path, low, high - low, err));
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

static bf_status count_feeds(int64_t *out, int file, const source *s, int64_t end, bf_arena *arena,
                             bf_error *err) {
    unsigned char *bytes;
    bf_mark mark = bf_arena_mark(arena);
    BF_ALLOC(bytes, arena, AROUND, err);
    *out = 0;
    for (int64_t at = 0; at < end; at += AROUND) {
        int64_t size = end - at < AROUND ? end - at : AROUND;
        BF_TRY(read_at(bytes, file, s->path, at, size, err));
        *out += feeds(bytes, bytes + size);
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* Lines of the file before a piece; -1: not known. */
static int64_t known_lines(const bf_stream *s, int64_t piece) {
    int64_t lines = s->sources[s->places[piece].file].header_lines;
    for (int64_t k = piece - 1; k >= 0 && s->places[k].file == s->places[piece].file; k--) {
        if (notes_of(s, k)[SEEN] == 0)
            return -1;
        lines += (int64_t)notes_of(s, k)[LINES];
    }
    return lines;
}

/* One attempt with so many bytes before and after; `lines` are those before the piece. */
static bf_status try_piece(bf_dataset *out, bf__piece *p, double *notes, int file, const source *s,
                           const place *at, int64_t around, int64_t lines,
                           const bf_read_options *options, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    window w = {.low = 0};
    int64_t low = at->begin - around > s->header ? at->begin - around : s->header;
    int64_t high = s->size - at->end > around ? at->end + around : s->size;
    bf_status status = read_window(&w, file, s, low, high, err);
    if (status != BF_OK) {
        bf__bytes_close(&w.bytes);
        return status;
    }
    const unsigned char *rows = w.bytes.data + w.header;
    int64_t behind = feeds(rows, rows + (at->begin > w.low ? at->begin - w.low : 0));
    int64_t stop = at->end < w.high ? at->end : w.high;
    notes[LINES] = (double)feeds(rows + (at->begin - w.low), rows + (stop - w.low));
    bf__file text = {.path = s->path,
                     .reader = bf__reader_named("csv"),
                     .bytes = w.bytes,
                     .delimiter = options->delimiter,
                     .decimal = options->decimal,
                     .line_base = lines - behind - s->header_lines,
                     .piece = p};
    int64_t first = lines - behind + 1; /* the line that the window begins with */
    p->from_start = w.low == s->header;
    p->to_end = w.high == s->size;
    p->first_line = first + lines_before(&w, at->begin);
    p->end_line = p->to_end && at->end == s->size ? INT64_MAX : first + lines_before(&w, at->end);
    return bf__dataset_from(out, &text, options, context, arena, err);
}

static bf_status read_text(bf_dataset *out, bf__piece *p, bf_stream *s, int64_t piece, int file,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    const place *at = &s->places[piece];
    const source *of = &s->sources[at->file];
    int64_t known = known_lines(s, piece), lines = known >= 0 ? known : of->header_lines;
    for (int64_t around = at->begin == of->header && at->end == of->size ? 0 : AROUND;;
         around *= 8) {
        bf_mark mark = bf_arena_mark(arena);
        *p = (bf__piece){0};
        bf_status status = try_piece(out, p, notes_of(s, piece), file, of, at, around, lines,
                                     &s->options, context, arena, err);
        if (status != BF_OK && status != BF_ENOMEM && status != BF_ECANCELLED && known < 0) {
            /* once more, for the message to name the lines of the file */
            BF_TRY(count_feeds(&known, file, of, at->begin, arena, err));
            lines = known;
            *p = (bf__piece){0};
            return try_piece(out, p, notes_of(s, piece), file, of, at, around, lines, &s->options,
                             context, arena, err);
        }
        BF_TRY(status);
        if (!p->short_behind && !p->short_ahead)
            return BF_OK;
        bf_arena_rewind(arena, mark);
    }
}

/* ---- Any piece */

static bf_status refuse_words(const bf_dataset *data, bf_error *err) {
    bool words = data->action_names || data->state_labels;
    for (int j = 0; j < data->state_dim && data->inputs; j++)
        words = words || data->inputs[j].category;
    return words ? bf_fail(err, BF_EDATA,
                           "%s: has columns of words: a log that is read in pieces holds numbers",
                           data->sources[0].path)
                 : BF_OK;
}

static void note(double *notes, const bf_dataset *data, const bf__piece *p) {
    notes[SEEN] = 1;
    notes[ROWS] = (double)data->n;
    notes[ENDED] = p->ended;
    notes[HAS_ID] = p->has_id;
    notes[HAS_T] = p->has_t;
    notes[TIMED] = p->timed;
    notes[FIRST_ID] = p->first_id;
    notes[LAST_ID] = p->last_id;
    notes[FIRST_T] = p->first_t;
    notes[LAST_T] = p->last_t;
}

bf_status bf_stream_read(const bf_dataset **out, int64_t *first, bf_stream *s, int64_t piece,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    const source *of = &s->sources[s->places[piece].file];
    bf_dataset *data;
    bf__piece p = {.ended = true};
    *out = NULL;
    *first = 0;
    BF_ALLOC(data, arena, 1, err);
    if (of->cut) {
        int file = open(of->path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            return bf_fail(err, BF_EFILE, "%s: cannot be opened: %s", of->path, strerror(errno));
        bf_status status = read_text(data, &p, s, piece, file, context, arena, err);
        close(file);
        BF_TRY(status);
    } else {
        BF_TRY(bf__dataset_read(data, &of->path, 1, &s->options, context, arena, err));
        BF_TRY(refuse_words(data, err));
    }
    double *notes = notes_of(s, piece);
    if (s->settled && (int64_t)notes[ROWS] != data->n)
        return bf_fail(err, BF_EFILE, "%s: has changed since it was first read", of->path);
    note(notes, data, &p);
    for (int64_t k = 0; k < piece && s->settled; k++)
        *first += (int64_t)notes_of(s, k)[ROWS];
    if (data->n == 0)
        return BF_OK;
    if (s->settled && data->action && data->actions < s->actions)
        data->actions = s->actions;
    if (s->settled)
        data->states = s->states;
    *out = data;
    return BF_OK;
}

/* ---- Between pieces */

/* Whether an episode may go on from the file of `a` to that of `b`, which is the next. */
static bool goes_on(const double *a, const double *b) {
    if (a[ENDED] != 0)
        return false;
    if (a[HAS_ID] != 0 && a[LAST_ID] != b[FIRST_ID])
        return false;
    if (a[HAS_T] != 0)
        return a[TIMED] != 0 ? b[FIRST_T] > a[LAST_T] : b[FIRST_T] == a[LAST_T] + 1;
    return false; /* ids are local to a file, and rows without ids and t mark their ends */
}

bf_status bf_stream_settle(bf_stream *s, int actions, int64_t states, bf_error *err) {
    const double *before = NULL;
    const source *from = NULL;
    for (int64_t k = 0; k < s->count; k++) {
        const double *notes = notes_of(s, k);
        const source *of = &s->sources[s->places[k].file];
        if (notes[SEEN] == 0)
            return bf_fail(err, BF_EUSAGE, "%s: was not read to its end", of->path);
        if (notes[ROWS] == 0)
            continue;
        if (before && from == of && notes[HAS_ID] != 0 && notes[FIRST_ID] < before[LAST_ID])
            return bf_fail(err, BF_EDATA,
                           "%s: episode %.17g after %.17g: a log that is read in pieces has its "
                           "episodes one after the other, in increasing order of their ids",
                           of->path, notes[FIRST_ID], before[LAST_ID]);
        if (before && from != of && goes_on(before, notes))
            return bf_fail(err, BF_EDATA,
                           "%s: begins with an episode that goes on from %s: a log that is read in "
                           "pieces has every episode in one file",
                           of->path, from->path);
        before = notes;
        from = of;
    }
    s->settled = true;
    s->actions = actions;
    s->states = states;
    return BF_OK;
}
