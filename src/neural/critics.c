/* critics.c - Several networks of fitted Q evaluation, side by side: one thread has a network. */
#include "neural/critics.h"

#include "core/context.h"
#include "core/fail.h"

/* Rounds between two looks at whether to go on, and rows from which on we look after every round.
 */
enum { TOGETHER = 10, LARGE = 100000 };

bf_status bf__critics_make(bf__critic **critics, int members, bf__critic_task *t, bf_arena *arena,
                           bf_error *err) {
    BF_TRY(bf__critic_inputs(t, arena, err));
    for (int e = 0; e < members; e++)
        BF_TRY(bf__critic_make(&critics[e], t, e, arena, err));
    return BF_OK;
}

/* Closes the equations of the networks that members have noted. */
static bf_status close_all(bf__critic **critics, int members, const bf__critic_task *t,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_status status[BF__MOST_CRITICS];
    bf_error why[BF__MOST_CRITICS];
    int threads = bf__threads(context), most = (t->closings + 1) / 2;
    for (int k = 0; k < most; k++) {
        if (!bf__progress(context, "solving for Q", k, most, NULL))
            return bf_fail(err, BF_ECANCELLED, "stopped at solve %d of %d", k, most);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int e = 0; e < members; e++)
            status[e] = bf__critic_sum(critics[e], k, &why[e]);
        for (int e = 0; e < members; e++) {
            if (status[e] != BF_OK && err)
                *err = why[e];
            BF_TRY(status[e]);
            BF_TRY(bf__critic_close(critics[e], k, arena, err));
        }
    }
    return BF_OK;
}

bf_status bf__critics_train(bf__critic **critics, int members, const bf__critic_task *t,
                            const bf_context *context, bf_arena *arena, bf_error *err) {
    int threads = bf__threads(context);
    int64_t together = t->pairs->n < LARGE ? TOGETHER : 1;
    for (int64_t first = 0; first < t->rounds; first += together) {
        int64_t last = first + together < t->rounds ? first + together : t->rounds;
        if (!bf__progress(context, "fitting Q", (double)first, (double)t->rounds, NULL))
            return bf_fail(err, BF_ECANCELLED, "stopped at round %lld of %lld", (long long)first,
                           (long long)t->rounds);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
        for (int e = 0; e < members; e++)
            bf__critic_train(critics[e], first, last);
        bool note = last * t->closings / t->rounds > first * t->closings / t->rounds;
        for (int e = 0; e < members && note; e++)
            bf__critic_note(critics[e]);
    }
    return close_all(critics, members, t, context, arena, err);
}
