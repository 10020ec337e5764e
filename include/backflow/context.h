/* context.h - What a call is told about its surroundings: where to report, how many threads, the
 * seed.
 *
 * The library never prints. It calls back; every callback may be NULL. */
#ifndef BACKFLOW_CONTEXT_H
#define BACKFLOW_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bf_message_level {
    BF_MESSAGE_DEBUG,
    BF_MESSAGE_NOTE,
    BF_MESSAGE_WARNING
} bf_message_level;

typedef struct bf_progress {
    const char *task;   /* "reading log.csv" */
    double done, total; /* same unit; total 0 where it is not known */
    const char *detail; /* e.g. "loss 1.2e-5, ess 4100", or NULL */
} bf_progress;

typedef struct bf_callbacks {
    void (*message)(void *context, bf_message_level level, const char *text);
    /* Called now and then during long work, always on the calling thread.
     * False asks the work to stop: it ends with the best result so far, or BF_ECANCELLED. */
    bool (*progress)(void *context, const bf_progress *progress);
    void *context;
} bf_callbacks;

typedef struct bf_context {
    bf_callbacks callbacks;
    int threads;   /* 0: all the processors this process may use */
    uint64_t seed; /* of everything random */
    size_t size;   /* sizeof(bf_context), or 0: the fields above are all there is */
} bf_context;

#ifdef __cplusplus
}
#endif
#endif
