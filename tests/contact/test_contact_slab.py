"""What reaches into the slab that two pieces share, and the farthest vertex, beside plain scans."""

import numpy as np
import pytest

from standoff.contact import Body, Scene
from standoff.contact.kernels import layout
from standoff.contact.kernels.inside import climb
from standoff.contact.kernels.parting import highest
from standoff.contact.tables import arena_of
from tests.worlds.contact_worlds import random_pose, random_solid


def _prism(sides):
    angle = 2.0 * np.pi * np.arange(sides) / sides
    x, y = 0.1 * np.cos(angle), 0.1 * np.sin(angle)
    return np.stack([np.stack([x, y, np.full(sides, z)], axis=1) for z in (-0.15, 0.15)])


def _bodies():
    rng = np.random.default_rng(4)
    yield Body.from_grid(_prism(61), levels=0)
    for _ in range(8):
        yield Body(random_solid(rng), levels=0)


@pytest.mark.parametrize("body", list(_bodies()))
def test_farthest_vertex_and_what_is_above_a_level(body):
    arena = arena_of((body, body), 1, 1)
    rng = np.random.default_rng(5)
    for k in range(60):
        way = np.eye(3)[k % 3] if k < 6 else rng.normal(size=3)
        way /= np.linalg.norm(way)
        # The second of two equal pieces, so that numbers do not begin at 0.
        row = highest(arena["cloud"], arena["pieces"], 1, *way)
        piece = arena["pieces"][1]
        first, count = piece[layout.VERTEX0], piece[layout.VERTEX_COUNT]
        heights = arena["vertices"][first : first + count] @ way
        vertex = int(arena["cloud"][row, 3])
        assert heights[vertex] == pytest.approx(heights.max(), abs=1e-15)
        level = np.quantile(heights, rng.random()) - 1e-9
        arena["state"][layout.EPOCH, 0] += 1
        edges, faces = climb(arena.F, arena.W, 1, vertex, *way, level, 0, 0)
        tops = (arena["vertices"] @ way)[arena["edges"][:, :2]].max(axis=1)
        first, count = piece[layout.EDGE0], piece[layout.EDGE_COUNT]
        expected = first + np.flatnonzero(tops[first : first + count] >= level)
        found = arena["slab"][:edges, 0]
        assert np.array_equal(np.sort(found), expected)
        assert set(arena["near"][:faces, 0]) == set(arena["edges"][expected, 2:].ravel())
        assert np.array_equal(arena["bounds"][:faces], arena["planes"][arena["near"][:faces, 0]])


def test_contacts_are_the_same_bits_at_every_level():
    grid = _prism(40)
    rng = np.random.default_rng(6)
    poses = [random_pose(rng, 0.12) for _ in range(30)]
    answers = []
    for levels in range(4):
        scene = Scene()
        scene.add("a", Body.from_grid(grid, levels=levels), moving=False)
        scene.add("b", Body.from_grid(grid, levels=levels))
        steps = []
        for pose in poses:
            scene.forget()
            for _ in range(3):
                step = scene.step({"b": pose})
                steps.append(
                    [(c.kind, *c.point, *c.normal, c.depth, c.kept) for c in step.contacts]
                )
                pose = pose.copy()
                pose[:3, 3] *= 0.98
        answers.append(steps)
    assert sum(map(len, answers[0])) > 100
    assert answers[1:] == answers[:1] * 3
