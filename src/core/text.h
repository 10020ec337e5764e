/* text.h - Reading and writing numbers, independent of the locale; lists with commas. */
#ifndef BF_CORE_TEXT_H
#define BF_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/memory.h"
#include "core/numeric.h"

/* Reads the whole of `text` as a number, including "nan" and "inf". Returns false if it is not a
 * number. */
bool bf__parse_real(const char *text, double *out);

/* Writes `value` so that it reads back as the same double: with 15 digits if they are enough,
 * otherwise with 17. Returns the length, which is below 32. */
int bf__format_real(char *text, double value);

/* The words between the commas of `text`, copied into `arena`. There is at least one word, and a
 * word may be empty. */
bf_status bf__split(char ***out, int *count, const char *text, bf_arena *arena, bf_error *err);

#endif
