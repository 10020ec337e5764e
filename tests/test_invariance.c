/* test_invariance.c - What must not matter does not matter, to any estimator.
 *
 * Every estimator of the registry with every model: rewards in another unit and from another zero
 * give the same answer in that unit and from that zero. Rows in another order, and an action that
 * has two names in a finite log, give the same answer. */
#include "subjects.h"

/* NaN: it found no answer, and says why. */
static double answer(const bench *b, const subject *s, double gamma) {
    bf_estimate out;
    bf_context context = {.threads = 1, .seed = 7};
    bf_status status = run(&out, b, s, gamma, settings_of(s, "", arena), &context, arena);
    if (status == BF_ENUMERIC)
        return NAN;
    assert_ok(status, err);
    return out.value;
}

/* Asks every subject of `which` about two logs: the answer about the other one is to be unit times
 * the first answer, plus zero, or there is none to both. */
static void compare(const bench *b, const bench *other, double unit, double zero,
                    bool (*which)(const subject *)) {
    int asked = 0;
    for (int k = 0; k < b->count; k++)
        for (int g = 0; g < 2; g++) {
            const subject *s = &b->subject[k];
            double gamma = g == 0 ? 1 : 0.9;
            if (!which(s))
                continue;
            bf_mark mark = bf_arena_mark(arena);
            double expected = unit * answer(b, s, gamma) + zero, found = answer(other, s, gamma);
            if (isnan(expected) ? !isnan(found) : !(fabs(found - expected) <= 1e-9))
                fail_msg("%s, gamma %g: %.17g, not %.17g", name_of(s), gamma, found, expected);
            asked += !isnan(expected);
            bf_arena_rewind(arena, mark);
        }
    assert_true(asked >= 10);
}

static const double *rewards_in(const bf_dataset *data, double unit, double zero) {
    double *r = bf_arena_alloc(arena, data->n, sizeof *r, &err);
    assert_non_null(r);
    for (int64_t i = 0; i < data->n; i++)
        r[i] = unit * data->reward[i] + zero;
    return r;
}

static bench in_other_rewards(const bench *b, double unit, double zero) {
    bench other = *b;
    other.finite.reward = rewards_in(&b->finite, unit, zero);
    other.real.reward = rewards_in(&b->real, unit, zero);
    return other;
}

/* A column of `width` numbers, with its rows from the last to the first. */
static const double *turned(const double *column, int width, int64_t n) {
    if (!column)
        return NULL;
    double *out = bf_arena_alloc(arena, width * n, sizeof *out, &err);
    assert_non_null(out);
    for (int j = 0; j < width; j++)
        for (int64_t i = 0; i < n; i++)
            out[j * n + i] = column[j * n + n - 1 - i];
    return out;
}

/* The same log with its rows from the last to the first; episodes still say which comes when. */
static bf_dataset turn_round(const bf_dataset *data) {
    bf_dataset out = *data;
    int64_t n = data->n;
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    uint8_t *terminated = bf_arena_zalloc(arena, n, 1, &err);
    int64_t *order = bf_arena_alloc(arena, n, sizeof *order, &err);
    assert_true(action && terminated && order);
    for (int64_t i = 0; i < n; i++) {
        action[i] = data->action[n - 1 - i];
        terminated[i] = data->terminated && data->terminated[n - 1 - i];
        order[i] = n - 1 - data->order[i];
    }
    out.state = turned(data->state, data->state_dim, n);
    out.next_state = turned(data->next_state, data->state_dim, n);
    out.reward = turned(data->reward, 1, n);
    out.mu = turned(data->mu, 1, n);
    out.pi = turned(data->pi, data->actions, n);
    out.npi = turned(data->npi, data->actions, n);
    out.action = action;
    out.terminated = data->terminated ? terminated : NULL;
    out.order = order;
    return out;
}

static bool any(const subject *s) {
    (void)s;
    return true;
}

