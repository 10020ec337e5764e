/* stream.c - A log in pieces, which are cut between two episodes: text near equal numbers of bytes,
 * arrays near equal numbers of rows.
 *
 * A piece is read by the code that reads files (stream_text.c, stream_rows.c). The file that pieces
 * are read from stays open until another one is read, so that what is compressed is unpacked once
 * if its pieces are read in order.
 *
 * Memory  the bytes of a piece, and its rows. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"
#include "dataset/stream.h"
#include "format/unpack.h"

enum { HEAD = 512 };
static const int64_t usual = (int64_t)32 << 20;

typedef struct place {
    int file;
    bf__range_of range;
} place;

/* What is known of a piece that was read. */
enum { SEEN, ROWS, LINES, ENDED, HAS_ID, HAS_T, TIMED, FIRST_ID, LAST_ID, FIRST_T, LAST_T, NOTES };

struct bf_stream {
    bf__streamed *files;
    int file_count;
    place *places;
    int64_t count;
    double *notes; /* (count, NOTES) */
    bf__open_file open;
    bf_read_options options;
    const bf_allocator *allocator;
    bool settled;
    int actions;
    int64_t states;
};

/* ---- Files */

/* Whose form the file is in, by its first bytes; NULL: nobody's, or that is not told by them. */
static const bf__reader *find_reader(const unsigned char *head, size_t length,
                                     const bf_read_options *options) {
    if (options->format && strcmp(options->format, "auto") != 0)
        return bf__reader_named(options->format);
    for (int i = 0; bf__reader_at(i) && length > 0; i++)
        if (bf__reader_at(i)->claims(head, length))
            return bf__reader_at(i);
    return NULL;
}

