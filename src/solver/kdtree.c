/* kdtree.c - The k nearest of a set of points, exactly.
 *
 * Points are halved at the median of their widest coordinate until at most 16 are left, which are a
 * leaf. Three halvings make the eight children of a node, and the node keeps the box around the
 * points of each child. No point in a child is nearer than its box, so we skip a child if its box
 * is farther than the k-th best point so far.
 *
 * Boxes and leaves are stored coordinate after coordinate, so that the distances to all eight
 * children, or to all points of a leaf, take a few vector operations per coordinate. What is near
 * enough is then listed without a branch: a branch on a distance is a coin toss, and costs more
 * than the distance.
 *
 * Cost  building O(n d log n); a query O(d log n) for few dimensions and many points. In high
 * dimension boxes exclude little, and a query looks at nearly all points: O(n d). */
#include "solver/kdtree.h"

#include <math.h>
#include <stdbool.h>

#include "core/fail.h"
#include "linalg/clones.h"

/* The stack of a search holds up to seven siblings at each of nine levels, and a node's eight. */
enum { LEAF = BF__KDTREE_LEAF, WIDE = BF__KDTREE_WIDE, HALVINGS = 3, STACK = 96 };

/* ---- Building */

typedef struct builder {
    const double *x;
    int64_t n;
    int d;
    bf__kdnode *node;
    double *box, *leaf;
    double *around; /* (d, 2): scratch */
    int32_t *index, *first;
    int32_t nodes, leaves;
} builder;

/* Points that stand together in `index`. */
typedef struct range {
    int32_t first, count;
} range;

static bool before(const double *column, int32_t a, int32_t b) {
    return column[a] != column[b] ? column[a] < column[b] : a < b;
}

/* Partially sorts: index[middle] becomes what a full sort would put there, and the lesser ones
 * stand before it. */
