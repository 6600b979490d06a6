"""Names and units of streams, and the rules about them in cell files."""

import math

import numpy as np
import pytest

import standoff as so
from standoff.cell.stream import StreamRule
from standoff.errors import CellError
from standoff.streams.mapping import Mapping, fits
from standoff.streams.messages import BodyPose, Grasp


@pytest.fixture(scope="module")
def arms():
    def make():
        cell = so.Cell()
        cell.add_robot("builtin:panda", name="left")
        cell.add_robot("builtin:panda", name="right", base=so.pose((0, 1, 0)))
        cell.add_robot("builtin:irb2400", name="big", base=so.pose((3, 0, 0)))
        cell.add_body("cart", so.Sphere(0.1), so.pose((5, 5, 5)), moving=True)
        cell.add_body("box", so.Sphere(0.1), so.pose((6, 5, 5)))
        return cell

    return make


def mapped(cell, names, values, source="csv:run.csv"):
    """Joint values by name in the cell."""
    route = Mapping(cell, source).route(tuple(names))
    found = np.array(values, float)[route.picks]
    if route.scale is not None:
        found = found * route.scale
    if route.offset is not None:
        found = found + route.offset
    return {cell.joints[c]: v for c, v in zip(route.columns, found.tolist())}, route


def test_names_match_with_or_without_their_robot_in_any_order(arms):
    cell = arms()
    names = ("right/panda_joint2", "head", "joint_1", "left/panda_joint1")
    found, route = mapped(cell, names, [2, 9, 3, 1])
    assert found == {"right/panda_joint2": 2, "big/joint_1": 3, "left/panda_joint1": 1}
    assert route.scale is None and route.offset is None and not route.problem
    assert route.picks.dtype == route.columns.dtype == np.int64
    assert mapped(cell, ("head",), [1])[0] == {}


def test_nobody_guesses_which_robot_is_meant(arms):
    cell = arms()
    _, route = mapped(cell, ("panda_joint1",), [1])
    assert "left/panda_joint1 or right/panda_joint1" in route.problem and not len(route.picks)
    _, route = mapped(cell, ("joint_1", "big/joint_1"), [1, 2])
    assert "'joint_1' and 'big/joint_1' are both big/joint_1" in route.problem


def test_a_rule_for_a_source_says_which_robot_and_in_which_units(arms):
    cell = arms()
    cell.map_stream("csv:left*", "left", {"axis1": "panda_joint1", "grip": "left/panda_hand"},
                    ["*_mimic", "panda_joint3"], angles="deg", lengths="mm",
                    scale={"axis1": -2.0}, offset={"axis1": 0.5})  # fmt: skip
    cell.map_stream("csv:*", "right")
    names = ("axis1", "panda_joint2", "panda_joint3", "panda_finger_joint1", "right/panda_joint1")
    found, route = mapped(cell, names, [90, 180, 5, 40, 7], "csv:left.csv")
    assert found == pytest.approx(
        {"left/panda_joint1": 0.5 - math.pi, "left/panda_joint2": math.pi,
         "left/panda_finger_joint1": 0.04}
    )  # fmt: skip
    assert not route.problem
    assert mapped(cell, ("panda_joint2",), [1], "csv:other")[0] == {"right/panda_joint2": 1}
    assert "or" in mapped(cell, ("panda_joint2",), [1], "zenoh:a")[1].problem


def test_the_first_rule_that_fits_counts(arms):
    cell = arms()
    cell.map_stream("csv:*", "right")
    cell.map_stream(robot="left")
    assert mapped(cell, ("panda_joint1",), [1])[0] == {"right/panda_joint1": 1}
    assert mapped(cell, ("panda_joint1",), [1], "jsonl:-")[0] == {"left/panda_joint1": 1}


def test_bodies_and_links_are_renamed_too(arms):
    cell = arms()
    cell.map_stream(robot="left", rename={"agv": "cart", "tool": "panda_hand"}, lengths="mm")
    mapping = Mapping(cell, "jsonl:-")
    moved = mapping.body(BodyPose(1.0, "agv", so.pose((1000, 2000, 3000))))
    assert moved.body == "cart" and moved.pose[:3, 3].tolist() == [1, 2, 3]
    assert mapping.body(BodyPose(1.0, "box", np.eye(4))).body == "box"
    taken = mapping.grasp(Grasp(1.0, "box", "tool", ("agv",)))
    assert (taken.body, taken.link, taken.touch) == ("box", "left/panda_hand", ("cart",))
    assert mapping.grasp(Grasp(1.0, "box", "panda_link7")).link == "left/panda_link7"
    assert mapping.grasp(Grasp(1.0, "box", "big/tool0")).link == "big/tool0"
    assert mapping.grasp(Grasp(1.0, "agv", None)) == Grasp(1.0, "cart", None)
    plain = BodyPose(1.0, "cart", np.eye(4))
    assert Mapping(arms(), "jsonl:-").body(plain) is plain


