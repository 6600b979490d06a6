"""How deep an octree is, and where: one number, one by region, or whatever a function says; or the
best number of levels, found by trying (paper 003, section 4.1).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from standoff.contact.features import Features
from standoff.contact.octree import Levels
from standoff.errors import ShapeError
from standoff.geometry.pose import Array, vector
from standoff.scalars import whole

if TYPE_CHECKING:
    from standoff.contact.body import Body

#: Deepest contact octree that is built, [levels]: a surface has some 6 * 4^8 = 400,000 nodes then.
CONTACT_MAX_LEVELS = 8

#: Levels that are tried at most to find the best depth of an octree, [-]; the number of poses at
#: which each is timed, [-]; and how far the bounding spheres of the two bodies overlap at the
#: deepest of them, relative to their radius, [-]: polyhedra touch from some 0.2 on.
CONTACT_AUTO_LEVELS = 5
CONTACT_AUTO_POSES = 64
CONTACT_AUTO_DEPTH = 1.0

#: A deeper octree is taken where it is quicker by this part, [-]: times on a busy
#: machine differ by as much from run to run, though each is the best of several.
CONTACT_AUTO_GAIN = 0.05


_ALLOWED = (
    f'0 to {CONTACT_MAX_LEVELS}, "auto", [((lower, upper), levels), ...] or '
    "a function of a cube's centre and half edge"
)


def levels_at(levels: Any, shift: Array, element: str) -> Levels:
    """The function that `octree_of` asks. ``shift`` leads from the octree's frame to the one in
    which regions are given.

    A list of regions: around a cube the octree is as deep as the deepest region asks that the cube
    meets, and not divided at all where there is none.
    """
    if callable(levels):
        return _checked(levels, shift, element)
    if isinstance(levels, Sequence) and not isinstance(levels, str):
        return _regions(levels, shift, element)
    depth = _depth(levels, element)
    return lambda centre, half: depth


def _checked(asked: Callable[[Array, float], int], shift: Array, element: str) -> Levels:
    try:
        signature(asked).bind(shift, 1.0)
    except TypeError as error:
        raise ShapeError(
            "not a function of two arguments", element=element, value=asked, allowed=_ALLOWED
        ) from error
    except ValueError:
        pass  # a function that does not tell what it takes
    return lambda centre, half: _depth(asked(centre + shift, half), element)


def _regions(levels: Sequence[Any], shift: Array, element: str) -> Levels:
    regions = []
    for number, item in enumerate(levels):
        where = f"{element}[{number}]"
        try:
            (lower, upper), depth = item
        except (TypeError, ValueError) as error:
            raise ShapeError("not a region", element=where, value=item, allowed=_ALLOWED) from error
        low, high = vector(lower, 3, where), vector(upper, 3, where)
        regions.append((low - shift, high - shift, _depth(depth, where)))

    def deepest(centre: Array, half: float) -> int:
        met = [
            depth
            for low, high, depth in regions
            if np.all(centre + half >= low) and np.all(centre - half <= high)
        ]
        return max(met, default=0)

    return deepest


def _depth(value: Any, element: str) -> int:
    return whole(
        element, value, ShapeError, 0, CONTACT_MAX_LEVELS,
        allowed=_ALLOWED, problem="no depth of an octree",
    )  # fmt: skip


_KNOWN: dict[bytes, int] = {}


def best_levels(body: Body) -> int:
    """The depth at which a body is quickest against itself, at seeded poses near contact. The
    paper's curve has one minimum, so the search ends with the first level that is hardly quicker.
    The answer is kept for bodies of the same form; it changes nothing but the time of a step."""
    solids = [piece for piece in body.pieces if isinstance(piece, Features)]
    if not solids:
        return 0
    key = b"".join(piece.vertices.tobytes() for piece in solids)
    if key not in _KNOWN:
        _KNOWN[key] = _tried(body)
    return _KNOWN[key]


def _tried(body: Body) -> int:
    poses = _poses(body)
    best, fastest = 0, np.inf
    for levels in range(CONTACT_AUTO_LEVELS + 1):
        time = _time(body.with_levels(levels), poses)
        if time >= (1.0 - CONTACT_AUTO_GAIN) * fastest:
            break
        best, fastest = levels, time
    return best


def _poses(body: Body) -> list[np.ndarray]:
    """Turned at random, in a random direction, so far away that bounding spheres overlap by up to a
    part of their radius."""
    rng = np.random.default_rng(0)
    radius = body.radius
    poses = []
    for depth in np.linspace(0.0, CONTACT_AUTO_DEPTH, CONTACT_AUTO_POSES):
        turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn[:, 0] *= np.sign(np.linalg.det(turn))
        away = rng.normal(size=3)
        pose = np.eye(4)
        pose[:3, :3] = turn
        centre = (2.0 - depth) * radius * away / np.linalg.norm(away)
        pose[:3, 3] = body.centroid + centre - turn @ body.centroid
        poses.append(pose)
    return poses


def _time(body: Body, poses: list[np.ndarray]) -> float:
    from standoff.contact.scene import Scene

    scene = Scene(continuous=False)
    scene.add("a", body, moving=False)
    scene.add("b", body)
    # Of each pose the best, as other programs come between.
    best = [np.inf] * len(poses)
    for _ in range(5):
        for k, pose in enumerate(poses):
            scene.forget()
            start = perf_counter()
            scene.step({"b": pose})
            best[k] = min(best[k], perf_counter() - start)
    return sum(best)
