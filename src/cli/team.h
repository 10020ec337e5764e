/* team.h - The processes that work together on one command, and passes of a log that they share.
 * The plain tool is alone; src/mpi has the others. */
#ifndef BF_CLI_TEAM_H
#define BF_CLI_TEAM_H

#include "backflow/backflow.h"
#include "team/team.h"

/* The team of this process; NULL: it is alone. alone.c and src/mpi each have these. */
const bf__team *bf__team_begin(int *argc, char ***argv);
void bf__team_end(void);

/* Makes the passes of all processes one, which every process then has. `team` may be NULL. If one
 * fails, the others have NULL, and agreeing tells why. */
bf_status bf__team_join(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err);

/* Gives every process the pass of the first; the same holds. */
bf_status bf__team_share(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err);

#endif
