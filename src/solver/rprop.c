/* rprop.c - Resilient propagation without backtracking, iRprop- [1].
 *
 * Every parameter has a step. If its gradient kept its sign, the step grows by 1.2, to at most 50.
 * If the sign changed, the step shrinks by 0.5, to at least 1e-6, and the gradient counts as 0 this
 * time and the next. Then the parameter moves by the step against the sign. The size of the
 * gradient plays no part, so badly scaled objectives do no harm. For the same reason the method
 * needs full batches: noise would make signs flip.
 *
 * Cost        O(count) a move
 *
 * [1] Igel and Huesken, Improving the Rprop learning algorithm, NC 2000. */
#include "solver/rprop.h"

#include "core/fail.h"

static const double grow = 1.2, shrink = 0.5, shortest = 1e-6, longest = 50;

bf_status bf__rprop_make(bf__rprop *out, int64_t count, double initial, bf_arena *arena,
                         bf_error *err) {
    *out = (bf__rprop){.count = count, .initial = initial};
    BF_ALLOC(out->step, arena, count, err);
    BF_ALLOC(out->previous, arena, count, err);
    bf__rprop_reset(out);
    return BF_OK;
}

void bf__rprop_reset(bf__rprop *rprop) {
    for (int64_t i = 0; i < rprop->count; i++) {
        rprop->step[i] = rprop->initial;
        rprop->previous[i] = 0;
    }
}

void bf__rprop_move(bf__rprop *rprop, const double *gradient, double *parameters) {
    for (int64_t i = 0; i < rprop->count; i++) {
        double g = gradient[i], agree = g * rprop->previous[i], step = rprop->step[i];
        if (agree > 0)
            step = step * grow < longest ? step * grow : longest;
        if (agree < 0) {
            step = step * shrink > shortest ? step * shrink : shortest;
            g = 0;
        }
        parameters[i] -= g > 0 ? step : g < 0 ? -step : 0;
        rprop->step[i] = step;
        rprop->previous[i] = g;
    }
}
