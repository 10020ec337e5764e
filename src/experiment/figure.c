/* figure.c - Figures, drawn by gnuplot.
 *
 * The script is written into the folder with its data inside, so that a user can change it and run
 * it again. It draws every panel alone (for the page, which arranges them) and all panels on one
 * sheet (for papers). Files are drawn under another name first. They are renamed when gnuplot has
 * ended well. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/fail.h"
#include "core/output.h"
#include "experiment/files.h"

#define BESIDE   "new-" /* stands before a file's name until the file is complete */
#define MAX_ROWS 32
#define ASIDE    0.009 /* distance from one method to the next, as a share of the axis */
#define LEAST    1e-12 /* the smallest value that is drawn */
#define LETTER   9.0   /* width of a letter in pixels, a little too large */

extern char **environ;

/* ---- Data */

typedef struct series {
    const bf__contender *method[MAX_ROWS];
    int count;
    double x[BF_MAX_PLACES];
    int x_count;
} series;

static void list_series(series *out, const bf__study *study) {
    *out = (series){.count = 0};
    out->x_count = bf__study_places(study, out->x, BF_MAX_PLACES);
    for (int64_t g = 0; g < study->group_count; g++) {
        int i = 0;
        while (i < out->count && out->method[i] != study->groups[g].method)
            i++;
        if (i == out->count && i < MAX_ROWS)
            out->method[out->count++] = study->groups[g].method;
    }
}

/* The place at which x is drawn. Methods stand a little beside each other, so that their bars do
 * not cover each other. */
static double place(const bf__study *study, const series *s, int method, double x) {
    double aside = method - 0.5 * (s->count - 1), first = s->x[0], last = s->x[0];
    for (int i = 1; i < s->x_count; i++) {
        first = fmin(first, s->x[i]);
        last = fmax(last, s->x[i]);
    }
    switch (study->experiment->scale) {
    case BF_SCALE_LOG:
        return x * pow(last > first ? last / first : 2, ASIDE * aside);
    case BF_SCALE_LINEAR:
        return x + ASIDE * aside * (last > first ? last - first : 1);
    case BF_SCALE_RANK:
        break;
    }
    int rank = 0;
    while (s->x[rank] != x)
        rank++;
    return rank + ASIDE * aside * (s->x_count > 1 ? s->x_count - 1 : 1);
}

/* The number of columns of a key that is `width` pixels wide: as many as the longest label
 * allows. */
static int key_columns(const series *s, int width) {
    size_t longest = 1;
    for (int m = 0; m < s->count; m++) {
        size_t length = strlen(s->method[m]->label);
        longest = length > longest ? length : longest;
    }
    int columns = (int)(width / (LETTER * (double)longest + 80)); /* 80: line, gaps */
    return columns > 1 ? columns : 1;
}

/* Shares and answers are drawn on a linear axis. */
static bool is_linear(bf__quantity quantity) {
    return quantity == BF_SHOW_COVERED || quantity == BF_SHOW_ANSWERS;
}

/* A value and the ends of its bar. On a logarithmic axis a standard error is a factor. */
static void measure(const bf__run_group *g, bf__quantity quantity, double out[3]) {
    bf_mean m = quantity == BF_SHOW_BIAS ? g->spread.bias
                : quantity == BF_SHOW_SD ? g->spread.sd
                                         : g->spread.rmse;
    if (quantity == BF_SHOW_COVERED) {
        m = g->covering.covered;
        out[0] = m.value;
        out[1] = fmax(m.value - m.error, 0);
        out[2] = fmin(m.value + m.error, 1);
        return;
    }
    if (quantity == BF_SHOW_BOUND) {
        out[0] = out[1] = out[2] = g->covering.half;
        return;
    }
    if (quantity == BF_SHOW_ANSWERS) {
        double half = g->covering.answered > 0 ? g->covering.half : g->spread.sd.value;
        out[0] = g->truth.precise.value + g->spread.bias.value;
        out[1] = out[0] - half;
        out[2] = out[0] + half;
        return;
    }
    if (quantity == BF_SHOW_QUARTILES) {
        out[0] = g->spread.median;
        out[1] = g->spread.low;
        out[2] = g->spread.high;
        return;
    }
    out[0] = fabs(m.value);
    double factor = exp(fmin(m.error / out[0], 2.3)); /* at most a decade */
    out[1] = out[0] / factor;
    out[2] = out[0] * factor;
}

/* Says if the axis can show method m at the i-th place of panel p. On a logarithmic one a value
 * below LEAST is rounding error. If we drew it, the axis would stretch so far that nothing else
 * could be seen. */
