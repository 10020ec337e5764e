/* network_file.c - The file of a network policy. It is text, and reading it back gives every digit.
 *
 *     backflow network policy 1                   what it is, and the version of this form
 *     checksum 89abcdef01234567                   FNV-1a, 64 bits, of all that follows this line
 *     command backflow train pendulum --seed 1    what made it
 *     env pendulum
 *     choice greedy                               or: choice softmax TEMPERATURE
 *     states 2
 *     state theta angle                           enters as cos, sin
 *     state thetadot scale 0 4.6                  enters as (x - 0) / 4.6
 *     layers 3 20 20 5                            inputs, hidden, one output per action
 *     activation tanh
 *     parameters 605                              then so many numbers: per layer its weights,
 *     0.123 -0.456 ...                            one line per unit, then a line of biases
 *     end
 *
 * The reader checks everything in a file before it uses it, and a message names the line. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "backflow/options.h"
#include "core/fail.h"
#include "core/memory_file.h"
#include "core/output.h"
#include "core/text.h"
#include "policy/network.h"

#define LARGEST (1 << 20) /* bytes: ten times the largest network there can be in practice */

/* ---- Writing */

static uint64_t fnv1a(const char *bytes, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
    return hash;
}

static void write_body(const bf__network *network, FILE *file) {
    const bf__mlp *net = &network->net;
    char activation[16];
    bf_options_choice(BF__MLP_ACTIVATIONS, (int)net->activation, activation, sizeof activation);
    fprintf(file, "command %s\nenv %s\n", network->command, network->env);
    if (network->temperature > 0)
        fprintf(file, "choice softmax %.17g\n", network->temperature);
    else
        fprintf(file, "choice greedy\n");
    fprintf(file, "states %d\n", network->base.state_dim);
    for (int j = 0; j < network->base.state_dim; j++)
        if (network->angle[j])
            fprintf(file, "state %s angle\n", network->state_name[j]);
        else
            fprintf(file, "state %s scale %.17g %.17g\n", network->state_name[j],
                    network->centre[j], network->width[j]);
    fprintf(file, "layers");
    for (int l = 0; l <= net->layers; l++)
        fprintf(file, " %d", net->size[l]);
    fprintf(file, "\nactivation %s\nparameters %lld\n", activation,
            (long long)bf__mlp_parameters(net));
    const float *p = network->parameters;
    for (int l = 0; l < net->layers; l++)
        for (int j = 0; j <= net->size[l + 1]; j++) {
            int count = j < net->size[l + 1] ? net->size[l] : net->size[l + 1];
            for (int k = 0; k < count; k++)
                fprintf(file, "%s%.9g", k ? " " : "", (double)*p++);
            fputc('\n', file);
        }
    fprintf(file, "end\n");
}

bf_status bf__network_write(const bf__network *network, const char *path, bf_error *err) {
    bf__memory_file body;
    if (!bf__memory_file_open(&body))
        return bf_fail(err, BF_ENOMEM, "out of memory");
    write_body(network, body.file);
    if (!bf__memory_file_close(&body))
        return bf_fail(err, BF_ENOMEM, "out of memory");
    bf__output out;
    bf_status status = bf__output_open(&out, path, err);
    if (status == BF_OK) {
        fprintf(out.file, BF__NETWORK_MAGIC "1\nchecksum %016llx\n",
                (unsigned long long)fnv1a(body.text, body.size));
        fwrite(body.text, 1, body.size, out.file);
        status = bf__output_commit(&out, err);
    }
    free(body.text);
    return status;
}

/* ---- Reading: a cursor over words and lines that knows its line number */

typedef struct cursor {
    const char *path;
    char *at; /* the text ends with '\0' */
    int line; /* number of the line that was read last; the first is 1 */
    bf_error *err;
} cursor;

__attribute__((format(printf, 2, 3))) static bf_status fail_at(const cursor *c, const char *format,
                                                               ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return bf_fail(c->err, BF_EPOLICY, "%s:%d: %s", c->path, c->line, text);
}

/* The next line, terminated, or NULL if there is none. */
static char *next_line(cursor *c) {
    char *line = c->at, *end = strchr(line, '\n');
    c->line++;
    if (!end)
        return NULL;
    *end = '\0';
    c->at = end + 1;
    return line;
}

/* Returns what follows `key` on the next line, which must begin with `key`. */
static bf_status take_line(cursor *c, const char *key, char **out) {
    size_t length = strlen(key);
    char *line = next_line(c);
    if (!line)
        return fail_at(c, "the file ends where '%s ...' should stand", key);
    if (strncmp(line, key, length) != 0 || (line[length] != ' ' && line[length] != '\0'))
        return fail_at(c, "'%.40s' where '%s ...' should stand", line, key);
    *out = line + length + (line[length] == ' ');
    return BF_OK;
}

