/* count_report.c - What the count model of a finite log says about the answer. */
#include "model/count_report.h"

#include "core/fail.h"
#include "estimator/remarks.h"
#include "estimator/result.h"

bf_status bf__count_model_report(bf_estimate *out, const bf__count_model *count, bf_arena *arena,
                                 bf_error *err) {
    const bf__cells *m = count->cells;
    bf__diagnose(out, BF__D_COVERAGE_MODEL, count->covered);
    bf__diagnose(out, BF__D_CELLS, (double)(m->cells - m->absorbing));
    bf__diagnose(out, BF__D_MODEL_CLASSES, count->closed);
    if (count->left > 0)
        bf__diagnose(out, BF__D_LEFT_FOR_LOG, count->left);
    BF_TRY(bf__remark_classes(out, m, count->closed, count->low, count->high, arena, err));
    return bf__remark_doubts(out, m, count->residual, arena, err);
}

bf_status bf__count_estimate(bf_estimate *out, double **mass, const bf__cells *m,
                             const bf_context *context, bf_arena *arena, bf_error *err) {
    bf__count_model count;
    BF_TRY(bf__count_model_solve(&count, m, context, arena, err));
    BF_ALLOC(*mass, arena, m->cells, err);
    for (int64_t c = 0; c < m->cells; c++)
        (*mass)[c] = count.mass[m->state_of[c]] * count.pi[c];
    bf__result_from_cells(out, m, *mass);
    out->value = count.value;
    out->model = "count";
    if (m->absorbing)
        bf__diagnose(out, BF__D_ABSORBED, count.mass[m->states - 1]);
    return bf__count_model_report(out, &count, arena, err);
}
