"""Scenes of parts close together, and Coal's opinion on their pairs."""

from __future__ import annotations

import coal
import numpy as np

import standoff as so
from tests.oracles import coal as coal_oracle
from tests.worlds.mesh_shapes import random_poses, star_arrays, torus_arrays

CONVEX = ("sphere", "capsule", "box", "cylinder", "polyhedron")
MESHES = ("star", "torus", "convex mesh")


def shape(rng, kind):
    """A random shape of about half a metre."""
    a, b, c = rng.uniform(0.1, 0.5, 3).tolist()
    if kind == "sphere":
        return so.Sphere(0.5 * a)
    if kind == "capsule":
        return so.Capsule(0.3 * a, b)
    if kind == "box":
        return so.Box((a, b, c))
    if kind == "cylinder":
        return so.Cylinder(0.5 * a, b)
    if kind == "star":
        return so.Mesh(*star_arrays(rng, radius=0.6 * a, around=7, rings=4))
    if kind == "torus":
        return so.Mesh(*torus_arrays(ring=0.6 * a, tube=0.2 * a, around=14, across=7))
    hull = so.Polyhedron(rng.uniform(-0.5, 0.5, (12, 3)) * [a, b, c])
    return hull if kind == "polyhedron" else so.Mesh(hull.vertices, hull.faces)


def scene(seed, count=12, reach=0.32, kinds=CONVEX + MESHES):
    """Parts by name, many of which overlap."""
    rng = np.random.default_rng([7, seed])
    poses = random_poses(rng, count, reach)
    chosen = rng.choice(len(kinds), count)
    return {
        f"{kinds[kind]} {k}": (shape(rng, kinds[kind]), pose)
        for k, (kind, pose) in enumerate(zip(chosen, poses))
    }


def coal_collides(parts):
    """Pairs of names that collide by Coal; of meshes only those whose surfaces do."""
    made = {
        name: (coal_oracle.geometry(s), coal_oracle.transform(p)) for name, (s, p) in parts.items()
    }
    names = list(parts)
    found = set()
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            result = coal.CollisionResult()
            coal.collide(*made[a], *made[b], coal.CollisionRequest(), result)
            if result.isCollision():
                found.add((a, b))
    return found
