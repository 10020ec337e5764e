/* status.h - How a call says that it could not run.
 *
 * A function returns a bf_status and, where its last argument is not NULL, writes one sentence
 * into a bf_error that the caller owns. "Ran badly" is not an error: see the warnings of a
 * bf_estimate. */
#ifndef BACKFLOW_STATUS_H
#define BACKFLOW_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#define BF_API __attribute__((visibility("default")))

typedef enum bf_status {
#define BF_STATUS(name, exit_status, text) BF_##name,
#include "backflow/status.def"
#undef BF_STATUS
    BF_STATUS_COUNT
} bf_status;

typedef struct bf_error {
    bf_status status;
    char message[1024]; /* e.g. "log.csv:118: r: 'n/a' is not a number" */
} bf_error;

/* The name ("EDATA"), the general text and the exit status of a code; any int is safe. */
BF_API const char *bf_status_name(bf_status status);
BF_API const char *bf_status_text(bf_status status);
BF_API int bf_status_exit(bf_status status);

/* Writes the message (err may be NULL) and returns `status`: for functions that the library calls,
 * and for programs that report in the same way. */
BF_API bf_status bf_fail(bf_error *err, bf_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns from the calling function if `expression` is not BF_OK. */
#define BF_TRY(expression)                                                                         \
    do {                                                                                           \
        bf_status bf__status = (expression);                                                       \
        if (bf__status != BF_OK)                                                                   \
            return bf__status;                                                                     \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
