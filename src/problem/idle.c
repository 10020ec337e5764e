/* idle.c - State columns that nothing drives and that drive nothing.
 *
 * A table has columns that mean nothing for the question: noise, a room number, the time of day. In
 * a search for neighbours such a column counts as much as the others, and tears those apart that
 * are near in all that matters. A column is left out if
 *
 *   nothing drives it   its change is told as well by its own value as by all columns and the
 *                       action: positions, levels and doses never pass this
 *   it drives nothing   without it, the reward, the end of an episode, what the target does and the
 *                       changes of the other columns are told as well
 *   it is in the way    without it and its like, one of the first three is told clearly better
 *
 * "Told" is by local linear regression on the nearest rows of other episodes and the same action;
 * the errors of the same rows are compared. All columns that nothing drives are left out at first,
 * and those brought back without which something is told worse; so of two copies one stays. If the
 * log cannot say, all stay: leaving out a column that counts costs more than keeping one that does
 * not.
 *
 * What a column drives may be rare, such as a meal that is likelier at noon. A small log shows it
 * to nobody, a large one does: the rows that are looked at grow with the log.
 *
 * Cost  a look (400 rows among 5,000) at every log, some hundredths of a second; then, for every
 *       column that nothing drives, a tenth of up to 200,000 rows, or 1,200 */
#include "problem/idle.h"

#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "dataset/dataset.h"

enum { FEW_ROWS = 500, FEW_EPISODES = 5, FEW_TOLD = 100, MANY = 12 };
/* Rows that are looked at, and those of them that are told from the others: at first, and of many
 * candidates; of few, up to MOST rows and a tenth of them. */
enum { LOOK = 5000, LOOK_PICKS = 400, MOST = 200000, SHARE = 10, LEAST_PICKS = 1200 };

/* By how much what is told has to differ, in variances of what is told, and in standard errors. */
static const double driven_share = 0.02, worse_share = 0.002, clearly = 2, better = -3;

/* By how much the errors of column c of `now` are above those of `before`: in the mean, and in
 * standard errors of it. */
typedef struct change {
    double mean, steps;
} change;

static change compare(const double *now, const double *before, const bf__told *t, int c) {
    double sum = 0, squares = 0, count = 0;
    for (int64_t p = 0; p < t->picks; p++) {
        double gap = now[p * t->told + c] - before[p * t->told + c];
        if (!isfinite(gap))
            continue;
        sum += gap;
        squares += gap * gap;
        count++;
    }
    if (count < FEW_TOLD)
        return (change){0, 0};
    double mean = sum / count, variance = fmax(0, squares / count - mean * mean);
    return (change){mean, mean / (sqrt(variance / count) + 1e-12)};
}

/* Whether something drives the changes of a column: all columns and the action tell them better
 * than its own value does. */
static bf_status is_driven(bool *out, const bf__told *t, const double *full, double *alone,
                           int column, bf_arena *arena, bf_error *err) {
    bool *in;
    BF_ZALLOC(in, arena, t->d, err);
    for (int c = 0; c < t->d; c++)
        in[c] = t->column[c] == column;
    BF_TRY(bf__told_errors(alone, t, in, false, arena, err));
    *out = false;
    for (int c = 0; c < t->d; c++) {
        change gap = compare(alone, full, t, t->roots + c);
        *out = *out || (in[c] && gap.mean > driven_share && gap.steps > clearly);
    }
    return BF_OK;
}

/* The most that something is told better by `now` than by `before`, in standard errors below 0; of
 * what depends on no column, or also of the changes of those in `in`. */
static double gain(const bf__told *t, const double *now, const double *before, const bool *in) {
    double best = 0;
    for (int c = 0; c < (in ? t->told : t->roots); c++) {
        change gap = compare(now, before, t, c);
        if ((c < t->roots || in[c - t->roots]) && gap.mean < -worse_share)
            best = fmin(best, gap.steps);
    }
    return best;
}

/* Whether something, or the change of a column in `in`, is told worse by `now`. */
static bool is_worse(const bf__told *t, const double *now, const double *before, const bool *in) {
    return gain(t, before, now, in) < -clearly;
}

