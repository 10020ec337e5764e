/* view.c - A log as a method is shown it.
 *
 * Cost  one copy of the columns that differ */
#include "experiment/view.h"

#include <string.h>

#include "backflow/rng.h"
#include "core/fail.h"
#include "dataset/mirror.h"
#include "policy/kind.h"

enum { IDLE = 3 };

/* The control problems that look the same from the other side. */
static const struct {
    const char *problem, *mirror;
} mirrors[] = {
    {"pendulum", "s0=-s0,s1=-s1,a=4-a"},
    {"cartpole", "s0=-s0,s1=-s1,s2=-s2,s3=-s3,a=1-a"},
    {"acrobot", "s1=-s1,s3=-s3,s4=-s4,s5=-s5,a=2-a"},
};

static bf_status see_mirror(bf_dataset *out, const bf_dataset *data, const bf__setting *s,
                            bf_arena *arena, bf_error *err) {
    for (size_t k = 0; k < sizeof mirrors / sizeof *mirrors; k++)
        if (strcmp(mirrors[k].problem, s->env->name) == 0) {
            BF_TRY(bf__dataset_mirror(out, data, mirrors[k].mirror, arena, err));
            return bf__policy_apply(s->target_policy, out, arena, err);
        }
    return bf_fail(err, BF_EUSAGE, "%s is not symmetric, or nobody has said how", s->env->name);
}

/* Room for `more` columns behind the state, here and next. */
static bf_status widen(double **here, double **next, bf_dataset *out, int more, bf_arena *arena,
                       bf_error *err) {
    int64_t n = out->n, before = out->state_dim * n;
    BF_ALLOC(*here, arena, before + more * n, err);
    BF_ALLOC(*next, arena, before + more * n, err);
    memcpy(*here, out->state, (size_t)before * sizeof **here);
    memcpy(*next, out->next_state, (size_t)before * sizeof **next);
    out->state = *here;
    out->next_state = *next;
    out->state_dim += more;
    *here += before;
    *next += before;
    return BF_OK;
}

/* Each column forgets a tenth of itself with every step, and begins anew with every episode. */
static bf_status add_idle(bf_dataset *out, uint64_t seed, bf_arena *arena, bf_error *err) {
    double *here, *next;
    int64_t n = out->n;
    bf_rng rng = bf_rng_make(seed, "idle columns of an experiment", 0);
    BF_TRY(widen(&here, &next, out, IDLE, arena, err));
    for (int64_t e = 0; e < out->episodes; e++)
        for (int c = 0; c < IDLE; c++) {
            double x = bf_rng_normal(&rng);
            for (int64_t j = out->begin[e]; j < out->begin[e + 1]; j++) {
                int64_t i = out->order[j];
                here[c * n + i] = x;
                x = 0.9 * x + 0.436 * bf_rng_normal(&rng); /* variance 1 */
                next[c * n + i] = x;
            }
        }
    return BF_OK;
}

static bf_status end_at_limits(bf_dataset *out, bf_arena *arena, bf_error *err) {
    uint8_t *ended;
    BF_ALLOC(ended, arena, out->n, err);
    for (int64_t i = 0; i < out->n; i++)
        ended[i] = out->terminated[i] || out->truncated[i];
    out->terminated = ended;
    out->truncated = NULL;
    return BF_OK;
}

static bf_status add_clock(bf_dataset *out, int64_t limit, bf_arena *arena, bf_error *err) {
    double *here, *next;
    BF_TRY(widen(&here, &next, out, 1, arena, err));
    for (int64_t e = 0; e < out->episodes; e++)
        for (int64_t j = out->begin[e]; j < out->begin[e + 1]; j++) {
            int64_t i = out->order[j], t = j - out->begin[e];
            here[i] = (double)t / (double)limit;
            next[i] = (double)(t + 1) / (double)limit;
        }
    return BF_OK;
}

bf_status bf__view_make(bf_dataset *out, const bf_policy **policy, const char *view,
                        const bf_dataset *data, const bf__setting *s, uint64_t seed,
                        bf_arena *arena, bf_error *err) {
    *out = *data;
    out->share = NULL; /* it is another log */
    *policy = s->target_policy;
    if (strcmp(view, "mirror") == 0)
        return see_mirror(out, data, s, arena, err);
    if (strcmp(view, "limits") == 0)
        return end_at_limits(out, arena, err);
    *policy = NULL;
    if (strcmp(view, "idle") == 0)
        return add_idle(out, seed, arena, err);
    BF_TRY(end_at_limits(out, arena, err));
    return add_clock(out, s->steps, arena, err);
}
