"""Pairs that can never touch: proofs against samples and Coal, planted cases, what they allow."""

import io
import itertools
import math
import os
from dataclasses import replace

import numpy as np
import pytest
import trimesh
from rich.console import Console
from scipy.interpolate import CubicSpline

import standoff as so
from standoff.errors import CellError, PathError, UnknownNameError
from standoff.paths import apart_problem
from standoff.tolerances import ENCODER_TOLERANCE
from standoff.view import apart as view
from standoff.view import progress
from tests.oracles.coal import CoalCell, holds
from tests.worlds.robot_files import EXAMPLES, example

#: Coal's own GJK and mesh distances are right to about this part of the bodies' size, [-].
COAL = 2e-6

SOAK = os.environ.get("STANDOFF_SOAK") == "1"


def cell_of(urdf, tmp_path, **bodies):
    path = tmp_path / "r.urdf"
    path.write_text(urdf)
    cell = so.Cell()
    cell.add_robot(path, name="r")
    for name, (shape, pose) in bodies.items():
        cell.add_body(name, shape, pose)
    return cell


def link(name, shape="", at="0 0 0"):
    inside = f'<collision><origin xyz="{at}"/><geometry>{shape}</geometry></collision>'
    return f'<link name="{name}">{inside if shape else ""}</link>'


def joint(name, parent, child, axis="0 0 1", at="0 0 0", limits=None, kind="revolute", more=""):
    limit = "" if limits is None else f'<limit lower="{limits[0]!r}" upper="{limits[1]!r}"/>'
    limit = limit.replace("/>", ' velocity="1" effort="1"/>')
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{at}"/><axis xyz="{axis}"/>{limit}{more}</joint>'
    )


def planar_arm(links, limits, size=1.0, radius=0.05, kind="revolute"):
    """Links of length ``size`` in a row, turning about z, a ball at the tip alone."""
    text = link("l0")
    for k in range(links):
        at = "0 0 0" if k == 0 else f"{size!r} 0 0"
        text += joint(f"j{k}", f"l{k}", f"l{k + 1}", at=at, limits=limits, kind=kind)
        ball = f'<sphere radius="{radius * size!r}"/>' if k == links - 1 else ""
        text += link(f"l{k + 1}", ball, f"{size!r} 0 0")
    return f'<robot name="r">{text}</robot>'


class Oracle:
    """Whether two bodies of a cell overlap by Coal, at many configurations."""

    def __init__(self, cell, Q):
        self.coal, self.poses = CoalCell(cell), cell.tree.forward_batch(Q)
        self._placed = {}

    def _parts(self, name):
        if name not in self._placed:
            self._placed[name] = [self.coal.place(name, frames) for frames in self.poses]
        return self._placed[name]

    def touches(self, a, b):
        """How many configurations have them overlap."""
        return sum(map(self.coal.overlap, self._parts(a), self._parts(b)))


def samples(cell, count, seed=0):
    """Configurations within the limits: anywhere, with joints at limits, and in all corners."""
    rng = np.random.default_rng(seed)
    low, high = np.maximum(cell.tree.lower, -math.pi), np.minimum(cell.tree.upper, math.pi)
    shares = rng.random((count, len(low)))
    ends = rng.random((count, len(low))) < rng.choice([0.0, 0.3, 1.0], count)[:, None]
    shares[ends] = np.round(shares[ends])
    return low + (high - low) * shares


def check_touching(cell, result):
    """Each configuration shown is within limits, and Coal has the pair as near as it says."""
    coal = CoalCell(cell)
    for pair in result.touching:
        assert (pair.q >= cell.tree.lower - 1e-12).all()
        assert (pair.q <= cell.tree.upper + 1e-12).all()
        assert pair.distance <= result.clearance + 1e-9
        frames = coal.frames(pair.q)
        value, size = math.inf, 0.0
        for x, y in itertools.product(coal.place(pair.a, frames), coal.place(pair.b, frames)):
            value = min(value, coal.distance(x, y))
            size = max(size, *(np.abs(p.shape.bounds()).max() for p in (x, y) if p.shape.bounded))
            if holds(x, y) or holds(y, x):
                value = -math.inf
        assert value <= result.clearance + COAL * (1.0 + size), (pair.a, pair.b)
        gap = np.linalg.norm(pair.point_a - pair.point_b)
        assert gap == pytest.approx(abs(pair.distance), abs=1e-9)


