/* summed.h - The answer that moments over all rows give. */
#ifndef BF_PASS_SUMMED_H
#define BF_PASS_SUMMED_H

#include "pass/moments.h"
#include "trust/parts.h"

typedef struct bf__summed {
    double value[BF__MOST_QUANTITIES]; /* the median of the members */
    double base[BF__MOST_QUANTITIES];  /* before the correction */
    double spread;                     /* standard deviation of the members' values */
    /* How value, return and length move with the moments of an episode. */
    double slope[BF__MEASURES][BF__MOST_MOMENTS];
} bf__summed;

bf_status bf__summed_make(bf__summed *out, const bf__moments *moments, bf_error *err);

#endif
