/* test_baselines.c - is, wis, pdis against sums written out; the networks of ips, dualdice and fqe
 * against finite differences and the tabular answers; what is said where something is missing. */
#include "ratios.h"

#include <stdio.h>

#include "env/simulate.h"
#include "ratio/dualdice.h"
#include "ratio/ips.h"

/* ---- Products of ratios */

/* All trajectories of two steps in the proportions of the behaviour: expectations are exact. */
static void expected_logs_give_expectations(void **state) {
    (void)state;
    const int kinds[4][3] = {{28, 0, 1}, {42, 0, 2}, {18, 1, 1}, {12, 1, 2}};
    columns c = columns_new(400);
    int64_t at = 0;
    for (int k = 0; k < 4; k++)
        for (int a = 0; a < 2; a++)
            for (int i = 0; i < kinds[k][0]; i++) {
                columns_put(&c, at++, 0, kinds[k][1], kinds[k][2]);
                columns_put(&c, at++, kinds[k][2], a, 0);
            }
    bf_dataset data = columns_log(&c, 2);
    const char *methods[] = {"is", "wis", "pdis"};
    for (int k = 0; k < 3; k++) {
        bf_estimate out = estimate(methods[k], "", &data, 1);
        assert_near(out.value, -0.08, 1e-12);
        assert_near(value(methods[k], "", &data, 0.5), -0.16 / 1.5, 1e-12);
        assert_near(bf_estimate_get(&out, "mean_ratio"), 1, 1e-12);
        /* E rho^2 = 0.81 / 0.7 + 0.01 / 0.3 in the first step, 1 in the second. */
        assert_near(bf_estimate_get(&out, "ess_episodes"), 200 / (0.81 / 0.7 + 0.01 / 0.3), 1e-9);
        assert_int_equal(out.warning_count, 0);
    }
    assert_near(value("pdis", "normalise yes", &data, 1), -0.08, 1e-12);
}

static double ratio_of(const bf_dataset *data, int64_t i) {
    return data->pi[data->action[i] * data->n + i] / data->mu[i];
}

/* By the definitions, episode by episode: E R and E D of each method. */
static void plain(double out[4], const bf_dataset *data, double gamma, bool absorb) {
    double episodes = (double)data->episodes, is = 0, span = 0, top = 0, bottom = 0, pdis = 0;
    double step_top[64] = {0}, step_alive[64] = {0}, step_all[64] = {0};
    double first_length = 0;
    bool same = true;
    for (int64_t e = 0; e < data->episodes; e++) {
        double product = 1, sum = 0, length = 0, prefix_length = 0, power = 1;
        int64_t rows = data->begin[e + 1] - data->begin[e];
        bool ends = false;
        for (int64_t t = 0; t < 64; t++, power *= gamma) {
            if (t < rows) {
                int64_t i = data->order[data->begin[e] + t];
                prefix_length += product * power;
                product *= ratio_of(data, i);
                sum += power * data->reward[i];
                length += power;
                pdis += product * power * data->reward[i] / episodes;
                step_top[t] += product * data->reward[i];
                step_alive[t] += product;
                ends = data->terminated[i];
            } else if (absorb && ends) {
                prefix_length += product * power;
                length += power;
                step_alive[t] += product;
            }
            step_all[t] += product;
        }
        if (absorb && ends) { /* the rest of the steps, to infinity */
            prefix_length += product * power / (1 - gamma);
            length += power / (1 - gamma);
        }
        first_length = e == 0 ? length : first_length;
        same = same && fabs(length - first_length) < 1e-9;
        is += product * sum / episodes;
        span += prefix_length / episodes;
        top += product * sum;
        bottom += product * length;
    }
    span = same ? first_length : span; /* then it needs no estimate */
    double normal_top = 0, normal_span = 0, power = 1;
    for (int t = 0; t < 64; t++, power *= gamma) {
        normal_top += power * step_top[t] / step_all[t];
        normal_span += power * step_alive[t] / step_all[t];
    }
    if (absorb)
        normal_span += power / (1 - gamma) * step_alive[63] / step_all[63];
    out[0] = is / span;
    out[1] = top / bottom;
    out[2] = pdis / span;
    out[3] = normal_top / normal_span;
}

