"""Both stages as paper 003 has them (sections 2.2, 3.2 and 3.3), for comparison: every pair of
features that two meeting leaves name is tested, each once, without history and without forces.
"""

from __future__ import annotations

from standoff.compiled.jit import entry, kernel
from standoff.contact.kernels.layout import (
    EDGE0,
    EDGES,
    FACE0,
    ITEMS,
    NODES,
    PIECES,
    PLANES,
    RING,
    RINGS,
    ROOT,
    SPHERES,
    VERTEX0,
    VERTICES,
)
from standoff.contact.kernels.tables import real_rows, whole_rows
from standoff.contact.kernels.walk import spheres_meet
from standoff.geometry.narrowphase.vectors import place

#: Entries of ``counts``: node tests, pairs of leaves, checks of VF and of EE, those that hold.
NODE_TESTS, LEAF_PAIRS, VF_CHECKS, EE_CHECKS, VF_HITS, EE_HITS = range(6)
COUNTS = 6


@entry("(f8[::1],i8[::1],f8[:,::1],f8[:,::1],i8[:,::1],i8[:,::1],i8[:,::1],i8[:,::1],i8[::1])")
def printed_steps(F, W, rels, backs, vf, fv, ee, stack, counts):
    """One step for each pose ``rels`` of piece 0 in the frame of piece 1, with ``backs`` the
    inverses. ``vf``, ``fv``, ``ee`` mark which pairs of features were tested, by step from 1 on;
    ``stack`` has a row for each pair of nodes."""
    for k in range(rels.shape[0]):
        printed_step(F, W, rels[k], backs[k], vf, fv, ee, stack, counts, k + 1)
    return counts[VF_HITS] + counts[EE_HITS]


@kernel
def printed_step(F, W, rel, back, vf, fv, ee, stack, counts, epoch):
    """The root of one tree against the nodes of the other; then each leaf that meets it against
    all nodes of the first."""
    S, T, P = real_rows(F, W, SPHERES, 4), whole_rows(W, NODES, 8), whole_rows(W, PIECES, 11)
    root, other = P[0, ROOT], P[1, ROOT]
    x, y, z = place(rel, S[root, 0], S[root, 1], S[root, 2])
    stack[0, 0] = other
    size = 1
    while size > 0:
        size -= 1
        b = stack[size, 0]
        counts[NODE_TESTS] += 1
        if not spheres_meet(x, y, z, S[root, 3], S, b):
            continue
        if T[b, 1] == 0:
            leaf_on_tree(F, W, root, b, rel, back, vf, fv, ee, stack, counts, epoch)
        for c in range(T[b, 0], T[b, 0] + T[b, 1]):
            stack[size, 0] = c
            size += 1


@kernel
def leaf_on_tree(F, W, root, b, rel, back, vf, fv, ee, stack, counts, epoch):
    S, T = real_rows(F, W, SPHERES, 4), whole_rows(W, NODES, 8)
    x, y, z = place(back, S[b, 0], S[b, 1], S[b, 2])
    stack[0, 1] = root
    size = 1
    while size > 0:
        size -= 1
        a = stack[size, 1]
        counts[NODE_TESTS] += 1
        if not spheres_meet(x, y, z, S[b, 3], S, a):
            continue
        if T[a, 1] == 0:
            counts[LEAF_PAIRS] += 1
            check_leaves(F, W, a, b, rel, back, vf, fv, ee, counts, epoch)
        for c in range(T[a, 0], T[a, 0] + T[a, 1]):
            stack[size, 1] = c
            size += 1


