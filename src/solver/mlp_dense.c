/* mlp_dense.c - Dense layers on a tile of samples, for each of the vector lengths that CPUs have.
 *
 * Compilers do well with vectors as long as those of the CPU, and badly with longer ones, which
 * they cut into single numbers. So mlp_dense.inc is compiled once per length, and who needs it
 * chooses when the program runs. Blocks of sums are as large as the registers allow: 32 of 16
 * floats, or 16 of 8 or 4. */
#include "solver/mlp_dense.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/blas.h"
#include "linalg/clones.h"

#define TILE    BF__MLP_TILE
#define LANES   BF__MLP_LANES

/* ---- What every CPU has */

#define NAME(x) x##_4
#define TARGET
#define FLOATS 4
#define ROWS   3
#define COLS   4
#include "solver/mlp_dense.inc"
static const bf__dense baseline = {"baseline", forward_4, turned_4, weights_4};

#if defined(__x86_64__) && !defined(BF_SANITIZED)

#define NAME(x) x##_8
#define TARGET  __attribute__((target("arch=x86-64-v3")))
#define FLOATS  8
#define ROWS    3
#define COLS    4
#include "solver/mlp_dense.inc"
static const bf__dense avx2 = {"AVX2", forward_8, turned_8, weights_8};

#define NAME(x) x##_16
#define TARGET  __attribute__((target("arch=x86-64-v4")))
#define FLOATS  16
#define ROWS    4
#define COLS    4
#include "solver/mlp_dense.inc"
static const bf__dense avx512 = {"AVX-512", forward_16, turned_16, weights_16};

static const bf__dense *const all[] = {&avx512, &avx2, &baseline};
#else
static const bf__dense *const all[] = {&baseline};
#endif

const bf__dense *bf__dense_at(int index) {
    int count = (int)(sizeof all / sizeof *all), best = 0;
    while (best < count - 1 && strcmp(all[best]->level, bf__simd_level()) != 0)
        best++;
    return index >= 0 && best + index < count ? all[best + index] : NULL;
}
