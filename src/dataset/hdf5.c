/* hdf5.c - Logs as HDF5: D4RL's flat files, and the episodes of Minari.
 *
 *   what      D4RL, one piece                      Minari, a piece per episode
 *
 *   place     /                                    /episode_0/, /episode_1/, ...
 *
 *   state     observations (N, d)                  observations (T + 1, d)
 *
 *   next      next_observations, or the next row   the next row: the last is the final state
 *
 *   action    actions                              actions (T, ...)
 *
 *   reward    rewards (N) or (N, 1)                rewards
 *
 *   ends      terminals, timeouts                  terminations, truncations
 *
 *   spaces    guessed from the arrays              metadata.json beside the file, or guessed
 *
 * Without next_observations, assemble.c takes the next state from the next row, within episodes
 * that the flags end; a row that timed out, and the last one, has none and is dropped. D4RL's
 * infos/action_log_probs are `mu`, if there is one number per row and every exp of them is a
 * probability or a density.
 *
 * hdf5_rows.c reads the numbers. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "dataset/hdf5_rows.h"

enum { MOST_CHOICES = 1024 }; /* columns of one categorical number of a state */
#define MOST_METADATA ((size_t)16 << 20)

static const bf__hdf5_layout flat = {"terminals", "timeouts", "next_observations",
                                     "infos/action_log_probs", false};
static const bf__hdf5_layout minari = {"terminations", "truncations", NULL, NULL, true};

/* ---- Places */

static bf_status is_there(bool *out, bf__hdf5_log *own, int64_t piece, const char *name,
                          bf_error *err) {
    char place[BF__HDF5_PLACE];
    bf__hdf5_kind kind;
    *out = false;
    if (!name)
        return BF_OK;
    if (strchr(name, '/')) { /* a group on the way may be missing, or be an array */
        char group[64];
        snprintf(group, sizeof group, "%.*s", (int)(strchr(name, '/') - name), name);
        BF_TRY(bf__hdf5_look(&kind, own->hdf5, bf__hdf5_place(own, piece, group, "", place), err));
        if (kind != BF__HDF5_GROUP)
            return BF_OK;
    }
    BF_TRY(bf__hdf5_look(&kind, own->hdf5, bf__hdf5_place(own, piece, name, "", place), err));
    *out = kind == BF__HDF5_ARRAY;
    return BF_OK;
}

/* ---- Which layout, which episodes */

/* The number k of "episode_k", or -1. */
static int64_t episode_number(const char *name) {
    char *end;
    if (strncmp(name, "episode_", 8) != 0 || name[8] < '0' || name[8] > '9' || strlen(name) > 18)
        return -1;
    long long number = strtoll(name + 8, &end, 10);
    return *end || (name[8] == '0' && name[9]) ? -1 : number;
}

static bf_status unknown_layout(const bf__file *file, const char *const *names, int64_t count,
                                bf_error *err) {
    char list[256] = "";
    for (int64_t k = 0; k < count && strlen(list) < 200; k++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.40s", k ? ", " : "",
                 names[k]);
    return bf_fail(err, BF_EDATA,
                   "%s: neither D4RL's layout (observations, actions, rewards, ...) nor Minari's "
                   "(episode_0, ...); the file has %s%s",
                   file->path, count ? list : "nothing", strlen(list) < 200 ? "" : ", ...");
}

static bf_status find_layout(const bf__file *file, bf__hdf5_log *own, bf_arena *scratch,
                             bf_error *err) {
    const char **names;
    int64_t count, episodes = 0, last = -1;
    BF_TRY(bf__hdf5_names(&names, &count, own->hdf5, scratch, err));
    bool known = false;
    for (int64_t k = 0; k < count; k++) {
        known = known || strcmp(names[k], "observations") == 0;
        int64_t number = episode_number(names[k]);
        episodes += number >= 0;
        last = number > last ? number : last;
    }
    if (!known && episodes == 0)
        return unknown_layout(file, names, count, err);
    own->layout = episodes ? &minari : &flat;
    own->pieces = episodes ? episodes : 1;
    for (int64_t k = 0; k < episodes && last >= episodes; k++) {
        char name[32];
        bf__hdf5_kind kind;
        snprintf(name, sizeof name, "episode_%lld", (long long)k);
        BF_TRY(bf__hdf5_look(&kind, own->hdf5, name, err));
        if (kind == BF__HDF5_NOTHING)
            return bf_fail(err, BF_EDATA, "%s: episode_%lld is there, but %s is not", file->path,
                           (long long)last, name);
    }
    return BF_OK;
}

