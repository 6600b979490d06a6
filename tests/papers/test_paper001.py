"""`standoff papers 001`: each experiment in a small form. No test asserts a time."""

import functools
import math

import numpy as np
import pytest

import standoff as so
from standoff.papers import paper001, paper001_bounds, paper001_segments
from standoff.papers.kernels.sampled import HIT
from standoff.papers.kernels.visits import counted_walks
from standoff.papers.paper001_bounds import errors, fig5, planar, tip_bound, tip_speed, true_length
from standoff.papers.paper001_checkers import PairwiseChecker, SampledChecker
from standoff.papers.paper001_segments import Bench
from standoff.view.plots import have_matplotlib
from tests.worlds.command_line import run as command


@functools.cache
def bench():
    made = Bench(quick=True)
    made.count, made.configurations, made.runs = 4, 4, (2, 10)
    return made


def test_the_papers_bound_is_six_times_too_long_after_six_links():
    coarse, paper, whole, quarters, parts = 1.0 + errors(6, 1000).mean(axis=0)
    assert paper == pytest.approx(5.8, abs=0.4)
    assert coarse > 1.8 * paper
    assert whole <= paper and quarters < 0.85 * paper and parts < 1.5


@pytest.mark.parametrize("count", [1, 2, 5, 12])
def test_no_bound_is_too_short_and_ours_is_never_the_longest(count):
    found = errors(count, 60)
    assert (found > -1e-6).all()  # the true length is known to some 1e-8
    coarse, paper, whole, quarters, parts = found.T
    assert (paper <= coarse + 1e-3).all()
    assert (whole <= paper + 1e-9).all()
    assert (quarters <= paper + 1e-9).all() and (parts <= paper + 1e-9).all()


def test_bisection_sharpens_our_bound():
    mean = errors(6, 200).mean(axis=0)
    assert mean[4] < mean[3] < mean[2] + 1e-9


def test_the_tips_speed_is_that_of_the_tree():
    rng = np.random.default_rng(0)
    qa, qb = rng.uniform(-np.pi, np.pi, (2, 5))
    tree = planar(5)
    for t in (0.0, 0.3, 1.0):
        poses, twists = tree.velocities(qa + t * (qb - qa), qb - qa)
        lever = poses[-1, :3, 0]
        v = twists[-1, 3:] + np.cross(twists[-1, :3], lever)
        assert tip_speed(qa, qb, np.array([t]))[0] == pytest.approx(np.linalg.norm(v))


def test_the_true_length_is_precise():
    rng = np.random.default_rng(1)
    for count in (2, 6, 12):
        qa, qb = rng.uniform(-np.pi, np.pi, (2, count))
        assert true_length(qa, qb) == pytest.approx(true_length(qa, qb, 2048), rel=1e-6)


def test_the_papers_bound_is_the_sum_of_reach_times_angle():
    qa, qb = np.zeros(3), np.array([0.1, -0.2, 0.4])
    bound = tip_bound(planar(3))
    expected = 3 * 0.1 + 2 * 0.2 + 1 * 0.4
    assert bound.segment(qa, qb).length(bound.pair("tip")) == pytest.approx(expected, rel=1e-3)


def test_fig5_has_a_row_for_each_linkage(tmp_path):
    small = Bench(quick=True)
    small.links = 10
    found = fig5(small)
    assert [row[0] for row in found.rows] == [str(k) for k in range(1, 13)]
    assert found.rows[5][1] == "about 6"
    if have_matplotlib():
        found.plot(tmp_path / "fig5.png")
        assert (tmp_path / "fig5.png").read_bytes().startswith(b"\x89PNG")


@functools.cache
def placed(figure, seed):
    """A scene at a random configuration, and the pairs of links and obstacles."""
    cell = bench().cell(figure)
    rng = np.random.default_rng(seed)
    pairs = paper001_bounds.links_and_obstacles(cell)
    walks = paper001_bounds.placed_walks(cell, pairs)
    paper001_bounds.place_all(walks, cell, rng.uniform(cell.tree.lower, cell.tree.upper))
    return walks, pairs


def walked(figure, seed, part):
    walks, _ = placed(figure, seed)
    counted_walks(walks.address, part)
    return walks.values.copy(), walks.visits.copy()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("figure", ["6b", "7a"])
def test_the_counted_walks_find_what_they_should(figure, seed):
    walks, pairs = placed(figure, seed)
    rows = walks.bodies.rows
    exact, many = walked(figure, seed, 1.0)
    half, fewer = walked(figure, seed, 0.5)
    hit, few = walked(figure, seed, 0.0)
    assert np.array_equal(hit == 0.0, exact == 0.0)
    assert np.isinf(hit[exact > 0.0]).all()
    assert (half <= exact).all() and (half >= 0.5 * exact).all()
    assert few.sum() < fewer.sum() < many.sum()
    assert (many >= 1).any(axis=1).all()
    shapes = [shape for parts in bench().cell(figure).model.parts for shape, _ in parts]
    for p in range(0, len(pairs), 7):
        i, j = pairs[p]
        poses = [np.vstack([rows[k, :12].reshape(3, 4), [0, 0, 0, 1]]) for k in (i, j)]
        apart = so.distance(shapes[i], poses[0], shapes[j], poses[1]).distance
        assert exact[p] == pytest.approx(abs(apart), abs=1e-9)


