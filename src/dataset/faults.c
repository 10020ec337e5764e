/* faults.c - Everything that is wrong with a log, not only the first thing. */
#include "dataset/faults.h"

#include <string.h>

#include "core/fail.h"

bf_status bf__faults_create(bf__faults **out, int limit, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(*out, arena, 1, err);
    (*out)->arena = arena;
    (*out)->limit = limit;
    BF_ALLOC((*out)->text, arena, limit, err);
    return BF_OK;
}

bf_status bf__faults_add(bf__faults *faults, const char *text, bf_error *err) {
    char *copy;
    faults->found++;
    if (faults->count == faults->limit)
        return BF_OK;
    BF_ALLOC(copy, faults->arena, (int64_t)strlen(text) + 1, err);
    faults->text[faults->count++] = strcpy(copy, text);
    return BF_OK;
}

bf_status bf__faults_take(bf__faults *faults, bf_status status, bf_error *told) {
    if (status == BF_OK || !faults || !told || (status != BF_EDATA && status != BF_EFORMAT))
        return status;
    bf_error failed;
    if (bf__faults_add(faults, told->message, &failed) == BF_OK)
        return BF_OK;
    *told = failed;
    return failed.status;
}
