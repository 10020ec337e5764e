/* lens.h - What rows of a log are looked at through, once a sample of them has been answered for.
 *
 * The pairs (s, a) of the sample are landmarks. A row of any part of the log belongs to the nearest
 * one of its action, if it is within its reach, and has
 *
 *     u       a weight: that of its landmark, shared out among all rows that belong to it
 *     q       the differential value of every member of the answer (weights/corrected.h)
 *
 * Both are functions of (s, a) that do not depend on the rows beside it. */
#ifndef BF_PASS_LENS_H
#define BF_PASS_LENS_H

#include "backflow/pass.h"
#include "format/pack.h"
#include "problem/nodes.h"
#include "weights/corrected.h"

enum { BF__MOST_SETS = BF__MOST_MEMBERS * BF__MOST_QUANTITIES };

typedef struct bf__lens {
    bf__points frame; /* of no rows: coordinates, and which actions were seen */
    bf_terminal terminal;
    int state_dim;
    bf__nodes nodes;                    /* the landmarks */
    double *visits;                     /* (nodes): their weights, which sum to 1 */
    double *reach;                      /* (nodes): square of how far a row of theirs may be */
    double *ratio;                      /* (nodes): weight of a row there; NULL: not known yet */
    double largest;                     /* of them */
    double sum;                         /* of the weights: 1, or less if mass is absorbed */
    int quantities, members, bases;     /* sets = quantities * members */
    bf__basis basis[BF__MOST_BASES];    /* members in this order */
    double centre[BF__MOST_QUANTITIES]; /* what is taken off a quantity before it is summed */
    double bound[BF__MOST_QUANTITIES];  /* |q| is cut to this, far above what the sample has */
    double low, high;                   /* of the rewards of the whole log */
    double doubt;    /* what an answer may err by because the sample does: a standard error */
    int64_t longest; /* rows of the longest episode; 0: not known yet */
} bf__lens;

/* What the rows of a batch have. Set s = quantity * members + member. */
typedef struct bf__look {
    double *u;     /* (n) */
    double *h;     /* (n): mass that goes to the starts (problem/steps.h) */
    double *gap;   /* (n, sets): g E q(s', .) - q(s, a) */
    double *start; /* (episodes, sets): E q(s0, .); NULL if the question has no starts */
} bf__look;

/* `fit` and its sample may go. w (n), not negative, are the weights of the sample's rows, `value`
 * (quantities) is what the sample says, and *overview is of the whole log. */
bf_status bf__lens_make(bf__lens *out, const bf__fit *fit, const bf_problem *sampled,
                        const double *w, const double *value, const bf_overview *overview,
                        bf_arena *arena, bf_error *err);

/* Shares the weights out: rows (nodes) is how many each landmark has, `longest` how many the
 * longest episode has. */
bf_status bf__lens_settle(bf__lens *lens, const int64_t *rows, int64_t longest, bf_arena *arena,
                          bf_error *err);

/* Whether the log is like the sample; says what is not. */
bf_status bf__lens_check(const bf__lens *lens, const bf_dataset *data, bf_error *err);

/* The landmark of each row, out (n); -1 if the sample does not show its action. */
bf_status bf__lens_places(int32_t *out, const bf__lens *lens, const bf_dataset *data, int threads,
                          bf_arena *arena, bf_error *err);

bf_status bf__lens_apply(bf__look *out, const bf__lens *lens, const bf_dataset *data, int threads,
                         bf_arena *arena, bf_error *err);

/* A checksum of the lens, which stands for it. */
bf_status bf__lens_print(uint64_t *out, const bf__lens *lens, bf_arena *arena, bf_error *err);

void bf__lens_pack(bf__packer *out, const bf__lens *lens);
bf_status bf__lens_unpack(bf__lens *out, bf__unpacker *in, bf_arena *arena, bf_error *err);

#endif
