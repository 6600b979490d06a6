"""`standoff init`: a first cell file for robots that somebody has."""

import shutil
import tomllib

import pytest

import standoff as so
from standoff.view.starter import srdf_beside
from tests.worlds.command_line import run
from tests.worlds.robot_files import EXAMPLES, collision, example, robot_text


def made(tmp_path, *robots, status=0, **env):
    result = run("init", *robots, "-o", tmp_path / "cell.toml", **env)
    assert result.returncode == status, result.stderr
    return result


def test_two_real_robots_stand_apart_each_with_its_srdf(tmp_path):
    said = made(tmp_path, example(EXAMPLES["ur5"]), example(EXAMPLES["panda"])).stdout
    assert "2 robots, 14 joints" in said and "ur5.srdf" in said and "panda.srdf" in said
    cell = so.Cell.load(tmp_path / "cell.toml")
    assert list(cell.robots) == ["ur5", "panda"] and cell.robots["panda"].srdf is not None
    cycle = so.Monitor(cell, buffer=0.03).update(cell.q)
    assert all(w.a.partition("/")[0] == w.b.partition("/")[0] for w in cycle.warnings)
    assert f"{len(cycle.warnings)} pairs within the buffer" in said


def test_nothing_is_allowed_before_somebody_removes_the_sign(tmp_path):
    """A line that counts by itself would hide a pair that nobody looked at."""
    made(tmp_path, example(EXAMPLES["panda"]))
    file = tmp_path / "cell.toml"
    assert not so.Cell.load(file).user_pairs
    text = file.read_text()
    begin = text.index("# [[allow]]")
    end = text.index("# Where joint states")
    lines = [line.removeprefix("# ").removeprefix("#") for line in text[begin:end].splitlines()]
    file.write_text(text[:begin] + "\n".join(lines) + "\n" + text[end:])
    cell = so.Cell.load(file)
    assert cell.user_pairs and all("at the start" in why for why in cell.user_pairs.values())
    assert so.Monitor(cell, buffer=0.03).update(cell.q).safe


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "cell.toml").write_text("mine")
    said = made(tmp_path, "builtin:panda", status=2).stderr
    assert "--force" in said and (tmp_path / "cell.toml").read_text() == "mine"
    assert run("init", "builtin:panda", "--force", "-o", tmp_path / "cell.toml").returncode == 0
    assert list(so.Cell.load(tmp_path / "cell.toml").robots) == ["panda"]


def test_robots_of_one_name_are_numbered_and_stand_beside_each_other(tmp_path):
    made(tmp_path, "builtin:arm7", "builtin:arm7", "builtin:arm7")
    cell = so.Cell.load(tmp_path / "cell.toml")
    assert list(cell.robots) == ["arm7", "arm7_2", "arm7_3"]
    y = [mounted.base[1, 3] for mounted in cell.robots.values()]
    assert y == sorted(y) and len(set(y)) == 3


@pytest.mark.parametrize("robot", ["missing.urdf", "README.md", "builtin:nobody"])
def test_what_is_no_robot_leaves_no_file(tmp_path, robot):
    said = made(tmp_path, robot, status=2).stderr
    assert robot.removeprefix("builtin:") in said and not (tmp_path / "cell.toml").exists()


def test_names_of_files_may_hold_quotes_and_signs(tmp_path):
    folder = tmp_path / 'a "b" # c'
    folder.mkdir()
    joint = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
    solid = collision('<sphere radius="0.1"/>')
    text = robot_text(joint, solid).replace('<link name="a"/>', f'<link name="a">{solid}</link>')
    third = f"<link name='c'>{solid}</link><joint name='k' type='revolute'><parent link='b'/>"
    third += f"<child link='c'/><origin xyz='0 0 1'/>{joint}</joint>"
    (folder / "r.urdf").write_text(text.replace("</robot>", third + "</robot>"))
    made(tmp_path, folder / "r.urdf")
    assert list(so.Cell.load(tmp_path / "cell.toml").robots) == ["r"]
    assert tomllib.loads((tmp_path / "cell.toml").read_text())["standoff"] == 1


def test_an_srdf_is_taken_only_where_it_is_clear_whose_it_is(tmp_path):
    urdf = shutil.copy(example(EXAMPLES["ur5"]), tmp_path / "arm.urdf")
    assert srdf_beside(str(urdf)) == (
        None, "no SRDF beside it; links of it that are meant to touch have to be allowed",
    )  # fmt: skip
    (tmp_path / "one.srdf").write_text('<robot name="ur5"/>')
    (tmp_path / "other.srdf").write_text('<robot name="somebody"/>')
    assert srdf_beside(str(urdf))[0] == tmp_path / "one.srdf"
    (tmp_path / "two.srdf").write_text('<robot name="ur5"/>')
    found, said = srdf_beside(str(urdf))
    assert found is None and "one.srdf, two.srdf" in said
    (tmp_path / "arm.srdf").write_text('<robot name="ur5"/>')
    assert srdf_beside(str(urdf))[0] == tmp_path / "arm.srdf"
