/* opening.c - How a command begins that asks methods of a log: `estimate` and `compare`. */
#include "cli/opening.h"

#include <string.h>

/* What --method is if it is not given. */
static const char *usual_method(const bf_option_table *table) {
    for (int k = 0; k < table->count; k++)
        if (strcmp(table->rows[k].field, "method") == 0)
            return table->rows[k].initial;
    return NULL;
}

bf_status bf__opening_parse(bf__opening *out, bf__tool *tool, const bf__command *command,
                            const bf_option_table *table, void *options, int argc, char **argv,
                            bf_error *err) {
    const char *method = bf__args_peek(argc, argv, "method");
    const bf__slot own[BF__OWN_SLOTS] = {{table, options},
                                         {&bf_read_table, &out->read},
                                         {&bf_command_table, &out->command},
                                         {&bf_trust_table, &out->trust},
                                         {&bf__common_table, &tool->common}};
    bf_error cause;
    out->log_count = 0;
    BF_TRY(
        bf__methods_parse(&out->methods, method ? method : usual_method(table), tool->arena, err));
    memcpy(out->slots, own, sizeof own);
    for (int k = 0; k < BF__OWN_SLOTS; k++)
        out->filled[k] = (bf_filled){own[k].table, own[k].options};
    out->slot_count = bf__methods_slots(&out->methods, out->slots, BF__OWN_SLOTS);
    BF_ALLOC(out->logs, tool->arena, argc + 1, err);
    if (bf__args_parse(tool, out->slots, out->slot_count, argc, argv, out->logs, &out->log_count,
                       &cause) != BF_OK)
        return bf__methods_explain(&out->methods, argc, argv, &cause, err);
    if (tool->common.help) {
        bf__args_help(tool, command, out->slots, out->slot_count);
        out->log_count = 0;
        return BF_OK;
    }
    if (out->log_count == 0)
        return bf_fail(err, BF_EUSAGE, "no log given; backflow %s --help shows how", command->name);
    return BF_OK;
}
