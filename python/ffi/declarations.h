/* declarations.h - What the Python package calls: a copy of parts of include/backflow, for cffi.
 *
 * "..." leaves to the compiler what only the compiler has to know, and is no C: */
/* clang-format off */

/* status.h, memory.h */
typedef enum bf_status { BF_OK, BF_EPOLICY, BF_ECANCELLED, ... } bf_status;
typedef struct bf_error {
    bf_status status;
    char message[1024];
} bf_error;
const char *bf_status_name(bf_status status);
const char *bf_status_text(bf_status status);
const char *bf_version(void);
typedef... bf_arena;
bf_status bf_arena_create(bf_arena **out, const void *allocator, bf_error *err);
void bf_arena_destroy(bf_arena *arena);
void *bf_arena_zalloc(bf_arena *arena, int64_t count, size_t size, bf_error *err);
size_t bf_arena_bytes(const bf_arena *arena);

/* context.h */
typedef enum bf_message_level {
    BF_MESSAGE_DEBUG,
    BF_MESSAGE_NOTE,
    BF_MESSAGE_WARNING
} bf_message_level;
typedef struct bf_progress {
    const char *task;
    double done, total;
    const char *detail;
} bf_progress;
typedef struct bf_callbacks {
    void (*message)(void *context, bf_message_level level, const char *text);
    bool (*progress)(void *context, const bf_progress *progress);
    void *context;
} bf_callbacks;
typedef struct bf_context {
    bf_callbacks callbacks;
    int threads;
    uint64_t seed;
    size_t size;
    ...;
} bf_context;

/* options.h */
typedef enum bf_option_type {
    BF_OPTION_BOOL,
    BF_OPTION_INT,
    BF_OPTION_SEED,
    BF_OPTION_REAL,
    BF_OPTION_AUTO,
    BF_OPTION_STRING,
    BF_OPTION_LIST,
    BF_OPTION_ENUM,
    ...
} bf_option_type;
typedef struct bf_option {
    const char *field;
    bf_option_type type;
    const char *initial;
    double min, max;
    const char *choices;
    const char *help;
    ...;
} bf_option;
typedef struct bf_option_table {
    const char *title;
    const bf_option *rows;
    int count;
    size_t size;
    ...;
} bf_option_table;
typedef... bf_settings;
bf_status bf_options_init(const bf_option_table *table, void *options, bf_error *err);
const bf_option *bf_options_find(const bf_option_table *table, const char *name);
bf_status bf_options_set(const bf_option *row, void *options, const char *text, bf_error *err);
bf_status bf_settings_set(bf_settings *settings, const char *name, const char *text, bf_error *err);
const void *bf_settings_of(const bf_settings *settings, const bf_option_table *table);

/* array.h, matrix.h */
typedef enum bf_element { BF_FLOAT64, BF_FLOAT32, BF_INT32, BF_INT64, BF_UINT8, ... } bf_element;
typedef struct bf_array {
    const void *data;
    bf_element type;
    int ndim;
    int64_t shape[3];
    int64_t strides[3];
} bf_array;
typedef struct bf_view {
    const double *data;
    int64_t rows, cols, stride;
} bf_view;

/* dataset.h */
typedef... bf_dataset;
typedef... bf_columns;
typedef struct bf_read_options {
    ...;
} bf_read_options;
extern const bf_option_table bf_read_table;
bf_status bf_dataset_read(const bf_dataset **out, const char *const *paths, int count,
                          const bf_read_options *options, const bf_context *context,
                          bf_arena *arena, bf_error *err);
bf_status bf_columns_create(bf_columns **out, const char *name, bf_arena *arena, bf_error *err);
bf_status bf_columns_add(bf_columns *columns, const char *name, const bf_array *array,
                         bf_error *err);
bf_status bf_dataset_from_columns(const bf_dataset **out, const bf_columns *columns,
                                  const bf_context *context, bf_arena *arena, bf_error *err);
bf_status bf_dataset_write(const bf_dataset *data, const char *path, const bf_context *context,
                           bf_arena *arena, bf_error *err);
int64_t bf_dataset_rows(const bf_dataset *data);
int bf_dataset_state_dim(const bf_dataset *data);
int64_t bf_dataset_states(const bf_dataset *data);
int bf_dataset_actions(const bf_dataset *data);
int bf_dataset_action_dim(const bf_dataset *data);
int bf_dataset_samples(const bf_dataset *data);
bool bf_dataset_column(bf_array *out, const bf_dataset *data, const char *name);
int64_t bf_dataset_episodes(const bf_dataset *data, const int64_t **begin, const int64_t **order,
                            bool *inferred);
const char *bf_dataset_ignored(const bf_dataset *data);

