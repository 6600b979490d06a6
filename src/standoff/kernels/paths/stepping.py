"""`step` called by its address, so that it is compiled once and not into every caller."""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.kernels.by_address import INTERPRETED, address_of, call_at
from standoff.kernels.paths.step import step


def address() -> int:
    """Where the machine code of `step` is, compiling it if need be; 0 if interpreted."""
    return 0 if INTERPRETED else address_of("paths.step.step")


if INTERPRETED:

    def step_at(address, *arguments):
        """`step`, interpreted."""
        return step(*arguments)

else:

    @intrinsic
    def step_at(typing_context, address, general, CF, CW, SF, SW, piece):
        """``step_at(address, ...)``: `step` of the remaining arguments."""
        return call_at(types.int64, (types.int64, CF, CW, SF, SW, types.int64))
