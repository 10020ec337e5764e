/* main.c - The tool: finds the command, reports errors and progress, sets the exit status. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

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

static volatile sig_atomic_t interrupted; /* the signal that asked for an end, or 0 */

static void on_interrupt(int signal_number) {
    if (interrupted)
        _exit(128 + signal_number); /* asked twice: at once */
    interrupted = signal_number;
    if (signal_number != SIGINT)
        alarm(5); /* who asks like this does not ask twice, and does not wait for ever */
}

static void on_alarm(int signal_number) {
    (void)signal_number;
    _exit(128 + interrupted);
}

/* Signals that ask for an end are heard at the next look at progress: what is finished is kept and
 * nothing half-written is left. A file that reaches a limit on its size is a failed write with a
 * message, not a killed process. */
static void listen(void) {
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART}, present;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] == SIGINT || /* nohup has SIGHUP ignored, and means it */
            (sigaction(ends[i], NULL, &present) == 0 && present.sa_handler != SIG_IGN))
            sigaction(ends[i], &action, NULL);
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
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

static void on_message(void *context, bf_message_level level, const char *text) {
    screen *s = context;
    if (s->tool->common.quiet || level == BF_MESSAGE_DEBUG)
        return;
    close_line(s);
    char said[2048];
    snprintf(said, sizeof said, "%s", text);
    fprintf(s->tool->err, "backflow: %s%s\n", level == BF_MESSAGE_WARNING ? "warning: " : "",
            bf__flags(said));
}

static bool on_progress(void *context, const bf_progress *progress) {
    screen *s = context;
    double now = bf__tool_seconds();
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
    bf_error said = *err;
    fprintf(tool->err, "backflow%s%s: %s\n", command ? " " : "", command ? command : "",
            bf__flags(said.message));
    return bf_status_exit(err->status);
}

static const char *running; /* the command, while it runs */

/* OpenMP ends the process with status 1 if it cannot have the threads it wants. That status belongs
 * to --strict, so an end that did not come through main gets another one. */
static void on_exit_of_others(void) {
    if (!running)
        return;
    fprintf(stderr,
            "backflow %s: the system does not give the threads; --threads 1 needs no more\n",
            running);
    fflush(NULL);
    _exit(bf_status_exit(BF_ENOMEM));
}

/* What was written has to have arrived. */
static bf_status flush(const bf__tool *tool, bf_error *err) {
    if (fflush(tool->out) != 0 || ferror(tool->out))
        return bf_fail(err, BF_EFILE, "standard output: cannot be written");
    return BF_OK;
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

static bool is_help(const char *word) {
    return is(word, "--help", "-h") || strcmp(word, "help") == 0;
}

/* --man: for the build, which installs what it prints. --glossary: for script/glossary. */
static int print_page(bf__tool *tool, bf_status (*print)(bf__tool *, bf_error *)) {
    bf_error err = {BF_OK, ""};
    bf_status status = bf_arena_create(&tool->arena, NULL, &err);
    if (status == BF_OK)
        status = print(tool, &err);
    if (status == BF_OK)
        status = flush(tool, &err);
    bf_arena_destroy(tool->arena);
    return status == BF_OK ? 0 : fail(tool, NULL, &err);
}

static bf_status check_team(const bf__team *team, const bf__command *command, bf_error *err) {
    if (!team || team->size == 1 || command->team)
        return BF_OK;
    char known[128] = "";
    for (int i = 0; bf__command_at(i); i++)
        if (commands[i]->team) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                     commands[i]->name);
        }
    return bf_fail(err, BF_EUSAGE, "is for one process; a team of %d can share the work of: %s",
                   team->size, known);
}

static int run_tool(int argc, char **argv, const bf__team *team) {
    bf__tool tool = {.out = stdout, .err = stderr, .argc = argc, .argv = argv, .team = team};
    bf_error err = {BF_OK, ""};
    if (team && team->rank > 0) { /* the first process speaks for all */
        FILE *nowhere = fopen("/dev/null", "w");
        tool.out = tool.err = nowhere ? nowhere : stderr;
    }
    if (argc < 2) {
        print_help(tool.err);
        return bf_status_exit(BF_EUSAGE);
    }
    char asked[] = "--help", *turned[] = {argv[0], argc > 2 ? argv[2] : NULL, asked, NULL};
    if (is_help(argv[1]) && argc > 3) {
        bf_fail(&err, BF_EUSAGE, "help: of one command at a time, not '%s'", argv[3]);
        return fail(&tool, NULL, &err);
    }
    if (is_help(argv[1]) && argc == 3 && !is_help(argv[2])) {
        argv = turned; /* `help estimate` is `estimate --help` */
    } else if (is_help(argv[1])) {
        print_help(tool.out);
        return flush(&tool, &err) == BF_OK ? 0 : fail(&tool, NULL, &err);
    }
    if (is(argv[1], "--version", "-V")) {
        print_version(tool.out, argc > 2 && is(argv[2], "--verbose", "-v"));
        return flush(&tool, &err) == BF_OK ? 0 : fail(&tool, NULL, &err);
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
    listen();
    screen s = {.tool = &tool};
    tool.context.callbacks = (bf_callbacks){on_message, on_progress, &s};
    if (bf_arena_create(&tool.arena, NULL, &err) != BF_OK)
        return fail(&tool, command->name, &err);
    int exit_status = 0;
    running = command->name;
    atexit(on_exit_of_others);
    bf_status status = check_team(team, command, &err);
    if (status == BF_OK)
        status = command->run(&tool, argc - 2, argv + 2, &exit_status, &err);
    if (team) /* a process that failed by itself ends the job */
        status = team->agree(status, &err);
    for (int k = 0; k < tool.command_count; k++)
        bf_policy_close(tool.commands[k]);
    running = NULL;
    close_line(&s);
    if (status == BF_OK)
        status = flush(&tool, &err);
    if (status != BF_OK)
        exit_status = fail(&tool, command->name, &err);
    if (status == BF_ECANCELLED && interrupted)
        exit_status = 128 + interrupted;
    bf_arena_destroy(tool.arena);
    return exit_status;
}

int main(int argc, char **argv) {
    const bf__team *team = bf__team_begin(&argc, &argv);
    int exit_status = run_tool(argc, argv, team);
    bf__team_end();
    return exit_status;
}
