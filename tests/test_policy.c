/* test_policy.c - Tables of probabilities: forms, what they do to a log, what is wrong. */
#include "logs.h"
#include "policy/kind.h"

static const bf_policy *good_policy(logs *l, const char *name, const char *text) {
    const bf_policy *policy;
    const char *path = logs_write(l, name, text, strlen(text));
    assert_ok(bf_policy_read(&policy, path, l->arena, &l->err), l->err);
    return policy;
}

/* States 2, 0, 1 of the table (.25 .75 / 1 0 / .5 .5). */
static void check_table(logs *l, const bf_policy *policy) {
    const double states[] = {2, 0, 1}, expected[] = {0.5, 0.25, 1, 0.5, 0.75, 0};
    double p[6];
    assert_int_equal(bf_policy_actions(policy), 2);
    assert_string_equal(bf_policy_kind(policy), "table");
    assert_ok(bf_policy_probabilities(policy, states, 1, 3, p, &l->err), l->err);
    assert_memory_equal(p, expected, sizeof p);
}

static void forms_of_the_same_table(void **state) {
    logs *l = *state;
    static const char *const texts[] = {
        "pi0,pi1\n0.25,0.75\n1,0\n0.5,0.5\n",
        "pi1,pi0\n0.75,0.25\n0,1\n0.5,0.5\n",
        "s,pi0,pi1\n2,0.5,0.5\n0,0.25,0.75\n1,1,0\n",
        "0.25,0.75\n1,0\n0.5,0.5",
        "# by hand\r\n0.25, 0.75\r\n1, 0\r\n.5, .5\r\n",
        "\"0.25\",\"0.75\"\n1,0\n0.5,0.5\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_table(l, good_policy(l, "p.csv", texts[i]));
        check_table(l, good_policy(l, "p.txt", texts[i]));
    }
    static const char *const arrays[] = {"f8", "f4", "fortran"};
    for (int i = 0; i < 3; i++) {
        char path[256];
        const bf_policy *policy;
        snprintf(path, sizeof path, FIXTURES "/npz/policy_%s.npy", arrays[i]);
        assert_ok(bf_policy_read(&policy, path, l->arena, &l->err), l->err);
        check_table(l, policy);
    }
    const double rows[] = {0.25, 0.75, 1, 0, 0.5, 0.5};
    const bf_policy *policy;
    assert_ok(bf_policy_from_table(&policy, "mine", bf_view_of(rows, 3, 2), l->arena, &l->err),
              l->err);
    check_table(l, policy);
    const bf_policy *one = good_policy(l, "p.csv", "1\n1\n");
    assert_int_equal(bf_policy_actions(one), 1);
}

static void a_policy_fills_the_log(void **state) {
    logs *l = *state;
    bf_dataset d = logs_good(l, "s,a,r,ns\n0,0,0,1\n2,0,0,0\n");
    assert_int_equal(d.actions, 1);
    const bf_policy *policy = good_policy(l, "p.csv", "0.25,0.75\n1,0\n0.5,0.5\n");
    assert_ok(bf__policy_apply(policy, &d, l->arena, &l->err), l->err);
    const double pi[] = {0.25, 0.5, 0.75, 0.5}, npi[] = {1, 0.25, 0, 0.75};
    assert_int_equal(d.actions, 2); /* the log had not seen action 1 */
    assert_memory_equal(d.pi, pi, sizeof pi);
    assert_memory_equal(d.npi, npi, sizeof npi);
    d = logs_good(l, "s,a,r,ns,npi0,npi1\n0,0,0,1,0.5,0.5\n");
    assert_ok(bf__policy_apply(policy, &d, l->arena, &l->err), l->err);
    assert_true(d.npi[0] == 1 && d.npi[1] == 0); /* the file wins */
}

