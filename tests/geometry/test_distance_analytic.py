"""Closed-form distances: proven one by one, and against Coal."""

from __future__ import annotations

import os
import subprocess
import sys

import coal
import numpy as np
import pytest

from standoff.geometry.narrowphase import layout
from tests.oracles import coal as coal_oracle
from tests.worlds.distance_cases import (
    PAIRS,
    REGIMES,
    all_situations,
    check_proof,
    gap_along,
    height_over,
    pose_of,
    rounding,
    run,
    shape_of,
    tolerance,
)

POSES = 24_000
FLOOR_PAIRS = [(kind, "halfspace") for kind in ("sphere", "capsule", "box", "cylinder")]

#: Pairs for which Coal has a closed form as well. It iterates for the others.
COAL_EXACT = {("sphere", "sphere"), ("sphere", "capsule"), ("sphere", "box"), *FLOOR_PAIRS}


def coal_values(a, kind_a, b, kind_b):
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    values = np.empty(len(a))
    for i in range(len(a)):
        one = coal_oracle.geometry(shape_of(a[i], kind_a))
        other = coal_oracle.geometry(shape_of(b[i], kind_b))
        values[i] = coal_oracle.distance(one, pose_of(a[i]), other, pose_of(b[i]), request, result)[
            0
        ]
    return values


@pytest.mark.parametrize(("kind_a", "kind_b"), PAIRS)
def test_every_value_is_proven_and_agrees_with_coal(kind_a, kind_b):
    a, b = all_situations(1, POSES, kind_a, kind_b)
    out = run(a, kind_a, b, kind_b)
    check_proof(a, kind_a, b, kind_b, out)
    values = coal_values(a, kind_a, b, kind_b)
    agree = np.abs(values - out[:, 0]) <= tolerance(a, b)
    if (kind_a, kind_b) in COAL_EXACT:
        assert agree.all()
        return
    # The rest is Coal's error, by the proof above; the kinds of it are named tests of
    # test_distance_coal_errors.py. Where bodies of ordinary size are at ordinary poses it has none.
    by_regime = dict(zip(REGIMES, agree.reshape(len(REGIMES), -1), strict=True))
    assert by_regime["cell"].all()
    assert by_regime["deep"].all()
    assert agree.mean() > 0.9


@pytest.mark.parametrize(("kind_a", "kind_b"), FLOOR_PAIRS)
def test_every_height_over_a_half_space_agrees_with_coal(kind_a, kind_b):
    a, b = all_situations(2, POSES, kind_a, kind_b)
    out = run(a, kind_a, b, kind_b)
    tol = rounding(a, b)
    point_a, point_b, normal = out[:, 1:4], out[:, 4:7], out[:, 7:10]
    assert (np.linalg.norm(point_a - point_b - out[:, :1] * normal, axis=1) < tol).all()
    assert (np.abs(height_over(a, kind_a, point_a)) < tol).all()
    assert (np.abs(height_over(b, kind_b, point_b)) < tol).all()
    np.testing.assert_array_equal(normal, b[:, [2, 6, 10]])
    assert (np.abs(coal_values(a, kind_a, b, kind_b) - out[:, 0]) <= tolerance(a, b)).all()


@pytest.mark.parametrize(("kind_a", "kind_b"), [p for p in PAIRS if p[0] != p[1]])
def test_swapped_pair_is_the_same_pair_seen_from_the_other_side(kind_a, kind_b):
    a, b = all_situations(3, 600, kind_a, kind_b)
    there, back = run(a, kind_a, b, kind_b), run(b, kind_b, a, kind_a)
    np.testing.assert_array_equal(there[:, [0, 10]], back[:, [0, 10]])
    np.testing.assert_array_equal(there[:, 1:4], back[:, 4:7])
    np.testing.assert_array_equal(there[:, 4:7], back[:, 1:4])
    np.testing.assert_array_equal(there[:, 7:10], -back[:, 7:10])


@pytest.mark.parametrize(("kind_a", "kind_b"), PAIRS)
def test_no_direction_separates_farther_than_the_value(kind_a, kind_b):
    rng = np.random.default_rng(4)
    a, b = all_situations(4, 2_400, kind_a, kind_b)
    out = run(a, kind_a, b, kind_b)
    for scale in (1e-6, 1e-3, 1e-1, 1e3):
        for _ in range(20):
            n = out[:, 7:10] + scale * rng.normal(size=(len(a), 3))
            n /= np.linalg.norm(n, axis=1, keepdims=True)
            assert (gap_along(a, kind_a, b, kind_b, n) <= out[:, 0] + rounding(a, b)).all()


def test_a_pair_without_a_kernel_reads_as_danger():
    from standoff.geometry.narrowphase import batch, dispatch
    from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids

    rows = np.zeros((2, layout.ROW_COLUMNS))
    rows[:, [0, 5, 10]] = 1.0
    refs = np.full((2, layout.REF_COLUMNS), 0, dtype=np.int64)
    refs[:, layout.KIND] = 99, layout.SPHERE
    pairs = np.array([[1, 1], [0, 1], [1, 1], [1, 0]])
    out = np.zeros((4, layout.OUT_COLUMNS))
    bodies, scratch = Bodies(rows=rows, refs=refs, solids=Solids()), PairScratch()
    bad = batch.distances(dispatch.general_address(), bodies.address, pairs, scratch.address, out)
    assert bad == 1
    assert out[[1, 3], 0].tolist() == [-np.inf, -np.inf]
    assert np.isfinite(out[[0, 2]]).all()


_WITHOUT_COMPILER = """
import sys
import numpy as np
from tests.worlds.distance_cases import PAIRS, all_situations, run
pairs = PAIRS + [(k, "halfspace") for k in ("sphere", "capsule", "box", "cylinder")]
for seed, (a, b) in enumerate(pairs):
    rows_a, rows_b = all_situations(seed, 120, a, b)
    np.save(f"{sys.argv[1]}/{a}_{b}.npy", run(rows_a, a, rows_b, b))
"""


def test_kernels_give_the_same_without_the_compiler(tmp_path):
    environment = dict(os.environ, NUMBA_DISABLE_JIT="1")
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    subprocess.run(
        [sys.executable, "-c", _WITHOUT_COMPILER, str(tmp_path)], check=True, env=environment
    )
    for seed, (kind_a, kind_b) in enumerate(PAIRS + FLOOR_PAIRS):
        a, b = all_situations(seed, 120, kind_a, kind_b)
        expected = np.load(tmp_path / f"{kind_a}_{kind_b}.npy")
        np.testing.assert_array_equal(run(a, kind_a, b, kind_b), expected)
