"""`standoff papers 003`: each experiment in a small form. No test asserts a time."""

import functools
import itertools
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from standoff.contact import Features, Scene
from standoff.geometry.distance import distance
from standoff.papers import paper003
from standoff.papers.paper003_bodies import (
    DEPTH,
    FOLLOWER,
    LETTERS,
    NAMES,
    OBSTACLES,
    body,
    grid,
    points_of,
    prism,
    scene,
    shape,
    stage,
    ways,
)
from standoff.papers.paper003_levels import (
    LEVELS,
    PAPER,
    SIZE,
    VERTICES,
    Bench,
    Printed,
    Pushes,
    exponent,
    fitted,
)
from standoff.view.plots import have_matplotlib
from tests.worlds.command_line import run as command


@functools.cache
def bench():
    small = Bench(quick=True)
    small.ways, small.rounds, small.vertices, small.hand = 8, 1, (8, 20, 40), 300
    return small


@functools.cache
def result(name):
    return paper003.PAPER.experiments[name](bench())


@pytest.mark.parametrize("name", paper003.PAPER.experiments)
def test_every_experiment_has_a_whole_table_and_says_something_of_it(name):
    found = result(name)
    assert found.rows and all(len(row) == len(found.columns) for row in found.rows)
    assert found.remarks and "nan" not in str(found.rows)