/* policy.h */
typedef... bf_policy;
typedef struct bf_policy_function {
    const char *name;
    int state_dim;
    int actions;
    int (*probabilities)(void *context, const double *states, int64_t n, double *probabilities,
                         bf_error *err);
    int action_dim, samples;
    int (*sample)(void *context, const double *states, int64_t n, double *actions, bf_error *err);
    void *context;
    size_t size;
    ...;
} bf_policy_function;
bf_status bf_policy_from_table(const bf_policy **out, const char *name, bf_view table,
                               bf_arena *arena, bf_error *err);
bf_status bf_policy_from_function(const bf_policy **out, const bf_policy_function *function,
                                  bf_arena *arena, bf_error *err);
bf_status bf_policy_uniform(const bf_policy **out, int actions, bf_arena *arena, bf_error *err);
bf_status bf_policy_mix(const bf_policy **out, const bf_policy *base, double alpha, bf_arena *arena,
                        bf_error *err);
bf_status bf_policy_parse(const bf_policy **out, const char *spec, int actions, bf_arena *arena,
                          bf_error *err);
int bf_policy_actions(const bf_policy *policy);
bf_status bf_policy_probabilities(const bf_policy *policy, const double *states, int dim, int64_t n,
                                  double *probabilities, bf_error *err);
bf_status bf_policy_apply(const bf_dataset **out, const bf_policy *policy, const bf_dataset *data,
                          bf_arena *arena, bf_error *err);
bf_status bf_behavior_apply(const bf_dataset **out, const bf_policy *policy, const bf_dataset *data,
                            bf_arena *arena, bf_error *err);
bf_status bf_behavior_fit(const bf_dataset **out, const bf_dataset *data, const bf_context *context,
                          bf_arena *arena, bf_error *err);

/* problem.h, estimator.h */
typedef struct bf_problem {
    const bf_dataset *data;
    double gamma;
    int terminal;
    const bf_policy *target;
    size_t size;
    ...;
} bf_problem;
typedef... bf_estimate;
typedef struct bf_model {
    const char *name;
    const bf_option_table *options;
    ...;
} bf_model;
typedef struct bf_estimator {
    const char *name;
    const char *summary;
    const bf_option_table *options;
    ...;
} bf_estimator;
const bf_estimator *bf_estimator_at(int index);
const bf_estimator *bf_estimator_find(const char *name);
bf_status bf_estimator_settings(bf_settings **out, const bf_estimator *estimator, const char *text,
                                bf_arena *arena, bf_error *err);
bf_status bf_estimator_choose(const bf_model **out, const bf_estimator *estimator,
                              const bf_problem *problem, const bf_settings *settings,
                              bf_arena *arena, bf_error *err);
bf_status bf_estimator_run(const bf_estimate **out, const bf_estimator *estimator,
                           const bf_problem *problem, const bf_settings *settings,
                           const bf_context *context, bf_arena *arena, bf_error *err);
double bf_estimate_value(const bf_estimate *estimate);
const double *bf_estimate_weights(const bf_estimate *estimate);
const double *bf_estimate_signed_weights(const bf_estimate *estimate);
bool bf_diagnostic_describe(int index, const char **key, const char **label,
                            const char **definition);

/* trust.h, detail.h */
typedef... bf_trust;
typedef... bf_horizon;
typedef... bf_outcomes;
typedef struct bf_trust_options {
    ...;
} bf_trust_options;
extern const bf_option_table bf_trust_table;
bf_status bf_trust_measure(const bf_trust **out, const bf_estimate *estimate,
                           const bf_estimator *estimator, const bf_problem *problem,
                           const bf_settings *settings, const bf_trust_options *how,
                           const bf_context *context, bf_arena *arena, bf_error *err);
bf_status bf_horizon_measure(const bf_horizon **out, const bf_estimate *estimate,
                             const bf_problem *problem, const bf_settings *settings,
                             const int64_t *horizons, int count, const bf_trust_options *how,
                             const bf_context *context, bf_arena *arena, bf_error *err);
int bf_horizon_parse(int64_t *out, int room, const char *text, bf_error *err);
typedef struct bf_outcomes_options {
    const double *risk;
    int risk_count;
    const char *by;
    ...;
} bf_outcomes_options;
bf_status bf_outcomes_measure(const bf_outcomes **out, const bf_outcomes_options *what,
                              const bf_estimate *estimate, const bf_estimator *estimator,
                              const bf_problem *problem, const bf_settings *settings,
                              const bf_trust_options *how, const bf_context *context,
                              bf_arena *arena, bf_error *err);
int bf_risk_parse(double *out, int room, const char *text, bf_error *err);

/* compare.h */
typedef struct bf_named_policy {
    const char *name;
    const bf_policy *policy;
    ...;
} bf_named_policy;
typedef... bf_contest;
bf_status bf_compare_policies(const bf_contest **out, const bf_named_policy *policies, int count,
                              const bf_estimator *estimator, const bf_problem *problem,
                              const bf_settings *settings, const bf_trust_options *how,
                              const bf_context *context, bf_arena *arena, bf_error *err);
