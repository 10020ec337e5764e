/* policy.c - A policy for --policy-command that ends the process it works for, as a bad day would.
 *
 * It prefers the first actions at odd states, and the last ones at even states. Each question
 * becomes a letter in the file ASKED. In the process of MPI that KILL_RANK names, once the file
 * KILL_WITH is there, question KILL_AT of those that come then kills the tool instead of being
 * answered: in the middle of a reading, and at the same place each time. In the process that
 * FAIL_RANK names, the policy itself ends. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note_question(void) {
    const char *path = getenv("ASKED");
    if (!path)
        return;
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || write(file, "q", 1) != 1)
        exit(1);
    close(file);
}

/* Whether this process of MPI is the one that the variable names; "any": every process is. */
static int is_rank(const char *variable) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *wanted = getenv(variable);
    return wanted && (strcmp(wanted, "any") == 0 || (rank && strcmp(rank, wanted) == 0));
}

static void perhaps_kill(void) {
    static int seen;
    const char *with = getenv("KILL_WITH"), *at = getenv("KILL_AT");
    if (is_rank("KILL_RANK") && with && at && access(with, F_OK) == 0 && ++seen == atoi(at))
        kill(getppid(), SIGKILL);
}

int main(void) {
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        long rows;
        int width, actions;
        if (sscanf(line, "probabilities %ld %d %d", &rows, &width, &actions) != 3)
            return 1;
        double *states = malloc((size_t)rows * (size_t)width * sizeof *states);
        if (!states ||
            fread(states, sizeof *states * (size_t)width, (size_t)rows, stdin) != (size_t)rows)
            return 1;
        note_question();
        perhaps_kill();
        if (is_rank("FAIL_RANK"))
            return 3;
        printf("probabilities %ld %d\n", rows, actions);
        for (long i = 0; i < rows; i++)
            for (int a = 0; a < actions; a++) {
                int place = (long)states[i * width] % 2 ? actions - a : a + 1;
                double p = 2.0 * place / (actions * (actions + 1.0));
                fwrite(&p, sizeof p, 1, stdout);
            }
        free(states);
        fflush(stdout);
    }
    return 0;
}
