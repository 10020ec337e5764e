/* marks.c - Good, look or bad: what the verdict says about each diagnostic.
 *
 * Limits stand where an answer is judged, and nowhere else: a mark says whether a reason was
 * given. */
#include "report/marks.h"

#include <string.h>

#include "estimator/reasons.h"

typedef struct pair {
    bf__diagnostic_id diagnostic;
    bf__reason_id reason;
} pair;

static const pair pairs[] = {
#define BF_MARK(diagnostic, reason) {BF__D_##diagnostic, BF__W_##reason},
#include "report/marks.def"
#undef BF_MARK
};

const char *bf__mark_name(bf__mark mark) {
    static const char *const names[] = {"", "good", "look", "bad"};
    return names[mark];
}

bf__mark bf__mark_of_reason(const bf_warning *reason) {
    return reason->distrust ? BF__MARK_BAD : BF__MARK_LOOK;
}

bf__mark bf__mark_of(const bf_trust *trust, const char *key) {
    bf__mark mark = BF__MARK_NONE;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        if (strcmp(bf__diagnostic_at((int)pairs[k].diagnostic)->key, key) != 0)
            continue;
        mark = mark > BF__MARK_GOOD ? mark : BF__MARK_GOOD;
        for (int i = 0; i < trust->reason_count; i++) {
            bf__mark found = bf__mark_of_reason(&trust->reasons[i]);
            if (strcmp(trust->reasons[i].code, bf__reason_code((int)pairs[k].reason)) == 0)
                mark = found > mark ? found : mark;
        }
    }
    return mark;
}
