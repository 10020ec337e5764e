/* suggest.c - The name that a mistyped word was probably meant to be.
 *
 * Names are compared by how many letters have to be inserted, removed, changed or swapped with
 * their neighbour to get from one to the other; dashes and underscores are the same letter. */
#include <string.h>

#include "cli/cli.h"

enum { LONGEST = 62, FARTHEST = 2 };

static char letter(const char *word, int i) {
    return word[i] == '_' ? '-' : word[i];
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* The number of changes from a to b; two rows of the table of prefixes are kept, and the one
 * before them for swaps. */
static int distance(const char *a, const char *b) {
    int rows[3][LONGEST + 2], m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (int i = 0; i <= m; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            bool same = letter(a, i - 1) == letter(b, j - 1);
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !same);
            if (i > 1 && j > 1 && letter(a, i - 1) == letter(b, j - 2) &&
                letter(a, i - 2) == letter(b, j - 1))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

void bf__suggest(bf__suggestion *best, const char *word, const char *name) {
    int d = distance(word, name);
    if (d <= FARTHEST && d < (int)strlen(name) && (!best->name || d < best->distance))
        *best = (bf__suggestion){name, d};
}
