/* pass.c - Any bytes as a pass. Whole inputs are tried as they are; then the input is taken for the
 * body of a pass, in an envelope that is right, so that a checksum does not keep the fuzzer out.
 * What is accepted can be written, read back, made one with itself and looked at. */
#include "format/pack.h"
#include "fuzz.h"

static void try(const void *bytes, size_t size) {
    bf_arena *arena = new_arena();
    bf_error err;
    bf_pass *pass, *again;
    const void *written;
    size_t length;
    const bf_dataset *log;
    bf_status status = bf_pass_unpack(&pass, bytes, size, "input", arena, &err);
    if (status != BF_OK) {
        must_explain(status, &err);
    } else {
        MUST(bf_pass_pack(&written, &length, pass, arena, &err) == BF_OK);
        MUST(bf_pass_unpack(&again, written, length, "written", arena, &err) == BF_OK);
        status = bf_pass_merge(pass, again, &err);
        if (status != BF_OK)
            must_explain(status, &err);
        if (strcmp(bf_pass_kind(pass), "sample") == 0) {
            bf_pass_overview(pass);
            status = bf_pass_sample_log(&log, pass, NULL, arena, &err);
            if (status != BF_OK)
                must_explain(status, &err);
        }
        if (strcmp(bf_pass_kind(pass), "survey") == 0) {
            const char *text;
            status = bf_report_survey_text(&text, pass, NULL, 0, arena, &err);
            if (status == BF_OK)
                status = bf_report_survey_json(&text, pass, NULL, 0, arena, &err);
            if (status != BF_OK)
                must_explain(status, &err);
        }
        MUST(bf_pass_pack(&written, &length, pass, arena, &err) == BF_OK);
    }
    bf_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bf_arena *arena = new_arena();
    bf__packer p = {.arena = arena};
    try(data, size);
    if (size > 0) {
        size_t body = size > 40 && memcmp(data, "BFpass\r\n", 8) == 0 ? 32 : 1;
        uint64_t kind = body == 32 ? data[16] : data[0] % 6, end = body == 32 ? size - 8 : size;
        bf__pack_bytes(&p, "BFpass\r\n", 8);
        bf__pack_u64(&p, 1);
        bf__pack_u64(&p, kind);
        bf__pack_u64(&p, end - body);
        bf__pack_bytes(&p, data + body, end - body);
        bf__pack_u64(&p, bf__checksum(p.bytes, p.size));
        try(p.bytes, p.size);
    }
    bf_arena_destroy(arena);
    return 0;
}
