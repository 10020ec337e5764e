/* walk.h - The target policy followed step by step, along the chain that a log gives. */
#ifndef BF_DETAIL_WALK_H
#define BF_DETAIL_WALK_H

#include "backflow/estimator.h"

/* Nodes are pairs (s, a). Node j takes prob[e] of the mass of node from[e], begin[j] <= e <
 * begin[j + 1]. Of the mass of a node, restart begins anew at `start`, `leave` goes on anywhere in
 * the log, at `away`, and `end` ends for good, at reward 0. What is missing to 1 leads to pairs
 * that the log never shows, and is lost. If such gaps are filled instead, as the answer fills them,
 * seen and seen_start are what the log shows of prob and start. gamma is not in here: discounting
 * is a matter of how steps are counted. */
typedef struct bf__walk {
    const char *chain; /* "tabular" or "neighbours" */
    int64_t n;
    const int64_t *begin; /* (n + 1) */
    const int32_t *from;
    const double *prob;
    const double *restart, *end; /* (n) */
    const double *leave, *away;  /* (n), or NULL: nothing does */
    const double *start;  /* (n): sums to 1, or less if pairs at the starts are not in the log */
    const double *reward; /* (n) */
    const double *seen, *seen_start; /* as prob and start; NULL: no gaps were filled */
} bf__walk;

/* The chain of a log: that of its (s, a) pairs if states are finite or repeat, otherwise that of
 * neighbours_chain.c, with the options `neighbours`, `periodic` and `scale` of the settings, if
 * they have them. BF_EDATA if the log does not say what the target does at its start states. */
bf_status bf__walk_make(bf__walk *out, const bf_problem *problem, const bf_settings *settings,
                        const bf_context *context, bf_arena *arena, bf_error *err);

/* The two kinds. `fill`: gaps of the log are filled as problem/count_model.c does. */
bf_status bf__walk_cells(bf__walk *out, const bf_problem *problem, bool fill, bf_arena *arena,
                         bf_error *err);
bf_status bf__walk_neighbours(bf__walk *out, const bf_problem *problem, const bf_settings *settings,
                              const bf_context *context, bf_arena *arena, bf_error *err);

/* value (steps): entry T - 1 is the mean reward over the first T steps,
 *
 *     V_T = sum_{t < T} gamma^t <x_t, r> / sum_{t < T} gamma^t (mass that is not lost),
 *
 * NaN if all mass is lost at once; covered (steps): the share of those steps that is neither lost
 * nor comes after a gap that was filled.
 * BF_ECANCELLED if progress asks for a stop. */
bf_status bf__walk_values(double *value, double *covered, const bf__walk *walk, int64_t steps,
                          double gamma, const bf_context *context, bf_arena *arena, bf_error *err);

/* How much of the answer lies at ages of at least `age` steps since the last start: a share of the
 * (discounted) time. NaN if it takes more than `most` steps to say, or if all mass ends for good in
 * the end and gamma is 1. */
bf_status bf__walk_beyond(double *out, const bf__walk *walk, int64_t age, int64_t most,
                          double gamma, bf_arena *arena, bf_error *err);

#endif
