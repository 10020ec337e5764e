/* answers.c - Any bytes as the answer of a policy command, in pieces of any size. An answer that is
 * accepted is whole and has the shape that was asked for; more bytes after it are refused. */
#include "fuzz.h"

#include "policy/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { ROWS = 3, MOST = 8 };
    if (size < 2)
        return 0;
    double numbers[ROWS * MOST];
    bf__shape shape = {.rows = ROWS, .columns = 1 + data[0] % 4, .open = data[0] & 64};
    if (data[0] & 128) {
        shape.size = 2;
        shape.columns = 2 * shape.columns;
        shape.open = false;
    }
    size_t piece = 1 + data[1];
    data += 2;
    size -= 2;
    bf__reply reply;
    bool whole = false;
    bf_error err;
    bf_status status = BF_OK;
    bf__reply_begin(&reply, &shape, numbers);
    while (size && status == BF_OK) {
        MUST(!whole || reply.used == reply.numbers_size);
        size_t count = size < piece ? size : piece;
        status = bf__reply_take(&reply, data, count, &whole, &err);
        data += count;
        size -= count;
    }
    if (status != BF_OK)
        must_explain(status, &err);
    else if (whole) {
        MUST(reply.wanted.columns == shape.columns ||
             (shape.open && reply.wanted.columns > shape.columns));
        MUST(reply.used == (size_t)ROWS * (size_t)reply.wanted.columns * sizeof(double));
    }
    free(reply.own);
    return 0;
}
