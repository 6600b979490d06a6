"""Pair kernels for callers that keep bodies in arrays of their own, not yet in `Bodies`.

The names are those of `dispatch`, `convex`, `greedy_pair` and `batch`.
"""

from __future__ import annotations

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import entry, inlined
from standoff.geometry.narrowphase import greedy
from standoff.geometry.narrowphase.batch import distances_of
from standoff.geometry.narrowphase.convex import convex_pair as _convex_pair
from standoff.geometry.narrowphase.dispatch import analytic_pair
from standoff.geometry.narrowphase.dispatch import closed_form as _closed_form
from standoff.geometry.narrowphase.dispatch import general_pair as _general_pair
from standoff.geometry.narrowphase.greedy_pair import (
    GreedyScratch,
    greedy_batch,
    greedy_of,
    nested_of,
)
from standoff.geometry.narrowphase.layout import BOX, KIND
from standoff.geometry.narrowphase.packer import (
    bodies_of,
    packer,
    points_of,
    scratch_of,
    solids_of,
)

#: Where the question of a greedy distance stands in ``work``, and the lengths of its arrays.
ASK = greedy.GREEDY_WORK
GREEDY_WORK = ASK + 4
GREEDY_IWORK = greedy.GREEDY_IWORK

greedy_scratch_of = packer(GreedyScratch)


@inlined
def closed_form(A, RA, i, PA, B, RB, j, PB, out, k):
    """`dispatch.closed_form` of arrays."""
    if RA[i, KIND] <= BOX and RB[j, KIND] <= BOX:
        analytic_pair(A, RA[i, KIND], i, B, RB[j, KIND], j, out, k)
        return True
    first, second = bodies_of(A, RA, points_of(PA)), bodies_of(B, RB, points_of(PB))
    return _closed_form(first, i, second, j, out, k)


@inlined
def convex_pair(A, RA, i, PA, B, RB, j, PB, work, iwork, out, k):
    """`convex.convex_pair` of arrays."""
    first, second = bodies_of(A, RA, points_of(PA)), bodies_of(B, RB, points_of(PB))
    return _convex_pair(first, i, second, j, scratch_of(work, iwork), out, k)


@inlined
def general_pair(
    address, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork, out, k
):  # fmt: skip
    """`dispatch.general_pair` of arrays."""
    first = bodies_of(A, RA, solids_of(PA, FA, NA, IA))
    second = bodies_of(B, RB, solids_of(PB, FB, NB, IB))
    return _general_pair(address, first, i, second, j, scratch_of(work, iwork), out, k)


_BODY = (
    "float64[:,::1], int64[:,::1], int64, float64[:,::1], int64[:,::1], float64[:,::1], int64[::1]"
)
GREEDY = (
    f"int64(int64, {_BODY}, {_BODY}, float64, float64, int64, "
    "float64[::1], int64[::1], float64[:,::1], int64)"
)
NESTED = f"boolean({_BODY}, {_BODY}, float64[::1], int64[::1])"


@entry(GREEDY)
def greedy_pair(
    general, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB,
    delta, wanted, effort, work, iwork, out, k,
):  # fmt: skip
    """`greedy_pair.greedy_pair` of arrays."""
    first = bodies_of(A, RA, solids_of(PA, FA, NA, IA))
    second = bodies_of(B, RB, solids_of(PB, FB, NB, IB))
    scratch = greedy_scratch_of(work[ASK:], scratch_of(work, iwork))
    ask = scratch.ask
    ask.general, ask.delta, ask.wanted, ask.effort = general, delta, wanted, effort
    return greedy_of(first, i, second, j, scratch, out, k)


@entry(NESTED)
def nested_pair(A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork):
    """`greedy_pair.nested_pair` of arrays."""
    first = bodies_of(A, RA, solids_of(PA, FA, NA, IA))
    second = bodies_of(B, RB, solids_of(PB, FB, NB, IB))
    return nested_of(first, i, second, j, scratch_of(work, iwork))


call_greedy, call_nested = called(GREEDY), called(NESTED)


def greedy_address() -> int:
    """Where the machine code of `greedy_pair` is, compiling it if need be."""
    return address_of("geometry.narrowphase.unpacked.greedy_pair")


def nested_address() -> int:
    """The same for `nested_pair`."""
    return address_of("geometry.narrowphase.unpacked.nested_pair")


@entry(
    "void(int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], "
    "float64[:, ::1], int64[::1], int64[:, ::1], float64, float64, int64, "
    "float64[::1], int64[::1], float64[:, ::1], int64[:, ::1])"
)
def greedy_distances(
    general, rows, refs, points, faces, nodes, ints, pairs, delta, wanted, effort,
    work, iwork, out, visits,
):  # fmt: skip
    """`greedy_pair.greedy_distances` of arrays."""
    bodies = bodies_of(rows, refs, solids_of(points, faces, nodes, ints))
    scratch = greedy_scratch_of(work[ASK:], scratch_of(work, iwork))
    ask = scratch.ask
    ask.general, ask.delta, ask.wanted, ask.effort = general, delta, wanted, effort
    greedy_batch(bodies, pairs, scratch, out, visits)


@entry(
    "int64(int64, float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[:, ::1], "
    "float64[:, ::1], int64[::1], int64[:, ::1], float64[::1], int64[::1], float64[:, ::1])"
)
def distances(general, rows, refs, points, faces, nodes, ints, pairs, work, iwork, out):
    """`batch.distances` of arrays."""
    bodies = bodies_of(rows, refs, solids_of(points, faces, nodes, ints))
    return distances_of(general, bodies, pairs, scratch_of(work, iwork), out)