static void ragged_logs_agree_with_the_definitions(void **state) {
    (void)state;
    for (int file = 3; file < 6; file++) {
        char path[512];
        snprintf(path, sizeof path, "%s/ratios-%d.csv", FIXTURES, file);
        const char *paths[] = {path}, *methods[] = {"is", "wis", "pdis", "pdis"};
        bf_dataset data;
        assert_ok(bf__dataset_read(&data, paths, 1, NULL, NULL, arena, &err), err);
        const double gammas[] = {1, 0.9, 0.9};
        for (int g = 0; g < 3; g++) {
            int terminal = g == 2 ? BF_TERMINAL_ABSORB : BF_TERMINAL_RESTART;
            double expected[4];
            plain(expected, &data, gammas[g], g == 2);
            for (int k = 0; k < 4; k++) {
                bf_estimate out;
                assert_ok(attempt(&out, methods[k], k == 3 ? "normalise yes" : "", &data, gammas[g],
                                  terminal),
                          err);
                assert_near(out.value, expected[k], 1e-12);
            }
        }
    }
}

/* 200 steps: nearly nothing is left, and the report says so. Products that no double can hold. */
static void collapse_is_said(void **state) {
    (void)state;
    bf_dataset data = model_win_sampled(50, 400, 1);
    bf_estimate out = estimate("wis", "", &data, 1);
    assert_true(bf_estimate_get(&out, "ess_episodes") < 5);
    assert_int_equal(out.warning_count, 1);
    assert_true(out.warnings[0].distrust);
    double *mu = bf_arena_alloc(arena, data.n, sizeof *mu, &err);
    for (int64_t i = 0; i < data.n; i++)
        mu[i] = 1e-3;
    data.mu = mu;
    assert_int_equal(attempt(&out, "is", "", &data, 1, BF_TERMINAL_RESTART), BF_ENUMERIC);
    assert_non_null(strstr(err.message, "too large for a number; `method` wis can hold it"));
    assert_true(isfinite(value("wis", "", &data, 1)));
}

/* ---- Networks: gradients */

static void ips_gradient_is_the_slope(void **state) {
    (void)state;
    enum { B = 12 };
    bf_rng rng = bf_rng_make(3, "ips gradient", 0);
    float w[2 * B], k[B * B], point[B];
    double beta[B], d[2 * B], x[B], y[B], scratch[2 * B];
    uint8_t start[B];
    for (int i = 0; i < B; i++) {
        w[i] = (float)bf_rng_between(&rng, 0.5, 2);
        w[B + i] = (float)bf_rng_between(&rng, 0.5, 2);
        beta[i] = bf_rng_between(&rng, 0.3, 1.5);
        point[i] = (float)bf_rng_normal(&rng);
        start[i] = i % 5 == 4;
    }
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            k[i * B + j] = expf(-(point[i] - point[j]) * (point[i] - point[j]));
    double base = bf__ips_loss(d, d + B, w, w + B, beta, start, k, B, x, y), norm = 0, sum = 0;
    for (int i = 0; i < B; i++) /* the definition, written out */
        for (int j = 0; j < B; j++) {
            norm += (double)k[i * B + j];
            sum += x[i] * (double)k[i * B + j] * x[j];
        }
    assert_near(base, sum / norm, 1e-12);
    for (int i = 0; i < 2 * B; i++) {
        float kept = w[i], h = 1.0f / 1024;
        w[i] = kept + h;
        double up = bf__ips_loss(scratch, scratch + B, w, w + B, beta, start, k, B, x, y);
        w[i] = kept - h;
        double down = bf__ips_loss(scratch, scratch + B, w, w + B, beta, start, k, B, x, y);
        double wide = (double)(kept + h) - (double)(kept - h);
        w[i] = kept;
        assert_near(d[i], (up - down) / wide, 1e-6);
    }
}

enum { DICE_B = 7, DICE_K = 3, DICE_E = 4, DICE_COLUMNS = DICE_B + DICE_K * (DICE_B + DICE_E) };

typedef struct dice_numbers {
    float nu[DICE_COLUMNS], z[DICE_B];
    double next[DICE_B * DICE_K], start[DICE_E * DICE_K], reward[DICE_B];
} dice_numbers;

static const uint8_t dice_ends[DICE_B] = {0, 1, 0, 2, 0, 1, 0};

