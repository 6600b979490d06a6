"""Which kernel answers for which pair; the one place where arguments are swapped."""

from __future__ import annotations

import math

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import entry, inlined, kernel
from standoff.geometry.narrowphase.box_box import box_box
from standoff.geometry.narrowphase.capsule_box import capsule_box
from standoff.geometry.narrowphase.capsule_capsule import capsule_capsule
from standoff.geometry.narrowphase.convex import convex_pair
from standoff.geometry.narrowphase.halfspace import body_halfspace, halfspace_halfspace
from standoff.geometry.narrowphase.layout import BOX, CAPSULE, HALFSPACE, KIND, MESH
from standoff.geometry.narrowphase.mesh import MESH_IWORK, MESH_WORK, mesh_pair
from standoff.geometry.narrowphase.sphere_box import sphere_box
from standoff.geometry.narrowphase.sphere_capsule import sphere_capsule
from standoff.geometry.narrowphase.sphere_sphere import sphere_sphere

#: Lengths of the scratch arrays ``work`` and ``iwork`` that serve any pair.
WORK = MESH_WORK
IWORK = MESH_IWORK

#: The row holds the answer.
DONE = 0

#: The steps ran out: the value is a proved lower bound, and the witnesses need not attain it.
DOUBTFUL = 1

#: No kernel answers for this pair. The row says -inf: doubt counts as danger.
UNSUPPORTED = 2


def has_closed_form(a: int, b: int) -> bool:
    """Whether `closed_form` answers for two kinds; for Python, to choose what to compile."""
    return max(a, b) <= BOX or HALFSPACE in (a, b)


@inlined
def closed_form(A, RA, i, PA, B, RB, j, PB, out, k):
    """Row ``k`` of ``out`` if the pair has a closed form, and whether it has: two of sphere,
    capsule and box, or anything against a half space. A loop over many pairs asks here first: the
    long list of arguments of `pair_distance` costs more than most of these kernels."""
    a, b = RA[i, KIND], RB[j, KIND]
    if a <= BOX and b <= BOX:
        analytic_pair(A, a, i, B, b, j, out, k)
        return True
    if b == HALFSPACE:
        if a == HALFSPACE:
            halfspace_halfspace(A, i, B, j, out, k)
        else:
            body_halfspace(A, RA, i, PA, B, j, out, k)
        return True
    if a == HALFSPACE:
        body_halfspace(B, RB, j, PB, A, i, out, k)
        swap(out, k)
        return True
    return False


@inlined
def analytic_pair(A, a, i, B, b, j, out, k):
    """Row ``k`` of ``out`` for two of sphere, capsule and box, of kinds ``a`` and ``b``."""
    swapped = a > b
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


#: One of the two bodies of a pair, in signatures.
BODY = (
    "float64[:,::1], int64[:,::1], int64, float64[:,::1], int64[:,::1], float64[:,::1], int64[::1]"
)
PAIR = f"int64({BODY}, {BODY}, float64[::1], int64[::1], float64[:,::1], int64)"


@entry(PAIR)
def pair_distance(A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork, out, k):
    """Row ``k`` of ``out`` for body ``i`` of one table and body ``j`` of another, of any kinds;
    the faces, nodes and integers of both and the scratch are for those that need them. Returns
    DONE, or why not. Kernels call it as `general_pair`: all that GJK, the expanding polytope and
    the meshes need makes half a minute of compiling, and a cell without cylinders, polyhedra and
    meshes never builds it."""
    if closed_form(A, RA, i, PA, B, RB, j, PB, out, k):
        return DONE
    a, b = RA[i, KIND], RB[j, KIND]
    if a < MESH and b < MESH:
        return convex_pair(A, RA, i, PA, B, RB, j, PB, work, iwork, out, k)
    if a > MESH or b > MESH:
        unanswered(out, k)
        return UNSUPPORTED
    swapped = a < MESH
    if swapped:
        A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB = (
            B, RB, j, PB, FB, NB, IB, A, RA, i, PA, FA, NA, IA
        )  # fmt: skip
    status = mesh_pair(A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork, out, k)
    if swapped:
        swap(out, k)
    return status


#: ``general_pair(address, ...)``: `pair_distance`, called by its address.
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
