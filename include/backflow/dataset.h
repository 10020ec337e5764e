/* dataset.h - A log of transitions.
 *
 * A bf_dataset is a handle. It lives in the arena that its maker was given, and nothing changes it
 * afterwards: a log with a policy applied to it is another handle, which shares the columns. A
 * program that wants to give back one log alone gives it an arena of its own. */
#ifndef BACKFLOW_DATASET_H
#define BACKFLOW_DATASET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/array.h"
#include "backflow/context.h"
#include "backflow/memory.h"
#include "backflow/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_dataset bf_dataset;

/* ---- Where a log comes from */

typedef struct bf_read_options {
    const char *format; /* "csv", "npz", ... as bf_reader_describe names them; NULL, "auto": by the
                           content of the file, then by its suffix */
    const char *keep;   /* other columns to keep, with commas: "site,age"; NULL: none */
    bf_list map;        /* what the columns are: "state=age,ward action=dose reward=r", "@FILE"; see
                           docs/log-format.md. Empty: names are those of the log format */
    const char *delimiter; /* between fields of text: a character, or "tab"; NULL, "auto": comma,
                              semicolon or tab, as the header has it */
    const char *decimal;   /* in numbers of text: "." or ","; NULL: "." */
    const char *missing;   /* gaps, that is empty, NA, nan: NULL, "error"; "drop" leaves their rows
                              out, "forward" and "mean" fill state columns */
    int64_t max_rows; /* whole episodes at random, so that there are at most so many rows; 0: all */
    const char *mirror; /* a symmetry of the process, as for bf_dataset_mirror; NULL: none */
    size_t size;        /* sizeof(bf_read_options), or 0: the fields above are all there is */
} bf_read_options;

BF_API extern const bf_option_table bf_read_table;

/* Reads the files, in order, as one log. A path may be "-" (standard input), a folder or a pattern
 * ("logs/day-*.csv"); files may be compressed with gzip or zstd. `options` may be NULL. */
BF_API bf_status bf_dataset_read(const bf_dataset **out, const char *const *paths, int count,
                                 const bf_read_options *options, const bf_context *context,
                                 bf_arena *arena, bf_error *err);

/* One thing that is wrong with a log. */
typedef struct bf_fault {
    const char *file;   /* NULL: it is about no file in particular */
    int64_t episode;    /* of Minari, in which `row` is the step; -1: rows are those of the file */
    int64_t row;        /* line of a text, from 1, or index in an array, from 0; -1: about no row */
    const char *column; /* or array, or data set; NULL: about no column */
    int64_t count;      /* rows that have it: the gaps of a column are one fault */
    const char *message; /* as bf_dataset_read would say it */
} bf_fault;

/* Everything that is wrong with the files, not only the first thing: (*listed) faults, of which
 * there are at most `limit`. *found is how many there are; 0 if the files are a log. */
BF_API bf_status bf_dataset_faults(const bf_fault **out, int *listed, int64_t *found,
                                   const char *const *paths, int count,
                                   const bf_read_options *options, int limit,
                                   const bf_context *context, bf_arena *arena, bf_error *err);

/* A log from the program's own arrays. They are added under the names that columns have in files
 * (docs/log-format.md): "s" (n) or (n, d), "a", "r", "ns", "episode", "t", "terminated",
 * "truncated", "weight", "duration", "mu", "pi" (n, A), "npi", "mask", "na" (n, M, k), "sa".
 * Without "ns" the next state is that of the next row of the episode, as in files. `name` stands in
 * messages where a file's would; NULL: "arrays". The elements are copied when the log is made, and
 * not looked at afterwards. */
typedef struct bf_columns bf_columns;
BF_API bf_status bf_columns_create(bf_columns **out, const char *name, bf_arena *arena,
                                   bf_error *err);
BF_API bf_status bf_columns_add(bf_columns *columns, const char *name, const bf_array *array,
                                bf_error *err);
/* A column of text: words[codes[i]] for an array of whole numbers (n). A code below 0 is a missing
 * value. State columns of text become one number per category, actions of text have names, ids of
 * episodes may be any text. */
BF_API bf_status bf_columns_add_words(bf_columns *columns, const char *name, const bf_array *codes,
                                      const char *const *words, int64_t count, bf_error *err);
/* The same from one text per row; NULL is a missing value. */
BF_API bf_status bf_columns_add_text(bf_columns *columns, const char *name, const char *const *text,
                                     int64_t rows, bf_error *err);
/* How the columns are to be read: `map` and `keep` as for files. The struct is copied, the texts
 * are not. Arrays under any name may then be added, for the mapping to find. */
BF_API bf_status bf_columns_set_options(bf_columns *columns, const bf_read_options *options,
                                        bf_error *err);