/* How many numbers there are, one per step: (n) or (n, 1). */
static bf_status count_steps(const bf__file *file, bf__hdf5_log *own, int64_t piece,
                             const char *name, int64_t *out, bf_error *err) {
    char place[BF__HDF5_PLACE], shape[160];
    bf__hdf5_array array;
    BF_TRY(
        bf__hdf5_array_open(&array, own->hdf5, bf__hdf5_place(own, piece, name, "", place), err));
    bf__hdf5_array_close(own->hdf5, &array);
    if (array.npy.dims > 2 || (array.npy.dims == 2 && array.npy.shape[1] != 1))
        return bf_fail(err, BF_EFORMAT, "%s: %s: shape %s; one number per step is needed",
                       file->path, place, bf__npy_shape(&array.npy, shape));
    *out = array.npy.shape[0];
    return BF_OK;
}

static bf_status count_rows(bf__file *file, bf__hdf5_log *own, bf_arena *scratch, bf_error *err) {
    BF_ALLOC(own->begin, scratch, own->pieces + 1, err);
    own->begin[0] = 0;
    for (int64_t e = 0; e < own->pieces; e++) {
        int64_t steps;
        BF_TRY(count_steps(file, own, e, "rewards", &steps, err));
        if (steps > UINT32_MAX && own->layout->episodes)
            return bf_fail(err, BF_EDATA, "%s: episode_%lld is longer than can be read", file->path,
                           (long long)e);
        own->begin[e + 1] = own->begin[e] + steps;
    }
    file->rows = own->begin[own->pieces];
    if (file->rows == 0)
        return bf_fail(err, BF_EDATA, "%s: no rows", file->path);
    return BF_OK;
}

/* ---- Spaces */

/* The description beside a file of Minari; *out is NULL if there is none. */
static bf_status read_metadata(json_t **out, char *name, size_t size, const char *path,
                               bf_arena *scratch, bf_error *err) {
    const char *slash = strrchr(path, '/');
    bf__bytes bytes;
    json_error_t why;
    *out = NULL;
    snprintf(name, size, "%.*smetadata.json", slash ? (int)(slash + 1 - path) : 0, path);
    FILE *probe = fopen(name, "re");
    if (!probe)
        return BF_OK;
    fclose(probe);
    BF_TRY(bf__bytes_open(&bytes, name, scratch, err));
    if (bytes.size <= MOST_METADATA)
        *out = json_loadb((const char *)bytes.data, bytes.size, JSON_REJECT_DUPLICATES, &why);
    bool large = bytes.size > MOST_METADATA;
    bf__bytes_close(&bytes);
    if (!*out)
        return bf_fail(err, BF_EFORMAT, "%s: cannot be read as JSON: %s", name,
                       large ? "it is too long" : why.text);
    return BF_OK;
}

/* A space stands in the metadata as a text, which is JSON again. */
static bf_status describe(bf__space *out, const json_t *metadata, const char *key,
                          const char *metadata_path, bf_arena *scratch, bf_error *err) {
    char name[700];
    json_error_t why;
    snprintf(name, sizeof name, "%.600s: %s", metadata_path, key);
    const char *text = json_string_value(json_object_get(metadata, key));
    if (!text)
        return bf_fail(err, BF_EFORMAT, "%s: is not there; it has to describe the space", name);
    json_t *space = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!space)
        return bf_fail(err, BF_EFORMAT, "%s: cannot be read as JSON: %s", name, why.text);
    bf_status status = bf__space_parse(out, space, name, scratch, err);
    json_decref(space);
    return status;
}

static bf_status guess(bf__space *out, const bf__file *file, bf__hdf5_log *own, const char *key,
                       bf_arena *scratch, bf_error *err) {
    char place[BF__HDF5_PLACE], name[700];
    bf__hdf5_kind kind;
    bf__hdf5_array array;
    BF_TRY(bf__hdf5_look(&kind, own->hdf5, bf__hdf5_place(own, 0, key, "", place), err));
    if (kind == BF__HDF5_GROUP && own->layout->episodes)
        return bf_fail(err, BF_EDATA,
                       "%s: %s: is a group; Minari's metadata.json, which says what it is made of, "
                       "has to stand beside the file",
                       file->path, place);
    BF_TRY(bf__hdf5_array_open(&array, own->hdf5, place, err));
    bf__hdf5_array_close(own->hdf5, &array);
    snprintf(name, sizeof name, "%.400s: %.200s", file->path, place);
    return bf__space_guess(out, &array.npy, name, scratch, err);
}

