"""Whatever is given to a public call, the answer is a result or an error of Standoff that names the
argument; never an exception from inside."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import standoff as so
from tests.worlds.path_cells import BOX, written
from tests.worlds.watch_worlds import Memory

BALL = so.Sphere(0.1)
HERE, FAR = so.pose(), so.pose((1.0, 0.0, 0.0))
ROOT = ((0.0, 0.0, 0.0), 4.0)


class Nothing:
    """An object of somebody else."""


#: The robot is in it, for as long as the tests run.
FOLDER = TemporaryDirectory()


@cache
def robot():
    return written(Path(FOLDER.name), "one", ("revolute", "0 0 1", "0 0 0", BOX))


def new_holding_cell():
    made = new_cell()
    made.attach("cart", "arm/l0")
    return made


def new_cell():
    made = so.Cell()
    made.add_robot(robot(), name="arm")
    made.add_body("box", so.Box((0.1, 0.1, 0.1)), so.pose((0.2, 0.25, 0.0)))
    made.add_body("cart", so.Sphere(0.05), so.pose((0.0, 2.0, 0.0)), moving=True)
    return made


cell = cache(new_cell)
checker = cache(lambda: so.PathChecker(cell()))
planner = cache(lambda: so.Planner(cell()))
certificate = cache(lambda: checker().segment([-1.0], [0.0]).certificate())
PARTS = {"a": BALL, "b": (BALL, FAR)}


def scene():
    made = so.contact.Scene()
    made.add("still", BALL, moving=False)
    made.add("a", BALL)
    return made


def monitor():
    return so.Monitor(cell())


def grasping():
    return so.Monitor(new_cell(), grasped={"cart": 0.02})


def holding():
    made = grasping()
    made.attach("cart", "arm/l0")
    return made


def predictor():
    return so.Predictor(np.full(2, 0.1), max_acceleration=1.0)


def tree():
    return so.interference.RegionTree.build(BALL, None, root=ROOT, levels=3)


def region_watch():
    return so.interference.RegionWatch(
        {"still": BALL}, root=ROOT, resolution=0.2, interval=0.1, speeds={"a": 0.1}
    )


def projection_watch():
    return so.interference.ProjectionWatch(PARTS, ["b"])


@dataclass(frozen=True)
class Call:
    """A public call with arguments that are right; ``of`` makes what is called, anew each time."""

    name: str
    of: Callable[[], Callable[..., Any]]
    right: Callable[[], dict[str, Any]]

    @property
    def reports_faults(self) -> bool:
        """Whether wrong input is a fault in its answer, and never an exception."""
        return self.name in ("Monitor.update", "Predictor.step", "Predictor.step_cell")


X2, V2 = np.array([[0.0, 0, 0], [5.0, 0, 0]]), np.zeros((2, 3))
STOP = {"deceleration": 5.0, "reaction": 0.02}
parting = so.interference

CALLS = [
    Call("Sphere", lambda: so.Sphere, lambda: {"radius": 0.1}),
    Call("Capsule", lambda: so.Capsule, lambda: {"radius": 0.1, "length": 0.2}),
    Call("Cylinder", lambda: so.Cylinder, lambda: {"radius": 0.1, "length": 0.2}),
    Call("Box", lambda: so.Box, lambda: {"size": (0.1, 0.1, 0.1)}),
    Call("Polyhedron", lambda: so.Polyhedron, lambda: {"vertices": np.eye(4, 3), "faces": None}),
    Call(
        "Mesh",
        lambda: so.Mesh,
        lambda: {"vertices": np.eye(4, 3), "faces": [[0, 1, 2]], "sheet": False},
    ),
    Call(
        "Mesh.load", lambda: so.Mesh.load, lambda: {"path": "no.stl", "scale": 1.0, "sheet": False}
    ),
    Call("pose", lambda: so.pose, lambda: {"position": (0, 0, 0), "quaternion": None, "rpy": None}),
    Call("pose with rpy", lambda: so.pose, lambda: {"rpy": (0, 0, 0)}),
    Call("pose with quaternion", lambda: so.pose, lambda: {"quaternion": (1, 0, 0, 0)}),
    Call(
        "distance",
        lambda: so.distance,
        lambda: {"shape_a": BALL, "pose_a": HERE, "shape_b": BALL, "pose_b": FAR},
    ),
    Call("Cell", lambda: so.Cell, lambda: {"unwatched": "refuse"}),
    Call(
        "Cell.add_robot",
        lambda: so.Cell().add_robot,
        lambda: {
            "urdf_path": robot(),
            "name": "r",
            "base": None,
            "srdf": None,
            "geometry": "auto",
            "capsules_per_link": 2,
            "search_paths": (),
        },
    ),
    Call(
        "Cell.add_body",
        lambda: new_cell().add_body,
        lambda: {"name": "b", "shape": BALL, "pose": HERE, "moving": False},
    ),
    Call("Cell.move_body", lambda: new_cell().move_body, lambda: {"name": "box", "pose": FAR}),
    Call("Cell.remove_body", lambda: new_cell().remove_body, lambda: {"name": "box"}),
    Call("Cell.remove_robot", lambda: new_cell().remove_robot, lambda: {"name": "arm"}),
    Call(
        "Cell.attach",
        lambda: new_cell().attach,
        lambda: {"body": "cart", "link": "arm/l0", "q": None, "pose": None, "touch": ()},
    ),
    Call("Cell.detach", lambda: new_holding_cell().detach, lambda: {"body": "cart", "q": None}),
    Call(
        "Cell.swap_geometry",
        lambda: new_cell().swap_geometry,
        lambda: {"link": "arm/l0", "geometry": "capsules", "capsules_per_link": 2},
    ),
    Call(
        "Cell.allow",
        lambda: new_cell().allow,
        lambda: {"a": "arm/l0", "b": "box", "reason": "it rests there", "proof": None},
    ),
    Call("Cell.forbid", lambda: new_cell().forbid, lambda: {"a": "arm/l0", "b": "box"}),
    Call(
        "Cell.prove_apart",
        lambda: cell().prove_apart,
        lambda: {"pairs": [("arm/l0", "box")], "clearance": 0.0, "budget": 10, "progress": None},
    ),
    Call(
        "Cell.map_stream",
        lambda: new_cell().map_stream,
        lambda: {
            "source": "*",
            "robot": "arm",
            "rename": None,
            "ignore": (),
            "angles": "rad",
            "lengths": "m",
            "scale": None,
            "offset": None,
        },
    ),
    Call(
        "Cell.set_state",
        lambda: new_cell().set_state,
        lambda: {"q": [0.0], "poses": {"cart": HERE}},
    ),
    Call("Cell.state", lambda: cell().state, lambda: {"q": [0.0]}),
    Call("Cell.fk", lambda: cell().fk, lambda: {"q": [0.0]}),
    Call("Cell.jacobian", lambda: cell().jacobian, lambda: {"link": "arm/l0", "q": [0.0]}),
    Call("Cell.distance", lambda: cell().distance, lambda: {"a": "arm/l0", "b": "box", "q": [0.0]}),
    Call("Cell.clearance", lambda: cell().clearance, lambda: {"q": [0.0]}),
    Call("Cell.configuration", lambda: cell().configuration, lambda: {"q": [0.0]}),
    Call("Cell.random", lambda: cell().random, lambda: {"rng": 3}),
    Call("Cell.reason", lambda: cell().reason, lambda: {"a": "arm/l0", "b": "box"}),
    Call("Cell.proof_digest", lambda: cell().proof_digest, lambda: {"a": "arm/l0", "b": "box"}),
    Call("Cell.pose", lambda: cell().pose, lambda: {"name": "box", "q": [0.0]}),
    Call("Cell.save", lambda: cell().save, lambda: {"path": "saved.toml"}),
    Call("Cell.load", lambda: so.Cell.load, lambda: {"path": "no.toml"}),
    Call("State.placed", lambda: cell().state().placed, lambda: {"name": "box"}),
    Call(
        "Monitor",
        lambda: so.Monitor,
        lambda: {
            "cell": cell(),
            "buffer": 0.03,
            "index": "octree",
            "thresholds": None,
            "zones": (),
            "grasped": None,
            "period": 0.01,
            "late": None,
            "max_speed": None,
            "between": False,
            "stopping": None,
        },
    ),
    Call(
        "Monitor.update",
        lambda: monitor().update,
        lambda: {"q": [0.0], "poses": {"cart": HERE}, "time": None, "dq": None},
    ),
    Call(
        "Monitor.update_many",
        lambda: monitor().update_many,
        lambda: {
            "Q": np.zeros((3, 1)),
            "times": np.arange(3.0),
            "clearances": np.zeros(3),
            "poses": np.eye(4)[None],
        },
    ),
    Call(
        "Monitor.attach",
        lambda: grasping().attach,
        lambda: {"body": "cart", "link": "arm/l0", "touch": ()},
    ),
    Call("Monitor.detach", lambda: holding().detach, lambda: {"body": "cart"}),
    Call(
        "Thresholds",
        lambda: so.Thresholds,
        lambda: {"self_collision": 0.01, "robot_robot": 0.01, "robot_scene": 0.01, "pairs": {}},
    ),
    Call(
        "KeepOut",
        lambda: so.KeepOut,
        lambda: {"name": "z", "shape": so.Box((0.1, 0.1, 0.1)), "pose": None, "only": None},
    ),
    Call(
        "KeepIn",
        lambda: so.KeepIn,
        lambda: {"name": "z", "shape": so.Box((5, 5, 5)), "pose": None, "only": None},
    ),
    Call(
        "Octree",
        lambda: so.Octree,
        lambda: {"split": 10, "reserve": None, "root": None, "smallest": None},
    ),
    Call(
        "RegionOctree",
        lambda: so.RegionOctree,
        lambda: {"smallest": None, "reserve": None, "root": None},
    ),
    Call("Grid", lambda: so.Grid, lambda: {"side": 16, "reserve": None, "root": None}),
    Call("separation", lambda: so.separation, lambda: {"speed": 1.0, "period": 0.01, **STOP}),
    Call(
        "Stopping",
        lambda: so.Stopping,
        lambda: {
            **STOP,
            "hardest": None,
            "acceleration": None,
            "velocity_error": 0.0,
            "deviation": 0.0,
            "bodies": None,
            "clearance": 0.0,
            "clearances": {},
            "tolerance": 1e-3,
        },
    ),
    Call(
        "PathChecker",
        lambda: so.PathChecker,
        lambda: {
            "cell": cell(),
            "clearance": 0.0,
            "tolerance": 1e-3,
            "clearances": None,
            "deviation": None,
            "budget": 1000,
        },
    ),
    Call(
        "PathChecker.segment",
        lambda: checker().segment,
        lambda: {
            "qa": [-1.0],
            "qb": [0.0],
            "moving": None,
            "first": False,
            "precision": 1e-3,
            "progress": None,
        },
    ),
    Call(
        "PathChecker.path",
        lambda: checker().path,
        lambda: {
            "waypoints": [[-1.0], [0.0]],
            "moving": None,
            "first": False,
            "precision": 1e-3,
            "progress": None,
            "budget": None,
        },
    ),
    Call(
        "PathChecker.curve",
        lambda: checker().curve,
        lambda: {
            "motion": so.paths.Pieces.segment([-1.0], [0.0]),
            "moving": None,
            "first": False,
            "precision": 1e-3,
            "progress": None,
        },
    ),
    Call(
        "PathChecker.segments",
        lambda: checker().segments,
        lambda: {"QA": [[-1.0]], "QB": [[0.0]], "threads": None},
    ),
    Call(
        "Verdict.certificate",
        lambda: checker().segment([-1.0], [0.0]).certificate,
        lambda: {"segment": None},
    ),
    Call("Certificate.load", lambda: so.Certificate.load, lambda: {"path": "no.json"}),
    Call(
        "Certificate.save",
        lambda: certificate().save,
        lambda: {"path": "proof.json", "cell": cell()},
    ),
    Call(
        "verify",
        lambda: so.verify,
        lambda: {
            "cell": cell(),
            "certificate": certificate(),
            "engine": "plain",
            "clearance": None,
            "progress": None,
        },
    ),
    Call(
        "Glide", lambda: so.Glide, lambda: {"pose": HERE, "linear": (0, 0, 0), "angular": (0, 0, 0)}
    ),
    Call(
        "Glide.between",
        lambda: so.Glide.between,
        lambda: {"pose_a": HERE, "pose_b": FAR, "duration": 1.0},
    ),
    Call("Glide.at", lambda: so.Glide(HERE).at, lambda: {"u": 0.5}),
    Call(
        "joint_trajectory",
        lambda: so.joint_trajectory,
        lambda: {
            "cell": cell(),
            "robot": None,
            "rest": None,
            "start": None,
            "unwrap": False,
            "message": {
                "joint_names": ["j0"],
                "points": [
                    {"positions": [0.0], "time_from_start": 0.0},
                    {"positions": [1.0], "time_from_start": 1.0},
                ],
            },
        },
    ),
    Call(
        "paths.as_pieces",
        lambda: so.paths.as_pieces,
        lambda: {"cell": cell(), "motion": so.paths.Pieces.segment([-1.0], [0.0]), "joints": None},
    ),
    Call(
        "paths.unwrap",
        lambda: so.paths.unwrap,
        lambda: {"cell": cell(), "waypoints": [[-1.0], [0.0]]},
    ),
    Call(
        "paths.braking_curve",
        lambda: so.paths.braking_curve,
        lambda: {
            "cell": cell(),
            "q": [0.0],
            "dq": [0.1],
            "deceleration": 1.0,
            "reaction": 0.0,
            "synchronised": False,
        },
    ),
    Call(
        "paths.check_stop",
        lambda: so.paths.check_stop,
        lambda: {
            "checker": checker(),
            "q": [0.0],
            "dq": [0.1],
            "deceleration": 1.0,
            "reaction": 0.0,
            "synchronised": False,
            "moving": None,
            "first": False,
            "limits": True,
        },
    ),
    Call(
        "Pieces",
        lambda: so.paths.Pieces,
        lambda: {
            "times": [0.0, 1.0],
            "coefficients": np.zeros((1, 6, 1)),
            "rounding": np.zeros((1, 1)),
        },
    ),
    Call(
        "Pieces.make",
        lambda: so.paths.Pieces.make,
        lambda: {
            "times": [0.0, 1.0],
            "coefficients": np.zeros((1, 6, 1)),
            "rounding": 0.0,
            "joints": None,
        },
    ),
    Call("Pieces.segment", lambda: so.paths.Pieces.segment, lambda: {"qa": [0.0], "qb": [1.0]}),
    Call(
        "Pieces.path",
        lambda: so.paths.Pieces.path,
        lambda: {"waypoints": [[0.0], [1.0]], "times": None},
    ),
    Call("Pieces.at", lambda: so.paths.Pieces.segment([0.0], [1.0]).at, lambda: {"t": 0.5}),
    Call(
        "Pieces.part",
        lambda: so.paths.Pieces.segment([0.0], [1.0]).part,
        lambda: {"start": 0.1, "end": 0.5},
    ),
    Call(
        "Planner",
        lambda: so.Planner,
        lambda: {
            "cell": cell(),
            "clearance": 0.001,
            "tolerance": 1e-3,
            "method": "rrt-connect",
            "checker": None,
            "step": None,
            "reach": 0.3,
            "weights": None,
        },
    ),
    Call(
        "Planner.plan",
        lambda: planner().plan,
        lambda: {
            "start": [-1.0],
            "goal": [0.0],
            "seed": 0,
            "timeout": 1.0,
            "joints": None,
            "limits": True,
            "progress": None,
            "cancelled": None,
        },
    ),
    Call(
        "smooth",
        lambda: so.smooth,
        lambda: {
            "checker": planner(),
            "waypoints": [[-1.0], [0.2], [0.0]],
            "steps": 5,
            "seed": 0,
            "timeout": 1.0,
            "patience": None,
            "weights": None,
            "progress": None,
            "cancelled": None,
        },
    ),
    Call(
        "plan.read_problem", lambda: so.plan.read_problem, lambda: {"path": "no.json", "index": 1}
    ),
    Call("plan.read_problems", lambda: so.plan.read_problems, lambda: {"path": "no.json"}),
    Call(
        "Predictor",
        lambda: so.Predictor,
        lambda: {
            "radii": [0.1, 0.1],
            "max_acceleration": 1.0,
            "max_speed": None,
            "margin": 0.0,
            "period": 0.01,
            "urgency": None,
            "schedule": so.predict.Deadlines(),
            "off": (),
            "exact": None,
            "spheres": None,
        },
    ),
    Call(
        "Predictor.from_cell",
        lambda: so.Predictor.from_cell,
        lambda: {
            "cell": cell(),
            "max_joint_acceleration": 5.0,
            "margin": 0.0,
            "period": 0.01,
            "max_joint_speed": None,
            "moving": {"cart": (1.0, 1.0)},
            "leave_out": (),
            "radius": 0.1,
            "static_radius": 0.25,
            "off": (),
        },
    ),
    Call(
        "Predictor.step",
        lambda: predictor().step,
        lambda: {"positions": X2, "velocities": V2, "time": None, "rotations": None},
    ),
    Call(
        "Predictor.step_cell",
        lambda: so.Predictor.from_cell(cell(), 5.0, moving={"cart": (1.0, 1.0)}).step_cell,
        lambda: {
            "q": [0.0],
            "dq": [0.0],
            "time": None,
            "poses": {"cart": HERE},
            "twists": {"cart": np.zeros(6)},
        },
    ),
    Call("Predictor.switch_off", lambda: predictor().switch_off, lambda: {"pairs": [(0, 1)]}),
    Call("Predictor.switch_on", lambda: predictor().switch_on, lambda: {"pairs": [(0, 1)]}),
    Call("Deadlines", lambda: so.predict.Deadlines, lambda: {"tests": None, "horizon": None}),
    Call(
        "DynamicUrgency",
        lambda: so.predict.DynamicUrgency,
        lambda: {"series": "binary", "sort": "full"},
    ),
    Call(
        "ExactShapes",
        lambda: so.predict.ExactShapes,
        lambda: {"shapes": [BALL, BALL], "max_turn": None},
    ),
    Call(
        "ExactMotion",
        lambda: so.predict.ExactMotion,
        lambda: {"checker": checker(), "motion": so.paths.Pieces.segment([-1.0], [0.0])},
    ),
    Call(
        "cell_spheres",
        lambda: so.predict.cell_spheres,
        lambda: {
            "cell": cell(),
            "max_joint_acceleration": 5.0,
            "max_joint_speed": None,
            "moving": {"cart": (1.0, 1.0)},
            "radius": 0.1,
            "static_radius": 0.25,
            "leave_out": (),
        },
    ),
    Call(
        "predict.urgency",
        lambda: so.predict.urgency,
        lambda: {
            "position": [1.0, 0, 0],
            "velocity": [0.0, 0, 0],
            "max_acceleration": 1.0,
            "max_speed": None,
            "margin": 0.0,
        },
    ),
    Call(
        "least_distance",
        lambda: so.predict.least_distance,
        lambda: {
            "position": [1.0, 0, 0],
            "velocity": [0.0, 0, 0],
            "max_acceleration": 1.0,
            "duration": 1.0,
            "max_speed": None,
            "margin": 0.0,
        },
    ),
    Call("contact.Scene", lambda: so.contact.Scene, lambda: {"continuous": True, "pulls": False}),
    Call(
        "contact.Scene.add",
        lambda: scene().add,
        lambda: {
            "name": "b",
            "shape": BALL,
            "pose": HERE,
            "moving": True,
            "stiffness": 1e4,
            "damping": 0.0,
            "friction": 0.0,
            "coulomb": None,
            "levels": None,
        },
    ),
    Call("contact.Scene.remove", lambda: scene().remove, lambda: {"name": "a"}),
    Call("contact.Scene.body", lambda: scene().body, lambda: {"name": "a"}),
    Call(
        "contact.Scene.step",
        lambda: scene().step,
        lambda: {"poses": {"a": FAR}, "velocities": None, "dt": None},
    ),
    Call(
        "interference.compare",
        lambda: parting.compare,
        lambda: {
            "parts": PARTS,
            "method": "exact",
            "clearance": 0.0,
            "planes": 3,
            "outline": "hull",
            "resolution": None,
            "allowed": (),
            "progress": None,
        },
    ),
    Call(
        "interference.compare by octree",
        lambda: parting.compare,
        lambda: {"parts": PARTS, "method": "octree", "resolution": 0.1},
    ),
    Call(
        "interference.compare by projection",
        lambda: parting.compare,
        lambda: {"parts": PARTS, "method": "projection", "planes": 3, "outline": "hull"},
    ),
    Call("interference.find", lambda: parting.find, lambda: {"parts": PARTS}),
    Call("meets", lambda: parting.meets, lambda: {"a": tree(), "b": tree(), "first": False}),
    Call("meets_many", lambda: parting.meets_many, lambda: {"trees": [tree(), tree()]}),
    Call(
        "false_alarms",
        lambda: parting.false_alarms,
        lambda: {"parts": PARTS, "planes": [1, 2], "outline": "hull"},
    ),
    Call(
        "safe_interval",
        lambda: parting.safe_interval,
        lambda: {
            "speeds": (1.0, 1.0),
            "braking": (0.0, 0.0),
            "interval": 0.1,
            "reach": None,
            "gap": None,
            "directions": (None, None),
            "gap_along": None,
        },
    ),
    Call(
        "RegionTree.build",
        lambda: parting.RegionTree.build,
        lambda: {"shape": BALL, "pose": None, "root": ROOT, "levels": 3, "grow": 0.0},
    ),
    Call(
        "RegionTree.of_parts",
        lambda: parting.RegionTree.of_parts,
        lambda: {"parts": PARTS, "root": ROOT, "levels": 3},
    ),
    Call("RegionTree.contains", lambda: tree().contains, lambda: {"point": (0, 0, 0)}),
    Call("RegionTree.covers", lambda: tree().covers, lambda: {"points": [(0, 0, 0)]}),
    Call("RegionTree.union", lambda: tree().union, lambda: {"other": tree()}),
    Call("RegionTree.grown", lambda: tree().grown, lambda: {"distance": 0.1}),
    Call("RegionTree.coarser", lambda: tree().coarser, lambda: {"levels": 2}),
    Call(
        "RegionWatch",
        lambda: parting.RegionWatch,
        lambda: {
            "static": {"still": BALL},
            "root": ROOT,
            "resolution": 0.2,
            "interval": 0.1,
            "speeds": 0.1,
            "braking": 0.0,
        },
    ),
    Call("RegionWatch.check", lambda: region_watch().check, lambda: {"moving": {"a": (BALL, FAR)}}),
    Call(
        "ProjectionWatch",
        lambda: parting.ProjectionWatch,
        lambda: {
            "parts": PARTS,
            "moving": ["b"],
            "grown": 0.0,
            "planes": 3,
            "outline": "hull",
            "clearance": 0.0,
        },
    ),
    Call("ProjectionWatch.check", lambda: projection_watch().check, lambda: {"poses": {"b": FAR}}),
    Call("robots.model_path", lambda: so.robots.model_path, lambda: {"name": "panda"}),
    Call("open_source", lambda: so.open_source, lambda: {"text": "no.csv", "link": None}),
    Call("open_sink", lambda: so.open_sink, lambda: {"text": "terminal", "link": None}),
    Call(
        "Watch",
        lambda: so.Watch,
        lambda: {
            "cell": cell(),
            "sources": [Memory([])],
            "sinks": (),
            "options": None,
            "speed": 1.0,
            "history": None,
            "onlookers": (),
        },
    ),
    Call(
        "WatchEngine",
        lambda: so.streams.WatchEngine,
        lambda: {
            "cell": cell(),
            "options": None,
            "sources": ("s",),
            "sinks": (),
        },
    ),
    Call(
        "WatchOptions",
        lambda: so.streams.WatchOptions,
        lambda: {
            "buffer": 0.03,
            "self_collision": None,
            "period": 0.01,
            "max_age": None,
            "periods": {},
            "recover": 3,
            "max_speed": None,
            "between": None,
            "rest": False,
            "slip": 0.1,
            "stop": 0.005,
            "slow": None,
        },
    ),
]

#: Values that are right almost nowhere.
WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "text": lambda: "x",
    "bytes": lambda: b"x",
    "a number": lambda: 3.5,
    "minus one": lambda: -1,
    "nan": lambda: float("nan"),
    "complex": lambda: 1j,
    "true": lambda: True,
    "an object": lambda: Nothing(),
    "a class": lambda: Nothing,
    "a function": lambda: len,
    "an empty list": list,
    "a ragged list": lambda: [[1.0, 2.0], [3.0]],
    "a nested list": lambda: [[[1.0]]],
    "a list of text": lambda: ["x"],
    "a list of None": lambda: [None],
    "an empty dict": dict,
    "a dict": lambda: {"x": "y"},
    "a dict of numbers": lambda: {1: 2},
    "a set": lambda: {1},
    "a generator": lambda: iter(()),
    "an array": lambda: np.ones((2, 3, 4)),
    "an empty array": lambda: np.zeros((0, 0)),
    "an array of objects": lambda: np.array([None, "x"], dtype=object),
    "a cell": lambda: cell(),
    "a monitor": lambda: monitor(),
    "a checker": lambda: checker(),
    "a shape": lambda: BALL,
    "a verdict": lambda: checker().segment([-1.0], [0.0]),
}


#: Functions of somebody else: what goes wrong in them is theirs.
FUNCTIONS = {"progress", "cancelled"}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Where files may be written by any name."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_wrong_argument_is_an_error_of_standoff(call):
    failed = []
    for element, (what, wrong) in itertools.product(call.right(), WRONG.items()):
        if element in FUNCTIONS and callable(wrong()):
            continue
        try:
            call.of()(**{**call.right(), element: wrong()})
        except so.Error as error:
            if call.reports_faults:
                failed.append(f"{element} = {what}: raised {error}")
        except Exception as error:
            at = error.__traceback__
            while at.tb_next is not None:
                at = at.tb_next
            where = f"{at.tb_frame.f_code.co_filename}:{at.tb_lineno}"
            failed.append(f"{element} = {what}: {type(error).__name__}: {error} ({where})")
    assert not failed, "\n".join([str(len(failed)), *failed])


#: Calls whose arguments are right, but for a file that is not there.
NO_FILE = re.compile(r"load|read_problem|open_source")


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_the_right_arguments_are_right(call):
    """Otherwise the test above would look at one error alone."""
    if NO_FILE.search(call.name):
        with pytest.raises(so.Error, match=r"no\.|source"):
            call.of()(**call.right())
    else:
        call.of()(**call.right())
