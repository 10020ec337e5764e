/* rules.h - How answers are judged: facts, rules that go by them, and asking the rules.
 *
 * A rule knows one reason why an answer may be wrong. It compares facts with its limit; if the
 * limit is passed it gives a sentence and says whether the log can still tell. judge.c has the
 * rules that go by what a method measured of itself, and trust/verdict.c those that go by where its
 * weights lie in the log and by what parts of the log say. */
#ifndef BF_ESTIMATOR_RULES_H
#define BF_ESTIMATOR_RULES_H

#include "estimator/answer.h"
#include "estimator/reasons.h"

/* What rules go by. A number that was not measured is NaN, and no rule goes by it. */
typedef struct bf__facts {
    const bf_estimate *estimate; /* its diagnostics, by bf__diagnosed */
    const bf_dataset *data;      /* the log */
    double n, episodes, gamma;
    double mean, deviation, low, high; /* of the rewards */
    bool rests; /* ends absorb and the log has some: the rest of the time earns 0 */
    bool ends;  /* episodes end, and the next one starts */

    /* Where the weights lie: trust/evidence.c. */
    double weighted_deviation; /* of the reward under the weights */
    double ended;              /* share of the weight on rows that end an episode */
    double clusters;           /* episodes, or what else is independent */
    double effective;          /* of them, those that carry the weight: 1 / sum of squares */
    double largest;            /* share of the weight that one of them has */
    const char *unit;          /* what a cluster is called */
    double gap;      /* share of the target's next pairs with no logged pair of another cluster
                        within one median step */
    double longest;  /* steps of the longest episode of the log */
    double horizon;  /* steps that the question looks ahead: the expected length of an episode, or
                        1 / (1 - gamma); INFINITY if neither ends it */
    double age_rise; /* mean weight of the latest fifth of the rows, over that of the others */
    double still;    /* share of the weight on rows whose state hardly moves */
    double mirror_excess; /* problem/symmetry.h, if the log is mirrored */
    char mirror_of[32];   /* what it is worst for */

    /* How wide the interval is, and what parts of the log say: trust/measure.c. */
    double half;   /* half the width of the interval */
    double bias;   /* mean of the parts, less the value */
    double failed; /* parts that gave no answer */
} bf__facts;

/* What a rule has to say. */
typedef struct bf__reason {
    bf__reason_id id;
    bool distrust; /* the log cannot tell; otherwise a reason to look */
    char text[512];
} bf__reason;

/* A rule: fills *out and returns true if there is something to say. */
typedef bool (*bf__rule)(bf__reason *out, const bf__facts *facts);

/* Facts about the log and its rewards; the others are NaN. */
bf__facts bf__facts_of(const bf_estimate *estimate, const bf_problem *problem);

/* Fills *out; true, so that a rule can end with it. */
bool bf__say(bf__reason *out, bf__reason_id id, bool distrust, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Asks `count` rules, and adds what they say to list (*used of `room`), unless a reason of that
 * code is there already. */
bf_status bf__ask(bf_warning *list, int *used, int room, const bf__rule *rules, int count,
                  const bf__facts *facts, bf_arena *arena, bf_error *err);

#endif
