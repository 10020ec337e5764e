/* methods.c - The methods of one `estimate`: which, and with what options. */
#include "cli/methods.h"

#include <string.h>

static bf_status add(bf__methods *out, const bf_estimator *estimator, bf_arena *arena,
                     bf_error *err) {
    for (int i = 0; i < out->count; i++)
        if (out->list[i] == estimator)
            return bf_fail(err, BF_EUSAGE, "--method: '%s' is there twice", estimator->name);
    if (out->count == BF__MAX_METHODS)
        return bf_fail(err, BF_EUSAGE, "--method: more than %d methods", BF__MAX_METHODS);
    BF_TRY(bf_estimator_settings(&out->settings[out->count], estimator, NULL, arena, err));
    out->list[out->count++] = estimator;
    return BF_OK;
}

static bf_status unknown(const char *name, bf_error *err) {
    bf__suggestion best = {NULL, 0};
    for (int e = 0; bf_estimator_at(e); e++)
        bf__suggest(&best, name, bf_estimator_at(e)->name);
    if (best.name)
        return bf_fail(err, BF_EUSAGE, "--method: '%s' is not an estimator; did you mean %s?", name,
                       best.name);
    return bf_fail(err, BF_EUSAGE,
                   "--method: '%s' is not an estimator; `backflow list estimators` shows all",
                   name);
}

bf_status bf__methods_parse(bf__methods *out, const char *text, bf_arena *arena, bf_error *err) {
    bool all = strcmp(text, "all") == 0;
    *out = (bf__methods){.text = text, .several = all || strchr(text, ',')};
    for (int e = 0; all && bf_estimator_at(e); e++)
        if (!bf_estimator_at(e)->chooses)
            BF_TRY(add(out, bf_estimator_at(e), arena, err));
    for (const char *rest = all ? NULL : text; rest;) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(rest, ","), rest);
        const bf_estimator *estimator = bf_estimator_find(name);
        if (!estimator)
            return unknown(name, err);
        BF_TRY(add(out, estimator, arena, err));
        rest = strchr(rest, ',');
        rest = rest ? rest + 1 : NULL;
    }
    return BF_OK;
}

int bf__method_slots(const bf_estimator *method, bf_settings *settings, bf__slot *slots,
                     int slot_count) {
    if (method->options && slot_count < BF__MAX_SLOTS)
        slots[slot_count++] =
            (bf__slot){.table = method->options, .settings = settings, .method = method};
    for (int m = 0; method->model && method->model(m); m++)
        if (method->model(m)->options && slot_count < BF__MAX_SLOTS)
            slots[slot_count++] = (bf__slot){.table = method->model(m)->options,
                                             .settings = settings,
                                             .method = method,
                                             .model = method->model(m)};
    return slot_count;
}

int bf__methods_slots(const bf__methods *methods, bf__slot *slots, int slot_count) {
    for (int i = 0; i < methods->count; i++)
        slot_count = bf__method_slots(methods->list[i], methods->settings[i], slots, slot_count);
    return slot_count;
}

/* Whether one of the methods reads the option; `model` is what each takes. */
static bool is_read(const bf__methods *methods, const bf_model *const *model, const char *name) {
    for (int i = 0; i < methods->count; i++)
        if (bf_estimator_reads(methods->list[i], model[i], name))
            return true;
    return false;
}

bf_status bf__methods_check(const bf__methods *methods, const bf_problem *problem, bf_arena *arena,
                            bf_error *err) {
    const bf_model *model[BF__MAX_METHODS];
    const char *name;
    for (int i = 0; i < methods->count; i++)
        BF_TRY(bf_estimator_choose(&model[i], methods->list[i], problem, methods->settings[i],
                                   arena, err));
    for (int i = 0; i < methods->count; i++)
        for (int k = 0; (name = bf_settings_given_at(methods->settings[i], k)); k++)
            if (!is_read(methods, model, name))
                return bf__args_flag(
                    name, bf_estimator_check(methods->list[i], model[i], methods->settings[i], err),
                    err);
    /* What one of several methods reads, the others need not. */
    for (int i = 0; problem && methods->several && i < methods->count; i++)
        while ((name = bf_settings_given_at(methods->settings[i], 0)))
            bf_settings_forget(methods->settings[i], name);
    return BF_OK;
}

static bool is_chosen(const bf__methods *methods, const bf_estimator *estimator) {
    for (int i = 0; i < methods->count; i++)
        if (methods->list[i] == estimator)
            return true;
    return false;
}

bf_status bf__methods_explain(const bf__methods *methods, int argc, char **argv,
                              const bf_error *cause, bf_error *err) {
    for (int i = 0; i < argc; i++)
        for (int e = 0; bf_estimator_at(e); e++) {
            const bf_estimator *other = bf_estimator_at(e);
            char name[64], known[80];
            snprintf(name, sizeof name, "%.*s", (int)strcspn(argv[i], "="), argv[i]);
            snprintf(known, sizeof known, "%s: no such option", name);
            if (!is_chosen(methods, other) && !other->chooses && strncmp(name, "--", 2) == 0 &&
                strncmp(cause->message, known, strlen(known)) == 0 &&
                bf_estimator_reads(other, NULL, name + 2))
                return bf_fail(err, BF_EUSAGE, "%s: an option of --method %s, not of %s", name,
                               other->name, methods->text);
        }
    *err = *cause;
    return cause->status;
}