static bool drawable(double y[3], const bf__study *study, const series *s, int p, int m, int i) {
    const bf__run_group *g =
        bf__study_find(study, s->method[m]->name, study->panels[p].of, s->x[i]);
    if (!g)
        return false;
    measure(g, study->panels[p].quantity, y);
    return (is_linear(study->panels[p].quantity) || y[0] > LEAST) && isfinite(y[2]);
}

static void write_data(FILE *file, const bf__study *study, const series *s) {
    double y[3];
    for (int p = 0; p < study->panel_count; p++)
        for (int m = 0; m < s->count; m++) {
            fprintf(file, "$p%dm%d << EOD\n", p, m);
            for (int i = 0; i < s->x_count; i++)
                if (drawable(y, study, s, p, m, i))
                    fprintf(file, "%.10g %.10g %.10g %.10g\n", place(study, s, m, s->x[i]), y[0],
                            is_linear(study->panels[p].quantity) || y[1] > LEAST ? y[1] : y[0],
                            y[2]);
            fputs("EOD\n", file);
        }
}

static bool is_empty(const bf__study *study, const series *s, int p) {
    double y[3];
    for (int m = 0; m < s->count; m++)
        for (int i = 0; i < s->x_count; i++)
            if (drawable(y, study, s, p, m, i))
                return false;
    return true;
}

/* ---- Drawing */

/* Methods without a line style of their own share one. They then differ by points and dashes. */
static void write_line(FILE *file, const series *s, int m) {
    static const int points[] = {2, 5, 9, 11, 13, 1, 3};
    const bf__contender *method = s->method[m];
    int point = method->point, dash = method->dash, before = 0;
    for (int i = 0; i < m; i++)
        before += strcmp(s->method[i]->colour, method->colour) == 0 &&
                  s->method[i]->point == method->point;
    if (before > 0) {
        point = points[before % (int)(sizeof points / sizeof *points)];
        dash = 1 + before % 5;
    }
    fprintf(file, "set style line %d lc rgb '%s' lw 2 dt %d pt %d ps 0.75\n", m + 1, method->colour,
            dash, point);
}

static void write_styles(FILE *file, const bf__study *study, const series *s) {
    const bf__experiment *e = study->experiment;
    double left = INFINITY, right = -INFINITY;
    fputs("set encoding utf8\nset grid lc rgb '#dddddd' lt 1\nset border lw 1 lc rgb '#333333'\n"
          "set tics nomirror\nset title offset 0,-0.4\nset xlabel offset 0,0.4\nset "
          "logscale y\nset format y '10^{%T}'\n"
          "set mytics 10\n",
          file);
    for (int m = 0; m < s->count; m++)
        write_line(file, s, m);
    fprintf(file, "set xlabel \"%s\"\nset ylabel \"%s\"\nset xtics (", e->x_label, e->y_label);
    for (int i = 0; i < s->x_count; i++) {
        double at = e->scale == BF_SCALE_RANK ? i : s->x[i];
        fprintf(file, "%s'%.10g' %.10g", i ? ", " : "", s->x[i], at);
        left = fmin(left, at);
        right = fmax(right, at);
    }
    fputs(")\n", file);
    if (e->scale == BF_SCALE_LOG) {
        double room = pow(right > left ? right / left : 2, 0.05);
        fprintf(file, "set logscale x\nset xrange [%.10g:%.10g]\n", left / room, right * room);
    } else {
        double room = right > left ? 0.08 * (right - left) : 1;
        fprintf(file, "set xrange [%.10g:%.10g]\n", left - room, right + room);
    }
}

static bool in_panel(const bf__study *study, const series *s, int p, int m) {
    for (int64_t g = 0; g < study->group_count; g++)
        if (study->groups[g].panel == study->panels[p].of &&
            study->groups[g].method == s->method[m])
            return true;
    return false;
}

/* The true value of a panel: that of its first group. */
static double truth_of(const bf__study *study, int p) {
    for (int64_t g = 0; g < study->group_count; g++)
        if (study->groups[g].panel == study->panels[p].of)
            return study->groups[g].truth.precise.value;
    return NAN;
}

