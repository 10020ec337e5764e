/* answer.c - Where an answer goes: text, JSON, or both. */
#include <string.h>

#include "cli/cli.h"
#include "core/fail.h"

bf_status bf__answer_open(bf__answer_files *out, const bf__tool *tool, const char *json,
                          bf_error *err) {
    *out = (bf__answer_files){.text = tool->out};
    if (!json)
        return BF_OK;
    if (strcmp(json, "-") == 0) {
        *out = (bf__answer_files){.json = tool->out};
        return BF_OK;
    }
    BF_TRY(bf__output_open(&out->output, json, err));
    out->json = out->output.file;
    return BF_OK;
}

bf_status bf__answer_close(bf__answer_files *files, bf_status written, bf_error *err) {
    if (!files->output.file)
        return written;
    /* Of a file that takes no more, the commit says the name. */
    if (written == BF_OK || ferror(files->json))
        return bf__output_commit(&files->output, err);
    bf__output_abandon(&files->output);
    return written;
}
