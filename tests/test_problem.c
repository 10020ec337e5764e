/* test_problem.c - What a step means, for every gamma, terminal mode and kind of log.
 *
 * The table below says by hand what problem/steps.h has to say. From it alone, without any code of
 * the library, this file works out psi in the features "one per pair", the finite cells and the
 * long-run visits of pairs. The flow, the cells, the chain of neighbours, the count model, q and
 * the tabular weights all have to follow. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "flow/flow.h"
#include "problem/cells.h"
#include "problem/points.h"
#include "weights/neighbours_chain.h"

TEST_ARENA;

enum { STATES = 3, ACTIONS = 2, PAIRS = STATES * ACTIONS, LENGTH = 6, EPISODES = 20 };
enum { N = LENGTH * EPISODES };

/* g and h of a step that goes on and of a step that ended, and the flags. */
typedef struct row {
    double gamma;
    bf_terminal terminal;
    bool some; /* steps of the log end */
    double g, h, end_g, end_h;
    bool restarts, absorbs, starts, over;
} row;

#define RESTART BF_TERMINAL_RESTART
#define ABSORB  BF_TERMINAL_ABSORB
#define IGNORE  BF_TERMINAL_IGNORE

static const row table[] = {
    /*            some    g    h     of an end    restarts absorbs starts over */
    {1, RESTART, false, 1, 0, 0, 1, false, false, false, false},
    {1, ABSORB, false, 1, 0, 0, 0, false, false, false, false},
    {1, IGNORE, false, 1, 0, 1, 0, false, false, false, false},
    {1, RESTART, true, 1, 0, 0, 1, true, false, true, false},
    {1, ABSORB, true, 1, 0, 0, 0, false, true, false, true},
    {1, IGNORE, true, 1, 0, 1, 0, false, false, false, false},
    {0.75, RESTART, false, 0.75, 0.25, 0, 1, false, false, true, false},
    {0.75, ABSORB, false, 0.75, 0.25, 0, 0.25, false, false, true, false},
    {0.75, IGNORE, false, 0.75, 0.25, 0.75, 0.25, false, false, true, false},
    {0.75, RESTART, true, 0.75, 0.25, 0, 1, true, false, true, false},
    {0.75, ABSORB, true, 0.75, 0.25, 0, 0.25, false, true, true, false},
    {0.75, IGNORE, true, 0.75, 0.25, 0.75, 0.25, false, false, true, false},
};
enum { ROWS = sizeof table / sizeof *table };

/* ---- A log of three states and two actions */

typedef struct sample {
    bf_dataset data;
    double state[N], next[N], reward[N], pi[ACTIONS * N], npi[ACTIONS * N];
    int32_t action[N];
    uint8_t end[N];
    int64_t begin[EPISODES + 1], order[N];
} sample;

/* The target's probability of action a at state s. */
static double target(int s, int a) {
    static const double first[STATES] = {0.9, 0.4, 0.2};
    return a == 0 ? first[s] : 1 - first[s];
}

static void make(sample *l, bool some) {
    bf_rng rng = bf_rng_make(4, "problem", 0);
    int s = 0;
    for (int i = 0; i < N; i++) {
        if (i % LENGTH == 0)
            s = bf_rng_uniform(&rng) < 0.7 ? 0 : 2;
        int a = (int)bf_rng_below(&rng, ACTIONS);
        int next = bf_rng_uniform(&rng) < 0.6 ? (s + 1 + a) % STATES : s;
        l->state[i] = s;
        l->next[i] = next;
        l->action[i] = a;
        l->reward[i] = s + 0.5 * a;
        for (int b = 0; b < ACTIONS; b++) {
            l->pi[b * N + i] = target(s, b);
            l->npi[b * N + i] = target(next, b);
        }
        l->end[i] = some && i % LENGTH == LENGTH - 1 && i % 4 != 3;
        l->order[i] = i;
        s = next;
    }
    for (int e = 0; e <= EPISODES; e++)
        l->begin[e] = e * LENGTH;
    l->data = (bf_dataset){.n = N,
                           .state_dim = 1,
                           .actions = ACTIONS,
                           .states = STATES,
                           .state = l->state,
                           .next_state = l->next,
                           .action = l->action,
                           .reward = l->reward,
                           .terminated = l->end,
                           .pi = l->pi,
                           .npi = l->npi,
                           .episodes = EPISODES,
                           .begin = l->begin,
                           .order = l->order};
}

/* ---- What the table makes of it, written out */

