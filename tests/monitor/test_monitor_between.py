"""The motion between two readings: what passes through anything on the way is warned of, what keeps
its distance is not. Coal at hundreds of instants is the judge; see `tests.oracles.motion`."""

from __future__ import annotations

import contextlib
import functools
import io
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from tests.oracles.motion import Sampler
from tests.worlds.mesh_shapes import torus

BUFFER = 0.02
#: What sampling may see beyond a threshold without proving a miss, [m].
ROUNDING = 1e-9
#: Beyond this above its threshold, at every sample, a pair must not be warned of, [m].
CLEAR = 1e-3
INDEXES = ("naive", "grid", "octree", "region")


def at(x=0.0, y=0.0, z=0.0, rpy=(0.0, 0.0, 0.0)):
    return so.pose((x, y, z), rpy=rpy)


def warned(cycle):
    return {frozenset((w.a, w.b)): w for w in cycle.warnings}


def answers(cycle):
    """All that a cycle says, to be compared."""
    return (
        cycle.clearance,
        [str(f) for f in cycle.faults],
        [
            (w.a, w.b, w.distance, w.when, w.threshold, *w.point_a, *w.normal)
            for w in cycle.warnings
        ],
    )


class Case:
    """A cell with a monitor of each kind; they must agree with each other and with the sampler."""

    def __init__(self, cell, **options):
        self.cell, self.sampler = cell, Sampler(cell)
        self.monitors = [so.Monitor(cell, BUFFER, i, between=True, **options) for i in INDEXES]
        self.misses, self.alarms, self.found, self.clear = [], [], 0, 0

    def run(self, qa, qb, pa=None, pb=None, samples=401):
        """From one reading to the next; ``misses`` and ``alarms`` grow."""
        cycles = []
        for monitor in self.monitors:
            monitor.update(qa, pa)
            cycles.append(monitor.update(qb, pb))
        assert answers(cycles[0]) == answers(cycles[1]) == answers(cycles[2])
        said = warned(cycles[0])
        ends = () if pa is None else (pa, pb)
        near = self.sampler.nearest(qa, qb, *ends, within=2 * BUFFER + CLEAR, samples=samples)
        for a, b in self.sampler.pairs:
            threshold = BUFFER * sum(self.cell.model.frame_of(name) != 0 for name in (a, b))
            distance, when = near.get((a, b), (math.inf, 0.0))
            warning = said.get(frozenset((a, b)))
            self.found += warning is not None
            if distance <= threshold - ROUNDING and warning is None:
                self.misses.append((a, b, distance, when))
            if distance > threshold + CLEAR:
                self.clear += 1
                if warning is not None:
                    self.alarms.append((a, b, distance, warning.when))
        return said, near

    def settle(self, warnings=1):
        assert self.misses == [] and self.alarms == []
        assert self.found >= warnings and self.clear > 0


def reaching(cell, turn):
    """The arm bent to the front by a right angle, turned about its base."""
    q = np.zeros(len(cell.joints))
    q[0], q[1] = turn, math.pi / 2
    return q


def arm_by_plate():
    """A plate of 4 mm that the outstretched arm sweeps through as its first joint turns."""
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    cell.add_body("plate", so.Box((0.3, 0.004, 0.3)), pose=at(1.2, 0.0, 0.254))
    return cell


def test_a_link_that_passes_through_a_thin_plate_is_seen():
    cell = arm_by_plate()
    before, after = reaching(cell, -0.5), reaching(cell, 0.5)
    instant = so.Monitor(cell, BUFFER)
    assert not instant.update(before).warnings and not instant.update(after).warnings
    case = Case(cell)
    said, near = case.run(before, after)
    case.settle(warnings=2)
    for pair, (distance, when) in near.items():
        warning = said.get(frozenset(pair))
        if warning is not None:
            # Where they overlap Coal's own depth is off by some 1e-6.
            assert distance - 2e-3 < warning.distance < distance + 2e-4
            assert abs(warning.when - when) < 0.1 and 0.3 < warning.when < 0.7
            apart = warning.point_a - warning.point_b
            assert np.allclose(apart, warning.distance * warning.normal, atol=1e-9)


