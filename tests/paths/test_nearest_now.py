"""The nearest pair of a cell as it is now, against trying every pair."""

from __future__ import annotations

import math

import numpy as np
import pytest

import standoff as so
from standoff.cell.nearest_pair import STILL_PAIR, NearestFinder
from standoff.cell.shipped import shipped_cell
from standoff.view.live import style
from standoff.view.live.cell_page import CellPage
from standoff.view.live.seen import seen
from standoff.view.live.server import close, open_server
from tests.oracles.all_distances import all_distances
from tests.worlds.turntable import SQUARE, WALL, turntable


def test_the_nearest_pair_is_that_of_all_distances_but_for_pairs_that_keep_theirs():
    cell = so.Cell.load(shipped_cell("testbed"))
    finder = NearestFinder(cell)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = np.clip(cell.q + rng.uniform(-0.6, 0.6, 14), cell.tree.lower, cell.tree.upper)
        frames = cell.tree.forward(q)
        pair = finder.at(frames)
        least = min(
            distance
            for (a, b), distance in all_distances(cell, frames).items()
            if not ("link1" in a + b and "pedestal" in a + b)
        )
        assert pair.distance == pytest.approx(least, abs=1e-9)
        assert np.linalg.norm(pair.point_a - pair.point_b) == pytest.approx(abs(least), abs=1e-6)


def test_a_bound_that_rounding_put_above_its_distance_leaves_its_pair():
    """The box around a ball or a box along the axes is as far from another as they are, but for
    rounding: a bound above the distance left no pair to be the nearest."""
    rng = np.random.default_rng(0)
    cell = so.Cell()
    shapes = (so.Sphere(0.06), so.Box((0.1, 0.1, 0.1)), so.Capsule(0.04, 0.1))
    for k in range(60):
        cell.add_body(f"body{k}", shapes[k % 3], moving=True)
    finder = NearestFinder(cell)
    frames = np.tile(np.eye(4), (61, 1, 1))
    for _ in range(60):
        frames[1:, :3, 3] = rng.uniform(-1.0, 1.0, (60, 3))
        pair = finder.at(frames)
        assert pair is not None
        a, b = (int(name[4:]) for name in (pair.a, pair.b))
        found = so.distance(shapes[a % 3], frames[1 + a], shapes[b % 3], frames[1 + b])
        assert pair.distance == pytest.approx(found.distance, abs=1e-12)


def test_a_pair_that_varies_between_even_samples_is_told_of(tmp_path):
    """A square plate looks the same every quarter turn, and is nearest between."""
    cell = turntable(tmp_path, limit=1.5 * math.pi)
    cell.add_body("wall", WALL, pose=so.pose((0.35, 0.0, 0.0)))
    finder = NearestFinder(cell)
    for angle in (0.0, math.pi / 8, math.pi / 4):
        q = np.array([angle])
        frames = cell.tree.forward(q)
        wanted = so.distance(
            so.Box((0.4, 0.4, 0.1)), frames[1], WALL, so.pose((0.35, 0, 0))
        ).distance
        assert finder.at(frames).distance == pytest.approx(wanted, abs=1e-9)
        assert finder.along(q[None])[0] == pytest.approx(wanted, abs=1e-9)


ROUND = '<cylinder radius="0.2" length="0.1"/>'


@pytest.mark.parametrize(
    ("shape", "origin", "body", "pose", "kept"),
    [
        (ROUND, "", WALL, so.pose((0.35, 0.0, 0.0)), True),
        (ROUND, '<origin xyz="0.01 0 0"/>', WALL, so.pose((0.35, 0.0, 0.0)), False),
        (ROUND, '<origin rpy="0.1 0 0"/>', WALL, so.pose((0.35, 0.0, 0.0)), False),
        ('<sphere radius="0.2"/>', "", WALL, so.pose((0.35, 0.0, 0.0)), True),
        (SQUARE, "", so.HalfSpace(), so.pose((0.0, 0.0, -0.2)), True),
        (SQUARE, "", so.HalfSpace(), so.pose((0.0, 0.0, -0.2), rpy=(0.1, 0.0, 0.0)), False),
        (SQUARE, "", so.Capsule(0.1, 0.2), so.pose((0.0, 0.0, -0.4)), True),
        (SQUARE, "", so.Cylinder(0.1, 0.2), so.pose((0.3, 0.0, -0.4)), False),
    ],
)
def test_only_what_keeps_its_distance_is_left_out(tmp_path, shape, origin, body, pose, kept):
    cell = turntable(tmp_path, shape, origin=origin)
    cell.add_body("body", body, pose=pose)
    assert NearestFinder(cell).any is not kept
    every = NearestFinder(cell, below=10.0)
    found = every.along(np.linspace(-3.0, 3.0, 61)[:, None])
    # What is left out varies by less, whichever the proof; and a pair below its threshold is in.
    assert every.any and (not kept or np.ptp(found) <= STILL_PAIR)


def test_the_line_is_of_this_reading_and_says_where_another_pair_may_be_nearer():
    pytest.importorskip("viser", reason="viser is not installed: no live page")
    cell = so.Cell()
    cell.add_body("post", so.Sphere(0.1))
    for name in ("first", "second"):
        cell.add_body(name, so.Sphere(0.1), moving=True)
    server = open_server("x", port=0)
    try:
        page = CellPage(server, cell, "x")
        page.options()
        poses = np.stack([so.pose((1.0, 0.0, 0.0)), so.pose((3.0, 0.0, 0.0))])
        assert page.show(seen(np.zeros(0), poses)).distance == pytest.approx(0.8)
        assert (
            page._line._label.text == "0.80 m" and "nearer" not in page.banner._sign._html.content
        )
        page._due = math.inf  # as where the search takes long
        poses = np.stack([so.pose((1.5, 0.0, 0.0)), so.pose((-0.5, 0.0, 0.0))])
        pair = page.show(seen(np.zeros(0), poses))
        assert pair.distance == pytest.approx(1.3)
        assert page._line._label.text.startswith("≤ ")
        np.testing.assert_array_equal(page._line._line.colors, style.UNSURE)
        assert "or nearer" in page.banner._sign._html.content
        # What is too close is known at each reading.
        monitor = so.Monitor(cell, buffer=1.0)
        pair = page.show(seen(np.zeros(0), poses, monitor.update(np.zeros(0), poses)))
        assert {pair.a, pair.b} == {"post", "second"} and pair.distance == pytest.approx(0.3)
    finally:
        close(server)