static bf__dice_batch dice_batch(dice_numbers *x) {
    bf_rng rng = bf_rng_make(3, "dice gradient", 0);
    for (int i = 0; i < DICE_COLUMNS; i++)
        x->nu[i] = (float)bf_rng_normal(&rng);
    for (int i = 0; i < DICE_B; i++) {
        x->z[i] = (float)bf_rng_normal(&rng);
        x->reward[i] = bf_rng_normal(&rng);
    }
    for (int i = 0; i < DICE_B * DICE_K; i++)
        x->next[i] = bf_rng_uniform(&rng);
    for (int i = 0; i < DICE_E * DICE_K; i++)
        x->start[i] = bf_rng_uniform(&rng);
    return (bf__dice_batch){.b = DICE_B,
                            .starts = DICE_E,
                            .choices = DICE_K,
                            .nu = x->nu,
                            .z = x->z,
                            .lambda = 0.4,
                            .next_p = x->next,
                            .start_p = x->start,
                            .reward = x->reward,
                            .ends = dice_ends};
}

static void dice_gradient_is_the_slope(void **state) {
    (void)state;
    const bf__dice_terms cases[] = {
        {.gamma = 0.8, .dual = 1, .exponent = 1.5},
        {.gamma = 0.8, .normal = 0.7, .reward = 1, .dual = 1, .exponent = 2, .output = 1},
        {.gamma = 0.95, .normal = 1, .reward = 1, .dual = 0.5, .exponent = 1.5, .output = 2},
        {.gamma = 0.9, .normal = 1, .primal = 0.6, .dual = 0, .exponent = 3, .output = 2},
        {.gamma = 1, .normal = 2, .reward = 1, .primal = 0.3, .dual = 2, .exponent = 2},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        float d_nu[DICE_COLUMNS], d_z[DICE_B], scratch[DICE_COLUMNS], other[DICE_B];
        double d_lambda, unused, up, down, wide;
        dice_numbers x;
        bf__dice_batch batch = dice_batch(&x);
        bf__dice_loss(d_nu, d_z, &d_lambda, &cases[c], &batch);
        for (int i = 0; i < DICE_COLUMNS + DICE_B; i++) {
            float *at = i < DICE_COLUMNS ? &x.nu[i] : &x.z[i - DICE_COLUMNS], kept = *at;
            double slope = (double)(i < DICE_COLUMNS ? d_nu[i] : -d_z[i - DICE_COLUMNS]);
            *at = kept + 1.0f / 512;
            up = bf__dice_loss(scratch, other, &unused, &cases[c], &batch);
            wide = (double)*at;
            *at = kept - 1.0f / 512;
            down = bf__dice_loss(scratch, other, &unused, &cases[c], &batch);
            wide -= (double)*at;
            *at = kept;
            assert_near(slope, (up - down) / wide, 1e-5);
        }
        batch.lambda += 0.5;
        up = bf__dice_loss(scratch, other, &unused, &cases[c], &batch);
        batch.lambda -= 1;
        down = bf__dice_loss(scratch, other, &unused, &cases[c], &batch);
        assert_near(d_lambda, up - down, 1e-12);
    }
}

/* The first paper's loss, and the constraint with the rewards, written out. The sign of nu is
 * turned between the two. */
static void dice_loss_is_the_papers(void **state) {
    (void)state;
    float d_nu[DICE_COLUMNS], d_z[DICE_B];
    double d_lambda, start = 0, first = 0, later = 0, gamma = 0.8;
    dice_numbers x;
    bf__dice_batch batch = dice_batch(&x);
    for (int e = 0; e < DICE_E; e++)
        for (int k = 0; k < DICE_K; k++)
            start += x.start[k * DICE_E + e] *
                     (double)x.nu[DICE_B + DICE_K * DICE_B + k * DICE_E + e] / DICE_E;
    for (int i = 0; i < DICE_B; i++) {
        double next = 0, z = (double)x.z[i], zeta = z * z;
        for (int k = 0; k < DICE_K; k++)
            next += x.next[k * DICE_B + i] * (double)x.nu[DICE_B + k * DICE_B + i];
        next = dice_ends[i] == 0 ? next : dice_ends[i] == 1 ? start : 0;
        double nu = -(double)x.nu[i], later_nu = -next;
        first += ((nu - gamma * later_nu) * z - fabs(z * z * z) / 3) / DICE_B;
        later += (zeta * (x.reward[i] + gamma * next - (double)x.nu[i] - 0.4) - zeta * zeta / 2) /
                 DICE_B;
    }
    bf__dice_terms one = {.gamma = gamma, .dual = 1, .exponent = 1.5};
    assert_near(bf__dice_loss(d_nu, d_z, &d_lambda, &one, &batch), first - (1 - gamma) * -start,
                1e-9);
    bf__dice_terms two = {
        .gamma = gamma, .normal = 1, .reward = 1, .dual = 1, .exponent = 2, .output = 1};
    assert_near(bf__dice_loss(d_nu, d_z, &d_lambda, &two, &batch),
                later + 0.4 + (1 - gamma) * start, 1e-9);
}

