"""Paper 001's checker and its rival that samples, against dense samples by Coal."""

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.errors import Error
from standoff.motion.kernels.certify import half_free
from standoff.papers import paper001_checkers
from standoff.papers.kernels.pairwise import free_span
from standoff.papers.kernels.sampled import FREE, HIT
from standoff.papers.paper001_checkers import PairwiseChecker, SampledChecker
from standoff.papers.paper001_scenes import scene
from tests.oracles.coal import CoalCell
from tests.oracles.paper001 import segment

DELTA = 0.002

#: What is found however poses are kept.
SAME = ("status", "pair", "distances")
VARIANTS = [
    (bound, cover, shared)
    for bound, cover, shared in itertools.product(("paper", "sharp"), "abc", (True, False))
    if cover == "a" or not shared
]


#: A Panda with a bent elbow, its hand half open.
READY = np.array([0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0, 0.01])


def gap_of(oracle, found):
    """The distance of the pair of a verdict where it has it, by Coal."""
    frames = oracle.frames(found.q)
    return oracle.nearest(*(oracle.place(name, frames) for name in found.pair))


@functools.cache
def bed(figure):
    """A scene, Coal's view of it, and segments between free ends, half of them short."""
    cell = scene(figure)
    oracle = CoalCell(cell)
    rng = np.random.default_rng(3)
    Q = []
    while len(Q) < 2 * 16:
        q = rng.uniform(cell.tree.lower, cell.tree.upper)
        if not oracle.collides(q):
            Q.append(q)
    QA, QB = np.array(Q[:16]), np.array(Q[16:])
    QB[8:] = QA[8:] + 0.3 * (QB[8:] - QA[8:])
    samples = [
        any(oracle.collides(qa + t * (qb - qa)) for t in np.linspace(0, 1, 129)[1:])
        for qa, qb in zip(QA, QB)
    ]
    return cell, oracle, QA, QB, np.array(samples)


@pytest.mark.parametrize("figure", ["6b-one", "6a-one", "8"])
@pytest.mark.parametrize(("bound", "cover", "shared"), VARIANTS)
def test_every_variant_agrees_with_dense_samples(figure, bound, cover, shared):
    cell, oracle, QA, QB, samples = bed(figure)
    checker = PairwiseChecker(cell, DELTA, bound, cover, shared)
    kinds = set()
    for qa, qb, hit in zip(QA, QB, samples):
        found = segment(checker, qa, qb)
        kinds.add(found.kind)
        if found.free:
            assert not hit
        elif found.kind == "collision":
            assert np.allclose(found.q, qa + found.t * (qb - qa))
            assert gap_of(oracle, found) <= 1e-9
        else:
            assert found.kind == "too_close"
            gap = gap_of(oracle, found)
            assert 0.0 < gap <= DELTA + 1e-9
            assert found.distance == pytest.approx(gap, abs=1e-9)
    assert {"free", "collision"} <= kinds


@pytest.mark.parametrize("figure", ["6b-one", "6a-one", "8"])
def test_no_variant_contradicts_another(figure):
    cell, _, QA, QB, _ = bed(figure)
    kinds = [
        [segment(PairwiseChecker(cell, DELTA, *v), qa, qb).kind for v in VARIANTS]
        for qa, qb in zip(QA, QB)
    ]
    for found in kinds:
        assert not {"free", "collision"} <= set(found)


def test_sharing_transforms_changes_nothing_but_the_work():
    cell, _, QA, QB, _ = bed("6a-one")
    for bound in ("paper", "sharp"):
        found = PairwiseChecker(cell, DELTA, bound, shared=True).run(QA, QB)
        alone = PairwiseChecker(cell, DELTA, bound, shared=False).run(QA, QB)
        assert all(np.array_equal(found[name], alone[name]) for name in (*SAME, "t"))
        assert (found.configurations <= alone.configurations).all()
        assert found.configurations.sum() < alone.configurations.sum()


def test_measuring_when_a_pair_has_its_turn_saves_distances():
    cell, _, QA, QB, samples = bed("6a-one")
    asked = {}
    for lazy in (False, True):
        found = PairwiseChecker(cell, 0.0, lazy=lazy).run(QA, QB)
        assert np.array_equal(found.status == HIT, samples)
        asked[lazy] = found.distances[samples].sum()
    assert asked[True] < asked[False]


def test_our_bound_needs_fewer_distances():
    cell, _, QA, QB, _ = bed("6a-one")
    asked = {}
    for bound in ("paper", "sharp"):
        found = PairwiseChecker(cell, DELTA, bound).run(QA, QB)
        asked[bound] = found.distances[found.status == FREE].sum()
    assert asked["sharp"] < asked["paper"]


