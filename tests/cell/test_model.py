"""A model that was changed step by step equals one that was laid out at once."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import standoff as so
from standoff.cell.model import Model

pytestmark = pytest.mark.interpreted

SHAPES = (so.Box((0.1, 0.1, 0.1)), so.Sphere(0.1), so.Capsule(0.05, 0.2))
LINKS = ("arm/panda_link3", "arm/panda_hand")
STEPS = ("add", "add moving", "remove", "move", "attach", "detach", "swap", "allow", "look")


def alike(model, fresh):
    """To the bit, but for the objects that primitives are."""
    assert model.names == fresh.names and model.frame == fresh.frame
    assert model.moving == fresh.moving and model.frames == fresh.frames
    assert dict(+model.counts) == dict(+fresh.counts)
    for one, other in zip(model.primitives, fresh.primitives, strict=True):
        assert (one.body, one.part, one.frame) == (other.body, other.part, other.frame)
        assert one.shape is other.shape
        assert (one.row == other.row).all() and (one.box == other.box).all()


def start():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    for k in range(3):
        cell.add_body(f"b{k}", SHAPES[k], so.pose((1.0, k, 0.0)), moving=k == 1)
    return cell


def do(cell, step, k, counter):
    """One change, if it can be made."""
    bodies = list(cell.bodies.values())
    body = bodies[k % len(bodies)] if bodies else None
    if step.startswith("add"):
        counter[0] += 1
        name = f"n{counter[0] % 5}"
        if name not in cell.bodies:
            cell.add_body(name, SHAPES[k % 3], so.pose((k, 1.0, 2.0)), moving=step != "add")
    elif step == "swap":
        cell.swap_geometry(LINKS[k % 2], ("auto", "capsules")[k // 2 % 2])
    elif body is None or step == "look":
        _ = cell.model
    elif step == "remove":
        cell.remove_body(body.name)
    elif step == "move" and not body.moving and body.attachment is None:
        cell.move_body(body.name, so.pose((0.5 * k, 0.0, 1.0)))
    elif step == "attach" and body.attachment is None:
        cell.attach(body.name, LINKS[k % 2], pose=so.pose((0.0, 0.0, 0.1 * k)))
    elif step == "detach" and body.attachment is not None:
        cell.detach(body.name)
    elif step == "allow":
        cell.allow(body.name, LINKS[k % 2])


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 7)), max_size=20))
def test_changes_one_by_one_or_at_once_give_the_same_model(steps):
    cell = start()
    seen, counter = [cell.model], [0]
    for step, k in steps:
        do(cell, step, k, counter)
        if k % 2:
            seen.append(cell.model)
            alike(cell.model, Model.build(cell.tree, cell.robots, cell.bodies))
    last = cell.model
    alike(last, Model.build(cell.tree, cell.robots, cell.bodies))
    for before in seen:
        change = last.since(before)
        if change is not None:
            kept = {*before.primitives} - {*change.gone}
            assert {*change.gone} <= {*before.primitives}
            assert not {*change.fresh} & {*before.primitives}
            assert kept | {*change.fresh} == {*last.primitives}


def test_a_moving_body_that_is_put_down_moves_the_frames_of_those_behind_it():
    """Found by the law above: they kept the frames they had had while it was held."""
    cell = start()
    cell.add_body("cart", SHAPES[0], moving=True)
    cell.attach("b1", "arm/panda_hand")
    _ = cell.model
    cell.detach("b1")
    alike(cell.model, Model.build(cell.tree, cell.robots, cell.bodies))


def test_what_did_not_change_is_the_very_same_object():
    cell = start()
    before = cell.model
    cell.attach("b0", "arm/panda_hand")
    after = cell.model
    assert after is not before and cell.model is after
    assert [p for p in after.primitives if p.body != "b0"] == [
        p for p in before.primitives if p.body != "b0"
    ]
    change = after.since(before)
    assert [p.body for p in change.gone] == [p.body for p in change.fresh] == ["b0"]
    assert before.since(after) is None


def test_a_rule_changes_no_geometry():
    cell = start()
    before = cell.model
    cell.allow("b0", "arm")
    assert cell.model is before and cell.pairs.reason("b0", "arm/panda_hand") == "given by the user"


def test_other_joints_are_another_lineage():
    cell = start()
    before = cell.model
    cell.add_robot("builtin:panda", name="second", base=so.pose((2.0, 0.0, 0.0)))
    assert cell.model.since(before) is None


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda c: pickle.loads(pickle.dumps(c))]
)
def test_a_copy_goes_on_by_itself(copied):
    cell = start()
    _ = cell.model
    other = copied(cell)
    if copied is copy.copy:
        other._bodies = dict(other._bodies)
    other.move_body("b0", so.pose((9.0, 0.0, 0.0)))
    assert (cell.model.entries["b0"].primitives[0].pose[0, 3]) == 1.0
    assert (other.model.entries["b0"].primitives[0].pose[0, 3]) == 9.0


def test_a_body_that_moves_or_is_held_is_not_moved_by_hand():
    cell = start()
    cell.attach("b0", "arm/panda_hand")
    for name, why in (("b0", "held by 'arm/panda_hand'"), ("b1", "is moving")):
        with pytest.raises(so.errors.CellError, match=why):
            cell.move_body(name, np.eye(4))
    with pytest.raises(so.errors.UnknownNameError):
        cell.move_body("b9", np.eye(4))
    with pytest.raises(so.errors.PoseError):
        cell.move_body("b2", np.zeros((4, 4)))


def test_a_model_asked_for_while_others_change_the_cell_is_whole():
    cell = start()
    stop, failed = threading.Event(), []

    def look():
        try:
            while not stop.is_set():
                model = cell.model
                assert len(model.names) == len(model.frame) == sum(model.counts.values())
        except BaseException as error:
            failed.append(error)

    lookers = [threading.Thread(target=look) for _ in range(2)]
    for thread in lookers:
        thread.start()
    counter = [0]
    rng = np.random.default_rng(0)
    for _ in range(300):
        do(cell, STEPS[rng.integers(len(STEPS))], int(rng.integers(8)), counter)
    stop.set()
    for thread in lookers:
        thread.join()
    assert not failed
    alike(cell.model, Model.build(cell.tree, cell.robots, cell.bodies))
