/* neural.c - Times of one step of fitting the weights, one line per job, for bench/neural.sh.
 *
 *     bench_neural JOB SIZE REPEATS  ->  "JOB size median-milliseconds guard"
 *
 * Jobs: exact and lowrank (all SIZE transitions: network, loss, slope, network backward), batch
 * (Adam on batches of SIZE out of 10,000, drawing and gathering included). d = 4, |A| = 2,
 * 30-20-10, gamma = 1, Gaussian kernel of width 2.7, one thread. For lowrank the rank is the least
 * multiple of 16 whose guard, (sum w_i sqrt(R_ii))^2 over w'Kw of equal weights, is below 1e-3; it
 * is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backflow/backflow.h"
#include "estimator/answer.h"
#include "neural/fit.h"

enum { D = 4, A = 2, ALL = 10000, MOST = 501 };

static bf_error err;
static const bf_context context = {.threads = 1, .seed = 1};

/* Of the processor, as the peer's: a busy machine does not blur the ratio. */
static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(bool fine) {
    if (!fine) {
        fprintf(stderr, "bench_neural: %s\n", err.message);
        exit(1);
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* States that drift to 0, so that the flow is out of balance. */
static bf__flow *make(int64_t n, float *inputs, bf_arena *arena) {
    bf_rng rng = bf_rng_make(1, "bench", 0);
    double *z = bf_arena_alloc(arena, D * n, sizeof *z, &err);
    double *nz = bf_arena_alloc(arena, D * n, sizeof *z, &err);
    double *npi = bf_arena_alloc(arena, A * n, sizeof *z, &err);
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    need(z && nz && npi && action);
    for (int64_t i = 0; i < n; i++) {
        for (int c = 0; c < D; c++) {
            z[c * n + i] = bf_rng_normal(&rng);
            nz[c * n + i] = 0.9 * z[c * n + i] + 0.14 * bf_rng_normal(&rng);
            inputs[c * n + i] = (float)z[c * n + i];
        }
        action[i] = (int32_t)bf_rng_below(&rng, A);
        inputs[(D + action[i]) * n + i] = 1;
        npi[i] = 0.9;
        npi[n + i] = 0.1;
    }
    bf__points in = {.n = n, .d = D, .z = z, .nz = nz, .actions = A, .action = action};
    in.npi = npi;
    in.steps.gamma = 1;
    bf__pair_kernel kernel = {.share = 0};
    double width = 2.7;
    bf__flow *flow;
    need(bf__kernel_set(&kernel.state, bf__kernel_find("gaussian"), &width, 1, &err) == BF_OK);
    need(bf__flow_create(&flow, &in, &kernel, &context, arena, &err) == BF_OK);
    return flow;
}

/* The guard of a rank, as a share of the loss of equal weights. */
static double guard_of(const bf__flow *flow, int64_t rank, bf_arena *arena) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t n = flow->n, found, *pivots = bf_arena_alloc(arena, rank, sizeof *pivots, &err);
    double *psi = bf_arena_alloc(arena, n * rank, sizeof *psi, &err), loss;
    double *residual = bf_arena_alloc(arena, n, sizeof *psi, &err);
    double *w = bf_arena_alloc(arena, n, sizeof *w, &err);
    need(pivots && psi && residual && w);
    for (int64_t i = 0; i < n; i++)
        w[i] = 1 / (double)n;
    need(bf__flow_factor(psi, pivots, &found, residual, flow, rank, 1e-10, 1, &context, arena,
                         &err) == BF_OK);
    need(bf__flow_loss(&loss, flow, w, &context, arena, &err) == BF_OK);
    double guard = bf__lowrank_guard(w, residual, n) / loss;
    bf_arena_rewind(arena, mark);
    return guard;
}

static double median_of(double *seconds, int count) {
    qsort(seconds, (size_t)count, sizeof *seconds, by_size);
    return seconds[count / 2];
}

/* One step is what liblbfgs asks for at a point: value and gradient. */
static double full_step(bf__neural_loss *loss, const bf__mlp *net, const double *x,
                        const float *inputs, int repeats, bf_arena *arena) {
    int64_t n = loss->n;
    double seconds[MOST], ess;
    bf__mlp_work *work;
    float *w = bf_arena_alloc(arena, n, sizeof *w, &err);
    float *slope = bf_arena_alloc(arena, n, sizeof *slope, &err);
    double *gradient = bf_arena_alloc(arena, bf__mlp_parameters(net), sizeof *gradient, &err);
    need(w && slope && gradient);
    need(bf__mlp_prepare(&work, net, n, 1, arena, &err) == BF_OK);
    for (int r = -1; r < repeats; r++) {
        double from = cpu_seconds();
        bf__mlp_forward(work, x, inputs, n, w);
        bf__neural_value(slope, &ess, loss, w, &context);
        bf__mlp_backward(work, slope, gradient);
        if (r >= 0)
            seconds[r] = cpu_seconds() - from;
    }
    return median_of(seconds, repeats);
}

static double batch_step(bf__neural_task *task, bf__neural_fit *fit, int repeats, bf_arena *arena) {
    double seconds[MOST];
    for (int r = -1; r < repeats; r++) { /* 41 steps and the setting up, less that and one step */
        bf_mark mark = bf_arena_mark(arena);
        task->steps = 1;
        double from = cpu_seconds();
        need(bf__neural_pairs(fit, task, arena, &err) == BF_OK);
        double once = cpu_seconds() - from;
        bf_arena_rewind(arena, mark);
        task->steps = 41;
        from = cpu_seconds();
        need(bf__neural_pairs(fit, task, arena, &err) == BF_OK);
        if (r >= 0)
            seconds[r] = (cpu_seconds() - from - once) / 40;
        bf_arena_rewind(arena, mark);
    }
    return median_of(seconds, repeats);
}

int main(int argc, char **argv) {
    int64_t size = argc > 2 ? atoll(argv[2]) : 0;
    int repeats = argc > 3 ? atoi(argv[3]) : 0;
    if (argc != 4 || size < 16 || repeats < 1 || repeats > MOST) {
        fprintf(stderr, "usage: bench_neural exact|lowrank|batch SIZE REPEATS\n");
        return 2;
    }
    bool batch = strcmp(argv[1], "batch") == 0;
    int64_t n = batch ? ALL : size;
    bf_arena *arena;
    need(bf_arena_create(&arena, NULL, &err) == BF_OK);
    float *inputs = bf_arena_zalloc(arena, (D + A) * n, sizeof *inputs, &err);
    need(inputs);
    bf__neural_task task = {.flow = make(n, inputs, arena), .inputs = inputs, .batch = size};
    task.rate = 1e-3;
    task.context = &context;
    need(bf__mlp_make(&task.net, D + A, "30-20-10", 1, BF__SIGMOID, BF__SOFTPLUS, &err) == BF_OK);
    bf__neural_fit fit;
    bf__neural_loss loss;
    double seconds, guard = 0;
    need(bf__neural_start(&fit, &task, arena, &err) == BF_OK);
    if (batch) {
        seconds = batch_step(&task, &fit, repeats, arena);
    } else if (strcmp(argv[1], "exact") == 0) {
        need(bf__neural_exact(&loss, task.flow, 0, &context, arena, &err) == BF_OK);
        seconds = full_step(&loss, &task.net, fit.parameters, inputs, repeats, arena);
    } else {
        int64_t rank = 48;
        while ((guard = guard_of(task.flow, rank, arena)) > 1e-3 && rank < 2000)
            rank += rank < 160 ? 16 : 32;
        need(bf__neural_lowrank(&loss, task.flow, rank, 0, &context, arena, &err) == BF_OK);
        seconds = full_step(&loss, &task.net, fit.parameters, inputs, repeats, arena);
        fprintf(stderr, "rank %lld\n", (long long)loss.rank);
    }
    printf("%s %lld %.4f %.3g\n", argv[1], (long long)size, 1e3 * seconds, guard);
    bf_arena_destroy(arena);
    return 0;
}
