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
    double temperature;      /* softmax(Q / temperature); 0: greedy, and the first of equals wins */
    bf__mlp net;             /* one output per action */
    const float *parameters; /* as mlp.h lays them out */
} bf__network;

/* Fills in what follows from the other fields: `kind`, and the function that is asked. */
void bf__network_finish(bf__network *network);

int bf__network_inputs(const bf__network *network); /* inputs of the net; an angle counts twice */
/* Fills the inputs (inputs, n) of the net from states (d, n). */
void bf__network_encode(const bf__network *network, const double *states, int64_t n, float *inputs);

/* Writes the network as a policy file. network_file.c describes the file. */
#define BF__NETWORK_MAGIC "backflow network policy "
bf_status bf__network_write(const bf__network *network, const char *path, bf_error *err);
bf_status bf__network_read(bf_policy **out, const char *path, const bf__bytes *bytes,
                           bf_arena *arena, bf_error *err);
/* Reads the network from the text of such a file. Messages show `name` instead of a path. */
bf_status bf__network_parse(const bf_policy **out, const char *name, const char *text,
                            bf_arena *arena, bf_error *err);

#endif
