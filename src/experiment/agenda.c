/* agenda.c - What studies need to have run: cells, true values, and the jobs that they make.
 *
 * A *cell* is one run of one group; its key says everything that it depends on. Cells that the
 * store does not have are sorted by the log that they need. A *job* is one log and everything that
 * is asked of it, or a true value that has to be simulated. */
#include "experiment/agenda.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "policy/kind.h"
#include "stats/truth.h"

#define CHAIN_STEPS 20000

/* ---- Keys */

/* A policy as keys name it: a file by its content too, for the name alone would take the runs of an
 * older file for those of a newer one. */
typedef char policy_name[BF_KEY_SIZE / 2 - 100];
static void name_policy(policy_name out, const char *text, const bf_policy *policy) {
    if (policy->content)
        snprintf(out, sizeof(policy_name), "%s#%016" PRIx64, text, policy->content);
    else
        snprintf(out, sizeof(policy_name), "%s", text);
}

void bf__cell_make(bf__cell *out, const bf__run_group *group, uint64_t seed, int64_t run) {
    const bf__setting *s = &group->setting;
    policy_name behavior, target;
    name_policy(behavior, s->behavior, s->behavior_policy);
    name_policy(target, s->target, s->target_policy);
    snprintf(out->log, sizeof out->log, "%s%s,%s,%s,%" PRId64 ",%" PRId64, s->env->name,
             bf__setting_log(s), behavior, target, s->trajectories, s->steps);
    char gamma[32];
    bf__format_real(gamma, s->gamma); /* all of it */
    snprintf(out->key, sizeof out->key, "%.900s,%s,%s,%" PRIu64 ",%" PRId64, out->log, gamma,
             group->method->name, seed, run);
    out->setting = s;
    out->method = group->method;
    out->run = run;
}

void bf__truth_task_make(bf__truth_task *out, const bf__setting *s, bool single,
                         const bf__truth_effort *effort, uint64_t seed) {
    bf_truth_plan plan = {.kind = s->asks == BF_ASKS_LIMIT ? BF_TRUTH_EPISODE
                                  : s->gamma < 1           ? BF_TRUTH_DISCOUNTED
                                                           : BF_TRUTH_AVERAGE,
                          .gamma = s->gamma,
                          .rewards = bf__setting_rewards(s),
                          .burn_in = -1};
    if (single) {
        plan.chains = 1;
        plan.steps = effort->single;
        plan.burn_in = 0;
    } else {
        bf__truth_defaults(&plan, s->env);
        plan.steps = s->asks == BF_ASKS_LIMIT ? s->steps : s->gamma < 1 ? plan.steps : CHAIN_STEPS;
        plan.chains = effort->steps / plan.steps > 2 ? effort->steps / plan.steps : 2;
    }
    char gamma[32];
    policy_name name;
    name_policy(name, s->target, s->target_policy);
    bf__format_real(gamma, s->gamma);
    snprintf(out->key, sizeof out->key, "%s%s,,%s,%" PRId64 ",%" PRId64 ",%s,%s,%" PRIu64 ",0",
             s->env->name, bf__setting_asks(s), name, plan.chains, plan.steps, gamma,
             single ? "(single)" : "(precise)", seed);
    out->setting = s;
    out->plan = plan;
    out->single = single;
}

bool bf__truth_simulated(const bf__setting *s, bool single) {
    if (s->measure && s->measure->loss)
        return false;
    if (s->asks != BF_ASKS_STEP)
        return !single;
    return single ? s->gamma == 1 : !s->env->model;
}

/* ---- All of them */

static int by_log(const void *left, const void *right) {
    const bf__cell *a = left, *b = right;
    int order = strcmp(a->log, b->log);
    if (order == 0)
        order = (a->run > b->run) - (a->run < b->run);
    return order ? order : strcmp(a->key, b->key);
}

static int by_key(const void *left, const void *right) {
    return strcmp(((const bf__truth_task *)left)->key, ((const bf__truth_task *)right)->key);
}

static int by_cost(const void *left, const void *right) {
    const bf__run_job *a = left, *b = right;
    int order = (a->cost < b->cost) - (a->cost > b->cost);
    if (order == 0 && a->truth && b->truth)
        return by_key(a->truth, b->truth);
    if (order == 0)
        order = (a->truth != NULL) - (b->truth != NULL);
    return order ? order : by_log(a->cells, b->cells);
}

