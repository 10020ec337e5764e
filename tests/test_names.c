/* test_names.c - Logs as people have them: names of their own, words, points in time. */
#include <time.h>

#include "format/timestamp.h"
#include "logs.h"

static bf_status read_mapped(logs *l, bf_dataset *out, const char *text, const char *map) {
    const char *path = logs_write(l, "log.csv", text, strlen(text));
    bf_read_options options = {.map = {1, {map}}};
    return bf__dataset_read(out, &path, 1, &options, NULL, l->arena, &l->err);
}

static bf_dataset mapped(logs *l, const char *text, const char *map) {
    bf_dataset data;
    assert_ok(read_mapped(l, &data, text, map), l->err);
    return data;
}

static void expect(logs *l, const char *text, const char *map, bf_status wanted,
                   const char *message) {
    bf_dataset data;
    logs_expect(l, read_mapped(l, &data, text, map), wanted, message);
}

static const char *name_of(const bf_dataset *d, int j) {
    static char text[64];
    return bf_dataset_state_name(d, j, text, sizeof text);
}

/* ---- Mapping */

static void same_columns(const bf_dataset *a, const bf_dataset *b) {
    size_t n = (size_t)a->n;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->state_dim, b->state_dim);
    assert_int_equal(a->states, b->states);
    assert_int_equal(a->actions, b->actions);
    assert_int_equal(a->episodes, b->episodes);
    assert_memory_equal(a->state, b->state, n * (size_t)a->state_dim * sizeof(double));
    assert_memory_equal(a->next_state, b->next_state, n * (size_t)a->state_dim * sizeof(double));
    assert_memory_equal(a->reward, b->reward, n * sizeof(double));
    assert_memory_equal(a->action, b->action, n * sizeof(int32_t));
    assert_memory_equal(a->order, b->order, n * sizeof(int64_t));
    if (a->npi)
        assert_memory_equal(a->npi, b->npi, n * (size_t)a->actions * sizeof(double));
}

static void other_names_are_the_same_log(void **state) {
    logs *l = *state;
    bf_dataset plain = logs_good(l, "episode,t,s0,s1,a,r,terminated,npi0,npi1\n"
                                    "1,0,1.5,70,0,0,0,.5,.5\n1,1,1.2,72,1,1,0,.25,.75\n"
                                    "1,2,1.1,75,1,1,1,1,0\n2,0,2.5,60,1,0,0,.5,.5\n"
                                    "2,1,2.25,62,0,1,1,0,1\n");
    const char *text = "r,step no,lactate,id,map,dead,dose,p none,p:all,s0\n"
                       "0,0,1.5,1,70,0,0,.5,.5,9\n1,1,1.2,1,72,false,1,.25,.75,9\n"
                       "1,2,1.1,1,75,true,1,1,0,9\n0,0,2.5,2,60,0,1,.5,.5,9\n"
                       "1,1,2.25,2,62,1,0,0,1,9\n";
    bf_dataset other = mapped(l, text,
                              "state = lactate, map action=dose episode=id t=\"step no\"\n"
                              "terminated=dead npi=\"p none\",p:all");
    same_columns(&plain, &other);
    assert_string_equal(name_of(&plain, 1), "s1");
    assert_string_equal(name_of(&other, 0), "lactate");
    assert_string_equal(name_of(&other, 1), "map");
    assert_string_equal(other.ignored, "s0"); /* the mapping gave its name away */
    other = mapped(l, text,
                   "s0=lactate s1=map a=dose episode=id time=\"step no\" terminated=dead "
                   "npi0=\"p none\" npi1=p:all");
    same_columns(&plain, &other);
}

