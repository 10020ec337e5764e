/* test_moments.c - Passes over a log of real-valued states: however its rows are dealt, the same
 * bytes; the answer and its error against the definition, written out row by row; what does not fit
 * together is refused. */
#include "line.h"

#include "backflow/rng.h"
#include "pass/landmarks.h"
#include "pass/moments.h"
#include "trust/trust.h"
#include "weights/noise.h"

/* Rows of episodes [from, to) as a log of their own. */
static bf_dataset *part_of(const bf_dataset *all, int64_t from, int64_t to) {
    bf_dataset *part = bf_arena_zalloc(arena, 1, sizeof *part, &err);
    int64_t low = all->begin[from], n = all->begin[to] - low, *begin, *order;
    double *npi = bf_arena_alloc(arena, 2 * n, sizeof *npi, &err);
    double *pi = bf_arena_alloc(arena, 2 * n, sizeof *pi, &err);
    begin = bf_arena_alloc(arena, to - from + 1, sizeof *begin, &err);
    order = bf_arena_alloc(arena, n, sizeof *order, &err);
    *part = *all;
    part->n = n;
    part->episodes = to - from;
    for (int64_t e = from; e <= to; e++)
        begin[e - from] = all->begin[e] - low;
    for (int64_t i = 0; i < n; i++) {
        order[i] = i;
        for (int a = 0; a < 2; a++) {
            pi[a * n + i] = all->pi[a * all->n + low + i];
            npi[a * n + i] = all->npi[a * all->n + low + i];
        }
    }
    static const bf_source from_line = {"line", 0, false};
    part->sources = &from_line;
    part->source_count = 1;
    part->row = order;
    part->begin = begin;
    part->order = order;
    part->state = all->state + low;
    part->next_state = all->next_state + low;
    part->reward = all->reward + low;
    part->action = all->action + low;
    part->terminated = all->terminated ? all->terminated + low : NULL;
    part->pi = pi;
    part->npi = npi;
    return part;
}

/* An empty copy, by way of its bytes. */
static bf_pass *copy_of(bf_pass *pass) {
    const void *bytes;
    size_t size;
    assert_ok(bf_pass_pack(&bytes, &size, pass, arena, &err), err);
    assert_ok(bf_pass_unpack(&pass, bytes, size, "bytes", arena, &err), err);
    return pass;
}

/* The log in `parts` passes, in turn, on so many threads; made one by way of bytes. */
static bf_pass *deal(bf_pass *empty, const bf_dataset *all, int parts, int threads) {
    bf_pass *pass[8];
    int batches = parts == 1 ? 1 : 3 * parts;
    bf_context context = {.threads = threads};
    for (int k = 0; k < parts; k++) {
        pass[k] = copy_of(empty);
        bf_pass_threads(pass[k], &context);
    }
    for (int b = batches - 1; b >= 0; b--)
        assert_ok(bf_pass_add(
                      pass[b % parts],
                      part_of(all, all->episodes * b / batches, all->episodes * (b + 1) / batches),
                      0, &err),
                  err);
    for (int k = parts - 1; k > 0; k--)
        assert_ok(bf_pass_merge(pass[k - 1], copy_of(pass[k]), &err), err);
    return pass[0];
}

static void same_bytes(bf_pass *a, bf_pass *b) {
    const void *x, *y;
    size_t m, n;
    assert_ok(bf_pass_pack(&x, &m, a, arena, &err), err);
    assert_ok(bf_pass_pack(&y, &n, b, arena, &err), err);
    assert_int_equal(m, n);
    assert_memory_equal(x, y, n);
}

/* A question on a sample of a log of the line. */
typedef struct study {
    bf_dataset all;
    bf_problem problem;
    bf_overview overview;
    const bf_estimator *estimator;
    bf_settings *settings;
    const bf_estimate *on_sample;
    bf_pass *landmarks, *moments; /* without rows */
} study;

static void prepare(study *s, const line *l, int64_t n, int64_t sample, double gamma,
                    int terminal) {
    bf_pass *pass;
    s->all = line_log(l, n, 3);
    s->problem = (bf_problem){.gamma = gamma, .terminal = terminal};
    s->estimator = bf_estimator_find("blackbox");
    assert_ok(bf_estimator_settings(&s->settings, s->estimator, NULL, arena, &err), err);
    assert_ok(bf_pass_sample(&pass, sample, 1, arena, &err), err);
    assert_ok(bf_pass_add(pass, part_of(&s->all, 0, s->all.episodes), 0, &err), err);
    s->overview = bf_pass_overview(pass);
    assert_ok(bf_pass_sample_log(&s->problem.data, pass, NULL, arena, &err), err);
    assert_ok(bf_pass_landmarks(&s->landmarks, &s->on_sample, s->estimator, &s->problem,
                                &s->overview, s->settings, NULL, arena, &err),
              err);
}

