/* files.c - Tables and JSON of a study. NaN becomes an empty field in CSV and null in JSON. */
#include "experiment/files.h"

#include <inttypes.h>
#include <math.h>

#include "backflow/machine.h"
#include "backflow/version.h"
#include "core/fail.h"
#include "core/output.h"
#include "core/text.h"
#include "report/settings.h"

const char *bf__verdict_text(bf__verdict verdict) {
    static const char *const texts[] = {"reproduced", "partly", "not"};
    return texts[verdict];
}

static bf_status open_file(bf__output *out, const bf__study *study, const char *folder,
                           const char *ending, bf_error *err) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, study->experiment->name, ending);
    return bf__output_open(out, path, err);
}

/* ---- CSV */

static void number(FILE *file, double value, char after) {
    char text[32] = "";
    if (!isnan(value))
        bf__format_real(text, value);
    fprintf(file, "%s%c", text, after);
}

static void mean(FILE *file, bf_mean m, char after) {
    number(file, m.value, ',');
    number(file, m.error, after);
}

#define SETTING_COLUMNS "problem,behavior,target,trajectories,steps,gamma,method,"

static void setting(FILE *file, const bf__run_group *g) {
    const bf__setting *s = &g->setting;
    fprintf(file, "%s%s,%s,%s,%" PRId64 ",%" PRId64 ",%.10g,%s,", s->env->name, bf__setting_asks(s),
            s->behavior, s->target, s->trajectories, s->steps, s->gamma, g->method->name);
}

/* Whether some runs measured an interval. Tables have columns for them only then. */
static bool has_intervals(const bf__study *study) {
    for (int64_t g = 0; g < study->group_count; g++)
        if (study->groups[g].method->interval || !isnan(study->groups[g].covering.half))
            return true;
    return false;
}

static bf_status write_runs(const bf__study *study, const char *folder, bf_error *err) {
    bf__output out;
    BF_TRY(open_file(&out, study, folder, ".csv", err));
    bool intervals = has_intervals(study);
    fputs(SETTING_COLUMNS "run,value,truth,error,single_truth,single_error,seconds", out.file);
    fputs(intervals ? ",half_width\n" : "\n", out.file);
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        for (int64_t run = 0; run < group->runs; run++) {
            setting(out.file, group);
            fprintf(out.file, "%" PRId64 ",", run);
            number(out.file, group->value[run], ',');
            number(out.file, group->truth.precise.value, ',');
            number(out.file, group->error[run], ',');
            number(out.file, group->truth.single.value, ',');
            number(out.file, group->error_single[run], ',');
            number(out.file, group->seconds[run], intervals ? ',' : '\n');
            if (intervals)
                number(out.file, group->half[run], '\n');
        }
    }
    return bf__output_commit(&out, err);
}

static double mean_seconds(const bf__run_group *group) {
    return bf__mean_of(group->seconds, group->runs).value;
}

static bf_status write_summary(const bf__study *study, const char *folder, bf_error *err) {
    bf__output out;
    bool intervals = has_intervals(study);
    BF_TRY(open_file(&out, study, folder, "-summary.csv", err));
    fputs(SETTING_COLUMNS
          "runs,answers,truth,truth_se,single_truth,single_truth_se,bias,bias_se,sd,sd_se,rmse,"
          "rmse_se,abs_error_q25,abs_error_median,abs_error_q75,single_rmse,single_rmse_se,"
          "seconds",
          out.file);
    fputs(intervals ? ",answered,covered,covered_se,half_width,answered_rmse\n" : "\n", out.file);
    for (int64_t g = 0; g < study->group_count; g++) {
        const bf__run_group *group = &study->groups[g];
        const bf__spread *s = &group->spread;
        setting(out.file, group);
        fprintf(out.file, "%" PRId64 ",%" PRId64 ",", group->runs, s->runs);
        mean(out.file, group->truth.precise, ',');
        mean(out.file, group->truth.single, ',');
        mean(out.file, s->bias, ',');
        mean(out.file, s->sd, ',');
        mean(out.file, s->rmse, ',');
        number(out.file, s->low, ',');
        number(out.file, s->median, ',');
        number(out.file, s->high, ',');
        mean(out.file, group->spread_single.rmse, ',');
        number(out.file, mean_seconds(group), intervals ? ',' : '\n');
        if (!intervals)
            continue;
        fprintf(out.file, "%" PRId64 ",", group->covering.answered);
        mean(out.file, group->covering.covered, ',');
        number(out.file, group->covering.half, ',');
        number(out.file, group->covering.rmse, '\n');
    }
    return bf__output_commit(&out, err);
}

