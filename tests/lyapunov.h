/* lyapunov.h - A linear process with Gaussian noise in 12 dimensions, with 3 numbers an action,
 * whose value numpy knows from a Lyapunov equation (fixtures/scripts/lyapunov.py). */
#ifndef BF_TESTS_LYAPUNOV_H
#define BF_TESTS_LYAPUNOV_H

#include "mdp.h"

TEST_ARENA;

enum { D = 12, M = 3, SAMPLES = 4, ROWS = 2000, LENGTH = 100 };

typedef struct policy {
    double gain[M][D], size, value;
} policy;

typedef struct process {
    double f[D][D], g[D][M], b[D], c[D];
    policy logged, target;
} process;

static process read_process(void) {
    process p;
    double *number = (double *)&p;
    FILE *file = fopen(FIXTURES "/lyapunov.txt", "r");
    assert_non_null(file);
    for (size_t k = 0; k < sizeof p / sizeof *number; k++)
        assert_int_equal(fscanf(file, "%lf", &number[k]), 1);
    fclose(file);
    return p;
}

static void act(double *a, int64_t stride, const policy *p, const double *s, bf_rng *rng) {
    for (int m = 0; m < M; m++) {
        a[m * stride] = p->size * bf_rng_normal(rng);
        for (int k = 0; k < D; k++)
            a[m * stride] += p->gain[m][k] * s[k];
    }
}

static bf_dataset make_log(const process *p) {
    bf_rng rng = bf_rng_make(8, "lyapunov", 0);
    double *s = bf_arena_alloc(arena, D * ROWS, sizeof *s, &err);
    double *ns = bf_arena_alloc(arena, D * ROWS, sizeof *s, &err);
    double *a = bf_arena_alloc(arena, M * ROWS, sizeof *s, &err);
    double *r = bf_arena_alloc(arena, ROWS, sizeof *s, &err);
    double *na = bf_arena_alloc(arena, (int64_t)SAMPLES * M * ROWS, sizeof *s, &err);
    int64_t *begin = bf_arena_alloc(arena, ROWS / LENGTH + 1, sizeof *begin, &err);
    int64_t *order = bf_arena_alloc(arena, ROWS, sizeof *order, &err);
    double now[D] = {0}, then[D], u[M];
    for (int64_t i = 0; i < ROWS; i++) {
        double along = 0;
        order[i] = i;
        begin[i / LENGTH] = i - i % LENGTH;
        for (int k = 0; k < D && i % LENGTH == 0; k++)
            now[k] = 0.3 * bf_rng_normal(&rng);
        act(u, 1, &p->logged, now, &rng);
        r[i] = 1;
        for (int k = 0; k < D; k++) {
            then[k] = 0.1 * bf_rng_normal(&rng);
            for (int j = 0; j < D; j++)
                then[k] += p->f[k][j] * now[j];
            for (int m = 0; m < M; m++)
                then[k] += p->g[k][m] * u[m];
            s[k * ROWS + i] = now[k];
            ns[k * ROWS + i] = then[k];
            r[i] += p->b[k] * now[k];
            along += p->c[k] * now[k];
        }
        r[i] -= along * along;
        for (int m = 0; m < M; m++)
            a[m * ROWS + i] = u[m];
        for (int k = 0; k < SAMPLES; k++)
            act(na + (int64_t)k * M * ROWS + i, ROWS, &p->target, then, &rng);
        memcpy(now, then, sizeof now);
    }
    begin[ROWS / LENGTH] = ROWS;
    return (bf_dataset){.n = ROWS,
                        .state_dim = D,
                        .action_dim = M,
                        .samples = SAMPLES,
                        .state = s,
                        .next_state = ns,
                        .action_vector = a,
                        .reward = r,
                        .na = na,
                        .episodes = ROWS / LENGTH,
                        .begin = begin,
                        .order = order};
}

#endif