def test_the_jump_itself_is_still_a_fault():
    cell = arm_by_plate()
    monitor = so.Monitor(cell, BUFFER, between=True)
    monitor.update(reaching(cell, -0.5))
    cycle = monitor.update(reaching(cell, 0.5))
    assert {f.kind for f in cycle.faults} == {"jump"} and cycle.warnings
    # And back the same way: the same instant, seen from its other end.
    back = monitor.update(reaching(cell, -0.5))
    assert back.clearance == pytest.approx(cycle.clearance, abs=1e-9)


def test_the_first_reading_is_an_instant_and_so_is_a_stale_one():
    cell = arm_by_plate()
    monitor = so.Monitor(cell, BUFFER, between=True)
    assert not monitor.update(reaching(cell, 0.5)).warnings
    nothing = monitor.update(np.full(7, np.nan))
    assert nothing.faults and not nothing.warnings
    # The last good reading is where the next motion begins.
    assert monitor.update(reaching(cell, -0.5)).warnings
    assert monitor.update([1.0]).faults and not monitor.update(reaching(cell, -0.5)).warnings


def shifting(*shapes):
    cell = so.Cell()
    for k, shape in enumerate(shapes):
        cell.add_body(f"body{k}", shape, pose=at(5.0 * k), moving=True)
    return cell


def no_joints():
    return np.zeros(0)


@pytest.mark.parametrize("shape", [so.Sphere(0.1), so.Box((0.2, 0.1, 0.3))], ids=["ball", "box"])
def test_two_bodies_that_swap_places_meet_halfway(shape):
    case = Case(shifting(shape, shape))
    here, there = at(-0.6, 0.01, 0.0), at(0.6, 0.0, 0.02)
    said, _ = case.run(no_joints(), no_joints(), np.stack([here, there]), np.stack([there, here]))
    assert case.misses == [] and case.alarms == []
    (warning,) = said.values()
    assert abs(warning.when - 0.5) < 0.08 and warning.distance < -0.09
    assert warning.closing_speed > 0.0


def test_bodies_that_move_in_step_are_let_pass():
    """2 mm farther apart than their threshold, over a metre and a turn of 40 degrees each."""
    case = Case(shifting(so.Box((0.2, 0.2, 0.2)), so.Capsule(0.05, 0.3), so.Sphere(0.1)))
    gap = 2 * BUFFER + 2e-3
    pa = np.stack([at(0.0), at(0.15 + gap), at(-0.2 - gap)])
    shift = at(0.3, 0.9, -0.4)
    case.run(no_joints(), no_joints(), pa, np.stack([shift @ p for p in pa]))
    case.settle(warnings=0)
    nearer = np.stack([at(0.0), at(0.15 + 2 * BUFFER - 1e-6), at(-0.2 - gap)])
    said, _ = case.run(no_joints(), no_joints(), nearer, np.stack([shift @ p for p in nearer]))
    assert list(said) == [frozenset(("body0", "body1"))]


def test_a_pair_that_parts_is_nearest_at_the_last_reading():
    cell = shifting(so.Sphere(0.1))
    cell.add_body("post", so.Sphere(0.1))
    monitor = so.Monitor(cell, BUFFER, between=True, period=0.5)
    monitor.update(no_joints(), at(0.21)[None])
    (parting,) = monitor.update(no_joints(), at(0.215)[None]).warnings
    assert parting.when == 0.0 and not parting.approaching
    assert parting.distance == pytest.approx(0.01) and parting.closing_speed == pytest.approx(-0.01)
    (nearing,) = monitor.update(no_joints(), at(0.205)[None]).warnings
    assert nearing.when == 1.0 and nearing.approaching
    assert nearing.distance == pytest.approx(0.005) and nearing.closing_speed == pytest.approx(0.02)


def test_a_rod_that_turns_by_170_degrees_takes_the_shorter_way():
    """Hinged at its own origin, it sweeps over one side and never comes to the other."""
    corners = [(x, y, z) for x in (0.0, 1.0) for y in (-0.01, 0.01) for z in (-0.01, 0.01)]
    for side in (1.0, -1.0):
        cell = shifting(so.Polyhedron(corners))
        cell.add_body("post", so.Cylinder(0.02, 0.4), pose=at(0.1, 0.6 * side))
        case = Case(cell)
        pa, pb = (at(rpy=(0.0, 0.0, math.radians(d)))[None] for d in (5.0, 175.0))
        said, _ = case.run(no_joints(), no_joints(), pa, pb)
        assert case.misses == [] and case.alarms == []
        assert bool(said) == (side > 0.0)


