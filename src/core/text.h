/* text.h - Reading numbers, independent of the locale. */
#ifndef BF_CORE_TEXT_H
#define BF_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The whole of `text` as a number ("nan" and "inf" included); false where it is not one. */
bool bf__parse_real(const char *text, double *out);

#endif
