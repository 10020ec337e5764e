/* test_folds.c - Folds of whole episodes: what is in each, whatever the lengths of the episodes. */
#include "harness.h"

#include "problem/folds.h"

TEST_ARENA;

enum { MOST = 4000, EPISODES = 64 };

/* A log of episodes of these lengths, its rows in reverse order. */
static bf_dataset log_of(const int64_t *length, int64_t episodes) {
    static int64_t begin[EPISODES + 1], order[MOST];
    bf_dataset data = {.episodes = episodes, .begin = begin, .order = order};
    for (int64_t e = 0; e < episodes; e++) {
        begin[e] = data.n;
        data.n += length[e];
    }
    begin[episodes] = data.n;
    for (int64_t i = 0; i < data.n; i++)
        order[i] = data.n - 1 - i;
    return data;
}

/* Rows of each fold. */
static const int32_t *cut(int64_t *rows, const bf_dataset *data, int folds, uint64_t seed) {
    const int32_t *fold;
    bf_context context = {.threads = 1, .seed = seed};
    assert_ok(bf__folds_make(&fold, data, folds, "test", &context, arena, &err), err);
    for (int k = 0; k < folds; k++)
        rows[k] = 0;
    for (int64_t i = 0; i < data->n; i++) {
        assert_in_range(fold[i], 0, folds - 1);
        rows[fold[i]]++;
    }
    return fold;
}

static void assert_whole(const int32_t *fold, const bf_dataset *data) {
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            assert_int_equal(fold[data->order[j]], fold[data->order[data->begin[e]]]);
}

static void folds_are_of_whole_episodes(void **state) {
    (void)state;
    int64_t length[EPISODES], rows[4];
    for (int64_t e = 0; e < EPISODES; e++)
        length[e] = 20 + e % 7;
    bf_dataset data = log_of(length, EPISODES);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_whole(cut(rows, &data, 4, seed), &data);
        for (int k = 0; k < 4; k++) /* an episode more or less */
            assert_in_range(rows[k], data.n / 4 - 26, data.n / 4 + 26);
    }
}

/* Found on a log of three episodes of one row and one of three thousand: a member of fqe had no row
 * to learn from, and the answer was NaN. */
static void one_giant_episode(void **state) {
    (void)state;
    const int64_t length[] = {1, 1, 1, 3000};
    int64_t rows[4];
    bf_dataset data = log_of(length, 4);
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (int folds = 2; folds <= 4; folds++) {
            assert_whole(cut(rows, &data, folds, seed), &data);
            for (int k = 0; k < folds; k++)
                assert_true(rows[k] < data.n);
        }
}

static void few_episodes_are_cut(void **state) {
    (void)state;
    const int64_t length[] = {90, 10};
    int64_t rows[4];
    bf_dataset data = log_of(length, 2);
    cut(rows, &data, 4, 1);
    for (int k = 0; k < 4; k++)
        assert_int_equal(rows[k], 25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        arena_test(folds_are_of_whole_episodes),
        arena_test(one_giant_episode),
        arena_test(few_episodes_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