/* The axis of a panel, and a dotted line if there is something to compare with. */
static void write_axis(FILE *file, const bf__study *study, const series *s, int p) {
    double truth = truth_of(study, p), room = 1.2 * fabs(truth);
    switch (study->panels[p].quantity) {
    case BF_SHOW_COVERED:
        fputs("unset logscale y\nset format y '%g'\nset yrange [0:1.05]\n"
              "plot 0.95 with lines lc rgb '#999999' dt 3 notitle, \\\n     ",
              file);
        return;
    case BF_SHOW_ANSWERS:    /* an answer that is farther away is out of the picture */
        if (isfinite(truth)) /* 10k: there is no room for five digits */
            fprintf(file,
                    "unset logscale y\nset format y '%s'\nset yrange [%.10g:%.10g]\n"
                    "unset label 1\nplot %.10g with lines lc rgb '#333333' dt 3 notitle, \\\n     ",
                    fabs(truth) + room < 1e4 ? "%g" : "%.0s%c", truth - room, truth + room, truth);
        else
            fputs("unset logscale y\nset yrange [0:1]\n"
                  "set label 1 'no true value' at graph 0.5,0.5 center\nplot ",
                  file);
        return;
    default:
        fputs(is_empty(study, s, p)
                  ? "set yrange [0.1:10]\nset label 1 'nothing above 0' at graph 0.5,0.5 center\n"
                  : "set yrange [*:*]\nunset label 1\n",
              file);
        fputs("plot ", file);
    }
}

/* Bars are arrows with flat heads. gnuplot's own bars are dashed like the line, so that short ones
 * lose their ends, and they have a hole around the point. The key consists of lines without data,
 * because gnuplot leaves out a line if it has nothing to draw for it. */
static void write_plot(FILE *file, const bf__study *study, const series *s, int p, bool key) {
    fprintf(file, "set title \"%s\"\n", study->panels[p].title);
    write_axis(file, study, s, p);
    for (int m = 0; m < s->count; m++) {
        fprintf(file,
                "%s$p%dm%d using 1:3:(0):($4-$3) with vectors heads size graph 0.008,90 ls %d "
                "lw 1.5 dt 1 notitle, \\\n     $p%dm%d using 1:2 with linespoints ls %d notitle",
                m ? ", \\\n     " : "", p, m, m + 1, p, m, m + 1);
        if (key && in_panel(study, s, p, m))
            fprintf(file, ", \\\n     NaN with linespoints ls %d title \"%s\"", m + 1,
                    s->method[m]->label);
    }
    fputs("\n", file);
}

/* Draws every panel alone, with its own key below. The drawing is small, so that its letters keep
 * their size on a telephone. It is higher if the key is longer. */
static void write_panels(FILE *file, const bf__study *study, const series *s) {
    const char *name = study->experiment->name;
    int width = 440, foot = 62 + 21 * s->count, height = 286 + foot;
    write_styles(file, study, s);
    fprintf(file,
            "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
            "set bmargin at screen %.4f\nset tmargin at screen %.4f\n"
            "set key at screen 0.5,%.4f center top vertical maxcols 1 Left reverse samplen 3 "
            "spacing 1\n",
            76.0 / width, 1 - 14.0 / width, (double)foot / height, 1 - 36.0 / height,
            (foot - 56.0) / height);
    for (int p = 0; p < study->panel_count; p++) {
        fprintf(file,
                "set terminal svg size %d,%d dynamic background 'white' font "
                "'Helvetica,Arial,sans-serif,14'\n"
                "set output folder.'%s-%d.svg'\n",
                width, height, name, p + 1);
        write_plot(file, study, s, p, true);
        fputs("unset output\n", file);
    }
    fputs("reset\n", file);
}

/* An empty plot over the whole width, up to `top`, that contains only the key. */
static void write_key(FILE *file, const series *s, int columns, double top) {
    fprintf(file,
            "set yrange [1:10]\nunset label 1\nunset title\nunset xlabel\nunset ylabel\nunset "
            "tics\nunset "
            "border\nunset grid\n"
            "set lmargin at screen 0.02\nset rmargin at screen 0.98\n"
            "set bmargin at screen 0.005\nset tmargin at screen %.4f\n"
            "set key inside center center horizontal maxcols %d Left reverse samplen 3 spacing "
            "1.3\n"
            "plot ",
            top, columns);
    for (int m = 0; m < s->count; m++)
        fprintf(file, "%sNaN with linespoints ls %d title \"%s\"", m ? ", " : "", m + 1,
                s->method[m]->label);
    fputs("\n", file);
}

/* All panels on one sheet, with one key at its foot. */
static void write_sheet(FILE *file, const bf__study *study, const series *s) {
    const char *name = study->experiment->name;
    int columns = study->panel_count > 1 ? 2 : 1;
    int rows = (study->panel_count + columns - 1) / columns;
    int width = 500 * columns, key = key_columns(s, width);
    int foot = 20 + 25 * ((s->count + key - 1) / key), height = 340 * rows + foot;
    static const char *const kinds[] = {"svg", "png"};
    for (int k = 0; k < 2; k++) {
        write_styles(file, study, s);
        if (k == 0)
            fprintf(file,
                    "set terminal svg size %d,%d dynamic background 'white' font "
                    "'Helvetica,Arial,sans-serif,14'\n",
                    width, height);
        else
            fprintf(file,
                    "set terminal pngcairo size %d,%d background 'white' font 'Sans,20' "
                    "linewidth 1.6 pointscale 2.4\n",
                    2 * width, 2 * height);
        fprintf(file,
                "set output folder.'%s.%s'\n"
                "set multiplot layout %d,%d margins screen %.4f,%.4f,%.4f,%.4f spacing screen "
                "%.4f,%.4f\n",
                name, kinds[k], rows, columns, 78.0 / width, 1 - 12.0 / width,
                (foot + 52.0) / height, 1 - 34.0 / height, 92.0 / width, 88.0 / height);
        fputs("unset key\n", file);
        for (int p = 0; p < study->panel_count; p++)
            write_plot(file, study, s, p, false);
        write_key(file, s, key, (double)foot / height);
        fputs("unset multiplot\nunset output\nreset\n", file);
    }
}