@pytest.fixture(scope="module")
def panda():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="r")
    return cell, cell.prove_apart()


def test_every_pair_of_the_panda_is_decided(panda):
    cell, result = panda
    pairs = {(x.a, x.b) for x in (*result.apart, *result.touching)}
    assert not result.open and pairs == set(cell.pairs.watched()) and len(pairs) == 44
    assert len(result.apart) >= 20 and len(result.touching) >= 20
    assert all(x.distance > 0.0 and x.boxes >= 1 for x in result.apart)


@pytest.mark.soak
def test_no_sample_has_a_proved_pair_of_the_panda_touch(panda):
    cell, result = panda
    oracle = Oracle(cell, samples(cell, 100_000 if SOAK else 10_000))
    for pair in result.apart:
        assert oracle.touches(pair.a, pair.b) == 0, (pair.a, pair.b)


def test_coal_has_the_panda_touch_where_it_is_said_to(panda):
    check_touching(*panda)


def test_what_is_proved_is_less_than_any_distance_that_samples_find(panda):
    cell, result = panda
    model, Q = cell.model, samples(cell, 200, seed=1)
    frames = cell.tree.forward_batch(Q)
    for pair in result.apart:
        a, b = model.frame_of(pair.a), model.frame_of(pair.b)
        least = min(
            so.distance(x, T[a] @ at, y, T[b] @ there).distance
            for T in frames
            for x, at in model.parts[model.index[pair.a]]
            for y, there in model.parts[model.index[pair.b]]
        )
        assert pair.distance < least


def nearest_by_coal(cell, pair, rng, count=300, starts=4, steps=80):
    """The smallest distance that Coal has of a pair: at random, then ever finer about the best."""
    tree, coal = cell.tree, CoalCell(cell)

    def distance(frames):
        return coal.nearest(coal.place(pair.a, frames), coal.place(pair.b, frames))

    low, high = np.maximum(tree.lower, -math.pi), np.minimum(tree.upper, math.pi)
    Q = samples(cell, count, seed=int(rng.integers(2**32)))
    values = [distance(T) for T in tree.forward_batch(Q)]
    least = min(values)
    for k in np.argsort(values)[:starts]:
        q, value, width = Q[k], values[k], 0.3
        for _ in range(steps):
            move = width * (high - low) * rng.normal(size=len(q)) * (rng.random(len(q)) < 0.5)
            other = np.clip(q + move, low, high)
            found = distance(tree.forward(other))
            if found < value:
                q, value = other, found
            else:
                width *= 0.85
        least = min(least, value)
    return least


@pytest.mark.soak
@pytest.mark.parametrize(
    ("robot", "geometry", "some"),
    [
        (EXAMPLES["panda"], "auto", ("link4", "link7")),
        (EXAMPLES["baxter"], "auto", ("right_upper_elbow", "right_wrist")),
        ("kinova_description/robots/kinova.urdf", "capsules", ("j2s6s200",)),
        (EXAMPLES["tiago"], "auto", ("torso_lift", "arm_4")),
    ],
    ids=["meshes", "cylinders", "continuous", "prismatic"],
)
def test_no_search_by_coal_comes_nearer_than_what_was_proved(robot, geometry, some):
    cell = so.Cell()
    cell.add_robot(example(robot), name="r", geometry=geometry)
    pairs = [p for p in cell.pairs.watched() if any(word in name for name in p for word in some)]
    result = cell.prove_apart(pairs, budget=5_000)
    assert len(result.apart) >= 8
    rng = np.random.default_rng(4)
    few = rng.permutation(len(result.apart))[: 1000 if SOAK else 8]
    for pair in (result.apart[k] for k in few):
        assert nearest_by_coal(cell, pair, rng) > pair.distance - COAL
    check_touching(cell, result)


def test_the_same_again_gives_the_same_bits(panda):
    cell, result = panda
    again = cell.prove_apart([(x.a, x.b) for x in result.apart])
    assert again.apart == result.apart
    some = [(x.a, x.b) for x in result.touching[:8]]
    for x, y in zip(cell.prove_apart(some).touching, result.touching):
        assert (x.q == y.q).all() and x.distance == y.distance


def test_meshes_of_the_ur5(tmp_path):
    cell = so.Cell()
    cell.add_robot(example(EXAMPLES["ur5"]), name="r")
    result = cell.prove_apart()
    assert not result.open and len(result.apart) == 3 and len(result.touching) == 18
    check_touching(cell, result)
    oracle = Oracle(cell, samples(cell, 2000))
    for pair in result.apart:
        assert oracle.touches(pair.a, pair.b) == 0


