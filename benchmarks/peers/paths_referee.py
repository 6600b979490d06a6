"""Who is right about an edge: its smallest distance by dense samples, pair by pair.

For the few edges on which engines disagree; slow, and plain.
"""

from __future__ import annotations

import numpy as np

import standoff as so

SAMPLES = 2001
#: Finer samples about the nearest one: so many halvings of the step between two samples.
HALVINGS = 20


def nearest(cell: so.Cell, start: np.ndarray, end: np.ndarray) -> tuple[float, str, str, float]:
    """The smallest distance of the watched pairs, the pair, and where on the edge."""
    model, tree = cell.model, cell.tree
    times = np.linspace(0.0, 1.0, SAMPLES)
    frames = tree.forward_batch(start + times[:, None] * (end - start))
    index, frame = model.index, model.frame
    best = (np.inf, "", "", 0.0)
    parts = [
        [(shape, pose, ball(shape)) for shape, pose in model.parts[i]]
        for i in range(len(model.names))
    ]
    for a, b in cell.pairs.watched():
        i, j = index[a], index[b]
        for shape, pose, r in parts[i]:
            for other, there, s in parts[j]:
                at, stand = frames[:, frame[i]] @ pose, frames[:, frame[j]] @ there
                apart = np.linalg.norm(at[:, :3, 3] - stand[:, :3, 3], axis=1) - r - s
                for k in np.argsort(apart):
                    if apart[k] >= best[0]:
                        break
                    value = so.distance(shape, at[k], other, stand[k]).distance
                    if value < best[0]:
                        best = (value, a, b, float(times[k]))
    return closer(cell, start, end, *best)


def closer(
    cell: so.Cell, start: np.ndarray, end: np.ndarray, value: float, a: str, b: str, t: float
) -> tuple[float, str, str, float]:
    """The same pair, nearer to its nearest place."""
    step = 1.0 / (SAMPLES - 1)
    for _ in range(HALVINGS):
        for other in (max(0.0, t - step), min(1.0, t + step)):
            found = between(cell, start + other * (end - start), a, b)
            if found < value:
                value, t = found, other
        step *= 0.5
    return value, a, b, t


def between(cell: so.Cell, q: np.ndarray, a: str, b: str) -> float:
    model, frames = cell.model, cell.tree.forward(q)
    i, j = model.index[a], model.index[b]
    return min(
        so.distance(
            shape, frames[model.frame[i]] @ pose, other, frames[model.frame[j]] @ there
        ).distance
        for shape, pose in model.parts[i]
        for other, there in model.parts[j]
    )


def ball(shape: so.Shape) -> float:
    """The farthest point of a shape from its origin."""
    points, more = shape.core()
    return float(np.linalg.norm(points, axis=1).max()) + more
