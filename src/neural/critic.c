/* critic.c - One network of fitted Q evaluation: its targets, its moves, and when to stop.
 *
 * Computes    y_i = r_i - c + gamma V(s'_i),   V(s) = E_pi h(s, .),   c such that mean y = 0
 *             h <- the network, moved by Adam towards y in squared error (32 steps a round)
 *             value = mean (r + gamma V' - h) + (1 - gamma) mean V(s0)
 *
 * h stays of the size of differences between states, whatever gamma. The last layer is rescaled as
 * the targets grow (their deviation is what it outputs 1 for), so that one step size serves all
 * rewards. The step size falls over the last quarter of the rounds.
 *
 * Damping. A process that swings, like a gait, makes the iteration swing too: the networks go round
 * the solution for ever. So the targets move by DAMP of the way to the new ones. A round that looks
 * at a part of the log (critic_round.c) has no old targets that are worth keeping; what the network
 * has learned of them takes their place. The value is linear in h, and what is left of the swinging
 * averages out of it: it is the mean over many rounds.
 *
 * When to stop. A member does not learn from its own fold, and is judged by the residual there. As
 * long as h grows the residual grows with it, whatever the fit is worth: it has the noise of V(s')
 * in it. So windows of rounds are compared only after the last one in which the output layer had to
 * be rescaled. The best of them ends the rounds that answer; the value is the mean over the later
 * half of all rounds up to there, without those in which h grew. Training ends once PATIENCE
 * windows have not been better.
 *
 * Closing. What the rounds find grows for as many rounds as the process is slow. So now and then
 * the network is noted, and in the end the equation is solved with the last layer of each noted one
 * free (closing.c). The value is the mean of what the solves of the later half of the notes say:
 * features that still move make it scatter, and the mean has less of that. Which half is the later
 * one is known once training has ended, so no solve is made in vain. If one of them cannot be
 * believed, the rounds answer.
 *
 * Cost        a round: forward passes at the places of critic_task.c, at most (1 + K) times the
 *             rows of the round, which are up to 32 times `batch`, + 32 steps of `batch` pairs */
#include "neural/critic.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "neural/closing.h"
#include "neural/critic_round.h"
#include "solver/adam.h"
#include "solver/mlp.h"

enum { WINDOWS = 40, PATIENCE = 12 };
static const double DAMP = 0.3;

struct bf__critic {
    const bf__critic_task *task;
    int member;
    bf__round round;
    int64_t learned, *rows; /* rows of the round that it learns from: how many, which */
    bf__mlp net;
    bf__mlp_work *work;
    bf__adam adam;
    bf_rng rng;
    double *parameters, *gradient;
    float *narrow;
    double scale;                        /* h = scale times the output */
    float *h, *aims;                     /* (n): outputs at the logged pairs; y / scale */
    double *v, *y;                       /* (n) */
    int64_t *drawn;                      /* rows of a batch */
    float *inputs, *outputs, *d_output;  /* of a batch */
    float *counts;                       /* how much its rows count */
    double value, bellman, held_out;     /* as they stand */
    double count[WINDOWS], sum[WINDOWS]; /* of rounds, and of their values */
    double fit[WINDOWS], loss[WINDOWS];  /* of squared residuals, where it learns and held out */
    double first, least;                 /* the value of the first round; the least mean loss */
    int settled, best, last; /* windows: where h last grew, of the least loss, the last */
    bool stopped, begun, grown;
    bf__closing *closing;
    float *noted; /* (notes, parameters): networks whose equation may be closed */
    int notes;
    bf__closed closed[BF__CRITIC_CLOSINGS]; /* what that said, of the later half of the notes */
    double *gap; /* (n): sum over `gaps` closings; NULL: it is not asked for */
    int gaps;
    bool left; /* the last note is of the network as it will stay */
};

static bool held_out(const bf__critic *f, int64_t i) {
    return f->task->fold && f->task->fold[i] == f->member;
}

