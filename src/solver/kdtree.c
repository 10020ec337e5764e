/* kdtree.c - The k nearest of a set of points, exactly.
 *
 * Points are halved at the median of their widest coordinate until at most 16 are left. A node
 * keeps the box around its points. No point in the node is nearer than the box, so we skip a node
 * if its box is farther than the k-th best point so far. The points of a leaf are stored coordinate
 * after coordinate, so that the distances to all of them take one vector operation per coordinate.
 *
 * Cost  building O(n d log n); a query O(d log n) for few dimensions and many points. In high
 * dimension boxes exclude little, and a query looks at nearly all points: O(n d). */
#include "solver/kdtree.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/fail.h"
#include "linalg/clones.h"

enum { LEAF = BF__KDTREE_LEAF, STACK = 96 };

/* ---- Building */

typedef struct builder {
    const double *x;
    int64_t n;
    int d;
    bf__kdnode *node;
    double *box, *leaf;
    int32_t *index, *place;
    int32_t nodes, leaves;
} builder;

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

static int surround(double *box, const builder *b, const int32_t *index, int64_t count) {
    int widest = 0;
    for (int c = 0; c < b->d; c++) {
        const double *column = b->x + c * b->n;
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < count; i++) {
            low = fmin(low, column[index[i]]);
            high = fmax(high, column[index[i]]);
        }
        box[c] = low;
        box[b->d + c] = high;
        if (high - low > box[b->d + widest] - box[widest])
            widest = c;
    }
    return widest;
}

static void fill_leaf(builder *b, int32_t at) {
    const bf__kdnode *node = b->node + at;
    double *block = b->leaf + (int64_t)b->leaves * b->d * LEAF;
    b->place[at] = b->leaves++;
    for (int c = 0; c < b->d; c++)
        for (int j = 0; j < LEAF; j++)
            block[c * LEAF + j] =
                j < node->count ? b->x[c * b->n + b->index[node->first + j]] : INFINITY;
}

static void split(builder *b, int32_t at) {
    bf__kdnode *node = b->node + at;
    int widest = surround(b->box + (int64_t)at * 2 * b->d, b, b->index + node->first, node->count);
    if (node->count <= LEAF) {
        fill_leaf(b, at);
        return;
    }
    int32_t half = node->count / 2;
    partition_at(b->index + node->first, node->count, half, b->x + widest * b->n);
    node->left = b->nodes;
    b->nodes += 2;
    b->node[node->left] = (bf__kdnode){node->first, half, -1};
    b->node[node->left + 1] = (bf__kdnode){node->first + half, node->count - half, -1};
    split(b, node->left);
    split(b, node->left + 1);
}

bf_status bf__kdtree_build(bf__kdtree *out, const double *x, int64_t n, int d, bf_arena *arena,
                           bf_error *err) {
    builder b = {.x = x, .n = n, .d = d, .nodes = 1};
    if (n < 1 || n > INT32_MAX / 2)
        return bf_fail(err, BF_ENUMERIC, "%lld points are not what a tree is made for",
                       (long long)n);
    int64_t leaves = 1;
    while (leaves * LEAF < n)
        leaves *= 2; /* halving makes at most the least power of two leaves that holds all points */
    BF_ALLOC(b.node, arena, 2 * leaves, err);
    BF_ALLOC(b.place, arena, 2 * leaves, err);
    BF_ALLOC(b.box, arena, 2 * leaves * 2 * d, err);
    BF_ALLOC(b.leaf, arena, leaves * LEAF * d, err);
    BF_ALLOC(b.index, arena, n, err);
    for (int32_t i = 0; i < (int32_t)n; i++)
        b.index[i] = i;
    b.node[0] = (bf__kdnode){0, (int32_t)n, -1};
    split(&b, 0);
    *out = (bf__kdtree){n, d, b.node, b.box, b.leaf, b.place, b.index};
    return BF_OK;
}

/* ---- Asking */

/* d is a constant where these are called in few dimensions, so that loops over coordinates
 * dissolve. */
BF_INLINE double box_square(const double *box, const double *q, int d) {
    double sum = 0;
    for (int c = 0; c < d; c++) {
        double below = box[c] - q[c], above = q[c] - box[d + c];
        /* At most one of them is above 0. */
        double gap = (below > 0 ? below : 0) + (above > 0 ? above : 0);
        sum += gap * gap;
    }
    return sum;
}

BF_INLINE void leaf_squares(double *restrict out, const double *restrict block,
                            const double *restrict q, int d) {
    double sum[LEAF] = {0};
    for (int c = 0; c < d; c++)
        for (int j = 0; j < LEAF; j++) {
            double gap = block[c * LEAF + j] - q[c];
            sum[j] += gap * gap;
        }
    memcpy(out, sum, sizeof sum);
}

typedef struct best {
    int32_t *index;
    double *square;
    int k, found;
} best;

/* Keeps the list in order by (distance, index). */
BF_INLINE void offer(best *b, int32_t index, double square) {
    int at = b->found;
    if (b->found == b->k) {
        at--;
        if (square > b->square[at] || (square == b->square[at] && index > b->index[at]))
            return;
    } else {
        b->found++;
    }
    while (at > 0 && (square < b->square[at - 1] ||
                      (square == b->square[at - 1] && index < b->index[at - 1]))) {
        b->square[at] = b->square[at - 1];
        b->index[at] = b->index[at - 1];
        at--;
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
    int depth = 1;
    int64_t looked = 0;
    stack[0].node = 0;
    stack[0].square = 0;
    while (depth > 0) {
        depth--;
        if (b.found == k && stack[depth].square > square[k - 1])
            continue;
        int32_t at = stack[depth].node;
        while (tree->node[at].left >= 0) {
            int32_t near = tree->node[at].left, far = near + 1;
            double to_near = box_square(tree->box + (int64_t)near * 2 * d, q, d);
            double to_far = box_square(tree->box + (int64_t)far * 2 * d, q, d);
            bool turned = to_far < to_near;
            at = turned ? far : near;
            stack[depth].node = turned ? near : far;
            stack[depth++].square = turned ? to_near : to_far;
        }
        const bf__kdnode *leaf = tree->node + at;
        leaf_squares(squares, tree->leaf + (int64_t)tree->place[at] * d * LEAF, q, d);
        for (int j = 0; j < leaf->count; j++)
            if (b.found < k || squares[j] <= square[k - 1])
                offer(&b, tree->index[leaf->first + j], squares[j]);
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

int32_t bf__kdtree_where(const bf__kdtree *tree, const double *q, int32_t most) {
    int32_t at = 0;
    int d = tree->d;
    while (tree->node[at].left >= 0 && tree->node[at].count > most) {
        int32_t left = tree->node[at].left;
        double to_left = box_square(tree->box + (int64_t)left * 2 * d, q, d);
        double to_right = box_square(tree->box + (int64_t)(left + 1) * 2 * d, q, d);
        at = to_right < to_left ? left + 1 : left;
    }
    return tree->node[at].first;
}