/* Leaves all candidates out and brings those back without which something is told worse, the one
 * that is missed most first. If all columns still tell something better, none is left out. */
static bf_status leave_out(bool *idle, int columns, const bf__told *t, bf_arena *arena,
                           bf_error *err) {
    int64_t size = t->picks * t->told;
    double *full, *now, *tried, *best;
    bool *in;
    BF_ALLOC(full, arena, size, err);
    BF_ALLOC(now, arena, size, err);
    BF_ALLOC(tried, arena, size, err);
    BF_ALLOC(best, arena, size, err);
    BF_ALLOC(in, arena, t->d, err);
    for (int c = 0; c < t->d; c++)
        in[c] = true;
    BF_TRY(bf__told_errors(full, t, in, true, arena, err));
    for (int c = 0; c < t->d; c++)
        in[c] = !idle[t->column[c]];
    BF_TRY(bf__told_errors(now, t, in, true, arena, err));
    for (int missed = 0; missed >= 0;) {
        double most = -clearly;
        missed = -1;
        for (int j = 0; j < columns; j++) {
            if (!idle[j])
                continue;
            for (int c = 0; c < t->d; c++)
                in[c] = !idle[t->column[c]] || t->column[c] == j;
            BF_TRY(bf__told_errors(tried, t, in, true, arena, err));
            for (int c = 0; c < t->d; c++)
                in[c] = !idle[t->column[c]];
            double steps = gain(t, tried, now, in);
            if (steps < most) {
                most = steps;
                missed = j;
                memcpy(best, tried, (size_t)size * sizeof *best);
            }
        }
        if (missed >= 0) {
            idle[missed] = false;
            memcpy(now, best, (size_t)size * sizeof *now);
        }
    }
    for (int c = 0; c < t->d; c++)
        in[c] = !idle[t->column[c]];
    if (is_worse(t, now, full, in) || !(gain(t, now, full, NULL) < better))
        memset(idle, 0, (size_t)columns * sizeof *idle);
    return BF_OK;
}

/* The rows by which candidates are weighed. */
static bf_status make_weigh(bf__told *out, int candidates, const bf__located *log, bf_arena *arena,
                            bf_error *err) {
    int64_t n = log->data->n < MOST ? log->data->n : MOST;
    if (candidates > MANY)
        return bf__told_make(out, LOOK, LOOK_PICKS, log, arena, err);
    return bf__told_make(out, n, n / SHARE < LEAST_PICKS ? LEAST_PICKS : n / SHARE, log, arena,
                         err);
}

bf_status bf__idle_columns(bool *idle, int *found, const bf__located *log, bf_arena *arena,
                           bf_error *err) {
    const bf_dataset *data = log->data;
    int columns = data->state_dim, candidates = 0;
    memset(idle, 0, (size_t)columns * sizeof *idle);
    *found = 0;
    if (columns < 2 || data->n < FEW_ROWS ||
        (data->episodes > 0 && bf__episodes_own(data) < FEW_EPISODES))
        return BF_OK;
    bf_mark mark = bf_arena_mark(arena);
    bf__told look = {.n = 0}, weigh = {.n = 0};
    double *full, *alone;
    bool *in;
    BF_TRY(bf__told_make(&look, LOOK, LOOK_PICKS, log, arena, err));
    BF_ALLOC(full, arena, look.picks * look.told, err);
    BF_ALLOC(alone, arena, look.picks * look.told, err);
    BF_ALLOC(in, arena, look.d, err);
    for (int c = 0; c < look.d; c++)
        in[c] = true;
    BF_TRY(bf__told_errors(full, &look, in, true, arena, err));
    for (int j = 0; j < columns; j++) {
        bool driven;
        BF_TRY(is_driven(&driven, &look, full, alone, j, arena, err));
        idle[j] = !driven;
        candidates += !driven;
    }
    if (candidates == columns)
        memset(idle, 0, (size_t)columns * sizeof *idle);
    else if (candidates > 0) {
        BF_TRY(make_weigh(&weigh, candidates, log, arena, err));
        BF_TRY(leave_out(idle, columns, &weigh, arena, err));
    }
    for (int j = 0; j < columns; j++)
        *found += idle[j];
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
