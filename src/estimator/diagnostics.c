/* diagnostics.c - Diagnostics by identifier: the list, adding one to an answer, reading it. */
#include "estimator/diagnostics.h"

#include <math.h>
#include <string.h>

static const bf__diagnostic_kind kinds[] = {
#define BF_DIAGNOSTIC(id, key, unit, good, label, definition) {key, unit, good, label, definition},
#include "estimator/diagnostics.def"
#undef BF_DIAGNOSTIC
};

const bf__diagnostic_kind *bf__diagnostic_at(int id) {
    return id >= 0 && id < BF__DIAGNOSTICS ? &kinds[id] : NULL;
}

bool bf_diagnostic_describe(int index, const char **key, const char **label,
                            const char **definition) {
    const bf__diagnostic_kind *kind = bf__diagnostic_at(index);
    if (!kind)
        return false;
    *key = kind->key;
    *label = kind->label;
    *definition = kind->definition;
    return true;
}

bool bf_diagnostic_measure(int index, const char **unit, const char **good) {
    const bf__diagnostic_kind *kind = bf__diagnostic_at(index);
    if (!kind)
        return false;
    *unit = kind->unit;
    *good = kind->good;
    return true;
}

double bf_estimate_get(const bf_estimate *estimate, const char *name) {
    for (int i = 0; i < estimate->diagnostic_count; i++)
        if (strcmp(estimate->diagnostics[i].name, name) == 0)
            return estimate->diagnostics[i].value;
    return NAN;
}

double bf__diagnosed(const bf_estimate *estimate, bf__diagnostic_id id) {
    return bf_estimate_get(estimate, kinds[id].key);
}

void bf__diagnose(bf_estimate *out, bf__diagnostic_id id, double value) {
    if (out->diagnostic_count < BF_MAX_DIAGNOSTICS)
        out->diagnostics[out->diagnostic_count++] =
            (bf_diagnostic){kinds[id].key, kinds[id].label, value};
}

void bf__diagnose_again(bf_estimate *out, bf__diagnostic_id id, double value) {
    for (int i = 0; i < out->diagnostic_count; i++)
        if (strcmp(out->diagnostics[i].name, kinds[id].key) == 0)
            out->diagnostics[i].value = value;
}

void bf__diagnostics_scale(bf_estimate *out, double factor) {
    for (int id = 0; id < BF__DIAGNOSTICS; id++) {
        double value = bf__diagnosed(out, (bf__diagnostic_id)id);
        /* Classes have durations of their own, and episodes return what they return. */
        bool own = id == BF__D_EPISODE_RETURN || id == BF__D_CLASS_VALUE_LOW ||
                   id == BF__D_CLASS_VALUE_HIGH;
        if (strcmp(kinds[id].unit, "reward") == 0 && !own)
            bf__diagnose_again(out, (bf__diagnostic_id)id, value * factor);
    }
}

void bf__diagnose_also(bf_estimate *out, const bf_estimate *other) {
    for (int i = 0; i < other->diagnostic_count; i++)
        if (isnan(bf_estimate_get(out, other->diagnostics[i].name)) &&
            out->diagnostic_count < BF_MAX_DIAGNOSTICS)
            out->diagnostics[out->diagnostic_count++] = other->diagnostics[i];
}
