/* deal.c - Jobs for the threads of a process, and for the processes of a team.
 *
 * Threads take jobs in the order of their numbers. The caller's own thread runs none: it watches,
 * and it is the one that talks to other processes. The first process has all jobs. Another one asks
 * it for a job whenever one of its threads has nothing to do, and tells it what came out:
 *
 *     WANT   a job, please: the answer is its number, or -1 if there are no more
 *     GIVE   bytes that came out of a job follow
 *     DONE   a job has ended; if it failed, its error follows
 *     LEAVE  this process has nothing more to say
 *
 * A message is a header, and bytes as a second message if it announces some. A thread that has
 * something to say waits until it was sent, so that nothing has to be copied. If a process dies,
 * the others are ended by whoever runs the team; the first process has taken all that was
 * finished before. */
#include "team/deal.h"

#include <omp.h>
#include <time.h>

#include "core/fail.h"

enum { WANT, GIVE, DONE, LEAVE };
enum { SHORTEST_NAP = 200000, LONGEST_NAP = 50000000 }; /* nanoseconds */

typedef struct header {
    int64_t kind, job, size; /* size of the bytes that follow */
} header;

/* What a thread has to say to the first process. */
typedef struct letter {
    header head;
    const void *bytes;
    bool sent;
    struct letter *next;
} letter;

struct bf__deal {
    const bf__work *work;
    const bf__team *team; /* NULL: alone */
    bool first;           /* this is the first process, or the only one */
    int64_t next;         /* the first process: the next job */
    int64_t running;      /* jobs of this process */
    int left;             /* the first process: others that have left */
    /* Another process: threads that wait for a job, jobs asked for, a job that came. */
    int waiting, asked;
    int64_t *queue; /* (threads) */
    int queued;
    bool closed; /* there are no more jobs */
    letter *letters;
    bool stop; /* because the user asked, or after a failure */
    bf_status status;
    bf_error error;
};

