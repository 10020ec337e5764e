/* critic_round.c - The rows that a round of fitted Q evaluation looks at, and what the network says
 * there.
 *
 * A round takes a fixed number of steps of `batch` pairs. Targets of more rows than those steps can
 * use would be made in vain. So a round looks at a part of the log, steps times batch rows, and a
 * log ten times as long does not take ten times as long. On a log that has no more rows than that,
 * or a few that no batch of equal size would take in, every round looks at all of them.
 *
 * The rows of a part come in runs of RUN that follow each other. The next state of one row is the
 * state of the row after it, so a run needs the network at about RUN states, not twice as many.
 * Start states are drawn in the same number, one by one; if there are no more of them, all count.
 *
 * A step that ends for good has a value of its own, to which the mean over all rows contributes 1 /
 * (1 - gamma) times. A part does not know that mean well enough, so such logs are looked at whole.
 * So are logs whose rows count differently: in a part, none might count.
 *
 * Cost        a round: O(part) choices forward, whatever n */
#include "neural/critic_round.h"

#include "core/fail.h"

enum { RUN = 32, BLOCK = 1024 };

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

bf_status bf__round_make(bf__round *out, const bf__critic_task *t, bf_arena *arena, bf_error *err) {
    const bf__pairs *p = t->pairs;
    int64_t part = t->batch * BF__CRITIC_STEPS, inputs = 1, choices = 1;
    *out = (bf__round){.task = t};
    out->all =
        p->n < part + BF__CRITIC_STEPS || p->points.steps.absorbs || p->points.weight != NULL;
    out->count = out->all ? p->n : 0;
    out->starts = out->all ? p->starts : least(p->starts, part);
    BF_ALLOC(out->rows, arena, out->all ? p->n : part, err);
    BF_ALLOC(out->start, arena, out->starts, err);
    for (int64_t i = 0; i < out->count; i++)
        out->rows[i] = i;
    for (int64_t e = 0; e < out->starts; e++)
        out->start[e] = e;
    for (int s = 0; s < 3; s++) {
        const bf__critic_places *places = &t->places[s];
        BF_ALLOC(out->said[s], arena, places->choices * places->count, err);
        if (out->all)
            continue;
        BF_ZALLOC(out->asked[s], arena, places->count, err);
        BF_ALLOC(out->wanted[s], arena, least(places->count, 2 * part + out->starts), err);
        choices = places->choices > choices ? places->choices : choices;
        inputs = places->u ? p->points.action_dim : inputs;
    }
    if (out->all)
        return BF_OK;
    BF_ALLOC(out->z, arena, p->d * BLOCK, err);
    BF_ALLOC(out->u, arena, choices * inputs * BLOCK, err);
    BF_ALLOC(out->block, arena, choices * BLOCK, err);
    return BF_OK;
}

/* ---- Which rows */

/* Runs of rows without replacement, each run as likely as the next. */
static void draw_rows(bf__round *f, bf_rng *rng) {
    int64_t n = f->task->pairs->n, runs = (n + RUN - 1) / RUN;
    int64_t left = f->task->batch * BF__CRITIC_STEPS / RUN;
    f->count = 0;
    for (int64_t run = 0; run < runs && left > 0; run++) {
        if (bf_rng_below(rng, runs - run) >= left)
            continue;
        left--;
        for (int64_t i = run * RUN; i < least(n, (run + 1) * RUN); i++)
            f->rows[f->count++] = i;
    }
}

static void draw_starts(bf__round *f, bf_rng *rng) {
    for (int64_t e = 0; e < f->starts && f->starts < f->task->pairs->starts; e++)
        f->start[e] = bf_rng_below(rng, f->task->pairs->starts);
}

void bf__round_draw(bf__round *f, bf_rng *rng) {
    if (f->all)
        return;
    draw_rows(f, rng);
    draw_starts(f, rng);
}

/* ---- What the network says */

static void want(bf__round *f, const bf__critic_view *view, int64_t i) {
    int64_t place = view->at ? view->at[i] : i;
    if (f->asked[view->places][place] == f->now)
        return;
    f->asked[view->places][place] = f->now;
    f->wanted[view->places][f->wanting[view->places]++] = place;
}

static void list_places(bf__round *f) {
    const bf__critic_task *t = f->task;
    f->now++;
    f->wanting[0] = f->wanting[1] = f->wanting[2] = 0;
    for (int64_t j = 0; j < f->count; j++) {
        want(f, &t->logged, f->rows[j]);
        want(f, &t->next, f->rows[j]);
    }
    for (int64_t e = 0; e < f->starts; e++)
        want(f, &t->start, f->start[e]);
}

/* to (rows, count) = columns `which` of from (rows, n). */
static void gather(float *to, const float *from, int64_t rows, int64_t n, const int64_t *which,
                   int64_t count) {
    for (int64_t c = 0; c < rows; c++)
        for (int64_t j = 0; j < count; j++)
            to[c * count + j] = from[c * n + which[j]];
}

static void ask_some(bf__round *f, int s, const bf__mlp *net, const float *parameters) {
    const bf__critic_places *p = &f->task->places[s];
    int64_t d = f->task->pairs->d, k = f->task->pairs->points.action_dim;
    for (int64_t first = 0; first < f->wanting[s]; first += BLOCK) {
        int64_t count = least(f->wanting[s] - first, BLOCK);
        const int64_t *which = f->wanted[s] + first;
        gather(f->z, p->z, d, p->count, which, count);
        if (p->u)
            gather(f->u, p->u, p->choices * k, p->count, which, count);
        bf__mlp_predict_versions(net, parameters, (int)d, f->z, p->u ? f->u : NULL, p->choices,
                                 count, f->block);
        for (int64_t c = 0; c < p->choices; c++)
            for (int64_t j = 0; j < count; j++)
                f->said[s][c * p->count + which[j]] = f->block[c * count + j];
    }
}

void bf__round_ask(bf__round *f, const bf__mlp *net, const float *parameters) {
    if (!f->all)
        list_places(f);
    for (int s = 0; s < 3; s++) {
        const bf__critic_places *p = &f->task->places[s];
        if (f->all)
            bf__mlp_predict_versions(net, parameters, f->task->pairs->d, p->z, p->u, p->choices,
                                     p->count, f->said[s]);
        else
            ask_some(f, s, net, parameters);
    }
}

/* The choice of a logged pair is its action, or the only one. */
float bf__round_logged(const bf__round *f, int64_t i) {
    const bf__critic_view *view = &f->task->logged;
    const float *said = f->said[view->places];
    return view->at ? said[f->task->pairs->points.action[i] * f->task->places[view->places].count +
                           view->at[i]]
                    : said[i];
}

double bf__round_expects(const bf__round *f, double scale, const bf__critic_view *view,
                         const double *p, int64_t n, int64_t i) {
    int64_t count = f->task->places[view->places].count;
    const float *said = f->said[view->places] + (view->at ? view->at[i] : i);
    double sum = 0;
    for (int k = 0; k < f->task->pairs->choices; k++)
        sum += scale * p[k * n + i] * (double)said[k * count];
    return sum;
}