static void a_mapping_can_be_a_file(void **state) {
    logs *l = *state;
    char at[128];
    const char *map = "# what the study recorded\nstate=x_*   # all of them\n\naction = act\n"
                      "next_state=y_*\n";
    snprintf(at, sizeof at, "@%s", logs_write(l, "study.map", map, strlen(map)));
    bf_dataset d = mapped(l, "x_b,x_a,act,r,y_0,y_1\n1,2,0,1,3,4\n5,6,1,1,7,8\n", at);
    const double s[] = {1, 5, 2, 6}, ns[] = {3, 7, 4, 8};
    assert_memory_equal(d.state, s, sizeof s);
    assert_memory_equal(d.next_state, ns, sizeof ns);
    assert_string_equal(name_of(&d, 0), "x_b");
    logs_write(l, "study.map", "# nothing\n", 10);
    expect(l, "s,a,r,ns\n0,0,0,0\n", at, BF_EUSAGE, "@study.map: the file maps nothing");
    logs_write(l, "study.map", "state=x\n\n\nstates=y\n", 19);
    expect(l, "s,a,r,ns\n0,0,0,0\n", at, BF_EUSAGE,
           "@study.map:4: 'states' is not what a column can be; state, next_state, action, reward, "
           "episode, t, terminated, truncated, weight, duration, mu, pi:ACTION, npi:ACTION, "
           "mask:ACTION and the "
           "other "
           "names of "
           "docs/log-format.md are");
}

static void one_column_can_be_a_finite_space(void **state) {
    logs *l = *state;
    const char *text = "cell,a,r,to\n0,0,1,2\n2,1,1,0\n";
    bf_dataset d = mapped(l, text, "state=cell next_state=to");
    assert_int_equal(d.states, 3);
    d = mapped(l, text, "state=cell:number next_state=to:number");
    assert_int_equal(d.states, 0);
    assert_true(d.real_state);
}

static void mappings_that_make_no_sense(void **state) {
    logs *l = *state;
    const char *log = "s,a,r,ns\n0,0,1,0\n";
    expect(l, log, "state", BF_EUSAGE,
           "`map`: 'state' says nothing; MEANING=COLUMNS is needed, as in 'state=age,ward "
           "action=dose reward=r'");
    expect(l, log, "state=", BF_EUSAGE, "`map`: 'state=' needs the name of a column");
    expect(l, log, "state=s,", BF_EUSAGE, "`map`: 'state=' needs the name of a column");
    expect(l, log, "state=s=a", BF_EUSAGE, "`map`: 'state=' needs the name of a column, not s");
    expect(l, log, "state=s s=s", BF_EUSAGE, "`map`: 's' is there twice");
    expect(l, log, "state=\"s", BF_EUSAGE, "`map`: a quote is opened and never closed");
    expect(l, log, "state=s,s", BF_EUSAGE, "`map`: column 's' is given to both state and state");
    expect(l, log, "state=s reward=s", BF_EUSAGE,
           "`map`: column 's' is given to both state and reward");
    expect(l, log, "reward=r,s", BF_EUSAGE,
           "`map`: reward is one column, and several are given to it");
    expect(l, log, "state=age", BF_EDATA,
           "@log.csv: there is no column 'age' for state; the columns are s, a, r, ns");
    expect(l, log, "state=x*", BF_EDATA,
           "@log.csv: there is no column 'x*' for state; the columns are s, a, r, ns");
    expect(l, log, "reward=r:text", BF_EUSAGE, "@log.csv: `map`: r holds numbers, not text");
    expect(l, log, "actions=x,x", BF_EUSAGE, "`map`: the action 'x' is there twice");
    expect(l, log, "actions=x actions=y", BF_EUSAGE, "`map`: 'actions' is there twice");
    expect(l, log, "state=\x01", BF_EUSAGE, "`map`: byte 1 stands in a name");
}

/* ---- Words */

