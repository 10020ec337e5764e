/* process.c - A program that is asked and answers.
 *
 * Its standard input is a socket, not a pipe: a write to a pipe that nobody reads kills the writer
 * (SIGPIPE), unless the whole process ignores that signal, which is not ours to decide. Writing,
 * reading and listening to complaints happen together, in one poll, so that a program that answers
 * before it has read everything, or complains at length, cannot block us or be blocked.
 *
 * The program stays in our process group: a Ctrl-C of the user's ends it as well. */
#include "policy/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/blas.h"
#include "core/context.h"
#include "core/fail.h"

extern char **environ;

/* ---- Words */

/* Takes one word from *at, which is at its first character, into `word`; false: a quote is open. */
static bool take_word(const char **at, char *word) {
    char quote = 0;
    for (; **at && (quote || !strchr(" \t\n", **at)); (*at)++) {
        char c = **at;
        if (quote && c == quote)
            quote = 0;
        else if (!quote && (c == '\'' || c == '"'))
            quote = c;
        else if (c == '\\' && quote != '\'' && (*at)[1])
            *word++ = *++*at;
        else
            *word++ = c;
    }
    *word = '\0';
    return !quote;
}

bf_status bf__process_words(char ***out, const char *command, bf_arena *arena, bf_error *err) {
    int64_t room = (int64_t)strlen(command) + 2, count = 0;
    BF_ALLOC(*out, arena, room, err);
    for (const char *at = command;;) {
        at += strspn(at, " \t\n");
        if (!*at)
            break;
        BF_ALLOC((*out)[count], arena, room, err);
        if (!take_word(&at, (*out)[count++]))
            return bf_fail(err, BF_EUSAGE, "a quote is opened and never closed");
    }
    (*out)[count] = NULL;
    return count ? BF_OK : bf_fail(err, BF_EUSAGE, "no program to start");
}

/* ---- Starting */

static void shut(int *file) {
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static int spawn(pid_t *pid, char *const *words, int in, int out, int complaints) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE); /* what the host ignores or blocks is not the program's matter */
    if (posix_spawn_file_actions_init(&files) != 0)
        return ENOMEM;
    if (posix_spawnattr_init(&how) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    int failed = posix_spawn_file_actions_adddup2(&files, in, 0);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&files, out, 1);
    failed = failed ? failed : posix_spawn_file_actions_adddup2(&files, complaints, 2);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &standard);
    bf__environment_hold();
    failed = failed ? failed : posix_spawnp(pid, words[0], &files, &how, words, environ);
    bf__environment_release();
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

bf_status bf__process_start(bf__process *out, char *const *words, bf_error *err) {
    int to[2] = {-1, -1}, from[2] = {-1, -1}, complaints[2] = {-1, -1};
    *out = (bf__process){.to = -1, .from = -1, .complaints = -1};
    int failed = 0;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0 ||
        pipe2(from, O_CLOEXEC) != 0 || pipe2(complaints, O_CLOEXEC) != 0)
        failed = errno;
    if (!failed)
        failed = spawn(&out->pid, words, to[1], from[1], complaints[1]);
    shut(&to[1]);
    shut(&from[1]);
    shut(&complaints[1]);
    *out = (bf__process){failed ? 0 : out->pid, to[0], from[0], complaints[0], "", 0};
    if (failed) {
        bf__process_close(out);
        return bf_fail(err, BF_EPOLICY, "'%s' cannot be started: %s", words[0], strerror(failed));
    }
    const int ours[] = {to[0], from[0], complaints[0]};
    for (int k = 0; k < 3; k++)
        fcntl(ours[k], F_SETFL, fcntl(ours[k], F_GETFL) | O_NONBLOCK);
    return BF_OK;
}

/* ---- What went wrong */

/* Keeps the end of what it says on standard error; false at its end. */
static bool listen_to(bf__process *p) {
    char text[512];
    ssize_t got = read(p->complaints, text, sizeof text);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR;
    for (ssize_t k = 0; k < got; k++) {
        if (p->tail_length == sizeof p->tail - 1) {
            memmove(p->tail, p->tail + 1, --p->tail_length);
        }
        p->tail[p->tail_length++] = text[k];
    }
    p->tail[p->tail_length] = '\0';
    return got > 0;
}

