/* corrected.c - Black-box weights for real-valued states: neighbours, then corrected on features.
 *
 * Estimates   median over 2 widths x 2 ridges of sum_i w_i r_i, w of rebalance.c on the base
 *             weights of base.c; not outside the rewards of the log
 * Cost        the base, and O(N m^2 + n m) per width, m = n / 5 features, 50 to 600, and from
 *             40,000 rows on 600 (40,000 / n)^(1/4), but 400 or more; N = n up to 40,000 rows, then
 *             sqrt(40,000 n)
 *
 * If steps are noisy (noise.c), a correction leaves out a row's own part, and its ridge is at least
 * what that allows.
 * Corrected weights have signs. A correction is not believed if it makes more than a twentieth of
 * the mass negative, or if it leaves less than half of the effective sample that the base weights
 * have: then it balances the flow on features by a few rows that happen to fit. Its ridge is raised
 * tenfold until it is believed. Where that does not help the base weights stand in for it. What it
 * then leaves unbalanced is taken out as far as networks see it (residue.c), which are fitted once,
 * if it comes to that. The value is that of the weights with signs.
 *
 * The weights that are handed out come in two kinds. Those with signs are of the variant that gives
 * the median, or the mean of the two that do: they give the value. Those without are the mean over
 * the four, with negative ones set to 0 and the rest scaled to the same sum: `negative_mass` says
 * how much that was, and `weights_value` what they give. docs/notes/defaults.md has the trials that
 * all numbers here come from. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "estimator/judge.h"
#include "estimator/result.h"
#include "weights/base.h"
#include "weights/corrected.h"
#include "weights/neighbours.h"
#include "weights/noise.h"
#include "weights/residue.h"

enum { WIDTHS = BF__MOST_BASES, RIDGES = 2, MEMBERS = WIDTHS * RIDGES, RUNGS = 5 };
_Static_assert((int)MEMBERS == (int)BF__MOST_MEMBERS, "a fit has room for all members");
enum { FEATURES = 600, FEWEST = 400, ALL_ROWS = 40000 };
static const double widths[WIDTHS] = {2, 1}; /* the last one's features serve the report */
static const double credible = 0.05, costly = 2;

typedef struct trial {
    bf__points points;
    bf__pair_kernel kernel;
    bf__neighbours base;
    double noise;        /* share of the steps' changes that is noise */
    bf_auto given;       /* the ridge */
    double ridge[RUNGS]; /* each ten times the one before */
    int ridges;          /* members of a width: they start at the first, the second, ... */
    int64_t rank, m;     /* features asked for and had */
    bf__sample some;     /* rows that moments are summed over; none: all */
    double *sum;         /* (n): sum of the members' weights */
    double *member;      /* (MEMBERS, n): the weights of each */
    double *w;           /* (RUNGS, n), of which the first `made` are made */
    int made;
    double value[MEMBERS];
    int members, raised, abandoned, judged;
    double *gap;      /* (BF__RESIDUE_NETWORKS, n), of which `gaps`; NULL: networks are not asked */
    int gaps;         /* -1: not yet */
    double *balanced; /* (n) */
    bool interrupted;
    double residual[2]; /* of the weights, of equal weights */
    bf__fit *fit;       /* what is kept for other rows; NULL: nothing */
    bf_arena *kept;     /* where */
    double *quantity;   /* (quantities, n) of the fit */
} trial;

/* The ladder of ridges: from what was asked for on, or from the least that makes sense. */
static void climb(trial *t, double least) {
    t->ridge[0] = t->given.given ? t->given.value : fmax(1e-10, least);
    for (int s = 1; s < RUNGS; s++)
        t->ridge[s] = 10 * t->ridge[s - 1];
}

/* With many rows the flow of the base weights nearly balances already, and a correction gains more
 * by rows per feature than by features. */
