/* student.c - Quantiles of Student's t.
 *
 * P(T <= -t) = I_x(df/2, 1/2) / 2 with x = df / (df + t^2) and I the regularised incomplete beta
 * function, by its continued fraction (Numerical recipes calls it betacf; here in the form of
 * Lentz). The quantile is found by bisection: it is wanted once per answer. */
#include "trust/student.h"

#include <math.h>

/* The continued fraction of I_x(a, b), which converges fast for x < (a + 1) / (a + b + 2). */
static double fraction(double a, double b, double x) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m <= 1000; m++) {
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;
        for (int half = 0; half < 2; half++) {
            double term = half == 0 ? even : odd;
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            step *= d * c;
        }
        h *= step;
        if (fabs(step - 1) < 1e-16)
            break;
    }
    return h;
}

static double incomplete_beta(double a, double b, double x) {
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
                                     : 1 - front * fraction(b, a, 1 - x) / b;
}

double bf__student_cdf(double t, double df) {
    double tail = 0.5 * incomplete_beta(0.5 * df, 0.5, df / (df + t * t));
    return t > 0 ? 1 - tail : tail;
}

double bf__student_quantile(double p, double df) {
    double low = 0, high = 1, tail = p > 0.5 ? 1 - p : p;
    while (bf__student_cdf(-high, df) > tail && high < 1e300)
        high *= 2;
    for (int step = 0; step < 200 && high - low > 1e-15 * high; step++) {
        double middle = 0.5 * (low + high);
        if (bf__student_cdf(-middle, df) > tail)
            low = middle;
        else
            high = middle;
    }
    return p > 0.5 ? 0.5 * (low + high) : -0.5 * (low + high);
}
