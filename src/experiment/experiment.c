/* experiment.c - The list of experiments, and the functions with which they plan and judge. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "experiment/experiment.h"

#define MAX_POLICY          300 /* keys have room for two */

#define BF_EXPERIMENT(name) extern const bf__experiment bf__experiment_##name;
#include "experiment/experiments.def"
#undef BF_EXPERIMENT

static const bf__experiment *const experiments[] = {
#define BF_EXPERIMENT(name) &bf__experiment_##name,
#include "experiment/experiments.def"
#undef BF_EXPERIMENT
};

const bf__experiment *bf__experiment_at(int index) {
    int count = (int)(sizeof experiments / sizeof *experiments);
    return index >= 0 && index < count ? experiments[index] : NULL;
}

const bf__experiment *bf__experiment_find(const char *name) {
    for (int i = 0; bf__experiment_at(i); i++)
        if (strcmp(experiments[i]->name, name) == 0)
            return experiments[i];
    return NULL;
}

/* ---- Text */

static bf_status print(const char **out, bf_arena *arena, bf_error *err, const char *format,
                       va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text;
    BF_ALLOC(text, arena, length + 1, err);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    *out = text;
    return BF_OK;
}

bf_status bf__print(const char **out, bf_arena *arena, bf_error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bf_status status = print(out, arena, err, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- Lists that a user writes with commas */

/* The words of `text`, none of which may be empty. There are at most `most` of them. */
static bf_status split(char ***out, int *count, const char *name, const char *text, int most,
                       bf_arena *arena, bf_error *err) {
    BF_TRY(bf__split(out, count, text, arena, err));
    if (*count > most)
        return bf_fail(err, BF_EUSAGE, "--%s: %d entries; there is room for %d", name, *count,
                       most);
    for (int i = 0; i < *count; i++) {
        if (!*(*out)[i])
            return bf_fail(err, BF_EUSAGE,
                           "--%s: '%s' has an empty place in it; entries are separated by single "
                           "commas",
                           name, text);
        for (int j = 0; j < i; j++)
            if (strcmp((*out)[j], (*out)[i]) == 0)
                return bf_fail(err, BF_EUSAGE, "--%s: '%s' is there twice", name, (*out)[i]);
    }
    return BF_OK;
}

bf_status bf__list_numbers(double **out, int *count, const char *name, const char *text, double min,
                           double max, bool whole, bf_arena *arena, bf_error *err) {
    char **words;
    BF_TRY(split(&words, count, name, text, BF_MAX_PLACES, arena, err));
    BF_ALLOC(*out, arena, *count, err);
    for (int i = 0; i < *count; i++) {
        double *x = &(*out)[i];
        if (!bf__parse_real(words[i], x) || (whole && *x != floor(*x)))
            return bf_fail(err, BF_EUSAGE, "--%s: '%s' is not a %snumber", name, words[i],
                           whole ? "whole " : "");
        if (!(*x >= min && *x <= max))
            return bf_fail(err, BF_EUSAGE, "--%s: %s is outside %g to %g", name, words[i], min,
                           max);
        for (int j = 0; j < i; j++)
            if ((*out)[j] == *x)
                return bf_fail(err, BF_EUSAGE, "--%s: %s and %s are the same", name, words[j],
                               words[i]);
    }
    return BF_OK;
}

bf_status bf__list_contenders(const bf__contender *const **out, int *count, const char *text,
                              bf_arena *arena, bf_error *err) {
    char **words;
    const bf__contender **found;
    BF_TRY(split(&words, count, "methods", text, BF_MAX_METHODS, arena, err));
    BF_ALLOC(found, arena, *count, err);
    for (int i = 0; i < *count; i++)
        BF_TRY(bf__contender_find(&found[i], words[i], arena, err));
    *out = found;
    return BF_OK;
}

bf_status bf__list_envs(const bf_env *const **out, int *count, const char *text, bf_arena *arena,
                        bf_error *err) {
    char **words;
    const bf_env **found;
    BF_TRY(split(&words, count, "problems", text, BF_MAX_PANELS, arena, err));
    BF_ALLOC(found, arena, *count, err);
    for (int i = 0; i < *count; i++) {
        found[i] = bf_env_find(words[i]);
        if (!found[i])
            return bf_fail(err, BF_EUSAGE,
                           "--problems: '%s' is not an environment; `backflow list envs` shows all",
                           words[i]);
    }
    *out = found;
    return BF_OK;
}

/* ---- Planning */

bf_rewards bf__setting_rewards(const bf__setting *setting) {
    return setting->asks == BF_ASKS_STEP ? BF_REWARDS_PAPER : BF_REWARDS_GYMNASIUM;
}

const char *bf__setting_asks(const bf__setting *setting) {
    static const char *const texts[] = {"", "/end", "/limit"};
    return texts[setting->asks];
}

const char *bf__setting_log(const bf__setting *setting) {
    return setting->stationary ? " stationary" : setting->asks == BF_ASKS_STEP ? "" : "/episodes";
}

bf_status bf__check_policy(const char *name, const char *text, bf_error *err) {
    if (strpbrk(text, ",\n") || strlen(text) > MAX_POLICY)
        return bf_fail(err, BF_EUSAGE,
                       "--%s: '%.40s': one policy is needed, a name without commas and of at most "
                       "%d characters",
                       name, text, MAX_POLICY);
    return BF_OK;
}

int bf__study_panel(bf__study *study, const char *title, bf__quantity quantity) {
    int number = study->panel_count++;
    study->panels[number] = (bf__panel){title, quantity, number};
    return number;
}

static bf_status make_room(bf__study *study, int64_t more, bf_error *err) {
    if (study->group_count + more <= study->group_room)
        return BF_OK;
    bf__run_group *larger;
    study->group_room = 2 * (study->group_count + more);
    BF_ALLOC(larger, study->arena, study->group_room, err);
    if (study->group_count > 0)
        memcpy(larger, study->groups, (size_t)study->group_count * sizeof *larger);
    study->groups = larger;
    return BF_OK;
}

bf_status bf__study_add(bf__study *study, const bf__setting *setting,
                        const bf__contender *const *methods, int count, int64_t runs, int panel,
                        double x, bf_error *err) {
    bf__setting known = *setting; /* that there are policies is known before anything is run */
    bf_arena *arena = study->arena;
    BF_TRY(bf_env_policy_parse(&known.behavior_policy, known.env, known.behavior, 1, arena, err));
    BF_TRY(bf_env_policy_parse(&known.target_policy, known.env, known.target, 1, arena, err));
    for (int m = 0; m < count; m++)
        if ((methods[m]->gamma > 0 || methods[m]->walks) && setting->asks == BF_ASKS_STEP)
            return bf_fail(err, BF_EUSAGE,
                           "--methods: '%s' answers with the return of an episode: it is for the "
                           "experiment episodic",
                           methods[m]->name);
    BF_TRY(make_room(study, count, err));
    for (int m = 0; m < count; m++)
        study->groups[study->group_count++] = (bf__run_group){
            .setting = known, .method = methods[m], .panel = panel, .x = x, .runs = runs};
    return BF_OK;
}

/* ---- Judging */

const bf__run_group *bf__study_find(const bf__study *study, const char *method, int panel,
                                    double x) {
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        if (group->panel == panel && group->x == x && strcmp(group->method->name, method) == 0)
            return group;
    }
    return NULL;
}

bf__covering bf__covering_of(const bf__run_group *groups, int64_t count,
                             bool (*counts)(const bf__run_group *group)) {
    bf__covering out = {.answered = 0};
    double held = 0, square = 0;
    for (int64_t g = 0; g < count; g++) {
        const bf__run_group *group = &groups[g];
        for (int64_t run = 0; run < group->runs && (!counts || counts(group)); run++) {
            if (isnan(group->half[run]))
                continue;
            out.answered++;
            held += fabs(group->error[run]) <= group->half[run];
            out.half += group->half[run];
            square += group->error[run] * group->error[run];
        }
    }
    double n = (double)out.answered, share = held / n;
    out.covered = (bf_mean){share, sqrt(share * (1 - share) / n)};
    out.half /= n;
    out.rmse = sqrt(square / n);
    return out;
}

int bf__study_places(const bf__study *study, double *x, int room) {
    int count = 0;
    for (int64_t g = 0; g < study->group_count; g++) {
        int i = 0;
        while (i < count && x[i] != study->groups[g].x)
            i++;
        if (i == count && count < room)
            x[count++] = study->groups[g].x;
    }
    return count;
}

bf_status bf__study_claim(bf__study *study, const bf__claim *claim, bf_error *err,
                          const char *format, ...) {
    bf__claim *place = &study->claims[study->claim_count++];
    *place = *claim;
    va_list arguments;
    va_start(arguments, format);
    bf_status status = print(&place->measured, study->arena, err, format, arguments);
    va_end(arguments);
    return status;
}

bf_status bf__study_compare(bf_mean *out, const bf__study *study, const bf__run_group *a,
                            const bf__run_group *b, bf_error *err) {
    int64_t runs = a->runs < b->runs ? a->runs : b->runs;
    return bf__rmse_difference(out, a->error, b->error, runs, study->seed, study->arena, err);
}