def test_meshes_of_a_quadruped_are_proved_apart_by_their_hulls():
    """One distance of two such meshes takes a millisecond, and these proofs tens of thousands."""
    cell = so.Cell()
    cell.add_robot(example("solo_description/robots/solo12.urdf"), name="r")
    pairs = [("r/FL_SHOULDER", "r/HL_FOOT"), ("r/FL_UPPER_LEG", "r/HL_UPPER_LEG")]
    shares: list[float] = []
    result = cell.prove_apart(pairs, progress=shares.append)
    assert len(result.apart) == 2 and all(pair.boxes > 5000 for pair in result.apart)
    # Also while hulls are looked at: a bar that stands still tells nothing.
    assert len(shares) > 10 and shares == sorted(shares) and shares[-1] == 1.0
    oracle = Oracle(cell, samples(cell, 300))
    for pair in result.apart:
        assert oracle.touches(pair.a, pair.b) == 0, (pair.a, pair.b)


def test_no_box_is_looked_at_again_and_again_until_the_budget_is_spent():
    """Two links 4 mm apart whose hulls meet, one an open mesh: the box about where they are nearest
    is halved until it cannot be any more, and then nothing more can be found out."""
    cell = so.Cell()
    cell.add_robot(example(EXAMPLES["tiago"]), name="r")
    (pair,) = cell.prove_apart([("r/torso_lift_link", "r/arm_2_link")], budget=3000).open
    assert pair.boxes < 3000 and "open mesh" in pair.reason and pair.nearest > 0.003


@pytest.mark.parametrize(("gap", "verdict"), [(0.02, "apart"), (-0.02, "touching")])
def test_meshes_whose_hulls_touch_are_looked_at_themselves(tmp_path, gap, verdict):
    """A ball slides into a cup: it is inside the cup's hull, and touches the cup only if it is too
    wide. Contact of hulls is no contact, and a proof about hulls is not needed for one."""
    sides = [((0.05, 0.5, 0.5), (x, 0.0, 0.25)) for x in (-0.225, 0.225)]
    sides += [((0.5, 0.05, 0.5), (0.0, y, 0.25)) for y in (-0.225, 0.225)]
    cup = trimesh.util.concatenate([trimesh.creation.box(s, so.pose(at)) for s, at in sides])
    ball = link("ball", f'<sphere radius="{0.2 - gap!r}"/>')
    slide = joint("j", "base", "ball", limits=(0.3, 1.0), kind="prismatic")
    urdf = f'<robot name="r">{link("base")}{ball}{slide}</robot>'
    cell = cell_of(urdf, tmp_path, cup=(so.Mesh(cup.vertices, cup.faces), so.pose()))
    result = cell.prove_apart()
    assert len(getattr(result, verdict)) == 1, result
    if verdict == "apart":
        assert 0.0 < result.apart[0].distance <= gap + 1e-9
    else:
        assert result.touching[0].distance <= 0.0


def test_cylinders_boxes_and_grippers_of_the_baxter():
    """The right arm against itself, the torso and the other arm's shoulder."""
    cell = so.Cell()
    cell.add_robot(example(EXAMPLES["baxter"]), name="r")
    names = ("right_", "r_gripper", "torso", "left_upper_shoulder")
    pairs = [
        (a, b) for a, b in cell.pairs.watched()
        if all(n.removeprefix("r/").startswith(names) for n in (a, b))
    ]  # fmt: skip
    result = cell.prove_apart(pairs, budget=20_000)
    assert len(pairs) > 100 and len(result.apart) > 40 and len(result.touching) > 40
    check_touching(cell, result)
    oracle = Oracle(cell, samples(cell, 1000))
    for pair in result.apart:
        assert oracle.touches(pair.a, pair.b) == 0, (pair.a, pair.b)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("links", [1, 2, 3])
