"""Proofs where one of the two is a mesh: no direction separates them, only a distance."""

from __future__ import annotations

import numpy as np

from standoff.paths.verify.convex import check_claim
from standoff.paths.verify.mesh_gap import convex_gap, soup_gap
from standoff.paths.verify.model import Bools, Ints
from standoff.paths.verify.not_proved import NotProvedError
from standoff.paths.verify.rows import Rows, room
from standoff.paths.verify.scene import Scene
from standoff.paths.verify.soup import Soup
from standoff.paths.verify.words import describe
from standoff.shapes.mesh import Mesh
from standoff.shapes.polyhedron import Polyhedron
from standoff.shapes.pose import Array
from standoff.shapes.primitives import Box, HalfSpace
from standoff.shapes.shape import Shape

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
    d = found - limits.blur - limits.stray - np.maximum(0.0, rows.clearance())
    return room(d, _nearing(rows), limits, rows.span)


def gaps(rows: Rows, wanted: Array) -> Array:
    """A lower bound of the distance of each row's parts, not more than ``wanted``; minus infinity
    where one is inside the other."""
    result = wanted.copy()
    keys = rows.a * len(rows.scene.model.parts) + rows.b
    for key in np.unique(keys):
        which = np.flatnonzero(keys == key)
        a, b = int(rows.a[which[0]]), int(rows.b[which[0]])
        shape_a, shape_b = rows.scene.part(a).shape, rows.scene.part(b).shape
        if not isinstance(shape_a, Mesh):
            a, b, shape_a, shape_b = b, a, shape_b, shape_a
        if not isinstance(shape_a, Mesh):
            raise NotProvedError(f"{describe(rows, int(which[0]))}: none of the two is a mesh")
        turn_a, place_a = rows.placed(a, which)
        turn_b, place_b = rows.placed(b, which)
        result[which] = pair_gap(
            rows.scene, shape_a, shape_b, (turn_a, place_a), (turn_b, place_b), wanted[which]
        )
    return result


def pair_gap(
    scene: Scene,
    mesh: Mesh,
    other: Shape,
    at: tuple[Array, Array],
    there: tuple[Array, Array],
    wanted: Array,
) -> Array:
    """As `gaps`, for one mesh and one other shape at many poses."""
    soup = scene.soup(mesh)
    if isinstance(other, (Mesh, Box, Polyhedron)):
        second = scene.soup(other)
        turn, place = _relative(there, at)
        back, shift = _relative(at, there)
        if isinstance(other, Box):
            found = convex_gap(soup, other, back, shift, wanted)
        else:
            found = soup_gap(soup, second, turn, place, wanted)
        inside = _holds(soup, second.seeds, turn, place) | _holds(second, soup.seeds, back, shift)
    else:
        back, shift = _relative(at, there)
        found = convex_gap(soup, other, back, shift, wanted)
        inside = np.zeros(len(wanted), dtype=bool)
        if not isinstance(other, HalfSpace):
            turn, place = _relative(there, at)
            inside = _holds(soup, np.zeros((1, 3)), turn, place)
    return np.where(inside, -np.inf, found)


def _relative(inner: tuple[Array, Array], outer: tuple[Array, Array]) -> tuple[Array, Array]:
    """Poses of ``inner`` seen from ``outer``."""
    turn = np.swapaxes(outer[0], 1, 2)
    return turn @ inner[0], np.einsum("nij,nj->ni", turn, inner[1] - outer[1])


def _holds(soup: Soup, points: Array, turn: Array, place: Array) -> Bools:
    """Whether the solid holds any of the points, at each pose of theirs in it. While surfaces keep
    apart, a connected part is inside with all its points or with none."""
    result = np.zeros(len(turn), dtype=bool)
    for p in points:
        result |= soup.holds(turn @ p + place)
    return result


def _nearing(rows: Rows) -> Array:
    """How fast the distance can shrink: the least ``max|v_a - w| + max|v_b - w|`` over a few
    velocities ``w``, which a common translation could have: 0, and those of a point of each body or
    of the middle of its box."""
    common = rows.common()
    motions = [rows.relative(parts, common) for parts in (rows.a, rows.b)]
    best = np.full(len(rows.a), np.inf)
    tries = [np.zeros((len(rows.a), 3))]
    for parts, motion in zip((rows.a, rows.b), motions, strict=True):
        tries += _leads(rows, parts, motion)
    for w in tries:
        total = np.zeros(len(rows.a))
        for parts, motion in zip((rows.a, rows.b), motions, strict=True):
            total += _top_speed(rows, parts, motion, common, w)
        best = np.minimum(best, total)
    return best


Motion = tuple[Array, Array, Array]


def _leads(rows: Rows, parts: Ints, motion: Motion) -> list[Array]:
    """Velocities of two points of each part: the middle of its box, and its first point or, where
    there are many, the lowest corner of the box."""
    places = np.zeros((2, len(parts), 3))
    for number in np.unique(parts).tolist():
        part = rows.scene.part(number)
        if part.shape.bounded:
            low, high = part.core.min(axis=0), part.core.max(axis=0)
            lead = part.core[0] if len(part.core) <= _MANY else low
            places[:, parts == number] = np.stack([0.5 * (low + high), lead])[:, None]
    turn = rows.frames.turn[rows.at, rows.scene.frames[parts]]
    spin, speed, _ = motion
    return [speed + np.cross(spin, np.einsum("nij,nj->ni", turn, p)) for p in places]


def _top_speed(rows: Rows, parts: Ints, motion: Motion, common: Ints, w: Array) -> Array:
    """The largest ``|v - w|`` over the points of each part; ``|w|`` where it rests."""
    spin, speed, _ = motion
    frames = rows.scene.frames[parts]
    turn = rows.frames.turn[rows.at, frames]
    along = np.einsum("ni,nij->nj", spin, turn)  # along the frame's axes, as its points are
    shift = np.einsum("ni,nij->nj", speed - w, turn)
    result: Array = np.sqrt((w * w).sum(axis=1))
    for number in np.unique(parts).tolist():
        which = np.flatnonzero((parts == number) & (frames != common))
        core = rows.scene.part(number).core
        step = max(1, _CHUNK // max(1, len(core)))
        for first in range(0, len(which), step):
            some = which[first : first + step]
            v = np.cross(along[some, None], core[None]) + shift[some, None]
            result[some] = np.sqrt((v * v).sum(axis=2).max(axis=1))
    return result
