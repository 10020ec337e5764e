/* acrobot.h - The equations of the acrobot, for tests of the variant that is not registered. */
#ifndef BF_ENV_ACROBOT_H
#define BF_ENV_ACROBOT_H

#include <stdbool.h>

/* One step of 0.2 from state (theta1, theta2, w1, w2) under a constant torque. Angles are wrapped
 * and speeds clipped. With `book`, the equations have the term in w1^2 of Sutton & Barto; without
 * it, they are those of the NIPS paper. */
void bf__acrobot_move(double *state, double torque, bool book);

#endif