/* The next word of a line, or "" at its end. */
static char *word(char **line) {
    char *start = *line + strspn(*line, " ");
    char *end = start + strcspn(start, " ");
    *line = *end ? end + 1 : end;
    *end = '\0';
    return start;
}

static bf_status number(const cursor *c, const char *text, const char *what, double *out) {
    if (!bf__parse_real(text, out))
        return fail_at(c, "%s: '%.40s' is not a number", what, text);
    if (!isfinite(*out))
        return fail_at(c, "%s: '%.40s' is not finite", what, text);
    return BF_OK;
}

static bf_status whole(const cursor *c, const char *text, const char *what, int most, int *out) {
    double value;
    BF_TRY(number(c, text, what, &value));
    if (value != floor(value) || value < 1 || value > most)
        return fail_at(c, "%s: '%.40s' is not a whole number from 1 to %d", what, text, most);
    *out = (int)value;
    return BF_OK;
}

static bf_status nothing_left(const cursor *c, char *line) {
    char *extra = word(&line);
    return *extra ? fail_at(c, "'%.40s' is too much here", extra) : BF_OK;
}

static bf_status read_choice(bf__network *network, cursor *c) {
    char *line;
    BF_TRY(take_line(c, "choice", &line));
    char *name = word(&line);
    if (strcmp(name, "softmax") == 0) {
        BF_TRY(number(c, word(&line), "temperature", &network->temperature));
        if (network->temperature <= 0)
            return fail_at(c, "temperature: %g is not above 0", network->temperature);
    } else if (strcmp(name, "greedy") != 0) {
        return fail_at(c, "choice: '%.40s' is neither greedy nor softmax", name);
    }
    BF_TRY(nothing_left(c, line));
    return BF_OK;
}

static bf_status read_states(bf__network *network, cursor *c) {
    char *line;
    BF_TRY(take_line(c, "states", &line));
    BF_TRY(whole(c, word(&line), "states", BF__NETWORK_MAX_STATE, &network->base.state_dim));
    BF_TRY(nothing_left(c, line));
    for (int j = 0; j < network->base.state_dim; j++) {
        BF_TRY(take_line(c, "state", &line));
        network->state_name[j] = word(&line);
        char *how = word(&line);
        network->angle[j] = strcmp(how, "angle") == 0;
        if (strcmp(how, "scale") == 0) {
            BF_TRY(number(c, word(&line), "centre", &network->centre[j]));
            BF_TRY(number(c, word(&line), "width", &network->width[j]));
            if (network->width[j] <= 0)
                return fail_at(c, "width: %g is not above 0", network->width[j]);
        } else if (!network->angle[j]) {
            return fail_at(c, "state: '%.40s' is neither angle nor scale", how);
        }
        BF_TRY(nothing_left(c, line));
    }
    return BF_OK;
}

static bf_status read_layers(bf__network *network, cursor *c) {
    bf__mlp *net = &network->net;
    char *line, *text;
    BF_TRY(take_line(c, "layers", &line));
    int count = 0;
    while (*(text = word(&line))) {
        if (count > BF__MLP_MAX_LAYERS)
            return fail_at(c, "layers: more than %d", BF__MLP_MAX_LAYERS + 1);
        BF_TRY(whole(c, text, "layers", BF__MLP_MAX_WIDTH, &net->size[count++]));
    }
    if (count < 2)
        return fail_at(c, "layers: needs at least inputs and outputs");
    net->layers = count - 1;
    int inputs = bf__network_inputs(network);
    if (net->size[0] != inputs)
        return fail_at(c, "layers: %d inputs, but the states above make %d", net->size[0], inputs);
    if (net->size[net->layers] > BF__NETWORK_MAX_ACTIONS)
        return fail_at(c, "layers: %d actions; there can be at most %d", net->size[net->layers],
                       BF__NETWORK_MAX_ACTIONS);
    BF_TRY(take_line(c, "activation", &line));
    char name[16];
    int kind = 0;
    while (bf_options_choice(BF__MLP_ACTIVATIONS, kind, name, sizeof name) &&
           strcmp(name, line) != 0)
        kind++;
    if (strcmp(name, line) != 0)
        return fail_at(c, "activation: '%.40s' is not one of %s", line, BF__MLP_ACTIVATIONS);
    net->activation = (bf__activation)kind;
    return BF_OK;
}

