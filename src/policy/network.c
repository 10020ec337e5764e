/* network.c - A policy from a network of action values: greedy in Q(s, .), or softmax.
 *
 *     pi(a|s) = 1{a = argmax Q(s, .)}   or   exp(Q(s,a)/T) / sum_b exp(Q(s,b)/T)
 *
 * Cost        O(n parameters) for n states, in tiles on the stack */
#include "policy/network.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"

#define TILE 256

int bf__network_inputs(const bf__network *network) {
    int inputs = 0;
    for (int j = 0; j < network->base.state_dim; j++)
        inputs += network->angle[j] ? 2 : 1;
    return inputs;
}

void bf__network_encode(const bf__network *network, const double *states, int64_t n,
                        float *inputs) {
    for (int j = 0; j < network->base.state_dim; j++, states += n) {
        if (network->angle[j]) {
            for (int64_t i = 0; i < n; i++) {
                inputs[i] = (float)cos(states[i]);
                inputs[n + i] = (float)sin(states[i]);
            }
            inputs += n;
        } else {
            for (int64_t i = 0; i < n; i++)
                inputs[i] = (float)((states[i] - network->centre[j]) / network->width[j]);
        }
        inputs += n;
    }
}

/* Fills p (A, stride apart) from q (A, n apart). Returns false if a value is not finite. */
static bool choose(const float *q, int64_t n, int actions, double temperature, double *p,
                   int64_t stride) {
    int best = 0;
    double sum = 0;
    for (int a = 0; a < actions; a++) {
        if (!isfinite(q[a * n]))
            return false;
        if (q[a * n] > q[best * n])
            best = a;
    }
    for (int a = 0; a < actions; a++) {
        double gap = (double)q[a * n] - (double)q[best * n];
        p[a * stride] = temperature > 0 ? exp(gap / temperature) : a == best;
        sum += p[a * stride];
    }
    for (int a = 0; a < actions; a++)
        p[a * stride] /= sum;
    return true;
}

static bf_status probabilities(const bf_policy *self, const double *states, int64_t n, double *p,
                               bf_error *err) {
    const bf__network *network = (const bf__network *)self;
    double tile[BF__NETWORK_MAX_STATE * TILE];
    float inputs[BF__NETWORK_MAX_INPUTS * TILE], q[BF__NETWORK_MAX_ACTIONS * TILE];
    for (int64_t begin = 0; begin < n; begin += TILE) {
        int64_t count = n - begin < TILE ? n - begin : TILE;
        for (int j = 0; j < self->state_dim; j++)
            memcpy(tile + j * count, states + j * n + begin, (size_t)count * sizeof *tile);
        bf__network_encode(network, tile, count, inputs);
        bf__mlp_predict(&network->net, network->parameters, inputs, count, q);
        for (int64_t i = 0; i < count; i++)
            if (!choose(q + i, count, self->actions, network->temperature, p + begin + i, n))
                return bf_fail(err, BF_EPOLICY,
                               "%s: has no finite action values at state %lld: it lies too far "
                               "from what the network was trained on",
                               self->name, (long long)(begin + i));
    }
    return BF_OK;
}

void bf__network_finish(bf__network *network) {
    network->base.kind = "network";
    network->base.actions = network->net.size[network->net.layers];
    network->base.probabilities = probabilities;
}

static bool claims(const char *path, const unsigned char *head, size_t length) {
    (void)path;
    return length >= strlen(BF__NETWORK_MAGIC) &&
           memcmp(head, BF__NETWORK_MAGIC, strlen(BF__NETWORK_MAGIC)) == 0;
}

const bf__policy_kind bf__policy_network = {
    .name = "network",
    .summary = "action values by a network, as backflow train writes them",
    .claims = claims,
    .read = bf__network_read,
};
