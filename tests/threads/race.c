/* race.c - With an argument, a race between two OpenMP threads; without, the same loop without one.
 * The thread sanitizer has to see the first and must not complain about the second. */
#include <stdio.h>

int main(int argc, char **argv) {
    static double shared[64];
    double sum = 0;
    (void)argv;
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < 64; i++)
        shared[argc > 1 ? 0 : i] += i;
    for (int i = 0; i < 64; i++)
        sum += shared[i];
    printf("%g\n", sum);
    return 0;
}
