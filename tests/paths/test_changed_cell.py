"""Tables of the path check stay with the cell: who asks again gets them, and after a change they
say what tables that are laid out anew say."""

from __future__ import annotations

import copy
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.geometry.narrowphase import layout
from standoff.geometry.table import pack
from standoff.paths import tables
from standoff.paths.tables import Packing
from tests.cell.test_model import STEPS, do, start

NAMES = ("arm/panda_hand", "b0")


def verdicts(checker, rng):
    cell = checker.cell
    low, high = cell.tree.lower, cell.tree.upper
    qa = rng.uniform(low, high, (12, len(low)))
    qb = np.clip(qa + 0.5 * rng.normal(size=qa.shape), low, high)
    found = [checker.segment(a, b) for a, b in zip(qa, qb)]
    kinds = checker.segment_kinds(qa, qb, threads=1).tolist()
    return kinds, [
        (v.kind, v.t, v.pair, v.distance, v.intervals, v.distances, np.array(v.normal).tolist())
        for v in found
    ]


@pytest.mark.parametrize("own", [{}, {NAMES: 0.03}], ids=["alike", "a clearance with a static"])
@settings(deadline=None, max_examples=12, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5)), min_size=1, max_size=6))
def test_patched_tables_say_what_fresh_ones_say(own, steps):
    cell = start()
    # Within reach, so that something is met.
    for k in range(3):
        cell.add_body(f"near{k}", so.Box((0.1, 0.2, 0.1)), so.pose((0.4, 0.3 * k - 0.3, 0.4)))
    checker, counter = so.PathChecker(cell, 0.002, clearances=own), [0]
    _ = checker.tables
    for n, (step, k) in enumerate(steps):
        do(cell, step, k, counter)
        fresh = so.PathChecker(cell, 0.002)
        fresh._options = checker._options
        fresh.cell = copy.deepcopy(cell)  # a cell that was never laid out
        patched = verdicts(checker, np.random.default_rng(n))
        assert patched == verdicts(fresh, np.random.default_rng(n))


def test_one_layout_serves_all_who_ask_for_the_same():
    cell = start()
    first = so.PathChecker(cell, 0.001)
    assert so.PathChecker(cell, 0.001).tables is first.tables
    assert so.Planner(cell).checker.tables is first.tables
    other = so.PathChecker(cell, 0.002)
    assert other.tables is not first.tables and other.tables.layout is first.tables.layout
    before = first.tables
    cell.move_body("b0", so.pose((0.0, 3.0, 0.0)))
    after = first.tables
    assert after is not before
    # What moves and how it is listed stays, with the scratch that is made for it.
    assert after.layout.movers is before.layout.movers and after.listed is before.listed
    assert other.tables.layout is after.layout
    cell.attach("b0", "arm/panda_hand")
    assert first.tables.layout.movers is not before.layout.movers


def test_a_cell_that_cannot_be_laid_out_is_refused_again_and_again():
    """An error that was caught once must not be followed by answers about the cell as it was."""
    cell = so.Cell()
    arm = cell.add_robot("builtin:panda", name="arm", geometry="capsules")
    cell.add_body("table", so.Box((1.0, 1.0, 0.1)), so.pose((0.0, 0.0, -0.5)))
    q = cell.q
    watched = so.PathChecker(cell)
    named = so.PathChecker(cell, deviation={f"{arm}/panda_joint1": 0.01})
    assert {watched.segment(q, q).kind, named.segment(q, q).kind} <= {"free", "collision"}
    cell.allow(arm, arm)
    cell.allow(arm, "table")
    for _ in range(2):
        with pytest.raises(so.errors.CellError):
            watched.segment(q, q)
    cell.remove_robot(arm)
    cell.add_robot("builtin:arm7", name="other")
    for _ in range(2):
        with pytest.raises(so.Error):
            named.segment(cell.q, cell.q)


def test_geometry_is_added_to_what_is_packed():
    corners = np.random.default_rng(3).normal(size=(12, 3))
    shapes = [so.Box((0.1, 0.1, 0.1)), so.Polyhedron(corners), so.Polyhedron(corners + 1.0)]
    slowly = Packing(shapes[:1])
    _, former = slowly.bodies(shapes[1:2])
    refs, solids = slowly.bodies(shapes)
    refs_at_once, at_once = Packing(shapes).bodies(shapes)
    assert (refs == refs_at_once).all() and (solids.points == at_once.points).all()
    assert former is not solids and len(former.points) < len(at_once.points)
    assert not slowly.sparse(shapes)


def test_geometry_that_two_threads_add_at_once_is_not_mixed_up(monkeypatch):
    """A monitor that certifies stops and a planner follow the same change of a cell."""
    corners = np.random.default_rng(4).normal(size=(8, 3))
    here, there = so.Polyhedron(corners), so.Polyhedron(corners + 9.0)
    packing, begun, made = Packing([]), threading.Event(), tables.Solids

    def slowly(**arrays):
        begun.set()
        time.sleep(0.1)
        return made(**arrays)

    monkeypatch.setattr(tables, "Solids", slowly)
    found = {}
    first = threading.Thread(target=lambda: found.update(here=packing.bodies([here])))
    first.start()
    begun.wait()
    found["there"] = packing.bodies([there, here])
    first.join()
    for name, shapes in (("here", [here]), ("there", [there, here])):
        refs, solids = found[name]
        for ref, shape in zip(refs, shapes):
            start, count = ref[layout.POINT0], ref[layout.POINTS]
            own = solids.points[start : start + count, :3]
            assert (own == pack([shape])[2].points[:, :3]).all()
