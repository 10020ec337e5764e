/* html.c - A page of HTML: text that cannot break it, its beginning with the style, its end.
 *
 * The page is one file without scripts, fonts or pictures from elsewhere. Colours are variables
 * with two sets of values, for light and for dark screens. */
#include "page/html.h"

#include <string.h>

static const char *const style =
    ":root{--ink:#1b1e24;--soft:#565e6b;--paper:#fff;--card:#f4f5f8;--line:#d5d9e0;--log:#a3abb8;"
    "--target:#1f62b8;--good:#17694a;--look:#7d5700;--bad:#a8322a}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6e8ec;--soft:#a7afbc;--paper:#14171c;"
    "--card:#1e232a;--line:#39404b;--log:#6d7686;--target:#79b1ff}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:16px/1.5 system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;"
    "color:var(--ink);background:var(--paper);margin:0 auto;max-width:1100px;padding:1rem;"
    "overflow-wrap:anywhere}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.4rem 0}h2{font-size:1.2rem;margin:2.4rem 0 .2rem;"
    "border-top:1px solid var(--line);padding-top:1rem}h3{font-size:1.02rem;margin:1.5rem 0 .2rem}"
    "h4{font-size:.95rem;font-weight:600;margin:0 0 .2rem}\n"
    "p{margin:.3rem 0 .7rem}.soft{color:var(--soft)}a{color:var(--target)}code{font-size:.9em}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:.6rem;padding:1rem "
    "1.2rem;margin:1rem 0}\n"
    ".big{font-size:2.2rem;line-height:1.2;font-weight:650;margin:.2rem 0}"
    ".big small{font-size:1rem;font-weight:400;color:var(--soft)}\n"
    ".badge{display:inline-block;padding:0 .5rem;border-radius:.3rem;color:#fff;font-weight:600;"
    "font-size:.85rem;line-height:1.5;white-space:nowrap}.badge.good{background:var(--good)}"
    ".badge.look{background:var(--look)}.badge.bad{background:var(--bad)}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,300px),1fr));"
    "gap:1.4rem 1.8rem;margin:.8rem 0}.grid>div{min-width:0}\n"
    ".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));"
    "gap:1.2rem 2rem;margin:.8rem 0;max-width:840px}.two>div{min-width:0}\n"
    ".rows{display:grid;grid-template-columns:minmax(6rem,15rem) minmax(0,1fr) "
    "minmax(5.5rem,max-content);gap:.1rem .8rem;align-items:center;margin:.6rem 0;grid-auto-flow:"
    "row dense}.rows>div{grid-column:1}.rows .strip{grid-column:2}.rows .text{grid-column:3}"
    ".grid .rows{grid-template-columns:fit-content(9rem) minmax(4rem,1fr) max-content}"
    ".rows>*{min-width:0}.rows .text{font-size:.88rem;color:var(--soft);"
    "font-variant-numeric:tabular-nums}\n"
    "svg{display:block;width:100%;overflow:visible}\n"
    "svg text{font-size:12px;fill:var(--soft)}svg .axis{stroke:var(--line);stroke-width:1}"
    "svg .log{fill:var(--log)}svg .target{fill:var(--target)}svg .step{stroke:var(--target);"
    "stroke-width:2}svg .known{stroke:var(--ink);stroke-width:2}svg .logline{stroke:var(--log);"
    "stroke-width:2;stroke-dasharray:5 4}svg .point{fill:var(--ink)}svg .logpoint{fill:var(--log);"
    "stroke:var(--ink);stroke-width:1}svg .frame{fill:none;stroke:var(--line)}\n"
    ".key span::before{content:'';display:inline-block;width:.8rem;height:.8rem;"
    "margin:0 .35rem -.08rem 0;border-radius:.15rem}.key .l::before{background:var(--log)}"
    ".key .t::before{background:var(--target)}.key span{margin-right:1.2rem;white-space:nowrap}\n"
    "table{border-collapse:collapse;font-size:.88rem}th,td{text-align:left;vertical-align:top;"
    "padding:.3rem .7rem .3rem 0;border-bottom:1px solid var(--line)}th{font-weight:600}"
    "td:first-child{overflow-wrap:break-word}"
    ".n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".wide{overflow-x:auto}.wide td,.wide th{overflow-wrap:normal;white-space:nowrap}\n"
    "details{margin:1rem 0}details.answer{border:1px solid var(--line);border-radius:.6rem;"
    "padding:.2rem 1rem}summary{cursor:pointer;padding:.4rem 0;font-weight:600}\n"
    "ul.reasons{list-style:none;padding:0;margin:.5rem 0}ul.reasons li{margin:.5rem 0}"
    "ul.reasons p{margin:.1rem 0 0;color:var(--soft)}\n"
    "pre{white-space:pre-wrap;background:var(--card);padding:.6rem .8rem;border-radius:.4rem;"
    "font-size:.85rem}\n"
    "@media(max-width:620px){.rows,.grid .rows{grid-template-columns:minmax(0,1fr) max-content}"
    ".rows .text{grid-column:2}.rows .strip{grid-column:1/-1;margin-bottom:.3rem}"
    ".big{font-size:1.8rem}.card{padding:.8rem}}\n"
    "@media print{details:not([open])>*{display:revert}}\n";

