/* kind.h - What a kind of policy is made of. */
#ifndef BF_POLICY_KIND_H
#define BF_POLICY_KIND_H

#include <stdbool.h>
#include <stddef.h>

#include "backflow/policy.h"
#include "dataset/dataset.h"
#include "format/bytes.h"

/* A policy of some kind starts with this struct; the fields of the kind follow. */
struct bf_policy {
    const char *kind; /* "table" */
    const char *name; /* for messages: the path it was read from */
    int actions;      /* A; 0: actions are vectors, and `sample` gives them */
    int state_dim;    /* how many numbers a state has; 0: any number */
    int64_t states;   /* S if it knows only the states 0 .. S-1; 0 if states are real-valued */
    uint64_t content; /* tells files of different content apart; 0: it came from no file */
    /* Gives the probabilities (A, n) at states (d, n). The caller has checked d. Several threads
     * may call this at once. */
    bf_status (*probabilities)(const bf_policy *self, const double *states, int64_t n,
                               double *probabilities, bf_error *err);

    /* A policy that names its actions or states has an order of its own. `bind` gives the policy in
     * the order of the log, where the names are the same; actions that the log has never seen come
     * after those. NULL: it names neither. */
    const char *const *action_names; /* (A); NULL: they have numbers */
    bf_status (*bind)(const bf_policy **out, const bf_policy *self, const bf_dataset *data,
                      bf_arena *arena, bf_error *err);

    /* For actions that are vectors: `samples` of `action_dim` numbers each, (M * k, n). */
    int action_dim, samples;
    bf_status (*sample)(const bf_policy *self, const double *states, int64_t n, double *actions,
                        bf_error *err);

    struct bf__process *process; /* the program that answers; NULL: none */

    /* The row of the last question that was answered wrongly, -1: none. NULL: it is never wrong. */
    const int64_t *wrong;
};

/* A kind of policy file. */
typedef struct bf__policy_kind {
    const char *name, *summary;
    /* Says if the file is of this kind, judging by its first bytes and its path. */
    bool (*claims)(const char *path, const unsigned char *head, size_t length);
    /* `bytes` is all of the file, which may have been a pipe; `path` stands in messages. The reader
     * may set *out to memory of `arena` only. */
    bf_status (*read)(bf_policy **out, const char *path, const bf__bytes *bytes, bf_arena *arena,
                      bf_error *err);
} bf__policy_kind;

/* As bf_policy_apply, in place: fills data->pi and data->npi, or data->sa and data->na. */
bf_status bf__policy_apply(const bf_policy *policy, bf_dataset *data, bf_arena *arena,
                           bf_error *err);

/* Every kind, in the order of policies.def; NULL past the end. */
const bf__policy_kind *bf__policy_kind_at(int index);

#endif
