/* critics.h - Several networks of fitted Q evaluation, side by side. */
#ifndef BF_NEURAL_CRITICS_H
#define BF_NEURAL_CRITICS_H

#include "neural/critic.h"

enum { BF__MOST_CRITICS = 16 };

/* critics[0 .. members - 1] of the task, whose inputs are filled here. */
bf_status bf__critics_make(bf__critic **critics, int members, bf__critic_task *task,
                           bf_arena *arena, bf_error *err);

/* All rounds, and the closings between them. Digits do not depend on the number of threads. */
bf_status bf__critics_train(bf__critic **critics, int members, const bf__critic_task *task,
                            const bf_context *context, bf_arena *arena, bf_error *err);

#endif
