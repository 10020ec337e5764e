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

static double state[N], next_state[N], reward[N];
static int32_t action[N];
static double pi[A * N], npi[A * N]; /* (A, n): column after column */

/* Appends `count` transitions from row `i`; returns the next row. */
static int append(int i, int count, int s, int a, double r, int next) {
    for (; count > 0; count--, i++) {
        state[i] = s;
        action[i] = a;
        reward[i] = r;
        next_state[i] = next;
        for (int k = 0; k < A; k++) {
            pi[k * N + i] = s == 0 ? (k == 0 ? 0.9 : 0.1) : 0.5;
            npi[k * N + i] = next == 0 ? (k == 0 ? 0.9 : 0.1) : 0.5;
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

int main(int argc, char **argv) {
    static const char *const usual[] = {"naive", "blackbox"};
    const char *const *methods = argc > 1 ? (const char *const *)argv + 1 : usual;
    int count = argc > 1 ? argc - 1 : 2;

    fill();
    bf_dataset data = {.n = N, .state_dim = 1};
    data.state = state;
    data.next_state = next_state;
    data.action = action;
    data.reward = reward;
    data.pi = pi;
    data.npi = npi;
    bf_problem problem = {.data = &data, .gamma = 1, .terminal = BF_TERMINAL_RESTART};
    bf_context context = {.seed = 1};

    bf_error err;
    bf_arena *arena;
    bf_status status = bf_arena_create(&arena, NULL, &err);
    if (status == BF_OK)
        status = bf_dataset_finish(&data, arena, &err); /* checks what we filled in */
    for (int i = 0; i < count && status == BF_OK; i++) {
        const bf_estimator *estimator = bf_estimator_find(methods[i]);
        bf_estimate estimate;
        if (!estimator) {
            fprintf(stderr, "embed: there is no estimator %s\n", methods[i]);
            bf_arena_destroy(arena);
            return 2;
        }
        status = bf_estimator_run(estimator, &estimate, &problem, NULL, &context, arena, &err);
        if (status == BF_OK)
            printf("%s: %.6f per step\n", estimator->name, estimate.value);
    }
    if (status != BF_OK)
        fprintf(stderr, "embed: %s\n", err.message);
    else
        printf("backflow %s, BLAS: %s\n", bf_version(), bf_machine_describe().blas);
    bf_arena_destroy(arena);
    return bf_status_exit(status);
}
