"""Mending a surface: equal vertices merged, closedness decided, faces turned outward."""

from __future__ import annotations

import numpy as np

from standoff.kernels.rss_tree import connected_parts
from standoff.shapes.pose import Array
from standoff.shapes.shape import IntArray


def merged(points: Array, faces: IntArray) -> tuple[Array, IntArray, int]:
    """Vertices without repetition and without those that no face uses, the faces in their terms,
    and how many vertices went unused. Their order stays."""
    points = points + 0.0  # -0.0 and 0.0 are one number with two patterns of bits
    order = np.lexsort(points.T)
    fresh = np.ones(len(points), dtype=bool)
    fresh[1:] = (points[order[1:]] != points[order[:-1]]).any(axis=1)
    group = np.cumsum(fresh) - 1
    # lexsort is stable, so the first of a group is the first that was given
    same = np.empty(len(points), dtype=np.int64)
    same[order] = order[fresh][group]
    faces = same[faces]
    used = np.zeros(len(points), dtype=bool)
    used[faces] = True
    unused = int(np.count_nonzero(~used & (same == np.arange(len(points)))))
    number = np.cumsum(used) - 1
    return np.ascontiguousarray(points[used]), np.ascontiguousarray(number[faces]), unused


def oriented(points: Array, faces: IntArray, unused: int) -> tuple[IntArray, bool, tuple[str, ...]]:
    """The faces, turned outward where the mesh is closed; whether it is; what was odd."""
    problems = []
    if unused:
        problems.append(f"{unused} vertices belong to no triangle and were left out")
    flat = int(np.count_nonzero(_cross(points, faces).max(axis=1) == 0.0))
    if flat:
        problems.append(f"{flat} triangles have no area and count as segments or points")
    reasons = _open_because(faces, len(points))
    if reasons:
        return faces, False, (*problems, *reasons)
    label, firsts = parts(points, faces)
    volumes = _volumes(points, faces, label, firsts)
    turn = np.zeros(len(firsts), dtype=bool)
    if volumes.sum() < 0.0:
        turn[:] = True
        volumes = -volumes
    for k in np.flatnonzero(volumes < 0.0):
        # an inward part is a cavity if something encloses it, and a mistake if nothing does
        others = faces[label != k]
        enclosed = len(others) > 0 and abs(_winding(points[firsts[k]], points, others)) > 0.5
        if not enclosed:
            turn[k] = not turn[k]
    if turn.any():
        faces = np.where(turn[label][:, None], faces[:, ::-1], faces)
        count = int(np.count_nonzero(turn))
        problems.append(f"{count} of {len(firsts)} closed parts were inside out and were turned")
    return np.ascontiguousarray(faces), True, tuple(problems)


def parts(points: Array, faces: IntArray) -> tuple[IntArray, IntArray]:
    """The number of the connected part that each face belongs to, and one vertex of each part."""
    label = np.empty(len(points), dtype=np.int64)
    connected_parts(faces, label)
    firsts, number = np.unique(label[faces[:, 0]], return_inverse=True)
    return number.reshape(-1).astype(np.int64), firsts


def _open_because(faces: IntArray, count: int) -> list[str]:
    """Why the mesh is no solid; nothing where each edge is used once in each direction."""
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    real = start != end  # a corner used twice makes an edge of no length
    forward = start[real] * count + end[real]
    backward = end[real] * count + start[real]
    edges, uses = np.unique(np.minimum(forward, backward), return_counts=True)
    reasons = []
    once, more = int(np.count_nonzero(uses == 1)), int(np.count_nonzero(uses > 2))
    if len(edges) == 0:
        reasons.append("no triangle has an edge: not a solid")
    if once:
        reasons.append(f"{once} edges belong to one triangle only: a surface, not a solid")
    if more:
        reasons.append(f"{more} edges belong to more than two triangles: not a solid")
    if not reasons and len(np.unique(forward)) != len(forward):
        reasons.append("neighbouring triangles disagree about the outside: not a solid")
    return reasons


def _cross(points: Array, faces: IntArray) -> Array:
    a, b, c = (points[faces[:, k]] for k in range(3))
    return np.abs(np.cross(b - a, c - a))


def _volumes(points: Array, faces: IntArray, label: IntArray, firsts: IntArray) -> Array:
    """Signed volume of each part, taken about one of its own vertices."""
    a, b, c = (points[faces[:, k]] - points[firsts[label]] for k in range(3))
    volumes = np.zeros(len(firsts))
    np.add.at(volumes, label, np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0)
    return volumes


def _winding(x: Array, points: Array, faces: IntArray) -> float:
    a, b, c = (points[faces[:, k]] - x for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", u, v) for u, v in ((a, b), (b, c), (c, a)))
    triple = np.einsum("ij,ij->i", a, np.cross(b, c))
    angle = np.arctan2(triple, la * lb * lc + ab * lc + bc * la + ca * lb)
    return float(angle.sum() / (2.0 * np.pi))
