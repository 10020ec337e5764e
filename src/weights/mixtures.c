/* mixtures.c - Pairs that are not in the log as mixtures of logged ones.
 *
 * A pair (s', a') is written as a convex combination of the k logged pairs of action a' that are
 * nearest (solver/hull.c).
 *
 * If rows have weights, those of a neighbourhood together say how often what follows; two of them
 * alone would not, however they are weighed. So the combination starts from the weights and is held
 * near them (`spread`).
 *
 * The mixture of a numbered action does not depend on the policy, which only says how often the
 * action is taken. If the log has a share, mixtures are kept there for the next policy, as far as
 * there is room. Vectors are sampled from each policy anew.
 *
 * Cost  a search and a quadratic program of size k, O(k^2 d), for every mixture that is not known;
 *       what is kept takes some 130 bytes each */
#include "weights/mixtures.h"

#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "core/fail.h"
#include "core/share.h"

enum { MOST_SAMPLES = 8 };
static const bf__hull_options spread = {
    .near = 0.02, .spread = 1, .tolerance = 1e-4, .steps = 100}; /* rows have weights */
static const double far = 1; /* standard deviations of a coordinate */

bf_status bf__mixer_make(bf__mixer *out, const bf__points *f, const bf__nodes *nodes, int k,
                         const bf_context *context, bf_arena *arena, bf_error *err) {
    int samples = f->samples < MOST_SAMPLES ? f->samples : MOST_SAMPLES;
    *out = (bf__mixer){.points = f,
                       .nodes = nodes,
                       .k = k,
                       .choices = f->actions ? f->actions : samples,
                       .threads = bf__threads(context)};
    BF_ALLOC(out->scratch, arena, out->threads, err);
    for (int t = 0; t < out->threads; t++) {
        BF_ALLOC(out->scratch[t].q, arena, nodes->dim, err);
        BF_ALLOC(out->scratch[t].z, arena, k * nodes->dim, err);
        BF_ALLOC(out->scratch[t].gram, arena, k * k, err);
    }
    return BF_OK;
}

double bf__mixer_chosen(const bf__mixer *mixer, const bf__places *places, int64_t i, int b) {
    if (!mixer->points->actions)
        return 1.0 / mixer->choices;
    bool seen = mixer->nodes->first[b + 1] > mixer->nodes->first[b];
    return seen ? places->pi[b * places->n + i] : 0;
}

double bf__mixture_gone(const bf__mixture *mixture, const bf__mixer *mixer) {
    double fourth = mixture->off * mixture->off * mixture->off * mixture->off;
    if (mixer->nodes->dim <= BF__FEW_DIMENSIONS)
        return 0;
    return fourth / (fourth + far * far * far * far);
}

/* ---- What is known from other policies */

struct known {
    bf__share *share;
    bf_arena *arena;
    bf__mixture *of; /* (places, A) */
};

static bf_status make_known(void **out, const void *self, bf_arena *arena, bf_error *err) {
    const bf__mixtures *m = self;
    struct known *known;
    BF_ALLOC(known, arena, 1, err);
    *known = (struct known){.share = m->mixer->points->share, .arena = arena};
    BF_ZALLOC(known->of, arena, m->places.n * m->mixer->choices, err);
    *out = known;
    return BF_OK;
}

static bf_status get_known(bf__mixtures *m, bf_arena *arena, bf_error *err) {
    const bf__points *f = m->mixer->points;
    void *made;
    if (!f->actions || !bf__share_has_room(f->share))
        return BF_OK;
    BF_TRY(bf__share_get(&made, f->share, make_known, m, arena, err,
                         "%s: %lld %s among %lld nodes, k %d, seed %llu", f->made_by,
                         (long long)m->places.n, m->places.name, (long long)m->mixer->nodes->rows,
                         m->mixer->k, (unsigned long long)f->seed));
    m->known = made;
    return BF_OK;
}

