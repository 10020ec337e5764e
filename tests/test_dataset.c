/* test_dataset.c - From columns to a log: states, actions, episodes, next states, checks. */
#include "logs.h"
#include "ration.h"

static void one_whole_column_is_a_finite_space(void **state) {
    logs *l = *state;
    bf_dataset d = logs_good(l, "s,a,r,ns\n0,0,1,4\n2,1,1,0\n");
    assert_int_equal(d.states, 5);
    assert_false(d.real_state);
    d = logs_good(l, "s,a,r,ns\n0,0,1,4\n2.5,1,1,0\n");
    assert_int_equal(d.states, 0);
    d = logs_good(l, "s,a,r,ns\n0,0,1,-4\n2,1,1,0\n");
    assert_int_equal(d.states, 0);
    d = logs_good(l, "s0,a,r,ns0\n0,0,1,4\n2,1,1,0\n");
    assert_int_equal(d.states, 0);
    assert_true(d.real_state);
    assert_ok(bf__dataset_finish(&d, l->arena, &l->err), l->err); /* again: the same */
    assert_int_equal(d.states, 0);
}

static void columns_are_blocks(void **state) {
    bf_dataset d = logs_good(*state, "npi1,s1,a,r,ns0,s0,ns1,npi0,mu\n"
                                     "0.25,2,1,5,3,1,4,0.75,0.5\n1,20,0,50,30,10,40,0,1\n");
    const double s[] = {1, 10, 2, 20}, ns[] = {3, 30, 4, 40}, npi[] = {0.75, 0, 0.25, 1};
    assert_int_equal(d.state_dim, 2);
    assert_memory_equal(d.state, s, sizeof s);
    assert_memory_equal(d.next_state, ns, sizeof ns);
    assert_memory_equal(d.npi, npi, sizeof npi);
    assert_true(d.mu[0] == 0.5 && d.mu[1] == 1);
    assert_null(d.pi);
    assert_int_equal(d.actions, 2);
}

static void vectors_as_actions(void **state) {
    bf_dataset d = logs_good(*state, "s0,a1,a0,r,ns0,na0_0,na1_0,na0_1,na1_1\n"
                                     "1,2,3,4,5,6,8,7,9\n10,20,30,40,50,60,80,70,90\n");
    const double a[] = {3, 30, 2, 20}, na[] = {6, 60, 7, 70, 8, 80, 9, 90};
    assert_null(d.action);
    assert_int_equal(d.actions, 0);
    assert_int_equal(d.action_dim, 2);
    assert_int_equal(d.samples, 2);
    assert_memory_equal(d.action_vector, a, sizeof a);
    assert_memory_equal(d.na, na, sizeof na);
}

/* ---- Episodes */

/* Two episodes: 7 with steps 0 1 2, terminated, and 3 with steps 0 1. r tells rows apart. */
static void check_two_episodes(const bf_dataset *d) {
    static const double expected[] = {30, 31, 70, 71, 72};
    assert_int_equal(d->episodes, 2);
    assert_int_equal(d->begin[1], 2);
    assert_int_equal(d->begin[2], 5);
    assert_false(d->episodes_inferred);
    for (int j = 0; j < 5; j++)
        assert_true(d->reward[d->order[j]] == expected[j]);
}

static void order_of_rows_does_not_matter(void **state) {
    logs *l = *state;
    const char *rows[] = {"7,0,70,0,1,0\n", "7,1,71,1,2,0\n", "7,2,72,2,0,1\n", "3,0,30,5,6,0\n",
                          "3,1,31,6,7,0\n"};
    bf_rng rng = bf_rng_make(1, "shuffle", 0);
    for (int trial = 0; trial < 20; trial++) {
        char text[256] = "episode,t,r,s,ns,terminated,a\n";
        for (int i = 4; i > 0; i--) {
            int64_t k = bf_rng_below(&rng, i + 1);
            const char *row = rows[i];
            rows[i] = rows[k];
            rows[k] = row;
        }
        for (int i = 0; i < 5; i++)
            sprintf(text + strlen(text), "%.*s,0\n", (int)strlen(rows[i]) - 1, rows[i]);
        bf_dataset d = logs_good(l, text);
        check_two_episodes(&d);
    }
}

