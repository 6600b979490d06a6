"""`so.PathChecker` as users call it: what a verdict says, what is remembered, what is refused."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.compiled.jit import entry
from standoff.paths import path_search as scratch
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.heap import pop_node, push_node, requeue
from tests.worlds.robot_files import EXAMPLES, example


@pytest.fixture(scope="module")
def arm():
    """A planar chain of three capsules, a post in its way, a wall beside it."""
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    cell.add_body("post", so.Capsule(0.03, 0.6), pose=so.pose((0.9, 0.9, 0.6)))
    cell.add_body("wall", so.Box((0.05, 2.0, 2.0)), pose=so.pose((-1.2, 0.0, 0.5)))
    cell.add_body("floor", so.HalfSpace(), pose=so.pose((0.0, 0.0, -1.0)))
    return cell


def edges(cell, count, seed, length=2.0):
    rng = np.random.default_rng(seed)
    low, high = np.maximum(cell.tree.lower, -3.0), np.minimum(cell.tree.upper, 3.0)
    a = rng.uniform(low, high, (count, len(low)))
    step = rng.normal(size=a.shape)
    step *= length / np.linalg.norm(step, axis=1)[:, None]
    return a, np.clip(a + step, low, high)


@pytest.fixture(scope="module")
def judged(arm):
    """Segments of the arm with their kinds: 0 free … 3 collision."""
    a, b = edges(arm, 300, 1)
    kinds = so.PathChecker(arm).segment_kinds(a, b, threads=1)
    assert 20 < (kinds == 0).sum() < 280
    return a, b, kinds


def nearest(cell, q):
    """The least distance of all watched pairs, by `so.distance` alone."""
    model, least = cell.model, (math.inf, None)
    for x, y in cell.pairs.watched():
        for shape_x, local_x in model.parts[model.index[x]]:
            for shape_y, local_y in model.parts[model.index[y]]:
                pose_x, pose_y = (
                    cell.tree.frame_poses(q)[model.frame_of(n)] @ local
                    if model.frame_of(n)
                    else local
                    for n, local in ((x, local_x), (y, local_y))
                )
                d = so.distance(shape_x, pose_x, shape_y, pose_y).distance
                least = min(least, (d, (x, y)))
    return least


def test_a_witness_is_what_the_distance_says(arm, judged):
    a, b, kinds = judged
    checker = so.PathChecker(arm)
    for i in np.flatnonzero(kinds == 3)[:20]:
        verdict = checker.segment(a[i], b[i])
        assert verdict.kind == "collision" and not verdict.free
        np.testing.assert_allclose(verdict.q, a[i] + verdict.t * (b[i] - a[i]), atol=1e-12)
        gap = verdict.point_a - verdict.point_b
        np.testing.assert_allclose(gap, verdict.distance * verdict.normal, atol=1e-9)
        assert verdict.distance < 0.0
        assert verdict.pair in [*arm.pairs.watched()]


def test_one_by_one_in_batches_and_on_threads_alike(arm, judged):
    a, b, kinds = judged
    checker = so.PathChecker(arm)
    names = ("free", "undecided", "too_close", "collision")
    assert [checker.segment(x, y).kind for x, y in zip(a, b)] == [names[k] for k in kinds]
    for threads in (2, 3, 8):
        np.testing.assert_array_equal(checker.segment_kinds(a, b, threads=threads), kinds)
    np.testing.assert_array_equal(checker.segments(a, b), kinds == 0)


def test_small_tables_grow_and_lose_nothing(arm, judged, monkeypatch):
    a, b, kinds = judged
    monkeypatch.setattr(scratch, "_NODES", 2)
    for pool in (1, 7, 23, 50):
        monkeypatch.setattr(scratch, "_POOL", pool)
        checker = so.PathChecker(arm)
        np.testing.assert_array_equal(checker.segment_kinds(a[:60], b[:60], threads=1), kinds[:60])
        for x, y, kind in zip(a[:20], b[:20], kinds):
            assert checker.segment(x, y).free == (kind == 0)


def test_the_earliest_contact_and_what_is_free_before_it(arm, judged):
    a, b, kinds = judged
    checker, fine = so.PathChecker(arm), so.PathChecker(arm, tolerance=1e-8)
    for i in np.flatnonzero(kinds == 3)[:15]:
        first = checker.segment(a[i], b[i], first=True)
        any_one = checker.segment(a[i], b[i])
        assert first.t <= any_one.t + 1e-6
        assert 0.0 <= first.t - first.free_until <= 1e-6
        assert any_one.free_until == pytest.approx(first.free_until, abs=1e-6)
        if first.free_until > 0.0:
            stop = a[i] + first.free_until * (b[i] - a[i])
            assert fine.segment(a[i], stop).free
            assert not checker.segment(stop, b[i]).free
    free = int(np.flatnonzero(kinds == 0)[0])
    assert checker.segment(a[free], b[free], first=True).free_until == 1.0


def test_a_path_is_free_as_its_segments_are(arm, judged):
    a, b, kinds = judged
    checker = so.PathChecker(arm)
    good = np.flatnonzero(kinds == 0)
    for i in good[:10]:
        middle = 0.5 * (a[i] + b[i])
        verdict = checker.path([a[i], middle, b[i]])
        assert verdict.free and verdict.free_until == 2.0
    bad = int(np.flatnonzero(kinds == 3)[0])
    i = int(good[0])
    way = checker.path([a[i], b[i], a[bad], b[bad]])
    assert not way.free
    assert way.free_until >= 1.0 or way.segment == 0
    assert checker.path([a[i]]).free


def test_proved_segments_and_open_queues_are_remembered(arm, judged):
    a, b, kinds = judged
    checker = so.PathChecker(arm)
    i = int(np.flatnonzero(kinds == 0)[0])
    once = checker.path([a[i], b[i]])
    again = checker.path([a[i], b[i]])
    back = checker.path([b[i], a[i]])
    assert once.intervals > 0 and again.intervals == back.intervals == 0
    assert once.free and again.free and back.free

    # A path that is rejected leaves its other segments unfinished.
    bad = int(np.flatnonzero(kinds == 3)[0])
    checker = so.PathChecker(arm)
    work = {j: checker.segment(a[j], b[j]).intervals for j in np.flatnonzero(kinds == 0)}
    j = max(work, key=work.get)
    whole = work[j]
    checker.path(np.array([a[j], b[j], a[bad], b[bad]]))
    left = checker.path([a[j], b[j]])
    assert left.free and left.intervals < whole

    # What is known to collide is not searched again.
    assert checker.path([a[bad], b[bad]]).kind == "collision"
    assert checker.path([a[bad], b[bad]]).intervals == 0


def test_a_change_of_the_cell_is_noticed(judged):
    cell = so.Cell()
    cell.add_robot("builtin:arm7", name="arm")
    checker = so.PathChecker(cell)
    q = np.zeros(len(cell.joints))
    assert checker.path([q, q]).free
    tip = cell.pose(cell.model.names[-1])[:3, 3]
    cell.add_body("ball", so.Sphere(0.1), pose=so.pose(tip))
    assert checker.path([q, q]).kind == "collision"
    cell.remove_body("ball")
    assert checker.path([q, q]).free


def test_a_budget_that_runs_out_is_undecided(arm, judged):
    a, b, kinds = judged
    i = int(np.flatnonzero(kinds == 0)[0])
    verdict = so.PathChecker(arm, budget=1).segment(a[i], b[i])
    assert verdict.kind == "undecided" and not verdict.free and verdict.pair is None
    assert verdict.free_until < 1.0
    assert not so.PathChecker(arm, budget=1).segments(a[i : i + 1], b[i : i + 1])[0]


def ball_and_wall(gap=0.3):
    """A ball at the origin, and a wall that begins ``gap`` beyond it."""
    cell = so.Cell()
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    cell.add_body("wall", so.Box((0.2, 2.0, 2.0)), pose=so.pose((0.2 + gap, 0.0, 0.0)))
    return cell


def test_clearance_is_kept_all_along():
    cell = ball_and_wall(gap=0.3)
    for clearance, expected in ((0.0, True), (0.249, True), (0.251, False)):
        checker = so.PathChecker(cell, clearance=clearance)
        verdict = checker.segment([], [], moving={"ball": so.Glide(np.eye(4), linear=(0.05, 0, 0))})
        assert verdict.free is expected
    close = so.PathChecker(cell, clearances={("ball", "wall"): 0.251})
    assert not close.segment([], [], moving={"ball": so.Glide(np.eye(4), linear=(0.05, 0, 0))}).free


def test_contact_that_is_there_from_the_start_is_found_at_0(arm, judged):
    """And not within the precision of it: the witness is the start itself."""
    cell = ball_and_wall(gap=0.3)
    leaving = {"ball": so.Glide(so.pose((0.35, 0.0, 0.0)), linear=(-0.5, 0.0, 0.0))}
    verdict = so.PathChecker(cell).segment([], [], moving=leaving, first=True)
    assert verdict.kind == "collision" and verdict.t == verdict.free_until == 0.0
    assert verdict.distance == pytest.approx(-0.05) and verdict.segment == 0
    assert so.verify(cell, verdict.certificate(), engine="plain").verified
    a, b, kinds = judged
    checker = so.PathChecker(arm)
    hits = [checker.segment(a[i], b[i], first=True) for i in np.flatnonzero(kinds == 3)[:5]]
    for hit in hits:
        away = checker.path([hit.q, hit.q + 0.01, hit.q - 0.02], first=True)
        if hit.kind == "collision":
            assert away.t == away.segment == away.free_until == 0
            assert np.array_equal(away.q, hit.q) and away.distance == pytest.approx(hit.distance)


def test_bounded_penetration_of_convex_bodies_but_not_of_meshes():
    deep = {"ball": so.Glide(np.eye(4), linear=(0.35, 0.0, 0.0))}  # 0.05 into the wall
    for clearance, expected in ((-0.06, "free"), (-0.04, "collision"), (0.0, "collision")):
        assert (
            so.PathChecker(ball_and_wall(), clearance=clearance).segment([], [], moving=deep).kind
            == expected
        )
    cell = so.Cell()
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    corners = np.array([[x, y, z] for x in (0.4, 0.6) for y in (-1, 1) for z in (-1, 1)], float)
    hull = so.Polyhedron(corners)
    cell.add_body("wall", so.Mesh(hull.vertices, hull.faces))
    assert so.PathChecker(cell, clearance=-0.06).segment([], [], moving=deep).kind == "collision"


def test_a_spinning_bar_is_caught_in_the_middle_of_its_turn():
    cell = so.Cell()
    cell.add_body("bar", so.Capsule(0.01, 2.0), moving=True)
    cell.add_body("pin", so.Sphere(0.005), pose=so.pose((0.0, 0.7, 0.7)))
    checker = so.PathChecker(cell)
    turn = so.Glide(np.eye(4), angular=(math.pi, 0.0, 0.0))
    verdict = checker.segment([], [], moving={"bar": turn}, first=True)
    assert verdict.kind == "collision" and 0.2 < verdict.t < 0.8
    away = so.Glide(so.pose((0.1, 0.0, 0.0)), angular=(math.pi, 0.0, 0.0))
    assert checker.segment([], [], moving={"bar": away}).free
    # Two that move in step never meet, however fast they are.
    cell.add_body("other", so.Capsule(0.01, 2.0), moving=True)
    step = {
        "bar": so.Glide(so.pose((3.0, 0.0, 0.0)), linear=(0.0, 50.0, 0.0)),
        "other": so.Glide(so.pose((3.05, 0.0, 0.0)), linear=(0.0, 50.0, 0.0)),
    }
    assert checker.segment([], [], moving=step).free


def test_a_tube_of_motions_is_certified(arm, judged):
    a, b, kinds = judged
    rng = np.random.default_rng(3)
    tube = so.PathChecker(arm, deviation=0.01)
    line = so.PathChecker(arm)
    free = tube.segments(a, b)
    assert not (free & (kinds != 0)).any()
    assert free.sum() < (kinds == 0).sum() or free.sum() == (kinds == 0).sum()
    for i in np.flatnonzero(free)[:20]:
        off = rng.uniform(-0.01, 0.01, (2, a.shape[1]))
        assert line.segment(a[i] + off[0], b[i] + off[1]).free


def test_a_tube_that_is_not_free_at_the_start_took_the_whole_search():
    """A UR5 alone: every motion was undecided after hundreds of configurations."""
    cell = so.Cell()
    cell.add_robot(example(EXAMPLES["ur5"]), name="r")
    q = np.array([0.0, -1.2, 1.5, -0.3, 0.7, 0.0])
    tube = so.PathChecker(cell, deviation=0.02)
    for verdict in (tube.segment(q, q + 0.3), tube.path([q, q + 0.3, q]), tube.path(q)):
        assert (verdict.kind, verdict.t, verdict.free_until) == ("undecided", 0.0, 0.0)
        assert verdict.intervals == 1
        assert verdict.distance > 0.0 and "with this deviation" in str(verdict)
    pair = verdict.pair
    assert not so.PathChecker(cell, deviation=0.02).segments(q[None], q[None] + 0.3)[0]
    assert so.PathChecker(cell).segment(q, q + 0.3).free
    # What collides there in any case is shown, whichever pair is looked at first.
    cell.add_body("box", so.Box((0.1, 0.1, 0.1)), cell.pose(pair[1], q))
    assert tube.segment(q, q + 0.3).kind == "collision"


def test_progress_is_told_of_long_checks(arm, monkeypatch):
    monkeypatch.setattr(scratch, "_SLICE", 5)
    told = []
    a, b = edges(arm, 20, 9)
    so.PathChecker(arm).path(np.concatenate([a[:1], b[:1]]), progress=told.append)
    assert told and all(0.0 <= share <= 1.0 for share in told)


@pytest.mark.parametrize(
    "settings",
    [
        {"clearance": math.nan},
        {"clearance": "wide"},
        {"tolerance": 0.0},
        {"tolerance": -1e-3},
        {"budget": 0},
        {"budget": 1.5},
        {"deviation": -0.1},
        {"deviation": [0.1]},
        {"deviation": {"elbow": 0.1}},
        {"clearances": {("arm", "moon"): 0.1}},
        {"clearances": [("post", "wall", 0.1)]},
        {"clearances": {"post": 0.1}},
    ],
)
def test_settings_that_make_no_sense(arm, settings):
    with pytest.raises(so.Error):
        so.PathChecker(arm, **settings)


def test_input_that_makes_no_sense(arm):
    checker = so.PathChecker(arm)
    q = np.zeros(len(arm.joints))
    for call in (
        lambda: checker.segment(q, q[:3]),
        lambda: checker.segment(q, q * math.nan),
        lambda: checker.segment(q, q, precision=0.0),
        lambda: checker.path([]),
        lambda: checker.path("path"),
        lambda: checker.path([q, None]),
        lambda: checker.segments([q], [q, q]),
        lambda: checker.segments([q], [q], threads=0),
        lambda: checker.segment(q, q, moving={"ghost": so.Glide(np.eye(4))}),
        lambda: checker.curve("spiral"),
        lambda: so.PathChecker("cell"),
    ):
        with pytest.raises(so.Error):
            call()


@entry("void(int64, int64, float64)")
def push(search, piece, priority):
    view = p.search_at(search)
    push_node(view, piece, 0.0, 1.0, priority, -1, 0, 0)
    requeue(view, piece)


@entry("void(int64, int64)")
def pop(search, piece):
    view = p.search_at(search)
    pop_node(view, piece)
    requeue(view, piece)


def test_two_levels_of_queues_take_the_most_urgent_node_first():
    """The leftist heaps of pieces and the queue over them, against a sorted list."""
    cell = so.Cell(unwatched="allow")
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    tables = so.PathChecker(cell).tables
    room = scratch.new_scratch(tables, 5)
    room.grow("nodes", 400)
    rng = np.random.default_rng(4)
    waiting = []
    for _ in range(300):
        if waiting and rng.random() < 0.4:
            piece = int(room.queue[0])
            root = int(room.pieces.root[piece])
            assert room.nodes.priority[root] == max(waiting)
            waiting.remove(max(waiting))
            pop(room.address, piece)
        else:
            piece, priority = int(rng.integers(5)), float(rng.integers(50))
            waiting.append(priority)
            push(room.address, piece, priority)
        assert room.header.queued == (room.pieces.root >= 0).sum()