static int64_t choose_rank(int64_t wanted, int64_t n) {
    if (wanted > 0)
        return wanted;
    int64_t rank = n / 5 < 50 ? 50 : n / 5, most = FEATURES;
    if (n > ALL_ROWS)
        most = (int64_t)fmax(FEWEST, FEATURES * pow(ALL_ROWS / (double)n, 0.25));
    return rank < most ? rank : most;
}

/* Rows that the moments of a correction are summed over. */
static int64_t choose_rows(int64_t n) {
    return n <= ALL_ROWS ? n : (int64_t)sqrt(ALL_ROWS * (double)n);
}

static double mean_reward(const double *w, const double *reward, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += w[i] * reward[i];
    return sum;
}

static bool believable(const trial *t, const double *w, int64_t n) {
    double negative = 0, sum = 0, squares = 0, before = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += w[i];
        negative -= w[i] < 0 ? w[i] : 0;
        squares += w[i] * w[i];
        before += t->base.u[i] * t->base.u[i];
    }
    return isfinite(sum) && negative <= credible * t->base.sum && squares <= costly * before;
}

/* The first `rungs` of t->w; those above are made where they are needed. */
static bf_status fit_rungs(trial *t, int rungs, const bf__correction *correction, int64_t n,
                           const bf_context *context, bf_arena *arena, bf_error *err) {
    if (rungs <= t->made)
        return BF_OK;
    BF_TRY(bf__correct(t->w + t->made * n, correction, t->ridge + t->made, rungs - t->made, context,
                       arena, err));
    t->made = rungs;
    return BF_OK;
}

/* *use, weights that leave a part of the flow unbalanced, become ones that do not on the gaps of
 * networks, if those are believed. */
static bf_status ask_networks(const double **use, trial *t, const bf_problem *problem,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    if (t->gaps < 0)
        BF_TRY(bf__residue_find(t->gap, &t->gaps, problem, &t->points, context, arena, err));
    BF_TRY(bf__residue_balance(t->balanced, *use, t->base.u, t->gap, t->gaps, n, arena, err));
    if (t->gaps == 0 || !believable(t, t->balanced, n))
        return BF_OK;
    *use = t->balanced;
    t->judged++;
    return BF_OK;
}

/* One member: the weights of the least ridge from `rung` on that are believable, or the base. */
static bf_status add_member(trial *t, int rung, const bf__correction *correction,
                            const bf_problem *problem, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    int64_t n = problem->data->n;
    int at = rung;
    for (; at < RUNGS; at++) {
        BF_TRY(fit_rungs(t, at + 1, correction, n, context, arena, err));
        if (believable(t, t->w + at * n, n))
            break;
    }
    const double *use = at < RUNGS ? t->w + at * n : t->base.u;
    t->raised += at > rung && at < RUNGS;
    t->abandoned += at == RUNGS;
    if (at > rung && t->gap)
        BF_TRY(ask_networks(&use, t, problem, context, arena, err));
    for (int64_t i = 0; i < n; i++)
        t->sum[i] += use[i];
    memcpy(t->member + t->members * n, use, (size_t)n * sizeof *use);
    t->value[t->members++] = mean_reward(use, problem->data->reward, n);
    if (!t->fit)
        return BF_OK;
    bf__basis *basis = &t->fit->basis[t->fit->bases - 1];
    double *beta = basis->beta + (int64_t)basis->members++ * t->fit->quantities * basis->m;
    t->fit->members++;
    return at == RUNGS ? BF_OK
                       : bf__correction_value(beta, correction, t->quantity, t->fit->quantities,
                                              t->ridge[at], context, arena, err);
}

/* The base weights as the only member. */
static void add_base(trial *t, const double *reward, int64_t n) {
    t->members = 1;
    t->raised = t->abandoned = t->judged = 0;
    memcpy(t->sum, t->base.u, (size_t)n * sizeof *t->sum);
    memcpy(t->member, t->base.u, (size_t)n * sizeof *t->member);
    t->value[0] = mean_reward(t->base.u, reward, n);
}

