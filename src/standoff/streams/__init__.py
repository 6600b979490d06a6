"""Joint states in, warnings out: files, ROS bags, MCAP and Zenoh.

A message goes from its source (`streams.sources`) through the run (`streams.runner`) into
`streams.engine`, which asks the monitor; its report goes to the sinks (`streams.sinks`).
"""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.streams.engine import WatchEngine as WatchEngine
    from standoff.streams.options import WatchOptions as WatchOptions
    from standoff.streams.report import Report as Report
    from standoff.streams.report import State as State

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
