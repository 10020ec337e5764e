/* plain.c - The losses of loss.c as their equations read, in double. */
#include <math.h>

#include "neural/loss.h"

double bf__neural_value_plain(double *slope, const double *k, const double *weights, int64_t n,
                              double spread) {
    double sum = 0, top = 0;
    for (int64_t i = 0; i < n; i++)
        sum += weights[i];
    for (int64_t i = 0; i < n; i++) {
        slope[i] = spread * weights[i];
        for (int64_t j = 0; j < n; j++)
            slope[i] += k[i * n + j] * weights[j];
        top += weights[i] * slope[i];
    }
    for (int64_t i = 0; i < n; i++)
        slope[i] = 2 * slope[i] / top - 2 / sum;
    return log(top) - 2 * log(sum);
}

double bf__neural_batch_plain(double *slope, const double *k, const double *weights, int64_t batch,
                              int64_t n, double spread) {
    double b = (double)batch, all = (double)n, sum = 0, top = 0;
    double pair = all * (all - 1) / (b * (b - 1)), same = all / b;
    for (int64_t i = 0; i < batch; i++)
        sum += same * weights[i];
    for (int64_t i = 0; i < batch; i++) {
        slope[i] = same * (k[i * batch + i] + spread) * weights[i];
        for (int64_t j = 0; j < batch; j++)
            slope[i] += i == j ? 0 : pair * k[i * batch + j] * weights[j];
        top += weights[i] * slope[i];
    }
    for (int64_t i = 0; i < batch; i++)
        slope[i] = 2 * slope[i] / (sum * sum) - 2 * top * same / (sum * sum * sum);
    return top / (sum * sum);
}
