/* features.c - The kernel features that weights are corrected on, and the flow residual in them. */
#include "weights/features.h"

#include "core/context.h"
#include "core/fail.h"
#include "core/share.h"
#include "flow/lowrank_sums.h"
#include "kernel/bandwidth.h"

enum { MOST_STARTS = 20000, CANDIDATES = 5 };
static const double default_share = 0.7;

/* A kernel as the options say, on points (d, n). */
typedef struct recipe {
    const char *name, *bandwidth;
    const double *z;
    int64_t n;
    int d;
    uint64_t seed;
} recipe;

static bf_status make_kernel(void **out, const void *self, bf_arena *arena, bf_error *err) {
    const recipe *r = self;
    bf__kernel *kernel;
    BF_ALLOC(kernel, arena, 1, err);
    *out = kernel;
    return bf__kernel_make(kernel, r->name, r->bandwidth, r->z, r->n, r->d, r->seed, arena, err);
}

static bf_status get_kernel(bf__kernel *out, const recipe *r, const bf__points *points,
                            const char *of, bf_arena *arena, bf_error *err) {
    void *made;
    BF_TRY(bf__share_get(&made, points->share, make_kernel, r, arena, err,
                         "%s: %s kernel %s, width %s, seed %llu", points->made_by, of, r->name,
                         r->bandwidth, (unsigned long long)r->seed));
    *out = *(const bf__kernel *)made;
    return BF_OK;
}

bf_status bf__features_read(bf__pair_kernel *out, const bf__points *points,
                            const bf__pointwise *options, bf_arena *arena, bf_error *err) {
    const bf__kernel_kind *kind = bf__kernel_at(options->kernel - 1);
    const char *name = kind ? kind->name : "matern";
    recipe states = {name, options->bandwidth, points->z, points->n, points->d, points->seed};
    recipe actions = {name,      options->bandwidth, points->u,
                      points->n, points->action_dim, points->seed};
    *out = (bf__pair_kernel){.share = default_share};
    if (options->action_share.given)
        out->share = options->action_share.value;
    BF_TRY(get_kernel(&out->state, &states, points, "state", arena, err));
    return points->actions ? BF_OK
                           : get_kernel(&out->action, &actions, points, "action", arena, err);
}

static bf_status widen(bf__kernel *out, const bf__kernel *kernel, double factor, bf_error *err) {
    double width[BF__MAX_WIDTHS];
    for (int w = 0; w < kernel->widths; w++)
        width[w] = factor * kernel->width[w];
    return bf__kernel_set(out, kernel->kind, width, kernel->widths, err);
}

static bf_status widen_both(bf__pair_kernel *out, const bf__pair_kernel *kernel, double factor,
                            bf_error *err) {
    *out = (bf__pair_kernel){.share = kernel->share};
    BF_TRY(widen(&out->state, &kernel->state, factor, err));
    return kernel->action.kind ? widen(&out->action, &kernel->action, factor, err) : BF_OK;
}

bf_status bf__features_part(bf__lowrank *out, const bf__lowrank *lowrank, const bf__points *points,
                            const bf__pair_kernel *kernel, double factor, const bf__sample *sample,
                            bf_arena *arena, bf_error *err) {
    bf__points part;
    bf__pair_kernel wide;
    bf__flow *flow;
    BF_TRY(widen_both(&wide, kernel, factor, err));
    BF_TRY(bf__sample_take(&part, points, sample, arena, err));
    part.most_starts = MOST_STARTS;
    BF_TRY(bf__flow_atoms(&flow, &part, &wide, arena, err));
    *out = *lowrank;
    out->flow = flow;
    out->kept = NULL;
    out->kept_rows = 0;
    return BF_OK;
}

bf_status bf__features_make(bf__lowrank **out, const bf__points *points,
                            const bf__pair_kernel *kernel, double factor, int64_t rank,
                            const double *u, const bf_context *context, bf_arena *arena,
                            bf_error *err) {
    bf__points input = *points;
    bf__pair_kernel wide;
    bf__flow *flow;
    input.most_starts = MOST_STARTS;
    BF_TRY(widen_both(&wide, kernel, factor, err));
    BF_TRY(bf__flow_atoms(&flow, &input, &wide, arena, err));
    bf__lowrank_options choice = {.rank = rank,
                                  .keep = true,
                                  .seed = points->seed,
                                  .share = points->share,
                                  .made_by = points->made_by};
    if (u && CANDIDATES * rank < points->n) {
        bf__sample some;
        BF_TRY(bf__sample_draw(&some, u, points->n, CANDIDATES * rank, points->seed, arena, err));
        choice.candidates = some.n;
        choice.among = some.row;
    }
    return bf__lowrank_create(out, flow, &choice, context, arena, err);
}

bf_status bf__features_residual(double *residual, const bf__lowrank *lowrank, const double *w,
                                int sets, bool ends, double gamma, const bf_context *context,
                                bf_arena *arena, bf_error *err) {
    int64_t n = lowrank->flow->n, m = lowrank->m;
    bf_mark mark = bf_arena_mark(arena);
    double *sum, *start;
    BF_ALLOC(sum, arena, sets * m, err);
    BF_ALLOC(start, arena, m, err);
    BF_TRY(bf__lowrank_sum(sum, lowrank, w, sets, context, arena, err));
    BF_TRY(bf__lowrank_start(start, lowrank, context, err));
    for (int s = 0; s < sets; s++) {
        double total = 0;
        for (int64_t i = 0; i < n; i++)
            total += w[s * n + i];
        residual[s] = 0;
        for (int64_t p = 0; p < m; p++) {
            double gap = sum[s * m + p] - (ends ? (1 - total) * (1 - gamma) * start[p] : 0);
            residual[s] += gap * gap;
        }
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}