BF_API bf_status bf_dataset_from_columns(const bf_dataset **out, const bf_columns *columns,
                                         const bf_context *context, bf_arena *arena, bf_error *err);

/* A log from a stream of record batches, by the C stream interface of Arrow: frames of pandas,
 * polars, DuckDB and others give one. Columns are named and mapped as in files. Numbers, truth
 * values, texts, dictionaries, dates and times of every Arrow type are taken; the elements are
 * copied once. The stream is read to its end and released, also after a failure. `name` stands in
 * messages where a file's would; NULL: "frame". `options` may be NULL. */
struct ArrowArrayStream;
BF_API bf_status bf_dataset_from_arrow(const bf_dataset **out, struct ArrowArrayStream *stream,
                                       const char *name, const bf_read_options *options,
                                       const bf_context *context, bf_arena *arena, bf_error *err);

/* Name and one line about reader `index`, in the order of readers.def; false past the end. */
BF_API bool bf_reader_describe(int index, const char **name, const char **summary);

/* ---- Where it goes */

/* Writes the log to `path`, which ends in .csv or .npz. Rows keep their order; columns that the log
 * has not are left out. The file is whole or not there. Scratch comes from `arena`. */
BF_API bf_status bf_dataset_write(const bf_dataset *data, const char *path,
                                  const bf_context *context, bf_arena *arena, bf_error *err);

/* Whether bf_dataset_write would take the name and could write there; says why not. Worth asking
 * before long work. */
BF_API bf_status bf_dataset_write_check(const char *path, bf_error *err);

/* ---- What is in it */

BF_API int64_t bf_dataset_rows(const bf_dataset *data);   /* n, transitions */
BF_API int bf_dataset_state_dim(const bf_dataset *data);  /* numbers in a state */
BF_API int64_t bf_dataset_states(const bf_dataset *data); /* S: 0 .. S-1; 0: real-valued states */
BF_API int bf_dataset_actions(const bf_dataset *data);    /* A: 0 .. A-1; 0: actions are vectors */
BF_API int bf_dataset_action_dim(const bf_dataset *data); /* length of a vector; 0: discrete */
BF_API int bf_dataset_samples(const bf_dataset *data);    /* sampled actions per row; 0: none */

/* A column by its name in log files, as rows: "s", "ns" (n, d) or, if states are finite, (n); "a"
 * (n) or (n, k); "r", "terminated", "truncated", "weight", "duration", "mu" (n); "mu_all", "pi",
 * "npi", "mask" (n, A); "na", "sa" (n, M, k). The memory is the log's. False if the log has no such
 * column.
 */
BF_API bool bf_dataset_column(bf_array *out, const bf_dataset *data, const char *name);

/* The number of episodes; 0 if the log is a bag of transitions. Those of episode e in the order of
 * time are order[j], j in [begin[e], begin[e + 1]). `begin` and `order` may be NULL. *inferred:
 * no column told them apart, the order of rows did. */
BF_API int64_t bf_dataset_episodes(const bf_dataset *data, const int64_t **begin,
                                   const int64_t **order, bool *inferred);

/* File `index` of the log and the rows of it that are transitions; NULL past the last one. */
BF_API const char *bf_dataset_file(const bf_dataset *data, int index, int64_t *rows);

/* Rows in the files; of them, last rows of unterminated episodes that have no next state and were
 * dropped. */
BF_API int64_t bf_dataset_rows_read(const bf_dataset *data);
BF_API int64_t bf_dataset_rows_dropped(const bf_dataset *data);
/* Missing values: column number `index` that had some, and how many; false past the last. */
BF_API bool bf_dataset_gap(const bf_dataset *data, int index, const char **column, int64_t *count);
/* What became of them, as a sentence in `text`; NULL if there were none. */
BF_API const char *bf_dataset_gaps_text(const bf_dataset *data, char *text, int size);
/* Rows that `max_rows` left out. */
BF_API int64_t bf_dataset_rows_left_out(const bf_dataset *data);

/* The same log for several questions, which are asked one after the other: with several policies,
 * or with several options. What they have in common, as coordinates, trees of neighbours and
 * features, is made once and kept, up to about `bytes`; the digits of answers do not change. A log
 * that shares is for one thread at a time; threads that work on the same log have one each. To be
 * ended before its arena and the log are. Answers of before stay as they are. */
BF_API bf_status bf_dataset_share(const bf_dataset **out, const bf_dataset *data, double bytes,
                                  bf_arena *arena, bf_error *err);
BF_API void bf_dataset_unshare(const bf_dataset *shared); /* NULL is fine */

