"""Boxes sorted and swept over, beside all pairs of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from standoff.broadphase.kernels.sort_and_sweep import Sweep, boxes_that_meet
from standoff.compiled.jit import entry
from standoff.compiled.tables import viewer

pytestmark = pytest.mark.interpreted

sweep_at = viewer(Sweep)


@entry("boolean(int64)")
def sweep_once(sweep):
    return boxes_that_meet(sweep_at(sweep))


def _sweep(count, moves, room):
    return Sweep(
        boxes=count, moves=np.array(moves, dtype=np.int64), order=np.arange(count),
        ends=count + 1, pairs=room, unsorted=room,
    )  # fmt: skip


def _all_pairs(boxes, moves):
    low, high = boxes[:, :3], boxes[:, 3:]
    return [
        (i, j)
        for i in range(len(boxes))
        for j in range(i + 1, len(boxes))
        if (moves[i] or moves[j]) and (low[i] <= high[j]).all() and (low[j] <= high[i]).all()
    ]


def _found(sweep):
    count = sweep.state.pairs
    return list(zip(sweep.pairs["a"][:count].tolist(), sweep.pairs["b"][:count].tolist()))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 25))
def test_the_same_pairs_in_the_same_order_as_all_against_all(seed, count):
    rng = np.random.default_rng(seed)
    moves = rng.integers(0, 2, count)
    sweep = _sweep(count, moves, count * count)
    # On a grid, so that boxes touch; flat along one axis, so that it is not always the first.
    middle, half = rng.integers(-6, 7, (count, 3)), rng.integers(0, 4, (count, 3))
    middle[:, rng.integers(3)] = 0
    for _ in range(4):
        sweep.boxes[:] = np.hstack([middle - half, middle + half])
        assert sweep_once(sweep.address)
        assert _found(sweep) == _all_pairs(sweep.boxes, moves)
        assert sweep.state.pairs <= sweep.state.tests
        middle = middle + rng.integers(-1, 2, (count, 3))


def test_too_little_room_is_said_and_nothing_is_lost():
    sweep = _sweep(12, np.ones(12), 5)
    sweep.boxes[:] = np.arange(12)[:, None] + np.array([0, 0, 0, 2, 2, 2])
    for room in (5, 21):
        for name in ("pairs", "unsorted"):
            sweep.grow(name, room)
        done = sweep_once(sweep.address)
        assert (done, sweep.state.pairs) == (room == 21, 21)
    assert _found(sweep) == _all_pairs(sweep.boxes, np.ones(12))


@pytest.mark.parametrize("axis", range(3))
def test_a_row_along_any_axis_costs_no_more_than_neighbours(axis):
    count = 40
    sweep = _sweep(count, np.ones(count), 4 * count)
    boxes = np.tile([0.0, 0.0, 0.0, 1.0, 1.0, 1.0], (count, 1))
    places = np.random.default_rng(1).permutation(count)
    boxes[:, [axis, 3 + axis]] += 0.9 * places[:, None]
    sweep.boxes[:] = boxes
    for _ in range(2):  # the first finds out along which axis they lie
        assert sweep_once(sweep.address)
    assert sweep.state.axis == axis
    assert sweep.state.pairs == sweep.state.tests == count - 1
