/* pass.h - Logs that do not fit into memory, or lie on several machines: statistics that add up.
 *
 * A pass is one reading of all rows of a log. It is given the rows batch by batch, each batch a
 * bf_dataset that holds whole episodes. Batches may come in any order, to any number of passes, on
 * any number of machines; passes of the same kind are then made one. The result has the same
 * digits however the rows were dealt: counts are whole numbers, and sums are kept exactly.
 *
 * Passes make an answer one after the other (docs/scale.md): a sample, and then, if states are
 * finite, counts and effects; if they are real-valued, landmarks and moments.
 *
 *     sample     what there is, and a sample of whole episodes as a log in memory
 *     counts     of finite states: all that a model of the log is made of
 *     effects    what each episode contributes to the answer and to its error
 *     landmarks  of real-valued states: how many rows each pair of the sample stands for
 *     moments    sums of all rows under weights and values that the sample gave, for the answer and
 *                for its error
 *     survey     what is in a log, for reports: columns, actions, episodes
 *
 * A pass is a handle in the arena that its maker was given; it grows there. */
#ifndef BACKFLOW_PASS_H
#define BACKFLOW_PASS_H

#include "backflow/estimator.h"
#include "backflow/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_pass bf_pass;

/* ---- What every pass does */

/* Adds a batch of rows. `first` is the number of its first row in the whole log; a pass that goes
 * by the order of rows needs it, and `sample` does not look at it. */
BF_API bf_status bf_pass_add(bf_pass *pass, const bf_dataset *rows, int64_t first, bf_error *err);

/* Adds what another pass has been given. Both have to be of the same kind and question. */
BF_API bf_status bf_pass_merge(bf_pass *into, const bf_pass *from, bf_error *err);

/* The pass as bytes, for a file or another machine: with a version and a checksum, the same on
 * every machine, and the same bytes however the rows were dealt. */
BF_API bf_status bf_pass_pack(const void **bytes, size_t *size, bf_pass *pass, bf_arena *arena,
                              bf_error *err);

/* The pass that the bytes hold. Bytes that are damaged, cut, or of another version are refused.
 * `name` stands in messages where a file's would. */
BF_API bf_status bf_pass_unpack(bf_pass **out, const void *bytes, size_t size, const char *name,
                                bf_arena *arena, bf_error *err);

/* Threads that adding rows to this pass may take, as the context says; otherwise it is one. The
 * result is the same. */
BF_API void bf_pass_threads(bf_pass *pass, const bf_context *context);

/* "sample", "counts", "effects", "landmarks", "moments", "survey". */
BF_API const char *bf_pass_kind(const bf_pass *pass);

/* ---- sample */

/* Of whole episodes, chosen by a hash of what they hold: as many as have at most `rows` rows
 * together. Of a log without episodes, single rows. */
BF_API bf_status bf_pass_sample(bf_pass **out, int64_t rows, uint64_t seed, bf_arena *arena,
                                bf_error *err);

/* What the pass has seen. */
typedef struct bf_overview {
    int64_t rows, episodes; /* episodes is 0 if some batch had none */
    int64_t dropped;        /* rows without a next state */
    int64_t states;         /* as bf_dataset_states; 0 if some batch has real-valued states */
    int actions;            /* as bf_dataset_actions */
    double reward_low, reward_high;
    int64_t sample_rows, sample_episodes;
} bf_overview;

BF_API bf_overview bf_pass_overview(const bf_pass *sample);

/* A log that a sample stands for, as reports show it. */
typedef struct bf_whole {
    bf_overview seen;
    bool counted; /* the answer is of all rows; otherwise of the sample */
    double naive; /* the mean reward of all rows, if it is counted */
    /* The last pass that the answer comes from: "effects" if all rows were counted, "moments" if
     * all rows were summed up under what the sample gave, "sample" if it is of the sample alone.
     * NULL: not said. */
    const char *by;
} bf_whole;

/* The sample as a log. */
BF_API bf_status bf_pass_sample_log(const bf_dataset **out, const bf_pass *sample,
                                    const bf_context *context, bf_arena *arena, bf_error *err);

/* ---- survey */

/* Ranges and moments of columns, how often actions were taken, lengths of episodes, different start
 * states and transitions: bf_report_survey_text and _json tell (report.h). Rows may have weights
 * and durations. Batches with columns of words are refused, unless there is only one. */
BF_API bf_status bf_pass_survey(bf_pass **out, bf_arena *arena, bf_error *err);

/* ---- counts */

/* Whether the method answers from counts alone, for this question on the sample. */
BF_API bf_status bf_pass_countable(bool *out, const bf_estimator *estimator,
                                   const bf_problem *sampled, const bf_settings *settings,
                                   bf_arena *arena, bf_error *err);

/* Counts for a question: `sampled` is the question on the sample, which says what states and
 * actions are like and what an end means; `overview` is of the same sample. Batches need the
 * target policy. */
BF_API bf_status bf_pass_counts(bf_pass **out, const bf_problem *sampled,
                                const bf_overview *overview, bf_arena *arena, bf_error *err);

/* The answer from all counts, as bf_estimator_run gives it for the whole log in memory, to the last
 * digit; but it has no weights of rows other than those of the sample. *effects is what the next
 * reading fills, for the interval. */
BF_API bf_status bf_pass_counts_answer(const bf_estimate **out, bf_pass **effects, bf_pass *counts,
                                       const bf_estimator *estimator, const bf_problem *sampled,
                                       const bf_settings *settings, const bf_context *context,
                                       bf_arena *arena, bf_error *err);

/* ---- landmarks */

/* Whether the method answers from moments of all rows, for this question on the sample. It does not
 * if steps have no noise: one row at a place then says as much as many, and the sample in memory is
 * at least as good. */
BF_API bf_status bf_pass_summable(bool *out, const bf_estimator *estimator,
                                  const bf_problem *sampled, const bf_settings *settings,
                                  bf_arena *arena, bf_error *err);

/* Landmarks for a question: answers it on the sample, and fixes what rows are weighed by and what
 * is expected of them. Batches need the target policy, here and below. *on_sample is for
 * bf_pass_moments_answer. */
BF_API bf_status bf_pass_landmarks(bf_pass **out, const bf_estimate **on_sample,
                                   const bf_estimator *estimator, const bf_problem *sampled,
                                   const bf_overview *overview, const bf_settings *settings,
                                   const bf_context *context, bf_arena *arena, bf_error *err);

/* ---- moments */

/* What the next reading fills, once the landmarks have all rows. */
BF_API bf_status bf_pass_moments(bf_pass **out, const bf_pass *landmarks, bf_arena *arena,
                                 bf_error *err);

/* The answer from the moments of all rows. It has no weights of rows other than those of the
 * sample. */
BF_API bf_status bf_pass_moments_answer(const bf_estimate **out, const bf_pass *moments,
                                        const bf_estimator *estimator, const bf_estimate *on_sample,
                                        const bf_problem *sampled, bf_arena *arena, bf_error *err);

/* ---- effects, moments */

/* What the last pass says about the error of the answer. The verdict also goes by where the weights
 * lie in the sample. */
BF_API bf_status bf_pass_trust(const bf_trust **out, const bf_pass *last,
                               const bf_estimate *estimate, const bf_problem *sampled,
                               const bf_overview *overview, const bf_trust_options *how,
                               const bf_context *context, bf_arena *arena, bf_error *err);

/* The mean reward of all rows. */
BF_API double bf_pass_naive(const bf_pass *last);

#ifdef __cplusplus
}
#endif
#endif
