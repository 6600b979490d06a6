"""Whether a body lies inside a solid whose surface it does not touch, as the path checker asks."""

from __future__ import annotations

import numpy as np
import pytest

from standoff.compiled.jit import entry
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase.bodies import PairScratch, bodies_at, scratch_at
from standoff.geometry.narrowphase.dispatch import call_nested, nested_address
from standoff.geometry.primitives import Box, Sphere
from tests.oracles.winding import winding
from tests.worlds.mesh_batch import distances, table
from tests.worlds.mesh_shapes import box_arrays, box_mesh, joined, random_poses, torus


def nested(a, b, pose_a, pose_b, swapped=False):
    """Of a single pair, by address; None where the surfaces are not apart."""
    row = distances(a, b, pose_a[None], pose_b[None])[0]
    if not abs(row[0]) > row[10]:
        return None
    bodies, pairs = table(a, b, pose_a[None], pose_b[None])
    i, j = pairs[0, ::-1] if swapped else pairs[0]
    scratch = PairScratch()
    found = _asked(nested_address(), bodies.address, i, j, scratch.address)
    assert found == (row[0] < 0.0)
    return found


@entry("boolean(int64, int64, int64, int64, int64)")
def _asked(address, bodies, i, j, scratch):
    A = bodies_at(bodies)
    return call_nested(address, A, i, A, j, scratch_at(scratch))


def test_a_body_inside_a_solid_is_nested():
    ring = torus(ring=0.5, tube=0.2, around=40, across=20)
    inside, outside = np.eye(4), np.eye(4)
    inside[0, 3] = 0.5
    for b in (torus(ring=0.05, tube=0.02), Sphere(0.03), Box((0.05, 0.04, 0.03))):
        for pose, expected in ((inside, True), (outside, False)):
            for swapped in (False, True):
                assert nested(ring, b, np.eye(4), pose, swapped) == expected


def inside_by_winding(a, b, pose_a, pose_b):
    """Whether a vertex of either closed mesh is inside the other."""
    for inner, outer, p, q in ((a, b, pose_a, pose_b), (b, a, pose_b, pose_a)):
        between = np.linalg.inv(q) @ p
        points = inner.geometry.points @ between[:3, :3].T + between[:3, 3]
        solid = outer.geometry
        if (np.abs(winding(points, solid.points[solid.faces])) > 0.5).any():
            return True
    return False


SOLIDS = {
    "torus": torus(ring=0.5, tube=0.2, around=24, across=12),
    "plank": box_mesh(1.2, 0.5, 0.3),
    "shell": Mesh(*joined(box_arrays(), (box_arrays(0.5, 0.5, 0.5)[0], box_arrays()[1][:, ::-1]))),
}
PARTS = {
    "ring": torus(ring=0.05, tube=0.02, around=8, across=5),
    "needle": box_mesh(0.2, 0.01, 0.01),
    "two": Mesh(*joined(box_arrays(0.03, 0.03, 0.03, (-0.3, 0, 0)), box_arrays(0.03, 0.02, 0.03))),
}


@pytest.mark.parametrize("solid", SOLIDS)
@pytest.mark.parametrize("part", PARTS)
def test_nested_is_what_solid_angles_say(solid, part):
    """Wherever surfaces do not meet, near the outside of a solid and in it: volumes that are apart
    may spare the question, and never change the answer."""
    a, b = SOLIDS[solid], PARTS[part]
    rng = np.random.default_rng([6, *solid.encode(), *part.encode()])
    answers = []
    for p, q in zip(random_poses(rng, 200, 2.0), random_poses(rng, 200, 0.6)):
        found = nested(a, b, p, p @ q, swapped=len(answers) % 2 == 1)
        if found is not None:
            answers.append(found)
            assert found == inside_by_winding(a, b, p, p @ q)
    assert min(sum(answers), len(answers) - sum(answers)) >= 3
