/* mix.h - Hashes of numbers, of 64 bits that are as good as drawn at random. */
#ifndef BF_CORE_MIX_H
#define BF_CORE_MIX_H

#include <stdint.h>
#include <string.h>

static inline uint64_t bf__mix(uint64_t hash, uint64_t bits) {
    hash = (hash ^ bits) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 29);
}

static inline uint64_t bf__mix_real(uint64_t hash, double value) {
    uint64_t bits;
    value += 0.0; /* -0 and 0 are the same number */
    memcpy(&bits, &value, sizeof bits);
    return bf__mix(hash, bits);
}

#endif
