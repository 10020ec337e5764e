/* gauge.h - What an episode contributes, for a finite model that is solved: an answer, and q.
 *
 * The effects of episode j are
 *
 *     c_j of the reward and of the ends (trust/influence.h), and its share of the weight,
 *
 * where q, v and g are exact on the counts of the whole log (value/q_cells.h). */
#ifndef BF_PASS_GAUGE_H
#define BF_PASS_GAUGE_H

#include "format/pack.h"
#include "problem/cells.h"

enum { BF__EFFECT_REWARD, BF__EFFECT_ENDS, BF__EFFECT_SHARE, BF__EFFECTS };
enum { BF__MEASURED = 2 }; /* the reward and the ends have a q of their own */

typedef struct bf__gauge {
    bf__tally names;  /* states and pairs of the log; no counts */
    int64_t states;   /* S, with the absorbing one */
    int64_t episodes; /* of the whole log */
    bool starts;      /* the log has start states */
    bf__steps steps;
    const double *w;                            /* (pairs): weight of a row */
    const double *q[BF__MEASURED];              /* (pairs) */
    const double *v[BF__MEASURED];              /* (S + 1): the last is START */
    const double *g[BF__MEASURED];              /* (S + 1) */
    double flow[BF__MEASURED];                  /* mass that goes through START in a step */
    int exponent[BF__EFFECTS], reward_exponent; /* of sums (core/total.h) */
} bf__gauge;

/* Of the model of `tally`, with the mass x (C) on its cells. No reward is larger in size than
 * 2^tally->exponent. */
bf_status bf__gauge_make(bf__gauge *out, const bf__tally *tally, const bf__cells *cells,
                         const double *x, const bf_context *context, bf_arena *arena,
                         bf_error *err);

/* effect (BF__EFFECTS) of the rows order[0 .. count) of a log, which are one episode. A row that
 * the model does not have is an error. */
bf_status bf__gauge_apply(double *effect, const bf__gauge *gauge, const bf_dataset *data,
                          const int64_t *order, int64_t count, bf_error *err);

void bf__gauge_pack(bf__packer *out, const bf__gauge *gauge);
bf_status bf__gauge_unpack(bf__gauge *out, bf__unpacker *in, bf_arena *arena, bf_error *err);
bool bf__gauge_same(const bf__gauge *a, const bf__gauge *b);

#endif