static void without_t_the_file_gives_the_order(void **state) {
    bf_dataset d = logs_good(*state, "episode,r,s,ns,a\n7,70,0,1,0\n3,30,5,6,0\n7,71,1,2,0\n"
                                     "3,31,6,7,0\n7,72,2,0,0\n");
    check_two_episodes(&d);
}

static void t_alone_starts_anew_where_it_falls(void **state) {
    bf_dataset d = logs_good(*state, "t,r,s,ns,a\n5,30,5,6,0\n6,31,6,7,0\n0,70,0,1,0\n1,71,1,2,0\n"
                                     "2,72,2,0,0\n");
    check_two_episodes(&d);
}

static void an_end_inside_an_id_is_a_restart(void **state) {
    bf_dataset d = logs_good(*state, "episode,t,r,s,ns,a,terminated,truncated\n"
                                     "1,0,0,0,1,0,0,0\n1,1,0,1,9,0,1,0\n1,2,0,0,2,0,0,1\n"
                                     "1,3,0,0,1,0,0,0\n2,0,0,0,1,0,1,1\n");
    assert_int_equal(d.episodes, 4);
    const int64_t begin[] = {0, 2, 3, 4, 5};
    assert_memory_equal(d.begin, begin, sizeof begin);
    assert_int_equal(d.terminated[4], 1); /* both: it terminated */
    assert_int_equal(d.truncated[4], 0);
}

static void a_chain_that_says_its_ends_has_episodes(void **state) {
    logs *l = *state;
    bf_dataset d = logs_good(l, "s0,r,ns0,a,terminated,truncated\n0,0,1,0,0,0\n1,0,2,0,1,0\n"
                                "0,0,3,0,0,0\n3,0,4,0,0,1\n0,0,5,0,0,0\n");
    assert_int_equal(d.episodes, 3);
    assert_true(d.episodes_inferred);
    assert_int_equal(d.begin[1], 2);
    assert_int_equal(d.begin[2], 4);
    d = logs_good(l, "s0,r,ns0,a,terminated\n0,0,1,0,0\n1.5,0,2,0,1\n0,0,3,0,0\n");
    assert_null(d.begin); /* row 0 does not lead to row 1 */
    assert_null(d.order);
    assert_int_equal(d.episodes, 0);
    d = logs_good(l, "s0,r,ns0,a,terminated\n0,0,1,0,0\n1,0,2,0,0\n");
    assert_null(d.begin); /* no end: it could be anything */
}

/* ---- Next states from next rows */

static void next_state_from_the_next_row(void **state) {
    logs *l = *state;
    bf_dataset d = logs_good(l, "episode,t,s0,s1,a,r,terminated,pi0,pi1\n"
                                "1,0,1,10,0,1,0,0.1,0.9\n1,1,2,20,1,2,0,0.2,0.8\n"
                                "1,2,3,30,0,3,0,0.3,0.7\n"
                                "2,1,5,50,1,5,1,0.5,0.5\n2,0,4,40,0,4,0,0.4,0.6\n");
    /* Row (1, 2) goes; (2, 1) terminated and keeps its own state. */
    const double r[] = {1, 2, 5, 4}, s[] = {1, 2, 5, 4, 10, 20, 50, 40},
                 ns[] = {2, 3, 5, 5, 20, 30, 50, 50},
                 npi[] = {0.2, 0.3, 0.5, 0.5, 0.8, 0.7, 0.5, 0.5};
    const int64_t begin[] = {0, 2, 4}, order[] = {0, 1, 3, 2}, row[] = {2, 3, 5, 6};
    assert_int_equal(d.n, 4);
    assert_int_equal(d.rows_read, 5);
    assert_int_equal(d.rows_dropped, 1);
    assert_memory_equal(d.reward, r, sizeof r);
    assert_memory_equal(d.state, s, sizeof s);
    assert_memory_equal(d.next_state, ns, sizeof ns);
    assert_memory_equal(d.npi, npi, sizeof npi);
    assert_true(d.pi[0] == 0.1 && d.pi[4] == 0.9 && d.pi[2] == 0.5);
    assert_int_equal(d.episodes, 2);
    assert_memory_equal(d.begin, begin, sizeof begin);
    assert_memory_equal(d.order, order, sizeof order);
    assert_memory_equal(d.row, row, sizeof row);
    assert_memory_equal(d.action, ((const int32_t[]){0, 1, 1, 0}), 16);
    assert_memory_equal(d.terminated, "\0\0\1\0", 4);
}

