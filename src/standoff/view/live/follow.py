"""Joints and bodies that follow what a hand asks for, no faster than such things move."""

from __future__ import annotations

import math
import threading

import numpy as np

from standoff.cell import Cell
from standoff.robots.reaching import reach
from standoff.shapes.pose import Array, rigid
from standoff.view.live.motion import no_faster

#: The fastest that a hand drives: joints [rad/s] or [m/s], bodies [m/s] and [rad/s].
_JOINT, _SLIDE, _BODY, _TURN = 1.5, 0.4, 1.5, 3.0

#: Steps of inverse kinematics between two readings: it goes on from there at the next.
_STEPS = 12


class Follower:
    """Where the joints and moving bodies are, and where they are to be.

    What is asked for may come from any thread; `advance` is called by one.

    Attributes:
        q, poses: now.
        goal: of the joints.
    """

    def __init__(self, cell: Cell, q: Array, poses: Array) -> None:
        self.cell = cell
        self.q, self.poses = q.copy(), poses.copy()
        self.goal = q.copy()
        self._lock = threading.Lock()
        self._reach: dict[str, Array] = {}
        self._bodies: dict[int, Array] = {}
        tree = cell.tree
        usual = np.array([_SLIDE if unit == "m" else _JOINT for unit in tree.units])
        self._speed = no_faster(usual, tree.velocity)

    def ask_joint(self, joint: int, value: float) -> None:
        """A joint is to go there; whatever else asked for this robot is forgotten."""
        if not math.isfinite(value):
            return
        with self._lock:
            robot = self.cell.joints[joint].partition("/")[0]
            for link in [x for x in self._reach if x.partition("/")[0] == robot]:
                del self._reach[link]
            self.goal[joint] = value

    def ask_link(self, link: str, pose: Array) -> None:
        """A link is to go there, by the joints of its robot."""
        with self._lock:
            self._reach[link] = pose

    def ask_body(self, body: int, pose: Array) -> None:
        """A moving body is to go there, by its number in ``cell.moving``."""
        with self._lock:
            self._bodies[body] = pose

    def ask_all(self, q: Array) -> None:
        """All joints are to go there."""
        with self._lock:
            self._reach.clear()
            self.goal = q.copy()

    def jump(self, q: Array) -> None:
        """Be there at once."""
        self.ask_all(q)
        self.q = q.copy()

    def advance(self, dt: float) -> bool:
        """Go on for ``dt`` [s]; whether anything moved."""
        with self._lock:
            wanted, bodies = dict(self._reach), dict(self._bodies)
            goal = self.goal.copy()
        tree = self.cell.tree
        for link, pose in wanted.items():
            robot = f"{link.partition('/')[0]}/"
            joints = [name for name in tree.joints if name.startswith(robot)]
            goal = reach(tree, goal, link, pose, joints=joints, steps=_STEPS).q
        with self._lock:
            if wanted.keys() == self._reach.keys():
                self.goal = goal
        most = self._speed * dt
        step = np.clip(goal - self.q, -most, most)
        moved = bool(np.any(step))
        self.q = self.q + step
        for k, pose in bodies.items():
            if not np.array_equal(self.poses[k], pose):
                self.poses[k] = _towards(self.poses[k], pose, _BODY * dt, _TURN * dt)
                moved = True
        return moved


def _towards(here: Array, there: Array, way: float, turn: float) -> Array:
    """From one pose to another, no farther than ``way`` [m] and ``turn`` [rad]."""
    step = there[:3, 3] - here[:3, 3]
    far = float(np.linalg.norm(step))
    R = there[:3, :3] @ here[:3, :3].T
    cosine = max(-1.0, min(1.0, 0.5 * (float(np.trace(R)) - 1.0)))
    angle = math.acos(cosine)
    if far <= way and angle <= turn:
        return there.copy()
    result = here.copy()
    result[:3, 3] += step * min(1.0, way / far) if far > 0.0 else 0.0
    # A share of a turn: the rotations between, made rigid again. Half a turn has no shortest way,
    # and any will do.
    share = min(1.0, turn / angle) if angle > 0.0 else 1.0
    mixed = np.eye(4)
    blend = (1.0 - share) * here[:3, :3] + share * there[:3, :3]
    u, _, v = np.linalg.svd(blend)
    mixed[:3, :3] = u @ np.diag([1.0, 1.0, float(np.linalg.det(u @ v))]) @ v
    result[:3, :3] = rigid(mixed)[:3, :3]
    return result
