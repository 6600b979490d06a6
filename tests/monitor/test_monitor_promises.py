"""What once broke a promise of the monitor, each with the smallest cell that shows it."""

import copy
import math
import pickle
from decimal import Decimal

import numpy as np
import pytest

import standoff as so
from standoff.broadphase import Grid, Naive, Octree
from standoff.monitor.scene import Scene

NONE = np.zeros(0)
WAYS = ("octree", "grid", "naive", "region")


def ball_and(shape, at, *, radius=0.1):
    cell = so.Cell()
    cell.add_body("ball", so.Sphere(radius), moving=True)
    cell.add_body("wall", shape, at)
    return cell


def poses(*places):
    return np.array([so.pose(p) for p in places])


@pytest.mark.parametrize("index", WAYS)
def test_thresholds_given_as_whole_numbers_cut_no_other_down(index):
    cell = ball_and(so.Sphere(0.1), so.pose((0.5, 0, 0)))
    rules = so.Thresholds(robot_scene=0, pairs={("ball", "wall"): 0.5})
    assert so.Monitor(cell, 0, index, thresholds=rules).update(NONE, poses((0, 0, 0))).pairs
    assert so.Thresholds(self_collision=Decimal("0.01")).self_collision == 0.01


@pytest.mark.parametrize("index", WAYS)
@pytest.mark.parametrize("far", [1e3, 1e6])
def test_a_floor_tilted_by_next_to_nothing_has_no_end(index, far):
    floor = so.pose(rpy=(1e-8, 0, 0))
    cell = ball_and(so.HalfSpace(), floor)
    at = so.pose((0, far, 0.1 + 0.5e-8 * far))
    assert so.distance(so.Sphere(0.1), at, so.HalfSpace(), floor).distance < 0.0
    assert so.Monitor(cell, 0.0, index).update(NONE, at[None]).pairs


@pytest.mark.parametrize("radius", [1.0, 1e4])
def test_the_box_of_a_cylinder_holds_a_tilt_of_next_to_nothing(radius):
    lying = so.pose(rpy=(0, math.pi / 2 - 1e-8, 0))
    cell = so.Cell()
    cell.add_body("roll", so.Cylinder(radius, 2.0), moving=True)
    reach = 1.0 + 0.5e-8 * radius
    cell.add_body("wall", so.Box((1, 1, 1)), so.pose((reach + 0.5, 0, radius)))
    value = so.distance(
        so.Cylinder(radius, 2.0), lying, so.Box((1, 1, 1)), so.pose((reach + 0.5, 0, radius))
    ).distance
    warned = so.Monitor(cell, 0.0).update(NONE, lying[None]).pairs
    assert bool(warned) or value > 0.0


def test_a_body_that_was_let_go_has_not_forgotten_where_it_was():
    def watched(between):
        cell = so.Cell()
        cell.add_robot("builtin:arm7", name="arm", base=so.pose((0, 0, -5)))
        cell.add_body("part", so.Sphere(0.05), so.pose((0, 0, 0.5)), moving=True)
        cell.add_body("plate", so.Box((0.002, 2, 2)), so.pose((0.5, 0, 0.5)))
        q = np.zeros(7)
        cell.attach("part", "arm/link7", q=q)
        monitor = so.Monitor(cell, 0.0, between=between, max_speed={"part": 10.0})
        for _ in range(3):
            monitor.update(q)
        monitor.detach("part")
        return monitor.update(q, poses((1.0, 0, 0.5)))

    assert ("part", "plate") in [tuple(sorted(p[:2])) for p in watched(True).pairs]
    assert [f.kind for f in watched(False).faults] == ["jump"]