/* ---- Text */

/* Length of the UTF-8 character at `text`, or 0 if there is none. */
static int character(const unsigned char *text) {
    int length = text[0] < 0x80                       ? 1
                 : text[0] >= 0xc2 && text[0] <= 0xdf ? 2
                 : (text[0] & 0xf0) == 0xe0           ? 3
                 : text[0] >= 0xf0 && text[0] <= 0xf4 ? 4
                                                      : 0;
    for (int k = 1; k < length; k++)
        if ((text[k] & 0xc0) != 0x80)
            return 0;
    if (length == 3 && ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f)))
        return 0;
    if (length == 4 && ((text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f)))
        return 0;
    return length;
}

static void put(FILE *out, const char *text, bool quotes) {
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        int length = character(at);
        const char *instead = length == 0                                  ? "&#xFFFD;"
                              : *at == '<'                                 ? "&lt;"
                              : *at == '>'                                 ? "&gt;"
                              : *at == '&'                                 ? "&amp;"
                              : *at == '"'                                 ? "&quot;"
                              : *at == '\''                                ? "&#39;"
                              : *at == '`' && quotes                       ? "&#96;"
                              : *at == 0x7f || (*at < 0x20 && *at != '\n') ? " "
                                                                           : NULL;
        if (instead)
            fputs(instead, out);
        else
            fwrite(at, 1, (size_t)length, out);
        at += length > 0 ? length : 1;
    }
}

void bf__html_put(FILE *out, const char *text) {
    put(out, text, true);
}

void bf__html_say(FILE *out, const char *text) {
    put(out, text, false);
}

void bf__html_element(FILE *out, const char *tag, const char *text) {
    fprintf(out, "<%s>", tag);
    bf__html_put(out, text);
    fprintf(out, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void bf__html_heading(FILE *out, int level, const char *title, const char *sentence) {
    fprintf(out, "<h%d>", level);
    bf__html_put(out, title);
    fprintf(out, "</h%d>\n", level);
    if (!sentence)
        return;
    fputs("<p class=\"soft\">", out);
    bf__html_say(out, sentence);
    fputs("</p>\n", out);
}

void bf__html_mark(FILE *out, bf__mark mark) {
    const char *name = bf__mark_name(mark);
    if (*name)
        fprintf(out, "<span class=\"badge %s\">%s</span>", name, name);
}

/* ---- The page */

void bf__html_begin(FILE *out, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n",
          out);
    bf__html_element(out, "title", title);
    fprintf(out, "\n<style>\n%s</style>\n</head>\n<body>\n", style);
}

void bf__html_end(FILE *out) {
    fputs("</body>\n</html>\n", out);
}
