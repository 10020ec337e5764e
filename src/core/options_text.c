/* options_text.c - Options by name from one text: "ridge=1e-9 features=300". */
#include <stdio.h>
#include <string.h>

#include "backflow/options.h"
#include "core/fail.h"

/* What a text is about: a table and its struct, or settings. */
typedef struct target {
    const bf_option_table *table;
    void *options;
    bf_settings *settings;
} target;

/* Whether `name` is the name of a word of `text` that ends before `end`. */
static bool named_before(const char *text, const char *end, const char *name) {
    for (text += strspn(text, " "); text < end; text += strspn(text, " ")) {
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " ="), text);
        if (bf_options_same(word, name))
            return true;
        text += strcspn(text, " ");
    }
    return false;
}

static bf_status set_all(const target *t, const char *text, bf_arena *arena, bf_error *err) {
    const char *at = text + strspn(text, " ");
    for (size_t length; *at; at += length, at += strspn(at, " ")) {
        char name[64], *value;
        length = strcspn(at, " ");
        size_t split = strcspn(at, "=");
        if (split >= length)
            return bf_fail(err, BF_EUSAGE, "'%.*s' should be NAME=VALUE", (int)length, at);
        snprintf(name, sizeof name, "%.*s", (int)split, at);
        const bf_option *row =
            t->settings ? bf_settings_find(t->settings, name) : bf_options_find(t->table, name);
        if (!row)
            return bf_fail(err, BF_EUSAGE, "%s: there is no such option", name);
        if (row->type != BF_OPTION_LIST && named_before(text, at, name))
            return bf_fail(err, BF_EUSAGE, "%s: given twice, and it takes one value", row->field);
        BF_ALLOC(value, arena, (int64_t)(length - split), err);
        snprintf(value, length - split, "%s", at + split + 1);
        BF_TRY(t->settings ? bf_settings_set(t->settings, name, value, err)
                           : bf_options_set(row, t->options, value, err));
    }
    return BF_OK;
}

bf_status bf_options_set_text(const bf_option_table *table, void *options, const char *text,
                              bf_arena *arena, bf_error *err) {
    return set_all(&(target){.table = table, .options = options}, text, arena, err);
}

bf_status bf_settings_set_text(bf_settings *settings, const char *text, bf_arena *arena,
                               bf_error *err) {
    return set_all(&(target){.settings = settings}, text, arena, err);
}
