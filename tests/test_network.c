/* test_network.c - Network policies: what they choose, their file, and every way it can be bad. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "policy/network.h"

extern const bf__policy_kind bf__policy_network;

/* The file as a network, whatever it looks like. */
static bf_status read_network(const bf_policy **out, const char *path, bf_arena *arena,
                              bf_error *err) {
    bf__bytes bytes;
    bf_policy *policy = NULL;
    bf_status status = bf__bytes_open(&bytes, path, arena, err);
    if (status == BF_OK)
        status = bf__policy_network.read(&policy, path, &bytes, arena, err);
    bf__bytes_close(&bytes);
    *out = policy;
    return status;
}

static char path[64];
TEST_ARENA;

static int set_up(void **state) {
    snprintf(path, sizeof path, "test_network.%ld.policy", (long)getpid());
    return make_arena(state);
}

static int tear_down(void **state) {
    unlink(path);
    return drop_arena(state);
}

/* States (theta as an angle, speed scaled), 3 - 4 - 3 units, parameters that need every digit. */
static bf__network *sample(double temperature) {
    bf__network *network = bf_arena_zalloc(arena, 1, sizeof *network, &err);
    assert_ok(bf__mlp_make(&network->net, 3, "4", 3, BF__SIGMOID, BF__IDENTITY, &err), err);
    int64_t count = bf__mlp_parameters(&network->net);
    float *parameters = bf_arena_alloc(arena, count, sizeof *parameters, &err);
    bf_rng rng = bf_rng_make(5, "test", 0);
    for (int64_t i = 0; i < count; i++)
        parameters[i] = (float)bf_rng_normal(&rng);
    network->base.state_dim = 2;
    network->base.name = "sample";
    network->env = "pendulum";
    network->command = "backflow train pendulum -o x.policy --seed 1";
    network->state_name[0] = "theta";
    network->state_name[1] = "speed";
    network->angle[0] = true;
    network->centre[1] = 0.1;
    network->width[1] = 1.0 / 3;
    network->temperature = temperature;
    network->parameters = parameters;
    bf__network_finish(network);
    return network;
}

#define N 600 /* more than a tile */

static void some_states(double *states) {
    bf_rng rng = bf_rng_make(6, "states", 0);
    for (int i = 0; i < N; i++) {
        states[i] = bf_rng_between(&rng, -3, 3);
        states[N + i] = bf_rng_between(&rng, -8, 8);
    }
}

/* Against the plain network, one state at a time. */
static void choices_follow_from_the_values(void **state) {
    (void)state;
    for (int softmax = 0; softmax < 2; softmax++) {
        bf__network *network = sample(softmax ? 0.5 : 0);
        double states[2 * N], p[3 * N], parameters[64];
        some_states(states);
        for (int i = 0; i < bf__mlp_parameters(&network->net); i++)
            parameters[i] = (double)network->parameters[i];
        assert_ok(network->base.probabilities(&network->base, states, N, p, &err), err);
        for (int i = 0; i < N; i++) {
            double speed = (states[N + i] - 0.1) * 3;
            double x[3] = {cos(states[i]), sin(states[i]), speed}, q[3];
            bf__mlp_forward_plain(&network->net, parameters, x, 1, q);
            double e[3], sum = 0, most = fmax(q[0], fmax(q[1], q[2]));
            for (int a = 0; a < 3; a++)
                sum += e[a] = softmax ? exp((q[a] - most) / 0.5) : q[a] == most;
            for (int a = 0; a < 3; a++)
                assert_near(p[a * N + i], e[a] / sum, softmax ? 1e-5 : 0);
        }
    }
}

