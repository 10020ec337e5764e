/* number.h - Decimal numbers in text: exact and fast. */
#ifndef BF_FORMAT_NUMBER_H
#define BF_FORMAT_NUMBER_H

/* Reads the decimal number that starts at `p` and nothing past `end`. The result is the nearest
 * double, as strtod gives in the "C" locale. Returns the first character after the number, or NULL
 * if none starts there ("nan", "inf" and hexadecimal numbers do not count). A number that is too
 * large gives infinity. */
const char *bf__number(const char *p, const char *end, double *out);

#endif
