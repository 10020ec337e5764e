/* settings.h - Options and numbers as JSON. */
#ifndef BF_REPORT_SETTINGS_H
#define BF_REPORT_SETTINGS_H

#include <jansson.h>

#include "backflow/options.h"
#include "report/report.h"

/* A JSON number, or null if JSON cannot represent the value. */
json_t *bf__json_number(double value);

/* The object that a single run prints. */
json_t *bf__json_answer(const bf__answer *answer);

/* Writes `object` and a newline, and releases it. If `object` is NULL, there was no memory. */
bf_status bf__json_write(FILE *out, json_t *object, bf_error *err);

/* Adds every row of the table to `object`, each with its own type. */
void bf__json_settings(json_t *object, const bf_option_table *table, const void *options);

#endif
