"""A cell that changes under the monitor: what is known is kept, and trouble is a fault."""

import gc
import pickle
import threading

import numpy as np
import pytest

import standoff as so
from standoff.monitor import scene
from tests.worlds.watch_worlds import sliders


def carts(count):
    cell = so.Cell()
    for k in range(count):
        cell.add_body(f"cart{k}", so.Sphere(0.1), so.pose((k, 0, 0)), moving=True)
    return cell


def poses(cell, shift=0.0):
    return np.array([so.pose((k + shift, 0, 0)) for k in range(len(cell.moving))])


@pytest.mark.parametrize("more", [1, 40])
def test_what_stays_keeps_its_speed_however_many_come(more):
    cell = carts(2)
    monitor = so.Monitor(cell, buffer=0.5, max_speed=2.0)
    monitor.update([], poses(cell))
    monitor.update([], poses(cell, 0.01))
    for k in range(2, 2 + more):
        cell.add_body(f"cart{k}", so.Sphere(0.1), so.pose((k, 0, 0)), moving=True)
    there = poses(cell)
    there[0, 0, 3] = 0.02
    there[1, 0, 3] = 1.01
    cycle = monitor.update([], there)
    speed = {(w.a, w.b): w.closing_speed for w in cycle.warnings}
    assert speed["cart0", "cart1"] == pytest.approx(1.0)
    assert np.isnan(speed["cart1", "cart2"]) and not cycle.faults


def test_a_jump_is_noticed_also_where_the_tables_grew_in_between():
    cell = carts(2)
    monitor = so.Monitor(cell, max_speed=1.0)
    monitor.update([], poses(cell))
    for k in range(2, 60):
        cell.add_body(f"cart{k}", so.Sphere(0.1), so.pose((k, 0, 0)), moving=True)
    there = poses(cell)
    there[1, 1, 3] = 5.0
    assert [f.element for f in monitor.update([], there).faults if f.kind == "jump"] == ["cart1"]


def test_a_cell_that_cannot_be_watched_is_a_fault_until_it_can(monkeypatch):
    cell = carts(2)
    monitor = so.Monitor(cell, buffer=0.5)
    assert monitor.update([], poses(cell)).pairs

    def refuse(*_):
        raise so.errors.CellError("no room", value="wall")

    cell.add_body("wall", so.Box((1, 1, 1)), so.pose((0, 0, 3)))
    with monkeypatch.context() as patch:
        patch.setattr(scene.Rules, "exceptions", refuse)
        for _ in range(2):
            cycle = monitor.update([], poses(cell))
            assert [f.kind for f in cycle.faults] == ["cell"] and not cycle.safe
            assert "no room" in str(cycle.faults[0]) and cycle.pairs
    cycle = monitor.update([], poses(cell))
    assert not cycle.faults and cycle.pairs


def test_attaching_in_a_watched_cell_goes_by_no_old_joints():
    """A load was believed to be 0.77 m from where it was: at the joints that the cell had."""
    for moving in (False, True):
        cell = sliders("a")
        box = so.pose((1.0, 0.0, 0.3))
        cell.add_body("box", so.Box((0.1, 0.1, 0.1)), so.pose((0.0, 0.0, 0.3)) if moving else box,
                      moving=moving)  # fmt: skip
        poses = box[None].copy() if moving else None
        monitor, engine = so.Monitor(cell), so.streams.WatchEngine(cell, sources=["arm"])
        cell.attach("box", "a/hand")  # nobody has had a reading yet
        cell.detach("box")
        monitor.update(np.array([1.0]), poses, 1.0)
        with pytest.raises(so.errors.CellError, match="last reading"):
            cell.attach("box", "a/hand")
        assert cell.bodies["box"].attachment is None
        monitor.attach("box", "a/hand")
        assert cell.pose("box", [1.5])[0, 3] == pytest.approx(1.5)
        monitor.update(np.array([1.2]), None, 2.0)
        with pytest.raises(so.errors.CellError, match="last reading"):
            cell.detach("box")
        cell.detach("box", q=[1.2])
        assert cell.pose("box")[0, 3] == pytest.approx(1.2)
        again = pickle.loads(pickle.dumps(cell))
        again.attach("box", "a/hand")
        del monitor
        gc.collect()
        cell.set_state([0.5])
        cell.attach("box", "a/hand")  # nobody watches with a reading
        assert engine.number == 0


def test_attaching_in_a_watched_cell_goes_by_no_old_pose():
    """With q= a moving body was taken from where the cell had it, and not from where it was."""
    cell, box = sliders("a"), so.Box((0.1, 0.1, 0.1))
    cell.add_body("box", box, so.pose((0.2, 0.0, 0.3)), moving=True)
    monitor = so.Monitor(cell)
    monitor.update(np.array([1.0]), so.pose((0.9, 0.0, 0.3))[None])
    with pytest.raises(so.errors.CellError, match="last reading"):
        cell.attach("box", "a/hand", q=[1.0])
    assert cell.bodies["box"].attachment is None
    cell.set_state([1.0], {"box": so.pose((0.9, 0.0, 0.3))})
    cell.attach("box", "a/hand", q=[1.0])
    assert cell.pose("box", [1.5])[0, 3] == pytest.approx(1.4)


def test_a_monitor_takes_a_body_from_where_it_was_read_whatever_the_cell_was_told_before():
    """A pose from Cell.set_state, older than the last reading, was taken for the newer one."""
    cell, box = sliders("a"), so.Box((0.1, 0.1, 0.1))
    cell.add_body("box", box, so.pose((0.0, 0.0, 0.3)), moving=True)
    monitor, late = so.Monitor(cell), so.Monitor(cell)
    cell.set_state([0.7], {"box": so.pose((0.5, 0.0, 0.3))})
    late.attach("box", "a/hand")  # it has had no reading: what the cell was told counts
    assert cell.pose("box", [0.7])[0, 3] == pytest.approx(0.5)
    cell.detach("box", q=[0.7])
    for at in (0.6, 0.9):
        monitor.update(np.array([1.0]), so.pose((at, 0.0, 0.3))[None])
        if at == 0.6:
            cell.set_state([1.0], {"box": so.pose((at, 0.0, 0.3))})
    cell.add_body("post", box, so.pose((0.0, 5.0, 0.0)))
    monitor.attach("box", "a/hand")
    assert cell.pose("box", [1.5])[0, 3] == pytest.approx(1.4)
    monitor.update(np.array([1.0]))
    cell.remove_body("box")
    cell.add_body("box", box, so.pose((0.4, 0.0, 0.3)), moving=True)
    monitor.attach("box", "a/hand")  # another one of this name
    assert cell.pose("box", [1.0])[0, 3] == pytest.approx(0.4)


def test_a_change_is_followed_while_another_thread_asks_for_the_last_state(monkeypatch):
    """`Cell.detach` on another thread raised a ValueError: names, poses and their number were read
    one after the other."""
    cell = carts(3)
    monitor = so.Monitor(cell)
    monitor.update([], poses(cell))
    tile, asked = np.tile, []

    def interrupted(*given):
        if not asked:
            asked.append(True)
            cell.remove_body("cart0")
            change = threading.Thread(target=monitor.update, args=([], poses(cell, 0.3)))
            change.start()
            change.join()
        return tile(*given)

    monkeypatch.setattr(np, "tile", interrupted)
    joints, places = monitor.last_state()
    assert asked and not joints and list(places) == ["cart0", "cart1", "cart2"]
    assert places["cart2"][0, 3] == 2.0 and list(monitor.last_state()[1]) == ["cart1", "cart2"]
