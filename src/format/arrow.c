/* arrow.c - Columns of Arrow, by its C data interface.
 *
 * Source      https://arrow.apache.org/docs/format/CDataInterface.html, and Columnar.html for how
 *             elements lie in memory
 * Cost        one pass over what is asked for; nothing is copied but the doubles
 *
 * Element i of an array is at place array->offset + i of its buffers. Buffer 0 has a bit per
 * element that says if it is there; it may be NULL if all are. */
#include "format/arrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Types */

/* How many of a unit of time, told by its letter, make a second. */
static double per_second(char letter) {
    return letter == 's' ? 1 : letter == 'm' ? 1e3 : letter == 'u' ? 1e6 : 1e9;
}

static bf__arrow_type time_type(const char *format) {
    bf__arrow_type type = {.form = BF__ARROW_SIGNED, .size = 8, .times = 1, .time = true};
    if (strcmp(format, "tdD") == 0)
        return (bf__arrow_type){BF__ARROW_SIGNED, 4, 86400, 1, true};
    if (strcmp(format, "tdm") == 0)
        type.over = 1e3;
    else if (format[1] == 's' && format[2] && format[3] == ':')
        type.over = per_second(format[2]);
    else if ((format[1] == 't' || format[1] == 'D') && format[2] && !format[3]) {
        type.over = per_second(format[2]);
        type.time = false; /* a time of day, a duration: a number of seconds */
        type.size = format[1] == 't' && (format[2] == 's' || format[2] == 'm') ? 4 : 8;
    } else
        type.form = BF__ARROW_OTHER; /* months and days: of no fixed length */
    return type;
}

static bf__arrow_type decimal_type(const char *format) {
    bf__arrow_type type = {.form = BF__ARROW_DECIMAL, .size = 16, .times = 1, .over = 1};
    char *end;
    strtol(format + 2, &end, 10);
    if (*end != ',')
        return (bf__arrow_type){0};
    long places = strtol(end + 1, &end, 10);
    *(places < 0 ? &type.times : &type.over) = pow(10, (double)labs(places));
    if (*end == ',')
        type.size = (int)strtol(end + 1, &end, 10) / 8;
    if (type.size != 4 && type.size != 8 && type.size != 16)
        type.form = BF__ARROW_OTHER;
    return type;
}

bf__arrow_type bf__arrow_type_of(const char *format) {
    static const struct {
        const char *format;
        bf__arrow_form form;
        int size;
    } plain[] = {
        {"n", BF__ARROW_NULL, 0},     {"b", BF__ARROW_BOOL, 0},     {"c", BF__ARROW_SIGNED, 1},
        {"C", BF__ARROW_UNSIGNED, 1}, {"s", BF__ARROW_SIGNED, 2},   {"S", BF__ARROW_UNSIGNED, 2},
        {"i", BF__ARROW_SIGNED, 4},   {"I", BF__ARROW_UNSIGNED, 4}, {"l", BF__ARROW_SIGNED, 8},
        {"L", BF__ARROW_UNSIGNED, 8}, {"e", BF__ARROW_REAL, 2},     {"f", BF__ARROW_REAL, 4},
        {"g", BF__ARROW_REAL, 8},     {"u", BF__ARROW_TEXT, 4},     {"U", BF__ARROW_TEXT, 8},
        {"vu", BF__ARROW_VIEWS, 16}};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (strcmp(plain[k].format, format) == 0)
            return (bf__arrow_type){plain[k].form, plain[k].size, 1, 1, false};
    if (strncmp(format, "d:", 2) == 0)
        return decimal_type(format);
    if (format[0] == 't' && format[1])
        return time_type(format);
    return (bf__arrow_type){0};
}

bool bf__arrow_fits(const struct ArrowArray *array, bf__arrow_type type, int64_t end) {
    if (array->length < end || array->offset < 0)
        return false;
    int64_t needed = type.form == BF__ARROW_NULL ? 0 : type.form == BF__ARROW_TEXT ? 3 : 2;
    if (array->n_buffers < needed || (needed && !array->buffers))
        return false;
    return end == 0 || needed < 2 || array->buffers[1];
}

/* ---- Elements */

static bool bit_at(const void *bits, int64_t i) {
    return ((const uint8_t *)bits)[i >> 3] >> (i & 7) & 1;
}

bool bf__arrow_gap(const struct ArrowArray *array, int64_t i) {
    if (array->n_buffers == 0)
        return true; /* a column of nothing */
    const void *there = array->null_count == 0 ? NULL : array->buffers[0];
    return there && !bit_at(there, array->offset + i);
}

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits & 0x8000 ? -size : size;
}

/* A whole number of 128 bits, low half first. */
static double wide_value(const void *at) {
    uint64_t low, high;
    memcpy(&low, at, sizeof low);
    memcpy(&high, (const char *)at + sizeof low, sizeof high);
    bool negative = high >> 63;
    if (negative) {
        low = ~low + 1;
        high = ~high + (low == 0);
    }
    double size = ldexp((double)high, 64) + (double)low;
    return negative ? -size : size;
}

