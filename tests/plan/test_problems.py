"""Planning problems from files: what stands where, for which joints, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import standoff as so
from tests.oracles.pinocchio import urdf_path
from tests.worlds.problem_files import ABOUT_Z, ARM, LEFT, READY, changed, content, write


def obstacle(number, key, to):
    return changed("problems", 0, "obstacles", number, key, to=to)


def test_a_problem_is_read_whole(tmp_path):
    (problem,) = so.plan.read_problems(write(tmp_path, content()))
    assert problem.name == "panda_small 7" and problem.joints == ARM
    table, can, _ = problem.obstacles
    assert table.name == "table" and np.array_equal(table.shape.size, [0.6, 1.6, 0.04])
    assert (can.shape.length, can.shape.radius) == (0.6, 0.03)
    assert np.allclose(table.pose, so.pose((0.65, 0.0, 0.0)))
    assert [problem.start[joint] for joint in ARM] == list(READY)
    assert problem.start["panda_finger_joint1"] == 0.065
    assert [problem.goals[0][joint] for joint in ARM] == list(LEFT)


def test_a_parent_turns_and_moves_its_obstacle(tmp_path):
    pole = so.plan.read_problem(write(tmp_path, content()), 7).obstacles[2]
    # Turned about x, the pole lies along y; its parent turns that to x, at (0.4, 0.5), 0.5 high.
    ends = [pole.pose @ np.array([0.0, 0.0, z, 1.0]) for z in (-0.4, 0.4)]
    assert np.allclose(sorted(end[0] for end in ends), [0.0, 0.8])
    assert np.allclose([end[1:3] for end in ends], [0.5, 0.5])


def test_a_folder_is_read_in_the_order_of_its_names(tmp_path):
    write(tmp_path, changed("set", to="b"), "b.json")
    write(tmp_path, changed("set", to="a"), "a.json")
    (tmp_path / "notes.txt").write_text("not a problem")
    assert [p.name for p in so.plan.read_problems(tmp_path)] == ["panda_a 7", "panda_b 7"]


def test_a_cell_is_made_of_it(tmp_path):
    placed = so.plan.read_problem(write(tmp_path, content()), 7).build("builtin:panda")
    cell = placed.cell
    assert placed.joints == tuple(f"panda/{joint}" for joint in ARM)
    assert placed.joints == cell.joints[:7] and list(cell.bodies) == ["table", "can", "pole"]
    assert placed.start.tolist() == [*READY, 0.065] == cell.q.tolist()
    assert placed.goals.tolist() == [[*LEFT, 0.065]]
    verdict = so.PathChecker(cell).segment(placed.start, placed.goals[0])
    assert verdict.kind == "collision" and "can" in verdict.pair


@pytest.mark.parametrize("geometry", ["auto", "capsules"])
def test_a_robot_of_meshes_keeps_the_pairs_of_its_srdf(tmp_path, geometry):
    urdf = urdf_path("panda")
    srdf = urdf.parent.parent / "srdf" / "panda.srdf"
    placed = so.plan.read_problem(write(tmp_path, content()), 7).build(urdf, srdf, geometry)
    assert placed.cell.reason("panda/panda_hand", "panda/panda_link5") is not None
    ends = np.stack([placed.start, placed.goals[0]])
    assert so.PathChecker(placed.cell).segments(ends, ends).all()


def test_obstacles_stand_to_the_base_of_the_robot(tmp_path):
    base = so.pose((1.0, 2.0, 0.5), rpy=(0.0, 0.0, 0.7))
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left", base=base)
    cell.add_robot("builtin:irb2400", name="right", base=so.pose((5.0, 0.0, 0.0)))
    cell.set_state({**dict(zip(cell.joints, cell.q)), "right/joint_2": 0.4})
    problem = so.plan.read_problem(write(tmp_path, content()), 7)
    placed = problem.place(cell, "left")
    assert np.allclose(cell.bodies["can"].pose, base @ problem.obstacles[1].pose)
    other = cell.joints.index("right/joint_2")
    assert placed.start[other] == 0.4 and placed.goals[0, other] == 0.4
    with pytest.raises(so.errors.PlanError, match="which robot") as refused:
        problem.place(cell)
    assert "small.json" in str(refused.value)


def test_a_name_that_is_taken_leaves_the_cell_as_it_was(tmp_path):
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    cell.add_body("pole", so.Sphere(0.1), so.pose((2.0, 0.0, 0.0)))
    before = cell.q.tolist()
    with pytest.raises(so.errors.DuplicateNameError, match="'pole'"):
        so.plan.read_problem(write(tmp_path, content()), 7).place(cell)
    assert list(cell.bodies) == ["pole"] and cell.q.tolist() == before


@pytest.mark.parametrize(
    ("key", "to", "words"),
    [
        ("panda_finger_joint2", 0.01, "does not follow 'panda/panda_finger_joint1'"),
        ("panda_finger_joint1", ..., "no start of joints"),
    ],
)
def test_a_start_that_does_not_fit_the_robot(tmp_path, key, to, words):
    value = changed("problems", 0, "start", key, to=to)
    if to is ...:
        del value["problems"][0]["start"]["panda_finger_joint2"]
    problem = so.plan.read_problem(write(tmp_path, value), 7)
    with pytest.raises(so.errors.PlanError, match=words) as refused:
        problem.build("builtin:panda")
    assert "small.json" in str(refused.value) and "problem 7 / start" in str(refused.value)


def test_joints_of_others_are_ignored_and_named(tmp_path):
    """Problems of a robot on wheels were refused for an arm alone."""
    value = changed("problems", 0, "start", "wheel_joint", to=0.3)
    parent = {"position": [0.4, 0.5, 0.0], "orientation": list(ABOUT_Z)}
    value["problems"][0]["obstacles"][2]["parent_pose"] = parent
    placed = so.plan.read_problem(write(tmp_path, value), 7).build("builtin:panda")
    plain = so.plan.read_problem(write(tmp_path, content(), "plain.json"), 7).build("builtin:panda")
    assert placed.ignored == ("wheel_joint",) and plain.ignored == ()
    assert placed.start.tolist() == plain.start.tolist() and placed.joints == plain.joints
    assert np.array_equal(placed.cell.bodies["pole"].pose, plain.cell.bodies["pole"].pose)


def test_a_misspelt_joint_is_not_taken_for_one_of_others(tmp_path):
    value = content()
    for values in (value["problems"][0]["start"], value["problems"][0]["goals"][0]):
        values["panda_jiont1"] = values.pop("panda_joint1")
    problem = so.plan.read_problem(write(tmp_path, value), 7)
    with pytest.raises(so.errors.PlanError, match="has no joint 'panda_jiont1'"):
        problem.build("builtin:panda")
    value["problems"][0]["goals"][0].pop("panda_jiont1")
    problem = so.plan.read_problem(write(tmp_path, value), 7)
    with pytest.raises(so.errors.PlanError, match=r"\['panda_joint1'\].*has no 'panda_jiont1'"):
        problem.build("builtin:panda")


def test_a_goal_for_a_joint_that_only_follows(tmp_path):
    """It may be there where its master puts it."""
    value = changed("problems", 0, "goals", 0, "panda_finger_joint2", to=0.065)
    placed = so.plan.read_problem(write(tmp_path, value), 7).build("builtin:panda")
    assert "panda/panda_finger_joint2" not in placed.joints
    value = changed("problems", 0, "goals", 0, "panda_finger_joint2", to=0.01)
    with pytest.raises(so.errors.PlanError, match=r"goals\[0\].*does not follow"):
        so.plan.read_problem(write(tmp_path, value), 7).build("builtin:panda")


BAD = {
    "not JSON": ("{", "not JSON"),
    "a list": ([], "not an object"),
    "another order": (changed("quaternion", to="wxyz"), "quaternion: another order"),
    "no problems": (changed("problems", to=...), "missing key 'problems'"),
    "a robot of two": (changed("robot", to="a/b"), "robot: not a name"),
    "an unknown key": (
        changed("problems", 0, "obstacle", to=[]),
        r"problems\[0\]: unknown key 'obstacle'.*did you mean 'obstacles'",
    ),
    "held bodies": (changed("problems", 0, "attached", to=1), "attached: bodies that the robot"),
    "an index of text": (changed("problems", 0, "index", to="7"), "index: not a whole number"),
    "no goal": (changed("problems", 0, "goals", to=[]), "goals: no goal"),
    "a goal from nowhere": (
        changed("problems", 0, "goals", 0, "panda_joint8", to=0.0),
        r"goals\[0\]: joints without a start",
    ),
    "a start that is no number": (
        changed("problems", 0, "start", "panda_joint1", to=float("nan")),
        r"start\.panda_joint1.*a finite number",
    ),
    "a mesh": (obstacle(0, "type", "mesh"), r"obstacles\[0\]\.type.*allowed: box, cylinder"),
    "a side too many": (obstacle(0, "dim", [1, 2, 3, 4]), r"dim: wrong type.*full sides"),
    "a radius below 0": (obstacle(1, "dim", [0.1, -0.1]), r"obstacles\[1\]\.dim.*-0\.1"),
    "a number without end": (obstacle(0, "pos", [0, 0, 10**400]), r"pos\[2\].*a finite number"),
    "a quaternion of length 2": (obstacle(0, "quat", [0, 0, 0, 2]), r"quat: quaternion has length"),
    "half a parent": (
        obstacle(2, "parent_pose", {"pos": [0, 0, 0]}),
        r"parent_pose: missing key 'quat'",
    ),
    "two of one name": (obstacle(1, "id", "table"), r"obstacles\[1\]\.id: the name is taken"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_files_are_refused_by_name_and_place(tmp_path, what):
    value, words = BAD[what]
    path = write(tmp_path, value)
    with pytest.raises(so.errors.PlanError, match=words) as refused:
        so.plan.read_problems(path)
    assert refused.value.file == str(path)


def test_goals_for_other_joints_than_the_first(tmp_path):
    value = content()
    value["problems"][0]["goals"].append({"panda_joint1": 0.5})
    with pytest.raises(so.errors.PlanError, match=r"goals\[1\]: not the joints of the first"):
        so.plan.read_problems(write(tmp_path, value))


def test_two_problems_of_one_number(tmp_path):
    value = content()
    value["problems"].append(value["problems"][0])
    with pytest.raises(so.errors.PlanError, match=r"problems\[1\]\.index: the number is taken"):
        so.plan.read_problems(write(tmp_path, value))


def test_what_is_not_there(tmp_path):
    with pytest.raises(so.errors.PlanError, match=r"none\.json"):
        so.plan.read_problems(tmp_path / "none.json")
    with pytest.raises(so.errors.PlanError, match="no problem files"):
        so.plan.read_problems(tmp_path)
    with pytest.raises(so.errors.PlanError, match=r"no such problem; got 3; allowed: 7"):
        so.plan.read_problem(write(tmp_path, content()), 3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda p: {"start": {**p.start, "panda_joint1": np.nan}}, "panda_joint1"),
        (lambda p: {"goals": ()}, "no goal"),
        (lambda p: {"goals": ({**p.goals[0], "panda_joint1": np.inf},)}, "panda_joint1"),
        (lambda p: {"goals": (p.goals[0], {"panda_joint1": 0.0})}, "first goal"),
        (lambda p: {"goals": ("home",)}, "not a configuration"),
        (lambda p: {"obstacles": None}, "not obstacles"),
        (lambda p: {"obstacles": (("can", so.Sphere(0.1), np.eye(4)),)}, "not an obstacle"),
        (lambda p: {"obstacles": (so.plan.Obstacle("can", so.Sphere(0.1), np.eye(3)),)}, "4 x 4"),
    ],
)
def test_problems_made_by_hand_are_checked_before_anything_is_placed(tmp_path, change, words):
    good = so.plan.read_problem(write(tmp_path, content()), 7)
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    before = cell.q.tolist()
    with pytest.raises(so.Error, match=words):
        replace(good, **change(good)).place(cell)
    assert not cell.bodies and cell.q.tolist() == before
    good.place(cell)