/* ---- The definition */

static double place(const bf__lens *l, double x) {
    const bf__coordinate *c = &l->frame.coordinates.list[0];
    return (x - c->centre) / c->scale;
}

/* q of a set at (x, a), the kernels written out. */
static double q_at(const bf__lens *l, int set, double x, int a) {
    int member = set % l->members, quantity = set / l->members, b = 0;
    for (; member >= l->basis[b].members; b++)
        member -= l->basis[b].members;
    const bf__basis *of = &l->basis[b];
    double z = place(l, x), sum = 0;
    for (int64_t p = 0; p < of->m; p++)
        sum += of->beta[((int64_t)member * l->quantities + quantity) * of->m + p] *
               bf__kernel_plain(&of->flow.kernel.state, &z, 1, of->pivots.z + p, of->m, 1) *
               (of->pivots.action[p] == a ? 1 : of->flow.kernel.share);
    return sum;
}

static double expected(const bf__lens *l, int set, double x, const double *pi, int64_t n,
                       int64_t i) {
    return pi[i] * q_at(l, set, x, 0) + pi[n + i] * q_at(l, set, x, 1);
}

static int64_t nearest(const bf__lens *l, double x, int a) {
    int64_t best = -1;
    double least = INFINITY;
    for (int64_t j = l->nodes.first[a]; j < l->nodes.first[a + 1]; j++) {
        double gap = fabs(l->nodes.x[j] - place(l, x));
        if (gap * gap <= l->reach[j] && gap < least) {
            least = gap;
            best = j;
        }
    }
    return best;
}

