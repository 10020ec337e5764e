/* runner.c - Runs everything that studies have planned.
 *
 * Jobs are dealt to threads, and to the processes of a team (team/deal.h); agenda.h says what they
 * are. One thread runs a job from beginning to end, and its seeds come from the keys. Therefore the
 * numbers do not depend on the number of threads or processes. The largest jobs go first. The first
 * process has the store. Coordinates, trees, neighbours and pivots of a log are made once for all
 * that is asked of it (core/share.h), which changes no digit. Cells of a log are sorted by their
 * keys, so that methods that ask the same question stand side by side, `blackbox` right before
 * `blackbox-network`, which takes the chain from it.
 *
 * A method that cannot answer leaves NaN, and its message becomes a warning. Seconds are of
 * processor time. */
#include "experiment/runner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backflow/detail.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/share.h"
#include "env/exact.h"
#include "env/simulate.h"
#include "experiment/view.h"
#include "stats/truth.h"
#include "team/deal.h"
#include "trust/trust.h"

enum { MOST_SHARED = 500000000 }; /* bytes, of each log that is worked on */

/* ---- True values */

static bf_status simulate_truth(bf_mean *out, const bf__truth_task *t, const bf_context *context,
                                bf_arena *arena, bf_error *err) {
    bf_truth found;
    bf_context own = *context;
    own.seed = context->seed + (t->single ? 1000003 : 0); /* apart from the long simulation */
    BF_TRY(bf__truth_run(&found, &t->plan, t->setting->env, t->setting->target_policy,
                         t->plan.rewards, &own, arena, err));
    *out = t->setting->asks == BF_ASKS_END ? found.episode_return : found.value;
    return BF_OK;
}