static bf_status check_spaces(const bf__file *file, const bf__hdf5_log *own, bf_error *err) {
    if (own->state.widest > MOST_CHOICES && !own->state.index)
        return bf_fail(err, BF_EDATA,
                       "%s: observations: a choice among %lld, which is a column each, and more "
                       "than %d columns are not made of one number",
                       file->path, (long long)own->state.widest, MOST_CHOICES);
    bool mixed = !own->action.choice;
    for (int k = 0; k < own->action.count; k++)
        if (own->action.leaves[k].n && mixed)
            return bf_fail(err, BF_EDATA,
                           "%s: actions: choices and real numbers together; an action has to be "
                           "all choices or all real numbers",
                           file->path);
    if (own->action.choice && own->action.products > 1000000)
        return bf_fail(err, BF_EDATA, "%s: actions: more combinations of choices than can be read",
                       file->path);
    return BF_OK;
}

static bf_status find_spaces(const bf__file *file, bf__hdf5_log *own, bf_arena *scratch,
                             bf_error *err) {
    char name[700];
    json_t *metadata = NULL;
    if (own->layout->episodes)
        BF_TRY(read_metadata(&metadata, name, sizeof name, file->path, scratch, err));
    bf_status status;
    if (metadata) {
        status = describe(&own->state, metadata, "observation_space", name, scratch, err);
        if (status == BF_OK)
            status = describe(&own->action, metadata, "action_space", name, scratch, err);
        json_decref(metadata);
    } else {
        status = guess(&own->state, file, own, "observations", scratch, err);
        if (status == BF_OK)
            status = guess(&own->action, file, own, "actions", scratch, err);
    }
    BF_TRY(status);
    return check_spaces(file, own, err);
}

/* ---- mu */

/* Says why log probabilities cannot be used; NULL: they can. */
static bf_status why_no_mu(const char **why, const bf__file *file, bf__hdf5_log *own,
                           bf_arena *scratch, bf_error *err) {
    bf__hdf5_array array;
    double *values;
    *why = NULL;
    BF_TRY(bf__hdf5_array_open(&array, own->hdf5, own->layout->log_probs, err));
    bool one = array.npy.dims == 1 || (array.npy.dims == 2 && array.npy.shape[1] == 1);
    if (!one || array.npy.shape[0] != file->rows)
        *why = "it is not one number per row";
    bf_mark mark = bf_arena_mark(scratch);
    BF_ALLOC(values, scratch, array.block, err);
    for (int64_t first = 0; first < file->rows && !*why; first += array.block) {
        int64_t rows = file->rows - first < array.block ? file->rows - first : array.block;
        BF_TRY(bf__hdf5_read(own->hdf5, &array, first, rows, values, err));
        for (int64_t i = 0; i < rows && !*why; i++) {
            double mu = exp(values[i]);
            if (!(mu > 0) || !isfinite(mu) || (own->action.choice && mu > 1 + 1e-6))
                *why = "not every number is the logarithm of a probability";
        }
    }
    bf_arena_rewind(scratch, mark);
    bf__hdf5_array_close(own->hdf5, &array);
    return BF_OK;
}

static bf_status find_columns(const bf__file *file, bf__hdf5_log *own, const bf_context *context,
                              bf_arena *scratch, bf_error *err) {
    const bf__hdf5_layout *l = own->layout;
    bool log_probs;
    const char *why;
    BF_TRY(is_there(&own->has_terminated, own, 0, l->terminated, err));
    BF_TRY(is_there(&own->has_truncated, own, 0, l->truncated, err));
    BF_TRY(is_there(&own->has_next, own, 0, l->next, err));
    BF_TRY(is_there(&log_probs, own, 0, l->log_probs, err));
    if (log_probs) {
        BF_TRY(why_no_mu(&why, file, own, scratch, err));
        own->has_mu = !why;
        if (why)
            bf__message(context, BF_MESSAGE_WARNING, "%s: %s is not used: %s", file->path,
                        l->log_probs, why);
    }
    if (!l->episodes && !own->has_next && !own->has_truncated)
        bf__message(context, BF_MESSAGE_WARNING,
                    "%s: no next_observations and no timeouts: the next state is the next row's, "
                    "which is wrong where a time limit has ended an episode",
                    file->path);
    return BF_OK;
}

