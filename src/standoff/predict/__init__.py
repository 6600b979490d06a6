"""What can touch soon: earliest times of contact of bodies whose speeds and accelerations are
bounded.
"""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.predict.deadlines import Deadlines as Deadlines
    from standoff.predict.dua import DynamicUrgency as DynamicUrgency
    from standoff.predict.exact_stage import ExactMotion as ExactMotion
    from standoff.predict.exact_stage import ExactShapes as ExactShapes
    from standoff.predict.from_cell import CellSpheres as CellSpheres
    from standoff.predict.from_cell import cell_spheres as cell_spheres
    from standoff.predict.pair_bounds import least_distance as least_distance
    from standoff.predict.pair_bounds import urgency as urgency
    from standoff.predict.report import BodyFault as BodyFault

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
