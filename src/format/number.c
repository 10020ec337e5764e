/* number.c - Decimal numbers in text: exact and fast.
 *
 * A number is w 10^q with w of up to 19 digits. There are three ways, each exact, fastest first:
 *
 *   w < 2^53 and |q| <= 22    one multiplication or division of doubles rounds once [1]
 *   q within powers.h         w times the top 128 bits of 5^q, rounded; if the bits that were cut
 *                             off could matter, the method detects it and gives up [2]
 *   anything else             strtod
 *
 * If there are at least eight digits, they are read eight at a time; numbers in logs have 16 or 17.
 *
 * [1] W. D. Clinger, How to read floating point numbers accurately, PLDI 1990.
 * [2] D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51,
 *     2021. */
#include "format/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/text.h"
#include "format/powers.h"

#define LONGEST 1024 /* the most characters of a number that is given to strtod */

__extension__ typedef unsigned __int128 uint128;

static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Computes w 10^q by [2]. Returns false if that method cannot tell. w != 0, q within the table. */
static bool scale(uint64_t w, int q, double *out) {
    int zeros = __builtin_clzll(w);
    w <<= zeros;
    const uint64_t *power = powers_of_five[q - LEAST_POWER];
    uint128 product = (uint128)w * power[0];
    uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    if ((high & 0x1FF) == 0x1FF) { /* the second half of the power can still carry into it */
        uint64_t carry = (uint64_t)(((uint128)w * power[1]) >> 64);
        low += carry;
        high += low < carry;
    }
    if (low == UINT64_MAX && q < -27)
        return false;
    int upper = (int)(high >> 63);
    uint64_t mantissa = high >> (upper + 9); /* 53 bits and one to round by */
    int exponent = ((217706 * q) >> 16) + 63 + upper - zeros + 1023;
    if (exponent < 1 || exponent > 2045)
        return false;
    /* A number exactly between two doubles is rounded to the even one. */
    if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << (upper + 9) == high)
        mantissa &= ~(uint64_t)1;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> 53) {
        mantissa >>= 1;
        exponent++;
    }
    uint64_t bits = (mantissa & (((uint64_t)1 << 52) - 1)) | (uint64_t)exponent << 52;
    memcpy(out, &bits, sizeof bits);
    return true;
}

static bool slow(const char *begin, const char *end, double *out) {
    char text[LONGEST];
    size_t length = (size_t)(end - begin);
    if (length >= sizeof text)
        return false;
    memcpy(text, begin, length);
    text[length] = '\0';
    return bf__parse_real(text, out);
}

static inline bool is_digit(char c) {
    return (unsigned char)(c - '0') < 10;
}

/* Appends the digits at p to *w. This may overflow, so the caller counts the digits. */
static inline const char *digits(const char *p, const char *end, uint64_t *w) {
    uint64_t value = *w;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    while (end - p >= 8) {
        uint64_t x;
        memcpy(&x, p, 8);
        if (((x & 0xF0F0F0F0F0F0F0F0u) |
             (((x + 0x0606060606060606u) & 0xF0F0F0F0F0F0F0F0u) >> 4)) != 0x3333333333333333u)
            break;
        x -= 0x3030303030303030u;
        x = x * 10 + (x >> 8); /* pairs, then fours, then all eight */
        x = ((x & 0x000000FF000000FFu) * 0x000F424000000064u +
             ((x >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
            32;
        value = value * 100000000 + x;
        p += 8;
    }
#endif
    for (; p < end && is_digit(*p); p++)
        value = value * 10 + (uint64_t)(*p - '0');
    *w = value;
    return p;
}

/* Counts the digits after leading zeros. */
static ptrdiff_t significant(const char *p, const char *end) {
    ptrdiff_t count = 0;
    for (; p < end; p++)
        if (*p != '.' && (count || *p != '0'))
            count++;
    return count;
}

/* Reads an exponent, e+12, at p and adds it to *q. Returns NULL if no digit follows the letter. */
static const char *exponent_part(const char *p, const char *end, int *q) {
    p++;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p >= end || !is_digit(*p))
        return NULL;
    int value = 0;
    for (; p < end && is_digit(*p); p++)
        if (value < 100000)
            value = 10 * value + (*p - '0');
    *q += minus ? -value : value;
    return p;
}

const char *bf__number(const char *p, const char *end, double *out) {
    const char *start = p;
    bool minus = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    uint64_t w = 0;
    const char *first = p;
    p = digits(p, end, &w);
    ptrdiff_t count = p - first;
    int q = 0;
    if (p < end && *p == '.') {
        const char *fraction = p + 1;
        p = digits(fraction, end, &w);
        count += p - fraction;
        if (p - fraction > LONGEST)
            return NULL;
        q = -(int)(p - fraction);
    }
    if (count == 0)
        return NULL;
    const char *last = p;
    if (p < end && (*p == 'e' || *p == 'E') && !(p = exponent_part(p, end, &q)))
        return NULL;
    double value;
    if (count > 19 && significant(first, last) > 19)
        return slow(start, p, out) ? p : NULL;
    if (w < (uint64_t)1 << 53 && q >= -22 && q <= 22)
        value = q < 0 ? (double)w / tens[-q] : (double)w * tens[q];
    else if (w == 0)
        value = 0;
    else if (q < LEAST_POWER || q > MOST_POWER || !scale(w, q, &value))
        return slow(start, p, out) ? p : NULL;
    *out = minus ? -value : value;
    return p;
}
