/* test_schema.c - The JSON of an answer is as docs/answer.schema.json says, for every method.
 *
 * The validator below knows the keywords that the schema uses and refuses others. It also wants
 * every key of an answer to be described, which the schema itself does not ask of readers. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"

static bf_arena *arena;
static bf_error err;

static int setup(void **state) {
    (void)state;
    return bf_arena_create(&arena, NULL, &err) != BF_OK;
}

static int teardown(void **state) {
    (void)state;
    bf_arena_destroy(arena);
    return 0;
}

/* ---- A small validator; `where` is the way to the value, and the reason if it returns false */

static bool has_type(const json_t *value, const char *type) {
    return (strcmp(type, "object") == 0 && json_is_object(value)) ||
           (strcmp(type, "array") == 0 && json_is_array(value)) ||
           (strcmp(type, "string") == 0 && json_is_string(value)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(type, "null") == 0 && json_is_null(value)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(value)) ||
           (strcmp(type, "number") == 0 && json_is_number(value));
}

static bool right_type(const json_t *value, const json_t *types) {
    if (!types)
        return true;
    if (json_is_string(types))
        return has_type(value, json_string_value(types));
    for (size_t i = 0; i < json_array_size(types); i++)
        if (has_type(value, json_string_value(json_array_get(types, i))))
            return true;
    return false;
}

static bool refuse(char *where, const char *why) {
    size_t used = strlen(where);
    snprintf(where + used, 256 - used, ": %s", why);
    return false;
}

static bool validate(json_t *value, json_t *schema, char *where);

static bool validate_child(json_t *value, json_t *schema, char *where, const char *key) {
    size_t used = strlen(where);
    snprintf(where + used, 256 - used, "/%s", key);
    if (!validate(value, schema, where))
        return false;
    where[used] = '\0';
    return true;
}

static bool known_keywords(json_t *schema, char *where) {
    static const char *const known[] = {
        "$schema", "title",    "description", "type",
        "enum",    "required", "properties",  "additionalProperties",
        "items",   "minimum",  "maximum"};
    const char *key;
    json_t *unused;
    json_object_foreach(schema, key, unused) {
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            found = found || strcmp(key, known[i]) == 0;
        if (!found)
            return refuse(where, "a keyword that this validator does not know");
    }
    return true;
}

static bool validate_object(json_t *value, json_t *schema, char *where) {
    json_t *required = json_object_get(schema, "required");
    json_t *properties = json_object_get(schema, "properties");
    json_t *others = json_object_get(schema, "additionalProperties"), *child;
    const char *key;
    for (size_t i = 0; i < json_array_size(required); i++)
        if (!json_object_get(value, json_string_value(json_array_get(required, i))))
            return refuse(where, json_string_value(json_array_get(required, i)));
    json_object_foreach(value, key, child) {
        json_t *own = json_object_get(properties, key);
        if (!own && properties && !others)
            return refuse(where, key);
        if ((own || others) && !validate_child(child, own ? own : others, where, key))
            return false;
    }
    return true;
}

static bool validate(json_t *value, json_t *schema, char *where) {
    json_t *values = json_object_get(schema, "enum"), *items = json_object_get(schema, "items");
    json_t *least = json_object_get(schema, "minimum"), *most = json_object_get(schema, "maximum");
    if (!known_keywords(schema, where))
        return false;
    if (!right_type(value, json_object_get(schema, "type")))
        return refuse(where, "another type");
    bool listed = !values;
    for (size_t i = 0; i < json_array_size(values); i++)
        listed = listed || json_equal(value, json_array_get(values, i));
    if (!listed)
        return refuse(where, "none of the values");
    if (json_is_number(value) && ((least && json_number_value(value) < json_number_value(least)) ||
                                  (most && json_number_value(value) > json_number_value(most))))
        return refuse(where, "out of range");
    for (size_t i = 0; items && i < json_array_size(value); i++)
        if (!validate_child(json_array_get(value, i), items, where, "[]"))
            return false;
    return !json_is_object(value) || validate_object(value, schema, where);
}

/* ---- Answers */

static json_t *schema_of(void) {
    json_error_t why;
    json_t *schema = json_load_file(DOCS "/answer.schema.json", 0, &why);
    if (!schema)
        fail_msg("answer.schema.json:%d: %s", why.line, why.text);
    return schema;
}

static void check(const char *text, json_t *schema, const char *name) {
    json_error_t why;
    char where[256] = "";
    json_t *answer = json_loads(text, 0, &why);
    if (!answer)
        fail_msg("%s: line %d: %s", name, why.line, why.text);
    if (!validate(answer, schema, where))
        fail_msg("%s: %s", name, where);
    json_decref(answer);
}

/* The same with an interval. */
static void measured(bf_answer *answer, json_t *schema) {
    const char *text;
    assert_ok(bf_trust_measure(&answer->trust, answer->estimate, answer->estimator, answer->problem,
                               NULL, NULL, NULL, arena, &err),
              err);
    assert_ok(bf_report_json(&text, answer, arena, &err), err);
    check(text, schema, "with an interval");
}

static void every_method(void **state) {
    (void)state;
    const char *path = FIXTURES "/uncovered-0.csv";
    const bf_dataset *data, *fitted;
    int answered = 0;
    json_t *schema = schema_of();
    assert_ok(bf_dataset_read(&data, &path, 1, NULL, NULL, arena, &err), err);
    assert_ok(bf_behavior_fit(&fitted, data, NULL, arena, &err), err);
    bf_problem problem = {.data = fitted, .gamma = 1, .size = sizeof problem};
    for (int i = 0; bf_estimator_at(i); i++) {
        bf_answer answer = {.problem = &problem, .estimator = bf_estimator_at(i)};
        const char *text;
        if (strcmp(answer.estimator->name, "fqe") == 0)
            continue; /* minutes of fitting say nothing more about the form of an answer */
        if (bf_estimator_run(&answer.estimate, answer.estimator, &problem, NULL, NULL, arena,
                             &err) != BF_OK)
            continue; /* this log does not have what the method needs */
        assert_ok(bf_report_json(&text, &answer, arena, &err), err);
        check(text, schema, answer.estimator->name);
        if (strcmp(answer.estimator->name, "blackbox") == 0) /* the others would take long */
            measured(&answer, schema);
        answered++;
    }
    assert_true(answered >= 3);
    json_decref(schema);
}

static void what_is_wrong_is_seen(void **state) {
    (void)state;
    static const struct {
        const char *schema, *value;
    } wrong[] = {
        {"{\"type\": \"integer\"}", "[1.5]"},
        {"{\"enum\": [1]}", "[2]"},
        {"{\"minimum\": 0}", "[-1]"},
        {"{\"required\": [\"a\"]}", "[{\"b\": 1}]"},
        {"{\"properties\": {\"a\": {\"type\": \"string\"}}}", "[{\"a\": 1}]"},
        {"{\"properties\": {\"a\": {}}}", "[{\"b\": 1}]"},
        {"{\"additionalProperties\": {\"type\": \"number\"}}", "[{\"b\": \"x\"}]"},
        {"{\"items\": {\"type\": \"string\"}}", "[[1]]"},
        {"{\"pattern\": \"x\"}", "[1]"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char where[256] = "";
        json_t *schema = json_loads(wrong[i].schema, 0, NULL);
        json_t *value = json_loads(wrong[i].value, 0, NULL);
        if (validate(json_array_get(value, 0), schema, where))
            fail_msg("%s takes %s", wrong[i].schema, wrong[i].value);
        json_decref(schema);
        json_decref(value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_method, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_seen, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
