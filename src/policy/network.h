/* network.h - A policy from a network of action values, Q(s, .): how it is used and written. */
#ifndef BF_POLICY_NETWORK_H
#define BF_POLICY_NETWORK_H

#include <stdio.h>

#include "policy/kind.h"
#include "solver/mlp.h"

#define BF__NETWORK_MAX_STATE   16 /* numbers in a state */
#define BF__NETWORK_MAX_INPUTS  (2 * BF__NETWORK_MAX_STATE)
#define BF__NETWORK_MAX_ACTIONS 32

typedef struct bf__network {
    bf_policy base; /* kind "network" */
    const char *env, *command;
    const char *state_name[BF__NETWORK_MAX_STATE];
    bool angle[BF__NETWORK_MAX_STATE]; /* enters as cos, sin; otherwise (x - centre) / width */
    double centre[BF__NETWORK_MAX_STATE], width[BF__NETWORK_MAX_STATE];
    double temperature;      /* softmax(Q / temperature); 0: greedy, the first of equals */
    bf__mlp net;             /* one output per action */
    const float *parameters; /* as mlp.h lays them out */
} bf__network;

/* What is left to fill: `kind` and how it is asked, from the other fields. */
void bf__network_finish(bf__network *network);

int bf__network_inputs(const bf__network *network); /* of the net: an angle counts twice */
/* inputs (inputs, n) of the net from states (d, n). */
void bf__network_encode(const bf__network *network, const double *states, int64_t n, float *inputs);

/* The network as a policy file; network_file.c says what is in it. */
#define BF__NETWORK_MAGIC "backflow network policy "
bf_status bf__network_write(const bf__network *network, const char *path, bf_error *err);
bf_status bf__network_read(bf_policy **out, const char *path, const bf__bytes *bytes,
                           bf_arena *arena, bf_error *err);
/* The same from the text of such a file; `name` stands in messages where the path would. */
bf_status bf__network_parse(const bf_policy **out, const char *name, const char *text,
                            bf_arena *arena, bf_error *err);

#endif
