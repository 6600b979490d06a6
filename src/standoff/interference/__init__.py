"""Interference between parts: planar projections, region octrees, and the exact answer."""

from typing import TYPE_CHECKING

from standoff.public import lazy

if TYPE_CHECKING:
    from standoff.interference.comparison import compare as compare
    from standoff.interference.comparison import find as find
    from standoff.interference.findings import Comparison as Comparison
    from standoff.interference.findings import Gap as Gap
    from standoff.interference.findings import Overlap as Overlap
    from standoff.interference.projection import FalseAlarms as FalseAlarms
    from standoff.interference.projection import ProjectionWatch as ProjectionWatch
    from standoff.interference.projection import false_alarms as false_alarms
    from standoff.interference.region_meets import Meeting as Meeting
    from standoff.interference.region_meets import Meetings as Meetings
    from standoff.interference.region_meets import meets as meets
    from standoff.interference.region_meets import meets_many as meets_many
    from standoff.interference.region_tree import RegionTree as RegionTree
    from standoff.interference.region_watch import RegionCheck as RegionCheck
    from standoff.interference.region_watch import RegionWatch as RegionWatch
    from standoff.interference.safe_motion import SafeInterval as SafeInterval
    from standoff.interference.safe_motion import safe_interval as safe_interval

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
