/* html.h - A page of HTML: text that cannot break it, its beginning with the style, its end. */
#ifndef BF_PAGE_HTML_H
#define BF_PAGE_HTML_H

#include <stdbool.h>
#include <stdio.h>

#include "report/marks.h"

/* Text of the user: whatever is in it is shown and not interpreted. Bytes that are no UTF-8 are
 * shown as U+FFFD. */
void bf__html_put(FILE *out, const char *text);

/* The same for sentences of ours, in which names of fields stand in backquotes. */
void bf__html_say(FILE *out, const char *text);

/* `<tag>text</tag>`; the tag may have attributes. */
void bf__html_element(FILE *out, const char *tag, const char *text);

/* A heading of level 2 or 3, and a sentence under it; NULL: none. */
void bf__html_heading(FILE *out, int level, const char *title, const char *sentence);

/* good, look or bad as a badge; nothing if there is no mark. */
void bf__html_mark(FILE *out, bf__mark mark);

void bf__html_begin(FILE *out, const char *title);
void bf__html_end(FILE *out);

#endif
