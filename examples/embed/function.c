/* function.c - A target policy that the program computes, on a log that the library simulates.
 *
 * The policy pushes a car up a hill in the direction in which it already rolls. The library asks it
 * about many states at a time; a program would ask its own network here. */
#include <stdio.h>

#include <backflow/backflow.h>

/* What the policy needs to know: how often it does something else. */
typedef struct driver {
    double doubt;
} driver;

/* probabilities (n, 3) at states (n, 2): place and speed of the car. */
static int drive(void *context, const double *states, int64_t n, double *probabilities,
                 bf_error *err) {
    const driver *d = (const driver *)context;
    if (!(d->doubt >= 0 && d->doubt <= 1)) {
        bf_fail(err, BF_EPOLICY, "doubt is %g; a number from 0 to 1 is needed", d->doubt);
        return 1;
    }
    for (int64_t i = 0; i < n; i++) {
        int best = states[2 * i + 1] < 0 ? 0 : 2;
        for (int a = 0; a < 3; a++)
            probabilities[3 * i + a] = d->doubt / 3 + (a == best ? 1 - d->doubt : 0);
    }
    return 0;
}

static bf_status answer(bf_arena *arena, bf_error *err) {
    const bf_env *env = bf_env_find("mountaincar");
    const bf_policy *uniform, *target;
    const bf_dataset *log, *question;
    const bf_estimate *estimate;
    driver careful = {0.2};
    bf_policy_function function = {"driver", 2, 3, drive, 0, 0, NULL, &careful, sizeof function};
    bf_context context = {{NULL, NULL, NULL}, 0, 1, sizeof(bf_context)};
    BF_TRY(bf_policy_uniform(&uniform, env->actions, arena, err));
    BF_TRY(bf_policy_from_function(&target, &function, arena, err));
    bf_simulation simulation = {env,   BF_REWARDS_PAPER, &uniform, 1, NULL, 20, 100,
                                false, sizeof simulation};
    BF_TRY(bf_simulate(&log, &simulation, &context, arena, err));
    BF_TRY(bf_policy_apply(&question, target, log, arena, err));
    bf_problem problem = {question, 0.9, BF_TERMINAL_RESTART, target, sizeof(bf_problem)};
    bf_settings *settings;
    const bf_estimator *method = bf_estimator_find("blackbox");
    BF_TRY(bf_estimator_settings(&settings, method, "weights=neighbours", arena, err));
    BF_TRY(bf_estimator_run(&estimate, method, &problem, settings, &context, arena, err));
    printf("%lld transitions, weights: %s\n", (long long)bf_dataset_rows(question),
           bf_estimate_model(estimate));
    printf("the value is %s\n", bf_estimate_value(estimate) <= 0 ? "a cost" : "a gain");

    careful.doubt = 2; /* now the function refuses */
    bf_error why;
    if (bf_policy_apply(&question, target, log, arena, &why) != BF_OK)
        printf("%s\n", why.message);
    return BF_OK;
}

int main(void) {
    bf_error err;
    bf_arena *arena;
    bf_status status = bf_arena_create(&arena, NULL, &err);
    if (status == BF_OK)
        status = answer(arena, &err);
    if (status != BF_OK)
        fprintf(stderr, "function: %s\n", err.message);
    bf_arena_destroy(arena);
    return bf_status_exit(status);
}
