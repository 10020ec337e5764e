/* weights.c - How the weight is spread: over rows, over episodes, and the rows that have most. */
#include <math.h>
#include <string.h>

#include "core/fail.h"
#include "page/charts.h"
#include "page/html.h"
#include "page/sections.h"
#include "report/summary.h"

enum { TOP = 10, CLASSES = 10, SHOWN = 8 }; /* rows and episodes; sizes of weights; columns */

/* The indices of the largest of x (n), in order; returns how many. */
static int largest(int64_t *top, const double *x, int64_t n) {
    int count = 0;
    for (int64_t i = 0; i < n; i++) {
        if (count == TOP && !(x[i] > x[top[TOP - 1]]))
            continue;
        int at = count < TOP ? count++ : TOP - 1;
        for (; at > 0 && x[i] > x[top[at - 1]]; at--)
            top[at] = top[at - 1];
        top[at] = i;
    }
    return count;
}

/* How many rows have weights of which size, and how much of the weight is theirs. */
static void sizes(FILE *out, const double *w, int64_t n) {
    static const char *const names[CLASSES] = {
        "none",         "below 1/8",    "1/8 to 1/4",   "1/4 to 1/2",    "1/2 to 1",
        "1 to 2 times", "2 to 4 times", "4 to 8 times", "8 to 16 times", "above 16 times"};
    double rows[CLASSES] = {0}, mass[CLASSES] = {0}, most = 0;
    int last = 0;
    for (int64_t i = 0; i < n; i++) {
        double times = w[i] * (double)n;
        int k = !(times > 0) ? 0 : times < 0.125 ? 1 : times < 16 ? 5 + (int)floor(log2(times)) : 9;
        rows[k] += 1.0 / (double)n;
        mass[k] += w[i];
        last = k > last ? k : last;
    }
    for (int k = 0; k < CLASSES; k++)
        most = fmax(most, fmax(rows[k], mass[k]));
    bf__column c = {.count = last + 1, .values = true};
    for (int k = 0; k <= last; k++) {
        snprintf(c.label[k], BF__LABEL, "%s", names[k]);
        c.logged[k] = rows[k];
        c.target[k] = mass[k];
    }
    fputs("<p class=\"key soft\"><span class=\"l\">share of the rows</span><span class=\"t\">share "
          "of the weight</span></p>\n",
          out);
    bf__chart_bars(out, &c);
}

static bf_status episodes(FILE *out, const bf_dataset *data, const double *w, bf_arena *arena,
                          bf_error *err) {
    double *share, shown = 0;
    int64_t top[TOP];
    char text[128], name[96];
    BF_ZALLOC(share, arena, data->episodes, err);
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            share[e] += w[data->order[j]];
    int count = largest(top, share, data->episodes);
    for (int k = 0; k < count; k++)
        shown += share[top[k]];
    char episodes_text[32];
    snprintf(text, sizeof text, "The %d largest of %s episodes have %.3g%% of the weight.", count,
             bf__grouped(data->episodes, episodes_text), 100 * shown);
    bf__html_element(out, "p", text);
    fputs("<div class=\"rows\">\n", out);
    for (int k = 0; k < count; k++) {
        snprintf(text, sizeof text, "%.3g%%", 100 * share[top[k]]);
        bf__chart_bar(out, bf_dataset_episode_name(data, top[k], name, sizeof name), share[top[k]],
                      share[top[0]], text);
    }
    fputs("</div>\n", out);
    return BF_OK;
}

/* The episode of each of the rows; -1 if there are none. */
static void find_episodes(int64_t *out, const bf_dataset *data, const int64_t *rows, int count) {
    for (int k = 0; k < count; k++)
        out[k] = -1;
    for (int64_t e = 0; e < data->episodes; e++)
        for (int64_t j = data->begin[e]; j < data->begin[e + 1]; j++)
            for (int k = 0; k < count; k++)
                if (data->order[j] == rows[k])
                    out[k] = e;
}

static void cell(FILE *out, double value) {
    fprintf(out, "<td class=\"n\">%.6g</td>", value);
}

static void category(FILE *out, const char *name) {
    bf__html_element(out, "td", name ? name : "");
}

/* Whether column number `shown` of the state, which begins at j, is shown as its own. */
static bool more_inputs(const bf_dataset *data, int j, int shown) {
    return data->states == 0 && j < data->state_dim && shown < SHOWN;
}

/* "line 118" or "row 117": the page names the file elsewhere, if it is one. Of several, the name
 * without its folder. */
