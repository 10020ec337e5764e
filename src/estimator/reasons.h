/* reasons.h - The reasons of reasons.def by identifier. */
#ifndef BF_ESTIMATOR_REASONS_H
#define BF_ESTIMATOR_REASONS_H

typedef enum bf__reason_id {
#define BF_REASON(id, code, advice) BF__W_##id,
#include "estimator/reasons.def"
#undef BF_REASON
    BF__REASONS
} bf__reason_id;

/* The code and the advice; NULL past the end of the list. */
const char *bf__reason_code(int id);
const char *bf__reason_advice(int id);

#endif
