/* paths.c - That outputs can be written, and replace neither an input nor each other. */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

bool bf__named_file(char path[4096], const char *spec, int k) {
    if (access(spec, F_OK) == 0) {
        snprintf(path, 4096, "%s", spec);
        return k == 0;
    }
    for (const char *rest = spec; rest; rest = strchr(rest, ',') ? strchr(rest, ',') + 1 : NULL) {
        snprintf(path, 4096, "%.*s", (int)strcspn(rest, ","), rest);
        char *share = strrchr(path, '@');
        if (access(path, F_OK) != 0 && share)
            *share = '\0';
        if (access(path, F_OK) == 0 && k-- == 0)
            return true;
    }
    return false;
}

/* Whether the file at `output` is one that `spec` names. */
static bool is_named(const char *output, const char *spec) {
    char path[4096];
    for (int k = 0; bf__named_file(path, spec, k); k++)
        if (bf_file_same(output, path))
            return true;
    return false;
}

static bool is_file(const char *output) {
    return output && strcmp(output, "-") != 0;
}

bf_status bf__check_outputs(const bf__written *outputs, const char *const *inputs, int input_count,
                            bf_error *err) {
    for (const bf__written *a = outputs; a->option; a++) {
        if (!is_file(a->path))
            continue;
        for (int i = 0; i < input_count; i++)
            if (inputs[i] && is_named(a->path, inputs[i]))
                return bf_fail(err, BF_EUSAGE,
                               "%s: '%s' is also read, as %s; an output has to be another file",
                               a->option, a->path, inputs[i]);
        for (const bf__written *b = outputs; b < a; b++)
            if (is_file(b->path) && bf_file_same(a->path, b->path))
                return bf_fail(
                    err, BF_EUSAGE,
                    "%s: '%s' is also written by %s; each output needs a file of its own",
                    a->option, a->path, b->option);
    }
    return BF_OK;
}

bf_status bf__try_outputs(const bf__written *outputs, bf_error *err) {
    for (const bf__written *a = outputs; a->option; a++)
        if (is_file(a->path))
            BF_TRY(bf_file_check(a->path, err));
    return BF_OK;
}
