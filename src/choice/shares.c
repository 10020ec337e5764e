/* shares.c - How much of an answer is whose, if several methods were asked.
 *
 *     share_k = left_k certain_k,   left_{k-1} = left_k - share_k,   left = 1 for the last
 *     certain = (much - doubt) / (much - little), from 0 to 1
 *
 * from the boldest, the last, to the first, which has what is left to it. A voice that is certain
 * of itself leaves nothing. So the answer does not jump where a doubt passes a limit.
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

/* How many of the voices that count are below voice k. */
static int below(const bf__voice *voice, int count, int k) {
    int sum = 0;
    for (int j = 0; j < count; j++)
        sum += (j == 0 || certain(&voice[j]) > 0) &&
               (voice[j].value < voice[k].value || (voice[j].value == voice[k].value && j < k));
    return sum;
}

/* Moves `part` of the answer to the median of the voices that count. */
static void to_the_middle(double *share, const bf__voice *voice, int count, double part) {
    int heard = 1;
    for (int k = 1; k < count; k++)
        heard += certain(&voice[k]) > 0;
    for (int k = 0; k < count; k++) {
        bool counts = k == 0 || certain(&voice[k]) > 0;
        int at = below(voice, count, k);
        bool lower = counts && at == (heard - 1) / 2, upper = counts && at == heard / 2;
        share[k] = (1 - part) * share[k] + part * (lower + upper) / 2;
    }
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
    share[0] = left;
    to_the_middle(share, voice, count, voice[0].proven);
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
