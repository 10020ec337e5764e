/* moments.c - The pass of real-valued states: sums over all rows of what a lens shows of each.
 *
 * Cost  that of the lens, and O(moments^2) per episode. */
#include "pass/moments.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"

enum { LEAST = -400, MOST = 450 }; /* exponents, so that those of products can be had */

static double scale_of(const bf__moments *m, int a, int b) {
    return bf__total_scale(m->exponent[a] + m->exponent[b]);
}

double bf__moments_cross(const bf__moments *m, int a, int b) {
    int high = a > b ? a : b, low = a > b ? b : a;
    return bf__total_value(m->cross[high][low], scale_of(m, high, low));
}

/* ---- Making it */

static int exponent_of(double most) {
    int e = bf__total_exponent(most);
    return e > LEAST ? e : LEAST;
}

/* What no episode goes above: u and q are bounded, and so are rewards and rows. */
static bf_status find_exponents(bf__moments *m, bf_error *err) {
    const bf__lens *l = &m->lens;
    int rows = exponent_of((double)l->longest); /* of an episode */
    m->count = BF__MOMENT_FIRST + l->quantities * (1 + 2 * l->members);
    m->exponent[BF__MOMENT_ONE] = 1;
    m->exponent[BF__MOMENT_MASS] = m->exponent[BF__MOMENT_RESTART] = exponent_of(l->largest) + rows;
    m->reward_exponent = exponent_of(fmax(fabs(l->low), fabs(l->high)));
    m->square_exponent = 2 * exponent_of(l->largest);
    for (int k = 0; k < l->quantities; k++) {
        double low = k == 0 ? l->low : 0, high = k == 0 ? l->high : 1;
        double most = fmax(fabs(low - l->centre[k]), fabs(high - l->centre[k]));
        m->exponent[bf__moment_reward(k)] = exponent_of(l->largest * most) + rows;
        for (int s = k * l->members; s < (k + 1) * l->members; s++) {
            m->exponent[bf__moment_gap(l, s)] = exponent_of(2 * l->largest * l->bound[k]) + rows;
            m->exponent[bf__moment_start(l, s)] = exponent_of(l->bound[k]);
        }
    }
    for (int a = 0; a < m->count; a++)
        if (m->exponent[a] > MOST)
            return bf_fail(err, BF_ENUMERIC,
                           "rewards as large as %g, or values that follow from them, cannot be "
                           "squared",
                           fmax(fabs(l->low), fabs(l->high)));
    return BF_OK;
}

bf_status bf__moments_make(bf_pass **out, const bf__lens *lens, bf_arena *arena, bf_error *err) {
    bf__moments *m;
    BF_ZALLOC(m, arena, 1, err);
    m->lens = *lens;
    BF_TRY(find_exponents(m, err));
    BF_TRY(bf__lens_print(&m->print, lens, arena, err));
    return bf__pass_make(out, &bf__pass_moments, m, arena, err);
}

bf_status bf__moments_of(const bf__moments **out, const bf_pass *pass, bf_error *err) {
    if (pass->kind != &bf__pass_moments)
        return bf_fail(err, BF_EUSAGE, "a pass `%s`, where one of moments is needed",
                       pass->kind->name);
    *out = pass->self;
    return BF_OK;
}

/* ---- Adding */

static bf_status add_episode(bf__moments *m, const bf_dataset *data, const bf__look *look,
                             int64_t episode, const int64_t *order, int64_t count, bf_error *err) {
    const bf__lens *l = &m->lens;
    int sets = l->quantities * l->members;
    double x[BF__MOST_MOMENTS] = {[BF__MOMENT_ONE] = 1};
    char where[256];
    if (count > l->longest)
        return bf_fail(err, BF_EDATA,
                       "%s: the episode that begins here has %lld rows, and none had more than "
                       "%lld before: the files have changed",
                       bf_dataset_where(data, order[0], where, sizeof where), (long long)count,
                       (long long)l->longest);
    for (int64_t j = 0; j < count; j++) {
        int64_t i = order[j];
        double u = look->u[i];
        x[BF__MOMENT_MASS] += u;
        x[BF__MOMENT_RESTART] += u * look->h[i];
        x[bf__moment_reward(0)] += u * (data->reward[i] - l->centre[0]);
        if (l->quantities > 1)
            x[bf__moment_reward(1)] +=
                u * ((data->terminated && data->terminated[i]) - l->centre[1]);
        for (int s = 0; s < sets; s++)
            x[bf__moment_gap(l, s)] += u * look->gap[i * sets + s];
    }
    for (int s = 0; s < sets && look->start; s++)
        x[bf__moment_start(l, s)] = look->start[episode * sets + s];
    for (int a = 0; a < m->count; a++)
        for (int b = 0; b <= a; b++)
            bf__total_add(&m->cross[a][b], x[a] * x[b], scale_of(m, a, b));
    m->largest = fmax(m->largest, x[BF__MOMENT_MASS]);
    m->episodes++;
    return BF_OK;
}

static bf_status check_reward(const bf__moments *m, const bf_dataset *data, int64_t i,
                              bf_error *err) {
    char where[256];
    if (data->reward[i] >= m->lens.low && data->reward[i] <= m->lens.high)
        return BF_OK;
    return bf_fail(err, BF_EDATA,
                   "%s: r: %.17g is outside of %.17g to %.17g, where the rewards were when the log "
                   "was sampled: its files have changed",
                   bf_dataset_where(data, i, where, sizeof where), data->reward[i], m->lens.low,
                   m->lens.high);
}

