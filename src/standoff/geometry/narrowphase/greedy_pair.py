"""The greedy distance as the path checker asks for it: one placed pair, one compiled call."""

from __future__ import annotations

import math

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import entry
from standoff.geometry.narrowphase.dispatch import BODY, swap
from standoff.geometry.narrowphase.greedy import VISITS, greedy_walk
from standoff.geometry.narrowphase.layout import KIND, MESH, NODE0, REF_COLUMNS, ROW_COLUMNS, SLACK
from standoff.geometry.narrowphase.mesh import (
    contact_normal,
    nested,
    relative_pose,
    rounding_margin,
    write_nearest,
)
from standoff.geometry.narrowphase.mesh_convex import bounding_rss, place_leaf
from standoff.geometry.narrowphase.mesh_mesh import ANSWER, BEST, LEAF, REFS, REL, ROWS
from standoff.geometry.narrowphase.rss import rss_bound
from standoff.geometry.narrowphase.vectors import load, store

#: The two are farther apart than asked: the row's value is a lower bound on their distance.
FARTHER = 0
#: They are not, beyond doubt: the row shows two leaves that are near each other.
NEAR = 1

GREEDY = (
    f"int64(int64, {BODY}, {BODY}, float64, float64, int64, "
    "float64[::1], int64[::1], float64[:,::1], int64)"
)
NESTED = f"boolean({BODY}, {BODY}, float64[::1], int64[::1])"


@entry(GREEDY)
def greedy_pair(
    general, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB,
    delta, wanted, effort, work, iwork, out, k,
):  # fmt: skip
    """Whether the surfaces of body ``i`` and body ``j``, one a mesh and the other a mesh or a
    convex body (which counts as solid), are farther apart than ``delta >= 0`` [m]; ``general`` is
    the address of `pair_distance`, ``wanted`` and ``effort`` are those of `greedy_walk`.

    FARTHER: ``out[k, 0] > delta`` is a lower bound on their distance, all rounding taken off, and
    the slack is 0; there are no witnesses and no normal. NEAR: the signed distance of two leaves,
    not above ``delta`` but for the slack, with their witnesses and normal as `mesh_pair` has them;
    ``iwork[NEAREST:]`` has the triangles (the first of a mesh, where the other is convex).

    A closed mesh is looked at as a surface: what is inside of it without touching it is apart
    from it. `nested_pair` tells.
    """
    swapped = RA[i, KIND] != MESH
    if swapped:
        A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB = (
            B, RB, j, PB, FB, NB, IB, A, RA, i, PA, FA, NA, IA
        )  # fmt: skip
    relative_pose(A, i, B, j, work)
    meshes = RB[j, KIND] == MESH
    if meshes:
        margin = rounding_margin(A, i, NA, RA[i, NODE0], B, j, NB, RB[j, NODE0])
    else:
        bounding_rss(B, RB, j, PB, work)
        leaf = work[LEAF : LEAF + 32].reshape((2, 16))
        margin = rounding_margin(A, i, NA, RA[i, NODE0], B, j, leaf, 1)
        rows = work[ROWS : ROWS + 2 * ROW_COLUMNS].reshape((2, ROW_COLUMNS))
        refs = iwork[REFS : REFS + 2 * REF_COLUMNS].reshape((2, REF_COLUMNS))
        place_leaf(B, RB, j, work[REL : REL + 12], rows, refs)
    farther, value = greedy_walk(
        general, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB,
        delta, margin, wanted, effort, work, iwork,
    )  # fmt: skip
    if farther:
        for r in range(1, 10):
            out[k, r] = math.nan
        out[k, 0], out[k, SLACK] = value, 0.0
        return FARTHER
    slack = margin
    if not meshes:
        value = work[ANSWER]
        slack += work[ANSWER + SLACK]
    elif value > margin:
        for r in range(3):
            work[BEST + 6 + r] = (work[BEST + r] - work[BEST + 3 + r]) / value
    else:
        value = 0.0
        contact_normal(RA, i, PA, FA, RB, j, PB, FB, work, iwork)
        x0, x1, x2 = load(work, BEST)
        store(work, BEST + 3, x0, x1, x2)
    out[k, 0], out[k, SLACK] = value, slack
    write_nearest(A, i, work, out, k)
    if swapped:
        swap(out, k)
    return NEAR


@entry(NESTED)
def nested_pair(A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork):
    """Whether a connected part of one body lies inside the other, for the bodies of a call of
    `greedy_pair` that were found FARTHER. On a motion along which they stay so, it is the same at
    every instant."""
    if RA[i, KIND] != MESH:
        A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB = (
            B, RB, j, PB, FB, NB, IB, A, RA, i, PA, FA, NA, IA
        )  # fmt: skip
    relative_pose(A, i, B, j, work)
    if RB[j, KIND] == MESH:
        root_a, root_b = RA[i, NODE0], RB[j, NODE0]
        margin = rounding_margin(A, i, NA, root_a, B, j, NB, root_b)
        if rss_bound(NA, root_a, NB, root_b, work[REL : REL + 12], margin, margin) > margin:
            return False
    return nested(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, work, iwork)


#: The two called by their addresses: compiled once, and not into the path checker's own kernels,
#: which are needed without meshes as well.
call_greedy, call_nested = called(GREEDY), called(NESTED)


def greedy_address() -> int:
    """Where the machine code of `greedy_pair` is, compiling it if need be."""
    return address_of("geometry.narrowphase.greedy_pair.greedy_pair")


def nested_address() -> int:
    """The same for `nested_pair`."""
    return address_of("geometry.narrowphase.greedy_pair.nested_pair")


@entry(
    "void(int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], "
    "float64[:, ::1], int64[::1], int64[:, ::1], float64, float64, int64, "
    "float64[::1], int64[::1], float64[:, ::1], int64[:, ::1])"
)
def greedy_distances(
    general, rows, refs, points, faces, nodes, ints, pairs, delta, wanted, effort,
    work, iwork, out, visits,
):  # fmt: skip
    """`greedy_pair` of each two bodies ``pairs[p]`` of one table into row ``p`` (FARTHER where the
    slack is 0, and only there), and how many pairs of volumes and of leaves it tested into
    ``visits[p]``."""
    for p in range(len(pairs)):
        greedy_pair(
            general, rows, refs, pairs[p, 0], points, faces, nodes, ints,
            rows, refs, pairs[p, 1], points, faces, nodes, ints,
            delta, wanted, effort, work, iwork, out, p,
        )  # fmt: skip
        visits[p, 0], visits[p, 1] = iwork[VISITS], iwork[VISITS + 1]
