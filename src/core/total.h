/* total.h - Sums whose digits do not depend on the order of what is added.
 *
 * A sum is a whole number of units, 128 bits wide. One unit is 2^(e - 90) if no addend is larger
 * than 2^e in size, so that 2^36 of them fit. An addend is cut to whole units once, on its own;
 * after that, adding is exact, and any order, any grouping and any number of threads give the same
 * sum. Addends of at least 2^(e - 37) are not cut at all, and smaller ones lose less than
 * 2^(e - 90). */
#ifndef BF_CORE_TOTAL_H
#define BF_CORE_TOTAL_H

#include <math.h>
#include <stdint.h>

__extension__ typedef __int128 bf__total;

enum { BF__TOTAL_BITS = 90, BF__TOTAL_LEAST = -900, BF__TOTAL_MOST = 1024 };

/* The least e with |x| <= 2^e for a finite x, within what can be scaled. */
static inline int bf__total_exponent(double x) {
    int e;
    if (x == 0)
        return BF__TOTAL_LEAST;
    (void)frexp(x, &e);
    return e < BF__TOTAL_LEAST ? BF__TOTAL_LEAST : e > BF__TOTAL_MOST ? BF__TOTAL_MOST : e;
}

/* How many units 1 is. The largest addends are near the largest number there is, and what they are
 * multiplied by is near the least: both are powers of 2, and nothing is lost. */
static inline double bf__total_scale(int e) {
    return ldexp(1, BF__TOTAL_BITS - e);
}

/* Two sums become one. They wrap around if bytes from elsewhere claim what no log has. */
static inline bf__total bf__total_join(bf__total a, bf__total b) {
    __extension__ typedef unsigned __int128 wrapping;
    return (bf__total)((wrapping)a + (wrapping)b);
}

/* x in units, cut to a whole number. In two halves of 45 bits, each of which fits a register. */
static inline bf__total bf__total_of(double x, double scale) {
    double units = x * scale;
    int64_t high = (int64_t)(units * 0x1p-45), low = (int64_t)(units - (double)high * 0x1p45);
    return (bf__total)high * ((bf__total)1 << 45) + low;
}

static inline void bf__total_add(bf__total *sum, double x, double scale) {
    *sum = bf__total_join(*sum, bf__total_of(x, scale));
}

static inline double bf__total_value(bf__total sum, double scale) {
    return (double)sum / scale;
}

static inline double bf__total_mean(bf__total sum, int64_t count, double scale) {
    return (double)sum / (double)count / scale;
}

#endif
