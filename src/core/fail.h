/* fail.h - Writing an error once, where its cause is known, and passing it up untouched. */
#ifndef BF_CORE_FAIL_H
#define BF_CORE_FAIL_H

#include "backflow/memory.h"
#include "backflow/status.h"

/* Writes the message (err may be NULL) and returns `status`. */
bf_status bf_fail(bf_error *err, bf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns from the calling function if `expression` is not BF_OK. */
#define BF_TRY(expression)                                                                         \
    do {                                                                                           \
        bf_status bf__status = (expression);                                                       \
        if (bf__status != BF_OK)                                                                   \
            return bf__status;                                                                     \
    } while (0)

/* Makes room for `count` objects of the type that `pointer` points to, or returns BF_ENOMEM from
 * the calling function. */
#define BF_ALLOC(pointer, arena, count, err)                                                       \
    do {                                                                                           \
        (pointer) = bf_arena_alloc(arena, count, sizeof *(pointer), err);                          \
        if (!(pointer))                                                                            \
            return BF_ENOMEM;                                                                      \
    } while (0)
#define BF_ZALLOC(pointer, arena, count, err)                                                      \
    do {                                                                                           \
        (pointer) = bf_arena_zalloc(arena, count, sizeof *(pointer), err);                         \
        if (!(pointer))                                                                            \
            return BF_ENOMEM;                                                                      \
    } while (0)

#endif
