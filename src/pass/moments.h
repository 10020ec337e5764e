/* moments.h - Sums over all rows of what a lens shows of each, and over episodes of their products.
 *
 * With u and q fixed (lens.h), an answer is a ratio of sums over rows:
 *
 *     value = c + S sum u (r - c + g E q(s', .) - q(s, a)) / sum u  +  F mean of E q(s0, .)
 *     F     = S sum u h / sum u + (1 - S) (1 - gamma)
 *
 * S is what the weights sum to, c the centre. It is doubly robust: its bias is the product of the
 * error of u and that of q. An episode has a few numbers, of which the answer is made; their
 * products over the episodes give the standard error of any such answer. */
#ifndef BF_PASS_MOMENTS_H
#define BF_PASS_MOMENTS_H

#include "core/total.h"
#include "pass/kind.h"
#include "pass/lens.h"

/* The numbers of an episode: 1, sum u, sum u h; then for each quantity sum u (r - c), and for each
 * set its sum of u gap and its start. */
enum {
    BF__MOMENT_ONE,
    BF__MOMENT_MASS,
    BF__MOMENT_RESTART,
    BF__MOMENT_FIRST,
    BF__MOST_MOMENTS = BF__MOMENT_FIRST + BF__MOST_QUANTITIES + 2 * BF__MOST_SETS
};

typedef struct bf__moments {
    bf__lens lens;
    uint64_t print; /* of the lens: passes of one lens have the same */
    int count;      /* moments */
    int exponent[BF__MOST_MOMENTS], reward_exponent, square_exponent; /* of sums (core/total.h) */
    int64_t rows, episodes;
    bool bag; /* some rows had no episodes: each of them counted for one */
    bf__total cross[BF__MOST_MOMENTS][BF__MOST_MOMENTS]; /* over episodes, b <= a */
    bf__total reward, square;                            /* of all rows: r; u^2 */
    double largest, largest_row;                         /* mass that one episode, one row has */
} bf__moments;

static inline int bf__moment_reward(int quantity) {
    return BF__MOMENT_FIRST + quantity;
}

/* Set s, as a lens has them. */
static inline int bf__moment_gap(const bf__lens *lens, int s) {
    return BF__MOMENT_FIRST + lens->quantities + s;
}

static inline int bf__moment_start(const bf__lens *lens, int s) {
    return BF__MOMENT_FIRST + lens->quantities * (1 + lens->members) + s;
}

bf_status bf__moments_make(bf_pass **out, const bf__lens *lens, bf_arena *arena, bf_error *err);

/* The moments of the pass; an error if it is of another kind. */
bf_status bf__moments_of(const bf__moments **out, const bf_pass *pass, bf_error *err);

/* Sums over the episodes, of a times b. */
double bf__moments_cross(const bf__moments *moments, int a, int b);

/* One answer: its value, and how much each moment of an episode moves it: slope (count). */
double bf__moments_value(double *slope, const bf__moments *moments, int quantity, int member);

/* What an answer errs by, if it moves with the moments of episodes by `slope` (count). */
double bf__moments_error(const bf__moments *moments, const double *slope);

#endif
