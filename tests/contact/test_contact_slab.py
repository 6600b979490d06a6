"""What reaches into the slab that two pieces share, and the farthest vertex, beside plain scans."""

import numpy as np
import pytest

from standoff.compiled.jit import kernel
from standoff.contact import Body, Scene
from standoff.contact.kernels import edges_inside, solids
from standoff.contact.kernels.scene_tables import scene_at, scratch_at
from standoff.contact.packing import scene_tables, scratch_tables
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


@kernel
def highest(scene, p, x, y, z):
    return solids.highest(scene_at(scene), p, x, y, z)


@kernel
def climb(scene, scratch, p, row, x, y, z, level):
    return edges_inside.climb(scene_at(scene), scratch_at(scratch), p, row, (x, y, z), level, 0, 0)


@pytest.mark.interpreted
@pytest.mark.parametrize("body", list(_bodies()))
def test_farthest_vertex_and_what_is_above_a_level(body):
    scene = scene_tables((body, body))
    scratch = scratch_tables(scene)
    ends = np.column_stack([scene.edges["tail"], scene.edges["head"]])
    sides = np.column_stack([scene.edges["left"], scene.edges["right"]])
    rng = np.random.default_rng(5)
    for k in range(60):
        way = np.eye(3)[k % 3] if k < 6 else rng.normal(size=3)
        way /= np.linalg.norm(way)
        # The second of two equal pieces, so that numbers do not begin at 0.
        row = highest(scene.address, 1, *way)
        piece = scene.pieces[1]
        heights = scene.vertices[piece.vertex0 : piece.vertex0 + piece.vertices] @ way
        assert heights[scene.cloud_vertices[row]] == pytest.approx(heights.max(), abs=1e-15)
        level = np.quantile(heights, rng.random()) - 1e-9
        scratch.pair.epoch += 1
        edges, faces = climb(scene.address, scratch.address, 1, row, *way, level)
        tops = (scene.vertices @ way)[ends].max(axis=1)
        here = slice(piece.edge0, piece.edge0 + piece.edges)
        expected = piece.edge0 + np.flatnonzero(tops[here] >= level)
        assert np.array_equal(np.sort(scratch.slab[:edges]), expected)
        near = scratch.near[:faces]
        assert set(near["face"]) == set(sides[expected].ravel())
        for name in ("x", "y", "z", "offset"):
            assert np.array_equal(near[name], scene.planes[name][near["face"]])


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