typedef struct bf_pair {
    int a, b;
    ...;
} bf_pair;
bool bf_contest_pair(const bf_contest *contest, int index, bf_pair *out);
int bf_contest_sentence(const bf_contest *contest, int index, char *text, size_t size);

/* env.h, stats.h */
typedef struct bf_env_policy {
    const char *name, *summary;
    ...;
} bf_env_policy;
typedef struct bf_env {
    const char *name, *summary;
    int state_dim;
    int actions;
    int64_t limit;
    const bf_env_policy *policies;
    ...;
} bf_env;
const bf_env *bf_env_at(int index);
const bf_env *bf_env_find(const char *name);
bf_status bf_env_policy_parse(const bf_policy **out, const bf_env *env, const char *spec,
                              double alpha, bf_arena *arena, bf_error *err);
typedef enum bf_rewards { BF_REWARDS_PAPER, BF_REWARDS_GYMNASIUM, ... } bf_rewards;
typedef struct bf_simulation {
    const bf_env *env;
    bf_rewards rewards;
    const bf_policy *const *behaviors;
    int behavior_count;
    const bf_policy *target;
    int64_t trajectories, steps;
    size_t size;
    ...;
} bf_simulation;
bf_status bf_simulate(const bf_dataset **out, const bf_simulation *simulation,
                      const bf_context *context, bf_arena *arena, bf_error *err);
typedef enum bf_truth_kind {
    BF_TRUTH_AVERAGE,
    BF_TRUTH_DISCOUNTED,
    BF_TRUTH_EPISODE,
    ...
} bf_truth_kind;
typedef struct bf_truth_plan {
    bf_truth_kind kind;
    double gamma;
    int64_t chains, steps;
    int64_t burn_in;
    bf_rewards rewards;
    bool simulate;
    size_t size;
    ...;
} bf_truth_plan;
typedef struct bf_truth {
    ...;
} bf_truth;
bf_status bf_true_value(const bf_truth **out, const bf_truth_plan *plan, const bf_env *env,
                        const bf_policy *policy, const bf_context *context, bf_arena *arena,
                        bf_error *err);

/* report.h */
typedef struct bf_filled {
    const bf_option_table *table;
    const void *options;
    ...;
} bf_filled;
typedef struct bf_answer {
    const bf_problem *problem;
    const bf_estimator *estimator;
    const bf_estimate *estimate;
    const bf_trust *trust;
    const bf_filled *settings;
    int settings_count;
    double seconds_read, seconds_estimate;
    size_t size;
    const bf_horizon *horizon;
    const bf_outcomes *outcomes;
    const char *by;
    ...;
} bf_answer;
bf_status bf_report_text(const char **out, const bf_answer *answer, bf_arena *arena, bf_error *err);
bf_status bf_report_json(const char **out, const bf_answer *answer, bf_arena *arena, bf_error *err);
typedef struct bf_contest_answer {
    const bf_contest *contest;
    const bf_filled *settings;
    int settings_count;
    double seconds_read;
    size_t size;
    ...;
} bf_contest_answer;
bf_status bf_report_contest_text(const char **out, const bf_contest_answer *answer, bool unicode,
                                 bf_arena *arena, bf_error *err);
bf_status bf_report_contest_json(const char **out, const bf_contest_answer *answer, bf_arena *arena,
                                 bf_error *err);
bf_status bf_report_log_text(const char **out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err);
bf_status bf_report_log_json(const char **out, const bf_dataset *data, bf_arena *arena,
                             bf_error *err);
typedef struct bf_value_answer {
    const bf_env *env;
    const char *policy;
    double alpha;
    const bf_truth *truth;
    const bf_filled *settings;
    int settings_count;
    double seconds;
    size_t size;
    ...;
} bf_value_answer;
bf_status bf_report_value_text(const char **out, const bf_value_answer *answer, bf_arena *arena,
                               bf_error *err);
bf_status bf_report_value_json(const char **out, const bf_value_answer *answer, bf_arena *arena,
                               bf_error *err);

/* machine.h */
typedef struct bf_machine {
    char blas[160];
    const char *simd;
    int threads;
    ...;
} bf_machine;
bf_machine bf_machine_describe(void);

/* What the library calls, in Python: see _library.py and policy.py. */
extern "Python" {
void bfpy_message(void *context, bf_message_level level, const char *text);
bool bfpy_progress(void *context, const bf_progress *progress);
int bfpy_probabilities(void *context, const double *states, int64_t n, double *probabilities,
                       bf_error *err);
int bfpy_sample(void *context, const double *states, int64_t n, double *actions, bf_error *err);
}
