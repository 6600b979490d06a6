"""The joints between two bodies, cut out of the tree of all."""

from __future__ import annotations

import numpy as np

from standoff.constants import ENCODER_TOLERANCE, PATH_ROUNDING
from standoff.kernels import kinematics
from standoff.robots.tree import Tree
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray


class CutTree:
    """The frames between the last frame that carries two others and these two, numbered anew.

    Attributes:
        number: the number here of each frame of the tree that is kept; the root's is 0.
        joints: the entries of ``q`` that move them, in order; INDEX counts these.
        reals, ints: the tables of `kernels.kinematics`; the root is where everything is seen from.
            What joints travel is longer by ENCODER_TOLERANCE at both ends.
    """

    def __init__(self, tree: Tree, ends: tuple[int, int]) -> None:
        self._tree = tree
        root, kept = tree.common(*ends), set()
        for frame in ends:
            while frame != root:
                kept.add(frame)
                frame = int(tree.parent[frame])
        self._frames = sorted(kept)
        self.number = {root: 0, **{f: k for k, f in enumerate(self._frames, start=1)}}
        index = tree.ints[:, kinematics.INDEX]
        self.joints = tuple(sorted({int(index[f]) for f in self._frames}))
        place = {i: k for k, i in enumerate(self.joints)}
        self.reals: Array = tree.reals[[root, *self._frames]].copy()
        self.reals[0] = 0.0
        self.reals[0, [0, 5, 10]] = 1.0
        beyond = ENCODER_TOLERANCE * np.abs(self.reals[:, kinematics.MULTIPLIER])
        self.reals[:, kinematics.LOWEST] -= beyond
        self.reals[:, kinematics.HIGHEST] += beyond
        self.ints: IntArray = np.zeros((len(self.reals), 4), dtype=np.int64)
        for k, f in enumerate(self._frames, start=1):
            parent = self.number[int(tree.parent[f])]
            kind = int(tree.ints[f, kinematics.JOINT_KIND])
            depth = self.ints[parent, kinematics.DEPTH] + 1
            self.ints[k] = parent, kind, place[int(index[f])], depth

    def following(self, index: int) -> list[int]:
        """The frames, as the tree numbers them, whose joints follow an entry of ``q``."""
        return [f for f in self._frames if self._tree.ints[f, kinematics.INDEX] == index]

    def chain(self, frame: int) -> list[list[int]]:
        """The joints from the root to a frame, outwards: frame and kind of each."""
        found = []
        while frame:
            found.append([frame, int(self.ints[frame, kinematics.JOINT_KIND])])
            frame = int(self.ints[frame, kinematics.PARENT])
        return found[::-1]

    def margin(self, chain: list[list[int]], reach: Array, limits: Array, extent: float) -> float:
        """What PATH_ROUNDING says that rounding can hide of a part that gets no farther than
        ``extent`` from its frame's origin, with the lengths of the whole ranges (2, joints): its
        coordinates, reach times angle and reach times turn of each joint, its coordinates times the
        whole turn. No box has more."""
        hidden, turning = 0.0, 0.0
        for (f, kind), R in zip(chain, reach):
            row, (low, high) = self.reals[f], limits[:, self.ints[f, kinematics.INDEX]].tolist()
            times = abs(float(row[kinematics.MULTIPLIER]))
            turn = 0.5 * times * (high - low)
            size = times * max(abs(low), abs(high)) + abs(float(row[kinematics.OFFSET]))
            hidden += float(R) * (turn + size)
            extent += float(np.abs(row[[3, 7, 11]]).sum())
            if kind == kinematics.REVOLUTE:
                turning += turn
            else:
                extent += size
        return PATH_ROUNDING * (hidden + (1.0 + turning) * extent)
