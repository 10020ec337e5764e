/* clusters.h - What may be taken for independent: the units that a log is split by. */
#ifndef BF_TRUST_CLUSTERS_H
#define BF_TRUST_CLUSTERS_H

#include "backflow/trust.h"
#include "dataset/dataset.h"

typedef struct bf__clusters {
    int64_t count;     /* J; below 2 there is no interval */
    const int32_t *of; /* (n): the cluster of a row */
    const char *kind;  /* "episode", "column", "block" */
    const char *none;  /* if count is 0: why, as a sentence */
} bf__clusters;

/* The clusters of a log: the values of `column` (n) if it is given, which have to be the same all
 * along an episode; else blocks of `block` consecutive rows if that is above 0; else its episodes.
 * `name` is the column's, for messages. */
bf_status bf__clusters_make(bf__clusters *out, const bf_dataset *data, const double *column,
                            const char *name, int64_t block, bf_arena *arena, bf_error *err);

/* The same, as the options have it. */
bf_status bf__clusters_for(bf__clusters *out, const bf_dataset *data, const bf_trust_options *how,
                           bf_arena *arena, bf_error *err);

/* part (count): which of `parts` parts each cluster is dealt to, at random, as evenly as the count
 * allows. Depends on seed and replicate alone. */
void bf__clusters_deal(int32_t *part, int64_t count, int parts, uint64_t seed, const char *purpose,
                       uint64_t replicate);

/* share (count): the part of the sum of w (n) that each cluster has; w NULL: of the rows. Returns
 * the effective number of clusters, 1 / sum of the squared shares. */
double bf__clusters_share(double *share, const bf__clusters *clusters, const double *w, int64_t n);

#endif
