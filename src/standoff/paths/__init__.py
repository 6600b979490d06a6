"""Continuous collision checking: whole motions proved free at every instant, or where not.

The checker bisects (paper 001). As in conservative advancement, a distance and a motion bound make
a stretch that is free, but on both sides of an instant, and by the direction of the motion."""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.motion.pieces import Pieces as Pieces
    from standoff.paths.apart import Apart as Apart
    from standoff.paths.curves import as_pieces as as_pieces
    from standoff.paths.joints import unwrap as unwrap
    from standoff.paths.stopping import braking_curve as braking_curve
    from standoff.paths.stopping import check_stop as check_stop

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
