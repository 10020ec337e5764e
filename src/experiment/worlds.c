/* worlds.c - What experiments on several small problems share. */
#include "experiment/worlds.h"

#include <string.h>

#include "core/fail.h"
#include "core/text.h"

static bf_status find(const bf__world **out, const bf__worlds *worlds, const char *name,
                      bf_arena *arena, bf_error *err) {
    const char *known = "";
    for (int i = 0; i < worlds->count; i++) {
        *out = &worlds->list[i];
        if (strcmp((*out)->name, name) == 0)
            return BF_OK;
        BF_TRY(bf__print(&known, arena, err, "%s%s%s", known, i > 0 ? "," : "", (*out)->name));
    }
    return bf_fail(err, BF_EUSAGE, "--%s: '%s' is not one of %s", worlds->option, name, known);
}

bf_status bf__worlds_plan(bf__study *study, const bf__worlds *worlds, const char *list,
                          const char *sizes, int64_t steps, const bf__setting *like,
                          const bf__contender *const *methods, int method_count, int64_t runs,
                          bf__quantity quantity, bf_error *err) {
    char **names;
    double *x;
    int name_count, count;
    BF_TRY(bf__split(&names, &name_count, list, study->arena, err));
    BF_TRY(bf__list_numbers(&x, &count, worlds->sizes, sizes, (double)steps, 1e9, true,
                            study->arena, err));
    for (int e = 0; e < name_count; e++) {
        const bf__world *of = NULL;
        BF_TRY(find(&of, worlds, names[e], study->arena, err));
        for (int before = 0; before < e; before++)
            if (strcmp(names[before], names[e]) == 0)
                return bf_fail(err, BF_EUSAGE, "--%s: '%s' is there twice", worlds->option,
                               names[e]);
        if (study->panel_count == BF_MAX_PANELS)
            return bf_fail(err, BF_EUSAGE, "--%s: there is room for %d problems in all",
                           worlds->option, BF_MAX_PANELS);
        int panel = bf__study_panel(study, of->title, quantity);
        for (int i = 0; i < count; i++) {
            bf__setting s = *like;
            s.env = bf_env_find(of->name);
            s.behavior = of->behavior;
            s.target = of->target;
            s.trajectories = (int64_t)x[i] / steps;
            s.steps = steps;
            s.gamma = 1;
            BF_TRY(bf__study_add(study, &s, methods, method_count, runs, panel, x[i], err));
        }
    }
    return BF_OK;
}

bf_status bf__finite_plan(bf__study *study, const char *finite, const char *sizes, int64_t steps,
                          const bf__setting *like, const bf__contender *const *methods,
                          int method_count, int64_t runs, bf__quantity quantity, bf_error *err) {
    static const bf__world list[] = {
        {"modelwin", "ModelWin", "behavior", "target"},
        {"ladder", "Ladder", "uniform", "climber"},
        {"gridwalk", "Gridwalk", "greedy@0.5", "greedy@0.8"},
    };
    static const bf__worlds worlds = {"finite", "sizes", list, sizeof list / sizeof *list};
    return bf__worlds_plan(study, &worlds, finite, sizes, steps, like, methods, method_count, runs,
                           quantity, err);
}

bf_status bf__finite_contest(int *below, int *above, int *all, const bf__study *study,
                             const char *a, const char *b, bf_error *err) {
    *below = *above = *all = 0;
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *mine = &study->groups[g];
        if (strcmp(mine->method->name, a) != 0)
            continue;
        const bf__run_group *other = bf__study_find(study, b, mine->panel, mine->x);
        bf_mean more;
        BF_TRY(bf__study_compare(&more, study, mine, other, err));
        *below += more.value < -2 * more.error;
        *above += more.value > 2 * more.error;
        ++*all;
    }
    return BF_OK;
}
