/* test_simulate.c - The commands simulate and value: files, text, JSON, exit codes. */
#include "harness.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zip.h>

static char folder[64];
static char output[65536]; /* of the last command, both streams */

/* Runs the tool in the folder; its exit status. */
static int tool(const char *arguments) {
    char command[2048];
    snprintf(command, sizeof command, "cd %s && %s %s 2>&1", folder, TOOL, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(output, 1, sizeof output - 1, pipe);
    output[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void succeed(const char *arguments) {
    if (tool(arguments) != 0)
        fail_msg("backflow %s: %s", arguments, output);
}

/* The bytes of a file in the folder, terminated; free it. */
static char *slurp(const char *name, size_t *length) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s: not there", path);
    struct stat info;
    assert_int_equal(fstat(fileno(file), &info), 0);
    char *bytes = malloc((size_t)info.st_size + 1);
    *length = fread(bytes, 1, (size_t)info.st_size, file);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

static void assert_same_file(const char *a, const char *b) {
    size_t m, n;
    char *x = slurp(a, &m), *y = slurp(b, &n);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, m);
    free(x);
    free(y);
}

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/backflow_simulate_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static void same_seed_same_file(void **state) {
    (void)state;
    static const char *const commands[] = {
        "simulate mountaincar --behavior handmade@0.7 --target handmade@0.9 --episodes 130",
        "simulate acrobot --behavior uniform,handmade --target handmade --episodes 70 --horizon 50",
        "simulate gridwalk --behavior greedy@0.6 --target greedy@0.9 --episodes 65",
    };
    char line[512];
    for (int c = 0; c < 3; c++)
        for (int npz = 0; npz < 2; npz++) {
            const char *suffix = npz ? "npz" : "csv";
            for (int threads = 1; threads <= 2; threads++) {
                snprintf(line, sizeof line, "%s --seed 5 --threads %d -o %d.%s", commands[c],
                         threads, threads, suffix);
                succeed(line);
            }
            snprintf(line, sizeof line, "1.%s", suffix);
            char other[16];
            snprintf(other, sizeof other, "2.%s", suffix);
            assert_same_file(line, other);
        }
}

static void csv_has_the_columns(void **state) {
    (void)state;
    size_t length;
    succeed("simulate modelwin --target target --episodes 3 --horizon 4 -o m.csv");
    assert_non_null(strstr(output, "m.csv: 12 transitions, 3 trajectories, 3 episodes of which 0 "
                                   "terminated, mean reward"));
    char *text = slurp("m.csv", &length);
    assert_ptr_equal(strstr(text, "episode,t,s,a,r,ns,terminated,truncated,mu,pi0,pi1,npi0,npi1\n"),
                     text);
    int lines = 0, cut = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        int episode, t, s, a, r, ns, terminated, truncated;
        double mu, pi0, pi1;
        if (lines == 0)
            continue;
        assert_int_equal(sscanf(line, "%d,%d,%d,%d,%d,%d,%d,%d,%lf,%lf,%lf", &episode, &t, &s, &a,
                                &r, &ns, &terminated, &truncated, &mu, &pi0, &pi1),
                         11);
        assert_int_equal(episode, (lines - 1) / 4);
        assert_int_equal(t, (lines - 1) % 4);
        assert_int_equal(s == 0, t % 2 == 0);
        assert_true(s == 0 ? (mu == 0.7 || mu == 0.3) && pi0 == 0.9 : mu == 0.5 && pi0 == 0.5);
        assert_int_equal(truncated, t == 3);
        cut += truncated;
    }
    free(text);
    assert_int_equal(lines, 13);
    assert_int_equal(cut, 3);

    succeed("simulate modelwin --episodes 3 --horizon 4 --drop-last -o d.csv");
    assert_non_null(strstr(output, "d.csv: 9 transitions"));
    text = slurp("d.csv", &length);
    assert_ptr_equal(strstr(text, "episode,t,s,a,r,ns,terminated,truncated,mu\n"), text);
    free(text);
    succeed("simulate acrobot --episodes 1 --horizon 2 -o a.csv");
    text = slurp("a.csv", &length);
    assert_non_null(strstr(text, "episode,t,s0,s1,s2,s3,s4,s5,a,r,ns0,ns1,ns2,ns3,ns4,ns5,"
                                 "terminated,truncated,mu\n"));
    free(text);
}

/* The numbers of one array of an .npz, after its header; `want` is what the header must hold. */
static void *load(const char *name, const char *array, const char *want, size_t bytes) {
    char path[256], member[32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(member, sizeof member, "%s.npy", array);
    zip_t *archive = zip_open(path, ZIP_RDONLY, NULL);
    assert_non_null(archive);
    zip_file_t *file = zip_fopen(archive, member, 0);
    assert_non_null(file);
    unsigned char *all = malloc(bytes + 1000);
    zip_int64_t length = zip_fread(file, all, bytes + 1000);
    assert_memory_equal(all, "\x93NUMPY\x01", 8);
    size_t start = 10u + all[8] + 256u * all[9];
    assert_int_equal(start % 64, 0);
    assert_int_equal(length, start + bytes);
    all[start - 1] = '\0';
    if (!strstr((char *)all + 10, want))
        fail_msg("%s: %s has no %s", array, all + 10, want);
    memmove(all, all + start, bytes);
    zip_fclose(file);
    zip_discard(archive);
    return all;
}

/* The archive says what the text says. */
static void npz_is_the_same_log(void **state) {
    (void)state;
    const char *what = "simulate mountaincar --behavior handmade@0.7 --target handmade@0.9 "
                       "--episodes 5 --horizon 200 ";
    char line[256];
    snprintf(line, sizeof line, "%s-o n.npz", what);
    succeed(line);
    snprintf(line, sizeof line, "%s-o n.csv", what);
    succeed(line);
    enum { N = 1000 };
    double *s = load("n.npz", "s", "'<f8', 'fortran_order': False, 'shape': (1000, 2)", N * 16);
    double *r = load("n.npz", "r", "'<f8', 'fortran_order': False, 'shape': (1000,)", N * 8);
    double *npi = load("n.npz", "npi", "(1000, 3)", N * 24);
    int64_t *a = load("n.npz", "a", "'<i8'", N * 8), *e = load("n.npz", "episode", "'<i8'", N * 8);
    uint8_t *end = load("n.npz", "terminated", "'|b1'", N);
    size_t length;
    char *text = slurp("n.csv", &length), *at = strchr(text, '\n') + 1;
    int ended = 0;
    for (int i = 0; i < N; i++, at = strchr(at, '\n') + 1) {
        double column[17];
        char *stop = at;
        for (int j = 0; j < 17; j++)
            column[j] = strtod(j ? stop + 1 : at, &stop);
        assert_true(*stop == '\n');
        assert_true(column[0] == (double)e[i]);
        assert_true(column[2] == s[2 * i] && column[3] == s[2 * i + 1]);
        assert_true(column[4] == (double)a[i] && column[5] == r[i]);
        assert_true(column[8] == end[i]);
        assert_true(column[14] == npi[3 * i] && column[16] == npi[3 * i + 2]);
        ended += end[i];
    }
    assert_true(ended > 0);
    free(s);
    free(r);
    free(npi);
    free(a);
    free(e);
    free(end);
    free(text);
}

static void value_in_json(void **state) {
    (void)state;
    json_error_t wrong;
    succeed("value modelwin --policy target --json --quiet");
    json_t *object = json_loads(output, 0, &wrong);
    assert_non_null(object);
    assert_near(json_real_value(json_object_get(object, "value")), -0.08, 1e-14);
    assert_true(json_real_value(json_object_get(object, "standard_error")) == 0);
    assert_string_equal(json_string_value(json_object_get(object, "method")), "exact");
    assert_string_equal(json_string_value(json_object_get(object, "version")), bf_version());
    json_t *settings = json_object_get(object, "settings");
    assert_string_equal(json_string_value(json_object_get(settings, "policy")), "target");
    assert_int_equal(json_integer_value(json_object_get(settings, "seed")), 1);
    json_decref(object);

    succeed("value mountaincar --policy handmade --alpha 0.9 --chains 20 --steps 500 --burn-in 100 "
            "--json --quiet");
    object = json_loads(output, 0, &wrong);
    assert_non_null(object);
    double value = json_real_value(json_object_get(object, "value"));
    double error = json_real_value(json_object_get(object, "standard_error"));
    assert_true(value > -1 && value < 1 && error > 0 && error < 0.1);
    assert_string_equal(json_string_value(json_object_get(object, "kind")), "average");
    json_t *simulation = json_object_get(object, "simulation");
    assert_int_equal(json_integer_value(json_object_get(simulation, "transitions")), 12000);
    json_t *episode = json_object_get(object, "episode_length");
    assert_true(json_real_value(json_object_get(episode, "value")) > 90);
    json_decref(object);

    succeed("value boyan --gamma 0.5 --json=v.json");
    assert_non_null(strstr(output, "exact, by a linear solve over 13 states"));
    size_t length;
    char *text = slurp("v.json", &length);
    assert_non_null(strstr(text, "\"kind\": \"discounted\""));
    free(text);
}

static void bad_usage_is_explained(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *message;
        int status;
    } cases[] = {
        {"simulate",
         "backflow simulate: no environment given; there are modelwin, gridwalk, "
         "boyan, ladder, drift, pendulum, mountaincar, cartpole, acrobot\n",
         2},
        {"simulate modelvin -o x.csv",
         "backflow simulate: 'modelvin' is not an environment; there are modelwin, gridwalk, "
         "boyan, ladder, drift, pendulum, mountaincar, cartpole, acrobot\n",
         2},
        {"simulate modelwin boyan -o x.csv",
         "backflow simulate: 'boyan': one environment at a time\n", 2},
        {"simulate modelwin",
         "backflow simulate: -o FILE is missing: where the log goes, .csv or "
         ".npz\n",
         2},
        {"simulate modelwin -o x.txt",
         "backflow simulate: x.txt: a log is written as .csv or "
         ".npz; the name has to end so\n",
         2},
        {"simulate modelwin --behavior target, -o x.csv",
         "backflow simulate: --behavior: 'target,' has an empty name in it\n", 2},
        {"simulate modelwin --behavior best -o x.csv",
         "backflow simulate: 'best' is neither a file nor a policy that modelwin has (uniform, "
         "target, behavior)\n",
         6},
        {"simulate modelwin --horizon 1 --drop-last -o x.csv",
         "backflow simulate: --drop-last: needs --horizon 2 at least\n", 2},
        {"simulate modelwin --episodes 0 -o x.csv",
         "backflow simulate: --episodes: '0' is outside 1 to 1e+12\n", 2},
        {"simulate modelwin -o nowhere/x.csv",
         "backflow simulate: nowhere/x.csv: cannot be written: No such file or directory\n", 3},
        {"simulate modelwin -o nowhere/x.npz",
         "backflow simulate: nowhere/x.npz: cannot be written: No such file or directory\n", 3},
        {"simulate modelwin --policy target --behavior behavior -o x.csv",
         "backflow simulate: --policy is the same as --behavior: give one of them\n", 2},
        {"value pendulum --single --gamma 0.9",
         "backflow value: --single: is about the average reward; leave out --gamma and "
         "--per-episode\n",
         2},
        {"value pendulum --policy handmade@2",
         "backflow value: handmade@2: '2' after the @ is not a number from 0 to 1, the share of "
         "the policy in its mixture with the uniform one\n",
         2},
        {"value gridwalk --policy greedy --polcy x",
         "backflow value: --polcy: no such option; did you mean --policy?\n", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = tool(cases[i].arguments);
        assert_string_equal(output, cases[i].message);
        assert_int_equal(status, cases[i].status);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/x.csv", folder);
    assert_int_equal(access(path, F_OK), -1);
}

static void help_and_list_know_them(void **state) {
    (void)state;
    succeed("simulate --help");
    assert_non_null(strstr(output, "--drop-last"));
    succeed("value --help");
    assert_non_null(strstr(output, "--per-episode"));
    succeed("list envs");
    for (int i = 0; bf_env_at(i); i++)
        assert_non_null(strstr(output, bf_env_at(i)->name));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_seed_same_file),    cmocka_unit_test(csv_has_the_columns),
        cmocka_unit_test(npz_is_the_same_log),    cmocka_unit_test(value_in_json),
        cmocka_unit_test(bad_usage_is_explained), cmocka_unit_test(help_and_list_know_them),
    };
    return cmocka_run_group_tests_name("simulate", tests, make_folder, remove_folder);
}
