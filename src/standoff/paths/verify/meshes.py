"""Proofs where one of the two is a mesh: no direction separates them, only a distance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import Array
from standoff.geometry.primitives import HalfSpace
from standoff.geometry.shape import Shape
from standoff.paths.verify.cell_model import Ints, NotProvedError
from standoff.paths.verify.cell_scene import Scene
from standoff.paths.verify.convex import check_claim
from standoff.paths.verify.kinematics import instants
from standoff.paths.verify.mesh_gap import Kind, box_gap, convex_gap, point_gap, solid, soup_gap
from standoff.paths.verify.rows import Rows, by_part, describe, room
from standoff.paths.verify.soup import joined
from standoff.paths.verify.triangles import cross, dot

#: A body with more points than this is led by a corner of its box.
_MANY = 64

#: Points times rows that are moved at once.
_CHUNK = 1 << 18


def check_meshes(rows: Rows) -> Array:
    """By how much each proof holds, [m]. A negative clearance counts as 0: how deep bodies are in
    each other has no meaning here."""
    claimed = rows.proofs["distance"]
    found = gaps(rows, claimed)
    # Of overlaps no depth is known; there the bound found decides alone.
    check_claim(rows, np.where(claimed > 0.0, claimed, -np.inf), found)
    limits = rows.scene.bound(rows.proofs, (rows.a, rows.b), centres=False)
    d = found - limits.blur - limits.position_error - np.maximum(0.0, rows.clearance())

    def holds(nearing: Array) -> Array:
        return room(d, nearing, limits, rows.span)

    # By the boxes of bodies with many points first: the points themselves are only asked about rows
    # that this leaves open, or that may be the tightest.
    nearing = _nearing(rows, boxes=True)
    rough = holds(nearing)
    if len(rough):
        worst = np.array([np.argmin(rough)])
        nearing[worst] = _nearing(rows.some(worst), boxes=False)
        left = np.flatnonzero(rough <= max(0.0, float(holds(nearing)[worst[0]])))
        nearing[left] = _nearing(rows.some(left), boxes=False)
    return holds(nearing)


def gaps(rows: Rows, wanted: Array) -> Array:
    """A lower bound of the distance of each row's parts, not more than ``wanted``; minus infinity
    where one is inside the other."""
    meshed = np.array([isinstance(part.shape, Mesh) for part in rows.scene.model.parts])
    first = np.where(meshed[rows.a], rows.a, rows.b)
    second = np.where(meshed[rows.a], rows.b, rows.a)
    if not meshed[first].all():
        k = int(np.argmin(meshed[first]))
        raise NotProvedError(f"{describe(rows, k)}: none of the two is a mesh")
    meshes, others = ([rows.scene.part(k).shape for k in x.tolist()] for x in (first, second))
    at, there = rows.poses(first), rows.poses(second)
    return body_gaps(rows.scene, meshes, others, at, there, wanted)


def check_ends(scene: Scene, watched: Ints) -> None:
    """Refuse a body inside an open mesh, or one around it, where a piece begins or the last one
    ends. It can get there without meeting a surface, which is all that a proof speaks of."""
    model, c = scene.model, scene.certificate
    opened = np.array(
        [isinstance(p.shape, Mesh) and p.shape.open_solid for p in model.parts], dtype=bool
    )
    a, b = np.divmod(watched, len(opened))
    first, second = np.where(opened[a], a, b), np.where(opened[a], b, a)
    first, second = first[opened[first]], second[opened[first]]
    if len(first) == 0:
        return
    meshes, others = ([scene.part(k).shape for k in x.tolist()] for x in (first, second))
    last = len(c.times) - 2
    piece, u = np.append(np.arange(last + 1), last), np.append(np.zeros(last + 1), 1.0)
    now = instants(model, c.coefficients[piece], c.glides[piece], u)
    for k in range(len(u)):
        own = np.full(len(first), k)
        at, there = (now.poses(own, scene.frames[x], model.locals[x]) for x in (first, second))
        found = body_gaps(scene, meshes, others, at, there, np.zeros(len(first)))
        inside = np.isneginf(found)
        if inside.any():
            i = int(np.argmax(inside))
            raise NotProvedError(
                f"{scene.part(int(first[i]))} and {scene.part(int(second[i]))}: one is inside the "
                f"other in piece {piece[k]} at u = {u[k]:g}"
            )


Poses = tuple[Array, Array]


def body_gaps(
    scene: Scene,
    meshes: Sequence[Shape],
    others: Sequence[Shape],
    at: Poses,
    there: Poses,
    wanted: Array,
) -> Array:
    """As `gaps`, for a mesh and another shape each, at their poses. All rows go through the trees
    together, those of one kind of shape at a time."""
    result = wanted.copy()
    of_kind, sizes = _kinds(others)
    hollow = [others[k] for k in of_kind.get(Mesh, ())]
    surfaces = {id(x): x for x in (*meshes, *hollow)}
    forest, roots = joined([scene.soup(shape) for shape in surfaces.values()])
    root = dict(zip(surfaces, roots.tolist()))
    start = np.array([root[id(shape)] for shape in meshes], dtype=np.int64)
    back, shift = _relative(at, there)
    turn, place = _relative(there, at)
    for kind, those in of_kind.items():
        which = np.array(those)
        own = start[which]
        if kind is Mesh:
            second = np.array([root[id(others[k])] for k in those], dtype=np.int64)
            result[which] = soup_gap(
                forest, forest, turn[which], place[which], wanted[which], (own, second)
            )
            way = place[which] + np.einsum("nij,nj->ni", turn[which], forest.centre[second])
            apart = box_gap(forest, forest, own, second, turn[which], way - forest.centre[own])
        else:
            poses = back[which], shift[which]
            result[which] = convex_gap(forest, kind, sizes[which], *poses, wanted[which], own)
            middle = shift[which] + np.einsum("nij,nj->ni", back[which], forest.centre[own])
            apart = point_gap(kind, sizes[which], middle) - forest.size[own]
        if kind is not HalfSpace:
            for k in which[apart <= 0.0].tolist():
                there_to_here = (back[k], shift[k])
                if _nested(scene, meshes[k], others[k], turn[k], place[k], there_to_here):
                    result[k] = -np.inf
    return result


def _kinds(shapes: Sequence[Shape]) -> tuple[dict[Kind, list[int]], Array]:
    """The places of the shapes of each kind, and the sizes of all; a polyhedron is a surface as a
    mesh is, and these have no size."""
    found: dict[Kind, list[int]] = {}
    sizes = np.zeros((len(shapes), 3))
    for k, shape in enumerate(shapes):
        kind: Kind = Mesh
        if not isinstance(shape, (Mesh, Polyhedron)):
            kind, sizes[k] = solid(shape)
        found.setdefault(kind, []).append(k)
    return found, sizes


def _nested(
    scene: Scene, mesh: Shape, other: Shape, turn: Array, place: Array, back: Poses
) -> bool:
    """Whether a mesh holds another body whose surface it does not meet, or is held by a hollow one.
    A connected part is inside with all its points or with none. ``turn`` and ``place`` are the pose
    of the other in the mesh, ``back`` is that of the mesh in the other."""
    soup = scene.soup(mesh)
    if not isinstance(other, (Mesh, Polyhedron)):
        return bool(soup.holds(place[None]).any())
    second = scene.soup(other)
    for outer, inner, (R, t) in ((soup, second, (turn, place)), (second, soup, back)):
        if outer.solid and outer.holds(inner.seeds @ R.T + t).any():
            return True
    return False


def _relative(inner: tuple[Array, Array], outer: tuple[Array, Array]) -> tuple[Array, Array]:
    """Poses of ``inner`` seen from ``outer``."""
    turn = np.swapaxes(outer[0], 1, 2)
    return turn @ inner[0], np.einsum("nij,nj->ni", turn, inner[1] - outer[1])


def _nearing(rows: Rows, *, boxes: bool) -> Array:
    """How fast the distance can shrink: the least ``max|v_a - w| + max|v_b - w|`` over a few
    velocities ``w``, which a common translation could have: 0, and those of a point of each body or
    of the middle of its box. With ``boxes`` that of a body with many points stands for it."""
    common = rows.common()
    sides = [(parts, rows.relative(parts, common)) for parts in (rows.a, rows.b)]
    tries = [np.zeros((len(rows.a), 3))]
    for parts, motion in sides:
        tries += _leads(rows, parts, motion)
    w = np.array(tries)
    total = sum(_top_speeds(rows, parts, motion, common, w, boxes) for parts, motion in sides)
    return np.asarray(np.min(total, axis=0))


Motion = tuple[Array, Array, Array]


def _leads(rows: Rows, parts: Ints, motion: Motion) -> list[Array]:
    """Velocities of two points of each part: the middle of its box, and its first point or, where
    there are many, the lowest corner of the box."""
    places = np.zeros((2, len(parts), 3))
    for number, which in by_part(parts):
        part = rows.scene.part(number)
        if part.shape.bounded:
            low, high = part.corners[[0, -1]]
            lead = part.core[0] if len(part.core) <= _MANY else low
            places[:, which] = np.stack([0.5 * (low + high), lead])[:, None]
    turn = rows.frames.turn[rows.at, rows.scene.frames[parts]]
    spin, speed, _ = motion
    return [speed + cross(spin, np.einsum("nij,nj->ni", turn, p)) for p in places]


def _top_speeds(
    rows: Rows, parts: Ints, motion: Motion, common: Ints, w: Array, boxes: bool
) -> Array:
    """(tries, n): the largest ``|v - w|`` over the points of each part, for each try of ``w``
    (tries, n, 3); ``|w|`` where it rests."""
    spin, speed, _ = motion
    frames = rows.scene.frames[parts]
    turn = rows.frames.turn[rows.at, frames]
    along = np.einsum("ni,nij->nj", spin, turn)  # along the frame's axes, as its points are
    shift = np.einsum("kni,nij->knj", speed - w, turn)
    result: Array = np.sqrt(dot(w, w))
    for number, which in by_part(parts):
        which = which[frames[which] != common[which]]
        part = rows.scene.part(number)
        points = part.corners if boxes and len(part.core) > _MANY else part.core
        step = max(1, _CHUNK // max(1, len(points)))
        for first in range(0, len(which), step):
            some = which[first : first + step]
            v = cross(along[some, None], points[None])
            for k in range(len(w)):
                moved = v + shift[k, some, None]
                result[k, some] = np.sqrt(dot(moved, moved).max(axis=1))
    return result
