/* dualdice_loss.c - The regularised Lagrangian of a batch, and its slopes.
 *
 *     L = (1 - gamma) V0 + k lambda (1 - mean zeta)
 *         + mean[zeta (R r + gamma V' - nu)] + a_nu mean |nu|^p / p - a_zeta mean |zeta|^q / q
 *
 * goes down along nu and lambda and up along zeta. nu and zeta are at the batch's pairs, V' is the
 * mean of nu over the target's actions at the next state, V0 the same at start states; V' is V0 for
 * a row that restarts and 0 for one that ends. zeta is what a positive output makes of its
 * network's: itself, its square, or its softplus. 1/p + 1/q = 1.
 *
 * lambda holds the mean of zeta at 1 (k = 0: nothing does but the first term, which is small if
 * gamma is near 1). R is 1 or 0: for the saddle point it makes no difference whether the reward is
 * there, but nu is then sought where errors of the answer are.
 *
 * DualDICE of 2019 is k = R = a_nu = 0, a_zeta = 1, q = 3, with the sign of nu turned.
 *
 * Source      Yang, Nachum, Dai, Li, Schuurmans, Off-policy evaluation via the regularized
 *             Lagrangian, NeurIPS 2020, and what the authors' dice_rl has of it
 * Shapes      b rows, K next actions each, e starts: nu (b + K b + K e)
 * Cost        O(K (b + e)) */
#include <math.h>

#include "ratio/dualdice.h"

double bf__dice_positive(double z, int output, double *slope) {
    if (output == BF__DICE_SQUARE) {
        *slope = 2 * z;
        return z * z;
    }
    if (output == BF__DICE_SOFTPLUS) {
        double e = exp(-fabs(z));
        *slope = z > 0 ? 1 / (1 + e) : e / (1 + e);
        return fmax(z, 0) + log1p(e);
    }
    *slope = 1;
    return z;
}

/* |x|^p / p, and its slope. */
static double power(double x, double p, double *slope) {
    double size = fabs(x), steep = p == 2 ? size : p == 3 ? size * size : pow(size, p - 1);
    *slope = x < 0 ? -steep : steep;
    return size * steep / p;
}

double bf__dice_loss(float *d_nu, float *d_zeta, double *d_lambda, const bf__dice_terms *terms,
                     const bf__dice_batch *batch) {
    int64_t b = batch->b, e = batch->starts, k = batch->choices;
    const float *next = batch->nu + b, *start = next + k * b;
    float *d_next = d_nu + b, *d_start = d_next + k * b;
    double v0 = 0, loss = 0, mean = 0, each = 1 / (double)b, gamma = terms->gamma;
    double d_v0 = 1 - gamma, conjugate = terms->exponent / (terms->exponent - 1);
    for (int64_t j = 0; j < k * e; j++)
        v0 += batch->start_p[j] * (double)start[j] / (double)e;
    for (int64_t j = 0; j < b; j++) {
        bool on = batch->ends[j] == BF__DICE_ON, restarts = batch->ends[j] == BF__DICE_RESTARTS;
        double steep, pull = 0, push, v = restarts ? v0 : 0, nu = (double)batch->nu[j];
        double zeta = bf__dice_positive((double)batch->z[j], terms->output, &steep);
        for (int64_t c = 0; c < k; c++) {
            double p = on ? batch->next_p[c * b + j] : 0;
            v += p * (double)next[c * b + j];
            d_next[c * b + j] = (float)(gamma * each * p * zeta);
        }
        d_v0 += restarts ? gamma * each * zeta : 0;
        double delta = terms->reward * batch->reward[j] + gamma * v - nu;
        loss += each * zeta * delta;
        mean += each * zeta;
        if (terms->primal > 0)
            loss += each * terms->primal * power(nu, terms->exponent, &pull);
        d_nu[j] = (float)(each * (terms->primal * pull - zeta));
        loss -= each * terms->dual * power(zeta, conjugate, &push);
        d_zeta[j] =
            (float)(-each * steep * (delta - terms->normal * batch->lambda - terms->dual * push));
    }
    for (int64_t j = 0; j < k * e; j++)
        d_start[j] = (float)(d_v0 * batch->start_p[j] / (double)e);
    *d_lambda = terms->normal * (1 - mean);
    return loss + (1 - gamma) * v0 + terms->normal * batch->lambda * (1 - mean);
}
