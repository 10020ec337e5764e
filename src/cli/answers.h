/* answers.h - A file of answers, one JSON object a line, from which an interrupted batch goes on.
 */
#ifndef BF_CLI_ANSWERS_H
#define BF_CLI_ANSWERS_H

#include "cli/cli.h"

/* What a question is known by. */
typedef struct bf__key {
    char text[17];     /* 16 hexadecimal digits, made of all that its answer depends on */
    const char *names; /* of its log and policy, as they stand in its line */
} bf__key;

/* The key of a text and of the content of files that each of the `specs` (a list that ends with
 * NULL) names: a path, or policies as --policy takes them. Leaves the names as they are. */
bf_status bf__key_of(bf__key *out, const char *text, const char *const *specs, bf_error *err);

typedef struct bf__answers bf__answers;

/* What the file has of the questions. */
typedef struct bf__known {
    bool *answered; /* (count) */
    bool untrusted; /* one of these answers is not to be trusted */
} bf__known;

/* Opens the file for the questions of these keys (count). An answer to one of them that has another
 * key, because something has changed, is moved to a file beside it, path.old. Failures are
 * forgotten, and so is a last line that was cut off. Answers about other logs and policies stay. A
 * file with anything else is refused, unless it is to be begun `fresh`. Without a path, answers go
 * to standard output, and none is known. `echo`: they go there as well, those that are known first.
 */
bf_status bf__answers_open(bf__answers **out, bf__known *known, const char *path, bool fresh,
                           bool echo, const bf__key *keys, int64_t count, bf__tool *tool,
                           bf_error *err);

/* Adds a line, at once; `text` is what follows the names. */
bf_status bf__answers_add(bf__answers *answers, const bf__key *key, const char *text, size_t size,
                          bf_error *err);
void bf__answers_close(bf__answers *answers); /* NULL is fine */

#endif
