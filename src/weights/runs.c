/* runs.c - Weights from runs of the target in the process as the log shows it.
 *
 * The chain of neighbours_chain.c puts every next state onto logged ones around it, at each step.
 * Its states are spread a little each time, and over an episode that adds up: a car that would just
 * reach its goal is taken for some that do and some that do not. A run keeps the state that it has
 * come to, whether the log has it or not (local.c), and is put onto logged pairs only to be
 * counted. So nothing adds up, and what is left is of the order of one step.
 *
 * Runs begin where the chain says that the target is, and go on for STEPS steps, of which the first
 * BURN are not counted, as the chain may be wrong there. The action is drawn by what the target
 * does at the nearest next state of the log. A step ends as often as its neighbours do, and then,
 * or with probability 1 - gamma, the run begins anew at a start state.
 *
 * What runs do not have is what is rare: the chain follows every action, however seldom it is
 * taken, and runs only those that were drawn.
 *
 * Two runs are made side by side, because two steps together take less time (solver/hull.c).
 *
 * Cost  5 to 10 microseconds a step; 20 steps for each row, but 51,200 to 409,600 */
#include "weights/runs.h"

#include <string.h>

#include "backflow/rng.h"
#include "core/context.h"
#include "core/fail.h"
#include "weights/local.h"

enum { STEPS = 800, BURN = 400, FEWEST = 64, MOST = 512, ROWS_EACH = 40 };
enum { BLOCKS = 16, TOGETHER = 2 }; /* that runs are dealt to; runs side by side on a thread */
enum { TURNS = 2 };                 /* runs of each block between two reports of progress */
static const double quiet = 0.01;   /* share of noise that counts as none */

bool bf__runs_suit(const bf__points *points, double noise) {
    return points->actions > 0 && points->d <= BF__FEW_DIMENSIONS &&
           points->size <= BF__SMALL_LOG && !points->weight && !points->steps.absorbs &&
           noise <= quiet;
}

/* What runs of one block share: they are one after the other, so that digits do not depend on
 * threads. */
typedef struct block {
    double *visits; /* (nodes) */
    bf__local_step step;
} block;

typedef struct runs {
    const bf__points *points;
    const bf__local *local;
    const double *passed; /* (n + 1): sums of u */
    int64_t count;
    block *blocks; /* (BLOCKS) */
} runs;

