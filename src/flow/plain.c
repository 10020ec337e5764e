/* plain.c - K by its definition: the oracle of everything fast.
 *
 * Every psi_i is written out as a list of atoms, coefficient times phi(z, a), with all actions and
 * all start states apart, and K_ij is the double sum over two lists. Nothing is factored, nothing
 * cached. Cost O(n^2 (A n0)^2). */

#include "core/fail.h"
#include "flow/flow.h"

typedef struct atom {
    double coefficient;
    const double *z; /* coordinate c at z[c * zs] */
    const double *u; /* the same of the action vector; NULL: discrete */
    int64_t zs, us;
    int action;
} atom;

static double inner(const bf__points *in, const bf__pair_kernel *k, const atom *x, const atom *y) {
    double state = bf__kernel_plain(&k->state, x->z, x->zs, y->z, y->zs, in->d);
    double equal = x->u ? bf__kernel_plain(&k->action, x->u, x->us, y->u, y->us, in->action_dim)
                        : (x->action == y->action ? 1 : 0);
    double action = k->share + (1 - k->share) * equal;
    return x->coefficient * y->coefficient * state * action;
}

/* coefficient times E_pi phi(z_i, a), one atom per action or sample. */
static int64_t spread(atom *list, const bf__points *in, double coefficient, const double *z,
                      const double *pi, const double *nu, int64_t i, int64_t n) {
    int64_t count = in->actions ? in->actions : in->samples;
    for (int64_t a = 0; a < count; a++) {
        list[a] = (atom){.z = z + i, .zs = n, .action = (int)a};
        list[a].coefficient = coefficient * (in->actions ? pi[a * n + i] : 1 / (double)in->samples);
        if (!in->actions) {
            list[a].u = nu + a * in->action_dim * n + i;
            list[a].us = n;
        }
    }
    return count;
}

/* psi_i as a list; returns its length. */
static int64_t write_out(atom *list, const bf__points *in, int64_t i) {
    int64_t n = in->n, count = 0;
    list[count++] = (atom){.coefficient = 1,
                           .z = in->z + i,
                           .zs = n,
                           .u = in->actions ? NULL : in->u + i,
                           .us = n,
                           .action = in->actions ? in->action[i] : 0};
    double g = bf__step_g(&in->steps, i), h = bf__step_h(&in->steps, i);
    count += spread(list + count, in, -g, in->nz, in->npi, in->nu, i, n);
    for (int64_t s = 0; s < in->starts; s++)
        count +=
            spread(list + count, in, -h * (in->weight0 ? in->weight0[s] : 1) / (double)in->starts,
                   in->z0, in->pi0, in->u0, s, in->starts);
    return count;
}

bf_status bf__flow_plain(double *k, const bf__points *in, const bf__pair_kernel *kernel,
                         bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t most = 1 + (1 + in->starts) * (in->actions ? in->actions : in->samples);
    atom *lists;
    int64_t *length;
    BF_ALLOC(lists, arena, in->n * most, err);
    BF_ALLOC(length, arena, in->n, err);
    for (int64_t i = 0; i < in->n; i++)
        length[i] = write_out(lists + i * most, in, i);
    for (int64_t i = 0; i < in->n; i++)
        for (int64_t j = 0; j < in->n; j++) {
            double sum = 0;
            for (int64_t a = 0; a < length[i]; a++)
                for (int64_t b = 0; b < length[j]; b++)
                    sum += inner(in, kernel, &lists[i * most + a], &lists[j * most + b]);
            k[i * in->n + j] = sum;
        }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
