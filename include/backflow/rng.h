/* rng.h - Counter-based random streams.
 *
 * A stream is named by (seed, purpose, replicate): who draws from it does not depend on threads or
 * on what else was drawn, so results are the same for any number of threads. Philox 4x64-10. */
#ifndef BACKFLOW_RNG_H
#define BACKFLOW_RNG_H

#include <stdint.h>

#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_rng {
    uint64_t key[2];
    uint64_t counter[4];
    uint64_t buffer[4];
    int left; /* numbers of the buffer not yet handed out */
} bf_rng;

/* `purpose` is a short fixed word ("pivots", "rollout"); it is hashed into the key. */
BF_API bf_rng bf_rng_make(uint64_t seed, const char *purpose, uint64_t replicate);

BF_API uint64_t bf_rng_u64(bf_rng *rng);
BF_API double bf_rng_uniform(bf_rng *rng);                          /* [0, 1), 53 bits */
BF_API double bf_rng_between(bf_rng *rng, double low, double high); /* [low, high) */
BF_API int64_t bf_rng_below(bf_rng *rng, int64_t n); /* 0 .. n-1 without bias; n >= 1 */
BF_API double bf_rng_normal(bf_rng *rng);            /* mean 0, variance 1 */
/* Index drawn with probability p[i * stride]; p sums to 1. */
BF_API int bf_rng_choice(bf_rng *rng, const double *p, int64_t stride, int n);

#ifdef __cplusplus
}
#endif
#endif
