/* settings.c - The options of a method and of the models that it chooses from: who reads what. */
#include <stdio.h>
#include <string.h>

#include "backflow/estimator.h"
#include "core/fail.h"

static const bf_model *model_at(const bf_estimator *estimator, int index) {
    return estimator->model ? estimator->model(index) : NULL;
}

bf_status bf_estimator_settings(bf_settings **out, const bf_estimator *estimator, const char *text,
                                bf_arena *arena, bf_error *err) {
    const bf_option_table **tables;
    int count = 0;
    while (model_at(estimator, count))
        count++;
    BF_ALLOC(tables, arena, count + 1, err);
    tables[0] = estimator->options;
    for (int i = 0; i < count; i++)
        tables[i + 1] = model_at(estimator, i)->options;
    BF_TRY(bf_settings_make(out, tables, count + 1, arena, err));
    return text ? bf_settings_set_text(*out, text, arena, err) : BF_OK;
}

bf_status bf_estimator_choose(const bf_model **out, const bf_estimator *estimator,
                              const bf_problem *problem, const bf_settings *settings,
                              bf_arena *arena, bf_error *err) {
    *out = NULL;
    return estimator->choose ? estimator->choose(out, problem, settings, arena, err) : BF_OK;
}

static bool has(const bf_option_table *table, const char *name) {
    return table && bf_options_find(table, name);
}

bool bf_estimator_reads(const bf_estimator *estimator, const bf_model *model, const char *name) {
    bool found = has(estimator->options, name) || (model && has(model->options, name));
    for (int i = 0; !model && model_at(estimator, i); i++)
        found = found || has(model_at(estimator, i)->options, name);
    return found;
}

/* "corrected and linear": the models that read the option. */
static void readers(char *text, size_t size, const bf_estimator *estimator, const char *name) {
    const bf_model *reader[32];
    int count = 0;
    for (int i = 0; model_at(estimator, i) && count < 32; i++)
        if (has(model_at(estimator, i)->options, name))
            reader[count++] = model_at(estimator, i);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " and "
                                                  : ", ",
                                 reader[i]->name);
}

bf_status bf_estimator_check(const bf_estimator *estimator, const bf_model *model,
                             const bf_settings *settings, bf_error *err) {
    const char *name;
    for (int i = 0; (name = bf_settings_given_at(settings, i)); i++) {
        char who[256];
        if (bf_estimator_reads(estimator, model, name))
            continue;
        readers(who, sizeof who, estimator, name);
        return bf_fail(err, BF_EUSAGE, "%s: is read with %s, not with %s, which %s takes here",
                       name, who, model ? model->name : "what is set", estimator->name);
    }
    return BF_OK;
}