static void ids_may_be_any_text(void **state) {
    logs *l = *state;
    char text[32];
    bf_dataset d = logs_good(l, "episode,s0,a,r\np-7,1,0,1\n\"b, c\",2,0,2\np-7,3,0,3\n"
                                "12,4,0,4\n\"b, c\",5,0,5\n12,6,0,6\n");
    assert_int_equal(d.n, 3);
    assert_int_equal(d.episodes, 3);
    static const char *const names[] = {"p-7", "b, c", "12"};
    for (int e = 0; e < 3; e++)
        assert_string_equal(bf_dataset_episode_name(&d, e, text, sizeof text), names[e]);
    d = logs_good(l, "episode,s0,a,r\n70,1,0,1\n70,2,0,1\n7,3,0,1\n7,3,0,1\n"); /* numbers */
    assert_string_equal(bf_dataset_episode_name(&d, 0, text, sizeof text), "7");
    logs_bad(l, "episode,t,s0,a,r\nx,0,1,0,1\nx,0,1,0,1\n", BF_EDATA,
             "@log.csv:3: t: 0 is there twice in episode x (also @log.csv:2)");
}

static void actions_may_be_words(void **state) {
    logs *l = *state;
    char text[32];
    bf_dataset plain = logs_good(l, "s,a,r,ns,npi0,npi1\n0,0,1,1,.5,.5\n1,1,1,0,.25,.75\n");
    bf_dataset d = logs_good(l, "s,a,r,ns,npi0,npi1\n0,stay,1,1,.5,.5\n1,go,1,0,.25,.75\n");
    assert_memory_equal(plain.action, d.action, 2 * sizeof *d.action);
    assert_string_equal(bf_dataset_action_name(&d, 1, text, sizeof text), "go");
    assert_string_equal(bf_dataset_action_name(&plain, 1, text, sizeof text), "1");
    assert_false(bf_dataset_actions_named(&plain));
    /* The policy's columns name the actions, in their order. */
    d = logs_good(l, "s,a,r,ns,npi:go,npi:wait,npi:stay\n"
                     "0,stay,1,1,.5,.25,.25\n1,go,1,0,0,0,1\n");
    const double npi[] = {.5, 0, .25, 0, .25, 1};
    assert_int_equal(d.actions, 3);
    assert_int_equal(d.action[0], 2);
    assert_int_equal(d.action[1], 0);
    assert_memory_equal(d.npi, npi, sizeof npi);
    assert_string_equal(bf_dataset_action_name(&d, 1, text, sizeof text), "wait");
    /* So does the mapping; numbers are names then. */
    d = mapped(l, "s,a,r,ns\n0,20,1,1\n1,5,1,0\n", "actions=5,10,20");
    assert_int_equal(d.actions, 3);
    assert_int_equal(d.action[0], 2);
    d = mapped(l, "s,a,r,ns\n0,20,1,1\n1,5,1,0\n", "action=a:category");
    assert_int_equal(d.action[0], 0);
    assert_string_equal(bf_dataset_action_name(&d, 1, text, sizeof text), "5");
}

static void actions_that_nobody_named(void **state) {
    logs *l = *state;
    logs_bad(l, "s,a,r,ns,npi:go,npi:stay\n0,run,1,1,.5,.5\n", BF_EDATA,
             "@log.csv:2: a: 'run' is not one of the actions: go, stay");
    logs_bad(l, "s,a,r,ns,npi:go,npi:stay,pi:go\n0,go,1,1,.5,.5,1\n", BF_EDATA,
             "@log.csv: no column pi:stay, but another one names that action");
    logs_bad(
        l, "s,a,r,ns,npi:go,npi:stay,npi0\n0,go,1,1,.5,.5,1\n", BF_EDATA,
        "@log.csv: columns npi0, ... and npi:go are both there; actions have numbers or names, "
        "not both");
    expect(l, "s,a,r,ns,npi:go,npi:stay\n0,go,1,1,.5,.5\n", "actions=go", BF_EDATA,
           "@log.csv: column npi:stay: 'stay' is not one of the actions, go");
}

