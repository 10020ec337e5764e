/* report.h - What the reports share. */
#ifndef BF_REPORT_REPORT_H
#define BF_REPORT_REPORT_H

#include <jansson.h>

#include "backflow/report.h"
#include "core/memory_file.h"
#include "estimator/answer.h"

/* Text that is printed into memory. */
typedef bf__memory_file bf__page; /* print into its `file` */

bf_status bf__page_open(bf__page *page, bf_error *err);
/* The text in `arena`. Closes the page, in any case. */
bf_status bf__page_close(bf__page *page, const char **out, bf_arena *arena, bf_error *err);

/* How many transitions, states, actions and episodes there are; no newline. */
void bf__describe_log(FILE *out, const bf_dataset *data);

/* Mean reward of the log. */
double bf__naive(const bf_dataset *data);
/* Rows that an answer is of, and their mean reward: those of the whole log, if it was counted. */
int64_t bf__rows_of(const bf_answer *answer);
double bf__naive_of(const bf_answer *answer);

/* Whether a struct has a field that came after `size`, and it is not NULL or false. */
#define BF__HAS(of, type, field)                                                                   \
    ((of)->size >= offsetof(type, field) + sizeof(of)->field && (of)->field)
#define bf__answer_has(answer, field) BF__HAS(answer, bf_answer, field)

/* Value against horizon, and the distribution of rewards, as parts of a report. */
void bf__report_horizon(FILE *out, const bf_horizon *horizon);
void bf__report_outcomes(FILE *out, const bf_outcomes *outcomes, const char *by, bool timed);

#endif
