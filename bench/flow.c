/* flow.c - Times of the flow kernels, one line per job, for bench/flow.sh.
 *
 *     bench_flow JOB N THREADS REPEATS  ->  "JOB n threads median-seconds median-cpu-seconds"
 *
 * Jobs: build (bag of transitions), build-chain (trajectories of 200 steps), product, free (product
 * without storage), loss (in double), features (n points against 1,000). d = 4, |A| = 2, gamma = 1,
 * Gaussian. Memory is touched once before the clock starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backflow/backflow.h"
#include "core/context.h"
#include "estimator/answer.h"
#include "flow/exact.h"
#include "flow/flow.h"

enum { D = 4, A = 2, M = 1000, STEPS = 200 };

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of all threads: on a shared machine the wall clock counts other people's work too. */
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *need(void *pointer) {
    if (!pointer) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    return pointer;
}

/* A log: independent transitions, or the steps of trajectories one after the other. */
static bf__flow *make(int64_t n, int chain, const bf_context *context, bf_arena *arena) {
    bf_rng rng = bf_rng_make(1, "bench", 0);
    bf_error err;
    double *z = need(bf_arena_alloc(arena, D * n, sizeof *z, &err));
    double *nz = need(bf_arena_alloc(arena, D * n, sizeof *z, &err));
    double *npi = need(bf_arena_alloc(arena, A * n, sizeof *z, &err));
    int32_t *action = need(bf_arena_alloc(arena, n, sizeof *action, &err));
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < D; c++) {
            z[c * n + i] = chain && i % STEPS ? nz[c * n + i - 1] : bf_rng_normal(&rng);
            nz[c * n + i] = 0.99 * z[c * n + i] + 0.14 * bf_rng_normal(&rng);
        }
        action[i] = (int32_t)bf_rng_below(&rng, A);
        npi[i] = bf_rng_uniform(&rng);
        npi[n + i] = 1 - npi[i];
    }
    bf__points in = {.n = n, .d = D, .z = z, .nz = nz, .actions = A, .action = action};
    in.npi = npi;
    in.steps.gamma = 1;
    bf__pair_kernel kernel = {.share = 0};
    double width = 2.7;
    bf__flow *flow;
    if (bf__kernel_set(&kernel.state, bf__kernel_find("gaussian"), &width, 1, &err) != BF_OK ||
        bf__flow_create(&flow, &in, &kernel, context, arena, &err) != BF_OK) {
        fprintf(stderr, "%s\n", err.message);
        exit(1);
    }
    return flow;
}

typedef struct bench {
    const char *job;
    bf__flow *flow;
    bf__exact *exact;
    float *features;
    double *w, *y, loss;
    const bf_context *context;
    bf_arena *arena;
} bench;

static void run(bench *b) {
    bf_error err;
    if (!strncmp(b->job, "build", 5))
        bf__exact_fill(b->exact, b->flow, b->context);
    else if (!strcmp(b->job, "product"))
        bf__exact_product(b->y, b->exact, b->w, b->context);
    else if (!strncmp(b->job, "free", 4))
        bf__flow_product(b->y, b->flow, b->w, b->context, b->arena, &err);
    else if (!strncmp(b->job, "loss", 4))
        bf__flow_loss(&b->loss, b->flow, b->w, b->context, b->arena, &err);
    else /* against the first M of them */
        bf__kernel_block_f(b->features, &b->flow->kernel.state, b->flow->data_f.z, b->flow->n,
                           b->flow->next_f.z, M, D, b->context->threads);
}

int main(int argc, char **argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: bench_flow JOB N THREADS REPEATS\n");
        return 2;
    }
    int64_t n = atoll(argv[2]);
    int repeats = atoi(argv[4]);
    bf_context context = {.threads = atoi(argv[3])};
    bf_error err;
    bench b = {.job = argv[1], .context = &context};
    double seconds[101], cpu[101];
    if (bf_arena_create(&b.arena, NULL, &err) != BF_OK || repeats < 1 || repeats > 101 || n < M)
        return 2;
    b.flow = make(n, strstr(b.job, "chain") != NULL, &context, b.arena);
    b.w = need(bf_arena_alloc(b.arena, n, sizeof *b.w, &err));
    b.y = need(bf_arena_zalloc(b.arena, n, sizeof *b.y, &err));
    for (int64_t i = 0; i < n; i++)
        b.w[i] = 1 / (double)n;
    if (!strncmp(b.job, "build", 5) || !strcmp(b.job, "product")) {
        if (bf__exact_create(&b.exact, n, b.arena, &err) != BF_OK)
            return 1;
        bf__exact_fill(b.exact, b.flow, &context);
    }
    if (!strcmp(b.job, "features"))
        b.features = need(bf_arena_alloc(b.arena, n * M, sizeof *b.features, &err));
    run(&b);
    for (int r = 0; r < repeats; r++) {
        double from = bf__seconds(), worked = cpu_seconds();
        run(&b);
        seconds[r] = bf__seconds() - from;
        cpu[r] = cpu_seconds() - worked;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, by_size);
    qsort(cpu, (size_t)repeats, sizeof *cpu, by_size);
    printf("%s %lld %d %.6f %.6f\n", b.job, (long long)n, context.threads, seconds[repeats / 2],
           cpu[repeats / 2]);
    bf_arena_destroy(b.arena);
    return 0;
}
