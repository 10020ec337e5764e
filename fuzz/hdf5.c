/* hdf5.c - Logs in HDF5 files that the bytes describe: what libhdf5 takes for whole files, with
 * everything in them that a log may have wrong.
 *
 * The bytes do not stand for the file itself. libhdf5 trusts what it finds in a damaged file more
 * than it should (SECURITY.md), and that is not ours to mend: what is looked at here is our reader,
 * over the files that libhdf5 itself has written.
 *
 *     byte 0  the form of the file, of four bits; the highest bit: Minari's layout, not D4RL's
 *     D4RL    rows, columns of states, columns of actions, which arrays there are; then the arrays
 *     Minari  spaces of observations and actions, episodes; then each episode: rows, its arrays
 *     array   four or five bytes, as hdf5_write.h has them
 *
 * A file without a lie is accepted, with the very rewards and states that were written. One array
 * that is too long or too short is not. */
#include "hdf5_write.h"

#include <jansson.h>

/* The most steps of a log: episodes times rows. */
enum { MOST_ROWS = 32, MOST_EPISODES = 5, MOST_STEPS = MOST_ROWS * MOST_EPISODES, MOST_DIM = 4 };

/* What was written, so that it can be compared. */
typedef struct written {
    int parts[ODD + 1];             /* how many of each kind */
    int rows;                       /* steps, of which */
    double r[MOST_STEPS];           /* the rewards; */
    bool has_next;                  /* next states are there, and no row is dropped */
    int state_dim;                  /* numbers of a state; 0: not compared */
    double s[MOST_STEPS][MOST_DIM]; /* states */
    double ns[MOST_STEPS][MOST_DIM];
} written;

static void note(written *w, kind_of_part kind) {
    w->parts[kind]++;
}

static void note_rewards(written *w, const part *rewards) {
    for (hsize_t i = 0; i < rewards->shape[0]; i++)
        w->r[w->rows++] = right_value(rewards, i);
}

/* Rows [first, first + rows) of an array of states, which are those of the next steps. */
static void note_states(double (*to)[MOST_DIM], const part *states, hsize_t first, hsize_t rows) {
    hsize_t d = states->rank > 1 ? states->shape[1] : 1;
    for (hsize_t i = 0; i < rows; i++)
        for (hsize_t j = 0; j < d; j++)
            to[i][j] = right_value(states, (first + i) * d + j);
}

/* ---- D4RL */

