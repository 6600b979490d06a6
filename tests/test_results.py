"""What every result says of itself: one word, and True exactly where the good answer is proved."""

import math
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import standoff as so
from standoff.streams.record.recorder import Recorder
from standoff.streams.record.replay import Replay
from standoff.streams.report import State
from tests.worlds.path_cells import BOX, written
from tests.worlds.watch_worlds import OPTIONS, Memory, new_cell, readings, task

BALL = so.Sphere(0.1)
NEAR, FAR = so.pose((0.15, 0.0, 0.0)), so.pose((1.0, 0.0, 0.0))
ROOT = ((0.0, 0.0, 0.0), 4.0)


@pytest.fixture(scope="module")
def cell(tmp_path_factory):
    """One link that turns about z, a box that it reaches at 0.6 rad, and a far one."""
    folder = tmp_path_factory.mktemp("results")
    made = so.Cell()
    made.add_robot(written(folder, "one", ("revolute", "0 0 1", "0 0 0", BOX)), name="arm")
    made.add_body("box", so.Box((0.1, 0.1, 0.1)), so.pose((0.2, 0.25, 0.0)))
    made.add_body("far", so.Box((0.1, 0.1, 0.1)), so.pose((0.9, 0.9, 0.3)))
    made.add_body("cart", so.Sphere(0.05), so.pose((0.0, 2.0, 0.0)), moving=True)
    return made


def distances(cell):
    return so.distance(BALL, None, BALL, FAR), so.distance(BALL, None, BALL, NEAR), "apart"


def clearances(cell):
    return cell.clearance([0.0]), cell.clearance([0.6]), "apart"


def pair_distances(cell):
    return cell.distance("arm", "far", [0.0]), cell.distance("arm", "box", [0.6]), "apart"


def cycles(cell):
    monitor, poses = so.Monitor(cell, buffer=0.01), {"cart": so.pose((0.0, 2.0, 0.0))}
    return monitor.update([0.0], poses), monitor.update([0.6], poses), "safe"


def cycles_with_faults(cell):
    monitor, poses = so.Monitor(cell, buffer=0.01), {"cart": so.pose((0.0, 2.0, 0.0))}
    good, bad = monitor.update([0.0], poses), monitor.update([math.nan], poses)
    assert not bad.warnings and bad.faults
    return good, bad, "safe"


def verdicts(cell):
    checker = so.PathChecker(cell)
    return checker.segment([-1.0], [0.0]), checker.segment([-1.0], [0.6]), "free"


def undecided(cell):
    checker, short = so.PathChecker(cell), so.PathChecker(cell, budget=1)
    good, bad = (c.segment([-1.5], [0.2]) for c in (checker, short))
    assert bad.kind == "undecided"
    return good, bad, "free"


def stops(cell):
    good, bad = (so.paths.check_stop(cell, [0.0], [v], 1.0) for v in (0.1, 1.3))
    return good, bad, "free"


def plans(cell):
    planner = so.Planner(cell)
    return planner.plan([-1.0], [0.0]), planner.plan([-1.0], [0.6]), "solved"


def smoothed(cell):
    good = so.smooth(so.PathChecker(cell), np.transpose([[-1.0, 0.2, 0.0]]), steps=20)
    bad = so.PathChecker(cell).segment([-1.0], [0.6])
    return good, replace(good, verdict=bad), "free"


def verifications(cell):
    certificate = so.PathChecker(cell).segment([-1.0], [0.0]).certificate()
    longer = replace(certificate, coefficients=2.0 * certificate.coefficients)
    return so.verify(cell, certificate), so.verify(cell, longer), "verified"


