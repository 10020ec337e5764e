/* timestamp.h - Points in time as text. */
#ifndef BF_FORMAT_TIMESTAMP_H
#define BF_FORMAT_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>

/* Reads all of text[0, length) as a date or a date and a time, ISO 8601:
 *
 *     2026-11-16   2026-11-16T11:52   2026-11-16 11:52:19.25   2026-11-16T11:52:19+01:00   ...Z
 *
 * *out takes the seconds since 1970-01-01T00:00Z; without a zone, the text is taken as UTC. False
 * if the text is no such time, or names a day that does not exist. */
bool bf__timestamp(const char *text, size_t length, double *out);

#endif