/* Keeps the mixtures that are new. */
static bf_status remember(const bf__mixtures *m, const int64_t *which, int64_t count,
                          bf_error *err) {
    int choices = m->mixer->choices;
    int64_t total = 0;
    int32_t *node;
    double *weight;
    if (!m->known || !bf__share_has_room(m->known->share))
        return BF_OK;
    for (int64_t p = 0; p < count; p++)
        for (int b = 0; b < choices && which[p] >= 0; b++)
            if (m->known->of[which[p] * choices + b].count == 0)
                total += m->of[p * choices + b].count;
    if (total == 0)
        return BF_OK;
    BF_ALLOC(node, m->known->arena, total, err);
    BF_ALLOC(weight, m->known->arena, total, err);
    for (int64_t p = 0; p < count; p++)
        for (int b = 0; b < choices && which[p] >= 0; b++) {
            const bf__mixture *found = &m->of[p * choices + b];
            bf__mixture *kept = &m->known->of[which[p] * choices + b];
            if (kept->count > 0 || found->count == 0)
                continue;
            memcpy(node, found->node, (size_t)found->count * sizeof *node);
            memcpy(weight, found->weight, (size_t)found->count * sizeof *weight);
            *kept = (bf__mixture){found->count, node, weight, found->off};
            node += found->count;
            weight += found->count;
        }
    return BF_OK;
}

/* ---- Finding them */

bf_status bf__mixtures_make(bf__mixtures *out, const bf__mixer *mixer, const bf__places *places,
                            bf_arena *arena, bf_error *err) {
    int64_t width = (int64_t)mixer->k * mixer->choices, room = (1 << 20) / width;
    *out = (bf__mixtures){.mixer = mixer, .places = *places};
    out->room = room < 16 ? 16 : room > 4096 ? 4096 : room;
    BF_ALLOC(out->of, arena, out->room * mixer->choices, err);
    BF_ALLOC(out->node, arena, out->room * width, err);
    BF_ALLOC(out->weight, arena, out->room * width, err);
    return get_known(out, arena, err);
}

/* Rows stand for each other where they are close, so one that counts more is met more often. */
static void weigh(double *share, const int32_t *index, int found, const bf__nodes *nodes) {
    double sum = 0;
    for (int j = 0; j < found; j++)
        sum += share[j] *= nodes->mass[index[j]] / nodes->count[index[j]];
    for (int j = 0; j < found; j++)
        share[j] /= sum;
}

/* The pair at s->q, of action `group`; node and weight (k) are its room. */
static bf__mixture mix(int32_t *node, double *weight, int group, const bf__mixer *mixer,
                       bf__mixer_scratch *s) {
    const bf__nodes *nodes = mixer->nodes;
    bool weighed = mixer->points->weight != NULL;
    int dim = nodes->dim, found = bf__nodes_near(s->index, s->square, s->weight, nodes, group, s->q,
                                                 mixer->k, bf__nodes_leaves(nodes));
    bf__mixture out = {.node = node, .weight = weight};
    for (int j = 0; j < found; j++)
        for (int e = 0; e < dim; e++)
            s->z[j * dim + e] = nodes->x[(int64_t)s->index[j] * dim + e] - s->q[e];
    if (weighed)
        weigh(s->weight, s->index, found, nodes);
    out.off =
        bf__hull_solve(s->weight, s->z, found, dim, weighed ? &spread : &bf__hull_usual, s->gram);
    for (int j = 0; j < found; j++)
        if (s->weight[j] > 0) {
            node[out.count] = s->index[j];
            weight[out.count++] = s->weight[j];
        }
    return out;
}

/* The mixtures of place i, into place p. */
static void follow(bf__mixtures *m, int64_t p, int64_t i, bf__mixer_scratch *s) {
    const bf__mixer *mixer = m->mixer;
    const bf__points *f = mixer->points;
    const bf__places *from = &m->places;
    for (int e = 0; e < f->d; e++)
        s->q[e] = from->z[e * from->n + i];
    for (int b = 0; b < mixer->choices; b++) {
        int64_t at = p * mixer->choices + b;
        const bf__mixture *known = m->known ? &m->known->of[i * mixer->choices + b] : NULL;
        if (!(bf__mixer_chosen(mixer, from, i, b) > 0))
            continue;
        if (known && known->count > 0) {
            m->of[at] = *known;
            continue;
        }
        for (int e = 0; !f->actions && e < f->action_dim; e++)
            s->q[f->d + e] = from->u[((int64_t)b * f->action_dim + e) * from->n + i];
        m->of[at] =
            mix(m->node + at * mixer->k, m->weight + at * mixer->k, f->actions ? b : 0, mixer, s);
    }
}

bf_status bf__mixtures_find(bf__mixtures *m, const int64_t *which, int64_t count, bf_error *err) {
    memset(m->of, 0, (size_t)(count * m->mixer->choices) * sizeof *m->of);
#pragma omp parallel for schedule(dynamic, 16) num_threads(m->mixer->threads)
    for (int64_t p = 0; p < count; p++)
        if (which[p] >= 0)
            follow(m, p, which[p], &m->mixer->scratch[omp_get_thread_num()]);
    return remember(m, which, count, err);
}