@functools.cache
def panda():
    """A Panda of capsules."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    return cell


def test_a_wire_that_samples_jump_over_is_found():
    cell = panda()
    a, b = READY.copy(), READY.copy()
    b[0] = 1.0
    q = a + 0.3141 * (b - a)
    tip = cell.tree.link_pose(q, "arm/panda_link7")[:3, 3]
    wire = so.Mesh(*_prism(0.0005, 1.0))
    cell.add_body("wire", wire, pose=so.pose(tip))
    try:
        assert segment(PairwiseChecker(cell, 0.0), a, b).kind == "collision"
        assert segment(PairwiseChecker(cell, 0.001), a, b).kind == "collision"
        hit = segment(SampledChecker(cell, 0.0), a, b)
        assert hit.kind == "collision" and hit.configurations > 3
        coarse = SampledChecker(cell, 0.9)
        assert segment(coarse, a, b).kind == "free"
    finally:
        cell.remove_body("wire")


def _prism(radius, height):
    turns = np.pi / 3 * np.arange(6)
    ring = np.column_stack([radius * np.cos(turns), radius * np.sin(turns)])
    points = np.concatenate(
        [np.column_stack([ring, np.full(6, z)]) for z in (-height / 2, height / 2)]
    )
    faces = [(k, (k + 1) % 6, 6 + (k + 1) % 6) for k in range(6)]
    faces += [(k, 6 + (k + 1) % 6, 6 + k) for k in range(6)]
    faces += [(0, k + 1, k) for k in range(1, 5)] + [(6, 6 + k, 7 + k) for k in range(1, 5)]
    return points, np.array(faces)


def test_samples_come_breadth_first_down_to_the_resolution():
    cell = panda()
    a, b = READY.copy(), READY.copy()
    b[0] = 1.0
    length = 1.0 / (cell.tree.upper[0] - cell.tree.lower[0])
    for parts in (1, 2, 4, 8):
        # parts of just this length are split once more, those a hair shorter are not
        for epsilon, more in ((length / parts, 1), (length / parts * 1.001, 0)):
            checker = SampledChecker(cell, epsilon, ends=False)
            (found,) = checker.run(a[None], b[None])
            middles = sum(2**k for k in range(int(np.log2(parts)) + more))
            assert found.configurations == middles
            assert found.distances == middles * len(checker.watched.tables.pairs)
    assert segment(SampledChecker(cell, 1.0), a, b).configurations == 2
    still = segment(SampledChecker(cell, 0.0), a, a)
    assert still.free and still.configurations == 2


def test_what_starts_inside_a_solid_is_a_collision():
    """Its surfaces are apart all the way, but a closed mesh is a solid."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    corners = np.array(list(itertools.product((-3.0, 3.0), repeat=3)))
    box = so.Polyhedron(corners)
    cell.add_body("hall", so.Mesh(corners, np.array(box.faces)))
    a, b = READY, READY + 0.02
    for checker in (PairwiseChecker(cell, 0.001), SampledChecker(cell, 0.1)):
        found = segment(checker, a, b)
        assert found.kind == "collision" and found.t == 0.0 and "hall" in found.pair


def test_primitives_of_every_kind_are_checked():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    for k, shape in enumerate((so.Sphere(0.1), so.Box((0.2, 0.2, 0.2)), so.Cylinder(0.1, 0.2))):
        cell.add_body(f"thing{k}", shape, pose=so.pose((0.5, 0.4 * k - 0.4, 0.5)))
    cell.add_body("floor", so.HalfSpace(), pose=so.pose((0, 0, -0.3)))
    rng = np.random.default_rng(4)
    QA, QB = rng.uniform(cell.tree.lower, cell.tree.upper, (2, 40, 8))
    exact, samples = PairwiseChecker(cell, 0.001), SampledChecker(cell, 0.002)
    free, touched = exact.segments(QA, QB), ~samples.segments(QA, QB)
    assert not (free & touched).any()
    assert free.any() and touched.any()
    for k in np.flatnonzero(~free)[:10]:
        found = segment(exact, QA[k], QB[k])
        assert found.kind in ("collision", "too_close") and found.distance <= 0.001


def test_a_budget_too_small_leaves_it_undecided():
    cell, _, QA, QB, samples = bed("6a-one")
    k = int(np.flatnonzero(~samples)[0])
    assert segment(PairwiseChecker(cell, DELTA, budget=50), QA[k], QB[k]).kind == "undecided"
    assert segment(SampledChecker(cell, 0.0, budget=50), QA[k], QB[k]).kind == "undecided"


