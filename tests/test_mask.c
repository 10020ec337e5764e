/* test_mask.c - Actions that were not allowed: small logs, with what has to come out by hand. */
#include "logs.h"

#include "dataset/write.h"

/* Element (i, a) of a column (n, A) of the log, as programs see it. */
static double at(const bf_dataset *data, const char *name, int64_t i, int a) {
    bf_array array;
    assert_true(bf_dataset_column(&array, data, name));
    assert_int_equal(array.ndim, 2);
    assert_int_equal(array.shape[0], data->n);
    assert_int_equal(array.shape[1], data->actions);
    const char *place = (const char *)array.data + i * array.strides[0] + a * array.strides[1];
    double value;
    if (array.type == BF_UINT8)
        return *(const uint8_t *)place;
    memcpy(&value, place, sizeof value);
    return value;
}

static const bf_policy *table(logs *l, const char *text) {
    const bf_policy *policy;
    const char *path = logs_write(l, "p.csv", text, strlen(text));
    assert_ok(bf_policy_read(&policy, path, l->arena, &l->err), l->err);
    return policy;
}

static void assert_mask(const bf_dataset *data, int rows, int actions, const int *wanted) {
    assert_int_equal(data->n, rows);
    assert_int_equal(data->actions, actions);
    for (int i = 0; i < rows; i++)
        for (int a = 0; a < actions; a++)
            assert_true(at(data, "mask", i, a) == wanted[i * actions + a]);
}

/* Names, numbers, words for 0 and 1, and any order of columns. */
static void names_and_numbers(void **state) {
    logs *l = *state;
    const int wanted[] = {0, 0, 1, 1, 0, 0, 0, 0, 0};
    bf_dataset d = logs_good(l, "s,a,r,ns,mask0,mask1,mask2\n"
                                "0,0,1,1,0,0,1\n1,1,1,0,1,0,0\n0,0,1,1,0,0,0\n");
    assert_mask(&d, 3, 3, wanted);
    d = logs_good(l, "mask2,s,a,mask0,r,ns,mask1\n"
                     "true,0,0,False,1,1,0\n0,1,1,TRUE,1,0,0\n0,0,0,0,1,1,false\n");
    assert_mask(&d, 3, 3, wanted);
    d = logs_good(l, "s,a,r,ns,pi:x,pi:y,pi:z,mask:z,mask:x,mask:y\n"
                     "0,x,1,1,.5,.5,0,1,0,0\n1,y,1,0,0,1,0,0,1,0\n0,x,1,1,0,0,1,0,0,0\n");
    assert_mask(&d, 3, 3, wanted);
    d = logs_good(l, "s,a,r,ns\n0,0,1,1\n");
    bf_array none;
    assert_false(bf_dataset_column(&none, &d, "mask"));
}

/* A log keeps its mask where rows are left out, and where it is written and read. */
static void stays_with_its_rows(void **state) {
    logs *l = *state;
    const char *text =
        "s,a,r,ns,mask0,mask1,mask2\n"
        "0,0,1,1,0,0,1\n0,0,1,1,0,,1\n1,1,NA,0,1,0,0\n1,1,1,0,1,0,0\n0,2,1,1,0,1,0\n";
    const int wanted[] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    const char *path = logs_write(l, "log.csv", text, strlen(text));
    bf_dataset d, again;
    assert_ok(bf__dataset_read(&d, &path, 1, &(bf_read_options){.missing = "drop"}, NULL, l->arena,
                               &l->err),
              l->err);
    assert_mask(&d, 3, 3, wanted);
    static const char *const names[] = {"again.csv", "again.npz"};
    for (int k = 0; k < 2; k++) {
        path = logs_write(l, names[k], "", 0);
        assert_ok(bf_dataset_write(&d, path, NULL, l->arena, &l->err), l->err);
        assert_ok(logs_read(l, &again, path), l->err);
        assert_mask(&again, 3, 3, wanted);
    }
    text = "s,a,r,ns,mask0,mask1\n0,0,1,1,0,0\n0,0,1,1,0,\n";
    path = logs_write(l, "log.csv", text, strlen(text));
    logs_expect(l,
                bf__dataset_read(&d, &path, 1, &(bf_read_options){.missing = "mean"}, NULL,
                                 l->arena, &l->err),
                BF_EDATA,
                "@log.csv:3: mask1: missing; `missing` mean fills state columns only, drop leaves "
                "such rows out");
}

