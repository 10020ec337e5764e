/* team.c - Passes of several processes become one.
 *
 * In round k = 1, 2, 4, ... process r sends to r - k if r / k is odd, and is done; then the first
 * has the sum of all. It goes back the same way. A pass is exact, so that the order does not
 * matter.
 *
 * Messages  2 (size - 1), of the bytes of a pass; log2(size) rounds each way */
#include "cli/team.h"

/* Sends the pass; nothing if it is NULL, or cannot be packed. A process that has failed goes on
 * sending, so that nobody waits for it for ever. */
static bf_status send_pass(bf_pass *pass, const bf__team *team, int to, bf_arena *arena,
                           bf_error *err) {
    const void *bytes = NULL;
    size_t size = 0;
    bf_status status = pass ? bf_pass_pack(&bytes, &size, pass, arena, err) : BF_OK;
    team->send(bytes, status == BF_OK ? size : 0, to);
    return status;
}

/* NULL if the other process has failed, as bf__team.agree will tell. */
static bf_status receive_pass(bf_pass **out, const bf__team *team, int from, bf_arena *arena,
                              bf_error *err) {
    const void *bytes;
    size_t size;
    *out = NULL;
    BF_TRY(team->receive(&bytes, &size, from, arena, err));
    return size ? bf_pass_unpack(out, bytes, size, "a pass of another process", arena, err) : BF_OK;
}

/* Keeps the first failure; a process that has failed has no pass any more. */
static void note(bf_status *first, bf_status status, bf_pass **pass) {
    if (*first == BF_OK)
        *first = status;
    if (*first != BF_OK)
        *pass = NULL;
}

bf_status bf__team_share(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err) {
    bf_status status = BF_OK;
    int top = 1;
    while (team && top < team->size)
        top *= 2;
    for (int k = top / 2; team && k >= 1; k /= 2) {
        if (team->rank % (2 * k) == k)
            note(&status, receive_pass(pass, team, team->rank - k, arena, err), pass);
        else if (team->rank % (2 * k) == 0 && team->rank + k < team->size)
            note(&status, send_pass(*pass, team, team->rank + k, arena, err), pass);
    }
    return status;
}

bf_status bf__team_join(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err) {
    bf_status status = BF_OK;
    for (int k = 1; team && k < team->size; k *= 2) {
        bf_pass *other;
        if (team->rank % (2 * k) == k) {
            note(&status, send_pass(*pass, team, team->rank - k, arena, err), pass);
            break;
        }
        if (team->rank + k < team->size) {
            note(&status, receive_pass(&other, team, team->rank + k, arena, err), pass);
            if (!other)
                *pass = NULL;
            if (*pass)
                note(&status, bf_pass_merge(*pass, other, err), pass);
        }
    }
    bf_error cause = err ? *err : (bf_error){BF_OK, ""};
    bf_status shared = bf__team_share(pass, team, arena, err);
    if (status == BF_OK)
        return shared;
    if (err)
        *err = cause;
    return status;
}