/* w (n), not negative, from the sum over members; the mass that was negative. */
static double clip(double *w, const trial *t, int64_t n) {
    double negative = 0, positive = 0, scale = 1.0 / t->members;
    for (int64_t i = 0; i < n; i++) {
        w[i] = scale * t->sum[i];
        negative -= w[i] < 0 ? w[i] : 0;
        positive += w[i] > 0 ? w[i] : 0;
    }
    for (int64_t i = 0; i < n; i++)
        w[i] = w[i] > 0 ? w[i] * t->base.sum / positive : 0;
    return negative;
}

/* ---- What is kept of it */

/* What the value is the mean of, and whether a step ends. */
static bf_status find_quantities(trial *t, const bf_problem *problem, bf_arena *arena,
                                 bf_error *err) {
    const bf_dataset *data = problem->data;
    t->fit->quantities = t->points.steps.restarts && problem->gamma == 1 ? 2 : 1;
    BF_ALLOC(t->quantity, arena, t->fit->quantities * data->n, err);
    for (int64_t i = 0; i < data->n; i++) {
        t->quantity[i] = data->reward[i];
        if (t->fit->quantities > 1)
            t->quantity[data->n + i] = bf__step_ended(&t->points.steps, i);
    }
    return BF_OK;
}

/* The features as a basis, with room for its members. */
static bf_status keep_basis(trial *t, const bf__lowrank *lowrank, bf_arena *arena, bf_error *err) {
    bf__basis *b = &t->fit->basis[t->fit->bases++];
    const bf__flow *f = lowrank->flow;
    const bf__data_d *from = &lowrank->pivots;
    *b = (bf__basis){.m = lowrank->m,
                     .flow = {.d = f->d,
                              .actions = f->actions,
                              .action_dim = f->action_dim,
                              .samples = f->samples,
                              .kernel = f->kernel}};
    BF_TRY(bf__data_make(&b->pivots, &b->flow, from->z, from->action, from->u, b->m, arena, err));
    BF_ZALLOC(b->beta, arena, RIDGES * t->fit->quantities * b->m, err);
    return BF_OK;
}

/* ---- Stage 2 */