#define TAKE(type)                                                                                 \
    for (int64_t i = 0; i < count; i++) {                                                          \
        type value;                                                                                \
        memcpy(&value, at + i * (int64_t)sizeof value, sizeof value);                              \
        out[i] = (double)value;                                                                    \
    }                                                                                              \
    break

/* Elements as they lie there, gaps included. */
static void take(double *out, const struct ArrowArray *array, bf__arrow_type type, int64_t first,
                 int64_t count) {
    int64_t place = array->offset + first;
    const char *at = array->buffers[1];
    if (type.form == BF__ARROW_BOOL) {
        for (int64_t i = 0; i < count; i++)
            out[i] = bit_at(at, place + i);
        return;
    }
    at += place * type.size;
    enum { SIGNED = 0, UNSIGNED = 100, REAL = 200, DECIMAL = 300 };
    int kind = type.form == BF__ARROW_UNSIGNED  ? UNSIGNED
               : type.form == BF__ARROW_REAL    ? REAL
               : type.form == BF__ARROW_DECIMAL ? DECIMAL
                                                : SIGNED;
    switch (kind + type.size) {
    case SIGNED + 1:
        TAKE(int8_t);
    case SIGNED + 2:
        TAKE(int16_t);
    case SIGNED + 4:
    case DECIMAL + 4:
        TAKE(int32_t);
    case SIGNED + 8:
    case DECIMAL + 8:
        TAKE(int64_t);
    case UNSIGNED + 1:
        TAKE(uint8_t);
    case UNSIGNED + 2:
        TAKE(uint16_t);
    case UNSIGNED + 4:
        TAKE(uint32_t);
    case UNSIGNED + 8:
        TAKE(uint64_t);
    case REAL + 4:
        TAKE(float);
    case REAL + 8:
        TAKE(double);
    case REAL + 2:
        for (int64_t i = 0; i < count; i++) {
            uint16_t bits;
            memcpy(&bits, at + i * 2, sizeof bits);
            out[i] = half_value(bits);
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++)
            out[i] = wide_value(at + i * 16);
    }
    if (type.times != 1 || type.over != 1)
        for (int64_t i = 0; i < count; i++)
            out[i] = out[i] * type.times / type.over;
}

void bf__arrow_numbers(double *out, const struct ArrowArray *array, bf__arrow_type type,
                       int64_t first, int64_t count) {
    if (count > 0 && type.form != BF__ARROW_NULL)
        take(out, array, type, first, count);
    if (type.form != BF__ARROW_NULL && (array->null_count == 0 || !array->buffers[0]))
        return;
    for (int64_t i = 0; i < count; i++)
        if (bf__arrow_gap(array, first + i))
            out[i] = NAN;
}

bool bf__arrow_whole(int64_t *out, const struct ArrowArray *array, bf__arrow_type type, int64_t i) {
    double value;
    if (bf__arrow_gap(array, i))
        return false;
    if (type.size < 8) {
        take(&value, array, type, i, 1);
        *out = (int64_t)value;
        return true;
    }
    memcpy(out, (const char *)array->buffers[1] + (array->offset + i) * 8, sizeof *out);
    return type.form == BF__ARROW_SIGNED || *out >= 0;
}

/* The parts of a view: its length, then the text itself if it fits, or a buffer and a place. */
static const char *view_text(size_t *length, const struct ArrowArray *array, int64_t place) {
    const char *view = (const char *)array->buffers[1] + place * 16;
    int32_t size, buffer, at;
    memcpy(&size, view, sizeof size);
    memcpy(&buffer, view + 8, sizeof buffer);
    memcpy(&at, view + 12, sizeof at);
    *length = size > 0 ? (size_t)size : 0;
    if (size <= 12)
        return view + 4;
    /* Buffers of texts come after those of gaps and views; the last one has their lengths. */
    if (buffer < 0 || buffer >= array->n_buffers - 3 || at < 0)
        return NULL;
    return (const char *)array->buffers[2 + buffer] + at;
}

const char *bf__arrow_text(size_t *length, const struct ArrowArray *array, bf__arrow_type type,
                           int64_t i) {
    int64_t begin, end, place = array->offset + i;
    if (bf__arrow_gap(array, i))
        return NULL;
    if (type.form == BF__ARROW_VIEWS)
        return view_text(length, array, place);
    if (type.size == 4) {
        const int32_t *offsets = array->buffers[1];
        begin = offsets[place];
        end = offsets[place + 1];
    } else {
        const int64_t *offsets = array->buffers[1];
        begin = offsets[place];
        end = offsets[place + 1];
    }
    *length = (size_t)(end > begin ? end - begin : 0);
    return array->buffers[2] ? (const char *)array->buffers[2] + begin : "";
}
