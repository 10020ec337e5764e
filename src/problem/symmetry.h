/* symmetry.h - Whether mirrored rows of a log tell the same as its own. */
#ifndef BF_PROBLEM_SYMMETRY_H
#define BF_PROBLEM_SYMMETRY_H

#include "problem/points.h"

typedef struct bf__symmetry {
    int64_t compared; /* rows that have both kinds of neighbours */
    double excess;    /* mean square error of what mirrored rows tell, over that of own rows, for
                         what it is worst for; NaN: too few rows */
    const char *of;   /* what that is: "the reward", "s3" */
} bf__symmetry;

/* `data` is mirrored, and `points` are its rows in coordinates. */
bf_status bf__symmetry_look(bf__symmetry *out, const bf__points *points, const bf_dataset *data,
                            bf_arena *arena, bf_error *err);

#endif
