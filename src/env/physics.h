/* physics.h - What the classic-control environments share. */
#ifndef BF_ENV_PHYSICS_H
#define BF_ENV_PHYSICS_H

#include <math.h>

#define BF__PI 3.14159265358979323846

static inline double bf__clip(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

/* The angle in [-pi, pi). */
static inline double bf__wrap(double angle) {
    double turn = angle + BF__PI;
    if (!(turn >= 0 && turn < 2 * BF__PI)) { /* most angles need no division */
        turn = fmod(turn, 2 * BF__PI);
        if (turn < 0)
            turn += 2 * BF__PI;
    }
    return turn - BF__PI;
}

/* Puts all probability of p on `action`. */
static inline void bf__choose(double *p, int actions, int action) {
    for (int a = 0; a < actions; a++)
        p[a] = a == action;
}

#endif
