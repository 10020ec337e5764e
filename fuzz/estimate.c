/* estimate.c - Whole estimates of small finite logs that the bytes describe.
 *
 *     byte 0  states, 1 to 4          byte 3  the model: the method, or "model"
 *     byte 1  actions, 1 to 3         then the target policy, a byte per probability
 *     byte 2  gamma: 1 or 0.9         then rows: state, action, next state, reward, end of episode
 *
 * Whatever the log is, an answer is finite and lies within the rewards. It moves with the rewards
 * if they are scaled and shifted, and does not depend on the order of rows. */
#include "fuzz.h"

enum { MOST_ROWS = 40, MOST_ACTIONS = 3, BYTES_PER_ROW = 5 };

typedef struct small_log {
    int n, actions;
    double gamma;
    const char *method;
    double s[MOST_ROWS], a[MOST_ROWS], r[MOST_ROWS], ns[MOST_ROWS], episode[MOST_ROWS],
        t[MOST_ROWS];
    double pi[MOST_ROWS * MOST_ACTIONS], npi[MOST_ROWS * MOST_ACTIONS];
} small_log;

static bool describe(small_log *out, const uint8_t *data, size_t size) {
    double table[4][MOST_ACTIONS];
    int states = 1 + data[0] % 4, at = 4;
    *out = (small_log){.actions = 1 + data[1] % MOST_ACTIONS,
                       .gamma = data[2] % 2 ? 0.9 : 1,
                       .method = data[3] % 2 ? "model" : "blackbox"};
    for (int s = 0; s < states; s++) {
        double sum = 0;
        for (int a = 0; a < out->actions; a++)
            sum += table[s][a] = data[at++];
        for (int a = 0; a < out->actions; a++)
            table[s][a] = sum > 0 ? table[s][a] / sum : 1.0 / out->actions;
    }
    int episode = 0, t = 0;
    for (; at + BYTES_PER_ROW <= (int)size && out->n < MOST_ROWS; at += BYTES_PER_ROW) {
        int i = out->n++, s = data[at] % states, next = data[at + 2] % states;
        out->s[i] = s;
        out->a[i] = data[at + 1] % out->actions;
        out->ns[i] = next;
        out->r[i] = (data[at + 3] - 128) / 16.0;
        out->episode[i] = episode;
        out->t[i] = t++;
        for (int a = 0; a < out->actions; a++) {
            out->pi[i * out->actions + a] = table[s][a];
            out->npi[i * out->actions + a] = table[next][a];
        }
        if (data[at + 4] % 8 == 0)
            episode++, t = 0;
    }
    return out->n > 0;
}

static bf_status answer(double *out, const small_log *l, bf_error *err) {
    bf_arena *arena = new_arena();
    bf_columns *columns;
    const bf_dataset *data;
    const bf_estimate *estimate;
    bf_context context = {.threads = 1};
    const double *const values[] = {l->s, l->a, l->r, l->ns, l->episode, l->t, l->pi, l->npi};
    static const char *const names[] = {"s", "a", "r", "ns", "episode", "t", "pi", "npi"};
    MUST(bf_columns_create(&columns, NULL, arena, err) == BF_OK);
    for (int k = 0; k < 8; k++) {
        bf_array array = k < 6 ? bf_array_1d(values[k], BF_FLOAT64, l->n)
                               : bf_array_2d(values[k], BF_FLOAT64, l->n, l->actions);
        MUST(bf_columns_add(columns, names[k], &array, err) == BF_OK);
    }
    bf_status status = bf_dataset_from_columns(&data, columns, &context, arena, err);
    if (status == BF_OK) {
        bf_problem problem = {.data = data, .gamma = l->gamma, .terminal = BF_TERMINAL_IGNORE};
        status = bf_estimator_run(&estimate, bf_estimator_find(l->method), &problem, NULL, &context,
                                  arena, err);
    }
    if (status == BF_OK)
        *out = bf_estimate_value(estimate);
    else
        must_explain(status, err);
    bf_arena_destroy(arena);
    return status;
}

/* The same log with its rows in the opposite order; episode and t still say which is which. */
static void turn_round(small_log *to, const small_log *from) {
    *to = *from;
    for (int i = 0; i < from->n; i++) {
        int j = from->n - 1 - i, actions = from->actions;
        to->s[i] = from->s[j], to->a[i] = from->a[j], to->r[i] = from->r[j];
        to->ns[i] = from->ns[j], to->episode[i] = from->episode[j], to->t[i] = from->t[j];
        memcpy(to->pi + i * actions, from->pi + j * actions, (size_t)actions * sizeof *to->pi);
        memcpy(to->npi + i * actions, from->npi + j * actions, (size_t)actions * sizeof *to->npi);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static small_log first, other;
    bf_error err;
    double value, moved, turned, least = INFINITY, most = -INFINITY;
    if (size < 4 + 4 * MOST_ACTIONS + BYTES_PER_ROW || !describe(&first, data, size))
        return 0;
    bf_status status = answer(&value, &first, &err);
    const double shift = 8;
    other = first;
    for (int i = 0; i < first.n; i++) {
        least = fmin(least, first.r[i]);
        most = fmax(most, first.r[i]);
        other.r[i] = 4 * first.r[i] + shift; /* exact in binary: rewards are multiples of 1/16 */
    }
    MUST(answer(&moved, &other, &err) == status);
    turn_round(&other, &first);
    MUST(answer(&turned, &other, &err) == status);
    if (status != BF_OK)
        return 0;
    if (getenv("FUZZ_SHOW")) /* for a look at what was found */
        fprintf(stderr, "%s, gamma %g: %.17g, moved %.17g, turned %.17g\n", first.method,
                first.gamma, value, (moved - shift) / 4, turned);
    double slack = 1e-9 * (1 + most - least);
    MUST(isfinite(value) && value >= least - slack && value <= most + slack);
    MUST(fabs(moved - (4 * value + shift)) <= 1e-7 * (1 + fabs(moved)));
    MUST(fabs(turned - value) <= 1e-7 * (1 + fabs(value)));
    return 0;
}
