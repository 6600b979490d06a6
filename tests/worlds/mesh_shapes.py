"""Meshes and poses that the tests of meshes share; all made here."""

from __future__ import annotations

import numpy as np

from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import pose


def torus_arrays(ring=0.5, tube=0.2, around=24, across=10):
    u, v = np.meshgrid(
        np.arange(around) * 2 * np.pi / around,
        np.arange(across) * 2 * np.pi / across,
        indexing="ij",
    )
    r = ring + tube * np.cos(v)
    points = np.stack([r * np.cos(u), r * np.sin(u), tube * np.sin(v)], axis=-1).reshape(-1, 3)
    i, j = (k.ravel() for k in np.meshgrid(range(around), range(across), indexing="ij"))
    at = lambda a, b: (a % around) * across + b % across  # noqa: E731
    a, b, c, d = at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)
    return points, np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def torus(**sizes):
    return Mesh(*torus_arrays(**sizes))


def box_arrays(x=1.0, y=1.0, z=1.0, centre=(0.0, 0.0, 0.0)):
    """Twelve triangles, outward."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return corners * np.array([x, y, z]) / 2 + centre, np.array(faces)


def box_mesh(*extents, centre=(0.0, 0.0, 0.0)):
    return Mesh(*box_arrays(*extents, centre=centre))


def joined(*meshes):
    """One mesh of several (points, faces)."""
    points, faces, start = [], [], 0
    for p, f in meshes:
        points.append(p)
        faces.append(np.asarray(f) + start)
        start += len(p)
    return np.concatenate(points), np.concatenate(faces)


def bowl_arrays(radius=0.6, rings=6, around=14):
    """The lower half of a sphere, open above."""
    points = [[0.0, 0.0, -radius]]
    for k in range(1, rings + 1):
        polar = np.pi / 2 * k / rings
        for m in range(around):
            turn = 2 * np.pi * m / around
            ring = radius * np.sin(polar)
            points.append([ring * np.cos(turn), ring * np.sin(turn), -radius * np.cos(polar)])
    faces = [[0, 1 + (m + 1) % around, 1 + m] for m in range(around)]
    for k in range(rings - 1):
        for m in range(around):
            a, b = 1 + k * around + m, 1 + k * around + (m + 1) % around
            faces += [[a, b, b + around], [a, b + around, a + around]]
    return np.array(points), np.array(faces)


def star_arrays(rng, radius=0.5, around=9, rings=5):
    """A closed body of random radii: star-shaped, far from convex."""
    points = [[0.0, 0.0, radius], [0.0, 0.0, -radius]]
    for k in range(1, rings + 1):
        polar = np.pi * k / (rings + 1)
        for m in range(around):
            turn = 2 * np.pi * m / around
            r = radius * rng.uniform(0.3, 1.2)
            points.append(
                [
                    r * np.sin(polar) * np.cos(turn),
                    r * np.sin(polar) * np.sin(turn),
                    r * np.cos(polar),
                ]
            )
    at = lambda k, m: 2 + k * around + m % around  # noqa: E731
    faces = []
    for m in range(around):
        faces += [[0, at(0, m), at(0, m + 1)], [1, at(rings - 1, m + 1), at(rings - 1, m)]]
        for k in range(rings - 1):
            a, b, c, d = at(k, m), at(k + 1, m), at(k + 1, m + 1), at(k, m + 1)
            faces += [[a, b, c], [a, c, d]]
    return np.array(points), np.array(faces)


def star(seed=0, **sizes):
    return Mesh(*star_arrays(np.random.default_rng(seed), **sizes))


def random_poses(rng, count, reach=0.0):
    """Random rotations, positions in a cube of half extent ``reach``."""
    result = np.empty((count, 4, 4))
    for k in range(count):
        q = rng.normal(size=4)
        result[k] = pose(rng.uniform(-reach, reach, 3), q / np.linalg.norm(q))
    return result
