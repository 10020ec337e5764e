/* text.h - Reading and writing numbers, independent of the locale; lists with commas. */
#ifndef BF_CORE_TEXT_H
#define BF_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/memory.h"

/* The whole of `text` as a number ("nan" and "inf" included); false where it is not one. */
bool bf__parse_real(const char *text, double *out);

/* `value` so that it reads back as the same double, in 15 digits where they do and in 17 where they
 * do not; returns the length, below 32. */
int bf__format_real(char *text, double value);

/* What stands between the commas of `text`, copied into `arena`; at least one word, and a word may
 * be empty. */
bf_status bf__split(char ***out, int *count, const char *text, bf_arena *arena, bf_error *err);

#endif
