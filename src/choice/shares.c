/* shares.c - How much of an answer is whose, if several methods were asked.
 *
 *     share_k = left_k certain_k,   left_{k-1} = left_k - share_k,   left = 1 - proven / 2 for the
 * last certain = (much - doubt) / (much - little), from 0 to 1
 *
 * from the boldest, the last, to the first, which has proven / 2 and what is left to it. A voice
 * that is certain of itself leaves nothing. If there is as much to say for the first as there can
 * be, nothing tells which of two that are sure of themselves is right: each has a half. So the
 * answer does not jump where a doubt passes a limit.
 *
 * A voice that stops short finds too little of the difference between target and log: it does not
 * look far enough ahead. A bolder one that is in doubt and finds even less has lost the target,
 * like a simulated robot that falls too early, and has no share. */
#include "choice/shares.h"

#include <math.h>

static double certain(const bf__voice *voice) {
    double of_all = (voice->much - voice->doubt) / (voice->much - voice->little);
    return voice->counts ? fmin(fmax(of_all, 0), 1) : 0;
}

/* Whether a voice that stops short and has something to say finds more than voice k does. */
static bool outdone(const bf__voice *voice, int k, double mean) {
    for (int j = 1; j < k; j++) {
        double found = voice[j].value - mean;
        if (voice[j].stops_short && certain(&voice[j]) > 0 &&
            copysign(1, found) * (voice[k].value - mean) < fabs(found))
            return true;
    }
    return false;
}

double bf__shares(double *share, bf__voice *voice, int count, double mean) {
    double left = 1 - voice[0].proven / 2;
    for (int k = count - 1; k > 0; k--) {
        double most = certain(&voice[k]);
        voice[k].outdone = most > 0 && most < 1 && outdone(voice, k, mean);
        share[k] = voice[k].outdone ? 0 : left * most;
        left -= share[k];
    }
    share[0] = left + voice[0].proven / 2;
    return left;
}
