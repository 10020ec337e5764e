/* closing.c - The last layer of a network of fitted Q evaluation, by one linear solve.
 *
 * Computes    (M + lambda) theta = b,   M = E phi (phi - gamma phi'')',   b = E phi r
 *             value = c + (1 - gamma) E phi0' theta,   c = E r - (phi - gamma phi'')' theta
 * for features phi of pairs (s, a): the last hidden layer of a network, centred and of
 * covariance 1. phi'' is their mean over the target's choices at the next state, or over the start
 * states if the process begins anew; phi0 is that at the start states.
 *
 * This is where the rounds of critic.c would end if only the last layer moved: least squares
 * temporal differences (Bradtke, Barto 1996) in learned features. A round looks one step further
 * ahead, and some hundred damped ones do not get to the end of a slow process; the solve does.
 *
 * If a step that ended earns nothing for ever, Q = 0 is h = -c / (1 - gamma): a row counts k = 1 /
 * (1 - gamma) times in c, phi'' is 0, and since E phi k is not 0, c does not drop out:
 *             M = E phi (phi - gamma phi'')' + gamma E(phi k) E(phi'')' / E k
 *             b = E phi r - E(phi k) E r / E k
 *
 * How far to believe it. In a span, M can be near to singular, or beyond it: the process swings
 * like a gait, or the log lacks what the target does. lambda is a discount of 1 / (1 + lambda). The
 * value is a sum of w_i r_i with w_i = mean w + y' phi_i,   (M + lambda)' y = d value / d theta so
 * it rests on a share (mean w)^2 / ((mean w)^2 + |y|^2) of the rows. We lower lambda from the first
 * of a ladder to 0, as long as the share is at least LEAST; below a lambda that cannot be believed
 * no other is tried, since it would be beyond a singular one.
 *
 * Shapes      n rows, m features; x is phi as the network has it, and 1: (m + 1)
 * Cost        n (1 + K) forward passes, O(n m^2), and O(m^3) for each lambda */
#include "neural/closing.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "linalg/dense.h"

enum { BLOCK = 512 };
static const double ladder[] = {0.1,   0.07,   0.05,  0.035, 0.025,  0.018, 0.0125, 0.009,
                                0.006, 0.0045, 0.003, 0.002, 0.0015, 0.001, 0};
static const double LEAST = 0.15;
static const bf_context alone = {.threads = 1};

struct bf__closing {
    const bf__pairs *pairs;
    const double *reward;
    bf__mlp net;           /* up to the last hidden layer, which is handed out as it is */
    int64_t given;         /* parameters of its layers but for the last */
    float *parameters;     /* of all of its layers */
    int m;                 /* units of that layer, or inputs if there is none */
    int64_t *rows;         /* of a block */
    float *inputs, *units; /* (inputs, K BLOCK), (m, K BLOCK) */
    double *p;             /* (K, BLOCK) */
    double *x, *wx, *next; /* (BLOCK, m + 1): x; times the row's weight, or 0; x'' */
    double *start;         /* (m + 1): x0 */
    /* Sums over the rows that are learned from, and over all. */
    double *xx, *xn;       /* (m + 1, m + 1): of x x' and x x''' */
    double *xr, *xk;       /* (m + 1): of x r and x k */
    double *all_x, *all_n; /* (m + 1): of x and x'' */
    double all_r, all_k;
    double *u; /* (m + 1): h = x'u of the last solve that was believed */
};

