"""Faults of the monitor that were found once, each by its name."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.broadphase import Octree
from standoff.broadphase.kernels import tables as x
from tests.oracles.monitor_answers import exact, explain
from tests.worlds.monitor_worlds import write_rail

pytestmark = pytest.mark.interpreted


def place(*position):
    return so.pose(position)


def poses(*positions):
    return np.array([place(*p) for p in positions])


@pytest.mark.parametrize("axis", range(3))
def test_a_pose_with_one_coordinate_that_is_no_number_is_a_fault(axis):
    """`max` lets a NaN pass that is not the first of its arguments."""
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    cell.add_body("post", so.Sphere(0.1), place(0.1, 0, 0))
    monitor = so.Monitor(cell)
    bad = poses((0, 0, 0))
    bad[0, axis, 3] = math.nan
    for _ in range(2):
        cycle = monitor.update(np.zeros(0), bad)
        assert [f.kind for f in cycle.faults] == ["pose"] and not cycle.safe
        assert [(w.a, w.b) for w in cycle.warnings] == [("cart", "post")]
    with pytest.raises(so.errors.PoseError):
        cell.add_body("other", so.Sphere(0.1), bad[0])


def test_a_grid_finer_than_a_move_does_not_lose_a_body():
    """The cells were smaller than the farthest move of a cycle: a body that went past a cell was
    looked for next to the cells it had been in."""
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.01), place(-0.9, 0, 0), moving=True)
    for k, at in enumerate(np.linspace(-0.8, 0.8, 17)):
        cell.add_body(f"post{k}", so.Sphere(0.01), place(at, 0.02, 0))
    ways = ["naive", so.Grid(64), so.Grid(reserve=0.0), so.Grid(128, reserve=0.0)]
    monitors = [so.Monitor(cell, 0.005, way, max_speed=10.0) for way in ways]
    warned = 0
    for step in np.arange(-0.9, 0.9, 0.07):
        cycles = [monitor.update(np.zeros(0), poses((step, 0, 0))) for monitor in monitors]
        warned += len(cycles[0].warnings)
        for cycle in cycles:
            assert exact(cycle) == exact(cycles[0]), explain(cycle)
    assert warned > 3


def test_a_faster_body_that_is_added_later_is_not_lost_between_small_nodes():
    """The tree had been made for slow bodies; its nodes were smaller than the fast one's moves."""
    cell = so.Cell()
    cell.add_body("slow", so.Sphere(0.01), place(-0.9, 0.5, 0), moving=True)
    for k, at in enumerate(np.linspace(-0.8, 0.8, 17)):
        cell.add_body(f"post{k}", so.Sphere(0.01), place(at, 0.02, 0))
    speeds = {"slow": 0.5, "default": 20.0}
    monitors = [
        so.Monitor(cell, 0.005, max_speed=speeds, index=index)
        for index in ("naive", so.Octree(1, follow="neighbours"))
    ]
    for monitor in monitors:
        monitor.update(np.zeros(0), poses((-0.9, 0.5, 0)))
    cell.add_body("fast", so.Sphere(0.01), place(-0.9, 0, 0), moving=True)
    warned = 0
    for step in np.arange(-0.9, 0.9, 0.13):
        at = poses((-0.9, 0.5, 0), (step, 0, 0))
        naive, octree = (monitor.update(np.zeros(0), at) for monitor in monitors)
        warned += len(naive.warnings)
        assert exact(octree) == exact(naive), explain(octree)
    assert warned > 0


def test_a_floor_is_still_watched_after_the_tables_have_grown():
    """Making room inserts anew what is in no node; a floor then counted as moved for ever, and its
    pairs were dropped and found by nobody, as it is for movers to find them."""
    cell = so.Cell()
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -1)))
    cell.add_body("mark", so.Box((4, 4, 4)), place(0, 0, 1))
    for k in range(4):
        cell.add_body(f"cart{k}", so.Sphere(0.02), moving=True)
    for k in range(12):
        cell.add_body(f"crowd{k}", so.Box((0.9, 0.9, 0.9)), moving=True)
        cell.allow(f"crowd{k}", "mark")
    at = np.array([place(0.3 * k - 0.9, 0, -0.95) for k in range(4)] + [np.eye(4)] * 12)
    monitors = [
        so.Monitor(cell, 0.05, index=index, max_speed=1e4)
        for index in (
            "naive",
            so.Octree(1, smallest=0.05),
            "grid",
            so.RegionOctree(smallest=0.05),
        )
    ]
    room = [monitor.index.tables.nbytes for monitor in monitors]
    for cycle in range(6):
        for k in range(12):  # all in one place from the third cycle on
            at[4 + k] = place(0.05 * k, 0, 1.0) if cycle > 2 else place(5.0 * k + 9.0, 9, 9)
        answers = [monitor.update(np.zeros(0), at) for monitor in monitors]
        assert sum(w.a == "floor" for w in answers[0].warnings) == 4
        for answer in answers:
            assert exact(answer) == exact(answers[0]), explain(answer)
    assert monitors[1].index.tables.nbytes > room[1]


