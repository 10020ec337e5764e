/* arrays.c - A log in the program's own arrays, with episodes.
 *
 * The log is ModelWin in exact proportions under the behaviour policy (0.7, 0.3), as 100 episodes
 * of three steps; without "ns" the next state is that of the next row of the episode:
 *
 *     state 0: action 0 leads to state 1 (reward +1) 4 times in 10, to state 2 (-1) otherwise
 *              action 1 leads to state 1 (reward +1) 6 times in 10, to state 2 (-1) otherwise
 *     states 1 and 2: any action leads back to state 0, reward 0
 *
 * The target policy takes (0.9, 0.1) in state 0. The behaviour earned -0.04 per step, which is what
 * the naive mean says; the target would earn -0.08, which is what the black-box method finds. */
#include <stdio.h>

#include <backflow/backflow.h>

enum { EPISODES = 100, STEPS = 3, N = EPISODES * STEPS, A = 2 };

static int32_t state[N], action[N], episode[N];
static double reward[N], pi[N][A];

/* Appends `count` episodes 0 -> middle -> 0 from number `e` on; returns the next number. The last
 * row of an episode only shows where the second one led. */
static int append(int e, int count, int first_action, int middle, double r) {
    for (; count > 0; count--, e++)
        for (int t = 0; t < STEPS; t++) {
            int i = e * STEPS + t;
            episode[i] = e;
            state[i] = t == 1 ? middle : 0;
            action[i] = t == 0 ? first_action : e % 2;
            reward[i] = t == 0 ? r : 0;
            pi[i][0] = t == 1 ? 0.5 : 0.9;
            pi[i][1] = 1 - pi[i][0];
        }
    return e;
}

static bf_status make_log(const bf_dataset **out, bf_arena *arena, bf_error *err) {
    bf_array s = bf_array_1d(state, BF_INT32, N), a = bf_array_1d(action, BF_INT32, N);
    bf_array r = bf_array_1d(reward, BF_FLOAT64, N), e = bf_array_1d(episode, BF_INT32, N);
    bf_array p = bf_array_2d(pi, BF_FLOAT64, N, A);
    bf_columns *log;
    BF_TRY(bf_columns_create(&log, "log", arena, err));
    BF_TRY(bf_columns_add(log, "s", &s, err));
    BF_TRY(bf_columns_add(log, "a", &a, err));
    BF_TRY(bf_columns_add(log, "r", &r, err));
    BF_TRY(bf_columns_add(log, "episode", &e, err));
    BF_TRY(bf_columns_add(log, "pi", &p, err));
    return bf_dataset_from_columns(out, log, NULL, arena, err); /* copies, and checks everything */
}

static bf_status answer(bf_arena *arena, bf_error *err) {
    static const char *const methods[] = {"naive", "blackbox"};
    bf_problem problem = {NULL, 1, BF_TERMINAL_RESTART, NULL, sizeof(bf_problem)};
    bf_context context = {{NULL, NULL, NULL}, 0, 1, sizeof(bf_context)};
    BF_TRY(make_log(&problem.data, arena, err));
    for (int i = 0; i < 2; i++) {
        const bf_estimate *estimate;
        BF_TRY(bf_estimator_run(&estimate, bf_estimator_find(methods[i]), &problem, NULL, &context,
                                arena, err));
        printf("%s: %.6f per step\n", methods[i], bf_estimate_value(estimate));
    }
    printf("backflow %s, BLAS: %s\n", bf_version(), bf_machine_describe().blas);
    return BF_OK;
}

int main(void) {
    int e = 0;
    e = append(e, 28, 0, 1, 1);
    e = append(e, 42, 0, 2, -1);
    e = append(e, 18, 1, 1, 1);
    e = append(e, 12, 1, 2, -1);
    bf_error err;
    bf_arena *arena;
    bf_status status = bf_arena_create(&arena, NULL, &err);
    if (status == BF_OK)
        status = answer(arena, &err);
    if (status != BF_OK)
        fprintf(stderr, "arrays: %s\n", err.message);
    bf_arena_destroy(arena);
    return bf_status_exit(status);
}