def test_a_half_turn_may_go_either_way():
    """Which way a body turned by 180 degrees nobody knows: both sides are warned of."""
    for side in (1.0, -1.0):
        cell = shifting(so.Capsule(0.02, 0.6))
        cell.add_body("post", so.Sphere(0.05), pose=at(0.0, 0.25 * side, 0.0))
        monitor = so.Monitor(cell, BUFFER, between=True)
        lying = at(rpy=(0.0, math.pi / 2, 0.0))
        monitor.update(no_joints(), lying[None])
        over = at(rpy=(0.0, 0.0, math.pi)) @ lying
        assert warned(monitor.update(no_joints(), over[None]))
    far = shifting(so.Capsule(0.02, 0.6))
    far.add_body("post", so.Sphere(0.05), pose=at(0.0, 0.9, 0.0))
    monitor = so.Monitor(far, BUFFER, between=True)
    monitor.update(no_joints(), lying[None])
    assert not monitor.update(no_joints(), over[None]).warnings


def among_boxes(robot, seed, count=14):
    rng = np.random.default_rng(seed)
    cell = so.Cell()
    cell.add_robot(f"builtin:{robot}", name="r")
    while len(cell.bodies) < count:
        centre = rng.uniform((-0.9, -0.9, -0.1), (0.9, 0.9, 1.1))
        if math.hypot(*centre[:2]) > 0.35:
            pose = so.pose(centre, rpy=rng.uniform(-3.0, 3.0, 3))
            cell.add_body(f"box{len(cell.bodies)}", so.Box(rng.uniform(0.05, 0.25, 3)), pose=pose)
    return cell


def random_step(rng, tree, span):
    qa = rng.uniform(tree.lower, tree.upper)
    return qa, np.clip(qa + rng.uniform(-span, span, len(qa)), tree.lower, tree.upper)


@pytest.mark.parametrize("robot", ["panda", "arm7"])
def test_nothing_is_missed_and_nothing_is_made_up_among_boxes(robot):
    """Steps of 0.05 to 1 rad in every joint: within the budget, not one false alarm."""
    cell = among_boxes(robot, seed=3)
    case = Case(cell)
    instant = so.Monitor(cell, BUFFER)
    rng = np.random.default_rng(17)
    for span in (0.05, 0.2, 0.5, 1.0) * (5 if robot == "panda" else 15):
        qa, qb = random_step(rng, cell.tree, span)
        said, _ = case.run(qa, qb)
        # What is too close at this instant is so on the way.
        assert set(warned(instant.update(qb))) <= set(said)
    case.settle(warnings=50)


@functools.cache
def two_buffers():
    cell = among_boxes("arm7", seed=6)
    narrow, wide = (so.Monitor(cell, b, between=True) for b in (BUFFER, 1.2 * BUFFER))
    return cell, narrow, wide


@settings(deadline=None, max_examples=100, derandomize=True)
@given(st.integers(0, 2**32 - 1), st.floats(0.0, 1.5))
def test_a_wider_buffer_never_warns_less_and_the_way_back_is_the_same(seed, span):
    cell, narrow, wide = two_buffers()
    qa, qb = random_step(np.random.default_rng(seed), cell.tree, span)
    for monitor in (narrow, wide):
        monitor.update(qa)
    there = warned(narrow.update(qb))
    assert set(there) <= set(warned(wide.update(qb)))
    back = warned(narrow.update(qa))
    assert set(there) == set(back)


def all_shapes(rng):
    corners = rng.normal(size=(20, 3))
    return (
        so.Sphere(0.08),
        so.Capsule(0.04, 0.3),
        so.Box((0.1, 0.2, 0.3)),
        so.Cylinder(0.06, 0.25),
        so.Polyhedron(0.15 * corners / np.linalg.norm(corners, axis=1)[:, None]),
        torus(ring=0.15, tube=0.04, around=12, across=6),
    )


