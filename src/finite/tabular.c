/* tabular.c - Black-box weights with one free number per visited (s, a).
 *
 * Estimates   sum_c x_c rbar_c,  x = argmin over the simplex of |x - B x|^2,  w_i = x_c / n_c
 * Source      paper, section 4.2 and 5.1: the quadratic program of the toy example
 * Shapes      C visited pairs ("cells"), S states; B the empirical backward flow
 *
 * Where the log shows all that the target policy does in some closed set of states, the minimum is
 * 0 whatever the kernel, and it is the stationary distribution of the empirical chain: that is
 * solved as a chain, to nearly full accuracy (solver/chain.c). Two cases need words:
 *
 * - Several closed classes: every mixture of their stationary distributions is a minimum. The
 *   long-run average then depends on where the process starts, so the classes are mixed by the
 *   probability that the target policy, from the log's start states, ends in each.
 * - The target policy leads to pairs that were never seen, from the start states or always. No
 *   weights balance the flow there, and the minimiser of the program bends the whole flow around a
 *   few gaps. So gaps are filled with what the log shows (problem/count_model.c), and the weights
 * are the visits of that chain. --gaps program gives the minimiser. `coverage` says how much is
 * missing.
 *
 * Cost O(n + edges) and the chain's O(S^3 / 3), or a few times O(16 S^3 / 3) for the program. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"
#include "finite/cells_kernel.h"
#include "finite/cells_l1.h"
#include "finite/cells_qp.h"
#include "finite/tabular.h"
#include "kernel/kernel.h"
#include "problem/cells.h"
#include "problem/count_model.h"
#include "solver/chain.h"
#include "solver/rademacher.h"
#include "solver/simplex_l1.h"
#include "solver/simplex_qp.h"
#include "weights/theorem.h"
#include "weights/weights.h"

typedef struct solution {
    double *x; /* (C) */
    double gap;
    bool filled;             /* gaps, with what the log shows */
    double left;             /* of the chain so filled: how often it goes on anywhere */
    int classes;             /* closed classes without gaps; of the filled chain */
    double low, high;        /* their values */
    double start_gap;        /* from the start states: probability of meeting a gap on the way */
    double convergence;      /* residual of the chain's solution */
    bf__cells_kernel kernel; /* of the flow residual; .k NULL: delta */
    bf__cells_l1 l1;         /* what is minimised in its place; .edges NULL: nothing */
    double least;            /* its minimum */
    double *scratch;         /* (S, A) */
} solution;

static double loss(const solution *s, const bf__cells *m, const double *x) {
    return s->kernel.k ? bf__cells_kernel_loss(&s->kernel, x, s->scratch)
                       : bf__cells_loss(m, x, s->scratch);
}

/* ---- The chain on states under pi: nodes 0..S-1, then START, then GAP (a pair never seen). */
static bf_status build_chain(bf__chain *out, const bf__cells *m, bf_arena *arena, bf_error *err) {
    int64_t states = m->states, edges = 0, most = m->states * (m->actions + 1) + 2;
    int32_t start = (int32_t)states, gap = start + 1;
    for (int64_t c = 0; c < m->cells; c++)
        most += m->begin[c + 1] - m->begin[c] + 1;
    for (int64_t s = 0; s < states; s++)
        most += m->start[s] > 0;
    int64_t *begin;
    int32_t *index;
    double *prob;
    BF_ALLOC(begin, arena, states + 3, err);
    BF_ALLOC(index, arena, most, err);
    BF_ALLOC(prob, arena, most, err);
    for (int64_t s = 0; s < states; s++) {
        begin[s] = edges;
        double known = 0;
        for (int a = 0; a < m->actions; a++) {
            double pi = m->pi[s * m->actions + a];
            int64_t c = m->cell_at[s * m->actions + a];
            if (pi == 0 || c < 0)
                continue;
            known += pi;
            for (int64_t j = m->begin[c]; j < m->begin[c + 1]; j++) {
                index[edges] = m->to[j];
                prob[edges++] = pi * m->prob[j];
            }
            index[edges] = start;
            prob[edges++] = pi * m->restart[c];
        }
        double miss = 0;
        for (int a = 0; a < m->actions; a++)
            if (m->cell_at[s * m->actions + a] < 0)
                miss += m->pi[s * m->actions + a];
        index[edges] = gap;
        prob[edges++] = known > 0 ? miss : 1;
    }
    begin[start] = edges;
    for (int32_t s = 0; s < (int32_t)states; s++)
        if (m->start[s] > 0) {
            index[edges] = s;
            prob[edges++] = m->start[s];
        }
    if (!m->has_start) {
        index[edges] = gap;
        prob[edges++] = 1;
    }
    begin[gap] = edges;
    index[edges] = gap;
    prob[edges++] = 1;
    begin[gap + 1] = edges;
    *out = (bf__chain){states + 2, begin, index, prob};
    return BF_OK;
}

