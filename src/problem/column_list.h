/* column_list.h - State columns with a number each, as the options `periodic` and `scale` have
 * them: "s0:360,s3". */
#ifndef BF_PROBLEM_COLUMN_LIST_H
#define BF_PROBLEM_COLUMN_LIST_H

#include <stdbool.h>

#include "backflow/options.h"

/* The two options: fields `periodic` and `scale` of `type`, or of a struct in it if `in` is given:
 * BF__POINTS_ROWS(type, at.). */
#define BF__POINTS_ROWS(type, in)                                                                  \
    BF_OPTION_ROW("periodic", type, in periodic, "auto", 0, 0, NULL,                               \
                  "COLUMNS: State columns that are angles, COLUMN[:PERIOD] with commas, 2 pi if "  \
                  "no period is given; or none. auto finds columns that wrap around.",             \
                  bf__periodic_check),                                                             \
        BF_OPTION_ROW("scale", type, in scale, "auto", 0, 0, NULL,                                 \
                      "COLUMNS: The unit of a state column, COLUMN:UNIT with commas, in place of " \
                      "its standard deviation; 0 leaves the column out. auto leaves columns out "  \
                      "that nothing drives and that drive nothing; none leaves all of them in.",   \
                      bf__scale_check)

/* Whether the text can be right for some log. */
bf_status bf__periodic_check(const bf_option *row, const char *text, bf_error *err);
bf_status bf__scale_check(const bf_option *row, const char *text, bf_error *err);

/* The numbers of the columns that are named, into period and unit (d); the others stay as they are.
 * Nothing is named by NULL, "auto" and "none". Columns of unit 0 become true in left_out (d), which
 * are not all of them. */
bf_status bf__periodic_read(double *period, const char *text, int d, bf_error *err);
bf_status bf__scale_read(double *unit, bool *left_out, const char *text, int d, bf_error *err);

/* BF_EUSAGE if a period has nothing to do with the column that it was given for: x (n) spans less
 * than a millionth of it, or more than a million times it. */
bf_status bf__period_fits(double period, int column, const double *x, int64_t n, bf_error *err);

#endif
