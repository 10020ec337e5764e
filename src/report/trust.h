/* trust.h - Intervals and verdict of an answer, as text and JSON. */
#ifndef BF_REPORT_TRUST_H
#define BF_REPORT_TRUST_H

#include <jansson.h>
#include <stdio.h>

#include "backflow/report.h"
#include "trust/trust.h"

/* What was measured of the answer; if nothing was, the warnings of the estimate are all there is.
 */
bf_trust bf__trust_of(const bf_answer *answer);

/* The intervals, the verdict and its reasons, as one object; NULL if there is no memory. */
json_t *bf__json_trust(const bf_estimate *estimate, const bf_trust *trust);

/* One line: the interval of the value, or why there is none. */
void bf__text_interval(FILE *out, const bf_trust *trust);

/* The interval that belongs to a diagnostic; NULL if there is none. */
const bf_interval *bf__interval_of(const bf_trust *trust, const char *diagnostic);

#endif
