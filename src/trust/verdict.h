/* verdict.h - Sound, look, or cannot tell: the rules, and asking them. */
#ifndef BF_TRUST_VERDICT_H
#define BF_TRUST_VERDICT_H

#include "estimator/reasons.h"
#include "trust/evidence.h"

/* What a rule has to say. */
typedef struct bf__doubt {
    bf__reason_id id;
    bool distrust; /* the log cannot tell; otherwise a reason to look */
    char text[512];
} bf__doubt;

/* A rule: fills *out and returns true if there is something to say. */
typedef bool (*bf__trust_rule)(bf__doubt *out, const bf__evidence *evidence);

/* In the order they are asked; NULL past the end. */
bf__trust_rule bf__trust_rule_at(int index);

/* Fills trust->reasons, with the warnings of the estimate first, and trust->verdict. */
bf_status bf__verdict(bf_trust *trust, const bf__evidence *evidence, bf_arena *arena,
                      bf_error *err);

#endif
