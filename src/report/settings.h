/* settings.h - Options and numbers as JSON. */
#ifndef BF_REPORT_SETTINGS_H
#define BF_REPORT_SETTINGS_H

#include <jansson.h>

#include "backflow/options.h"
#include "report/report.h"

/* null where the value is no number of JSON's. */
json_t *bf__json_number(double value);

/* The object that a single run prints. */
json_t *bf__json_answer(const bf__answer *answer);

/* Writes `object` (NULL: there was no memory) and a newline, and lets go of it. */
bf_status bf__json_write(FILE *out, json_t *object, bf_error *err);

/* Adds every row of the table to `object`, each in its own type. */
void bf__json_settings(json_t *object, const bf_option_table *table, const void *options);

#endif
