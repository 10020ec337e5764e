/* settings.h - Options and numbers as JSON. */
#ifndef BF_REPORT_SETTINGS_H
#define BF_REPORT_SETTINGS_H

#include <jansson.h>

#include "backflow/options.h"

/* null where the value is no number of JSON's. */
json_t *bf__json_number(double value);

/* Adds every row of the table to `object`, each in its own type. */
void bf__json_settings(json_t *object, const bf_option_table *table, const void *options);

#endif
