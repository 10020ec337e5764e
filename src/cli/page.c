/* page.c - --report: answers as a page of HTML. */
#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

/* ---- What made it */

static bool is_plain(const char *word) {
    return *word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                 "_-./=,:@+%") == strlen(word);
}

/* The command line, quoted as a shell would want it. */
static bf_status command_line(const char **out, const bf__tool *tool, bf_error *err) {
    size_t room = 16;
    for (int k = 1; k < tool->argc; k++)
        room += 4 * strlen(tool->argv[k]) + 4;
    char *text, *at;
    BF_ALLOC(text, tool->arena, (int64_t)room, err);
    at = stpcpy(text, "backflow");
    for (int k = 1; k < tool->argc; k++) {
        const char *word = tool->argv[k];
        *at++ = ' ';
        if (is_plain(word)) {
            at = stpcpy(at, word);
            continue;
        }
        *at++ = '\'';
        for (; *word; word++)
            if (*word == '\'')
                at = stpcpy(at, "'\\''");
            else
                *at++ = *word;
        *at++ = '\'';
    }
    *at = '\0';
    *out = text;
    return BF_OK;
}

static bf_status options_of(bf_page_options *out, const bf__tool *tool, bf_error *err) {
    *out = (bf_page_options){.size = sizeof *out};
    return command_line(&out->command, tool, err);
}

/* ---- Reward over the first steps */

/* As far as the log's longest episode twice over, and at least 1,000 steps. */
static int64_t furthest(const bf_dataset *data) {
    const int64_t *begin;
    int64_t longest = 0, episodes = bf_dataset_episodes(data, &begin, NULL, NULL);
    for (int64_t e = 0; e < episodes; e++)
        if (begin[e + 1] - begin[e] > longest)
            longest = begin[e + 1] - begin[e];
    return 2 * longest < 1000 ? 1000 : 2 * longest > 5000 ? 5000 : 2 * longest;
}

/* *out is NULL if the log does not allow it, which the page says. */
static bf_status first_steps(const bf_horizon **out, bf__tool *tool, const bf_problem *problem,
                             const bf_estimate *estimate, const bf_settings *settings,
                             bf_error *err) {
    int64_t steps = furthest(problem->data);
    bf_error cause;
    bf_status status = bf_horizon_measure(out, estimate, problem, settings, &steps, 1, NULL,
                                          &tool->context, tool->arena, &cause);
    if (status == BF_OK)
        return BF_OK;
    *out = NULL;
    if (status != BF_ENOMEM && status != BF_ECANCELLED)
        return BF_OK;
    *err = cause;
    return status;
}

/* ---- Pages */

static bf_status write_page(const bf__tool *tool, const char *path, const char *html,
                            bf_error *err) {
    char *text;
    BF_ALLOC(text, tool->arena, (int64_t)strlen(html) + 1, err);
    strcpy(text, html);
    bf__flags(text);
    return bf_file_write(path, text, strlen(text), err);
}

bf_status bf__page_of_answer(bf__tool *tool, const char *path, const bf_answer *answer,
                             const bf_settings *settings, bf_error *err) {
    bf_page_options page;
    bf_answer shown = *answer;
    const char *html;
    if (!path)
        return BF_OK;
    if (!shown.horizon)
        BF_TRY(first_steps(&shown.horizon, tool, answer->problem, answer->estimate, settings, err));
    BF_TRY(options_of(&page, tool, err));
    BF_TRY(bf_report_html(&html, &shown, &page, tool->arena, err));
    return write_page(tool, path, html, err);
}

bf_status bf__page_of_methods(bf__tool *tool, const char *path, const bf_comparison *comparison,
                              bf_error *err) {
    bf_page_options page;
    bf_comparison shown = *comparison;
    bf_answer *answers;
    const bf_horizon *horizon;
    const char *html;
    if (!path)
        return BF_OK;
    BF_ALLOC(answers, tool->arena, comparison->answer_count, err);
    BF_TRY(first_steps(&horizon, tool, comparison->problem, NULL, NULL, err));
    for (int k = 0; k < comparison->answer_count; k++) {
        answers[k] = comparison->answers[k];
        answers[k].horizon = horizon;
    }
    shown.answers = answers;
    BF_TRY(options_of(&page, tool, err));
    BF_TRY(bf_report_table_html(&html, &shown, &page, tool->arena, err));
    return write_page(tool, path, html, err);
}

bf_status bf__page_of_policies(bf__tool *tool, const char *path, const bf_contest_answer *answer,
                               const bf_settings *settings, bf_error *err) {
    bf_page_options page;
    bf_contest_answer shown = *answer;
    const bf_horizon *horizons[BF_MOST_POLICIES + 1];
    bf_contestant e;
    const char *html;
    if (!path)
        return BF_OK;
    for (int k = 0; bf_contest_entry(answer->contest, k, &e); k++) {
        horizons[k] = NULL;
        if (!e.log)
            BF_TRY(first_steps(&horizons[k], tool, e.problem, e.estimate, settings, err));
    }
    shown.horizons = horizons;
    BF_TRY(options_of(&page, tool, err));
    BF_TRY(bf_report_contest_html(&html, &shown, &page, tool->arena, err));
    return write_page(tool, path, html, err);
}
