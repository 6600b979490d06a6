"""Tables 4 and 5 of paper 001 in a small form: SBL by samples, random walks, the smoother after
them; and what they lean on, many bodies that move. No test asserts a time."""

import functools
import itertools

import numpy as np
import pytest

import standoff as so
from standoff.geometry.pose import pose
from standoff.papers import paper001_planning, paper001_walks
from standoff.papers.paper001_checkers import PairwiseChecker, SampledChecker
from standoff.papers.paper001_planning import plan
from standoff.papers.paper001_scenes import linkage
from standoff.papers.paper001_segments import Bench
from standoff.papers.paper001_walks import random_walk
from standoff.view.plots import have_matplotlib
from tests.worlds.command_line import run as command
from tests.worlds.plan_cells import LEFT, RIGHT, coal_clearance, gate


@functools.cache
def bench():
    return Bench(quick=True)


@pytest.fixture(scope="module")
def checker(tmp_path_factory):
    return so.PathChecker(gate(tmp_path_factory.mktemp("gate")), tolerance=1e-6)


@pytest.mark.interpreted
def test_samples_leap_over_a_wall_and_proofs_do_not(checker):
    """The walls are 0.2 thick for the ball, and the range is 2: neighbours a quarter of it apart
    leap over walls, and such a hundredth apart do no more than graze corners."""
    wrong = 0
    for seed in range(4):
        wrong += not checker.path(plan(checker, LEFT, RIGHT, seed, 0.25).waypoints).free
        fine = checker.path(plan(checker, LEFT, RIGHT, seed, 0.01).waypoints)
        assert fine.free or fine.distance > -0.02
        found = plan(checker, LEFT, RIGHT, seed).waypoints
        assert checker.path(found).free
        assert (found[0] == LEFT).all() and (found[-1] == RIGHT).all()
    assert wrong > 0


def test_every_sample_of_a_path_is_free_by_the_plain_checker(checker):
    """What SBL calls free, `SampledChecker` calls free at the same resolution: the same instants,
    by other tests."""
    for seed, epsilon in itertools.product(range(5), (0.3, 0.03)):
        found = plan(checker, LEFT, RIGHT, seed, epsilon).waypoints
        plain = SampledChecker(checker.cell, epsilon)
        assert plain.segments(found[:-1], found[1:]).all()


def test_samples_give_the_same_path_for_the_same_seed(checker):
    first, second = (plan(checker, LEFT, RIGHT, 3, 0.02) for _ in range(2))
    assert np.array_equal(first.waypoints, second.waypoints) and first.edges == second.edges
    assert not np.array_equal(first.waypoints, plan(checker, LEFT, RIGHT, 4, 0.02).waypoints)
    # and leave the checker's own searches alone
    assert not checker.path([LEFT, RIGHT]).free


def test_table_4_finds_a_resolution_by_the_papers_rule(monkeypatch, tmp_path):
    monkeypatch.setattr(paper001_planning, "PAPER", {"7b": (1.2, 0.81)})
    found = paper001_planning.table4(bench())
    of = found.figures["planned"]["7b"]
    assert of.wrong and all(e > of.epsilon and 1 <= n <= 3 for e, n in of.wrong.items())
    assert min(of.sbl, of.adaptive, of.close) > 0.0 and of.unsolved == 0
    assert len(found.rows) == 1 and len(found.rows[0]) == len(found.columns)
    if have_matplotlib():
        found.plot(tmp_path / "table4.png")
        assert (tmp_path / "table4.png").read_bytes().startswith(b"\x89PNG")


def test_queries_are_free_and_not_solved_by_a_straight_line():
    for figure in ("6a", "7b"):
        start, goal = paper001_planning.query(bench(), figure)
        checker = so.PathChecker(bench().cell(figure), tolerance=0.01)
        assert checker.path([start]).free and checker.path([goal]).free
        assert not checker.path([start, goal]).free


@pytest.mark.interpreted
def test_a_walk_changes_one_joint_a_step_and_is_free(checker):
    found = random_walk(
        checker, LEFT, lambda Q: Q[:, 0] > -0.5, width=0.3, seed=1, most=2000
    )  # fmt: skip
    assert found.arrived and found.waypoints[-1, 0] > -0.5
    assert (found.waypoints[:-1, 0] <= -0.5).all() and (found.waypoints[0] == LEFT).all()
    steps = np.abs(np.diff(found.waypoints, axis=0))
    assert ((steps > 0.0).sum(axis=1) == 1).all() and steps.max() <= 0.3
    assert found.segments >= len(found.waypoints) - 1
    assert checker.path(found.waypoints).free


