/* survey.c - What is in a log, in numbers and in words.
 *
 * The words are about what spoils an estimate later: columns that were not understood, actions
 * never seen, next states that are not the next rows', a policy that is missing where restarts
 * will ask for it. The numbers are those of a pass (pass/survey.h), so that a log may be of any
 * size. */
#include "report/survey.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/fail.h"
#include "core/numeric.h"
#include "dataset/extreme.h"

static bf_status note(bf__survey *out, bf_arena *arena, bf_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bf_status note(bf__survey *out, bf_arena *arena, bf_error *err, const char *format, ...) {
    char *text;
    va_list arguments;
    if (out->note_count == BF__NOTES)
        return BF_OK;
    BF_ALLOC(text, arena, 1280, err);
    va_start(arguments, format);
    locale_t before = bf__numeric_begin();
    vsnprintf(text, 1280, format, arguments);
    bf__numeric_end(before);
    va_end(arguments);
    out->notes[out->note_count++] = text;
    return BF_OK;
}

const char *bf__plural(int64_t count, const char *noun, char text[64]) {
    snprintf(text, 64, "%lld %s%s", (long long)count, noun, count == 1 ? "" : "s");
    return text;
}

static bf__range range_of(const bf__seen_column *c, int64_t n) {
    bf__range r = {.min = c->low, .max = c->high};
    bf__exact_sum_moments(&r.mean, &r.sd, &c->sum, &c->squares, n);
    r.sd = r.min == r.max ? 0 : c->too_large ? INFINITY : r.sd;
    return r;
}

/* The length of episode `place`, if they are in the order of their lengths. */
static int64_t length_at(const bf__seen *s, int64_t place) {
    int64_t k = 0;
    while (k + 1 < s->length_count && place >= s->lengths[k].count)
        place -= s->lengths[k++].count;
    return s->lengths[k].length;
}

static bf_status take_episodes(bf__survey *out, bf__seen *s, bf_error *err) {
    double starts;
    if (s->bag || s->episodes == 0)
        return BF_OK;
    BF_TRY(bf__distinct_count(&starts, &out->starts_counted, &s->starts, err));
    out->start_states = (int64_t)starts;
    out->shortest = s->lengths[0].length;
    out->median = length_at(s, s->episodes / 2);
    out->longest = s->lengths[s->length_count - 1].length;
    out->broken = s->steps ? (double)s->broken / (double)s->steps : 0;
    return BF_OK;
}

/* ---- Words */

/* A number that is too far from those of a few rows: the least or the greatest of its column. */
static bool find_extreme(bf__extreme *out, const bf__spot **where, const bf__seen *s,
                         double *values) {
    for (int c = s->states > 0 ? 2 * s->state_dim : 0; c < s->few.width && s->few.count; c++) {
        const bf__seen_column *column = &s->column[c];
        for (int64_t k = 0; k < s->few.count; k++)
            values[k] = s->few.values[s->few.rows[k].at * s->few.width + c];
        double limit = bf__extreme_limit(&out->middle, &out->usual, values, s->few.count);
        bool high = column->high - out->middle > limit;
        if (!high && !(out->middle - column->low > limit))
            continue;
        out->value = high ? column->high : column->low;
        *where = high ? &column->high_at : &column->low_at;
        if (c + 1 == s->few.width)
            snprintf(out->column, sizeof out->column, "r");
        else if (c >= 2 * s->state_dim)
            snprintf(out->column, sizeof out->column, "a%d", c - 2 * s->state_dim);
        else
            snprintf(out->column, sizeof out->column, c < s->state_dim ? "s%d" : "ns%d",
                     c % s->state_dim);
        return true;
    }
    return false;
}

static bf_status note_extreme(bf__survey *out, bf__seen *s, bf_arena *arena, bf_error *err) {
    bf__extreme x;
    char where[512];
    const bf__spot *spot;
    double *values;
    bool found;
    if (out->data) {
        found = bf__dataset_extreme(&x, out->data);
        if (found)
            bf_dataset_where(out->data, x.row, where, 256);
    } else {
        BF_ALLOC(values, arena, BF__FEW, err);
        bf__few_cut(&s->few);
        found = find_extreme(&x, &spot, s, values);
        if (found)
            bf__place_text(&(bf_source){spot->path, 0, spot->by_line, spot->by_episode}, spot->row,
                           where, sizeof where);
    }
    if (!found)
        return BF_OK;
    return note(out, arena, err,
                "%s: %s: %g is far from everything else in its column, where nine of ten numbers%s "
                "are within %g of %g: is it meant?",
                where, x.column, x.value, out->data ? "" : " of a sample", x.usual, x.middle);
}

/* What an action is called. */
static const char *action_name(const bf__survey *s, int a, char text[128]) {
    if (s->data)
        return bf_dataset_action_name(s->data, a, text, 128);
    snprintf(text, 128, "%d", a);
    return text;
}

static bf_status note_columns(bf__survey *out, const bf__seen *s, bf_arena *arena, bf_error *err) {
    char name[128];
    if (s->ignored)
        BF_TRY(
            note(out, arena, err, "columns that mean nothing here were ignored: %s", s->ignored));
    for (int j = 0; j < s->state_dim; j++)
        if (out->state[j].min == out->state[j].max)
            BF_TRY(note(out, arena, err, "state column %s is constant (%g): it tells nothing",
                        s->names[j], out->state[j].min));
    if (out->reward.min == out->reward.max)
        BF_TRY(note(out, arena, err, "the reward is always %g: every policy earns that",
                    out->reward.min));
    for (int a = 0; a < s->actions; a++)
        if (s->action_count[a] == 0)
            BF_TRY(note(out, arena, err,
                        "action %s was never taken: nothing is known about what follows it",
                        action_name(out, a, name)));
    if (s->states <= 0 && out->repeated > 0.01)
        BF_TRY(note(out, arena, err, "%s%.3g%% of the transitions are exact copies of earlier ones",
                    out->repeated_counted ? "" : "about ", 100 * out->repeated));
    return BF_OK;
}

static bf_status note_episodes(bf__survey *out, const bf__seen *s, bf_arena *arena, bf_error *err) {
    const bf_dataset *d = out->data;
    char text[64], gaps[512];
    if (d && bf_dataset_gaps_text(d, gaps, sizeof gaps))
        BF_TRY(note(out, arena, err, "%s", gaps));
    if (s->mirrored)
        BF_TRY(note(out, arena, err,
                    "every row counts as its mirror, too: half of the transitions and of the "
                    "episodes are mirrored ones"));
    if (d && d->rows_left_out)
        BF_TRY(note(out, arena, err, "%s left out at random, in whole episodes",
                    bf__plural(d->rows_left_out, "row", text)));
    if (s->dropped)
        BF_TRY(note(out, arena, err,
                    "%s dropped: the last row of an unterminated episode has no next state",
                    bf__plural(s->dropped, "row", text)));
    if (s->inferred)
        BF_TRY(note(out, arena, err,
                    "there is no column episode or t: episodes were told by the order of rows"));
    if (s->bag)
        BF_TRY(note(out, arena, err,
                    "no episodes: start states are not known, so terminated steps cannot restart "
                    "and `gamma` has to be 1; a column episode would help"));
    else if (!out->starts_counted)
        BF_TRY(note(out, arena, err,
                    "there are too many start states to be counted; how many is an estimate, right "
                    "to about a tenth of a percent"));
    if (out->broken > 0)
        BF_TRY(note(out, arena, err,
                    "in %.3g%% of the steps within an episode the next state is not the state of "
                    "the next row: are the rows complete and in order?",
                    100 * out->broken));
    return BF_OK;
}

static bf_status note_policy(bf__survey *out, const bf__seen *s, bf_arena *arena, bf_error *err) {
    if (!s->has[BF__HAS_NPI] && !s->has[BF__HAS_NA])
        BF_TRY(note(out, arena, err, "no target policy in the log (%s): `policy` will be needed",
                    s->action_dim ? "columns na0_0, ..." : "columns npi0, ..."));
    if (s->has[BF__HAS_NPI] && !s->has[BF__HAS_PI] && s->terminated)
        BF_TRY(note(out, arena, err,
                    "steps terminate, but the target policy at start states is not known (columns "
                    "pi0, ...): restarts will need `policy`"));
    return BF_OK;
}

bf_status bf__survey_take(bf__survey *out, const bf_pass *pass, const bf_dataset *data,
                          bf_arena *arena, bf_error *err) {
    bf__seen *s;
    double transitions;
    BF_TRY(bf__seen_of(&s, pass, err));
    if (s->rows == 0)
        return bf_fail(err, BF_EDATA, "there are no rows to look at");
    *out = (bf__survey){.seen = s, .data = data};
    BF_ALLOC(out->state, arena, s->state_dim, err);
    BF_ALLOC(out->action_vector, arena, s->action_dim, err);
    for (int j = 0; j < s->state_dim; j++)
        out->state[j] = range_of(bf__seen_state(s, j), s->rows);
    for (int k = 0; k < s->action_dim; k++)
        out->action_vector[k] = range_of(bf__seen_action(s, k), s->rows);
    out->reward = range_of(bf__seen_reward(s), s->rows);
    if (s->has[BF__HAS_WEIGHT])
        out->weight = range_of(bf__seen_weight(s), s->rows);
    if (s->has[BF__HAS_DURATION])
        out->duration = range_of(bf__seen_duration(s), s->rows);
    BF_TRY(bf__distinct_count(&transitions, &out->repeated_counted, &s->transitions, err));
    out->repeated = fmax(0, ((double)s->rows - transitions) / (double)s->rows);
    BF_TRY(take_episodes(out, s, err));
    BF_TRY(note_extreme(out, s, arena, err));
    BF_TRY(note_columns(out, s, arena, err));
    BF_TRY(note_episodes(out, s, arena, err));
    return note_policy(out, s, arena, err);
}