static void an_episode_of_one_row_vanishes(void **state) {
    bf_dataset d = logs_good(*state, "episode,s,a,r\n1,0,0,1\n2,1,0,2\n2,2,0,3\n3,0,0,4\n");
    assert_int_equal(d.n, 1);
    assert_int_equal(d.episodes, 1);
    assert_int_equal(d.rows_dropped, 3);
    assert_true(d.state[0] == 1 && d.next_state[0] == 2 && d.reward[0] == 2);
    assert_int_equal(d.states, 3);
}

/* Rows in the order of steps with their ends marked, and nothing else: a truncated row is cut. */
static void ends_alone_link_rows(void **state) {
    bf_dataset d = logs_good(*state, "s0,a,r,terminated,truncated\n1,0,1,0,0\n2,0,2,1,0\n"
                                     "3,0,3,0,0\n4,0,4,0,1\n5,0,5,0,0\n6,0,6,0,0\n");
    const double r[] = {1, 2, 3, 5}, ns[] = {2, 2, 4, 6};
    assert_int_equal(d.n, 4);
    assert_true(d.episodes_inferred);
    assert_int_equal(d.episodes, 3);
    assert_memory_equal(d.reward, r, sizeof r);
    assert_memory_equal(d.next_state, ns, sizeof ns);
}

/* ---- Random logs, whose episodes the generator knows */

enum { MOST = 400 };

typedef struct step {
    int64_t episode, t, state, next; /* next: -1 where the row has to be dropped */
    bool terminated, truncated, start;
} step;

/* Ids in random order, each a walk with ends inside; returns the number of rows. */
static int generate(step *steps, bf_rng *rng) {
    int n = 0;
    int64_t ids = 1 + bf_rng_below(rng, 8), first = bf_rng_below(rng, 1000);
    for (int64_t e = 0; e < ids; e++) {
        int64_t length = 1 + bf_rng_below(rng, 30), t = bf_rng_below(rng, 5);
        for (int64_t k = 0; k < length; k++, n++) {
            step *now = &steps[n];
            *now = (step){.episode = first + 7 * (e * 11 % ids), .t = t + k, .next = -1};
            now->state = bf_rng_below(rng, 1000);
            now->terminated = bf_rng_below(rng, 8) == 0;
            now->truncated = bf_rng_below(rng, 8) == 0;
            now->start = k == 0 || steps[n - 1].terminated || steps[n - 1].truncated;
            if (!now->start)
                steps[n - 1].next = now->state;
            if (now->terminated)
                now->next = now->state;
        }
    }
    return n;
}

