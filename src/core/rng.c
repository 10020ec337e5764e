/* rng.c - Counter-based random streams on Random123's Philox 4x64-10 [1].
 *
 *     key     = (seed, hash of the purpose)
 *     counter = (block number, replicate, 0, 0)
 *
 * [1] Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011. */
#include "backflow/rng.h"

#include <Random123/philox.h>
#include <math.h>

__extension__ typedef unsigned __int128 u128;

bf_rng bf_rng_make(uint64_t seed, const char *purpose, uint64_t replicate) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a, 64 bits */
    for (const char *c = purpose; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    return (bf_rng){.key = {seed, hash}, .counter = {0, replicate, 0, 0}};
}

static void refill(bf_rng *rng) {
    philox4x64_ctr_t counter = {
        {rng->counter[0], rng->counter[1], rng->counter[2], rng->counter[3]}};
    philox4x64_key_t key = {{rng->key[0], rng->key[1]}};
    philox4x64_ctr_t random = philox4x64(counter, key);
    for (int i = 0; i < 4; i++)
        rng->buffer[i] = random.v[3 - i]; /* handed out from the end: v[0] first */
    rng->counter[0]++;
    rng->left = 4;
}

uint64_t bf_rng_u64(bf_rng *rng) {
    if (rng->left == 0)
        refill(rng);
    return rng->buffer[--rng->left];
}

double bf_rng_uniform(bf_rng *rng) {
    return (double)(bf_rng_u64(rng) >> 11) * 0x1p-53;
}

double bf_rng_between(bf_rng *rng, double low, double high) {
    return low + (high - low) * bf_rng_uniform(rng);
}

/* The high word of a 64 x 64 product is the result. The few low words that would bias it are
 * rejected (Lemire). */
int64_t bf_rng_below(bf_rng *rng, int64_t n) {
    uint64_t range = (uint64_t)n;
    u128 product = (u128)bf_rng_u64(rng) * range;
    if ((uint64_t)product < range) {
        uint64_t threshold = -range % range;
        while ((uint64_t)product < threshold)
            product = (u128)bf_rng_u64(rng) * range;
    }
    return (int64_t)(product >> 64);
}

/* Box-Muller. We do not keep the second number of the pair, so that the state of a stream stays
 * plain. */
double bf_rng_normal(bf_rng *rng) {
    double u = 1.0 - bf_rng_uniform(rng); /* (0, 1] */
    double v = bf_rng_uniform(rng);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586476925286766559 * v);
}

int bf_rng_choice(bf_rng *rng, const double *p, int64_t stride, int n) {
    double u = bf_rng_uniform(rng), sum = 0;
    int last = 0;
    for (int i = 0; i < n; i++) {
        double mass = p[i * stride];
        if (mass > 0)
            last = i;
        sum += mass;
        if (u < sum)
            return i;
    }
    return last; /* because of rounding, u can reach the computed sum */
}
