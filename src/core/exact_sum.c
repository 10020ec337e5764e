/* exact_sum.c - What exact sums are as numbers.
 *
 * The variance is the mean square less the squared mean, which may agree in nearly all digits. With
 * the rounded mean m of n numbers, their sum S and their sum of squares Q, it is
 * (Q - 2 m S + n m^2) / n - (S / n - m)^2, and the first bracket and S - n m are again exact sums.
 */
#include "core/exact_sum.h"

enum { BASE_BITS = 32, LEAST = -1075 };

void bf__exact_sum_settle(bf__exact_sum *sum) {
    for (int k = 0; k + 1 < BF__EXACT_BINS; k++) {
        bf__total low = sum->bin[k] & 0xffffffff, carry = (sum->bin[k] - low) >> BASE_BITS;
        sum->bin[k] = low;
        sum->bin[k + 1] = bf__total_join(sum->bin[k + 1], carry);
    }
}

static bf__wide add(bf__wide a, double b) {
    double high = a.high + b, part = high - a.high;
    double low = (a.high - (high - part)) + (b - part) + a.low, sum = high + low;
    return (bf__wide){sum, low - (sum - high)};
}

/* Adds a times b. */
static void add_product(bf__exact_sum *sum, double a, double b) {
    double product = a * b;
    bf__exact_sum_add(sum, product);
    bf__exact_sum_add(sum, fma(a, b, -product));
}

/* What counter k stands for, in a sum that is settled. */
static double part_of(const bf__exact_sum *sum, int k) {
    return ldexp((double)sum->bin[k], BASE_BITS * k + LEAST);
}

/* Makes the sum, settled, what it is without its sign, which is returned. */
static double take_sign(bf__exact_sum *sum) {
    bf__exact_sum_settle(sum);
    if (sum->bin[BF__EXACT_BINS - 1] >= 0)
        return 1;
    for (int k = 0; k < BF__EXACT_BINS; k++)
        sum->bin[k] = -sum->bin[k];
    bf__exact_sum_settle(sum);
    return -1;
}

bf__wide bf__exact_sum_value(const bf__exact_sum *sum) {
    bf__exact_sum s = *sum;
    bf__wide value = {0, 0};
    double sign = take_sign(&s);
    for (int k = BF__EXACT_BINS - 1; k >= 0; k--)
        if (s.bin[k] != 0)
            value = add(value, part_of(&s, k));
    return (bf__wide){sign * value.high, sign * value.low};
}

void bf__exact_sum_moments(double *mean, double *sd, const bf__exact_sum *sum,
                           const bf__exact_sum *squares, int64_t n) {
    bf__exact_sum s = *sum, about = *squares, off = *sum;
    double count = (double)n, m = *mean = bf__exact_sum_value(sum).high / count, square = m * m;
    double sign = take_sign(&s);
    for (int k = 0; k < BF__EXACT_BINS; k++)
        if (s.bin[k] != 0)
            add_product(&about, part_of(&s, k), -2 * sign * m);
    add_product(&about, count, square);
    add_product(&about, count, fma(m, m, -square));
    add_product(&off, count, -m);
    double away = bf__exact_sum_value(&off).high / count;
    double variance = bf__exact_sum_value(&about).high / count - away * away;
    *sd = variance > 0 ? sqrt(variance) : 0;
}
