/* test_mlp.c - Networks: finite differences, PyTorch's numbers, fast against plain. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/exp.h"
#include "solver/mlp.h"
#include "solver/mlp_dense.h"
#include "solver/mlp_tile.h"

typedef struct batch {
    bf__mlp net;
    int64_t n, count;
    double *parameters, *x, *d, *y, *gradient; /* double */
    float *fx, *fd, *fy, *fp;                  /* the same, for the fast version */
    bf_arena *arena;
} batch;

static batch make_batch(const char *hidden, int inputs, int outputs, int activation, int output,
                        int64_t n) {
    batch b = {.n = n};
    bf_error err;
    assert_ok(bf__mlp_make(&b.net, inputs, hidden, outputs, (bf__activation)activation,
                           (bf__mlp_output)output, &err),
              err);
    assert_ok(bf_arena_create(&b.arena, NULL, &err), err);
    b.count = bf__mlp_parameters(&b.net);
    b.parameters = bf_arena_alloc(b.arena, b.count, sizeof(double), &err);
    b.gradient = bf_arena_alloc(b.arena, b.count, sizeof(double), &err);
    b.fp = bf_arena_alloc(b.arena, b.count, sizeof(float), &err);
    b.x = bf_arena_alloc(b.arena, inputs * n, sizeof(double), &err);
    b.d = bf_arena_alloc(b.arena, outputs * n, sizeof(double), &err);
    b.y = bf_arena_alloc(b.arena, outputs * n, sizeof(double), &err);
    b.fx = bf_arena_alloc(b.arena, inputs * n, sizeof(float), &err);
    b.fd = bf_arena_alloc(b.arena, outputs * n, sizeof(float), &err);
    b.fy = bf_arena_alloc(b.arena, outputs * n, sizeof(float), &err);
    bf_rng rng = bf_rng_make(3, "test", (uint64_t)n);
    bf__mlp_init(&b.net, b.parameters, &rng);
    for (int64_t i = 0; i < b.count; i++) /* biases too */
        b.parameters[i] = (float)(b.parameters[i] + 0.2 * bf_rng_normal(&rng));
    for (int64_t i = 0; i < inputs * n; i++)
        b.x[i] = (float)bf_rng_normal(&rng);
    for (int64_t i = 0; i < outputs * n; i++)
        b.d[i] = (float)bf_rng_normal(&rng);
    return b;
}

static void to_floats(batch *b) {
    for (int64_t i = 0; i < b->count; i++)
        b->fp[i] = (float)b->parameters[i];
    for (int64_t i = 0; i < b->net.size[0] * b->n; i++)
        b->fx[i] = (float)b->x[i];
    for (int64_t i = 0; i < b->net.size[b->net.layers] * b->n; i++)
        b->fd[i] = (float)b->d[i];
}

/* Runs the fast version, which must come within `tolerance` of y and gradient in `b`. */
static void check_fast(batch *b, int threads, double tolerance) {
    bf_error err;
    bf__mlp_work *work;
    double *gradient = bf_arena_alloc(b->arena, b->count, sizeof(double), &err);
    to_floats(b);
    assert_ok(bf__mlp_prepare(&work, &b->net, b->n, threads, b->arena, &err), err);
    bf__mlp_forward(work, b->parameters, b->fx, b->n, b->fy);
    bf__mlp_backward(work, b->fd, gradient);
    double largest = 1;
    for (int64_t i = 0; i < b->count; i++)
        largest = fmax(largest, fabs(b->gradient[i]));
    for (int64_t i = 0; i < b->net.size[b->net.layers] * b->n; i++)
        assert_near((double)b->fy[i], b->y[i], tolerance * fmax(1, fabs(b->y[i])));
    for (int64_t i = 0; i < b->count; i++)
        assert_near(gradient[i], b->gradient[i], tolerance * largest);
    double *sum = bf_arena_zalloc(b->arena, b->count, sizeof(double), &err);
    float *jacobian = bf_arena_alloc(b->arena, b->count * BF__MLP_TILE, sizeof(float), &err);
    float *scratch = bf_arena_alloc(b->arena, bf__mlp_scratch(work), sizeof(float), &err);
    int64_t seen = 0;
    for (int64_t begin = 0; begin < b->n; begin += BF__MLP_TILE) {
        int rows = bf__mlp_jacobian(work, b->fd, begin, jacobian, scratch);
        for (int64_t i = 0; i < b->count; i++)
            for (int k = 0; k < rows; k++)
                sum[i] += (double)jacobian[i * BF__MLP_TILE + k];
        seen += rows;
    }
    assert_int_equal(seen, b->n);
    for (int64_t i = 0; i < b->count; i++)
        assert_near(sum[i], b->gradient[i], tolerance * largest);
    float *again = bf_arena_alloc(b->arena, b->net.size[b->net.layers] * b->n, 4, &err);
    bf__mlp_predict(&b->net, b->fp, b->fx, b->n, again);
    assert_memory_equal(again, b->fy, (size_t)(b->net.size[b->net.layers] * b->n) * sizeof *again);
}

