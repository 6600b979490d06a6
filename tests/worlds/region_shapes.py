"""Shapes that the tests of region octrees share, and points in and out of them."""

from __future__ import annotations

import numpy as np

import standoff as so
from tests.worlds.mesh_shapes import bowl_arrays, box_arrays, joined, star_arrays, torus

ROOT = ((0.1, -0.2, 0.05), 3.0)


def shapes(rng):
    """One of each kind, solids and surfaces, by name."""
    hollow = joined(
        box_arrays(1.0, 0.9, 0.8), (lambda p, f: (p, f[:, ::-1]))(*box_arrays(0.5, 0.4, 0.3))
    )
    return {
        "sphere": so.Sphere(0.5),
        "capsule": so.Capsule(0.2, 0.9),
        "box": so.Box((0.7, 1.1, 0.4)),
        "sheet": so.Box((0.7, 1.1, 0.0)),
        "cylinder": so.Cylinder(0.4, 0.9),
        "half space": so.HalfSpace(),
        "polyhedron": so.Polyhedron(rng.normal(size=(14, 3)) * 0.4),
        "torus": torus(),
        "star": so.Mesh(*star_arrays(rng)),
        "hollow box": so.Mesh(*hollow),
        "bowl": so.Mesh(*bowl_arrays(), sheet=True),
    }


def random_pose(rng, spread=0.3):
    q = rng.normal(size=4)
    return so.pose(rng.uniform(-spread, spread, 3), q / np.linalg.norm(q))


def heights(shape, pose, points):
    """Signed distances of points from a shape, by balls of no size to speak of."""
    tiny = so.Sphere(1e-9)
    return np.array([so.distance(shape, pose, tiny, so.pose(p)).distance for p in points]) + 1e-9