bf_status bf__closing_make(bf__closing **out, const bf__pairs *pairs, const double *reward,
                           const bf__mlp *net, bf_arena *arena, bf_error *err) {
    bf__closing *c;
    BF_ZALLOC(c, arena, 1, err);
    *out = c;
    c->pairs = pairs;
    c->reward = reward;
    c->net = *net;
    c->m = net->size[net->layers - 1];
    c->net.size[net->layers] = c->m; /* the identity in place of the last layer */
    int64_t m1 = c->m + 1, block = (int64_t)BLOCK * (pairs->choices > 1 ? pairs->choices : 1);
    int64_t count = bf__mlp_parameters(&c->net);
    c->given = count - c->m * m1;
    BF_ZALLOC(c->parameters, arena, count, err);
    for (int64_t j = 0; j < c->m; j++)
        c->parameters[c->given + j * c->m + j] = 1;
    BF_ALLOC(c->rows, arena, BLOCK, err);
    BF_ALLOC(c->inputs, arena, pairs->inputs * block, err);
    BF_ALLOC(c->units, arena, c->m * block, err);
    BF_ALLOC(c->p, arena, block, err);
    BF_ALLOC(c->x, arena, BLOCK * m1, err);
    BF_ALLOC(c->wx, arena, BLOCK * m1, err);
    BF_ALLOC(c->next, arena, BLOCK * m1, err);
    BF_ALLOC(c->start, arena, m1, err);
    BF_ALLOC(c->xx, arena, m1 * m1, err);
    BF_ALLOC(c->xn, arena, m1 * m1, err);
    BF_ALLOC(c->xr, arena, m1, err);
    BF_ALLOC(c->xk, arena, m1, err);
    BF_ALLOC(c->all_x, arena, m1, err);
    BF_ALLOC(c->all_n, arena, m1, err);
    BF_ZALLOC(c->u, arena, m1, err);
    return BF_OK;
}

/* ---- Sums */

/* out (count, m + 1): the mean over the choices at `count` states, whose pairs are in c->inputs. */
static void expect(double *out, bf__closing *c, int64_t count) {
    int64_t m1 = c->m + 1, choices = c->pairs->choices;
    bf__mlp_predict(&c->net, c->parameters, c->inputs, count * choices, c->units);
    memset(out, 0, (size_t)(count * m1) * sizeof *out);
    for (int64_t j = 0; j < c->m; j++)
        for (int64_t k = 0; k < choices; k++) {
            const float *u = c->units + (j * choices + k) * count;
            for (int64_t i = 0; i < count; i++)
                out[i * m1 + j] += c->p[k * count + i] * (double)u[i];
        }
    for (int64_t i = 0; i < count; i++)
        out[i * m1 + c->m] = 1;
}

static void find_start(bf__closing *c) {
    const bf__pairs *p = c->pairs;
    int64_t m1 = c->m + 1;
    memset(c->start, 0, (size_t)m1 * sizeof *c->start);
    for (int64_t first = 0; first < p->starts; first += BLOCK) {
        int64_t count = p->starts - first < BLOCK ? p->starts - first : BLOCK;
        for (int64_t i = 0; i < count; i++)
            c->rows[i] = first + i;
        bf__pairs_start(c->inputs, count * p->choices, 0, c->p, p, c->rows, count);
        expect(c->next, c, count);
        for (int64_t i = 0; i < count; i++) {
            double weight = p->points.weight0 ? p->points.weight0[first + i] : 1;
            for (int64_t j = 0; j < m1; j++)
                c->start[j] += weight * c->next[i * m1 + j] / (double)p->starts;
        }
    }
}

/* x and x'' of the rows of a block. */
static void look(bf__closing *c, int64_t count) {
    const bf__pairs *p = c->pairs;
    const bf__steps *steps = &p->points.steps;
    int64_t m1 = c->m + 1;
    bf__pairs_logged(c->inputs, count, 0, p, c->rows, count);
    bf__mlp_predict(&c->net, c->parameters, c->inputs, count, c->units);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < m1; j++)
            c->x[i * m1 + j] = j < c->m ? (double)c->units[j * count + i] : 1;
    bf__pairs_next(c->inputs, count * p->choices, 0, c->p, p, c->rows, count);
    expect(c->next, c, count);
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < m1 && bf__step_ended(steps, c->rows[i]); j++)
            c->next[i * m1 + j] = steps->absorbs ? 0 : c->start[j];
}

/* Adds a block of rows to the sums that are vectors, and fills c->wx. */
static void add(bf__closing *c, const int32_t *fold, int apart, int64_t count) {
    const bf__steps *steps = &c->pairs->points.steps;
    int64_t m1 = c->m + 1;
    for (int64_t i = 0; i < count; i++) {
        int64_t row = c->rows[i];
        double weight = bf__point_weight(&c->pairs->points, row), r = c->reward[row];
        double k = steps->absorbs && steps->ended[row] ? 1 / (1 - steps->gamma) : 1;
        double learned = fold && fold[row] == apart ? 0 : weight;
        for (int64_t j = 0; j < m1; j++) {
            double x = c->x[i * m1 + j];
            c->wx[i * m1 + j] = learned * x;
            c->xr[j] += learned * x * r;
            c->xk[j] += learned * x * k;
            c->all_x[j] += weight * x;
            c->all_n[j] += weight * c->next[i * m1 + j];
        }
        c->all_r += weight * r;
        c->all_k += weight * k;
    }
}

