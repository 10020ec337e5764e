/* survey.h - What is in a log: the numbers of its rows, columns and episodes. */
#ifndef BF_PASS_SURVEY_H
#define BF_PASS_SURVEY_H

#include "core/distinct.h"
#include "core/exact_sum.h"
#include "pass/few.h"
#include "pass/kind.h"

enum { BF__SEEN_PATH = 256, BF__SEEN_NAME = 128 }; /* bytes */
enum { BF__DISTINCT = 1 << 20 };                   /* different things that are counted */

/* A row of a file. */
typedef struct bf__spot {
    char path[BF__SEEN_PATH]; /* cut if it is longer */
    int64_t row;
    bool by_line, by_episode; /* as bf_source has them */
} bf__spot;

/* A column of numbers. */
typedef struct bf__seen_column {
    bf__exact_sum sum, squares;
    bool too_large; /* a square is no number any more */
    double low, high;
    bf__spot low_at, high_at; /* where these are; of several places, the first */
} bf__seen_column;

typedef struct bf__length {
    int64_t length, count;
} bf__length;

typedef enum bf__seen_has {
    BF__HAS_PI,
    BF__HAS_NPI,
    BF__HAS_NA,
    BF__HAS_MU,
    BF__HAS_MU_ALL,
    BF__HAS_MASK,
    BF__HAS_WEIGHT,
    BF__HAS_DURATION,
    BF__SEEN_HAS,
} bf__seen_has;

typedef struct bf__seen {
    int state_dim; /* 0: no rows yet */
    int action_dim, samples;
    int actions;    /* the most that any batch had */
    int64_t states; /* 0: real-valued somewhere */
    bool real_state, has[BF__SEEN_HAS];
    bool named; /* states or actions are words, whose codes no other batch shares */
    bool bag, inferred, mirrored;
    int64_t rows, read, dropped, episodes;
    int64_t steps, broken; /* within episodes; those whose next state is not the next row's */
    int64_t terminated, truncated, masked;
    bf__seen_column *column;            /* s (d), ns (d), a (k), r, weight, duration */
    int64_t *action_count, *mask_count; /* (action_room), of which `actions` count */
    int action_room;
    bf__length *lengths; /* (length_count), in order */
    int64_t length_count, length_room;
    bf__distinct starts, transitions;
    bf__few few;         /* rows: as many of the columns as `few.width` */
    const char **names;  /* (d) */
    const char *ignored; /* NULL: no column */
    bf_arena *arena;
} bf__seen;

static inline int bf__seen_columns(const bf__seen *s) {
    return 2 * s->state_dim + s->action_dim + 3;
}

/* The columns: of states j and next states j, of actions, the reward, weight and duration. */
static inline const bf__seen_column *bf__seen_state(const bf__seen *s, int j) {
    return s->column + j;
}
static inline const bf__seen_column *bf__seen_next(const bf__seen *s, int j) {
    return s->column + s->state_dim + j;
}
static inline const bf__seen_column *bf__seen_action(const bf__seen *s, int k) {
    return s->column + 2 * s->state_dim + k;
}
static inline const bf__seen_column *bf__seen_reward(const bf__seen *s) {
    return s->column + 2 * s->state_dim + s->action_dim;
}
static inline const bf__seen_column *bf__seen_weight(const bf__seen *s) {
    return bf__seen_reward(s) + 1;
}
static inline const bf__seen_column *bf__seen_duration(const bf__seen *s) {
    return bf__seen_reward(s) + 2;
}

/* Nothing seen yet; then room for the columns, whose numbers are known; room for so many actions;
 * and `count` more episodes of a length. */
bf_status bf__seen_make(bf__seen **out, bf_arena *arena, bf_error *err);
bf_status bf__seen_make_columns(bf__seen *seen, bf_error *err);
bf_status bf__seen_make_actions(bf__seen *seen, int actions, bf_error *err);
bf_status bf__seen_add_length(bf__seen *seen, int64_t length, int64_t count, bf_error *err);

bf_status bf__seen_pack(bf__packer *out, void *self, bf_error *err);
bf_status bf__seen_unpack(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err);

/* What the pass has seen; an error if it is of another kind. */
bf_status bf__seen_of(bf__seen **out, const bf_pass *pass, bf_error *err);

#endif
