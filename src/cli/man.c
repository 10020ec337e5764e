/* man.c - The manual page, in troff, from the tables that the tool itself goes by.
 *
 * Nothing is written twice: commands, their usage and options come from the answer of each to
 * --help, estimators and their options from estimators.def, diagnostics from diagnostics.def, exit
 * statuses from status.def. The build runs `backflow --man` and installs what it prints. */
#include <string.h>

#include "cli/methods.h"

/* Text as troff reads it: a backslash and a hyphen are escaped, and so is what would be a request
 * at the start of a line. */
static void escaped(FILE *out, const char *text) {
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
        line_start = *text == '\n';
    }
}

/* `request` with one argument, which may hold spaces. */
static void heading(FILE *out, const char *request, const char *text) {
    fprintf(out, "%s \"", request);
    escaped(out, text);
    fputs("\"\n", out);
}

static void entry(FILE *out, const char *term, const char *argument, const char *text) {
    fputs(".TP\n\\fB", out);
    escaped(out, term);
    fputs("\\fR", out);
    if (argument && argument[0]) {
        fputs(" \\fI", out);
        escaped(out, argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    escaped(out, text);
    fputc('\n', out);
}

/* The options of the slots, by group, each group under a line that says whose they are; that line
 * is left out where it would say `obvious`. */
static void options(FILE *out, const bf__slot *slots, int count, const char *obvious) {
    static bf__option_group groups[BF__MAX_GROUPS];
    int found = bf__option_groups(groups, slots, count);
    for (int i = 0; i < found; i++) {
        if (strcmp(groups[i].title, obvious) != 0) {
            fputs(".PP\n", out);
            escaped(out, groups[i].title);
            fputs(":\n", out);
        }
        for (int j = 0; j < groups[i].count; j++) {
            bf__option_text option;
            bf__option_describe(groups[i].row[j], &option);
            entry(out, option.flag, option.argument, option.text);
        }
    }
}

void bf__man_command(FILE *out, const bf__command *command, const bf__slot *slots, int slot_count) {
    heading(out, ".SS", command->name);
    escaped(out, command->summary);
    fputs("\n.PP\n.nf\n\\fBbackflow ", out);
    escaped(out, command->usage);
    fputs("\\fR\n.fi\n", out);
    if (command->text) {
        fputs(".PP\n.nf\n", out);
        escaped(out, command->text);
        fputs(".fi\n", out);
    }
    /* Options of every command, and those of methods, stand in sections of their own. */
    bf__slot own[BF__MAX_SLOTS];
    int count = 0;
    for (int i = 0; i < slot_count; i++)
        if (slots[i].table != &bf__common_table && !slots[i].method)
            own[count++] = slots[i];
    options(out, own, count, "");
}

static void estimators(FILE *out) {
    fputs(".SH METHODS\n", out);
    for (int i = 0; bf_estimator_at(i); i++) {
        const bf_estimator *e = bf_estimator_at(i);
        bf__slot slots[BF__MAX_SLOTS];
        char title[128];
        heading(out, ".SS", e->name);
        escaped(out, e->summary);
        fputc('\n', out);
        snprintf(title, sizeof title, "Options of %s", e->name);
        options(out, slots, bf__method_slots(e, NULL, slots, 0), title);
    }
}

static void diagnostics(FILE *out) {
    const char *key, *label, *definition;
    fputs(".SH DIAGNOSTICS\nThe numbers of a report, by their names in the JSON.\n", out);
    for (int i = 0; bf_diagnostic_describe(i, &key, &label, &definition); i++)
        entry(out, key, NULL, definition);
}

static void exit_statuses(FILE *out) {
    fputs(".SH EXIT STATUS\n", out);
    for (int i = 0; i < BF_STATUS_COUNT; i++) {
        char number[16];
        snprintf(number, sizeof number, "%d", bf_status_exit((bf_status)i));
        entry(out, number, NULL, bf_status_text((bf_status)i));
        if (i == BF_OK)
            entry(out, "1", NULL,
                  "done, but the answer should not be trusted (with --strict only)");
    }
}

bf_status bf__man_print(bf__tool *tool, bf_error *err) {
    FILE *out = tool->out;
    tool->manual = true;
    fprintf(out,
            ".TH BACKFLOW 1 \"\" \"backflow %s\" \"User Commands\"\n"
            ".SH NAME\nbackflow \\- off\\-policy evaluation from logs of unknown origin\n"
            ".SH SYNOPSIS\n\\fBbackflow\\fR \\fICOMMAND\\fR [\\fIarguments\\fR]\n"
            ".SH DESCRIPTION\nGiven logged transitions (s, a, r, s') of unknown origin, "
            "says what a target policy would\nearn per step in the long run, and whether the "
            "answer can be trusted.\n.SH COMMANDS\n",
            bf_version());
    for (int i = 0; bf__command_at(i); i++) {
        char help[] = "--help";
        char *arguments[] = {help, NULL};
        int exit_status;
        BF_TRY(bf__command_at(i)->run(tool, 1, arguments, &exit_status, err));
    }
    heading(out, ".SH", "OPTIONS OF EVERY COMMAND");
    bf__slot common = {.table = &bf__common_table};
    options(out, &common, 1, bf__common_table.title);
    estimators(out);
    diagnostics(out);
    exit_statuses(out);
    fputs(".SH ENVIRONMENT\n", out);
    entry(out, "OPENBLAS_CORETYPE", NULL,
          "Kernels of OpenBLAS to use, in place of those chosen for this CPU; "
          "backflow --version --verbose says which are in use.");
    entry(out, "OMP_WAIT_POLICY", NULL,
          "How waiting threads wait: passive unless set, since machines are shared.");
    if (fflush(out) != 0 || ferror(out))
        return bf_fail(err, BF_EFILE, "standard output: cannot be written");
    return BF_OK;
}
