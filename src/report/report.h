/* report.h - An answer for people and for programs. */
#ifndef BF_REPORT_REPORT_H
#define BF_REPORT_REPORT_H

#include <stdio.h>

#include "backflow/backflow.h"

/* A table of options and the struct it filled. */
typedef struct bf__settings {
    const bf_option_table *table;
    const void *options;
} bf__settings;

/* All that a report says. */
typedef struct bf__answer {
    const bf_problem *problem;
    const bf_estimator *estimator;
    const bf_estimate *estimate;
    double naive; /* mean reward of the log */
    const bf__settings *settings;
    int settings_count;
    double seconds_read, seconds_estimate;
} bf__answer;

/* `text` from column `indent` on, broken before column 88, and a newline. */
void bf__paragraph(FILE *out, const char *text, int indent);

/* A few lines of text. */
void bf__report_text(FILE *out, const bf__answer *answer);

/* One JSON object and a newline. */
bf_status bf__report_json(FILE *out, const bf__answer *answer, bf_error *err);

#endif
