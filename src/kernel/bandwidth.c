/* bandwidth.c - Widths from the distances between the points themselves.
 *
 *     text   = item { "," item }
 *     item   = base [ "*" number ]
 *     base   = "median" | "p" percent | number
 *
 * The distances are those of all pairs of at most 2,000 points (2 million distances). A random
 * stream of its own draws the points without replacement, so the width does not depend on other
 * draws. */
#include "kernel/bandwidth.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/fail.h"
#include "core/text.h"
#include "linalg/clones.h"

enum { SUBSAMPLE = 2000, BINS = 1 << 15 };

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* The sixteenth of an octave that x >= 0 is in. The bits of such numbers are in their order. */
static int bin_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 48) & (BINS - 1);
}

/* Moves those of v (n) to the front that are in the bin of the k-th smallest. Returns how many
 * there are; *k becomes the place among them. */
static int64_t gather_bin(double *v, int64_t n, int64_t *k) {
    int32_t count[BINS] = {0};
    int64_t kept = 0;
    int bin = 0;
    for (int64_t i = 0; i < n; i++)
        count[bin_of(v[i])]++;
    for (; bin < BINS - 1 && *k >= count[bin]; bin++)
        *k -= count[bin];
    for (int64_t i = 0; i < n; i++)
        if (bin_of(v[i]) == bin)
            swap(&v[i], &v[kept++]);
    return kept;
}

/* The k-th smallest of v (n), none of which is below 0; v is reordered. If there are many, those
 * near it are found by counting first, which does not guess branches; then Hoare's selection. */
static double kth(double *v, int64_t n, int64_t k) {
    if (n > BINS)
        n = gather_bin(v, n, &k);
    int64_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = v[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j)
                swap(&v[i++], &v[j--]);
        }
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return v[k];
}

/* Draws `count` of 0 .. n-1 without replacement, by Floyd's method. Nothing depends on their
 * order. */
static void draw(int64_t *chosen, int64_t count, int64_t n, uint64_t seed) {
    if (count == n) {
        for (int64_t i = 0; i < n; i++)
            chosen[i] = i;
        return;
    }
    bf_rng rng = bf_rng_make(seed, "bandwidth", 0);
    for (int64_t j = n - count; j < n; j++) {
        int64_t t = bf_rng_below(&rng, j + 1), filled = j - (n - count);
        for (int64_t i = 0; i < filled; i++)
            if (chosen[i] == t) {
                t = j;
                break;
            }
        chosen[filled] = t;
    }
}

/* r2 (a) takes the squared distances of point a to the points before it. */
BF_CLONES static void squares_to(double *restrict r2, const double *restrict x, int64_t a,
                                 int64_t count, int d) {
    for (int64_t b = 0; b < a; b++)
        r2[b] = 0;
    for (int k = 0; k < d; k++, x += count)
        for (int64_t b = 0; b < a; b++)
            r2[b] += (x[a] - x[b]) * (x[a] - x[b]);
}

bf_status bf__distance_percentile(double *out, double percent, const double *z, int64_t n, int d,
                                  uint64_t seed, bf_arena *arena, bf_error *err) {
    bf_mark mark = bf_arena_mark(arena);
    int64_t count = n < SUBSAMPLE ? n : SUBSAMPLE, pairs = count * (count - 1) / 2, filled = 0;
    int64_t *chosen;
    double *r2, *x; /* x (d, count): the points chosen */
    BF_ALLOC(chosen, arena, count, err);
    BF_ALLOC(x, arena, d * count, err);
    BF_ALLOC(r2, arena, pairs, err);
    draw(chosen, count, n, seed);
    for (int k = 0; k < d; k++)
        for (int64_t i = 0; i < count; i++)
            x[k * count + i] = z[k * n + chosen[i]];
    for (int64_t a = 0; a < count; filled += a++)
        squares_to(r2 + filled, x, a, count, d);
    *out = 0;
    if (filled > 0)
        *out = sqrt(kth(r2, filled, (int64_t)((double)(filled - 1) * percent / 100 + 0.5)));
    if (!(*out > 0)) { /* many points are the same one */
        int64_t kept = 0;
        for (int64_t i = 0; i < filled; i++)
            if (r2[i] > 0)
                r2[kept++] = r2[i];
        *out = kept ? sqrt(kth(r2, kept, (int64_t)((double)(kept - 1) * percent / 100 + 0.5))) : 1;
    }
    bf_arena_rewind(arena, mark);
    return BF_OK;
}

