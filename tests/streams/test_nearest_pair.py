"""The nearest pair while none is too close, looked for beside the watch."""

import dataclasses
import io
import itertools

import numpy as np
import pytest
from rich.console import Console

import standoff as so
from standoff.streams.engine import WatchEngine
from standoff.streams.messages import BodyPose, Grasp, Joints
from standoff.streams.options import WatchOptions
from standoff.streams.report import State
from standoff.streams.sinks import terminal
from standoff.streams.sinks.terminal import NearestPair, TerminalLines
from tests.oracles.all_distances import all_distances
from tests.worlds.watch_worlds import sliders


def cell():
    made = so.Cell()
    made.add_robot("builtin:panda", name="panda")
    made.add_body("table", so.Box((1.0, 1.0, 0.1)), so.pose((1.5, 0.0, -0.5)))
    made.add_body("cart", so.Sphere(0.1), so.pose((1.5, 0.0, 0.5)), moving=True)
    return made


def reports(made, places):
    """One report for each place of the cart, the robot where it is."""
    engine = WatchEngine(made, WatchOptions(buffer=0.001))
    joints = Joints(0.0, made.joints, made.q)
    for k, place in enumerate(places):
        now = 0.01 * (k + 1)
        pose = BodyPose(0.0, "cart", so.pose(place))
        yield engine.cycle(now, ((0, joints), (0, pose)))


def brute(made, report):
    frames = np.concatenate([made.tree.forward(report.q), report.poses])
    return min(
        (distance, pair)
        for pair, distance in all_distances(made, frames).items()
        if not all(name.startswith("panda/") for name in pair)
    )


@pytest.fixture
def clock(monkeypatch):
    """A clock on which a search takes a second."""
    ticks = itertools.count()
    monkeypatch.setattr(terminal.time, "monotonic", lambda: float(next(ticks)))


def test_it_is_that_of_trying_every_pair(clock):
    made = cell()
    nearest = NearestPair(made)
    places = [(1.5 - 0.0125 * k, 0.005 * k, 0.5) for k in range(60)]
    sure, seen = 0, set()
    for report in reports(made, places):
        found = nearest.at(report)
        distance, pair = brute(cell(), report)
        if found.sure:
            sure += 1
            assert found.pair.distance == pytest.approx(distance, abs=1e-9)
            assert {found.pair.a, found.pair.b} == {*pair}
        else:
            assert found.pair.distance >= distance - 1e-9
        seen.add((found.pair.a, found.pair.b))
    assert 0 < sure < len(places)
    assert len(seen) > 1


def test_what_is_no_place_has_no_nearest_pair():
    made = cell()
    nearest = NearestPair(made)
    bad = so.pose((1.0, 0.0, 0.0))
    bad[0, 3] = np.nan
    engine = WatchEngine(made, WatchOptions(buffer=0.001))
    joints = Joints(0.0, made.joints, made.q)
    assert nearest.at(engine.cycle(0.01, ((0, joints),))) is None  # of the cart nothing is known
    good = BodyPose(0.0, "cart", so.pose((1.5, 0.0, 0.5)))
    assert nearest.at(engine.cycle(0.02, ((0, joints), (0, good)))) is not None
    wrong = engine.cycle(0.03, ((0, joints), (0, BodyPose(0.0, "cart", bad))))
    assert nearest.at(wrong) is None


def far_away(made):
    """The report of a robot on a slide of which somebody says that it is 10 million km away."""
    engine = WatchEngine(made, WatchOptions(buffer=0.001))
    engine.cycle(0.01, ((0, Joints(0.0, made.joints, np.array([0.0]))),))
    return engine.cycle(0.02, ((0, Joints(0.0, made.joints, np.array([1e10]))),))


def test_a_link_that_is_beyond_all_places_has_no_nearest_pair(clock):
    made = sliders("a")
    nearest = NearestPair(made)
    report = far_away(made)
    assert report.state is State.FAULT and report.q[0] == 1e10
    for _ in range(3):  # searched for, or measured again
        assert nearest.at(report) is None


def test_a_search_that_fails_costs_the_pair_and_not_the_line(monkeypatch, clock):
    made = sliders("a")
    report = far_away(made)
    monkeypatch.setattr(terminal, "COORDINATE_LIMIT", np.inf)
    text = io.StringIO()
    lines = TerminalLines(Console(file=text, width=200), plain=True, nearest=NearestPair(made))
    for number in range(3):
        lines.put(dataclasses.replace(report, number=number, changed=True))
    assert text.getvalue().count("FAULT") == text.getvalue().count("a/x is 10000000000.0") == 3
    assert "nearest" not in text.getvalue()


def test_a_body_that_is_taken_up_goes_with_the_hand(clock):
    made = cell()
    nearest = NearestPair(made)
    engine = WatchEngine(made, WatchOptions(buffer=0.001))
    joints = Joints(0.0, made.joints, made.q)
    here = BodyPose(0.0, "cart", so.pose((1.5, 0.0, 0.5)))
    assert nearest.at(engine.cycle(0.01, ((0, joints), (0, here)))) is not None
    taken = engine.cycle(0.02, ((0, joints), (0, Grasp(0.0, "cart", "panda/panda_hand", ()))))
    assert made.bodies["cart"].attachment is not None and taken.poses is None
    assert nearest.at(taken) is None  # it is of a cell that was not followed yet
    nearest.follow(taken)
    found = nearest.at(taken)
    assert {found.pair.a, found.pair.b} == {"cart", "table"}


def test_the_thread_of_a_sink_never_asks_the_cell(monkeypatch, clock):
    """A cell makes its tables when it is asked. Asked on another thread while a body is taken up,
    it could be left with the tables of before, and the monitor with them."""
    made = cell()
    nearest = NearestPair(made)
    found = list(reports(made, [(1.5, 0.0, 0.5), (1.2, 0.0, 0.5)] * 15))
    for report in found:
        nearest.follow(report)

    def asked(self):
        raise AssertionError("the cell was asked")

    asks = [name for name, value in vars(so.Cell).items() if isinstance(value, property)]
    assert {"pairs", "model", "tree", "bodies", "q", "revision"} <= set(asks)
    for name in asks:
        monkeypatch.setattr(so.Cell, name, property(asked))
    told = [nearest.at(report) for report in found]
    assert {one.sure for one in told} == {True, False}


def test_a_robot_alone_has_its_own_links():
    made = so.Cell()
    made.add_robot("builtin:panda", name="panda")
    engine = WatchEngine(made, WatchOptions(buffer=0.001))
    found = NearestPair(made).at(engine.cycle(0.01, ((0, Joints(0.0, made.joints, made.q)),)))
    assert found.pair.a.startswith("panda/") and found.pair.b.startswith("panda/")


def test_too_many_pairs_are_not_looked_through(monkeypatch):
    monkeypatch.setattr(terminal, "NEAREST_PAIRS", 5)
    made = cell()
    nearest = NearestPair(made)
    assert not nearest.useful
    (report,) = reports(made, [(1.5, 0.0, 0.5)])
    assert nearest.at(report) is None
