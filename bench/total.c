/* total.c - Times of sums, for bench/total.sh.
 *
 *     bench_total JOB [ROWS]  ->  processor nanoseconds per addend, or per row
 *
 * Jobs: one (a column to one sum, as the mean reward), many (to 400 sums by number, as the rewards
 * of pairs), pass (bf__tally_add, all that counting does with a row: 100 states in two
 * columns, 4 actions, the target's probabilities at the state and at the next one). The least of
 * several tries, which is what others disturb least.
 *
 * total_plain.c is the same program with sums in double. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "problem/tally.h"

enum { ADDENDS = 1 << 16, SUMS = 400, TRIES = 15, SIDE = 10, A = 4 };

static double seconds(void) {
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

/* The same numbers each time; their quality does not matter. */
static double uniform(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* The sums are looked at, so that nobody leaves them out. */
static double add_all(const double *x, const int32_t *of, int64_t n, bf__total *sums, double scale,
                      bool many) {
    if (!many)
        bf__total_add_all(sums, x, n, scale);
    for (int64_t i = 0; i < n && many; i++)
        bf__total_add(&sums[of[i]], x[i], scale);
    double seen = 0;
    for (int k = 0; k < SUMS; k++)
        seen += bf__total_value(sums[k], scale);
    return seen;
}

static double time_sums(bool many) {
    double *x = need(malloc(ADDENDS * sizeof *x)), least = 1e9, seen = 0;
    int32_t *of = need(malloc(ADDENDS * sizeof *of));
    for (int i = 0; i < ADDENDS; i++) {
        x[i] = 2 * uniform() - 1;
        of[i] = (int32_t)(SUMS * uniform());
    }
    for (int k = 0; k < 8 * TRIES; k++) {
        bf__total sums[SUMS];
        memset(sums, 0, sizeof sums);
        double begun = seconds();
        seen += add_all(x, of, ADDENDS, sums, bf__total_scale(0), many);
        double took = seconds() - begun;
        least = took < least ? took : least;
    }
    fprintf(stderr, "sum %.3f\n", seen);
    free(x);
    free(of);
    return 1e9 * least / ADDENDS;
}

/* A walk on a square of SIDE x SIDE states. */
static void make_log(bf_dataset *out, int64_t n, bf_arena *arena) {
    bf_error err;
    double *s = need(bf_arena_alloc(arena, 2 * n, sizeof *s, &err));
    double *ns = need(bf_arena_alloc(arena, 2 * n, sizeof *ns, &err));
    double *pi = need(bf_arena_alloc(arena, A * n, sizeof *pi, &err));
    double *npi = need(bf_arena_alloc(arena, A * n, sizeof *npi, &err));
    double *r = need(bf_arena_alloc(arena, n, sizeof *r, &err));
    int32_t *action = need(bf_arena_alloc(arena, n, sizeof *action, &err));
    double at[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        action[i] = (int32_t)(A * uniform());
        r[i] = 2 * uniform() - 1;
        for (int c = 0; c < 2; c++)
            s[c * n + i] = at[c];
        double *moved = &at[action[i] / 2];
        *moved += action[i] % 2 ? 1 : -1;
        *moved = *moved < 0 ? 0 : *moved > SIDE - 1 ? SIDE - 1 : *moved;
        for (int c = 0; c < 2; c++)
            ns[c * n + i] = at[c];
        for (int a = 0; a < A; a++) {
            pi[a * n + i] = a == (int)s[i] % A ? 0.85 : 0.05;
            npi[a * n + i] = a == (int)ns[i] % A ? 0.85 : 0.05;
        }
    }
    *out = (bf_dataset){.n = n, .state_dim = 2, .actions = A, .state = s, .next_state = ns};
    out->pi = pi;
    out->npi = npi;
    out->reward = r;
    out->action = action;
}

static double time_pass(int64_t n) {
    bf_arena *arena, *own;
    bf_error err;
    bf_dataset data;
    double least = 1e9;
    if (bf_arena_create(&arena, NULL, &err) != BF_OK)
        exit(1);
    make_log(&data, n, arena);
    for (int k = 0; k < TRIES; k++) {
        bf__tally tally;
        if (bf_arena_create(&own, NULL, &err) != BF_OK ||
            bf__tally_make(&tally, 2, A, false, 0, own, &err) != BF_OK)
            exit(1);
        double begun = seconds();
        if (bf__tally_add(&tally, &data, 0, NULL, &err) != BF_OK)
            exit(1);
        double took = seconds() - begun;
        least = took < least ? took : least;
        bf_arena_destroy(own);
    }
    bf_arena_destroy(arena);
    return 1e9 * least / (double)n;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: bench_total one|many|pass [ROWS]\n");
        return 2;
    }
    int64_t rows = argc > 2 ? atoll(argv[2]) : 200000;
    bool pass = strcmp(argv[1], "pass") == 0;
    printf("%.4f\n", pass ? time_pass(rows) : time_sums(strcmp(argv[1], "many") == 0));
    return 0;
}
