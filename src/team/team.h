/* team.h - The processes that share some work: who there is, and how they talk. A process that is
 * alone has no team. src/mpi makes one of a job of MPI. */
#ifndef BF_TEAM_TEAM_H
#define BF_TEAM_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/memory.h"
#include "backflow/status.h"

/* One thread of a process talks, the one that has begun. */
typedef struct bf__team {
    int rank, size;
    /* x (n): the sum over the processes, everywhere. */
    void (*sum)(double *x, int64_t n);
    /* Sends bytes to another process; receives what another sends, in the arena. If there is no
     * memory for it, that fails here, and the sender does not notice. */
    void (*send)(const void *bytes, size_t size, int to);
    bf_status (*receive)(const void **bytes, size_t *size, int from, bf_arena *arena,
                         bf_error *err);
    /* The same for a message that is known to have this size. */
    void (*receive_into)(void *to, size_t size, int from);
    /* Whether another process has sent something, and which: receiving it does not wait. */
    bool (*arrived)(int *from);
    /* The first process that failed tells all others, which then fail with the same message. After
     * that, nothing is left to agree on, and each keeps its failure. */
    bf_status (*agree)(bf_status status, bf_error *err);
} bf__team;

#endif
