/* forecast.c - What a forecast says of an estimate against what the estimate takes.
 *
 *     forecast LOG METHOD NAME
 *
 * prints a line: NAME, rows, state coordinates, actions, method, and for memory (MB, beside the
 * log) and time (seconds) what is forecast, what is measured and their ratio. No
 * interval, one thread. The log has its target policy in it. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backflow/backflow.h"

/* Megabytes that the process has now ("VmRSS:") or has had at most ("VmHWM:"). */
static double resident(const char *what) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0)
            kilobytes = strtod(line + strlen(what), NULL);
    if (file)
        fclose(file);
    return kilobytes * 1024 / 1e6;
}

/* The most begins anew, without what was freed: reading and the forecast may have taken more. */
static void forget_most(void) {
    malloc_trim(0);
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(bf_status status, const bf_error *err) {
    if (status == BF_OK)
        return;
    fprintf(stderr, "forecast: %s\n", err->message);
    exit(1);
}

int main(int argc, char **argv) {
    const bf_context context = {.threads = 1, .seed = 1, .size = sizeof context};
    const bf_trust_options how = {.interval = BF_INTERVAL_NONE};
    const bf_dataset *data;
    const bf_estimate *estimate;
    bf_arena *arena;
    bf_forecast f;
    bf_error err;
    if (argc != 4) {
        fprintf(stderr, "usage: forecast LOG METHOD NAME\n");
        return 2;
    }
    check(bf_arena_create(&arena, NULL, &err), &err);
    check(bf_dataset_read(&data, (const char *const *)&argv[1], 1, NULL, &context, arena, &err),
          &err);
    const bf_problem problem = {.data = data, .gamma = 1, .size = sizeof problem};
    const bf_estimator *method = bf_estimator_find(argv[2]);
    if (!method) {
        fprintf(stderr, "forecast: '%s' is not a method\n", argv[2]);
        return 2;
    }
    check(bf_forecast_make(&f, method, &problem, NULL, &how, &context, arena, &err), &err);
    forget_most();
    double begun = seconds(), before = resident("VmRSS:");
    check(bf_estimator_run(&estimate, method, &problem, NULL, &context, arena, &err), &err);
    double took = seconds() - begun, held = resident("VmHWM:") - before;
    printf("%s\t%lld\t%d\t%d\t%s\t%.0f\t%.0f\t%.2f\t%.1f\t%.1f\t%.2f\n", argv[3],
           (long long)bf_dataset_rows(data), bf_dataset_state_dim(data), bf_dataset_actions(data),
           argv[2], f.bytes / 1e6, held, f.bytes / 1e6 / held, f.seconds, took, f.seconds / took);
    bf_arena_destroy(arena);
    return 0;
}