def test_items_that_find_room_again_have_not_moved():
    index = Octree(1, smallest=0.05).build(40, (-1.0, -1.0, -1.0), 2.0)
    inf = math.inf
    index.insert(39, (-inf, -inf, -inf, inf, inf, -0.5))
    index.tables.items[:, x.MOVED] = 0
    links = len(index.tables.links)
    for k in range(12):
        index.insert(k, (-0.7, -0.7, -0.7, 0.6 + 0.01 * k, 0.7, 0.7))
    assert len(index.tables.links) > links
    assert index.tables.items[39, x.MOVED] == 0


def test_overlapping_bodies_do_not_split_the_tree_without_end():
    """Boxes that share a point more than N deep are not told apart by any node: with nodes of a
    millimetre the tree would take all memory there is."""
    index = Octree(1, smallest=1e-5).build(8, (-1.0, -1.0, -1.0), 2.0)
    for k in range(8):
        index.insert(k, (-0.5, -0.5, -0.5, 0.5 + 0.01 * k, 0.5, 0.5))
    assert index.tables.nbytes < 4e6
    for k in range(8):
        assert index.near(k).tolist() == [j for j in range(8) if j != k]


def test_the_threshold_of_a_link_that_stands_still_reaches_a_body_that_moves(tmp_path):
    """Only what moves is extended; here that is the body, which knew nothing of the threshold of
    robots against the scene."""
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path), name="rail")
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    for index in ("naive", "octree", "grid", "region"):
        thresholds = so.Thresholds(robot_scene=0.5)
        monitor = so.Monitor(cell, 0.01, thresholds=thresholds, index=index)
        cycle = monitor.update(np.zeros(3), poses((0.0, 0.6, -0.1)))
        found = {(w.a, w.b): w.distance for w in cycle.warnings}
        assert found["rail/bed", "cart"] == pytest.approx(0.4)


@pytest.mark.parametrize("bad", [None, "pose", 10**400, [[10**400] * 4] * 4, 1j * np.eye(4)])
def test_a_pose_by_name_that_is_none_is_not_taken_for_the_origin(bad):
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), place(5, 0, 0), moving=True)
    cell.add_body("post", so.Sphere(0.1), place(5.1, 0, 0))
    monitor = so.Monitor(cell)
    cycle = monitor.update(np.zeros(0), {"cart": bad})
    assert [f.element for f in cycle.faults] == ["cart"]
    assert [(w.a, w.b) for w in cycle.warnings] == [("cart", "post")]


def test_a_body_that_rules_name_may_leave_the_cell():
    """Names are checked when a monitor is made; a body that is taken out afterwards ends no
    watch."""
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.1), moving=True)
    cell.add_body("crate", so.Sphere(0.1), place(1, 0, 0), moving=True)
    cell.add_body("post", so.Sphere(0.1), place(0.1, 0, 0))
    monitor = so.Monitor(
        cell,
        {"default": 0.02, "crate": 0.1},
        thresholds=so.Thresholds(pairs={("crate", "post"): 0.2}),
        zones=[so.KeepOut("zone", so.Box((1, 1, 1)), place(9, 0, 0), only=["crate", "cart"])],
        max_speed={"crate": 2.0},
        grasped={"crate": 0.1},
    )
    monitor.update(np.zeros(0), poses((0, 0, 0), (1, 0, 0)))
    cell.remove_body("crate")
    cycle = monitor.update(np.zeros(0), poses((0, 0, 0)))
    assert [(w.a, w.b) for w in cycle.warnings] == [("cart", "post")] and not cycle.faults
    cell.add_body("crate", so.Sphere(0.1), place(1, 0, 0), moving=True)
    cycle = monitor.update(np.zeros(0), poses((0, 0, 0), (0.4, 0, 0)))
    assert [(w.a, w.b) for w in cycle.warnings] == [("cart", "post"), ("post", "crate")]
    with pytest.raises(so.errors.UnknownNameError):
        so.Monitor(cell, {"nobody": 0.1})
    with pytest.raises(so.errors.UnknownNameError):
        so.Monitor(cell, thresholds=so.Thresholds(pairs={("cart", "nobody"): 0.1}))


