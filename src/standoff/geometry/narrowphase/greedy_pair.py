"""The greedy distance as the path checker asks for it: one placed pair, one compiled call."""

from __future__ import annotations

import math

from numba.core import types

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import entry, inlined, kernel
from standoff.compiled.tables import Nested, Record, Tables, fields, viewer
from standoff.geometry.narrowphase.bodies import PairScratch, bodies_at
from standoff.geometry.narrowphase.dispatch import TWO_BODIES, comes_second, swap
from standoff.geometry.narrowphase.greedy import GREEDY_IWORK, GREEDY_WORK, VISITS, greedy_walk
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

#: What is asked: ``general``, the address of `pair_distance`; ``delta`` [m]; and what `greedy_walk`
#: says of ``wanted`` and ``effort``.
ASK = fields(general=int, delta=float, wanted=float, effort=int)


class GreedyScratch(Tables):
    """Question and room of a greedy distance; `greedy_scratch` makes it."""

    ask = Record(ASK)
    pair = Nested(PairScratch)


greedy_scratch_at = viewer(GreedyScratch)


def greedy_scratch() -> GreedyScratch:
    """Room that serves any pair of which one is a mesh."""
    return GreedyScratch(pair=PairScratch(work=GREEDY_WORK, iwork=GREEDY_IWORK))


GREEDY = types.int64(*TWO_BODIES, GreedyScratch.numba_type, types.float64[:, ::1], types.int64)
NESTED = types.boolean(*TWO_BODIES, PairScratch.numba_type)


@entry(GREEDY)
def greedy_pair(A, i, B, j, scratch, out, k):
    """Whether the surfaces of body ``i`` and body ``j``, one a mesh and the other a mesh or a
    convex body (which counts as solid), are farther apart than ``scratch.ask.delta >= 0`` [m].

    FARTHER: ``out[k, 0] > delta`` is a lower bound on their distance, all rounding taken off, and
    the slack is 0; there are no witnesses and no normal. NEAR: the signed distance of two leaves,
    not above ``delta`` but for the slack, with their witnesses and normal as `mesh_pair` has them;
    ``iwork[NEAREST:]`` has the triangles (the first of a mesh, where the other is convex).

    A closed mesh is looked at as a surface: what is inside of it without touching it is apart
    from it. `nested_pair` tells.
    """
    return greedy_of(A, i, B, j, scratch, out, k)


@inlined
def greedy_of(A, i, B, j, scratch, out, k):
    swapped = comes_second(A.refs[i, KIND], B.refs[j, KIND])
    if swapped:
        A, i, B, j = B, j, A, i
    status = _ordered(A, i, B, j, scratch, out, k)
    if swapped and status == NEAR:
        swap(out, k)
    return status


@kernel
def _ordered(first, i, second, j, scratch, out, k):
    """`greedy_pair` with the mesh first."""
    ask, work, iwork = scratch.ask, scratch.pair.work, scratch.pair.iwork
    A, RA, a = first.rows, first.refs, first.solids
    PA, FA, NA, IA = a.points, a.faces, a.nodes, a.ints
    B, RB, b = second.rows, second.refs, second.solids
    PB, FB, NB, IB = b.points, b.faces, b.nodes, b.ints
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
        ask.general, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB,
        ask.delta, margin, ask.wanted, ask.effort, work, iwork,
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
    return NEAR


@entry(NESTED)
def nested_pair(A, i, B, j, scratch):
    """Whether a connected part of one body lies inside the other, for the bodies of a call of
    `greedy_pair` that were found FARTHER. On a motion along which they stay so, it is the same at
    every instant."""
    return nested_of(A, i, B, j, scratch)


@inlined
def nested_of(A, i, B, j, scratch):
    if comes_second(A.refs[i, KIND], B.refs[j, KIND]):
        A, i, B, j = B, j, A, i
    return _nested(A, i, B, j, scratch)


@kernel
def _nested(first, i, second, j, scratch):
    """`nested_pair` with the mesh first."""
    work, iwork = scratch.work, scratch.iwork
    A, RA, a = first.rows, first.refs, first.solids
    PA, FA, NA, IA = a.points, a.faces, a.nodes, a.ints
    B, RB, b = second.rows, second.refs, second.solids
    PB, FB, NB, IB = b.points, b.faces, b.nodes, b.ints
    relative_pose(A, i, B, j, work)
    if RB[j, KIND] == MESH:
        root_a, root_b = RA[i, NODE0], RB[j, NODE0]
        margin = rounding_margin(A, i, NA, root_a, B, j, NB, root_b)
        if rss_bound(NA, root_a, NB, root_b, work[REL : REL + 12], margin, margin) > margin:
            return False
    return nested(RA, i, PA, FA, NA, IA, RB, j, PB, FB, NB, IB, work, iwork)


#: ``call_greedy(address, A, i, B, j, scratch, out, k)`` and ``call_nested(address, A, i, B, j,
#: scratch)``: compiled once, and not into the path checker's own kernels, which are needed without
#: meshes as well.
call_greedy, call_nested = called(GREEDY), called(NESTED)


def greedy_address() -> int:
    """Where the machine code of `greedy_pair` is, compiling it if need be."""
    return address_of("geometry.narrowphase.greedy_pair.greedy_pair")


def nested_address() -> int:
    """The same for `nested_pair`."""
    return address_of("geometry.narrowphase.greedy_pair.nested_pair")


@entry("void(int64, int64[:, ::1], int64, float64[:, ::1], int64[:, ::1])")
def greedy_distances(bodies, pairs, scratch, out, visits):
    """`greedy_pair` of each two bodies ``pairs[p]`` of one set into row ``p`` (FARTHER where the
    slack is 0, and only there), and how many pairs of volumes and of leaves it tested into
    ``visits[p]``."""
    greedy_batch(bodies_at(bodies), pairs, greedy_scratch_at(scratch), out, visits)


@inlined
def greedy_batch(bodies, pairs, scratch, out, visits):
    """`greedy_distances` of views."""
    iwork = scratch.pair.iwork
    for p in range(len(pairs)):
        greedy_of(bodies, pairs[p, 0], bodies, pairs[p, 1], scratch, out, p)
        visits[p, 0], visits[p, 1] = iwork[VISITS], iwork[VISITS + 1]