def test_a_walk_does_not_depend_on_when_it_is_asked_for_its_end(checker, monkeypatch):
    def walked():
        return random_walk(
            checker, LEFT, lambda Q: Q[:, 0] > 0.5, width=0.4, seed=2, most=50_000
        )  # fmt: skip

    first = walked()
    assert first.arrived and coal_clearance(checker.cell, first.waypoints[:200], 0.01) > 0.0
    monkeypatch.setattr("standoff.papers.paper001_walks._AT_ONCE", 3)
    second = walked()
    assert np.array_equal(first.waypoints, second.waypoints) and first.segments == second.segments


def test_a_walk_gives_up(checker):
    found = random_walk(checker, LEFT, lambda Q: np.zeros(len(Q), bool), width=0.2, seed=0, most=70)
    assert not found.arrived and found.segments == 70


def test_table_5_retracts_and_shortens(tmp_path):
    found = paper001_walks.retract(bench(), "8", 200, seed=2)
    cell = bench().cell("8")
    assert found.walk.arrived and found.smoothed.verdict.free and found.left < 40.0
    q = found.smoothed.waypoints
    assert (q[0] == 0.0).all() and paper001_walks.retracted(cell, q[-1:])[0]
    assert not paper001_walks.retracted(cell, q[:1])[0]
    assert (np.diff(found.curve, axis=0)[:, 1] <= 0.0).all()
    if have_matplotlib():
        paper001_walks.draw({"8": (cell, found)}, tmp_path / "table5.png")
        assert (tmp_path / "table5.png").read_bytes().startswith(b"\x89PNG")


def test_links_end_where_the_next_ones_begin():
    """Upright, a linkage is a straight line of 2 m; bent anywhere, its links are 0.1 m long."""
    cell = bench().cell("8-nine")
    Q = np.random.default_rng(3).uniform(cell.tree.lower, cell.tree.upper, (5, 180))
    Q[0] = 0.0
    lines = paper001_walks.joint_lines(cell, Q)
    assert lines[0, :, -1, 2] == pytest.approx(2.0)
    assert np.linalg.norm(np.diff(lines, axis=2), axis=3) == pytest.approx(0.1)
    for k in (0, 7, 19):
        tip = cell.tree.link_pose(Q[2], f"linkage_4/link_{k + 1}") @ (0.0, 0.0, 0.1, 1.0)
        assert lines[2, 4, k + 1] == pytest.approx(tip[:3])


def test_the_command_knows_tables_by_number(tmp_path):
    found = command("papers", "001", "--tables", "4,6", "--out", tmp_path)
    assert found.returncode == 2 and "table6" in found.stderr and "table4" in found.stderr


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """Two linkages, 40 joints: more teams than get a look of their own one by one."""
    cell = so.Cell()
    file = linkage().save(tmp_path_factory.mktemp("crowd"))
    for k in range(2):
        base = pose((0.03 * k, 0.0, 0.0))
        cell.add_robot(file, name=f"l{k}", base=base, geometry="mesh")
    return cell


def test_no_pair_of_many_is_left_out(crowd):
    """The first look at many teams changes no answer: the proof, which lists every pair, agrees,
    and so does the checker that asks pair by pair."""
    checker = so.PathChecker(crowd)
    assert len(checker.tables.cell.sphere_pairs) > 256
    rng = np.random.default_rng(5)
    scale = rng.choice([0.01, 0.03, 0.1, 0.3], (60, 1))
    A = rng.normal(0.0, 0.08, (60, 40))
    B = A + scale * rng.uniform(-1.0, 1.0, A.shape)
    free = checker.segments(A, B)
    assert 10 < free.sum() < 50
    plain = PairwiseChecker(crowd, 0.0).segments(A, B)
    assert plain[free].all()
    near = so.PathChecker(crowd, tolerance=1e-6).segments(A, B)
    assert np.array_equal(near, plain)
    k = int(np.flatnonzero(free)[0])
    assert so.verify(crowd, checker.segment(A[k], B[k]).certificate(), engine="plain").verified