/* A log and its mirror image, if the process looks the same from the other side: "s0=-s0,a:0=1"
 * says what columns and actions are in the mirror (docs/structure.md). Row 2 i is row i of `data`,
 * and row 2 i + 1 its mirror; a row and its mirror count as one thing that happened wherever it
 * matters what is independent. Columns of the target policy are left out, because they say nothing
 * of mirrored states: the policy has to be applied. */
BF_API bf_status bf_dataset_mirror(const bf_dataset **out, const bf_dataset *data, const char *text,
                                   bf_arena *arena, bf_error *err);
BF_API bool bf_dataset_mirrored(const bf_dataset *data);

/* Names of columns that mean nothing here, "x, y"; NULL: none. */
BF_API const char *bf_dataset_ignored(const bf_dataset *data);

/* Names, for people. `text` (size) takes them, cut if they do not fit, and is returned.
 *
 * Number j of a state: the column, "lactate", or column and category, "ward=ICU"; "s0" if the log
 * does not name it. State s of a finite state space and action a: the text in the log, or the
 * number. Episode e: its id in the log, or its number. */
BF_API const char *bf_dataset_state_name(const bf_dataset *data, int j, char *text, int size);
BF_API const char *bf_dataset_state_label(const bf_dataset *data, int64_t s, char *text, int size);
BF_API const char *bf_dataset_action_name(const bf_dataset *data, int a, char *text, int size);
BF_API const char *bf_dataset_episode_name(const bf_dataset *data, int64_t e, char *text, int size);
/* Whether actions, states of a finite space, or ids of episodes are text in the log. */
BF_API bool bf_dataset_episodes_named(const bf_dataset *data);
BF_API bool bf_dataset_actions_named(const bf_dataset *data);
BF_API bool bf_dataset_states_named(const bf_dataset *data);
/* The column of the log that number j of a state comes from, and its category (NULL: the column
 * holds numbers). False if the log does not say. The texts are the log's. */
BF_API bool bf_dataset_state_source(const bf_dataset *data, int j, const char **column,
                                    const char **category);

/* "log.csv:118" or "log.npz: row 117" for transition i, for messages. */
BF_API const char *bf_dataset_where(const bf_dataset *data, int64_t i, char *text, int size);

/* ---- A log in pieces, for logs that do not fit into memory
 *
 * A stream is the files of a log, cut into pieces between two episodes: text near equal numbers of
 * bytes, arrays (NPZ, HDF5) near equal numbers of rows. A piece is read like a log and is one: it
 * has whole episodes, next states and every check. Pieces can be read in any order, again and
 * again, by any number of processes. In order is fastest if files are compressed, because those are
 * unpacked from their begin on.
 *
 * The rows of an episode have to stand together, and episodes of one file in the order of their
 * ids; a log in which they do not, or an episode that goes on in the next file, is refused. Columns
 * of words have no codes that all pieces share, and are refused, too. */

typedef struct bf_stream bf_stream;

/* The files of a log, in order, in pieces of about `bytes` bytes; 0: 32 MiB. Compressed text is
 * unpacked once, to see how long it is. */
BF_API bf_status bf_stream_open(bf_stream **out, const char *const *paths, int count,
                                const bf_read_options *options, int64_t bytes, bf_arena *arena,
                                bf_error *err);

BF_API int64_t bf_stream_pieces(const bf_stream *stream);
/* Bytes of a piece: of its text, unpacked, or of its numbers; -1: of all. */
BF_API int64_t bf_stream_bytes(const bf_stream *stream, int64_t piece);
/* The file that a piece is of. */
BF_API const char *bf_stream_file(const bf_stream *stream, int64_t piece);

/* Closes the file that is open, if one is: the last that a piece was read from. To be called when
 * nothing more is read; the stream itself is the arena's. NULL is fine. */
BF_API void bf_stream_close(bf_stream *stream);

/* Reads a piece into `arena`; *out is NULL if no episode begins in it. *first is the number of its
 * first row in the whole log, or 0 as long as the stream is not settled. */
BF_API bf_status bf_stream_read(const bf_dataset **out, int64_t *first, bf_stream *stream,
                                int64_t piece, const bf_context *context, bf_arena *arena,
                                bf_error *err);

/* What is known of the pieces that were read: numbers that are 0 for the others. If processes read
 * different pieces, the sum of their notes is what each has to have before it settles. */
BF_API double *bf_stream_notes(bf_stream *stream, int64_t *count);

/* Once every piece was read: checks that episodes do not go from one piece to the next, and numbers
 * the rows. Logs that are read afterwards have `actions` actions and `states` states at least, as
 * the whole log has; states 0: real-valued. */
BF_API bf_status bf_stream_settle(bf_stream *stream, int actions, int64_t states, bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
