"""Motions planted to deceive a path check: what fits between samples, turns that end where they
began, slides, arms in step, distances that stay exactly at the clearance, worlds of any size."""

import math

import numpy as np
import pytest

import standoff as so
from tests.oracles.paths import Oracle

Z, Y = (0, 0, 1), (0, 1, 0)


def urdf(name, joints, shapes):
    """A chain: ``joints`` are (kind, axis, origin), ``shapes`` the collision elements behind each;
    those of the base come first."""
    text = lambda v: " ".join(map(repr, map(float, v)))  # noqa: E731
    parts = [f'<robot name="{name}"><link name="link0">{shapes[0]}</link>']
    for k, (kind, axis, origin) in enumerate(joints, 1):
        limit = "" if kind == "continuous" else 'lower="-100" upper="100"'
        parts.append(
            f'<link name="link{k}">{shapes[k]}</link><joint name="joint{k}" type="{kind}">'
            f'<parent link="link{k - 1}"/><child link="link{k}"/><origin xyz="{text(origin)}"/>'
            f'<axis xyz="{text(axis)}"/><limit {limit} velocity="1" effort="1"/></joint>'
        )
    return "".join(parts) + "</robot>"


def capsule(radius, length, xyz=(0, 0, 0), rpy=(0, 0, 0)):
    return element(f'<capsule radius="{radius!r}" length="{length!r}"/>', xyz, rpy)


def ball(radius, xyz=(0, 0, 0)):
    return element(f'<sphere radius="{radius!r}"/>', xyz, (0, 0, 0))


def block(size, xyz=(0, 0, 0)):
    return element(f'<box size="{" ".join(map(repr, size))}"/>', xyz, (0, 0, 0))


def element(shape, xyz, rpy):
    text = lambda v: " ".join(map(repr, map(float, v)))  # noqa: E731
    return (
        f'<collision><origin xyz="{text(xyz)}" rpy="{text(rpy)}"/>'
        f"<geometry>{shape}</geometry></collision>"
    )


@pytest.fixture
def add(tmp_path):
    """Adds a robot of `urdf` to a cell."""

    def add(cell, name, joints, shapes, base=None):
        path = tmp_path / f"{name}.urdf"
        path.write_text(urdf(name, joints, shapes))
        cell.add_robot(path, name=name, base=base)

    return add


