/* options.h - One table of options per algorithm; everything else comes from its rows.
 *
 * An option is a row that names a field of a plain struct. The type follows from the field, the
 * default is written as a user would type it, and flags, --help, ranges and JSON settings are all
 * made from the row:
 *
 *     typedef struct my_options { double ridge; bool verbose; int kernel; } my_options;
 *     static const bf_option rows[] = {
 *         BF_OPTION_RANGE(my_options, ridge, "1e-9", 0, INFINITY, "Weight of |alpha|^2."),
 *         BF_OPTION(my_options, verbose, "no", "Say more."),
 *         BF_OPTION_CHOICE(my_options, kernel, "delta", "delta|gaussian", "Kernel on (s, a)."),
 *     };
 *     static const bf_option_table table = BF_OPTION_TABLE("my method", my_options, rows);
 *
 * A field `max_rows` is the option --max-rows and the JSON key "max_rows". */
#ifndef BACKFLOW_OPTIONS_H
#define BACKFLOW_OPTIONS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backflow/memory.h"
#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bf_option_type {
    BF_OPTION_BOOL,   /* bool: yes or no */
    BF_OPTION_INT,    /* int64_t */
    BF_OPTION_SEED,   /* uint64_t, decimal or 0x... */
    BF_OPTION_REAL,   /* double, finite */
    BF_OPTION_AUTO,   /* bf_auto: a number, or "auto" */
    BF_OPTION_STRING, /* const char *, borrowed; NULL if the default is NULL */
    BF_OPTION_LIST,   /* bf_list: setting it again adds an item */
    BF_OPTION_ENUM,   /* int: index of the choice */
} bf_option_type;

/* A number that the method finds by itself unless it is given. */
typedef struct bf_auto {
    bool given;
    double value; /* if it is given */
} bf_auto;

/* An option that may be given several times: the texts in the order in which they came, borrowed.
 * Every other option has one value. */
enum { BF_LIST_ROOM = 32 };
typedef struct bf_list {
    int count;
    const char *item[BF_LIST_ROOM];
} bf_list;

typedef struct bf_option bf_option;

/* Whether `text` is a value of `row`, as far as that can be said without a log. BF_EUSAGE starts
 * with the name of the field and says what would be right. */
typedef bf_status (*bf_option_check)(const bf_option *row, const char *text, bf_error *err);

struct bf_option {
    const char *field;
    bf_option_type type;
    size_t offset;
    const char *initial;   /* the default, as text */
    double min, max;       /* inclusive; numbers only */
    const char *choices;   /* "restart|absorb|ignore"; BF_OPTION_ENUM only */
    const char *help;      /* may start with "ARGUMENT: " to name what the flag takes */
    bf_option_check check; /* of a text, before it is taken; NULL: every text is good */
};

typedef struct bf_option_table {
    const char *title; /* heading in --help */
    const bf_option *rows;
    int count;
    size_t size; /* of the struct */
} bf_option_table;

#define BF_OPTION_TYPE(type, field)                                                                \
    _Generic(((type *)0)->field,                                                                   \
        bool: BF_OPTION_BOOL,                                                                      \
        int64_t: BF_OPTION_INT,                                                                    \
        uint64_t: BF_OPTION_SEED,                                                                  \
        double: BF_OPTION_REAL,                                                                    \
        bf_auto: BF_OPTION_AUTO,                                                                   \
        bf_list: BF_OPTION_LIST,                                                                   \
        const char *: BF_OPTION_STRING,                                                            \
        int: BF_OPTION_ENUM)
/* `path` leads to the field, which may be in a struct inside the struct: at.kernel. */
#define BF_OPTION_ROW(name, type, path, initial, min, max, choices, help, check)                   \
    {                                                                                              \
        name, BF_OPTION_TYPE(type, path), offsetof(type, path), initial, min, max, choices, help,  \
            check                                                                                  \
    }
