/* npy.c - Arrays in NumPy's .npy form.
 *
 *     "\x93NUMPY" major minor length { 'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }
 *
 * The elements follow. Version 1 has a length of 2 bytes, versions 2 and 3 of 4. The reader takes
 * real numbers of 2, 4 and 8 bytes, whole numbers of 1 to 8 bytes, and truth values, in either byte
 * order. */
#include "format/npy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"

bool bf__npy_claims(const unsigned char *head, size_t length) {
    return length >= 6 && memcmp(head, "\x93NUMPY", 6) == 0;
}

/* Returns what follows 'key': in the header, or NULL. */
static const char *value_of(const char *header, const char *key) {
    const char *p = strstr(header, key);
    if (!p)
        return NULL;
    p += strlen(key);
    p += strspn(p, " ");
    if (*p != ':')
        return NULL;
    p++;
    return p + strspn(p, " ");
}

static bf_status parse_type(bf__npy *out, const char *p, const char *name, bf_error *err) {
    if (!p || (*p != '\'' && *p != '"'))
        return bf_fail(err, BF_EFORMAT, "%s: an array of records; an array of numbers is needed",
                       name);
    char order = p[1], kind = order ? p[2] : '\0';
    int length = (int)strcspn(p + 1, "'\"");
    char *end;
    long size = kind ? strtol(p + 3, &end, 10) : 0;
    if (kind == 'O')
        return bf_fail(err, BF_EFORMAT,
                       "%s: an array of Python objects; convert it to numbers, e.g. "
                       ".astype('float64')",
                       name);
    bool real = kind == 'f' && (size == 2 || size == 4 || size == 8);
    bool whole = (kind == 'i' || kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
    bool truth = kind == 'b' && size == 1;
    if (!strchr("<>|=", order) || !(real || whole || truth) || (*end != '\'' && *end != '"'))
        return bf_fail(
            err, BF_EFORMAT,
            "%s: elements of type '%.*s' cannot be read; f2, f4, f8, i1 to i8, u1 to u8 and "
            "b1 can",
            name, length > 20 ? 20 : length, p + 1);
    out->kind = kind;
    out->size = (int)size;
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    out->swapped = size > 1 && ((order == '<' && !little) || (order == '>' && little));
    return BF_OK;
}

static bf_status parse_shape(bf__npy *out, const char *p, const char *name, bf_error *err) {
    out->count = 1;
    if (!p || *p != '(')
        return bf_fail(err, BF_EFORMAT, "%s: the array has no shape", name);
    for (p++; *(p += strspn(p, " ,")) != ')';) {
        char *end;
        long long size = strtoll(p, &end, 10);
        if (end == p || size < 0 || size > INT64_MAX / 16)
            return bf_fail(err, BF_EFORMAT, "%s: the shape of the array cannot be read", name);
        if (out->dims == BF__NPY_DIMS)
            return bf_fail(err, BF_EFORMAT, "%s: more than %d dimensions", name, BF__NPY_DIMS);
        out->shape[out->dims++] = size;
        if (__builtin_mul_overflow(out->count, (int64_t)size, &out->count) ||
            out->count > INT64_MAX / 16)
            return bf_fail(err, BF_EFORMAT, "%s: the array is too large", name);
        p = end;
    }
    return BF_OK;
}

bf_status bf__npy_header(bf__npy *out, const unsigned char *head, size_t length, const char *name,
                         bf_error *err) {
    *out = (bf__npy){0};
    if (!bf__npy_claims(head, length))
        return bf_fail(err, BF_EFORMAT, "%s: not a NumPy array", name);
    if (length < 12)
        return bf_fail(err, BF_EFORMAT, "%s: the array ends within its header", name);
    int version = head[6];
    if (version < 1 || version > 3)
        return bf_fail(err, BF_EFORMAT, "%s: version %d of the .npy form; 1, 2 and 3 are known",
                       name, version);
    size_t text = head[8] | (size_t)head[9] << 8, start = 10;
    if (version > 1) {
        text |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
        start = 12;
    }
    char header[1024];
    if (text > length - start)
        return bf_fail(err, BF_EFORMAT, "%s: the array ends within its header", name);
    size_t kept = text < sizeof header - 1 ? text : sizeof header - 1;
    memcpy(header, head + start, kept);
    header[kept] = '\0';
    out->offset = start + text;
    BF_TRY(parse_type(out, value_of(header, "'descr'"), name, err));
    const char *fortran = value_of(header, "'fortran_order'");
    out->fortran = fortran && strncmp(fortran, "True", 4) == 0;
    return parse_shape(out, value_of(header, "'shape'"), name, err);
}

const char *bf__npy_shape(const bf__npy *array, char text[160]) {
    int used = snprintf(text, 160, "(");
    for (int d = 0; d < array->dims; d++)
        used += snprintf(text + used, (size_t)(160 - used), "%s%lld", d ? ", " : "",
                         (long long)array->shape[d]);
    snprintf(text + used, (size_t)(160 - used), array->dims == 1 ? ",)" : ")");
    return text;
}

/* Sign, 5 bits of exponent, 10 of mantissa. */
static double half(uint16_t bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -value : value;
}

/* Reads n elements as doubles, from the one at `index` on, `step` apart. */
#define TAKE(type, load)                                                                           \
    for (int64_t i = 0; i < n; i++) {                                                              \
        const unsigned char *at = elements + (index + i * step) * (int64_t)sizeof(type);           \
        type value;                                                                                \
        load;                                                                                      \
        memcpy(&value, &bits, sizeof value);                                                       \
        out[i] = (double)value;                                                                    \
    }                                                                                              \
    return
#define BITS(width, swap)                                                                          \
    uint##width##_t bits;                                                                          \
    memcpy(&bits, at, sizeof bits);                                                                \
    if (array->swapped)                                                                            \
    bits = swap(bits)

int64_t bf__npy_place(const bf__npy *array, int64_t column, int64_t *step) {
    int64_t n = array->dims ? array->shape[0] : 1, rest = column, stride = n, index = 0;
    int64_t strides[BF__NPY_DIMS];
    if (!array->fortran || array->dims < 2) {
        *step = n ? array->count / n : 0;
        return column;
    }
    for (int d = 1; d < array->dims; d++) { /* the first index runs fastest */
        strides[d] = stride;
        stride *= array->shape[d];
    }
    for (int d = array->dims - 1; d >= 1; d--) {
        index += rest % array->shape[d] * strides[d];
        rest /= array->shape[d];
    }
    *step = 1;
    return index;
}

void bf__npy_column(const bf__npy *array, const unsigned char *elements, int64_t column,
                    double *out) {
    int64_t n = array->dims ? array->shape[0] : 1, step;
    int64_t index = bf__npy_place(array, column, &step);
    switch (array->kind * 16 + array->size) {
    case 'f' * 16 + 8:
        TAKE(double, BITS(64, __builtin_bswap64));
    case 'f' * 16 + 4:
        TAKE(float, BITS(32, __builtin_bswap32));
    case 'f' * 16 + 2:
        for (int64_t i = 0; i < n; i++) {
            const unsigned char *at = elements + 2 * (index + i * step);
            BITS(16, __builtin_bswap16);
            out[i] = half(bits);
        }
        return;
    case 'i' * 16 + 8:
        TAKE(int64_t, BITS(64, __builtin_bswap64));
    case 'i' * 16 + 4:
        TAKE(int32_t, BITS(32, __builtin_bswap32));
    case 'i' * 16 + 2:
        TAKE(int16_t, BITS(16, __builtin_bswap16));
    case 'i' * 16 + 1:
        TAKE(int8_t, uint8_t bits = *at);
    case 'u' * 16 + 8:
        TAKE(uint64_t, BITS(64, __builtin_bswap64));
    case 'u' * 16 + 4:
        TAKE(uint32_t, BITS(32, __builtin_bswap32));
    case 'u' * 16 + 2:
        TAKE(uint16_t, BITS(16, __builtin_bswap16));
    default:
        TAKE(uint8_t, uint8_t bits = *at);
    }
}
