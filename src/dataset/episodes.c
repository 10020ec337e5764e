/* episodes.c - Which transitions belong together, and in which order.
 *
 * The columns decide, best first:
 *
 *   episode, t   rows of one id in the order of t, in any order in the file
 *   episode      rows of one id in the order of the file
 *   t            a new episode begins at each row whose t does not increase
 *   neither      if rows form chains, s'_i = s_{i+1}, that break only at an end, these are the
 *                episodes; otherwise the rows are a bag
 *
 * Ids are local to a file. The next file continues an episode only if its first t there is the last
 * t here plus 1; if t is a point in time, if it is later. A row after a terminated or truncated one
 * begins a new episode whatever its id, because trajectories of fixed length with restarts inside
 * are common, and the state after a restart is a start state.
 *
 * Cost: O(n) if rows are in order already, O(n log n) otherwise (merge sort). */
#include <math.h>
#include <stdio.h>

#include "core/fail.h"
#include "dataset/assemble.h"

typedef struct keys {
    const double *episode, *t; /* t may be NULL */
    bool timed;                /* t is a point in time: its order counts, not its distances */
    const char *episode_name, *t_name;
    const char *const *words; /* ids by code; NULL: they are numbers */
} keys;

/* Says if the step at time t goes on from the one at time `before`. */
static bool goes_on(const keys *k, double before, double t) {
    return k->timed ? t > before : t == before + 1;
}

/* A run of one id in one file, in sorted order. */
typedef struct run {
    int64_t begin, end; /* places in the sorted order */
    int64_t next;       /* the run that continues it, or -1 */
    bool continued;     /* it continues an earlier one */
} run;

static inline bool after(const keys *k, int64_t i, int64_t j) {
    if (k->episode[i] != k->episode[j])
        return k->episode[i] > k->episode[j];
    return k->t && k->t[i] > k->t[j];
}

/* Stable merge sort of order[begin, end). `spare` has the same length. */
static void sort(const keys *k, int64_t *order, int64_t *spare, int64_t begin, int64_t end) {
    bool sorted = true;
    for (int64_t i = begin + 1; i < end && sorted; i++)
        sorted = !after(k, order[i - 1], order[i]);
    if (sorted)
        return;
    int64_t middle = begin + (end - begin) / 2;
    sort(k, order, spare, begin, middle);
    sort(k, order, spare, middle, end);
    int64_t left = begin, right = middle;
    for (int64_t i = begin; i < end; i++) {
        bool take_right = left == middle || (right < end && after(k, order[left], order[right]));
        spare[i] = take_right ? order[right++] : order[left++];
    }
    for (int64_t i = begin; i < end; i++)
        order[i] = spare[i];
}

static bool ends(const bf_dataset *data, int64_t i) {
    return (data->terminated && data->terminated[i]) || (data->truncated && data->truncated[i]);
}

static int64_t last_of(const bf_dataset *data, int source) {
    return source + 1 < data->source_count ? data->sources[source + 1].first : data->n;
}

