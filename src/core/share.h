/* share.h - Things that several runs on one log have in common, made once.
 *
 * A share belongs to the call that asks several questions about one log, as a comparison of
 * policies does: the call creates it, hangs it on its own copy of the log's struct, and destroys it
 * before it returns. Nobody else sees it, so that it needs no lock; it is used by the thread of
 * that call, whose helpers only read what they are given.
 *
 * A thing has a key: a text that says what it is and everything it depends on besides the log. A
 * thing may depend on the states, actions, ends and row weights of the log; it must not depend on a
 * policy, on rewards or on the discount. If something does, what is shared is the place for it: it
 * says which question it holds, and another question takes its place (weights/neighbours_chain.c).
 * A thing is made by the same code with a share and without one, so the digits of an answer are the
 * same. */
#ifndef BF_CORE_SHARE_H
#define BF_CORE_SHARE_H

#include <stdbool.h>

#include "backflow/memory.h"

typedef struct bf__share bf__share;

enum {
    BF__SHARE_KEY = 400
}; /* bytes of a key, its end included; things of longer ones are not kept */

/* Keeps things until they hold about `most` bytes together; the last one may go beyond. Memory
 * comes from `allocator`. */
bf_status bf__share_create(bf__share **out, size_t most, const bf_allocator *allocator,
                           bf_error *err);
void bf__share_destroy(bf__share *share); /* NULL is fine */

/* Makes a thing in `arena`, out of `self`. */
typedef bf_status bf__share_make(void **out, const void *self, bf_arena *arena, bf_error *err);

/* The thing of this key, which is formatted as printf does: the one that is there, or one that
 * `make` makes and the share keeps. Without a share (NULL), or if it is full, the thing is made in
 * `arena`. */
bf_status bf__share_get(void **out, bf__share *share, bf__share_make *make, const void *self,
                        bf_arena *arena, bf_error *err, const char *key, ...)
    __attribute__((format(printf, 7, 8)));

/* Whether the share takes more: for things that grow. False for NULL. */
bool bf__share_has_room(const bf__share *share);

/* The share of part number `part` of `count`, into which the log was divided in way number `split`.
 * It lives as long as the whole and counts its bytes with it. NULL of NULL. */
bf_status bf__share_part(bf__share **out, bf__share *share, int split, int count, int part,
                         bf_error *err);

#endif