def test_out_of_reach_by_a_thousandth_and_within_it(tmp_path, size, links):
    """The tip of a stretched arm of any length reaches links + 0.05; a ball beyond it."""
    urdf = planar_arm(links, (-2.0, 2.0), size)
    for gap, verdict in ((1e-3, "apart"), (-1e-3, "touching"), (1e-6, "apart")):
        far = size * (links + 0.05 + 0.2 + gap)
        ball = so.Sphere(0.2 * size)
        cell = cell_of(urdf, tmp_path, ball=(ball, so.pose((0.6 * far, 0.8 * far, 0.0))))
        result = cell.prove_apart()
        (found,) = getattr(result, verdict)
        if verdict == "apart":
            assert 0.0 < found.distance <= size * gap * (1 + 1e-6)
        else:
            assert found.distance <= 0.0
            # Both shapes are spheres: the tip is within 0.1 of the direction of the ball.
            assert np.linalg.norm(found.point_a - found.point_b) <= size * 1.001e-3


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_contact_in_a_tiny_corner_of_joint_space_is_found(tmp_path, size):
    """Three joints, a ball where only the upper ends of all three bring the tip: it touches within
    some 1e-5 rad of the corner, a part of 1e-17 of all configurations; and farther away than the
    tolerance of limits reaches it is proved apart."""
    urdf = planar_arm(3, (-0.5, 0.5), size)
    angles = np.cumsum([0.5, 0.5, 0.5])
    tip = size * np.array([np.cos(angles).sum(), np.sin(angles).sum(), 0.0])
    # Away along the motion of all joints there: each of them moves the tip to the left.
    out = np.array([-tip[1], tip[0], 0.0]) / np.linalg.norm(tip)
    for gap, verdict in ((-1e-5, "touching"), (1e-3, "apart")):
        at = tip + size * (0.05 + 0.1 + gap) * out
        cell = cell_of(urdf, tmp_path, ball=(so.Sphere(0.1 * size), so.pose(at)))
        result = cell.prove_apart()
        (found,) = getattr(result, verdict)
        if verdict == "touching":
            assert (np.abs(found.q - 0.5) < 1e-3).all()
            check_touching(cell, result)


def slide_and_wall(tmp_path, gap):
    """A slide from -0.3 to 0.7 that ends ``gap`` before a wall."""
    box = '<box size="0.2 0.2 0.2"/>'
    urdf = (
        '<robot name="r">' + link("a") + link("b", box)
        + joint("j", "a", "b", axis="1 0 0", limits=(-0.3, 0.7), kind="prismatic") + "</robot>"
    )  # fmt: skip
    wall = (so.Box((0.1, 2, 2)), so.pose((0.7 + 0.1 + 0.05 + gap, 0, 0)))
    return cell_of(urdf, tmp_path, wall=wall)


@pytest.mark.parametrize(
    ("gap", "verdict"),
    [(1e-3, "apart"), (2 * ENCODER_TOLERANCE, "apart"), (ENCODER_TOLERANCE / 2, "open"),
     (0.0, "touching"), (-1e-6, "touching")],
)  # fmt: skip
def test_a_slide_that_ends_before_the_wall(tmp_path, gap, verdict):
    """Half of ENCODER_TOLERANCE before it: a path may be that far beyond the limit, so it is not
    proved, and it does not touch within the limit, so it is not shown to."""
    result = slide_and_wall(tmp_path, gap).prove_apart(budget=100_000)
    assert len(getattr(result, verdict)) == 1