/* The run with the id `id` among the runs [low, high), which are sorted by id, or -1. */
static int64_t find_run(const run *runs, const int64_t *order, const double *episode, int64_t low,
                        int64_t high, double id) {
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        double found = episode[order[runs[middle].begin]];
        if (found == id)
            return middle;
        if (found < id)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

/* Joins runs of neighbouring files if t continues. `first` (files + 1) are the runs of each
 * file. */
static void join_files(const bf_dataset *data, const keys *k, run *runs, const int64_t *first,
                       const int64_t *order) {
    for (int f = 1; f < data->source_count && k->t; f++)
        for (int64_t g = first[f]; g < first[f + 1]; g++) {
            int64_t head = order[runs[g].begin];
            int64_t h = find_run(runs, order, k->episode, first[f - 1], first[f], k->episode[head]);
            if (h < 0)
                continue;
            int64_t tail = order[runs[h].end - 1];
            if (goes_on(k, k->t[tail], k->t[head]) && !ends(data, tail)) {
                runs[h].next = g;
                runs[g].continued = true;
            }
        }
}

/* Sorts and joins. Fills order[0, n), and starts[j] = 1 if the row at place j begins an id. */
static bf_status by_id(const bf_dataset *data, const keys *k, int64_t *order, uint8_t *starts,
                       bf_arena *scratch, bf_error *err) {
    int64_t n = data->n, *sorted, *first, count = 0, put = 0;
    run *runs;
    BF_ALLOC(sorted, scratch, n, err);
    BF_ALLOC(first, scratch, data->source_count + 1, err);
    for (int64_t i = 0; i < n; i++)
        sorted[i] = i;
    for (int f = 0; f < data->source_count; f++)
        sort(k, sorted, order /* not yet in use */, data->sources[f].first, last_of(data, f));
    for (int f = 0; f < data->source_count; f++)
        for (int64_t j = data->sources[f].first; j < last_of(data, f); j++)
            count +=
                j == data->sources[f].first || k->episode[sorted[j]] != k->episode[sorted[j - 1]];
    BF_ALLOC(runs, scratch, count, err);
    count = 0;
    for (int f = 0; f < data->source_count; f++) {
        first[f] = count;
        for (int64_t j = data->sources[f].first; j < last_of(data, f); j++) {
            if (j == data->sources[f].first || k->episode[sorted[j]] != k->episode[sorted[j - 1]])
                runs[count++] = (run){.begin = j, .next = -1};
            runs[count - 1].end = j + 1;
        }
    }
    first[data->source_count] = count;
    join_files(data, k, runs, first, sorted);
    for (int64_t g = 0; g < count; g++) {
        if (runs[g].continued)
            continue;
        for (int64_t h = g; h >= 0; h = runs[h].next)
            for (int64_t j = runs[h].begin; j < runs[h].end; j++) {
                starts[put] = h == g && j == runs[g].begin;
                order[put++] = sorted[j];
            }
    }
    return BF_OK;
}

/* Checks that no step occurs twice and, if the next state is the next row, that none is missing. */
static bf_status check_steps(const bf_dataset *data, const keys *k, const int64_t *order,
                             const uint8_t *starts, bool linked, bf_error *err) {
    char here[256], there[256], id[64] = "";
    for (int64_t j = 1; j < data->n; j++) {
        int64_t i = order[j], before = order[j - 1];
        if (starts[j])
            continue;
        double step = k->t[i] - k->t[before];
        if (step == 1 || (step > 0 && (k->timed || !linked || ends(data, before))))
            continue;
        if (k->words)
            snprintf(id, sizeof id, " in episode %.40s", k->words[(int64_t)k->episode[i]]);
        else if (k->episode)
            snprintf(id, sizeof id, " in episode %.17g", k->episode[i]);
        bf_dataset_where(data, i, here, sizeof here);
        bf_dataset_where(data, before, there, sizeof there);
        if (step == 0)
            return bf_fail(err, BF_EDATA, "%s: %s: %.17g is there twice%s (also %s)", here,
                           k->t_name, k->t[i], id, there);
        return bf_fail(err, BF_EDATA,
                       "%s: %s: %.17g follows %.17g%s; without ns columns the next state comes "
                       "from the next row, which is missing",
                       here, k->t_name, k->t[i], k->t[before], id);
    }
    return BF_OK;
}

/* Says if row i's next state is the state of row i + 1. */
static bool leads_on(const bf_dataset *data, int64_t i) {
    for (int j = 0; j < data->state_dim; j++)
        if (data->next_state[j * data->n + i] != data->state[j * data->n + i + 1])
            return false;
    return true;
}

/* For rows without id and step: true if they are chains that mark their ends. */
static bool by_chain(const bf_dataset *data, uint8_t *starts, bool linked) {
    int64_t found = 0;
    for (int f = 0; f < data->source_count; f++) {
        int64_t begin = data->sources[f].first, end = last_of(data, f);
        for (int64_t i = begin; i < end; i++) {
            starts[i] = i == begin;
            found += ends(data, i);
            if (i + 1 < end && !linked && !ends(data, i) && !leads_on(data, i))
                return false;
        }
        if (f > 0 && begin < end && !linked && !ends(data, begin - 1) && leads_on(data, begin - 1))
            starts[begin] = 0;
    }
    return found > 0;
}

static void by_step(const bf_dataset *data, const keys *k, uint8_t *starts) {
    const double *t = k->t;
    for (int f = 0; f < data->source_count; f++)
        for (int64_t i = data->sources[f].first; i < last_of(data, f); i++) {
            bool boundary = i == data->sources[f].first;
            starts[i] = i == 0 || (boundary ? !goes_on(k, t[i - 1], t[i]) : t[i] <= t[i - 1]);
        }
}

static bf_status whole(const bf_dataset *data, const double *values, const char *name,
                       bf_error *err) {
    char where[256];
    for (int64_t i = 0; values && i < data->n; i++)
        if (!(fabs(values[i]) <= 9007199254740992.0) || values[i] != floor(values[i]))
            return bf_fail(err, BF_EDATA, "%s: %s: %.17g is not a whole number",
                           bf_dataset_where(data, i, where, sizeof where), name, values[i]);
    return BF_OK;
}

/* The id of each episode, as the column has it. */
static bf_status keep_ids(bf_dataset *data, const keys *k, bf_arena *arena, bf_error *err) {
    double *id;
    if (!k->episode)
        return BF_OK;
    BF_ALLOC(id, arena, data->episodes, err);
    for (int64_t e = 0; e < data->episodes; e++)
        id[e] = k->episode[data->order[data->begin[e]]];
    data->episode_id = id;
    data->episode_words = k->words;
    return BF_OK;
}

static keys find_keys(const bf__rows *rows) {
    keys k = {.episode = rows->column[BF__EPISODE], .t = rows->column[BF__T], .timed = rows->timed};
    if (k.episode) {
        k.episode_name = rows->names[BF__EPISODE][0];
        k.words = rows->words[BF__EPISODE][0] ? rows->words[BF__EPISODE][0]->text : NULL;
    }
    if (k.t)
        k.t_name = rows->names[BF__T][0];
    return k;
}

bf_status bf__episodes_find(bf_dataset *data, const bf__rows *rows, bool linked, bf_arena *arena,
                            bf_arena *scratch, bf_error *err) {
    int64_t n = data->n, *order, *begin, count = 0;
    uint8_t *starts;
    keys k = find_keys(rows);
    BF_TRY(whole(data, k.episode, k.episode_name, err));
    if (!k.timed)
        BF_TRY(whole(data, k.t, k.t_name, err));
    BF_ALLOC(order, arena, n, err);
    BF_ALLOC(starts, scratch, n, err);
    if (k.episode) {
        BF_TRY(by_id(data, &k, order, starts, scratch, err));
    } else {
        for (int64_t i = 0; i < n; i++)
            order[i] = i;
        if (k.t)
            by_step(data, &k, starts);
        else if (!by_chain(data, starts, linked))
            return !linked ? BF_OK
                           : bf_fail(err, BF_EDATA,
                                     "%s: no next state: there has to be a column ns (or ns0, ns1, "
                                     "...), or a column episode, so that it is the next row's "
                                     "state",
                                     data->sources[0].path);
        data->episodes_inferred = !k.t;
    }
    if (k.t)
        BF_TRY(check_steps(data, &k, order, starts, linked, err));
    for (int64_t j = 1; j < n; j++)
        starts[j] |= ends(data, order[j - 1]);
    for (int64_t j = 0; j < n; j++)
        count += starts[j];
    BF_ALLOC(begin, arena, count + 1, err);
    count = 0;
    for (int64_t j = 0; j < n; j++)
        if (starts[j])
            begin[count++] = j;
    begin[count] = n;
    data->episodes = count;
    data->begin = begin;
    data->order = order;
    return keep_ids(data, &k, arena, err);
}
