/* opening.h - How a command begins that asks methods of a log: `estimate` and `compare`. */
#ifndef BF_CLI_OPENING_H
#define BF_CLI_OPENING_H

#include "cli/methods.h"

/* Options of the command, of reading, of policies by a command, of trust, and of every command. */
enum { BF__OWN_SLOTS = 5 };

typedef struct bf__opening {
    bf__methods methods;
    bf_read_options read;
    bf_command_options command;
    bf_trust_options trust;
    bf__slot slots[BF__MAX_SLOTS]; /* BF__OWN_SLOTS, and those of the methods */
    int slot_count;
    bf_filled filled[BF__OWN_SLOTS]; /* the former, for the JSON */
    const char **logs;
    int log_count; /* 0: help was asked for, and given */
} bf__opening;

/* Reads the command line: --method first, because the methods bring options of their own. The
 * command's options are `table` over *options, and `method` is one of them. */
bf_status bf__opening_parse(bf__opening *out, bf__tool *tool, const bf__command *command,
                            const bf_option_table *table, void *options, int argc, char **argv,
                            bf_error *err);

#endif