bf_status bf__closing_sum(bf__closing *c, const float *parameters, const int32_t *fold, int apart,
                          bf_error *err) {
    int64_t n = c->pairs->n, m1 = c->m + 1;
    memcpy(c->parameters, parameters, (size_t)c->given * sizeof *parameters);
    c->all_r = c->all_k = 0;
    for (int64_t j = 0; j < m1; j++)
        c->xr[j] = c->xk[j] = c->all_x[j] = c->all_n[j] = 0;
    find_start(c);
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t count = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t i = 0; i < count; i++)
            c->rows[i] = first + i;
        look(c, count);
        add(c, fold, apart, count);
        BF_TRY(bf__gram(c->xx, c->wx, m1, c->x, m1, count, first > 0, &alone, err));
        BF_TRY(bf__gram(c->xn, c->wx, m1, c->next, m1, count, first > 0, &alone, err));
    }
    return BF_OK;
}

/* ---- Solving */

/* t (*rank, m + 1) takes x to features that are centred and of covariance 1. */
static bf_status whiten(double *t, int64_t *rank, const bf__closing *c, bf_arena *arena,
                        bf_error *err) {
    int64_t m = c->m, m1 = m + 1;
    const double *sum = c->xx + m * m1;
    double all = sum[m], *values, *vectors;
    BF_ALLOC(values, arena, m, err);
    BF_ALLOC(vectors, arena, m * m, err);
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < m; j++)
            vectors[i * m + j] = c->xx[i * m1 + j] / all - sum[i] / all * (sum[j] / all);
    BF_TRY(bf__eigen(values, vectors, m, arena, err));
    *rank = 0;
    for (int64_t e = 0; e < m; e++) {
        double *to = t + *rank * m1;
        if (!(values[e] > 1e-9 * values[m - 1]))
            continue;
        to[m] = 0;
        for (int64_t j = 0; j < m; j++) {
            to[j] = vectors[e * m + j] / sqrt(values[e]);
            to[m] -= to[j] * sum[j] / all;
        }
        ++*rank;
    }
    return BF_OK;
}

/* The equation in features of covariance 1. */
typedef struct equation {
    int64_t q;         /* features */
    double *t;         /* (q, m + 1): takes x to them */
    double *m, *b, *g; /* (q, q), (q), (q): g is the slope of the value in theta */
    double mean;       /* of w, but for what y adds */
    double *k;         /* (q): E phi k / E k */
} equation;

static bf_status set_up(equation *out, const bf__closing *c, bf_arena *arena, bf_error *err) {
    int64_t m1 = c->m + 1, q;
    double all = c->xx[m1 * m1 - 1], gamma = c->pairs->points.steps.gamma, k = c->xk[c->m];
    double *tn, *next;
    BF_ALLOC(out->t, arena, m1 * m1, err);
    BF_ALLOC(tn, arena, m1 * m1, err);
    BF_ALLOC(out->m, arena, m1 * m1, err);
    BF_ALLOC(out->b, arena, m1, err);
    BF_ALLOC(out->g, arena, m1, err);
    BF_ALLOC(out->k, arena, m1, err);
    BF_ALLOC(next, arena, m1, err);
    BF_TRY(whiten(out->t, &q, c, arena, err));
    out->q = q;
    if (q == 0)
        return BF_OK;
    BF_TRY(bf__matmul(tn, out->t, false, c->xn, false, q, m1, m1, &alone, err));
    BF_TRY(bf__matmul(out->m, tn, false, out->t, true, q, q, m1, &alone, err));
    BF_TRY(bf__matvec(out->b, out->t, false, c->xr, q, m1, &alone, err));
    BF_TRY(bf__matvec(out->k, out->t, false, c->xk, q, m1, &alone, err));
    BF_TRY(bf__matvec(next, out->t, false, c->xn + c->m * m1, q, m1, &alone, err));
    BF_TRY(bf__matvec(out->g, out->t, false, c->start, q, m1, &alone, err));
    out->mean = all / k;
    for (int64_t i = 0; i < q; i++) {
        out->k[i] /= k;
        out->b[i] = (out->b[i] - out->k[i] * c->xr[c->m]) / all;
        out->g[i] = gamma * next[i] / k + (1 - gamma) * out->g[i];
        for (int64_t j = 0; j < q; j++)
            out->m[i * q + j] = (i == j) - gamma / all * (out->m[i * q + j] - out->k[i] * next[j]);
    }
    return BF_OK;
}

