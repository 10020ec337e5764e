/* context.h - Calling back: messages, progress, the number of threads. */
#ifndef BF_CORE_CONTEXT_H
#define BF_CORE_CONTEXT_H

#include "backflow/context.h"

void bf__message(const bf_context *context, bf_message_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns true if the work should go on. `context` and its callback may be NULL. */
bool bf__progress(const bf_context *context, const char *task, double done, double total,
                  const char *detail);

/* The number of threads to use: the number that the context asks for, or all threads of the
 * machine. It is at least 1. */
int bf__threads(const bf_context *context);

/* Seconds on a clock that only goes forward. */
double bf__seconds(void);
/* Processor time of the calling thread, whatever else the machine does. */
double bf__thread_seconds(void);

#endif