static void bad_columns(void **state) {
    logs *l = *state;
    logs_bad(l, "s,a,r,ns,mask0,mask1\n0,0,1,1,0,1\n0,1,1,1,0,2\n", BF_EDATA,
             "@log.csv:3: mask1: 2 is neither 0 nor 1");
    logs_bad(l, "s,a,r,ns,mask0,mask1\n0,0,1,1,0,0.5\n", BF_EDATA,
             "@log.csv:2: mask1: 0.5 is neither 0 nor 1");
    logs_bad(l, "s,a,r,ns,mask0,mask1\n0,0,1,1,0,never\n", BF_EFORMAT,
             "@log.csv:2: mask1: 'never' is neither 0 nor 1");
    logs_bad(l, "s,a,r,ns,mask0,mask1\n0,0,1,1,0,\n", BF_EFORMAT,
             "@log.csv:2: mask1: empty, but every row needs a number here");
    logs_bad(l, "s,a,r,ns,pi:x,pi:y,mask:x,mask:z\n0,x,1,1,1,0,0,0\n", BF_EDATA,
             "@log.csv: no column pi:z, but another one names that action");
    logs_bad(l, "s,a,r,ns,mask:x,mask:y\n0,x,1,1,0,0\n0,z,1,1,0,0\n", BF_EDATA,
             "@log.csv:3: a: 'z' is not one of the actions: x, y");
}

/* The action of a row, and policies in columns. */
static void what_a_log_may_not_say(void **state) {
    logs *l = *state;
    logs_bad(
        l, "s,a,r,ns,mask0,mask1\n0,0,1,1,0,1\n0,1,1,1,0,1\n", BF_EDATA,
        "@log.csv:3: mask1: 1, but that action was taken; 1 in a mask says that the action was "
        "not allowed");
    logs_bad(l, "s,a,r,ns,mask:x,mask:y\n0,x,1,1,1,0\n", BF_EDATA,
             "@log.csv:2: mask:x: 1, but that action was taken; 1 in a mask says that the action "
             "was not allowed");
    logs_bad(l, "s,a,r,ns,pi0,pi1,mask0,mask1\n0,0,1,1,1,0,0,1\n0,0,1,1,0.75,0.25,0,1\n", BF_EDATA,
             "@log.csv:3: pi1: 0.25, but mask1 is 1: the action was not allowed there");
    logs_bad(l, "s,a,r,ns,mu:x,mu:y,mask:x,mask:y\n0,x,1,1,0.75,0.25,0,1\n", BF_EDATA,
             "@log.csv:2: mu:y: 0.25, but mask:y is 1: the action was not allowed there");
}

/* The mask of the next row is that of the next state if the row is there, and only then. */
static void next_states(void **state) {
    logs *l = *state;
    const char *head = "episode,s,a,r,ns,terminated,npi0,npi1,mask0,mask1\n";
    static const struct {
        const char *rows;
        bool good;
    } cases[] = {
        {"0,0,0,1,1,0,0.5,0.5,0,0\n0,1,1,1,0,0,0.5,0.5,1,0\n", false},
        {"0,0,0,1,1,0,0,1,0,0\n0,1,1,1,0,0,0.5,0.5,1,0\n", true},
        {"0,0,0,1,2,0,0.5,0.5,0,0\n0,1,1,1,0,0,0.5,0.5,1,0\n", true},
        {"0,0,0,1,1,0,0.5,0.5,0,0\n1,1,1,1,0,0,0.5,0.5,1,0\n", true},
        {"0,0,0,1,1,1,0.5,0.5,0,0\n1,1,1,1,0,0,0.5,0.5,1,0\n", true},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", head, cases[k].rows);
        if (cases[k].good)
            logs_good(l, text);
        else
            logs_bad(l, text, BF_EDATA,
                     "@log.csv:2: npi0: 0.5, but mask0 is 1 in the next row of the episode: the "
                     "action was not allowed there");
    }
}

