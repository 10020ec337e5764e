/* diagnostics.h - The diagnostics of diagnostics.def by identifier, and those of an answer. */
#ifndef BF_ESTIMATOR_DIAGNOSTICS_H
#define BF_ESTIMATOR_DIAGNOSTICS_H

#include "estimator/answer.h"

typedef enum bf__diagnostic_id {
#define BF_DIAGNOSTIC(id, key, unit, good, label, definition) BF__D_##id,
#include "estimator/diagnostics.def"
#undef BF_DIAGNOSTIC
    BF__DIAGNOSTICS
} bf__diagnostic_id;

/* A row of the list. */
typedef struct bf__diagnostic_kind {
    const char *key, *unit, *good, *label, *definition;
} bf__diagnostic_kind;

/* In the order of the list; NULL past its end. */
const bf__diagnostic_kind *bf__diagnostic_at(int id);

/* Multiplies what is measured in rewards, but for the return of an episode. */
void bf__diagnostics_scale(bf_estimate *out, double factor);

/* Puts another number in the place of the one that is there. */
void bf__diagnose_again(bf_estimate *out, bf__diagnostic_id id, double value);

/* Adds a number. */
void bf__diagnose(bf_estimate *out, bf__diagnostic_id id, double value);

/* Adds what `other` has and the answer has not. */
void bf__diagnose_also(bf_estimate *out, const bf_estimate *other);

/* The number, or NaN if there is none. */
double bf__diagnosed(const bf_estimate *estimate, bf__diagnostic_id id);

#endif
