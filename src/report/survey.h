/* survey.h - What is in a log, in numbers and in words. */
#ifndef BF_REPORT_SURVEY_H
#define BF_REPORT_SURVEY_H

#include "estimator/answer.h"

typedef struct bf__range {
    double min, mean, max, sd;
} bf__range;

#define BF__NOTES 16

typedef struct bf__survey {
    bf__range *state;         /* (d) */
    bf__range *action_vector; /* (k) */
    int64_t *action_count;    /* (A) */
    bf__range reward;
    bf__range weight, duration; /* if the log has them */
    int64_t terminated, truncated;
    int64_t masked;      /* rows at which some action was not allowed */
    int64_t *mask_count; /* (A): rows at which each was not; NULL: the log has no masks */
    int64_t shortest, median, longest; /* lengths of episodes */
    int64_t start_states;              /* distinct first states of episodes */
    double repeated;                   /* share of transitions that equal an earlier one */
    double broken; /* share of steps within episodes whose next state is not the next row's */
    const char *notes[BF__NOTES];
    int note_count;
} bf__survey;

bf_status bf__survey_take(bf__survey *out, const bf_dataset *data, bf_arena *arena, bf_error *err);

/* "1 row", "2 rows". */
const char *bf__plural(int64_t count, const char *noun, char text[64]);

#endif
