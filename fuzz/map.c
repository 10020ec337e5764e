/* map.c - Any bytes as a mapping of a small log, given as text and as a file. */
#include "fuzz.h"

static const char log_text[] = "s0,s1,ward,a,r,ns0,ns1,p:x,p y,id,2nd\n"
                               "1,2,ICU,go,1,3,4,.5,.5,a,1\n3,4,home,stay,2,5,6,.25,.75,a,0\n";

static void read_with(const char *map) {
    char path[64];
    const char *paths[] = {path};
    bf_arena *arena = new_arena();
    bf_error err;
    bf_context context = {.threads = 1};
    const bf_dataset *log;
    int file = file_of((const uint8_t *)log_text, sizeof log_text - 1, path);
    bf_read_options options = {.format = "csv", .map = {1, {map}}};
    bf_status status = bf_dataset_read(&log, paths, 1, &options, &context, arena, &err);
    if (status != BF_OK) {
        must_explain(status, &err);
    } else {
        char name[64];
        MUST(bf_dataset_rows(log) > 0);
        for (int j = 0; j < bf_dataset_state_dim(log); j++)
            MUST(bf_dataset_state_name(log, j, name, sizeof name)[0] != '\0');
    }
    close(file);
    bf_arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char at[80] = "@", path[64];
    int file = file_of(data, size, path);
    read_with(strcat(at, path));
    close(file);
    char *text = malloc(size + 1);
    MUST(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    if (text[0] != '@') /* it would name a file of this machine */
        read_with(text);
    free(text);
    return 0;
}
