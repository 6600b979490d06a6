"""How movers are registered in the index: wide enough, where they are heading, and evenly."""

from __future__ import annotations

import numpy as np
import pytest

import standoff as so
from standoff.broadphase.kernels import layout as x

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
        registered = monitor.index.arena["boxes"][:40]
        extended = monitor._arena["extended"][:40]
        assert (registered[:, :3] <= extended[:, :3]).all()
        assert (registered[:, 3:] >= extended[:, 3:]).all()


def test_movers_are_registered_wide_where_they_are_heading():
    poses = np.tile(np.eye(4), (60, 1, 1, 1))
    poses[:, 0, 0, 3] = 0.01 * np.arange(60)
    monitor = watched(poses)
    assert updates(monitor, poses)[1:].sum() > 2
    low, high = np.split(monitor.index.arena["boxes"][0] - monitor._arena["basis"][0], 2)
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
    monitor = watched(poses, root=((0, 0, 0), 8.0), smallest=0.3, max_speed=20.0)
    assert updates(monitor, poses).sum() > 20
    figures = monitor.figures()
    assert figures.splits > 0 and figures.merges == 0
    assert monitor.index.arena["state"][0, x.MERGE_WITHIN] == 5
