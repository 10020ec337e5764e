/* shares.c - How much of an answer is whose, if several methods were asked.
 *
 *     share_k = left_k certain_k,   left_{k-1} = left_k - share_k,   left = 1 for the last
 *     certain = (much - doubt) / (much - little), from 0 to 1
 *
 * from the boldest, the last, to the second. A voice that is certain of itself leaves nothing. So
 * the answer does not jump where a doubt passes a limit. What all of them leave goes to the median
 * of all that say something, be they certain or not: far from neighbours the first is no safer than
 * the others. If fewer than three say something there is no middle, and it goes to the first.
 *
 * If there is something to say for the first as well, as much of the answer is the median of what
 * all say: methods of different kinds seldom miss in the same way, and the middle one of three is
 * right if any two are. Of two it is the mean.
 *
 * A voice that stops short mostly finds too little of the difference between target and log: it
 * does not look far enough ahead. A bolder one that finds clearly less still has lost the target,
 * like a simulated robot that falls too early. It loses its share, as far as the other is certain,
 * and all of it if it is in doubt by half itself. If both are certain, one of them is wrong, and
 * the answer is their mean. What it lacks counts from `hardly` of the difference on, and wholly
 * from `clearly` on: the other may find too much as well, and that they agree so far is no doubt of
 * either. So nothing jumps. */
#include "choice/shares.h"

#include <math.h>

enum { MAJORITY = 3 };                            /* of fewer voices none is in the middle */
static const double hardly = 0.15, clearly = 0.3; /* less, as a share of what the other finds */

static double certain(const bf__voice *voice) {
    return voice->counts ? bf__falls(voice->doubt, voice->little, voice->much) : 0;
}

/* How certain a voice is, from 0 to 1, that stops short and finds more than voice k does, and how
 * clearly more. */
static double outdone(const bf__voice *voice, int k, double mean) {
    double most = 0;
    for (int j = 1; j < k; j++) {
        double found = voice[j].value - mean, lacks = 1 - (voice[k].value - mean) / found;
        if (voice[j].stops_short && found != 0)
            most = fmax(most, certain(&voice[j]) * (1 - bf__falls(lacks, hardly, clearly)));
    }
    return most;
}

/* Whether voice k is heard where the middle is looked for: if it is certain to some degree, or, if
 * `all`, if it says anything. The first always is. */
static bool heard(const bf__voice *voice, int k, bool all) {
    return k == 0 || (all ? voice[k].speaks : certain(&voice[k]) > 0);
}

static int hear(const bf__voice *voice, int count, bool all) {
    int sum = 0;
    for (int k = 0; k < count; k++)
        sum += heard(voice, k, all);
    return sum;
}

/* The part of voice k in the median of those that are heard: 1, 0.5 if there are two in the middle,
 * or 0. */
static double in_the_middle(const bf__voice *voice, int count, int k, bool all) {
    int below = 0, sum = hear(voice, count, all);
    if (!heard(voice, k, all))
        return 0;
    for (int j = 0; j < count; j++)
        below += heard(voice, j, all) &&
                 (voice[j].value < voice[k].value || (voice[j].value == voice[k].value && j < k));
    return ((below == (sum - 1) / 2) + (below == sum / 2)) / 2.0;
}

void bf__shares(double *share, bf__voice *voice, int count, double mean) {
    double left = 1;
    for (int k = count - 1; k > 0; k--) {
        double most = certain(&voice[k]);
        voice[k].outdone = most > 0 ? outdone(voice, k, mean) : 0;
        double keeps = fmax(0, most - 0.5);
        share[k] = left * most * (1 - voice[k].outdone * (1 - keeps));
        left -= share[k];
    }
    bool all = hear(voice, count, true) >= MAJORITY;
    share[0] = 0;
    for (int k = 0; k < count; k++) {
        share[k] += left * (all ? in_the_middle(voice, count, k, true) : k == 0);
        share[k] += voice[0].proven * (in_the_middle(voice, count, k, false) - share[k]);
    }
}

void bf__shares_of_three(double share[3], const double value[3], double second, double reach) {
    double mean = value[0] + second * (value[1] - value[0]);
    double to_second = value[1] - mean, to_third = value[2] - mean;
    share[0] = 1 - second;
    share[1] = second;
    share[2] = 0;
    if (!(to_second * to_third > 0))
        return;
    int nearer = fabs(to_second) <= fabs(to_third) ? 1 : 2;
    double part = fmin(reach / fabs(value[nearer] - mean), 1);
    for (int k = 0; k < 3; k++)
        share[k] *= 1 - part;
    share[nearer] += part;
}