@pytest.mark.parametrize("step", [0.1, 0.01, 0.001, 0.0001])
def test_a_wire_that_fits_between_two_samples_is_found(add, step):
    """A needle sweeps a circle of 1 m; a wire stands half a step off every sample."""
    thickness = 0.1 * step
    cell = so.Cell()
    needle = capsule(thickness, 1.0, (0.5, 0, 0), (0, math.pi / 2, 0))
    add(cell, "needle", [("revolute", Z, (0, 0, 0))], ["", needle])
    turn = 1.0
    count = round(turn / step)
    angle = turn * (count // 3 + 0.5) / count
    at = so.pose((0.9 * math.cos(angle), 0.9 * math.sin(angle), 0.0))
    cell.add_body("wire", so.Capsule(thickness, 0.4), at)
    samples = np.linspace(0.0, turn, count + 1)[:, None]
    oracle = Oracle(cell)
    for q in samples[count // 3 - 2 : count // 3 + 4]:
        assert oracle.at(q) > 0.1 * step
    verdict = so.PathChecker(cell, tolerance=0.01 * step).segment([0.0], [turn])
    assert verdict.kind == "collision"
    assert abs(verdict.t * turn - angle) < step / 2
    assert oracle.witness_distance(verdict.q, *verdict.pair) < 1e-9


def needle_and_wire(rng):
    """A Panda with a needle in its hand, a segment of 1 rad, and a wire across the needle's way
    where it is at ``t``, halfway between two samples of 0.01 rad."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    cell.add_body("needle", so.Capsule(1e-5, 0.03), so.pose((5, 5, 5)))
    cell.attach("needle", "panda/panda_hand", pose=so.pose((0, 0, 0.16), rpy=(math.pi / 2, 0, 0)))
    for finger in ("panda/panda_leftfinger", "panda/panda_rightfinger"):
        cell.allow("needle", finger)
    qa = rng.uniform(cell.tree.lower, cell.tree.upper)
    way = rng.normal(size=len(qa)) * (np.arange(len(qa)) < 7)
    qb = qa + way / np.linalg.norm(way)
    t = 0.01 * (int(rng.integers(20, 80)) + 0.5)
    here, soon = (cell.pose("needle", qa + s * (qb - qa)) for s in (t, t + 1e-6))
    velocity = (soon - here)[:3, 3] / 1e-6
    across = np.cross(velocity, here[:3, 2])
    frame = here.copy()
    ahead, along = velocity / np.linalg.norm(velocity), across / np.linalg.norm(across)
    frame[:3, :3] = np.stack([ahead, np.cross(along, ahead), along], axis=1)
    cell.add_body("wire", so.Capsule(1e-5, 0.01), frame)
    return cell, qa, qb, t


def test_a_needle_in_the_hand_of_a_panda_meets_a_wire_between_samples():
    """At both samples beside the wire, and at all others, nothing touches."""
    rng, seen = np.random.default_rng(7), 0
    while seen < 6:
        cell, qa, qb, t = needle_and_wire(rng)
        oracle = Oracle(cell)
        samples = np.linspace(0.0, 1.0, 101)
        if min(oracle.at(qa + s * (qb - qa)) for s in samples) < 1e-4:
            continue  # it does not fit, or something else is in the way
        seen += 1
        checker = so.PathChecker(cell, tolerance=1e-6)
        verdict = checker.segment(qa, qb)
        assert verdict.kind == "collision"
        if set(verdict.pair) == {"needle", "wire"}:
            assert abs(verdict.t - t) < 0.005
        cell.remove_body("wire")
        if checker.segment(qa, qb).free:
            assert set(verdict.pair) == {"needle", "wire"}


@pytest.mark.parametrize("turns", [1, 2, -1, -2])
@pytest.mark.parametrize("angle", [0.3, math.pi, 5.9])
def test_a_wrist_that_turns_fully_round_meets_what_stands_on_its_way(add, turns, angle):
    cell = so.Cell(unwatched="allow")
    wrist = ball(0.01, (0.1, 0, 0))
    add(cell, "wrist", [("continuous", Z, (0, 0, 0))], ["", wrist])
    post = so.pose((0.1 * math.cos(angle), 0.1 * math.sin(angle), 0.0))
    checker = so.PathChecker(cell)
    end = 2.0 * math.pi * turns
    assert checker.segment([0.0], [end]).kind == "free"
    cell.add_body("post", so.Sphere(0.001), post)
    assert Oracle(cell).at([0.0]) > 0.0 and Oracle(cell).at([end]) > 0.0
    verdict = checker.segment([0.0], [end], first=True)
    assert verdict.kind in ("collision", "too_close")
    reach = 2.0 * math.asin(0.5 * (0.011 + checker.tolerance) / 0.1)
    way = angle if turns > 0 else 2.0 * math.pi - angle
    assert abs(verdict.t * abs(end) - way) < reach + 1e-6
    assert checker.segment([0.0], [end]).kind in ("collision", "too_close")
    assert not checker.segments([[0.0]], [[end]])[0]


def test_a_turn_that_stops_short_of_the_post_is_free_whichever_way_it_is_written(add):
    """From 1 to 6 rad past nothing, and from 1 down to -0.28 rad past the post at 0.3 rad: both
    end at the same place."""
    cell = so.Cell()
    add(cell, "wrist", [("continuous", Z, (0, 0, 0))], ["", ball(0.01, (0.1, 0, 0))])
    cell.add_body("post", so.Sphere(0.001), so.pose((0.1 * math.cos(0.3), 0.1 * math.sin(0.3), 0)))
    checker = so.PathChecker(cell)
    assert checker.segment([1.0], [6.0]).kind == "free"
    assert checker.segment([1.0], [6.0 - 2.0 * math.pi]).kind == "collision"


@pytest.mark.parametrize("t", [0.13, 0.5, 0.87])
def test_an_arm_that_turns_while_it_grows_meets_a_pearl_on_its_spiral(add, t):
    """A revolute joint carries a slide: the reach of the turn grows with the travel beyond it."""
    cell = so.Cell()
    here = (0, 0, 0)
    joints = [("prismatic", Z, here), ("revolute", Z, here), ("prismatic", (1, 0, 0), here)]
    add(cell, "crane", joints, ["", "", "", ball(0.002)])
    qa, qb = np.array([0.0, -1.0, 0.05]), np.array([0.4, 4.0, 2.0])
    height, turn, reach = qa + t * (qb - qa)
    place = np.array([reach * math.cos(turn), reach * math.sin(turn), height])
    cell.add_body("pearl", so.Sphere(0.002), so.pose(place))
    checker = so.PathChecker(cell, tolerance=1e-4)
    verdict = checker.segment(qa, qb)
    assert verdict.kind == "collision" and abs(verdict.t - t) < 0.01
    # A pearl as far from the spiral as two tolerances, on its outer side.
    away = place + np.array([math.cos(turn), math.sin(turn), 0.0]) * 0.05
    cell.remove_body("pearl")
    cell.add_body("pearl", so.Sphere(0.002), so.pose(away))
    nearest = Oracle(cell).nearest(qa, qb)
    gap = nearest.distance
    assert gap > 1e-3
    assert so.PathChecker(cell, clearance=gap - 3e-4, tolerance=1e-4).segment(qa, qb).free
    assert not so.PathChecker(cell, clearance=gap, tolerance=1e-4).segment(qa, qb).free


@pytest.mark.parametrize("seed", range(3))
def test_slides_and_turns_are_never_judged_wrongly(add, seed):
    rng = np.random.default_rng((8, seed))
    cell = so.Cell()
    kinds = ["prismatic", "revolute", "prismatic", "continuous", "prismatic", "revolute"]
    axes = rng.normal(size=(6, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    joints = [(k, a, rng.uniform(-0.1, 0.1, 3)) for k, a in zip(kinds, axes)]
    parts = ["", *(capsule(0.01, 0.1, rng.uniform(-0.05, 0.05, 3)) for _ in kinds)]
    add(cell, "mix", joints, parts)
    for k in range(12):
        place = so.pose(rng.uniform(-0.8, 0.8, 3), rpy=rng.uniform(-3, 3, 3))
        shape = so.Capsule(0.0005, 0.5) if k % 2 else so.Box((0.2, 0.2, 0.001))
        cell.add_body(f"thin{k}", shape, place)
    for k in range(1, 6):
        for m in range(1, k):
            cell.allow(f"mix/link{k}", f"mix/link{m}")
    oracle, checker = Oracle(cell), so.PathChecker(cell)
    kinds = {"free": 0, "collision": 0}
    scale = np.array([0.5, 3.0, 0.5, 3.0, 0.5, 3.0])
    for _ in range(250):
        qa = rng.uniform(-1, 1, 6) * scale
        qb = qa + rng.normal(size=6) * scale * 10.0 ** rng.uniform(-1.5, 0.0)
        verdict = checker.segment(qa, qb)
        kinds[verdict.kind] = kinds.get(verdict.kind, 0) + 1
        if verdict.free:
            assert oracle.touches(qa, qb).distance == math.inf, (qa, qb)
        else:
            assert verdict.kind != "undecided"
            distance = oracle.witness_distance(verdict.q, *verdict.pair)
            limit = 0.0 if verdict.kind == "collision" else checker.tolerance
            assert distance < limit + 2e-6, (qa, qb, verdict)
    assert kinds["free"] > 20 and kinds["collision"] > 20, kinds


@pytest.mark.parametrize("gap", [2e-3, 2e-4])
def test_two_arms_in_step_are_certified_though_they_nearly_touch(add, gap):
    """Three links each, in two planes a hair apart; both swing alike through 3 rad a joint."""
    cell = so.Cell()
    radius, length = 0.04, 0.4
    joints = [("revolute", Y, (0, 0, 0)), *[("revolute", Y, (0, 0, length))] * 2]
    parts = ["", *[capsule(radius, length, (0, 0, length / 2))] * 3]
    for k, name in enumerate(("left", "right")):
        add(cell, name, joints, parts, base=so.pose((0, k * (2 * radius + gap), 0)))
        cell.allow(f"{name}/link1", f"{name}/link3")
    checker = so.PathChecker(cell, tolerance=gap / 3)
    half = np.array([1.0, -2.0, 1.5]), np.array([-2.0, 1.0, -1.5])
    qa, qb = (np.tile(q, 2) for q in half)
    verdict = checker.segment(qa, qb)
    assert verdict.kind == "free", verdict
    assert Oracle(cell).at(qa) == pytest.approx(gap, abs=1e-9)
    # One of them in the plane of the other's first joint, a little ahead: still no contact.
    assert checker.segments(qa[None], qb[None])[0]
    tight = so.PathChecker(cell, clearance=gap, tolerance=gap / 3)
    assert tight.segment(qa, qb).kind == "too_close"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("gap", [0.0, 0.25, 0.0625])
def test_a_body_that_slides_at_exactly_the_clearance_is_not_free(add, gap, turned):
    """All lengths are exact in float64, so the distance is exactly ``gap`` at every instant."""
    cell = so.Cell()
    add(cell, "cart", [("prismatic", (1, 0, 0), (0, 0, 0))], ["", block((0.5, 0.5, 0.5))])
    table = so.HalfSpace() if turned else so.Box((16, 4, 1))
    height = -0.25 - gap if turned else -0.75 - gap
    cell.add_body("table", table, so.pose((0, 0, height)))
    qa, qb = [-4.0], [4.0]
    assert Oracle(cell).at(qa) == gap
    for tolerance in (1e-3, 1e-6):
        verdict = so.PathChecker(cell, clearance=gap, tolerance=tolerance).segment(qa, qb)
        assert verdict.kind == "too_close"
        assert verdict.distance == pytest.approx(gap, abs=1e-12)
        more = so.PathChecker(cell, clearance=gap + 1e-9, tolerance=tolerance)
        assert not more.segment(qa, qb).free
        less = so.PathChecker(cell, clearance=gap - 2 * tolerance, tolerance=tolerance)
        assert less.segment(qa, qb).free


def test_a_ball_that_circles_a_post_at_the_clearance_is_not_free(add):
    """The same on a circle, where rounding blurs the distance."""
    cell = so.Cell()
    add(cell, "arm", [("continuous", Z, (0, 0, 0))], ["", ball(0.0625, (1.0, 0, 0))])
    cell.add_body("post", so.Cylinder(0.5, 4.0))
    gap = 1.0 - 0.0625 - 0.5
    for end in (0.5, 2.0 * math.pi, 20.0):
        assert not so.PathChecker(cell, clearance=gap + 1e-9).segment([0.0], [end]).free
        near = so.PathChecker(cell, clearance=gap - 2e-6, tolerance=1e-6)
        assert near.segment([0.0], [end]).free


SCALES = (1e-3, 2.0**-10, 1.0, 2.0**10, 1e3)


def test_the_same_world_from_a_millimetre_to_a_kilometre_gives_the_same_verdicts(add):
    """Reach and obstacles of 1 mm, 1 m and 1 km. Verdicts may differ only where the nearest is
    within a tolerance of the limit, and never be wrong."""
    rng = np.random.default_rng(9)
    kinds, sizes = rng.integers(3, size=14), rng.uniform(0.05, 0.2, 14)
    places, angles = rng.uniform(-0.9, 0.9, (14, 3)), rng.uniform(-3, 3, (14, 3))
    ends = [rng.uniform(-1, 1, (2, 4)) * (2.5, 0.3, 2.5, 2.5) for _ in range(60)]
    said, nearest = {}, []
    for number, scale in enumerate(SCALES):
        cell = so.Cell()
        joints = [
            ("revolute", Z, (0, 0, 0)),
            ("prismatic", (1, 0, 0), (0.1 * scale, 0, 0.1 * scale)),
            ("revolute", Y, (0.3 * scale, 0, 0)),
            ("revolute", (0, 0.6, 0.8), (0.3 * scale, 0, 0)),
        ]
        link = capsule(0.03 * scale, 0.2 * scale, (0.15 * scale, 0, 0), (0, math.pi / 2, 0))
        add(cell, f"arm{number}", joints, ["", "", link, link, link])
        for k, size in enumerate((sizes * scale).tolist()):
            shape = (
                so.Sphere(size),
                so.Box((size, size, 0.001 * scale)),
                so.Capsule(0.0005 * scale, 3 * size),
            )[kinds[k]]
            cell.add_body(f"thing{k}", shape, so.pose(places[k] * scale, rpy=angles[k]))
        unit = np.array([1.0, scale, 1.0, 1.0])
        checker = so.PathChecker(cell, clearance=0.01 * scale, tolerance=0.001 * scale)
        oracle = Oracle(cell)
        said[scale] = []
        for k, (qa, qb) in enumerate(ends):
            qa, qb = qa * unit, qb * unit
            verdict = checker.segment(qa, qb)
            said[scale].append(verdict.kind != "free")
            if scale == 1.0:
                nearest.append(oracle.nearest(qa, qb).distance)
            if verdict.free:
                assert oracle.touches(qa, qb, 0.01 * scale).distance == math.inf, (scale, k)
            else:
                assert verdict.distance < (0.011 + 1e-9) * scale, (scale, k, verdict)
    marginal = np.abs(np.array(nearest) - 0.01) < 0.0015
    assert np.mean(marginal) < 0.2
    plain = np.array([said[scale] for scale in SCALES])[:, ~marginal]
    assert 0.1 < plain.mean() < 0.9
    assert (plain == plain[0]).all(), np.argwhere(plain != plain[0])
