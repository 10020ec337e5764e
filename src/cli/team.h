/* team.h - The processes that work on one log. The plain tool is alone; src/mpi has the others. */
#ifndef BF_CLI_TEAM_H
#define BF_CLI_TEAM_H

#include "backflow/backflow.h"

typedef struct bf__team {
    int rank, size;
    /* x (n): the sum over the processes, everywhere. */
    void (*sum)(double *x, int64_t n);
    /* Sends bytes to another process; receives what another sends, in the arena. */
    void (*send)(const void *bytes, size_t size, int to);
    bf_status (*receive)(const void **bytes, size_t *size, int from, bf_arena *arena,
                         bf_error *err);
    /* The first process that failed tells all others, which then fail with the same message. After
     * that, nothing is left to agree on, and each keeps its failure. */
    bf_status (*agree)(bf_status status, bf_error *err);
} bf__team;

/* The team of this process; NULL: it is alone. alone.c and src/mpi each have these. */
const bf__team *bf__team_begin(int *argc, char ***argv);
void bf__team_end(void);

/* Makes the passes of all processes one, which every process then has. `team` may be NULL. If one
 * fails, the others have NULL, and agreeing tells why. */
bf_status bf__team_join(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err);

/* Gives every process the pass of the first; the same holds. */
bf_status bf__team_share(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err);

#endif
