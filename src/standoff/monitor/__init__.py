"""The monitor: joint angles in, imminent collisions out, every cycle, none missed.

A cycle is `monitor.kernels.cycle`. Whether a pair warns is decided in `monitor.kernels.judge`; for
the motion between two readings in `monitor.kernels.between`; for stops in `monitor.stops`.
"""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.monitor.report import StopWarning as StopWarning
    from standoff.monitor.separation import SeparationDistance as SeparationDistance

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