/* Every cell and every truth of the studies, each once. */
static bf_status collect(bf__agenda *out, const bf__study *studies, int study_count,
                         const bf__truth_effort *effort, uint64_t seed, bf_arena *arena,
                         bf_error *err) {
    int64_t room = 0, groups = 0, cells = 0, truths = 0;
    for (int s = 0; s < study_count; s++)
        for (int64_t g = 0; g < studies[s].group_count; g++, groups++)
            room += studies[s].groups[g].runs;
    BF_ALLOC(out->cells, arena, room, err);
    BF_ALLOC(out->truths, arena, 2 * groups, err);
    for (int s = 0; s < study_count; s++)
        for (int64_t g = 0; g < studies[s].group_count; g++) {
            const bf__run_group *group = &studies[s].groups[g];
            for (int64_t run = 0; run < group->runs; run++)
                bf__cell_make(&out->cells[cells++], group, seed, run);
            for (int single = 0; single < 2; single++)
                if (bf__truth_simulated(&group->setting, single))
                    bf__truth_task_make(&out->truths[truths++], &group->setting, single, effort,
                                        seed);
        }
    qsort(out->cells, (size_t)cells, sizeof *out->cells, by_log);
    qsort(out->truths, (size_t)truths, sizeof *out->truths, by_key);
    out->cell_count = out->truth_count = 0;
    for (int64_t i = 0; i < cells; i++)
        if (i == 0 || strcmp(out->cells[i].key, out->cells[out->cell_count - 1].key) != 0)
            out->cells[out->cell_count++] = out->cells[i];
    for (int64_t i = 0; i < truths; i++)
        if (i == 0 || by_key(&out->truths[i], &out->truths[out->truth_count - 1]) != 0)
            out->truths[out->truth_count++] = out->truths[i];
    return BF_OK;
}

/* Leaves what the store does not have. The first process looks, and tells the others. */
static bf_status leave_missing(bf__agenda *out, const bf__store *store, const bf__team *team,
                               bf_arena *arena, bf_error *err) {
    int64_t cells = out->cell_count, truths = out->truth_count;
    double *missing;
    BF_ALLOC(missing, arena, cells + truths, err);
    for (int64_t i = 0; i < cells + truths; i++) {
        const char *key = i < cells ? out->cells[i].key : out->truths[i - cells].key;
        missing[i] = store && !bf__store_find(store, key);
    }
    if (team)
        team->sum(missing, cells + truths);
    out->cell_count = out->truth_count = 0;
    for (int64_t i = 0; i < cells; i++)
        if (missing[i] > 0)
            out->cells[out->cell_count++] = out->cells[i];
    for (int64_t i = 0; i < truths; i++)
        if (missing[cells + i] > 0)
            out->truths[out->truth_count++] = out->truths[i];
    return BF_OK;
}

/* A rough estimate in seconds. */
static double cost_of(const bf__cell *c) {
    double n = (double)(c->setting->trajectories * c->setting->steps);
    double each = c->setting->env->states > 0 ? 0.01 : c->method->second_per_10k;
    return 0.001 + each * (0.05 + 0.95 * n / 10000);
}

static double cost_of_truth(const bf__truth_task *t) {
    return 3e-7 * (double)t->plan.chains * (double)t->plan.steps;
}

static bf_status make_jobs(bf__agenda *out, bf_arena *arena, bf_error *err) {
    const bf__cell *cells = out->cells;
    BF_ALLOC(out->jobs, arena, out->cell_count + out->truth_count, err);
    out->job_count = 0;
    for (int64_t i = 0; i < out->truth_count; i++)
        out->jobs[out->job_count++] =
            (bf__run_job){.truth = &out->truths[i], .cost = cost_of_truth(&out->truths[i])};
    for (int64_t i = 0; i < out->cell_count; i++) {
        const bf__cell *before = i > 0 ? &cells[i - 1] : NULL;
        if (!before || before->run != cells[i].run || strcmp(before->log, cells[i].log) != 0)
            out->jobs[out->job_count++] = (bf__run_job){.cells = &cells[i]};
        bf__run_job *last = &out->jobs[out->job_count - 1];
        last->count++;
        last->cost += cost_of(&cells[i]);
    }
    qsort(out->jobs, (size_t)out->job_count, sizeof *out->jobs, by_cost);
    return BF_OK;
}

bf_status bf__agenda_make(bf__agenda *out, const bf__study *studies, int count,
                          const bf__truth_effort *effort, uint64_t seed, const bf__store *store,
                          const bf__team *team, bf_arena *arena, bf_error *err) {
    bf_status status = collect(out, studies, count, effort, seed, arena, err);
    if (team)
        status = team->agree(status, err);
    BF_TRY(status);
    BF_TRY(leave_missing(out, store, team, arena, err));
    return make_jobs(out, arena, err);
}
