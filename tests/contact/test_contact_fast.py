"""Bodies between two steps: who passed whom, and on which side they are."""

import numpy as np
import pytest

import standoff as so
from standoff.contact import Body, Scene
from tests.oracles import coal as coal_oracle
from tests.worlds.contact_worlds import RIGID, CoalPair, exponential, random_pose, random_solid

UP = np.array((0.0, 0.0, 1.0))
CUBE = so.Box((0.05, 0.05, 0.05))
BULLETS = {"box": CUBE, "sphere": so.Sphere(0.025)}


def _wall(bullet, **options):
    scene = Scene(**options)
    scene.add("wall", so.Box((1, 1, 0.02)), moving=False, stiffness=1.0, levels=0)
    scene.add("b", bullet, stiffness=RIGID, levels=0 if not isinstance(bullet, Body) else None)
    return scene


@pytest.mark.parametrize("bullet", BULLETS.values(), ids=BULLETS.keys())
@pytest.mark.parametrize("height", [0.0349, 0.035, 0.035 + 1e-9, 0.0351])
def test_a_body_that_touches_a_wall_and_is_beyond_it_has_passed(bullet, height):
    for rpy in ((0, 0, 0), (0.4, 0.2, 1.0)):
        scene = _wall(bullet)
        scene.step({"b": so.pose((0, 0, height))})
        step = scene.step({"b": so.pose((0.1, 0, -0.5), rpy=rpy)})
        assert len(step) == 0 and step.passed == (("wall", "b"),)


@pytest.mark.parametrize("bullet", BULLETS.values(), ids=BULLETS.keys())
def test_a_body_that_leaves_a_wall_has_not_passed(bullet):
    for gap in (-1e-3, -1e-6, 0.0, 1e-12, 1e-7, 1e-6, 1e-5):
        for rpy in ((0, 0, 0), (0.4, 0.2, 1.0)):
            scene = _wall(bullet)
            scene.step({"b": so.pose((0, 0, 0.035 + gap))})
            step = scene.step({"b": so.pose((0.3, 0, 2.0), rpy=rpy)})
            assert len(step) == 0 and step.passed == (), (gap, rpy)


def test_a_body_that_leaves_a_wall_and_turns_through_it_has_passed():
    """A rod that stands on the wall jumps off, comes round and hits its rim from above, to end
    upside down beside it. If it jumps higher it does not."""
    for start in (0.2599, 0.26, 0.2601):
        for height, passed in ((0.1, (("wall", "b"),)), (0.9, ())):
            scene = _wall(so.Box((0.02, 0.02, 0.5)))
            scene.step({"b": so.pose((0.1, 0, start))})
            step = scene.step({"b": so.pose((0.65, 0, height), rpy=(0, -3.1, 0))})
            assert len(step) == 0 and step.passed == passed


def test_without_continuous_nothing_is_looked_for():
    scene = _wall(CUBE, continuous=False)
    scene.step({"b": so.pose((0, 0, 0.0349))})
    assert scene.step({"b": so.pose((0, 0, -0.5))}).passed == ()


def test_a_union_whose_piece_passes_a_wall_is_reported():
    """Far from its centroid, which goes past the wall at a distance."""
    bar = Body.union([(CUBE, so.pose((0, 0, z))) for z in (0.5, -0.5)], levels=0)
    scene = Scene()
    scene.add("wall", so.Box((0.01, 0.2, 0.2)), pose=so.pose((0, 0, 0.5)), moving=False, levels=0)
    scene.add("u", bar)
    scene.step({"u": so.pose((-1, 0, 0))})
    assert scene.step({"u": so.pose((1, 0, 0))}).passed == (("wall", "u"),)


def test_a_blade_that_turns_is_seen_whichever_body_it_is():
    for blade_first in (False, True):
        scene = Scene()
        bodies = [("post", so.Box((0.05, 0.05, 0.5)), so.pose((0.4, 0.4, 0))),
                  ("blade", so.Box((2.0, 0.02, 0.1)), None)]  # fmt: skip
        for name, shape, place in reversed(bodies) if blade_first else bodies:
            scene.add(name, shape, pose=place, moving=name == "blade", levels=0)
        scene.step({"blade": so.pose()})
        assert len(scene.step({"blade": so.pose(rpy=(0, 0, 1.5))}).passed) == 1


