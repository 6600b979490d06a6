"""Doubt counts as danger in the monitor: limits, parting pairs, measured speeds, threads."""

import math
import threading

import numpy as np
import pytest

import standoff as so
from standoff.monitor.scene import Scene
from standoff.tolerances import ENCODER_TOLERANCE
from tests.worlds.monitor_worlds import nudge, solid, turned


def poses(*positions):
    return np.array([so.pose(p) for p in positions])


def moving_cell(*names):
    cell = so.Cell(unwatched="allow")  # a body alone is enough for most of these
    for k, name in enumerate(names):
        cell.add_body(name, so.Sphere(0.1), so.pose((3.0 * k, 0, 0)), moving=True)
    return cell


def test_a_finger_at_its_limit_and_a_hair_beyond_is_no_fault():
    """An encoder step beyond: no violation. Farther out: one, and the geometry is where it is."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    q = np.array([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.04])
    monitor = so.Monitor(cell, 0.0)
    for beyond in (1e-9, 5e-7, 0.9 * ENCODER_TOLERANCE, 0.0):
        q[7] = 0.04 + beyond
        assert monitor.update(q).safe, beyond
    q[7] = 0.04 + 1.1 * ENCODER_TOLERANCE
    (fault,) = monitor.update(q).faults
    assert fault.kind == "limits" and fault.element == "left/panda_finger_joint1"
    q[7] = -1.1 * ENCODER_TOLERANCE
    assert [f.kind for f in monitor.update(q).faults] == ["limits"]


def test_a_reading_within_the_tolerance_of_a_limit_is_covered_by_the_proof(tmp_path):
    """Pairs proved apart are not watched: as far as a reading may be beyond the limit without a
    fault, the proof must hold."""
    urdf = (
        '<robot name="r"><link name="a"/><link name="b"><collision><geometry><sphere radius="0.1"/>'
        '</geometry></collision></link><joint name="j" type="prismatic"><parent link="a"/>'
        '<child link="b"/><axis xyz="1 0 0"/>'
        '<limit lower="-0.3" upper="0.7" velocity="1" effort="1"/></joint></robot>'
    )
    (tmp_path / "r.urdf").write_text(urdf)
    for gap, proved in ((0.5 * ENCODER_TOLERANCE, False), (2.0 * ENCODER_TOLERANCE, True)):
        cell = so.Cell()
        cell.add_robot(tmp_path / "r.urdf", name="r")
        cell.add_body("wall", so.Box((0.1, 2, 2)), so.pose((0.85 + gap, 0, 0)))
        assert len(cell.prove_apart(budget=100_000).apart) == proved


# ------------------------------------------------------------------------------------------------


def screw(rng, turn, shift):
    """A step of a steady motion: the same turn about a fixed axis, the same shift along."""
    axis = rng.normal(size=3)
    step = nudge(np.eye(4), np.zeros(3), turn * axis / np.linalg.norm(axis))
    step[:3, 3] = shift * rng.normal(size=3)
    return step


@pytest.mark.parametrize("kind", range(6))
def test_a_bar_whose_far_end_comes_down_does_not_part(kind):
    """Of two bodies that go on as they did, the one called parting is not nearer at the next
    reading; sphere, capsule, box, cylinder, polyhedron, and a mesh with a dent."""
    rng = np.random.default_rng(kind)
    parted = 0
    for _ in range(60):
        bodies = [solid(rng, kind), solid(rng, int(rng.integers(6)))]
        cell = so.Cell()
        for name, body in zip("ab", bodies):
            cell.add_body(name, body, moving=True)
        monitor = so.Monitor(cell, 5.0, max_speed=1e3)
        at = [turned(rng), so.pose(rng.uniform(-0.6, 0.6, 3)) @ turned(rng)]
        steps = [screw(rng, rng.choice([0.0, 0.02, 0.3]), 0.03) for _ in bodies]
        before = None
        for _ in range(8):
            cycle = monitor.update(np.zeros(0), np.array(at))
            (w,) = cycle.warnings
            if before is not None and not before.approaching:
                assert w.distance >= before.distance - 1e-9
                parted += 1
            before, at = w, [step @ pose for step, pose in zip(steps, at)]
    assert parted > 10 or kind == 5


def test_a_bar_of_two_balls_that_turns_steadily_does_not_part(tmp_path):
    """Its nearest ball rises, the other one, not too close yet, comes down within a reading."""
    ball = (
        '<collision><origin xyz="{} 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>'
    )
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="base"/><link name="arm">{ball.format(-1)}{ball.format(1)}'
        '</link><joint name="j" type="revolute"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="9" effort="1"/></joint></robot>'
    )
    cell = so.Cell()
    cell.add_robot(tmp_path / "r.urdf", name="r")
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -0.13)))
    monitor = so.Monitor(cell, 0.02)
    said = []
    for angle in (0.05, 0.015, -0.02, -0.055):
        (warning,) = monitor.update(np.array([angle])).warnings
        said.append(warning)
    assert said[-1].distance < 0.0 and all(warning.approaching for warning in said)


# ------------------------------------------------------------------------------------------------


def test_a_link_carried_along_an_arc_may_come_nearer_by_as_much_as_the_page_says(tmp_path):
    """Joints that go on evenly are no steady motion of a link that they do not turn."""
    joint = (
        '<joint name="{}" type="continuous"><parent link="{}"/><child link="{}"/>'
        '<origin xyz="{} 0 0"/><axis xyz="0 1 0"/></joint>'
    )
    path = tmp_path / "r.urdf"
    path.write_text(
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"><collision><geometry>'
        '<box size="0.1 0.1 0.1"/></geometry></collision></link>'
        + joint.format("j", "a", "b", 0) + joint.format("k", "b", "c", 1) + "</robot>"
    )  # fmt: skip
    cell = so.Cell()
    cell.add_robot(path, name="r")
    cell.add_body("floor", so.HalfSpace())
    for turn, most in ((0.01, 0.1e-3), (0.05, 2.4e-3)):
        monitor, nearer = so.Monitor(cell, 1.0), []
        for start in np.linspace(0.0, turn, 7):
            last = None
            for angle in np.arange(0.1 + start, 3.0, turn):
                (warning,) = monitor.update(np.array([-angle, angle])).warnings
                if last is not None and not last.approaching:
                    nearer.append(last.distance - warning.distance)
                last = warning
        assert 0.8 * most < max(nearer) < most


def brake_late(buffer, period, reaction, acceleration, deceleration, start):
    """How far from the wall a cart ends that speeds up until its brakes act."""
    cell = moving_cell("cart")
    cell.add_body("wall", so.HalfSpace(), so.pose((1.0, 0, 0), rpy=(0, -math.pi / 2, 0)))
    monitor = so.Monitor(cell, buffer, period=period)
    for k in range(10_000):
        t = k * period
        x = start + 0.5 * acceleration * t * t
        if monitor.update(np.zeros(0), poses((x, 0, 0)), t).warnings and k > 0:
            break
    # The reading before was the last without a warning: this one was due a period later.
    v = acceleration * (t + reaction)
    x = start + 0.5 * acceleration * (t + reaction) ** 2 + 0.5 * v * v / deceleration
    return 1.0 - cell.bodies["cart"].shape.radius - x


@pytest.mark.parametrize("period", [0.01, 0.05])
def test_a_buffer_from_a_measured_speed_does_not_lag_behind_it(period):
    """The speed from two positions is the mean since the last: the cart is faster by now."""
    buffer = so.separation(3.0, period=period, reaction=0.02, deceleration=6.0, acceleration=4.0)
    left = [brake_late(buffer, period, 0.02, 4.0, 6.0, s) for s in np.linspace(-0.3, 0.2, 200)]
    assert min(left) >= 0.0
    assert min(left) < 0.01


# ------------------------------------------------------------------------------------------------


def test_a_cell_changed_while_the_monitor_takes_a_change_over_is_not_lost(monkeypatch):
    """By another thread, say: what was added meanwhile is watched from the next update on."""
    cell = moving_cell("cart")
    monitor = so.Monitor(cell, 0.01)
    adapt, added = Scene._adapt, []

    def change_meanwhile(*given):
        if not added:
            added.append(cell.add_body("box", so.Box((0.5, 0.5, 0.5))))
        return adapt(*given)

    monkeypatch.setattr(Scene, "_adapt", change_meanwhile)
    cell.add_body("far", so.Box((0.5, 0.5, 0.5)), so.pose((9, 0, 0)))
    monitor.update(np.zeros(0), poses((0, 0, 0)))
    assert added
    assert [w[:2] for w in monitor.update(np.zeros(0), poses((0, 0, 0))).pairs] == [("cart", "box")]


STEPS = {
    "planned": Scene, "_records": Scene, "adopt": Scene, "_take_out": Scene, "_put_mover": Scene,
    "_change_rules": Scene, "_adapt": Scene, "_put_in": Scene, "_new_index": Scene,
    "_lay_out": Scene, "_reading.adopt": None,
}  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_a_body_that_leaves_while_the_cell_is_laid_out_mixes_up_no_others(step, monkeypatch):
    """What was read before a change and what was read after it did not fit together: an exception,
    or the poses of other bodies."""
    cell = moving_cell("a", "b", "c")
    for k in range(2):
        cell.add_body(f"box{k}", so.Box((0.5, 0.5, 0.5)), so.pose((3.0 * k, 0, 0)))
    monitor, there = so.Monitor(cell, 0.01), poses((0, 0, 0), (3, 0, 0), (6, 0, 0))
    monitor.update(np.zeros(0), there)
    holder = STEPS[step] or monitor._reading
    name = step.rpartition(".")[2]
    done, gone = getattr(holder, name), []

    def leave_meanwhile(*given):
        if not gone:
            gone.append(cell.remove_body("a"))
        return done(*given)

    monkeypatch.setattr(holder, name, leave_meanwhile)
    # So many that all is laid out anew.
    boxes = range(20) if step in ("_new_index", "_lay_out") else range(1)
    for k in boxes:
        cell.add_body(f"far{k}", so.Box((0.5, 0.5, 0.5)), so.pose((9, 3.0 * k, 0)))
    cell.add_body("mover", so.Sphere(0.1), so.pose((50, 0, 0)), moving=True)
    there = np.concatenate([there, so.pose((50, 0, 0))[None]])
    cycle = monitor.update(np.zeros(0), there)
    assert gone and cycle.faults == ()
    assert {w[:2] for w in cycle.pairs} == {("a", "box0"), ("b", "box1")}
    cycle = monitor.update(np.zeros(0), there[1:])
    assert cycle.faults == () and [w[:2] for w in cycle.pairs] == [("b", "box1")]


def test_pairs_worked_out_while_the_cell_changes_are_not_kept():
    cell = moving_cell("cart")
    names = [f"box{k}" for k in range(200)]
    done = threading.Event()
    seen = []

    def look():
        while not done.is_set():
            seen.append(len(cell.pairs.model.names))

    looker = threading.Thread(target=look)
    looker.start()
    for name in names:
        cell.add_body(name, so.Box((0.5, 0.5, 0.5)))
    done.set()
    looker.join()
    assert seen == sorted(seen)
    assert cell.model.names == ("cart", *names) == cell.pairs.model.names


def test_a_cell_that_is_changed_under_the_monitors_hands_is_a_fault_and_no_exception(monkeypatch):
    cell = moving_cell("cart")
    monitor = so.Monitor(cell, 0.01)
    adapt, tries = Scene._adapt, []

    def torn(*given):
        tries.append(0)
        if len(tries) <= 2:
            raise RuntimeError("dictionary changed size during iteration")
        return adapt(*given)

    monkeypatch.setattr(Scene, "_adapt", torn)
    cell.add_body("box", so.Box((0.5, 0.5, 0.5)))
    # The change, and then everything anew.
    assert [f.kind for f in monitor.update(np.zeros(0), poses((0, 0, 0))).faults] == ["cell"]
    cycle = monitor.update(np.zeros(0), poses((0, 0, 0)))
    assert not cycle.faults and [w[:2] for w in cycle.pairs] == [("cart", "box")]


@pytest.mark.parametrize("call", ["update", "update_many", "attach", "detach"])
def test_one_monitor_in_two_threads_is_an_error(call):
    cell = moving_cell("cart")
    monitor = so.Monitor(cell, 0.01)
    told = []

    def meanwhile():
        try:
            if call == "update":
                monitor.update(np.zeros(0), poses((0, 0, 0)))
            elif call == "update_many":
                monitor.update_many(np.zeros((1, 0)), np.zeros(1), np.zeros(1), poses((0, 0, 0)))
            elif call == "attach":
                monitor.attach("cart", "nothing")
            else:
                monitor.detach("cart")
        except so.errors.MonitorError as error:
            told.append(str(error))

    class Slow(dict):
        """Joints that another thread is quicker than."""

        def items(self):
            thread = threading.Thread(target=meanwhile)
            thread.start()
            thread.join()
            return super().items()

    cycle = monitor.update(Slow(), poses((0, 0, 0)))
    assert cycle.safe and len(told) == 1 and "at a time" in told[0]
    assert monitor.update(np.zeros(0), poses((0, 0, 0))).safe
