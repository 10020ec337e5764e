/* test_critic_round.c - The rows that a round of fitted Q evaluation looks at: which they are, and
 * that the network says the same of them as if it had been asked about the whole log. */
#include "neural_log.h"

#include "neural/critic_round.h"

enum { N = 900, BATCH = 4, PART = BATCH * BF__CRITIC_STEPS, RUN = 32 };

typedef struct look {
    bf_dataset data;
    bf_problem problem;
    bf__pairs pairs;
    bf__critic_task task;
    bf__round round;
} look;

static look *begin(shape s, int64_t batch, double gamma, int terminal) {
    look *out = room(1, sizeof *out);
    bf_context context = {.threads = 1};
    out->data = make_log(s);
    out->problem = (bf_problem){&out->data, gamma, terminal};
    out->task = (bf__critic_task){.problem = &out->problem, .pairs = &out->pairs, .batch = batch};
    assert_ok(bf__pairs_make(&out->pairs, &out->problem, "none", "none", &context, arena, &err),
              err);
    assert_ok(bf__critic_inputs(&out->task, arena, &err), err);
    assert_ok(bf__round_make(&out->round, &out->task, arena, &err), err);
    return out;
}

/* A network that was never trained; its parameters. */
static const float *untrained(bf__mlp *net, int inputs) {
    bf_rng rng = bf_rng_make(2, "untrained", 0);
    assert_ok(bf__mlp_make(net, inputs, "9-7", 1, BF__TANH, BF__IDENTITY, &err), err);
    int64_t count = bf__mlp_parameters(net);
    double *wide = room(count, sizeof *wide);
    float *out = room(count, sizeof *out);
    bf__mlp_init(net, wide, &rng);
    for (int64_t i = 0; i < count; i++)
        out[i] = (float)wide[i];
    return out;
}

/* Actions of a finite set and vectors, and more start states than a part has rows. */
static void a_part_is_told_what_the_whole_is(void **state) {
    (void)state;
    for (int actions = 0; actions <= 3; actions += 3) {
        shape s = {
            .n = N, .d = 3, .actions = actions, .horizon = 4, .scale = 1, .terminated = true};
        look *whole = begin(s, N, 1, BF_TERMINAL_RESTART);
        look *part = begin(s, BATCH, 1, BF_TERMINAL_RESTART);
        bf_rng rng = bf_rng_make(3, "round", 0);
        bf__mlp net;
        const float *parameters = untrained(&net, whole->pairs.inputs);
        assert_true(whole->round.all && !part->round.all);
        bf__round_ask(&whole->round, &net, parameters);
        for (int times = 0; times < 20; times++) {
            bf__round_draw(&part->round, &rng);
            bf__round_ask(&part->round, &net, parameters);
            for (int64_t j = 0; j < part->round.count; j++) {
                int64_t i = part->round.rows[j];
                assert_true(bf__round_logged(&part->round, i) ==
                            bf__round_logged(&whole->round, i));
                assert_true(bf__round_expects(&part->round, 1, &part->task.next, part->task.next_p,
                                              N, i) == bf__round_expects(&whole->round, 1,
                                                                         &whole->task.next,
                                                                         whole->task.next_p, N, i));
            }
            assert_int_equal(part->round.starts, PART);
            for (int64_t j = 0; j < part->round.starts; j++) {
                int64_t e = part->round.start[j], starts = part->pairs.starts;
                assert_in_range(e, 0, starts - 1);
                assert_true(bf__round_expects(&part->round, 1, &part->task.start,
                                              part->task.start_p, starts, e) ==
                            bf__round_expects(&whole->round, 1, &whole->task.start,
                                              whole->task.start_p, starts, e));
            }
        }
    }
}

/* Runs of rows in order, each row as often as the others. */
static void every_row_has_its_turn(void **state) {
    (void)state;
    enum { TIMES = 4000 };
    look *l =
        begin((shape){.n = N, .d = 2, .actions = 2, .horizon = 300, .scale = 1, .terminated = true},
              BATCH, 1, BF_TERMINAL_RESTART);
    bf_rng rng = bf_rng_make(5, "turns", 0);
    int64_t turns[N] = {0};
    for (int times = 0; times < TIMES; times++) {
        bf__round_draw(&l->round, &rng);
        assert_in_range(l->round.count, PART - RUN + N % RUN, PART);
        for (int64_t j = 0; j < l->round.count; j++) {
            int64_t i = l->round.rows[j];
            assert_in_range(i, j > 0 ? l->round.rows[j - 1] + 1 : 0, N - 1);
            if (i % RUN > 0)
                assert_int_equal(l->round.rows[j - 1], i - 1);
            turns[i]++;
        }
    }
    /* Four runs of 29 are drawn; six standard deviations of a binomial. */
    double expected = TIMES * 4.0 / 29, reach = 6 * sqrt(expected * (1 - 4.0 / 29));
    for (int i = 0; i < N; i++)
        assert_near((double)turns[i], expected, reach);
    assert_int_equal(l->round.starts, 3); /* there are no more of them */
}

/* Logs that fit into a part, those whose ends stay ended, and those whose rows count differently.
 */
static void some_logs_are_looked_at_whole(void **state) {
    (void)state;
    shape s = {.n = PART + BF__CRITIC_STEPS - 1,
               .d = 2,
               .actions = 2,
               .horizon = 20,
               .scale = 1,
               .terminated = true};
    shape longer = s;
    longer.n++;
    assert_true(begin(s, BATCH, 1, BF_TERMINAL_RESTART)->round.all);
    assert_false(begin(longer, BATCH, 1, BF_TERMINAL_RESTART)->round.all);
    assert_false(begin(longer, BATCH, 0.9, BF_TERMINAL_RESTART)->round.all);
    look *ended = begin(longer, BATCH, 0.9, BF_TERMINAL_ABSORB);
    assert_true(ended->round.all);
    assert_int_equal(ended->round.count, longer.n);
    bf__round weighted;
    look *apart = begin(longer, BATCH, 1, BF_TERMINAL_RESTART);
    apart->pairs.points.weight = room(longer.n, sizeof(double));
    assert_ok(bf__round_make(&weighted, &apart->task, arena, &err), err);
    assert_true(weighted.all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(a_part_is_told_what_the_whole_is),
        arena_test(every_row_has_its_turn),
        arena_test(some_logs_are_looked_at_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