/* ---- Networks: answers */

/* ModelWin with states as points of the plane. */
static bf_dataset as_coordinates(bf_dataset data) {
    const double *from[] = {data.state, data.next_state};
    double *to[2];
    for (int k = 0; k < 2; k++) {
        to[k] = bf_arena_alloc(arena, 2 * data.n, sizeof(double), &err);
        for (int64_t i = 0; i < data.n; i++) {
            to[k][i] = from[k][i] == 1 ? 1 : 0;
            to[k][data.n + i] = from[k][i] == 2 ? 1 : 0;
        }
    }
    data.state = to[0];
    data.next_state = to[1];
    data.state_dim = 2;
    data.states = 0;
    return data;
}

static void networks_reach_the_tabular_answers(void **state) {
    (void)state;
    bf_dataset finite = model_win_sampled(250, 8, 4), real = as_coordinates(finite);
    double ips = value("ips", "", &finite, 1), exact = value("blackbox", "", &finite, 1);
    bf_estimate linear = estimate("ips", "", &real, 1);
    assert_string_equal(linear.model, "linear");
    assert_near(linear.value, ips, 1e-3);
    bf_dataset few = model_win_sampled(500, 3, 4), points = as_coordinates(few);
    for (int g = 0; g < 2;
         g++) { /* unbalanced: the two ways differ, and the models agree on each */
        double gamma = g == 0 ? 1 : 0.9, by_next = value("ips", "", &few, gamma);
        double by_state = value("ips", "balance states", &few, gamma);
        assert_true(fabs(by_next - by_state) > 0.01);
        assert_near(value("ips", "", &points, gamma), by_next, 1e-3);
        assert_near(value("ips", "balance states", &points, gamma), by_state, 1e-3);
    }
    assert_near(value("ips", "variant neural steps 600 batch 128 rate 0.01 smoothing 0", &real, 1),
                ips, 0.01);
    assert_near(value("fqe", "hidden 8 rounds 120 batch 64 rate 0.01", &real, 1), exact, 0.005);
    assert_near(value("fqe", "hidden 8 rounds 120 batch 64 rate 0.01", &finite, 0.9),
                value("blackbox", "", &finite, 0.9), 0.005);
    const char *fast = "variant neural hidden 16 steps 2500 batch 64 rate_nu 0.003 rate_zeta 0.01";
    bf_estimate dice = estimate("dualdice", fast, &real, 0.5);
    assert_near(dice.value, value("dualdice", "", &finite, 0.5), 0.02);
    assert_near(bf_estimate_get(&dice, "mean_zeta"), 1, 0.05);
    /* Near gamma = 1 the constraint alone says how large ratios are: 0.9999 stands for 1. */
    dice = estimate("dualdice", fast, &real, 1);
    assert_near(dice.value, value("dualdice", "", &finite, 1), 0.02);
    assert_near(bf_estimate_get(&dice, "mean_zeta"), 1, 0.02);
    dice = estimate("dualdice",
                    "variant neural hidden 16 steps 2500 batch 64 rate_nu 0.003 rate_zeta 0.01 "
                    "normalize 0 positive none rewards no exponent 1.5",
                    &real, 1);
    assert_true(fabs(bf_estimate_get(&dice, "mean_zeta") - 1) > 0.02);
}

/* The rows of a log from step `burn` of each trajectory of `steps` on, as a bag. */
static bf_dataset after(const bf_dataset *data, int64_t steps, int64_t burn) {
    int64_t kept = data->n / steps * (steps - burn), at = 0;
    bf_dataset out = {.n = kept, .state_dim = 1, .actions = data->actions, .states = data->states};
    const double *from[] = {data->state, data->next_state, data->reward,
                            data->mu,    data->pi,         data->npi};
    const double **to[] = {&out.state, &out.next_state, &out.reward, &out.mu, &out.pi, &out.npi};
    int32_t *action = bf_arena_alloc(arena, kept, sizeof *action, &err);
    for (int k = 0; k < 6; k++) {
        int width = k < 4 ? 1 : data->actions;
        double *block = bf_arena_alloc(arena, kept * width, sizeof *block, &err);
        for (int c = 0; c < width; c++) {
            at = 0;
            for (int64_t i = 0; i < data->n; i++)
                if (i % steps >= burn) {
                    action[at] = data->action[i];
                    block[c * kept + at++] = from[k][c * data->n + i];
                }
        }
        *to[k] = block;
    }
    out.action = action;
    return out;
}

