/* status.c - The table of failures, and the one place where an error message is written. */
#include "backflow/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/fail.h"
#include "core/numeric.h"

static const struct {
    const char *name, *text;
    int exit_status;
} rows[] = {
#define BF_STATUS(name, exit_status, text) {#name, text, exit_status},
#include "backflow/status.def"
#undef BF_STATUS
};

static int known(bf_status status) {
    return (int)status >= 0 && (int)status < BF_STATUS_COUNT;
}

const char *bf_status_name(bf_status status) {
    return known(status) ? rows[status].name : "unknown";
}

const char *bf_status_text(bf_status status) {
    return known(status) ? rows[status].text : "unknown status";
}

int bf_status_exit(bf_status status) {
    return known(status) ? rows[status].exit_status : 70;
}

bf_status bf_fail(bf_error *err, bf_status status, const char *format, ...) {
    if (err) {
        va_list arguments;
        va_start(arguments, format);
        locale_t before = bf__numeric_begin();
        vsnprintf(err->message, sizeof err->message, format, arguments);
        bf__numeric_end(before);
        va_end(arguments);
        err->status = status;
        /* Names and values in a message may come from a stranger's file: no byte of theirs should
         * move a cursor or ring a bell. */
        for (char *c = err->message; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                *c = '?';
    }
    return status;
}