@kernel
def check_leaves(F, W, a, b, rel, back, vf, fv, ee, counts, epoch):
    """All pairs of features of two leaves that were not tested before in this step."""
    T, items, P = whole_rows(W, NODES, 8), whole_rows(W, ITEMS, 1), whole_rows(W, PIECES, 11)
    V = real_rows(F, W, VERTICES, 3)
    for i in range(T[a, 2], T[a, 2] + T[a, 3]):
        v = items[i, 0]
        x, y, z = place(rel, V[v, 0], V[v, 1], V[v, 2])
        for j in range(T[b, 6], T[b, 6] + T[b, 7]):
            f = items[j, 0]
            if vf[v - P[0, VERTEX0], f - P[1, FACE0]] != epoch:
                vf[v - P[0, VERTEX0], f - P[1, FACE0]] = epoch
                counts[VF_CHECKS] += 1
                counts[VF_HITS] += behind_face(F, W, x, y, z, f)
    for j in range(T[b, 2], T[b, 2] + T[b, 3]):
        v = items[j, 0]
        x, y, z = place(back, V[v, 0], V[v, 1], V[v, 2])
        for i in range(T[a, 6], T[a, 6] + T[a, 7]):
            f = items[i, 0]
            if fv[v - P[1, VERTEX0], f - P[0, FACE0]] != epoch:
                fv[v - P[1, VERTEX0], f - P[0, FACE0]] = epoch
                counts[VF_CHECKS] += 1
                counts[VF_HITS] += behind_face(F, W, x, y, z, f)
    for i in range(T[a, 4], T[a, 4] + T[a, 5]):
        d = items[i, 0]
        for j in range(T[b, 4], T[b, 4] + T[b, 5]):
            e = items[j, 0]
            if ee[d - P[0, EDGE0], e - P[1, EDGE0]] != epoch:
                ee[d - P[0, EDGE0], e - P[1, EDGE0]] = epoch
                counts[EE_CHECKS] += 1
                counts[EE_HITS] += edges_cross(F, W, rel, d, e)


@kernel
def behind_face(F, W, x, y, z, f):
    """1 where a point is behind the plane of face ``f`` and within the planes through its sides
    along its normal (the paper's coboundary)."""
    N, V = real_rows(F, W, PLANES, 4), real_rows(F, W, VERTICES, 3)
    ring, corners = whole_rows(W, RING, 2), whole_rows(W, RINGS, 1)
    n0, n1, n2 = N[f, 0], N[f, 1], N[f, 2]
    if n0 * x + n1 * y + n2 * z > N[f, 3]:
        return 0
    first, count = ring[f, 0], ring[f, 1]
    for k in range(count):
        s, t = corners[first + k, 0], corners[first + (k + 1) % count, 0]
        d0, d1, d2 = V[t, 0] - V[s, 0], V[t, 1] - V[s, 1], V[t, 2] - V[s, 2]
        # n x d points into the face: the point is on that side of the edge.
        side = (
            (n1 * d2 - n2 * d1) * (x - V[s, 0])
            + (n2 * d0 - n0 * d2) * (y - V[s, 1])
            + (n0 * d1 - n1 * d0) * (z - V[s, 2])
        )
        if side < 0.0:
            return 0
    return 1


@kernel
def edges_cross(F, W, rel, d, e):
    """1 where the common perpendicular of two edges meets both between their ends, and the edge of
    piece 0 is on the inner side of that of piece 1."""
    E, V, N = whole_rows(W, EDGES, 4), real_rows(F, W, VERTICES, 3), real_rows(F, W, PLANES, 4)
    p, q = E[d, 0], E[d, 1]
    a0, a1, a2 = place(rel, V[p, 0], V[p, 1], V[p, 2])
    h0, h1, h2 = place(rel, V[q, 0], V[q, 1], V[q, 2])
    u0, u1, u2 = h0 - a0, h1 - a1, h2 - a2
    s, t = E[e, 0], E[e, 1]
    v0, v1, v2 = V[t, 0] - V[s, 0], V[t, 1] - V[s, 1], V[t, 2] - V[s, 2]
    w0, w1, w2 = a0 - V[s, 0], a1 - V[s, 1], a2 - V[s, 2]
    uu, vv = u0 * u0 + u1 * u1 + u2 * u2, v0 * v0 + v1 * v1 + v2 * v2
    uv = u0 * v0 + u1 * v1 + u2 * v2
    uw, vw = u0 * w0 + u1 * w1 + u2 * w2, v0 * w0 + v1 * w1 + v2 * w2
    det = uu * vv - uv * uv
    if not det > 0.0:
        return 0
    i, j = (uv * vw - vv * uw) / det, (uu * vw - uv * uw) / det
    if not (0.0 <= i <= 1.0 and 0.0 <= j <= 1.0):
        return 0
    c0, c1, c2 = w0 + i * u0 - j * v0, w1 + i * u1 - j * v1, w2 + i * u2 - j * v2
    f, g = E[e, 2], E[e, 3]
    out = c0 * (N[f, 0] + N[g, 0]) + c1 * (N[f, 1] + N[g, 1]) + c2 * (N[f, 2] + N[g, 2])
    return 1 if out < 0.0 else 0