def moving_cell(*names):
    cell = so.Cell(unwatched="allow")
    for k, name in enumerate(names):
        cell.add_body(name, so.Sphere(0.1), place(3.0 * k, 0, 0), moving=True)
    return cell


@pytest.mark.parametrize("timed", [True, False])
def test_what_was_read_well_is_not_slower_for_what_was_not(timed):
    """The time since the last good reading of all was taken for the time in which each had moved:
    one body that dropped out made the buffers of all others too small."""
    cell = moving_cell("cart", "crate")
    buffer = so.separation(2.0, reaction=0.1, period=0.01, deceleration=10.0)
    monitor = so.Monitor(cell, buffer, max_speed=2.0)
    q, speed = np.zeros(0), 1.0
    for k in range(9):
        at = poses((speed * 0.01 * k, 0, 0), (3, 0, 0))
        lost = 3 <= k < 7
        given = {"cart": at[0]} if lost else at
        cycle = monitor.update(q, given, 0.01 * k if timed else None)
        assert [f.kind for f in cycle.faults] == (["missing"] if lost else [])
        if k:
            assert monitor.buffers["cart"] >= buffer.at(speed) * (1 - 1e-9)
        if k == 2 or k == 8:
            assert monitor.buffers["cart"] == pytest.approx(buffer.at(speed))


@pytest.mark.parametrize("timed", [True, False])
@pytest.mark.parametrize("how", ["nothing", "no number"])
def test_a_body_that_was_lost_for_a_while_has_not_jumped(timed, how):
    """Its way since it was last seen is held against the time since then."""
    cell = moving_cell("cart")
    monitor = so.Monitor(cell, max_speed=1.0)
    q = np.zeros(0)
    for k in range(20):
        at = poses((0.009 * k, 0, 0))
        lost = 5 <= k < 15
        if lost:
            at[0, 1, 3] = math.nan
        given = {} if lost and how == "nothing" else at
        cycle = monitor.update(q, given, 0.01 * k if timed else None)
        kinds = [f.kind for f in cycle.faults]
        assert kinds == ([] if not lost else ["missing" if how == "nothing" else "pose"]), k
    cycle = monitor.update(q, poses((0.009 * 19 + 0.02, 0, 0)), 0.2 if timed else None)
    assert [f.kind for f in cycle.faults] == ["jump"]


def test_no_pair_is_said_to_part_while_one_of_it_is_not_seen():
    cell = moving_cell("cart", "crate")
    monitor = so.Monitor(cell, 0.5)
    q = np.zeros(0)
    for k in range(4):
        at = poses((0, 0, 0), (0.3 + 0.01 * k, 0, 0))
        cycle = monitor.update(q, at)
    assert not cycle.warnings[0].approaching
    cycle = monitor.update(q, {"crate": place(0.35, 0, 0)})
    assert cycle.warnings[0].approaching and math.isnan(cycle.warnings[0].closing_speed)


@pytest.mark.parametrize("bad", ["noon", math.nan, math.inf, 10**400, True, 1j, [0.0]])
def test_a_first_time_that_is_none_is_a_fault_and_does_not_stay(bad):
    cell = moving_cell("cart")
    monitor = so.Monitor(cell)
    at = poses((0, 0, 0))
    assert [f.kind for f in monitor.update(np.zeros(0), at, bad).faults] == ["time"]
    for k in range(3):
        assert not monitor.update(np.zeros(0), at, 0.01 * k).faults


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, float, int])
def test_times_of_all_kinds_of_numbers_are_times(kind):
    cell = moving_cell("cart")
    monitor = so.Monitor(cell, period=1.0)
    for k in range(4):
        assert not monitor.update(np.zeros(0), poses((0, 0, 0)), kind(k)).faults


def test_a_body_with_the_name_of_a_zone_ends_no_watch():
    cell = moving_cell("cart")
    zone = so.KeepOut("zone", so.Box((1, 1, 1)))
    monitor = so.Monitor(cell, zones=[zone])
    cell.add_body("zone", so.Sphere(0.2), place(0, 0, 2.0))
    cycle = monitor.update(np.zeros(0), poses((0, 0, 1.8)))
    assert [(w.a, w.b) for w in cycle.warnings] == [("cart", "zone")]
    assert cycle.warnings[0].distance == pytest.approx(-0.1)
    cycle = monitor.update(np.zeros(0), poses((0, 0, 0.55)))
    assert cycle.warnings[0].distance == pytest.approx(-0.05)
    with pytest.raises(so.errors.DuplicateNameError):
        so.Monitor(cell, zones=[zone])