static void random_logs_come_out_as_they_were_made(void **state) {
    logs *l = *state;
    bf_rng rng = bf_rng_make(11, "logs", 0);
    for (int trial = 0; trial < 300; trial++) {
        step steps[MOST];
        int order[MOST], n = generate(steps, &rng), kept = 0, starts = 0;
        for (int i = 0; i < n; i++)
            order[i] = i;
        for (int i = n - 1; i > 0; i--) {
            int k = (int)bf_rng_below(&rng, i + 1), moved = order[i];
            order[i] = order[k];
            order[k] = moved;
        }
        char text[64 * MOST], *end = text;
        end += sprintf(end, "truncated,s0,episode,r,a,t,terminated\n");
        for (int i = 0; i < n; i++) { /* r is the place of the row in `steps` */
            const step *row = &steps[order[i]];
            end += sprintf(end, "%d,%d,%d,%d,0,%d,%d\n", row->truncated, (int)row->state,
                           (int)row->episode, order[i], (int)row->t, row->terminated);
            kept += row->next >= 0;
        }
        for (int i = 0; i < n; i++) /* a start whose only row is dropped is none */
            starts += steps[i].start && steps[i].next >= 0;
        if (kept == 0)
            continue;
        bf_dataset d = logs_good(l, text);
        assert_int_equal(d.n, kept);
        assert_int_equal(d.rows_dropped, n - kept);
        assert_int_equal(d.episodes, starts);
        for (int64_t i = 0; i < d.n; i++) {
            const step *row = &steps[(int)d.reward[i]];
            assert_true(d.state[i] == (double)row->state);
            assert_true(d.next_state[i] == (double)row->next);
            assert_int_equal(d.terminated[i], row->terminated);
            assert_int_equal(d.truncated[i], row->truncated && !row->terminated);
        }
        for (int64_t e = 0; e < d.episodes; e++)
            for (int64_t j = d.begin[e]; j < d.begin[e + 1]; j++) {
                int row = (int)d.reward[d.order[j]];
                assert_int_equal(steps[row].start, j == d.begin[e]);
                if (j > d.begin[e]) /* rows of a walk follow each other */
                    assert_int_equal(row, (int)d.reward[d.order[j - 1]] + 1);
            }
    }
}

/* ---- Memory */

static void every_failure_of_memory_is_told(void **state) {
    logs *l = *state;
    static const char text[] = "episode,s0,a,r,pi0,terminated,x\n"
                               "1,0.5,0,1,1,0,\n1,1.5,0,1,1,1,\n2,0.5,0,1,1,0,\n2,1,0,1,1,0,\n";
    const char *paths[] = {logs_write(l, "log.csv", text, strlen(text)),
                           FIXTURES "/npz/linked.npz"};
    for (int which = 0; which < 2; which++) {
        int failures = 0;
        for (bf_status status = BF_ENOMEM; status != BF_OK; failures++) {
            ration r = {.left = failures};
            bf_allocator allocator = ration_allocator(&r);
            bf_arena *arena;
            bf_dataset d;
            status = bf_arena_create(&arena, &allocator, &l->err);
            if (status == BF_OK)
                status = bf__dataset_read(&d, &paths[which], 1, NULL, NULL, arena, &l->err);
            bf_arena_destroy(arena);
            assert_true(status == BF_OK || status == BF_ENOMEM);
        }
        assert_true(failures > 20);
    }
}

/* ---- Several files */

static bf_status read_two(logs *l, bf_dataset *out, const char *first, const char *second) {
    const char *paths[2];
    paths[0] = logs_write(l, "one.csv", first, strlen(first));
    paths[1] = logs_write(l, "two.csv", second, strlen(second));
    return bf__dataset_read(out, paths, 2, NULL, NULL, l->arena, &l->err);
}

static void files_are_one_log(void **state) {
    logs *l = *state;
    bf_dataset d;
    char text[128];
    assert_ok(read_two(l, &d, "episode,t,s,a,r\n1,0,0,0,1\n1,1,1,0,2\n2,0,5,0,3\n2,1,6,0,4\n",
                       "r,a,t,s,episode,z\n7,0,3,8,2,z\n6,0,2,7,2,z\n8,0,0,3,1,z\n9,0,1,4,1,z\n"),
              l->err);
    /* Episode 2 goes on in the second file (t = 2 follows 1); episode 1 there is another. */
    const double r[] = {1, 3, 4, 6, 8}, ns[] = {1, 6, 7, 8, 4};
    assert_int_equal(d.n, 5);
    assert_memory_equal(d.reward, r, sizeof r);
    assert_memory_equal(d.next_state, ns, sizeof ns);
    assert_int_equal(d.episodes, 3);
    const int64_t begin[] = {0, 1, 4, 5}, order[] = {0, 1, 2, 3, 4};
    assert_memory_equal(d.begin, begin, sizeof begin);
    assert_memory_equal(d.order, order, sizeof order);
    assert_int_equal(d.sources[1].first, 3);
    assert_string_equal(d.ignored, "z");
    assert_string_equal(strrchr(bf_dataset_where(&d, 3, text, sizeof text), '/'), "/two.csv:3");
    assert_string_equal(strrchr(bf_dataset_where(&d, 2, text, sizeof text), '/'), "/one.csv:5");
    const char *good = "s,a,r,ns,pi0\n0,0,0,0,1\n";
    logs_expect(l, read_two(l, &d, good, "s,a,r,ns\n0,0,0,0\n"), BF_EDATA,
                "@two.csv: no column pi0, which @one.csv has; files of one log have the same "
                "columns");
    logs_expect(l, read_two(l, &d, good, "s,a,r,ns,pi0,t\n0,0,0,0,1,2\n"), BF_EDATA,
                "@one.csv: no column t, which @two.csv has; files of one log have the same "
                "columns");
    logs_expect(l, read_two(l, &d, good, "s,a,r,ns,pi0\n0,0,0,0,1\n0,0,0,x,1\n"), BF_EFORMAT,
                "@two.csv:3: ns: 'x' is not a number");
}

