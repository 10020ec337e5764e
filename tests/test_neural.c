/* test_neural.c - Weights by a network: the loss and its slope, and the fit. */
#include "neural_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "neural/fit.h"
#include "neural/minibatch.h"
#include "solver/mlp.h"

static const bf_context one = {.threads = 1, .seed = 3}, two = {.threads = 2, .seed = 3};

static bf__flow *make_flow(const bf_dataset *data, double **k) {
    bf__points in = {.n = data->n,
                     .d = data->state_dim,
                     .z = data->state,
                     .nz = data->next_state,
                     .actions = data->actions,
                     .action = data->action,
                     .npi = data->npi,
                     .steps.gamma = 1};
    bf__pair_kernel kernel = {.share = 0};
    double width = 1.5;
    bf__flow *flow;
    assert_ok(bf__kernel_set(&kernel.state, bf__kernel_find("gaussian"), &width, 1, &err), err);
    assert_ok(bf__flow_create(&flow, &in, &kernel, &one, arena, &err), err);
    *k = room(data->n * data->n, sizeof **k);
    assert_ok(bf__flow_plain(*k, &in, &kernel, arena, &err), err);
    return flow;
}

/* The slope of the plain loss, through the plain network, against central differences. */
static void check_gradient(bool batch, bf__mlp_output output) {
    enum { N = 40, B = 16 };
    bf_dataset data = make_log((shape){.n = N, .d = 2, .actions = 2, .horizon = 10, .scale = 1});
    double *k;
    make_flow(&data, &k);
    int64_t n = batch ? B : N;
    double *part = room(n * n, sizeof *part);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            part[i * n + j] = k[2 * i % N * N + 2 * j % N];
    const double *used = batch ? part : k;
    bf__mlp net;
    assert_ok(bf__mlp_make(&net, 2, "5-3", 1, BF__SIGMOID, output, &err), err);
    int64_t count = bf__mlp_parameters(&net);
    double *x = room(count, sizeof *x), *gradient = room(count, sizeof *x);
    double *w = room(n, sizeof *w), *slope = room(n, sizeof *w), *inputs = room(2 * n, sizeof *w);
    bf_rng rng = bf_rng_make(1, "net", 0);
    bf__mlp_init(&net, x, &rng);
    for (int64_t i = 0; i < 2 * n; i++)
        inputs[i] = bf_rng_normal(&rng);
    bf__mlp_forward_plain(&net, x, inputs, n, w);
    if (batch)
        bf__neural_batch_plain(slope, used, w, n, N, 0.3);
    else
        bf__neural_value_plain(slope, used, w, n, 0.3);
    bf__mlp_backward_plain(&net, x, inputs, n, slope, gradient);
    double *unused = room(n, sizeof *unused), largest = 0;
    for (int64_t p = 0; p < count; p++)
        largest = fmax(largest, fabs(gradient[p]));
    for (int64_t p = 0; p < count; p++) {
        double at = x[p], step = 1e-5, value[2];
        for (int side = 0; side < 2; side++) {
            x[p] = at + (side ? step : -step);
            bf__mlp_forward_plain(&net, x, inputs, n, w);
            value[side] = batch ? bf__neural_batch_plain(unused, used, w, n, N, 0.3)
                                : bf__neural_value_plain(unused, used, w, n, 0.3);
        }
        x[p] = at;
        assert_near((value[1] - value[0]) / (2 * step), gradient[p], 1e-6 * fmax(largest, 1e-3));
    }
    assert_true(largest > 1e-6);
}

static void gradients(void **state) {
    (void)state;
    check_gradient(false, BF__SOFTPLUS);
    check_gradient(true, BF__SOFTPLUS);
    check_gradient(false, BF__EXPONENTIAL);
    check_gradient(true, BF__EXPONENTIAL);
}