/* The value of one member over all rows, and what each episode does to it: c (episodes). */
static double plain_value(double *c, const bf__lens *l, const study *s, const double *u, int set) {
    const bf_dataset *d = &s->all;
    bf_problem whole = {.data = d, .gamma = s->problem.gamma, .terminal = s->problem.terminal};
    bf__steps steps = bf__steps_of(&whole);
    double mass = 0, earned = 0, restart = 0, start = 0, gamma = s->problem.gamma;
    double *e = bf_arena_alloc(arena, d->n, sizeof *e, &err);
    double *first = bf_arena_zalloc(arena, d->episodes, sizeof *first, &err);
    for (int64_t i = 0; i < d->n; i++) {
        double r = set / l->members == 0 ? d->reward[i] : d->terminated[i];
        double g = bf__step_g(&steps, i);
        e[i] = r - q_at(l, set, d->state[i], d->action[i]);
        if (g > 0)
            e[i] += g * expected(l, set, d->next_state[i], d->npi, d->n, i);
        mass += u[i];
        earned += u[i] * e[i];
        restart += u[i] * bf__step_h(&steps, i);
    }
    for (int64_t j = 0; j < d->episodes && steps.starts; j++) {
        first[j] = expected(l, set, d->state[d->begin[j]], d->pi, d->n, d->begin[j]);
        start += first[j] / (double)d->episodes;
    }
    double flow = l->sum * restart / mass + (1 - l->sum) * (1 - gamma);
    double mean = (earned + restart * start) / mass;
    for (int64_t j = 0; j < d->episodes; j++) {
        c[j] = flow * (first[j] - start) / (double)d->episodes;
        for (int64_t i = d->begin[j]; i < d->begin[j + 1]; i++)
            c[j] += l->sum * u[i] * (e[i] + bf__step_h(&steps, i) * start - mean) / mass;
    }
    return l->sum * earned / mass + flow * start;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void check(const line *l, double gamma, int terminal) {
    study s;
    const bf_estimate *found;
    const bf_trust *trust;
    bool summable;
    prepare(&s, l, 2500, 600, gamma, terminal);
    assert_ok(bf_pass_summable(&summable, s.estimator, &s.problem, s.settings, arena, &err), err);
    assert_true(summable);
    bf_pass *landmarks = deal(s.landmarks, &s.all, 1, 1);
    for (int parts = 2; parts <= 7; parts += parts < 3 ? 1 : 4)
        same_bytes(landmarks, deal(s.landmarks, &s.all, parts, parts % 3 + 1));
    assert_ok(bf_pass_moments(&s.moments, landmarks, arena, &err), err);
    bf_pass *moments = deal(s.moments, &s.all, 1, 1);
    for (int parts = 2; parts <= 7; parts += parts < 3 ? 1 : 4)
        same_bytes(moments, deal(s.moments, &s.all, parts, parts % 3 + 1));
    assert_ok(
        bf_pass_moments_answer(&found, moments, s.estimator, s.on_sample, &s.problem, arena, &err),
        err);
    bf_trust_options how = {.interval = BF_INTERVAL_FULL, .level = 0.9};
    assert_ok(
        bf_pass_trust(&trust, moments, found, &s.problem, &s.overview, &how, NULL, arena, &err),
        err);

    const bf__moments *m;
    assert_ok(bf__moments_of(&m, moments, &err), err);
    const bf__lens *lens = &m->lens;
    int64_t n = s.all.n, episodes = s.all.episodes;
    assert_true(bf__steps_are_noisy(bf_estimate_get(found, "step_noise")));
    assert_int_equal(m->rows, n);
    double *u = bf_arena_alloc(arena, n, sizeof *u, &err);
    double *rows = bf_arena_zalloc(arena, lens->nodes.n, sizeof *rows, &err), mass = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        rows[nearest(lens, s.all.state[i], s.all.action[i])]++;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = nearest(lens, s.all.state[i], s.all.action[i]);
        u[i] = lens->visits[j] / rows[j];
        mass += u[i];
        squares += u[i] * u[i];
    }
    assert_near(bf_estimate_get(found, "ess"), mass * mass / squares, 1e-6);
    assert_int_equal(lens->members, 4);
    double value[4], sorted[4], error = 0, *c[4];
    for (int k = 0; k < 4; k++) {
        c[k] = bf_arena_alloc(arena, episodes, sizeof **c, &err);
        sorted[k] = value[k] = plain_value(c[k], lens, &s, u, k);
    }
    qsort(sorted, 4, sizeof *sorted, by_value);
    assert_near(bf_estimate_value(found), 0.5 * (sorted[1] + sorted[2]), 1e-7);
    for (int64_t j = 0; j < episodes; j++) {
        double both = 0;
        for (int k = 0; k < 4; k++)
            if (value[k] == sorted[1] || value[k] == sorted[2])
                both += 0.5 * c[k][j];
        error += both * both;
    }
    error = sqrt(error * (double)episodes / (double)(episodes - 1));
    assert_near(trust->influence, error, 1e-9);
    assert_true(trust->value.se >= trust->influence);
    double naive = 0;
    for (int64_t i = 0; i < n; i++)
        naive += s.all.reward[i] / (double)n;
    assert_near(bf_pass_naive(moments), naive, 1e-12);
    if (lens->quantities > 1) {
        double ended[4];
        for (int k = 0; k < 4; k++)
            ended[k] = plain_value(c[0], lens, &s, u, 4 + k);
        double share = 0;
        for (int k = 0; k < 4; k++)
            if (value[k] == sorted[1] || value[k] == sorted[2])
                share += 0.5 * ended[k];
        assert_near(bf_estimate_get(found, "episode_length"), 1 / share, 1e-4 / share);
    }
}

static void the_answer_is_the_definition(void **state) {
    (void)state;
    line ends = {.edge = 2, .unit = 5};
    check(&ends, 1, BF_TERMINAL_RESTART);
    check(&ends, 0.9, BF_TERMINAL_RESTART);
    check(&ends, 0.9, BF_TERMINAL_ABSORB);
    check(&ends, 1, BF_TERMINAL_IGNORE);
}

static void expect(bf_status status, bf_status wanted, const char *message) {
    assert_int_equal(status, wanted);
    assert_string_equal(err.message, message);
}

static void damaged_bytes_are_refused(void **state) {
    (void)state;
    study s;
    line l = {.edge = 2, .unit = 1};
    prepare(&s, &l, 300, 60, 1, BF_TERMINAL_RESTART);
    bf_pass *landmarks = deal(s.landmarks, &s.all, 1, 1), *back;
    assert_ok(bf_pass_moments(&s.moments, landmarks, arena, &err), err);
    bf_pass *list[2] = {landmarks, deal(s.moments, &s.all, 1, 1)};
    for (int kind = 0; kind < 2; kind++) {
        const void *bytes;
        size_t size;
        assert_ok(bf_pass_pack(&bytes, &size, list[kind], arena, &err), err);
        unsigned char *copy = bf_arena_alloc(arena, (int64_t)size, 1, &err);
        for (size_t k = 0; k < size; k++) { /* any byte, changed */
            memcpy(copy, bytes, size);
            copy[k] ^= (unsigned char)(1 << (k % 8));
            assert_int_equal(bf_pass_unpack(&back, copy, size, "it", arena, &err), BF_EFORMAT);
        }
        /* And with a checksum that is right: no number may do harm. */
        for (size_t k = 32; k + 8 < size; k += 8) {
            memcpy(copy, bytes, size);
            copy[k + 7] ^= 0x7f;
            uint64_t sum = bf__checksum(copy, size - 8);
            for (int b = 0; b < 8; b++)
                copy[size - 8 + (size_t)b] = (unsigned char)(sum >> (8 * b));
            if (bf_pass_unpack(&back, copy, size, "it", arena, &err) == BF_OK)
                assert_ok(bf_pass_merge(back, copy_of(back), &err), err);
        }
    }
}

