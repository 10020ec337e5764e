/* blas.h - The BLAS and LAPACK, loaded with the best kernels for this CPU. */
#ifndef BF_CORE_BLAS_H
#define BF_CORE_BLAS_H

#include "backflow/status.h"

typedef struct bf__blas {
#define BF_BLAS(field, symbol, result, arguments) result(*field) arguments;
#include "core/blas.def"
#undef BF_BLAS
} bf__blas;

enum { BF__ROW_MAJOR = 101, BF__COL_MAJOR = 102, BF__NO_TRANS = 111, BF__TRANS = 112 };
enum { BF__UPPER = 121, BF__LOWER = 122, BF__NON_UNIT = 131, BF__UNIT = 132 };
enum { BF__LEFT = 141, BF__RIGHT = 142 };

/* The routines, for `threads` callers at once. BF_EABSENT with the reason where they cannot be
 * loaded, BF_ENOMEM where they could not have their working memory. Safe from any thread. */
bf_status bf__blas_load(const bf__blas **out, int threads, bf_error *err);

/* While the BLAS is loaded, variables of the environment are other ones: who hands the environment
 * to another program holds it meanwhile. */
void bf__environment_hold(void);
void bf__environment_release(void);

/* "AVX-512", "AVX2" or "baseline". Our own loops and the choice of kernels depend on it. */
const char *bf__simd_level(void);

#endif
