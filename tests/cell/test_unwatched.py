"""Robots and cells of which nothing can be watched: never SAFE, free or certified by silence."""

import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import standoff as so
from standoff.cli import app
from standoff.errors import CellError, InterferenceError, RobotError
from standoff.papers.paper001_checkers import SampledChecker

DRAWN = '<visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>'
SOLID = DRAWN.replace("visual", "collision")


def robot(tmp_path, *links):
    """A chain of links one metre apart along x, each turning about z."""
    text = '<robot name="r">'
    for k, inside in enumerate(links):
        text += f'<link name="l{k}">{inside}</link>'
        if k:
            text += (
                f'<joint name="j{k}" type="revolute"><parent link="l{k - 1}"/><child link="l{k}"/>'
                '<origin xyz="1 0 0"/><axis xyz="0 0 1"/>'
                '<limit lower="-3" upper="3" velocity="1" effort="1"/></joint>'
            )
    file = tmp_path / "robot.urdf"
    file.write_text(text + "</robot>")
    return file


def test_a_robot_with_visuals_alone_was_safe_and_certified(tmp_path):
    file = robot(tmp_path, DRAWN, DRAWN, DRAWN)
    cell = so.Cell()
    with pytest.raises(RobotError, match="without collision geometry"):
        cell.add_robot(file)
    assert not cell.robots


@pytest.mark.parametrize("command", ["info", "check", "plan", "watch", "apart", "view"])
def test_each_command_refuses_it(tmp_path, command):
    file = robot(tmp_path, DRAWN, DRAWN, DRAWN)
    path = tmp_path / "path.csv"
    path.write_text("j1,j2\n0,0\n1,1\n")
    more = {"check": [str(path)], "plan": ["--goal", str(path)], "watch": ["--from", str(path)]}
    result = CliRunner().invoke(app, [command, str(file), *more.get(command, [])])
    assert result.exit_code != 0
    assert isinstance(result.exception, RobotError)


def test_visual_shapes_are_watched_where_they_are_asked_for(tmp_path):
    cell = so.Cell()
    cell.add_robot(robot(tmp_path, DRAWN, DRAWN, SOLID), geometry="visual")
    assert cell.model.names == ("r/l0", "r/l1", "r/l2")
    assert not so.Monitor(cell, buffer=0.0).update([3.0, 0.0]).safe
    cell.save(tmp_path / "cell.toml")
    assert so.Cell.load(tmp_path / "cell.toml").model.names == cell.model.names


def test_links_with_a_visual_alone_are_named_once_and_frames_are_not(tmp_path):
    cell = so.Cell()
    with pytest.warns(UserWarning, match="not watched: l1;"):
        cell.add_robot(robot(tmp_path, SOLID, DRAWN, SOLID, ""))
    assert cell.unwatched == ("r/l1",)
    cell.save(tmp_path / "cell.toml")
    assert "not watched: r/l1\n" in (tmp_path / "cell.toml").read_text()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        so.Cell().add_robot(robot(tmp_path, SOLID, SOLID, SOLID, ""))


def engines(cell):
    yield lambda: so.Monitor(cell, buffer=0.0)
    yield lambda: so.PathChecker(cell)
    yield lambda: so.Planner(cell)
    yield lambda: cell.prove_apart()
    yield lambda: so.Predictor.from_cell(cell, max_joint_acceleration=1.0, margin=0.0, period=0.01)


@pytest.mark.parametrize("which", range(5))
def test_no_pair_to_watch_is_an_error_everywhere(tmp_path, which):
    cell = so.Cell()
    cell.add_robot(robot(tmp_path, SOLID, SOLID))
    assert cell.pairs.count() == 0
    with pytest.raises(CellError, match="no pair to watch"):
        list(engines(cell))[which]()


def test_whoever_insists_gets_a_cell_with_nothing_to_watch(tmp_path):
    cell = so.Cell(unwatched="allow")
    cell.add_robot(robot(tmp_path, "", ""))
    assert so.Monitor(cell, buffer=0.0).update(np.zeros(1)).safe
    assert so.PathChecker(cell).segment([0.0], [1.0]).free
    cell.save(tmp_path / "cell.toml")
    assert so.Cell.load(tmp_path / "cell.toml").allows_unwatched


@pytest.fixture
def partly(tmp_path):
    """The file of a robot whose link l1 has a visual alone, and a path of it in time."""
    path = tmp_path / "path.csv"
    path.write_text("time,j1,j2,j3\n" + "".join(f"{0.1 * k},0,{0.01 * k},0\n" for k in range(6)))
    return robot(tmp_path, SOLID, DRAWN, SOLID, SOLID), path


def invoked(*arguments):
    with pytest.warns(UserWarning, match="not watched: l1;"):
        return CliRunner().invoke(app, [str(x) for x in arguments])


