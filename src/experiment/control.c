/* control.c - What the experiments on the four control problems share. */
#include "experiment/control.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"

static const bf_option rows[] = {
    BF_OPTION(bf__control_options, trajectories, "10,20,50,100,150,200",
              "LIST: Numbers of trajectories, with commas."),
    BF_CONTROL_ALPHA,
    BF_CONTROL_ROWS(BF_CONTROL_METHODS, "20"),
};
const bf_option_table bf__control_sizes =
    BF_OPTION_TABLE("Options of control-rmse and control-quantiles", bf__control_options, rows);
const char *const bf__control_sizes_quick[] = {"trajectories", "10,50", "runs", "3", NULL};

const char *bf__control_title(const bf_env *env) {
    static const char *const titles[][2] = {{"pendulum", "Pendulum"},
                                            {"mountaincar", "Mountain Car"},
                                            {"cartpole", "CartPole"},
                                            {"acrobot", "Acrobot"}};
    for (int i = 0; i < 4; i++)
        if (strcmp(env->name, titles[i][0]) == 0)
            return titles[i][1];
    return env->name;
}

bf_status bf__control_read(bf__control_lists *out, const bf__control_options *o, int64_t least,
                           bf_arena *arena, bf_error *err) {
    *out = (bf__control_lists){.x = NULL};
    BF_TRY(bf__check_policy("policy", o->policy, err));
    if (o->problems)
        BF_TRY(bf__list_envs(&out->envs, &out->env_count, o->problems, arena, err));
    if (o->methods)
        BF_TRY(bf__list_contenders(&out->methods, &out->method_count, o->methods, arena, err));
    if (o->trajectories)
        return bf__list_numbers(&out->x, &out->count, "trajectories", o->trajectories,
                                (double)least, 1e9, true, arena, err);
    const char *name = o->alphas ? "alphas" : "gammas", *text = o->alphas ? o->alphas : o->gammas;
    return bf__list_numbers(&out->x, &out->count, name, text, 0, 1, false, arena, err);
}

bf_status bf__control_mix(bf__setting *setting, const bf__control_options *o, double alpha,
                          bf_arena *arena, bf_error *err) {
    BF_TRY(bf__print(&setting->behavior, arena, err, "%s@%.10g", o->policy, alpha));
    return bf__print(&setting->target, arena, err, "%s@%.10g", o->policy, o->target_alpha);
}

bf_status bf__control_plan(bf__study *study, const bf__control_options *o, bf__quantity quantity,
                           bf_error *err) {
    bf__control_lists l;
    BF_TRY(bf__control_read(&l, o, 1, study->arena, err));
    for (int e = 0; e < l.env_count; e++) {
        int panel = bf__study_panel(study, bf__control_title(l.envs[e]), quantity);
        for (int i = 0; i < l.count; i++) {
            double x = l.x[i];
            bf__setting s = {.env = l.envs[e],
                             .trajectories = o->trajectories ? (int64_t)x : o->size,
                             .steps = o->horizon,
                             .gamma = o->gammas ? x : 1};
            BF_TRY(bf__control_mix(&s, o, o->alphas ? x : o->alpha, study->arena, err));
            BF_TRY(bf__study_add(study, &s, l.methods, l.method_count, o->runs, panel, x, err));
        }
    }
    return BF_OK;
}

bool bf__control_rivals(const bf__study *study, const char *method, const char *except) {
    for (int64_t g = 0; g < study->group_count; g++) {
        const char *other = study->groups[g].method->name;
        if (strcmp(other, method) != 0 && strcmp(other, except) != 0)
            return true;
    }
    return false;
}

bf_status bf__control_best(bool *out, const bf__study *study, const char *method,
                           const char *except, int panel, double x, bf_error *err) {
    const bf__run_group *mine = bf__study_find(study, method, panel, x);
    *out = mine && mine->spread.runs > 0;
    for (int64_t g = 0; g < study->group_count && *out; g++) {
        const bf__run_group *other = &study->groups[g];
        if (other == mine || other->panel != panel || other->x != x ||
            strcmp(other->method->name, except) == 0 || other->spread.runs == 0)
            continue;
        bf_mean more;
        BF_TRY(bf__study_compare(&more, study, mine, other, err));
        double rounding = 1e-6 * mine->spread.rmse.value;
        *out = more.value <= fmax(more.error, rounding);
    }
    return BF_OK;
}
