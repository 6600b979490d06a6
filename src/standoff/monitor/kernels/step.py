"""Steps of a cycle that are called by their address: compiled for those only who ask for them.

What certifies the motion between two readings would make up half of the time that a cycle takes to
compile. Called as `geometry.narrowphase.dispatch` calls `pair_distance`, it costs nothing to a
monitor that looks at the instants alone.
"""

from __future__ import annotations

from standoff.compiled.by_address import called

#: The one signature of all steps: general, F, W, XF, XW, dt; see `monitor.kernels.cycle`.
STEP = "float64(int64, float64[::1], int64[::1], float64[::1], int64[::1], float64)"

#: ``take_step(address, ...)``: the step at an address with the remaining arguments.
take_step = called(STEP)
