/* mask.c - Actions that were not allowed at a state: what that forbids. Cost O(n A). */
#include "dataset/mask.h"

#include <stdio.h>

#include "core/fail.h"
#include "dataset/faults.h"

static const double none = 1e-9; /* what rounding leaves of a probability of 0 */

/* "aspirin" after "mask:", or "1" after "mask". */
static const char *suffix(const bf_dataset *data, int action, char text[96]) {
    char name[80];
    snprintf(text, 96, "%s%s", data->action_names ? ":" : "",
             bf_dataset_action_name(data, action, name, sizeof name));
    return text;
}

/* Row i of the probabilities p (A, n) named `column`, which is at the state of row `at`. */
static bf_status check_row(const bf_dataset *data, const double *p, const char *column, int64_t i,
                           int64_t at, bf__faults *faults, bf_error *err) {
    char where[256], name[96], full[112];
    for (int a = 0; a < data->actions; a++) {
        double x = p[a * data->n + i];
        if (!bf__masked(data, at, a) || !(x > none))
            continue;
        suffix(data, a, name);
        snprintf(full, sizeof full, "%s%s", column, name);
        bf_fault place = bf__fault_at(data, i, full);
        BF_TRY(bf__faults_take(
            faults,
            bf_fail(err, BF_EDATA,
                    "%s: %s%s: %.10g, but mask%s is 1%s: the action was not allowed there",
                    bf_dataset_where(data, i, where, sizeof where), column, name, x, name,
                    at == i ? "" : " in the next row of the episode"),
            &place, err));
    }
    return BF_OK;
}

/* Whether the state of row `after` is the next state of row i. */
static bool leads_to(const bf_dataset *data, int64_t i, int64_t after) {
    if (data->terminated && data->terminated[i])
        return false;
    for (int j = 0; j < data->state_dim; j++)
        if (data->next_state[j * data->n + i] != data->state[j * data->n + after])
            return false;
    return true;
}

bf_status bf__mask_check(const bf_dataset *data, bf__faults *faults, bf_error *err) {
    char where[256], name[96], full[112];
    for (int64_t i = 0; i < data->n && data->mask; i++) {
        if (bf__masked(data, i, data->action[i])) {
            snprintf(full, sizeof full, "mask%s", suffix(data, data->action[i], name));
            bf_fault place = bf__fault_at(data, i, full);
            BF_TRY(bf__faults_take(
                faults,
                bf_fail(err, BF_EDATA,
                        "%s: %s: 1, but that action was taken; 1 in a mask says that the action "
                        "was not allowed",
                        bf_dataset_where(data, i, where, sizeof where), full),
                &place, err));
        }
        if (data->pi)
            BF_TRY(check_row(data, data->pi, "pi", i, i, faults, err));
        if (data->mu_all)
            BF_TRY(check_row(data, data->mu_all, "mu", i, i, faults, err));
    }
    for (int64_t e = 0; e < data->episodes && data->mask && data->npi; e++)
        for (int64_t j = data->begin[e]; j + 1 < data->begin[e + 1]; j++)
            if (leads_to(data, data->order[j], data->order[j + 1]))
                BF_TRY(check_row(data, data->npi, "npi", data->order[j], data->order[j + 1], faults,
                                 err));
    return BF_OK;
}

void bf__mask_apply(double *p, const bf_dataset *data) {
    for (int64_t i = 0; i < data->n && data->mask; i++) {
        double sum = 0;
        for (int a = 0; a < data->actions; a++)
            sum += bf__masked(data, i, a) ? 0 : p[a * data->n + i];
        for (int a = 0; a < data->actions; a++)
            p[a * data->n + i] = bf__masked(data, i, a) ? 0 : p[a * data->n + i] / sum;
    }
}