static void a_file_gives_every_digit_back(void **state) {
    (void)state;
    for (int softmax = 0; softmax < 2; softmax++) {
        bf__network *network = sample(softmax ? 0.1 : 0);
        const bf_policy *read;
        assert_ok(bf__network_write(network, path, &err), err);
        assert_true(bf__policy_network.claims(path, (const unsigned char *)BF__NETWORK_MAGIC "1",
                                              sizeof BF__NETWORK_MAGIC));
        assert_ok(read_network(&read, path, arena, &err), err);
        const bf__network *again = (const bf__network *)read;
        assert_string_equal(read->kind, "network");
        assert_string_equal(read->name, path);
        assert_int_equal(read->actions, 3);
        assert_int_equal(read->state_dim, 2);
        assert_string_equal(again->env, "pendulum");
        assert_string_equal(again->command, network->command);
        assert_string_equal(again->state_name[1], "speed");
        assert_memory_equal(&again->net, &network->net, sizeof again->net);
        assert_memory_equal(again->parameters, network->parameters,
                            (size_t)bf__mlp_parameters(&network->net) * sizeof(float));
        assert_true(again->temperature == network->temperature);
        double states[2 * N], p[3 * N], q[3 * N];
        some_states(states);
        assert_ok(network->base.probabilities(&network->base, states, N, p, &err), err);
        assert_ok(read->probabilities(read, states, N, q, &err), err);
        assert_memory_equal(p, q, sizeof p);
    }
    assert_false(bf__policy_network.claims("x.csv", (const unsigned char *)"0.5,0.5", 7));
}

static void states_out_of_reach_are_an_error(void **state) {
    (void)state;
    bf__network *network = sample(0);
    double states[2] = {0, 1e308}, p[3];
    network->net.activation = BF__RELU;
    assert_int_equal(network->base.probabilities(&network->base, states, 1, p, &err), BF_EPOLICY);
    assert_non_null(strstr(err.message, "sample: has no finite action values at state 0"));
}

/* ---- Bad files */

static size_t load(char *text, size_t size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, size - 1, file);
    fclose(file);
    text[length] = '\0';
    return length;
}

static void save(const char *text, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    fclose(file);
}

/* Makes the checksum right for whatever stands below it. */
static void sign(char *text) {
    char *line = strstr(text, "checksum "), *body = strchr(line, '\n') + 1;
    uint64_t hash = 14695981039346656037u;
    for (char *c = body; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    char hex[17];
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)hash);
    memcpy(line + 9, hex, 16);
}

static void expect(const char *message, bf_status status) {
    const bf_policy *policy;
    assert_int_equal(read_network(&policy, path, arena, &err), status);
    if (!strstr(err.message, message))
        fail_msg("'%s' does not say '%s'", err.message, message);
    assert_ptr_equal(strstr(err.message, path), err.message);
}

/* In a good file, `from` becomes `to`, correctly signed. */
static const struct {
    const char *from, *to, *message;
} edits[] = {
    {"policy 1\n", "policy 2\n",
     ":1: version '2' of the file's form; this program knows version 1"},
    {"backflow network", "fastflow network", ":1: is not a network policy"},
    {"command backflow", "kommand backflow", ":3: 'kommand backflow train"},
    {"env pendulum\n", "", ":4: 'choice greedy' where 'env ...' should stand"},
    {"choice greedy", "choice lazy", ":5: choice: 'lazy' is neither greedy nor softmax"},
    {"choice greedy", "choice softmax 0", ":5: temperature: 0 is not above 0"},
    {"choice greedy", "choice softmax -1e999", ":5: temperature: '-1e999' is not finite"},
    {"choice greedy", "choice greedy 3", ":5: '3' is too much here"},
    {"states 2", "states 17", ":6: states: '17' is not a whole number from 1 to 16"},
    {"states 2", "states two", ":6: states: 'two' is not a number"},
    {"states 2", "states 1", ":8: 'state speed scale"},
    {"theta angle", "theta corner", ":7: state: 'corner' is neither angle nor scale"},
    {"theta angle", "theta scale 0 1", ":9: layers: 3 inputs, but the states above make 2"},
    {"scale 0.10000000000000001", "scale nan", ":8: centre: 'nan' is not finite"},
    {"0.33333333333333331", "0", ":8: width: 0 is not above 0"},
    {"0.33333333333333331", "", ":8: width: '' is not a number"},
    {"layers 3 4 3", "layers 3", ":9: layers: needs at least inputs and outputs"},
    {"layers 3 4 3", "layers 3 4 33", ":9: layers: 33 actions; there can be at most 32"},
    {"layers 3 4 3", "layers 3 129 3", ":9: layers: '129' is not a whole number from 1 to 128"},
    {"layers 3 4 3", "layers 3 1 1 1 1 1 1 1 1 1", ":9: layers: more than 9"},
    {"layers 3 4 3", "layers 3 5 3", ":11: parameters: 31, but the layers above have 38"},
    {"activation sigmoid", "activation step", ":10: activation: 'step' is not one of sigmoid"},
    {"parameters 31", "parameters 30", ":11: parameters: 30, but the layers above have 31"},
    {"parameters 31\n", "parameters 31\n1 ", ":20: parameters: more than the 31"},
    {"parameters 31\n", "parameters 31\n1e31 ", ":12: parameters: 1e31 is too large"},
    {"parameters 31\n", "parameters 31\ninf ", ":12: parameters: 'inf' is not finite"},
    {"parameters 31\n", "parameters 31\n0x1 ", ":12: parameters: '0x1' is not a number"},
    {"\nend\n", "\nend\n\nend\n", ":21: there is something after 'end'"},
};

