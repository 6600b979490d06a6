"""How movers are registered in the index: wide enough, where they are heading, and evenly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.broadphase.kernels import tables as x

SWING, LOOP = 0.3, 100


def swinging(count, seed):
    """Poses (LOOP, count, 4, 4) of bodies that swing along lines of their own."""
    rng = np.random.default_rng(seed)
    line = rng.normal(size=(count, 3))
    line /= np.linalg.norm(line, axis=1, keepdims=True)
    angle = 2 * np.pi * np.arange(LOOP)[:, None] / LOOP + rng.uniform(0, 2 * np.pi, count)
    poses = np.tile(np.eye(4), (LOOP, count, 1, 1))
    poses[..., :3, 3] = rng.uniform(-3, 3, (count, 3)) + SWING * np.sin(angle)[..., None] * line
    return poses


def watched(poses, **options):
    cell = so.Cell(unwatched="allow")
    for k, pose in enumerate(poses[0]):
        cell.add_body(f"ball{k}", so.Sphere(0.05), pose=pose, moving=True)
    return so.Monitor(cell, buffer=0.02, **options)


def updates(monitor, poses):
    """How many were registered anew, cycle by cycle."""
    found, before = [], monitor.figures().updates
    for pose in poses:
        monitor.update(np.zeros(0), pose)
        found.append(monitor.figures().updates - before)
        before += found[-1]
    return np.array(found)


@pytest.mark.parametrize("index", ["octree", "grid", "naive", "region"])
def test_a_registered_box_holds_what_is_extended(index):
    poses = swinging(40, 3)
    monitor = watched(poses, index=index)
    for pose in np.concatenate([poses, poses[::-7]]):
        monitor.update(np.zeros(0), pose)
        registered = monitor.index.tables.boxes[:40]
        extended = monitor.scene.tables.extended[:40]
        assert (registered[:, :3] <= extended[:, :3]).all()
        assert (registered[:, 3:] >= extended[:, 3:]).all()


def test_movers_are_registered_wide_where_they_are_heading():
    poses = np.tile(np.eye(4), (60, 1, 1, 1))
    poses[:, 0, 0, 3] = 0.01 * np.arange(60)
    monitor = watched(poses)
    assert updates(monitor, poses)[1:].sum() > 2
    low, high = np.split(monitor.index.tables.boxes[0] - monitor.scene.tables.basis[0], 2)
    assert high[0] > 2 * high[1] > 0 and high[0] > 3 * -low[0] > 0
    assert high[1] == pytest.approx(-low[1]) and high[2] == pytest.approx(-low[2])


def test_movers_are_registered_evenly_over_the_cycles():
    poses = swinging(300, 5)
    monitor = watched(poses)
    updates(monitor, poses)
    found = updates(monitor, np.concatenate([poses, poses]))
    assert found.mean() > 10 and found.max() < 1.25 * found.mean()


def test_who_trembles_is_not_registered_anew():
    rng = np.random.default_rng(7)
    poses = np.tile(np.eye(4), (100, 1, 1, 1))
    poses[:, 0, :3, 3] = rng.uniform(-1e-3, 1e-3, (100, 3))
    poses[:40, 0, 0, 3] += 0.01 * np.arange(40)
    poses[40:, 0, 0, 3] += 0.01 * 40
    monitor = watched(poses)
    assert updates(monitor, poses[:45])[1:].sum() > 2
    assert updates(monitor, poses[45:]).sum() <= 1


def test_an_item_that_comes_and_goes_does_not_split_and_merge_by_turns():
    poses = np.tile(np.eye(4), (200, 11, 1, 1))
    poses[:, :10, :3, 3] = np.random.default_rng(1).uniform(0.5, 1.5, (10, 3))
    poses[:, 10, :3, 3] = [1.0, 1.0, 1.0]
    poses[:, 10, 0, 3] += 1.5 * (1 + np.sin(0.1 * np.arange(200)))
    monitor = watched(poses, index=so.Octree(root=((0, 0, 0), 8.0), smallest=0.3), max_speed=20.0)
    assert updates(monitor, poses).sum() > 20
    figures = monitor.figures()
    assert figures.splits > 0 and figures.merges == 0
    assert monitor.index.tables.state.merge_within == 5


walks = st.lists(
    st.lists(
        st.tuples(*[st.sampled_from([0.0, 1e-9, -0.01, 0.02]) | st.floats(-0.5, 0.5)] * 3),
        min_size=5,
        max_size=5,
    ),
    min_size=3,
    max_size=15,
)


@pytest.mark.interpreted
@settings(deadline=None, max_examples=25, derandomize=True)
@given(walks, st.sampled_from([None, 0.0, 0.01, 0.3]), st.sampled_from(["above", "neighbours"]))
def test_the_reserve_loses_no_pair(walk, reserve, follow):
    """The two invariants at the head of `monitor.kernels.register`, after every cycle."""
    cell = so.Cell()
    for k in range(5):
        cell.add_body(f"ball{k}", so.Sphere(0.05), moving=True)
    for k in range(6):
        cell.add_body(f"box{k}", so.Box((0.1, 0.1, 0.1)), so.pose((0.3 * k - 0.8, 0.1, 0)))
    cell.allow("ball0", "box3")
    index = so.Octree(split=1, smallest=0.05, reserve=reserve, follow=follow)
    monitor = so.Monitor(cell, 0.02, index, max_speed=1e9)
    poses = np.array([so.pose((0.3 * k - 0.6, 0, 0)) for k in range(5)])
    for steps in walk:
        poses[:, :3, 3] += steps
        monitor.update(np.zeros(0), poses)
        t, movers = monitor.scene.tables, 5
        boxes, extended = t.index.boxes, t.extended[:movers]
        assert (boxes[:movers, :3] <= extended[:, :3]).all()
        assert (boxes[:movers, 3:] >= extended[:, 3:]).all()
        there = np.flatnonzero(t.index.items[:, x.STATE] != x.ABSENT)
        found = {(p.a, p.b) for p in t.pairs[: t.answer.pairs]}
        names = monitor._naming[0]
        for a in range(movers):
            for b in there[there > a]:
                meet = (boxes[a, :3] <= boxes[b, 3:]).all() and (boxes[a, 3:] >= boxes[b, :3]).all()
                free = {names[t.owner[a]], names[t.owner[b]]} == {"ball0", "box3"}
                assert ((a, b) in found) == (bool(meet) and not free)
