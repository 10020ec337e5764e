/* dataset.h - A log of transitions, in columns.
 *
 * Every column is an array over the n transitions. A quantity with several columns is one block,
 * column after column: coordinate j of transition i of `state` (d, n) is state[j * n + i].
 * A column that the log does not have is NULL. A reader fills the struct from files; a program
 * with its own arrays may point the fields at them and call bf_dataset_finish. */
#ifndef BACKFLOW_DATASET_H
#define BACKFLOW_DATASET_H

#include <stdbool.h>
#include <stdint.h>

#include "backflow/log.h"
#include "backflow/memory.h"
#include "backflow/options.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_source {
    const char *path;
    int64_t first; /* index of the first transition that comes from this file */
    bool by_line;  /* rows are told by line, from 1; otherwise by index, from 0 */
} bf_source;

typedef struct bf_dataset {
    int64_t n;       /* transitions */
    int state_dim;   /* d */
    int actions;     /* A, number of discrete actions; 0: continuous */
    int action_dim;  /* k, length of a continuous action; 0: discrete */
    int samples;     /* M, next actions sampled from pi per transition; continuous only */
    int64_t states;  /* S: states are the whole numbers 0 .. S-1; 0: real-valued */
    bool real_state; /* one column of whole numbers is still no finite state space: s0, not s */

    const double *state, *next_state;      /* (d, n) */
    const int32_t *action;                 /* (n), 0 .. A-1; NULL: continuous */
    const double *action_vector;           /* (k, n); NULL: discrete */
    const double *reward;                  /* (n) */
    const uint8_t *terminated, *truncated; /* (n), 0 or 1 */
    const double *mu;                      /* (n), of the action taken */
    const double *mu_all;                  /* (A, n) */
    const double *pi, *npi;                /* (A, n), at s and at s' */
    const double *na; /* (M * k, n): dimension c of sample m is column m * k + c */

    /* Episodes: transition order[j], j in [begin[e], begin[e+1]), are those of episode e in time
     * order. NULL / 0 where the log is a bag of transitions. */
    int64_t episodes;
    const int64_t *begin;   /* (episodes + 1) */
    const int64_t *order;   /* (n) */
    bool episodes_inferred; /* not from a column: from the order of rows */

    /* Where it came from, for messages and reports. */
    const bf_source *sources;
    int source_count;
    const int64_t *row;   /* (n): 1-based line of a CSV, 0-based index of an array */
    int64_t rows_read;    /* rows in the files */
    int64_t rows_dropped; /* last rows of unterminated episodes with no next state */
    const char *ignored;  /* unknown columns, "x, y", or NULL */
} bf_dataset;

typedef struct bf_read_options {
    int format; /* 0 auto; otherwise 1 + the reader's place in readers.def */
} bf_read_options;

BF_API extern const bf_option_table bf_read_table;

/* Reads the files, in order, as one log. Everything lives in `arena`. */
BF_API bf_status bf_dataset_read(bf_dataset *out, const char *const *paths, int count,
                                 const bf_read_options *options, const bf_context *context,
                                 bf_arena *arena, bf_error *err);

/* Checks every value that a user could have got wrong (finite numbers, probabilities, actions and
 * states in range, shapes) and fills what follows from the columns where it is 0: `actions`, the
 * greatest plus 1; `states` likewise, where the state is one column of whole numbers and
 * real_state is false. bf_dataset_read has done this already. */
BF_API bf_status bf_dataset_finish(bf_dataset *data, bf_arena *arena, bf_error *err);

/* Name and one line about reader `index`, in the order of readers.def; false past the end. */
BF_API bool bf_reader_describe(int index, const char **name, const char **summary);

/* "log.csv:118" or "log.npz: row 117" for transition i, for messages. */
BF_API const char *bf_dataset_where(const bf_dataset *data, int64_t i, char *text, int size);

#ifdef __cplusplus
}
#endif
#endif
