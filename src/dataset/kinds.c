/* kinds.c - Kinds of columns: numbers, truth values, points in time, or words.
 *
 * A column whose values are all words holds words. A single word among numbers is more often a slip
 * than a name, so such a column holds numbers, and the word is an error that names its row; a
 * mapping can say otherwise. Ids of episodes are names anyway: one word is enough. */
#include "dataset/kinds.h"

#include <string.h>

bf__kind bf__kind_named(const char *name) {
    static const struct {
        const char *name;
        bf__kind kind;
    } kinds[] = {{"number", BF__NUMBER},
                 {"category", BF__TEXT},
                 {"text", BF__TEXT},
                 {"time", BF__TIME},
                 {"flag", BF__FLAG}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kinds[k].name, name) == 0)
            return kinds[k].kind;
    return BF__ANY;
}

bf__kind bf__kind_of(bf__column_group group, bool plain, const bf__look *look) {
    bool words = look->times + look->texts > 0, numbers = look->numbers > 0;
    switch (group) {
    case BF__TERMINATED:
    case BF__TRUNCATED:
    case BF__MASK:
        return BF__FLAG;
    case BF__T:
        return words ? BF__TIME : BF__NUMBER;
    case BF__EPISODE:
        return words || look->flags ? BF__TEXT : BF__NUMBER;
    case BF__A:
        return plain && (words || look->flags) && !numbers ? BF__TEXT : BF__NUMBER;
    case BF__S:
    case BF__NS:
    case BF__GROUPS: /* a column that is kept */
        return numbers ? BF__NUMBER : words ? BF__TEXT : look->flags ? BF__FLAG : BF__NUMBER;
    default:
        return BF__NUMBER;
    }
}