static double objective(const batch *b, double *y) {
    double sum = 0;
    bf__mlp_forward_plain(&b->net, b->parameters, b->x, b->n, y);
    for (int64_t i = 0; i < b->net.size[b->net.layers] * b->n; i++)
        sum += b->d[i] * y[i];
    return sum;
}

static void plain_gradient_is_that_of_finite_differences(void **state) {
    (void)state;
    for (int activation = 0; activation < 3; activation++)
        for (int output = 0; output < 3; output++) {
            batch b = make_batch("5-4-3", 3, 2, activation, output, 7);
            bf__mlp_backward_plain(&b.net, b.parameters, b.x, b.n, b.d, b.gradient);
            for (int64_t i = 0; i < b.count; i++) {
                double at = b.parameters[i], h = 1e-5;
                b.parameters[i] = at + h;
                double above = objective(&b, b.y);
                b.parameters[i] = at - h;
                double below = objective(&b, b.y);
                b.parameters[i] = at;
                assert_near(b.gradient[i], (above - below) / (2 * h), 1e-6);
            }
            bf_arena_destroy(b.arena);
        }
}

static void fast_is_plain(void **state) {
    (void)state;
    static const char *const hidden[] = {"none", "1", "30-20-10", "9-17-5-3", "128-2"};
    static const int64_t sizes[] = {1, 15, 16, 257, 5000};
    for (int k = 0; k < 5; k++)
        for (int activation = 0; activation < 3; activation++) {
            batch b = make_batch(hidden[k], 1 + k, 1 + activation, activation, k % 3, sizes[k]);
            bf__mlp_forward_plain(&b.net, b.parameters, b.x, b.n, b.y);
            bf__mlp_backward_plain(&b.net, b.parameters, b.x, b.n, b.d, b.gradient);
            check_fast(&b, 1, 5e-6);
            bf_arena_destroy(b.arena);
        }
}

static void read_numbers(FILE *file, double *out, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        assert_int_equal(fscanf(file, "%lf", &out[i]), 1);
}