static const char *place(const bf_dataset *data, int64_t i, char *text, size_t size) {
    char where[256];
    const char *path = data->source_count > 0 ? data->sources[0].path : "";
    const char *slash = strrchr(bf_dataset_where(data, i, where, sizeof where), '/');
    const char *rest = where + strlen(path);
    if (data->source_count != 1 || strncmp(where, path, strlen(path)) != 0)
        snprintf(text, size, "%s", slash ? slash + 1 : where);
    else if (data->sources[0].by_line)
        snprintf(text, size, "line %s", rest + strspn(rest, ": "));
    else
        snprintf(text, size, "%s", rest + strspn(rest, ": "));
    return text;
}

static void row(FILE *out, const bf_dataset *data, int64_t i, int64_t episode, double times) {
    char text[256];
    fputs("<tr>", out);
    bf__html_element(out, "td", place(data, i, text, sizeof text));
    if (data->episodes > 0)
        bf__html_element(out, "td",
                         episode < 0 ? ""
                                     : bf_dataset_episode_name(data, episode, text, sizeof text));
    fprintf(out, "<td class=\"n\">%.3g</td>", times);
    if (data->states > 0)
        bf__html_element(out, "td",
                         bf_dataset_state_label(data, (int64_t)data->state[i], text, sizeof text));
    for (int j = 0, shown = 0, together; more_inputs(data, j, shown); j += together, shown++) {
        together = bf__inputs_together(data, j);
        if (together > 1)
            category(out, bf__category_at(data, j, together, i));
        else
            cell(out, data->state[j * data->n + i]);
    }
    if (data->action)
        bf__html_element(out, "td",
                         bf_dataset_action_name(data, data->action[i], text, sizeof text));
    for (int k = 0; k < data->action_dim && k < SHOWN; k++)
        cell(out, data->action_vector[k * data->n + i]);
    cell(out, data->reward[i]);
    fputs("</tr>\n", out);
}

static void heaviest(FILE *out, const bf_dataset *data, const double *w) {
    int64_t top[TOP], episode[TOP];
    int count = largest(top, w, data->n), j = 0;
    char text[96];
    find_episodes(episode, data, top, count);
    fputs("<div class=\"wide\"><table>\n<tr><th>row</th>", out);
    fputs(data->episodes > 0 ? "<th>episode</th>" : "", out);
    fputs("<th class=\"n\">times the mean</th>", out);
    if (data->states > 0)
        bf__html_element(out, "th", bf__input_name(data, 0, text, sizeof text));
    for (int shown = 0; more_inputs(data, j, shown); j += bf__inputs_together(data, j), shown++)
        bf__html_element(out, bf__inputs_together(data, j) > 1 ? "th" : "th class=\"n\"",
                         bf__input_name(data, j, text, sizeof text));
    if (data->action)
        fputs("<th>action</th>", out);
    for (int k = 0; k < data->action_dim && k < SHOWN; k++)
        bf__html_element(out, "th class=\"n\"", bf__action_part_name(data, k, text, sizeof text));
    fputs("<th class=\"n\">reward</th></tr>\n", out);
    for (int k = 0; k < count; k++)
        row(out, data, top[k], episode[k], w[top[k]] * (double)data->n);
    fputs("</table></div>\n", out);
    if ((data->states == 0 && j < data->state_dim) || data->action_dim > SHOWN)
        fprintf(out,
                "<p class=\"soft\">The first %d columns of states and actions are shown.</p>\n",
                SHOWN);
}

bf_status bf__page_weights(FILE *out, const bf_answer *answer, int level, bf_arena *arena,
                           bf_error *err) {
    const bf_dataset *data = answer->problem->data;
    double *w, sum = 0;
    BF_ALLOC(w, arena, data->n, err);
    for (int64_t i = 0; i < data->n; i++)
        sum += answer->estimate->weights[i];
    for (int64_t i = 0; i < data->n; i++)
        w[i] = answer->estimate->weights[i] / sum;
    bf__html_heading(out, level, "Weights",
                     "Every row of the log has a weight: how often the target passes there. If few "
                     "rows or episodes carry most of it, the answer rests on them.");
    bf__html_element(out, "h4", "Sizes, as multiples of the mean weight");
    sizes(out, w, data->n);
    if (data->episodes > 1) {
        bf__html_element(out, "h4", "Episodes with the largest share");
        BF_TRY(episodes(out, data, w, arena, err));
    }
    bf__html_element(out, "h4", "Rows with the largest weight");
    heaviest(out, data, w);
    return BF_OK;
}
