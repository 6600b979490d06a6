"""Coal's lower bounds for Table 1 of paper 001, where Coal is installed: it has one at hand after
each collision test that finds none.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

import numpy as np

from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray, Shape


class CoalBounds:
    """Meshes as Coal has them, in trees of oriented boxes (its quickest collision test)."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        import coal

        self._coal = coal
        self._models = [_model(coal, shape) for shape in shapes]
        self._request = coal.CollisionRequest()
        self._request.enable_contact = False
        self._result = coal.CollisionResult()

    def __call__(self, rows: Array, pairs: IntArray) -> Array:
        """Of each two primitives ``pairs[p]`` at the poses in ``rows``; 0 where they meet."""
        coal, result = self._coal, self._result
        used = np.unique(pairs).tolist()
        poses = rows[:, :12].reshape(-1, 3, 4)
        at = {
            k: coal.Transform3s(np.array(poses[k, :, :3]), np.array(poses[k, :, 3])) for k in used
        }
        found = np.zeros(len(pairs))
        for p, (i, j) in enumerate(pairs.tolist()):
            result.clear()
            models = self._models
            hit = coal.collide(models[i], at[i], models[j], at[j], self._request, result)
            found[p] = 0.0 if hit else result.distance_lower_bound
        return found


def have_coal() -> bool:
    """Whether Coal can be asked."""
    return importlib.util.find_spec("coal") is not None


def _model(coal: Any, shape: Shape) -> Any:
    points, faces = shape.geometry.points, shape.geometry.faces
    model = coal.BVHModelOBB()
    model.beginModel(len(faces), len(points))
    model.addVertices(np.array(points))
    for a, b, c in faces:
        model.addTriangle(points[a], points[b], points[c])
    model.endModel()
    return model
