/* files.h - What a study leaves in its folder: tables, JSON, figures, the page. */
#ifndef BF_EXPERIMENT_FILES_H
#define BF_EXPERIMENT_FILES_H

#include "experiment/experiment.h"
#include "experiment/runner.h"

/* How a report came about. */
typedef struct bf__provenance {
    const char *command; /* as it was typed */
    bool quick;
    uint64_t seed;
    bf__truth_effort effort;
} bf__provenance;

const char *bf__verdict_text(bf__verdict verdict);

/* FOLDER/NAME.csv: a line per run; FOLDER/NAME-summary.csv: a line per group. */
bf_status bf__study_csv(const bf__study *study, const char *folder, bf_error *err);

/* FOLDER/NAME.json: settings, seed, version, machine, truths, summaries, claims. */
bf_status bf__study_json(const bf__study *study, const bf__provenance *provenance,
                         const char *folder, bf_error *err);

/* Checks that gnuplot is there. If it is not, the status is BF_EABSENT and the message says what to
 * do. */
bf_status bf__figure_check(bf_error *err);

/* FOLDER/figures/NAME.gp, a gnuplot script with its data, and what it draws: NAME.svg and NAME.png
 * with all panels, NAME-1.svg ... each alone. */
bf_status bf__study_figure(const bf__study *study, const char *folder, bf_arena *arena,
                           bf_error *err);

/* FOLDER/report.html: one file with everything in it. `figures` says that the drawings exist. */
bf_status bf__report_page(const bf__study *studies, int count, const bf__provenance *provenance,
                          bool figures, const char *folder, bf_error *err);

#endif