/* One item of the text: a percentile of the distances, or a number where `percent` is below 0;
 * times a factor. */
typedef struct width {
    double percent, number, factor;
} width;

static bool parse_item(width *out, const char *item) {
    char base[64];
    *out = (width){-1, 0, 1};
    snprintf(base, sizeof base, "%s", item);
    char *star = strchr(base, '*');
    if (star)
        *star++ = 0;
    if (star && !(bf__parse_real(star, &out->factor) && out->factor > 0 && isfinite(out->factor)))
        return false;
    if (strcmp(base, "median") == 0)
        out->percent = 50;
    else if (base[0] == 'p')
        return bf__parse_real(base + 1, &out->percent) && out->percent >= 0 && out->percent <= 100;
    else
        return bf__parse_real(base, &out->number) && out->number > 0 && isfinite(out->number);
    return true;
}

/* The items of `text`, at most BF__MAX_WIDTHS. */
static bf_status parse(width *out, int *count, const char *name, const char *text, bf_error *err) {
    *count = 0;
    for (const char *rest = text; rest; rest = strchr(rest, ',') ? strchr(rest, ',') + 1 : NULL) {
        char item[64];
        if (*count == BF__MAX_WIDTHS)
            return bf_fail(err, BF_EUSAGE, "%s: more than %d widths in '%s'", name, BF__MAX_WIDTHS,
                           text);
        int length = snprintf(item, sizeof item, "%.*s", (int)strcspn(rest, ","), rest);
        if (length >= (int)sizeof item || !parse_item(&out[(*count)++], item))
            return bf_fail(err, BF_EUSAGE,
                           "%s: '%s' is none of: median; a percentile such as p25; a number above "
                           "0; one of these times a number, such as median*0.5",
                           name, item);
    }
    return BF_OK;
}

bf_status bf__bandwidth_check(const bf_option *row, const char *text, bf_error *err) {
    width items[BF__MAX_WIDTHS];
    int count;
    return parse(items, &count, row->field, text, err);
}

bf_status bf__bandwidth(double *widths, int *count, const char *text, const double *z, int64_t n,
                        int d, uint64_t seed, bf_arena *arena, bf_error *err) {
    width items[BF__MAX_WIDTHS];
    BF_TRY(parse(items, count, "bandwidth", text, err));
    for (int i = 0; i < *count; i++) {
        double number = items[i].number;
        if (items[i].percent >= 0)
            BF_TRY(bf__distance_percentile(&number, items[i].percent, z, n, d, seed, arena, err));
        widths[i] = number * items[i].factor;
    }
    return BF_OK;
}

bf_status bf__kernel_make(bf__kernel *out, const char *name, const char *bandwidth, const double *z,
                          int64_t n, int d, uint64_t seed, bf_arena *arena, bf_error *err) {
    const bf__kernel_kind *kind = bf__kernel_find(name);
    if (!kind)
        return bf_fail(err, BF_EUSAGE, "`kernel`: '%s' is not a kernel; `backflow list kernels`",
                       name);
    double widths[BF__MAX_WIDTHS];
    int count = 1;
    if (kind->wide)
        BF_TRY(bf__bandwidth(widths, &count, bandwidth, z, n, d, seed, arena, err));
    return bf__kernel_set(out, kind, widths, count, err);
}
