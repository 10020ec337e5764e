/* cli.h - What the commands of the tool share. */
#ifndef BF_CLI_CLI_H
#define BF_CLI_CLI_H

#include <stdio.h>

#include "backflow/backflow.h"
#include "cli/team.h"

/* Options that every command has. */
typedef struct bf__common {
    int64_t threads;
    uint64_t seed;
    bool quiet, help;
} bf__common;

extern const bf_option_table bf__common_table;

/* A table and the struct it fills, or the settings that it is a table of. */
typedef struct bf__slot {
    const bf_option_table *table;
    void *options;
    bf_settings *settings;
    const bf_estimator *method; /* whose table it is, */
    const bf_model *model;      /* with which model (NULL: any); for --help */
} bf__slot;

typedef struct bf__tool {
    FILE *out, *err;
    bf__common common;
    bf_context context; /* reports to this tool; threads and seed from `common` */
    bf_arena *arena;
    int argc;
    char **argv;                             /* the command line */
    const bf_policy *commands[BF_LIST_ROOM]; /* policies that are programs, to be ended */
    int command_count;
    const bf__team *team; /* that this process is of; NULL: it is alone */
    bool manual;          /* --help is asked for by the manual: answer in troff */
} bf__tool;

typedef struct bf__command {
    const char *name;
    const char *summary; /* one line */
    const char *usage;   /* "estimate DATA... [--policy P] [options]" */
    const char *text;    /* a paragraph and examples, for --help */
    /* Reads its own arguments; *exit_status is what the tool ends with where it returns BF_OK. */
    bf_status (*run)(bf__tool *tool, int argc, char **argv, int *exit_status, bf_error *err);
    bool team; /* several processes can share its work */
} bf__command;

const bf__command *bf__command_at(int index);

/* Sets the defaults of every slot, then reads the arguments: what is no option goes to
 * `words` (room for argc). An option that no slot has is an error that names the nearest one; so is
 * an option with one value that comes twice. */
bf_status bf__args_parse(bf__tool *tool, const bf__slot *slots, int slot_count, int argc,
                         char **argv, const char **words, int *word_count, bf_error *err);

typedef struct bf__words {
    const char **word; /* what is no option */
    int count;
    bool help; /* --help was asked for, and has been answered */
} bf__words;

/* The beginning of nearly every command: bf__args_parse, and --help. */
bf_status bf__args_begin(bf__tool *tool, const bf__command *command, const bf__slot *slots,
                         int slot_count, int argc, char **argv, bf__words *out, bf_error *err);

/* The nearest of the names that a mistyped word has been compared with. Starts as {NULL, 0}; the
 * name stays NULL if none is near. */
typedef struct bf__suggestion {
    const char *name;
    int distance;
} bf__suggestion;
void bf__suggest(bf__suggestion *best, const char *word, const char *name);

/* Hands on `status`. A message of the library that starts with the name of the field is changed to
 * start with the flag: "max_rows: ..." becomes "--max-rows: ...". */
bf_status bf__args_flag(const char *field, bf_status status, bf_error *err);

/* The same for a message that starts with any field of the slots. */
bf_status bf__args_flags(const bf__slot *slots, int slot_count, bf_status status, bf_error *err);

/* The text of `name` among the arguments, before they are parsed (the last one wins), or NULL. */
const char *bf__args_peek(int argc, char **argv, const char *name);

/* File number k among those that `spec` names: a path, or policies with commas and shares as
 * --policy takes them. False: there are no more. What does not exist is none. */
bool bf__named_file(char path[4096], const char *spec, int k);

/* A file that a command will write: the option that names it, and the path; NULL: not wanted. */
typedef struct bf__written {
    const char *option, *path;
} bf__written;

/* Refuses outputs (a list that ends with {NULL}) that would replace an input, or each other, by
 * whatever names. Inputs are paths or policies as --policy takes them;
 * NULL is skipped. To be called before any work starts. */
bf_status bf__check_outputs(const bf__written *outputs, const char *const *inputs, int input_count,
                            bf_error *err);
/* Whether they can be written; to be asked last, after the former. */
bf_status bf__try_outputs(const bf__written *outputs, bf_error *err);

/* Gives an answer where --json asks for it: not at all (NULL), only text; "-", only JSON, on
 * standard output; a path, JSON there and text as well, once the JSON is safe. `text` may be NULL.
 */
bf_status bf__answer_give(const bf__tool *tool, const char *where, const char *text,
                          const char *json, bf_error *err);

/* Whether --json wants standard output for itself; the text part of an answer, at once. */
bool bf__answer_is_piped(const char *where);
bf_status bf__answer_say(const bf__tool *tool, const char *text, bf_error *err);

/* The library names fields and options in backquotes, `max_rows`; here they are flags: --max-rows.
 * In place: both are as long. Returns `text`. */
char *bf__flags(char *text);

/* A message as the library would give one. */
void bf__tool_note(const bf__tool *tool, bf_message_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Seconds on a clock that only goes forward. */
double bf__tool_seconds(void);

/* The one environment among the words; the error lists what there is. */
bf_status bf__env_argument(const bf_env **out, const char *const *words, int count, bf_error *err);

/* How an option reads in --help and in the manual. */
typedef struct bf__option_text {
    char flag[68], argument[64]; /* "--max-rows"; "N", or "" for a yes/no option */
    char text[1024];             /* what it does, the choices, the default */
} bf__option_text;
void bf__option_describe(const bf_option *row, bf__option_text *out);

/* The options of all slots, each once: those of a table together, and those of the models of a
 * method by which of the models have them. */
enum { BF__MAX_GROUPS = 128, BF__MAX_ROWS = 64 };
typedef struct bf__option_group {
    char title[256];
    int count;
    const bf_option *row[BF__MAX_ROWS];
} bf__option_group;
int bf__option_groups(bf__option_group *out, const bf__slot *slots, int slot_count);

/* "max-rows" of max_rows. */
void bf__flag_name(const char *field, char *out, size_t size);

/* --help of a command: usage, text, and the options of every slot. */
void bf__args_help(bf__tool *tool, const bf__command *command, const bf__slot *slots,
                   int slot_count);

/* The manual page, in troff: made of what every command answers to --help, so that it says the
 * same. bf__man_command is that answer. */
bf_status bf__man_print(bf__tool *tool, bf_error *err);
void bf__man_command(FILE *out, const bf__command *command, const bf__slot *slots, int slot_count);

/* docs/diagnostics.md. */
bf_status bf__glossary_print(bf__tool *tool, bf_error *err);

#endif
