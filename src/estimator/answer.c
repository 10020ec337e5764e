/* answer.c - What programs see of an answer. */
#include "estimator/answer.h"

#include "estimator/reasons.h"
#include "kernel/kernel.h"

double bf_estimate_value(const bf_estimate *estimate) {
    return estimate->value;
}

const double *bf_estimate_weights(const bf_estimate *estimate) {
    return estimate->weights ? estimate->weights : estimate->spare;
}

const double *bf_estimate_signed_weights(const bf_estimate *estimate) {
    return estimate->signed_weights ? estimate->signed_weights : estimate->spare_signed;
}

const char *bf_estimate_model(const bf_estimate *estimate) {
    return estimate->model;
}

bool bf_estimate_part(const bf_estimate *estimate, int index, const char **method,
                      const char **model, double *value, double *share, const char **why) {
    if (index < 0 || index >= estimate->part_count)
        return false;
    const bf__part *part = &estimate->parts[index];
    if (method)
        *method = part->method;
    if (model)
        *model = part->model;
    if (value)
        *value = part->value;
    if (share)
        *share = part->share;
    if (why)
        *why = part->why;
    return true;
}

bool bf_estimate_diagnostic(const bf_estimate *estimate, int index, const char **name,
                            const char **label, double *value) {
    if (index < 0 || index >= estimate->diagnostic_count)
        return false;
    const bf_diagnostic *diagnostic = &estimate->diagnostics[index];
    if (name)
        *name = diagnostic->name;
    if (label)
        *label = diagnostic->label;
    if (value)
        *value = diagnostic->value;
    return true;
}

bool bf_estimate_warning(const bf_estimate *estimate, int index, const char **text,
                         const char **advice, bool *distrust) {
    if (index < 0 || index >= estimate->warning_count)
        return false;
    const bf_warning *warning = &estimate->warnings[index];
    if (text)
        *text = warning->text;
    if (advice)
        *advice = warning->advice;
    if (distrust)
        *distrust = warning->distrust;
    return true;
}

const char *bf_estimate_warning_code(const bf_estimate *estimate, int index) {
    return index >= 0 && index < estimate->warning_count ? estimate->warnings[index].code : NULL;
}

bool bf_estimate_trusted(const bf_estimate *estimate) {
    for (int i = 0; i < estimate->warning_count; i++)
        if (estimate->warnings[i].distrust)
            return false;
    return true;
}

bool bf_reason_describe(int index, const char **code, const char **advice) {
    *code = bf__reason_code(index);
    *advice = bf__reason_advice(index);
    return *code != NULL;
}

bool bf_kernel_describe(int index, const char **name, const char **summary) {
    const bf__kernel_kind *kind = bf__kernel_at(index);
    if (kind) {
        *name = kind->name;
        *summary = kind->summary;
    }
    return kind != NULL;
}