def predictions(cell):
    predictor = so.Predictor(np.full(2, 0.1), max_acceleration=1.0)
    x = np.array([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    good = predictor.step(x, 0.0 * x)
    other = so.Predictor(np.full(2, 0.1), max_acceleration=1.0)
    return good, other.step(0.03 * x, 0.0 * x), "safe"


def proofs_apart(cell):
    good, bad = (cell.prove_apart([("arm/l0", name)]) for name in ("far", "box"))
    return good, bad, "proved"


def open_pairs(cell):
    good, bad = (cell.prove_apart([("arm/l0", name)]) for name in ("far", "cart"))
    assert bad.open and not bad.touching
    return good, bad, "proved"


def proved_and_touching(cell):
    found = cell.prove_apart([("arm/l0", "far"), ("arm/l0", "box")])
    return found.apart[0], found.touching[0], "apart"


def proved_and_open(cell):
    found = cell.prove_apart([("arm/l0", "far"), ("arm/l0", "cart")])
    return found.apart[0], found.open[0], "apart"


def comparisons(cell):
    good, bad = (so.interference.compare({"a": BALL, "b": (BALL, at)}) for at in (FAR, NEAR))
    return good, bad, "apart"


def gaps_and_overlaps(cell):
    good, bad, _ = comparisons(cell)
    return good.gaps[0], bad.overlaps[0], "apart"


def trees():
    return [
        so.interference.RegionTree.build(BALL, at, root=ROOT, levels=4) for at in (None, NEAR, FAR)
    ]


def meetings(cell):
    here, near, far = trees()
    return so.interference.meets(here, far), so.interference.meets(here, near), "apart"


def meetings_of_many(cell):
    here, near, far = trees()
    good, bad = (so.interference.meets_many([here, other]) for other in (far, near))
    return good, bad, "apart"


def region_checks(cell):
    watch = so.interference.RegionWatch(
        {"still": BALL}, root=ROOT, resolution=0.1, interval=0.1, speeds={"a": 0.1}
    )
    return watch.check({"a": (BALL, FAR)}), watch.check({"a": (BALL, NEAR)}), "safe"


def region_checks_of_lost_bodies(cell):
    watch = so.interference.RegionWatch(
        {"still": BALL}, root=ROOT, resolution=0.1, interval=0.1, speeds={"a": 0.1}
    )
    return watch.check({"a": (BALL, FAR)}), watch.check({}), "safe"


def safe_intervals(cell):
    good, bad = (
        so.interference.safe_interval((1.0, 1.0), (0.1, 0.1), gap=gap, gap_along=(0.0, 0.0, 1.0))
        for gap in (0.5, 0.1)
    )
    return good, bad, "safe"


def contact_steps(cell):
    scene = so.contact.Scene()
    scene.add("still", BALL, moving=False)
    scene.add("a", BALL)
    good = scene.step({"a": FAR})
    return good, scene.step({"a": NEAR}), "apart"


def contact_steps_that_passed(cell):
    scene = so.contact.Scene()
    scene.add("wall", so.Box((1.0, 1.0, 0.02)), moving=False)
    scene.add("a", so.Box((0.05, 0.05, 0.05)))
    good = scene.step({"a": so.pose((0.0, 0.0, 0.5))})
    scene.step({"a": so.pose((0.0, 0.0, 0.0349))})
    bad = scene.step({"a": so.pose((0.1, 0.0, -0.5))})
    assert not bad.contacts and bad.passed
    return good, bad, "apart"


def watched(number, *sinks):
    """The summary of a watch of a task of paper 000, which stays a while where it ends."""
    Q = task(number)
    return so.Watch(new_cell(), [Memory(readings([*Q, Q[-1], Q[-1]]))], sinks, OPTIONS).run()


def summaries(cell):
    return watched(1), watched(2), "safe"


def reports(cell):
    engine = so.streams.WatchEngine(new_cell(), OPTIONS)
    (now, message), *_ = readings(task(1))
    waiting = engine.tick(now)
    return engine.cycle(now + 0.01, ((0, message),)), waiting, "safe"


def replays(cell, tmp_path):
    path = tmp_path / "run.mcap"
    watched(2, Recorder(path))
    return Replay(path).run(verify=True), Replay(path).run(), "verified"


ROOMS = {"cell", "contact", "interference", "monitor", "paths", "plan", "predict", "streams"}

#: The table of results: class and word.
TABLE = set(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", Path("docs/conventions.md").read_text(), re.M))

EXAMPLES = [
    distances, clearances, pair_distances, cycles, cycles_with_faults, verdicts, undecided, stops,
    plans, smoothed, verifications, predictions, proofs_apart, open_pairs, proved_and_touching,
    proved_and_open, comparisons, gaps_and_overlaps, meetings, meetings_of_many, region_checks,
    region_checks_of_lost_bodies, safe_intervals, contact_steps, contact_steps_that_passed,
    summaries, reports,
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda f: f.__name__)
def test_a_result_is_true_exactly_where_the_good_answer_is_proved(cell, example):
    check(*example(cell))


def check(good, bad, word):
    for result, expected in ((good, True), (bad, False)):
        assert bool(result) is expected, result
        assert getattr(result, word) is expected, result
    assert (type(good).__name__, word) in TABLE, "docs/conventions.md"
    assert (type(bad).__name__, word) in TABLE, "docs/conventions.md"


def test_a_replay_is_true_where_it_was_held_against_its_record(cell, tmp_path):
    check(*replays(cell, tmp_path))


def test_a_state_is_true_where_it_is_safe():
    assert [bool(state) for state in State] == [True, False, False, False]
    assert ("State", "SAFE") in TABLE


def test_the_first_warning_of_a_watch_stays_the_first():
    """A report with a warning is False, and was passed over for the next one."""
    summary = watched(2)
    assert summary.warned > 1
    assert summary.first_warning.number == summary.cycles - summary.warned + 1


def test_bodies_that_touch_are_not_apart_by_the_rounding_of_their_distance():
    """A distance of 1e-17 m comes out for two that touch, and proves nothing."""
    rng = np.random.default_rng(5)
    shapes = (BALL, so.Box((0.2, 0.2, 0.2)), so.Cylinder(0.1, 0.2))
    signs = set()
    for a in shapes:
        for b in shapes:
            for _ in range(20):
                at = so.pose(rng.uniform(-1.0, 1.0, 3), rpy=rng.uniform(-3.0, 3.0, 3))
                found = so.distance(a, at, b, at @ so.pose((0.2, 0.0, 0.0)))
                signs.add(found.distance > 0.0)
                assert not found.apart, (a, b, found)
    assert signs == {True, False}


def test_every_public_class_with_a_truth_value_is_in_the_table():
    rooms = [so, *(getattr(so, name) for name in dir(so) if name in ROOMS)]
    found = {
        name
        for room in rooms
        for name in dir(room)
        if isinstance(item := getattr(room, name), type) and "__bool__" in dir(item)
        if item.__module__.startswith("standoff.") and not issubclass(item, int)
    }
    assert {"Cycle", "Plan", "Apart", "Overlap"} <= found <= {name for name, _ in TABLE}
