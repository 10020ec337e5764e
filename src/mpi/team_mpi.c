/* team_mpi.c - The processes of a job of MPI as a team. It is linked into backflow-mpi, and nowhere
 * else, so that the plain tool never loads MPI.
 *
 * A call of MPI that fails ends the job, as MPI does by default; a process that fails by itself
 * tells the others, and the first says why. */
#include <limits.h>
#include <mpi.h>
#include <string.h>

#include "cli/team.h"

enum { TAG_SIZE = 1, TAG_BYTES = 2 };
enum { MOST = 1 << 20 }; /* bytes of one message: all of them have a place, whatever happens */

static void sum(double *x, int64_t n) {
    for (int64_t at = 0; at < n; at += INT_MAX / 16) {
        int64_t count = n - at < INT_MAX / 16 ? n - at : INT_MAX / 16;
        MPI_Allreduce(MPI_IN_PLACE, x + at, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static void send(const void *bytes, size_t size, int to) {
    uint64_t length = size;
    MPI_Send(&length, 1, MPI_UINT64_T, to, TAG_SIZE, MPI_COMM_WORLD);
    for (size_t at = 0; at < size; at += MOST) {
        size_t count = size - at < MOST ? size - at : MOST;
        MPI_Send((const char *)bytes + at, (int)count, MPI_BYTE, to, TAG_BYTES, MPI_COMM_WORLD);
    }
}

static size_t receive_size(int from) {
    uint64_t length;
    MPI_Recv(&length, 1, MPI_UINT64_T, from, TAG_SIZE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return length;
}

static void receive_bytes(char *to, size_t size, int from) {
    static char nowhere[MOST];
    for (size_t at = 0; at < size; at += MOST) {
        size_t count = size - at < MOST ? size - at : MOST;
        MPI_Recv(to ? to + at : nowhere, (int)count, MPI_BYTE, from, TAG_BYTES, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
}

/* If there is no memory for it, the message is taken all the same: its sender waits for that. */
static bf_status receive(const void **bytes, size_t *size, int from, bf_arena *arena,
                         bf_error *err) {
    *size = receive_size(from);
    char *to = bf_arena_alloc(arena, (int64_t)*size, 1, err);
    receive_bytes(to, *size, from);
    *bytes = to;
    return to ? BF_OK : BF_ENOMEM;
}

static void receive_into(void *to, size_t size, int from) {
    if (receive_size(from) != size)
        MPI_Abort(MPI_COMM_WORLD, BF_EFORMAT); /* another program talks */
    receive_bytes(to, size, from);
}

static bool arrived(int *from) {
    int is_there;
    MPI_Status what;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG_SIZE, MPI_COMM_WORLD, &is_there, &what);
    *from = is_there ? what.MPI_SOURCE : -1;
    return is_there;
}

static bf_status agree(bf_status status, bf_error *err) {
    static bool failing;
    int rank, size, failed;
    bf_error first = {BF_OK, ""};
    if (failing)
        return status;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    failed = status == BF_OK ? size : rank;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (failed == size)
        return BF_OK;
    failing = true;
    if (failed == rank && err)
        first = *err;
    MPI_Bcast(&first, sizeof first, MPI_BYTE, failed, MPI_COMM_WORLD);
    if (err)
        *err = first;
    return first.status;
}

const bf__team *bf__team_begin(int *argc, char ***argv) {
    static bf__team team = {.sum = sum,
                            .send = send,
                            .receive = receive,
                            .receive_into = receive_into,
                            .arrived = arrived,
                            .agree = agree};
    int given; /* OpenMP has threads of its own, which do not talk */
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &team.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &team.size);
    return &team;
}

void bf__team_end(void) {
    MPI_Finalize();
}