@pytest.mark.skipif(not have_matplotlib(), reason="matplotlib is not installed")
@pytest.mark.parametrize("name", paper003.PAPER.experiments)
def test_its_plot_is_a_png(name, tmp_path):
    path = tmp_path / "plots" / f"{name}.png"
    result(name).plot(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_bodies_have_the_papers_vertices():
    for name, title in NAMES.items():
        (piece,) = body(points_of(name), 0).pieces
        if name == "e":
            assert not isinstance(piece, Features)
        else:
            assert len(piece.vertices) == int(title.split(", ")[1])
    for pair, count in VERTICES.items():
        if count:
            assert count == sum(len(body(grid(n), 0).pieces[0].vertices) for n in pair)


def test_ways_lead_from_just_apart_to_a_tenth_deep():
    points = [grid("b"), grid("d")]
    still, moved = map(shape, points)
    found = ways(still, moved, SIZE, 6, 12, 1)
    for way in found:
        gaps = [distance(still, np.eye(4), moved, pose).distance for pose in way]
        assert 0.0 < gaps[0] <= 0.011 * SIZE and -0.1 * SIZE <= gaps[-1] < 0.0
        assert all(a > b for a, b in itertools.pairwise(gaps))
        assert np.allclose(np.linalg.norm(np.diff(way[:, :3, 3], axis=0), axis=1), 0.01 * SIZE)


def brute_force(a, b, pose):
    """Pairs of features that meet as the printed checks have it, out of all pairs."""
    (p1,), (p2,) = a.pieces, b.pieces
    turn = pose[:3, :3]
    shift = pose[:3, 3] + turn @ a.centroid - b.centroid
    va = p1.vertices @ turn.T + shift
    vb = (p2.vertices - shift) @ turn

    def behind(point, piece, face):
        n, d = piece.planes[face, :3], piece.planes[face, 3]
        loop = piece.vertices[piece.loops[face]]
        sides = np.cross(n, np.roll(loop, -1, axis=0) - loop)
        return n @ point <= d and (np.einsum("ij,ij->i", sides, point - loop) >= 0.0).all()

    hits = sum(behind(v, p2, f) for v in va for f in range(len(p2.planes)))
    return hits + sum(behind(v, p1, f) for v in vb for f in range(len(p1.planes)))


def test_as_printed_tests_all_features_at_level_0_and_fewer_below():
    one, other = (body(grid(name), 0) for name in "bd")
    way = ways(shape(grid("b")), shape(grid("d")), SIZE, 3, 4, 5)
    counts = {}
    for level in LEVELS:
        run = Printed(one.with_levels(level), other.with_levels(level), way)
        run.run()
        counts[level] = run.counts
    (a,), (b,) = one.pieces, other.pieces
    steps = 12
    every = len(a.vertices) * len(b.planes) + len(b.vertices) * len(a.planes)
    assert counts[0]["vf_checks"] == steps * every
    assert counts[0]["ee_checks"] == steps * len(a.edges) * len(b.edges)
    assert counts[0]["vf_hits"] == sum(brute_force(other, one, x) for x in way.reshape(-1, 4, 4))
    checks = [counts[level]["vf_checks"] + counts[level]["ee_checks"] for level in LEVELS]
    nodes = [counts[level]["node_tests"] for level in LEVELS]
    assert all(a > b for a, b in itertools.pairwise(checks))
    assert all(a < b for a, b in itertools.pairwise(nodes))


def test_the_level_does_not_change_what_is_found():
    way = ways(shape(grid("c")), shape(grid("c")), SIZE, 4, 6, 2)
    found = {
        level: Pushes(body(grid("c"), level), body(grid("c"), level), way).contacts
        for level in LEVELS
    }
    assert len(set(found.values())) == 1 and found[0] > 0


def test_the_papers_times_at_level_0_go_with_the_square_of_the_checks():
    """0.6 to 1.4 µs times the square, over a range of 36 in time."""
    for pair, times in PAPER.items():
        if "e" not in pair:
            a, b = (body(grid(name), 0).pieces[0] for name in pair)
            checks = len(a.vertices) * len(b.planes) + len(b.vertices) * len(a.planes)
            checks += len(a.edges) * len(b.edges)
            assert 0.6 < 1e3 * times[0] / checks**2 < 1.4


def test_counts_give_the_papers_times_back():
    figures = result("checks").figures
    node, square = figures["fit"]
    assert node > 0.0 and square > 0.0
    assert fitted(figures["nodes"], figures["checks"]) == (node, square)
    for pair, times in figures["modelled"].items():
        assert abs(int(np.argmin(times)) - int(np.argmin(PAPER[pair]))) <= 1
        assert np.all(np.abs(np.log(np.array(times) / PAPER[pair])) < math.log(5.0))


def test_at_the_papers_cost_the_best_level_grows_with_the_vertices():
    modelled = result("fig4").figures["modelled"]
    best = [min(t, key=t.get) for t in modelled.values()]
    assert best == sorted(best) and best[0] >= 1 and best[-1] > best[0]
    assert all(t[0] > min(t.values()) < t[4] for t in modelled.values())


def test_an_exponent_is_a_slope():
    assert exponent({n: 3.0 * n**1.5 for n in (8, 20, 100)}) == pytest.approx(1.5)


def test_the_hand_meets_every_obstacle_and_feels_it():
    tour = result("hand").figures["tour"]
    met = {name for step in tour.contacts for c in step for name in (c.a, c.b)}
    assert met == {*OBSTACLES, FOLLOWER}
    strength = np.linalg.norm(tour.force, axis=1)
    for k, step in enumerate(tour.contacts):
        assert (strength[k] > 0.0) == bool(step)
    assert len({c.kind for step in tour.contacts for c in step}) >= 4


def test_the_hand_is_pushed_back_and_the_obstacles_with_the_same_force():
    where = stage()
    played = scene(where)
    for name in OBSTACLES:
        played.forget()
        deepest = 2.0 * (OBSTACLES.index(name) + 0.5)
        step = played.step({FOLLOWER: where.hand(deepest)})
        side = where.places[name][:3, 3]
        assert step.forces[FOLLOWER] @ side < 0.0
        assert np.array_equal(step.forces[name], -step.forces[FOLLOWER])
        assert step.deepest == pytest.approx(DEPTH, abs=0.0015)


def test_the_scene_has_six_bodies_of_their_levels():
    played = scene(stage(), levels=1)
    assert isinstance(played, Scene) and played.names == tuple(LETTERS)
    assert prism(20).shape == (2, 10, 3)


def test_the_example_pushes_the_box():
    example = Path(__file__).parents[2] / "examples" / "08_push_a_body.py"
    found = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stderr
    last = found.stdout.splitlines()[-1]
    # In the end the paddle overcomes the table's friction, 2 N s/m at 0.2 m/s, and no more.
    assert "pushed with  0.400 N" in last and last.endswith("FV FV FV FV")


def test_an_unknown_experiment_is_an_error_that_names_the_known_ones(tmp_path):
    found = command("papers", "003", "--only", "table9", "--out", tmp_path)
    assert found.returncode == 2
    for word in ("table9", "table1", "fig4", "fig5", "hand", "scene"):
        assert word in found.stderr


def test_the_command_prints_tables_and_saves_plots(tmp_path):
    folder = tmp_path / "plots"
    found = command("papers", "003", "--quick", "--only", "hand", "--out", folder)
    assert found.returncode == 0, found.stderr
    assert "Paper 003" in found.stdout and "FOLLOWER" in found.stdout
    assert not have_matplotlib() or (folder / "hand.png").exists()