static void what_does_not_fit_together_is_refused(void **state) {
    (void)state;
    study s, t;
    line l = {.edge = 2, .unit = 1}, endless = {.edge = 0, .unit = 1};
    prepare(&s, &l, 400, 100, 1, BF_TERMINAL_RESTART);
    prepare(&t, &l, 400, 120, 1, BF_TERMINAL_RESTART);
    bf_pass *landmarks = deal(s.landmarks, &s.all, 1, 1), *moments, *other;
    assert_ok(bf_pass_moments(&moments, landmarks, arena, &err), err);
    expect(bf_pass_merge(s.landmarks, t.landmarks, &err), BF_EUSAGE,
           "landmarks of different samples cannot be made one");
    assert_ok(bf_pass_moments(&other, deal(t.landmarks, &t.all, 1, 1), arena, &err), err);
    expect(bf_pass_merge(moments, other, &err), BF_EUSAGE,
           "moments of different answers cannot be made one");
    expect(bf_pass_moments(&other, moments, arena, &err), BF_EUSAGE,
           "a pass `moments`, where one of landmarks is needed");
    expect(bf_pass_moments(&other, s.landmarks, arena, &err), BF_EDATA,
           "no row is near a landmark that has weight");
    const bf_estimate *found;
    expect(
        bf_pass_moments_answer(&found, moments, s.estimator, s.on_sample, &s.problem, arena, &err),
        BF_EDATA, "no rows were summed up");
    bf_dataset *part = part_of(&s.all, 0, 3);
    double *reward = bf_arena_alloc(arena, part->n, sizeof *reward, &err);
    memcpy(reward, part->reward, (size_t)part->n * sizeof *reward);
    reward[0] = 9;
    part->reward = reward;
    assert_int_equal(bf_pass_add(moments, part, 0, &err), BF_EDATA);
    assert_non_null(strstr(err.message, ": r: 9 is outside of "));
    assert_non_null(strstr(err.message, "when the log was sampled: its files have changed"));
    part = part_of(&s.all, 0, 3);
    part->npi = NULL;
    assert_int_equal(bf_pass_add(moments, part, 0, &err), BF_ENEEDS);
    assert_non_null(strstr(err.message, ": moments need the target policy at the next states"));
    part->actions = 3;
    assert_int_equal(bf_pass_add(moments, part, 0, &err), BF_EDATA);
    assert_non_null(strstr(err.message, "are not like those of the sample"));
    part = part_of(&s.all, 0, 3);
    part->pi = NULL;
    assert_int_equal(bf_pass_add(moments, part, 0, &err), BF_ENEEDS);
    assert_non_null(strstr(err.message, "the target policy at their first states"));
    const bf__landmarks *known;
    assert_ok(bf__landmarks_of(&known, landmarks, &err), err);
    part = part_of(&s.all, 0, s.all.episodes);
    part->begin = (int64_t[]){0, part->n};
    part->episodes = 1;
    assert_true(part->n == 400 && known->longest < 400);
    assert_int_equal(bf_pass_add(moments, part, 0, &err), BF_EDATA);
    assert_non_null(strstr(err.message, "the episode that begins here has 400 rows, and none had"));
    prepare(&t, &endless, 400, 400, 0.9, BF_TERMINAL_RESTART); /* one episode */
    assert_int_equal(bf_pass_add(t.landmarks, part_of(&s.all, 0, s.all.episodes), 0, &err),
                     BF_EDATA);
    assert_non_null(strstr(err.message, "this step ends the episode, and no step of the sample"));
}

/* ---- Actions that are vectors */

enum { STEPS = 40, WALKS = 200, DRAWN = 3 };

/* s' = 0.8 s + a + noise and r = s, by a ~ N(0, 1); the target draws a ~ N(0.5, 0.25), and earns
 * 0.5 / (1 - 0.8) = 2.5. Walks [from, to) as a log. */