/* ": it said: ...", or nothing. Lines are told apart by a bar; the text is a stranger's. */
static void quote_tail(const bf__process *p, char text[700]) {
    size_t end = p->tail_length, used = 0;
    while (end && strchr(" \n\r\t", p->tail[end - 1]))
        end--;
    text[0] = '\0';
    if (!end)
        return;
    used = (size_t)snprintf(text, 700, "; it said: ");
    for (size_t k = 0; k < end && used < 690; k++) {
        unsigned char c = (unsigned char)p->tail[k];
        if (c == '\n') {
            memcpy(text + used, " | ", 3);
            used += 3;
        } else {
            text[used++] = (char)(c < ' ' || c == 127 ? '?' : c);
        }
    }
    text[used] = '\0';
}

/* Waits until the program has ended, `seconds` at most; true: it has, and *status says how. */
static bool wait_for(bf__process *p, double seconds, int *status) {
    double begun = bf__seconds();
    const struct timespec nap = {0, 2000000};
    *status = -1;
    while (p->pid) {
        pid_t ended = waitpid(p->pid, status, WNOHANG);
        if (ended == p->pid || (ended < 0 && errno != EINTR)) { /* or the host has waited for it */
            p->pid = 0;
            return true;
        }
        if (bf__seconds() - begun > seconds)
            return false;
        nanosleep(&nap, NULL);
    }
    return true;
}

/* An error of kind "it has ended" or "it does not answer", with what it said. */
static bf_status complain(bf__process *p, const char *what, bf_error *err) {
    char said[700];
    for (int k = 0; k < 64 && p->complaints >= 0; k++) { /* what it said last may still be coming */
        struct pollfd one = {p->complaints, POLLIN, 0};
        if (poll(&one, 1, 50) <= 0)
            break;
        if (!listen_to(p))
            shut(&p->complaints);
    }
    quote_tail(p, said);
    return bf_fail(err, BF_EPOLICY, "%s%s", what, said);
}

static bf_status has_ended(bf__process *p, bf_error *err) {
    char what[128];
    int status;
    if (!wait_for(p, 1, &status))
        snprintf(what, sizeof what, "closed its output before it had answered");
    else if (status >= 0 && WIFSIGNALED(status))
        snprintf(what, sizeof what, "was ended by signal %d (%s) before it had answered",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(what, sizeof what, "ended with status %d before it had answered",
                 status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0);
    return complain(p, what, err);
}

/* ---- Asking */

/* Writes some of the question; returns how much, or -1 if nobody reads. */
static ssize_t write_some(const bf__process *p, const unsigned char *bytes, size_t count) {
    ssize_t sent = send(p->to, bytes, count, MSG_NOSIGNAL);
    if (sent < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    return sent;
}

bf_status bf__process_ask(bf__process *p, const void *question, size_t size, bf__process_take take,
                          void *context, double timeout, bf_error *err) {
    const unsigned char *left = question;
    unsigned char bytes[65536];
    bool whole = false, deaf = false; /* deaf: it reads no more, but may answer yet */
    double moved = bf__seconds();
    char what[128];
    if (p->from < 0)
        return bf_fail(err, BF_EPOLICY, "has failed before");
    while (!whole || (size > 0 && !deaf)) {
        struct pollfd files[3] = {{p->from, POLLIN, 0},
                                  {size > 0 && !deaf ? p->to : -1, POLLOUT, 0},
                                  {p->complaints, POLLIN, 0}};
        double waited = bf__seconds() - moved;
        if (waited >= timeout) {
            snprintf(what, sizeof what, "did not %s for %g seconds",
                     whole ? "read its question" : "answer", timeout);
            return complain(p, what, err);
        }
        if (poll(files, 3, (int)((timeout - waited) * 1000) + 1) < 0 && errno != EINTR)
            return bf_fail(err, BF_EPOLICY, "cannot be waited for: %s", strerror(errno));
        if (files[2].revents && !listen_to(p))
            shut(&p->complaints);
        if (files[1].revents) {
            ssize_t sent = write_some(p, left, size);
            deaf = sent < 0;
            left += sent > 0 ? sent : 0;
            size -= sent > 0 ? (size_t)sent : 0;
            moved = sent > 0 ? bf__seconds() : moved;
        }
        if (!files[0].revents)
            continue;
        ssize_t got = read(p->from, bytes, sizeof bytes);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (got <= 0)
            return has_ended(p, err);
        moved = bf__seconds();
        bf_error cause = {BF_OK, ""};
        if (take(context, bytes, (size_t)got, &whole, &cause) != BF_OK)
            return complain(p, cause.message, err);
    }
    return BF_OK;
}

void bf__process_close(bf__process *p) {
    int status;
    shut(&p->to);
    shut(&p->from);
    shut(&p->complaints);
    if (p->pid && !wait_for(p, 1, &status)) {
        kill(p->pid, SIGKILL);
        wait_for(p, 10, &status);
    }
}
