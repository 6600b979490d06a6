"""The distance of two pieces, or the shortest way to part them, by its address (see
`compiled.by_address`): GJK and the expanding polytope, on balls and polyhedra.
"""

from __future__ import annotations

from standoff.compiled.by_address import address_of, called
from standoff.compiled.jit import entry
from standoff.geometry.narrowphase.unpacked import convex_pair

NEAREST = (
    "int64(float64[:,::1], int64[:,::1], float64[:,::1], int64, int64, float64[::1], int64[::1], "
    "float64[:,::1])"
)


@entry(NEAREST)
def piece_distance(rows, refs, points, i, j, work, iwork, out):
    """`convex_pair` of two pieces of one scene."""
    return convex_pair(rows, refs, i, points, rows, refs, j, points, work, iwork, out, 0)


nearest = called(NEAREST)


def address() -> int:
    """Where the machine code of `piece_distance` is, compiling it if need be."""
    return address_of("contact.kernels.nearest.piece_distance")
