"""Moving parts: static outlines are made once, moving ones on each check."""

import numpy as np
import pytest

import standoff as so
from standoff.errors import InterferenceError
from standoff.interference.parts import Part
from standoff.interference.projection import ProjectionMethod, ProjectionWatch
from tests.worlds.mesh_shapes import random_poses, torus
from tests.worlds.projection_scenes import at, convex_shape, crooked_shape, scene


@pytest.mark.parametrize("shape, outline", [(convex_shape, "hull"), (crooked_shape, "true")])
def test_a_check_finds_what_a_comparison_of_the_whole_scene_does(shape, outline):
    parts = scene(1, 12, shape)
    moving = ["p0", "p3", "p7"]
    watch = ProjectionWatch(parts, moving, planes=5, outline=outline)
    rng = np.random.default_rng(0)
    for _ in range(4):
        poses = dict(zip(moving, random_poses(rng, 3, 0.5)))
        now = [Part(p.name, p.shape, poses.get(p.name, p.pose)) for p in parts]
        whole = ProjectionMethod(now, planes=5, outline=outline)
        expected = {
            (f.a, f.b)
            for f in (whole.judge(i, j) for i, j in whole.pairs().tolist())
            if type(f).__name__ == "Overlap" and {f.a, f.b} & set(moving)
        }
        found = watch.check(poses)
        assert {(f.a, f.b) for f in found} == expected
        assert all(len({i, j} & {0, 3, 7}) for i, j in watch.pairs.tolist())
        in_a_row = np.array([poses[name] for name in moving])
        assert {(f.a, f.b) for f in watch.check(in_a_row)} == expected


@pytest.mark.interpreted
def test_static_outlines_are_not_made_again():
    parts = [at(torus(around=8, across=4), name="ring"), at(so.Sphere(0.1), name="ball")]
    watch = ProjectionWatch(parts, ["ball"], outline="true")
    outlines = watch._method.outlines
    firsts, corners = [outlines.outline(k, 0).first for k in range(3)], outlines.scene.corners
    corners[firsts] += 1e-3  # a mark that projecting would wipe out
    before = corners[firsts].copy()
    traced = [outlines._polygons[k, 0][0] for k in range(3)]
    watch.check([so.pose((0.0, 0.0, 2.0))])
    assert np.array_equal(outlines.scene.corners[firsts], before)
    assert all(outlines._polygons[k, 0][0] is piece for k, piece in enumerate(traced))


@pytest.mark.interpreted
def test_moving_parts_are_grown_and_static_ones_are_not():
    wall, a, b = at(so.Box((1, 9, 9)), name="wall"), so.Sphere(0.1), so.Box((0.2, 0.2, 0.2))
    parts = [wall, at(a, name="a"), at(b, name="b"), at(so.Box((9, 1, 1)), 0, 0, 8, name="beam")]
    watch = ProjectionWatch(parts, ["a", "b"], grown=0.25)

    def met(x, y):
        found = watch.check({"a": so.pose((x, 0, 0)), "b": so.pose((y, 0, 0))})
        return {(f.a, f.b) for f in found}

    assert met(0.5 + 0.1 + 0.26, 5.0) == set()
    assert met(0.5 + 0.1 + 0.24, 5.0) == {("wall", "a")}
    assert met(5.0, 5.0 + 0.2 + 0.51) == set()
    assert met(5.0, 5.0 + 0.2 + 0.49) == {("a", "b")}  # both are grown


@pytest.mark.interpreted
def test_growth_covers_what_moves_between_two_checks():
    """A ball that goes at most D from one check to the next is named before it touches."""
    rng = np.random.default_rng(4)
    step, block = 0.07, at(so.Box((0.4, 0.3, 0.2)), name="block")
    watch = ProjectionWatch([block, at(so.Sphere(0.05), name="ball")], ["ball"], grown=step)
    for _ in range(20):
        place = rng.normal(size=3)
        place *= 1.5 / np.linalg.norm(place)
        named = False
        for _ in range(60):
            now = so.pose(place)
            touching = so.distance(block.shape, block.pose, so.Sphere(0.05), now).distance <= 0.0
            assert named or not touching
            named = bool(watch.check([now]))
            place = place - rng.uniform(0.2, 1.0) * step * place / np.linalg.norm(place)


@pytest.mark.interpreted
def test_a_part_that_nobody_knows_the_place_of_may_be_anywhere():
    parts = [at(so.Sphere(0.1), 5.0 * k, name=f"s{k}") for k in range(4)]
    watch = ProjectionWatch(parts, ["s0", "s2"])
    here = {"s0": so.pose((0, 9, 0)), "s2": so.pose((0, -9, 0))}
    assert watch.check(here) == ()
    for bad in (None, np.full((4, 4), np.nan), np.zeros((3, 3)), 2 * np.eye(4)):
        found = watch.check({**here, "s2": bad})
        assert {(f.a, f.b) for f in found} == {("s0", "s2"), ("s1", "s2"), ("s2", "s3")}
        assert all("s2" in f.evidence and np.isinf(f.low).all() for f in found)
    assert len(watch.check({"s0": here["s0"]})) == 3
    for nothing in (np.zeros((1, 4, 4)), np.array(5.0), None, 5, "a"):
        assert len(watch.check(nothing)) == 5
    assert watch.check(here) == ()


@pytest.mark.interpreted
def test_bad_watches_are_refused_and_named():
    parts = [at(so.HalfSpace(), name="floor"), at(so.Sphere(1), name="ball")]
    for moving, grown, named in [
        (["bal"], 0.0, "bal"),
        (["floor"], 0.0, "floor"),
        (["ball"], -1.0, "grown"),
        (5, 0.0, "moving: not names"),
        ("ball", 0.0, "moving: not names"),
        ([["ball"]], 0.0, "moving: no such part"),
    ]:
        with pytest.raises(InterferenceError, match=named):
            ProjectionWatch(parts, moving, grown=grown)