@pytest.mark.parametrize("end", [0.02, -0.005, -0.02, -0.04])
def test_a_fast_sphere_is_pushed_back_to_where_it_came_from(end):
    for side in (1.0, -1.0):
        scene = Scene()
        scene.add("plate", so.Box((1, 1, 0.02)), moving=False, stiffness=1.0, levels=0)
        scene.add("a", so.Sphere(0.05), stiffness=RIGID)
        scene.step({"a": so.pose((0, 0, 0.2 * side))})
        for _ in range(2):
            step = scene.step({"a": so.pose((0.01, 0, end * side))})
            assert np.allclose(step.forces["a"], side * (0.06 - end) * UP, atol=1e-9)
            assert step.passed == ()


def test_a_sphere_pressed_through_a_plate_stays_on_its_side():
    scene = Scene()
    scene.add("plate", so.Box((1, 1, 0.02)), moving=False, stiffness=1.0, levels=0)
    scene.add("a", so.Sphere(0.05), stiffness=RIGID)
    for z in np.linspace(0.059, -0.055, 115):
        force = scene.step({"a": so.pose((0, 0, z))}).forces["a"]
        assert np.allclose(force, (0.06 - z) * UP, atol=1e-9), z


def test_a_sphere_pressed_past_the_centre_of_another_stays_on_its_side():
    for start, end in ((0.2, -0.05), (0.09, -0.05)):
        scene = Scene()
        scene.add("b", so.Sphere(0.05), moving=False, stiffness=1.0)
        scene.add("a", so.Sphere(0.05), stiffness=RIGID)
        scene.step({"a": so.pose((0, 0, start))})
        for z in (end, 0.0, end):
            force = scene.step({"a": so.pose((0, 0, z))}).forces["a"]
            assert np.allclose(force, (0.1 - z) * UP, atol=1e-9)
    scene = Scene()
    scene.add("b", so.Sphere(0.05), moving=False, stiffness=1.0)
    scene.add("a", so.Sphere(0.05), stiffness=RIGID)
    scene.step({"a": so.pose((0.05, 0, 0))})
    assert np.allclose(scene.step({"a": so.pose()}).forces["a"], (0.1, 0, 0), atol=1e-9)


def test_a_sphere_that_was_on_a_face_goes_over_to_the_next():
    """Slowly over the rim of a table and down its side, with its centre inside all the while: it
    keeps its face while it is above its inside, and no longer."""
    scene = Scene()
    scene.add("table", so.Box((1, 1, 1)), pose=so.pose((0, 0, -0.5)), moving=False, stiffness=1.0,
              levels=0)  # fmt: skip
    scene.add("a", so.Sphere(0.1), stiffness=RIGID)
    kinds = []
    for x, z in [(0.45, -0.02), (0.49, -0.02), (0.51, -0.02), (0.51, -0.3), (0.58, -0.3)]:
        (contact,) = scene.step({"a": so.pose((x, 0, z))}).contacts
        kinds.append((contact.kind, *(-contact.normal).round(6).tolist()))
    up, out = ("FS", 0.0, 0.0, 1.0), ("FS", 1.0, 0.0, 0.0)
    assert kinds == [up, up, out, out, out]


def _first_touch(coal, at):
    """Share of the way and Coal's normal there, from b to a."""
    low, high = 0.0, next(u for u in np.linspace(0, 1, 121) if coal.distance(at(u), np.eye(4)) <= 0)
    low = max(0.0, high - 1 / 120)
    for _ in range(40):
        middle = 0.5 * (low + high)
        if coal.distance(at(middle), np.eye(4)) > 1e-5:
            low = middle
        else:
            high = middle
    _, point_a, point_b = coal_oracle.distance(coal.a, at(low), coal.b, np.eye(4))[:3]
    normal = np.array(point_a) - np.array(point_b)
    return normal / np.linalg.norm(normal)