class TestBeyondTheLimits:
    """A pair that is allowed because it was proved apart is so within the limits: no motion beyond
    them is called free, whoever is asked."""

    @pytest.fixture
    def cell(self, tmp_path):
        cell = slide_and_wall(tmp_path, 1e-3)
        cell.prove_apart().allow(cell)
        assert cell.pairs.count() == 0
        return cell

    def test_the_limits_of_proofs(self, cell):
        low, high = cell.proof_limits
        assert low == pytest.approx([-0.3], abs=2e-4) and high == pytest.approx([0.7], abs=2e-4)
        cell.forbid("r/b", "wall")
        assert np.isinf(cell.proof_limits).all()

    def test_only_joints_between_proved_pairs_are_held_to_them(self, panda):
        cell = so.Cell()
        cell.add_robot("builtin:panda", name="r")
        cell.prove_apart([("r/panda_link3", "r/panda_hand")]).allow(cell)
        low, high = cell.proof_limits
        held = [x for x, a, b in zip(cell.joints, low, high) if np.isfinite([a, b]).all()]
        assert held == [f"r/panda_joint{k}" for k in (4, 5, 6, 7)]

    def test_segments_paths_and_batches(self, cell):
        checker = so.PathChecker(cell)
        assert checker.segment([-0.3], [0.7 + ENCODER_TOLERANCE / 2]).free
        assert checker.segments([[0.0]], [[0.7]]).all()
        for a, b in (([0.0], [0.72]), ([-0.31], [0.0])):
            with pytest.raises(PathError, match="proved apart"):
                checker.segment(a, b)
            with pytest.raises(PathError, match="r/j"):
                checker.path([[0.0], a, b])
            with pytest.raises(PathError, match="segment 1"):
                checker.segments([[0.0], a], [[0.1], b])
        cell.forbid("r/b", "wall")
        assert checker.segment([0.0], [0.72]).kind == "collision"

    def test_curves_that_swing_out_between_their_ends(self, cell):
        """0.6 + 4 u (1 - u) h, up to 0.6 + h; the control points of both are beyond the limit."""
        checker = so.PathChecker(cell)
        for h, free in ((0.099, True), (0.12, False)):
            curve = CubicSpline([0.0, 0.5, 1.0], [[0.6], [0.6 + h], [0.6]])
            if free:
                assert checker.curve(curve).free
            else:
                with pytest.raises(PathError, match="proved apart"):
                    checker.curve(curve)

    def test_the_tube_counts(self, cell):
        checker = so.PathChecker(cell, deviation=0.01)
        assert checker.segment([0.0], [0.69]).free
        with pytest.raises(PathError, match="proved apart"):
            checker.segment([0.0], [0.695])

    def test_certificates(self, cell):
        """No pair is left by which a motion that is stretched beyond the limit could fail."""
        certificate = so.PathChecker(cell).segment([0.0], [0.7]).certificate()
        assert so.verify(cell, certificate).verified
        beyond = replace(certificate, coefficients=certificate.coefficients * (0.72 / 0.7))
        found = so.verify(cell, beyond)
        assert not found.verified and "proved apart" in found.reason

    def test_stops(self, cell):
        brakes = {"deceleration": 1.0, "limits": False}
        assert so.paths.check_stop(cell, [0.6], [0.4], **brakes).free
        with pytest.raises(PathError, match="proved apart"):
            so.paths.check_stop(cell, [0.6], [0.5], **brakes)
        stop = so.Stopping(deceleration=1.0, reaction=0.0, limits=False)
        for q, speed, kinds in ((0.55, 0.4, []), (0.6, 0.5, ["limits"]), (0.71, 0.0, ["limits"])):
            cycle = so.Monitor(cell, stopping=stop).update([q], time=0.0, dq=[speed])
            assert {fault.kind for fault in cycle.faults} == {*kinds}


def test_a_mix_of_slides_and_turns_over_a_floor(tmp_path):
    """A boom that tilts down by 0.5 and slides out by 1 stays 1 mm above the floor."""
    urdf = (
        '<robot name="r">' + link("a") + link("b") + link("c", '<sphere radius="0.1"/>', "1 0 0")
        + joint("tilt", "a", "b", axis="0 -1 0", limits=(-0.5, 1.0))
        + joint("out", "b", "c", axis="1 0 0", limits=(0.0, 1.0), kind="prismatic") + "</robot>"
    )  # fmt: skip
    lowest = -2.0 * math.sin(0.5) - 0.1
    for gap, verdict in ((1e-3, "apart"), (-1e-3, "touching")):
        floor = (so.HalfSpace(), so.pose((0, 0, lowest - gap)))
        cell = cell_of(urdf, tmp_path, floor=floor)
        result = cell.prove_apart()
        (found,) = getattr(result, verdict)
        if verdict == "apart":
            assert found.distance <= gap
        else:
            assert found.q == pytest.approx([-0.5, 1.0], abs=2e-3)


def fingers(multiplier, offset=0.0):
    box = '<box size="0.02 0.1 0.1"/>'
    mimic = f'<mimic joint="j1" multiplier="{multiplier}" offset="{offset}"/>'
    return (
        '<robot name="r">' + link("palm")
        + link("f1", box, "-0.02 0 0") + link("f2", box, "0.02 0 0")
        + joint("j1", "palm", "f1", axis="1 0 0", limits=(0.0, 0.5), kind="prismatic")
        + joint("j2", "palm", "f2", axis="1 0 0", limits=(0.0, 0.5), kind="prismatic", more=mimic)
        + "</robot>"
    )  # fmt: skip


def test_fingers_in_step_never_meet(tmp_path):
    """Both slide the same way by the same amount: 20 mm apart all along, in one box; bounding each
    alone would never end."""
    result = cell_of(fingers(1.0), tmp_path).prove_apart()
    (pair,) = result.apart
    assert pair.boxes == 1 and 0.02 - 1e-9 < pair.distance <= 0.02


