"""Which kernel answers for which pair; the one place where the two bodies are swapped."""

from __future__ import annotations

import math

from numba.core import types

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.narrowphase.box_box import box_box
from standoff.geometry.narrowphase.bvh_walk import begin
from standoff.geometry.narrowphase.capsule_box import capsule_box
from standoff.geometry.narrowphase.capsule_capsule import capsule_capsule
from standoff.geometry.narrowphase.convex import CONVERGED, convex_pair
from standoff.geometry.narrowphase.halfspace import body_halfspace, halfspace_halfspace
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    DISTANCE,
    HALFSPACE,
    KIND,
    KINDS,
    MESH,
    NODE0,
    NORMAL,
    POINT_A,
    POINT_B,
    SLACK,
    is_analytic,
    is_round,
)
from standoff.geometry.narrowphase.mesh import mesh_pair, nested, triangle_round
from standoff.geometry.narrowphase.rss import rss_bound
from standoff.geometry.narrowphase.sphere_box import sphere_box
from standoff.geometry.narrowphase.sphere_capsule import sphere_capsule
from standoff.geometry.narrowphase.sphere_sphere import sphere_sphere

#: The row holds the answer. Where it is `convex.DOUBTFUL`, the steps ran out: the value is a proved
#: lower bound, and the witnesses need not attain it.
DONE = CONVERGED

#: No kernel answers for this pair. The row says -inf: doubt counts as danger.
UNSUPPORTED = 2


def has_closed_form(a: int, b: int) -> bool:
    """Whether `closed_form` answers for two kinds; for Python, to choose what to compile."""
    return (is_analytic(a) and is_analytic(b)) or HALFSPACE in (a, b)


@inlined
def comes_second(a, b):
    """Whether kernels take the body of kind ``a`` after that of kind ``b``: a mesh comes first and
    a half space last; of sphere, capsule and box the simpler one comes first."""
    if a == MESH or b == HALFSPACE:
        return False
    return b == MESH or a == HALFSPACE or (b < a and is_analytic(a))


@inlined
def closed_form(A, i, B, j, out, k):
    """Row ``k`` of ``out`` if the pair has a closed form, and whether it has: two of sphere,
    capsule and box, or anything against a half space. A loop over many pairs asks here first: the
    call of `general_pair` costs more than most of these kernels."""
    a, b = A.refs[i, KIND], B.refs[j, KIND]
    if is_analytic(a) and is_analytic(b):
        analytic_pair(A.rows, a, i, B.rows, b, j, out, k)
        return True
    if a != HALFSPACE and b != HALFSPACE:
        return False
    swapped = comes_second(a, b)
    if swapped:
        A, i, B, j = B, j, A, i
    if a == b:
        halfspace_halfspace(A.rows, i, B.rows, j, out, k)
    else:
        body_halfspace(A, i, B.rows, j, out, k)
    if swapped:
        swap(out, k)
    return True


@inlined
def analytic_pair(A, a, i, B, b, j, out, k):
    """Row ``k`` of ``out`` for two of sphere, capsule and box, of kinds ``a`` and ``b``."""
    swapped = comes_second(a, b)
    if swapped:
        A, B = B, A
        a, b = b, a
        i, j = j, i
    if a == CAPSULE:
        if b == BOX:
            capsule_box(A, i, B, j, out, k)
        else:
            capsule_capsule(A, i, B, j, out, k)
    elif a == BOX:
        box_box(A, i, B, j, out, k)
    elif b == BOX:
        sphere_box(A, i, B, j, out, k)
    elif b == CAPSULE:
        sphere_capsule(A, i, B, j, out, k)
    else:
        sphere_sphere(A, i, B, j, out, k)
    if swapped:
        swap(out, k)


#: The two bodies of a pair, each a set and a row, in signatures.
TWO_BODIES = (Bodies.numba_type, types.int64) * 2
PAIR = types.int64(*TWO_BODIES, PairScratch.numba_type, types.float64[:, ::1], types.int64)


@entry(PAIR)
def pair_distance(A, i, B, j, scratch, out, k):
    """Row ``k`` of ``out`` for body ``i`` of one set and body ``j`` of another, of any kinds.
    Returns DONE, or why not. Kernels call it as `general_pair`: all that GJK, the expanding
    polytope and the meshes need makes half a minute of compiling, and a cell without cylinders,
    polyhedra and meshes never builds it."""
    if closed_form(A, i, B, j, out, k):
        return DONE
    a, b = A.refs[i, KIND], B.refs[j, KIND]
    if a >= KINDS or b >= KINDS:
        unanswered(out, k)
        return UNSUPPORTED
    if a != MESH and b != MESH:
        return convex_pair(A, i, B, j, scratch, out, k)
    swapped = comes_second(a, b)
    if swapped:
        A, i, B, j = B, j, A, i
    mesh_pair(A, i, B, j, scratch, out, k)
    if swapped:
        swap(out, k)
    return DONE


#: ``general_pair(address, A, i, B, j, scratch, out, k)``: `pair_distance`, called by its address.
general_pair = called(PAIR)


def general_address() -> int:
    """Where the machine code of `pair_distance` is, compiling it if need be."""
    return address_of("geometry.narrowphase.dispatch.pair_distance")


@kernel
def triangle_convex(general, room):
    """Into the pair's answer: the distance of the triangle in the first corners and the convex b,
    with all that is uncertain about it in the slack."""
    pair = room.mesh
    if is_round(pair.state.kind):
        triangle_round(pair, math.inf)
        pair.answer[0, SLACK] = 0.0
    else:
        general_pair(general, pair.triangle, 0, pair.convex, 0, room, pair.answer, 0)


NESTED = types.boolean(*TWO_BODIES, PairScratch.numba_type)


@entry(NESTED)
def nested_pair(A, i, B, j, scratch):
    """Whether a connected part of one body lies inside the other, for a mesh and a mesh or convex
    body whose surfaces are apart. On a motion along which they stay so, it is the same at every
    instant."""
    if comes_second(A.refs[i, KIND], B.refs[j, KIND]):
        A, i, B, j = B, j, A, i
    pair = scratch.mesh
    begin(pair, A, i, B, j)
    if pair.state.kind == MESH:
        margin = pair.state.margin
        X, x, Y, y = A.solids.nodes, A.refs[i, NODE0], B.solids.nodes, B.refs[j, NODE0]
        if rss_bound(X, x, Y, y, pair.pose, margin, margin) > margin:
            return False
    return nested(pair)


#: ``call_nested(address, A, i, B, j, scratch)``: `nested_pair`, called by its address.
call_nested = called(NESTED)


def nested_address() -> int:
    """Where the machine code of `nested_pair` is, compiling it if need be."""
    return address_of("geometry.narrowphase.dispatch.nested_pair")


@kernel
def swap(out, k):
    """Row ``k`` as seen from the other body."""
    for r in range(3):
        a, b = POINT_A + r, POINT_B + r
        out[k, a], out[k, b] = out[k, b], out[k, a]
        out[k, NORMAL + r] = -out[k, NORMAL + r]


@kernel
def unanswered(out, k):
    """A row that no threshold takes for safe."""
    out[k, POINT_A:SLACK] = math.nan
    out[k, DISTANCE], out[k, SLACK] = -math.inf, 0.0