def test_moving_bodies_of_all_shapes():
    """Free bodies on random ways, turning by up to half a turn, among static ones of each shape."""
    rng = np.random.default_rng(8)
    cell = shifting(*all_shapes(rng))
    for k, shape in enumerate(all_shapes(rng)):
        where = so.pose(rng.uniform(-0.5, 0.5, 3), rpy=rng.uniform(-3.0, 3.0, 3))
        cell.add_body(f"still{k}", shape, pose=where)
    cell.add_body("floor", so.HalfSpace(), pose=at(z=-0.7, rpy=(0.1, 0.0, 0.0)))
    case = Case(cell)
    for _ in range(20):
        pa, pb = (
            np.stack(
                [
                    so.pose(rng.uniform(-0.8, 0.8, 3), rpy=rng.uniform(-3.0, 3.0, 3))
                    for _ in range(6)
                ]
            )
            for _ in range(2)
        )
        case.run(no_joints(), no_joints(), pa, pb, samples=201)
    case.settle(warnings=100)


def test_every_index_and_every_update_answer_alike_on_a_long_walk():
    """An arm among bodies that drift, turn and sometimes jump, one of them held for a while."""
    rng = np.random.default_rng(12)
    cell = among_boxes("arm7", seed=12, count=20)
    shapes = [so.Sphere(0.05), so.Capsule(0.03, 0.2), so.Box((0.1, 0.05, 0.2))]
    poses = np.stack([so.pose(rng.uniform(-1.0, 1.0, 3)) for _ in range(24)])
    for k, pose in enumerate(poses):
        cell.add_body(f"drifter{k}", shapes[k % 3], pose=pose, moving=True)
    monitors = [so.Monitor(cell, BUFFER, index, between=True) for index in INDEXES]
    monitors.append(so.Monitor(cell, BUFFER, so.Octree(follow="neighbours"), between=True))
    q, total, midway = np.zeros(7), 0, 0
    for cycle in range(160):
        jump = 1.0 if cycle % 40 == 39 else 0.02
        q = np.clip(q + rng.uniform(-0.03, 0.03, 7), cell.tree.lower, cell.tree.upper)
        turns = rng.uniform(-0.1, 0.1, (24, 3))
        poses = np.stack([p @ at(rpy=turn) for p, turn in zip(poses, turns)])
        poses[:, :3, 3] += rng.uniform(-jump, jump, (24, 3))
        if cycle == 60:
            cell.set_state(q, poses)
            held = np.linalg.inv(cell.pose("r/link7")) @ cell.pose("drifter0")
            cell.attach("drifter0", "r/link7", pose=held)
        if cycle == 100:
            cell.set_state(q)
            cell.detach("drifter0", q=cell.q)
        given = poses[1:] if "drifter0" not in cell.moving else poses
        said = [answers(monitor.update(q, given.copy())) for monitor in monitors]
        assert all(other == said[0] for other in said)
        total += len(said[0][2])
        midway += sum(0.0 < warning[3] < 1.0 for warning in said[0][2])
    assert total > 300 and midway > 20


GANTRY = """<robot name="gantry">
  <link name="rail"/>
  <link name="cart"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="mast"><collision><origin xyz="0 0 0.4"/>
    <geometry><cylinder radius="0.03" length="0.6"/></geometry></collision></link>
  <link name="left"><collision><origin xyz="0.2 0 0"/>
    <geometry><box size="0.3 0.02 0.06"/></geometry></collision></link>
  <link name="right"><collision><origin xyz="0.2 0 0"/>
    <geometry><box size="0.3 0.02 0.06"/></geometry></collision></link>
  <link name="flap"><collision><origin xyz="0 0 0.2"/>
    <geometry><box size="0.02 0.1 0.3"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1" velocity="2" effort="1"/></joint>
  <joint name="turn" type="continuous"><parent link="cart"/><child link="mast"/>
    <axis xyz="0 0 1"/><limit velocity="3" effort="1"/></joint>
  <joint name="grip" type="prismatic"><parent link="mast"/><child link="left"/>
    <origin xyz="0 0.05 0.8"/><axis xyz="0 1 0"/>
    <limit lower="-0.04" upper="0.3" velocity="1" effort="1"/></joint>
  <joint name="follow" type="prismatic"><parent link="mast"/><child link="right"/>
    <origin xyz="0 -0.05 0.8"/><axis xyz="0 1 0"/><mimic joint="grip" multiplier="-1"/>
    <limit lower="-0.3" upper="0.04" velocity="1" effort="1"/></joint>
  <joint name="open" type="revolute"><parent link="cart"/><child link="flap"/>
    <origin xyz="-0.1 0 0.05"/><axis xyz="0 1 0"/>
    <mimic joint="slide" multiplier="1.5" offset="-0.4"/>
    <limit lower="-3" upper="3" velocity="3" effort="1"/></joint>
</robot>"""


