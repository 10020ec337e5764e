/* critic_task.c - Where the networks of fitted Q evaluation are asked in every round.
 *
 * A round needs h at the logged pairs, and at each choice of the target at next and start states.
 * With a finite set of actions those are all actions at states, most of which come twice: the next
 * state of a row is the state of the row after it, and a start state is that of a row. So a network
 * is asked at every state that differs, with all of its actions: K (n + episodes) pairs in place of
 * (1 + K) n. With action vectors, every pair is one of its own; logged, next and start pairs are
 * three sets.
 * Cost        O(n d), once for all networks and rounds */
#include "neural/critic_task.h"

#include <string.h>

#include "core/equals.h"
#include "core/fail.h"
#include "core/mix.h"

/* The states of the log, the next states and the start states as one sequence. */
typedef struct states {
    const float *z[3]; /* (d, n), (d, n), (d, starts) */
    int64_t n[3];
    int d;
} states;

/* Coordinate c of state i is the result's [c * *stride]. */
static const float *state_at(int64_t *stride, const states *s, int64_t i) {
    int set = 0;
    for (; i >= s->n[set]; set++)
        i -= s->n[set];
    *stride = s->n[set];
    return s->z[set] + i;
}

static uint64_t hash(const void *self, int64_t i) {
    const states *s = self;
    int64_t stride;
    const float *z = state_at(&stride, s, i);
    uint64_t hash = 1;
    for (int c = 0; c < s->d; c++)
        hash = bf__mix_real(hash, (double)z[c * stride]);
    return hash;
}

static bool equal(const void *self, int64_t i, int64_t j) {
    const states *s = self;
    int64_t stride, other;
    const float *x = state_at(&stride, s, i), *y = state_at(&other, s, j);
    for (int c = 0; c < s->d; c++)
        if (x[c * stride] != y[c * other])
            return false;
    return true;
}

/* One set: every state once, with all actions. */
static bf_status merge(bf__critic_task *t, bf_arena *arena, bf_error *err) {
    const bf__pairs *p = t->pairs;
    states s = {{p->z, p->nz, p->z0}, {p->n, p->n, p->starts}, p->d};
    int64_t all = 2 * p->n + p->starts, kinds, *of, *first;
    float *z;
    BF_ALLOC(of, arena, all, err);
    BF_ALLOC(first, arena, all, err);
    BF_TRY(
        bf__equals_find(&kinds, of, first, all, all, &(bf__things){&s, hash, equal}, arena, err));
    BF_ALLOC(z, arena, p->d * kinds, err);
    for (int64_t k = 0; k < kinds; k++) {
        int64_t stride;
        const float *from = state_at(&stride, &s, first[k]);
        for (int c = 0; c < p->d; c++)
            z[c * kinds + k] = from[c * stride];
    }
    t->places[0] = (bf__critic_places){.count = kinds, .choices = p->choices, .z = z};
    t->logged.at = of;
    t->next.at = of + p->n;
    t->start.at = of + 2 * p->n;
    return BF_OK;
}

/* Three sets of pairs with action vectors. */
static bf_status list(bf__critic_task *t, bf_arena *arena, bf_error *err) {
    const bf__pairs *p = t->pairs;
    const bf__points *in = &p->points;
    int64_t k = in->action_dim, all = (int64_t)in->samples * k;
    t->places[0] = (bf__critic_places){.count = p->n, .choices = 1, .z = p->z};
    t->places[1] = (bf__critic_places){.count = p->n, .choices = p->choices, .z = p->nz};
    t->places[2] = (bf__critic_places){.count = p->starts, .choices = p->choices, .z = p->z0};
    BF_TRY(bf__pairs_narrow(&t->places[0].u, in->u, k * p->n, arena, err));
    BF_TRY(bf__pairs_narrow(&t->places[1].u, in->nu, all * p->n, arena, err));
    BF_TRY(bf__pairs_narrow(&t->places[2].u, in->u0, all * p->starts, arena, err));
    t->next.places = 1;
    t->start.places = 2;
    return BF_OK;
}

/* How likely the choices at n states are: pi (A, n), or the same for all of K samples. */
static bf_status likely(const double **out, const bf__pairs *p, const double *pi, int64_t n,
                        bf_arena *arena, bf_error *err) {
    double *made;
    *out = pi;
    if (p->points.actions)
        return BF_OK;
    BF_ALLOC(made, arena, p->choices * n, err);
    for (int64_t i = 0; i < p->choices * n; i++)
        made[i] = 1.0 / p->choices;
    *out = made;
    return BF_OK;
}

bf_status bf__critic_inputs(bf__critic_task *t, bf_arena *arena, bf_error *err) {
    const bf__pairs *p = t->pairs;
    float *inputs;
    BF_ALLOC(inputs, arena, p->inputs * p->n, err);
    bf__pairs_logged(inputs, p->n, 0, p, NULL, p->n);
    t->inputs = inputs;
    t->logged = t->next = t->start = (bf__critic_view){0, NULL};
    memset(t->places, 0, sizeof t->places);
    BF_TRY(likely(&t->next_p, p, p->points.npi, p->n, arena, err));
    BF_TRY(likely(&t->start_p, p, p->points.pi0, p->starts, arena, err));
    return p->points.actions ? merge(t, arena, err) : list(t, arena, err);
}