def test_a_finger_that_follows_at_half_the_pace_is_caught(tmp_path):
    cell = cell_of(fingers(0.5), tmp_path)
    result = cell.prove_apart()
    (pair,) = result.touching
    assert 0.04 <= pair.q[0] <= 0.5
    check_touching(cell, result)


def test_a_mimic_that_stays_at_its_offset(tmp_path):
    result = cell_of(fingers(0.0, 0.6), tmp_path).prove_apart()
    assert len(result.apart) == 1


def test_the_linkage_of_a_real_gripper():
    """TALOS: one motor, and six joints that mimic it."""
    cell = so.Cell()
    cell.add_robot(example("talos_data/robots/talos_left_arm.urdf"), name="r")
    pairs = [
        (a, b) for a, b in cell.pairs.watched()
        if "gripper" in a and "gripper" in b
    ]  # fmt: skip
    result = cell.prove_apart(pairs, budget=5_000)
    assert len(pairs) == 6 and not result.open
    for pair in result.touching:
        assert pair.joints == ("r/gripper_left_joint",)
    check_touching(cell, result)
    oracle = Oracle(cell, samples(cell, 500))
    for pair in result.apart:
        assert oracle.touches(pair.a, pair.b) == 0, (pair.a, pair.b)


@pytest.mark.parametrize(("gap", "verdict"), [(1e-3, "apart"), (-1e-3, "touching")])
@pytest.mark.parametrize("turn", [0.0, 1.0, math.pi, 4.0])
def test_a_continuous_joint_goes_all_the_way_around(tmp_path, gap, verdict, turn):
    urdf = planar_arm(1, None, kind="continuous")
    far = 1.05 + 0.1 + gap
    at = so.pose((far * math.cos(turn), far * math.sin(turn), 0.0))
    cell = cell_of(urdf, tmp_path, ball=(so.Sphere(0.1), at))
    result = cell.prove_apart()
    assert len(getattr(result, verdict)) == 1
    check_touching(cell, result)


def test_nothing_is_proved_of_what_has_no_limits(tmp_path):
    urdf = (
        '<robot name="r">' + link("a", '<sphere radius="0.1"/>') + link("b")
        + link("c", '<sphere radius="0.1"/>', "0 0 9")
        + joint("wheel", "a", "b", kind="continuous")
        + joint("rack", "b", "c", axis="1 0 0", limits=(0.0, 0.1), kind="prismatic",
                more='<mimic joint="wheel" multiplier="0.1"/>') + "</robot>"
    )  # fmt: skip
    cell = cell_of(urdf, tmp_path)
    cell.add_body("cart", so.Sphere(0.1), so.pose((5, 5, 5)), moving=True)
    result = cell.prove_apart()
    reasons = {(x.a, x.b): x.reason for x in result.open}
    assert not result.apart and not result.touching
    assert "wheel" in reasons["r/a", "r/c"] and "no limits" in reasons["r/a", "r/c"]
    assert "cart" in reasons["r/a", "cart"] and "freely" in reasons["r/a", "cart"]


def test_a_spent_budget_leaves_a_pair_open_and_says_how_near_it_came(panda):
    cell, _ = panda
    (pair,) = cell.prove_apart([("r/panda_link3", "r/panda_hand")], budget=20).open
    assert "20 boxes" in pair.reason and pair.boxes <= 20
    assert 0.0 < pair.nearest < 1.0 and pair.q.shape == (8,)
    assert pair.joints == tuple(f"r/panda_joint{k}" for k in (4, 5, 6, 7))


def test_two_robots_and_a_clearance(tmp_path):
    """Two arms whose tips are never nearer than 5 mm: all joints of both count."""
    path = tmp_path / "r.urdf"
    path.write_text(planar_arm(2, (-1.0, 1.0)))
    cell = so.Cell()
    cell.add_robot(path, name="left")
    cell.add_robot(path, name="right", base=so.pose((4.105, 0, 0), rpy=(0, 0, math.pi)))
    for clearance, verdict in ((0.0, "apart"), (0.004, "apart"), (0.006, "touching")):
        result = cell.prove_apart([("left/l2", "right/l2")], clearance=clearance)
        (found,) = getattr(result, verdict)
        if verdict == "apart":
            assert clearance < found.distance <= 0.005 + 1e-9
        else:
            assert 0.005 - 1e-9 <= found.distance <= 0.006 and len(found.joints) == 4
    result = cell.prove_apart(clearance=0.004)
    result.allow(cell)
    reason = cell.reason("left/l2", "right/l2")
    assert "4 mm" in reason and "within the joint limits" in reason