def test_a_body_is_grasped_where_it_is_though_the_cell_has_changed_since(tmp_path):
    """The cell was told of the last reading only while it had not changed otherwise."""
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path), name="rail")
    cell.add_body("crate", so.Sphere(0.1), moving=True)
    monitor = so.Monitor(cell)
    q, at = np.array([0.3, 0.5, 0.2]), poses((1.0, 0.5, 0.5))
    monitor.update(q, at)
    cell.add_body("post", so.Sphere(0.1), place(5, 5, 5))
    monitor.attach("crate", "rail/tip")
    monitor.update(q)
    np.testing.assert_allclose(cell.pose("crate", q), at[0], atol=1e-12)
    moved = np.array([0.1, 0.4, 0.3])
    monitor.update(moved)
    there = cell.pose("crate", moved)
    cell.remove_body("post")
    monitor.detach("crate")
    np.testing.assert_allclose(cell.pose("crate"), there, atol=1e-12)
    monitor.update(moved, there[None])


def test_a_default_that_is_for_nobody_yet_is_refused_at_once():
    cell = so.Cell(unwatched="allow")
    slow = so.separation(1.0, reaction=0.1, period=0.001, deceleration=1.0)
    for wrong in ({"buffer": -1.0}, {"buffer": slow}, {"max_speed": 0.0}):
        with pytest.raises(so.errors.MonitorError):
            so.Monitor(cell, **wrong)


def test_what_stands_still_is_found_again_when_the_table_of_hits_was_too_short():
    """The tests are run once more with a longer table. An index built anew counted all as moved:
    what stands still was then dropped, and found by nobody."""
    cell = so.Cell()
    for k in range(9):
        cell.add_body(f"cart{k}", so.Sphere(0.1), moving=True)
        cell.add_body(f"post{k}", so.Sphere(0.1), place(0.01 * k, 0, 0))
    monitors = [
        so.Monitor(cell, index=so.Octree(1)),
        so.Monitor(cell, index="naive"),
    ]
    at = np.array([place(0.01 * k, 0.05, 0) for k in range(9)])
    far = np.array([place(1.0 * k, 5.0, 0) for k in range(9)])
    for there in (far, at, at, at):
        octree, naive = (monitor.update(np.zeros(0), there) for monitor in monitors)
        assert exact(octree) == exact(naive)
    assert len(naive.warnings) == 81 + 36


@pytest.mark.parametrize("many", [1, 40])
def test_warnings_equally_near_come_in_the_order_of_the_cell(many):
    """A floor and a fence in one place: their rows differ only in a speed that is not known yet,
    and what is no number has no order. Few rows and many are ranked apart."""
    cell = so.Cell()
    for k in range(many):
        cell.add_body(f"cart{k}", so.Sphere(0.1), moving=True)
    cell.add_body("floor", so.HalfSpace(), so.pose((0, 0, -1)))
    cell.add_body("plate", so.HalfSpace(), so.pose((0, 0, -1)))
    fence = so.KeepIn("fence", so.Box((9, 9, 2)))
    at = np.array([place(0.25 * (k - many // 2) / many * 8, 0, -0.95) for k in range(many)])
    for how in (
        {"index": "naive"},
        {},
        {"index": "grid"},
        {"index": so.Octree(1, follow="neighbours")},
    ):
        monitor = so.Monitor(cell, 0.0, zones=[fence], **how)
        for _ in range(2):
            warnings = monitor.update(np.zeros(0), at).warnings
            ground = [(w.a, w.b) for w in warnings if not w.b.startswith("cart")]
            names = ("floor", "plate", "fence")
            assert ground == [(f"cart{k}", name) for k in range(many) for name in names]


@pytest.mark.parametrize("count", range(62, 67))
def test_as_many_hits_as_the_table_has_rows_are_all_told_right(count):
    """The last row of a full table was used again for the pairs after it, which are no hits: the
    last hit had then their distance."""
    cell = so.Cell()
    cell.add_body("cart", so.Sphere(0.5), moving=True)
    for k in range(count):
        turn = 2 * math.pi * k / count
        cell.add_body(
            f"post{k}", so.Sphere(0.01), place(0.5 * math.cos(turn), 0.5 * math.sin(turn), 0)
        )
    for k in range(8):  # in the corners of its box
        corner = [0.45 * (1 if k >> axis & 1 else -1) for axis in range(3)]
        cell.add_body(f"corner{k}", so.Sphere(0.01), place(*corner))
    for index in ("naive", "octree"):
        monitor = so.Monitor(cell, 0.01, index=index)
        for _ in range(2):
            cycle = monitor.update(np.zeros(0), poses((0, 0, 0)))
            assert len(cycle.warnings) == count
            assert all(w.distance == pytest.approx(-0.01) for w in cycle.warnings)
