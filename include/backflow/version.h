/* version.h - The version, and what it promises.
 *
 * Versions are MAJOR.MINOR.PATCH. Before 1.0 a new MINOR may change the interface;
 * docs/migration.md then says how, and the shared library gets a new SONAME (libbackflow.so.0.2),
 * so that a program never runs with a library that it was not built for. Within one MINOR:
 *
 * - A program built against an older PATCH runs with a newer one without being built again.
 * - Datasets, policies, answers and arenas are handles; programs ask them by functions.
 * - A struct that programs fill (bf_context, bf_problem, bf_read_options, ...) ends in its size.
 * New fields come after `size`, and 0 in them means what the library did before they came; size 0
 *   says that the program knows of none.
 * - A struct that only the library makes (bf_estimator, bf_env, ...) may get new fields at its end.
 * - bf_error, bf_array, bf_view and bf_rng are complete and will not change.
 * - Values of enums stay. Methods, formats, kernels and environments are named by text; their
 * places in lists may change.
 * - The JSON of an answer has its own version, "schema"; a reader ignores keys that it does not
 * know.
 * - Digits are not promised: a better method may answer differently, and CHANGELOG.md says so. */
#ifndef BACKFLOW_VERSION_H
#define BACKFLOW_VERSION_H

#include "backflow/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BF_VERSION_MAJOR 0
#define BF_VERSION_MINOR 2
#define BF_VERSION_PATCH 0

BF_API const char *bf_version(void); /* of the library that runs: "0.2.0" */

#ifdef __cplusplus
}
#endif
#endif
