/* report.h - Answers, logs and true values for people (text) and for programs (JSON).
 *
 * Every function makes a string in `arena`. In text for people, names of fields and options stand
 * in backquotes, `gamma`; a program may show them as its users know them. The JSON of an answer is
 * described in docs/answer.schema.json; its "schema" is BF_ANSWER_SCHEMA. */
#ifndef BACKFLOW_REPORT_H
#define BACKFLOW_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "backflow/compare.h"
#include "backflow/dataset.h"
#include "backflow/detail.h"
#include "backflow/env.h"
#include "backflow/estimator.h"
#include "backflow/memory.h"
#include "backflow/options.h"
#include "backflow/pass.h"
#include "backflow/stats.h"
#include "backflow/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BF_ANSWER_SCHEMA 1

/* A table of options and the struct it filled. */
typedef struct bf_filled {
    const bf_option_table *table;
    const void *options;
} bf_filled;

/* All that a report says about one answer. */
typedef struct bf_answer {
    const bf_problem *problem;
    const bf_estimator *estimator;
    const bf_estimate *estimate;
    const bf_trust *trust;     /* NULL: it was not measured */
    const bf_filled *settings; /* what else was chosen; none if settings_count is 0 */
    int settings_count;
    double seconds_read, seconds_estimate;
    size_t size;                 /* sizeof(bf_answer), or 0: the fields above are all there is */
    const bf_horizon *horizon;   /* NULL: not asked for */
    const bf_outcomes *outcomes; /* NULL: not asked for */
    const char *by;              /* the column that its groups are of; NULL: none */
    bool verbose;                /* the text says all that is known, not only what matters most */
    const bf_whole *whole;       /* the problem's log is a sample of this; NULL: it is the log */
} bf_answer;

/* The first line of the text is the answer: value, interval, the log's own mean, and the verdict
 * with its reasons. */
BF_API bf_status bf_report_text(const char **out, const bf_answer *answer, bf_arena *arena,
                                bf_error *err);
BF_API bf_status bf_report_json(const char **out, const bf_answer *answer, bf_arena *arena,
                                bf_error *err);

/* A method that could not run, and why. */
typedef struct bf_skipped {
    const char *method, *reason;
} bf_skipped;

/* Several methods on one log. */
typedef struct bf_comparison {
    const bf_problem *problem;
    const bf_answer *answers;
    int answer_count;
    const bf_skipped *skipped;
    int skipped_count;
    const bf_filled *settings; /* those that no method has for itself */
    int settings_count;
    double seconds_read;
    size_t size;  /* sizeof(bf_comparison), or 0: the fields above are all there is */
    bool verbose; /* as that of an answer */
} bf_comparison;

/* One table, and one object that holds what each method would print. The table can be had in
 * parts while methods still run: the rows of answers `first` and later, under the head of the table
 * if `first` is 0; at the end what was skipped, and the warnings. */
BF_API bf_status bf_report_table_rows(const char **out, const bf_comparison *comparison, int first,
                                      bf_arena *arena, bf_error *err);
BF_API bf_status bf_report_table_end(const char **out, const bf_comparison *comparison,
                                     bf_arena *arena, bf_error *err);
BF_API bf_status bf_report_table_text(const char **out, const bf_comparison *comparison,
                                      bf_arena *arena, bf_error *err);
BF_API bf_status bf_report_table_json(const char **out, const bf_comparison *comparison,
                                      bf_arena *arena, bf_error *err);

/* Several policies on one log. */
typedef struct bf_contest_answer {
    const bf_contest *contest;
    const bf_filled *settings; /* what was chosen */
    int settings_count;
    double seconds_read;
    size_t size;  /* sizeof(bf_contest_answer), or 0: the fields above are all there is */
    bool verbose; /* as that of an answer */
    const bf_horizon *const *horizons; /* one for every contestant, for the page; each may be NULL,
                                          as may the list */
} bf_contest_answer;

/* A sentence about every pair, and a table with a forest plot, in Unicode or ASCII. */
BF_API bf_status bf_report_contest_text(const char **out, const bf_contest_answer *answer,
                                        bool unicode, bf_arena *arena, bf_error *err);
