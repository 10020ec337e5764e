/* main.c - The tool: finds the command, reports errors and progress, sets the exit status. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/fail.h"
#include "core/log.h"

#define BF_COMMAND(name) extern const bf__command bf__command_##name;
#include "cli/commands.def"
#undef BF_COMMAND

static const bf__command *const commands[] = {
#define BF_COMMAND(name) &bf__command_##name,
#include "cli/commands.def"
#undef BF_COMMAND
};

const bf__command *bf__command_at(int index) {
    int count = (int)(sizeof commands / sizeof *commands);
    return index >= 0 && index < count ? commands[index] : NULL;
}

/* ---- Progress: one line on a terminal, rewritten at most ten times a second; elsewhere a line a
 * minute. */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    if (interrupted)
        _exit(128 + signal_number); /* asked twice: at once */
    interrupted = 1;
}

typedef struct screen {
    bf__tool *tool;
    double started, last;
    char task[128];
    bool line_open;
} screen;

static void close_line(screen *s) {
    if (s->line_open)
        fputs("\r\033[K", s->tool->err);
    s->line_open = false;
}

static void on_message(void *context, bf_log_level level, const char *text) {
    screen *s = context;
    if (s->tool->common.quiet || level == BF_LOG_DEBUG)
        return;
    close_line(s);
    fprintf(s->tool->err, "backflow: %s%s\n", level == BF_LOG_WARNING ? "warning: " : "", text);
}

static bool on_progress(void *context, const bf_progress *progress) {
    screen *s = context;
    double now = bf__seconds();
    bool terminal = isatty(fileno(s->tool->err));
    if (strcmp(s->task, progress->task) != 0) {
        snprintf(s->task, sizeof s->task, "%s", progress->task);
        s->started = now;
        s->last = terminal ? 0 : now; /* short work leaves no line in a file */
    }
    if (s->tool->common.quiet || now - s->last < (terminal ? 0.1 : 60))
        return !interrupted;
    s->last = now;
    fprintf(s->tool->err, "%s%s", terminal ? "\r\033[K" : "backflow: ", progress->task);
    if (progress->total > 0) {
        double share = progress->done / progress->total, passed = now - s->started;
        double left = passed * (1 - share) / share;
        fprintf(s->tool->err, " %3.0f%%", 100 * share);
        if (share > 0.02 && passed > 1)
            fprintf(s->tool->err, ", %.0f %s left", left > 120 ? left / 60 : left,
                    left > 120 ? "min" : "s");
    }
    if (progress->detail)
        fprintf(s->tool->err, "  (%s)", progress->detail);
    if (!terminal)
        fputc('\n', s->tool->err);
    fflush(s->tool->err);
    s->line_open = terminal;
    return !interrupted;
}

/* ---- The tool without a command */

static int fail(const bf__tool *tool, const char *command, const bf_error *err) {
    fprintf(tool->err, "backflow%s%s: %s\n", command ? " " : "", command ? command : "",
            err->message);
    return bf_status_exit(err->status);
}

static void print_help(FILE *out) {
    fputs("backflow - what would a new policy earn? Off-policy evaluation from logs of unknown "
          "origin.\n\n"
          "Usage: backflow COMMAND [arguments]\n\nCommands:\n",
          out);
    for (int i = 0; bf__command_at(i); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n  backflow COMMAND --help   what a command takes, with examples\n"
          "  backflow --version        the version; with --verbose, what it computes on\n",
          out);
}

static void print_version(FILE *out, bool verbose) {
    fprintf(out, "backflow %s\n", bf_version());
    if (!verbose)
        return;
    bf_machine machine = bf_machine_describe();
    fprintf(out, "BLAS: %s\nSIMD: %s\nthreads: %d\n", machine.blas, machine.simd, machine.threads);
}

/* Threads that wait should sleep: machines are shared. OpenMP reads this when it is loaded, which
 * is before main; functions listed in .preinit_array run before that. */
static void wait_politely(int argc, char **argv, char **environment) {
    (void)argc;
    (void)argv;
    (void)environment;
    setenv("OMP_WAIT_POLICY", "passive", 0);
}
__attribute__((section(".preinit_array"),
               used)) static void (*const before_all)(int, char **, char **) = wait_politely;

static bool is(const char *word, const char *a, const char *b) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

/* --man: for the build, which installs what it prints. --glossary: for script/glossary. */
static int print_page(bf__tool *tool, bf_status (*print)(bf__tool *, bf_error *)) {
    bf_error err = {BF_OK, ""};
    bf_status status = bf_arena_create(&tool->arena, NULL, &err);
    if (status == BF_OK)
        status = print(tool, &err);
    bf_arena_destroy(tool->arena);
    return status == BF_OK ? 0 : fail(tool, NULL, &err);
}

int main(int argc, char **argv) {
    bf__tool tool = {.out = stdout, .err = stderr};
    bf_error err = {BF_OK, ""};
    if (argc < 2) {
        print_help(tool.err);
        return bf_status_exit(BF_EUSAGE);
    }
    if (is(argv[1], "--help", "-h") || strcmp(argv[1], "help") == 0) {
        print_help(tool.out);
        return 0;
    }
    if (is(argv[1], "--version", "-V")) {
        print_version(tool.out, argc > 2 && is(argv[2], "--verbose", "-v"));
        return 0;
    }
    if (strcmp(argv[1], "--man") == 0)
        return print_page(&tool, bf__man_print);
    if (strcmp(argv[1], "--glossary") == 0)
        return print_page(&tool, bf__glossary_print);
    const bf__command *command = NULL;
    for (int i = 0; bf__command_at(i) && !command; i++)
        if (strcmp(commands[i]->name, argv[1]) == 0)
            command = commands[i];
    if (!command) {
        bf__suggestion best = {NULL, 0};
        for (int i = 0; bf__command_at(i); i++)
            bf__suggest(&best, argv[1], commands[i]->name);
        bf_fail(&err, BF_EUSAGE, "'%s' is not a command; %s%s%s", argv[1],
                best.name ? "did you mean " : "backflow --help lists them",
                best.name ? best.name : "", best.name ? "?" : "");
        return fail(&tool, NULL, &err);
    }
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    screen s = {.tool = &tool};
    tool.context.log = (bf_log){on_message, on_progress, &s};
    if (bf_arena_create(&tool.arena, NULL, &err) != BF_OK)
        return fail(&tool, command->name, &err);
    int exit_status = 0;
    bf_status status = command->run(&tool, argc - 2, argv + 2, &exit_status, &err);
    close_line(&s);
    if (status == BF_OK && (fflush(tool.out) != 0 || ferror(tool.out)))
        status = bf_fail(&err, BF_EFILE, "standard output: cannot be written");
    if (status != BF_OK)
        exit_status = fail(&tool, command->name, &err);
    bf_arena_destroy(tool.arena);
    return exit_status;
}
