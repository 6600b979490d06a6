"""The world: robots, bodies, who may touch whom, grasped bodies, cell files."""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.cell.allowed import AllowedPair as AllowedPair
    from standoff.cell.body import Body as Body
    from standoff.cell.queries import Clearance as Clearance
    from standoff.cell.state import State as State

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
