/* policies.c - Several policies on one log: an answer and an interval for each, then the contest.
 *
 * What does not depend on a policy is made once, for the first one that asks for it: coordinates,
 * trees of neighbours, which logged pairs a pair is near, widths and pivots of kernels, of the log
 * and of the parts that intervals are made from. It is kept in a share (core/share.h) that lives as
 * long as this call. The digits are those of a policy alone.
 *
 * Cost  one estimate with its interval per policy, less what is shared; the log is read once. The
 *       share holds up to 1 GB, or a quarter of the memory that is free if that is less */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "backflow/compare.h"
#include "backflow/machine.h"
#include "compare/contest.h"
#include "core/context.h"
#include "core/fail.h"
#include "core/numeric.h"
#include "core/share.h"
#include "estimator/result.h"
#include "trust/parts.h"
#include "trust/trust.h"

struct bf_contest {
    int count;
    bf_contestant *entries;
    double level;
    const char *none;
    const char *unit; /* "step", "unit of time": what values are per */
    bf__contest judged;
};

typedef struct work {
    bf_contest *contest;
    bf__measured *inputs; /* (count) */
    const bf_settings *settings;
    const bf_trust_options *how;
    const bf_context *context;
    bf_arena *arena;
    bf__share *share;
} work;

static const double most_shared = 1e9; /* bytes */

/* ---- One contestant */

static bf_status estimate(work *w, bf_contestant *entry, const bf_settings *settings,
                          bf_error *err) {
    double begun = bf__seconds();
    bf_dataset data = *entry->problem->data;
    bf_problem asked = *entry->problem;
    data.share = w->share; /* entry->problem outlives it, and so has none */
    asked.data = &data;
    BF_TRY(bf_estimator_run(&entry->estimate, entry->estimator, &asked, settings, w->context,
                            w->arena, err));
    BF_TRY(bf_trust_measure(&entry->trust, entry->estimate, entry->estimator, &asked, settings,
                            w->how, w->context, w->arena, err));
    entry->value = entry->estimate->value;
    entry->best = NAN;
    entry->seconds = bf__seconds() - begun;
    return BF_OK;
}

static bf_status add_policy(work *w, int at, const bf_named_policy *policy,
                            const bf_estimator *estimator, const bf_problem *problem,
                            bf_error *err) {
    bf_contestant *entry = &w->contest->entries[at];
    bf_problem *own;
    BF_ALLOC(own, w->arena, 1, err);
    *own = *problem;
    BF_TRY(bf_policy_bind(&own->target, policy->policy, problem->data, w->arena, err));
    BF_TRY(bf_policy_apply(&own->data, own->target, problem->data, w->arena, err));
    *entry = (bf_contestant){.name = policy->name, .problem = own, .estimator = estimator};
    BF_TRY(estimate(w, entry, w->settings, err));
    w->inputs[at] = entry->trust->measured;
    return BF_OK;
}

/* Whether the mean reward of the log answers the same question. */
static bool log_competes(const bf_problem *problem) {
    const bf_dataset *data = problem->data;
    bool ends = data->terminated && memchr(data->terminated, 1, (size_t)data->n);
    return problem->gamma == 1 && !(problem->terminal == BF_TERMINAL_ABSORB && ends);
}

/* The mean of the log, and its means on the same parts of the log as the first policy had. */
static bf_status add_log(work *w, int at, const bf_problem *problem, bf_error *err) {
    bf_contestant *entry = &w->contest->entries[at];
    const bf_trust *first = w->contest->entries[0].trust;
    bf__clusters clusters;
    bf__parts parts;
    int counts[BF__MOST_SPLITS] = {0}, splits = 0;
    double *values;
    *entry = (bf_contestant){.name = "the log",
                             .log = true,
                             .problem = problem,
                             .estimator = bf_estimator_find("naive")};
    BF_TRY(estimate(w, entry, NULL, err));
    BF_ALLOC(values, w->arena, first->part_count, err);
    for (int k = 0; k < first->part_count; k++)
        values[k] = NAN;
    w->inputs[at] = entry->trust->measured;
    w->inputs[at].parts = values;
    for (int k = 0; k < first->part_count; k++) {
        counts[first->part_split[k]]++;
        splits = first->part_split[k] + 1;
    }
    if (splits == 0)
        return BF_OK;
    BF_TRY(bf__clusters_for(&clusters, problem->data, w->how, w->arena, err));
    BF_TRY(bf__parts_run(&parts, counts, splits, entry->estimator, problem, NULL, &clusters,
                         w->context, w->arena, err));
    memcpy(values, parts.value[BF__VALUE], (size_t)parts.count * sizeof *values);
    return BF_OK;
}

/* ---- All of them */

static bf_status check_names(const bf_named_policy *policies, int count, bf_error *err) {
    if (count < 1 || count > BF_MOST_POLICIES)
        return bf_fail(err, BF_EUSAGE, "policy: %d of them; 1 to %d can be compared", count,
                       BF_MOST_POLICIES);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            if (strcmp(policies[a].name, policies[b].name) == 0)
                return bf_fail(err, BF_EUSAGE,
                               "policy: two of them are called '%s'; NAME=P gives one a name",
                               policies[a].name);
    return BF_OK;
}

/* Why nothing can be said of differences. */
static const char *why_none(const bf_contest *contest) {
    for (int a = 0; a < contest->count; a++)
        if (bf_trust_why_none(contest->entries[a].trust))
            return bf_trust_why_none(contest->entries[a].trust);
    return contest->judged.possible ? NULL
                                    : "Nothing measures the errors of this method's answers.";
}

