/* numeric.h - Numbers in text as programs write them, whatever the locale of the host.
 *
 * A host may have asked for decimal commas. Text that the library makes, files and messages alike,
 * has points: it is read back by programs, and it stands in reports beside JSON. Between begin and
 * end this thread is in the "C" locale; other threads are not touched. */
#ifndef BF_CORE_NUMERIC_H
#define BF_CORE_NUMERIC_H

#include <locale.h>
#include <stddef.h>

/* The locale to go back to. */
static inline locale_t bf__numeric_begin(void) {
    /* For "C" the C library has one object that is never freed: this neither fails nor leaks. */
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void bf__numeric_end(locale_t before) {
    uselocale(before);
}

/* snprintf with decimal points, whatever the locale of the host. */
int bf__format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
