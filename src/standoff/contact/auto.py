"""The best number of levels of a body's octrees, found by trying (paper 003, section 4.1)."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from standoff.contact.features import Features

if TYPE_CHECKING:
    from standoff.contact.body import Body

#: Levels that are tried at most to find the best depth of an octree, [-]; the number of poses at
#: which each is timed, [-]; and how far the bounding spheres of the two bodies overlap at the
#: deepest of them, relative to their radius, [-]: polyhedra touch from some 0.2 on.
CONTACT_AUTO_LEVELS = 5
CONTACT_AUTO_POSES = 64
CONTACT_AUTO_DEPTH = 1.0

#: A deeper octree is taken where it is quicker by this part, [-]: times on a busy
#: machine differ by as much from run to run, though each is the best of several.
CONTACT_AUTO_GAIN = 0.05


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