static void write_flat(written *w, hid_t file, source *from) {
    hsize_t rows = take(from) % MOST_ROWS, d = take(from) % 5, k = take(from) % 4;
    unsigned which = take(from);
    part state = {"observations", 1 + (d > 0), {rows, d}, 4};
    part next = {"next_observations", 1 + (d > 0), {rows, d}, 4};
    part action = {"actions", 1 + (k > 0), {rows, k}, 3};
    part rewards = {"rewards", 1 + (which >> 4) % 2, {rows, 1}, 4};
    const part flags[] = {{"terminals", 1, {rows}, 2}, {"timeouts", 1, {rows}, 2}};
    const part log_probs = {"action_log_probs", 1, {rows}, 1};
    w->has_next = which & 1;
    note(w, rows > 0 ? HONEST : ODD);
    note(w, write_part(file, &state, from));
    note(w, write_part(file, &action, from));
    note(w, write_part(file, &rewards, from));
    if (which & 1)
        note(w, write_part(file, &next, from));
    for (int f = 0; f < 2; f++)
        if (which & (2u << f))
            note(w, write_part(file, &flags[f], from));
    if (which & 8) {
        hid_t infos = H5Gcreate2(file, "infos", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        if (infos >= 0) {
            note(w, write_part(infos, &log_probs, from) == HONEST ? HONEST : ODD); /* left out */
            H5Gclose(infos);
        }
    }
    note_rewards(w, &rewards);
    w->state_dim = d ? (int)d : 1;
    note_states(w->s, &state, 0, rows);
    note_states(w->ns, &next, 0, rows);
}

/* ---- Minari */

/* Spaces, as metadata.json has them, and the arrays that they are made of. */
typedef struct space {
    const char *text; /* NULL: it is not described */
    int leaves;
    part leaf[3]; /* the first number of `shape` is that of rows */
    bool is_group, honest;
    bool mixed; /* choices and real numbers: a state, never an action */
} space;

#define BOX(shape) "{\"type\":\"Box\",\"dtype\":\"float64\",\"shape\":" shape "}"
#define DISCRETE(n, start)                                                                         \
    "{\"type\":\"Discrete\",\"dtype\":\"int64\",\"start\":" start ",\"n\":" n "}"

static const space spaces[] = {
    {BOX("[2]"), 1, {{"", 2, {0, 2}, 4}}, false, true},
    {DISCRETE("4", "0"), 1, {{"", 1, {0}, 4}}, false, true},
    {BOX("[]"), 1, {{"", 1, {0}, 4}}, false, true},
    {"{\"type\":\"Dict\",\"subspaces\":{\"arm\":" BOX("[2,2]") ",\"tool\":" DISCRETE(
         "5", "-1") ",\"speed\":" BOX("[1]") "}}",
     3,
     {{"arm", 3, {0, 2, 2}, 4}, {"tool", 1, {0}, 4}, {"speed", 2, {0, 1}, 4}},
     true,
     true,
     true},
    {"{\"type\":\"Tuple\",\"subspaces\":[{\"type\":\"MultiDiscrete\",\"dtype\":\"int64\","
     "\"nvec\":[4,5],\"start\":[0,0]},{\"type\":\"MultiBinary\",\"n\":2}]}",
     2,
     {{"_index_0", 2, {0, 2}, 4}, {"_index_1", 2, {0, 2}, 2}},
     true,
     true},
    {NULL, 1, {{"", 2, {0, 3}, 4}}, false, true},
    {BOX("[3]"), 1, {{"", 2, {0, 2}, 4}}, false, false},
    {DISCRETE("2", "1"), 1, {{"", 1, {0}, 4}}, false, false},
    {"{\"type\":\"Text\"}", 1, {{"", 1, {0}, 4}}, false, false},
    {"{", 1, {{"", 1, {0}, 4}}, false, false},
};

enum { SPACES = sizeof spaces / sizeof *spaces };

/* Writes the arrays of a space, `rows` rows of each. */
static void write_space(written *w, hid_t in, const space *s, const char *name, hsize_t rows,
                        source *from) {
    hid_t group = in;
    if (s->is_group)
        group = H5Gcreate2(in, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    MUST(group >= 0);
    for (int k = 0; k < s->leaves; k++) {
        part leaf = s->leaf[k];
        leaf.shape[0] = rows;
        leaf.name = s->is_group ? leaf.name : name;
        note(w, write_part(group, &leaf, from));
    }
    if (s->is_group)
        H5Gclose(group);
}

/* The name of an episode; a byte of 16 or more is one of the names that it should not have. */
static bool name_episode(char name[32], int number, unsigned byte) {
    static const char *const forms[] = {"episode_%d", "episode_0%d", "episode_9%d",
                                        "episode_%d \x7f\n"};
    snprintf(name, 32, forms[byte / 16 % 4], number);
    return byte / 16 % 4 == 0;
}

static void write_episode(written *w, hid_t file, int number, const space *state,
                          const space *action, source *from) {
    char name[32];
    unsigned byte = take(from);
    hsize_t rows = 1 + byte % 8;
    part rewards = {"rewards", 1, {rows}, 4};
    const part flags[] = {{"terminations", 1, {rows}, 2}, {"truncations", 1, {rows}, 2}};
    note(w, name_episode(name, number, byte) ? HONEST : ODD);
    hid_t episode = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    MUST(episode >= 0);
    write_space(w, episode, state, "observations", rows + 1, from);
    write_space(w, episode, action, "actions", rows, from);
    note(w, write_part(episode, &rewards, from));
    note(w, write_part(episode, &flags[0], from));
    note(w, write_part(episode, &flags[1], from));
    H5Gclose(episode);
    if (w->state_dim) {
        note_states(w->s + w->rows, &state->leaf[0], 0, rows);
        note_states(w->ns + w->rows, &state->leaf[0], 1, rows);
    }
    note_rewards(w, &rewards);
}

/* `beside` becomes the text of metadata.json, or empty if there is none. */
static void write_episodes(written *w, hid_t file, char beside[2048], source *from) {
    const space *state = &spaces[take(from) % SPACES], *action = &spaces[take(from) % SPACES];
    int episodes = (int)(1 + take(from) % MOST_EPISODES);
    json_t *metadata = json_object();
    /* Without a description there is none of either, and only plain arrays can be guessed. */
    bool described = state->text && action->text;
    bool known = described || (!state->is_group && !action->is_group);
    note(w, state->honest && action->honest && !action->mixed && known ? HONEST : ODD);
    w->has_next = true;
    w->state_dim = state->is_group ? 0 : state->leaf[0].rank > 1 ? (int)state->leaf[0].shape[1] : 1;
    for (int e = 0; e < episodes; e++)
        write_episode(w, file, e, state, action, from);
    json_object_set_new(metadata, "observation_space", json_string(state->text));
    json_object_set_new(metadata, "action_space", json_string(action->text));
    char *text = described ? json_dumps(metadata, JSON_COMPACT) : NULL;
    snprintf(beside, 2048, "%s", text ? text : "");
    free(text);
    json_decref(metadata);
}

/* ---- The folder of the files */

static char folder[] = "/tmp/backflow-fuzz-XXXXXX";
static char log_path[64], metadata_path[64];

static void remove_folder(void) {
    unlink(log_path);
    unlink(metadata_path);
    rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    MUST(mkdtemp(folder) != NULL);
    snprintf(log_path, sizeof log_path, "%s/main_data.hdf5", folder);
    snprintf(metadata_path, sizeof metadata_path, "%s/metadata.json", folder);
    atexit(remove_folder);
    json_object_seed(1);                              /* nothing here is left to chance */
    MUST(H5Eset_auto2(H5E_DEFAULT, NULL, NULL) >= 0); /* what it cannot write is not news */
    return 0;
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    MUST(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* ---- Comparing */

/* Number j of row i of a column. */
static double at(const bf_array *column, int64_t i, int64_t j) {
    const char *data = column->data;
    return *(const double *)(data + i * column->strides[0] + j * column->strides[1]);
}

static void compare(const bf_dataset *log, const written *w) {
    bf_array r, s, ns;
    int64_t n = bf_dataset_rows(log);
    MUST(n <= w->rows);
    if (!w->has_next)
        return;
    MUST(n == w->rows && bf_dataset_column(&r, log, "r") && r.type == BF_FLOAT64);
    for (int64_t i = 0; i < n; i++)
        MUST(at(&r, i, 0) == w->r[i]);
    if (w->state_dim == 0 || bf_dataset_states(log) > 0)
        return;
    MUST(bf_dataset_state_dim(log) == w->state_dim && bf_dataset_column(&s, log, "s"));
    MUST(bf_dataset_column(&ns, log, "ns") && s.type == BF_FLOAT64 && ns.type == BF_FLOAT64);
    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < w->state_dim; j++)
            MUST(at(&s, i, j) == w->s[i][j] && at(&ns, i, j) == w->ns[i][j]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static written w;
    char beside[2048] = "";
    source from = {data, data + size};
    unsigned form = take(&from);
    hid_t file = new_file(log_path, form);
    w = (written){.rows = 0};
    if (form & 128)
        write_episodes(&w, file, beside, &from);
    else
        write_flat(&w, file, &from);
    MUST(H5Fclose(file) >= 0);
    unlink(metadata_path);
    if (*beside)
        write_text(metadata_path, beside);

    bf_arena *arena = new_arena();
    const bf_dataset *log;
    bf_status status = read_file(&log, log_path, "hdf5", arena);
    bool honest = w.parts[OF_WRONG_LENGTH] == 0 && w.parts[ODD] == 0;
    if (honest) /* without next states there may be no row with one */
        MUST(status == BF_OK || (!w.has_next && status == BF_EDATA));
    if (honest && status == BF_OK)
        compare(log, &w);
    if (w.parts[OF_WRONG_LENGTH] == 1 && w.parts[ODD] == 0) /* several might agree */
        MUST(status != BF_OK);
    bf_arena_destroy(arena);
    return 0;
}
