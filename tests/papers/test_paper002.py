"""`standoff papers 002`: each claim in a small form; those that are laws must hold. No test asserts
a time."""

import functools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.interference.outlines import plane_normals
from standoff.interference.projection import ProjectionMethod
from standoff.papers import paper002
from standoff.papers.paper002_avoid import ANGLES, INTERVAL, encounter, gaps, run
from standoff.papers.paper002_parts import (
    CONVEX,
    CONVEX_FAMILIES,
    CROOKED,
    FAMILIES,
    MOST_PLANES,
    Bench,
    devised,
    distances,
    scene,
    standing,
    torus,
)
from standoff.papers.toolkit import slope
from standoff.view.plots import have_matplotlib
from tests.worlds.command_line import run as command

LAW = settings(deadline=None, max_examples=40, derandomize=True)


@functools.cache
def bench():
    small = Bench(quick=True)
    small.count, small.rounds, small.runs = 24, 1, 12
    return small


@functools.cache
def result(name):
    return paper002.PAPER.experiments[name](bench())


@pytest.mark.parametrize("name", paper002.PAPER.experiments)
def test_every_experiment_has_a_whole_table_and_says_something_of_it(name):
    found = result(name)
    assert found.rows and all(len(row) == len(found.columns) for row in found.rows)
    assert found.remarks and "nan" not in str((found.rows, found.remarks))


@pytest.mark.skipif(not have_matplotlib(), reason="matplotlib is not installed")
@pytest.mark.parametrize(
    "name",
    [
        "planes",
        "devised",
        "vertices",
        "cost",
        "resolution",
        "nodes",
        "many",
        "separation",
        "methods",
    ],
)
def test_its_plot_is_a_png(name, tmp_path):
    path = tmp_path / "plots" / f"{name}.png"
    result(name).plot(path)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_no_intersection_is_missed():
    assert result("missed").figures["missed"] == 0
    assert all(len(bench().pairs(kind).meeting) > 5 for kind in (CONVEX, CROOKED))


def test_false_alarms_never_rise_with_planes_and_the_true_outline_has_no_more_of_them():
    curves = result("planes").figures["curves"]
    for curve in curves.values():
        assert len(curve) == MOST_PLANES and (np.diff(curve) <= 0).all()
    assert curves["convex"][0] > curves["convex"][-1]
    assert all(t <= h for t, h in zip(curves["crooked, true outline"], curves["crooked, hull"]))


def test_the_counts_are_those_of_the_public_function():
    pairs = bench().pairs(CROOKED)
    parts = {part.name: (part.shape, part.pose) for part in pairs.parts}
    exact = so.interference.find(parts)
    assert len(exact) == len(pairs.meeting)
    for planes, outline in ((3, "hull"), (7, "true")):
        told = so.interference.find(parts, "projection", planes=planes, outline=outline)
        # `interference` looks at world boxes first, which are one more way to be apart.
        assert len(exact) <= len(told) <= len(exact) + pairs.alarms(planes, outline)


def test_every_set_of_planes_is_defeated_and_no_octree_is():
    for _, told, exact, seen, cell in result("devised").figures["figures"]:
        assert told == -1 and exact > 0.0 and seen and cell > 0.0


@LAW
@given(st.integers(1, 24), st.integers(0, 10_000))
def test_devised_plates_are_apart_and_meet_on_every_plane(count, seed):
    normals = plane_normals(np.random.default_rng(seed).normal(size=(count, 3)))
    parts, gap = devised(normals)
    method = ProjectionMethod(parts, planes=normals)
    (exact,) = distances(parts, method.pairs())[0]
    assert method.separating_planes().tolist() == [-1]
    assert 0.0 < gap == pytest.approx(exact, rel=1e-9)


def test_a_plane_along_the_gap_tells_devised_plates_apart():
    """What defeats three planes is seen by a fourth: no set is the last."""
    parts, _ = devised(plane_normals(3))
    along = parts[0].pose[:3, 0]
    assert ProjectionMethod(parts, planes=[along]).separating_planes().tolist() == [0]


def test_of_24_planes_convex_parts_have_fewer_false_alarms():
    rates = result("shapes").figures["rates"]
    hull = {name: rate[1] for name, rate in rates.items()}
    assert max(hull[name] for name in CONVEX_FAMILIES) <= hull["rings"]
    for rate in rates.values():
        assert rate[1] <= rate[0] and rate[3] <= rate[2]
        assert rate[2] <= rate[0] and rate[3] <= rate[1]


