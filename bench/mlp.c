/* mlp.c - Times a network's forward and backward pass on a full batch; bench/mlp.sh runs it.
 * Prints milliseconds, the least of so many rounds: forward, backward. */
#include <stdio.h>
#include <stdlib.h>

#include "backflow/backflow.h"
#include "core/context.h"
#include "solver/mlp.h"

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 10000, threads = argc > 2 ? atoi(argv[2]) : 1;
    int rounds = argc > 3 ? atoi(argv[3]) : 200;
    bf_error err = {BF_OK, ""};
    bf_arena *arena;
    bf__mlp net;
    bf__mlp_work *work;
    if (bf_arena_create(&arena, NULL, &err) != BF_OK ||
        bf__mlp_make(&net, 6, "30-20-10", 1, BF__SIGMOID, BF__SOFTPLUS, &err) != BF_OK ||
        bf__mlp_prepare(&work, &net, n, threads, arena, &err) != BF_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    int64_t count = bf__mlp_parameters(&net);
    double *parameters = bf_arena_alloc(arena, count, sizeof(double), &err);
    double *gradient = bf_arena_alloc(arena, count, sizeof(double), &err);
    float *x = bf_arena_alloc(arena, 6 * (int64_t)n, sizeof(float), &err);
    float *y = bf_arena_alloc(arena, n, sizeof(float), &err);
    float *d = bf_arena_alloc(arena, n, sizeof(float), &err);
    bf_rng rng = bf_rng_make(1, "bench", 0);
    bf__mlp_init(&net, parameters, &rng);
    for (int i = 0; i < 6 * n; i++)
        x[i] = (float)bf_rng_normal(&rng);
    for (int i = 0; i < n; i++)
        d[i] = (float)bf_rng_normal(&rng);
    double forward = 1e9, backward = 1e9;
    for (int k = 0; k < rounds; k++) {
        double start = bf__seconds();
        bf__mlp_forward(work, parameters, x, n, y);
        double middle = bf__seconds();
        bf__mlp_backward(work, d, gradient);
        double end = bf__seconds();
        forward = middle - start < forward ? middle - start : forward;
        backward = end - middle < backward ? end - middle : backward;
    }
    printf("%.4f %.4f\n", forward * 1e3, backward * 1e3);
    bf_arena_destroy(arena);
    return 0;
}