static const bf_dataset *walks(int64_t from, int64_t to) {
    int64_t n = (to - from) * STEPS;
    double *block = bf_arena_alloc(arena, n * (5 + DRAWN), sizeof *block, &err), *s = block;
    double *a = s + n, *r = a + n, *ns = r + n, *id = ns + n, *na = id + n;
    for (int64_t w = from, i = 0; w < to; w++) {
        bf_rng rng = bf_rng_make((uint64_t)w, "walks", 0);
        double x = bf_rng_normal(&rng);
        for (int t = 0; t < STEPS; t++, i++) {
            s[i] = r[i] = x;
            a[i] = bf_rng_normal(&rng);
            ns[i] = x = 0.8 * x + a[i] + 0.5 * bf_rng_normal(&rng);
            id[i] = (double)w;
            for (int m = 0; m < DRAWN; m++)
                na[i * DRAWN + m] = 0.5 + 0.5 * bf_rng_normal(&rng);
        }
    }
    bf_columns *c;
    const bf_dataset *data;
    const struct {
        const char *name;
        bf_array array;
    } list[] = {
        {"s", bf_array_2d(s, BF_FLOAT64, n, 1)},     {"a", bf_array_2d(a, BF_FLOAT64, n, 1)},
        {"r", bf_array_1d(r, BF_FLOAT64, n)},        {"ns", bf_array_2d(ns, BF_FLOAT64, n, 1)},
        {"episode", bf_array_1d(id, BF_FLOAT64, n)}, {"na", bf_array_2d(na, BF_FLOAT64, n, DRAWN)},
    };
    assert_ok(bf_columns_create(&c, "walks", arena, &err), err);
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        assert_ok(bf_columns_add(c, list[k].name, &list[k].array, &err), err);
    assert_ok(bf_dataset_from_columns(&data, c, NULL, arena, &err), err);
    return data;
}

/* All walks, in `parts` passes that are made one. */
static bf_pass *walk_over(bf_pass *empty, int parts) {
    bf_pass *pass[8];
    for (int k = 0; k < parts; k++) {
        pass[k] = copy_of(empty);
        assert_ok(bf_pass_add(pass[k], walks(WALKS * k / parts, WALKS * (k + 1) / parts), 0, &err),
                  err);
    }
    for (int k = parts - 1; k > 0; k--)
        assert_ok(bf_pass_merge(pass[k - 1], copy_of(pass[k]), &err), err);
    return pass[0];
}

static void actions_may_be_vectors(void **state) {
    (void)state;
    bf_problem problem = {.gamma = 1, .terminal = BF_TERMINAL_RESTART};
    const bf_estimator *method = bf_estimator_find("blackbox");
    const bf_estimate *on_sample, *found;
    const bf_trust *trust;
    bf_settings *settings;
    bf_interval interval;
    bf_pass *sample, *landmarks, *moments;
    bool summable;
    assert_ok(bf_estimator_settings(&settings, method, NULL, arena, &err), err);
    assert_ok(bf_pass_sample(&sample, 1600, 1, arena, &err), err);
    sample = walk_over(sample, 3);
    bf_overview seen = bf_pass_overview(sample);
    assert_int_equal(seen.rows, WALKS * STEPS);
    assert_int_equal(seen.actions, 0);
    assert_ok(bf_pass_sample_log(&problem.data, sample, NULL, arena, &err), err);
    assert_int_equal(bf_dataset_action_dim(problem.data), 1);
    assert_ok(bf_pass_summable(&summable, method, &problem, settings, arena, &err), err);
    assert_true(summable);
    assert_ok(bf_pass_landmarks(&landmarks, &on_sample, method, &problem, &seen, settings, NULL,
                                arena, &err),
              err);
    bf_pass *whole = walk_over(landmarks, 1);
    same_bytes(whole, walk_over(landmarks, 4));
    assert_ok(bf_pass_moments(&moments, whole, arena, &err), err);
    whole = walk_over(moments, 1);
    same_bytes(whole, walk_over(moments, 2));
    same_bytes(whole, walk_over(moments, 7));
    assert_ok(bf_pass_moments_answer(&found, whole, method, on_sample, &problem, arena, &err), err);
    assert_ok(bf_pass_trust(&trust, whole, found, &problem, &seen, NULL, NULL, arena, &err), err);
    assert_true(bf_trust_interval(trust, &interval));
    assert_near(bf_estimate_value(found), 2.5, 0.3);
    assert_near(bf_pass_naive(whole), 0, 0.3); /* which is far from it */
    assert_true(interval.low < 2.5 && interval.high > 2.5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(the_answer_is_the_definition),
        arena_test(damaged_bytes_are_refused),
        arena_test(what_does_not_fit_together_is_refused),
        arena_test(actions_may_be_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
