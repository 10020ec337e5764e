/* test_share.c - What several policies have in common is made once, and the digits are those of a
 * policy alone. */
#include "ration.h"
#include "subjects.h"

#include "backflow/compare.h"
#include "core/fail.h"
#include "core/share.h"
#include "trust/trust.h"
#include "weights/neighbours_chain.h"

/* ---- The share itself */

typedef struct making {
    int times;
    int64_t size;
    bool fails;
} making;

static bf_status make(void **out, const void *self, bf_arena *in, bf_error *error) {
    making *m = (making *)(uintptr_t)self;
    char *bytes;
    m->times++;
    if (m->fails)
        return bf_fail(error, BF_EDATA, "it cannot be made");
    BF_ALLOC(bytes, in, m->size, error);
    *out = bytes;
    return BF_OK;
}

static void things_are_made_once(void **state) {
    (void)state;
    making m = {.size = 100};
    bf__share *share, *part, *other, *again;
    void *one, *two, *of_part, *of_other, *same;
    assert_ok(bf__share_create(&share, 1 << 20, NULL, &err), err);
    assert_ok(bf__share_get(&one, share, make, &m, arena, &err, "a %d", 1), err);
    assert_ok(bf__share_get(&same, share, make, &m, arena, &err, "a 1"), err);
    assert_true(one == same && m.times == 1);
    assert_ok(bf__share_get(&two, share, make, &m, arena, &err, "a %d", 2), err);
    assert_true(one != two && m.times == 2);
    /* Parts of the log are other logs, and the same part is the same. */
    assert_ok(bf__share_part(&part, share, 0, 2, 1, &err), err);
    assert_ok(bf__share_part(&other, share, 0, 5, 1, &err), err);
    assert_ok(bf__share_part(&again, share, 0, 2, 1, &err), err);
    assert_ok(bf__share_get(&of_part, part, make, &m, arena, &err, "a 1"), err);
    assert_ok(bf__share_get(&of_other, other, make, &m, arena, &err, "a 1"), err);
    assert_ok(bf__share_get(&same, again, make, &m, arena, &err, "a 1"), err);
    assert_true(of_part != one && of_other != of_part && same == of_part && m.times == 4);
    bf__share_destroy(share);
    assert_ok(bf__share_part(&part, NULL, 0, 2, 1, &err), err);
    assert_null(part);
    bf__share_destroy(NULL);
}

/* Without a share, with a full one, under a key that is too long and after a failure, a thing is
 * the caller's. */
static void what_is_not_kept(void **state) {
    (void)state;
    making m = {.size = 1 << 20};
    bf__share *share;
    void *thing;
    char key[2 * BF__SHARE_KEY];
    memset(key, 'k', sizeof key);
    key[sizeof key - 1] = '\0';
    assert_false(bf__share_has_room(NULL));
    assert_ok(bf__share_get(&thing, NULL, make, &m, arena, &err, "a"), err);
    assert_ok(bf__share_get(&thing, NULL, make, &m, arena, &err, "a"), err);
    assert_int_equal(m.times, 2);
    assert_ok(bf__share_create(&share, 1 << 20, NULL, &err), err);
    for (int k = 0; k < 2; k++) {
        size_t before = bf_arena_bytes(arena);
        assert_ok(bf__share_get(&thing, share, make, &m, arena, &err, "%s", key), err);
        assert_true(bf_arena_bytes(arena) > before);
    }
    assert_int_equal(m.times, 4);
    m.fails = true;
    assert_int_equal(bf__share_get(&thing, share, make, &m, arena, &err, "a"), BF_EDATA);
    m.fails = false;
    assert_true(bf__share_has_room(share));
    assert_ok(bf__share_get(&thing, share, make, &m, arena, &err, "a"), err);
    assert_int_equal(m.times, 6);
    assert_false(bf__share_has_room(share)); /* that was all it takes */
    assert_ok(bf__share_get(&thing, share, make, &m, arena, &err, "a"), err);
    assert_int_equal(m.times, 6);
    assert_ok(bf__share_get(&thing, share, make, &m, arena, &err, "b"), err);
    assert_ok(bf__share_get(&thing, share, make, &m, arena, &err, "b"), err);
    assert_int_equal(m.times, 8);
    bf__share_destroy(share);
}

/* ---- Policies */

enum { TARGETS = 3 };

typedef struct taste {
    double slope;
    int d;
} taste;

/* The first one never takes action 1 where the state is low, so that later ones ask for more. */
static int tastes(void *context, const double *states, int64_t n, double *p, bf_error *error) {
    const taste *t = context;
    (void)error;
    for (int64_t i = 0; i < n; i++) {
        double x = t->slope * states[i * t->d];
        p[2 * i + 1] = t->slope > 0 && x < 0 ? 0 : 1 / (1 + exp(-x));
        p[2 * i] = 1 - p[2 * i + 1];
    }
    return 0;
}

