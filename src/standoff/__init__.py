"""Standoff keeps robots apart: a certified monitor, path checker, planner and predictor.

What most programs need is here; the rest is one level down: ``so.paths.Pieces``,
``so.interference.RegionTree``, ``so.errors.CellError``.
"""

from typing import TYPE_CHECKING

from standoff.public import lazy

__version__ = "0.1.0"

if TYPE_CHECKING:
    # Shapes and the cell.
    # All else, one level down.
    from standoff import cell as cell
    from standoff import contact as contact
    from standoff import errors as errors
    from standoff import interference as interference
    from standoff import monitor as monitor
    from standoff import paths as paths
    from standoff import plan as plan
    from standoff import predict as predict
    from standoff import robots as robots
    from standoff import streams as streams

    # Now: the monitor.
    from standoff.broadphase.kinds import Grid as Grid
    from standoff.broadphase.kinds import Naive as Naive
    from standoff.broadphase.kinds import Octree as Octree
    from standoff.broadphase.kinds import RegionOctree as RegionOctree
    from standoff.cell.cell import Cell as Cell
    from standoff.errors import Error as Error
    from standoff.geometry.distance import DistanceResult as DistanceResult
    from standoff.geometry.distance import distance as distance
    from standoff.geometry.mesh import Mesh as Mesh
    from standoff.geometry.polyhedron import Polyhedron as Polyhedron
    from standoff.geometry.pose import pose as pose
    from standoff.geometry.primitives import Box as Box
    from standoff.geometry.primitives import Capsule as Capsule
    from standoff.geometry.primitives import Cylinder as Cylinder
    from standoff.geometry.primitives import HalfSpace as HalfSpace
    from standoff.geometry.primitives import Sphere as Sphere
    from standoff.geometry.shape import Shape as Shape
    from standoff.monitor.buffers import Thresholds as Thresholds
    from standoff.monitor.monitor import Monitor as Monitor
    from standoff.monitor.report import Cycle as Cycle
    from standoff.monitor.report import Fault as Fault
    from standoff.monitor.report import PairWarning as PairWarning
    from standoff.monitor.separation import separation as separation
    from standoff.monitor.stops import Stopping as Stopping
    from standoff.monitor.zones import KeepIn as KeepIn
    from standoff.monitor.zones import KeepOut as KeepOut

    # Planned: paths.
    from standoff.paths.certificate import Certificate as Certificate
    from standoff.paths.checker import PathChecker as PathChecker
    from standoff.paths.glide import Glide as Glide
    from standoff.paths.trajectory import joint_trajectory as joint_trajectory
    from standoff.paths.verdict import Verdict as Verdict
    from standoff.paths.verify import Verification as Verification
    from standoff.paths.verify import verify as verify
    from standoff.plan.planner import Planner as Planner
    from standoff.plan.result import Plan as Plan
    from standoff.plan.smoother import smooth as smooth

    # Soon: the predictor.
    from standoff.predict.predictor import Predictor as Predictor
    from standoff.predict.report import Prediction as Prediction
    from standoff.streams.open_stream import open_sink as open_sink
    from standoff.streams.open_stream import open_source as open_source
    from standoff.streams.runner import Watch as Watch

__getattr__, __dir__, __all__ = lazy(__name__, __file__)
