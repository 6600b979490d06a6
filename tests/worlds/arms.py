"""Small arms whose joints are given one by one."""

from __future__ import annotations

import math

import numpy as np

from standoff.geometry.pose import pose
from standoff.robots.description import Joint, Link, Robot
from standoff.robots.tree import Mount, Tree


def unit(*axis):
    return np.array(axis, dtype=float)


def arm(*joints):
    """A robot of (kind, origin, axis, limits, mimic) in a row, mounted as ``a``."""
    made = {}
    for i, (kind, origin, axis, limits, mimic) in enumerate(joints):
        parent = f"l{i - 1}" if i else "base"
        made[f"j{i}"] = Joint(
            f"j{i}", kind, parent, f"l{i}", pose(origin), unit(*axis), *limits, math.inf, mimic
        )
    links = {n: Link(n) for n in ("base", *(f"l{i}" for i in range(len(joints))))}
    return Tree([Mount("a", Robot("arm", links, made, "base"))])


Z = (0.0, 0.0, 1.0)
FREE = (-math.inf, math.inf)


def planar(count):
    """The planar linkage of paper 001, section 3.3: unit links, all joints about z."""
    row = [("continuous", (float(i > 0), 0, 0), Z, FREE, None) for i in range(count)]
    return arm(*row)
