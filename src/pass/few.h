/* few.h - A few rows of a log, those of least hash: the same ones however rows are dealt. */
#ifndef BF_PASS_FEW_H
#define BF_PASS_FEW_H

#include <stdbool.h>

#include "format/pack.h"

enum { BF__FEW = 1001 }; /* rows */

typedef struct bf__few_row {
    uint64_t hash;
    int64_t at; /* its numbers are values[at * width] on */
} bf__few_row;

/* Rows with the same numbers have the same hash, and are one. */
typedef struct bf__few {
    int width;
    bool full;      /* rows were left out: */
    uint64_t limit; /* those of this hash or a larger one */
    int64_t count;
    bf__few_row *rows; /* (2 BF__FEW); NULL: none yet */
    double *values;    /* (2 BF__FEW, width) */
} bf__few;

bf_status bf__few_begin(bf__few *few, int width, bf_arena *arena, bf_error *err);

/* Whether a row of this hash can be one of them; then *values is where its numbers go. */
bool bf__few_take(double **values, bf__few *few, uint64_t hash);
void bf__few_join(bf__few *few, const bf__few *other);

/* Leaves BF__FEW rows at most, in order of their hashes. */
void bf__few_cut(bf__few *few);

void bf__few_pack(bf__packer *out, bf__few *few);
void bf__few_unpack(bf__few *few, bf__unpacker *in);

#endif