static void numbers_are_those_of_pytorch(void **state) {
    (void)state;
    FILE *file = fopen(FIXTURES "/mlp_torch.txt", "r");
    assert_non_null(file);
    int inputs, outputs, cases = 0;
    long long n;
    char hidden[32], activation[16], output[16];
    while (fscanf(file, "%d %31s %d %15s %15s %lld", &inputs, hidden, &outputs, activation, output,
                  &n) == 6) {
        int kind = strcmp(activation, "sigmoid") == 0 ? BF__SIGMOID
                   : strcmp(activation, "tanh") == 0  ? BF__TANH
                                                      : BF__RELU;
        batch b = make_batch(hidden, inputs, outputs, kind, strcmp(output, "softplus") == 0, n);
        bf_error err;
        double *y = bf_arena_alloc(b.arena, outputs * n, sizeof(double), &err);
        double *gradient = bf_arena_alloc(b.arena, b.count, sizeof(double), &err);
        read_numbers(file, b.parameters, b.count);
        read_numbers(file, b.x, inputs * n);
        read_numbers(file, b.d, outputs * n);
        read_numbers(file, b.y, outputs * n);
        read_numbers(file, b.gradient, b.count);
        bf__mlp_forward_plain(&b.net, b.parameters, b.x, n, y);
        bf__mlp_backward_plain(&b.net, b.parameters, b.x, n, b.d, gradient);
        for (int64_t i = 0; i < outputs * n; i++)
            assert_near(y[i], b.y[i], 1e-12);
        for (int64_t i = 0; i < b.count; i++)
            assert_near(gradient[i], b.gradient[i], 1e-12);
        check_fast(&b, 1, 2e-6);
        bf_arena_destroy(b.arena);
        cases++;
    }
    fclose(file);
    assert_int_equal(cases, 4);
}

static void threads_do_not_change_a_digit(void **state) {
    (void)state;
    batch b = make_batch("30-20-10", 6, 1, BF__SIGMOID, BF__SOFTPLUS, 9999);
    bf_error err;
    double *gradient[3];
    float *y[3];
    to_floats(&b);
    for (int k = 0; k < 3; k++) {
        static const int threads[] = {1, 2, 7};
        bf__mlp_work *work;
        gradient[k] = bf_arena_alloc(b.arena, b.count, sizeof(double), &err);
        y[k] = bf_arena_alloc(b.arena, b.n, sizeof(float), &err);
        assert_ok(bf__mlp_prepare(&work, &b.net, b.n + 300, threads[k], b.arena, &err), err);
        bf__mlp_forward(work, b.parameters, b.fx, b.n, y[k]);
        bf__mlp_backward(work, b.fd, gradient[k]);
        assert_memory_equal(gradient[k], gradient[0], (size_t)b.count * sizeof(double));
        assert_memory_equal(y[k], y[0], (size_t)b.n * sizeof(float));
    }
    bf_arena_destroy(b.arena);
}

enum { TILE = BF__MLP_TILE, LANES = BF__MLP_LANES, MOST = 20 };

/* One number after the other, as mlp_dense.h says it. */
static void plain_forward(float *z, const float *h, const float *w, const float *b,
                          bf__beginning from, int in, int out, int stride, int width) {
    for (int j = 0; j < out; j++)
        for (int s = 0; s < width; s++) {
            z[j * TILE + s] = from == BF__FROM_BIAS ? b[j] : b[j * TILE + s];
            for (int k = 0; k < in; k++)
                z[j * TILE + s] += w[j * stride + k] * h[k * TILE + s];
        }
}

static void plain_turned(float *dh, const float *dz, const float *w, int in, int out, int width) {
    for (int k = 0; k < in; k++)
        for (int s = 0; s < width; s++) {
            dh[k * TILE + s] = 0;
            for (int j = 0; j < out; j++)
                dh[k * TILE + s] += w[j * in + k] * dz[j * TILE + s];
        }
}

static void plain_weights(float *dw, float *db, const float *dz, const float *h, int in, int out,
                          int width) {
    for (int s = 0; s < width; s++)
        for (int j = 0; j < out; j++) {
            db[j * LANES + s % LANES] += dz[j * TILE + s];
            for (int k = 0; k < in; k++)
                dw[(j * in + k) * LANES + s % LANES] += dz[j * TILE + s] * h[k * TILE + s];
        }
}

/* Every vector length has the digits of sums that are made number by number, and writes nowhere
 * else. */
