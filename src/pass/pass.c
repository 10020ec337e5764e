/* pass.c - What every pass does: the list of kinds, and their bytes.
 *
 *     8 bytes   "BFpass\r\n"
 *     u64       version of the format
 *     u64       kind: its place in passes.def
 *     u64       size of what follows, without the checksum
 *     ...       the kind's own, numbers of 8 bytes, little-endian
 *     u64       checksum of everything before it */
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "pass/kind.h"

enum { VERSION = 1, HEAD = 32 };
static const unsigned char magic[8] = {'B', 'F', 'p', 'a', 's', 's', '\r', '\n'};

static const bf__pass_kind *const kinds[] = {
#define BF_PASS(name) &bf__pass_##name,
#include "pass/passes.def"
#undef BF_PASS
};

const bf__pass_kind *bf__pass_kind_at(int index) {
    return index >= 0 && index < (int)(sizeof kinds / sizeof *kinds) ? kinds[index] : NULL;
}

bf_status bf__pass_make(bf_pass **out, const bf__pass_kind *kind, void *self, bf_arena *arena,
                        bf_error *err) {
    BF_ALLOC(*out, arena, 1, err);
    **out = (bf_pass){kind, self, 1};
    return BF_OK;
}

const char *bf_pass_kind(const bf_pass *pass) {
    return pass->kind->name;
}

bf_status bf_pass_add(bf_pass *pass, const bf_dataset *rows, int64_t first, bf_error *err) {
    if (first < 0 || first > INT64_MAX / 4)
        return bf_fail(err, BF_EUSAGE, "first: %lld is no number of a row", (long long)first);
    if (rows->weight && !pass->kind->any_rows)
        return bf_fail(err, BF_EUSAGE,
                       "weight: a log whose rows count differently has to be read into memory "
                       "whole; passes count rows");
    if (rows->duration && !pass->kind->any_rows)
        return bf_fail(err, BF_EUSAGE,
                       "duration: a log whose steps take different times has to be read into "
                       "memory whole; passes count steps");
    bf_arena *scratch;
    BF_TRY(bf_arena_create(&scratch, NULL, err));
    bf_status status = pass->kind->add(pass->self, rows, first, pass->threads, scratch, err);
    bf_arena_destroy(scratch);
    return status;
}

void bf_pass_threads(bf_pass *pass, const bf_context *context) {
    pass->threads = bf__threads(context);
}

bf_status bf_pass_merge(bf_pass *into, const bf_pass *from, bf_error *err) {
    if (into->kind != from->kind)
        return bf_fail(err, BF_EUSAGE, "a pass `%s` and a pass `%s` cannot be made one",
                       into->kind->name, from->kind->name);
    return into->kind->merge(into->self, from->self, err);
}

bf_status bf_pass_pack(const void **bytes, size_t *size, bf_pass *pass, bf_arena *arena,
                       bf_error *err) {
    bf__packer p = {.arena = arena};
    uint64_t kind = 0;
    while (bf__pass_kind_at((int)kind) != pass->kind)
        kind++;
    bf__pack_bytes(&p, magic, sizeof magic);
    bf__pack_u64(&p, VERSION);
    bf__pack_u64(&p, kind);
    bf__pack_u64(&p, 0);
    BF_TRY(pass->kind->pack(&p, pass->self, err));
    if (!p.failed) {
        bf__packer length = {p.bytes + HEAD - 8, 0, 8, arena, false};
        bf__pack_u64(&length, p.size - HEAD);
        bf__pack_u64(&p, bf__checksum(p.bytes, p.size));
    }
    if (p.failed)
        return bf_fail(err, BF_ENOMEM, "out of memory");
    *bytes = p.bytes;
    *size = p.size;
    return BF_OK;
}

bf_status bf_pass_unpack(bf_pass **out, const void *bytes, size_t size, const char *name,
                         bf_arena *arena, bf_error *err) {
    bf__unpacker head = {bytes, size, sizeof magic, false};
    if (size < HEAD + 8 || memcmp(bytes, magic, sizeof magic) != 0)
        return bf_fail(err, BF_EFORMAT, "%s: not a pass: it does not begin as one does", name);
    uint64_t version = bf__unpack_u64(&head), kind = bf__unpack_u64(&head),
             length = bf__unpack_u64(&head);
    if (version != VERSION)
        return bf_fail(err, BF_EFORMAT, "%s: a pass of version %llu; this program reads version %d",
                       name, (unsigned long long)version, VERSION);
    if (length != size - HEAD - 8)
        return bf_fail(err, BF_EFORMAT, "%s: %zu bytes of a pass that has %llu", name, size,
                       (unsigned long long)length + HEAD + 8);
    bf__unpacker tail = {bytes, size, size - 8, false};
    if (bf__unpack_u64(&tail) != bf__checksum(bytes, size - 8))
        return bf_fail(err, BF_EFORMAT, "%s: damaged: its checksum is not that of its bytes", name);
    const bf__pass_kind *of = kind < 1000 ? bf__pass_kind_at((int)kind) : NULL;
    if (!of)
        return bf_fail(err, BF_EFORMAT, "%s: a pass of kind %llu, which this program does not know",
                       name, (unsigned long long)kind);
    bf__unpacker body = {bytes, size - 8, HEAD, false};
    void *self = NULL;
    BF_TRY(of->unpack(&self, &body, arena, err));
    if (body.bad || body.at != body.size)
        return bf_fail(err, BF_EFORMAT, "%s: a pass `%s` with numbers that cannot be", name,
                       of->name);
    return bf__pass_make(out, of, self, arena, err);
}