/* Exact and low rank against the plain loss. */
static void fast_is_plain(void **state) {
    (void)state;
    enum { N = 700 };
    bf_dataset data = make_log((shape){.n = N, .d = 3, .actions = 3, .horizon = 50, .scale = 1});
    double *k, *w = room(N, sizeof *w), *slope = room(N, sizeof *slope);
    bf__flow *flow = make_flow(&data, &k);
    float *f = room(N, sizeof *f), *got = room(N, sizeof *got);
    bf_rng rng = bf_rng_make(4, "w", 0);
    for (int i = 0; i < N; i++)
        w[i] = (double)(f[i] = (float)exp(bf_rng_normal(&rng)));
    for (int way = 0; way < 4; way++) {
        bf__neural_loss loss;
        double spread = way & 1 ? 0.5 : 0, ess, square = 0, sum = 0;
        if (way < 2)
            assert_ok(bf__neural_exact(&loss, flow, spread, &two, arena, &err), err);
        else
            assert_ok(bf__neural_lowrank(&loss, flow, N, spread, &two, arena, &err), err);
        double value = bf__neural_value(got, &ess, &loss, f, &two);
        double wanted = bf__neural_value_plain(slope, k, w, N, spread), largest = 0;
        assert_near(value, wanted, 1e-4);
        for (int i = 0; i < N; i++) {
            largest = fmax(largest, fabs(slope[i]));
            sum += w[i];
            square += w[i] * w[i];
        }
        assert_near(ess, sum * sum / square, 1e-3);
        for (int i = 0; i < N; i++)
            assert_near((double)got[i], slope[i], 1e-3 * largest);
    }
    memset(f, 0, N * sizeof *f); /* no weights at all */
    bf__neural_loss loss;
    double ess;
    assert_ok(bf__neural_exact(&loss, flow, 0, &one, arena, &err), err);
    assert_true(bf__neural_value(got, &ess, &loss, f, &one) == BF__NEURAL_LOST);
    assert_true(got[0] == 0 && ess == 0);
}

/* The residual of a low-rank loss is Psi'w of the rows of Psi that it hands out, and its square is
 * the loss. */
static void residual_is_psi(void **state) {
    (void)state;
    enum { N = 300, M = 60 };
    bf_dataset data = make_log((shape){.n = N, .d = 2, .actions = 2, .horizon = 50, .scale = 1});
    double *k, *p, *wanted = room(M, sizeof *wanted), sum, ess, all = 0, square = 0;
    float *w = room(N, sizeof *w), *slope = room(N, sizeof *slope), *psi;
    bf__neural_loss loss;
    bf_rng rng = bf_rng_make(8, "w", 0);
    assert_ok(bf__neural_lowrank(&loss, make_flow(&data, &k), M, 0, &one, arena, &err), err);
    p = room(loss.stride, sizeof *p);
    psi = room(N * (loss.rank + 1), sizeof *psi);
    for (int i = 0; i < N; i++)
        all += (double)(w[i] = (float)exp(bf_rng_normal(&rng)));
    bf__neural_psi(psi, &loss, 0, N);
    assert_true(bf__neural_residual(p, &sum, &ess, &loss, w, &two));
    assert_near(sum, all, 1e-9 * all);
    for (int i = 0; i < N; i++) {
        assert_true(psi[i * (loss.rank + 1) + loss.rank] == 1);
        for (int64_t c = 0; c < loss.rank; c++)
            wanted[c] += (double)w[i] / all * (double)psi[i * (loss.rank + 1) + c];
    }
    for (int64_t c = 0; c < loss.rank; c++) {
        assert_near(p[c], wanted[c], 1e-6);
        square += p[c] * p[c];
    }
    assert_near(bf__neural_value(slope, &ess, &loss, w, &one), log(square), 1e-9);
}

/* Gauss-Newton steps against L-BFGS on the same loss: they end lower than many more of its moves.
 * Adam, here with all rows in a batch, goes down as well, in a metric of its own. What a fit hands
 * out is what it says. */
static void optimisers_agree(void **state) {
    (void)state;
    enum { N = 900 };
    bf_dataset data = make_log((shape){.n = N, .d = 2, .actions = 2, .horizon = 50, .scale = 1});
    double *k, ess, found[3], equal;
    float *inputs = room(2 * N, sizeof *inputs), *slope = room(N, sizeof *slope);
    float *ones = room(N, sizeof *ones);
    bf__neural_loss loss;
    for (int i = 0; i < 2 * N; i++)
        inputs[i] = (float)data.state[i];
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    bf__neural_task task = {.flow = make_flow(&data, &k), .inputs = inputs, .loss = &loss};
    assert_ok(bf__neural_lowrank(&loss, task.flow, 40, 0, &one, arena, &err), err);
    assert_ok(bf__mlp_make(&task.net, 2, "12-8", 1, BF__TANH, BF__EXPONENTIAL, &err), err);
    task.batch = N;
    task.rate = 1e-3;
    task.context = &one;
    equal = bf__neural_value(slope, &ess, &loss, ones, &one);
    for (int way = 0; way < 3; way++) {
        static const int64_t steps[] = {60, 1500, 300};
        bf_status (*const fits[])(bf__neural_fit *, const bf__neural_task *, bf_arena *,
                                  bf_error *) = {bf__neural_gauss, bf__neural_adam,
                                                 bf__neural_lbfgs};
        bf__neural_fit fit;
        task.steps = steps[way];
        assert_ok(bf__neural_start(&fit, &task, arena, &err), err);
        assert_ok(fits[way](&fit, &task, arena, &err), err);
        assert_false(fit.diverged || fit.thin || fit.interrupted);
        found[way] = bf__neural_value(slope, &ess, &loss, fit.weights, &one);
        assert_near(found[way], fit.loss, 1e-6);
        assert_near(ess, fit.ess, 1e-6 * ess);
    }
    assert_true(found[0] < fmin(found[2], equal - 5));
    assert_true(found[1] < equal - 2);
}