bf_status bf__critic_make(bf__critic **out, const bf__critic_task *t, int member, bf_arena *arena,
                          bf_error *err) {
    const bf__pairs *p = t->pairs;
    int64_t n = p->n, b = t->batch;
    bf__critic *f;
    BF_ZALLOC(f, arena, 1, err);
    *out = f;
    f->task = t;
    f->member = member;
    BF_TRY(bf__mlp_make(&f->net, p->inputs, t->hidden, 1, BF__TANH, BF__IDENTITY, err));
    int64_t count = bf__mlp_parameters(&f->net);
    BF_TRY(bf__mlp_prepare(&f->work, &f->net, b, 1, arena, err));
    BF_TRY(bf__adam_make(&f->adam, count, t->rate, arena, err));
    BF_ALLOC(f->parameters, arena, count, err);
    BF_ALLOC(f->gradient, arena, count, err);
    BF_ALLOC(f->narrow, arena, count, err);
    BF_ALLOC(f->rows, arena, n, err);
    BF_ALLOC(f->h, arena, n, err);
    BF_ALLOC(f->aims, arena, n, err);
    BF_TRY(bf__round_make(&f->round, t, arena, err));
    BF_ALLOC(f->v, arena, n, err);
    BF_ZALLOC(f->y, arena, n, err);
    BF_ALLOC(f->drawn, arena, b, err);
    BF_ALLOC(f->inputs, arena, p->inputs * b, err);
    BF_ALLOC(f->outputs, arena, b, err);
    BF_ALLOC(f->d_output, arena, b, err);
    BF_ALLOC(f->counts, arena, b, err);
    if (t->gaps)
        BF_ZALLOC(f->gap, arena, n, err);
    BF_ALLOC(f->noted, arena, t->closings * count, err);
    if (t->closings > 0)
        BF_TRY(bf__closing_make(&f->closing, p, t->problem->data->reward, &f->net, arena, err));
    bf_rng rng = bf_rng_make(t->seed, "fqe network", (uint64_t)member);
    bf__mlp_init(&f->net, f->parameters, &rng);
    f->rng = bf_rng_make(t->seed, "fqe batches", (uint64_t)member);
    return BF_OK;
}

/* ---- Targets */

/* The parameters as they are computed with. */
static void narrow(bf__critic *f) {
    for (int64_t i = 0; i < bf__mlp_parameters(&f->net); i++)
        f->narrow[i] = (float)f->parameters[i];
}

/* The rows of the next round. At least one is to learn from. */
static void draw(bf__critic *f) {
    const bf__round *round = &f->round;
    do {
        bf__round_draw(&f->round, &f->rng);
        f->learned = 0;
        for (int64_t j = 0; j < round->count; j++)
            if (!held_out(f, round->rows[j]))
                f->rows[f->learned++] = round->rows[j];
    } while (f->learned == 0);
}

/* h at the logged pairs, V at the next states, where a step that ended leads, and the mean of V at
 * the starts. */
static double look_ahead(bf__critic *f) {
    const bf__critic_task *t = f->task;
    const bf__pairs *p = t->pairs;
    const bf__steps *steps = &p->points.steps;
    const bf__round *round = &f->round;
    double start = 0, starts = 0;
    bf__round_ask(&f->round, &f->net, f->narrow);
    for (int64_t j = 0; j < round->starts; j++) {
        int64_t e = round->start[j];
        double counts = p->points.weight0 ? p->points.weight0[e] : 1;
        start += counts * bf__round_expects(round, f->scale, &t->start, t->start_p, p->starts, e);
        starts += counts;
    }
    start = starts > 0 ? start / starts : 0; /* a process that never begins anew has no starts */
    for (int64_t j = 0; j < round->count; j++) {
        int64_t i = round->rows[j];
        f->h[i] = bf__round_logged(round, i);
        f->v[i] = steps->absorbs && steps->ended[i] ? 0
                  : bf__step_ended(steps, i)
                      ? start
                      : bf__round_expects(round, f->scale, &t->next, t->next_p, p->n, i);
    }
    return start;
}