static void nap(long nanoseconds) {
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

bool bf__deal_going(const bf__deal *d) {
    bool stop;
#pragma omp atomic read
    stop = d->stop;
    return !stop;
}

/* The first failure ends everything. Only within the critical section. */
static void note(bf__deal *d, bf_status status, const bf_error *cause) {
    if (status == BF_OK || d->stop)
        return;
#pragma omp atomic write
    d->stop = true;
    d->status = status;
    d->error = *cause;
}

/* Puts a letter where the talking thread finds it, and waits until it was sent. */
static void post(bf__deal *d, letter *l) {
#pragma omp critical(bf_deal)
    {
        l->next = NULL;
        letter **end = &d->letters;
        while (*end)
            end = &(*end)->next;
        *end = l;
    }
    for (bool sent = false; !sent;) {
        nap(SHORTEST_NAP);
#pragma omp critical(bf_deal)
        sent = l->sent;
    }
}

bf_status bf__deal_give(bf__deal *d, int64_t job, const void *bytes, size_t size, bf_error *err) {
    bf_status status = BF_OK;
    if (!d->first) {
        letter l = {.head = {GIVE, job, (int64_t)size}, .bytes = bytes};
        post(d, &l);
        return BF_OK;
    }
#pragma omp critical(bf_deal)
    if (!d->stop)
        status = d->work->take(d->work->self, job, bytes, size, err);
    return status;
}

/* ---- Threads */

/* The next job; -1 if there are none. */
static int64_t take_job(bf__deal *d) {
    bool waiting = false, over = false;
    int64_t job = -1;
    while (job < 0 && !over) {
#pragma omp critical(bf_deal)
        {
            if (d->stop)
                over = true;
            else if (d->first && d->next < d->work->count)
                job = d->next++;
            else if (!d->first && d->queued > 0)
                job = d->queue[--d->queued];
            else
                over = d->first || d->closed;
            bool waits = job < 0 && !over;
            d->waiting += (int)waits - (int)waiting;
            waiting = waits;
            d->running += job >= 0;
        }
        if (waiting)
            nap(SHORTEST_NAP);
    }
    return job;
}

static void end_job(bf__deal *d, int64_t job, bf_status status, const bf_error *cause) {
    if (!d->first) {
        bool failed = status != BF_OK;
        letter l = {.head = {DONE, job, failed ? (int64_t)sizeof *cause : 0}, .bytes = cause};
        post(d, &l);
    }
#pragma omp critical(bf_deal)
    {
        d->running--;
        note(d, status, cause);
        if (d->first)
            d->work->finished(d->work->self, job);
    }
}

static void work(bf__deal *d) {
    for (int64_t job; (job = take_job(d)) >= 0;) {
        bf_error err = {BF_OK, ""};
        bf_status status = d->work->run(d->work->self, job, d, &err);
        end_job(d, job, status, &err);
    }
}

/* ---- The first process listens */

static void answer(bf__deal *d, int to) {
    int64_t job = -1;
#pragma omp critical(bf_deal)
    if (!d->stop && d->next < d->work->count)
        job = d->next++;
    d->team->send(&job, sizeof job, to);
}

static bf_status hear(bf__deal *d, int from, bf_arena *arena, bf_error *err) {
    const void *bytes = NULL;
    size_t size = 0;
    bf_status status = BF_OK;
    header head;
    d->team->receive_into(&head, sizeof head, from);
    if (head.size > 0)
        status = d->team->receive(&bytes, &size, from, arena, err);
    if (head.kind == WANT)
        answer(d, from);
    d->left += head.kind == LEAVE;
    BF_TRY(status);
    if (head.kind == GIVE)
        return bf__deal_give(d, head.job, bytes, size, err);
    if (head.kind != DONE)
        return BF_OK;
#pragma omp critical(bf_deal)
    d->work->finished(d->work->self, head.job);
    if (head.size > 0) {
        *err = *(const bf_error *)bytes;
        return err->status;
    }
    return BF_OK;
}

static void listen(bf__deal *d, bf_arena *arena) {
    int from;
    while (d->team && d->first && d->team->arrived(&from)) {
        bf_error err = {BF_OK, ""};
        bf_mark mark = bf_arena_mark(arena);
        bf_status status = hear(d, from, arena, &err);
        bf_arena_rewind(arena, mark);
#pragma omp critical(bf_deal)
        note(d, status, &err);
    }
}

/* ---- Another process asks and tells */

static void tell(const bf__deal *d, const header *head, const void *bytes) {
    d->team->send(head, sizeof *head, 0);
    if (head->size > 0)
        d->team->send(bytes, (size_t)head->size, 0);
}

static bool send_letter(bf__deal *d) {
    letter *l;
#pragma omp critical(bf_deal)
    l = d->letters;
    if (!l)
        return false;
    tell(d, &l->head, l->bytes);
#pragma omp critical(bf_deal)
    {
        d->letters = l->next;
        l->sent = true;
    }
    return true;
}

static void ask(bf__deal *d) {
    bool want;
    int from;
#pragma omp critical(bf_deal)
    want = !d->stop && !d->closed && d->asked + d->queued < d->waiting;
    if (want) {
        tell(d, &(header){WANT, 0, 0}, NULL);
        d->asked++;
    }
    while (d->asked > 0 && d->team->arrived(&from)) {
        int64_t job;
        d->asked--;
        d->team->receive_into(&job, sizeof job, from);
#pragma omp critical(bf_deal)
        if (job < 0)
            d->closed = true;
        else
            d->queue[d->queued++] = job;
    }
}

static void talk(bf__deal *d) {
    if (d->first)
        return;
    while (send_letter(d))
        continue;
    ask(d);
}

/* ---- Both */

static bool is_over(const bf__deal *d) {
    bool over;
#pragma omp critical(bf_deal)
    {
        over = d->running == 0 && !d->letters && d->asked == 0;
        if (d->first)
            over = over && (d->stop || d->next == d->work->count) &&
                   (!d->team || d->left == d->team->size - 1);
        else
            over = over && (d->stop || (d->closed && d->queued == 0));
    }
    return over;
}

/* Until all jobs are done. */
static void watch(bf__deal *d, bf_arena *arena) {
    for (long pause = SHORTEST_NAP;; pause = pause < LONGEST_NAP ? 2 * pause : pause) {
        listen(d, arena);
        talk(d);
        if (d->team)
            pause = SHORTEST_NAP;
        bool over = is_over(d); /* before the last look at what was done */
        if (!d->work->watch(d->work->self)) {
            bf_error err = {BF_OK, ""};
            bf_status status = bf_fail(&err, BF_ECANCELLED, "interrupted");
#pragma omp critical(bf_deal)
            note(d, status, &err);
        }
        if (over)
            break;
        nap(pause);
    }
    if (!d->first)
        tell(d, &(header){LEAVE, 0, 0}, NULL);
}

bf_status bf__deal_run(const bf__work *w, const bf__team *team, bf_arena *arena, bf_error *err) {
    bf__deal d = {.work = w, .team = team && team->size > 1 ? team : NULL};
    bool served = true;
    int workers = w->threads < 1 ? 1 : w->threads;
    d.first = !d.team || d.team->rank == 0;
    if (workers > w->count && w->count > 0)
        workers = (int)w->count;
    BF_ALLOC(d.queue, arena, workers, err);
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(w->inner > 1 ? 2 : levels);
#pragma omp parallel num_threads(workers + 1)
    {
        bool alone = omp_get_num_threads() == 1; /* there may be fewer than asked for */
        if (alone && d.team)
            served = false;
        else if (omp_get_thread_num() == 0 && !alone)
            watch(&d, arena);
        else
            work(&d);
    }
    omp_set_max_active_levels(levels);
    if (!served)
        return bf_fail(err, BF_ENOMEM, "the system does not give a second thread");
    if (d.status != BF_OK)
        *err = d.error;
    return d.status;
}
