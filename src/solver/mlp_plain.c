/* mlp_plain.c - The network again, exactly as the equations of mlp.c read: in double, one sample at
 * a time. It is the oracle of the fast version; its own oracle is finite differences. */
#include <math.h>
#include <string.h>

#include "solver/mlp.h"

typedef double layers[BF__MLP_MAX_LAYERS + 1][BF__MLP_MAX_WIDTH];

static double activation(bf__activation kind, double z) {
    return kind == BF__SIGMOID ? 1 / (1 + exp(-z)) : kind == BF__TANH ? tanh(z) : fmax(z, 0);
}

static double slope(bf__activation kind, double h) {
    return kind == BF__SIGMOID ? h * (1 - h) : kind == BF__TANH ? 1 - h * h : h > 0;
}

/* h[0] is given; h[1] .. h[L-1] become activations and h[L] the last z. */
static void forward_one(const bf__mlp *net, const double *p, layers h) {
    for (int l = 0; l < net->layers; l++) {
        int in = net->size[l], out = net->size[l + 1];
        for (int j = 0; j < out; j++) {
            double z = p[in * out + j];
            for (int k = 0; k < in; k++)
                z += p[j * in + k] * h[l][k];
            h[l + 1][j] = l + 1 < net->layers ? activation(net->activation, z) : z;
        }
        p += out * (in + 1);
    }
}

/* dz of the last layer is given; adds this sample's gradient. */
static void backward_one(const bf__mlp *net, const double *p, layers h, double *dz,
                         double *gradient) {
    int64_t at = bf__mlp_parameters(net);
    for (int l = net->layers - 1; l >= 0; l--) {
        int in = net->size[l], out = net->size[l + 1];
        double dh[BF__MLP_MAX_WIDTH] = {0};
        at -= out * (in + 1);
        for (int j = 0; j < out; j++) {
            gradient[at + in * out + j] += dz[j];
            for (int k = 0; k < in; k++) {
                gradient[at + j * in + k] += dz[j] * h[l][k];
                dh[k] += p[at + j * in + k] * dz[j];
            }
        }
        for (int k = 0; k < in && l; k++)
            dz[k] = dh[k] * slope(net->activation, h[l][k]);
    }
}

void bf__mlp_forward_plain(const bf__mlp *net, const double *parameters, const double *inputs,
                           int64_t n, double *outputs) {
    layers h;
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < net->size[0]; k++)
            h[0][k] = inputs[k * n + i];
        forward_one(net, parameters, h);
        for (int j = 0; j < net->size[net->layers]; j++) {
            double z = h[net->layers][j];
            outputs[j * n + i] = net->output == BF__SOFTPLUS ? fmax(z, 0) + log1p(exp(-fabs(z)))
                                 : net->output == BF__EXPONENTIAL ? exp(z)
                                                                  : z;
        }
    }
}

void bf__mlp_backward_plain(const bf__mlp *net, const double *parameters, const double *inputs,
                            int64_t n, const double *d_outputs, double *gradient) {
    layers h;
    memset(gradient, 0, (size_t)bf__mlp_parameters(net) * sizeof *gradient);
    for (int64_t i = 0; i < n; i++) {
        double dz[BF__MLP_MAX_WIDTH];
        for (int k = 0; k < net->size[0]; k++)
            h[0][k] = inputs[k * n + i];
        forward_one(net, parameters, h);
        for (int j = 0; j < net->size[net->layers]; j++) {
            double z = h[net->layers][j], g = net->output == BF__SOFTPLUS      ? 1 / (1 + exp(-z))
                                              : net->output == BF__EXPONENTIAL ? exp(z)
                                                                               : 1;
            dz[j] = d_outputs[j * n + i] * g;
        }
        backward_one(net, parameters, h, dz, gradient);
    }
}
