/* forecast.h - What long work will take, before it begins. */
#ifndef BF_CLI_FORECAST_H
#define BF_CLI_FORECAST_H

#include "cli/cli.h"

/* Says how long an estimate from a large log will take, times `times`; refuses one that does not
 * fit into memory, and says what would. Small logs are not looked at. */
bf_status bf__forecast(const bf__tool *tool, const bf_estimator *estimator,
                       const bf_problem *problem, const bf_settings *settings,
                       const bf_trust_options *how, int times, bf_error *err);

#define BF__FORECAST_HELP                                                                          \
    "For a log of at least 200,000 rows, first try three small parts of it, to say how long it "   \
    "takes and to refuse what does not fit into memory; --no-forecast goes ahead."

#endif
