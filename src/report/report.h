/* report.h - An answer for people and for programs. */
#ifndef BF_REPORT_REPORT_H
#define BF_REPORT_REPORT_H

#include <stdio.h>

#include "backflow/backflow.h"
#include "estimator/answer.h"

/* A table of options and the struct it filled. */
typedef struct bf__settings {
    const bf_option_table *table;
    const void *options;
} bf__settings;

/* Everything that a report says. */
typedef struct bf__answer {
    const bf_problem *problem;
    const bf_estimator *estimator;
    const bf_estimate *estimate;
    double naive; /* mean reward of the log */
    const bf__settings *settings;
    int settings_count;
    double seconds_read, seconds_estimate;
} bf__answer;

/* A method that could not run, and why. */
typedef struct bf__skipped {
    const char *method, *reason;
} bf__skipped;

/* Several methods on one log. */
typedef struct bf__comparison {
    const bf_problem *problem;
    const bf__answer *answers;
    int answer_count;
    const bf__skipped *skipped;
    int skipped_count;
    double naive;
    const bf__settings *settings; /* warnings that belong to no single method */
    int settings_count;
    double seconds_read;
} bf__comparison;

/* Prints `text` from column `indent` on, broken before column 88, and a newline. */
void bf__paragraph(FILE *out, const char *text, int indent);

/* One line that says how many transitions, states, actions and episodes there are. */
void bf__describe_log(FILE *out, const bf_dataset *data);

/* A few lines of text. */
void bf__report_text(FILE *out, const bf__answer *answer);

/* One JSON object and a newline. */
bf_status bf__report_json(FILE *out, const bf__answer *answer, bf_error *err);

/* The same for several methods: one table for people, and one JSON object that holds what each
 * method would print. */
void bf__report_table(FILE *out, const bf__comparison *comparison);
bf_status bf__report_table_json(FILE *out, const bf__comparison *comparison, bf_error *err);

#endif
