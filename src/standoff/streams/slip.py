"""Did a body stay in its hand?"""

from __future__ import annotations

from itertools import product

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape


def apart(shape: Shape, a: Array, b: Array) -> float:
    """How far a corner of the box around a shape is from itself at two poses, at most, [m]."""
    low, high = shape.bounds()
    corners = np.array([[x, y, z, 1.0] for x, y, z in product(*zip(low, high))])
    return float(np.linalg.norm(corners @ (a - b).T, axis=1).max())