/* Mass on cells from the stationary mass d on the nodes of the chain, and its value. */
static double spread(const bf__cells *m, const double *d, double *x) {
    double inside = 0, value = 0;
    for (int64_t s = 0; s < m->states; s++)
        inside += d[s];
    for (int64_t c = 0; c < m->cells; c++) {
        x[c] = d[m->state_of[c]] / inside * bf__cell_pi(m, c);
        value += x[c] * m->reward[c];
    }
    return value;
}

/* How much each closed class counts: by where the process ends from the start states, or, where
 * the log has none, from its own states. */
static bf_status class_shares(double *share, solution *out, const bf__cells *m,
                              const bf__chain *chain, const bf__classes *classes, int32_t gap_class,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    double *from;
    BF_ZALLOC(from, arena, chain->n, err);
    double rows = 0;
    for (int64_t c = 0; c < m->cells; c++)
        rows += m->count[c];
    for (int64_t c = 0; c < m->cells && !m->has_start; c++)
        from[m->state_of[c]] += m->count[c] / rows;
    for (int64_t s = 0; s < m->states && m->has_start; s++)
        from[s] = m->start[s];
    BF_TRY(bf__chain_absorption(share, chain, classes, from, context, arena, err));
    out->start_gap = share[gap_class];
    share[gap_class] = 0;
    double total = 0;
    for (int32_t k = 0; k < classes->count; k++)
        total += share[k];
    for (int64_t c = 0; c < m->cells && total <= 0; c++) { /* none is ever reached: by the rows */
        int32_t k = classes->class_of[m->state_of[c]];
        if (classes->closed[k])
            share[k] += m->count[c] / rows;
    }
    for (int32_t k = 0; k < classes->count && total > 0; k++)
        share[k] /= total;
    return BF_OK;
}

/* The mean duration of a step under the weights x (C); 1 if steps are the time. */
static double duration_of(const bf__cells *m, const double *x) {
    double time = 0;
    for (int64_t c = 0; c < m->cells && m->duration; c++)
        time += x[c] * m->duration[c];
    return time > 0 ? time : 1;
}

/* The minimum where it is 0; out->classes stays 0 where it is not. */
static bf_status solve_chain(solution *out, const bf__cells *m, const bf_context *context,
                             bf_arena *arena, bf_error *err) {
    bf__chain chain;
    bf__classes classes;
    BF_TRY(build_chain(&chain, m, arena, err));
    BF_TRY(bf__chain_classes(&classes, &chain, arena, err));
    int32_t gap_class = classes.class_of[m->states + 1];
    for (int32_t k = 0; k < classes.count; k++)
        out->classes += classes.closed[k] && k != gap_class;
    if (out->classes == 0)
        return BF_OK;
    double *share, *d, *x;
    BF_ZALLOC(share, arena, classes.count, err);
    BF_ALLOC(d, arena, chain.n, err);
    BF_ALLOC(x, arena, m->cells, err);
    bool gaps = false;
    for (int64_t s = 0; s < m->states; s++)
        gaps = gaps || classes.class_of[s] == gap_class || !classes.closed[classes.class_of[s]];
    if (out->classes > 1 || gaps)
        BF_TRY(class_shares(share, out, m, &chain, &classes, gap_class, context, arena, err));
    out->low = INFINITY;
    out->high = -INFINITY;
    memset(out->x, 0, (size_t)m->cells * sizeof *out->x);
    for (int32_t k = 0; k < classes.count; k++) {
        if (!classes.closed[k] || k == gap_class)
            continue;
        double residual, part = out->classes == 1 ? 1 : share[k];
        BF_TRY(bf__chain_stationary(d, &residual, &chain, &classes, k, context, arena, err));
        double value = spread(m, d, x) / duration_of(m, x);
        out->convergence = fmax(out->convergence, residual);
        out->low = fmin(out->low, value);
        out->high = fmax(out->high, value);
        for (int64_t c = 0; c < m->cells; c++)
            out->x[c] += part * x[c];
    }
    return BF_OK;
}

/* ---- What to say about it */

static double coverage(const bf__cells *m, const double *x, const double *miss, double *y) {
    double covered = 1;
    bf__cells_inflow(m, x, y);
    for (int64_t s = 0; s < m->states; s++)
        covered -= y[s] * miss[s];
    return covered < 1 - 1e-14 ? fmax(covered, 0) : 1;
}

