/* process.h - A program that is asked and answers: bytes to its standard input, bytes from its
 * standard output.
 *
 * It is started without a shell. Whatever it does, a question ends: with an answer, or with an
 * error that says how the program failed and what it said on its standard error. */
#ifndef BF_POLICY_PROCESS_H
#define BF_POLICY_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "backflow/memory.h"

typedef struct bf__process {
    pid_t pid;                /* 0: none */
    int to, from, complaints; /* its standard input (a socket), output and error; -1: closed */
    char tail[600];           /* the last that it said on standard error */
    size_t tail_length;
} bf__process;

/* The words of a command line: 'quoted', "quoted", or with \ before a character. The list ends with
 * NULL, as execvp needs it. `command` stands in messages. */
bf_status bf__process_words(char ***out, const char *command, bf_arena *arena, bf_error *err);

/* Starts the program; it is found as a shell would find it. */
bf_status bf__process_start(bf__process *out, char *const *words, bf_error *err);

/* Takes some bytes of the answer. *whole: the answer is complete, and nothing may follow. */
typedef bf_status (*bf__process_take)(void *context, const unsigned char *bytes, size_t count,
                                      bool *whole, bf_error *err);

/* Writes the question and reads until the answer is whole. If no byte goes either way for `timeout`
 * seconds, that is an error. After an error the program is of no use any more. */
bf_status bf__process_ask(bf__process *process, const void *question, size_t size,
                          bf__process_take take, void *context, double timeout, bf_error *err);

/* Ends the program: by the end of its input, or by force a second later. Safe to call twice. */
void bf__process_close(bf__process *process);

#endif
