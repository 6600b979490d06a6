"""`pair_distance` called by its address, so that it is compiled once and not into every caller.

All that GJK, the expanding polytope and the meshes need makes half a minute of compiling, and Numba
puts a copy of it into each kernel that calls it. Through an address it is one function for all: a
caller compiles in a second, and a cell without cylinders, polyhedra and meshes never builds it.
The call itself costs what any other does.
"""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.compiled.by_address import INTERPRETED, address_of, call_at
from standoff.geometry.narrowphase.dispatch import pair_distance


def address() -> int:
    """Where the machine code of `pair_distance` is, compiling it if need be; 0 if interpreted."""
    return 0 if INTERPRETED else address_of("geometry.narrowphase.dispatch.pair_distance")


if INTERPRETED:

    def general_pair(address, *arguments):
        """`pair_distance`, interpreted."""
        return pair_distance(*arguments)

else:

    @intrinsic
    def general_pair(
        typing_context, address, A, RA, i, PA, FA, NA, IA, B, RB, j, PB, FB, NB, IB, work, iwork,
        out, k,
    ):  # fmt: skip
        """``general_pair(address, ...)``: `pair_distance` of the remaining arguments."""
        number = types.int64
        arguments = (
            A, RA, number, PA, FA, NA, IA, B, RB, number, PB, FB, NB, IB, work, iwork, out, number
        )  # fmt: skip
        return call_at(number, arguments)