@pytest.mark.parametrize("name", FAMILIES)
def test_shapes_are_what_their_family_says(name):
    for seed in range(3):
        (part,) = scene(1, seed, FAMILIES[name])
        mesh = isinstance(part.shape, so.Mesh)
        assert (name in CONVEX_FAMILIES) == (not mesh)
        assert not mesh or (part.shape.closed and not part.shape.is_convex)


def test_a_torus_has_the_triangles_it_was_asked_for():
    assert torus(0.5, 0.2, 250, 70).triangles == 35_000


def test_area_finds_posts_at_once_and_is_misled_by_plates():
    looks = result("order").figures["looks"]
    for (name, _), found in looks.items():
        assert all(value >= 1.0 for value in found.values())
        if name.startswith("posts"):
            assert found["area"] <= found["random"]
        if name.startswith("plates"):
            assert found["area"] > found["hindsight"]
    assert all(part.pose[2, 3] > 0.0 for part in standing(5, 0, (0.1, 0.5)))


def test_envelopes_decide_most_looks_and_change_no_answer():
    for looked, by_box, by_circle, *_ in result("envelopes").figures["found"].values():
        assert 0.4 * looked < by_box < looked and by_circle < 0.2 * looked
    parts = bench().parts(CONVEX)
    method = ProjectionMethod(parts)
    before = method.separating_planes()
    outlines = method.outlines.scene.outlines
    outlines.low_x = outlines.low_y = -math.inf
    outlines.high_x = outlines.high_y = outlines.radius = math.inf
    assert np.array_equal(before, method.separating_planes())


def test_finer_octrees_have_no_more_false_alarms():
    figures = result("resolution").figures
    for kind in (CONVEX, CROOKED):
        assert (np.diff(figures["alarms"][kind]) <= 0).all()
        assert (np.diff(figures["leaves"][kind]) > 0).all()


def test_a_traversal_of_many_finds_the_pairs_of_each_two_with_fewer_nodes():
    found = result("many").figures["found"]
    for together, by_pairs, *_, same in found.values():
        assert same and together <= by_pairs
    assert min(found) == 2 and found[2][0] == found[2][1]


def test_the_safe_distance_is_greatest_head_on():
    figures = result("separation").figures
    needed = figures["needed"]
    assert needed[0] == pytest.approx(2.0) and ANGLES[0] == 180
    assert (np.diff(needed) <= 1e-12).all() and needed[-1] == pytest.approx(1.0)
    assert needed[ANGLES.index(90)] == pytest.approx(math.sqrt(2.0))
    assert all(n >= w for n, w in zip(needed, figures["worst"]))  # never short
    assert needed == pytest.approx(figures["worst"], rel=1e-6)  # and never more than it takes


def test_nothing_touches_that_is_grown_by_d_and_by_what_it_moves_between_looks():
    found = result("avoidance").figures["found"]
    for name, (would, unwarned, touched, *_) in found.items():
        assert would > 0 and unwarned == 0
        if name.endswith("d + D"):
            assert touched == 0
    assert any(f[2] > 0 for name, f in found.items() if name.endswith("alone"))


@pytest.mark.parametrize("by", ["octree", "projection"])
def test_what_was_warned_about_stops_in_time(by):
    rng = np.random.default_rng(77)
    for _ in range(8):
        made = encounter(rng)
        assert min(gaps(made, (0.0, 0.0)).values()) > 0.0
        found = run(made, INTERVAL, by)
        assert not found.touched and (found.warned or not found.would_touch)


def test_a_slope_is_the_exponent():
    x = [1.0, 2.0, 4.0]
    assert slope(x, [3.0 * v**2.5 for v in x]) == pytest.approx(2.5)


def test_an_unknown_experiment_is_an_error_that_names_the_known_ones(tmp_path):
    found = command("papers", "002", "--only", "table1", "--out", tmp_path)
    assert found.returncode == 2
    for word in ("table1", *paper002.PAPER.experiments):
        assert word in found.stderr


def test_the_command_prints_tables_and_saves_plots(tmp_path):
    folder = tmp_path / "plots"
    found = command("papers", "002", "--quick", "--only", "separation", "--out", folder)
    assert found.returncode == 0, found.stderr
    assert "Paper 002" in found.stdout and "2.000 d" in found.stdout
    assert not have_matplotlib() or (folder / "separation.png").exists()
