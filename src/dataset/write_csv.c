/* write_csv.c - A log as text: a header, then one line per transition.
 *
 * Every number is written so that it reads back as the same double. That is what takes the time,
 * half a microsecond each. */
#include <stdio.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/output.h"
#include "core/text.h"
#include "dataset/write.h"

static void header(FILE *out, const bf__block *blocks, int count) {
    for (int b = 0; b < count; b++) {
        const char *comma = b ? "," : "";
        if (blocks[b].width == 0)
            fprintf(out, "%s%s", comma, blocks[b].key);
        for (int j = 0; j < blocks[b].width; j++, comma = ",") {
            if (blocks[b].inner)
                fprintf(out, "%s%s%d_%d", comma, blocks[b].key, j / blocks[b].inner,
                        j % blocks[b].inner);
            else
                fprintf(out, "%s%s%d", comma, blocks[b].key, j);
        }
    }
    fputc('\n', out);
}

static int field(char *text, const bf__block *block, int64_t at) {
    if (block->type == BF_BLOCK_REAL)
        return bf__format_real(text, block->real[at]);
    if (block->type == BF_BLOCK_WHOLE)
        return snprintf(text, 32, "%lld", (long long)block->whole[at]);
    text[0] = block->flag[at] ? '1' : '0';
    return 1;
}

static void line(FILE *out, const bf__block *blocks, int count, int64_t i) {
    char text[40];
    for (int b = 0; b < count; b++) {
        int width = blocks[b].width ? blocks[b].width : 1;
        for (int j = 0; j < width; j++) {
            int length = field(text, &blocks[b], j * blocks[b].n + i);
            text[length] = b == count - 1 && j == width - 1 ? '\n' : ',';
            fwrite(text, 1, (size_t)length + 1, out);
        }
    }
}

bf_status bf__write_csv(const bf__block *blocks, int count, int64_t n, const char *path,
                        const bf_context *context, bf_error *err) {
    bf__output out;
    BF_TRY(bf__output_open(&out, path, err));
    header(out.file, blocks, count);
    for (int64_t i = 0; i < n; i++) {
        if (i % 4096 == 0 && !bf__progress(context, "writing", (double)i, (double)n, path)) {
            bf__output_abandon(&out);
            return bf_fail(err, BF_ECANCELLED, "%s: not written: interrupted", path);
        }
        line(out.file, blocks, count, i);
    }
    return bf__output_commit(&out, err);
}
