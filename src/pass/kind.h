/* kind.h - What a kind of pass is made of. */
#ifndef BF_PASS_KIND_H
#define BF_PASS_KIND_H

#include "backflow/pass.h"
#include "dataset/dataset.h"
#include "format/pack.h"

typedef struct bf__pass_kind {
    const char *name;
    bool any_rows; /* rows may count differently, and steps take different times */
    /* `scratch` is given back after the call. */
    bf_status (*add)(void *self, const bf_dataset *rows, int64_t first, int threads,
                     bf_arena *scratch, bf_error *err);
    bf_status (*merge)(void *into, const void *from, bf_error *err);
    /* Writes everything, in an order that does not depend on how the rows were dealt. */
    bf_status (*pack)(bf__packer *out, void *self, bf_error *err);
    /* Reads what pack wrote. The bytes may be anything: what cannot be sets in->bad. */
    bf_status (*unpack)(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err);
} bf__pass_kind;

struct bf_pass {
    const bf__pass_kind *kind;
    void *self;
    int threads; /* that adding rows may take */
};

/* Every kind, in the order of passes.def; its place there is in the bytes. NULL past the end. */
const bf__pass_kind *bf__pass_kind_at(int index);
extern const bf__pass_kind bf__pass_sample, bf__pass_counts, bf__pass_effects, bf__pass_landmarks,
    bf__pass_moments, bf__pass_survey;

bf_status bf__pass_make(bf_pass **out, const bf__pass_kind *kind, void *self, bf_arena *arena,
                        bf_error *err);

#endif
