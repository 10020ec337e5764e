/* rows.h - The rows of a log as plain numbers, one row after the other, and back. */
#ifndef BF_PASS_ROWS_H
#define BF_PASS_ROWS_H

#include "dataset/dataset.h"
#include "format/pack.h"

/* Which columns a row has. */
typedef struct bf__row_form {
    int width; /* numbers of a row; 0: not known yet */
    int state_dim, action_dim, samples;
    int actions; /* the most that any batch had; of columns pi, npi, mu0 their number */
    bool real_state;
    bool has[9]; /* terminated, truncated, mu, mu0.., pi, npi, na, sa; and any of mu0.., pi, npi */
    int extras;
    const char **extra_names;
} bf__row_form;

/* The form of the log if *form is not known; otherwise checks that the log has the same. */
bf_status bf__row_form_of(bf__row_form *form, const bf_dataset *data, bf_arena *arena,
                          bf_error *err);
/* Checks that two forms are the same, and takes the greater number of actions. */
bf_status bf__row_form_join(bf__row_form *form, const bf__row_form *other, bf_error *err);

/* values (width): row i. */
void bf__row_take(double *values, const bf__row_form *form, const bf_dataset *data, int64_t i);

/* A log of the n rows values (n, width), which belong to the given number of episodes, begin
 * (episodes + 1); 0: it has none. */
bf_status bf__rows_log(bf_dataset *out, const bf__row_form *form, const double *values, int64_t n,
                       const int64_t *begin, int64_t episodes, bf_arena *arena, bf_error *err);

void bf__row_form_pack(bf__packer *out, const bf__row_form *form);
bf_status bf__row_form_unpack(bf__row_form *out, bf__unpacker *in, bf_arena *arena, bf_error *err);

#endif