def test_obstacles_of_table_1_are_not_the_robots_own():
    for figure, obstacles in (("6b", 38), ("7a", 7)):
        cell = bench().cell(figure)
        names = [cell.model.names[k] for k in cell.model.tables.owner]
        pairs = paper001_bounds.links_and_obstacles(cell)
        assert len(pairs) == 6 * obstacles
        assert all(names[i].startswith("robot/") and names[j] in cell.bodies for i, j in pairs)
        assert "robot/link_0" in names and names.index("robot/link_0") not in pairs


def test_table_1_counts_what_the_paper_counts(monkeypatch):
    monkeypatch.setattr(paper001_bounds, "FIGURES", ("6a",))
    found = paper001_bounds.counts(bench())
    measured = found.figures["counts"]["6a"]
    ours, raised = measured.counts, measured.raised_ratio
    assert ours.greedy[0] < ours.approximate[0] < ours.exact[0]
    assert 0.5 * ours.collision[0] < ours.greedy[0] < 1.5 * ours.collision[0]
    assert 52.0 <= ours.ratio <= raised <= 100.0 + 1e-7
    assert 0.0 < measured.coal_ratio < ours.ratio
    assert 50.0 <= ours.approximate_ratio < 100.0
    assert ours.greedy[0] < measured.raised[0] < ours.exact[0]
    assert len(found.rows) == 2 and all(len(row) == len(found.columns) for row in found.rows)


def test_epsilon_is_the_largest_that_is_never_wrong():
    figure = "6b-one"
    epsilon = bench().epsilon(figure)
    given = bench().random_segments("6b", 20)
    cell = bench().cell(figure)
    hit = PairwiseChecker(cell, 0.0).run(given.QA, given.QB).status == HIT
    assert hit.any()
    fine = SampledChecker(cell, epsilon, ends=False).segments(given.QA, given.QB)
    coarse = SampledChecker(cell, 1.01 * epsilon, ends=False).segments(given.QA, given.QB)
    assert np.array_equal(fine, ~hit)
    assert (coarse & hit).any()


def test_segments_are_of_the_kind_asked_for():
    cell = bench().cell("6b-one")
    coarse = SampledChecker(cell, 0.02)
    for kind in (bench().colliding("6b-one"), bench().free("6b-one", 0.001)):
        assert len(kind) == 4
        assert coarse.segments(kind.QA, kind.QA).all() and coarse.segments(kind.QB, kind.QB).all()
    given = bench().free("6b-one", 0.001)
    assert coarse.segments(given.QA, given.QB).all()


@pytest.mark.parametrize("name", ["colliding", "free", "covers"])
def test_tables_2_and_3_are_whole(name, monkeypatch, tmp_path):
    monkeypatch.setattr(paper001_segments, "FIGURES", ("6b-one", "6b"))
    monkeypatch.setattr(paper001_segments, "PAPER_EPSILON", {"6b": 0.006})
    monkeypatch.setattr(paper001_segments, "_COVERED", ("6b-one",))
    for table in (paper001_segments.PAPER_COLLIDING, *paper001_segments.PAPER_FREE.values()):
        for figure in [f for f in table if f != "6b"]:
            monkeypatch.delitem(table, figure)
    found = getattr(paper001_segments, name)(bench())
    assert found.rows and all(len(row) == len(found.columns) for row in found.rows)
    assert found.remarks and "nan" not in str(found.rows)
    if name == "colliding":
        assert found.figures["wrong"] == 0
    if name == "free":
        assert not any(found.figures["missed"].values())
    if found.plot is not None and have_matplotlib():
        found.plot(tmp_path / "bars.png")
        assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")


def test_the_papers_ratios_are_those_of_its_milliseconds():
    assert paper001_segments.PAPER_COLLIDING["7c"] == pytest.approx(4.7, abs=0.02)
    assert paper001_segments.PAPER_FREE[0.001]["7c"] == pytest.approx(0.27, abs=0.005)
    assert math.isclose(paper001_segments.PAPER_FREE[0.01]["6a"], 14 / 90)


def test_every_experiment_is_known_to_the_command(tmp_path):
    assert list(paper001.PAPER.experiments) == [
        "table1", "fig4", "fig5", "table2", "table3", "table4", "table5",
    ]  # fmt: skip
    found = command("papers", "001", "--only", "table9", "--out", tmp_path)
    assert found.returncode == 2 and "table1" in found.stderr


def test_the_command_draws_fig5(tmp_path):
    pytest.importorskip("matplotlib")
    folder = tmp_path / "plots"
    found = command("papers", "001", "--quick", "--only", "fig5", "--out", folder)
    assert found.returncode == 0, found.stderr
    assert [path.name for path in folder.iterdir()] == ["fig5.png"]
    assert "about 6" in found.stdout