/* GridWalk after a while, so that the log is what ips takes it for; then by its coordinates, for
 * kernels and networks. The exact value is 0.9897623. */
static void gridwalk_comes_out(void **state) {
    (void)state;
    const bf_policy *behavior, *target;
    const bf_env *env = bf_env_find("gridwalk");
    bf_dataset all;
    assert_ok(bf_env_policy_parse(&behavior, env, "greedy@0.6", 1, arena, &err), err);
    assert_ok(bf_env_policy_parse(&target, env, "greedy@0.9", 1, arena, &err), err);
    bf_simulation simulation = {.env = env,
                                .behaviors = &behavior,
                                .behavior_count = 1,
                                .target = target,
                                .trajectories = 4,
                                .steps = 1100};
    bf_context context = {.threads = 1, .seed = 9};
    assert_ok(bf__simulate(&all, &simulation, &context, arena, &err), err);
    bf_dataset data = after(&all, 1100, 100);
    assert_true(value("naive", "", &data, 1) < 0.95);
    assert_near(value("ips", "", &data, 1), 0.9897623, 0.005);
    const double *from[] = {data.state, data.next_state};
    double *to[2];
    for (int k = 0; k < 2; k++) {
        to[k] = bf_arena_alloc(arena, 2 * data.n, sizeof(double), &err);
        for (int64_t i = 0; i < data.n; i++) {
            to[k][i] = floor(from[k][i] / 10);
            to[k][data.n + i] = fmod(from[k][i], 10);
        }
    }
    data.state = to[0];
    data.next_state = to[1];
    data.state_dim = 2;
    data.states = 0;
    data.real_state = true;
    assert_near(value("ips", "", &data, 1), 0.9897623, 0.01);
    assert_near(value("ips", "variant neural steps 700 batch 128 rate 0.01", &data, 1), 0.9897623,
                0.01);
    assert_near(value("fqe", "hidden 16 rounds 40 batch 128 rate 0.01", &data, 1), 0.9897623, 0.01);
}

/* The same seed, the same digits. */
static void digits_do_not_depend_on_threads(void **state) {
    (void)state;
    bf_dataset data = as_coordinates(model_win_sampled(100, 8, 6));
    const char *methods[] = {"ips", "dualdice", "fqe"};
    for (int k = 0; k < 3; k++) {
        double found[2];
        const bf_estimator *estimator = bf_estimator_find(methods[k]);
        for (int threads = 1; threads <= 2; threads++) {
            static const char *const texts[] = {"variant=neural steps=20 batch=64",
                                                "steps=500 batch=64", "rounds=20 batch=64"};
            bf_settings *set;
            assert_ok(bf_estimator_settings(&set, estimator, texts[k], arena, &err), err);
            bf_problem problem = {&data, 0.9, BF_TERMINAL_RESTART};
            bf_context context = {.threads = threads, .seed = 3};
            bf_estimate out;
            assert_ok(bf__estimator_run(estimator, &out, &problem, set, &context, arena, &err),
                      err);
            found[threads - 1] = out.value;
        }
        assert_true(found[0] == found[1]);
    }
}

/* ---- What is said */

static void refused(const char *method, const char *options, const bf_dataset *data, double gamma,
                    int terminal, bf_status status, const char *message) {
    bf_estimate out;
    assert_int_equal(attempt(&out, method, options, data, gamma, terminal), status);
    assert_string_equal(err.message, message);
}

