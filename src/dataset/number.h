/* number.h - Decimal numbers in text: exact and fast. */
#ifndef BF_DATASET_NUMBER_H
#define BF_DATASET_NUMBER_H

/* Reads the decimal number that starts at `p`, nothing past `end`: the double nearest to it, as
 * strtod would in the "C" locale. Returns the first character after it, or NULL where none starts
 * there ("nan", "inf" and hexadecimal are none). Too large gives infinity. */
const char *bf__number(const char *p, const char *end, double *out);

#endif