/* psi_i in one feature per pair. */
static void plain_psi(double psi[PAIRS], const sample *l, const row *t, int i) {
    double g = l->end[i] ? t->end_g : t->g, h = l->end[i] ? t->end_h : t->h;
    for (int p = 0; p < PAIRS; p++) {
        int s = p / ACTIONS, a = p % ACTIONS;
        psi[p] = (int)l->state[i] == s && l->action[i] == a;
        psi[p] -= (int)l->next[i] == s ? g * target(s, a) : 0;
        for (int e = 0; e < EPISODES; e++)
            psi[p] -= (int)l->state[e * LENGTH] == s ? h * target(s, a) / EPISODES : 0;
    }
}

/* The long-run value: visits x of pairs with x = x P + what flows in, P the mean of e_x - psi over
 * the rows of a pair. If ends absorb, a share 1 - gamma of all time flows in at the start states,
 * and h has to be taken out of P; the rest of the mass has ended. */
static double plain_value(const sample *l, const row *t) {
    double count[PAIRS] = {0}, reward[PAIRS] = {0}, p[PAIRS][PAIRS] = {{0}}, in[PAIRS] = {0};
    double x[PAIRS], next[PAIRS], value = 0;
    for (int i = 0; i < N; i++) {
        int from = (int)l->state[i] * ACTIONS + l->action[i];
        double psi[PAIRS];
        plain_psi(psi, l, t, i);
        count[from]++;
        reward[from] += l->reward[i];
        for (int to = 0; to < PAIRS; to++)
            p[from][to] += (from == to) - psi[to];
    }
    for (int to = 0; to < PAIRS && t->absorbs; to++)
        for (int e = 0; e < EPISODES; e++)
            if ((int)l->state[e * LENGTH] == to / ACTIONS)
                in[to] += (1 - t->gamma) * target(to / ACTIONS, to % ACTIONS) / EPISODES;
    for (int from = 0; from < PAIRS; from++) {
        assert_true(count[from] > 1);
        x[from] = 1.0 / PAIRS;
    }
    for (int k = 0; k < 4000; k++) {
        for (int to = 0; to < PAIRS; to++) {
            next[to] = in[to];
            for (int from = 0; from < PAIRS; from++)
                next[to] += x[from] * (p[from][to] / count[from] - in[to]);
        }
        memcpy(x, next, sizeof x);
    }
    for (int from = 0; from < PAIRS; from++)
        value += x[from] * reward[from] / count[from];
    return value;
}

/* ---- The tests */

static void every_case(void (*check)(sample *l, const row *t)) {
    static sample l;
    for (int k = 0; k < ROWS; k++) {
        bf_mark mark = bf_arena_mark(arena);
        make(&l, table[k].some);
        check(&l, &table[k]);
        if (!table[k].some) { /* a log that does not say is one in which no step ends */
            l.data.terminated = NULL;
            check(&l, &table[k]);
        }
        bf_arena_rewind(arena, mark);
    }
}

static bf_problem question(const sample *l, const row *t) {
    return (bf_problem){.data = &l->data, .gamma = t->gamma, .terminal = (int)t->terminal};
}

static void check_steps(sample *l, const row *t) {
    bf_problem problem = question(l, t);
    bf__steps steps = bf__steps_of(&problem);
    assert_near(steps.gamma, t->gamma, 0);
    assert_int_equal(steps.restarts, t->restarts);
    assert_int_equal(steps.absorbs, t->absorbs);
    assert_int_equal(steps.starts, t->starts);
    assert_int_equal(steps.over, t->over);
    for (int i = 0; i < N; i++) {
        assert_near(bf__step_g(&steps, i), l->end[i] ? t->end_g : t->g, 0);
        assert_near(bf__step_h(&steps, i), l->end[i] ? t->end_h : t->h, 0);
        assert_int_equal(bf__step_ended(&steps, i), l->end[i] && t->terminal != IGNORE);
    }
}

static void the_steps(void **state) {
    (void)state;
    every_case(check_steps);
}

static bf__points points_of(const bf_problem *problem) {
    bf__points points;
    assert_ok(bf__points_make(&points, problem, "none", NULL, NULL, arena, &err), err);
    return points;
}

static void check_starts(sample *l, const row *t) {
    bf_problem problem = question(l, t);
    bf__points points = points_of(&problem);
    assert_int_equal(points.starts, t->starts ? EPISODES : 0);
    for (int e = 0; e < points.starts; e++) {
        assert_near(points.z0[e], points.z[e * LENGTH], 0);
        for (int a = 0; a < ACTIONS; a++)
            assert_near(points.pi0[a * EPISODES + e], target((int)l->state[e * LENGTH], a), 1e-15);
    }
}

static void the_start_states(void **state) {
    (void)state;
    every_case(check_starts);
}