def test_an_interrupted_change_is_made_good():
    cell = ball_and(so.Box((1, 1, 1)), so.pose((5, 0, 0)))
    monitor = so.Monitor(cell, 0.01)
    monitor.update(NONE, poses((0, 0, 0)))
    cell.add_body("post", so.Box((1, 1, 1)))
    for where in ("_take_out", "_lay_out", "_adapt", "_new_index", "_put_in", "_change_rules"):
        kept = getattr(Scene, where)

        def interrupt(*_):
            raise KeyboardInterrupt

        for k in range(40 if where in ("_lay_out", "_new_index") else 2):  # 40: all anew
            cell.add_body(f"{where}{k}", so.Sphere(0.1), so.pose((9, k, 0)))
        setattr(Scene, where, interrupt)
        try:
            with pytest.raises(KeyboardInterrupt):
                monitor.update(NONE, poses((0, 0, 0)))
        finally:
            setattr(Scene, where, kept)
        assert ("ball", "post") in [p[:2] for p in monitor.update(NONE, poses((0, 0, 0))).pairs]
        cell.remove_body(f"{where}0")


def test_options_are_taken_when_they_are_given():
    at, buffers = so.pose((0, 0, 0)), {"default": 0.01}
    zone = so.KeepOut("zone", so.Box((1, 1, 1)), at, only=(n for n in ["ball"]))
    cell = ball_and(so.Sphere(0.1), so.pose((9, 0, 0)))
    monitor = so.Monitor(cell, buffers, zones=[zone])
    at[0, 3], buffers["default"] = 50.0, -1.0
    for k in range(3):
        cell.add_body(f"more{k}", so.Sphere(0.1), so.pose((9, 9, k)))
        cycle = monitor.update(NONE, poses((0, 0, 0)))
        assert [p[:2] for p in cycle.pairs] == [("ball", "zone")] and not cycle.faults


def test_readings_faster_than_the_period_do_not_hide_a_speed():
    cell = ball_and(so.Sphere(0.1), so.pose((90, 0, 0)))
    monitor = so.Monitor(cell, max_speed=1.0, period=0.01)
    kinds = []
    for k in range(30):
        cycle = monitor.update(NONE, poses((0.009 * k, 0, 0)), 0.001 * k)
        kinds.append([f.kind for f in cycle.faults])
    assert kinds[2:] == [["jump"]] * 28
    calm = so.Monitor(cell, max_speed=1.0, period=0.01)
    for k in range(60):  # one metre a second, with a clock that trembles
        time = 0.001 * k + (0.0004 if k % 3 == 1 else 0.0)
        assert not calm.update(NONE, poses((0.001 * k, 0, 0)), time).faults


def test_a_separation_says_what_is_late():
    buffer = so.separation(2.0, reaction=0.1, period=0.01, deceleration=10.0)
    cell = ball_and(so.Sphere(0.1), so.pose((90, 0, 0)))
    monitor = so.Monitor(cell, buffer, period=0.01)
    said = [[f.kind for f in monitor.update(NONE, poses((0, 0, 0)), 0.0149 * k).faults]
            for k in range(3)]  # fmt: skip
    assert said == [[], ["late"], ["late"]]
    assert monitor.buffers["ball"] == pytest.approx(buffer.at(2.0))  # who knows how fast it was


def test_masked_joints_and_text_are_no_numbers():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    monitor = so.Monitor(cell)
    for q in (
        np.ma.masked_array(np.zeros(7), mask=[0, 0, 1, 0, 0, 0, 0]),
        np.array(["0.0"] * 7, dtype=object),
        np.array([True] * 7, dtype=object),
    ):
        assert not monitor.update(q).safe
    assert not monitor.update([Decimal(0)] * 7).faults


def test_who_names_a_link_means_it_more_than_who_names_its_robot():
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    q = np.zeros(7)
    top = cell.pose("arm/link7", q)[:3, 3]
    cell.add_body("wall", so.Box((1, 1, 1)), so.pose(top + np.array((0, 0, 1.2))))
    pairs = {("arm/link7", "wall"): 1.0, ("arm", "wall"): 0.01}
    for order in (pairs, dict(reversed(pairs.items()))):
        monitor = so.Monitor(cell, 0.0, thresholds=so.Thresholds(self_collision=0.0, pairs=order))
        assert [p[:2] for p in monitor.update(q).pairs] == [("arm/link7", "wall")]
    with pytest.raises(so.errors.MonitorError, match="two thresholds of one pair"):
        so.Thresholds(pairs={("a", "b"): 0.1, ("b", "a"): 0.2})


