/* student.h - Quantiles of Student's t. */
#ifndef BF_TRUST_STUDENT_H
#define BF_TRUST_STUDENT_H

/* P(T <= t) for df > 0 degrees of freedom, which need not be whole. */
double bf__student_cdf(double t, double df);

/* The t with P(T <= t) = p, 0 < p < 1. */
double bf__student_quantile(double p, double df);

#endif