static bf_status warn(bf_estimate *out, const solution *s, double objective, const bf__cells *m,
                      bf_arena *arena, bf_error *err) {
    BF_TRY(bf__remark_classes(out, m, s->classes, s->low, s->high, arena, err));
    if (s->start_gap > 1e-9 && !s->filled)
        BF_TRY(bf__warn(out, arena, err, BF__W_UNSEEN_ON_THE_WAY, s->start_gap > 0.01,
                        "from the log's start states the target policy meets a (state, action) "
                        "pair that the log never shows with probability %.3g before it reaches the "
                        "states that the value is about",
                        s->start_gap));
    if (s->classes == 0 && !s->filled && s->gap > 1e-6 * objective)
        BF_TRY(bf__warn(out, arena, err, BF__W_NOT_BEST, true,
                        "the weights are not the best ones: the duality gap is %.3g of a %s of "
                        "%.3g",
                        s->gap, s->l1.edges ? "discrepancy" : "flow residual", objective));
    return bf__remark_doubts(out, m, s->convergence, arena, err);
}

/* The numbers of theorem.h from counts, which are all there is of a log that was read in pieces. */
static void add_theorem(bf_estimate *out, const bf__cells *m, const double *x) {
    double high = 0, signs = 0;
    for (int64_t c = 0; c < m->cells; c++) {
        if (m->count[c] > 0)
            high = fmax(high, (double)m->rows * x[c] / m->count[c]);
        signs += bf__signs_mean(llround(m->count[c]));
    }
    if (!m->row_weight)
        bf__theorem_numbers(out, 0, high, signs, m->rows);
}

static bf_status report(bf_estimate *out, const bf__cells *m, const solution *s, bf_arena *arena,
                        bf_error *err) {
    double *uniform, *miss, *y;
    BF_ALLOC(uniform, arena, m->cells, err);
    BF_ALLOC(miss, arena, m->states, err);
    BF_ALLOC(y, arena, m->states, err);
    for (int64_t c = 0; c < m->cells; c++)
        uniform[c] = m->count[c] / (double)m->rows;
    bf__cells_missing(m, miss);
    double before = loss(s, m, uniform), after = loss(s, m, s->x);
    double covered = coverage(m, s->x, miss, y);
    bf__result_from_cells(out, m, s->x);
    bf__diagnose(out, BF__D_FLOW_RESIDUAL, after);
    bf__diagnose(out, BF__D_FLOW_RESIDUAL_UNIFORM, before);
    bf__diagnose(out, BF__D_COVERAGE, covered);
    bf__diagnose(out, BF__D_COVERAGE_UNIFORM, coverage(m, uniform, miss, y));
    if (s->kernel.width > 0)
        bf__diagnose(out, BF__D_BANDWIDTH, s->kernel.width);
    if (s->filled)
        bf__diagnose(out, BF__D_LEFT_FOR_LOG, s->left);
    else
        bf__diagnose(out, BF__D_DUALITY_GAP, s->gap);
    bf__diagnose(out, BF__D_CELLS, (double)(m->cells - m->absorbing));
    bf__diagnose(out, s->filled ? BF__D_MODEL_CLASSES : BF__D_CLOSED_CLASSES, s->classes);
    if (s->classes > 1) {
        bf__diagnose(out, BF__D_CLASS_VALUE_LOW, s->low);
        bf__diagnose(out, BF__D_CLASS_VALUE_HIGH, s->high);
    }
    if (m->absorbing)
        bf__diagnose(out, BF__D_ABSORBED, s->x[m->cells - 1]);
    add_theorem(out, m, s->x);
    return warn(out, s, s->l1.edges ? s->least : after, m, arena, err);
}

/* The visits of the log's own chain, its gaps filled with what it shows. */
static bf_status solve_filled(solution *out, const bf__cells *m, const bf_context *context,
                              bf_arena *arena, bf_error *err) {
    bf__count_model count;
    BF_TRY(bf__count_model_solve(&count, m, context, arena, err));
    for (int64_t c = 0; c < m->cells; c++)
        out->x[c] = count.mass[m->state_of[c]] * count.pi[c];
    out->filled = true;
    out->left = count.left;
    out->classes = count.closed;
    out->low = count.low;
    out->high = count.high;
    out->convergence = count.residual;
    return BF_OK;
}

/* Whether what the target meets from the start states, or always, is missing in the log. */
static bool has_gaps(const solution *s) {
    return s->classes == 0 || s->start_gap > 1e-9;
}

