/* value.h - The value of a policy in an environment, for people and for programs. */
#ifndef BF_REPORT_VALUE_H
#define BF_REPORT_VALUE_H

#include <stdio.h>

#include "backflow/env.h"
#include "backflow/options.h"
#include "stats/truth.h"

typedef struct bf__value_answer {
    const bf_env *env;
    const char *policy;         /* as the user wrote it */
    double alpha;               /* of --alpha; 1 if it was not given */
    const bf__truth_plan *plan; /* what was simulated, or only its kind and gamma */
    const bf__truth *truth;     /* NULL: `exact` is the answer */
    double exact;
    const bf_option_table *tables[4]; /* settings, and the structs they filled */
    const void *options[4];
    int table_count;
    double seconds;
} bf__value_answer;

void bf__report_value_text(FILE *out, const bf__value_answer *answer);

/* One JSON object and a newline. */
bf_status bf__report_value_json(FILE *out, const bf__value_answer *answer, bf_error *err);

#endif