/* Policies from files, as target and as behaviour. */
static void policies(void **state) {
    logs *l = *state;
    bf_dataset d = logs_good(l, "episode,s,a,r,mask:x,mask:y\n"
                                "0,0,x,1,0,1\n0,1,y,1,0,0\n0,0,x,1,0,1\n");
    const bf_dataset *out;
    const bf_policy *good = table(l, "pi:y,pi:x\n0,1\n0.5,0.5\n");
    assert_ok(bf_policy_apply(&out, good, &d, l->arena, &l->err), l->err);
    assert_near(at(out, "pi", 1, 0), 0.5, 0);
    assert_near(at(out, "pi", 0, 1), 0, 0);
    assert_ok(bf_behavior_apply(&out, good, &d, l->arena, &l->err), l->err);
    assert_near(at(out, "mu_all", 0, 1), 0, 0);
    assert_near(out->mu[1], 0.5, 0);
    const bf_policy *bad = table(l, "pi:y,pi:x\n0.125,0.875\n0.5,0.5\n");
    logs_expect(l, bf_policy_apply(&out, bad, &d, l->arena, &l->err), BF_EDATA,
                "@log.csv:2: pi:y: 0.125, but mask:y is 1: the action was not allowed there");
    logs_expect(l, bf_behavior_apply(&out, bad, &d, l->arena, &l->err), BF_EDATA,
                "@log.csv:2: mu:y: 0.125, but mask:y is 1: the action was not allowed there");
    d = logs_good(l, "s,a,r,ns,mask0,mask1\n0,0,1,1,0,1\n");
    logs_expect(l, bf_policy_apply(&out, table(l, "1,0,0\n0,0,1\n"), &d, l->arena, &l->err),
                BF_EPOLICY, "@p.csv: a policy of 3 actions, but the log has 2");
}

/* Shares of a finite log. State 0: x twice, y once, z never and not allowed. State 1: only y, x not
 * allowed; z gets the 1e-6 of actions that were never taken. */
static void shares(void **state) {
    logs *l = *state;
    bf_dataset d = logs_good(l, "s,a,r,ns,mask:x,mask:y,mask:z\n"
                                "0,x,1,1,0,0,1\n0,y,1,1,0,0,1\n1,y,1,0,1,0,0\n0,x,1,1,0,0,1\n");
    const bf_dataset *out;
    assert_ok(bf_behavior_fit(&out, &d, NULL, l->arena, &l->err), l->err);
    const double at_0[] = {2. / 3, 1. / 3, 0}, at_1[] = {0, 1 / (1 + 1e-6), 1e-6 / (1 + 1e-6)};
    for (int i = 0; i < 4; i++)
        for (int a = 0; a < 3; a++) {
            double wanted = i == 2 ? at_1[a] : at_0[a];
            assert_near(at(out, "mu_all", i, a), wanted, wanted > 0 ? 1e-15 : 0);
        }
    assert_near(out->mu[1], 1. / 3, 1e-15);
}

/* Real-valued states: what the fit without a mask says, without the action, scaled. */
static void fits(void **state) {
    logs *l = *state;
    enum { N = 300 };
    static char text[2][N * 64];
    char *end[2] = {text[0], text[1]};
    bf_rng rng = bf_rng_make(4, "mask", 0);
    bool masked[N];
    end[0] += sprintf(end[0], "s0,a,r,ns0,mask0,mask1,mask2\n");
    end[1] += sprintf(end[1], "s0,a,r,ns0\n");
    for (int i = 0; i < N; i++) {
        double s = bf_rng_normal(&rng);
        masked[i] = s > 0.5;
        int a = (int)bf_rng_below(&rng, masked[i] ? 2 : 3);
        end[0] += sprintf(end[0], "%.6f,%d,0,0,0,0,%d\n", s, a, masked[i]);
        end[1] += sprintf(end[1], "%.6f,%d,0,0\n", s, a);
    }
    bf_dataset d = logs_good(l, text[0]), plain = logs_good(l, text[1]);
    const bf_dataset *out, *other;
    assert_ok(bf_behavior_fit(&out, &d, NULL, l->arena, &l->err), l->err);
    assert_ok(bf_behavior_fit(&other, &plain, NULL, l->arena, &l->err), l->err);
    int seen = 0;
    for (int i = 0; i < N; i++) {
        double left = masked[i] ? 1 - at(other, "mu_all", i, 2) : 1;
        for (int a = 0; a < 3; a++)
            assert_near(at(out, "mu_all", i, a),
                        masked[i] && a == 2 ? 0 : at(other, "mu_all", i, a) / left, 1e-12);
        assert_true(!masked[i] || at(out, "mu_all", i, 2) == 0);
        seen += masked[i];
    }
    assert_in_range(seen, 50, 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(names_and_numbers),
        logs_test(stays_with_its_rows),
        logs_test(bad_columns),
        logs_test(what_a_log_may_not_say),
        logs_test(next_states),
        logs_test(policies),
        logs_test(shares),
        logs_test(fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
