"""`step` called by its address, so that it is compiled once and not into every caller, and so that
`sample_step` can take its place."""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.kernels.by_address import INTERPRETED, address_of, call_at
from standoff.kernels.paths.sample_step import sample_step
from standoff.kernels.paths.step import step

#: What can be called, by the names of their entries; where they are interpreted, their places here
#: are their addresses.
_STEPS = {"paths.step.step": step, "paths.sample_step.sample_step": sample_step}


def address(name: str = "paths.step.step") -> int:
    """Where the machine code of `step`, or of `sample_step`, is, compiling it if need be."""
    return list(_STEPS).index(name) if INTERPRETED else address_of(name)


if INTERPRETED:

    def step_at(address, *arguments):
        """`step` or `sample_step`, interpreted."""
        return list(_STEPS.values())[address](*arguments)

else:

    @intrinsic
    def step_at(typing_context, address, general, CF, CW, SF, SW, piece):
        """``step_at(address, ...)``: `step` of the remaining arguments."""
        return call_at(types.int64, (types.int64, CF, CW, SF, SW, types.int64))
