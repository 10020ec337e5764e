/* policy.c - The policy of policy.py as a C program, for --policy-command.
 *
 *     cc -O2 policy.c -o policy -lm
 *     backflow estimate log.csv --policy-command ./policy
 *
 * docs/policy-command.md explains the questions and answers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The first action where the first number of the state is low, the last one where it is high. */
static void probabilities(const double *state, int actions, double *out) {
    double high = 1 / (1 + exp(-fmax(-30, fmin(30, state[0]))));
    for (int a = 0; a < actions; a++)
        out[a] = 0;
    out[0] = 1;
    if (actions > 1) {
        out[0] = 1 - high;
        out[actions - 1] = high;
    }
}

/* Against the first number of the state, with some noise. */
static void action(const double *state, int size, double *out) {
    for (int c = 0; c < size; c++) {
        double noise = 0;
        for (int k = 0; k < 12; k++)
            noise += (double)rand() / RAND_MAX - 0.5; /* nearly normal, of variance 1 */
        out[c] = fmax(-1, fmin(1, -0.5 * state[0] + 0.1 * noise));
    }
}

int main(void) {
    char line[128];
    while (fgets(line, sizeof line, stdin)) {
        long rows;
        int width, first, size = 0;
        int known = sscanf(line, "probabilities %ld %d %d", &rows, &width, &first);
        if (known != 3 && sscanf(line, "actions %ld %d %d %d", &rows, &width, &first, &size) != 4) {
            fprintf(stderr, "policy: not a question: %s", line);
            return 1;
        }
        size_t columns = (size_t)first * (size_t)(size ? size : 1);
        double *states = malloc((size_t)rows * (size_t)width * sizeof *states);
        double *reply = malloc((size_t)rows * columns * sizeof *reply);
        if (!states || !reply ||
            fread(states, sizeof *states * (size_t)width, (size_t)rows, stdin) != (size_t)rows)
            return 1;
        for (long i = 0; i < rows; i++) {
            const double *state = states + i * width;
            double *to = reply + (size_t)i * columns;
            if (!size)
                probabilities(state, first, to);
            for (int m = 0; size && m < first; m++)
                action(state, size, to + m * size);
        }
        if (size)
            printf("actions %ld %d %d\n", rows, first, size);
        else
            printf("probabilities %ld %d\n", rows, first);
        fwrite(reply, sizeof *reply * columns, (size_t)rows, stdout);
        fflush(stdout);
        free(states);
        free(reply);
    }
    return 0;
}
