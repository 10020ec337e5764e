/* args.c - Command-line arguments from option tables.
 *
 * --name value, --name=value; a yes/no option is --name or --no-name. An option whose help starts
 * with "[FILE]" takes its value only as --name=value or where the next word ends in ".name", so
 * that `--json log.csv` cannot take a log for a place to write to. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static const bf_option common_rows[] = {
    BF_OPTION_RANGE(bf__common, threads, "0", 0, 1024,
                    "N: Threads to use; 0 means all processors. Results do not depend on it."),
    BF_OPTION(bf__common, seed, "1", "N: Seed of everything random."),
    BF_OPTION(bf__common, quiet, "no", "No progress and no notes on standard error."),
    BF_OPTION(bf__common, help, "no", "Show this help."),
};
const bf_option_table bf__common_table =
    BF_OPTION_TABLE("Options of every command", bf__common, common_rows);

/* ---- Parsing */

/* The arguments, and which options were among them so far. */
typedef struct parse {
    const bf__slot *slots;
    int count, argc;
    char **argv;
    const bf_option **given;
    int given_count;
} parse;

static const bf_option *find(const parse *p, const char *name) {
    for (int i = 0; i < p->count; i++)
        if (bf_options_find(p->slots[i].table, name))
            return bf_options_find(p->slots[i].table, name);
    return NULL;
}

void bf__flag_name(const char *field, char *out, size_t size) {
    snprintf(out, size, "%s", field);
    for (char *c = out; *c; c++)
        if (*c == '_')
            *c = '-';
}

bf_status bf__args_flag(const char *field, bf_status status, bf_error *err) {
    size_t length = strlen(field);
    if (status != BF_OK && strncmp(err->message, field, length) == 0 &&
        err->message[length] == ':') {
        char flag[64];
        bf_error cause = *err;
        bf__flag_name(field, flag, sizeof flag);
        return bf_fail(err, status, "--%s%s", flag, cause.message + length);
    }
    return status;
}

bf_status bf__args_flags(const bf__slot *slots, int slot_count, bf_status status, bf_error *err) {
    for (int i = 0; i < slot_count && status != BF_OK; i++)
        for (int j = 0; j < slots[i].table->count; j++)
            bf__args_flag(slots[i].table->rows[j].field, status, err);
    return status;
}

/* Several methods may have an option of the same name: it is for all of them. An option with one
 * value is refused if it comes again: nobody can tell which was meant. */
static bf_status set(parse *p, const bf_option *row, const char *text, bf_error *err) {
    char flag[64];
    bf__flag_name(row->field, flag, sizeof flag);
    for (int i = 0; i < p->given_count && row->type != BF_OPTION_LIST; i++)
        if (p->given[i] == row)
            return bf_fail(err, BF_EUSAGE, "--%s: given twice, and it takes one value", flag);
    p->given[p->given_count++] = row;
    for (int i = 0; i < p->count; i++) {
        const bf__slot *slot = &p->slots[i];
        const bf_option *mine = bf_options_find(slot->table, row->field);
        bool first = i == 0 || slot->settings != p->slots[i - 1].settings;
        bf_status status = BF_OK;
        if (!slot->settings && mine)
            status = bf_options_set(mine, slot->options, text, err);
        else if (slot->settings && first && bf_settings_find(slot->settings, row->field))
            status = bf_settings_set(slot->settings, row->field, text, err);
        BF_TRY(bf__args_flag(row->field, status, err));
    }
    return BF_OK;
}

static bf_status unknown(const parse *p, const char *name, bf_error *err) {
    bf__suggestion best = {NULL, 0};
    for (int i = 0; i < p->count; i++)
        for (int j = 0; j < p->slots[i].table->count; j++)
            bf__suggest(&best, name, p->slots[i].table->rows[j].field);
    char suggestion[64];
    if (!best.name)
        return bf_fail(err, BF_EUSAGE, "--%s: no such option; --help lists them", name);
    bf__flag_name(best.name, suggestion, sizeof suggestion);
    return bf_fail(err, BF_EUSAGE, "--%s: no such option; did you mean --%s?", name, suggestion);
}

