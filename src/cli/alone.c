/* alone.c - The plain tool is a team of its own. backflow-mpi has src/mpi in place of this file. */
#include "cli/team.h"

const bf__team *bf__team_begin(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    return NULL;
}

void bf__team_end(void) {
}
