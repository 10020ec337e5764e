/* context.c - Calling back: messages, progress, the number of threads. */
#include "core/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "core/numeric.h"

void bf__message(const bf_context *context, bf_message_level level, const char *format, ...) {
    if (!context || !context->callbacks.message)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    locale_t before = bf__numeric_begin();
    vsnprintf(text, sizeof text, format, arguments);
    bf__numeric_end(before);
    va_end(arguments);
    context->callbacks.message(context->callbacks.context, level, text);
}

bool bf__progress(const bf_context *context, const char *task, double done, double total,
                  const char *detail) {
    if (!context || !context->callbacks.progress)
        return true;
    bf_progress progress = {task, done, total, detail};
    return context->callbacks.progress(context->callbacks.context, &progress);
}

int bf__threads(const bf_context *context) {
    return context && context->threads > 0 ? context->threads : omp_get_num_procs();
}

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bf__seconds(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double bf__thread_seconds(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}
