"""When a pair is too close: buffers, thresholds, allowed pairs, zones; while the cell changes."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.monitor.kernels import tables as m
from tests.worlds.monitor_worlds import PERIOD, WAYS, MonitorWorld, write_rail

NONE = np.zeros(0)


def place(*position):
    return so.pose(position)


def spheres(*xs, moving=(), unwatched="refuse"):
    """Balls of 1 cm on the x axis; those in ``moving`` move."""
    cell = so.Cell(unwatched)
    for k, at in enumerate(xs):
        cell.add_body(f"b{k}", so.Sphere(0.01), place(at, 0, 0), moving=k in moving)
    return cell


def names(cycle):
    return [(w.a, w.b) for w in cycle.warnings]


def ask(cell, *args, q=NONE, **how):
    """The warnings of a cell as it stands; the same for all indexes."""
    poses = np.array([cell.bodies[n].pose for n in cell.moving]).reshape(-1, 4, 4)
    found = []
    for index in ("naive", "octree", "grid", "region"):
        cycle = so.Monitor(cell, *args, index=index, **how).update(q, poses)
        found.append(names(cycle))
    assert found[0] == found[1] == found[2]
    return found[0]


@pytest.mark.interpreted
def test_a_mover_is_extended_by_its_whole_buffer_and_what_stands_not_at_all():
    # 0.10 m between the surfaces of each pair
    still, both = spheres(0, 0.12, moving=(0,)), spheres(0, 0.12, moving=(0, 1))
    assert ask(still, 0.1001) == ask(both, 0.0501) == [("b0", "b1")]
    assert ask(still, 0.0999) == ask(both, 0.0499) == []
    assert ask(both, {"b0": 0.08, "default": 0.03}) == [("b0", "b1")]
    assert ask(both, {"b0": 0.06}) == []  # 0.03 for the rest
    assert ask(both, {"b0": 0.1, "b1": 0.0}) == [("b0", "b1")]
    assert ask(spheres(0, 0.12, unwatched="allow"), 5.0) == []  # nothing moves


@pytest.mark.interpreted
@pytest.mark.parametrize(("threshold", "warns"), [(0.0999, False), (0.1001, True)])
@pytest.mark.parametrize("buffer", [0.0, 0.04, 0.3])
def test_the_threshold_of_a_pair_goes_before_buffers_smaller_and_larger(threshold, warns, buffer):
    for moving in ((0,), (1,), (0, 1)):
        cell = spheres(0, 0.12, 9, moving=moving)
        rule = so.Thresholds(pairs={("b1", "b0"): threshold})
        assert ask(cell, buffer, thresholds=rule) == ([("b0", "b1")] if warns else [])


def robots(tmp_path, gap):
    cell = so.Cell()
    urdf = write_rail(tmp_path)
    cell.add_robot(urdf, name="left")
    cell.add_robot(urdf, name="right", base=place(0, 0.2 + gap, 0))
    cell.add_body("cart", so.Sphere(0.1), place(3, 0, 0), moving=True)
    cell.add_body("post", so.Sphere(0.1), place(-3, 0, 0))
    return cell


def test_thresholds_by_kind_of_pair(tmp_path):
    q = np.zeros(6)
    cell = robots(tmp_path, 0.1)
    kinds = lambda **how: {  # noqa: E731
        frozenset(n.partition("/")[0] for n in pair)
        for pair in ask(cell, 0.0, q=q, thresholds=so.Thresholds(**how))
    }
    nobody = kinds()
    assert nobody <= {frozenset({"left"}), frozenset({"right"})}
    assert frozenset({"left", "right"}) in kinds(robot_robot=0.2)
    assert frozenset({"left"}) in kinds(self_collision=0.5)
    far = kinds(robot_scene=3.5)
    assert {frozenset({"left", "cart"}), frozenset({"right", "post"})} <= far
    assert frozenset({"left", "right"}) not in far and frozenset({"cart", "post"}) not in far
    single = so.Thresholds(robot_scene=0.0, pairs={("left", "cart"): 3.5, ("left/tip", "post"): 4})
    found = ask(cell, 0.0, q=q, thresholds=single)
    links = ("bed", "slide", "boom", "tip")
    assert {a for a, b in found if b == "cart"} == {f"left/{name}" for name in links}
    assert [a for a, b in found if b == "post"] == ["left/tip"]


@settings(deadline=None, max_examples=25, derandomize=True)
@given(st.integers(0, 40), st.floats(0, 0.2), st.floats(0, 0.2))
def test_a_larger_buffer_never_warns_less(seed, buffer, more):
    world = MonitorWorld(seed, robots=False, faulty=False, changing=False, movers=4, statics=8)
    world.options["buffer"] = buffer
    small = world.monitor()
    world.options["buffer"] = buffer + more
    large = world.monitor()
    for step in world.steps(12):
        less, all_ = (x.update(step.q, step.poses, step.time) for x in (small, large))
        assert {*names(less)} <= {*names(all_)}
        assert all_.clearance <= less.clearance


@settings(deadline=None, max_examples=25, derandomize=True)
@given(
    st.integers(0, 40), st.sampled_from(["self_collision", "robot_robot", "robot_scene", "pairs"])
)
def test_a_larger_threshold_never_warns_less(seed, kind):
    world = MonitorWorld(seed, faulty=False, changing=False, kinds=3)
    pair = tuple(world.cell.model.names[:2])
    rule = lambda v: so.Thresholds(**{kind: {pair: v} if kind == "pairs" else v})  # noqa: E731
    small, large = (world.monitor(thresholds=rule(v)) for v in (0.05, 0.15))
    for step in world.steps(8):
        less, all_ = (x.update(step.q, step.poses, step.time) for x in (small, large))
        assert {*names(less)} <= {*names(all_)}


@pytest.mark.parametrize("seed", range(60, 66))
def test_allowed_pairs_are_never_reported_and_all_others_may_be(seed):
    world = MonitorWorld(seed, faulty=False)
    world.options["buffer"] = 0.5
    world.options["thresholds"] = so.Thresholds(
        pairs=dict.fromkeys(list(world.cell.user_pairs)[:2], 2.0)
    )
    monitor = world.monitor()
    for step in world.steps(50):
        cycle = monitor.update(step.q, step.poses, step.time)
        watched = {frozenset(p) for p in world.cell.pairs.watched()}
        zones = {zone.name for zone in world.options["zones"]}
        for pair in names(cycle):
            assert frozenset(pair) in watched or {*pair} & zones


@pytest.mark.interpreted
def test_allowing_and_forbidding_while_it_runs():
    cell = spheres(0, 0.03, 9.0, moving=(0,))
    monitor = so.Monitor(cell)
    at = place(0, 0, 0)[None]
    assert names(monitor.update(NONE, at)) == [("b0", "b1")]
    cell.allow("b0", "b1")
    assert names(monitor.update(NONE, at)) == []
    cell.forbid("b0", "b1")
    assert names(monitor.update(NONE, at)) == [("b0", "b1")]


@pytest.mark.interpreted
def test_keep_out_zones_and_whom_they_are_for():
    cell = spheres(0, 0.5, moving=(0, 1))
    zone = lambda only: [so.KeepOut("zone", so.Box((2, 2, 2)), only=only)]  # noqa: E731
    assert ask(cell, zones=zone(None)) == [("b0", "zone"), ("b1", "zone")]
    assert ask(cell, zones=zone(["b1"])) == [("b1", "zone")]
    assert ask(cell, zones=zone([])) == []
    rule = so.Thresholds(pairs={("b1", "zone"): 0.0, ("b0", "zone"): 0.0})
    far = [so.KeepOut("zone", so.HalfSpace(), place(0, 0, -0.02))]
    assert ask(cell, 0.1, zones=far) == [("b0", "zone"), ("b1", "zone")]
    assert ask(cell, 0.1, zones=far, thresholds=rule) == []
    with pytest.raises(so.errors.UnknownNameError):
        so.Monitor(cell, zones=zone(["nobody"]))


@pytest.mark.interpreted
def test_keep_in_zones_warn_near_each_face_from_within_and_of_whatever_is_outside():
    fence = so.KeepIn("fence", so.Box((2.0, 4.0, 6.0)), so.pose((1, 1, 1), rpy=(0, 0, 0.3)))
    at = so.pose((1, 1, 1), rpy=(0, 0, 0.3))
    cell = so.Cell()
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    for index in ("naive", "octree", "grid", "region"):
        monitor = so.Monitor(cell, 0.2, zones=[fence], index=index, max_speed=1e9)
        assert names(monitor.update(NONE, at[None])) == []
        for axis, half in enumerate((1.0, 2.0, 3.0)):
            for side in (-1.0, 1.0):
                for inside in (0.29, 0.31, 0.05, -3.0, -100.0):
                    local = np.zeros(3)
                    local[axis] = side * (half - inside)
                    there = at @ place(*local)
                    cycle = monitor.update(NONE, there[None])
                    if inside == 0.31:
                        assert names(cycle) == []
                        continue
                    (warning,) = cycle.warnings
                    assert (warning.a, warning.b) == ("ball", "fence")
                    assert warning.distance == pytest.approx(inside - 0.1, abs=1e-9)
    side = so.KeepIn("side", so.HalfSpace(), place(0, 0, 1))
    monitor = so.Monitor(cell, 0.2, zones=[side], max_speed=1e9)
    assert names(monitor.update(NONE, place(0, 0, 0.5)[None])) == []
    assert names(monitor.update(NONE, place(0, 0, 0.8)[None])) == [("ball", "side")]
    assert names(monitor.update(NONE, place(0, 0, 9.0)[None])) == [("ball", "side")]


def test_what_is_grasped_adds_to_the_buffer_of_its_robot(tmp_path):
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path), name="rail")
    cell.add_body("load", so.Sphere(0.02), place(0, 0, 0.9))
    monitor = so.Monitor(cell, 0.03, grasped={"load": 0.05})
    q = np.zeros(3)
    monitor.update(q)
    assert {*monitor.buffers.values()} == {0.03} and "load" not in monitor.buffers
    monitor.attach("load", "rail/tip")
    monitor.update(q)
    assert {*monitor.buffers.values()} == {0.08} and monitor.buffers["load"] == 0.08
    monitor.detach("load")
    monitor.update(q)
    assert {*monitor.buffers.values()} == {0.03}


@pytest.mark.interpreted
def test_buffers_that_grow_with_speed():
    cell = spheres(0, 5.0, moving=(0, 1))
    growing = so.separation(
        2.0, reaction=0.05, period=PERIOD, deceleration=8.0, position_error=0.002
    )
    monitor = so.Monitor(cell, {"b0": growing, "default": 0.01})
    at = np.array([place(0, 0, 0), place(5, 0, 0)])
    monitor.update(NONE, at)
    assert monitor.buffers == {"b0": growing.total, "b1": 0.01}  # speed unknown: the highest
    for speed in (0.0, 0.1, 0.5, 1.9, 2.0):
        at[0, 0, 3] += speed * PERIOD
        cycle = monitor.update(NONE, at)
        assert monitor.buffers["b0"] == pytest.approx(growing.at(speed)) and not cycle.faults
    at[0, 0, 3] += 2.5 * PERIOD
    cycle = monitor.update(NONE, at)
    assert [f.kind for f in cycle.faults] == ["jump"]
    assert monitor.buffers["b0"] == growing.total
    at[0, 0, 3] = 4.9 - 2 * 0.01
    assert names(monitor.update(NONE, at)) == [("b0", "b1")]


def test_velocities_that_are_given_change_no_buffer(tmp_path):
    """Zeros from a driver would shrink them."""
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path), name="rail")
    growing = so.separation(2.0, reaction=0.05, period=PERIOD, deceleration=8.0)
    plain, given_ = so.Monitor(cell, growing), so.Monitor(cell, growing)
    q = np.zeros(3)
    for _ in range(3):
        q = q + 0.005
        assert plain.update(q).pairs == given_.update(q, dq=np.zeros(3)).pairs
        assert plain.buffers == given_.buffers
    assert given_.buffers["rail/tip"] > 1.01 * growing.at(0.0)


def test_a_turning_body_has_the_speed_of_its_farthest_point():
    cell = so.Cell(unwatched="allow")
    cell.add_body("rod", so.Capsule(0.05, 1.0), moving=True)
    growing = so.separation(5.0, reaction=0.1, period=PERIOD, deceleration=10.0)
    monitor = so.Monitor(cell, growing)
    for k in range(5):
        monitor.update(NONE, so.pose((0, 0, 0), rpy=(0.02 * k, 0, 0))[None])
        if k:  # 2 rad/s at 0.5 m
            assert monitor.buffers["rod"] == pytest.approx(growing.at(1.0), rel=1e-3)
            assert monitor.buffers["rod"] >= growing.at(1.0 * (1 - 1e-4))


@pytest.mark.parametrize("seed", range(70, 76))
def test_a_cell_that_changes_while_it_is_watched_equals_a_fresh_monitor(seed):
    """Add, remove, attach, detach, swap: on the cycle after, and on each one that follows."""
    world = MonitorWorld(seed, robots=True, faulty=False, named_stay=True, change=0.1)
    world.options["buffer"] = 0.06
    watching = [world.monitor(**WAYS[k]) for k in ("octree", "neighbours, N 1", "grid 16")]
    changes, revision = 0, world.cell.revision
    for number, step in enumerate(world.steps(150)):
        cycles = [monitor.update(step.q, step.poses, step.time) for monitor in watching]
        if world.cell.revision == revision and number % 10:
            continue
        changes += world.cell.revision != revision
        revision = world.cell.revision
        fresh = world.monitor(index="naive").update(step.q, step.poses)
        expected = {(w.a, w.b): (w.distance, w.threshold) for w in fresh.warnings}
        for cycle in cycles:
            found = {(w.a, w.b): (w.distance, w.threshold) for w in cycle.warnings}
            assert found.keys() == expected.keys(), (number, step.what)
            for pair, values in found.items():
                assert values == pytest.approx(expected[pair], abs=1e-9)
            assert cycle.clearance == pytest.approx(fresh.clearance, abs=1e-9)
    assert changes >= 2


def test_swapping_the_geometry_of_a_link_changes_its_distances(tmp_path):
    cell = so.Cell()
    cell.add_robot(write_rail(tmp_path), name="rail")
    cell.add_body("post", so.Sphere(0.02), place(0, 0.2, 0))
    monitor = so.Monitor(cell, 0.3)
    q = np.zeros(3)
    said = []
    for geometry in ("auto", "capsules", "auto"):
        cell.swap_geometry("rail/slide", geometry)
        cycle = monitor.update(q)
        fresh = so.Monitor(cell, 0.3, index="naive").update(q)
        said.append({(w.a, w.b): w.distance for w in cycle.warnings}["rail/slide", "post"])
        assert cycle.pairs == fresh.pairs
    assert said[0] == said[2] > said[1]


def test_many_bodies_come_and_go_beyond_the_room_there_was():
    cell = spheres(0, moving=(0,), unwatched="allow")
    monitors = [
        so.Monitor(cell, 0.02, index=index) for index in ("naive", "octree", "grid", "region")
    ]
    rng = np.random.default_rng(1)
    for round_ in range(6):
        for k in range(40):
            cell.add_body(
                f"m{round_}_{k}", so.Sphere(0.02), place(*rng.uniform(-0.5, 0.5, 3)), bool(k % 2)
            )
        if round_ % 2:
            for name in list(cell.bodies)[1:60]:
                cell.remove_body(name)
        poses = np.array([cell.bodies[n].pose for n in cell.moving])
        answers = [monitor.update(NONE, poses).pairs for monitor in monitors]
        assert answers[0] == answers[1] == answers[2]
        assert answers[0] == so.Monitor(cell, 0.02, index="naive").update(NONE, poses).pairs


def crowd(count):
    """Static boxes at a constant density, and one arm."""
    rng = np.random.default_rng(2)
    half = 1.5 * (count / 21) ** (1 / 3)
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    for k in range(count):
        q = rng.normal(size=4)
        at = so.pose(rng.uniform(-half, half, 3), q / np.linalg.norm(q))
        cell.add_body(f"box{k}", so.Box(rng.uniform(0.1, 0.5, 3)), at)
    return cell


def test_memory_of_ten_thousand_boxes():
    """The index takes at most 400 bytes a primitive, its nodes included, and 200 a node; rules do
    not grow with the number of pairs."""
    few, many = crowd(100), crowd(10_000)
    for k in range(50):
        many.allow("box0", f"box{k + 1}")
        many.allow("arm/link1", f"box{k}")
    sizes = {}
    for cell in (few, many):
        monitor = so.Monitor(cell)
        cycle = monitor.update(np.zeros(7))
        assert cycle.number == 1
        tables = monitor.scene.tables
        rules = sum(tables.arrays[t].nbytes for t in ("bodies", "exceptions", "thresholds"))
        sizes[len(cell.bodies)] = monitor.index.tables.nbytes, rules, monitor.nbytes
    each = (sizes[10_000][0] - sizes[100][0]) / 9_900
    tree, nodes = monitor.index.tables.tree, monitor.index.tables.nodes
    assert sizes[10_000][1] / 10_000 <= 100
    assert sizes[10_000][2] / 10_000 <= 600  # the whole monitor: poses, shapes, rules and index
    assert (tree.nbytes + nodes.nbytes) / len(tree) <= 200
    assert each <= 400
    assert tables.bodies.dtype.itemsize == 32 and m.ALLOWED < 0


def test_what_makes_no_monitor_is_refused():
    cell = spheres(0, 1, moving=(0,))
    for how in (
        {"index": "tree"}, {"index": 3}, {"period": 0.0}, {"period": math.nan},
        {"buffer": -0.1}, {"buffer": math.nan}, {"buffer": "wide"}, {"buffer": {"b0": None}},
        {"max_speed": 0.0}, {"max_speed": math.inf}, {"thresholds": 0.1}, {"grasped": {"b1": -1.0}},
    ):  # fmt: skip
        with pytest.raises(so.errors.MonitorError):
            so.Monitor(cell, **how)
    for kind, wrong in (
        (so.Octree, {"split": 0}), (so.Octree, {"follow": "never"}),
        (so.Octree, {"smallest": -1.0}), (so.Octree, {"reserve": -1.0}), (so.Grid, {"side": 0}),
        (so.Grid, {"reserve": math.nan}), (so.Grid, {"root": ((0, 0), 1)}),
        (so.RegionOctree, {"root": ((0, 0, 0), 0.0)}),
    ):  # fmt: skip
        with pytest.raises(so.errors.ConfigurationError):
            kind(**wrong)
    with pytest.raises(so.errors.MonitorError):
        so.Monitor("cell")
    for thresholds in (
        {"self_collision": -1},
        {"pairs": 3},
        {"pairs": {"ab": 1}},
        {"robot_scene": "x"},
    ):
        with pytest.raises(so.errors.MonitorError):
            so.Thresholds(**thresholds)
    for zone in (("", so.Box((1, 1, 1))), ("z", so.Sphere(1)), (3, so.HalfSpace())):
        with pytest.raises(so.errors.MonitorError):
            so.KeepOut(*zone)
    with pytest.raises(so.errors.MonitorError):
        so.KeepOut("z", so.HalfSpace(), only="b0")