static void categories_are_inputs(void **state) {
    logs *l = *state;
    const char *column, *category;
    bf_dataset d = logs_good(l, "episode,s0,s1,s2,a,r\n1,0.5,ward,true,0,1\n1,1.5,ICU,false,1,1\n"
                                "1,2.5,ward,false,0,1\n1,3.5,home,true,0,1\n");
    const double s[] = {.5,           1.5, 2.5, /* ICU */ 0, 1, 0, /* home */ 0, 0, 0,
                        /* ward */ 1, 0,   1,   1,           0, 0};
    const double ns[] = {1.5, 2.5, 3.5, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1};
    assert_int_equal(d.n, 3);
    assert_int_equal(d.state_dim, 5);
    assert_memory_equal(d.state, s, sizeof s);
    assert_memory_equal(d.next_state, ns, sizeof ns);
    assert_string_equal(name_of(&d, 0), "s0");
    assert_string_equal(name_of(&d, 2), "s1=home");
    assert_true(bf_dataset_state_source(&d, 3, &column, &category));
    assert_string_equal(column, "s1");
    assert_string_equal(category, "ward");
    /* With next states of their own, both columns have the same categories. */
    d = logs_good(l, "s0,s1,ns0,ns1,a,r\n1,x,2,y,0,1\n3,x,4,x,0,1\n");
    assert_int_equal(d.state_dim, 3);
    const double two[] = {2, 4, 0, 1, 1, 0};
    assert_memory_equal(d.next_state, two, sizeof two);
}

static void a_word_can_be_the_state(void **state) {
    logs *l = *state;
    char text[32];
    bf_dataset d = logs_good(l, "s,a,r,ns\nsick,0,1,well\nwell,1,1,dead\n");
    assert_int_equal(d.states, 3);
    assert_string_equal(bf_dataset_state_label(&d, 1, text, sizeof text), "sick");
    assert_true(d.state[0] == 1 && d.next_state[1] == 0);
    assert_true(bf_dataset_states_named(&d));
}

static void a_slip_is_no_category(void **state) {
    logs *l = *state;
    logs_bad(l, "s0,a,r,ns0\n1,0,1,1\n2,0,1,o\n", BF_EFORMAT,
             "@log.csv:3: ns0: 'o' is not a number");
    logs_bad(l, "s0,a,r,ns0\n1,x,1,1\n2,0,1,1\n", BF_EFORMAT, "@log.csv:2: a: 'x' is not a number");
    logs_bad(l, "s0,s1,a,r,ns0,ns1\n1,x,0,1,1,x\n2,,0,1,1,x\n", BF_EFORMAT,
             "@log.csv:3: s1: empty, but every row needs a value here");
    logs_bad(l, "s0,s1,a,r,ns0,ns1\n1,x,0,1,1,x\n2,NA,0,1,1,x\n", BF_EDATA,
             "@log.csv:3: s1: 'NA' stands for a missing value");
    bf_dataset d = mapped(l, "s0,s1,a,r,ns0,ns1\n1,7,0,1,1,7\n2,B,0,1,1,7\n",
                          "state=s0,s1:category next_state=ns0,ns1");
    assert_int_equal(d.state_dim, 3);
}

static void ids_are_no_categories(void **state) {
    logs *l = *state;
    char *text = malloc(60000), *end = text;
    end += sprintf(end, "s0,s1,a,r,ns0,ns1\n");
    for (int i = 0; i < 1001; i++)
        end += sprintf(end, "%d,p%d,0,1,%d,p%d\n", i, i, i, i);
    logs_bad(l, text, BF_EDATA,
             "@log.csv: s1: 1001 different texts ('p0', 'p1', ...); a category of a state has at "
             "most 1000");
    free(text);
}

/* ---- Points in time */

