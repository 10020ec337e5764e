/* total.h - Sums whose digits do not depend on the order of what is added.
 *
 * A sum is a whole number of units, 128 bits wide. One unit is 2^(e - 90) if no addend is larger
 * than 2^e in size, so that 2^36 of them fit. An addend is rounded to whole units once, on its own;
 * after that, adding is exact, and any order, any grouping and any number of threads give the same
 * sum. Addends of at least 2^(e - 37) are not changed at all, and smaller ones by less than
 * 2^(e - 90).
 *
 * Cost   bench/total.sh: a pass over rows takes what it takes with sums in double, within a few
 *        percent; summing a column (bf__total_add_all) is as fast as in double. */
#ifndef BF_CORE_TOTAL_H
#define BF_CORE_TOTAL_H

#include <math.h>
#include <stdint.h>
#include <string.h>

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

/* x in units, rounded to a whole number: high * 2^45 + low, each of which fits a register. */
typedef struct bf__total_parts {
    int64_t high, low; /* at most 2^45 and 2^44 in size */
} bf__total_parts;

/* Adding 2^52 + 2^51 to a number of less than 2^51 leaves no room for a fraction: the sum is
 * rounded, its last bits are the whole number, and they are read as they are. That is faster than a
 * conversion. */
static inline bf__total_parts bf__total_part(double x, double scale) {
    const double large = 0x1.8p52;
    const int64_t zero = 0x4338000000000000; /* the bits of `large` */
    bf__total_parts parts;
    double units = x * (scale * 0x1p-45), high = units + large;
    double low = (units - (high - large)) * 0x1p45 + large;
    memcpy(&parts.high, &high, sizeof high);
    memcpy(&parts.low, &low, sizeof low);
    parts.high -= zero;
    parts.low -= zero;
    return parts;
}

static inline bf__total bf__total_of_parts(int64_t high, int64_t low) {
    return (bf__total)high * ((bf__total)1 << 45) + low;
}

static inline bf__total bf__total_of(double x, double scale) {
    bf__total_parts parts = bf__total_part(x, scale);
    return bf__total_of_parts(parts.high, parts.low);
}

static inline void bf__total_add(bf__total *sum, double x, double scale) {
    *sum = bf__total_join(*sum, bf__total_of(x, scale));
}

/* Adds x (n). The halves are summed apart, as far as they fit. */
static inline void bf__total_add_all(bf__total *sum, const double *x, int64_t n, double scale) {
    const int64_t most = 1 << 17;
    for (int64_t at = 0; at < n; at += most) {
        int64_t end = n - at < most ? n : at + most, high = 0, low = 0;
        for (int64_t i = at; i < end; i++) {
            bf__total_parts parts = bf__total_part(x[i], scale);
            high += parts.high;
            low += parts.low;
        }
        *sum = bf__total_join(*sum, bf__total_of_parts(high, low));
    }
}

static inline double bf__total_value(bf__total sum, double scale) {
    return (double)sum / scale;
}

static inline double bf__total_mean(bf__total sum, int64_t count, double scale) {
    return (double)sum / (double)count / scale;
}

#endif