def test_rules_are_kept_in_cell_files(arms, tmp_path):
    cell = arms()
    cell.map_stream("csv:left*", "left", {"axis 1": "panda_joint1", "agv": "cart"}, ["a*", "b?"],
                    angles="deg", scale={"axis 1": 1 / 3}, offset={"axis 1": 0.3})  # fmt: skip
    cell.map_stream(lengths="mm")
    cell.save(tmp_path / "cell.toml")
    again = so.Cell.load(tmp_path / "cell.toml")
    assert again.streams == cell.streams and len(again.streams) == 2
    assert again.streams[0].rename == {"axis 1": "left/panda_joint1", "agv": "cart"}
    again.save(tmp_path / "again.toml")
    assert (tmp_path / "again.toml").read_bytes() == (tmp_path / "cell.toml").read_bytes()


def test_rules_go_with_the_robots_and_bodies_they_speak_of(arms):
    cell = arms()
    cell.map_stream("a", "left")
    cell.map_stream("b", rename={"x": "left/panda_joint1", "y": "cart", "z": "big/joint_1"})
    before = cell.revision
    cell.remove_robot("left")
    cell.remove_body("cart")
    (rule,) = cell.streams
    assert rule.rename == {"z": "big/joint_1"} and cell.revision > before


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"source": 3}, "not a pattern"),
        ({"source": ""}, "not a pattern"),
        ({"source": "a\nb"}, "not a pattern"),
        ({"robot": "lefft"}, "unknown robot 'lefft'.*did you mean 'left'"),
        ({"angles": "grad"}, "angles: not a unit.*rad or deg"),
        ({"lengths": 1}, "m or mm"),
        ({"ignore": "a*"}, "not a list"),
        ({"ignore": [1]}, "not a pattern"),
        ({"rename": ["a"]}, "not a table by name"),
        ({"rename": {"a": "left/panda_joint9"}}, "rename.a: unknown"),
        ({"rename": {"a": "cart", "b": "cart"}}, "two names for one"),
        ({"scale": {"a": 0}}, "other than 0"),
        ({"scale": {"a": math.nan}}, "scale.a: not a number"),
        ({"scale": {"a": True}}, "not a number"),
        ({"offset": {"a": "1"}}, "offset.a: not a number"),
        ({"offset": {"a": 10**400}}, "not a number"),
        ({"offset": 1}, "not a table"),
    ],
)
def test_rules_that_make_no_sense_are_refused_whole(arms, given, said):
    cell = arms()
    before = cell.revision
    with pytest.raises(CellError, match=said):
        cell.map_stream(**given)
    assert cell.revision == before and cell.streams == ()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('source = "a"\nrobott = "x"', r"stream\[0\].*unknown key 'robott'.*'robot'"),
        ('robot = "x"', r"cell.toml: stream\[0\]: robot: unknown robot 'x'"),
        ("robot = 3", "text in quotes"),
        ('ignore = "a"', "a list of texts"),
        ("rename = 3", "a table of names"),
        ('angles = "turns"', "rad or deg"),
    ],
)
def test_rules_in_files_are_refused_with_their_place(tmp_path, table, said):
    path = tmp_path / "cell.toml"
    path.write_text(f"standoff = 1\n[[stream]]\n{table}\n")
    with pytest.raises(CellError, match=said):
        so.Cell.load(path)


def test_the_example_of_the_docs_is_a_rule(tmp_path):
    from tests.test_house import ROOT

    text = (ROOT / "docs" / "cell-files.md").read_text()
    example = text.split("```toml")[1].split("```")[0]
    robot = 'standoff = 1\n[[robot]]\nname = "left"\nurdf = "builtin:panda"\n'
    (tmp_path / "cell.toml").write_text(robot + example)
    cell = so.Cell.load(tmp_path / "cell.toml")
    found, _ = mapped(cell, ("axis_2", "head_pan", "axis_1"), [90, 1, 180])
    assert found == pytest.approx({"left/panda_joint2": 0.0, "left/panda_joint1": math.pi})


