/* evidence.c - What the verdict goes by: facts about where the weights of an answer lie.
 *
 * Cost  O(n) for rewards, ages and clusters; SAMPLE searches among the logged pairs, per action,
 *       for the gap. Methods without weights have the facts about the rewards alone. */
#include "trust/evidence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/row_weights.h"
#include "problem/nodes.h"
#include "problem/symmetry.h"

enum { SAMPLE = 1000, NEAR = 64, MOST_NODES = 40000 };
static const double hardly = 0.02; /* of the median step */

static void look_at_rewards(bf__facts *out, const bf_dataset *data, const double *w) {
    double square = 0, mean = 0, mass = 0, ended = 0, time = 0;
    for (int64_t i = 0; i < data->n; i++) {
        mass += w[i];
        time += w[i] * bf__row_duration(data, i);
        mean += w[i] * data->reward[i];
        ended += data->terminated && data->terminated[i] ? w[i] : 0;
    }
    if (!(mass > 0))
        return;
    mean /= time;
    for (int64_t i = 0; i < data->n; i++)
        square += w[i] / mass * pow(data->reward[i] - mean * bf__row_duration(data, i), 2);
    out->weighted_deviation = sqrt(square) * mass / time;
    out->ended = ended / mass;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* How weight goes with the time since the start of the episode. */
static bf_status look_at_ages(bf__facts *out, const bf_dataset *data, const double *w,
                              bf_arena *arena, bf_error *err) {
    if (!data->begin)
        return BF_OK;
    bf_mark mark = bf_arena_mark(arena);
    double *age, *sorted, late = 0, rest = 0, late_rows = 0, rest_rows = 0;
    BF_ALLOC(age, arena, data->n, err);
    BF_ALLOC(sorted, arena, data->n, err);
    out->longest = (double)bf__dataset_longest(data);
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            age[data->order[j]] = (double)(j - data->begin[e]);
    memcpy(sorted, age, (size_t)data->n * sizeof *age);
    qsort(sorted, (size_t)data->n, sizeof *sorted, ascending);
    double limit = sorted[data->n - 1 - data->n / 5];
    bf__row_weights rows = bf__row_weights_of(data);
    for (int64_t i = 0; i < data->n && w; i++) {
        bool is_late = age[i] > limit;
        late += is_late ? w[i] : 0;
        rest += is_late ? 0 : w[i];
        late_rows += is_late ? bf__row_weight(&rows, i) : 0;
        rest_rows += is_late ? 0 : bf__row_weight(&rows, i);
    }
    if (late_rows > 0 && rest > 0)
        out->age_rise = late / late_rows / (rest / rest_rows);
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* ---- The gap */

typedef struct search {
    const bf__points *f;
    const bf__nodes *nodes;
    const bf__clusters *clusters;
    const int32_t *cluster_of; /* (nodes): of the node's rows, -1 if they are of several */
    double step;               /* the median */
    double *q;
} search;

/* Whether the pair at s->q, of action `group`, has a logged pair near it that is not of `cluster`.
 */
static bool met(const search *s, int group, int32_t cluster) {
    int32_t index[NEAR];
    double square[NEAR], weight[NEAR];
    if (s->nodes->first[group + 1] == s->nodes->first[group])
        return false;
    int found = bf__nodes_near(index, square, weight, s->nodes, group, s->q, NEAR, 0);
    for (int j = 0; j < found; j++)
        if (s->cluster_of[index[j]] != cluster)
            return square[j] <= s->step * s->step;
    return found == NEAR && square[found - 1] < s->step * s->step; /* crowded: not a gap */
}

/* The share of what the target does next after row i that no other cluster shows. */
static double gap_after(const search *s, int64_t i) {
    const bf__points *f = s->f;
    double gap = 0;
    for (int e = 0; e < f->d; e++)
        s->q[e] = f->nz[e * f->n + i];
    for (int a = 0; a < f->actions; a++)
        if (f->npi[a * f->n + i] > 0 && !met(s, a, s->clusters->of[i]))
            gap += f->npi[a * f->n + i];
    for (int e = 0; e < f->action_dim; e++)
        s->q[f->d + e] = f->nu[e * f->n + i];
    if (!f->actions)
        gap = met(s, 0, s->clusters->of[i]) ? 0 : 1;
    return gap;
}

/* Lengths of steps; 0 for rows that end. */
static double step_of(const bf__points *f, int64_t i) {
    double square = 0;
    for (int e = 0; e < f->d; e++)
        square += pow(f->nz[e * f->n + i] - f->z[e * f->n + i], 2);
    return sqrt(square);
}

static bf_status median_step(double *out, const bf__points *f, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    double *steps;
    int64_t count = 0;
    BF_ALLOC(steps, arena, f->n, err);
    for (int64_t i = 0; i < f->n; i++)
        if (!bf__step_ended(&f->steps, i))
            steps[count++] = step_of(f, i);
    qsort(steps, (size_t)count, sizeof *steps, ascending);
    *out = count > 0 ? steps[count / 2] : 0;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static bf_status clusters_of_nodes(int32_t *out, const bf__nodes *nodes,
                                   const bf__clusters *clusters) {
    for (int64_t j = 0; j < nodes->n; j++)
        out[j] = -2;
    for (int64_t r = 0; r < nodes->rows; r++) {
        int32_t node = nodes->node_of[r], cluster = clusters->of[nodes->row[r]];
        out[node] = out[node] == -2 || out[node] == cluster ? cluster : -1;
    }
    return BF_OK;
}

/* Rows at equal distances along the weight stand for all. */
static bf_status look_at_gaps(bf__facts *out, const bf_problem *problem, const double *w,
                              const bf__clusters *clusters, const char *periodic, const char *scale,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    int64_t n = problem->data->n, asked = 0;
    double mass = 0, at = 0, still = 0, gap = 0;
    bf_mark mark = bf_arena_mark(arena);
    bf__points points;
    bf__nodes nodes;
    int32_t *cluster_of;
    BF_TRY(bf__points_make(&points, problem, periodic, scale, context, arena, err));
    const bf__points *f = &points;
    BF_TRY(bf__nodes_make(&nodes, f, MOST_NODES, arena, err));
    BF_ALLOC(cluster_of, arena, nodes.n, err);
    BF_TRY(clusters_of_nodes(cluster_of, &nodes, clusters));
    if (problem->data->mirrored) {
        bf__symmetry symmetry;
        BF_TRY(bf__symmetry_look(&symmetry, f, problem->data, arena, err));
        out->mirror_excess = symmetry.excess;
        snprintf(out->mirror_of, sizeof out->mirror_of, "%s", symmetry.of ? symmetry.of : "");
    }
    search s = {f, &nodes, clusters, cluster_of, 0, NULL};
    BF_ALLOC(s.q, arena, nodes.dim, err);
    BF_TRY(median_step(&s.step, f, arena, err));
    for (int64_t i = 0; i < n; i++)
        mass += w[i];
    for (int64_t i = 0; i < n; i++) {
        bool ended = bf__step_ended(&f->steps, i);
        still += !ended && step_of(f, i) < hardly * s.step ? w[i] / mass : 0;
        double before = floor(at / mass * SAMPLE - 0.5);
        at += w[i];
        double times = floor(at / mass * SAMPLE - 0.5) - before;
        if (times > 0) {
            gap += ended ? 0 : times * gap_after(&s, i);
            asked += (int64_t)times;
        }
    }
    out->still = still;
    out->gap = asked > 0 ? gap / (double)asked : NAN;
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

static double horizon_of(const bf_estimate *estimate, const bf_problem *problem) {
    double length = bf_estimate_get(estimate, "episode_length");
    double discount = problem->gamma < 1 ? 1 / (1 - problem->gamma) : INFINITY;
    return isfinite(length) ? fmin(length, discount) : discount;
}

bf_status bf__evidence_gather(bf__facts *out, const bf_estimate *estimate,
                              const bf_problem *problem, const bf_trust *trust,
                              const bf__clusters *clusters, const char *periodic, const char *scale,
                              const bf_context *context, bf_arena *arena, bf_error *err) {
    const bf_dataset *data = problem->data;
    const double *w = estimate->weights;
    *out = bf__facts_of(estimate, problem);
    out->horizon = horizon_of(estimate, problem);
    out->unit = !trust->unit || strcmp(trust->unit, "column") == 0 ? "cluster" : trust->unit;
    out->half = trust->value.level > 0 ? trust->value.half : NAN;
    out->bias = trust->scatter.bias;
    out->failed = trust->parts_failed;
    if (w)
        look_at_rewards(out, data, w);
    if (!isfinite(out->weighted_deviation))
        return BF_OK;
    BF_TRY(look_at_ages(out, data, w, arena, err));
    if (clusters->count < 2)
        return BF_OK;
    double *share;
    BF_ALLOC(share, arena, clusters->count, err);
    out->clusters = (double)clusters->count;
    out->effective = bf__clusters_share(share, clusters, w, data->n);
    out->largest = 0;
    for (int64_t j = 0; j < clusters->count; j++)
        out->largest = fmax(out->largest, share[j]);
    bool finite = estimate->model && strcmp(estimate->model, "tabular") == 0;
    if (!finite && (data->npi || data->na))
        BF_TRY(look_at_gaps(out, problem, w, clusters, periodic, scale, context, arena, err));
    return BF_OK;
}
