/* clones.h - One binary that is fast everywhere: hot functions are compiled once per instruction
 * set.
 *
 * BF_CLONES before a function makes the compiler build it for AVX-512, AVX2 and the baseline. The
 * loader picks one of them. Sanitizers start too early for that, so builds with sanitizers have no
 * clones. Use it only for static functions, and with names that no other file uses: clang gives the
 * function that picks a clone external linkage, and calls an external function by another name from
 * another file. BF_INLINE is for the parts of such a function, which have to be compiled inside
 * it. */
#ifndef BF_LINALG_CLONES_H
#define BF_LINALG_CLONES_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BF_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define BF_SANITIZED 1
#endif
#endif

#if defined(__x86_64__) && !defined(BF_SANITIZED) && defined(__clang__)
/* clang knows the levels by name but never picks them at run time. It does pick by one feature. */
#define BF_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#elif defined(__x86_64__) && !defined(BF_SANITIZED) && defined(__gnu_linux__)
#define BF_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define BF_CLONES
#endif

#define BF_INLINE static inline __attribute__((always_inline))

#endif
