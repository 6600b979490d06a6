"""Standoff keeps robots apart.

Names are imported when first used, so that ``import standoff`` costs nothing.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from standoff import contact
    from standoff.broadphase import Grid, Naive, Octree, RegionOctree
    from standoff.cell import AllowedPair, Body, Cell
    from standoff.errors import (
        CellError,
        CertificateError,
        ConfigurationError,
        DuplicateNameError,
        Error,
        InterferenceError,
        MeshError,
        MissingPackageError,
        MonitorError,
        PathError,
        PlanError,
        PoseError,
        PredictError,
        RobotError,
        ShapeError,
        StreamError,
        UnknownNameError,
        UnsupportedPairError,
    )
    from standoff.geometry.distance import Distance, distance
    from standoff.geometry.mesh import Mesh
    from standoff.geometry.polyhedron import Polyhedron
    from standoff.geometry.pose import pose
    from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
    from standoff.geometry.shape import Shape
    from standoff.interference.compare import compare, interference
    from standoff.interference.findings import Comparison, Gap, Overlap
    from standoff.interference.projection import FalseAlarms, ProjectionWatch, false_alarms
    from standoff.interference.region_meets import Meeting, Meetings, meets, meets_many
    from standoff.interference.region_tree import RegionTree
    from standoff.interference.region_watch import RegionCheck, RegionWatch
    from standoff.interference.safe_interval import SafeInterval, safe_interval
    from standoff.monitor.buffers import Thresholds
    from standoff.monitor.monitor import Monitor
    from standoff.monitor.report import Cycle, Fault, StopWarning, Warning
    from standoff.monitor.separation import Separation, separation
    from standoff.monitor.stops import Stopping
    from standoff.monitor.zones import KeepIn, KeepOut
    from standoff.motion.pieces import Pieces
    from standoff.paths.apart import Apart, prove_apart
    from standoff.paths.certificate import Certificate
    from standoff.paths.checker import PathChecker
    from standoff.paths.curves import as_pieces
    from standoff.paths.glide import Glide
    from standoff.paths.joints import unwrap
    from standoff.paths.stopping import braking_curve, stopping
    from standoff.paths.trajectory import joint_trajectory
    from standoff.paths.verdict import Verdict
    from standoff.paths.verify import Verification, verify
    from standoff.plan.ompl_adapter import OmplSpace
    from standoff.plan.planner import Planner
    from standoff.plan.problem_file import read_problem, read_problems
    from standoff.plan.problems import Obstacle, PlacedProblem, Problem
    from standoff.plan.result import Plan
    from standoff.plan.smoother import Smoothed, smooth
    from standoff.predict.deadlines import Deadlines
    from standoff.predict.dua import Urgency
    from standoff.predict.exact_stage import ExactMotion, ExactShapes
    from standoff.predict.from_cell import CellSpheres, cell_spheres
    from standoff.predict.predictor import Predictor
    from standoff.predict.report import BodyFault, Prediction
    from standoff.predict.urgency import least_distance, urgency
    from standoff.robots.builtin import MODELS, model_path
    from standoff.streams.engine import WatchEngine
    from standoff.streams.open_stream import open_sink, open_source
    from standoff.streams.options import WatchOptions
    from standoff.streams.report import Report, State
    from standoff.streams.runner import Watch

_HOME = {
    "standoff.broadphase": ("Grid", "Naive", "Octree", "RegionOctree"),
    "standoff.cell": ("AllowedPair", "Body", "Cell"),
    "standoff.errors": (
        "CellError",
        "CertificateError",
        "ConfigurationError",
        "DuplicateNameError",
        "Error",
        "InterferenceError",
        "MeshError",
        "MissingPackageError",
        "MonitorError",
        "PathError",
        "PlanError",
        "PoseError",
        "PredictError",
        "RobotError",
        "ShapeError",
        "StreamError",
        "UnknownNameError",
        "UnsupportedPairError",
    ),
    "standoff.monitor.stops": ("Stopping",),
    "standoff.monitor.monitor": ("Monitor",),
    "standoff.monitor.report": ("Cycle", "Fault", "Warning", "StopWarning"),
    "standoff.monitor.buffers": ("Thresholds",),
    "standoff.monitor.zones": ("KeepIn", "KeepOut"),
    "standoff.monitor.separation": ("Separation", "separation"),
    "standoff.interference.compare": ("compare", "interference"),
    "standoff.interference.findings": ("Comparison", "Gap", "Overlap"),
    "standoff.interference.projection": ("FalseAlarms", "ProjectionWatch", "false_alarms"),
    "standoff.interference.region_meets": ("Meeting", "Meetings", "meets", "meets_many"),
    "standoff.interference.region_tree": ("RegionTree",),
    "standoff.interference.region_watch": ("RegionCheck", "RegionWatch"),
    "standoff.interference.safe_interval": ("SafeInterval", "safe_interval"),
    "standoff.paths.apart": ("Apart", "prove_apart"),
    "standoff.paths.checker": ("PathChecker",),
    "standoff.paths.curves": ("as_pieces",),
    "standoff.paths.glide": ("Glide",),
    "standoff.motion.pieces": ("Pieces",),
    "standoff.paths.stopping": ("braking_curve", "stopping"),
    "standoff.paths.trajectory": ("joint_trajectory",),
    "standoff.paths.joints": ("unwrap",),
    "standoff.paths.verdict": ("Verdict",),
    "standoff.paths.certificate": ("Certificate",),
    "standoff.paths.verify": ("Verification", "verify"),
    "standoff.plan.planner": ("Planner",),
    "standoff.plan.result": ("Plan",),
    "standoff.plan.smoother": ("Smoothed", "smooth"),
    "standoff.plan.ompl_adapter": ("OmplSpace",),
    "standoff.plan.problem_file": ("read_problem", "read_problems"),
    "standoff.plan.problems": ("Obstacle", "PlacedProblem", "Problem"),
    "standoff.predict.exact_stage": ("ExactShapes", "ExactMotion"),
    "standoff.predict.from_cell": ("CellSpheres", "cell_spheres"),
    "standoff.predict.deadlines": ("Deadlines",),
    "standoff.predict.dua": ("Urgency",),
    "standoff.predict.predictor": ("Predictor",),
    "standoff.predict.report": ("BodyFault", "Prediction"),
    "standoff.predict.urgency": ("least_distance", "urgency"),
    "standoff.robots.builtin": ("MODELS", "model_path"),
    "standoff.geometry.distance": ("Distance", "distance"),
    "standoff.geometry.mesh": ("Mesh",),
    "standoff.geometry.polyhedron": ("Polyhedron",),
    "standoff.geometry.pose": ("pose",),
    "standoff.geometry.primitives": ("Box", "Capsule", "Cylinder", "HalfSpace", "Sphere"),
    "standoff.geometry.shape": ("Shape",),
    "standoff.streams.engine": ("WatchEngine",),
    "standoff.streams.open_stream": ("open_sink", "open_source"),
    "standoff.streams.options": ("WatchOptions",),
    "standoff.streams.report": ("Report", "State"),
    "standoff.streams.runner": ("Watch",),
}
#: Rooms with names of their own, ``so.contact.Scene``, or that can be called themselves.
_ROOMS = ("contact", "interference")
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}
_MODULE_OF |= {room: f"standoff.{room}" for room in _ROOMS}

__all__ = [
    "MODELS",
    "AllowedPair",
    "Apart",
    "Body",
    "BodyFault",
    "Box",
    "Capsule",
    "Cell",
    "CellError",
    "CellSpheres",
    "Certificate",
    "CertificateError",
    "Comparison",
    "ConfigurationError",
    "Cycle",
    "Cylinder",
    "Deadlines",
    "Distance",
    "DuplicateNameError",
    "Error",
    "ExactMotion",
    "ExactShapes",
    "FalseAlarms",
    "Fault",
    "Gap",
    "Glide",
    "Grid",
    "HalfSpace",
    "InterferenceError",
    "KeepIn",
    "KeepOut",
    "Meeting",
    "Meetings",
    "Mesh",
    "MeshError",
    "MissingPackageError",
    "Monitor",
    "MonitorError",
    "Naive",
    "Obstacle",
    "Octree",
    "OmplSpace",
    "Overlap",
    "PathChecker",
    "PathError",
    "Pieces",
    "PlacedProblem",
    "Plan",
    "PlanError",
    "Planner",
    "Polyhedron",
    "PoseError",
    "PredictError",
    "Prediction",
    "Predictor",
    "Problem",
    "ProjectionWatch",
    "RegionCheck",
    "RegionOctree",
    "RegionTree",
    "RegionWatch",
    "Report",
    "RobotError",
    "SafeInterval",
    "Separation",
    "Shape",
    "ShapeError",
    "Smoothed",
    "Sphere",
    "State",
    "StopWarning",
    "Stopping",
    "StreamError",
    "Thresholds",
    "UnknownNameError",
    "UnsupportedPairError",
    "Urgency",
    "Verdict",
    "Verification",
    "Warning",
    "Watch",
    "WatchEngine",
    "WatchOptions",
    "as_pieces",
    "braking_curve",
    "cell_spheres",
    "compare",
    "contact",
    "distance",
    "false_alarms",
    "interference",
    "joint_trajectory",
    "least_distance",
    "meets",
    "meets_many",
    "model_path",
    "open_sink",
    "open_source",
    "pose",
    "prove_apart",
    "read_problem",
    "read_problems",
    "safe_interval",
    "separation",
    "smooth",
    "stopping",
    "unwrap",
    "urgency",
    "verify",
]


def __getattr__(name: str) -> Any:
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'standoff' has no attribute {name!r}")
    value: Any = import_module(module)
    if name not in _ROOMS:
        value = getattr(value, name)
    globals()[name] = value
    if "numba" in sys.modules:
        import_module("standoff.compiled.first_compile")
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
