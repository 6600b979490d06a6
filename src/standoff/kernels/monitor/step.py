"""Steps of a cycle that are called by their address: compiled for those only who ask for them.

What certifies the motion between two readings would make up half of the time that a cycle takes to
compile. Called as `kernels.pairs.general` calls `pair_distance`, it costs nothing to a monitor that
looks at the instants alone.
"""

from __future__ import annotations

from numba.core import types
from numba.extending import intrinsic

from standoff.kernels.by_address import INTERPRETED, address_of, call_at
from standoff.kernels.jit import ENTRIES

#: The one signature of all steps: general, F, W, XF, XW, dt; see `kernels.monitor.cycle`.
STEP = "float64(int64, float64[::1], int64[::1], float64[::1], int64[::1], float64)"


def address(name: str) -> int:
    """Where the machine code of a step is, compiling it if need be; not 0, even if interpreted:
    its place among the entries then."""
    return 1 + list(ENTRIES).index(name) if INTERPRETED else address_of(name)


if INTERPRETED:

    def take_step(address, *arguments):
        """The step at an address, interpreted."""
        function, _ = list(ENTRIES.values())[address - 1]
        return function(*arguments)

else:

    @intrinsic
    def take_step(typing_context, address, general, F, W, XF, XW, dt):
        """``take_step(address, ...)``: the step at an address with the remaining arguments."""
        return call_at(types.float64, (types.int64, F, W, XF, XW, types.float64))
