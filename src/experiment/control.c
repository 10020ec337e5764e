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

bf_status bf__control_plan(bf__study *study, const bf__control_options *o, bf__quantity quantity,
                           bf_error *err) {
    const bf_env *const *envs;
    const bf__contender *const *methods;
    double *x;
    int env_count, method_count, count;
    bf_arena *arena = study->arena;
    BF_TRY(bf__check_policy("policy", o->policy, err));
    BF_TRY(bf__list_envs(&envs, &env_count, o->problems, arena, err));
    BF_TRY(bf__list_contenders(&methods, &method_count, o->methods, arena, err));
    if (o->trajectories)
        BF_TRY(bf__list_numbers(&x, &count, "trajectories", o->trajectories, 1, 1e9, true, arena,
                                err));
    else if (o->alphas)
        BF_TRY(bf__list_numbers(&x, &count, "alphas", o->alphas, 0, 1, false, arena, err));
    else
        BF_TRY(bf__list_numbers(&x, &count, "gammas", o->gammas, 0, 1, false, arena, err));
    for (int e = 0; e < env_count; e++) {
        int panel = bf__study_panel(study, bf__control_title(envs[e]), quantity);
        for (int i = 0; i < count; i++) {
            bf__setting s = {.env = envs[e],
                             .trajectories = o->trajectories ? (int64_t)x[i] : o->size,
                             .steps = o->horizon,
                             .gamma = o->gammas ? x[i] : 1};
            BF_TRY(bf__print(&s.behavior, arena, err, "%s@%.10g", o->policy,
                             o->alphas ? x[i] : o->alpha));
            BF_TRY(bf__print(&s.target, arena, err, "%s@%.10g", o->policy, o->target_alpha));
            BF_TRY(bf__study_add(study, &s, methods, method_count, o->runs, panel, x[i], err));
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
