/* runner.c - Runs everything that studies have planned.
 *
 * A *cell* is one run of one group; its key says everything that it depends on. Cells that the
 * store does not have are sorted by the log that they need. A *job* is one log and everything that
 * is asked of it. One thread runs a job from beginning to end, and its seeds come from the keys.
 * Therefore the numbers do not depend on the number of threads. The largest jobs go first. The
 * caller's own thread watches the others and reports progress.
 *
 * A method that cannot answer leaves NaN, and its message becomes a warning.
 *
 * The file is a little over 400 lines: cells and jobs are structs of this file alone. */
#include "experiment/runner.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/text.h"
#include "env/exact.h"
#include "env/simulate.h"
#include "policy/kind.h"
#include "stats/truth.h"
#include "trust/trust.h"

#define CHAIN_STEPS  20000
#define SHORTEST_NAP 500000 /* nanoseconds; a small run should not wait for the watcher */
#define LONGEST_NAP  50000000

typedef struct cell {
    char log[BF_KEY_SIZE]; /* names the log that the cells of one job share */
    char key[BF_KEY_SIZE];
    const bf__setting *setting;
    const bf__contender *method;
    int64_t run;
} cell;

typedef struct job {
    const cell *cells;
    int count;
    double cost;
} job;

/* A policy as keys name it: a file by its content too, for the name alone would take the runs of an
 * older file for those of a newer one. */
typedef char policy_name[BF_KEY_SIZE / 2 - 100];
static void name_policy(policy_name out, const char *text, const bf_policy *policy) {
    if (policy->content)
        snprintf(out, sizeof(policy_name), "%s#%016" PRIx64, text, policy->content);
    else
        snprintf(out, sizeof(policy_name), "%s", text);
}

static void write_keys(cell *out, const bf__run_group *group, uint64_t seed, int64_t run) {
    const bf__setting *s = &group->setting;
    policy_name behavior, target;
    name_policy(behavior, s->behavior, s->behavior_policy);
    name_policy(target, s->target, s->target_policy);
    snprintf(out->log, sizeof out->log, "%s,%s,%s,%" PRId64 ",%" PRId64, s->env->name, behavior,
             target, s->trajectories, s->steps);
    char gamma[32];
    bf__format_real(gamma, s->gamma); /* all of it */
    snprintf(out->key, sizeof out->key, "%.900s,%s,%s,%" PRIu64 ",%" PRId64, out->log, gamma,
             group->method->name, seed, run);
    out->setting = s;
    out->method = group->method;
    out->run = run;
}

/* ---- True values */

static bf_status simulate_truth(bf_mean *out, const bf__setting *s, bool single,
                                const bf__truth_effort *effort, bf__store *store,
                                const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_truth_plan plan = {.kind = s->gamma < 1 ? BF_TRUTH_DISCOUNTED : BF_TRUTH_AVERAGE,
                          .gamma = s->gamma,
                          .burn_in = -1};
    if (single) {
        plan.chains = 1;
        plan.steps = effort->single;
        plan.burn_in = 0;
    } else {
        bf__truth_defaults(&plan, s->env);
        plan.steps = s->gamma < 1 ? plan.steps : CHAIN_STEPS;
        plan.chains = effort->steps / plan.steps > 2 ? effort->steps / plan.steps : 2;
    }
    char key[BF_KEY_SIZE], gamma[32];
    policy_name name;
    name_policy(name, s->target, s->target_policy);
    bf__format_real(gamma, s->gamma);
    snprintf(key, sizeof key, "%s,,%s,%" PRId64 ",%" PRId64 ",%s,%s,%" PRIu64 ",0", s->env->name,
             name, plan.chains, plan.steps, gamma, single ? "(single)" : "(precise)",
             context->seed);
    const bf__record *known = bf__store_find(store, key);
    if (known) {
        *out = (bf_mean){known->value, known->error};
        return BF_OK;
    }
    bf_truth truth;
    bf_mark mark = bf_arena_mark(arena);
    double begun = bf__seconds();
    bf_context own = *context;
    own.seed = context->seed + (single ? 1000003 : 0); /* apart from the long simulation */
    BF_TRY(
        bf__truth_run(&truth, &plan, s->env, s->target_policy, BF_REWARDS_PAPER, &own, arena, err));
    *out = truth.value;
    bf_arena_rewind(arena, mark);
    return bf__store_add(store, &(bf__record){key, out->value, out->error, bf__seconds() - begun},
                         err);
}