static int moves(void *context, const double *states, int64_t n, double *actions, bf_error *error) {
    const taste *t = context;
    (void)error;
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < 6; k++) /* three vectors of two numbers */
            actions[6 * i + k] = sin(t->slope * states[i * t->d] + k);
    return 0;
}

static taste all[TARGETS] = {{1, 1}, {-0.5, 1}, {-2, 1}};

static void make_policies(bf_named_policy *out, const bf_dataset *data) {
    static const char *const names[TARGETS] = {"one", "two", "three"};
    for (int k = 0; k < TARGETS; k++) {
        bool vectors = !data->action;
        all[k].d = data->state_dim;
        bf_policy_function f = {.name = names[k],
                                .state_dim = data->state_dim,
                                .actions = vectors ? 0 : 2,
                                .probabilities = vectors ? NULL : tastes,
                                .action_dim = vectors ? 2 : 0,
                                .samples = vectors ? 3 : 0,
                                .sample = vectors ? moves : NULL,
                                .context = &all[k],
                                .size = sizeof f};
        out[k].name = names[k];
        assert_ok(bf_policy_from_function(&out[k].policy, &f, arena, &err), err);
    }
}

static void assert_same(double x, double y) {
    if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y)))
        fail_msg("%.17g is not %.17g", x, y);
}

static void assert_answers(const bf_contestant *x, const bf_contestant *y, int64_t n) {
    const bf_estimate *e = x->estimate, *f = y->estimate;
    assert_same(x->value, y->value);
    assert_int_equal(e->diagnostic_count, f->diagnostic_count);
    for (int i = 0; i < e->diagnostic_count; i++)
        assert_same(e->diagnostics[i].value, f->diagnostics[i].value);
    for (int64_t i = 0; e->weights && i < n; i++)
        assert_same(e->weights[i], f->weights[i]);
    assert_same(x->trust->value.low, y->trust->value.low);
    assert_same(x->trust->value.high, y->trust->value.high);
    assert_same(x->trust->alone, y->trust->alone);
    assert_int_equal(x->trust->part_count, y->trust->part_count);
    for (int k = 0; k < x->trust->part_count; k++)
        assert_same(x->trust->measured.parts[k], y->trust->measured.parts[k]);
}

/* The answers about all policies together against those about one at a time. */
static void check(const bf_dataset *data, double gamma, const bf_estimator *method,
                  const bf_settings *settings) {
    bf_mark mark = bf_arena_mark(arena);
    bf_named_policy policies[TARGETS];
    const bf_contest *together, *alone;
    bf_context context = {.threads = 1, .seed = 3};
    bf_problem problem = {.data = data, .gamma = gamma, .size = sizeof problem};
    make_policies(policies, data);
    bf_status status = bf_compare_policies(&together, policies, TARGETS, method, &problem, settings,
                                           NULL, &context, arena, &err);
    bf_error why = err;
    for (int k = 0; k < TARGETS; k++) {
        bf_contestant x, y;
        bf_status same = bf_compare_policies(&alone, &policies[k], 1, method, &problem, settings,
                                             NULL, &context, arena, &err);
        if (status != BF_OK) { /* the first that cannot be told is the error of all */
            if (same != BF_OK) {
                assert_string_equal(err.message, why.message);
                break;
            }
            continue;
        }
        assert_ok(same, err);
        assert_true(bf_contest_entry(together, k, &x) && bf_contest_entry(alone, 0, &y));
        assert_answers(&x, &y, data->n);
    }
    bf_arena_rewind(arena, mark);
}

/* Every method with every model, on real-valued and on finite states. */
static void digits_are_those_of_one_policy(void **state) {
    (void)state;
    bench b = make_bench();
    bf_dataset walk = models_walk(120, 2, ACTIONS, 6, 5, arena);
    add_behaviour(&walk);
    for (int k = 0; k < b.count; k++) {
        const subject *s = &b.subject[k];
        bf_mark mark = bf_arena_mark(arena);
        check(s->finite ? &b.finite : &walk, 1, s->method, settings_of(s, "", arena));
        bf_arena_rewind(arena, mark);
    }
}

/* Discounted, with row weights, in many dimensions, and with vectors for actions. */
static void digits_on_other_logs(void **state) {
    (void)state;
    const bf_estimator *blackbox = bf_estimator_find("blackbox");
    bf_dataset data = models_walk(300, 3, ACTIONS, 10, 6, arena);
    check(&data, 0.9, blackbox, NULL);
    double *weight = bf_arena_alloc(arena, data.n, sizeof *weight, &err);
    for (int64_t i = 0; i < data.n; i++)
        weight[i] = 1 + (double)(i / 10 % 3);
    data.weight = weight;
    check(&data, 1, blackbox, NULL);
    data = models_walk(300, 12, ACTIONS, 10, 7, arena);
    check(&data, 1, blackbox, NULL);
    data = models_hard(10, arena);
    check(&data, 1, blackbox, NULL);
}