def test_a_held_body_is_allowed_only_in_the_grip_that_was_proved(tmp_path):
    urdf = planar_arm(2, (-1.0, 1.0))
    cell = cell_of(urdf, tmp_path, post=(so.Sphere(0.1), so.pose((-1.0, 0, 0))))
    cell.add_body("stick", so.Capsule(0.02, 0.4), so.pose((2.0, 0, 0.0)))
    cell.attach("stick", "r/l2", q=[0.0, 0.0])
    result = cell.prove_apart()
    assert ("stick", "post") in {(x.b, x.a) for x in result.apart} | {
        (x.a, x.b) for x in result.apart
    }
    result.allow(cell)
    assert cell.reason("stick", "post").startswith("proved apart")
    grip = cell.bodies["stick"].attachment.pose
    cell.detach("stick", q=[0.0, 0.0])
    assert cell.stale
    cell.attach("stick", "r/l2", pose=grip @ so.pose((0, 0, 0.01)))
    assert cell.reason("stick", "post") is None and len(cell.stale) >= 1
    cell.detach("stick", q=[0.0, 0.0])
    cell.attach("stick", "r/l2", pose=grip)
    assert cell.reason("stick", "post").startswith("proved apart") and not cell.stale


def test_another_model_of_a_link_is_watched_again(tmp_path):
    cell = so.Cell()
    cell.add_robot(example(EXAMPLES["ur5"]), name="r")
    pair = ("r/wrist_1_link", "r/ee_link")
    before = cell.pairs.count()
    cell.prove_apart([pair]).allow(cell)
    assert cell.pairs.count() == before - 1
    cell.swap_geometry("r/wrist_1_link", "capsules")
    assert cell.reason(*pair) is None and cell.pairs.count() == before
    assert set(cell.stale) == {tuple(sorted(pair))}
    cell.swap_geometry("r/wrist_1_link", "auto")
    assert cell.reason(*pair) is not None and not cell.stale


def test_a_file_keeps_its_proofs_until_a_limit_in_the_robot_changes(tmp_path):
    far = 2.0 + 0.05 + 0.2 + 1e-3
    ball = (so.Sphere(0.2), so.pose((far, 0, 0)))
    cell = cell_of(planar_arm(2, (-1.0, 1.0)), tmp_path, ball=ball)
    cell.prove_apart().allow(cell)
    cell.save(tmp_path / "cell.toml")
    again = so.Cell.load(tmp_path / "cell.toml")
    assert again.reason("r/l2", "ball") == cell.reason("r/l2", "ball") is not None
    assert again.proofs == cell.proofs and again.pairs.count() == 0
    (tmp_path / "r.urdf").write_text(planar_arm(2, (-1.0, 1.0 + 1e-12)))
    edited = so.Cell.load(tmp_path / "cell.toml")
    assert edited.reason("r/l2", "ball") is None and edited.pairs.count() == 1
    edited.save(tmp_path / "edited.toml")  # and it is not lost: the file may be put right again
    (tmp_path / "r.urdf").write_text(planar_arm(2, (-1.0, 1.0)))
    assert so.Cell.load(tmp_path / "edited.toml").pairs.count() == 0


def test_a_result_of_another_cell_allows_nothing(tmp_path):
    far = 2.0 + 0.05 + 0.2 + 1e-3
    ball = (so.Sphere(0.2), so.pose((far, 0, 0)))
    cell = cell_of(planar_arm(2, (-1.0, 1.0)), tmp_path, ball=ball)
    other = cell_of(planar_arm(2, (-1.1, 1.0)), tmp_path, ball=ball)
    result = cell.prove_apart()
    assert result.apart
    with pytest.raises(PathError, match="ball"):
        result.allow(other)
    other.remove_body("ball")
    with pytest.raises(PathError, match="ball"):
        result.allow(other)
    assert not other.user_pairs


