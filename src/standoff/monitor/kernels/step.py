"""Steps of a cycle that are called by their address: compiled for those only who ask for them.

What certifies the motion between two readings would make up half of the time that a cycle takes to
compile. Called as `geometry.narrowphase.general` calls `pair_distance`, it costs nothing to a
monitor that looks at the instants alone.
"""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.compiled.by_address import INTERPRETED, call_at, interpreted_at

#: The one signature of all steps: general, F, W, XF, XW, dt; see `monitor.kernels.cycle`.
STEP = "float64(int64, float64[::1], int64[::1], float64[::1], int64[::1], float64)"


if INTERPRETED:

    def take_step(address, *arguments):
        """The step at an address, interpreted."""
        return interpreted_at(address)(*arguments)

else:

    @intrinsic
    def take_step(typing_context, address, general, F, W, XF, XW, dt):
        """``take_step(address, ...)``: the step at an address with the remaining arguments."""
        return call_at(types.float64, (types.int64, F, W, XF, XW, types.float64))
