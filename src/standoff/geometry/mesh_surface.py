"""Mending a surface: equal vertices merged, closedness decided, faces turned outward."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from standoff.geometry.kernels.face_sides import agree_on_sides
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray

#: How far apart two vertices of an open mesh may be and still become one, as a part of the diagonal
#: of its bounds, [-]: what a program that wrote the file lost to rounding. No vertex moves by more
#: than this, 60 times less than a single-precision number of that size is rounded by.
WELD_TOLERANCE = 1e-9

#: Most pairs of vertex and triangle looked at to tell whether an inward part of a mesh is a cavity,
#: [-]; a few seconds' worth.
MAX_CAVITY_TESTS = 50_000_000


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


def one_sided(faces: IntArray) -> tuple[IntArray, int]:
    """The first of each two triangles that are the reverse of each other, where all are such pairs,
    and how many went. Cracks would leave each pair a closed part of its own, with nothing inside; a
    pair alone is one."""
    corners = np.sort(faces, axis=1)
    _, first, number = np.unique(corners, axis=0, return_index=True, return_inverse=True)
    if len(first) == 1 or np.bincount(number.reshape(-1), weights=_ways(faces)).any():
        return faces, 0
    return np.ascontiguousarray(faces[np.sort(first)]), len(faces) - len(first)


def welded(points: Array, faces: IntArray) -> tuple[Array, IntArray, int]:
    """The vertices of an open mesh with those within `WELD_TOLERANCE` of each other made one, the
    first of them; the faces in their terms, and how many went. A mesh with a whole winding number
    everywhere stays as it is, unless more of its triangles coincide then: a part that is within
    rounding of another one and faces the other way is its second side, and no cavity."""
    reach = WELD_TOLERANCE * float(np.linalg.norm(np.ptp(points, axis=0)))
    group = np.zeros(len(points), dtype=np.int64)
    count = 0
    # Split groups wherever there is a gap along an axis, until no axis splits one any more.
    while len(np.unique(group)) > count:
        count = len(np.unique(group))
        for axis in range(3):
            order = np.lexsort((points[:, axis], group))
            apart = np.diff(points[order, axis]) > reach
            group[order[1:]] = np.cumsum(apart | (np.diff(group[order]) > 0))
            group[order[0]] = 0
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(group[order]) > 0])
    first = order[starts][group]
    far = np.linalg.norm(points - points[first], axis=1) > reach  # in a chain of near ones
    first = np.where(np.isin(group, group[far]), np.arange(len(points)), first)
    fewer, corners, _ = merged(points[first], faces)
    gone = len(points) - len(fewer)
    whole = not _open_because(faces, len(points)) or _balanced(faces, len(points))
    if gone and whole and _repeats(corners) == _repeats(faces):
        return points, faces, 0
    return fewer, corners, gone


def _repeats(faces: IntArray) -> int:
    """How many triangles have the three corners of one before them, whichever way round."""
    corners = np.sort(faces, axis=1)
    corners = corners[(np.diff(corners, axis=1) > 0).all(axis=1)]
    return len(corners) - len(np.unique(corners, axis=0))


def oriented(points: Array, faces: IntArray, unused: int) -> tuple[IntArray, bool, tuple[str, ...]]:
    """The faces, turned outward where the mesh is closed, and to agree with their neighbours where
    it is open; whether it is closed; what was odd."""
    problems = []
    if unused:
        problems.append(f"{unused} vertices belong to no triangle and were left out")
    a, b, c = (points[faces[:, k]] for k in range(3))
    flat = int(np.count_nonzero((np.cross(b - a, c - a) == 0.0).all(axis=1)))
    if flat:
        problems.append(f"{flat} triangles have no area and count as segments or points")
    kept = _without_repeats(points, faces)
    if len(kept) < len(faces):
        problems.append(f"{len(faces) - len(kept)} repeated triangles were left out")
        faces = kept
    balanced = _balanced(faces, len(points))
    reasons = _open_because(faces, len(points))
    label, firsts = parts(points, faces)
    mended = np.zeros(len(firsts), dtype=bool)
    if not balanced:
        part, side, refused = _sides(faces, len(points))
        if reasons and (refused or not side.any()):
            return faces, False, (*problems, *reasons)
        if refused:
            reason = "neighbouring triangles cannot agree about the outside, as on a Moebius strip"
            return faces, False, (*problems, f"{reason}: not closed")
        faces = _turned(faces, side == 1)
        roots, label = np.unique(part, return_inverse=True)
        label = label.reshape(-1).astype(np.int64)
        firsts = faces[roots, 0]
        sizes, odd = np.bincount(label), np.bincount(label, weights=side).astype(np.int64)
        mended = (odd > 0) & (odd < sizes)
        count = int(np.minimum(odd, sizes - odd).sum())
        problems.append(f"{count} triangles disagreed with their neighbours and were turned")
        if reasons:
            inward = mended & (_volumes(points, faces, label, firsts) < 0.0)
            return _turned(faces, inward[label]), False, (*problems, *reasons)
    faces, turned = _outward(points, faces, label, firsts, mended)
    if turned:
        problems.append(f"{turned} of {len(firsts)} closed parts were inside out and were turned")
    return np.ascontiguousarray(faces), True, tuple(problems)


def _outward(
    points: Array, faces: IntArray, label: IntArray, firsts: IntArray, mended: NDArray[np.bool_]
) -> tuple[IntArray, int]:
    """The faces of closed parts turned outward, cavities excepted, and how many parts were turned.

    A part that was mended says nothing about being a cavity any more. It is turned outward
    whatever encloses it, and not counted."""
    volumes = _volumes(points, faces, label, firsts)
    turn = mended & (volumes < 0.0)
    volumes[turn] *= -1.0
    if volumes.sum() < 0.0:
        turn |= ~mended
        volumes[~mended] *= -1.0
    once = _turned(faces, turn[label])
    for k in np.flatnonzero(volumes < 0.0):
        # an inward part is a cavity if something encloses all of it, and a mistake otherwise
        if not _enclosed(points, once[label == k], once[label != k]):
            turn[k] = not turn[k]
    return _turned(faces, turn[label]), int(np.count_nonzero(turn & ~mended))


def _enclosed(points: Array, part: IntArray, others: IntArray) -> bool:
    """Whether every vertex of a part is inside the others. Where that would take too long to
    tell, it is not: a solid where a cavity was is a false alarm, the reverse a miss."""
    vertices = np.unique(part)
    if len(others) == 0 or len(vertices) * len(others) > MAX_CAVITY_TESTS:
        return False
    return all(abs(_winding(points[v], points, others)) > 0.5 for v in vertices)


def _turned(faces: IntArray, which: NDArray[np.bool_]) -> IntArray:
    return np.where(which[:, None], faces[:, ::-1], faces)


def _without_repeats(points: Array, faces: IntArray) -> IntArray:
    """The faces without those that have the same corners as one before them, in any order, where
    every edge is used twice then, or where that loses no inside: a mesh that is open anyway, or one
    with every triangle both ways round. Otherwise all. The points of the surface stay the same.

    Only parts with an edge used more often are thinned: a triangle and its reverse, with nothing
    between, are closed as they are."""
    edge, face = _edges(faces, len(points))[0], _edge_faces(faces)
    order = np.argsort(edge, kind="stable")
    _, first, uses = np.unique(edge[order], return_index=True, return_counts=True)
    if not (uses > 2).any():
        return faces
    label = parts(points, faces)[0]
    crowded = np.zeros(len(faces), dtype=bool)
    crowded[label[face[order[first[uses > 2]]]]] = True  # by the number of the part
    corners = np.sort(faces, axis=1)
    order = np.lexsort(corners.T)  # stable: the first of equal ones is the first that was given
    repeated = np.zeros(len(faces), dtype=bool)
    repeated[order[1:]] = (corners[order[1:]] == corners[order[:-1]]).all(axis=1)
    kept = np.ascontiguousarray(faces[~(repeated & crowded[label])])
    if not _open_because(kept, len(points)) or not _balanced(faces, len(points)):
        return kept
    number = np.unique(corners, axis=0, return_inverse=True)[1].reshape(-1)
    return faces if np.bincount(number, weights=_ways(faces)).any() else kept


def _ways(faces: IntArray) -> IntArray:
    """Which way round each triangle is, from its least corner on: 1 or -1, 0 without area."""
    return np.asarray(np.sign(np.prod(faces - np.roll(faces, 1, axis=1), axis=1)))


def _sides(faces: IntArray, count: int) -> tuple[IntArray, IntArray, int]:
    """The part of each face that is connected by edges used twice, by its least face, whether it
    has to be turned to agree with that one, and how many edges cannot agree."""
    edge, forward = _edges(faces, count)
    order = np.argsort(edge, kind="stable")
    _, first, uses = np.unique(edge[order], return_index=True, return_counts=True)
    one, two = order[first[uses == 2]], order[first[uses == 2] + 1]
    face = _edge_faces(faces)
    same = (forward[one] == forward[two]).astype(np.int64)  # the same way along: one is wrong
    pairs = np.stack([face[one], face[two], same], axis=1)
    part, side = np.empty(len(faces), dtype=np.int64), np.empty(len(faces), dtype=np.int64)
    return part, side, int(agree_on_sides(np.ascontiguousarray(pairs), part, side))


def parts(points: Array, faces: IntArray) -> tuple[IntArray, IntArray]:
    """The number of the connected part that each face belongs to, and one vertex of each part."""
    firsts, number = np.unique(_connected(points, faces)[faces[:, 0]], return_inverse=True)
    return number.reshape(-1).astype(np.int64), firsts


def by_part(points: Array, faces: IntArray) -> tuple[Array, IntArray]:
    """The same surface with the vertices and faces of each connected part next to one another, in
    one order: kernels tell by a vertex where the next part begins."""
    label = _connected(points, faces)
    order = np.argsort(label, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    rows = np.argsort(label[faces[:, 0]], kind="stable")
    return np.ascontiguousarray(points[order]), np.ascontiguousarray(number[faces[rows]])


def _connected(points: Array, faces: IntArray) -> IntArray:
    """The least vertex that each vertex is connected to by faces."""
    pairs = np.insert(faces[:, [0, 1, 0, 2]].reshape(-1, 2), 2, 0, axis=1)
    label = np.empty(len(points), dtype=np.int64)
    agree_on_sides(pairs, label, np.empty_like(label))
    return label


def _open_because(faces: IntArray, count: int) -> list[str]:
    """Why an edge is not used just twice; nothing where all are."""
    edges, uses = np.unique(_edges(faces, count)[0], return_counts=True)
    reasons = []
    once, more = int(np.count_nonzero(uses == 1)), int(np.count_nonzero(uses > 2))
    if len(edges) == 0:
        reasons.append("no triangle has an edge: not closed")
    if once:
        reasons.append(f"{once} edges belong to one triangle only: not closed")
    if more:
        reasons.append(f"{more} edges belong to more than two triangles: not closed")
    return reasons


def _balanced(faces: IntArray, count: int) -> bool:
    """Whether every edge is used as often one way as the other, as by solids that touch along it:
    then each point off the surface has a whole winding number."""
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    edge, way = _edges(faces, count)[0], np.sign(end - start)[start != end]
    if len(edge) == 0:
        return False
    _, number = np.unique(edge, return_inverse=True)
    return not np.bincount(number.reshape(-1), weights=way).any()


def _edges(faces: IntArray, count: int) -> tuple[IntArray, IntArray]:
    """A number for each use of an edge, whichever way, and one that tells the ways apart. A corner
    used twice makes an edge of no length, which is left out."""
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    real = start != end
    start, end = start[real], end[real]
    return np.minimum(start, end) * count + np.maximum(start, end), start * count + end


def _edge_faces(faces: IntArray) -> IntArray:
    """The face of each use of an edge, in the order of `_edges`."""
    return np.flatnonzero(faces != np.roll(faces, -1, axis=1)) // 3


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
