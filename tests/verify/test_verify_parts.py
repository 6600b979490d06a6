"""What the checking of certificates is made of, each piece against an outside opinion."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.cell.model import Model, entry_of
from standoff.geometry.pose import as_pose
from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.paths.certificate import PROOF
from standoff.paths.verify.bounds import PointSet, bound, measure, reaches
from standoff.paths.verify.cell_model import Part, read_model
from standoff.paths.verify.convex import _approach, segment_to_box
from standoff.paths.verify.gjk import deeper_than, distance_at_most
from standoff.paths.verify.kinematics import (
    extremes,
    frames_at,
    instants,
    largest,
    rotations,
    value,
)
from standoff.paths.verify.mesh_gap import convex_gap, solid, soup_gap
from standoff.paths.verify.meshes import _nearing, body_gaps
from standoff.paths.verify.rows import Rows
from standoff.paths.verify.soup import soup_of
from standoff.paths.verify.support import core_points, core_support, farthest
from tests.oracles import coal as coal_oracle
from tests.oracles.path_prover import Prover, glide_rows, path_coefficients
from tests.oracles.pinocchio import ROBOTS, Oracle, random_configurations
from tests.worlds.mesh_shapes import box_arrays, box_mesh, joined, random_poses, star, torus
from tests.worlds.random_trees import World, track

SHAPES = [
    so.Sphere(0.3), so.Capsule(0.1, 0.5), so.Box((0.3, 0.5, 0.2)), so.Cylinder(0.2, 0.5),
    so.Polyhedron(np.random.default_rng(3).normal(size=(20, 3)) * 0.3),
]  # fmt: skip


def model_of(tree, parts=()):
    """The plain model of a joint tree without a cell."""
    robots = {m.name: SimpleNamespace(robot=m.robot, base=as_pose(m.base)) for m in tree.mounts}
    entries = [entry_of(p.body, p.frame, [(p.shape, p.local)]) for p in parts]
    model = Model.of(tree, entries)
    return read_model(SimpleNamespace(tree=tree, robots=robots, model=model, moving=()))


@pytest.mark.parametrize("name", ROBOTS)
def test_frames_and_velocities_are_those_of_pinocchio(name):
    oracle = Oracle(name, mimic=False)
    tree, rng = oracle.tree, np.random.default_rng(5)
    Q, DQ = random_configurations(tree, 5, rng)
    now = frames_at(model_of(tree), Q, DQ, np.zeros((5, 0, 18)), np.zeros(5))
    for k in range(5):
        poses, twists = oracle.at(Q[k], DQ[k])
        for link, pose, twist in zip(oracle.links, poses, twists):
            frame, offset = tree.link(link)
            lever = now.turn[k, frame] @ offset[:3, 3]
            np.testing.assert_allclose(
                now.turn[k, frame] @ offset[:3, :3], pose[:3, :3], atol=1e-12
            )
            np.testing.assert_allclose(now.place[k, frame] + lever, pose[:3, 3], atol=1e-12)
            np.testing.assert_allclose(now.spin[k, frame], twist[:3], atol=1e-11)
            speed = now.speed[k, frame] + np.cross(now.spin[k, frame], lever)
            np.testing.assert_allclose(speed, twist[3:], atol=1e-11)


def test_rotations_are_those_of_scipy():
    from scipy.spatial.transform import Rotation

    vectors = np.random.default_rng(0).normal(size=(50, 3)) * 3.0
    vectors[:3] = [[0, 0, 0], [1e-12, 0, 0], [0, np.pi, 0]]
    np.testing.assert_allclose(
        rotations(vectors), Rotation.from_rotvec(vectors).as_matrix(), atol=1e-15
    )


@pytest.mark.parametrize("seed", range(40))
def test_reach_is_between_what_is_reached_and_the_checkers(seed):
    rng = np.random.default_rng(seed)
    world = World(rng)
    tree, model = world.tree, model_of(world.tree)
    frame = int(rng.integers(1, tree.frames))
    points = rng.normal(size=(int(rng.integers(1, 7)), 3)) * 0.2 * world.size
    theirs = MotionBound(tree, [MovingBody("x", frame, points)])
    body = PointSet(points, lambda d: (d @ points.T).max(axis=1))
    mine = reaches(model, [frame], [body], model.range)
    chain = theirs.chain[:, 0]
    assert (mine[0, chain] <= theirs.reach).all()
    assert (mine[0, np.setdiff1d(np.arange(model.frames), chain)] == 0.0).all()
    slides = np.array([kind == "prismatic" for kind in tree.kinds])
    low, high = np.where(slides, tree.lower, -7.0), np.where(slides, tree.upper, 7.0)
    Q = rng.uniform(low, high, (400, len(slides)))
    for k, j in enumerate(chain):
        if model.slides[j]:
            assert mine[0, j] == 1.0
            continue
        # Seen from the joint's own frame its axis is z. Slides that follow a turning joint may be
        # anywhere; what they travel beyond the range counted on is taken off.
        seen = _seen_from(model, Q, frame, int(j), points)
        reached = np.hypot(seen[..., 0], seen[..., 1])
        beyond = _beyond(model, Q, chain[k + 1 :])
        assert (reached.max(axis=1) <= mine[0, j] + beyond).all()


def _seen_from(model, Q, frame, joint, points):
    now = frames_at(model, Q, np.zeros_like(Q), np.zeros((len(Q), 0, 18)), np.zeros(len(Q)))
    world = np.einsum("nij,kj->nki", now.turn[:, frame], points) + now.place[:, None, frame]
    return np.einsum("nkj,nji->nki", world - now.place[:, None, joint], now.turn[:, joint])


def _beyond(model, Q, frames):
    total = np.zeros(len(Q))
    for f in frames:
        if model.slides[f]:
            x = model.multiplier[f] * Q[:, model.index[f]] + model.offset[f]
            total += np.maximum(0.0, np.maximum(model.range[f, 0] - x, x - model.range[f, 1]))
    return total * (1.0 + 1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_motion_stays_within_the_bound_and_the_bound_within_the_checkers(seed):
    """Two bodies of a random tree along a random segment, seen from their common frame."""
    world, parts, qa, qb = two_boxes(np.random.default_rng(1000 + seed))
    tree = world.tree
    model = model_of(tree, parts)
    coefficients = np.zeros((1, 6, len(qa)))
    coefficients[0, 0], coefficients[0, 1] = qa, qb - qa
    certificate = SimpleNamespace(
        coefficients=coefficients, deviation=np.zeros(len(qa)), rounding=np.zeros((1, len(qa))),
        glides=np.zeros((1, 0, 18)),
    )  # fmt: skip
    reach = measure(model, certificate, np.zeros((2, 3)))
    rows = np.zeros(1, dtype=PROOF)
    rows["end"] = 1.0
    mine = bound(model, certificate, reach, rows, (np.array([0]), np.array([1])), centres=False)
    bodies = [MovingBody(p.body, p.frame, p.core) for p in parts]
    theirs = MotionBound(tree, bodies)
    pair, motion = theirs.pair("a", "b"), theirs.segment(qa, qb)
    assert mine.length[0] <= motion.length(pair) * (1.0 + 1e-12)
    assert mine.curvature[0] <= motion.curvature(pair) * (1.0 + 1e-12)
    t = np.linspace(0.0, 1.0, 101)
    Q = qa + t[:, None] * (qb - qa)
    stop = pair.common - 1
    moved, strayed = 0.0, 0.0
    for part in parts:
        out = np.empty((len(t), len(part.core), 3))
        # The points in the frame of the link: the tree's frame is turned to its joint's axis.
        offset = tree.link(world.names[part.frame - 1])[1]
        local = (part.core - offset[:3, 3]) @ offset[:3, :3]
        track(world.plain, part.frame - 1, stop, np.ascontiguousarray(local), Q, out)
        moved += np.sqrt(((out - out[0]) ** 2).sum(axis=2)).max(axis=1)
        v = (out[1] - out[0]) / t[1]
        off = out - out[0] - t[:, None, None] * v
        strayed += np.sqrt((off**2).sum(axis=2)).max(axis=1)
    tiny = 1e-9 * (1.0 + mine.length[0])
    assert (moved <= t * mine.length[0] + tiny).all()
    # v is a quotient of differences here, off by at most t1 M / 2.
    assert (strayed <= 0.5 * (t * t + t[1] * t) * mine.curvature[0] + tiny).all()


def two_boxes(rng):
    """A random tree with two boxes on it, and a segment."""
    world = World(rng)
    size = float(world.size)
    parts = [
        Part(name, 0, int(rng.integers(1, world.tree.frames)),
             so.Box(rng.uniform(0.05, 0.3, 3) * size), random_poses(rng, 1, 0.2 * size)[0])
        for name in ("a", "b")
    ]  # fmt: skip
    return world, parts, *world.random_segment(rng)


@pytest.mark.parametrize("seed", range(30))
def test_closing_and_nearing_are_those_of_the_points(seed):
    """Against points handed up joint by joint to the common frame, a little before and after."""
    rng = np.random.default_rng(2000 + seed)
    world, parts, qa, qb = two_boxes(rng)
    tree, model = world.tree, model_of(world.tree, parts)
    frames = np.array([p.frame for p in parts])
    centres = np.array([p.core[3] for p in parts])  # any point that moves with the part
    scene = SimpleNamespace(model=model, frames=frames, part=lambda k: parts[k], centres=centres)
    u, step = 0.4, 1e-6
    coefficients = np.zeros((1, 6, len(qa)))
    coefficients[0, 0], coefficients[0, 1] = qa, qb - qa
    now = instants(model, coefficients, np.zeros((1, 0, 18)), np.array([u]))
    zero, one = np.array([0]), np.array([1])
    rows = Rows(scene, zero, np.zeros(1, dtype=PROOF), zero, one, now, zero, np.ones(1))
    common = rows.common()
    assert common[0] == tree.common(*frames)
    # Velocities of all corners, along the world's axes, seen from the common frame.
    Q = qa + np.array([u - step, u + step])[:, None] * (qb - qa)
    seen = np.eye(3)
    if common[0]:
        link = tree.link(world.names[common[0] - 1])[1]
        seen = now.turn[0, common[0]] @ link[:3, :3]
    speeds = []
    for part in parts:
        out = np.empty((2, len(part.core), 3))
        offset = tree.link(world.names[part.frame - 1])[1]
        local = np.ascontiguousarray((part.core - offset[:3, 3]) @ offset[:3, :3])
        track(world.plain, part.frame - 1, int(common[0]) - 1, local, Q, out)
        speeds.append((out[1] - out[0]) / (2 * step) @ seen.T)
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    found = _approach(rows, zero, common, -n[None], False)
    found += _approach(rows, one, common, n[None], False)
    fast = 1e-6 * (world.size + sum(np.abs(v).max() for v in speeds))
    assert found[0] == pytest.approx((-speeds[0] @ n).max() + (speeds[1] @ n).max(), abs=fast)
    found = _approach(rows, zero, common, -n[None], True)
    found += _approach(rows, one, common, n[None], True)
    assert found[0] == pytest.approx(-speeds[0][3] @ n + speeds[1][3] @ n, abs=fast)
    nearing = _nearing(rows, boxes=False)[0]
    middles = [v.mean(axis=0) for v in speeds]
    best = min(
        sum(np.linalg.norm(v - w, axis=1).max() for v in speeds) for w in (np.zeros(3), *middles)
    )
    assert nearing <= best + fast  # it tries these velocities among others
    # No two corners near each other faster.
    apart = speeds[0][:, None] - speeds[1][None]
    assert np.linalg.norm(apart, axis=2).max() <= nearing + fast
    with pytest.MonkeyPatch.context() as few:
        few.setattr("standoff.paths.verify.meshes._MANY", 0)
        assert np.linalg.norm(apart, axis=2).max() <= _nearing(rows, boxes=True)[0] + fast


def test_slides_beyond_their_limits_reach_farther(tmp_path):
    """A ball on a boom that turns: 0.1 m of travel by its limits, 5 m by the motion."""
    link = (
        '<link name="l{}"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>'
    )
    joint = (
        '<joint name="j{0}" type="{1}"><parent link="{2}"/><child link="l{0}"/><axis xyz="{3}"/>'
        '<limit lower="-0.1" upper="0.1" velocity="1" effort="1"/></joint>'
    )
    text = f"""<robot name="r"><link name="base"/>{link.format(0)}{link.format(1)}
      {joint.format(0, "revolute", "base", "0 0 1")}{joint.format(1, "prismatic", "l0", "1 0 0")}
    </robot>"""
    (tmp_path / "r.urdf").write_text(text)
    cell = so.Cell()
    cell.add_robot(tmp_path / "r.urdf", name="r")
    prover = Prover(cell, path_coefficients([[0.0, 5.0], [1.0, 5.0], [1.0, 0.05]]))
    ball = next(k for k, p in enumerate(prover.scene.model.parts) if p.body == "r/l1")
    rows = np.zeros(2, dtype=PROOF)
    rows["piece"], rows["end"] = [0, 1], 1.0
    for centres in (False, True):
        found = prover.scene.bound(rows, (np.array([ball, ball]), None), centres=centres)
        assert found.length[0] == pytest.approx(5.0, rel=1e-6)
        assert found.curvature[0] == pytest.approx(5.0, rel=1e-6)
        assert found.length[1] == pytest.approx(4.95, rel=1e-6) and found.curvature[1] == 0.0


def test_gliding_bodies_stay_within_their_bound():
    rng = np.random.default_rng(3)
    for _ in range(10):
        cell = so.Cell()
        cell.add_body("cart", so.Box(rng.uniform(0.1, 1.0, 3)), moving=True)
        glide = glide_rows(random_poses(rng, 1, 2.0)[0], rng.normal(size=3), 2 * rng.normal(size=3))
        prover = Prover(cell, np.zeros((1, 6, 0)), glides=glide[:, None])
        rows = np.zeros(1, dtype=PROOF)
        rows["end"] = 1.0
        found = prover.scene.bound(rows, (np.array([0]), None), centres=False)
        core = prover.scene.part(0).core
        t = np.linspace(0.0, 1.0, 201)
        poses = np.array([prover.frames(0, u)[-1] for u in t])
        at = np.einsum("nij,kj->nki", poses[:, :3, :3], core) + poses[:, None, :3, 3]
        v = glide[0, 12:15] + np.cross(glide[0, 15:], at[0] - poses[0, :3, 3])
        moved = np.linalg.norm(at - at[0], axis=2).max(axis=1)
        off = np.linalg.norm(at - at[0] - t[:, None, None] * v, axis=2).max(axis=1)
        assert (moved <= t * found.length[0] + 1e-12).all()
        assert (off <= 0.5 * t * t * found.curvature[0] + 1e-12).all()
        assert off[1] >= 0.1 * 0.5 * t[1] ** 2 * found.curvature[0]  # and not far beyond it


coefficients = st.lists(st.floats(-5, 5).filter(lambda x: x == 0 or abs(x) > 1e-6), min_size=1,
                        max_size=6)  # fmt: skip


@settings(deadline=None, max_examples=150, derandomize=True)
@given(coefficients, st.floats(0, 1), st.floats(0, 1))
def test_extremes_of_polynomials(c, a, b):
    c, start, end = np.array([c]), np.array([min(a, b)]), np.array([max(a, b)])
    low, high = extremes(c, start, end)
    u = start + np.linspace(0, 1, 2001) * (end - start)
    values = value(c, u)
    assert low <= values.min() and values.max() <= high
    step = (end - start) / 2000
    steepness = np.abs(np.arange(c.shape[1]) ** 2 * c).sum()
    assert low >= values.min() - steepness * step**2 - 1e-13 * np.abs(c).sum() - 1e-300
    assert high <= values.max() + steepness * step**2 + 1e-13 * np.abs(c).sum() + 1e-300
    most = largest(c, start, end)
    assert np.abs(values).max() <= most <= max(-low[0], high[0]) + 1e-300


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: type(s).__name__)
def test_support_functions_agree_with_points_and_bounds(shape):
    rng = np.random.default_rng(2)
    d = rng.normal(size=(200, 3))
    h = core_support(shape, d)
    points = core_points(shape)
    hull = (d @ points.T).max(axis=1)
    if isinstance(shape, so.Cylinder):
        assert (h <= hull).all() and (hull <= h * (1 + 1e-4)).all()
    else:
        np.testing.assert_allclose(h, hull, atol=1e-14)
    np.testing.assert_allclose((shape.support(d) * d).sum(axis=1), h, atol=1e-14)
    low, high = shape.bounds()
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    np.testing.assert_allclose(
        core_support(shape, axes) + shape.swept_radius, [*high, *-low], atol=1e-14
    )
    centre = rng.normal(size=3)
    n = rng.normal(size=(20000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    sampled = (core_support(shape, n) + shape.swept_radius - n @ centre).max()
    assert sampled <= farthest(shape, centre) + 1e-12
    assert farthest(shape, centre) <= sampled * 1.01


def test_segments_and_boxes():
    rng = np.random.default_rng(4)
    start, way = rng.normal(size=(300, 3)), rng.normal(size=(300, 3))
    way[:40] = 0.0
    way[40:80, 1] = 0.0
    lower = rng.normal(size=(300, 3)) * 0.5
    upper = lower + rng.uniform(0.0, 1.0, (300, 3))
    found = segment_to_box(start, way, lower, upper)
    t = np.linspace(0, 1, 3001)[:, None]
    for k in range(300):
        at = start[k] + t * way[k]
        sampled = np.linalg.norm(at - np.clip(at, lower[k], upper[k]), axis=1).min()
        assert found[k] <= sampled + 1e-14
        assert found[k] >= sampled - np.linalg.norm(way[k]) / 6000 - 1e-14


def gap(soup, other, turn, place, wanted):
    """Of a mesh at poses from another body at the origin."""
    roots = np.zeros(len(wanted), dtype=np.int64)
    if isinstance(other, (so.Mesh, so.Polyhedron)):
        return soup_gap(soup_of(other), soup, turn, place, wanted, (roots, roots))
    kind, size = solid(other)
    return convex_gap(soup, kind, np.tile(size, (len(wanted), 1)), turn, place, wanted, roots)


@pytest.mark.parametrize(
    "other",
    [*SHAPES[:4], so.HalfSpace(), SHAPES[4], star(seed=5, radius=0.4)],
    ids=lambda s: type(s).__name__,
)
def test_mesh_gaps_are_lower_bounds_that_reach_the_distance(other):
    mesh = torus(ring=0.4, tube=0.1, around=14, across=7)
    soup = soup_of(mesh)
    rng = np.random.default_rng(6)
    poses = random_poses(rng, 40, 1.2)
    if isinstance(other, so.HalfSpace):
        poses[:, 2, 3] += 0.7
    turn, place = poses[:, :3, :3], poses[:, :3, 3]
    true = np.array([so.distance(mesh, pose, other, np.eye(4)).distance for pose in poses])
    wanted = np.maximum(true, 0.0) + 0.05
    found = gap(soup, other, turn, place, wanted)
    theirs = [coal_oracle.geometry(shape) for shape in (mesh, other)]
    if isinstance(other, so.Box):  # of overlaps no depth is known
        skin = gap(soup, box_mesh(*other.size), turn, place, wanted)
        np.testing.assert_allclose(np.maximum(skin, 0), np.maximum(found, 0), atol=1e-12)
    apart = 0
    for k in range(40):
        if true[k] <= 0.0:
            assert found[k] <= max(1e-9, -true[k] + 1e-9)
            continue
        apart += 1
        assert found[k] <= true[k] + 1e-12
        assert found[k] >= true[k] - (1e-9 if isinstance(other, so.Cylinder) else 1e-12)
        if not isinstance(other, so.HalfSpace):
            outside, *_ = coal_oracle.distance(theirs[0], poses[k], theirs[1], np.eye(4))
            assert found[k] == pytest.approx(outside, abs=1e-5)
        half = np.array([0.5 * true[k]])
        one = (turn[k : k + 1], place[k : k + 1], half)
        assert gap(soup, other, *one)[0] == half[0]
    assert apart > 12


def test_gaps_of_many_pairs_together_are_those_of_each():
    """Trees of several meshes are walked as one: whatever the pair, no other one changes it."""
    rng = np.random.default_rng(9)
    meshes = [torus(ring=0.4, tube=0.1, around=14, across=7), star(seed=5), box_mesh(0.3, 0.2, 0.5)]
    others = [*SHAPES[:4], so.HalfSpace(), SHAPES[4], *meshes]
    pairs = [(a, b) for a in meshes for b in others]
    at, there = (random_poses(rng, len(pairs), 0.8) for _ in range(2))
    at, there = ((poses[:, :3, :3], poses[:, :3, 3]) for poses in (at, there))
    soups = {}
    scene = SimpleNamespace(soup=lambda shape: soups.setdefault(id(shape), soup_of(shape)))
    wanted = np.full(len(pairs), 0.3)
    found = body_gaps(scene, *zip(*pairs), at, there, wanted)
    for k, (a, b) in enumerate(pairs):
        one = [tuple(x[k : k + 1] for x in poses) for poses in (at, there)]
        assert found[k] == body_gaps(scene, [a], [b], *one, wanted[:1])[0]
        poses = [np.eye(4), np.eye(4)]
        for pose, (turn, place) in zip(poses, one):
            pose[:3, :3], pose[:3, 3] = turn[0], place[0]
        true = so.distance(a, poses[0], b, poses[1]).distance
        if true > 0.0:
            assert found[k] == pytest.approx(min(true, 0.3), abs=1e-9)
        else:
            assert found[k] <= 1e-9
    assert (found == 0.3).any() and ((found > 0.0) & (found < 0.3)).sum() > 3


def test_solids_hold_what_is_inside():
    shell = so.Mesh(*joined(box_arrays(2, 2, 2), (box_arrays()[0], box_arrays()[1][:, ::-1])))
    assert shell.closed
    hollow = soup_of(shell)
    points = np.array([[0, 0, 0], [0.75, 0, 0], [1.5, 0, 0], [0.4, 0.4, 0.4], [0, 0.9, 0.9]])
    assert hollow.holds(points).tolist() == [False, True, False, False, True]
    assert len(hollow.seeds) == 2
    assert len(soup_of(torus()).seeds) == 1
    body = star(seed=1)
    points = np.random.default_rng(0).uniform(-0.6, 0.6, (200, 3))
    speck = so.Sphere(1e-9)
    inside = [so.distance(body, None, speck, so.pose(p)).distance < 0.0 for p in points]
    assert soup_of(body).holds(points).tolist() == inside and 20 < sum(inside) < 180
    points = np.array([[0.4, 0, 0], [0.6, 0, 0]])
    assert soup_of(box_mesh()).holds(points).tolist() == [True, False]
    points, faces = box_arrays()
    for some in (faces[:-1], faces[:-1, ::-1]):
        assert soup_of(so.Mesh(points, some)).holds(np.zeros((1, 3))).all()
        assert not soup_of(so.Mesh(points, some, sheet=True)).holds(np.zeros((1, 3))).any()
    assert soup_of(box_mesh()).holds(np.zeros((1, 3))).all()


@pytest.mark.parametrize("a", SHAPES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("b", [*SHAPES, so.HalfSpace()], ids=lambda s: type(s).__name__)
def test_distances_and_depths_of_witnesses(a, b):
    rng = np.random.default_rng(8)
    deep = apart = 0
    for pose in random_poses(rng, 18, 0.7):
        true = so.distance(a, pose, b, np.eye(4)).distance
        near = distance_at_most(a, pose, b, np.eye(4))
        if true > 0.0:
            apart += 1
            assert true - 1e-9 <= near <= true + 1e-6
        elif true < -1e-3 and deep < 2:
            deep += 1
            assert near <= 1e-6
            assert deeper_than(a, pose, b, np.eye(4), -true - 1e-4)
            assert not deeper_than(a, pose, b, np.eye(4), -true + 1e-6)
    assert deep and (apart or isinstance(b, so.HalfSpace))


def test_a_cylinder_beside_a_mesh_is_as_far_as_it_is():
    """Projections to and fro had not converged after 200 steps, and honest proofs were refused."""
    rng = np.random.default_rng(8)
    cylinder, faces = so.Cylinder(0.06, 0.6), np.array([[0, 1, 2]])
    checked = 0
    while checked < 60:
        corners = rng.normal(size=(3, 3)) * rng.choice([0.01, 0.1, 1.0], size=(3, 1))
        corners[:, 0] += 0.06 + rng.choice([0.0, 0.1, 0.5])
        mesh = so.Mesh(corners, faces)
        true = so.distance(mesh, np.eye(4), cylinder, np.eye(4)).distance
        if true <= 1e-4:
            continue
        checked += 1
        one = np.eye(3)[None], np.zeros((1, 3)), np.array([2.0 * true])
        found = gap(soup_of(mesh), cylinder, *one)[0]
        assert true - 1e-9 <= found <= true + 1e-9