def gantry(folder):
    path = folder / "gantry.urdf"
    path.write_text(GANTRY)
    cell = so.Cell()
    cell.add_robot(path, name="g")
    cell.add_body("wall", so.Box((0.02, 0.4, 0.3)), pose=at(0.35, 0.4, 0.8))
    cell.add_body("sill", so.Box((0.02, 0.4, 0.05)), pose=at(-0.5, 0.0, 0.2))
    return cell


def test_prismatic_and_mimic_joints(tmp_path):
    """Beyond the limits, too: a reading is where the joints are, however wrong that is."""
    cell = gantry(tmp_path)
    case = Case(cell)
    rng = np.random.default_rng(4)
    for _ in range(16):
        qa = rng.uniform((-1.3, -2.0, -0.1), (1.3, 2.0, 0.4))
        qb = qa + rng.uniform(-1.0, 1.0, 3) * (0.6, 1.0, 0.2)
        case.run(qa, qb, samples=301)
    case.settle(warnings=10)


TELESCOPE = """<robot name="telescope">
  <link name="base"/><link name="boom"/>
  <link name="tip"><collision><geometry><sphere radius="0.02"/></geometry></collision></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="boom"/>
    <axis xyz="0 0 1"/><limit velocity="3" effort="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="boom"/><child link="tip"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="0.1" velocity="1" effort="1"/></joint>
</robot>"""


def test_a_joint_ten_times_beyond_its_limit_reaches_as_far(tmp_path):
    path = tmp_path / "telescope.urdf"
    path.write_text(TELESCOPE)
    cell = so.Cell()
    cell.add_robot(path, name="t")
    cell.add_body("post", so.Sphere(0.02), pose=at(1.05))
    monitor = so.Monitor(cell, BUFFER, between=True)
    monitor.update([-0.3, 1.0])
    cycle = monitor.update([0.3, 1.0])
    assert "limits" in {f.kind for f in cycle.faults}
    (warning,) = cycle.warnings
    assert warning.when == pytest.approx(0.5, abs=0.05)
    assert warning.distance == pytest.approx(0.01, abs=2e-4)


def test_fingers_that_close_through_a_card_by_a_mimic_joint(tmp_path):
    cell = gantry(tmp_path)
    cell.add_body("card", so.Box((0.1, 0.001, 0.05)), pose=at(0.2, -0.15, 0.8))
    monitor = so.Monitor(cell, 0.01, between=True)
    monitor.update([0.0, 0.0, 0.2])
    said = warned(monitor.update([0.0, 0.0, 0.0]))
    assert said[frozenset(("card", "g/right"))].when == pytest.approx(0.5, abs=0.1)
    assert frozenset(("card", "g/left")) not in said


def test_a_held_body_moves_with_its_link_from_the_moment_it_is_held():
    cell = arm_by_plate()
    cell.add_body("bar", so.Box((0.02, 0.02, 0.4)), pose=at(1.4, -0.8, 0.254), moving=True)
    cell.remove_body("plate")
    cell.add_body("plate", so.Box((0.3, 0.004, 0.3)), pose=at(1.95, 0.0, 0.254))
    before, after = reaching(cell, -0.5), reaching(cell, 0.5)
    tip = cell.pose("arm/link7", before)
    bar = tip @ at(z=0.3)
    monitor = so.Monitor(cell, BUFFER, between=True)
    assert frozenset(("bar", "plate")) not in warned(monitor.update(before, bar[None]))
    monitor.attach("bar", "arm/link7")
    said = warned(monitor.update(after))
    assert said[frozenset(("bar", "plate"))].distance < 0.0
    assert Sampler(cell).nearest(before, after)["bar", "plate"][0] < 0.0
    # A body that stays where it is while the link goes on is another matter.
    assert frozenset(("bar", "plate")) not in warned(monitor.update(after))


