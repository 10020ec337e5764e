/* write.c - Which arrays a log is written as, and in which format. */
#include "dataset/write.h"

#include <string.h>
#include <sys/stat.h>

#include "core/fail.h"
#include "core/output.h"

static bool ends_in(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bf_status check_name(const char *path, bf_error *err) {
    if (ends_in(path, ".csv") || ends_in(path, ".npz"))
        return BF_OK;
    return bf_fail(err, BF_EUSAGE, "%s: a log is written as .csv or .npz; the name has to end so",
                   path);
}

bf_status bf_dataset_write_check(const char *path, bf_error *err) {
    BF_TRY(check_name(path, err));
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return BF_OK; /* a pipe must not be opened twice */
    bf__output out;
    BF_TRY(bf__output_open(&out, path, err));
    bf__output_abandon(&out);
    return BF_OK;
}

/* Adds a block if the log has it. */
static void add(bf__block *blocks, int *count, bf__block block, int64_t n) {
    block.n = n;
    if (block.real || block.whole || block.flag)
        blocks[(*count)++] = block;
}

/* Finds the episode and the step of each transition from the list of episodes. */
static bf_status number_steps(const bf_dataset *data, int64_t **episode, int64_t **t,
                              bf_arena *arena, bf_error *err) {
    *episode = *t = NULL;
    if (!data->begin)
        return BF_OK;
    BF_ALLOC(*episode, arena, data->n, err);
    BF_ALLOC(*t, arena, data->n, err);
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++) {
            (*episode)[data->order[j]] = e;
            (*t)[data->order[j]] = j - data->begin[e];
        }
    return BF_OK;
}

/* States of a finite environment are whole numbers, and their columns `s` and `ns` have no
 * number. */
static bf_status states(bf__block *out, const char *key, const double *state,
                        const bf_dataset *data, bf_arena *arena, bf_error *err) {
    *out = (bf__block){.key = key, .type = BF_BLOCK_REAL, .width = data->state_dim, .real = state};
    if (!state || data->states == 0)
        return BF_OK;
    int64_t *whole;
    BF_ALLOC(whole, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++)
        whole[i] = (int64_t)state[i];
    *out = (bf__block){.key = key, .type = BF_BLOCK_WHOLE, .whole = whole};
    return BF_OK;
}

static bf_status actions(bf__block *out, const bf_dataset *data, bf_arena *arena, bf_error *err) {
    *out = (bf__block){
        .key = "a", .type = BF_BLOCK_REAL, .width = data->action_dim, .real = data->action_vector};
    if (!data->action)
        return BF_OK;
    int64_t *whole;
    BF_ALLOC(whole, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++)
        whole[i] = data->action[i];
    *out = (bf__block){.key = "a", .type = BF_BLOCK_WHOLE, .whole = whole};
    return BF_OK;
}

bf_status bf__blocks(bf__block *blocks, int *count, const bf_dataset *data, bf_arena *arena,
                     bf_error *err) {
    int64_t *episode, *t, n = data->n;
    bf__block s, ns, a;
    BF_TRY(number_steps(data, &episode, &t, arena, err));
    BF_TRY(states(&s, "s", data->state, data, arena, err));
    BF_TRY(states(&ns, "ns", data->next_state, data, arena, err));
    BF_TRY(actions(&a, data, arena, err));
    *count = 0;
    int A = data->actions;
    add(blocks, count, (bf__block){.key = "episode", .type = BF_BLOCK_WHOLE, .whole = episode}, n);
    add(blocks, count, (bf__block){.key = "t", .type = BF_BLOCK_WHOLE, .whole = t}, n);
    add(blocks, count, s, n);
    add(blocks, count, a, n);
    add(blocks, count, (bf__block){.key = "r", .real = data->reward}, n);
    add(blocks, count, ns, n);
    add(blocks, count,
        (bf__block){.key = "terminated", .type = BF_BLOCK_FLAG, .flag = data->terminated}, n);
    add(blocks, count,
        (bf__block){.key = "truncated", .type = BF_BLOCK_FLAG, .flag = data->truncated}, n);
    add(blocks, count, (bf__block){.key = "weight", .real = data->weight}, n);
    add(blocks, count, (bf__block){.key = "duration", .real = data->duration}, n);
    if (data->mu_all)
        add(blocks, count, (bf__block){.key = "mu", .width = A, .real = data->mu_all}, n);
    else
        add(blocks, count, (bf__block){.key = "mu", .real = data->mu}, n);
    add(blocks, count, (bf__block){.key = "pi", .width = A, .real = data->pi}, n);
    add(blocks, count, (bf__block){.key = "npi", .width = A, .real = data->npi}, n);
    add(blocks, count,
        (bf__block){.key = "mask", .type = BF_BLOCK_FLAG, .width = A, .flag = data->mask}, n);
    add(blocks, count,
        (bf__block){.key = "na",
                    .width = data->samples * data->action_dim,
                    .inner = data->action_dim,
                    .real = data->na},
        n);
    add(blocks, count,
        (bf__block){.key = "sa",
                    .width = data->samples * data->action_dim,
                    .inner = data->action_dim,
                    .real = data->sa},
        n);
    return BF_OK;
}

bf_status bf_dataset_write(const bf_dataset *data, const char *path, const bf_context *context,
                           bf_arena *arena, bf_error *err) {
    bf__block blocks[BF_MAX_BLOCKS];
    int count;
    BF_TRY(check_name(path, err));
    bf_mark mark = bf_arena_mark(arena);
    bf_status status = bf__blocks(blocks, &count, data, arena, err);
    if (status == BF_OK)
        status = ends_in(path, ".csv") ? bf__write_csv(blocks, count, data->n, path, context, err)
                                       : bf__write_npz(blocks, count, path, context, arena, err);
    bf_arena_rewind(arena, mark);
    return status;
}