#define BF_OPTION(type, field, initial, help)                                                      \
    BF_OPTION_ROW(#field, type, field, initial, -INFINITY, INFINITY, NULL, help, NULL)
#define BF_OPTION_RANGE(type, field, initial, min, max, help)                                      \
    BF_OPTION_ROW(#field, type, field, initial, min, max, NULL, help, NULL)
#define BF_OPTION_CHOICE(type, field, initial, choices, help)                                      \
    BF_OPTION_ROW(#field, type, field, initial, -INFINITY, INFINITY, choices, help, NULL)
#define BF_OPTION_CHECKED(type, field, initial, check, help)                                       \
    BF_OPTION_ROW(#field, type, field, initial, -INFINITY, INFINITY, NULL, help, check)
#define BF_OPTION_TABLE(title, type, rows)                                                         \
    { title, rows, (int)(sizeof(rows) / sizeof *(rows)), sizeof(type) }

/* Sets every field to its default. */
BF_API bf_status bf_options_init(const bf_option_table *table, void *options, bf_error *err);

/* Whether two names are the same: "max-rows" and "max_rows" are. */
BF_API bool bf_options_same(const char *a, const char *b);

/* The row called `name`, or NULL. */
BF_API const bf_option *bf_options_find(const bf_option_table *table, const char *name);

/* Parses `text` into the field of `row`; BF_EUSAGE says what was found and what would be right. */
BF_API bf_status bf_options_set(const bf_option *row, void *options, const char *text,
                                bf_error *err);

/* Sets options by name: "ridge=1e-9 features=300 periodic=s0:360,s1". Words are separated by
 * spaces, so that a value has none; the texts are copied into `arena`. BF_EUSAGE names a word that
 * is no option of the table, a bad value, or an option that is there twice. */
BF_API bf_status bf_options_set_text(const bf_option_table *table, void *options, const char *text,
                                     bf_arena *arena, bf_error *err);

/* The field's value as a user would type it, always terminated; returns its full length. */
BF_API int bf_options_format(const bf_option *row, const void *options, char *text, size_t size);

/* Choice number `index` of `choices` into `name` (terminated); false if there is none. */
BF_API bool bf_options_choice(const char *choices, int index, char *name, size_t size);

/* ---- Settings: the options of one method
 *
 * A method has a table of its own, and so has each of the models that it chooses from. Settings are
 * the structs of all these tables together. They remember what was set, so that an option that
 * nobody reads can be refused. */

typedef struct bf_settings bf_settings;

/* Everything at its default. Tables that are NULL, or there already, are left out. */
BF_API bf_status bf_settings_make(bf_settings **out, const bf_option_table *const *tables,
                                  int count, bf_arena *arena, bf_error *err);

/* Sets the option in every table that has it. BF_EUSAGE if none has, or if the text is wrong for
 * one of them. */
BF_API bf_status bf_settings_set(bf_settings *settings, const char *name, const char *text,
                                 bf_error *err);

/* bf_options_set_text for settings: "weights=linear ridge=1e-9". */
BF_API bf_status bf_settings_set_text(bf_settings *settings, const char *text, bf_arena *arena,
                                      bf_error *err);

/* The struct of a table; NULL if the settings do not have the table. */
BF_API const void *bf_settings_of(const bf_settings *settings, const bf_option_table *table);

/* The row of the first table that has the option, and the field in its struct; or NULL. */
BF_API const bf_option *bf_settings_find(const bf_settings *settings, const char *name);
BF_API const void *bf_settings_value(const bf_settings *settings, const char *name);

/* Whether the option was set; the name of option number `index` of those that were, or NULL. */
BF_API bool bf_settings_given(const bf_settings *settings, const char *name);
BF_API const char *bf_settings_given_at(const bf_settings *settings, int index);

/* Keeps the value of an option, and forgets that it was set: nobody has to read it. */
BF_API void bf_settings_forget(bf_settings *settings, const char *name);

#ifdef __cplusplus
}
#endif
#endif