static bf_status add(void *self, const bf_dataset *data, int64_t first, int threads,
                     bf_arena *scratch, bf_error *err) {
    bf__moments *m = self;
    bf__look look;
    double of_reward = bf__total_scale(m->reward_exponent);
    double of_square = bf__total_scale(m->square_exponent);
    (void)first;
    for (int64_t i = 0; i < data->n; i++)
        BF_TRY(check_reward(m, data, i, err));
    BF_TRY(bf__lens_apply(&look, &m->lens, data, threads, scratch, err));
    for (int64_t k = 0; k < data->episodes; k++)
        BF_TRY(add_episode(m, data, &look, k, data->order + data->begin[k],
                           data->begin[k + 1] - data->begin[k], err));
    for (int64_t i = 0; i < data->n; i++) {
        if (!data->begin)
            BF_TRY(add_episode(m, data, &look, 0, &i, 1, err));
        bf__total_add(&m->reward, data->reward[i], of_reward);
        bf__total_add(&m->square, look.u[i] * look.u[i], of_square);
        m->largest_row = fmax(m->largest_row, look.u[i]);
    }
    m->rows += data->n;
    m->bag = m->bag || !data->begin;
    return BF_OK;
}

static bf_status merge(void *into, const void *from, bf_error *err) {
    bf__moments *m = into;
    const bf__moments *o = from;
    if (m->print != o->print)
        return bf_fail(err, BF_EUSAGE, "moments of different answers cannot be made one");
    for (int a = 0; a < m->count; a++)
        for (int b = 0; b <= a; b++)
            m->cross[a][b] = bf__total_join(m->cross[a][b], o->cross[a][b]);
    m->reward = bf__total_join(m->reward, o->reward);
    m->square = bf__total_join(m->square, o->square);
    m->largest = fmax(m->largest, o->largest);
    m->largest_row = fmax(m->largest_row, o->largest_row);
    m->rows += o->rows;
    m->episodes += o->episodes;
    m->bag = m->bag || o->bag;
    return BF_OK;
}

/* ---- What comes of it */

double bf__moments_value(double *slope, const bf__moments *m, int quantity, int member) {
    const bf__lens *l = &m->lens;
    int set = quantity * l->members + member;
    double one = bf__moments_cross(m, BF__MOMENT_ONE, BF__MOMENT_ONE);
    double mass = bf__moments_cross(m, BF__MOMENT_MASS, BF__MOMENT_ONE);
    double restart = bf__moments_cross(m, BF__MOMENT_RESTART, BF__MOMENT_ONE);
    double earned = bf__moments_cross(m, bf__moment_reward(quantity), BF__MOMENT_ONE) +
                    bf__moments_cross(m, bf__moment_gap(l, set), BF__MOMENT_ONE);
    double start = bf__moments_cross(m, bf__moment_start(l, set), BF__MOMENT_ONE) / one;
    double share = l->sum / mass;
    double through = share * restart + (1 - l->sum) * (1 - l->frame.steps.gamma);
    memset(slope, 0, (size_t)m->count * sizeof *slope);
    slope[bf__moment_reward(quantity)] = slope[bf__moment_gap(l, set)] = share;
    slope[BF__MOMENT_MASS] = -share * (earned + restart * start) / mass;
    slope[BF__MOMENT_RESTART] = share * start;
    slope[bf__moment_start(l, set)] = through / one;
    slope[BF__MOMENT_ONE] = -through * start / one;
    return l->centre[quantity] + share * earned + through * start;
}

double bf__moments_error(const bf__moments *m, const double *slope) {
    double squares = 0, episodes = (double)m->episodes;
    for (int a = 0; a < m->count; a++)
        for (int b = 0; b < m->count; b++)
            squares += slope[a] * slope[b] * bf__moments_cross(m, a, b);
    return sqrt(fmax(squares, 0) * episodes / (episodes - 1));
}

/* ---- Bytes */

static bf_status pack(bf__packer *out, void *self, bf_error *err) {
    const bf__moments *m = self;
    (void)err;
    bf__lens_pack(out, &m->lens);
    bf__pack_i64(out, m->rows);
    bf__pack_i64(out, m->episodes);
    bf__pack_i64(out, m->bag);
    bf__pack_f64(out, m->largest);
    bf__pack_f64(out, m->largest_row);
    bf__pack_totals(out, &m->reward, 1);
    bf__pack_totals(out, &m->square, 1);
    for (int a = 0; a < m->count; a++)
        bf__pack_totals(out, m->cross[a], a + 1);
    return BF_OK;
}

static bf_status unpack(void **self, bf__unpacker *in, bf_arena *arena, bf_error *err) {
    bf__moments *m;
    size_t from = in->at;
    BF_ZALLOC(m, arena, 1, err);
    *self = m;
    BF_TRY(bf__lens_unpack(&m->lens, in, arena, err));
    if (in->bad || !m->lens.ratio || m->lens.longest < 1) {
        in->bad = true;
        return BF_OK;
    }
    m->print = bf__checksum(in->bytes + from, in->at - from);
    if (find_exponents(m, NULL) != BF_OK) {
        in->bad = true;
        return BF_OK;
    }
    m->rows = bf__unpack_in(in, 0, INT64_MAX / 4);
    m->episodes = bf__unpack_in(in, 0, INT64_MAX / 4);
    m->bag = bf__unpack_in(in, 0, 1);
    m->largest = bf__unpack_f64(in);
    m->largest_row = bf__unpack_f64(in);
    bf__unpack_totals(in, &m->reward, 1);
    bf__unpack_totals(in, &m->square, 1);
    for (int a = 0; a < m->count; a++)
        bf__unpack_totals(in, m->cross[a], a + 1);
    return BF_OK;
}

const bf__pass_kind bf__pass_moments = {
    .name = "moments", .add = add, .merge = merge, .pack = pack, .unpack = unpack};