static void layers_have_the_digits_of_plain_sums(void **state) {
    (void)state;
    enum { TILES = MOST * TILE, SUMS = MOST * MOST * LANES, ALL = 4 * TILES + 3 * SUMS };
    float *data = malloc(ALL * sizeof *data), *want = malloc(ALL * sizeof *want),
          *got = malloc(ALL * sizeof *got);
    const int sizes[][3] = {{1, 1, 16},  {6, 7, 48},   {5, 4, 256}, {11, 3, 64},
                            {8, 2, 112}, {20, 20, 80}, {3, 13, 32}, {17, 18, 240}};
    const bf__dense plain = {"plain", plain_forward, plain_turned, plain_weights};
    bf_rng rng = bf_rng_make(1, "dense", 0);
    for (int i = 0; i < ALL; i++)
        data[i] = (float)bf_rng_normal(&rng);
    assert_non_null(bf__dense_at(0));
    for (int level = 0; bf__dense_at(level); level++)
        for (int t = 0; t < 8; t++)
            for (int from = 0; from < 2; from++) {
                int in = sizes[t][0], out = sizes[t][1], width = sizes[t][2], stride = in + from;
                const bf__dense *both[] = {&plain, bf__dense_at(level)};
                float *results[] = {want, got};
                for (int k = 0; k < 2; k++) {
                    float *z = results[k], *dh = z + TILES, *dw = dh + TILES, *db = dw + SUMS;
                    memcpy(z, data, ALL * sizeof *z);
                    const float *h = data + 2 * TILES, *dz = h + TILES, *w = dz + TILES;
                    both[k]->forward(z, h, w, from ? dz : w + SUMS, (bf__beginning)from, in, out,
                                     stride, width);
                    both[k]->turned(dh, dz, w, in, out, width);
                    both[k]->weights(dw, db, dz, h, in, out, width);
                }
                assert_memory_equal(got, want, ALL * sizeof *got);
            }
    free(data);
    free(want);
    free(got);
}

/* Rows with extreme numbers and rows without take two ways, and the digits are those of the
 * definition. */
static void activations_have_their_digits_whatever_the_row(void **state) {
    (void)state;
    const float extreme[] = {0, 39.9f, -41, 79, 81, -90, 300, -300, INFINITY, -INFINITY, NAN};
    float z[TILE], want[TILE];
    bf_rng rng = bf_rng_make(1, "activations", 0);
    for (int k = 0; k < 11; k++)
        for (int kind = BF__SIGMOID; kind <= BF__TANH; kind++) {
            for (int i = 0; i < TILE; i++)
                z[i] = (float)bf_rng_normal(&rng) * (i % 3 ? 1 : 15);
            z[17] = extreme[k];
            for (int i = 0; i < TILE; i++)
                want[i] = kind == BF__SIGMOID
                              ? 1.0f / (1.0f + bf__expf_inline(-z[i]))
                              : 2.0f * (1.0f / (1.0f + bf__expf_inline(-2.0f * z[i]))) - 1.0f;
            bf__tile_activate(z, 1, TILE, (bf__activation)kind);
            for (int i = 0; i < TILE; i++)
                assert_true(z[i] == want[i] || (isnan(z[i]) && isnan(want[i])));
            assert_int_equal(isnan(z[17]), k == 10);
        }
}

/* What versions of a sample have in common is added up once, and the digits are those of one
 * version at a time. */
static void versions_have_the_digits_of_samples(void **state) {
    (void)state;
    static const char *const hidden[] = {"", "7", "32-31-5"};
    for (int t = 0; t < 18; t++) {
        enum { INPUTS = 5, VERSIONS = 3 };
        int common = t % 6, own = INPUTS - common;
        bool hot = t / 6 == 1;
        batch b = make_batch(hidden[t % 3], INPUTS, 2, t % 3, t / 6 % 3, 300);
        bf_error err;
        to_floats(&b);
        int64_t n = b.n;
        float *mine = bf_arena_zalloc(b.arena, VERSIONS * (own + 1) * n, sizeof *mine, &err);
        float *x = bf_arena_alloc(b.arena, INPUTS * n, sizeof *x, &err);
        float *y = bf_arena_alloc(b.arena, VERSIONS * 2 * n, sizeof *y, &err);
        bf_rng rng = bf_rng_make(2, "own", (uint64_t)t);
        for (int64_t i = 0; i < VERSIONS * own * n; i++)
            mine[i] = hot ? i / n % own == i / n / own : (float)bf_rng_normal(&rng);
        bf__mlp_predict_versions(&b.net, b.fp, common, b.fx, hot ? NULL : mine, VERSIONS, n, y);
        for (int k = 0; k < VERSIONS; k++) {
            memcpy(x, b.fx, (size_t)(common * n) * sizeof *x);
            memcpy(x + common * n, mine + k * own * n, (size_t)(own * n) * sizeof *x);
            bf__mlp_predict(&b.net, b.fp, x, n, b.fy);
            assert_memory_equal(y + 2 * k * n, b.fy, (size_t)(2 * n) * sizeof *y);
        }
        bf_arena_destroy(b.arena);
    }
}

