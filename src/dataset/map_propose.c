/* map_propose.c - What the columns of a file probably are, by their names.
 *
 * Names are compared without case, with spaces, dots, dashes and brackets as underscores, and
 * without a number at their end: S0, obs[1], Observation.2 and next_obs_0 are known. The list holds
 * the words of Gymnasium, D4RL, Minari, RLDS and of tables that people made themselves. */
#include "dataset/map_propose.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"

enum {
    STATE,
    NEXT,
    ACTION,
    REWARD,
    EPISODE,
    TIME,
    TERMINATED,
    TRUNCATED,
    WEIGHT,
    DURATION,
    MU,
    MEANINGS
};

static const struct {
    const char *word, *names; /* between spaces */
    bool numbered;            /* obs_0 as well as obs */
} meanings[MEANINGS] = {
    [STATE] = {"state", " s state states obs observation observations feature features ", true},
    [NEXT] = {"next_state",
              " ns next_state next_states next_obs next_observation next_observations s_next "
              "obs_next next_s ",
              true},
    [ACTION] = {"action", " a act action actions ", true},
    [REWARD] = {"reward", " r rew reward rewards ", false},
    [EPISODE] = {"episode",
                 " episode episodes episode_id ep ep_id traj traj_id trajectory trajectory_id "
                 "patient patient_id subject_id user_id session session_id id ",
                 false},
    [TIME] = {"t", " t step steps time timestep time_step timestamp charttime ", false},
    [TERMINATED] = {"terminated",
                    " terminated termination terminations terminal terminals is_terminal done "
                    "dones died ",
                    false},
    [TRUNCATED] = {"truncated", " truncated truncation truncations timeout timeouts ", false},
    [WEIGHT] = {"weight", " sample_weight sampling_weight row_weight importance_weight ", false},
    [DURATION] = {"duration", " step_duration time_delta delta_t sojourn_time ", false},
    [MU] = {"mu", " mu propensity pscore behavior_prob behavior_probability action_prob ", false},
};

/* The name as the list has it, between spaces; *number says if a number was at its end. */
static void plain_name(char text[80], const char *name, bool *number) {
    size_t length = 0, end;
    text[length++] = ' ';
    for (; *name && length < 70; name++) {
        char c = (char)tolower((unsigned char)*name);
        if (c == ']')
            continue;
        text[length++] = (char)(strchr(" .-[", c) ? '_' : c);
    }
    for (end = length; end > 2 && isdigit((unsigned char)text[end - 1]); end--)
        ;
    *number = end < length;
    if (*number && text[end - 1] == '_' && end > 2)
        end--;
    text[end] = ' ';
    text[end + 1] = '\0';
}

static int meaning_of(const char *name) {
    char text[80];
    bool number;
    plain_name(text, name, &number);
    for (int m = 0; m < MEANINGS; m++)
        if (strstr(meanings[m].names, text) && (!number || meanings[m].numbered))
            return m;
    return MEANINGS;
}

/* Whether the name can stand in a mapping without quotes. */
static bool needs_quotes(const char *name) {
    return strpbrk(name, " ,=\"\t*#:") || !*name;
}

bf_status bf__map_propose(const char **out, const bf__found *found, bf_arena *arena,
                          bf_error *err) {
    const char *const *names = found->arrays ? found->arrays : found->names;
    size_t room = 64, used = 0;
    int *meaning, count[MEANINGS] = {0};
    char *text;
    *out = NULL;
    BF_ALLOC(meaning, arena, found->count, err);
    for (int c = 0; c < found->count; c++) {
        bool again = c > 0 && strcmp(names[c], names[c - 1]) == 0; /* the same array */
        meaning[c] = again || strlen(names[c]) > 64 ? MEANINGS : meaning_of(names[c]);
        if (meaning[c] < MEANINGS && !meanings[meaning[c]].numbered && count[meaning[c]])
            meaning[c] = MEANINGS; /* the first one */
        if (meaning[c] < MEANINGS)
            count[meaning[c]]++;
        room += strlen(names[c]) + 16;
    }
    if (!count[STATE] || !count[ACTION] || !count[REWARD] || room > 700)
        return BF_OK; /* a long text helps nobody */
    BF_ALLOC(text, arena, (int64_t)room, err);
    for (int m = 0; m < MEANINGS; m++) {
        const char *before = used ? " " : "";
        int put = 0;
        for (int c = 0; c < found->count; c++)
            if (meaning[c] == m) {
                const char *quote = needs_quotes(names[c]) ? "\"" : "";
                used += (size_t)snprintf(text + used, room - used, "%s%s%s%s%s%s",
                                         put ? "," : before, put ? "" : meanings[m].word,
                                         put ? "" : "=", quote, names[c], quote);
                put++;
            }
    }
    *out = text;
    return BF_OK;
}
