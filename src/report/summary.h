/* summary.h - An answer in sentences, which the text and the page share. */
#ifndef BF_REPORT_SUMMARY_H
#define BF_REPORT_SUMMARY_H

#include "report/marks.h"
#include "report/report.h"

#define BF__SENTENCE 1536 /* room for one */

/* "1,234,567" */
const char *bf__grouped(int64_t value, char text[32]);

/* `value` with as many digits as its interval is worth; six if it has none. */
const char *bf__rounded(double value, const bf_interval *interval, char text[32]);

/* " (95% interval 0.1 to 0.3)", or "" if the level is 0. */
const char *bf__interval_text(const bf_interval *interval, char text[96]);

/* "per step", "per step at gamma 0.9", or "per unit of time". */
const char *bf__per_step(const bf_problem *problem, char text[64]);

/* "sound"; "cannot tell: few-rows, one-row". */
void bf__verdict_words(char *out, size_t size, const bf_trust *trust);

/* "blackbox with tabular weights". */
void bf__method_text(char *out, size_t size, const bf_answer *answer);

/* The answer: value, interval, the log's own mean, the verdict and why. */
void bf__summary_answer(char out[BF__SENTENCE], const bf_answer *answer);

/* What episodes of the target earn and how long they last; false if it is not known. */
bool bf__summary_episodes(char out[BF__SENTENCE], const bf_answer *answer);

/* If methods were asked and one answers: who it is, or what another one said, and why. False if
 * there is no part i. */
bool bf__summary_part(char out[BF__SENTENCE], const bf_estimate *estimate, int i);

typedef struct bf__line {
    bf__mark mark;
    char text[BF__SENTENCE];
} bf__line;

/* What else to say, at most `room` lines, the gravest first; returns how many. If reasons are left
 * out, the last line says how many. */
int bf__summary_lines(bf__line *out, int room, const bf_answer *answer);

/* Prints reasons one after the other: all of them with their advice apart, or the first `most`. */
typedef struct bf__teller {
    FILE *out;
    bool verbose;
    int most, said, left;
} bf__teller;

void bf__tell_reason(bf__teller *teller, const char *about, const bf_warning *reason);
/* How many were left out. */
void bf__tell_end(bf__teller *teller);

/* A line under an answer: the mark, and the text broken beside it. */
void bf__marked(FILE *out, bf__mark mark, const char *text);

#endif