def test_two_links_that_move_as_one_are_no_news():
    """The whole arm turns by a radian: what its links are to each other does not change."""
    cell = arm_by_plate()
    cell.remove_body("plate")
    cells = [so.Monitor(cell, BUFFER, between=between) for between in (False, True)]
    q = np.array([0.0, 1.6, 0.4, 2.1, 0.3, 1.9, 0.0])
    for turn in (0.0, 1.0, -1.0):
        q[0] = turn
        said = [warned(monitor.update(q)) for monitor in cells]
        assert set(said[0]) == set(said[1]) and said[0]
        for pair, warning in said[0].items():
            assert said[1][pair].distance == pytest.approx(warning.distance, abs=1e-12)


def test_two_links_are_seen_from_the_frame_that_carries_both():
    """A wrist that moves a little while the whole arm swings by a radian: the distances of this
    reading prove it, and none is measured on the way."""
    cell = arm_by_plate()
    cell.remove_body("plate")
    monitor = so.Monitor(cell, BUFFER, between=True)
    q = np.array([0.0, 1.2, 0.2, 2.0, 0.2, 1.4, 0.0])
    monitor.update(q)
    before = monitor.figures().pair_tests
    cycle = monitor.update(q + np.array([1.0, 0.0, 0.0, 0.0, 0.01, -0.01, 0.02]))
    assert not cycle.warnings and 2 * BUFFER < cycle.clearance < 5 * BUFFER
    assert 1 <= monitor.figures().pair_tests - before <= len(list(cell.pairs.watched()))


def test_a_world_that_stands_still_is_judged_by_its_instant():
    cell = among_boxes("panda", seed=9)
    cell.add_body("cart", so.Box((0.2, 0.3, 0.1)), pose=at(0.5), moving=True)
    rng = np.random.default_rng(2)
    for _ in range(5):
        q = rng.uniform(cell.tree.lower, cell.tree.upper)
        poses = so.pose(rng.uniform(-0.6, 0.6, 3), rpy=rng.uniform(-3.0, 3.0, 3))[None]
        said = []
        for between in (False, True):
            monitor = so.Monitor(cell, BUFFER, between=between)
            said += [answers(monitor.update(q, poses)) for _ in range(3)]
        assert said[0] == said[3] and said[1] == said[2] == said[4] == said[5]
        assert said[1][2]


def test_a_budget_that_runs_out_is_a_warning(tmp_path):
    """A mast that turned eighty times beside a wall it never touches: nobody looks that often."""
    cell = gantry(tmp_path)
    for name in ("wall", "sill"):
        cell.remove_body(name)
    cell.add_body("wall", so.Box((0.02, 2.0, 2.0)), pose=at(0.39, 0.0, 1.0))
    monitor = so.Monitor(cell, BUFFER, between=True)
    for turns, expected in ((0.1, False), (80.0, True)):
        monitor.update([0.0, 0.0, 0.0])
        said = warned(monitor.update([0.0, 2.0 * math.pi * turns, 0.0]))
        assert (frozenset(("wall", "g/left")) in said) == expected
    assert said[frozenset(("wall", "g/left"))].distance > BUFFER


def test_without_the_compiler_the_answers_are_the_same():
    code = """
import numpy as np, standoff as so
from tests.monitor.test_monitor_between import answers, arm_by_plate, reaching
cell = arm_by_plate()
monitor = so.Monitor(cell, 0.02, "naive", between=True)
monitor.update(reaching(cell, -0.5))
print(repr(answers(monitor.update(reaching(cell, 0.5)))))
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    cell = arm_by_plate()
    monitor = so.Monitor(cell, BUFFER, "naive", between=True)
    monitor.update(reaching(cell, -0.5))
    clearance, faults, warnings = answers(monitor.update(reaching(cell, 0.5)))
    plain = eval(run.stdout, {"np": np, "inf": math.inf, "nan": math.nan})
    assert plain[0] == pytest.approx(clearance, abs=1e-12) and plain[1] == faults
    for one, other in zip(plain[2], warnings, strict=True):
        assert one[:2] == other[:2] and one[2:] == pytest.approx(other[2:], abs=1e-9)


def test_the_page_prints_what_it_says():
    page = (Path(__file__).parents[2] / "docs" / "between-readings.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.S)
    (text,) = re.findall(r"```text\n(.*?)```", page, re.S)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == text