static void a_policy_has_to_fit_the_log(void **state) {
    logs *l = *state;
    static const struct {
        const char *log, *table, *message;
    } cases[] = {
        {"s,a,r,ns\n0,2,0,1\n", "0.5,0.5\n1,0\n",
         "@p.csv: a policy of 2 actions, but the log has 3"},
        {"s,a,r,ns,mu0,mu1\n0,0,0,1,1,0\n", "1,0,0\n1,0,0\n",
         "@p.csv: a policy of 3 actions, but the log has 2"},
        {"s,a,r,ns\n0,0,0,1\n0,1,0,2\n", "0.5,0.5\n1,0\n",
         "@log.csv:3: ns: state 2 is not in @p.csv, which has states 0 to 1"},
        {"s,a,r,ns\n0,1,0,1\n", "s,pi0,pi1\n0,1,0\n2,0,1\n",
         "@p.csv: no row for state 1, which the log visits"},
        {"s0,a,r,ns0\n0,1,0,1\n", "0.5,0.5\n1,0\n",
         "@p.csv: a table is for states that are whole numbers (one column s); the log has "
         "real-valued states of 1 number"},
        {"s,a0,r,ns\n0,1,0,1\n", "0.5,0.5\n1,0\n",
         "@p.csv: a policy of 2 discrete actions, but actions of the log are vectors (a0, ...)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bf_dataset d = logs_good(l, cases[i].log);
        const bf_policy *policy = good_policy(l, "p.csv", cases[i].table);
        logs_expect(l, bf__policy_apply(policy, &d, l->arena, &l->err), BF_EPOLICY,
                    cases[i].message);
    }
    const bf_policy *policy = good_policy(l, "p.csv", "0.5,0.5\n1,0\n");
    const double odd[] = {0.5}, pair[] = {0, 1};
    double p[4];
    logs_expect(l, bf_policy_probabilities(policy, odd, 1, 1, p, &l->err), BF_EPOLICY,
                "@p.csv: state 0.5 is not one of its states, 0 to 1");
    logs_expect(l, bf_policy_probabilities(policy, pair, 2, 1, p, &l->err), BF_EPOLICY,
                "@p.csv: a policy of states of 1 number, asked about 2");
}

static void what_is_wrong_is_named(void **state) {
    logs *l = *state;
    const bf_policy *policy;
    static const struct {
        const char *text;
        bf_status status;
        const char *message;
    } cases[] = {
        {"", BF_EPOLICY, "@p.csv: the file is empty"},
        {"pi0,pi1\n", BF_EFORMAT, "@p.csv: only a header; there are no rows"},
        {"pi0,pi1\n0.5,0.5\n0.5,0.6\n", BF_EPOLICY,
         "@p.csv:3: pi0 to pi1 sum to 1.1; probabilities have to sum to 1"},
        {"0.5,0.5\n-0.5,1.5\n", BF_EPOLICY, "@p.csv:2: pi0: -0.5 is not a probability"},
        {"0.5,0.5\nnan,1\n", BF_EPOLICY, "@p.csv:2: pi0: 'nan' is not a finite number"},
        {"0.5,0.5\n1\n", BF_EFORMAT, "@p.csv:2: 1 field, but the first row has 2"},
        {"pi0,pi2\n0.5,0.5\n", BF_EPOLICY, "@p.csv: column pi2 is there, but no pi1"},
        {"pi0,q\n0.5,0.5\n", BF_EPOLICY,
         "@p.csv: column 'q' does not belong into a table of a policy; pi0, pi1, ... and s do"},
        {"s\n0\n", BF_EPOLICY, "@p.csv: no columns pi0, pi1, ..."},
        {"s,pi0\n0,1\n0,1\n", BF_EPOLICY, "@p.csv:3: s: state 0 is there twice"},
        {"s,pi0\n-1,1\n", BF_EPOLICY, "@p.csv:2: s: -1 is not a state; states are 0, 1, ..."},
        {"{\"x\": 1}", BF_EFORMAT,
         "@p.csv:1: one column, '{\"x\": 1}'; columns are separated by commas, "
         "semicolons or tabs, or `delimiter` says by what"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = logs_write(l, "p.csv", cases[i].text, strlen(cases[i].text));
        logs_expect(l, bf_policy_read(&policy, path, l->arena, &l->err), cases[i].status,
                    cases[i].message);
    }
    const char *path = logs_write(l, "p.bin", "\1\2\3", 3);
    logs_expect(l, bf_policy_read(&policy, path, l->arena, &l->err), BF_EPOLICY,
                "@p.bin: not a policy: 'backflow list policies' says which files are");
    static const struct {
        const char *name;
        bf_status status;
        const char *message;
    } arrays[] = {
        {"flat", BF_EPOLICY, "shape (2,); (S, A) is needed, a row per state"},
        {"sum", BF_EPOLICY, "row 2: pi0 to pi1 sum to 1.05; probabilities have to sum to 1"},
        {"nan", BF_EPOLICY, "row 1: pi0: nan is not a probability"},
        {"cut", BF_EFORMAT, "168 bytes where its shape (3, 2) asks for 176"},
        {"header", BF_EFORMAT, "the array ends within its header"},
        {"version", BF_EFORMAT, "version 9 of the .npy form; 1, 2 and 3 are known"},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        char full[256], message[512];
        snprintf(full, sizeof full, FIXTURES "/npz/bad_policy_%s.npy", arrays[i].name);
        snprintf(message, sizeof message, "%s: %s", full, arrays[i].message);
        bf_status status = bf_policy_read(&policy, full, l->arena, &l->err);
        assert_string_equal(status == BF_OK ? full : l->err.message, message);
        assert_int_equal(status, arrays[i].status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(forms_of_the_same_table),
        logs_test(a_policy_fills_the_log),
        logs_test(a_policy_has_to_fit_the_log),
        logs_test(what_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