static bf_status add_all(work *w, const bf_named_policy *policies, int count,
                         const bf_estimator *estimator, const bf_problem *problem, bf_error *err) {
    for (int a = 0; a < count; a++)
        BF_TRY(add_policy(w, a, &policies[a], estimator, problem, err));
    return w->contest->count > count ? add_log(w, count, problem, err) : BF_OK;
}

bf_status bf_compare_policies(const bf_contest **out, const bf_named_policy *policies, int count,
                              const bf_estimator *estimator, const bf_problem *problem,
                              const bf_settings *settings, const bf_trust_options *how,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    bf_trust_options defaults;
    bf_contest *contest;
    BF_TRY(check_names(policies, count, err));
    BF_TRY(bf_options_init(&bf_trust_table, &defaults, err));
    how = how ? how : &defaults;
    BF_ALLOC(contest, arena, 1, err);
    *contest = (bf_contest){.count = count + log_competes(problem), .level = how->level};
    contest->unit = problem->data->duration ? "unit of time" : "step";
    work w = {contest, NULL, settings, how, context, arena, NULL};
    BF_ALLOC(contest->entries, arena, contest->count, err);
    BF_ALLOC(w.inputs, arena, contest->count, err);
    if (count > 1)
        BF_TRY(bf__share_create(&w.share, (size_t)fmin(most_shared, bf_machine_memory() / 4),
                                bf_arena_allocator(arena), err));
    bf_status status = add_all(&w, policies, count, estimator, problem, err);
    bf__share_destroy(w.share);
    BF_TRY(status);
    const bf_trust *first = contest->entries[0].trust;
    bf__contest_input input = {.contestants = w.inputs,
                               .count = contest->count,
                               .clusters = first->clusters,
                               .part_count = first->part_count,
                               .part_split = first->part_split,
                               .level = how->level,
                               .seed = first->seed};
    BF_TRY(bf__contest_judge(&contest->judged, &input, arena, err));
    contest->none = why_none(contest);
    for (int a = 0; a < contest->count; a++)
        contest->entries[a].best = contest->judged.best[a];
    *out = contest;
    return BF_OK;
}

/* ---- What came out */

bool bf_contest_entry(const bf_contest *contest, int index, bf_contestant *out) {
    if (index < 0 || index >= contest->count)
        return false;
    *out = contest->entries[index];
    return true;
}

bool bf_contest_pair(const bf_contest *contest, int index, bf_pair *out) {
    if (index < 0 || index >= contest->judged.pair_count)
        return false;
    const bf__contest_pair *p = &contest->judged.pairs[index];
    *out = (bf_pair){.a = p->a,
                     .b = p->b,
                     .difference = p->difference,
                     .se = p->se,
                     .df = p->df,
                     .level = contest->judged.possible ? contest->level : 0,
                     .low = p->low,
                     .high = p->high,
                     .p = p->p,
                     .holm = p->holm,
                     .decided = p->decided,
                     .smallest = p->smallest,
                     .more = p->more};
    return true;
}

/* "about four times as much". */
static void how_much(char text[64], double more) {
    static const char *const words[] = {"two",   "three", "four", "five", "six",
                                        "seven", "eight", "nine", "ten"};
    if (more < 1.75)
        snprintf(text, 64, "about half as much again");
    else if (more < 10.5)
        snprintf(text, 64, "about %s times as much", words[(int)(more + 0.5) - 2]);
    else if (more < 1000)
        bf__format(text, 64, "about %.2g times as much", more);
    else
        snprintf(text, 64, "more than 1000 times as much");
}

/* What can be said of a pair, as printf does. */
static int say(char *text, size_t size, const bf_contest *contest, const bf_pair *p) {
    const char *a = contest->entries[p->a].name, *b = contest->entries[p->b].name;
    char much[64];
    if (!(p->level > 0))
        return bf__format(text, size,
                          "Whether %s is better than %s cannot be told: there is no "
                          "interval.",
                          a, b);
    if (p->decided && p->difference > 0)
        return bf__format(text, size, "%s is better than %s by %.3g to %.3g per %s.", a, b,
                          fmax(p->low, 0), p->high, contest->unit);
    if (p->decided)
        return bf__format(text, size, "%s is worse than %s by %.3g to %.3g per %s.", a, b,
                          fmax(-p->high, 0), -p->low, contest->unit);
    if (p->more <= 1) /* decided by itself, but not among so many pairs */
        return bf__format(text, size,
                          "Whether %s is better than %s cannot be told from this log: the "
                          "difference of %.3g is not enough among so many pairs.",
                          a, b, p->difference);
    how_much(much, p->more);
    return bf__format(
        text, size,
        "Whether %s is better than %s cannot be told from this log: the smallest "
        "difference that it could show is %.3g, and it shows %.3g; %s would be needed.",
        a, b, p->smallest, p->difference, much);
}

int bf_contest_sentence(const bf_contest *contest, int index, char *text, size_t size) {
    bf_pair p;
    if (!bf_contest_pair(contest, index, &p))
        return 0;
    int used = say(text, size, contest, &p);
    int ends[2] = {p.a, p.b};
    for (int k = 0; k < 2 && p.decided; k++)
        if (bf_trust_verdict(contest->entries[ends[k]].trust) == BF_VERDICT_CANNOT_TELL)
            used += snprintf(used < (int)size ? text + used : NULL,
                             used < (int)size ? size - (size_t)used : 0,
                             " Do not rely on this: the log cannot tell what %s earns.",
                             contest->entries[ends[k]].name);
    return used;
}

const char *bf_contest_why_none(const bf_contest *contest) {
    return contest->none;
}
