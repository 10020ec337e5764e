/* words.h - A dictionary: texts and their codes, 0, 1, ... in the order in which they came. */
#ifndef BF_DATASET_WORDS_H
#define BF_DATASET_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "backflow/memory.h"

typedef struct bf__words {
    bf_arena *arena;   /* where texts and the table are */
    const char **text; /* (count), each terminated */
    int64_t count, room;
    int64_t *slots; /* (slot_count) a code, or -1; the table is never more than half full */
    int64_t slot_count;
    char *pool; /* room for texts */
    size_t pool_left;
} bf__words;

bf_status bf__words_create(bf__words **out, bf_arena *arena, bf_error *err);

/* *code takes the code of the text, which is new if it has not been there before. */
bf_status bf__words_add(bf__words *words, const char *text, size_t length, int64_t *code,
                        bf_error *err);

/* The code of the text, or -1. */
int64_t bf__words_find(const bf__words *words, const char *text, size_t length);

#endif