/* A log that shares, as programs have it: policies one after the other, each as on the plain log.
 */
static void a_log_that_shares(void **state) {
    (void)state;
    bf_dataset data = models_walk(300, 3, ACTIONS, 10, 6, arena);
    const bf_estimator *method = bf_estimator_find("blackbox");
    bf_named_policy policies[TARGETS];
    const bf_dataset *shared;
    make_policies(policies, &data);
    assert_ok(bf_dataset_share(&shared, &data, 1e8, arena, &err), err);
    for (int k = 0; k < TARGETS; k++) {
        bf_contestant found[2];
        for (int i = 0; i < 2; i++) {
            bf_problem problem = {.gamma = 1, .size = sizeof problem};
            assert_ok(
                bf_policy_apply(&problem.data, policies[k].policy, i ? shared : &data, arena, &err),
                err);
            assert_ok(
                bf_estimator_run(&found[i].estimate, method, &problem, NULL, NULL, arena, &err),
                err);
            assert_ok(bf_trust_measure(&found[i].trust, found[i].estimate, method, &problem, NULL,
                                       NULL, NULL, arena, &err),
                      err);
            found[i].value = bf_estimate_value(found[i].estimate);
        }
        assert_answers(&found[0], &found[1], data.n);
    }
    bf_dataset_unshare(shared);
    bf_dataset_unshare(NULL);
}

/* ---- Made once */

/* A second policy that takes the same actions adds nothing to what the first one has left. */
static void nothing_is_made_twice(void **state) {
    (void)state;
    const long plenty = 1 << 30;
    bf_dataset data = models_walk(300, 3, ACTIONS, 10, 6, arena);
    bf_named_policy policies[TARGETS];
    ration r = {plenty, 0};
    bf_allocator allocator = ration_allocator(&r);
    bf__share *share;
    long after[2];
    make_policies(policies, &data);
    assert_ok(bf__share_create(&share, 1 << 30, &allocator, &err), err);
    for (int k = 0; k < 2; k++) {
        const bf_dataset *own;
        const bf_estimate *estimate;
        const bf_trust *trust;
        assert_ok(bf_policy_apply(&own, policies[1 + k].policy, &data, arena, &err), err);
        bf_dataset shared = *own;
        shared.share = share;
        bf_problem problem = {.data = &shared, .gamma = 1, .size = sizeof problem};
        const bf_estimator *method = bf_estimator_find("blackbox");
        assert_ok(bf_estimator_run(&estimate, method, &problem, NULL, NULL, arena, &err), err);
        assert_ok(
            bf_trust_measure(&trust, estimate, method, &problem, NULL, NULL, NULL, arena, &err),
            err);
        after[k] = plenty - r.left;
    }
    /* Of the whole and of four halves: a share each, which is one piece. */
    assert_true(after[0] > 100);
    assert_int_equal(after[1], after[0] + 4);
    bf__share_destroy(share);
    assert_int_equal(r.live, 0);
}

static bool count_calls(void *calls, const bf_progress *progress) {
    (void)progress;
    ++*(int *)calls;
    return true;
}

/* The chain of a question, which is that of the log without a share. Returns how often it reported
 * progress: 0 if nothing was computed. */
static int ask_chain(const bf_dataset *data, bf__share *share, double gamma, int k) {
    bf_mark mark = bf_arena_mark(arena);
    int calls = 0;
    bf_context context = {.callbacks = {.progress = count_calls, .context = &calls}, .threads = 1};
    bf_dataset log[2] = {*data, *data};
    bf__neighbours chain[2];
    log[1].share = share;
    for (int i = 0; i < 2; i++) {
        bf_problem problem = {.data = &log[i], .gamma = gamma, .size = sizeof problem};
        bf__points points;
        assert_ok(bf__points_make(&points, &problem, "auto", "auto", &context, arena, &err), err);
        calls = 0;
        assert_ok(bf__neighbours_solve(&chain[i], &problem, &points, k, 0, &context, arena, &err),
                  err);
    }
    for (int64_t i = 0; i < data->n; i++)
        assert_same(chain[0].u[i], chain[1].u[i]);
    assert_same(chain[0].sum, chain[1].sum);
    assert_same(chain[0].off_hull, chain[1].off_hull);
    assert_same(chain[0].left, chain[1].left);
    assert_int_equal(chain[0].nodes, chain[1].nodes);
    assert_int_equal(chain[0].steps, chain[1].steps);
    bf_arena_rewind(arena, mark);
    return calls;
}

