/* methods.c - The methods of one `estimate`: which, and with what options. */
#include "cli/methods.h"

#include <string.h>

#include "core/fail.h"

static bf_status add(bf__methods *out, const bf_estimator *estimator, bf_arena *arena,
                     bf_error *err) {
    for (int i = 0; i < out->count; i++)
        if (out->list[i] == estimator)
            return bf_fail(err, BF_EUSAGE, "--method: '%s' is there twice", estimator->name);
    if (out->count == BF__MAX_METHODS)
        return bf_fail(err, BF_EUSAGE, "--method: more than %d methods", BF__MAX_METHODS);
    void *options = NULL;
    if (estimator->options) {
        options = bf_arena_zalloc(arena, 1, estimator->options->size, err);
        if (!options)
            return BF_ENOMEM;
    }
    out->options[out->count] = options;
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

int bf__methods_slots(const bf__methods *methods, bf__slot *slots, int slot_count) {
    for (int i = 0; i < methods->count; i++)
        if (methods->options[i])
            slots[slot_count++] = (bf__slot){methods->list[i]->options, methods->options[i]};
    return slot_count;
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
            if (!is_chosen(methods, other) && other->options && strncmp(name, "--", 2) == 0 &&
                strncmp(cause->message, known, strlen(known)) == 0 &&
                bf_options_find(other->options, name + 2))
                return bf_fail(err, BF_EUSAGE, "%s: an option of --method %s, not of %s", name,
                               other->name, methods->text);
        }
    *err = *cause;
    return cause->status;
}
