/* marks.h - Good, look or bad: what the verdict says about each diagnostic. */
#ifndef BF_REPORT_MARKS_H
#define BF_REPORT_MARKS_H

#include "estimator/diagnostics.h"
#include "trust/trust.h"

typedef enum bf__mark { BF__MARK_NONE, BF__MARK_GOOD, BF__MARK_LOOK, BF__MARK_BAD } bf__mark;

/* "", "good", "look", "bad". */
const char *bf__mark_name(bf__mark mark);

/* The mark of a diagnostic, by its key, under the reasons of `trust`; none if nothing judges it. */
bf__mark bf__mark_of(const bf_trust *trust, const char *key);

/* The mark of a reason itself: look, or bad. */
bf__mark bf__mark_of_reason(const bf_warning *reason);

#endif
