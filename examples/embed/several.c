/* several.c - Several policies on one log, with progress, and cancelled on demand.
 *
 * A log is never changed: each policy makes a view of it, in an arena that goes with the answer. */
#include <stdio.h>

#include <backflow/backflow.h>

/* Counts calls; stops the work at call number `stop_at` (0: never). */
typedef struct watch {
    int calls, stop_at;
} watch;

static bool look(void *context, const bf_progress *progress) {
    watch *w = (watch *)context;
    (void)progress; /* its task, done, total and detail are for a screen */
    return ++w->calls != w->stop_at;
}

static bf_status ask(const bf_dataset *log, const char *policy_name, watch *w, bf_error *err) {
    bf_arena *arena; /* everything about this policy, given back at once */
    BF_TRY(bf_arena_create(&arena, NULL, err));
    const bf_policy *policy;
    const bf_dataset *question;
    const bf_estimate *estimate;
    bf_callbacks report = {NULL, look, w};
    bf_context context = {report, 0, 1, sizeof(bf_context)};
    bf_status status = bf_policy_parse(&policy, policy_name, bf_dataset_actions(log), arena, err);
    if (status == BF_OK)
        status = bf_policy_apply(&question, policy, log, arena, err);
    if (status == BF_OK) {
        bf_problem problem = {question, 1, BF_TERMINAL_RESTART, policy, sizeof(bf_problem)};
        status = bf_estimator_run(&estimate, bf_estimator_find("blackbox"), &problem, NULL,
                                  &context, arena, err);
    }
    if (status == BF_OK)
        printf("%-18s %.3f%s\n", policy_name, bf_estimate_value(estimate),
               bf_estimate_trusted(estimate) ? "" : " (with doubts)");
    bf_arena_destroy(arena);
    return status;
}

static bf_status answer(bf_arena *arena, bf_error *err) {
    static const char *const names[] = {"modelwin:behavior", "modelwin:target", "uniform"};
    const bf_env *env = bf_env_find("modelwin");
    const bf_policy *behavior;
    const bf_dataset *log;
    watch patient = {0, 0}, hasty = {0, 1};
    /* On one thread, so that the calling thread, which is the one that reports, has work to do. */
    bf_context context = {{NULL, look, &hasty}, 1, 1, sizeof(bf_context)};
    BF_TRY(bf_env_policy_parse(&behavior, env, "behavior", 1, arena, err));
    bf_simulation simulation = {env,   BF_REWARDS_PAPER, &behavior, 1, NULL, 200, 100,
                                false, sizeof simulation};
    if (bf_simulate(&log, &simulation, &context, arena, err) == BF_ECANCELLED)
        printf("cancelled at the first call\n");
    context.callbacks.context = &patient;
    BF_TRY(bf_simulate(&log, &simulation, &context, arena, err));
    for (int i = 0; i < 3; i++)
        BF_TRY(ask(log, names[i], &patient, err));
    printf("progress was %s\n", patient.calls > 0 ? "reported" : "not reported");
    return BF_OK;
}

int main(void) {
    bf_error err;
    bf_arena *arena;
    bf_status status = bf_arena_create(&arena, NULL, &err);
    if (status == BF_OK)
        status = answer(arena, &err);
    if (status != BF_OK)
        fprintf(stderr, "several: %s\n", err.message);
    bf_arena_destroy(arena);
    return bf_status_exit(status);
}
