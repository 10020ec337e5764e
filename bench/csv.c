/* csv.c - Makes a log of a given size, and times reading one.
 *
 *   bench_csv make FILE MEGABYTES       four state coordinates, 17 digits each, as Python writes
 *   bench_csv read FILE THREADS         prints the seconds of one bf_dataset_read and those of all
 * its threads on a processor */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backflow/backflow.h"
#include "core/context.h"
#include "estimator/answer.h"

static int make(const char *path, double megabytes) {
    FILE *file = fopen(path, "w");
    bf_rng rng = bf_rng_make(1, "bench", 0);
    if (!file)
        return 1;
    double size = fprintf(file, "episode,t,s0,s1,s2,s3,a,r,ns0,ns1,ns2,ns3,npi0,npi1\n");
    double s[8];
    for (int j = 0; j < 4; j++)
        s[4 + j] = bf_rng_normal(&rng);
    for (long i = 0; size < megabytes * 1e6; i++) {
        for (int j = 0; j < 4; j++) {
            s[j] = s[4 + j];
            s[4 + j] = 0.9 * s[j] + bf_rng_normal(&rng);
        }
        double p = bf_rng_uniform(&rng);
        size += fprintf(file,
                        "%ld,%ld,%.17g,%.17g,%.17g,%.17g,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,"
                        "%.17g\n",
                        i / 200, i % 200, s[0], s[1], s[2], s[3], (int)bf_rng_below(&rng, 2),
                        bf_rng_normal(&rng), s[4], s[5], s[6], s[7], p, 1 - p);
    }
    return fclose(file) != 0;
}

static int read_once(const char *path, int threads) {
    bf_error err;
    bf_arena *arena;
    bf_dataset data;
    bf_context context = {.threads = threads};
    double begun = bf__seconds();
    clock_t clock_begun = clock();
    if (bf_arena_create(&arena, NULL, &err) != BF_OK ||
        bf__dataset_read(&data, &path, 1, NULL, &context, arena, &err) != BF_OK) {
        fprintf(stderr, "bench_csv: %s\n", err.message);
        return 1;
    }
    printf("%.6f %.6f\n", bf__seconds() - begun,
           (double)(clock() - clock_begun) / (double)CLOCKS_PER_SEC);
    bf_arena_destroy(arena);
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "make") == 0)
        return make(argv[2], atof(argv[3]));
    if (argc == 4 && strcmp(argv[1], "read") == 0)
        return read_once(argv[2], atoi(argv[3]));
    fputs("usage: bench_csv make FILE MEGABYTES | read FILE THREADS\n", stderr);
    return 2;
}