@pytest.mark.parametrize(
    "source", ["csv:run.csv", "csv:/a/run.csv", "bag:run.csv?topic=/a", "mcap:x"]
)
def test_a_rule_holds_however_the_source_was_written(arms, source):
    cell = arms()
    kind, _, where = source.partition(":")
    for pattern in (f"{kind}:*", where, where.partition("?")[0], f"*{where[-1]}"):
        rule = StreamRule(pattern)
        assert fits(rule, source), pattern
    assert not fits(StreamRule("zenoh:*"), source) and not fits(StreamRule("csv"), source)
    assert fits(StreamRule("bag:*"), "mcap:run.mcap")
    cell.map_stream(f"{kind}:*", "left", angles="deg")
    found, _ = mapped(cell, ("panda_joint1",), [180.0], source)
    assert found == {"left/panda_joint1": math.pi}


@pytest.mark.parametrize("table", ["scale", "offset"])
def test_what_a_rule_says_of_a_joint_is_never_left_out_in_silence(arms, table):
    """A misspelt name, and a name under which the joint does not come."""
    cell = arms()
    cell.map_stream("csv:*", "left", **{table: {"panda_jiont1": -1.0}})
    problem = mapped(cell, ("panda_joint1",), [1])[1].problem
    assert table in problem and "'panda_jiont1'" in problem and "no joint" in problem
    cell = arms()
    cell.map_stream("csv:*", "left", **{table: {"panda_joint1": -1.0}})
    assert not mapped(cell, ("panda_joint1",), [1])[1].problem
    problem = mapped(cell, ("left/panda_joint1",), [1])[1].problem
    assert "calls left/panda_joint1 'panda_joint1'" in problem
    assert not mapped(cell, ("panda_joint2",), [1])[1].problem


def test_a_renamed_joint_that_comes_under_its_own_name_is_told(arms):
    cell = arms()
    cell.map_stream("csv:*", "left", {"jiont2": "panda_joint1"})
    _found, route = mapped(cell, ("joint2", "panda_joint1"), [1, 2])
    assert "calls left/panda_joint1 'jiont2', and it came as 'panda_joint1'" in route.problem


def test_bodies_are_ignored_like_joints(arms):
    cell = arms()
    cell.map_stream(rename={"agv_1": "cart"}, ignore=["agv*", "box"])
    mapping = Mapping(cell, "jsonl:-")
    for name in ("agv_1", "box"):
        assert mapping.ignores(name) and not mapping.body_problem(name)
        assert mapping.body(BodyPose(1.0, name, np.eye(4))).body == ""
        assert mapping.grasp(Grasp(1.0, name, "left/panda_hand")) is None
    assert not mapping.ignores("cart") and mapping.idle == set()
    with pytest.raises(CellError):
        cell.add_body("", so.Sphere(0.1))


def test_a_renamed_body_that_comes_under_its_own_name_is_told(arms):
    cell = arms()
    cell.map_stream("csv:*", rename={"agv": "cart"})
    mapping = Mapping(cell, "csv:run.csv")
    assert mapping.body_problem("cart") == "the cell file calls cart 'agv', and it came as 'cart'"
    assert not mapping.body_problem("agv") and not mapping.body_problem("box")
    assert not Mapping(cell, "jsonl:-").body_problem("cart")


def test_names_that_no_message_had_are_known(arms):
    cell = arms()
    cell.map_stream("csv:*", "left", {"agv": "cart", "a1": "panda_joint1", "b1": "panda_joint2"},
                    ["head*", "tail*"], scale={"a1": 2.0})  # fmt: skip
    mapping = Mapping(cell, "csv:run.csv")
    assert mapping.idle == {"agv", "a1", "b1", "head*", "tail*"}
    mapping.route(("a1", "head_pan"))
    mapping.body(BodyPose(1.0, "agv", np.eye(4)))
    assert mapping.idle == {"b1", "tail*"}
    mapping.grasp(Grasp(1.0, "b1", None))
    assert mapping.idle == {"tail*"}


def test_a_mimic_joint_under_a_name_of_its_own_was_unknown(arms):
    cell = arms()
    cell.map_stream("csv:left*", "left", {"second": "left/panda_finger_joint2"})
    mapping = Mapping(cell, "csv:left.csv")
    assert mapping.knows("second") and mapping.knows("panda_finger_joint2")
    assert not mapping.knows("third")
    assert not len(mapping.route(("second", "panda_finger_joint2")).picks)
    cell.map_stream("csv:right*", "right", scale={"panda_finger_joint2": 2.0})
    problem = Mapping(cell, "csv:right.csv").route(("panda_finger_joint2",)).problem
    assert "is no joint of the cell with a value of its own" in problem
