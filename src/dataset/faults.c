/* faults.c - Everything that is wrong with a log, not only the first thing. */
#include "dataset/faults.h"

#include <string.h>

#include "core/fail.h"
#include "dataset/dataset.h"

bf_status bf__faults_create(bf__faults **out, int limit, bf_arena *arena, bf_error *err) {
    BF_ZALLOC(*out, arena, 1, err);
    (*out)->arena = arena;
    (*out)->limit = limit;
    BF_ALLOC((*out)->list, arena, limit, err);
    return BF_OK;
}

static bf_status copy_text(const char **out, const char *text, bf_arena *arena, bf_error *err) {
    char *copy;
    *out = NULL;
    if (!text)
        return BF_OK;
    BF_ALLOC(copy, arena, (int64_t)strlen(text) + 1, err);
    *out = strcpy(copy, text);
    return BF_OK;
}

bf_status bf__faults_add(bf__faults *faults, const bf_fault *fault, bf_error *err) {
    faults->found++;
    if (faults->count == faults->limit)
        return BF_OK;
    bf_fault copy = *fault;
    BF_TRY(copy_text(&copy.file, fault->file, faults->arena, err));
    BF_TRY(copy_text(&copy.column, fault->column, faults->arena, err));
    BF_TRY(copy_text(&copy.message, fault->message, faults->arena, err));
    faults->list[faults->count++] = copy;
    return BF_OK;
}

bf_status bf__faults_take(bf__faults *faults, bf_status status, const bf_fault *at,
                          bf_error *told) {
    if (status == BF_OK || !faults || !told || (status != BF_EDATA && status != BF_EFORMAT))
        return status;
    bf_error failed;
    bf_fault fault = *at;
    fault.message = told->message;
    if (bf__faults_add(faults, &fault, &failed) == BF_OK)
        return BF_OK;
    *told = failed;
    return failed.status;
}

bf_status bf__faults_first(const bf__faults *faults, bf_error *err) {
    return bf_fail(err, BF_EDATA, "%s", faults->list[0].message);
}

bf_fault bf__fault_in(const char *file, const char *column) {
    return (bf_fault){.file = file, .episode = -1, .row = -1, .column = column, .count = 1};
}

bf_fault bf__fault_at(const bf_dataset *data, int64_t i, const char *column) {
    int source = data->source_count - 1;
    while (source > 0 && data->sources[source].first > i)
        source--;
    bf_fault at = bf__fault_in(source >= 0 ? data->sources[source].path : NULL, column);
    at.row = data->row ? data->row[i] : i;
    if (source >= 0 && data->sources[source].by_episode) {
        at.episode = at.row >> 32;
        at.row &= 0xffffffff;
    }
    return at;
}

/* A NaN that arithmetic does not make. */
static const uint64_t faulty_bits = 0x7ff80000746f6c64u;

double bf__faulty(void) {
    double value;
    memcpy(&value, &faulty_bits, sizeof value);
    return value;
}

bool bf__is_faulty(double value) {
    return memcmp(&value, &faulty_bits, sizeof value) == 0;
}
