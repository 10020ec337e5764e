/* detail.h - More than one number about the target policy: its reward against the horizon. */
#ifndef BACKFLOW_DETAIL_H
#define BACKFLOW_DETAIL_H

#include "backflow/estimator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Value against horizon */

/* What the target earns over its first steps: a handle, in the arena that bf_horizon_measure was
 * given. */
typedef struct bf_horizon bf_horizon;

/* Pushes the start states of the log through the chain that the log gives, as far as `horizons`
 * (count, each at least 1) say. `estimate` is the answer to the same question, which says where the
 * values tend to; NULL: not known. `settings` are those of its method, or NULL. */
BF_API bf_status bf_horizon_measure(const bf_horizon **out, const bf_estimate *estimate,
                                    const bf_problem *problem, const bf_settings *settings,
                                    const int64_t *horizons, int count, const bf_context *context,
                                    bf_arena *arena, bf_error *err);

/* Number `index` of the horizons that were asked for: the mean reward over so many steps
 * (discounted and normalised if gamma is below 1), and the share of those steps that leads to pairs
 * that the log shows. False past the last one. */
BF_API bool bf_horizon_at(const bf_horizon *horizon, int index, int64_t *steps, double *value,
                          double *covered);

/* The same for a curve of some 60 horizons from 1 on, evenly spaced by ratio. */
BF_API bool bf_horizon_curve(const bf_horizon *horizon, int index, int64_t *steps, double *value);

/* The chain: "tabular" or "neighbours". */
BF_API const char *bf_horizon_chain(const bf_horizon *horizon);

/* A number by its name; NaN if it is not known.
 *   "limit"          where the values tend to: the long-run answer of the same chain
 *   "settles_after"  steps after which the mean stays within 5 % of a standard deviation of the
 *                    log's rewards of the limit
 *   "longest"        steps of the longest trajectory of the log
 *   "within"         the mean reward over that many steps
 *   "beyond"         share of the answer at later steps of a trajectory than any in the log */
BF_API double bf_horizon_get(const bf_horizon *horizon, const char *name);

/* Parses "10,100,1000" into out (room), which may be NULL: whole numbers from 1 to 10 million.
 * Returns how many, or -1 if the text is wrong, and then says so. */
BF_API int bf_horizon_parse(int64_t *out, int room, const char *text, bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
