/* settings.h - Options and numbers as JSON. */
#ifndef BF_REPORT_SETTINGS_H
#define BF_REPORT_SETTINGS_H

#include <jansson.h>

#include "backflow/options.h"
#include "report/report.h"

/* A JSON number, or null if JSON cannot represent the value. */
json_t *bf__json_number(double value);

/* The value if it is whole; otherwise it is given up, and NULL stands for it. */
json_t *bf__json_whole(json_t *value, bool whole);

/* The object that a single run prints. */
json_t *bf__json_answer(const bf_answer *answer);

/* Value against horizon; and the distribution of rewards, which adds "risk" and "groups". */
json_t *bf__json_horizon(const bf_horizon *horizon);
void bf__json_outcomes(json_t *object, const bf_outcomes *outcomes);

/* `object` (NULL: there was no memory) and a newline as text; lets go of the object. */
bf_status bf__json_text(const char **out, json_t *object, bf_arena *arena, bf_error *err);

/* The same into a file. */
bf_status bf__json_write(FILE *out, json_t *object, bf_error *err);

/* Adds every row of the table to `object`, each with its own type; false if there is no memory. */
bool bf__json_settings(json_t *object, const bf_option_table *table, const void *options);

#endif
