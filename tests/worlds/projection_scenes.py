"""Parts that the tests of planar projections share."""

from __future__ import annotations

import numpy as np

import standoff as so
from standoff.interference.parts import Part
from tests.worlds.mesh_shapes import box_arrays, joined, random_poses, star, torus

#: An L and a U in the plane, counter-clockwise; both fill less than their hulls.
L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]
U_SHAPE = [(0, 0), (3, 0), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)]


def prism(outline, triangles, height=1.0):
    """A closed mesh over an outline that ``triangles`` fill, from z = 0 to ``height``."""
    n = len(outline)
    points = [(x, y, z) for z in (0.0, height) for x, y in outline]
    faces = [(c, b, a) for a, b, c in triangles]
    faces += [(a + n, b + n, c + n) for a, b, c in triangles]
    for k in range(n):
        m = (k + 1) % n
        faces += [(k, m, m + n), (k, m + n, k + n)]
    return so.Mesh(points, faces)


def l_mesh():
    return prism(L_SHAPE, [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)])


def u_mesh():
    return prism(U_SHAPE, [(0, 1, 4), (1, 2, 3), (1, 3, 4), (0, 4, 5), (0, 5, 7), (5, 6, 7)])


def cloud(rng, count=30, size=0.25):
    """A random convex polyhedron."""
    points = rng.normal(size=(count, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return so.Polyhedron(points * rng.uniform(0.2 * size, size, 3))


def convex_shape(rng):
    kind = rng.integers(5)
    if kind == 0:
        return so.Sphere(rng.uniform(0.02, 0.3))
    if kind == 1:
        return so.Capsule(rng.uniform(0.02, 0.15), rng.uniform(0.0, 0.6))
    if kind == 2:
        return so.Box(rng.uniform(0.02, 0.5, 3))
    if kind == 3:
        return so.Cylinder(rng.uniform(0.02, 0.25), rng.uniform(0.02, 0.6))
    return cloud(rng, int(rng.integers(4, 40)))


def crooked_shape(rng):
    """A mesh that is not convex, closed or open."""
    kind = rng.integers(4)
    if kind == 0:
        return torus(ring=0.2, tube=rng.uniform(0.02, 0.1), around=12, across=6)
    if kind == 1:
        return star(int(rng.integers(1000)), radius=0.3)
    if kind == 2:  # two boxes that cross each other
        far = rng.uniform(-0.2, 0.2, 3)
        return so.Mesh(*joined(box_arrays(0.4, 0.1, 0.1), box_arrays(0.1, 0.3, 0.2, far)))
    faces = rng.permutation(12).reshape(4, 3)
    return so.Mesh(rng.uniform(-0.25, 0.25, (12, 3)), faces, sheet=True)


def scene(seed, count, shape, reach=0.5):
    """Random parts in a cube of half extent ``reach``."""
    rng = np.random.default_rng(seed)
    poses = random_poses(rng, count, reach)
    return [Part(f"p{i}", shape(rng), poses[i]) for i in range(count)]


def at(shape, x=0.0, y=0.0, z=0.0, name="part"):
    return Part(name, shape, so.pose((x, y, z)))
