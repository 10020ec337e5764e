/* network.c - Any text as what stands below the checksum of a network policy. The checksum is made
 * right first: otherwise nothing behind it would ever be reached. */
#include "fuzz.h"

#include "policy/network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 128);
    uint64_t hash = 14695981039346656037u;
    size_t length = 0;
    while (length < size && data[length])
        hash = (hash ^ data[length++]) * 1099511628211u;
    int head =
        snprintf(text, 128, BF__NETWORK_MAGIC "1\nchecksum %016llx\n", (unsigned long long)hash);
    memcpy(text + head, data, length);
    text[(size_t)head + length] = '\0';
    bf_arena *arena = new_arena();
    bf_error err;
    const bf_policy *policy;
    bf_status status = bf__network_parse(&policy, "fuzz", text, arena, &err);
    free(text);
    if (status != BF_OK) {
        must_explain(status, &err);
    } else {
        enum { MOST_NUMBERS = 16, MOST_ACTIONS = 32 };
        double state[MOST_NUMBERS] = {0}, p[MOST_ACTIONS], sum = 0;
        int actions = bf_policy_actions(policy);
        MUST(actions > 0 && actions <= MOST_ACTIONS && policy->state_dim <= MOST_NUMBERS);
        status = bf_policy_probabilities(policy, state, policy->state_dim, 1, p, &err);
        for (int a = 0; a < actions && status == BF_OK; a++) {
            MUST(p[a] >= 0 && p[a] <= 1);
            sum += p[a];
        }
        if (status == BF_OK)
            MUST(fabs(sum - 1) < 1e-5);
        else
            must_explain(status, &err);
    }
    bf_arena_destroy(arena);
    return 0;
}
