"""Joints and bodies that follow what a hand asks for, no faster than such things move."""

from __future__ import annotations

import math
import threading

import numpy as np

from standoff.cell.cell import Cell
from standoff.geometry.pose import Array
from standoff.robots.inverse_kinematics import REACH_ANGLE, reach
from standoff.view.live.motion import no_faster
from standoff.view.live.poses import towards

#: The fastest that a hand drives joints: [rad/s] and [m/s].
_JOINT, _SLIDE = 1.5, 0.4

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
        """A link is to go there, by the joints of its robot. Once these are to be there, or get no
        nearer, it is done with: who holds on and asks for another pose is followed again."""
        with self._lock:
            self._reach[link] = pose

    def ask_body(self, body: int, pose: Array) -> None:
        """A moving body is to go there, by its number in ``cell.body``."""
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
        for link, pose in wanted.items():
            self._solve(link, pose)
        with self._lock:
            goal = self.goal.copy()
        most = self._speed * dt
        step = np.clip(goal - self.q, -most, most)
        moved = bool(np.any(step))
        self.q = self.q + step
        for k, pose in bodies.items():
            if not np.array_equal(self.poses[k], pose):
                self.poses[k] = towards(self.poses[k], pose, dt)
                moved = True
        return moved

    def _solve(self, link: str, pose: Array) -> None:
        """A few steps of inverse kinematics, during which others may ask for what they like."""
        tree = self.cell.tree
        robot = f"{link.partition('/')[0]}/"
        own = np.array([name.startswith(robot) for name in tree.joints])
        with self._lock:
            begun = self.goal.copy()
        joints = [name for name in tree.joints if name.startswith(robot)]
        found = reach(tree, begun, link, pose, joints=joints, steps=_STEPS)
        still = float(np.abs(found.q - begun).max(initial=0.0)) <= REACH_ANGLE
        with self._lock:
            # What was asked for meanwhile is newer: of this robot it took the link out of what is
            # to be reached, and joints of other robots are none of a link's business.
            if link not in self._reach:
                return
            self.goal = np.where(own, found.q, self.goal)
            if still and self._reach[link] is pose:
                del self._reach[link]