static bool ends_with_name(const char *word, const char *name) {
    size_t length = strlen(word), tail = strlen(name);
    return length > tail + 1 && word[length - tail - 1] == '.' &&
           strcmp(word + length - tail, name) == 0;
}

/* One option at argv[*i]; advances *i past a value taken from the next word. */
static bf_status parse_option(parse *p, int *i, bf_error *err) {
    char name[64];
    const char *word = p->argv[*i] + 2;
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    const bf_option *row = find(p, name);
    if (!row && strncmp(name, "no-", 3) == 0) {
        row = find(p, name + 3);
        if (row && row->type == BF_OPTION_BOOL && !equals)
            return set(p, row, "no", err);
        row = NULL;
    }
    if (!row)
        return unknown(p, name, err);
    if (equals)
        return set(p, row, equals + 1, err);
    if (row->type == BF_OPTION_BOOL)
        return set(p, row, "yes", err);
    bool more = *i + 1 < p->argc;
    if (row->help[0] == '[') {
        bool taken = more && ends_with_name(p->argv[*i + 1], row->field);
        return set(p, row, taken ? p->argv[++*i] : "-", err);
    }
    if (!more)
        return bf_fail(err, BF_EUSAGE, "--%s: needs a value", name);
    return set(p, row, p->argv[++*i], err);
}

/* The long form of a short option. */
static char *spelled_out(char *word) {
    static char output[] = "--output", help[] = "--help";
    return strcmp(word, "-o") == 0 ? output : strcmp(word, "-h") == 0 ? help : word;
}

bf_status bf__args_parse(bf__tool *tool, const bf__slot *slots, int slot_count, int argc,
                         char **argv, const char **words, int *word_count, bf_error *err) {
    parse p = {.slots = slots, .count = slot_count, .argc = argc, .argv = argv};
    BF_ALLOC(p.given, tool->arena, argc + 1, err);
    for (int i = 0; i < slot_count; i++)
        if (!slots[i].settings)
            BF_TRY(bf_options_init(slots[i].table, slots[i].options, err));
    *word_count = 0;
    bool options_over = false;
    for (int i = 0; i < argc; i++) {
        if (!options_over)
            argv[i] = spelled_out(argv[i]);
        const char *word = argv[i];
        if (options_over || word[0] != '-' || word[1] == '\0')
            words[(*word_count)++] = word;
        else if (strcmp(word, "--") == 0)
            options_over = true;
        else if (word[1] == '-')
            BF_TRY(parse_option(&p, &i, err));
        else
            return bf_fail(err, BF_EUSAGE, "%s: no such option; --help lists them", word);
    }
    tool->context.threads = (int)tool->common.threads;
    tool->context.seed = tool->common.seed;
    return BF_OK;
}

/* What follows `name` in `word`, where dashes and underscores are the same; or NULL. */
static const char *after_name(const char *word, const char *name) {
    for (; *name; name++, word++)
        if ((*word == '_' ? '-' : *word) != (*name == '_' ? '-' : *name))
            return NULL;
    return word;
}

const char *bf__args_peek(int argc, char **argv, const char *name) {
    const char *found = NULL;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *rest = strncmp(argv[i], "--", 2) == 0 ? after_name(argv[i] + 2, name) : NULL;
        if (!rest)
            continue;
        if (*rest == '=')
            found = rest + 1;
        else if (*rest == '\0' && i + 1 < argc)
            found = argv[i + 1];
    }
    return found;
}

bf_status bf__args_begin(bf__tool *tool, const bf__command *command, const bf__slot *slots,
                         int slot_count, int argc, char **argv, bf__words *out, bf_error *err) {
    BF_ALLOC(out->word, tool->arena, argc + 1, err);
    BF_TRY(bf__args_parse(tool, slots, slot_count, argc, argv, out->word, &out->count, err));
    out->help = tool->common.help;
    if (out->help)
        bf__args_help(tool, command, slots, slot_count);
    return BF_OK;
}
