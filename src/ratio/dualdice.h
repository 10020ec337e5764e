/* dualdice.h - What the variants of `dualdice` share. */
#ifndef BF_RATIO_DUALDICE_H
#define BF_RATIO_DUALDICE_H

#include "estimator/answer.h"

typedef struct bf__dice {
    const bf_problem *problem; /* its gamma is below 1 */
    const bf_settings *settings;
    bool by_state;
    const double *beta; /* (n): pi / mu where by_state, otherwise NULL */
    const double *u;    /* (n): gamma^t, times beta where by_state */
} bf__dice;

/* The models, each with options of its own. */
extern const bf_model bf__dice_model_tabular, bf__dice_model_neural;
/* Whether tabular is set to ratios of states. */
bool bf__dice_by_state(const bf_settings *settings);

bf_status bf__dice_tabular(bf_estimate *out, const bf__dice *dice, const bf_context *context,
                           bf_arena *arena, bf_error *err);
bf_status bf__dice_neural(bf_estimate *out, const bf__dice *dice, const bf_context *context,
                          bf_arena *arena, bf_error *err);

/* The answer from zeta (n) at the logged rows, and what to say about it. */
bf_status bf__dice_result(bf_estimate *out, const bf__dice *dice, const double *zeta,
                          bf_arena *arena, bf_error *err);

/* What becomes of a row of a batch. */
enum { BF__DICE_ON, BF__DICE_RESTARTS, BF__DICE_ENDS };

/* A batch of b rows with k next actions each. nu (b + 2 b k): at the rows' pairs, at the next pairs
 * (choice after choice), at the start pairs; next_p, start_p (b k) the choices' probabilities.
 *
 *     L = mean_j [ (nu_j - gamma V'_j) zeta_j - |zeta_j|^3 / 3 ] - (1 - gamma) mean V0
 *
 * with V' = E_pi nu(s', .), or mean V0 where the row restarts, or 0 where it ends. Returns L;
 * d_nu (b + 2 b k) = dL/dnu and d_zeta (b) = -dL/dzeta, both to go down along. */
double bf__dice_loss(float *d_nu, float *d_zeta, const float *nu, const float *zeta,
                     const double *next_p, const double *start_p, const uint8_t *ends, int64_t b,
                     int k, double gamma);

#endif