/* ---- Names */

static bf_status add_names(bf__file *file, int *first, const char *name, int64_t count, bool plain,
                           bf_arena *scratch, bf_error *err) {
    *first = file->count;
    for (int64_t j = 0; j < count; j++) {
        char *text;
        BF_ALLOC(text, scratch, 32, err);
        if (plain)
            snprintf(text, 32, "%s", name);
        else
            snprintf(text, 32, "%s%lld", name, (long long)j);
        file->names[file->count++] = text;
    }
    return BF_OK;
}

/* The parts of a Dict or Tuple have names of their own. */
static bf_status label_states(bf__file *file, const bf__hdf5_log *own, bf_arena *scratch,
                              bf_error *err) {
    if (own->state.index || !*own->state.leaves[0].place)
        return BF_OK;
    BF_ALLOC(file->labels, scratch, file->count, err);
    memcpy(file->labels, file->names, (size_t)file->count * sizeof *file->names);
    for (int64_t j = 0; j < own->state.width; j++) {
        char label[1100], *copy;
        bf__space_label(&own->state, j, label, sizeof label);
        BF_ALLOC(copy, scratch, (int64_t)strlen(label) + 1, err);
        strcpy(copy, label);
        file->labels[own->s + j] = copy;
    }
    return BF_OK;
}

static bf_status name_columns(bf__file *file, bf__hdf5_log *own, bf_arena *scratch, bf_error *err) {
    bool finite = own->state.index, discrete = own->action.choice;
    bool next = own->has_next || own->layout->episodes;
    int64_t d = finite ? 1 : own->state.width, k = discrete ? 1 : own->action.width;
    BF_ALLOC(file->names, scratch, 2 * d + k + 5, err);
    BF_TRY(add_names(file, &own->s, "s", d, finite, scratch, err));
    BF_TRY(add_names(file, &own->ns, "ns", next ? d : 0, finite, scratch, err));
    BF_TRY(add_names(file, &own->a, "a", k, discrete, scratch, err));
    BF_TRY(add_names(file, &own->r, "r", 1, true, scratch, err));
    BF_TRY(
        add_names(file, &own->terminated, "terminated", own->has_terminated, true, scratch, err));
    BF_TRY(add_names(file, &own->truncated, "truncated", own->has_truncated, true, scratch, err));
    BF_TRY(add_names(file, &own->mu, "mu", own->has_mu, true, scratch, err));
    BF_TRY(add_names(file, &own->episode, "episode", own->layout->episodes || !next, true, scratch,
                     err)); /* one, of a flat file: its flags divide it */
    file->states = finite ? own->state.products : 0;
    file->actions = discrete ? (int)own->action.products : 0;
    return BF_OK;
}

static bf_status open_hdf5(bf__file *file, const bf_context *context, bf_arena *scratch,
                           bf_error *err) {
    bf__hdf5_log *own;
    BF_ZALLOC(own, scratch, 1, err);
    file->own = own;
    BF_TRY(bf__hdf5_open(&own->hdf5, file->path, &file->bytes, scratch, err));
    BF_TRY(find_layout(file, own, scratch, err));
    BF_TRY(count_rows(file, own, scratch, err));
    BF_TRY(find_spaces(file, own, scratch, err));
    BF_TRY(find_columns(file, own, context, scratch, err));
    file->by_episode = own->layout->episodes;
    BF_TRY(name_columns(file, own, scratch, err));
    return label_states(file, own, scratch, err);
}

static void close_hdf5(bf__file *file) {
    bf__hdf5_log *own = file->own;
    if (own)
        bf__hdf5_close(own->hdf5);
}

const bf__reader bf__reader_hdf5 = {
    .name = "hdf5",
    .summary = "HDF5: a file of D4RL, or main_data.hdf5 of Minari",
    .suffix = ".hdf5",
    .claims = bf__hdf5_claims,
    .open = open_hdf5,
    .by_ranges = true,
    .fill = bf__hdf5_fill,
    .close = close_hdf5,
};