static void timestamps(void **state) {
    (void)state;
    static const char *const bad[] = {"",
                                      "2026",
                                      "2026-13-01",
                                      "2026-02-29",
                                      "2026-11-16T",
                                      "2026-11-1",
                                      "2026-11-16T24:01",
                                      "2026-11-16T11",
                                      "2026-11-16T11:60",
                                      "2026-11-16T11:52:19.",
                                      "2026-11-16x",
                                      "2026-11-16T11:52+1",
                                      "2026-11-16T11:52Zx",
                                      "16.11.2026",
                                      "20261116"};
    double t;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(bf__timestamp(bad[k], strlen(bad[k]), &t));
    for (long long at = -60000000000; at < 60000000000; at += 987654321) {
        char text[64];
        time_t when = (time_t)at;
        struct tm parts;
        gmtime_r(&when, &parts); /* the C library's calendar is the oracle */
        strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
        if (parts.tm_year + 1900 < 1000)
            continue;
        assert_true(bf__timestamp(text, strlen(text), &t) && t == (double)at);
        strcat(text, ".25+01:30");
        assert_true(bf__timestamp(text, strlen(text), &t) && t == (double)at + 0.25 - 5400);
    }
    assert_true(bf__timestamp("1970-01-02 00:00Z", 17, &t) && t == 86400);
}

static void time_is_an_order(void **state) {
    logs *l = *state;
    bf_dataset d = logs_good(l, "episode,t,s0,a,r\nx,2026-03-01 08:00,3,0,1\n"
                                "x,2026-02-28T23:59,1,0,1\nx,2026-03-01,2,0,1\n");
    assert_int_equal(d.n, 2);
    assert_true(d.state[d.order[0]] == 1 && d.next_state[d.order[1]] == 3);
    d = mapped(l, "episode,hours,s0,a,r\n1,7.5,2,0,1\n1,0.25,1,0,1\n", "t=hours:time");
    assert_true(d.state[0] == 1 && d.next_state[0] == 2);
    logs_bad(l, "episode,t,s0,a,r\nx,2026-03-01,3,0,1\nx,yesterday,1,0,1\n", BF_EFORMAT,
             "@log.csv:3: t: 'yesterday' is neither a number nor a time such as "
             "2026-11-16T11:52:19");
    logs_bad(l, "episode,t,s0,a,r\nx,2026-03-01,3,0,1\nx,2026-03-01T00:00,1,0,1\n", BF_EDATA,
             "@log.csv:3: t: 1772323200 is there twice in episode x (also @log.csv:2)");
}

/* ---- Large logs */

/* Chunks of a file have dictionaries of their own; the joined one is that of the file. */
static void many_words_on_any_number_of_threads(void **state) {
    logs *l = *state;
    size_t room = (size_t)9 << 20;
    char *text = malloc(room), *end = text, name[32];
    end += sprintf(end, "episode,s0,w,a,r\n");
    int rows = 0;
    for (; end < text + room - 100; rows++)
        end += sprintf(end, "patient-%d,%d.5,ward %d,act%d,1\n", rows / 3, rows, rows % 7,
                       (rows / 50000) % 5);
    const char *path = logs_write(l, "log.csv", text, (size_t)(end - text));
    free(text);
    bf_read_options options = {.map = {1, {"state=s0,w"}}};
    for (int threads = 1; threads <= 3; threads += 2) {
        bf_dataset d;
        bf_context context = {.threads = threads};
        assert_ok(bf__dataset_read(&d, &path, 1, &options, &context, l->arena, &l->err), l->err);
        assert_int_equal(d.episodes, rows / 3);
        assert_int_equal(d.state_dim, 8);
        for (int64_t i = 0; i < d.n; i++) {
            int row = (int)(d.state[i] - 0.5);
            assert_int_equal(d.action[i], (row / 50000) % 5);
            assert_true(d.state[(1 + row % 7) * d.n + i] == 1);
        }
        for (int64_t e = 0; e < d.episodes; e += 1000) {
            char wanted[32];
            sprintf(wanted, "patient-%d", (int)(d.state[d.order[d.begin[e]]] / 3));
            assert_string_equal(bf_dataset_episode_name(&d, e, name, sizeof name), wanted);
        }
    }
}

/* ---- The program's own columns */

