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

/* How the output of the network of zeta becomes zeta. */
enum { BF__DICE_ANY_SIGN, BF__DICE_SQUARE, BF__DICE_SOFTPLUS };
/* zeta of an output z, and its slope. */
double bf__dice_positive(double z, int output, double *slope);

/* The Lagrangian of dualdice_loss.c: its weights, */
typedef struct bf__dice_terms {
    double gamma, normal, reward;  /* k and R */
    double primal, dual, exponent; /* a_nu, a_zeta and p */
    int output;
} bf__dice_terms;
/* and a batch. */
typedef struct bf__dice_batch {
    int64_t b, starts; /* rows, and start states */
    int choices;       /* K, of the target at a state */
    const float *nu;   /* (b + K b + K starts): at the rows' pairs, at the next pairs
                          (choice after choice), at the start pairs */
    const float *z;    /* (b): what the network of zeta says */
    double lambda;
    const double *next_p, *start_p; /* (K, b), (K, starts): probabilities of the choices */
    const double *reward;           /* (b) */
    const uint8_t *ends;            /* (b) */
} bf__dice_batch;

/* Returns L. d_nu is dL/dnu, d_zeta (b) is -dL/dz and *d_lambda is dL/dlambda: all are to go down
 * along. */
double bf__dice_loss(float *d_nu, float *d_zeta, double *d_lambda, const bf__dice_terms *terms,
                     const bf__dice_batch *batch);

#endif
