/* dataset.h - What a bf_dataset is made of.
 *
 * Every column is an array over the n transitions. A quantity with several columns is one block,
 * column after column: coordinate j of transition i of `state` (d, n) is state[j * n + i].
 * A column that the log does not have is NULL. Programs outside the library see a handle. */
#ifndef BF_DATASET_DATASET_H
#define BF_DATASET_DATASET_H

#include "backflow/dataset.h"

typedef struct bf_source {
    const char *path;
    int64_t first;   /* index of the first transition that comes from this file */
    bool by_line;    /* rows are told by line, from 1; otherwise by index, from 0 */
    bool by_episode; /* rows are told as episode << 32 | step, both from 0 */
} bf_source;

/* One number of a state: a column of numbers, or one word of a column of words (1 where it stands,
 * 0 elsewhere). */
typedef struct bf__input {
    const char *name;     /* "lactate", "ward=ICU" */
    const char *column;   /* "ward" */
    const char *category; /* "ICU"; NULL: a column of numbers */
} bf__input;

/* A column with missing values. */
typedef struct bf__gap {
    const char *column;
    int64_t count, first; /* how many, and the row of the first */
} bf__gap;

struct bf_dataset {
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
    const double *weight;   /* (n), above 0: how much a row counts; NULL: all the same */
    const double *duration; /* (n), above 0: time that the step took; NULL: steps are the time */
    const double *elapsed;  /* (n): what `duration` was, in the chain of states that methods see in
                               its place (estimator.c); NULL: steps are the time */
    const double *mu;       /* (n), of the action taken */
    const double *mu_all;   /* (A, n) */
    const double *pi, *npi; /* (A, n), at s and at s' */
    const uint8_t *mask;    /* (A, n): 1 if the action was not allowed at s; NULL: all were */
    const double *na;       /* (M * k, n): dimension c of sample m is column m * k + c */
    const double *sa;       /* the same at s */

    /* Names, if the log has them; access.c shows numbers in their place if it has not. */
    const bf__input *inputs;          /* (d) */
    const char *const *state_labels;  /* (S): a finite state space of words */
    const char *const *action_names;  /* (A) */
    const double *episode_id;         /* (episodes): number, or code of a word, of their column */
    const char *const *episode_words; /* by code; NULL: ids are numbers */

    int extras;                            /* columns without a meaning that were asked for */
    const char *const *extra_names;        /* (extras) */
    const double *extra;                   /* (extras, n) */
    const char *const *const *extra_words; /* (extras): of a column of words, by code; or NULL */

    /* Episodes: transition order[j], j in [begin[e], begin[e+1]), are those of episode e in time
     * order. NULL / 0 where the log is a bag of transitions. */
    int64_t episodes;
    const int64_t *begin;   /* (episodes + 1) */
    const int64_t *order;   /* (n) */
    bool episodes_inferred; /* not from a column: from the order of rows */
    bool mirrored; /* row 2 i + 1 is the mirror of row 2 i, and so are episodes (mirror.h) */

    /* Where it came from, for messages and reports. */
    const bf_source *sources;
    int source_count;
    const int64_t *row;   /* (n): 1-based line of a CSV, 0-based index of an array, or by episode */
    int64_t rows_read;    /* rows in the files */
    int64_t rows_dropped; /* last rows of unterminated episodes with no next state */
    const char *ignored;  /* unknown columns, "x, y", or NULL */

    /* Missing values: how many each column had, and what became of them. */
    const char *missing; /* "drop", "forward", "mean"; NULL: there was none */
    const bf__gap *gaps; /* (gap_count): columns with gaps */
    int gap_count;
    int64_t rows_gapped;   /* rows left out for a gap, or because the next row has one */
    int64_t starts_gapped; /* episodes that lost their first row so */
    int64_t gaps_early;    /* "forward": gaps with no earlier value in their episode: the mean */
    int64_t rows_left_out; /* by max_rows */
    int64_t part_of;       /* rows of a log that this one is to tell about (trust/forecast.c): what
                              goes by the size of a log goes by that one's; 0: by its own */

    const struct bf_behavior *behavior; /* how mu was fitted to the log; NULL: it was not */

    /* What was made of states and actions, if several questions are asked about this log
     * (core/share.h); NULL: every question makes its own. A log with other states, actions, ends or
     * row weights has another one, or none. */
    struct bf__share *share;
};

/* As bf_dataset_read, into a struct that the caller has. */
bf_status bf__dataset_read(bf_dataset *out, const char *const *paths, int count,
                           const bf_read_options *options, const bf_context *context,
                           bf_arena *arena, bf_error *err);

/* Where a row of a file is, as bf_dataset_where tells it; `source` NULL: of no file. */
const char *bf__place_text(const bf_source *source, int64_t row, char *text, int size);

/* The column (n) that was kept under this name; NULL if there is none. */
const double *bf__dataset_extra(const bf_dataset *data, const char *name);
/* The word with this code in that column; NULL if the column holds numbers, or is not there. */
const char *bf__dataset_extra_word(const bf_dataset *data, const char *name, int64_t code);

/* Rows by which a method decides what it has the time for. */
static inline int64_t bf__dataset_size(const bf_dataset *data) {
    return data->part_of > 0 ? data->part_of : data->n;
}

/* Whether the log is one of finitely many states and numbered actions: what can be counted. */
static inline bool bf__dataset_counts(const bf_dataset *data) {
    return data->action && data->states > 0;
}

/* An episode and its mirror are one thing that happened: they have one number here. */
static inline int64_t bf__episode_own(const bf_dataset *data, int64_t e) {
    return data->mirrored ? e / 2 : e;
}
static inline int64_t bf__episodes_own(const bf_dataset *data) {
    return bf__episode_own(data, data->episodes);
}

/* Steps of the longest episode; 0 if the log has no episodes. */
static inline int64_t bf__dataset_longest(const bf_dataset *data) {
    int64_t longest = 0;
    for (int64_t e = 0; data->begin && e < data->episodes; e++)
        if (data->begin[e + 1] - data->begin[e] > longest)
            longest = data->begin[e + 1] - data->begin[e];
    return longest;
}

/* Checks every value that a user could have got wrong (finite numbers, probabilities, actions and
 * states in range, shapes) and fills what follows from the columns if it is 0: `actions`, the
 * greatest plus 1; `states` likewise, if the state is one column of whole numbers and real_state
 * is false. bf__dataset_read has done this already. */
bf_status bf__dataset_finish(bf_dataset *data, bf_arena *arena, bf_error *err);
/* The same; values that are wrong become faults, if there is a list. */
struct bf__faults;
bf_status bf__dataset_check(bf_dataset *data, struct bf__faults *faults, bf_error *err);
/* Its checks of values alone, of rows that have not become transitions yet. NaN was told before. */
bf_status bf__dataset_values(bf_dataset *data, struct bf__faults *faults, bf_error *err);

#endif
