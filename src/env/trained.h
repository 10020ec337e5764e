/* trained.h - The networks of policies/, as the text of their files. The build turns them into
 * C. */
#ifndef BF_ENV_TRAINED_H
#define BF_ENV_TRAINED_H

#define BF__TRAINED_SUMMARY "a network that backflow train made"

extern const char bf__trained_pendulum[];
extern const char bf__trained_mountaincar[];
extern const char bf__trained_cartpole[];
extern const char bf__trained_acrobot[];

#endif