/* ---- What is wrong */

static void what_is_wrong_is_named(void **state) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"a,r,ns\n0,0,0\n", "@log.csv: no state: there has to be a column s, or s0, s1, ...; the "
                            "columns are a, r, ns"},
        {"s,r,ns\n0,0,0\n", "@log.csv: no action: there has to be a column a, or a0, a1, ...; the "
                            "columns are s, r, ns"},
        {"s,a,ns\n0,0,0\n",
         "@log.csv: no reward: there has to be a column r; the columns are s, a, ns"},
        {"s,a,r\n0,0,0\n",
         "@log.csv: no next state: there has to be a column ns (or ns0, ns1, ...), or a column "
         "episode, so that it is the next row's state"},
        {"s,s0,a,r\n0,0,0,0\n",
         "@log.csv: columns s and s0, ... are both there; one of them is the state"},
        {"s0,s2,a,r\n0,0,0,0\n", "@log.csv: column s2 is there, but no s1"},
        {"s,a,r,ns,pi0,pi999999\n0,0,0,0,0,0\n", "@log.csv: column pi999999 is there, but no pi1"},
        {"s,a0,r,ns,na0_0,na1_1\n0,0,0,0,0,0\n", "@log.csv: column na1_1 is there, but no na0_1"},
        {"s,a0,r,ns,na999999_999999\n0,0,0,0,0\n",
         "@log.csv: columns na{j}_{k} are there, but no na0_0"},
        {"s,a,r,r,ns\n0,0,0,0,0\n", "@log.csv: column r is there twice"},
        {"s0,s1,a,r,ns0\n0,0,0,0,0\n",
         "@log.csv: the state has 2 columns (to s1), the next state 1 (to ns0)"},
        {"s,a,r,ns0\n0,0,0,0\n",
         "@log.csv: the state has 1 column (to s), the next state 1 (to ns0)"},
        {"s,a,r,ns,pi0,npi0,npi1\n0,0,0,0,1,1,0\n",
         "@log.csv: 1 columns pi0, ..., but 2 columns npi0, ..."},
        {"s,a0,r,ns,pi0\n0,0,0,0,1\n",
         "@log.csv: columns pi0, ... are for discrete actions (column a); the actions here are "
         "vectors (a0, ...)"},
        {"s,a,r,ns,na0_0\n0,0,0,0,1\n",
         "@log.csv: columns na0_0, ... are for actions that are vectors (a0, ...); here the action "
         "is one column, a"},
        {"s,a0,r,ns,na0_0,na0_1\n0,0,0,0,1,1\n",
         "@log.csv: an action has 1 column (a0, ...), a sampled next action 2 (na0_0, ...)"},
        {"s,a,r,ns\n0,0,0,0\n0,0.5,0,0\n",
         "@log.csv:3: a: 0.5 is not an action; actions are 0, 1, 2, ... (vectors of numbers are "
         "a0, a1, ...)"},
        {"s,a,r,ns\n0,-1,0,0\n",
         "@log.csv:2: a: -1 is not an action; actions are 0, 1, 2, ... (vectors of numbers are "
         "a0, a1, ...)"},
        {"s,a,r,ns,npi0,npi1\n0,2,0,0,1,0\n", "@log.csv:2: a: 2, but there are 2 actions: 0 to 1"},
        {"s,a,r,ns,terminated\n0,0,0,0,2\n", "@log.csv:2: terminated: 2 is neither 0 nor 1"},
        {"s,a,r,ns,npi0,npi1\n0,1,0,0,1,0\n0,0,0,0,0.5,0.4\n",
         "@log.csv:3: npi0 to npi1 sum to 0.9; probabilities have to sum to 1"},
        {"s,a,r,ns,pi0,pi1\n0,1,0,0,1.5,-0.5\n", "@log.csv:2: pi0: 1.5 is not a probability"},
        {"s,a,r,ns,pi0,pi1\n0,1,0,0,-0.5,1.5\n", "@log.csv:2: pi0: -0.5 is not a probability"},
        {"s,a,r,ns,mu\n0,1,0,0,0\n",
         "@log.csv:2: mu: 0 cannot be the probability of an action that was taken"},
        {"s,a,r,ns,mu0,mu1\n0,1,0,0,1,0\n", "@log.csv:2: mu1: 0, but action 1 was taken"},
        {"s,a,r,ns,mu,mu0,mu1\n0,1,0,0,0.5,0.6,0.4\n", "@log.csv:2: mu is 0.5, but mu1 is 0.4"},
        {"s,a,r,ns,episode\n0,0,0,0,1.5\n", "@log.csv:2: episode: 1.5 is not a whole number"},
        {"s,a,r,ns,t\n0,0,0,0,0.5\n", "@log.csv:2: t: 0.5 is not a whole number"},
        {"s,a,r,ns,episode,t\n0,0,0,0,4,1\n0,0,0,0,4,0\n0,0,0,0,4,1\n",
         "@log.csv:4: t: 1 is there twice in episode 4 (also @log.csv:2)"},
        {"s,a,r,episode,t\n0,0,0,4,0\n0,0,0,4,2\n",
         "@log.csv:3: t: 2 follows 0 in episode 4; without ns columns the next state comes from "
         "the next row, which is missing"},
        {"s,a,r,episode\n0,0,0,1\n0,0,0,2\n",
         "@log.csv: no transitions: without ns columns the next state comes from the next row, and "
         "no episode has two rows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        logs_bad(*state, cases[i].text, BF_EDATA, cases[i].message);
}