def test_tables_that_are_too_short_are_lengthened(monkeypatch):
    cell, _, QA, QB, _ = bed("6a-one")
    expected = PairwiseChecker(cell, DELTA).run(QA, QB)
    monkeypatch.setattr(paper001_checkers, "_ENTRIES", 2)
    monkeypatch.setattr(paper001_checkers, "_SLOTS", 4)
    short = PairwiseChecker(cell, DELTA)
    found = short.run(QA, QB)
    assert short._room > 2
    assert all(np.array_equal(found[name], expected[name]) for name in SAME)


def test_changes_of_the_cell_are_noticed():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    q = READY
    checkers = PairwiseChecker(cell, 0.001), SampledChecker(cell, 0.1)
    assert all(segment(checker, q, q).free for checker in checkers)
    cell.add_body("ball", so.Sphere(0.1), pose=cell.tree.link_pose(q, "arm/panda_link7"))
    assert not any(segment(checker, q, q).free for checker in checkers)


def test_bad_input_is_an_error():
    cell = panda()
    for make in (
        lambda: PairwiseChecker(cell, -1.0),
        lambda: PairwiseChecker(cell, float("nan")),
        lambda: PairwiseChecker(cell, 0.0, "other"),
        lambda: PairwiseChecker(cell, 0.0, "paper", "d"),
        lambda: SampledChecker(cell, -0.1),
        lambda: SampledChecker(cell, "fine"),
        lambda: SampledChecker(cell, 0.1).segments(np.zeros((1, 3)), READY[None]),
        lambda: PairwiseChecker(cell).segments(READY[None], np.nan * READY[None]),
    ):
        with pytest.raises(Error):
            make()


numbers = st.floats(-10, 10)
positive = st.just(0.0) | st.floats(1e-100, 10)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(positive, numbers, positive)
def test_the_free_span_is_the_last_free_half(d, closing, M):
    span = free_span(d, closing, M)
    if d == 0.0:
        assert span == 0.0 and not half_free(d, closing, M, 0.0)
    elif math.isfinite(span):
        assert half_free(d, closing, M, span * (1 - 1e-12))
        assert not half_free(d, closing, M, span * (1 + 1e-6) + 1e-9)
    else:
        assert half_free(d, closing, M, 1e6)


def test_a_free_span_is_free_to_its_very_end_in_exact_arithmetic():
    rng = np.random.default_rng(19)
    for d, c, m in rng.normal(size=(2000, 3)) * 10.0 ** rng.integers(-6, 7, (2000, 3)):
        d, m = abs(d), abs(m) * float(rng.random() < 0.8)
        span = free_span(d, c, m)
        if math.isfinite(span):
            h = Fraction(span)
            assert Fraction(d) - h * Fraction(c) - h * h * Fraction(m) / 2 > 0
        else:
            assert m == 0.0 and c <= 0.0


def test_what_is_infinite_never_makes_a_span_too_long():
    inf, nan = math.inf, math.nan
    values = (0.0, 1.0, -1.0, 5e-324, 1e308, -1e308, inf, -inf, nan)
    for d in values:
        for closing in values:
            for m in values:
                span = free_span(d, closing, m)
                assert span >= 0.0
                if span == inf:
                    assert m == 0.0 and -inf < closing <= 0.0 and d > 0.0
                if not (d > 0.0 and 0.0 <= m < inf and abs(closing) < inf):
                    assert span == 0.0
    assert free_span(inf, 1.0, 0.0) > 1e300


def test_a_mimic_that_rounds_its_angle_is_refused(tmp_path):
    """The bounds of the published checker count no such rounding."""
    cell = so.Cell()
    file = tmp_path / "mimic.urdf"
    sphere = "<collision><geometry><sphere radius='0.1'/></geometry></collision>"
    joint = (
        "<joint name='{0}' type='continuous'><parent link='{1}'/><child link='{2}'/>"
        "<origin xyz='1 0 0'/><axis xyz='0 0 1'/>{3}</joint>"
    )
    file.write_text(
        "<robot name='r'><link name='a'/>"
        f"<link name='b'>{sphere}</link><link name='c'>{sphere}</link>"
        + joint.format("j0", "a", "b", "")
        + joint.format("j1", "b", "c", "<mimic joint='j0' multiplier='1000' offset='0.3'/>")
        + "</robot>"
    )
    cell.add_robot(file)
    cell.add_body("ball", so.Sphere(0.1))
    with pytest.raises(Error, match="mimic"):
        PairwiseChecker(cell)
    SampledChecker(cell, 0.1)