def test_allowing_by_hand_and_forbidding_end_a_proof(tmp_path):
    ball = (so.Sphere(0.2), so.pose((9.0, 0, 0)))
    cell = cell_of(planar_arm(2, (-1.0, 1.0)), tmp_path, ball=ball)
    cell.prove_apart().allow(cell)
    cell.allow("r/l2", "ball", "out of reach")
    assert not cell.proofs and cell.reason("r/l2", "ball") == "out of reach"
    cell.prove_apart([("ball", "r/l2")]).allow(cell)
    assert cell.proofs
    cell.forbid("r/l2", "ball")
    assert not cell.proofs and cell.reason("r/l2", "ball") is None
    cell.prove_apart().allow(cell)
    cell.remove_body("ball")
    assert not cell.proofs and not cell.user_pairs
    with pytest.raises(CellError, match="proof"):
        cell.allow("r", "r", proof="x")


def test_bad_input_is_named(tmp_path):
    cell = cell_of(planar_arm(1, (-1.0, 1.0)), tmp_path, ball=(so.Sphere(0.1), so.pose((9, 0, 0))))
    for bad in (-1.0, math.nan, math.inf, "near"):
        with pytest.raises(PathError, match="clearance"):
            cell.prove_apart(clearance=bad)
    for bad in (0, -5, 1.5, True):
        with pytest.raises(PathError, match="budget"):
            cell.prove_apart(budget=bad)
    with pytest.raises(PathError, match="pair"):
        cell.prove_apart([("ball",)])
    with pytest.raises(PathError, match="pairs"):
        cell.prove_apart("ball")
    with pytest.raises(UnknownNameError, match="bell"):
        cell.prove_apart([("bell", "r/l1")])
    with pytest.raises(PathError, match="moves"):
        cell.prove_apart([("ball", "ball")])
    assert repr(cell.prove_apart([])) == "<Apart: 0 pairs proved, 0 can touch, 0 open>"


def test_what_takes_long_shows_a_bar_and_what_was_proved_is_not_rounded_up(panda, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    page = io.StringIO()
    cell, result = panda
    view.proved(cell, 0.0, 1_000_000, Console(file=page, force_terminal=True, width=100))
    assert "Proving pairs apart" in page.getvalue() and "100%" in page.getvalue()
    assert "so far, about" in page.getvalue()
    page = io.StringIO()
    view.show(result, cell, Console(file=page, width=200))
    rows = [line.split() for line in page.getvalue().splitlines()]
    for pair in result.apart:
        (value,) = (float(row[2]) for row in rows if row[:2] == [pair.a, pair.b])
        assert 0.0 < value <= 1e3 * pair.distance < 1.01 * value


def test_progress_runs_from_0_to_1(panda):
    cell, result = panda
    told = []
    pairs = [(x.a, x.b) for x in result.apart if x.boxes > 4000]
    cell.prove_apart(pairs, progress=told.append)
    assert len(told) > len(pairs) and told[-1] == 1.0
    assert all(0.0 <= x <= y for x, y in itertools.pairwise(told))


@pytest.mark.interpreted
def test_small_proofs_without_the_compiler(tmp_path):
    """Each kind of joint and bound once, and more nodes than there is room for at first."""
    for gap, verdict in ((0.3, "apart"), (-0.1, "touching")):
        far = 1.25 + gap
        ball = (so.Sphere(0.2), so.pose((0.6 * far, 0.8 * far, 0.0)))
        cell = cell_of(planar_arm(1, (-2.0, 2.0)), tmp_path, ball=ball)
        assert len(getattr(cell.prove_apart(), verdict)) == 1
    assert len(cell_of(fingers(1.0), tmp_path).prove_apart().apart) == 1
    cell = cell_of(planar_arm(1, None, kind="continuous"), tmp_path)
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -0.1)))
    assert len(cell.prove_apart().apart) == 1


def test_nodes_grow_without_losing_any(panda, monkeypatch):
    cell, result = panda
    (known,) = (x for x in result.apart if (x.a, x.b) == ("r/panda_link3", "r/panda_hand"))
    monkeypatch.setattr(apart_problem, "_NODES", 2)
    assert cell.prove_apart([(known.a, known.b)]).apart == (known,)


def test_the_first_witness_is_not_called_the_nearest(tmp_path):
    """The ball overlaps the arm in some configuration, and the first found need not be that one."""
    ball = (so.Sphere(0.2), so.pose((0.6, 0.8, 0.0)))
    cell = cell_of(planar_arm(1, (-2.0, 2.0)), tmp_path, ball=ball)
    page = io.StringIO()
    view.show(cell.prove_apart(clearance=0.03), cell, Console(file=page, width=200))
    assert "Can come within 30 mm" in page.getvalue()
    assert "example distance [mm]" in page.getvalue()
