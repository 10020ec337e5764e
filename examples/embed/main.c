/* main.c - Backflow inside a program: a log in the program's own arrays, no files.
 *
 * The log is ModelWin in exact proportions, 200 transitions of the behaviour policy (0.7, 0.3):
 *
 *     state 0: action 0 leads to state 1 (reward +1) 4 times in 10, to state 2 (-1) otherwise
 *              action 1 leads to state 1 (reward +1) 6 times in 10, to state 2 (-1) otherwise
 *     states 1 and 2: any action leads back to state 0, reward 0
 *
 * The target policy takes (0.9, 0.1) in state 0. The behaviour earned -0.04 per step, which is
 * what the naive mean says; the target would earn -0.08, which is what the black-box method finds.
 *
 * embed [METHOD...]   the methods to ask; `backflow list estimators` names them */
#include <stdio.h>

#include <backflow/backflow.h>

enum { N = 200, A = 2 };

static double reward[N];
static int32_t state[N], next_state[N], action[N];
static double pi[N][A], npi[N][A];

/* Appends `count` transitions from row `i`; returns the next row. */
static int append(int i, int count, int s, int a, double r, int next) {
    for (; count > 0; count--, i++) {
        state[i] = s;
        action[i] = a;
        reward[i] = r;
        next_state[i] = next;
        for (int k = 0; k < A; k++) {
            pi[i][k] = s == 0 ? (k == 0 ? 0.9 : 0.1) : 0.5;
            npi[i][k] = next == 0 ? (k == 0 ? 0.9 : 0.1) : 0.5;
        }
    }
    return i;
}

static void fill(void) {
    int i = 0;
    i = append(i, 28, 0, 0, 1, 1);
    i = append(i, 42, 0, 0, -1, 2);
    i = append(i, 18, 0, 1, 1, 1);
    i = append(i, 12, 0, 1, -1, 2);
    for (int a = 0; a < A; a++) {
        i = append(i, 23, 1, a, 0, 0);
        i = append(i, 27, 2, a, 0, 0);
    }
}

/* The arrays as a log; what we filled in is checked. */
static bf_status make_log(const bf_dataset **out, bf_arena *arena, bf_error *err) {
    const struct {
        const char *name;
        bf_array array;
    } columns[] = {
        {"s", bf_array_1d(state, BF_INT32, N)},    {"a", bf_array_1d(action, BF_INT32, N)},
        {"r", bf_array_1d(reward, BF_FLOAT64, N)}, {"ns", bf_array_1d(next_state, BF_INT32, N)},
        {"pi", bf_array_2d(pi, BF_FLOAT64, N, A)}, {"npi", bf_array_2d(npi, BF_FLOAT64, N, A)},
    };
    bf_columns *log;
    bf_status status = bf_columns_create(&log, "log", arena, err);
    for (size_t c = 0; c < sizeof columns / sizeof *columns && status == BF_OK; c++)
        status = bf_columns_add(log, columns[c].name, &columns[c].array, err);
    return status == BF_OK ? bf_dataset_from_columns(out, log, NULL, arena, err) : status;
}

int main(int argc, char **argv) {
    static const char *const usual[] = {"naive", "blackbox"};
    const char *const *methods = argc > 1 ? (const char *const *)argv + 1 : usual;
    int count = argc > 1 ? argc - 1 : 2;

    fill();
    bf_problem problem = {.gamma = 1, .terminal = BF_TERMINAL_RESTART, .size = sizeof problem};
    bf_context context = {.seed = 1, .size = sizeof context};

    bf_error err;
    bf_arena *arena;
    bf_status status = bf_arena_create(&arena, NULL, &err);
    if (status == BF_OK)
        status = make_log(&problem.data, arena, &err);
    for (int i = 0; i < count && status == BF_OK; i++) {
        const bf_estimator *estimator = bf_estimator_find(methods[i]);
        const bf_estimate *estimate;
        if (!estimator) {
            fprintf(stderr, "embed: there is no estimator %s\n", methods[i]);
            bf_arena_destroy(arena);
            return 2;
        }
        status = bf_estimator_run(&estimate, estimator, &problem, NULL, &context, arena, &err);
        if (status == BF_OK)
            printf("%s: %.6f per step\n", estimator->name, bf_estimate_value(estimate));
    }
    if (status != BF_OK)
        fprintf(stderr, "embed: %s\n", err.message);
    else
        printf("backflow %s, BLAS: %s\n", bf_version(), bf_machine_describe().blas);
    bf_arena_destroy(arena);
    return bf_status_exit(status);
}
