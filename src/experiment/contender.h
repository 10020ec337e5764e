/* contender.h - Methods as experiments name them: an estimator, its options, and its looks. */
#ifndef BF_EXPERIMENT_CONTENDER_H
#define BF_EXPERIMENT_CONTENDER_H

#include "estimator/answer.h"

typedef struct bf__contender {
    const char *name;  /* in files and options: "ips-linear" */
    const char *label; /* in figures */
    const char *estimator;
    const char *options;   /* "variant=neural steps=400"; "" for the defaults */
    const char *colour;    /* the same in every figure; the next two tell methods apart in grey */
    int point, dash;       /* gnuplot's numbers */
    double second_per_10k; /* rough processor time at 10,000 transitions */
    const char *interval;  /* "full" or "fast": its runs measure an interval, too; NULL: none */
    const char *view;      /* the log as it is shown to it (view.h); NULL: as it is */
    double gamma; /* of a method whose answers have no return of an episode: the reward up to the
                     end is discounted by this, which is nearly 1; 0: they have */
    bool walks;   /* answers with the return within the time limit, by walking that far along the
                     chain of the log (backflow/detail.h) */
} bf__contender;

/* Finds a contender of the list, or any estimator by its name with its default options. The latter
 * is made in `arena`. */
bf_status bf__contender_find(const bf__contender **out, const char *name, bf_arena *arena,
                             bf_error *err);

/* Entry `index` of the list; NULL past the end. */
const bf__contender *bf__contender_at(int index);

/* The estimator and its settings for a problem: some are tuned per problem, as in the paper. */
bf_status bf__contender_prepare(const bf_estimator **out, const bf_settings **settings,
                                const bf__contender *contender, const char *problem,
                                bf_arena *arena, bf_error *err);

#endif