/* The targets y and the value as it stands, with the network of now. */
static void aim(bf__critic *f) {
    const bf__critic_task *t = f->task;
    const bf__pairs *p = t->pairs;
    const bf__steps *steps = &p->points.steps;
    const bf__round *round = &f->round;
    const double *r = t->problem->data->reward;
    double gamma = steps->gamma, start = look_ahead(f);
    /* Sums over the rows that it learns from [0] and over all [1]. Where a row ends for good, Q = 0
     * is h = -c / (1 - gamma): c is on both sides. */
    double all[2] = {0}, ended[2] = {0}, c[2] = {0}, mean = 0, square[2] = {0}, rows[2] = {0};
    for (int64_t j = 0; j < round->count; j++) {
        int64_t i = round->rows[j];
        double counts = bf__point_weight(&p->points, i), y = r[i] + gamma * f->v[i];
        bool end = steps->absorbs && steps->ended[i];
        for (int k = held_out(f, i); k < 2; k++) {
            all[k] += counts;
            ended[k] += end ? counts : 0;
            c[k] += counts * (y - f->scale * (double)f->h[i]);
        }
        mean += held_out(f, i) ? 0 : counts * y;
    }
    for (int k = 0; k < 2; k++)
        c[k] /= all[k] + (ended[k] > 0 ? gamma / (1 - gamma) * ended[k] : 0);
    mean /= all[0] + (ended[0] > 0 ? gamma / (1 - gamma) * ended[0] : 0);
    f->value = c[1] + (1 - gamma) * start;
    for (int64_t j = 0; j < round->count; j++) {
        int64_t i = round->rows[j];
        double counts = bf__point_weight(&p->points, i);
        double end = steps->absorbs && steps->ended[i] ? gamma / (1 - gamma) : 0;
        double gap = r[i] + gamma * f->v[i] - c[0] * (1 + end) - f->scale * (double)f->h[i];
        square[held_out(f, i)] += counts * gap * gap;
        rows[held_out(f, i)] += counts;
        double y = r[i] + gamma * f->v[i] - mean * (1 + end);
        double from = round->all ? f->y[i] : f->scale * (double)f->h[i];
        f->y[i] = from + (f->begun ? DAMP : 1) * (y - from);
    }
    f->begun = true;
    f->bellman = sqrt(square[0] / rows[0]);
    f->held_out = rows[1] > 0 ? sqrt(square[1] / rows[1]) : f->bellman;
}

/* The output layer in new units, so that targets have deviation 1; h itself does not change. */
static void rescale(bf__critic *f) {
    double squares = 0, factor;
    for (int64_t j = 0; j < f->learned; j++) {
        int64_t i = f->rows[j];
        squares +=
            bf__point_weight(&f->task->pairs->points, i) * f->y[i] * f->y[i] / (double)f->learned;
    }
    double deviation = sqrt(squares);
    if (f->scale > 0 && !(deviation > 1.2 * f->scale))
        return;
    f->grown = true;
    factor = f->scale > 0 ? f->scale / deviation : 1;
    f->scale = deviation > 0 ? deviation : 1;
    int64_t count = bf__mlp_parameters(&f->net), last = f->net.size[f->net.layers - 1] + 1;
    for (int64_t i = count - last; i < count; i++)
        f->parameters[i] *= factor;
}

/* ---- Moves */

static void move(bf__critic *f) {
    const bf__critic_task *t = f->task;
    const bf__pairs *p = t->pairs;
    int64_t b = t->batch;
    for (int64_t j = 0; j < f->learned; j++)
        f->aims[f->rows[j]] = (float)(f->y[f->rows[j]] / f->scale);
    for (int step = 0; step < BF__CRITIC_STEPS; step++) {
        for (int64_t j = 0; j < b; j++) {
            int64_t i = f->rows[bf_rng_below(&f->rng, f->learned)];
            f->drawn[j] = i;
            f->d_output[j] = f->aims[i];
            f->counts[j] = (float)bf__point_weight(&p->points, i);
        }
        for (int c = 0; c < p->inputs; c++)
            for (int64_t j = 0; j < b; j++)
                f->inputs[c * b + j] = t->inputs[c * p->n + f->drawn[j]];
        bf__mlp_forward(f->work, f->parameters, f->inputs, b, f->outputs);
        for (int64_t j = 0; j < b; j++)
            f->d_output[j] = f->counts[j] * (f->outputs[j] - f->d_output[j]) / (float)b;
        bf__mlp_backward(f->work, f->d_output, f->gradient);
        bf__adam_move(&f->adam, f->gradient, f->parameters);
    }
}

/* Of the window that has just ended. */
static void consider(bf__critic *f, int window) {
    double loss = f->loss[window] / f->count[window];
    if (f->grown || !f->task->fold || loss <= f->least) {
        f->least = loss;
        f->best = window;
    }
    f->settled = f->grown ? window : f->settled;
    f->grown = false;
    f->last = window;
    f->stopped = window - f->best >= PATIENCE;
}