static void every_bad_line_is_named(void **state) {
    (void)state;
    char good[4096], bad[8192];
    assert_ok(bf__network_write(sample(0), path, &err), err);
    load(good, sizeof good);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        char *at = strstr(good, edits[i].from);
        assert_non_null(at);
        snprintf(bad, sizeof bad, "%.*s%s%s", (int)(at - good), good, edits[i].to,
                 at + strlen(edits[i].from));
        sign(bad);
        save(bad, strlen(bad));
        expect(edits[i].message, BF_EPOLICY);
    }
    /* A parameter too few: the last number of the last line goes. */
    char *end = strstr(good, "\nend\n"), *space = end;
    while (*space != ' ')
        space--;
    snprintf(bad, sizeof bad, "%.*s%s", (int)(space - good), good, end);
    sign(bad);
    save(bad, strlen(bad));
    expect("parameters: 30 numbers; 31 were announced", BF_EPOLICY);
}

/* Text in memory is read like a file, is not written to, and is named as the caller says. */
static void text_is_parsed_like_a_file(void **state) {
    (void)state;
    char text[4096], before[4096];
    double states[2 * N], p[3 * N], q[3 * N];
    bf__network *network = sample(0.1);
    const bf_policy *parsed;
    assert_ok(bf__network_write(network, path, &err), err);
    size_t length = load(text, sizeof text);
    memcpy(before, text, length + 1);
    assert_ok(bf__network_parse(&parsed, "trained", text, arena, &err), err);
    assert_memory_equal(text, before, length + 1);
    memset(text, 'x', length); /* nor is it needed any longer */
    assert_string_equal(parsed->name, "trained");
    assert_string_equal(((const bf__network *)parsed)->command, network->command);
    some_states(states);
    assert_ok(network->base.probabilities(&network->base, states, N, p, &err), err);
    assert_ok(parsed->probabilities(parsed, states, N, q, &err), err);
    assert_memory_equal(p, q, sizeof p);
    before[length - 1] = '\0';
    assert_int_equal(bf__network_parse(&parsed, "trained", before, arena, &err), BF_EPOLICY);
    assert_ptr_equal(strstr(err.message, "trained: is cut short"), err.message);
}

static void damage_is_noticed(void **state) {
    (void)state;
    char good[4096], bad[4096];
    assert_ok(bf__network_write(sample(0), path, &err), err);
    size_t length = load(good, sizeof good);
    for (size_t cut = strlen(BF__NETWORK_MAGIC); cut < length; cut += 7) {
        save(good, cut);
        expect("is cut short", BF_EPOLICY);
    }
    save(good, length - 1);
    expect("is cut short", BF_EPOLICY);
    save(good, 0);
    expect(":1: is not a network policy", BF_EPOLICY);
    for (size_t i = (size_t)(strstr(good, "checksum") - good) + 9; i < length - 4; i += 11) {
        memcpy(bad, good, length);
        bad[i] = (char)(bad[i] == '7' ? '8' : '7');
        save(bad, length);
        expect("the file was changed or damaged", BF_EPOLICY);
    }
    memcpy(bad, good, length);
    bad[100] = '\0';
    save(bad, length);
    expect("byte 100 is zero", BF_EPOLICY);
    char *large = calloc(1, 2 << 20);
    assert_non_null(large);
    memset(large, 'x', 2 << 20);
    memcpy(large, good, length);
    save(large, 2 << 20);
    free(large);
    expect("is larger than any network policy can be", BF_EPOLICY);
    unlink(path);
    expect("cannot be opened: No such file", BF_EFILE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_follow_from_the_values),
        cmocka_unit_test(a_file_gives_every_digit_back),
        cmocka_unit_test(states_out_of_reach_are_an_error),
        cmocka_unit_test(every_bad_line_is_named),
        cmocka_unit_test(text_is_parsed_like_a_file),
        cmocka_unit_test(damage_is_noticed),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
