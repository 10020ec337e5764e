/* episodic.c - Returns of episodes that end by themselves, from logs that a time limit has cut.
 *
 * The paper leaves a "random time horizon in episodic RL" to future work. The logs are as Gymnasium
 * makes them: its rewards, one episode per trajectory, cut at its time limit. There are two
 * questions.
 *
 * - Until the end. What does an episode return if nobody cuts it? A cut row is a row like any
 * other, whose next state is known. Weights of the long run give the return by renewal: reward per
 * step over ends per step. FQE goes on from the next state, too.
 * - Within the limit. What does an episode return in the first T steps? Importance sampling knows
 *   episodes as the log has them, and so it answers this. The chain of the log can be walked along
 *   for T steps. For weights, the limit is an end only if the time is part of the state (Pardo et
 *   al., Time limits in reinforcement learning, 2018).
 *
 * Every method is shown against both truths. */
#include <string.h>

#include "core/fail.h"
#include "experiment/control.h"

static const bf_option rows[] = {
    BF_OPTION(bf__control_options, trajectories, "10,20,40",
              "LIST: Numbers of episodes, with commas."),
    BF_OPTION(bf__control_options, problems, "cartpole,mountaincar,acrobot",
              "LIST: Environments whose episodes end, with commas."),
    BF_OPTION(bf__control_options, policy, "trained",
              "P: The policy that behaviour and target are mixtures of, as for simulate."),
    BF_CONTROL_ALPHA,
    BF_OPTION_RANGE(bf__control_options, target_alpha, "0.9", 0, 1,
                    "Share of that policy in the target; the rest is uniform."),
    BF_OPTION(bf__control_options, methods,
              "log-return,is-return,wis-return,pdis-return,fqe-return,blackbox-return,"
              "blackbox-clock,walk-return",
              "LIST: Methods, with commas."),
    BF_OPTION_RANGE(bf__control_options, runs, "6", 2, 1e6, "N: Logs per setting."),
};
static const bf_option_table table =
    BF_OPTION_TABLE("Options of episodic", bf__control_options, rows);
static const char *const quick[] = {"trajectories", "5,10", "problems", "cartpole,acrobot",
                                    "runs",         "2",    NULL};

#define RENEWAL "blackbox-return"
#define CLOCK   "blackbox-clock"
#define WALK    "walk-return"
#define FQE     "fqe-return"

static bf_status plan(bf__study *study, const void *options, bf_error *err) {
    static const char *const questions[] = {"until the end", "within the time limit"};
    const bf__control_options *o = options;
    bf__control_lists l;
    BF_TRY(bf__control_read(&l, o, 2, study->arena, err));
    if (2 * l.env_count > BF_MAX_PANELS)
        return bf_fail(err, BF_EUSAGE, "--problems: %d entries; there is room for %d", l.env_count,
                       BF_MAX_PANELS / 2);
    for (int k = 0; k < 2 * l.env_count; k++) {
        const bf_env *env = l.envs[k / 2];
        const char *title;
        bf__setting s = {.env = env,
                         .steps = env->limit,
                         .gamma = 1,
                         .asks = k % 2 ? BF_ASKS_LIMIT : BF_ASKS_END};
        BF_TRY(bf__print(&title, study->arena, err, "%s, %s", bf__control_title(env),
                         questions[k % 2]));
        BF_TRY(bf__control_mix(&s, o, o->alpha, study->arena, err));
        int panel = bf__study_panel(study, title, BF_SHOW_ANSWERS);
        for (int i = 0; i < l.count; i++) {
            s.trajectories = (int64_t)l.x[i];
            BF_TRY(
                bf__study_add(study, &s, l.methods, l.method_count, o->runs, panel, l.x[i], err));
        }
    }
    return BF_OK;
}

static bool is_ours(const bf__run_group *group) {
    return strcmp(group->method->name, RENEWAL) == 0 || strcmp(group->method->name, CLOCK) == 0 ||
           strcmp(group->method->name, WALK) == 0 || strcmp(group->method->name, FQE) == 0;
}

/* The settings of a question in which `method` is no worse than the log's mean and every importance
 * sampling, by more than a standard error of the difference; and no worse than FQE. */
typedef struct score {
    int best, fqe, settings;
} score;

static bf_status count_best(score *out, const bf__study *study, const char *method, bf__asks asks,
                            bf_error *err) {
    *out = (score){.settings = 0};
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *mine = &study->groups[g];
        if (mine->setting.asks != asks || strcmp(mine->method->name, method) != 0)
            continue;
        bool best = mine->spread.runs > 0, fqe = best;
        for (int64_t h = 0; h < study->group_count; h++) {
            const bf__run_group *other = &study->groups[h];
            bool is_fqe = strcmp(other->method->name, FQE) == 0;
            bf_mean more;
            if (other->panel != mine->panel || other->x != mine->x || (is_ours(other) && !is_fqe) ||
                other->spread.runs == 0)
                continue;
            BF_TRY(bf__study_compare(&more, study, mine, other, err));
            if (more.value > more.error)
                *(is_fqe ? &fqe : &best) = false;
        }
        out->best += best;
        out->fqe += fqe;
        out->settings++;
    }
    return BF_OK;
}