def test_a_zone_keeps_its_threshold_when_a_body_takes_its_name():
    cell = ball_and(so.Sphere(0.1), so.pose((90, 0, 0)))
    zone = so.KeepOut("zone", so.Box((1, 1, 1)), so.pose((0.9, 0, 0)))
    rules = so.Thresholds(pairs={("ball", "zone"): 0.5})
    monitor = so.Monitor(cell, 0.01, zones=[zone], thresholds=rules)
    assert len(monitor.update(NONE, poses((0, 0, 0))).pairs) == 1
    cell.add_body("zone", so.Sphere(0.1), so.pose((50, 0, 0)))
    assert len(monitor.update(NONE, poses((0, 0, 0))).pairs) == 1


def test_a_pair_of_which_one_primitive_comes_nearer_does_not_part(tmp_path):
    file = tmp_path / "seesaw.urdf"
    ball = (
        '<collision><origin xyz="{} 0 0"/><geometry><sphere radius="0.1"/></geometry></collision>'
    )
    file.write_text(
        f'<robot name="r"><link name="base"/><link name="arm">{ball.format(-1)}{ball.format(1)}'
        '</link><joint name="j" type="revolute"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="2" effort="1"/></joint></robot>'
    )
    cell = so.Cell()
    cell.add_robot(file, name="r")
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -0.2)))
    monitor = so.Monitor(cell, 0.15)
    for angle in (0.03, 0.02):  # the lower end rises, the other one sinks
        (warning,) = monitor.update(np.array([angle])).warnings
    assert warning.closing_speed < 0.0 and warning.approaching


def test_a_pose_beyond_all_numbers_is_unsafe_until_it_is_not(tmp_path):
    file = tmp_path / "slide.urdf"
    ball = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'
    file.write_text(
        f'<robot name="r"><link name="base"/><link name="turn"/><link name="arm">{ball}</link>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="turn"/></joint>'
        '<joint name="k" type="prismatic"><parent link="turn"/><child link="arm"/>'
        '<limit lower="-1e6" upper="1e6" velocity="1" effort="1"/>'
        '<mimic joint="j" multiplier="10"/></joint></robot>'
    )
    cell = so.Cell()
    cell.add_robot(file, name="r")
    cell.add_body("wall", so.Box((1, 1, 1)))
    for index in WAYS:
        monitor = so.Monitor(cell, 0.01, index)
        said = [monitor.update(np.array([q])).safe for q in (10.0, 1e308, 1e308, 10.0, 10.0)]
        assert said == [True, False, False, False, True]


def test_a_cell_that_cannot_be_watched_breaks_no_fault(monkeypatch):
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="a")
    cell.add_robot("builtin:arm7", name="b", base=so.pose((5, 0, 0)))
    monitor = so.Monitor(cell, 0.0)
    cell.remove_robot("b")

    def refuse(*_):
        raise so.errors.CellError("no")

    monkeypatch.setattr(Scene, "planned", refuse)
    q = np.zeros(14)
    q[-1] = 50.0
    assert {(f.kind, f.element) for f in monitor.update(q).faults} >= {
        ("cell", "cell"),
        ("limits", "b/joint7"),
    }


def test_what_free_bodies_do_between_readings_does_not_hang_on_robots_far_away():
    def depth(with_arm):
        cell = so.Cell()
        if with_arm:
            cell.add_robot("builtin:arm7", name="arm", base=so.pose((0, 0, 30)))
            cell.add_body("by", so.Box((1, 1, 1)), so.pose((0.6, 0, 31)))
        cell.add_body("rod", so.Capsule(0.05, 0.6), moving=True)
        cell.add_body("plate", so.Box((0.3, 2, 2)), so.pose((1, 0, 0)))
        monitor = so.Monitor(cell, 0.0, between=True, max_speed=1e3)
        q = np.zeros(len(cell.joints))
        for k, at in enumerate((0.0, 2.0)):
            cycle = monitor.update(q + 0.01 * k, so.pose((at, 0, 0), rpy=(0, 0.9 * at, 0))[None])
        return next(w for w in cycle.warnings if {w.a, w.b} == {"rod", "plate"})

    alone, beside = depth(False), depth(True)
    assert alone.distance == beside.distance and alone.when == beside.when
    here = min(
        so.distance(
            so.Capsule(0.05, 0.6), so.pose((2 * t, 0, 0), rpy=(0, 1.8 * t, 0)),
            so.Box((0.3, 2, 2)), so.pose((1, 0, 0)),
        ).distance
        for t in np.linspace(0, 1, 401)
    )  # fmt: skip
    assert alone.distance <= here + 2e-4