void bf__critic_train(bf__critic *f, int64_t first, int64_t last) {
    const bf__critic_task *t = f->task;
    int64_t rounds = t->rounds, width = (rounds + WINDOWS - 1) / WINDOWS;
    for (int64_t round = first; round < last && !f->stopped; round++) {
        double left = (double)(rounds - round) / (double)rounds;
        f->adam.rate = t->rate * fmin(1, 4 * left);
        narrow(f);
        draw(f);
        aim(f);
        rescale(f);
        move(f);
        f->first = round == 0 ? f->value : f->first;
        f->sum[round / width] += f->value;
        f->fit[round / width] += f->bellman * f->bellman;
        f->loss[round / width] += f->held_out * f->held_out;
        f->count[round / width]++;
        if ((round + 1) % width == 0 || round == rounds - 1)
            consider(f, (int)(round / width));
    }
}

/* ---- Closing */

void bf__critic_note(bf__critic *f) {
    int64_t count = bf__mlp_parameters(&f->net);
    if (f->left || f->notes == f->task->closings)
        return;
    narrow(f);
    memcpy(f->noted + f->notes++ * count, f->narrow, (size_t)count * sizeof *f->noted);
    f->left = f->stopped;
}

bf_status bf__critic_sum(bf__critic *f, int k, bf_error *err) {
    int64_t note = f->notes / 2 + k;
    if (note >= f->notes)
        return BF_OK;
    return bf__closing_sum(f->closing, f->noted + note * bf__mlp_parameters(&f->net), f->task->fold,
                           f->member, err);
}

bf_status bf__critic_close(bf__critic *f, int k, bf_arena *arena, bf_error *err) {
    int note = f->notes / 2 + k;
    if (note >= f->notes)
        return BF_OK;
    BF_TRY(bf__closing_solve(&f->closed[note], f->closing, arena, err));
    if (!f->gap || !f->closed[note].believed)
        return BF_OK;
    bf__closing_gap(f->gap, f->closing);
    f->gaps++;
    return BF_OK;
}

bool bf__critic_gap(double *gap, const bf__critic *f) {
    for (int64_t i = 0; i < f->task->pairs->n && f->gaps > 0; i++)
        gap[i] = f->gap[i] / f->gaps;
    return f->gaps > 0;
}

/* ---- The answer */

/* Puts the mean over the closings in the place of what the rounds found, if all of them can be
 * believed. */
static void say_closed(bf__critic_answer *out, const bf__critic *f) {
    int from = f->notes / 2, middle = (from + f->notes + 1) / 2;
    double sum[2] = {0}, count[2] = {0}, lambda = 0;
    for (int k = from; k < f->notes; k++) {
        if (!f->closed[k].believed)
            return;
        sum[k >= middle] += f->closed[k].value;
        count[k >= middle]++;
        lambda += f->closed[k].lambda / (f->notes - from);
    }
    if (f->notes == 0)
        return;
    out->value = (sum[0] + sum[1]) / (count[0] + count[1]);
    out->drift = count[0] > 0 && count[1] > 0 ? sum[1] / count[1] - sum[0] / count[0]
                                              : out->value - f->first;
    out->lambda = lambda;
}

bf__critic_answer bf__critic_says(const bf__critic *f) {
    int from = f->best / 2 > f->settled ? f->best / 2 : f->settled;
    int middle = (from + f->best + 1) / 2;
    double sum[2] = {0}, count[2] = {0};
    for (int k = from; k <= f->best; k++) {
        sum[k >= middle] += f->sum[k];
        count[k >= middle] += f->count[k];
    }
    bf__critic_answer out = {.value = (sum[0] + sum[1]) / (count[0] + count[1]),
                             .bellman = sqrt(f->fit[f->best] / f->count[f->best]),
                             .held_out = sqrt(f->loss[f->best] / f->count[f->best]),
                             .scale = f->scale,
                             .lambda = NAN,
                             .early = f->best < f->last};
    out.drift = count[0] > 0 ? sum[1] / count[1] - sum[0] / count[0] : out.value - f->first;
    say_closed(&out, f);
    return out;
}