static bf__verdict verdict_of(int good, int all) {
    return good == all ? BF__REPRODUCED : 2 * good >= all ? BF__PARTLY : BF__NOT_REPRODUCED;
}

static bf_status judge_question(bf__study *study, const char *method, bf__asks asks,
                                const char *claim, bf_error *err) {
    score s;
    BF_TRY(count_best(&s, study, method, asks, err));
    if (s.settings == 0)
        return BF_OK;
    bf__claim c = {
        .claim = claim,
        .rule =
            "Settings (problem and number of episodes) in which its RMSE is above that of no IS, "
            "weighted IS, PDIS or mean of the log by more than a standard error of the "
            "difference: all is reproduced, half partly.",
        .ours = true,
        .verdict = verdict_of(s.best, s.settings),
    };
    return bf__study_claim(study, &c, err, "%d of %d; against FQE, %d.", s.best, s.settings, s.fqe);
}

static bool renewal_counts(const bf__run_group *group) {
    return group->setting.asks == BF_ASKS_END && strcmp(group->method->name, RENEWAL) == 0;
}

static bool walk_counts(const bf__run_group *group) {
    return group->setting.asks == BF_ASKS_LIMIT && strcmp(group->method->name, WALK) == 0;
}

static bf_status judge_intervals(bf__study *study, bf_error *err) {
    bf__covering renewal = bf__covering_of(study->groups, study->group_count, renewal_counts);
    bf__covering walk = bf__covering_of(study->groups, study->group_count, walk_counts);
    int64_t answered = renewal.answered + walk.answered;
    if (answered == 0)
        return BF_OK;
    double held = 0;
    if (renewal.answered > 0)
        held += renewal.covered.value * (double)renewal.answered;
    if (walk.answered > 0)
        held += walk.covered.value * (double)walk.answered;
    double share = held / (double)answered;
    bf__claim c = {
        .claim = "Intervals of 95% for the return of an episode hold the truth.",
        .rule =
            "All problems and sizes together, both questions, each with its own method; verdict "
            "not \"cannot tell\": at least 0.9 is reproduced, at least 0.8 partly.",
        .ours = true,
        .verdict = share >= 0.9   ? BF__REPRODUCED
                   : share >= 0.8 ? BF__PARTLY
                                  : BF__NOT_REPRODUCED,
    };
    return bf__study_claim(
        study, &c, err,
        "%.0f%% of %lld: until the end %.0f%% of %lld, within the limit %.0f%% of %lld.",
        100 * share, (long long)answered, renewal.answered ? 100 * renewal.covered.value : 0,
        (long long)renewal.answered, walk.answered ? 100 * walk.covered.value : 0,
        (long long)walk.answered);
}

static bf_status judge(bf__study *study, const void *options, bf_error *err) {
    (void)options;
    BF_TRY(
        judge_question(study, RENEWAL, BF_ASKS_END,
                       "What an episode returns if nobody cuts it can be told from episodes that "
                       "a time limit has cut, by renewal.",
                       err));
    BF_TRY(
        judge_question(study, WALK, BF_ASKS_LIMIT,
                       "What an episode returns within the time limit can be told by walking that "
                       "far along the chain of the log.",
                       err));
    BF_TRY(judge_question(study, CLOCK, BF_ASKS_LIMIT,
                          "It can be told by weights, too, if the time is part of the state.",
                          err));
    return judge_intervals(study, err);
}

extern const bf__experiment bf__experiment_episodic;
const bf__experiment bf__experiment_episodic = {
    .name = "episodic",
    .place = "Future work",
    .title = "Returns of episodes, and time limits",
    .summary = "return of an episode on three control problems: renewal, importance sampling, FQE",
    .text =
        "Episodes as Gymnasium makes them: its rewards, cut at its time limit (500 steps, 200 on "
        "Mountain Car). Two questions: what an episode returns if nobody cuts it, and what it "
        "returns within the limit. Points are means of the answers; bars are the mean interval of "
        "95% of a method that has one, and one standard deviation of the answers otherwise; the "
        "dotted line is the truth. IS, weighted IS and PDIS know episodes as the log has them, "
        "and answer the second question whatever is asked; FQE and renewal answer the first. With "
        "the time in the state, the limit is an end like any other. The paper has a random time "
        "horizon among its future work.",
    .options = &table,
    .quick = quick,
    .x_label = "number of episodes",
    .y_label = "return of an episode",
    .scale = BF_SCALE_LOG,
    .plan = plan,
    .judge = judge,
};
