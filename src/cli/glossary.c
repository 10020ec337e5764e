/* glossary.c - docs/diagnostics.md, from the lists of diagnostics and reasons. `script/glossary`
 * runs `backflow --glossary` and keeps what it prints; a test holds the page against it. */
#include "cli/cli.h"

static const char opening[] =
    "<!-- Made by script/glossary from src/estimator/diagnostics.def and reasons.def: do not edit. "
    "-->\n"
    "# Diagnostics\n\n"
    "An answer comes with numbers that help to judge it. Each stands in the report under its "
    "label\n"
    "and in the JSON under its key, and a key means the same for every method. *Better* says "
    "which\n"
    "end is the good one, if there is one. `backflow list diagnostics` prints the same list.\n\n"
    "| key | label | unit | better | definition |\n"
    "| --- | --- | --- | --- | --- |\n";

static const char reasons[] = "\n## Reasons to doubt an answer\n\n"
                              "A warning of a report is an entry of `reasons` in the JSON, with a "
                              "code that keeps its meaning.\n"
                              "`backflow list reasons` prints the same list.\n\n"
                              "| code | what to do |\n"
                              "| --- | --- |\n";

/* A cell of the table: a bar would end it. */
static void cell(FILE *out, const char *text) {
    for (; *text; text++)
        fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
    fputs(" | ", out);
}

bf_status bf__glossary_print(bf__tool *tool, bf_error *err) {
    FILE *out = tool->out;
    fputs(opening, out);
    const char *key, *label, *definition, *unit, *good;
    for (int i = 0; bf_diagnostic_describe(i, &key, &label, &definition); i++) {
        bf_diagnostic_measure(i, &unit, &good);
        fprintf(out, "| `%s` | ", key);
        cell(out, label);
        cell(out, unit);
        cell(out, good);
        fprintf(out, "%s |\n", definition);
    }
    fputs(reasons, out);
    const char *code, *advice;
    for (int i = 0; bf_reason_describe(i, &code, &advice); i++)
        fprintf(out, "| `%s` | %s |\n", code, advice);
    if (fflush(out) != 0 || ferror(out))
        return bf_fail(err, BF_EFILE, "standard output: cannot be written");
    return BF_OK;
}