bf_status bf__study_csv(const bf__study *study, const char *folder, bf_error *err) {
    BF_TRY(write_runs(study, folder, err));
    return write_summary(study, folder, err);
}

/* ---- JSON */

/* A name may contain any bytes, but JSON accepts only UTF-8. */
static json_t *json_text(const char *text) {
    json_t *value = json_string(text);
    if (value)
        return value;
    char plain[1024];
    snprintf(plain, sizeof plain, "%s", text);
    for (char *c = plain; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    return json_string(plain);
}

/* Seeds of the upper half do not fit into the integers of JSON. */
static json_t *json_seed(uint64_t seed) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return seed <= INT64_MAX ? json_integer((json_int_t)seed) : json_string(text);
}

static json_t *json_mean(bf_mean m) {
    return json_pack("{s:o, s:o}", "value", bf__json_number(m.value), "standard_error",
                     bf__json_number(m.error));
}

static json_t *json_group(const bf__run_group *group) {
    const bf__setting *s = &group->setting;
    const bf__spread *spread = &group->spread;
    json_t *truth = json_pack("{s:o, s:o}", "precise", json_mean(group->truth.precise), "single",
                              json_mean(group->truth.single));
    json_t *quartiles = json_pack("[o, o, o]", bf__json_number(spread->low),
                                  bf__json_number(spread->median), bf__json_number(spread->high));
    json_t *covering = json_null();
    if (group->method->interval)
        covering = json_pack(
            "{s:I, s:o, s:o, s:o}", "answered", (json_int_t)group->covering.answered, "covered",
            json_mean(group->covering.covered), "half_width", bf__json_number(group->covering.half),
            "rmse", bf__json_number(group->covering.rmse));
    return json_pack("{s:s+, s:o, s:o, s:I, s:I, s:o, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:o}",
                     "problem", s->env->name, bf__setting_asks(s), "behavior",
                     json_text(s->behavior), "target", json_text(s->target), "trajectories",
                     (json_int_t)s->trajectories, "steps", (json_int_t)s->steps, "gamma",
                     bf__json_number(s->gamma), "method", group->method->name, "runs",
                     (json_int_t)group->runs, "answers", (json_int_t)spread->runs, "truth", truth,
                     "bias", json_mean(spread->bias), "sd", json_mean(spread->sd), "rmse",
                     json_mean(spread->rmse), "abs_error_quartiles", quartiles, "single_rmse",
                     json_mean(group->spread_single.rmse), "seconds",
                     bf__json_number(mean_seconds(group)), "covering", covering);
}

static json_t *json_claims(const bf__study *study) {
    json_t *array = json_array();
    for (int i = 0; i < study->claim_count; i++) {
        const bf__claim *c = &study->claims[i];
        json_array_append_new(array, json_pack("{s:s, s:s, s:s, s:s, s:b}", "claim", c->claim,
                                               "rule", c->rule, "measured", c->measured, "verdict",
                                               bf__verdict_text(c->verdict), "ours", c->ours));
    }
    return array;
}

static json_t *json_machine(void) {
    bf_machine machine = bf_machine_describe();
    return json_pack("{s:s, s:s, s:i}", "blas", machine.blas, "simd", machine.simd, "threads",
                     machine.threads);
}

bf_status bf__study_json(const bf__study *study, const bf__provenance *provenance,
                         const char *folder, bf_error *err) {
    bf__output out;
    json_t *settings = json_object(), *groups = json_array();
    if (!bf__json_settings(settings, study->experiment->options, study->options))
        settings = bf__json_whole(settings, false);
    json_object_set_new(settings, "truth_steps", json_integer(provenance->effort.steps));
    json_object_set_new(settings, "single_steps", json_integer(provenance->effort.single));
    for (int64_t g = 0; g < study->group_count; g++)
        json_array_append_new(groups, json_group(&study->groups[g]));
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:b, s:o, s:s, s:o, s:o, s:o, s:o}", "experiment", study->experiment->name,
        "place", study->experiment->place, "command", json_text(provenance->command), "quick",
        provenance->quick, "seed", json_seed(provenance->seed), "version", bf_version(), "machine",
        json_machine(), "settings", settings, "groups", groups, "claims", json_claims(study));
    bf_status status = open_file(&out, study, folder, ".json", err);
    if (status != BF_OK) {
        json_decref(object);
        return status;
    }
    status = bf__json_write(out.file, object, err);
    if (status != BF_OK) {
        bf__output_abandon(&out);
        return status;
    }
    return bf__output_commit(&out, err);
}