static bf_status correct_width(trial *t, double *w, double *negative, bool last, double width,
                               const bf_problem *problem, const bf_context *context,
                               bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    bf_mark mark = bf_arena_mark(arena);
    bf__lowrank *lowrank;
    BF_TRY(bf__features_make(&lowrank, &t->points, &t->kernel, width, t->rank,
                             t->base.sum > 0 ? t->base.u : NULL, context, arena, err));
    t->m = lowrank->m;
    if (t->fit)
        BF_TRY(keep_basis(t, lowrank, t->kept, err));
    if (t->base.sum > 0) {
        bf__correction *correction;
        bf__lowrank part;
        if (t->some.n > 0)
            BF_TRY(bf__features_part(&part, lowrank, &t->points, &t->kernel, width, &t->some, arena,
                                     err));
        BF_TRY(bf__correction_make(&correction, &t->base, lowrank, t->some.n > 0 ? &t->some : NULL,
                                   &part, bf__steps_are_noisy(t->noise), problem->gamma, context,
                                   arena, err));
        climb(t, bf__correction_least(correction));
        t->made = 0;
        BF_TRY(fit_rungs(t, t->ridges, correction, n, context, arena, err));
        for (int s = 0; s < t->ridges; s++)
            BF_TRY(add_member(t, s, correction, problem, context, arena, err));
    } else {
        add_base(t, problem->data->reward, n);
    }
    if (last) {
        *negative = clip(w, t, n);
        memcpy(t->w, w, (size_t)n * sizeof *w);
        for (int64_t i = 0; i < n; i++)
            t->w[n + i] = bf__point_weight(&t->points, i) / (double)n;
        BF_TRY(bf__features_residual(t->residual, lowrank, t->w, 2, t->base.ends, problem->gamma,
                                     context, arena, err));
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* The median of the members, the weights (n) that give it, and the standard deviation of the
 * members' values. */
static double summarise(double *spread, double *with_signs, const trial *t, int64_t n) {
    double mean = 0, square = 0;
    int m = t->members, order[MEMBERS];
    for (int s = 0; s < m; s++) {
        int at = s;
        for (; at > 0 && t->value[order[at - 1]] > t->value[s]; at--)
            order[at] = order[at - 1];
        order[at] = s;
        mean += t->value[s] / m;
    }
    for (int s = 0; s < m; s++)
        square += (t->value[s] - mean) * (t->value[s] - mean) / m;
    *spread = sqrt(square);
    int below = order[(m - 1) / 2], above = order[m / 2];
    for (int64_t i = 0; i < n; i++)
        with_signs[i] = 0.5 * (t->member[below * n + i] + t->member[above * n + i]);
    return 0.5 * (t->value[below] + t->value[above]);
}

static bf_status warn(bf_estimate *out, const trial *t, bf_arena *arena, bf_error *err) {
    if (t->abandoned > 0)
        BF_TRY(bf__warn(out, arena, err, BF__W_CORRECTION_DROPPED, false,
                        "%d of %d corrections were not credible (too much negative weight, or too "
                        "few rows that carry it): the base weights stand in for them%s",
                        t->abandoned, t->members,
                        t->judged > 0 ? ", balanced on what networks find" : ""));
    if (t->interrupted)
        BF_TRY(bf__warn(out, arena, err, BF__W_INTERRUPTED, true,
                        "interrupted: these are the base weights, not corrected"));
    return BF_OK;
}

/* Stage 2, both widths. An interruption leaves the base weights. */
static bf_status correct(trial *t, double *w, double *negative, const bf_problem *problem,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n;
    for (int s = 0; s < WIDTHS; s++) {
        bf_arena *scratch = arena; /* what is kept in between must not be given back with it */
        if (t->fit)
            BF_TRY(bf_arena_create(&scratch, NULL, err));
        bf_status status = t->interrupted
                               ? BF_ECANCELLED
                               : correct_width(t, w, negative, s == WIDTHS - 1, widths[s], problem,
                                               context, scratch, err);
        if (t->fit)
            bf_arena_destroy(scratch);
        if (status == BF_ECANCELLED && !t->fit) {
            t->interrupted = true;
            add_base(t, problem->data->reward, n);
            *negative = clip(w, t, n);
            t->residual[0] = t->residual[1] = NAN;
            return BF_OK;
        }
        BF_TRY(status);
    }
    return BF_OK;
}

typedef struct corrected_options {
    bf__pointwise at;
    int64_t neighbours;
    bf_auto ridge;
    bool runs, networks;
} corrected_options;

static const bf_option rows[] = {
    BF__POINTWISE_ROWS(corrected_options, at.),
    BF__NEIGHBOURS_ROW(corrected_options),
    BF__LAMBDA_ROW(corrected_options),
    BF_OPTION(
        corrected_options, runs, "yes",
        "Begin with weights of runs of the target in the process as the log shows it, if steps "
        "are a function of state and action, in few dimensions and up to 80,000 rows; "
        "--no-runs: with those of a chain on the logged pairs alone."),
    BF_OPTION(
        corrected_options, networks, "yes",
        "Balance corrections that had to be weakened on the action values of two networks as "
        "well, in few dimensions and from 1,000 to 80,000 rows; --no-networks: leave them weak."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of blackbox, weights corrected", corrected_options, rows);

extern const bf__weights bf__weights_corrected;

/* `fit` may be NULL. */
static bf_status weigh(bf_estimate *out, bf__fit *fit, const bf_problem *problem,
                       const bf_settings *settings, const bf_context *context, bf_arena *arena,
                       bf_error *err) {
    const corrected_options *options = bf_settings_of(settings, &table);
    int64_t n = problem->data->n;
    trial t = {.fit = fit, .kept = arena};
    double *w, *with_signs, negative = 0, spread, runs;
    t.given = options->ridge;
    t.ridges = options->ridge.given ? 1 : RIDGES;
    t.rank = choose_rank(options->at.features, n);
    BF_TRY(bf__points_make(&t.points, problem, options->at.periodic, options->at.scale, context,
                           arena, err));
    BF_TRY(bf__features_read(&t.kernel, &t.points, &options->at, arena, err));
    bf__neighbours_note(&t.points, context);
    BF_ALLOC(w, arena, n, err);
    BF_TRY(bf__step_noise(&t.noise, &t.points, arena, err));
    bf_status status = bf__base_make(&t.base, &runs, problem, &t.points, &t.kernel,
                                     options->runs ? t.noise : INFINITY, (int)options->neighbours,
                                     context, arena, err);
    t.interrupted = status == BF_ECANCELLED && t.base.u && !fit;
    BF_TRY(t.interrupted ? BF_OK : status);
    if (choose_rows(n) < n && t.base.sum > 0)
        BF_TRY(bf__sample_draw(&t.some, t.base.u, n, choose_rows(n), t.points.seed, arena, err));
    BF_ZALLOC(t.sum, arena, n, err);
    BF_ALLOC(t.member, arena, MEMBERS * n, err);
    BF_ALLOC(t.w, arena, RUNGS * n, err);
    t.gaps = -1;
    if (options->networks && !fit && t.base.sum > 0 && bf__residue_suit(&t.points)) {
        BF_ALLOC(t.gap, arena, BF__RESIDUE_NETWORKS * n, err);
        BF_ALLOC(t.balanced, arena, n, err);
    }
    if (fit)
        BF_TRY(find_quantities(&t, problem, arena, err));
    BF_TRY(correct(&t, w, &negative, problem, context, arena, err));
    bf__result_from_weights(out, problem, w);
    double shown = out->value;
    BF_ALLOC(with_signs, arena, n, err);
    out->value = summarise(&spread, with_signs, &t, n);
    bf__diagnose(out, BF__D_WEIGHTS_VALUE, shown);
    bf__diagnose(out, BF__D_BASE_VALUE, mean_reward(t.base.u, problem->data->reward, n));
    bf__diagnose(out, BF__D_RUNS, runs);
    bf__diagnose(out, BF__D_SPREAD, spread);
    bf__diagnose(out, BF__D_STEP_NOISE, t.noise);
    bf__diagnose(out, BF__D_NEGATIVE_MASS, negative);
    bf__diagnose(out, BF__D_RAISED, t.raised);
    bf__diagnose(out, BF__D_JUDGED, t.judged);
    BF_TRY(bf__neighbours_report(out, &t.points, &t.base, t.residual[0], t.residual[1], t.m, arena,
                                 err));
    BF_TRY(warn(out, &t, arena, err));
    if (fit) {
        fit->points = t.points;
        fit->base = t.base;
        fit->noise = t.noise;
    }
    return bf__hand_out(out, problem, w, with_signs, NAN, arena, err);
}

static bf_status run(bf_estimate *out, const bf_problem *problem, const bf_settings *settings,
                     const bf_context *context, bf_arena *arena, bf_error *err) {
    return weigh(out, NULL, problem, settings, context, arena, err);
}

bf_status bf__corrected_fit(bf_estimate *out, bf__fit *fit, const bf_problem *problem,
                            const bf_settings *settings, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    *fit = (bf__fit){.bases = 0};
    out->model = bf__weights_corrected.model.name;
    return weigh(out, fit, problem, settings, context, arena, err);
}

static int suits(const bf_dataset *data) {
    return bf__dataset_counts(data) ? 1 : 2;
}

const bf__weights bf__weights_corrected = {
    .model = {"corrected", "neighbours, corrected so that the flow balances on kernel features",
              &table, BF_TAKES_WEIGHT},
    .suits = suits,
    .run = run,
};