/* ---- Running gnuplot */

/* Runs gnuplot with `arguments` in `folder`. Its messages go to the file `said`. */
static bf_status spawn(int *exit_status, const char *folder, const char *said,
                       char *const arguments[], bf_error *err) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int failed = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed)
        return bf_fail(err, BF_EABSENT,
                       "gnuplot: cannot be run: %s; install it (Debian: gnuplot-nox), or leave out "
                       "the figures with --no-figures",
                       strerror(failed));
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return bf_fail(err, BF_EFILE, "gnuplot: %s", strerror(errno));
    *exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return BF_OK;
}

bf_status bf__figure_check(bf_error *err) {
    char *arguments[] = {"gnuplot", "--version", NULL};
    int status;
    BF_TRY(spawn(&status, "/", "/dev/null", arguments, err));
    if (status != 0)
        return bf_fail(err, BF_EABSENT,
                       "gnuplot: does not run here (status %d); install it (Debian: gnuplot-nox), "
                       "or leave out the figures with --no-figures",
                       status);
    return BF_OK;
}

static bf_status rename_drawing(const char *folder, const char *file, bf_error *err) {
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/" BESIDE "%s", folder, file);
    snprintf(to, sizeof to, "%s/%s", folder, file);
    if (rename(from, to) != 0)
        return bf_fail(err, BF_EFILE, "%s: cannot be written: %s", to, strerror(errno));
    return BF_OK;
}

static bf_status draw(const bf__study *study, const char *folder, bf_error *err) {
    const char *name = study->experiment->name;
    char script[256], said[4096], file[256], line[200] = "";
    int status;
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(said, sizeof said, "%s.log", name);
    char *arguments[] = {"gnuplot", "-e", "folder='" BESIDE "'", script, NULL};
    BF_TRY(spawn(&status, folder, said, arguments, err));
    snprintf(said, sizeof said, "%s/%s.log", folder, name);
    if (status != 0) {
        FILE *log = fopen(said, "r");
        char next[sizeof line];
        while (log && fgets(next, sizeof next, log)) /* the last line that says something */
            if (strspn(next, " \t^\n") < strlen(next))
                snprintf(line, sizeof line, "%.*s", (int)strcspn(next, "\n"), next);
        if (log)
            fclose(log);
        return bf_fail(err, BF_EFILE, "%s: gnuplot ended with status %d: %s", said, status, line);
    }
    unlink(said);
    for (int p = 0; p < study->panel_count; p++) {
        snprintf(file, sizeof file, "%s-%d.svg", name, p + 1);
        BF_TRY(rename_drawing(folder, file, err));
    }
    snprintf(file, sizeof file, "%s.svg", name);
    BF_TRY(rename_drawing(folder, file, err));
    snprintf(file, sizeof file, "%s.png", name);
    return rename_drawing(folder, file, err);
}

bf_status bf__study_figure(const bf__study *study, const char *folder, bf_arena *arena,
                           bf_error *err) {
    char drawings[4096], path[4096 + 64];
    bf__output out;
    series *s;
    BF_ALLOC(s, arena, 1, err);
    list_series(s, study);
    snprintf(drawings, sizeof drawings, "%s/figures", folder);
    if (mkdir(drawings, 0777) != 0 && errno != EEXIST)
        return bf_fail(err, BF_EFILE, "%s: cannot be made: %s", drawings, strerror(errno));
    snprintf(path, sizeof path, "%s/%s.gp", drawings, study->experiment->name);
    BF_TRY(bf__output_open(&out, path, err));
    fprintf(out.file, "# %s: `gnuplot %s.gp` draws it again.\n", study->experiment->title,
            study->experiment->name);
    fputs("if (!exists('folder')) folder = ''\n", out.file);
    write_data(out.file, study, s);
    write_panels(out.file, study, s);
    write_sheet(out.file, study, s);
    BF_TRY(bf__output_commit(&out, err));
    return draw(study, drawings, err);
}
