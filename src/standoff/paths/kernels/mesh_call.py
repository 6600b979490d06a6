"""`mesh_walk` called by its address: who has no meshes does not wait for it to be compiled."""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.compiled.by_address import INTERPRETED, address_of, call_at
from standoff.paths.kernels.mesh_walk import mesh_walk


def address() -> int:
    """Where the machine code of `mesh_walk` is, compiling it if need be; 0 if interpreted."""
    return 0 if INTERPRETED else address_of("paths.kernels.mesh_walk.mesh_walk")


if INTERPRETED:

    def call_walk(address, *arguments):
        """`mesh_walk`, interpreted."""
        return mesh_walk(*arguments)

else:

    @intrinsic
    def call_walk(
        typing_context, address, general, CF, CW, SF, SW, a, b, c, taken, h, length, bend, sides
    ):
        """``call_walk(address, ...)``: `mesh_walk` of the remaining arguments."""
        number, real = types.int64, types.float64
        arguments = (
            number, CF, CW, SF, SW, number, number, number, real, real, real, real, number
        )  # fmt: skip
        return call_at(number, arguments)
