/* plan.c - Exact while K fits, low rank beyond; rows in blocks where not even those fit.
 *
 * K takes 2 n^2 bytes and a product with it n^2 / 2 multiplications; rank m takes 8 n m (16 n m
 * with phi) and n m. Storing pays while products are many and n is in the ten thousands. */
#include "flow/plan.h"

#include <stdio.h>

#include "flow/exact.h"

enum { MOST_STORED = 40000, USUAL_RANK = 1000 };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

bf__flow_plan bf__flow_choose(int64_t n, double memory, int64_t rank, int features) {
    bf__flow_plan plan = {.way = BF__WAY_STORED, .bytes = bf__exact_bytes(n)};
    double room = memory > 0 ? memory : 2147483648.0;
    if (!features && n <= MOST_STORED && plan.bytes <= room) {
        snprintf(plan.text, sizeof plan.text, "exact kernel of %lld transitions, %.0f MB",
                 (long long)n, plan.bytes / 1e6);
        return plan;
    }
    double each = 8.0 * (double)n * (features ? 2 : 1);
    int64_t fits = (int64_t)(0.8 * room / each);
    plan.rank = least(rank > 0 ? rank : USUAL_RANK, n);
    plan.way = plan.rank <= fits ? BF__WAY_LOWRANK : BF__WAY_STREAMED;
    if (rank == 0 && plan.way == BF__WAY_STREAMED && fits >= USUAL_RANK / 2) {
        plan.rank = least(fits, n); /* a little less, and all of it at hand */
        plan.way = BF__WAY_LOWRANK;
    }
    plan.candidates = least((int64_t)(0.5 * room / (8.0 * (double)plan.rank)), 20000);
    plan.candidates = plan.candidates < plan.rank ? plan.rank : plan.candidates;
    plan.candidates = least(plan.candidates, n);
    plan.bytes = plan.way == BF__WAY_LOWRANK ? each * (double)plan.rank
                                             : 8.0 * (double)plan.rank * (double)plan.rank;
    snprintf(plan.text, sizeof plan.text,
             "low rank: %lld features from pivots among %lld of %lld transitions, %s",
             (long long)plan.rank, (long long)plan.candidates, (long long)n,
             plan.way == BF__WAY_LOWRANK ? "held in memory" : "made in blocks");
    return plan;
}