def test_the_page_and_the_record_of_a_watch_did_not_name_links_without_geometry(tmp_path, partly):
    file, path = partly
    page, record, again = (tmp_path / name for name in ("near.html", "run.mcap", "again.html"))
    watch = ["watch", file, "--from", path, "--to", record, "--report", page, "--rest"]
    assert invoked(*watch).exit_code == 0
    named = "<tr><th>not watched</th><td>links without collision geometry (r/l1)</td></tr>"
    assert named in page.read_text()
    assert b"# no collision geometry, not watched: r/l1\n" in record.read_bytes()
    assert invoked("replay", record, "--report", again).exit_code == 0
    assert named in again.read_text()


def test_a_certificate_and_who_verifies_it_did_not_name_links_without_geometry(tmp_path, partly):
    file, path = partly
    proof = tmp_path / "proof.json"
    checked = invoked("check", file, path, "--certificate", proof)
    assert checked.exit_code == 0
    assert "links without collision geometry (r/l1)" in checked.output
    assert "# no collision geometry, not watched: r/l1\\n" in proof.read_text()
    verified = invoked("verify", proof)
    assert verified.exit_code == 0
    assert "not watched: links without collision geometry (r/l1)" in verified.output


def test_a_comparison_of_parts_names_links_without_geometry(partly):
    compared = invoked("interfere", partly[0])
    assert compared.exit_code == 0
    assert "r/l1: no collision geometry, not compared" in compared.output


def test_a_comparison_in_which_each_pair_may_touch_was_free(tmp_path):
    file = robot(tmp_path, SOLID, SOLID)
    result = CliRunner().invoke(app, ["interfere", str(file)])
    assert isinstance(result.exception, InterferenceError)
    assert "every pair of parts is allowed to touch" in str(result.exception)


def test_a_live_page_takes_a_robot_that_is_insisted_on(tmp_path, monkeypatch):
    shown = []

    class Page:
        def cell(self, cell, source, make):
            shown.append(cell)

    monkeypatch.setattr("standoff.commands.arguments.PageAddress.serving", lambda *_: Page())
    file = robot(tmp_path, DRAWN, DRAWN)
    with pytest.warns(UserWarning, match="not watched: l0, l1;"):
        result = CliRunner().invoke(app, ["view", str(file), "--unwatched"])
    assert result.exit_code == 0, result.exception
    assert shown[0].allows_unwatched


def test_a_robot_all_of_whose_pairs_are_allowed_is_told_of(tmp_path):
    cell = so.Cell()
    for name, y in (("a", 0.0), ("b", 5.0)):
        cell.add_robot(robot(tmp_path, SOLID, SOLID, SOLID), name=name, base=so.pose((0.0, y, 0.0)))
    for link in ("a/l0", "a/l1", "a/l2"):
        for other in (f"b/l{k}" for k in range(3)):
            if cell.reason(link, other) is None:
                cell.allow(link, other)
    assert cell.unwatched_robots == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        so.Monitor(cell, buffer=0.0)
    cell.allow("a/l0", "a/l2")
    assert cell.pairs.count() == 1
    assert cell.unwatched_robots == ("a",)
    for build in engines(cell):
        with pytest.warns(UserWarning, match="robot 'a' is not watched: no pair with one of its"):
            build()


def test_a_robot_that_may_touch_all_is_told_of_beside_one_that_was_proved_apart(tmp_path):
    """One pair that was proved apart, anywhere in the cell, was enough to say nothing."""
    cell = so.Cell()
    for name, y in (("a", 0.0), ("b", 50.0)):
        cell.add_robot(robot(tmp_path, SOLID, SOLID, SOLID), name=name, base=so.pose((0.0, y, 0.0)))
    cell.prove_apart().allow(cell)
    assert cell.proofs and cell.unwatched_robots == ()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cell.check_watched()
    cell.allow("b", "a")
    cell.allow("b/l0", "b/l2")
    assert cell.unwatched_robots == ("b",)
    with pytest.warns(UserWarning, match="robot 'b' is not watched"):
        cell.check_watched()


def test_pairs_that_are_all_allowed_during_a_watch_were_safe_and_free(tmp_path):
    cell = so.Cell()
    cell.add_robot(robot(tmp_path, SOLID, SOLID, SOLID))
    monitor, checker = so.Monitor(cell, buffer=0.0), so.PathChecker(cell)
    sampled = SampledChecker(cell, 0.01)
    assert monitor.update([0.0, 0.0]).safe and checker.segment([0.0, 0.0], [0.1, 0.0]).free
    cell.allow("r/l0", "r/l2", "a test")
    cycle = monitor.update([0.0, 0.0])
    assert not cycle.safe and "no pair to watch" in str(cycle.faults[0])
    with pytest.raises(CellError, match="no pair to watch"):
        checker.segment([0.0, 0.0], [0.1, 0.0])
    with pytest.raises(CellError, match="no pair to watch"):
        sampled.segments([[0.0, 0.0]], [[0.1, 0.0]])
    cell.forbid("r/l0", "r/l2")
    assert monitor.update([0.0, 0.0]).safe and checker.segment([0.0, 0.0], [0.1, 0.0]).free