/* A chain is computed once if the same is asked twice, and again if anything else is. */
static void the_chain_of_one_question(void **state) {
    (void)state;
    bf_dataset data = models_walk(300, 3, ACTIONS, 10, 6, arena);
    bf_named_policy policies[TARGETS];
    const bf_dataset *own[2];
    bf__share *share;
    make_policies(policies, &data);
    for (int k = 0; k < 2; k++)
        assert_ok(bf_policy_apply(&own[k], policies[1 + k].policy, &data, arena, &err), err);
    assert_ok(bf__share_create(&share, 1 << 30, NULL, &err), err);
    assert_true(ask_chain(own[0], share, 1, 8) > 0);
    assert_int_equal(ask_chain(own[0], share, 1, 8), 0);
    assert_true(ask_chain(own[0], share, 0.9, 8) > 0); /* another discount */
    assert_int_equal(ask_chain(own[0], share, 0.9, 8), 0);
    assert_true(ask_chain(own[1], share, 0.9, 8) > 0); /* another policy */
    assert_int_equal(ask_chain(own[1], share, 0.9, 8), 0);
    assert_true(ask_chain(own[1], share, 0.9, 4) > 0); /* fewer neighbours, in a place apart */
    assert_int_equal(ask_chain(own[1], share, 0.9, 8), 0);
    bf_dataset other = *own[1];
    double *reward = bf_arena_alloc(arena, data.n, sizeof *reward, &err);
    memcpy(reward, data.reward, (size_t)data.n * sizeof *reward);
    reward[7] += 1;
    other.reward = reward;
    assert_true(ask_chain(&other, share, 0.9, 8) > 0); /* other rewards */
    assert_true(ask_chain(own[0], share, 1, 8) > 0);   /* it is no longer the last question */
    bf__share_destroy(share);
}

/* Models that begin with the same chain, one after the other, each as on the plain log. */
static void models_of_one_question(void **state) {
    (void)state;
    static const char *const models[] = {"weights=neural steps=2 features=20 restarts=1",
                                         "weights=corrected", "weights=neighbours",
                                         "weights=neural steps=2 features=20 restarts=1"};
    bf_dataset data = models_walk(300, 3, ACTIONS, 10, 6, arena);
    const bf_estimator *method = bf_estimator_find("blackbox");
    bf_named_policy policies[TARGETS];
    const bf_dataset *own, *shared;
    make_policies(policies, &data);
    assert_ok(bf_policy_apply(&own, policies[1].policy, &data, arena, &err), err);
    assert_ok(bf_dataset_share(&shared, own, 1e8, arena, &err), err);
    for (int k = 0; k < 4; k++) {
        const bf_estimate *found[2];
        bf_settings *settings;
        assert_ok(bf_estimator_settings(&settings, method, models[k], arena, &err), err);
        for (int i = 0; i < 2; i++) {
            bf_problem problem = {
                .data = i ? shared : own, .gamma = k < 3 ? 1 : 0.9, .size = sizeof problem};
            assert_ok(bf_estimator_run(&found[i], method, &problem, settings, NULL, arena, &err),
                      err);
        }
        assert_same(found[0]->value, found[1]->value);
        assert_int_equal(found[0]->diagnostic_count, found[1]->diagnostic_count);
        for (int i = 0; i < found[0]->diagnostic_count; i++)
            assert_same(found[0]->diagnostics[i].value, found[1]->diagnostics[i].value);
        for (int64_t i = 0; i < data.n; i++)
            assert_same(found[0]->weights[i], found[1]->weights[i]);
    }
    bf_dataset_unshare(shared);
}

/* A failing allocation at any place is an error, and gives everything back. */
static void memory_may_end_anywhere(void **state) {
    (void)state;
    bf_dataset data = models_walk(60, 2, ACTIONS, 10, 6, arena);
    bf_problem problem = {.data = &data, .gamma = 1, .size = sizeof problem};
    bf_named_policy policies[TARGETS];
    const bf_contest *contest;
    bool done = false;
    make_policies(policies, &data);
    for (long k = 0; !done; k += 1 + k / 8) {
        ration r = {k, 0};
        bf_allocator allocator = ration_allocator(&r);
        bf_arena *own;
        if (bf_arena_create(&own, &allocator, &err) != BF_OK)
            continue;
        bf_status status =
            bf_compare_policies(&contest, policies, TARGETS, bf_estimator_find("blackbox"),
                                &problem, NULL, NULL, NULL, own, &err);
        done = status == BF_OK;
        assert_true(done || status == BF_ENOMEM);
        bf_arena_destroy(own);
        assert_int_equal(r.live, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(things_are_made_once),
        arena_test(what_is_not_kept),
        arena_test(digits_are_those_of_one_policy),
        arena_test(digits_on_other_logs),
        arena_test(a_log_that_shares),
        arena_test(nothing_is_made_twice),
        arena_test(the_chain_of_one_question),
        arena_test(models_of_one_question),
        arena_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