/* The distance from given weights by its definition, and its slope by central differences. */
static void apart(void **state) {
    (void)state;
    enum { N = 50 };
    double u[N], sum = 0, total = 0, wanted = 0;
    float w[N], slope[N], unused[N];
    bf_rng rng = bf_rng_make(5, "u", 0);
    for (int i = 0; i < N; i++) {
        u[i] = i % 7 ? bf_rng_uniform(&rng) : 0;
        w[i] = (float)(0.5 + bf_rng_uniform(&rng));
        total += u[i];
        sum += (double)w[i];
    }
    for (int i = 0; i < N; i++)
        wanted += u[i] > 0 ? u[i] / total * log(u[i] / total / ((double)w[i] / sum)) : 0;
    assert_near(bf__neural_apart(slope, u, w, N), wanted, 1e-12);
    for (int i = 0; i < N; i++) {
        float at = w[i], up = at + 1e-3f, down = at - 1e-3f;
        w[i] = up;
        double value = bf__neural_apart(unused, u, w, N);
        w[i] = down;
        value -= bf__neural_apart(unused, u, w, N);
        w[i] = at;
        assert_near(value / ((double)up - (double)down), (double)slope[i], 1e-6);
    }
    for (int i = 0; i < N; i++)
        w[i] = (float)(u[i] += 0.1); /* proportional: nothing apart, nowhere to go */
    assert_near(bf__neural_apart(slope, u, w, N), 0, 1e-7);
    for (int i = 0; i < N; i++)
        assert_near((double)slope[i], 0, 1e-7);
    w[3] = 0;
    assert_true(bf__neural_apart(slope, u, w, N) == BF__NEURAL_LOST && slope[0] == 0);
}

/* A batch against the plain one, and its mean over many batches against the whole. */
static void batches(void **state) {
    (void)state;
    enum { N = 60, B = 24, ROUNDS = 1500 };
    bf_dataset data = make_log(
        (shape){.n = N, .d = 2, .actions = 2, .horizon = 10, .scale = 1, .terminated = false});
    double *k, top = 0, mean = 0, noise = 0;
    bf__flow *flow = make_flow(&data, &k);
    bf__batch *batch;
    assert_ok(bf__batch_create(&batch, flow, B, arena, &err), err);
    bf_rng rng = bf_rng_make(4, "w", 0);
    float all[N], w[B], diagonal[B], slope[B];
    double wide[B], wanted[B], part[B * B];
    int64_t order[N];
    for (int i = 0; i < N; i++) {
        all[i] = 1; /* then the estimate has no bias: the sum of weights is known */
        order[i] = i;
        for (int j = 0; j < N; j++)
            top += k[i * N + j] / N / N;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double value;
        for (int i = 0; i < B; i++) {
            int64_t j = i + bf_rng_below(&rng, N - i), swap = order[i];
            order[i] = order[j];
            order[j] = swap;
            w[i] = round ? all[order[i]] : (float)exp(bf_rng_normal(&rng));
            wide[i] = (double)w[i];
            diagonal[i] = (float)k[order[i] * (N + 1)];
        }
        bf__batch_gather(batch, flow, order, B);
        assert_ok(bf__neural_batch(slope, &value, batch, N, diagonal, w, 0, &one, arena, &err),
                  err);
        if (round) {
            mean += value / (ROUNDS - 1);
            noise += value * value / (ROUNDS - 1);
            continue;
        }
        for (int i = 0; i < B; i++)
            for (int j = 0; j < B; j++)
                part[i * B + j] = k[order[i] * N + order[j]];
        assert_near(value, bf__neural_batch_plain(wanted, part, wide, B, N, 0), 1e-5);
        for (int i = 0; i < B; i++)
            assert_near((double)slope[i], wanted[i], 1e-5);
    }
    noise = sqrt((noise - mean * mean) / ROUNDS);
    assert_true(noise < 0.3 * top);
    assert_near(mean, top, 4 * noise);
}

/* The start finds weights that are a smooth function of the state under the noise that they have:
 * nearer to the function than what it was given, and than equal weights. */