static void softplus_is_never_lost(void **state) {
    (void)state;
    bf__mlp net;
    assert_int_equal(bf__mlp_make(&net, 1, "", 1, BF__SIGMOID, BF__SOFTPLUS, NULL), BF_OK);
    float parameters[2] = {1, 0}, x[4] = {-80, -20, 30, 1000}, y[4];
    bf__mlp_predict(&net, parameters, x, 4, y);
    assert_near((double)y[0] / exp(-80), 1, 1e-6);
    assert_near((double)y[1] / exp(-20), 1, 1e-6);
    assert_near((double)y[2], 30, 1e-5);
    assert_near((double)y[3], 1000, 1e-3);
}

static void glorot_spreads_as_it_should(void **state) {
    (void)state;
    batch b = make_batch("100-60", 40, 2, BF__TANH, BF__IDENTITY, 1);
    bf_rng rng = bf_rng_make(1, "glorot", 0);
    bf__mlp_init(&b.net, b.parameters, &rng);
    double sum = 0, square = 0, reach = sqrt(6.0 / 140);
    for (int i = 0; i < 4000; i++) {
        assert_true(fabs(b.parameters[i]) <= reach);
        sum += b.parameters[i];
        square += b.parameters[i] * b.parameters[i];
    }
    assert_near(sum / 4000, 0, 4 * reach / sqrt(3.0 * 4000));
    assert_near(square / 4000, 2.0 / 140, 0.1 * 2.0 / 140);
    for (int i = 4000; i < 4100; i++)
        assert_true(b.parameters[i] == 0);
    bf_arena_destroy(b.arena);
}

static void hidden_layers_are_read(void **state) {
    (void)state;
    bf__mlp net;
    bf_error err;
    assert_ok(bf__mlp_make(&net, 3, "20-30", 2, BF__TANH, BF__IDENTITY, &err), err);
    assert_int_equal(net.layers, 3);
    assert_int_equal(bf__mlp_parameters(&net), 20 * 4 + 30 * 21 + 2 * 31);
    static const char *const bad[] = {"20-", "-20", "0",    "20,20",           "20-x",
                                      "129", "-",   "2--2", "1-1-1-1-1-1-1-1", "99999999999999999"};
    for (int i = 0; i < 10; i++) {
        assert_int_equal(bf__mlp_make(&net, 3, bad[i], 2, BF__TANH, BF__IDENTITY, &err), BF_EUSAGE);
        assert_non_null(strstr(err.message, bad[i]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_gradient_is_that_of_finite_differences),
        cmocka_unit_test(fast_is_plain),
        cmocka_unit_test(numbers_are_those_of_pytorch),
        cmocka_unit_test(threads_do_not_change_a_digit),
        cmocka_unit_test(layers_have_the_digits_of_plain_sums),
        cmocka_unit_test(activations_have_their_digits_whatever_the_row),
        cmocka_unit_test(versions_have_the_digits_of_samples),
        cmocka_unit_test(softplus_is_never_lost),
        cmocka_unit_test(glorot_spreads_as_it_should),
        cmocka_unit_test(hidden_layers_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
