/* team.c - Passes of several processes become one.
 *
 * In round k = 1, 2, 4, ... process r sends to r - k if r / k is odd, and is done; then the first
 * has the sum of all. It goes back the same way. A pass is exact, so that the order does not
 * matter.
 *
 * Messages  2 (size - 1), of the bytes of a pass; log2(size) rounds each way */
#include "cli/team.h"

static bf_status send_pass(bf_pass *pass, const bf__team *team, int to, bf_arena *arena,
                           bf_error *err) {
    const void *bytes;
    size_t size;
    BF_TRY(bf_pass_pack(&bytes, &size, pass, arena, err));
    team->send(bytes, size, to);
    return BF_OK;
}

static bf_status receive_pass(bf_pass **out, const bf__team *team, int from, bf_arena *arena,
                              bf_error *err) {
    const void *bytes;
    size_t size;
    BF_TRY(team->receive(&bytes, &size, from, arena, err));
    return bf_pass_unpack(out, bytes, size, "a pass of another process", arena, err);
}

bf_status bf__team_share(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err) {
    int top = 1;
    while (team && top < team->size)
        top *= 2;
    for (int k = top / 2; team && k >= 1; k /= 2) {
        if (team->rank % (2 * k) == k)
            BF_TRY(receive_pass(pass, team, team->rank - k, arena, err));
        else if (team->rank % (2 * k) == 0 && team->rank + k < team->size)
            BF_TRY(send_pass(*pass, team, team->rank + k, arena, err));
    }
    return BF_OK;
}

bf_status bf__team_join(bf_pass **pass, const bf__team *team, bf_arena *arena, bf_error *err) {
    for (int k = 1; team && k < team->size; k *= 2) {
        bf_pass *other;
        if (team->rank % (2 * k) == k) {
            BF_TRY(send_pass(*pass, team, team->rank - k, arena, err));
            break;
        }
        if (team->rank + k < team->size) {
            BF_TRY(receive_pass(&other, team, team->rank + k, arena, err));
            BF_TRY(bf_pass_merge(*pass, other, err));
        }
    }
    return bf__team_share(pass, team, arena, err);
}
