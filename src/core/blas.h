/* blas.h - The BLAS and LAPACK, loaded with the best kernels for this CPU. */
#ifndef BF_CORE_BLAS_H
#define BF_CORE_BLAS_H

#include "backflow/status.h"

typedef struct bf__blas {
#define BF_BLAS(field, symbol, result, arguments) result(*field) arguments;
#include "core/blas.def"
#undef BF_BLAS
} bf__blas;

enum { BF_ROW_MAJOR = 101, BF_COL_MAJOR = 102, BF_NO_TRANS = 111, BF_TRANS = 112 };
enum { BF_UPPER = 121, BF_LOWER = 122, BF_NON_UNIT = 131, BF_UNIT = 132 };
enum { BF_LEFT = 141, BF_RIGHT = 142 };

/* The routines; BF_EABSENT with the reason where they cannot be loaded. Safe from any thread. */
bf_status bf__blas_load(const bf__blas **out, bf_error *err);

/* "AVX-512", "AVX2" or "baseline": what our own loops and the choice of kernels go by. */
const char *bf__simd_level(void);

#endif