/* The minimiser of the program, where the minimum is not 0. */
static bf_status solve_program(solution *out, const bf__cells *m, const bf_context *context,
                               bf_arena *arena, bf_error *err) {
    bf__quadratic q;
    bf__qp_result result;
    if (out->l1.edges) {
        bf__l1_result least;
        BF_TRY(bf__simplex_l1(out->x, &least, out->l1.edges, out->l1.cells, out->l1.count, context,
                              arena, err));
        out->least = least.objective;
        out->gap = least.gap;
        return BF_OK;
    }
    if (out->kernel.k)
        BF_TRY(bf__cells_kernel_quadratic(&q, &out->kernel, context, arena, err));
    else
        BF_TRY(bf__cells_quadratic(&q, m, arena, err));
    BF_TRY(bf__simplex_qp(out->x, &result, &q, context, arena, err));
    out->gap = result.gap;
    return BF_OK;
}

typedef struct tabular_options {
    int kernel; /* as in bf__pointwise */
    const char *bandwidth;
    int gaps;        /* GAPS_LOG, ... */
    int discrepancy; /* 0 mmd; otherwise 1 + bf__l1_kind */
} tabular_options;

enum { GAPS_LOG, GAPS_PROGRAM };

static const bf_option rows[] = {
    BF__KERNEL_ROWS(tabular_options, ),
    BF_OPTION_CHOICE(tabular_options, gaps, "log", "log|program",
                     "What to do about pairs that the target takes and the log never shows: go on "
                     "as the log did, or take the least flow residual there is."),
    BF_OPTION_CHOICE(
        tabular_options, discrepancy, "mmd", "mmd|variation|wasserstein",
        "What is least under `gaps` program: the flow residual under the kernel, total "
        "variation, or the distance that mass has to be moved."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox, weights tabular", tabular_options, rows);

static bf_status check_discrepancy(const tabular_options *o, const bf_settings *settings,
                                   bf_error *err) {
    if (o->discrepancy && bf_settings_given(settings, "kernel"))
        return bf_fail(err, BF_EUSAGE, "kernel: is read by `discrepancy` mmd alone");
    if (o->gaps == GAPS_LOG && bf_settings_given(settings, "discrepancy"))
        return bf_fail(err, BF_EUSAGE,
                       "discrepancy: is read with `gaps` program; the log's own chain has none to "
                       "choose");
    return BF_OK;
}

bf_status bf__tabular_estimate(bf_estimate *out, double **mass, const bf__cells *m,
                               const bf_settings *settings, const bf_context *context,
                               bf_arena *arena, bf_error *err) {
    const tabular_options *options = bf_settings_of(settings, &table);
    solution s = {.gap = 0};
    BF_ALLOC(s.x, arena, m->cells, err);
    BF_ALLOC(s.scratch, arena, m->states * m->actions, err);
    const bf__kernel_kind *kind = bf__kernel_at(options->kernel - 1);
    bool wide = kind && kind->wide;
    if (!wide && bf_settings_given(settings, "bandwidth"))
        return bf_fail(err, BF_EUSAGE,
                       "bandwidth: the kernel delta, which tabular weights take unless kernel says "
                       "otherwise, has no width");
    BF_TRY(check_discrepancy(options, settings, err));
    if (options->discrepancy)
        BF_TRY(bf__cells_l1_make(&s.l1, m, (bf__l1_kind)(options->discrepancy - 1), arena, err));
    if (wide)
        BF_TRY(bf__cells_kernel_make(&s.kernel, m, kind->name, options->bandwidth, context, arena,
                                     err));
    BF_TRY(solve_chain(&s, m, context, arena, err));
    if (has_gaps(&s) && options->gaps == GAPS_LOG)
        BF_TRY(solve_filled(&s, m, context, arena, err));
    else if (s.classes == 0)
        BF_TRY(solve_program(&s, m, context, arena, err));
    else
        s.gap = loss(&s, m, s.x); /* the minimum is 0 */
    *mass = s.x;
    return report(out, m, &s, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__cells m;
    double *mass, *weights;
    BF_TRY(bf__cells_build(&m, problem, arena, err));
    BF_TRY(bf__tabular_estimate(out, &mass, &m, settings, context, arena, err));
    BF_TRY(bf__cells_weights(&weights, &m, mass, arena, err));
    out->weights = out->signed_weights = weights;
    return BF_OK;
}

static int suits(const bf_dataset *data) {
    return data->action && data->states > 0 ? 2 : 0;
}

const bf__weights bf__weights_tabular = {
    .model = {"tabular", "one weight per visited (state, action) pair, for finite states", &table,
              BF_TAKES_WEIGHT},
    .suits = suits,
    .run = run,
};