/* The size of the file and its first bytes. */
static bf_status look_at(bf__streamed *s, unsigned char head[HEAD], size_t *length, bf_error *err) {
    struct stat about;
    *length = 0;
    int file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be opened: %s", s->path, strerror(errno));
    bool known = fstat(file, &about) == 0;
    ssize_t got = known && S_ISREG(about.st_mode) ? pread(file, head, HEAD, 0) : 0;
    int why = errno;
    close(file);
    if (!known || got < 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be read: %s", s->path, strerror(why));
    if (S_ISDIR(about.st_mode))
        return bf_fail(err, BF_EFILE, "%s: is a folder, not a file", s->path);
    if (!S_ISREG(about.st_mode))
        return bf_fail(err, BF_EFILE,
                       "%s: is no plain file: a log that is read in pieces is read several times",
                       s->path);
    *length = (size_t)got;
    s->bytes = s->size = about.st_size;
    s->unit = 1;
    return BF_OK;
}

/* Text that is compressed: how much it is, and who reads it. */
static bf_status look_into(bf__streamed *s, bf_stream *stream, const bf_context *context,
                           bf_error *err) {
    unsigned char head[HEAD];
    int64_t length;
    s->packed = true;
    s->cut = BF__BY_BYTE;
    BF_TRY(bf__open_file_take(&stream->open, s, &stream->options, context, stream->allocator, err));
    BF_TRY(bf__tape_read(&stream->open.tape, head, 0, HEAD, &length, err));
    s->reader = find_reader(head, (size_t)length, &stream->options);
    if (s->reader == bf__reader_named("csv"))
        return bf__tape_end(&stream->open.tape, &s->size, err);
    s->cut = BF__UNCUT; /* arrays that are compressed once more */
    s->packed = false;
    bf__open_file_close(&stream->open);
    return BF_OK;
}

static bf_status open_source(bf__streamed *s, bf_stream *stream, bf_arena *arena, bf_error *err) {
    unsigned char head[HEAD];
    size_t length;
    const bf_context *context = NULL;
    BF_TRY(look_at(s, head, &length, err));
    if (bf__packed_as(head, length))
        BF_TRY(look_into(s, stream, context, err));
    else
        s->reader = find_reader(head, length, &stream->options);
    if (!s->reader || length == 0)
        return BF_OK; /* reading it will tell what is wrong */
    if (!s->packed && bf__packed_as(head, length))
        return BF_OK;
    s->cut = s->reader->by_ranges ? BF__BY_ROW : BF__BY_BYTE;
    bf__open_file *open = &stream->open;
    BF_TRY(bf__open_file_take(open, s, &stream->options, context, stream->allocator, err));
    if (s->cut == BF__BY_ROW) {
        s->size = open->row_count;
        s->unit = 8 * (int64_t)open->rows.count;
        return BF_OK;
    }
    BF_TRY(bf__stream_header(s, open, arena, err));
    if (s->header == 0)
        s->cut = BF__UNCUT; /* one line: nothing to cut */
    return BF_OK;
}

/* Pieces of the file, of so many bytes of memory each. */
static int64_t pieces_of(const bf__streamed *s, int64_t bytes) {
    int64_t length = s->size - s->header, most = bytes > s->unit ? bytes / s->unit : 1;
    return s->cut != BF__UNCUT && length > most ? (length + most - 1) / most : 1;
}

static bf_status open_sources(bf_stream *s, const char *const *paths, bf_arena *arena,
                              bf_error *err) {
    for (int f = 0; f < s->file_count; f++) {
        bf__streamed *of = &s->files[f];
        char *path;
        BF_ALLOC(path, arena, (int64_t)strlen(paths[f]) + 1, err);
        strcpy(path, paths[f]);
        of->path = path;
        BF_TRY(open_source(of, s, arena, err));
    }
    return BF_OK;
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
    if (options && options->mirror)
        return bf_fail(err, BF_EUSAGE, "`mirror`: needs the log in memory");
    bytes = bytes > 0 ? bytes : usual;
    BF_TRY(bf__files_find(&paths, &count, paths, count, arena, err));
    BF_ZALLOC(s, arena, 1, err);
    s->options = options ? *options : (bf_read_options){0};
    s->allocator = bf_arena_allocator(arena);
    s->file_count = count;
    BF_ZALLOC(s->files, arena, count, err);
    bf_status status = open_sources(s, paths, arena, err);
    bf__open_file_close(&s->open);
    BF_TRY(status);
    for (int f = 0; f < count; f++)
        s->count += pieces_of(&s->files[f], bytes);
    BF_ALLOC(s->places, arena, s->count, err);
    BF_ZALLOC(s->notes, arena, s->count * NOTES, err);
    int64_t at = 0;
    for (int f = 0; f < count; f++) {
        const bf__streamed *of = &s->files[f];
        int64_t pieces = pieces_of(of, bytes), length = of->size - of->header;
        for (int64_t k = 0; k < pieces; k++)
            s->places[at++] =
                (place){f,
                        {of->header + length / pieces * k,
                         k + 1 < pieces ? of->header + length / pieces * (k + 1) : of->size}};
    }
    *out = s;
    return BF_OK;
}

void bf_stream_close(bf_stream *s) {
    if (s)
        bf__open_file_close(&s->open);
}

int64_t bf_stream_pieces(const bf_stream *s) {
    return s->count;
}

int64_t bf_stream_bytes(const bf_stream *s, int64_t piece) {
    int64_t sum = 0;
    if (piece >= 0) {
        const place *at = &s->places[piece];
        return (at->range.end - at->range.begin) * s->files[at->file].unit;
    }
    for (int f = 0; f < s->file_count; f++)
        sum += s->files[f].size * s->files[f].unit;
    return sum;
}

const char *bf_stream_file(const bf_stream *s, int64_t piece) {
    return s->files[s->places[piece].file].path;
}

double *bf_stream_notes(bf_stream *s, int64_t *count) {
    *count = s->count * NOTES;
    return s->notes;
}

static double *notes_of(const bf_stream *s, int64_t piece) {
    return s->notes + piece * NOTES;
}

/* ---- Any piece */

/* Lines of the file before a piece; -1: not known. */
static int64_t known_lines(const bf_stream *s, int64_t piece) {
    int64_t lines = s->files[s->places[piece].file].header_lines;
    for (int64_t k = piece - 1; k >= 0 && s->places[k].file == s->places[piece].file; k--) {
        if (notes_of(s, k)[SEEN] == 0)
            return -1;
        lines += (int64_t)notes_of(s, k)[LINES];
    }
    return lines;
}

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
    const place *at = &s->places[piece];
    const bf__streamed *of = &s->files[at->file];
    double *notes = notes_of(s, piece);
    bf_dataset *data;
    bf__piece p = {.ended = true};
    *out = NULL;
    *first = 0;
    BF_ALLOC(data, arena, 1, err);
    if (of->cut == BF__UNCUT) {
        BF_TRY(bf__dataset_read(data, &of->path, 1, &s->options, context, arena, err));
        BF_TRY(refuse_words(data, err));
    } else {
        BF_TRY(bf__open_file_take(&s->open, of, &s->options, context, s->allocator, err));
        if (of->cut == BF__BY_ROW && s->open.row_count != of->size)
            return bf_fail(err, BF_EFILE, "%s: has changed since it was first read", of->path);
        BF_TRY(
            of->cut == BF__BY_ROW
                ? bf__stream_rows(data, &p, &s->open, &at->range, &s->options, context, arena, err)
                : bf__stream_text(data, &p, &notes[LINES], &s->open, &at->range,
                                  known_lines(s, piece), &s->options, context, arena, err));
    }
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
    const bf__streamed *from = NULL;
    for (int64_t k = 0; k < s->count; k++) {
        const double *notes = notes_of(s, k);
        const bf__streamed *of = &s->files[s->places[k].file];
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