static bf_status find_truths(bf__truths *out, const bf__setting *s, const bf__truth_effort *effort,
                             bf__store *store, const bf_context *context, bf_arena *arena,
                             bf_error *err) {
    out->single = (bf_mean){NAN, NAN};
    if (s->gamma == 1)
        BF_TRY(simulate_truth(&out->single, s, true, effort, store, context, arena, err));
    if (!s->env->model)
        return simulate_truth(&out->precise, s, false, effort, store, context, arena, err);
    bf_mark mark = bf_arena_mark(arena);
    out->precise.error = 0;
    BF_TRY(
        bf__exact_value(&out->precise.value, s->env, s->target_policy, s->gamma, NULL, arena, err));
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status interrupted(bf_error *err) {
    return bf_fail(err, BF_ECANCELLED, "interrupted; the same command goes on from here");
}

static bf_status find_all_truths(bf__study *studies, int count, const bf__truth_effort *effort,
                                 bf__store *store, const bf_context *context, bf_arena *arena,
                                 bf_error *err) {
    for (int s = 0; s < count; s++)
        for (int64_t g = 0; g < studies[s].group_count; g++) {
            bf__run_group *group = &studies[s].groups[g];
            bf_status status =
                find_truths(&group->truth, &group->setting, effort, store, context, arena, err);
            if (status != BF_OK)
                return status == BF_ECANCELLED ? interrupted(err) : status;
        }
    return BF_OK;
}

/* ---- What has to be run */

static int by_log(const void *left, const void *right) {
    const cell *a = left, *b = right;
    int order = strcmp(a->log, b->log);
    if (order == 0)
        order = (a->run > b->run) - (a->run < b->run);
    return order ? order : strcmp(a->key, b->key);
}

static int by_cost(const void *left, const void *right) {
    const job *a = left, *b = right;
    int order = (a->cost < b->cost) - (a->cost > b->cost);
    return order ? order : by_log(a->cells, b->cells);
}

/* Collects every cell that the store does not have, each once. */
static bf_status collect(cell **out, int64_t *count, const bf__study *studies, int study_count,
                         uint64_t seed, const bf__store *store, bf_arena *arena, bf_error *err) {
    int64_t room = 0, found = 0, distinct = 0;
    for (int s = 0; s < study_count; s++)
        for (int64_t g = 0; g < studies[s].group_count; g++)
            room += studies[s].groups[g].runs;
    BF_ALLOC(*out, arena, room, err);
    cell *cells = *out;
    for (int s = 0; s < study_count; s++)
        for (int64_t g = 0; g < studies[s].group_count; g++)
            for (int64_t run = 0; run < studies[s].groups[g].runs; run++) {
                write_keys(&cells[found], &studies[s].groups[g], seed, run);
                if (!bf__store_find(store, cells[found].key))
                    found++;
            }
    qsort(cells, (size_t)found, sizeof *cells, by_log);
    for (int64_t i = 0; i < found; i++)
        if (i == 0 || strcmp(cells[i].key, cells[distinct - 1].key) != 0)
            cells[distinct++] = cells[i];
    *count = distinct;
    return BF_OK;
}

/* A rough estimate in seconds. */
static double cost_of(const cell *c) {
    double n = (double)(c->setting->trajectories * c->setting->steps);
    double each = c->setting->env->states > 0 ? 0.01 : c->method->second_per_10k;
    return 0.001 + each * (0.05 + 0.95 * n / 10000);
}

static bf_status make_jobs(job **out, int64_t *count, const cell *cells, int64_t cell_count,
                           bf_arena *arena, bf_error *err) {
    BF_ALLOC(*out, arena, cell_count, err);
    *count = 0;
    for (int64_t i = 0; i < cell_count; i++) {
        const cell *before = i > 0 ? &cells[i - 1] : NULL;
        if (!before || before->run != cells[i].run || strcmp(before->log, cells[i].log) != 0)
            (*out)[(*count)++] = (job){.cells = &cells[i]};
        job *last = &(*out)[*count - 1];
        last->count++;
        last->cost += cost_of(&cells[i]);
    }
    qsort(*out, (size_t)*count, sizeof **out, by_cost);
    return BF_OK;
}

/* ---- Running */

typedef struct pool {
    const job *jobs;
    int64_t job_count, next, finished; /* jobs handed out, and done */
    double cost, cost_done;
    bf__store *store;
    const bf_context *context;
    const bf_allocator *allocator;
    bool stop; /* because the user asked, or after a failure */
    bf_status status;
    bf_error error;
    char complaint[512]; /* message of a method that could not answer */
} pool;

static bool go_on(void *context, const bf_progress *progress) {
    (void)progress;
    bool stop;
    const pool *p = context;
#pragma omp atomic read
    stop = p->stop;
    return !stop;
}

static bf_status make_log(bf_dataset *out, const cell *c, const bf_context *context,
                          bf_arena *arena, bf_error *err) {
    const bf__setting *s = c->setting;
    bf_simulation simulation = {.env = s->env,
                                .rewards = BF_REWARDS_PAPER,
                                .behaviors = (const bf_policy *const *)&s->behavior_policy,
                                .behavior_count = 1,
                                .target = s->target_policy,
                                .trajectories = s->trajectories,
                                .steps = s->steps};
    return bf__simulate(out, &simulation, context, arena, err);
}

/* Stores an answer. One thread at a time does this. */
static bf_status put(pool *p, const cell *c, double value, double half, double seconds,
                     const bf_error *why, bf_error *err) {
    bf_status status = BF_OK;
#pragma omp critical(bf_experiment)
    if (!p->stop) {
        if (isnan(value))
            snprintf(p->complaint, sizeof p->complaint, "%.200s: no answer: %.250s", c->key,
                     why->message);
        status = bf__store_add(p->store, &(bf__record){c->key, value, half, seconds}, err);
    }
    return status;
}

/* Half the width of the interval; NaN if there is none, or the log cannot tell. */
static bf_status measure_interval(double *half, const bf__contender *method,
                                  const bf_estimate *estimate, const bf_estimator *estimator,
                                  const bf_problem *problem, const bf_settings *settings,
                                  const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_trust_options how;
    bf_trust trust;
    BF_TRY(bf_options_init(&bf_trust_table, &how, err));
    how.interval = strcmp(method->interval, "fast") == 0 ? BF_INTERVAL_FAST : BF_INTERVAL_FULL;
    BF_TRY(bf__trust_measure(&trust, estimate, estimator, problem, settings, &how, context, arena,
                             err));
    bool tells = trust.value.level > 0 && trust.verdict != BF_VERDICT_CANNOT_TELL;
    *half = tells ? trust.value.half : NAN;
    return BF_OK;
}

static bf_status run_cell(pool *p, const cell *c, const bf_problem *problem,
                          const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_estimator *estimator;
    const bf_settings *options;
    bf_estimate estimate;
    bf_error why = {BF_OK, ""};
    double begun = bf__seconds();
    BF_TRY(
        bf__contender_prepare(&estimator, &options, c->method, c->setting->env->name, arena, err));
    bf_status status =
        bf__estimator_run(estimator, &estimate, problem, options, context, arena, &why);
    if (status == BF_ENOMEM || status == BF_ECANCELLED || status == BF_EABSENT) {
        *err = why;
        return status;
    }
    double value = status == BF_OK ? estimate.value : NAN, half = NAN;
    if (status == BF_OK && c->method->interval)
        BF_TRY(measure_interval(&half, c->method, &estimate, estimator, problem, options, context,
                                arena, err));
    return put(p, c, value, half, bf__seconds() - begun, &why, err);
}

static bf_status run_job(pool *p, const job *j, bf_error *err) {
    bf_arena *arena;
    bf_dataset data;
    const cell *first = j->cells;
    bf_rng rng = bf_rng_make(p->context->seed, first->log, (uint64_t)first->run);
    bf_context own = {.callbacks = {.progress = go_on, .context = p}, .threads = 1};
    own.seed = bf_rng_u64(&rng);
    BF_TRY(bf_arena_create(&arena, p->allocator, err));
    bf_status status = make_log(&data, first, &own, arena, err);
    own.seed = bf_rng_u64(&rng);
    for (int i = 0; i < j->count && status == BF_OK; i++) {
        bf_problem problem = {&data, j->cells[i].setting->gamma, BF_TERMINAL_RESTART,
                              j->cells[i].setting->target_policy};
        bf_mark mark = bf_arena_mark(arena);
        status = run_cell(p, &j->cells[i], &problem, &own, arena, err);
        bf_arena_rewind(arena, mark);
    }
    bf_arena_destroy(arena);
    return status;
}

/* Takes jobs until none are left. */
static void work(pool *p) {
    for (;;) {
        int64_t mine = -1;
#pragma omp critical(bf_experiment)
        if (!p->stop && p->next < p->job_count)
            mine = p->next++;
        if (mine < 0)
            return;
        bf_error err = {BF_OK, ""};
        bf_status status = run_job(p, &p->jobs[mine], &err);
#pragma omp critical(bf_experiment)
        {
            p->finished++;
            p->cost_done += p->jobs[mine].cost;
            if (status != BF_OK && !p->stop) {
#pragma omp atomic write
                p->stop = true;
                p->status = status;
                p->error = err;
            }
        }
    }
}

/* Reports progress until all jobs are done. */
static void watch(pool *p) {
    for (long nap = SHORTEST_NAP;; nap = nap < LONGEST_NAP ? 2 * nap : nap) {
        char detail[128], complaint[sizeof p->complaint];
        double done;
        bool over;
#pragma omp critical(bf_experiment)
        {
            snprintf(detail, sizeof detail, "%" PRId64 " of %" PRId64 " logs", p->finished,
                     p->job_count);
            memcpy(complaint, p->complaint, sizeof complaint);
            p->complaint[0] = '\0';
            done = p->cost_done;
            over = p->finished == p->job_count || (p->stop && p->finished == p->next);
        }
        if (complaint[0])
            bf__message(p->context, BF_MESSAGE_WARNING, "%s", complaint);
        if (!bf__progress(p->context, "running", done, p->cost, detail)) {
#pragma omp critical(bf_experiment)
            if (!p->stop) {
#pragma omp atomic write
                p->stop = true;
                p->status = interrupted(&p->error);
            }
        }
        if (over)
            return;
        nanosleep(&(struct timespec){.tv_nsec = nap}, NULL);
    }
}

static bf_status run_jobs(pool *p, bf_error *err) {
    int workers = bf__threads(p->context);
    if (workers > p->job_count)
        workers = (int)p->job_count;
#pragma omp parallel num_threads(workers + 1)
    {
        bool alone = omp_get_num_threads() == 1; /* there may be fewer than asked for */
        if (omp_get_thread_num() == 0 && !alone)
            watch(p);
        else
            work(p);
    }
    if (p->status != BF_OK)
        *err = p->error;
    return p->status;
}

/* ---- Filling in */

static bf_status fill(bf__run_group *group, uint64_t seed, const bf__store *store, bf_arena *arena,
                      bf_error *err) {
    cell *c;
    BF_ALLOC(c, arena, 1, err);
    BF_ALLOC(group->value, arena, group->runs, err);
    BF_ALLOC(group->seconds, arena, group->runs, err);
    BF_ALLOC(group->error, arena, group->runs, err);
    BF_ALLOC(group->error_single, arena, group->runs, err);
    BF_ALLOC(group->half, arena, group->runs, err);
    for (int64_t run = 0; run < group->runs; run++) {
        write_keys(c, group, seed, run);
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
                          bf__store *store, const bf_context *context, bf_arena *arena,
                          bf_error *err) {
    cell *cells;
    job *jobs;
    int64_t cell_count, job_count;
    BF_TRY(find_all_truths(studies, count, effort, store, context, arena, err));
    bf_mark mark = bf_arena_mark(arena);
    BF_TRY(collect(&cells, &cell_count, studies, count, context->seed, store, arena, err));
    BF_TRY(make_jobs(&jobs, &job_count, cells, cell_count, arena, err));
    pool p = {.jobs = jobs,
              .job_count = job_count,
              .store = store,
              .context = context,
              .allocator = bf_arena_allocator(arena)};
    for (int64_t j = 0; j < job_count; j++)
        p.cost += jobs[j].cost;
    if (job_count > 0)
        BF_TRY(run_jobs(&p, err));
    bf_arena_rewind(arena, mark);
    for (int s = 0; s < count; s++)
        for (int64_t g = 0; g < studies[s].group_count; g++)
            BF_TRY(fill(&studies[s].groups[g], context->seed, store, arena, err));
    return BF_OK;
}