/* The value over all rows with h = x' u. */
static double value_of(const bf__closing *c, const double *u) {
    double gamma = c->pairs->points.steps.gamma, sum = c->all_r, start = 0;
    for (int64_t j = 0; j <= c->m; j++) {
        sum += (gamma * c->all_n[j] - c->all_x[j]) * u[j];
        start += c->start[j] * u[j];
    }
    return sum / c->all_k + (1 - gamma) * start;
}

/* x (q) becomes (e->m + lambda)^-1 x, or with e->m turned. *singular: there is no such x. */
static bf_status solve(double *x, bool *singular, const equation *e, double lambda, bool turned,
                       double *scratch, bf_arena *arena, bf_error *err) {
    int64_t q = e->q;
    for (int64_t i = 0; i < q; i++)
        for (int64_t j = 0; j < q; j++)
            scratch[i * q + j] = e->m[turned ? j * q + i : i * q + j] + (i == j ? lambda : 0);
    bf_status status = bf__lu_solve(x, 1, scratch, q, arena, err);
    *singular = status == BF_ENUMERIC;
    return *singular ? BF_OK : status;
}

/* With one lambda. */
static bf_status try(bf__closed *out, bf__closing *c, const equation *e, double lambda,
                     bf_arena *arena, bf_error *err) {
    int64_t q = e->q, m1 = c->m + 1;
    double *scratch, *y, *theta, *u, mean = e->mean, square = 0;
    bool singular[2];
    BF_ALLOC(scratch, arena, q * q, err);
    BF_ALLOC(y, arena, q, err);
    BF_ALLOC(theta, arena, q, err);
    BF_ZALLOC(u, arena, m1, err);
    memcpy(y, e->g, (size_t)q * sizeof *y);
    memcpy(theta, e->b, (size_t)q * sizeof *theta);
    BF_TRY(solve(y, &singular[0], e, lambda, true, scratch, arena, err));
    BF_TRY(solve(theta, &singular[1], e, lambda, false, scratch, arena, err));
    *out = (bf__closed){.believed = false};
    if (singular[0] || singular[1])
        return BF_OK;
    for (int64_t i = 0; i < q; i++) {
        mean -= e->k[i] * y[i];
        square += y[i] * y[i];
        for (int64_t j = 0; j < m1; j++)
            u[j] += theta[i] * e->t[i * m1 + j];
    }
    out->effective = mean * mean / (mean * mean + square);
    out->believed = out->effective >= LEAST;
    out->lambda = lambda;
    out->value = value_of(c, u);
    if (out->believed)
        memcpy(c->u, u, (size_t)m1 * sizeof *u);
    return BF_OK;
}

bf_status bf__closing_solve(bf__closed *out, bf__closing *c, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    equation e;
    bf__closed now = {.believed = true};
    *out = (bf__closed){.believed = false};
    BF_TRY(set_up(&e, c, arena, err));
    for (size_t k = 0; e.q > 0 && now.believed && k < sizeof ladder / sizeof *ladder; k++) {
        bf_mark rung = bf_arena_mark(arena);
        BF_TRY(try(&now, c, &e, ladder[k], arena, err));
        *out = now.believed ? now : *out;
        bf_arena_rewind(arena, rung);
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

void bf__closing_gap(double *gap, bf__closing *c) {
    int64_t n = c->pairs->n, m1 = c->m + 1;
    double gamma = c->pairs->points.steps.gamma, start = 0;
    for (int64_t j = 0; j < m1; j++)
        start += (1 - gamma) * c->start[j] * c->u[j];
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t count = n - first < BLOCK ? n - first : BLOCK;
        for (int64_t i = 0; i < count; i++)
            c->rows[i] = first + i;
        look(c, count);
        for (int64_t i = 0; i < count; i++) {
            double sum = -start;
            for (int64_t j = 0; j < m1; j++)
                sum += (c->x[i * m1 + j] - gamma * c->next[i * m1 + j]) * c->u[j];
            gap[first + i] += sum;
        }
    }
}