static void partition_at(int32_t *index, int64_t count, int64_t middle, const double *column) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
        int32_t pivot = index[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (before(column, index[i], pivot))
                i++;
            while (before(column, pivot, index[j]))
                j--;
            if (i <= j) {
                int32_t swap = index[i];
                index[i++] = index[j];
                index[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

/* Puts a box around the points, and returns their widest coordinate. */
static int surround(builder *b, range points) {
    int widest = 0;
    const int32_t *index = b->index + points.first;
    double *box = b->around;
    for (int c = 0; c < b->d; c++) {
        const double *column = b->x + c * b->n;
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < points.count; i++) {
            low = fmin(low, column[index[i]]);
            high = fmax(high, column[index[i]]);
        }
        box[2 * c] = low;
        box[2 * c + 1] = high;
        if (high - low > box[2 * widest + 1] - box[2 * widest])
            widest = c;
    }
    return widest;
}

/* Makes a leaf; returns what a node calls it. */
static int32_t fill_leaf(builder *b, range points) {
    double *block = b->leaf + (int64_t)b->leaves * b->d * LEAF;
    const int32_t *index = b->index + points.first;
    for (int c = 0; c < b->d; c++)
        for (int j = 0; j < LEAF; j++)
            block[c * LEAF + j] = j < points.count ? b->x[c * b->n + index[j]] : INFINITY;
    b->first[b->leaves] = points.first;
    return -1 - b->leaves++;
}

/* Halves part[0] so many times; returns how many parts there are then, in the order of `index`. */
static int halve(range part[WIDE], builder *b, int times) {
    int parts = 1;
    for (; times > 0; times--) {
        range whole[WIDE];
        int wholes = parts;
        for (int p = 0; p < wholes; p++)
            whole[p] = part[p];
        parts = 0;
        for (int p = 0; p < wholes; p++) {
            range r = whole[p];
            part[parts++] = r;
            if (r.count <= LEAF)
                continue;
            const double *widest = b->x + surround(b, r) * b->n;
            int32_t half = r.count / 2;
            partition_at(b->index + r.first, r.count, half, widest);
            part[parts - 1].count = half;
            part[parts++] = (range){r.first + half, r.count - half};
        }
    }
    return parts;
}

/* Makes a node, and all below it; returns its number. */
static int32_t split(builder *b, range points, int halvings) {
    range part[WIDE] = {points};
    int32_t at = b->nodes++;
    int parts = halve(part, b, halvings);
    double *box = b->box + (int64_t)at * b->d * 2 * WIDE;
    for (int p = 0; p < parts; p++) {
        surround(b, part[p]);
        for (int c = 0; c < 2 * b->d; c++)
            box[c * WIDE + p] = b->around[c];
    }
    b->node[at].children = parts;
    for (int p = 0; p < parts; p++)
        b->node[at].child[p] =
            part[p].count <= LEAF ? fill_leaf(b, part[p]) : split(b, part[p], HALVINGS);
    return at;
}

bf_status bf__kdtree_build(bf__kdtree *out, const double *x, int64_t n, int d, bf_arena *arena,
                           bf_error *err) {
    builder b = {.x = x, .n = n, .d = d};
    if (n < 1 || n > INT32_MAX / 2)
        return bf_fail(err, BF_ENUMERIC, "%lld points are not what a tree is made for",
                       (long long)n);
    int64_t leaves = 1, nodes = 1;
    int halvings = 0;
    for (; leaves * LEAF < n; halvings++)
        leaves *= 2; /* halving makes at most the least power of two leaves that holds all points */
    int top = halvings == 0 ? 0 : (halvings - 1) % HALVINGS + 1; /* the other nodes are full */
    for (int64_t wide = (int64_t)1 << top; wide < leaves; wide *= WIDE)
        nodes += wide;
    BF_ALLOC(b.node, arena, nodes, err);
    BF_ZALLOC(b.box, arena, nodes * 2 * d * WIDE, err);
    BF_ALLOC(b.leaf, arena, leaves * LEAF * d, err);
    BF_ALLOC(b.first, arena, leaves + 1, err);
    BF_ALLOC(b.index, arena, n, err);
    BF_ALLOC(b.around, arena, 2 * d, err);
    for (int32_t i = 0; i < (int32_t)n; i++)
        b.index[i] = i;
    split(&b, (range){0, (int32_t)n}, top);
    b.first[b.leaves] = (int32_t)n;
    *out = (bf__kdtree){n, d, b.node, b.box, b.leaf, b.first, b.index};
    return BF_OK;
}

/* ---- Asking */

typedef double lanes __attribute__((vector_size(WIDE * sizeof(double)), aligned(8), may_alias));
typedef int64_t whole __attribute__((vector_size(WIDE * sizeof(int64_t)), aligned(8), may_alias));
_Static_assert((int)LEAF == 2 * (int)WIDE, "a leaf is two vectors wide");

/* d is a constant where these are called in few dimensions, so that loops over coordinates
 * dissolve. Sums go coordinate by coordinate in both, so a box is never farther than its points,
 * not in the last digit either. */
BF_INLINE void box_squares(double *out, const double *box, const double *q, int d) {
    lanes sum = {0};
    for (int c = 0; c < d; c++) {
        lanes below = *(const lanes *)(box + 2 * c * WIDE) - q[c];
        lanes above = q[c] - *(const lanes *)(box + (2 * c + 1) * WIDE);
        /* At most one of them is above 0. */
        lanes gap = (lanes)(((whole)below & (below > 0)) | ((whole)above & (above > 0)));
        sum += gap * gap;
    }
    *(lanes *)out = sum;
}

BF_INLINE void leaf_squares(double *out, const double *block, const double *q, int d) {
    lanes left = {0}, right = {0};
    for (int c = 0; c < d; c++) {
        lanes one = *(const lanes *)(block + c * LEAF) - q[c];
        lanes other = *(const lanes *)(block + c * LEAF + WIDE) - q[c];
        left += one * one;
        right += other * other;
    }
    *(lanes *)out = left;
    *(lanes *)(out + WIDE) = right;
}

/* Lists which of the squares are not above the bound; returns how many. */
BF_INLINE int list_near(int *near, const double *square, int count, double bound) {
    int found = 0;
    for (int j = 0; j < count; j++) {
        near[found] = j;
        found += square[j] <= bound;
    }
    return found;
}

typedef struct best {
    int32_t *index;
    double *square;
    int k, found;
} best;

/* Whether the list takes it. */
BF_INLINE bool takes(const best *b, int32_t index, double square) {
    int last = b->k - 1;
    return b->found < b->k || square < b->square[last] ||
           (square == b->square[last] && index < b->index[last]);
}

/* Keeps the list in order by (distance, index). If it is full, its last one goes. Equal distances
 * have a loop of their own, which hardly ever runs. */
BF_INLINE void take(best *b, int32_t index, double square) {
    int at = b->found < b->k ? b->found++ : b->k - 1;
    for (; at > 0 && b->square[at - 1] > square; at--) {
        b->square[at] = b->square[at - 1];
        b->index[at] = b->index[at - 1];
    }
    for (; at > 0 && b->square[at - 1] == square && b->index[at - 1] > index; at--) {
        b->square[at] = square;
        b->index[at] = b->index[at - 1];
    }
    b->square[at] = square;
    b->index[at] = index;
}

BF_INLINE int nearest(int32_t *index, double *square, const bf__kdtree *tree, const double *q,
                      int k, int64_t leaves, int d) {
    struct {
        int32_t node;
        double square;
    } stack[STACK];
    best b = {index, square, k, 0};
    double squares[LEAF];
    int near[LEAF], depth = 1;
    int64_t looked = 0;
    stack[0].node = 0;
    stack[0].square = 0;
    while (depth > 0) {
        double bound = b.found == k ? square[k - 1] : INFINITY;
        int32_t at = stack[--depth].node;
        if (stack[depth].square > bound)
            continue;
        if (at >= 0) {
            const bf__kdnode *node = tree->node + at;
            box_squares(squares, tree->box + (int64_t)at * 2 * d * WIDE, q, d);
            int count = list_near(near, squares, node->children, bound), bottom = depth;
            for (int j = 0; j < count; j++) { /* the nearest on top */
                int to = depth++;
                for (; to > bottom && stack[to - 1].square < squares[near[j]]; to--)
                    stack[to] = stack[to - 1];
                stack[to].node = node->child[near[j]];
                stack[to].square = squares[near[j]];
            }
            continue;
        }
        int32_t leaf = -1 - at, first = tree->first[leaf];
        leaf_squares(squares, tree->leaf + (int64_t)leaf * d * LEAF, q, d);
        int count = list_near(near, squares, tree->first[leaf + 1] - first, bound);
        for (int j = 0; j < count; j++)
            if (takes(&b, tree->index[first + near[j]], squares[near[j]]))
                take(&b, tree->index[first + near[j]], squares[near[j]]);
        if (++looked == leaves && b.found == k)
            break;
    }
    return b.found;
}

BF_CLONES static int kdtree_nearest(int32_t *index, double *square, const bf__kdtree *tree,
                                    const double *q, int k, int64_t leaves) {
    switch (tree->d) {
    case 1:
        return nearest(index, square, tree, q, k, leaves, 1);
    case 2:
        return nearest(index, square, tree, q, k, leaves, 2);
    case 3:
        return nearest(index, square, tree, q, k, leaves, 3);
    case 4:
        return nearest(index, square, tree, q, k, leaves, 4);
    case 6:
        return nearest(index, square, tree, q, k, leaves, 6);
    default:
        return nearest(index, square, tree, q, k, leaves, tree->d);
    }
}

int bf__kdtree_nearest(int32_t *index, double *square, const bf__kdtree *tree, const double *q,
                       int k, int64_t leaves) {
    return kdtree_nearest(index, square, tree, q, k, leaves);
}

int32_t bf__kdtree_where(const bf__kdtree *tree, const double *q) {
    double squares[WIDE];
    int32_t at = 0;
    do {
        int to = 0;
        box_squares(squares, tree->box + (int64_t)at * 2 * tree->d * WIDE, q, tree->d);
        for (int j = 1; j < tree->node[at].children; j++)
            to = squares[j] < squares[to] ? j : to;
        at = tree->node[at].child[to];
    } while (at >= 0);
    return tree->first[-1 - at];
}