static void what_is_missing_is_said(void **state) {
    (void)state;
    bf_dataset good = model_win_sampled(5, 4, 1), data = good;
    data.mu = NULL;
    const char *methods[] = {"ips", "is", "wis", "pdis"};
    for (int k = 0; k < 4; k++) {
        char message[256];
        snprintf(message, sizeof message,
                 "%s needs the behaviour policy: a column mu, or mu0, mu1, ..., in the log",
                 methods[k]);
        refused(methods[k], "", &data, 1, BF_TERMINAL_RESTART, BF_ENEEDS, message);
    }
    refused("dualdice", "ratio state", &data, 1, BF_TERMINAL_RESTART, BF_ENEEDS,
            "dualdice `ratio` state needs the behaviour policy: a column mu, or mu0, mu1, ..., in "
            "the log");
    data = good;
    data.begin = data.order = NULL;
    data.episodes = 0;
    refused("is", "", &data, 1, BF_TERMINAL_RESTART, BF_ENEEDS,
            "is needs episodes: a column episode in the log");
    refused("dualdice", "", &data, 1, BF_TERMINAL_RESTART, BF_ENEEDS,
            "dualdice needs episodes: a column episode in the log");
    refused("ips", "", &data, 0.9, BF_TERMINAL_RESTART, BF_ENEEDS,
            "ips needs the start states of episodes (gamma < 1): add a column episode to the log");
    uint8_t *ended = bf_arena_zalloc(arena, good.n, 1, &err);
    ended[3] = 1;
    data.terminated = ended;
    refused("ips", "", &data, 1, BF_TERMINAL_RESTART, BF_ENEEDS,
            "ips needs the start states of episodes (the log has terminated steps, which restart): "
            "add a column episode to the log, or choose `terminal` ignore");
    data = good;
    data.terminated = ended;
    refused("ips", "", &data, 1, BF_TERMINAL_ABSORB, BF_EUSAGE,
            "`terminal` absorb: ips weighs logged states, and the time after an end is not logged; "
            "choose restart or ignore");
    refused("fqe", "", &data, 1, BF_TERMINAL_ABSORB, BF_EUSAGE,
            "`terminal` absorb: after the end there is reward 0 for ever, and so the long-run "
            "average is 0; choose restart, or `gamma` below 1");
    data = good;
    data.states = 0; /* real-valued, and more columns than a network takes */
    data.state_dim = 130;
    double *wide = bf_arena_zalloc(arena, 130 * good.n, sizeof *wide, &err);
    data.state = data.next_state = wide;
    static const char *const networks[][2] = {
        {"fqe", ""}, {"dualdice", "variant neural"}, {"ips", "variant neural"}};
    for (int k = 0; k < 3; k++) {
        char text[256];
        snprintf(text, sizeof text,
                 "states and actions have %d coordinates together, and a network takes 128 at "
                 "most; give fewer state columns, or choose `method` simulator or blackbox",
                 k < 2 ? 130 + data.actions : 130);
        refused(networks[k][0], networks[k][1], &data, 1, BF_TERMINAL_RESTART, BF_EDATA, text);
    }
    data = good;
    data.episodes = 1;
    refused("wis", "", &data, 1, BF_TERMINAL_RESTART, BF_EDATA,
            "wis weighs episodes against each other, and the log has only one; `method` blackbox "
            "or ips can use it");
    data = good;
    data.pi = NULL;
    refused("dualdice", "", &data, 1, BF_TERMINAL_RESTART, BF_ENEEDS,
            "dualdice needs the target policy at the start states: columns pi0, pi1, ... in the "
            "log, or `policy` FILE");
    data = good;
    data.npi = NULL; /* ips does without */
    assert_near(value("ips", "", &data, 1), value("ips", "", &good, 1), 0);
}

/* Where all that the target does ends, at gamma < 1: after the end there is nothing. */
static void absorbing_ends_are_the_same_for_all(void **state) {
    (void)state;
    char path[512];
    snprintf(path, sizeof path, "%s/ratios-3.csv", FIXTURES);
    const char *paths[] = {path};
    bf_dataset data;
    bf_estimate exact, dice, fqe;
    assert_ok(bf__dataset_read(&data, paths, 1, NULL, NULL, arena, &err), err);
    assert_ok(attempt(&exact, "blackbox", "", &data, 0.9, BF_TERMINAL_ABSORB), err);
    assert_ok(attempt(&dice, "dualdice", "", &data, 0.9, BF_TERMINAL_ABSORB), err);
    assert_ok(attempt(&fqe, "fqe", "hidden 16 rounds 150 batch 128 rate 0.01", &data, 0.9,
                      BF_TERMINAL_ABSORB),
              err);
    assert_near(fqe.value, exact.value, 0.01);
    assert_near(dice.value, exact.value, 0.05); /* gamma^t weighs the few late rows down */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(expected_logs_give_expectations),
        arena_test(ragged_logs_agree_with_the_definitions),
        arena_test(collapse_is_said),
        arena_test(ips_gradient_is_the_slope),
        arena_test(dice_gradient_is_the_slope),
        arena_test(dice_loss_is_the_papers),
        arena_test(networks_reach_the_tabular_answers),
        arena_test(gridwalk_comes_out),
        arena_test(digits_do_not_depend_on_threads),
        arena_test(what_is_missing_is_said),
        arena_test(absorbing_ends_are_the_same_for_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
