/* arrow.h - Columns of Arrow, by its C data interface: types, numbers and texts.
 *
 * The three structs are Arrow's own and will not change; the specification asks every program to
 * declare them like this. A struct whose `release` is NULL has been given back. */
#ifndef BF_FORMAT_ARROW_H
#define BF_FORMAT_ARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/* How the elements of a column lie in memory. */
typedef enum bf__arrow_form {
    BF__ARROW_OTHER, /* lists, structs, bytes: nothing that a log holds */
    BF__ARROW_NULL,
    BF__ARROW_BOOL,
    BF__ARROW_SIGNED,
    BF__ARROW_UNSIGNED,
    BF__ARROW_REAL,
    BF__ARROW_DECIMAL,
    BF__ARROW_TEXT,  /* offsets into one buffer */
    BF__ARROW_VIEWS, /* texts that lie in several buffers, short ones inside their view */
} bf__arrow_form;

typedef struct bf__arrow_type {
    bf__arrow_form form;
    int size;           /* bytes of an element, or of an offset */
    double times, over; /* what an element stands for: milliseconds are seconds over 1000 */
    bool time;          /* a date, or a point in time */
} bf__arrow_type;

/* The type that a format string of Arrow means: "g", "tsu:UTC", "d:12,2". */
bf__arrow_type bf__arrow_type_of(const char *format);

/* Whether the array has the buffers of its type, and reaches as far as `end`. */
bool bf__arrow_fits(const struct ArrowArray *array, bf__arrow_type type, int64_t end);

/* Whether element i is missing. */
bool bf__arrow_gap(const struct ArrowArray *array, int64_t i);

/* Elements first, ..., first + count - 1 as doubles, NaN if they are missing. Points in time are
 * seconds since 1970. Not for texts. */
void bf__arrow_numbers(double *out, const struct ArrowArray *array, bf__arrow_type type,
                       int64_t first, int64_t count);

/* Element i of whole numbers, exactly; false if it is missing, or no int64_t. */
bool bf__arrow_whole(int64_t *out, const struct ArrowArray *array, bf__arrow_type type, int64_t i);

/* Element i of texts, not terminated; NULL if it is missing. */
const char *bf__arrow_text(size_t *length, const struct ArrowArray *array, bf__arrow_type type,
                           int64_t i);

#endif
