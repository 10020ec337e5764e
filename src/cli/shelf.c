/* shelf.c - Logs in memory that several threads work on: each is read once, by who needs it first.
 *
 * A log that shares is for one thread at a time. Therefore each thread that works on a log has a
 * copy of its own, which shares the columns with all and keeps what its questions have in common. A
 * copy that is given back waits for the next question. */
#include "cli/shelf.h"

#include <time.h>

enum { UNREAD, BEING_READ, THERE, UNREADABLE };

typedef struct place {
    int state, users;
    bf_arena *arena;
    bf__shelved log;
    const bf_dataset **idle; /* (users): copies that nobody has */
    int idle_count;
    bf_error error;
} place;

struct bf__shelf {
    const bf__batch_log *logs;
    int count;
    const bf_read_options *read;
    const bf_allocator *allocator;
    place *places; /* (count) */
    int latest;    /* the last log that was asked for */
    int users;
    bool once;
    double bytes; /* that a copy may keep */
};

static const double most_shared = 1e9; /* bytes, of all copies of a log */

bf_status bf__shelf_make(bf__shelf **out, const bf__batch_log *logs, int count, int users,
                         bool once, const bf_read_options *read, bf_arena *arena, bf_error *err) {
    double quarter = bf_machine_memory() / 4;
    BF_ALLOC(*out, arena, 1, err);
    **out = (bf__shelf){.logs = logs,
                        .count = count,
                        .read = read,
                        .allocator = bf_arena_allocator(arena),
                        .users = users,
                        .once = once,
                        .bytes = (quarter < most_shared ? quarter : most_shared) / users};
    BF_ALLOC((*out)->places, arena, count, err);
    for (int k = 0; k < count; k++)
        (*out)->places[k] = (place){.state = UNREAD};
    return BF_OK;
}

static bf_status read_log(place *p, const bf__shelf *s, const bf__batch_log *files,
                          const bf_context *context, bf_error *err) {
    double begun = bf__tool_seconds();
    BF_TRY(bf_arena_create(&p->arena, s->allocator, err));
    BF_ALLOC(p->idle, p->arena, s->users, err);
    BF_TRY(
        bf_dataset_read(&p->log.data, files->paths, files->count, s->read, context, p->arena, err));
    p->log.seconds = bf__tool_seconds() - begun;
    return BF_OK;
}

/* Logs before `end` that nobody has. Only within the critical section. */
static void let_go(bf__shelf *s, int end) {
    for (int k = 0; k < end; k++)
        if (s->places[k].users == 0 && s->places[k].state != BEING_READ) {
            for (int i = 0; i < s->places[k].idle_count; i++)
                bf_dataset_unshare(s->places[k].idle[i]);
            bf_arena_destroy(s->places[k].arena);
            s->places[k] = (place){.state = UNREAD};
        }
}

bf_status bf__shelf_take(bf__shelved *out, bf__shelf *s, int log, const bf_context *context,
                         bf_error *err) {
    place *p = &s->places[log];
    int state;
#pragma omp critical(bf_shelf)
    {
        state = p->state;
        p->users++;
        s->latest = log > s->latest ? log : s->latest;
        let_go(s, s->latest);
        if (state == UNREAD)
            p->state = BEING_READ;
    }
    if (state == UNREAD) {
        bf_error cause = {BF_OK, ""};
        state = read_log(p, s, &s->logs[log], context, &cause) == BF_OK ? THERE : UNREADABLE;
#pragma omp critical(bf_shelf)
        {
            p->state = state;
            p->error = cause;
        }
    }
    while (state == BEING_READ) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
#pragma omp critical(bf_shelf)
        state = p->state;
    }
    *out = p->log;
    if (state == UNREADABLE)
        *err = p->error;
    if (state == UNREADABLE || s->once)
        return state == UNREADABLE ? p->error.status : BF_OK;
    bf_status status = BF_OK;
#pragma omp critical(bf_shelf)
    if (p->idle_count > 0)
        out->data = p->idle[--p->idle_count];
    else /* in the arena that all copies of the log have */
        status = bf_dataset_share(&out->data, p->log.data, s->bytes, p->arena, err);
    return status;
}

void bf__shelf_give_back(bf__shelf *s, int log, const bf__shelved *taken) {
    place *p = &s->places[log];
#pragma omp critical(bf_shelf)
    {
        if (taken->data != p->log.data)
            p->idle[p->idle_count++] = taken->data;
        p->users--;
        let_go(s, s->latest);
    }
}

void bf__shelf_clear(bf__shelf *s) {
    if (s)
        let_go(s, s->count);
}