/* ---- A program's own arrays */

static void arrays_of_a_program(void **state) {
    logs *l = *state;
    double s[] = {0, 1, 2}, ns[] = {1, 2, 0}, r[] = {0, 0, 1};
    int32_t a[] = {0, 2, 1};
    bf_dataset d = {.n = 3, .state_dim = 1, .state = s, .next_state = ns, .reward = r, .action = a};
    assert_ok(bf__dataset_finish(&d, l->arena, &l->err), l->err);
    assert_int_equal(d.states, 3);
    assert_int_equal(d.actions, 3);
    ns[1] = 3;
    logs_expect(l, bf__dataset_finish(&d, l->arena, &l->err), BF_EDATA,
                "row 1: ns: 3 is not one of the states 0 to 2");
    r[2] = NAN;
    assert_int_equal(bf__dataset_finish(&d, l->arena, &l->err), BF_EDATA);
    assert_non_null(strstr(l->err.message, "row 2: r: "));
    d.n = 0;
    assert_int_equal(bf__dataset_finish(&d, l->arena, &l->err), BF_EDATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(one_whole_column_is_a_finite_space),
        logs_test(columns_are_blocks),
        logs_test(vectors_as_actions),
        logs_test(order_of_rows_does_not_matter),
        logs_test(without_t_the_file_gives_the_order),
        logs_test(t_alone_starts_anew_where_it_falls),
        logs_test(an_end_inside_an_id_is_a_restart),
        logs_test(a_chain_that_says_its_ends_has_episodes),
        logs_test(next_state_from_the_next_row),
        logs_test(an_episode_of_one_row_vanishes),
        logs_test(ends_alone_link_rows),
        logs_test(random_logs_come_out_as_they_were_made),
        logs_test(every_failure_of_memory_is_told),
        logs_test(files_are_one_log),
        logs_test(what_is_wrong_is_named),
        logs_test(arrays_of_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
