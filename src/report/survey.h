/* survey.h - What is in a log, in numbers and in words. */
#ifndef BF_REPORT_SURVEY_H
#define BF_REPORT_SURVEY_H

#include "pass/survey.h"

typedef struct bf__range {
    double min, mean, max, sd;
} bf__range;

#define BF__NOTES 16

typedef struct bf__survey {
    const bf__seen *seen;
    const bf_dataset *data;   /* the log, if it is in memory: names, and what became of gaps */
    bf__range *state;         /* (d) */
    bf__range *action_vector; /* (k) */
    bf__range reward;
    bf__range weight, duration;        /* if the log has them */
    int64_t shortest, median, longest; /* lengths of episodes */
    int64_t start_states;              /* distinct first states of episodes */
    bool starts_counted;               /* that is a count; otherwise it is an estimate */
    double repeated;                   /* share of transitions that equal an earlier one */
    bool repeated_counted;
    double broken; /* share of steps within episodes whose next state is not the next row's */
    const char *notes[BF__NOTES];
    int note_count;
} bf__survey;

/* Of a pass `survey` over all rows of a log; `data` is the log itself, or NULL. */
bf_status bf__survey_take(bf__survey *out, const bf_pass *pass, const bf_dataset *data,
                          bf_arena *arena, bf_error *err);

/* "1 row", "2 rows". */
const char *bf__plural(int64_t count, const char *noun, char text[64]);

#endif
