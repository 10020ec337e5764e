/* sections.h - The parts of a page about one answer. */
#ifndef BF_PAGE_SECTIONS_H
#define BF_PAGE_SECTIONS_H

#include <stdio.h>

#include "backflow/report.h"

/* The answer and how far it can be trusted: what is read first. */
void bf__page_headline(FILE *out, const bf_answer *answer);

/* Why the answer may be wrong, and what to do about it. */
void bf__page_reasons(FILE *out, const bf_answer *answer, int level);

/* Where the target goes, actions, weights, balance, horizon, diagnostics; headings of `level`. */
bf_status bf__page_answer(FILE *out, const bf_answer *answer, int level, bf_arena *arena,
                          bf_error *err);

/* How the weight is spread: over rows, over episodes, and the rows that have most of it. */
bf_status bf__page_weights(FILE *out, const bf_answer *answer, int level, bf_arena *arena,
                           bf_error *err);

/* What was asked, of which log, with what: settings, versions, the command (may be NULL). */
bf_status bf__page_settings(FILE *out, const bf_problem *problem, const bf_filled *settings,
                            int settings_count, const char *method, const char *command,
                            bf_error *err);

#endif
