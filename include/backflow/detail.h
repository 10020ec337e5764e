/* detail.h - More than one number about the target policy: its reward against the
 * horizon, in the worst steps, and by groups. */
#ifndef BACKFLOW_DETAIL_H
#define BACKFLOW_DETAIL_H

#include "backflow/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Value against horizon */

/* What the target earns over its first steps: a handle, in the arena that bf_horizon_measure was
 * given. */
typedef struct bf_horizon bf_horizon;

/* Pushes the start states of the log through the chain that the log gives, as far as `horizons`
 * (count, each at least 1) say. `estimate` is the answer to the same question, which says where the
 * values tend to; NULL: not known. `settings` are those of its method, or NULL. `how` says how
 * intervals are made; NULL: there are none. */
BF_API bf_status bf_horizon_measure(const bf_horizon **out, const bf_estimate *estimate,
                                    const bf_problem *problem, const bf_settings *settings,
                                    const int64_t *horizons, int count, const bf_trust_options *how,
                                    const bf_context *context, bf_arena *arena, bf_error *err);

/* Number `index` of the horizons that were asked for: the mean reward over so many steps
 * (discounted and normalised if gamma is below 1), and the share of those steps that leads to pairs
 * that the log shows. False past the last one. */
BF_API bool bf_horizon_at(const bf_horizon *horizon, int index, int64_t *steps, double *value,
                          double *covered);

/* The interval of that value; false if there is none. */
BF_API bool bf_horizon_interval(const bf_horizon *horizon, int index, bf_interval *out);

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

/* ---- The distribution, not only the mean */

/* The rewards of single steps under the target, from the weights of an answer that are not
 * negative: a handle, in the arena that bf_outcomes_measure was given. */
typedef struct bf_outcomes bf_outcomes;

typedef struct bf_outcomes_options {
    const double *risk; /* (risk_count): shares of steps, above 0 and up to 1 */
    int risk_count;
    const char *by; /* the column that makes groups of rows: "a", "s" if states are finite, or one
                       that the log has kept (bf_read_options.keep); NULL: none */
} bf_outcomes_options;

/* BF_EUSAGE if the method has no weights. `how` NULL: the defaults. */
BF_API bf_status bf_outcomes_measure(const bf_outcomes **out, const bf_outcomes_options *what,
                                     const bf_estimate *estimate, const bf_estimator *estimator,
                                     const bf_problem *problem, const bf_settings *settings,
                                     const bf_trust_options *how, const bf_context *context,
                                     bf_arena *arena, bf_error *err);

/* The lowest rewards. An interval of level 0 is none. */
typedef struct bf_risk {
    double share;     /* of steps, as asked */
    double quantile;  /* the reward that this share of steps does not exceed */
    double tail_mean; /* the mean reward of the lowest share of steps: CVaR */
    bf_interval quantile_interval, tail_interval;
} bf_risk;
BF_API bool bf_outcomes_risk(const bf_outcomes *outcomes, int index, bf_risk *out);

/* The rows of the log with one value of a column. */
typedef struct bf_group {
    double value;
    int64_t rows;
    double share; /* of the target's steps */
    double mean;  /* reward of the target in the group; NaN if it never comes there */
    bf_interval share_interval, mean_interval;
    const char *name; /* what `value` stands for, if the column holds words; NULL: a number */
} bf_group;
BF_API bool bf_outcomes_group(const bf_outcomes *outcomes, int index, bf_group *out);

/* Why there are no intervals, as a sentence; NULL if there are. */
BF_API const char *bf_outcomes_why_none(const bf_outcomes *outcomes);

/* Parses "0.05,0.5" into out (room), which may be NULL. Returns how many, or -1 if the text is
 * wrong, and then says so. */
BF_API int bf_risk_parse(double *out, int room, const char *text, bf_error *err);

#ifdef __cplusplus
}
#endif
#endif
