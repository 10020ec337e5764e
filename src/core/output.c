/* output.c - Files that are whole or not there: written beside, then renamed. */
#include "core/output.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fail.h"

static bf_status failed(const bf__output *out, bf_error *err) {
    return bf_fail(err, BF_EFILE, "%s: cannot be written: %s", out->path, strerror(errno));
}

bf_status bf__output_open(bf__output *out, const char *path, bf_error *err) {
    out->file = NULL;
    int length = snprintf(out->beside, sizeof out->beside, "%s.%ld.tmp", path, (long)getpid());
    if (length >= (int)sizeof out->beside)
        return bf_fail(err, BF_EFILE, "%.64s...: the name is too long", path);
    snprintf(out->path, sizeof out->path, "%s", path);
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return failed(out, err);
    }
    /* A device or a pipe cannot be renamed onto: it is written as it is. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        snprintf(out->beside, sizeof out->beside, "%s", path);
    out->file = fopen(out->beside, "wb");
    return out->file ? BF_OK : failed(out, err);
}

bf_status bf__output_commit(bf__output *out, bf_error *err) {
    bool bad = ferror(out->file) != 0;
    bad = fclose(out->file) != 0 || bad;
    out->file = NULL;
    if (strcmp(out->path, out->beside) != 0) {
        bad = bad || rename(out->beside, out->path) != 0;
        if (bad) {
            int reason = errno;
            unlink(out->beside);
            errno = reason;
        }
    }
    return bad ? failed(out, err) : BF_OK;
}

void bf__output_abandon(bf__output *out) {
    if (!out->file)
        return;
    fclose(out->file);
    out->file = NULL;
    if (strcmp(out->path, out->beside) != 0)
        unlink(out->beside);
}