/* A row, drawn by u among those of run r. */
static int64_t draw_row(const runs *all, int64_t r, bf_rng *rng) {
    int64_t low = 0, high = all->points->n;
    double share = ((double)r + bf_rng_uniform(rng)) / (double)all->count;
    double aim = share * all->passed[high];
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        if (all->passed[middle] <= aim)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static int64_t draw_start(const bf__points *f, bf_rng *rng) {
    double left = bf_rng_uniform(rng) * (double)f->starts;
    if (!f->weight0)
        return (int64_t)left;
    int64_t s = 0;
    while (s < f->starts - 1 && (left -= f->weight0[s]) >= 0)
        s++;
    return s;
}

/* What the target does at a state: pi[b * stride] is the probability of action b. */
typedef struct choice {
    const double *pi;
    int64_t stride;
} choice;

/* x (d) becomes a start state. */
static choice begin(double *x, const bf__points *f, bf_rng *rng) {
    int64_t s = draw_start(f, rng);
    for (int c = 0; c < f->d; c++)
        x[c] = f->z0[c * f->starts + s];
    return (choice){f->pi0 + s, f->starts};
}

/* A run under way. */
typedef struct runner {
    block *own;
    bf_rng rng;
    double x[BF__FEW_DIMENSIONS];
    choice at; /* what the target does at x */
    bool anew; /* the episode is over */
} runner;

static void set_off(runner *out, const runs *all, int64_t r) {
    const bf__points *f = all->points;
    out->own = &all->blocks[r % BLOCKS];
    out->rng = bf_rng_make(f->seed, "runs", (uint64_t)r);
    int64_t row = draw_row(all, r, &out->rng);
    out->at = (choice){f->npi + row, f->n};
    out->anew = bf__step_ended(&f->steps, row);
    for (int c = 0; c < f->d; c++)
        out->x[c] = f->nz[c * f->n + row];
}

static int act(runner *self, const bf__points *f) {
    if (self->anew)
        self->at = begin(self->x, f, &self->rng);
    return bf_rng_choice(&self->rng, self->at.pi, self->at.stride, f->actions);
}

static void count(const runner *self) {
    const bf__local_step *step = &self->own->step;
    for (int j = 0; j < step->count; j++)
        self->own->visits[step->node[j]] += step->weight[j];
}

static void go_on(runner *self, const runs *all) {
    const bf__points *f = all->points;
    const bf__local_step *step = &self->own->step;
    self->anew =
        bf_rng_uniform(&self->rng) < step->ended || bf_rng_uniform(&self->rng) >= f->steps.gamma;
    if (self->anew)
        return;
    memcpy(self->x, step->next, (size_t)f->d * sizeof *self->x);
    self->at = (choice){f->npi + bf__local_row(all->local, self->x), f->n};
}

/* Makes runs r and r + 1, which are of different blocks. */
static void run_two(const runs *all, int64_t r) {
    runner pair[TOGETHER];
    bf__local_step *step[TOGETHER];
    const double *x[TOGETHER];
    int action[TOGETHER];
    for (int k = 0; k < TOGETHER; k++) {
        set_off(&pair[k], all, r + k);
        step[k] = &pair[k].own->step;
        x[k] = pair[k].x;
    }
    for (int t = 0; t < STEPS; t++) {
        for (int k = 0; k < TOGETHER; k++)
            action[k] = act(&pair[k], all->points);
        bf__local_take_two(step, all->local, x, action);
        for (int k = 0; k < TOGETHER; k++) {
            if (t >= BURN)
                count(&pair[k]);
            go_on(&pair[k], all);
        }
    }
}

/* TURNS runs of every block, and again. */
static bf_status run_all(const runs *all, const bf_context *context, bf_error *err) {
    for (int64_t first = 0; first < all->count; first += TURNS * BLOCKS) {
        int64_t end = first + TURNS * BLOCKS;
        int64_t last = end < all->count ? end : all->count;
#pragma omp parallel for schedule(dynamic, 1) num_threads(bf__threads(context))
        for (int64_t b = 0; b < BLOCKS; b += TOGETHER)
            for (int64_t r = first + b; r < last; r += BLOCKS)
                run_two(all, r);
        if (!bf__progress(context, "running the target", (double)last, (double)all->count, NULL))
            return bf_fail(err, BF_ECANCELLED, "interrupted");
    }
    return BF_OK;
}

/* From nodes to rows: rows of one node share its visits. */
static void to_rows(double *visits, const runs *all) {
    const bf__nodes *nodes = &all->local->nodes;
    double sum = 0;
    for (int64_t r = 0; r < nodes->rows; r++) {
        int64_t node = nodes->node_of[r];
        double *at = &visits[nodes->row[r]];
        *at = 0;
        for (int b = 0; b < BLOCKS; b++)
            *at += all->blocks[b].visits[node] / nodes->count[node];
        sum += *at;
    }
    for (int64_t i = 0; i < all->points->n; i++)
        visits[i] /= sum;
}

bf_status bf__runs_visit(double *visits, const bf__points *points, const double *u, int k,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t n = points->n;
    double *passed;
    runs all = {.points = points, .count = n / ROWS_EACH};
    all.count = all.count < FEWEST ? FEWEST : all.count > MOST ? MOST : all.count;
    all.count -= all.count % TOGETHER;
    BF_TRY(bf__local_make(&all.local, points, k, arena, err));
    memset(visits, 0, (size_t)n * sizeof *visits);
    if (all.local->going_on > 0) {
        BF_ALLOC(passed, arena, n + 1, err);
        passed[0] = 0;
        for (int64_t i = 0; i < n; i++)
            passed[i + 1] = passed[i] + u[i];
        all.passed = passed;
        BF_ALLOC(all.blocks, arena, BLOCKS, err);
        for (int b = 0; b < BLOCKS; b++)
            BF_ZALLOC(all.blocks[b].visits, arena, all.local->nodes.n, err);
        BF_TRY(run_all(&all, context, err));
        to_rows(visits, &all);
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
