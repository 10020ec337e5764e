/* idle.h - State columns that nothing drives and that drive nothing. */
#ifndef BF_PROBLEM_IDLE_H
#define BF_PROBLEM_IDLE_H

#include <stdbool.h>

#include "problem/told.h"

/* idle (state columns of the log) becomes true for columns that can be left out; *found is how
 * many. `points` has the log in coordinates of all its columns, but not yet the target's actions. A
 * log that is small, or whose state is one column, has none. */
bf_status bf__idle_columns(bool *idle, int *found, const bf__located *log, bf_arena *arena,
                           bf_error *err);

#endif
