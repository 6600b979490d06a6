"""Maps of the joints between two links: no cell that is left unmarked holds a configuration where
the links come too close, and no verdict depends on whether there are maps."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import standoff as so
from standoff.compiled.jit import INTERPRETED, entry
from standoff.paths import joint_maps
from standoff.paths.joint_maps import JointMap, joint_map, joints_between
from standoff.paths.kernels import path_tables as p
from standoff.paths.kernels.map_lookup import marked_cells, settle_sphere_pairs
from standoff.paths.path_search import new_scratch
from standoff.paths.tables import Settings, build_tables
from tests.oracles.coal import distance, geometry

pytestmark = pytest.mark.skipif(INTERPRETED, reason="maps are made where kernels are compiled")

CLEARANCE = 1e-3


@pytest.fixture(params=["panda", "knuckles"])
def cell(request, tmp_path):
    return panda() if request.param == "panda" else knuckles(tmp_path)


def panda() -> so.Cell:
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    return cell


def knuckles(folder, upper: float = 2.5) -> so.Cell:
    """Three links in a row, joints about y; the last one folds back onto the first."""
    links, joints = [], []
    for k in range(3):
        links.append(
            f'<link name="l{k}"><collision><origin xyz="0 0 0.15"/><geometry>'
            '<sphere radius="0.09"/></geometry></collision></link>'
        )
    for k in range(3):
        parent = "base" if k == 0 else f"l{k - 1}"
        height = 0.0 if k == 0 else 0.3
        joints.append(
            f'<joint name="j{k}" type="revolute"><parent link="{parent}"/><child link="l{k}"/>'
            f'<origin xyz="0 0 {height}"/><axis xyz="0 1 0"/>'
            f'<limit lower="{-upper}" upper="{upper}" effort="1" velocity="1"/></joint>'
        )
    text = "".join(links + joints)
    path = folder / "knuckles.urdf"
    path.write_text(f'<robot name="k"><link name="base"/>{text}</robot>')
    cell = so.Cell()
    cell.add_robot(path, name="k")
    return cell


def mapped(cell: so.Cell) -> list[tuple[tuple[int, int], JointMap]]:
    model, found = cell.model, []
    for a, b in combinations(range(len(model.names)), 2):
        frames = model.frame[a], model.frame[b]
        if frames[0] == frames[1] or min(frames) == 0:
            continue
        made = joint_map(cell.model, model.names[a], model.names[b], CLEARANCE)
        if made is not None:
            found.append(((a, b), made))
    return found


def nearest(cell: so.Cell, a: int, b: int, q: np.ndarray) -> float:
    """By Coal, of all parts."""
    poses, model = cell.tree.forward(q), cell.model
    placed = [
        [(geometry(shape), poses[model.frame[body]] @ pose) for shape, pose in model.parts[body]]
        for body in (a, b)
    ]
    return min(distance(x, at, y, there)[0] for x, at in placed[0] for y, there in placed[1])


def test_unmarked_cells_hold_nothing_that_is_too_close(cell):
    rng = np.random.default_rng(3)
    looked, marked = 0, 0
    for (a, b), made in mapped(cell):
        side = made.cells.shape[0]
        marked += int(made.cells.sum())
        for _ in range(60):
            where = rng.integers(0, side, len(made.joints))
            if made.cells[tuple(where)]:
                continue
            # Anywhere in the cell, corners among it.
            part = rng.choice([0.0, 1.0, rng.uniform()], len(made.joints))
            q = cell.q
            q[list(made.joints)] = made.low + (made.high - made.low) * (where + part) / side
            assert nearest(cell, a, b, q) > CLEARANCE
            looked += 1
    assert looked > 50
    assert marked > 0


def test_what_touches_is_in_a_marked_cell(cell):
    rng = np.random.default_rng(4)
    found = 0
    for (a, b), made in mapped(cell):
        side = made.cells.shape[0]
        for _ in range(150):
            q = cell.q
            values = rng.uniform(made.low, made.high)
            q[list(made.joints)] = values
            if nearest(cell, a, b, q) < 0.0:
                where = np.floor((values - made.low) / (made.high - made.low) * side).astype(int)
                assert made.cells[tuple(np.minimum(where, side - 1))]
                found += 1
    assert found > 10


@entry("int64(int64, int64, int64)")
def marked_in_map(cell, search, m):
    return marked_cells(p.cell_at(cell), p.search_at(search), m)


@entry("void(int64, int64)")
def settle(cell, search):
    settle_sphere_pairs(p.cell_at(cell), p.search_at(search))


def test_marked_cells_of_a_box_are_counted():
    cell, rng = panda(), np.random.default_rng(5)
    tables = build_tables(cell, Settings(0.0, CLEARANCE, {}, np.zeros(len(cell.joints))))
    scratch = new_scratch(tables, 1)
    low, high = cell.tree.lower, cell.tree.upper
    assert len(tables.cell.maps) > 2
    for _ in range(200):
        ends = np.sort(rng.uniform(low, high, (2, len(low))), axis=0)
        scratch.low, scratch.high = ends.copy()
        for m, row in enumerate(tables.cell.maps):
            count, side, first = int(row.mapped), int(row.side), int(row.first_sum)
            sums = tables.cell.sums[first : first + (side + 1) ** count]
            cells = sums.reshape((side + 1,) * count)
            for axis in range(count):
                cells = np.diff(cells, axis=axis)
            joints = row.joints[:count]
            bounds = (ends[:, joints] - low[joints]) / (high - low)[joints] * side
            inside = tuple(slice(int(a), int(b) + 1) for a, b in bounds.T)
            marked = marked_in_map(tables.cell.address, scratch.address, m)
            assert marked == cells[inside].sum()


def test_nothing_is_settled_beyond_the_limits():
    cell = panda()
    tables = build_tables(cell, Settings(0.0, CLEARANCE, {}, np.zeros(len(cell.joints))))
    scratch = new_scratch(tables, 1)
    for beyond in (False, True):
        scratch.low, scratch.high = cell.tree.lower.copy(), cell.tree.lower.copy()
        scratch.high[1] += -0.01 if beyond else 0.0
        scratch.low[1] += -0.01 if beyond else 0.0
        scratch.header.settled = 0
        settle(tables.cell.address, scratch.address)
        assert scratch.settled.any() != beyond


def test_a_motion_beyond_the_limits_is_seen(tmp_path):
    """Within their limits the links never touch, so that they are not looked at there; a motion
    that leaves the limits folds them together."""
    cell = knuckles(tmp_path, upper=0.9)
    checker = so.PathChecker(cell)
    inside = checker.segment([0.0, -0.9, -0.9], [0.0, 0.9, 0.9])
    assert inside.free and inside.distances == 0
    assert checker.segments([[0.0, -0.9, -0.9]], [[0.0, 0.9, 0.9]]).all()
    assert checker.segment([0.0, 0.9, 0.9], [0.0, 2.3, 2.3]).kind == "collision"
    assert not checker.segments([[0.0, 0.9, 0.9]], [[0.0, 2.3, 2.3]]).any()
    # The tube around it leaves them, too.
    wide = so.PathChecker(cell, deviation={"k/j1": 1.3, "k/j2": 1.3})
    assert not wide.segment([0.0, 0.9, 0.9], [0.0, 0.89, 0.9]).free


def test_verdicts_are_the_same_without_maps(monkeypatch):
    rng = np.random.default_rng(6)
    cell = panda()
    low, high = cell.tree.lower, cell.tree.upper
    starts = rng.uniform(low, high, (400, len(low)))
    ends = np.clip(starts + rng.normal(size=starts.shape), low, high)
    for clearance in (0.0, 0.02, -0.01):
        with_maps = so.PathChecker(cell, clearance).segment_kinds(starts, ends)
        monkeypatch.setattr(joint_maps, "_LEVELS", {0: 0})
        cell.model.kept.clear()
        plain = so.PathChecker(cell, clearance)
        assert plain.tables.cell.maps.size == 0
        assert list(plain.segment_kinds(starts, ends)) == list(with_maps)
        monkeypatch.undo()
        cell.model.kept.clear()


def test_joints_between():
    tree = panda().tree
    assert joints_between(tree, 3, 3) == 0
    assert joints_between(tree, 2, 5) == 3
    assert joints_between(tree, 8, 9) == 2