static void words_from_a_program(void **state) {
    logs *l = *state;
    char text[32];
    static const double obs[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
    static const int32_t codes[] = {1, 0, 1, 1};
    static const char *const words[] = {"general", "ICU"};
    static const char *const acts[] = {"none", "drug", "drug", "none"};
    static const char *const ids[] = {"x", "x", "y", "y"};
    static const double gain[] = {1, 2, 3, 4};
    bf_columns *columns;
    const bf_dataset *data;
    bf_array array = bf_array_2d(obs, BF_FLOAT64, 4, 2);
    assert_ok(bf_columns_create(&columns, "mine", l->arena, &l->err), l->err);
    assert_ok(bf_columns_add(columns, "obs", &array, &l->err), l->err);
    array = bf_array_1d(codes, BF_INT32, 4);
    assert_ok(bf_columns_add_words(columns, "ward", &array, words, 2, &l->err), l->err);
    assert_ok(bf_columns_add_text(columns, "act", acts, 4, &l->err), l->err);
    assert_ok(bf_columns_add_text(columns, "who", ids, 4, &l->err), l->err);
    array = bf_array_1d(gain, BF_FLOAT64, 4);
    assert_ok(bf_columns_add(columns, "gain", &array, &l->err), l->err);
    bf_read_options options = {
        .map = {2, {"state=obs,ward action=act", "reward=gain episode=who"}}};
    assert_ok(bf_columns_set_options(columns, &options, &l->err), l->err);
    assert_ok(bf_dataset_from_columns(&data, columns, NULL, l->arena, &l->err), l->err);
    const double s[] = {1, 5, 2, 6, 1, 1, 0, 0};
    assert_int_equal(data->n, 2);
    assert_int_equal(data->state_dim, 4);
    assert_memory_equal(data->state, s, sizeof s);
    assert_string_equal(name_of(data, 1), "obs1");
    assert_string_equal(name_of(data, 2), "ward=ICU");
    assert_string_equal(bf_dataset_action_name(data, 1, text, sizeof text), "drug");
    assert_string_equal(bf_dataset_episode_name(data, 1, text, sizeof text), "y");
    static const int32_t wrong[] = {1, 0, 2, 1}, gap[] = {1, -1, 0, 0};
    array = bf_array_1d(wrong, BF_INT32, 4);
    assert_ok(bf_columns_add_words(columns, "to", &array, words, 2, &l->err), l->err);
    options.map.item[0] = "state=obs,to action=act";
    assert_ok(bf_columns_set_options(columns, &options, &l->err), l->err);
    logs_expect(l, bf_dataset_from_columns(&data, columns, NULL, l->arena, &l->err), BF_EDATA,
                "mine: row 2: to: code 2, but there are 2 words");
    array = bf_array_1d(gap, BF_INT32, 4);
    assert_ok(bf_columns_add_words(columns, "from", &array, words, 2, &l->err), l->err);
    options.map.item[0] = "state=obs,from action=act";
    assert_ok(bf_columns_set_options(columns, &options, &l->err), l->err);
    logs_expect(l, bf_dataset_from_columns(&data, columns, NULL, l->arena, &l->err), BF_EFORMAT,
                "mine: row 1: from: empty, but every row needs a value here");
    array = bf_array_1d(gain, BF_FLOAT64, 4);
    logs_expect(l, bf_columns_add_words(columns, "x", &array, words, 2, &l->err), BF_EUSAGE,
                "mine: x: codes of words are whole numbers of shape (n)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        logs_test(other_names_are_the_same_log),
        logs_test(a_mapping_can_be_a_file),
        logs_test(one_column_can_be_a_finite_space),
        logs_test(mappings_that_make_no_sense),
        logs_test(ids_may_be_any_text),
        logs_test(actions_may_be_words),
        logs_test(actions_that_nobody_named),
        logs_test(categories_are_inputs),
        logs_test(a_word_can_be_the_state),
        logs_test(a_slip_is_no_category),
        logs_test(ids_are_no_categories),
        logs_test(timestamps),
        logs_test(time_is_an_order),
        logs_test(many_words_on_any_number_of_threads),
        logs_test(words_from_a_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
