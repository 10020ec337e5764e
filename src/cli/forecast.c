/* forecast.c - What long work will take, before it begins. */
#include "cli/forecast.h"

#include <math.h>

/* Rows that are worth the trial: below, it is a fifth of the work. */
static const double large = 200000;
static const double patience = 60; /* seconds that need no words */

/* Rows that would fit, rounded down to two digits. */
static double fitting(const bf_forecast *f, double memory) {
    double rows = 0.9 * f->rows * pow(memory / f->bytes, 1 / f->power);
    double unit = pow(10, floor(log10(fmax(rows, 10))) - 1);
    return floor(rows / unit) * unit;
}

bf_status bf__forecast(const bf__tool *tool, const bf_estimator *estimator,
                       const bf_problem *problem, const bf_settings *settings,
                       const bf_trust_options *how, int times, bf_error *err) {
    const double giga = 1e9;
    bf_forecast f;
    if (!((double)bf_dataset_rows(problem->data) >= large))
        return BF_OK;
    BF_TRY(
        bf_forecast_make(&f, estimator, problem, settings, how, &tool->context, tool->arena, err));
    double memory = bf_machine_memory(), seconds = times * f.seconds;
    if (f.bytes > memory)
        return bf_fail(
            err, BF_EDATA,
            "%s needs about %.2g GB for %.0f rows, and %.2g GB are free; `max_rows` %.0f "
            "would fit, or go ahead with --no-forecast",
            estimator->name, f.bytes / giga, f.rows, memory / giga, fitting(&f, memory));
    if (seconds > patience)
        bf__tool_note(tool, BF_MESSAGE_NOTE,
                      "this takes about %.2g %s and %.2g GB; `max_rows` takes less of the log",
                      seconds > 5400 ? seconds / 3600 : seconds / 60,
                      seconds > 5400 ? "hours" : "minutes", f.bytes / giga);
    return BF_OK;
}
