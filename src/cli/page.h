/* page.h - --report: answers as a page of HTML. */
#ifndef BF_CLI_PAGE_H
#define BF_CLI_PAGE_H

#include "cli/cli.h"

/* Each writes the page to `path`, whole or not at all; does nothing if it is NULL. The page has the
 * reward over the first steps, whether it was asked for or not, if the log allows it. */
bf_status bf__page_of_answer(bf__tool *tool, const char *path, const bf_answer *answer,
                             const bf_settings *settings, bf_error *err);
bf_status bf__page_of_methods(bf__tool *tool, const char *path, const bf_comparison *comparison,
                              bf_error *err);
bf_status bf__page_of_policies(bf__tool *tool, const char *path, const bf_contest_answer *answer,
                               const bf_settings *settings, bf_error *err);

#define BF__REPORT_HELP                                                                            \
    "FILE: Also a page of HTML that needs nothing else: the answer, what it rests on, where the "  \
    "target goes, and what to keep in mind, for somebody who did not run it."

#endif