static void begins_near(void **state) {
    (void)state;
    enum { N = 600 };
    bf_dataset data = make_log((shape){.n = N, .d = 2, .actions = 2, .horizon = 50, .scale = 1});
    double *k, *smooth = room(N, sizeof *smooth), *noisy = room(N, sizeof *noisy), given = 0;
    float *inputs = room(2 * N, sizeof *inputs), *slope = room(N, sizeof *slope);
    float *equal = room(N, sizeof *equal), *noise = room(N, sizeof *noise);
    bf_rng rng = bf_rng_make(6, "noise", 0);
    for (int i = 0; i < 2 * N; i++)
        inputs[i] = (float)data.state[i];
    for (int i = 0; i < N; i++) {
        smooth[i] = exp(data.state[i] - sin(2 * data.state[N + i]));
        given += noisy[i] = smooth[i] * exp(0.5 * bf_rng_normal(&rng));
        noise[i] = (float)noisy[i];
        equal[i] = 1;
    }
    for (int i = 0; i < N; i++)
        noisy[i] /= given;
    bf__neural_task task = {.flow = make_flow(&data, &k), .inputs = inputs, .near = noisy};
    task.first_steps = 100;
    task.context = &one;
    bf__neural_fit fit;
    assert_ok(bf__mlp_make(&task.net, 2, "20-10", 1, BF__SIGMOID, BF__SOFTPLUS, &err), err);
    assert_ok(bf__neural_start(&fit, &task, arena, &err), err);
    assert_ok(bf__neural_begin(&fit, &task, arena, &err), err);
    assert_true(fit.steps > 5 && !fit.diverged && !fit.interrupted);
    double apart = bf__neural_apart(slope, smooth, fit.weights, N);
    assert_true(apart < 0.1 * bf__neural_apart(slope, smooth, equal, N));
    assert_true(apart < bf__neural_apart(slope, smooth, noise, N));
}

/* A batch has no row twice, every row comes as often as another, and weights are the network's. */
static void batches_are_drawn_evenly(void **state) {
    (void)state;
    enum { N = 23, SIZE = 7, DRAWS = 4000 };
    bf__flow flow = {.n = N};
    bf__neural_task task = {.flow = &flow, .batch = SIZE, .context = &one};
    float inputs[2 * N], all[N], again[N], narrow[100];
    double parameters[100];
    int often[N] = {0}, together = 0;
    bf_rng rng = bf_rng_make(1, "batches", 9);
    for (int i = 0; i < 2 * N; i++)
        inputs[i] = (float)bf_rng_normal(&rng);
    task.inputs = inputs;
    assert_ok(bf__mlp_make(&task.net, 2, "3", 1, BF__TANH, BF__EXPONENTIAL, &err), err);
    bf__mlp_init(&task.net, parameters, &rng);
    for (int64_t k = 0; k < bf__mlp_parameters(&task.net); k++)
        narrow[k] = (float)parameters[k];
    bf__mlp_predict(&task.net, narrow, inputs, N, all);
    bf__minibatch b;
    assert_ok(bf__minibatch_make(&b, &task, arena, &err), err);
    assert_int_equal(b.size, SIZE);
    for (int draw = 0; draw < DRAWS; draw++) {
        bool seen[N] = {false};
        bf__minibatch_next(&b, parameters);
        for (int i = 0; i < SIZE; i++) {
            int64_t row = b.order[i];
            assert_in_range(row, 0, N - 1);
            assert_false(seen[row]);
            seen[row] = true;
            often[row]++;
            assert_true(b.weights[i] == all[row]);
        }
        together += seen[4] && seen[19];
        if (draw % 100 == 0) { /* whether or not all rows are looked at in between */
            bf__minibatch_all(&b, parameters, again);
            assert_memory_equal(again, all, sizeof all);
        }
    }
    double share = (double)SIZE / N, both = share * (SIZE - 1) / (N - 1);
    for (int i = 0; i < N; i++)
        assert_near(often[i], DRAWS * share, 4.5 * sqrt(DRAWS * share * (1 - share)));
    assert_near(together, DRAWS * both, 4.5 * sqrt(DRAWS * both * (1 - both)));
    task.batch = 100; /* more than there are: all of them */
    assert_ok(bf__minibatch_make(&b, &task, arena, &err), err);
    assert_int_equal(b.size, N);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(batches_are_drawn_evenly),
        arena_test(begins_near),
        arena_test(gradients),
        arena_test(fast_is_plain),
        arena_test(residual_is_psi),
        arena_test(optimisers_agree),
        arena_test(apart),
        arena_test(batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
