/* rademacher.h - How well a class of functions can follow random signs, and what it is good for.
 *
 *     R_n = E sup over W of (1/n) sum_i s_i W(x_i),   s_i = -1 or 1, evenly, at given points x_i
 */
#ifndef BF_SOLVER_RADEMACHER_H
#define BF_SOLVER_RADEMACHER_H

#include <stdint.h>

/* E |s_1 + ... + s_m|, exactly. */
double bf__signs_mean(int64_t m);

/* R_n of all W with low <= W <= high. `signs` is the sum of bf__signs_mean over the distinct
 * points, each with how often it occurs among the n. */
double bf__rademacher_box(double low, double high, double signs, int64_t n);

/* At least R_n of all W(x) = c + phi(x)' a with |a| <= radius, c given; squares is the mean of
 * |phi(x_i)|^2. It is at most sqrt(2) times R_n. */
double bf__rademacher_ball(double radius, double squares, int64_t n);

/* What the loss of fitted weights exceeds the least loss of their class by, at most, with
 * probability 1 - delta: theorem 4.2 of the paper. r_max is at least |W| and sqrt k(x, x), whatever
 * W and x. */
double bf__generalization_bound(double r_max, double rademacher, int64_t n, double delta);

#endif