def test_fast_bodies_are_pushed_along_coals_normal_at_the_first_touch():
    rng = np.random.default_rng(5)
    inside = passed = 0
    for _ in range(160):
        ball = rng.random() < 0.6
        a = so.Sphere(rng.uniform(0.01, 0.1)) if ball else random_solid(rng)
        b = random_solid(rng)
        coal = CoalPair(a, b)
        scene = Scene()
        scene.add("a", a, stiffness=RIGID, levels=0)
        scene.add("b", b, stiffness=1.0, levels=1)
        centroid = scene.body("a").centroid
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)
        start = random_pose(rng, 0.0)
        start[:3, 3] = way * rng.uniform(0.2, 0.6) + rng.normal(size=3) * 0.08
        spin = rng.normal(size=3) * rng.choice([0, 0.5, 1.0])
        origin, length = start[:3, :3] @ centroid + start[:3, 3], rng.uniform(0.2, 1.2)

        def at(u, start=start, spin=spin, origin=origin, way=way, length=length, c=centroid):
            pose = np.eye(4)
            pose[:3, :3] = exponential(u * spin) @ start[:3, :3]
            pose[:3, 3] = origin - u * length * way - pose[:3, :3] @ c
            return pose

        distances = [coal.distance(at(u), np.eye(4)) for u in np.linspace(0, 1, 61)]
        scene.step({"a": at(0.0), "b": np.eye(4)})
        step = scene.step({"a": at(1.0), "b": np.eye(4)})
        if distances[0] < 1e-5:
            continue
        if distances[-1] < -1e-5:
            inside += 1
            assert step.forces["a"] @ _first_touch(coal, at) > 0.0
        elif distances[-1] > 1e-5 and min(distances) < -1e-5:
            passed += 1
            assert step.passed == (("a", "b"),)
        elif min(distances) > 5e-3:
            assert step.passed == ()
    assert inside > 30 and passed > 20


def test_a_body_that_comes_late_did_not_move_there():
    """Added after a step, with its pose given to the next one only."""

    def scene_with(late):
        scene = Scene()
        scene.add("plate", so.Box((1, 1, 0.1)), pose=so.pose((0, 0, -1)), moving=False,
                  stiffness=1.0, damping=1.0, levels=0)  # fmt: skip
        scene.add("other", so.Sphere(0.01), pose=so.pose((5, 5, 5)))
        if late:
            scene.step()
        scene.add("box", CUBE, stiffness=RIGID, levels=0)
        return scene

    deep = so.pose((0, 0, -1.06))
    for late in (False, True):
        step = scene_with(late).step({"box": deep}, dt=1e-3)
        assert np.allclose(step.forces["box"], -4 * 0.015 * UP, atol=1e-9) or len(step) == 8
        assert step.forces["box"][2] < 0.0
        assert all(np.array_equal(c.velocity, np.zeros(3)) for c in step.contacts)
        assert scene_with(late).step({"box": so.pose((0, 0, -3))}, dt=1e-3).passed == ()
    scene = scene_with(True)
    scene.step({"box": so.pose((0, 0, -0.5))})
    assert scene.step({"box": so.pose((0, 0, -3))}).passed == (("plate", "box"),)


def test_where_bodies_were_is_kept_by_their_names():
    """One goes, and those after it move up in the tables: nobody moved."""
    scene = Scene()
    scene.add("first", so.Sphere(0.01), pose=so.pose((5, 5, 5)))
    scene.add("wall", so.Box((1, 1, 0.02)), moving=False, levels=0)
    scene.add("b", CUBE, pose=so.pose((0, 0, 0.5)), levels=0)
    scene.step()
    scene.remove("first")
    assert scene.step({"b": so.pose((0, 0, 0.6))}).passed == ()
    scene.add("last", so.Sphere(0.01), pose=so.pose((5, 5, 5)))
    assert scene.step({"b": so.pose((0, 0, -0.6))}).passed == (("wall", "b"),)


def test_a_sphere_about_a_vertex_or_an_edge_is_pushed_outwards():
    rng = np.random.default_rng(1)
    for _ in range(12):
        hull = so.Polyhedron(rng.normal(size=(int(rng.integers(4, 12)), 3)) * 0.1)
        body = Body(hull, levels=1)
        (piece,) = body.pieces
        place = so.pose(rng.normal(size=3), rpy=rng.normal(size=3))
        ends = piece.vertices[piece.edges[:, :2]]
        middles = [piece.vertices[ring[:3]].mean(axis=0) for ring in piece.loops]
        for pose in (so.pose(-body.centroid), place):
            for point in [*piece.vertices, *ends.mean(axis=1), *middles]:
                scene = Scene()
                scene.add("p", body, pose=pose, stiffness=1.0)
                scene.add("s", so.Sphere(0.01), stiffness=RIGID)
                centre = pose[:3, :3] @ (point + body.centroid) + pose[:3, 3]
                force = scene.step({"s": so.pose(centre)}).forces["s"]
                assert np.linalg.norm(force) == pytest.approx(0.01, abs=1e-9)
                ahead = point + 1e-2 * pose[:3, :3].T @ force
                assert (piece.planes[:, :3] @ ahead - piece.planes[:, 3]).max() > 0.0
