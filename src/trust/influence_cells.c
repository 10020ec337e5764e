/* influence_cells.c - The influence of clusters on a finite log, in closed form.
 *
 * The surprise of row i, from pair c in state s to s', is  r_i - g(s) + V(next_i) - q(c), where the
 * next value is that of s', or of a start state where the process restarts (gamma < 1 restarts
 * with 1 - gamma). Over the rows of one pair it sums to 0 by the definition of q on counts.
 *
 * Cost  that of q_cells.c, once per quantity. */
#include "core/fail.h"
#include "dataset/row_weights.h"
#include "problem/steps.h"
#include "trust/influence.h"
#include "value/q_cells.h"

typedef struct rows {
    const bf_problem *problem;
    bf__steps steps;
    const double *reward, *w;
    const double *start; /* (episodes): weights of start states; NULL: all the same */
    const bf__clusters *clusters;
} rows;

/* What follows row i; *through is the probability that it goes through START. */
static double next_value(double *through, const rows *t, const bf__cell_values *s, int64_t i) {
    const bf__cells *m = s->cells;
    *through = bf__step_h(&t->steps, i);
    int64_t to = bf__step_ended(&t->steps, i)
                     ? m->states - 1
                     : m->row_next[i]; /* the absorbing state is the last */
    return *through * s->v[m->states] + (*through < 1 ? (1 - *through) * s->v[to] : 0);
}

/* c (J) of one quantity. */
static void add_up(double *c, const rows *t, const bf__cell_values *s) {
    const bf__cells *m = s->cells;
    const bf_dataset *data = t->problem->data;
    double flow = 0, mass = 0, through;
    for (int64_t i = 0; i < data->n; i++) {
        double next = next_value(&through, t, s, i);
        double e = t->reward[i] - s->g[m->row_state[i]] + next - s->q[m->row_cell[i]];
        c[t->clusters->of[i]] += t->w[i] * e;
        flow += t->w[i] * through;
        mass += t->w[i];
    }
    if (m->absorbing)
        flow += (1 - mass) * (1 - t->problem->gamma);
    for (int64_t e = 0; e < data->episodes && m->has_start; e++) {
        int64_t first = data->order[data->begin[e]];
        c[t->clusters->of[first]] += flow * (t->start ? t->start[e] : 1) *
                                     (s->v[m->row_state[first]] - s->v[m->states]) /
                                     (double)data->episodes;
    }
}

bf_status bf__influence_cells(bf__influence *out, const bf_problem *problem, const double *rewards,
                              int count, const double *w, const bf__clusters *clusters,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    const double *start;
    *out = (bf__influence){.rewards = count, .exact = true};
    BF_ZALLOC(out->c, arena, count * clusters->count, err);
    BF_TRY(bf__start_weights(&start, problem->data, arena, err));
    bf_mark mark = bf_arena_mark(arena);
    for (int k = 0; k < count; k++) {
        bf_dataset data = *problem->data;
        bf_problem question = *problem;
        bf__cell_values values;
        data.reward = rewards + k * n;
        question.data = &data;
        BF_TRY(bf__cell_values_solve(&values, &question, context, arena, err));
        rows t = {&question, bf__steps_of(&question), data.reward, w, start, clusters};
        add_up(out->c + k * clusters->count, &t, &values);
        bf_arena_rewind(arena, mark);
    }
    bf__influence_finish(out, clusters->count);
    return BF_OK;
}