/* K of a kernel that is 1 on equal pairs is <psi_i, psi_j> in one feature per pair. */
static void check_flow(sample *l, const row *t) {
    static double psi[N][PAIRS], plain[N * N], rows[N * N];
    bf_problem problem = question(l, t);
    bf__points points = points_of(&problem);
    bf__pair_kernel kernel = {.share = 0};
    bf__flow *flow;
    int64_t all[N];
    const double width = 1;
    assert_ok(bf__kernel_set(&kernel.state, bf__kernel_find("delta"), &width, 1, &err), err);
    assert_ok(bf__flow_create(&flow, &points, &kernel, NULL, arena, &err), err);
    assert_ok(bf__flow_plain(plain, &points, &kernel, arena, &err), err);
    assert_int_equal(flow->corrected, t->starts);
    for (int i = 0; i < N; i++) {
        plain_psi(psi[i], l, t, i);
        all[i] = i;
    }
    bf__flow_rows(rows, flow, all, N, NULL);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double inner = 0;
            for (int p = 0; p < PAIRS; p++)
                inner += psi[i][p] * psi[j][p];
            assert_near(plain[i * N + j], inner, 1e-12);
            assert_near(rows[i * N + j], inner, 1e-12);
        }
}

static void the_flow(void **state) {
    (void)state;
    every_case(check_flow);
}

/* The probabilities of a cell are the means of g and h over its rows; what is missing to 1 goes to
 * the absorbing state, which begins anew as everything else does. */
static void check_cells(sample *l, const row *t) {
    bf_problem problem = question(l, t);
    bf__cells m;
    assert_ok(bf__cells_build(&m, &problem, arena, &err), err);
    assert_int_equal(m.absorbing, t->absorbs);
    assert_int_equal(m.states, STATES + t->absorbs);
    assert_int_equal(m.cells, PAIRS + t->absorbs);
    for (int64_t c = 0; c < PAIRS; c++) {
        double to[STATES + 1] = {0}, got[STATES + 1] = {0}, restart = 0, rows = 0;
        for (int i = 0; i < N; i++) {
            if (m.row_cell[i] != c)
                continue;
            double g = l->end[i] ? t->end_g : t->g, h = l->end[i] ? t->end_h : t->h;
            to[(int)l->next[i]] += g;
            to[STATES] += 1 - g - h;
            restart += h;
            rows++;
        }
        for (int64_t j = m.begin[c]; j < m.begin[c + 1]; j++) {
            int64_t s = m.to[j], label = STATES;
            if (!(t->absorbs && s == STATES)) /* states are numbered as they first appear */
                label = (int64_t)m.point[s];
            got[label] += m.prob[j];
        }
        for (int s = 0; s <= STATES; s++)
            assert_near(got[s], to[s] / rows, 1e-14);
        assert_near(m.restart[c], restart / rows, 1e-14);
    }
    if (t->absorbs)
        assert_near(m.restart[PAIRS], 1 - t->gamma, 1e-15);
}

static void the_finite_cells(void **state) {
    (void)state;
    every_case(check_cells);
}

/* Every pair is logged several times, so that the chain of neighbours is the finite chain; at gamma
 * 1 a trace of 1e-6 begins anew at the log's own pairs. */
static void check_neighbours(sample *l, const row *t) {
    bf_problem problem = question(l, t);
    bf__points points = points_of(&problem);
    bf__neighbours base;
    double value = 0;
    assert_ok(bf__neighbours_solve(&base, &problem, &points, 4, 0, NULL, arena, &err), err);
    assert_int_equal(base.ends, t->absorbs);
    for (int i = 0; i < N; i++)
        value += base.u[i] * l->reward[i];
    assert_near(value, plain_value(l, t), 1e-4);
}

static void the_chain_of_neighbours(void **state) {
    (void)state;
    every_case(check_neighbours);
}

static void check_answers(sample *l, const row *t) {
    static const char *const methods[] = {"blackbox", "model", "lstdq", "dr"};
    bf_problem problem = question(l, t);
    double truth = plain_value(l, t);
    if (t->over) /* every pair leads to an end sooner or later */
        assert_near(truth, 0, 1e-9);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        bf_estimate out;
        const bf_estimator *method = bf_estimator_find(methods[k]);
        assert_ok(bf__estimator_run(method, &out, &problem, NULL, NULL, arena, &err), err);
        assert_near(out.value, truth, 1e-9);
    }
}

static void the_answers_of_finite_methods(void **state) {
    (void)state;
    every_case(check_answers);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(the_steps),
        arena_test(the_start_states),
        arena_test(the_flow),
        arena_test(the_finite_cells),
        arena_test(the_chain_of_neighbours),
        arena_test(the_answers_of_finite_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