BF_API bf_status bf_report_contest_json(const char **out, const bf_contest_answer *answer,
                                        bf_arena *arena, bf_error *err);

/* ---- Pages */

/* What stands on a page besides the answers. */
typedef struct bf_page_options {
    const char *title;   /* NULL: a question */
    const char *command; /* what made it, as the user would write it; NULL: nothing is said */
    size_t size;         /* sizeof(bf_page_options), or 0: the fields above are all there is */
} bf_page_options;

/* The same answers as one page of HTML that needs nothing else: the answer and its verdict, a
 * forest plot, where the target goes, weights, the balance of the flow column by column, value
 * against horizon if the answer has it, and how it was made. `page` may be NULL. */
BF_API bf_status bf_report_html(const char **out, const bf_answer *answer,
                                const bf_page_options *page, bf_arena *arena, bf_error *err);
BF_API bf_status bf_report_table_html(const char **out, const bf_comparison *comparison,
                                      const bf_page_options *page, bf_arena *arena, bf_error *err);
BF_API bf_status bf_report_contest_html(const char **out, const bf_contest_answer *answer,
                                        const bf_page_options *page, bf_arena *arena,
                                        bf_error *err);

/* How well the flow balances in one column, with equal weights and with those of the answer: what
 * the target policy would bring to the column's values and what it would take away differ by so
 * much. A column of numbers is measured in its standard deviations, finite states and actions as
 * the share that is in the wrong place. */
typedef struct bf_balance {
    char name[96];
    bool share;
    double before, after;
} bf_balance;

/* *out (*count) in the arena: the numbers of the state, then the actions, if the log has what they
 * need. `weights` are those of the rows, as bf_estimate_weights gives them. */
BF_API bf_status bf_report_balance(const bf_balance **out, int *count, const bf_problem *problem,
                                   const double *weights, bf_arena *arena, bf_error *err);

/* A log that cannot be read: what bf_dataset_faults found in the files, as JSON. `found` below 0:
 * how many there are is not known. */
BF_API bf_status bf_report_faults_json(const char **out, const bf_fault *faults, int listed,
                                       int64_t found, const char *const *paths, int count,
                                       bf_arena *arena, bf_error *err);

/* What a log was understood to hold, and what may spoil an estimate from it. */
BF_API bf_status bf_report_log_text(const char **out, const bf_dataset *data, bf_arena *arena,
                                    bf_error *err);
BF_API bf_status bf_report_log_json(const char **out, const bf_dataset *data, bf_arena *arena,
                                    bf_error *err);

/* A file of a log, and the rows of it that are transitions. */
typedef struct bf_file_rows {
    const char *path;
    int64_t rows;
} bf_file_rows;

/* The same of a log that a pass `survey` has seen, all of it. files (count) are shown as they are.
 */
BF_API bf_status bf_report_survey_text(const char **out, const bf_pass *survey,
                                       const bf_file_rows *files, int count, bf_arena *arena,
                                       bf_error *err);
BF_API bf_status bf_report_survey_json(const char **out, const bf_pass *survey,
                                       const bf_file_rows *files, int count, bf_arena *arena,
                                       bf_error *err);

/* The value of a policy in an environment. */
typedef struct bf_value_answer {
    const bf_env *env;
    const char *policy; /* as the user wrote it */
    double alpha;       /* its share in a mixture with the uniform policy */
    const bf_truth *truth;
    const bf_filled *settings;
    int settings_count;
    double seconds;
    size_t size; /* sizeof(bf_value_answer), or 0: the fields above are all there is */
} bf_value_answer;

BF_API bf_status bf_report_value_text(const char **out, const bf_value_answer *answer,
                                      bf_arena *arena, bf_error *err);
BF_API bf_status bf_report_value_json(const char **out, const bf_value_answer *answer,
                                      bf_arena *arena, bf_error *err);

/* `text` from column `indent` on, broken before column 88, and a newline. */
BF_API void bf_paragraph(FILE *out, const char *text, int indent);

#ifdef __cplusplus
}
#endif
#endif
