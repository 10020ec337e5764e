/* settings.c - Options and numbers as JSON. */
#include "report/settings.h"

#include <math.h>

json_t *bf__json_number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *bf__json_whole(json_t *value, bool whole) {
    if (whole)
        return value;
    json_decref(value);
    return NULL;
}

static json_t *list(const bf_list *items) {
    json_t *array = json_array();
    for (int i = 0; i < items->count; i++)
        json_array_append_new(array, json_string(items->item[i]));
    return array;
}

static json_t *setting(const bf_option *row, const void *options) {
    const void *field = (const char *)options + row->offset;
    char text[64];
    const char *string;
    switch (row->type) {
    case BF_OPTION_BOOL:
        return json_boolean(*(const bool *)field);
    case BF_OPTION_INT:
        return json_integer(*(const int64_t *)field);
    case BF_OPTION_SEED: /* from 2^63 on it is no JSON integer, so it is text */
        if (*(const uint64_t *)field <= INT64_MAX)
            return json_integer((json_int_t) * (const uint64_t *)field);
        break;
    case BF_OPTION_REAL:
        return bf__json_number(*(const double *)field);
    case BF_OPTION_AUTO:
        return ((const bf_auto *)field)->given ? bf__json_number(((const bf_auto *)field)->value)
                                               : json_string("auto");
    case BF_OPTION_LIST:
        return list(field);
    case BF_OPTION_STRING:
        string = *(const char *const *)field;
        return string ? json_string(string) : json_null();
    case BF_OPTION_ENUM:
        break;
    }
    bf_options_format(row, options, text, sizeof text);
    return json_string(text);
}

bool bf__json_settings(json_t *object, const bf_option_table *table, const void *options) {
    bool whole = object;
    for (int i = 0; i < table->count && whole; i++)
        whole = json_object_set_new(object, table->rows[i].field,
                                    setting(&table->rows[i], options)) == 0;
    return whole;
}
