/* large.h - Logs that do not fit into memory: `estimate` in passes over pieces of its files. */
#ifndef BF_CLI_LARGE_H
#define BF_CLI_LARGE_H

#include "cli/opening.h"
#include "cli/question.h"
#include "cli/team.h"

typedef struct bf__large_options {
    double max_memory; /* GB; 0: as much as it takes */
    int64_t sample;    /* rows */
    const char *work;  /* a folder for what is finished; NULL: none */
} bf__large_options;

#define BF__LARGE_ROWS(type, at)                                                                   \
    BF_OPTION_ROW("max_memory", type, at max_memory, "0", 0, 1e6, NULL,                            \
                  "GB: If the log would take more than this, read its files in pieces, a few "     \
                  "times (docs/scale.md). Finite states are counted, all of them; real-valued "    \
                  "ones are weighed, all of them, by what a sample of episodes says; for "         \
                  "anything else, the sample stands for the log. 0: no limit.",                    \
                  NULL),                                                                           \
        BF_OPTION_ROW("sample", type, at sample, "50000", 1, 1e9, NULL, "N: Rows of that sample.", \
                      NULL)

#define BF__WORK_ROW(type, at)                                                                     \
    BF_OPTION_ROW("work", type, at work, NULL, 0, 0, NULL,                                         \
                  "DIR: Keep every finished reading of the files there; an estimate that was "     \
                  "interrupted goes on from the last one.",                                        \
                  NULL)

/* A log that is read in pieces. */
typedef struct bf__large {
    const bf__large_options *options;
    bf__tool *tool;
    bf_stream *stream;
    const bf_policy *policy; /* the target; NULL: in the log */
    bf_whole whole;
    int readings;   /* how many were asked for so far, this one too */
    char *question; /* what the folder has to be about; NULL: there is no folder */
} bf__large;

/* Whether the files are to be read in pieces. */
bf_status bf__large_wanted(bool *out, const bf__large_options *options, const bf__tool *tool,
                           const bf__opening *with, bf_error *err);

/* The first reading: the question on a sample of the log. */
bf_status bf__large_load(bf__large *out, bf__question *q, bf__tool *tool,
                         const bf__large_options *options, const bf__asked *asked,
                         const bf__opening *with, bf_error *err);

/* Whether the method answers from counts of the whole log; then *estimate and *trust do so, after
 * two more readings. */
bf_status bf__large_answer(bool *counted, const bf_estimate **estimate, const bf_trust **trust,
                           bf__large *large, const bf__question *q, const bf__opening *with, int k,
                           bf_error *err);

/* Closes files. A log that was not read in pieces, all zero, is fine. */
void bf__large_close(bf__large *large);

#endif
