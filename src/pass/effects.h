/* effects.h - What each episode contributes to an answer and to its error, summed over all. */
#ifndef BF_PASS_EFFECTS_H
#define BF_PASS_EFFECTS_H

#include "core/total.h"
#include "pass/gauge.h"
#include "pass/kind.h"

typedef struct bf__effects {
    bf__gauge gauge;
    int64_t rows, episodes;
    bool bag; /* some rows had no episodes: each of them counted for one */
    bf__total sum[BF__EFFECTS], cross[BF__EFFECTS][BF__EFFECTS];
    bf__total reward; /* of all rows */
    double largest;   /* share of the weight that one episode has */
} bf__effects;

bf_status bf__effects_make(bf_pass **out, const bf__gauge *gauge, bf_arena *arena, bf_error *err);

/* The effects of the pass; an error if it is of another kind. */
bf_status bf__effects_of(const bf__effects **out, const bf_pass *pass, bf_error *err);

/* Sums over the episodes, of effect a, and of a times b. */
double bf__effects_sum(const bf__effects *effects, int a);
double bf__effects_cross(const bf__effects *effects, int a, int b);

#endif
