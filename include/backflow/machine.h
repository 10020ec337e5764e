/* machine.h - What the computation runs on. */
#ifndef BACKFLOW_MACHINE_H
#define BACKFLOW_MACHINE_H

#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bf_machine {
    char blas[160];   /* "OpenBLAS 0.3.21, SkylakeX kernels", or why there is none */
    const char *simd; /* widest level our own loops use: "AVX-512", "AVX2", "baseline" */
    int threads;      /* processors this process may use */
} bf_machine;

/* Loads the BLAS if that has not happened yet. Never fails: what is missing is said in the text. */
BF_API bf_machine bf_machine_describe(void);

/* Bytes of memory that this process can still have: what the system says is free, within the limits
 * of its control group and its own. INFINITY if nothing says. */
BF_API double bf_machine_memory(void);

#ifdef __cplusplus
}
#endif
#endif