def test_a_sphere_that_flips_has_not_moved():
    cell = ball_and(so.Box((1, 1, 1)), so.pose((1.1, 0, 0)))
    monitor = so.Monitor(cell, 0.01, between=True)
    monitor.update(NONE, poses((0, 0, 0)))
    flipped = so.pose((0.001, 0, 0), quaternion=(0, 0, 1, 0))
    assert not monitor.update(NONE, flipped[None]).warnings


@pytest.mark.parametrize(
    "options",
    [
        {"root": 5}, {"root": ((0, 0, 0), -1)}, {"root": ((0, 0, 0), 1e308)},
        {"root": ((0, math.nan, 0), 1)}, {"split": True}, {"split": 2**70}, {"follow": "rebuild"},
    ],
)  # fmt: skip
def test_options_of_an_index_that_make_no_sense_are_refused_at_once(options):
    with pytest.raises(so.Error):
        so.Octree(**options)
    for side in ("x", 129):
        with pytest.raises(so.Error):
            so.Grid(side)


@pytest.mark.parametrize(
    "options",
    [
        {"zones": so.KeepOut("z", so.Box((1, 1, 1)))}, {"zones": None}, {"zones": ["x"]},
        {"grasped": 0.02}, {"grasped": {"prat": 0.02}}, {"between": "no"}, {"index": np.zeros(2)},
        {"buffer": np.True_}, {"buffer": {"wall": -1}},
        {"buffer": {"wall": "x"}}, {"max_speed": {"wall": -1}}, {"period": object()},
    ],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused_at_once(options):
    cell = ball_and(so.Box((1, 1, 1)), so.pose((5, 0, 0)))
    with pytest.raises(so.Error):
        so.Monitor(cell, **options)


def test_a_zone_for_nothing_that_has_names_is_refused():
    for only in (5, "ball", [["ball"]]):
        with pytest.raises(so.errors.MonitorError):
            so.KeepOut("z", so.Box((1, 1, 1)), only=only)


def test_split_may_be_any_whole_number():
    cell = ball_and(so.Box((1, 1, 1)), so.pose((5, 0, 0)))
    assert so.Monitor(cell, index=so.Octree(split=np.int64(3))).update(NONE, poses((0, 0, 0))).safe


def test_cycles_can_be_copied_and_monitors_cannot():
    cell = ball_and(so.Box((1, 1, 1)), so.pose((5, 0, 0)))
    monitor = so.Monitor(cell)
    quiet, loud = monitor.update(NONE, poses((0, 0, 0))), monitor.update(NONE, poses((5, 0, 0)))
    for cycle in (quiet, loud):
        for again in (copy.copy(cycle), copy.deepcopy(cycle), pickle.loads(pickle.dumps(cycle))):
            assert again.pairs == cycle.pairs and again.clearance == cycle.clearance
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(so.errors.MonitorError, match="cannot be copied"):
            attempt(monitor)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Naive().build(4),
        lambda: Grid().build(4, (0, 0, 0), 1),
        lambda: Octree().build(4, (0, 0, 0), 1),
    ],
)
def test_items_are_numbers_from_0_on(make):
    index = make()
    for item in (-1, True, 1.0, "x", None, 2**40):
        with pytest.raises(so.Error):
            index.insert(item, (0, 0, 0, 1, 1, 1))
        with pytest.raises(so.Error):
            index.near(item)
    for box in ("text", (0, 0, 0), (1, 1, 1, 0, 0, 0), (0, 0, math.nan, 1, 1, 1)):
        with pytest.raises(so.Error):
            index.insert(0, box)