/* The truths of a setting: exact, or as the store has them. */
static bf_status find_truths(bf__truths *out, const bf__setting *s, const bf__truth_effort *effort,
                             uint64_t seed, const bf__store *store, bf_arena *arena,
                             bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    bf_mean *kinds[] = {&out->precise, &out->single};
    bf__truth_task *t;
    out->single = (bf_mean){NAN, NAN};
    BF_ALLOC(t, arena, 1, err);
    for (int k = 0; k < 2; k++)
        if (bf__truth_simulated(s, k == 1)) {
            bf__truth_task_make(t, s, k == 1, effort, seed);
            const bf__record *known = bf__store_find(store, t->key);
            *kinds[k] = (bf_mean){known->value, known->error};
        }
    if (s->measure && s->measure->loss)
        out->precise = (bf_mean){0, 0};
    else if (s->env->model && s->asks == BF_ASKS_STEP) {
        out->precise.error = 0;
        BF_TRY(bf__exact_value(&out->precise.value, s->env, s->target_policy, s->gamma, NULL, arena,
                               err));
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- Running */

typedef struct pool {
    const bf__agenda *agenda;
    bf__store *store; /* of the first process */
    const bf_context *context;
    const bf_allocator *allocator;
    /* What the watcher tells; in the first process. */
    int64_t finished;
    double cost, cost_done;
    char complaint[512]; /* message of a method that could not answer */
} pool;

/* What came out of a cell or of a truth. */
typedef struct result {
    int64_t number; /* of the cell, or of the truth */
    bool is_truth;
    double value, error, seconds;
    char complaint[512];
} result;

static bool go_on(void *deal, const bf_progress *progress) {
    (void)progress;
    return bf__deal_going(deal);
}

static bf_status make_log(bf_dataset *out, const bf__cell *c, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    const bf__setting *s = c->setting;
    bf_simulation simulation = {.env = s->env,
                                .rewards = bf__setting_rewards(s),
                                .behaviors = (const bf_policy *const *)&s->behavior_policy,
                                .behavior_count = 1,
                                .target = s->target_policy,
                                .trajectories = s->trajectories,
                                .steps = s->steps,
                                .per_episode = s->asks != BF_ASKS_STEP};
    double *begin = NULL, value;
    if (s->stationary) {
        BF_ALLOC(begin, arena, s->env->states, err);
        BF_TRY(bf__exact_value(&value, s->env, s->behavior_policy, 1, begin, arena, err));
    }
    return bf__simulate_from(out, &simulation, begin, context, arena, err);
}

/* The interval of an answer, or of its return of an episode; NaN if there is none, or the log
 * cannot tell. */
static bf_status measure_interval(double *half, const bf__contender *method, bool returns,
                                  const bf_estimate *estimate, const bf_estimator *estimator,
                                  const bf_problem *problem, const bf_settings *settings,
                                  const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_trust_options how;
    bf_trust trust;
    BF_TRY(bf_options_init(&bf_trust_table, &how, err));
    how.interval = strcmp(method->interval, "fast") == 0 ? BF_INTERVAL_FAST : BF_INTERVAL_FULL;
    BF_TRY(bf__trust_measure(&trust, estimate, estimator, problem, settings, &how, context, arena,
                             err));
    const bf_interval *interval = returns ? &trust.episode_return : &trust.value;
    bool tells = interval->level > 0 && trust.verdict != BF_VERDICT_CANNOT_TELL;
    *half = tells ? interval->half : NAN;
    return BF_OK;
}

/* The log as the method sees it, and what it is asked. */
static bf_status ask_cell(bf_problem *problem, bf_dataset *seen, const bf__cell *c,
                          const bf_dataset *data, const bf_context *context, bf_arena *arena,
                          bf_error *err) {
    const bf__contender *method = c->method;
    *problem =
        (bf_problem){data, c->setting->gamma, BF_TERMINAL_RESTART, c->setting->target_policy};
    if (method->gamma > 0) {
        problem->gamma = method->gamma;
        problem->terminal = BF_TERMINAL_ABSORB;
    }
    if (!method->view)
        return BF_OK;
    problem->data = seen;
    return bf__view_make(seen, &problem->target, method->view, data, c->setting, context->seed,
                         arena, err);
}

/* The return within the time limit: that many steps along the chain of the log, where what has
 * ended earns nothing. */
static bf_status walk(double *value, double *half, const bf__cell *c, const bf_settings *settings,
                      bf_problem *problem, const bf_context *context, bf_arena *arena,
                      bf_error *err) {
    const bf_horizon *horizon;
    bf_trust_options how;
    bf_interval interval;
    double covered, limit = (double)c->setting->steps;
    int64_t steps = c->setting->steps;
    problem->terminal = BF_TERMINAL_ABSORB;
    BF_TRY(bf_options_init(&bf_trust_table, &how, err));
    BF_TRY(bf_horizon_measure(&horizon, NULL, problem, settings, &steps, 1, &how, context, arena,
                              err));
    bf_horizon_at(horizon, 0, &steps, value, &covered);
    *value *= limit;
    if (bf_horizon_interval(horizon, 0, &interval))
        *half = interval.half * limit;
    return BF_OK;
}

/* The value that a method gives, and half the width of its interval. */
static bf_status answer(double *value, double *half, const bf__cell *c, const bf_dataset *data,
                        const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_estimator *estimator;
    const bf_settings *options;
    bf_dataset seen;
    bf_problem problem;
    bf_estimate estimate;
    const bf__setting *s = c->setting;
    double unit = c->method->gamma > 0 ? 1 - c->method->gamma : 1;
    bool returns = s->asks != BF_ASKS_STEP && unit == 1;
    *half = NAN;
    BF_TRY(ask_cell(&problem, &seen, c, data, context, arena, err));
    if (s->measure)
        return s->measure->run(value, half, s, c->method, &problem, context, arena, err);
    BF_TRY(bf__contender_prepare(&estimator, &options, c->method, s->env->name, arena, err));
    if (c->method->walks)
        return walk(value, half, c, options, &problem, context, arena, err);
    BF_TRY(bf__estimator_run(estimator, &estimate, &problem, options, context, arena, err));
    *value = returns ? bf_estimate_get(&estimate, "episode_return") : estimate.value / unit;
    if (isnan(*value))
        return bf_fail(err, BF_EDATA, "its answer has no return of an episode");
    if (c->method->interval)
        BF_TRY(measure_interval(half, c->method, returns, &estimate, estimator, &problem, options,
                                context, arena, err));
    *half /= unit;
    return BF_OK;
}

static bf_status run_cell(result *out, const bf__cell *c, const bf_dataset *data,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_error why = {BF_OK, ""};
    double begun = bf__thread_seconds();
    bf_status status = answer(&out->value, &out->error, c, data, context, arena, &why);
    if (status == BF_ENOMEM || status == BF_ECANCELLED || status == BF_EABSENT) {
        *err = why;
        return status;
    }
    if (status != BF_OK)
        out->value = out->error = NAN;
    if (isnan(out->value))
        snprintf(out->complaint, sizeof out->complaint, "%.200s: no answer: %.250s", c->key,
                 why.message);
    out->seconds = bf__thread_seconds() - begun;
    return BF_OK;
}

/* Gives each answer as soon as it is there. */
static bf_status ask_all(const pool *p, int64_t number, const bf_dataset *data,
                         const bf_context *own, bf__deal *deal, bf_arena *arena, bf_error *err) {
    const bf__run_job *j = &p->agenda->jobs[number];
    for (int i = 0; i < j->count; i++) {
        result r = {.number = j->cells + i - p->agenda->cells};
        bf_mark mark = bf_arena_mark(arena);
        bf_status status = run_cell(&r, &j->cells[i], data, own, arena, err);
        bf_arena_rewind(arena, mark);
        if (status == BF_OK)
            status = bf__deal_give(deal, number, &r, sizeof r, err);
        BF_TRY(status);
    }
    return BF_OK;
}

/* What the questions about a log have in common, whatever the discount, is made once. */
static bf_status run_cells(const pool *p, int64_t number, bf_context *own, bf__deal *deal,
                           bf_arena *arena, bf_error *err) {
    const bf__run_job *j = &p->agenda->jobs[number];
    bf_rng rng = bf_rng_make(p->context->seed, j->cells->log, (uint64_t)j->cells->run);
    bf_dataset data;
    own->seed = bf_rng_u64(&rng);
    BF_TRY(make_log(&data, j->cells, own, arena, err));
    own->seed = bf_rng_u64(&rng);
    if (j->count > 1)
        BF_TRY(bf__share_create(&data.share, MOST_SHARED, p->allocator, err));
    bf_status status = ask_all(p, number, &data, own, deal, arena, err);
    bf__share_destroy(data.share);
    return status;
}

static bf_status run_truth(const pool *p, int64_t number, bf_context *own, bf__deal *deal,
                           bf_arena *arena, bf_error *err) {
    const bf__truth_task *t = p->agenda->jobs[number].truth;
    double begun = bf__thread_seconds();
    bf_mean value;
    own->seed = p->context->seed;
    BF_TRY(simulate_truth(&value, t, own, arena, err));
    result r = {.number = t - p->agenda->truths,
                .is_truth = true,
                .value = value.value,
                .error = value.error,
                .seconds = bf__thread_seconds() - begun};
    return bf__deal_give(deal, number, &r, sizeof r, err);
}

static bf_status run_job(void *self, int64_t number, bf__deal *deal, bf_error *err) {
    const pool *p = self;
    bf_arena *arena;
    bf_context own = {.callbacks = {.progress = go_on, .context = deal}, .threads = 1};
    BF_TRY(bf_arena_create(&arena, p->allocator, err));
    bf_status status = p->agenda->jobs[number].truth ? run_truth(p, number, &own, deal, arena, err)
                                                     : run_cells(p, number, &own, deal, arena, err);
    bf_arena_destroy(arena);
    return status;
}

static bf_status take(void *self, int64_t number, const void *bytes, size_t size, bf_error *err) {
    pool *p = self;
    result r;
    (void)number;
    (void)size;
    memcpy(&r, bytes, sizeof r);
#pragma omp critical(bf_experiment)
    if (r.complaint[0])
        memcpy(p->complaint, r.complaint, sizeof p->complaint);
    const char *key = r.is_truth ? p->agenda->truths[r.number].key : p->agenda->cells[r.number].key;
    return bf__store_add(p->store, &(bf__record){key, r.value, r.error, r.seconds}, err);
}

static void note_end(void *self, int64_t number) {
    pool *p = self;
#pragma omp critical(bf_experiment)
    {
        p->finished++;
        p->cost_done += p->agenda->jobs[number].cost;
    }
}

static bool tell(void *self) {
    pool *p = self;
    char detail[128], complaint[sizeof p->complaint];
    double done;
#pragma omp critical(bf_experiment)
    {
        snprintf(detail, sizeof detail, "%" PRId64 " of %" PRId64 " jobs", p->finished,
                 p->agenda->job_count);
        memcpy(complaint, p->complaint, sizeof complaint);
        p->complaint[0] = '\0';
        done = p->cost_done;
    }
    if (complaint[0])
        bf__message(p->context, BF_MESSAGE_WARNING, "%s", complaint);
    return bf__progress(p->context, "running", done, p->cost, detail);
}

static bf_status run_all(const bf__agenda *what, bf__store *store, const bf_context *context,
                         const bf__team *team, bf_arena *arena, bf_error *err) {
    pool p = {
        .agenda = what, .store = store, .context = context, .allocator = bf_arena_allocator(arena)};
    for (int64_t j = 0; j < what->job_count; j++)
        p.cost += what->jobs[j].cost;
    bf__work work = {.count = what->job_count,
                     .threads = bf__threads(context),
                     .run = run_job,
                     .take = take,
                     .finished = note_end,
                     .watch = tell,
                     .self = &p};
    bf_status status = what->job_count > 0 ? bf__deal_run(&work, team, arena, err) : BF_OK;
    if (status == BF_ECANCELLED)
        bf_fail(err, status, "interrupted; the same command goes on from here");
    return team ? team->agree(status, err) : status;
}

/* ---- Filling in */

static bf_status fill(bf__run_group *group, uint64_t seed, const bf__store *store, bf_arena *arena,
                      bf_error *err) {
    bf__cell *c;
    BF_ALLOC(c, arena, 1, err);
    BF_ALLOC(group->value, arena, group->runs, err);
    BF_ALLOC(group->seconds, arena, group->runs, err);
    BF_ALLOC(group->error, arena, group->runs, err);
    BF_ALLOC(group->error_single, arena, group->runs, err);
    BF_ALLOC(group->half, arena, group->runs, err);
    for (int64_t run = 0; run < group->runs; run++) {
        bf__cell_make(c, group, seed, run);
        const bf__record *record = bf__store_find(store, c->key);
        group->value[run] = record->value;
        group->seconds[run] = record->seconds;
        group->half[run] = record->error;
        group->error[run] = record->value - group->truth.precise.value;
        group->error_single[run] = record->value - group->truth.single.value;
    }
    group->covering = bf__covering_of(group, 1, NULL);
    BF_TRY(bf__spread_of(&group->spread, group->error, group->runs, seed, arena, err));
    return bf__spread_of(&group->spread_single, group->error_single, group->runs, seed, arena, err);
}

bf_status bf__studies_run(bf__study *studies, int count, const bf__truth_effort *effort,
                          bf__store *store, const bf_context *context, const bf__team *team,
                          bf_arena *arena, bf_error *err) {
    bf__agenda what;
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(bf__agenda_make(&what, studies, count, effort, context->seed, store, team, arena, err));
    BF_TRY(run_all(&what, store, context, team, arena, err));
    bf_arena_rewind(arena, mark);
    for (int s = 0; s < count && store; s++)
        for (int64_t g = 0; g < studies[s].group_count; g++) {
            bf__run_group *group = &studies[s].groups[g];
            BF_TRY(find_truths(&group->truth, &group->setting, effort, context->seed, store, arena,
                               err));
            BF_TRY(fill(group, context->seed, store, arena, err));
        }
    return BF_OK;
}