static void the_unit_of_rewards_is_that_of_the_answer(void **state) {
    (void)state;
    bench b = make_bench(), other = in_other_rewards(&b, 4, 0);
    compare(&b, &other, 4, 0, any);
}

static bool is_one_of(const subject *s, const char *const *names) {
    for (; *names; names++)
        if (strcmp(s->method->name, *names) == 0)
            return true;
    return false;
}

/* Products of ratios are not divided by their sum in `is` and `pdis`, and a network that has been
 * trained for a while has not yet found where 0 is. */
static bool weighs_by_sums(const subject *s) {
    static const char *const others[] = {"is", "pdis", "fqe", NULL};
    return !is_one_of(s, others);
}

static void the_zero_of_rewards_is_that_of_the_answer(void **state) {
    (void)state;
    bench b = make_bench(), other = in_other_rewards(&b, 1, 8);
    compare(&b, &other, 1, 8, weighs_by_sums);
}

/* Methods for real-valued states draw rows by number: pivots, centres, batches. Other rows are
 * drawn if they come in another order, and the answer is another draw. */
static bool draws_no_rows(const subject *s) {
    static const char *const plain[] = {"naive", "model", "is", "wis", "pdis", NULL};
    return is_one_of(s, plain) || (s->finite && strcmp(s->method->name, "fqe") != 0);
}

static void the_order_of_rows_does_not_matter(void **state) {
    (void)state;
    bench b = make_bench(), other = b;
    other.finite = turn_round(&b.finite);
    other.real = turn_round(&b.real);
    compare(&b, &other, 1, 0, draws_no_rows);
}

/* The finite log, in which some rows of action 0 call it by another name: of the four in state s, s
 * + 1 do. The target takes the names as often as the log does, so that it is the same policy. */
static bf_dataset with_two_names(const bf_dataset *data) {
    bf_dataset out = *data;
    int64_t n = data->n;
    int seen[STATES] = {0};
    int32_t *action = bf_arena_alloc(arena, n, sizeof *action, &err);
    double *mu = bf_arena_alloc(arena, n, sizeof *mu, &err);
    double *pi = bf_arena_alloc(arena, 3 * n, sizeof *pi, &err);
    double *npi = bf_arena_alloc(arena, 3 * n, sizeof *npi, &err);
    assert_true(data->actions == 2 && action && mu && pi && npi);
    for (int64_t i = 0; i < n; i++) {
        int s = (int)data->state[i];
        double new_name = (s + 1) / 4.0, new_next = (data->next_state[i] + 1) / 4.0;
        bool renamed = data->action[i] == 0 && seen[s]++ < s + 1;
        action[i] = renamed ? 2 : data->action[i];
        mu[i] = data->mu[i] * (data->action[i] == 1 ? 1 : renamed ? new_name : 1 - new_name);
        pi[i] = (1 - new_name) * data->pi[i];
        npi[i] = (1 - new_next) * data->npi[i];
        pi[n + i] = data->pi[n + i];
        npi[n + i] = data->npi[n + i];
        pi[2 * n + i] = new_name * data->pi[i];
        npi[2 * n + i] = new_next * data->npi[i];
    }
    out.actions = 3;
    out.action = action;
    out.mu = mu;
    out.pi = pi;
    out.npi = npi;
    return out;
}

static bool is_exact(const subject *s) {
    return s->finite && weighs_by_sums(s) && strcmp(s->method->name, "dualdice") != 0;
}

/* docs/method.md, "Actions that do the same", says why this is so and where it is not. */
static void an_action_may_have_two_names(void **state) {
    (void)state;
    bench b = make_bench(), other = b;
    other.finite = with_two_names(&b.finite);
    compare(&b, &other, 1, 0, is_exact);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(the_unit_of_rewards_is_that_of_the_answer),
        arena_test(the_zero_of_rewards_is_that_of_the_answer),
        arena_test(the_order_of_rows_does_not_matter),
        arena_test(an_action_may_have_two_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
