"""`step` called by its address, so that it is compiled once and not into every caller, and so that
another step can take its place (`papers.kernels.sample_step`)."""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.compiled.by_address import INTERPRETED, address_of, call_at, interpreted_at


def address() -> int:
    """Where the machine code of `step` is, compiling it if need be."""
    return address_of("paths.kernels.step.step")


if INTERPRETED:

    def step_at(address, *arguments):
        """The step at an address, interpreted."""
        return interpreted_at(address)(*arguments)

else:

    @intrinsic
    def step_at(typing_context, address, general, CF, CW, SF, SW, piece):
        """``step_at(address, ...)``: the step at an address of the remaining arguments."""
        return call_at(types.int64, (types.int64, CF, CW, SF, SW, types.int64))
