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
#define BF_OPTION_ROW(type, field, initial, min, max, choices, help, check)                        \
    {                                                                                              \
#field, BF_OPTION_TYPE(type, field), offsetof(type, field), initial, min, max, choices,    \
            help, check                                                                            \
    }
#define BF_OPTION(type, field, initial, help)                                                      \
    BF_OPTION_ROW(type, field, initial, -INFINITY, INFINITY, NULL, help, NULL)
#define BF_OPTION_RANGE(type, field, initial, min, max, help)                                      \
    BF_OPTION_ROW(type, field, initial, min, max, NULL, help, NULL)
#define BF_OPTION_CHOICE(type, field, initial, choices, help)                                      \
    BF_OPTION_ROW(type, field, initial, -INFINITY, INFINITY, choices, help, NULL)
#define BF_OPTION_CHECKED(type, field, initial, check, help)                                       \
    BF_OPTION_ROW(type, field, initial, -INFINITY, INFINITY, NULL, help, check)
#define BF_OPTION_TABLE(title, type, rows)                                                         \
    { title, rows, (int)(sizeof(rows) / sizeof *(rows)), sizeof(type) }

/* Sets every field to its default. */
BF_API bf_status bf_options_init(const bf_option_table *table, void *options, bf_error *err);

/* The row called `name` ("max-rows" and "max_rows" are the same), or NULL. */
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

#ifdef __cplusplus
}
#endif
#endif