static bf_status read_parameters(bf__network *network, cursor *c, bf_arena *arena) {
    char *line;
    int64_t count = bf__mlp_parameters(&network->net), found = 0;
    int told;
    float *parameters;
    BF_TRY(take_line(c, "parameters", &line));
    BF_TRY(whole(c, word(&line), "parameters", LARGEST, &told));
    if (told != count)
        return fail_at(c, "parameters: %d, but the layers above have %lld", told, (long long)count);
    BF_TRY(nothing_left(c, line));
    BF_ALLOC(parameters, arena, count, c->err);
    while ((line = next_line(c)) && strcmp(line, "end") != 0)
        for (char *text; *(text = word(&line));) {
            double value;
            BF_TRY(number(c, text, "parameters", &value));
            if (fabs(value) > 1e30)
                return fail_at(c, "parameters: %s is too large", text);
            if (found == count)
                return fail_at(c, "parameters: more than the %lld that were announced",
                               (long long)count);
            parameters[found++] = (float)value;
        }
    if (found < count)
        return fail_at(c, "parameters: %lld numbers; %lld were announced", (long long)found,
                       (long long)count);
    network->parameters = parameters;
    return *c->at ? fail_at(c, "there is something after 'end'") : BF_OK;
}

/* Reads the first two lines and checks that the rest has the checksum they give. */
static bf_status read_head(cursor *c, size_t length) {
    const char *text = c->at;
    char *line, *end;
    if (strncmp(text, BF__NETWORK_MAGIC, strlen(BF__NETWORK_MAGIC)) != 0)
        return bf_fail(c->err, BF_EPOLICY,
                       "%s:1: is not a network policy: those begin with '" BF__NETWORK_MAGIC "1'",
                       c->path);
    if (length < 4 || strcmp(text + length - 4, "end\n") != 0)
        return bf_fail(c->err, BF_EPOLICY,
                       "%s: is cut short: the last line should be 'end' (%zu bytes are here)",
                       c->path, length);
    BF_TRY(take_line(c, "backflow network policy", &line));
    if (strcmp(line, "1") != 0)
        return fail_at(c, "version '%.20s' of the file's form; this program knows version 1", line);
    BF_TRY(take_line(c, "checksum", &line));
    unsigned long long told = strtoull(line, &end, 16);
    uint64_t found = fnv1a(c->at, length - (size_t)(c->at - text));
    if (strlen(line) != 16 || *end || told != found)
        return fail_at(c,
                       "checksum '%.20s', but what follows has %016llx: the file was changed or "
                       "damaged",
                       line, (unsigned long long)found);
    return BF_OK;
}

/* The whole file as text of ours, with a '\0' after it. */
static bf_status take_text(char **out, const char *path, const bf__bytes *bytes, bf_arena *arena,
                           bf_error *err) {
    const unsigned char *zero = memchr(bytes->data, '\0', bytes->size);
    if (bytes->size > LARGEST)
        return bf_fail(err, BF_EPOLICY, "%s: is larger than any network policy can be (%d bytes)",
                       path, LARGEST);
    if (zero)
        return bf_fail(err, BF_EPOLICY, "%s: byte %zu is zero: this is not the text it should be",
                       path, (size_t)(zero - bytes->data));
    BF_ALLOC(*out, arena, (int64_t)bytes->size + 1, err);
    memcpy(*out, bytes->data, bytes->size);
    (*out)[bytes->size] = '\0';
    return BF_OK;
}

/* Cuts `text` into lines and words. The network goes on using this memory. */
static bf_status parse(bf_policy **out, const char *path, char *text, size_t length,
                       bf_arena *arena, bf_error *err) {
    bf__network *network;
    char *line;
    cursor c = {path, text, 0, err};
    BF_ZALLOC(network, arena, 1, err);
    BF_TRY(read_head(&c, length));
    BF_TRY(take_line(&c, "command", &line));
    network->command = line;
    BF_TRY(take_line(&c, "env", &line));
    network->env = line;
    BF_TRY(read_choice(network, &c));
    BF_TRY(read_states(network, &c));
    BF_TRY(read_layers(network, &c));
    BF_TRY(read_parameters(network, &c, arena));
    size_t size = strlen(path) + 1;
    char *name = bf_arena_alloc(arena, (int64_t)size, 1, err);
    if (!name)
        return BF_ENOMEM;
    network->base.name = memcpy(name, path, size);
    bf__network_finish(network);
    *out = &network->base;
    return BF_OK;
}

bf_status bf__network_read(bf_policy **out, const char *path, const bf__bytes *bytes,
                           bf_arena *arena, bf_error *err) {
    char *text = NULL;
    BF_TRY(take_text(&text, path, bytes, arena, err));
    return parse(out, path, text, bytes->size, arena, err);
}

bf_status bf__network_parse(const bf_policy **out, const char *name, const char *text,
                            bf_arena *arena, bf_error *err) {
    size_t length = strlen(text);
    bf_policy *made = NULL;
    char *copy = bf_arena_alloc(arena, (int64_t)length + 1, 1, err);
    if (!copy)
        return BF_ENOMEM;
    bf_status status = parse(&made, name, memcpy(copy, text, length + 1), length, arena, err);
    *out = made;
    return status;
}
