"""Which kernel answers for which pair; the one place where the two bodies are swapped."""

from __future__ import annotations

import math

from numba.core import types

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.narrowphase.box_box import box_box
from standoff.geometry.narrowphase.capsule_box import capsule_box
from standoff.geometry.narrowphase.capsule_capsule import capsule_capsule
from standoff.geometry.narrowphase.convex import convex_pair
from standoff.geometry.narrowphase.halfspace import body_halfspace, halfspace_halfspace
from standoff.geometry.narrowphase.layout import (
    BOX,
    CAPSULE,
    HALFSPACE,
    KIND,
    KINDS,
    MESH,
    is_analytic,
)
from standoff.geometry.narrowphase.mesh import mesh_pair
from standoff.geometry.narrowphase.sphere_box import sphere_box
from standoff.geometry.narrowphase.sphere_capsule import sphere_capsule
from standoff.geometry.narrowphase.sphere_sphere import sphere_sphere

#: The row holds the answer.
DONE = 0

#: The steps ran out: the value is a proved lower bound, and the witnesses need not attain it.
DOUBTFUL = 1

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
def swap(out, k):
    """Row ``k`` as seen from the other body."""
    for c in range(1, 4):
        out[k, c], out[k, c + 3] = out[k, c + 3], out[k, c]
        out[k, c + 6] = -out[k, c + 6]


@kernel
def unanswered(out, k):
    """A row that no threshold takes for safe."""
    out[k, 0] = -math.inf
    for c in range(1, 10):
        out[k, c] = math.nan
    out[k, 10] = 0.0
