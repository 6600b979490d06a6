"""First stage: the two octrees down to the leaves that meet, and the edges these name.

Where the surfaces of two pieces cross, an edge of one goes through a face of the other; the point
lies in a leaf of either tree, the leaf names the edge, and the spheres of the two leaves meet. So
the edges of leaves that meet hold every edge that enters or leaves the other piece.
"""

from __future__ import annotations

from standoff.compiled.jit import kernel
from standoff.contact.kernels.layout import (
    COST,
    EDGE_MARK,
    EPOCH,
    ITEMS,
    LEAF_PAIRS,
    NODE_MARK,
    NODE_TESTS,
    NODES,
    PIECES,
    ROOT,
    SPHERES,
    STACK,
    STATE,
)
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.geometry.narrowphase.vectors import place


@kernel
def meeting_edges(F, W, p, q, rel):
    """Marks the edges of all leaves of pieces ``p`` and ``q`` that meet; returns how many they are.
    ``rel`` is the pose of p's body in q's. A tree that is a leaf itself names all edges, and these
    are not marked one by one: see `names_all`."""
    S, T = real_rows(F, W, SPHERES, 4), whole_rows(W, NODES, 8)
    P, stack = whole_rows(W, PIECES, 11), whole_rows(W, STACK, 2)
    cost = whole_rows(W, COST, 1)
    stack[0, 0], stack[0, 1] = P[p, ROOT], P[q, ROOT]
    size, found, tests, leaves = 1, 0, 0, 0
    while size > 0:
        size -= 1
        a, b = stack[size, 0], stack[size, 1]
        if T[a, 1] == 0 and T[b, 1] == 0:
            leaves += 1
            found += name_edges(W, a, a == P[p, ROOT]) + name_edges(W, b, b == P[q, ROOT])
        elif T[b, 1] == 0 or (T[a, 1] > 0 and S[a, 3] >= S[b, 3]):
            for c in range(T[a, 0], T[a, 0] + T[a, 1]):
                x, y, z = place(rel, S[c, 0], S[c, 1], S[c, 2])
                tests += 1
                if spheres_meet(x, y, z, S[c, 3], S, b):
                    stack[size, 0], stack[size, 1] = c, b
                    size += 1
        else:
            x, y, z = place(rel, S[a, 0], S[a, 1], S[a, 2])
            for c in range(T[b, 0], T[b, 0] + T[b, 1]):
                tests += 1
                if spheres_meet(x, y, z, S[a, 3], S, c):
                    stack[size, 0], stack[size, 1] = a, c
                    size += 1
    cost[NODE_TESTS, 0] += tests
    cost[LEAF_PAIRS, 0] += leaves
    return found


@kernel
def spheres_meet(x, y, z, r, S, k):
    """Whether the sphere of radius ``r`` about (x, y, z) meets the one of node ``k``."""
    u, v, w, s = x - S[k, 0], y - S[k, 1], z - S[k, 2], r + S[k, 3]
    return u * u + v * v + w * w <= s * s


@kernel
def name_edges(W, node, is_root):
    """Marks the edges of a leaf; returns how many neither it nor another leaf did before."""
    seen, marks = whole_rows(W, NODE_MARK, 1), whole_rows(W, EDGE_MARK, 1)
    epoch = whole_rows(W, STATE, 1)[EPOCH, 0]
    if seen[node, 0] == epoch:
        return 0
    seen[node, 0] = epoch
    T, items = whole_rows(W, NODES, 8), whole_rows(W, ITEMS, 1)
    if is_root:
        return T[node, 5]
    found = 0
    for k in range(T[node, 4], T[node, 4] + T[node, 5]):
        e = items[k, 0]
        if marks[e, 0] != epoch:
            marks[e, 0] = epoch
            found += 1
    return found


@kernel
def names_all(W, p):
    """Whether the tree of piece ``p`` is a leaf that met another one in this epoch."""
    P, T, seen = whole_rows(W, PIECES, 11), whole_rows(W, NODES, 8), whole_rows(W, NODE_MARK, 1)
    root = P[p, ROOT]
    return T[root, 1] == 0 and seen[root, 0] == whole_rows(W, STATE, 1)[EPOCH, 0]
