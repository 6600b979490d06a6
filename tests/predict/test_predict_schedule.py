"""The schedule of paper 004, held against a model of it in plain Python."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.predict.dua import bucket_table
from standoff.predict.kernels import predict_tables as p
from standoff.predict.kernels.sorting import partial_sort
from standoff.predict.kernels.time_to_contact import FREE, tau_free
from standoff.predict.schedule import bodies_of
from tests.worlds.predict_worlds import World, pairs_of

PERIOD = 0.02


class Model:
    """DUA as section 7 of the paper has it, with lists; τ in units of a period / 2**20, rounded
    down, as the tables have it."""

    def __init__(self, world, sizes, period):
        self.world, self.period = world, period
        n = world.n
        pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
        self.tau = {pair: self.units(pair) for pair in pairs}
        ranked = sorted(pairs, key=self.tau.get)
        self.buckets = []
        for size in sizes:
            self.buckets.append(ranked[:size])
            ranked = ranked[size:]
        assert not ranked
        self.n = 0

    def units(self, pair):
        a, b = pair
        w = self.world
        x, v = tuple(w.x[b] - w.x[a]), tuple(w.v[b] - w.v[a])
        tau = tau_free(x, v, w.most[a] + w.most[b], w.radii[a] + w.radii[b])
        return math.floor(tau / self.period * p.UNIT * (1 - 8 * 2.0**-52))

    def step(self):
        self.n += 1
        turns = [self.n % len(bucket) for bucket in self.buckets]
        taken = [bucket[i] for bucket, i in zip(self.buckets, turns)]
        self.tau |= {pair: self.units(pair) for pair in taken}
        taken.sort(key=self.tau.get)
        for bucket, i, pair in zip(self.buckets, turns, taken):
            bucket[i] = pair
        return [
            (*pair, self.tau[pair])
            for bucket, pair in zip(self.buckets, taken)
            if self.tau[pair] <= (len(bucket) + 1) * p.UNIT
        ]


def stand(predictor):
    """The pairs as they stand in the buckets of a predictor."""
    both = [*map(tuple, pairs_of(predictor).tolist())]
    buckets = predictor._schedule.tables.buckets.tolist()
    return [both[first : first + size] for first, size, _ in buckets]


@pytest.mark.interpreted
@pytest.mark.parametrize("kind", ["binary", "fibonacci"])
@pytest.mark.parametrize("n", [2, 3, 5, 14])
def test_the_schedule_is_that_of_the_paper(n, kind):
    rng = np.random.default_rng(n)
    world = World(rng, n, hostile=False, period=PERIOD)
    predictor = so.Predictor(
        world.radii, world.most, period=PERIOD, schedule=so.predict.DynamicUrgency(series=kind)
    )
    first = predictor.step(world.x, world.v)
    sizes = [row[1] for row in bucket_table(n * (n - 1) // 2, kind).tolist()]
    model = Model(world, sizes, predictor._late_after)
    for mine, theirs in zip(stand(predictor), model.buckets):
        assert sorted(mine) == sorted(theirs)
    limits = [(len(b) + 1) * p.UNIT for b in model.buckets]
    expected = {q for b, m in zip(model.buckets, limits) for q in b if model.tau[q] <= m}
    assert {*map(tuple, first.alarms.tolist())} == expected
    model.buckets = stand(predictor)  # the order within a bucket is left open at the start
    for _ in range(60):
        world.choose(PERIOD)
        world.advance(PERIOD)
        step = predictor.step(world.x, world.v)
        alarms = model.step()
        assert [(a, b) for a, b, _ in alarms] == [*map(tuple, step.alarms.tolist())]
        assert np.allclose(step.tau, [t * predictor._unit for _, _, t in alarms], rtol=1e-12)
        assert stand(predictor) == model.buckets and step.tests == len(sizes)


@pytest.mark.parametrize(("count", "expected"), [(1, [1]), (3, [1, 2]), (780, None), (10, None)])
def test_there_are_as_many_buckets_as_the_paper_says(count, expected):
    table = bucket_table(count, "binary")
    assert len(table) == math.floor(math.log2(count)) + 1 and table["length"].sum() == count
    assert expected is None or table["length"].tolist() == expected
    assert bucket_table(780, "fibonacci")["length"][:6].tolist() == [1, 2, 3, 5, 8, 13]


def ranked(numbers, deadlines):
    """Rows of pairs that are told apart by ``a``."""
    rows = np.zeros(len(numbers), dtype=p.RANKED).view(np.recarray)
    rows.a, rows.deadline = numbers, deadlines
    return rows


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    st.lists(st.integers(0, 12) | st.integers(0, p.NEVER), min_size=1, max_size=300),
    st.sampled_from(["binary", "fibonacci"]),
)
def test_no_bucket_holds_what_is_less_urgent_than_a_later_one(keys, kind):
    rows = ranked(np.arange(len(keys)), keys)
    before = {*map(tuple, rows.tolist())}
    buckets = bucket_table(len(keys), kind).view(np.recarray)
    partial_sort(rows, len(rows), buckets)
    assert {*map(tuple, rows.tolist())} == before
    for first, size, _ in buckets.tolist()[:-1]:
        assert rows.deadline[: first + size].max() <= rows.deadline[first + size :].min()


@pytest.mark.parametrize("order", ["rising", "falling", "organ pipe", "equal", "saw"])
def test_selection_stays_linear_whatever_comes(order):
    n = 200_000
    k = np.arange(n)
    keys = {
        "rising": k, "falling": n - k, "organ pipe": np.minimum(k, n - k), "equal": 0 * k,
        "saw": k % 17,
    }[order]  # fmt: skip
    rows = ranked(k, keys)
    buckets = bucket_table(n, "binary").view(np.recarray)
    partial_sort(rows, n, buckets)
    for first, size, _ in buckets.tolist()[:-1]:
        assert rows.deadline[: first + size].max() <= rows.deadline[first + size :].min()


@pytest.mark.parametrize("schedule", [so.predict.DynamicUrgency(), so.predict.Deadlines()])
def test_a_pair_costs_sixteen_bytes(schedule):
    world = World(np.random.default_rng(0), 60, hostile=False, period=PERIOD)
    predictor = so.Predictor(world.radii, world.most, period=PERIOD, schedule=schedule)
    predictor.step(world.x, world.v)
    assert predictor.pairs == 60 * 59 // 2 and predictor.nbytes == 16 * predictor.pairs


def test_deadlines_are_the_default_and_alarm_before_contact():
    """Two balls run at each other at 1 m/s from 0.8 m apart, and are alarmed two periods ahead."""
    x, v = np.array([[0.0, 0, 0], [1.0, 0, 0]]), np.array([[0.5, 0, 0], [-0.5, 0, 0]])
    answers = []
    for how in ({}, {"schedule": so.predict.Deadlines()}):
        predictor = so.Predictor([0.1, 0.1], 0.0, period=PERIOD, **how)
        steps = [predictor.step(x + k * PERIOD * v, v) for k in range(40)]
        answers.append([(step.alarms.tolist(), step.tau.tolist(), step.tests) for step in steps])
    assert answers[0] == answers[1]
    alarmed = [k for k, (alarms, _, _) in enumerate(answers[0]) if alarms]
    assert 36 <= alarmed[0] <= 38  # contact at step 40


def test_the_same_input_gives_the_same_output():
    told = []
    for _ in range(2):
        world = World(np.random.default_rng(5), 30, hostile=True, period=PERIOD)
        predictor = so.Predictor(world.radii, world.most, period=PERIOD)
        for _ in range(80):
            step = predictor.step(world.x, world.v)
            told.append((step.number, step.alarms.tolist(), step.tau.tolist(), step.tests))
            world.choose(PERIOD)
            world.advance(PERIOD)
    assert told[:80] == told[80:]


def test_deadlines_alarm_what_looking_at_all_pairs_alarms():
    """A pair is due again before it can be missed, so that alarms come in the step in which
    looking at everything would raise them."""
    from standoff.papers.kernels.predict_replay import select_all
    from standoff.predict.schedule import NO_PAIRS, body_table, given_of

    world = World(np.random.default_rng(8), 40, hostile=True, period=PERIOD)
    predictor = so.Predictor(world.radii, world.most, period=PERIOD)
    bodies = body_table(world.radii, world.most, None, 0.0)
    tables, looks = None, 0
    for k in range(150):
        step = predictor.step(world.x, world.v)
        if tables is None:
            given = given_of(bodies, predictor._late_after, FREE, NO_PAIRS)
            tables = p.Watched(**given, alarms=780, faults=40)
        found = select_all(world.x, world.v, tables.address, 2, PERIOD * k)
        mine = {*map(tuple, step.alarms.tolist())}
        theirs = {*map(tuple, bodies_of(tables.alarms[:found]).tolist())}
        assert mine == theirs
        looks += step.tests if k else 0
        world.choose(PERIOD)
        world.advance(PERIOD)
    assert looks < 0.5 * 149 * 780
