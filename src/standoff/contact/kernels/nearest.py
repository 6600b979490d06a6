"""The distance of two pieces, or the shortest way to part them, by its address (see
`compiled.by_address`): GJK and the expanding polytope, on balls and polyhedra.
"""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.compiled.by_address import INTERPRETED, address_of, call_at
from standoff.compiled.jit import entry
from standoff.geometry.narrowphase.convex import convex_pair


@entry(
    "int64(float64[:,::1], int64[:,::1], float64[:,::1], int64, int64, float64[::1], int64[::1], "
    "float64[:,::1])"
)
def piece_distance(rows, refs, points, i, j, work, iwork, out):
    """`convex_pair` of two pieces of one scene."""
    return convex_pair(rows, refs, i, points, rows, refs, j, points, work, iwork, out, 0)


def address() -> int:
    """Where the machine code of `piece_distance` is, compiling it if need be; 0 if interpreted."""
    return 0 if INTERPRETED else address_of("contact.kernels.nearest.piece_distance")


if INTERPRETED:

    def nearest(address, *arguments):
        """`piece_distance`, interpreted."""
        return piece_distance(*arguments)

else:

    @intrinsic
    def nearest(typing_context, address, rows, refs, points, i, j, work, iwork, out):
        """``nearest(address, ...)``: `piece_distance` of the remaining arguments."""
        number = types.int64
        return call_at(number, (rows, refs, points, number, number, work, iwork, out))
