/* command.h - What a policy command answers, byte by byte. */
#ifndef BF_POLICY_COMMAND_H
#define BF_POLICY_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "policy/process.h"

/* What an answer has to be. */
typedef struct bf__shape {
    int64_t rows;
    int columns; /* numbers per row: actions, or samples times size */
    int size;    /* of an action that is a vector; 0: probabilities */
    bool open;   /* it may say more actions than `columns` */
} bf__shape;

/* An answer while it comes in. */
typedef struct bf__reply {
    bf__shape wanted;
    char line[128];
    int line_length;
    bool lined;             /* the line is there */
    unsigned char *numbers; /* where they go */
    size_t numbers_size, used;
    double *own; /* of an open answer: their memory, to be freed by the caller */
} bf__reply;

/* `numbers` (rows, columns); NULL if the shape is open. */
void bf__reply_begin(bf__reply *out, const bf__shape *wanted, double *numbers);

/* A bf__process_take; the context is the reply. */
bf_status bf__reply_take(void *context, const unsigned char *bytes, size_t count, bool *whole,
                         bf_error *err);

#endif
