/* policy.c - Any bytes as a policy file: a table as text or as an array, or a network. What is
 * accepted answers with probabilities. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[64];
    bf_arena *arena = new_arena();
    bf_error err;
    const bf_policy *policy;
    int file = file_of(data, size, path);
    bf_status status = bf_policy_read(&policy, path, arena, &err);
    if (status != BF_OK) {
        must_explain(status, &err);
    } else {
        int actions = bf_policy_actions(policy);
        const double state = 0;
        double *p = malloc((size_t)actions * sizeof *p), sum = 0;
        MUST(actions > 0 && p);
        status = bf_policy_probabilities(policy, &state, 1, 1, p, &err);
        for (int a = 0; a < actions && status == BF_OK; a++) {
            MUST(p[a] >= 0 && p[a] <= 1 + 1e-6);
            sum += p[a];
        }
        if (status == BF_OK)
            MUST(fabs(sum - 1) < 1e-5);
        else
            must_explain(status, &err);
        free(p);
    }
    close(file);
    bf_arena_destroy(arena);
    return 0;
}
