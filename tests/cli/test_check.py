"""`standoff check`: a path file in, a verdict out."""

import io
import json
import re
import sys
import threading
import time

import numpy as np
import pytest
from rich.console import Console

import standoff as so
from standoff import cli
from standoff.plan.growing import EDGE_BUDGET
from standoff.view import check as view
from standoff.view import progress, strip
from tests.worlds.canned_checker import CannedVerdict, can
from tests.worlds.command_line import PNG, run, words

#: In front of a table, upright; and bent down into it.
UP = [0.0, -0.4, 0.0, -1.6, 0.0, 1.6, 0.0, 0.0]
ASIDE = [0.6, -0.4, 0.0, -1.6, 0.0, 1.6, 0.0, 0.0]
DOWN = [0.0, 0.9, 0.0, -1.6, 0.0, 1.6, 0.0, 0.0]


def panda_and_table():
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, 0.0, 0.2)))
    return cell


def write_path(path, *rows, header=None):
    lines = [",".join(header)] if header else []
    path.write_text("\n".join([*lines, *(",".join(map(repr, row)) for row in rows)]))
    return path


@pytest.fixture
def files(tmp_path):
    """A cell file and a path that leads past three waypoints, timed."""
    panda_and_table().save(tmp_path / "cell.toml")
    names = [name.partition("/")[2] for name in panda_and_table().joints]
    rows = [[0.5 * k, *row] for k, row in enumerate((UP, ASIDE, DOWN))]
    write_path(tmp_path / "path.csv", *rows, header=["time", *names])
    return tmp_path


@pytest.fixture
def command(files, monkeypatch, capsys):
    """Runs the command within this process: exit status, stdout, stderr."""
    monkeypatch.chdir(files)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*args):
        monkeypatch.setattr(sys, "argv", ["standoff", "check", *map(str, args)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        shown = capsys.readouterr()
        return caught.value.code or 0, shown.out, shown.err

    return call


HIT = CannedVerdict(
    kind="collision",
    segment=1,
    t=0.25,
    q=np.array([0.45, -0.075, 0.0, -1.6, 0.0, 1.6, 0.0, 0.01]),
    pair=("arm/panda_hand", "table"),
    distance=-0.0032,
    point_a=np.array([0.5, 0.25, 0.2168]),
    point_b=np.array([0.5, 0.25, 0.22]),
    normal=np.array([0.0, 0.0, 1.0]),
    free_until=1.125,
)


def test_free_in_words(command, monkeypatch):
    checker = can(monkeypatch, free_until=2.0, intervals=7, distances=89)
    status, shown, errors = command("cell.toml", "path.csv")
    assert status == 0 and "Error" not in errors
    assert shown.startswith("free: no two watched bodies touch at any instant")
    assert "certified" in shown and "7 configurations, 89 distances" in shown
    assert "3 waypoints, 2 segments" in shown
    assert re.search(r"nearest seen .* – .* mm, on segment \d, t = .* \(\d+ samples\)", shown)
    assert "certified free" not in shown and "[rad or m]" not in shown
    (one, _), (path, first) = checker.asked
    assert one.tolist() == [UP] and path.tolist() == [UP, ASIDE, DOWN] and not first


def test_options_reach_the_checker(command, monkeypatch):
    checker = can(monkeypatch)
    status, shown, _ = command(
        "cell.toml", "path.csv", "--clearance", 0.01, "--tolerance", 0.002,
        "--deviation", 0.05, "--budget", 77, "--first",
    )  # fmt: skip
    assert status == 0
    assert checker.options == {
        "clearance": 0.01, "tolerance": 0.002, "deviation": 0.05, "budget": 77,
    }  # fmt: skip
    assert checker.asked[-1][1]
    assert "more than 10 mm apart" in shown and "off by up to 0.05" in shown


def test_long_paths_have_a_budget_for_each_segment(command, monkeypatch, files):
    """As large as a planner's for an edge, so that whatever was planned can be checked."""
    checker = can(monkeypatch)
    command("cell.toml", "path.csv")
    assert checker.options["budget"] == 1_000_000
    write_path(files / "long.csv", *[UP, ASIDE] * 60)
    command("cell.toml", "long.csv")
    assert checker.options["budget"] >= 119 * EDGE_BUDGET


def test_a_collision_in_words(command, monkeypatch):
    can(monkeypatch, HIT)
    status, shown, _ = command("cell.toml", "path.csv")
    assert status == 1
    assert shown.startswith("collision: arm/panda_hand and table overlap by 3.2 mm")
    said = words(shown)
    assert "segment 1, t = 0.25 (from waypoint 1 to 2, lines 3 and 4), at 0.625 s" in said
    assert "arm/panda_hand at 0.5000, 0.2500, 0.2168 m" in said
    assert "table at 0.5000, 0.2500, 0.2200 m" in said
    assert "certified free up to segment 1, t = 0.125, at 0.5625 s" in said
    assert "arm/panda_joint4 -1.600000 -91.673" in said
    assert re.search(r"arm/panda_finger_joint1 +0.010000 *$", shown, re.M)
    assert "starts" not in shown


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"distance": 0.0}, "collision: arm/panda_hand and table touch"),
        (
            {"kind": "too_close", "distance": 0.0005},
            "too close: arm/panda_hand and table come as near as 0.5 mm, and a clearance of 0 mm",
        ),
        ({"free_until": 0.0}, "certified free nothing"),
    ],
)
def test_other_ways_not_to_be_free(command, monkeypatch, fields, said):
    can(monkeypatch, HIT, **fields)
    status, shown, _ = command("cell.toml", "path.csv")
    assert status == 1 and said in words(shown)


def test_a_path_that_starts_in_collision_says_so_first(command, monkeypatch):
    checker = can(monkeypatch, HIT, segment=0, t=0.0, free_until=0.0, start="collision")
    status, shown, _ = command("cell.toml", "path.csv")
    assert status == 1
    said = "collision: the path starts in collision: arm/panda_hand and table overlap by 3.2 mm"
    assert shown.startswith(said)
    assert checker.asked[-1][1], "the earliest contact is the one to show"


def test_undecided_says_what_helps(command, monkeypatch):
    can(monkeypatch, kind="undecided", free_until=1.5)
    status, shown, _ = command("cell.toml", "path.csv")
    assert status == 1
    assert shown.startswith("undecided: the budget ran out")
    assert "higher --budget" in shown and "--tolerance above 1 mm" in shown
    assert "certified free up to segment 1, t = 0.5, at 0.75 s" in words(shown)


def test_the_verdict_for_machines(command, monkeypatch):
    can(monkeypatch, HIT)
    status, shown, _ = command("cell.toml", "path.csv", "--json", "--plot", "p.png")
    content = json.loads(shown)
    assert status == 1
    assert content["verdict"] == "collision" and content["free"] is False
    assert (content["segment"], content["t"], content["time"]) == (1, 0.25, 0.625)
    assert content["pair"] == ["arm/panda_hand", "table"] and content["distance"] == -0.0032
    assert content["point_a"] == [0.5, 0.25, 0.2168] and content["normal"] == [0.0, 0.0, 1.0]
    assert content["q"]["arm/panda_joint4"] == -1.6 and len(content["q"]) == 8
    assert content["free_until"] == 1.125 and content["starts_free"] is True
    can(monkeypatch, free_until=2.0)
    status, shown, _ = command("cell.toml", "path.csv", "--json")
    content = json.loads(shown)
    assert status == 0 and content["free"] is True
    assert content["q"] is content["pair"] is content["distance"] is content["time"] is None


@pytest.mark.parametrize("verdict", [CannedVerdict(), HIT])
def test_the_plot(command, monkeypatch, files, verdict):
    pytest.importorskip("matplotlib")
    can(monkeypatch, verdict)
    status, shown, _ = command("cell.toml", "path.csv", "--plot", "made/here.png")
    assert status == (0 if verdict.free else 1)
    assert (files / "made" / "here.png").read_bytes().startswith(PNG)
    assert "made/here.png" in shown


def test_what_the_plot_shows(command, monkeypatch):
    """The curves, the clearance and the place of the collision, over time."""
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(view, "save", lambda figure, path: drawn.append(figure))
    can(monkeypatch, HIT)
    command("cell.toml", "path.csv", "--plot", "p.png", "--clearance", 0.02)
    (axis,) = drawn[0].axes
    lines = {entry.get_label(): entry for entry in axis.get_lines()}
    own = lines["links of one robot"].get_xydata()
    others = lines["all other pairs"].get_xydata()
    assert own[0, 0] == others[0, 0] == 0.0 and own[-1, 0] == others[-1, 0] == 1.0
    assert len(own) > 400 and own[:, 1].min() > 0.0 > others[:, 1].min()
    assert set(lines["clearance asked for: 20 mm"].get_ydata()) == {20.0}
    mark = lines["collision: arm/panda_hand – table"].get_xydata()
    assert mark.tolist() == [[0.625, -3.2]]
    assert axis.get_xlabel() == "time [s]" and axis.get_ylabel() == "smallest distance [mm]"
    assert "path.csv: collision" in axis.get_title(loc="left")
    low, high = axis.get_ylim()
    assert low < 20.0 < high


def test_without_matplotlib_a_word_and_the_verdict_all_the_same(command, monkeypatch, files):
    monkeypatch.setattr("standoff.view.plots.have_matplotlib", lambda: False)
    can(monkeypatch)
    status, shown, _ = command("cell.toml", "path.csv", "--plot", "p.png")
    assert status == 0 and "standoff[plot]" in shown and "free:" in shown
    assert not (files / "p.png").exists()


def test_the_proof_is_written_with_its_cell(command, monkeypatch, files):
    checker = can(monkeypatch)
    status, shown, _ = command("cell.toml", "path.csv", "--certificate", "made/proof.json")
    assert status == 0 and "made/proof.json" in shown
    ((path, cell),) = checker.verdict.saved
    assert path.is_file() and cell.joints == panda_and_table().joints


def test_what_is_undecided_is_not_called_a_proof(command, monkeypatch, files):
    can(monkeypatch, kind="undecided")
    status, shown, _ = command("cell.toml", "path.csv", "--certificate", "p.json")
    assert status == 1 and "undecided, so no proof: p.json" in shown
    assert not re.search(r"^ *proof", shown, re.M)


def test_how_a_robot_alone_is_modelled(command, monkeypatch, files):
    urdf = files / "robot.urdf"
    urdf.write_bytes(so.robots.model_path("irb2400").read_bytes())
    write_path(files / "p.csv", [0.0] * 6, [0.1] * 6)
    checker = can(monkeypatch)
    make, cells = checker.make, []
    monkeypatch.setattr(
        view, "PathChecker", lambda cell, **o: cells.append(cell) or make(cell, **o)
    )
    options = ("--geometry", "capsules", "--capsules-per-link", 1, "--search-path", ".")
    status, _, errors = command("robot.urdf", "p.csv", *options)
    assert status == 0, errors
    (mounted,) = cells[0].robots.values()
    assert (mounted.choice.geometry, mounted.choice.capsules_per_link) == ("capsules", 1)


def test_the_strip_shows_where_it_is_not_free(command, monkeypatch, files):
    pytest.importorskip("matplotlib")
    drawn = []
    monkeypatch.setattr(strip, "save", lambda figure, path: drawn.append(figure))
    can(monkeypatch, HIT)
    status, shown, _ = command("cell.toml", "path.csv", "--picture", "p.png")
    assert status == 1 and "picture: p.png" in shown
    titles = [axis.get_title(loc="left") for axis in drawn[0].axes]
    steps = [np.linalg.norm(np.subtract(b, a)) for a, b in ((UP, ASIDE), (ASIDE, DOWN))]
    share = 100.0 * (steps[0] + 0.25 * steps[1]) / sum(steps)
    assert titles[0].startswith("3 waypoints") and titles[1] == "start" and titles[-1] == "goal"
    assert f"collision at {share:.0f} %" in titles and len(titles) == 1 + strip.POSES
    monkeypatch.setattr("standoff.view.plots.have_matplotlib", lambda: False)
    _, shown, _ = command("cell.toml", "path.csv", "--picture", "p.png")
    assert "standoff[plot]" in shown and "picture:" not in shown


def test_notes_are_shown(command, monkeypatch, files):
    """What stands still though it could move, and joints that the file leaves out."""
    cell = panda_and_table()
    cell.add_body("cart", so.Sphere(0.1), so.pose((2.0, 0.0, 0.0)), moving=True)
    cell.save(files / "cart.toml")
    names = [name.partition("/")[2] for name in cell.joints][:7]
    write_path(files / "short.csv", UP[:7], ASIDE[:7], header=names)
    can(monkeypatch)
    status, shown, _ = command("cart.toml", "short.csv", "--rest")
    assert status == 0
    assert re.search("note .*stand where the cell has them: cart", shown)
    assert re.search("note .*stay where the cell has them: arm/panda_finger_joint1", shown)


def test_a_trajectory_is_checked_as_a_curve_over_its_time(command, monkeypatch, files):
    pytest.importorskip("matplotlib")
    joints = [name.partition("/")[2] for name in panda_and_table().joints]
    points = [
        {"positions": q, "velocities": [0.0] * 8, "time_from_start": {"sec": t, "nanosec": 0}}
        for t, q in ((0, UP), (2, ASIDE), (4, DOWN))
    ]
    content = json.dumps({"joint_names": joints, "points": points})
    (files / "move.json").write_text(content)
    drawn = []
    monkeypatch.setattr(view, "save", lambda figure, path: drawn.append(figure))
    checker = can(monkeypatch, HIT, segment=1, t=3.0, free_until=2.5)
    status, shown, _ = command("cell.toml", "move.json", "--plot", "p.png")
    said = words(shown)
    assert status == 1
    assert "segment 1, t = 0.5 (from waypoint 1 to 2), at 3 s" in said
    assert "certified free up to segment 1, t = 0.25, at 2.5 s" in said
    assert checker.asked[-1][0].times.tolist() == [0.0, 2.0, 4.0]
    (axis,) = drawn[0].axes
    lines = {entry.get_label(): entry for entry in axis.get_lines()}
    assert lines["collision: arm/panda_hand – table"].get_xdata().tolist() == [3.0]
    times = lines["all other pairs"].get_xdata()
    assert times[0] == 0.0 and times[-1] == 4.0 and {2.0, 3.0} <= set(times)


@pytest.mark.parametrize(
    ("source", "joints"), [("builtin:panda", 8), ("two_arms", 16), ("robot.urdf", 8)]
)
def test_a_cell_is_a_file_a_shipped_one_or_a_robot_alone(
    command, monkeypatch, files, source, joints
):
    (files / "robot.urdf").write_bytes(so.robots.model_path("panda").read_bytes())
    write_path(files / "p.csv", (UP * 2)[:joints], (ASIDE * 2)[:joints])
    checker = can(monkeypatch)
    status, _, errors = command(source, "p.csv")
    assert status == 0, errors
    assert checker.asked[-1][0].shape == (2, joints)


def bad(files):
    """Files with something wrong, and what the message has to say."""
    names = panda_and_table().joints
    write_path(files / "one.csv", UP)
    write_path(files / "empty.csv")
    write_path(files / "nan.csv", UP, [float("nan"), *UP[1:]])
    write_path(files / "short.csv", UP[:7], UP[:7])
    write_path(files / "beyond.csv", UP, [5.0, *UP[1:]])
    write_path(files / "degrees.csv", UP, [45.0, -60.0, *UP[2:]])
    write_path(files / "columns.csv", UP, ASIDE, header=["elbow", *names[1:]])
    (files / "words.csv").write_text(",".join(map(str, UP)) + "\n0,0,0,here,0,0,0,0")
    (files / "path.step").write_text("x")


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("cell.toml", "one.csv"), ["one.csv: line 1", "one waypoint", "two or more"]),
        (("cell.toml", "empty.csv"), ["empty.csv", "empty"]),
        (("cell.toml", "nan.csv"), ["nan.csv: line 2", "arm/panda_joint1", "finite"]),
        (("cell.toml", "short.csv"), ["short.csv: line 1", "got 7", "8", "arm/panda_joint1"]),
        (("cell.toml", "beyond.csv"), ["line 2", "panda_joint1", "5.0", "2.8973", "--no-limits"]),
        (("cell.toml", "degrees.csv"), ["look like degrees"]),
        (("cell.toml", "columns.csv"), ["line 1, column 1", "elbow", "did you mean"]),
        (("cell.toml", "words.csv"), ["line 2", "arm/panda_joint4", "'here'"]),
        (("cell.toml", "path.step"), [".step", ".csv"]),
        (("cell.toml", "gone.csv"), ["gone.csv", "No such file"]),
        (("cell.toml", "."), ["folder"]),
        (("gone.toml", "path.csv"), ["CellError", "gone.toml"]),
        (("two_amrs", "path.csv"), ["shipped cell", "two_amrs", "two_arms"]),
        (("panda", "path.csv"), ["shipped cell", "builtin:panda"]),
        (("builtin:pnada", "path.csv"), ["panda"]),
        (("gone.urdf", "path.csv"), ["gone.urdf"]),
        (("cell.toml", "path.csv", "--srdf", "x.srdf"), ["cell.toml", "x.srdf"]),
        (("cell.toml", "path.csv", "--plot", "p.pdf"), ["p.pdf", ".png"]),
        (("cell.toml", "path.csv", "--certificate", "."), ["cannot write"]),
        (("cell.toml", "path.csv", "--certificate", "path.csv"), ["over its own input"]),
        (("cell.toml", "path.csv", "--certificate", "cell.toml/x.json"), ["Error: cannot write"]),
        (("cell.toml", "path.csv", "--plot", "cell.toml/x.png"), ["Error: cannot write a plot"]),
        (("cell.toml", "path.csv", "--plot", "a.png", "--picture", "a.png"), ["two things in one"]),
        (("path.csv", "cell.toml"), ["seem to be swapped", "CELL PATH: cell.toml path.csv"]),
        (("path.csv", "builtin:panda"), ["seem to be swapped"]),
        (("cell.toml", "path.csv", "--geometry", "mesh"), ["cell.toml", "--geometry mesh"]),
        (("cell.toml", "path.csv", "--clearance", "wide"), ["--clearance"]),
        (("cell.toml",), ["PATH"]),
    ],
)  # fmt: skip
def test_bad_input_gets_one_message_and_status_2(command, monkeypatch, files, args, said):
    bad(files)
    checker = can(monkeypatch)
    status, shown, errors = command(*args)
    assert status == 2 and shown == "" and "Traceback" not in errors
    for word in said:
        assert word in errors, errors
    assert not checker.asked


def test_limits_are_left_alone_on_demand(command, monkeypatch, files):
    bad(files)
    checker = can(monkeypatch)
    status, _, _ = command("cell.toml", "beyond.csv", "--no-limits")
    assert status == 0 and checker.asked[-1][0][1, 0] == 5.0


def test_names_from_a_file_cannot_drive_the_terminal(command, monkeypatch, files):
    can(monkeypatch, HIT, pair=("[red]x[nope]", "[bold]table[blink]"))
    _, shown, _ = command("cell.toml", "path.csv")
    assert "[red]x[nope]" in shown and "[bold]table[blink]" in shown


def test_help_has_an_example_and_the_exit_status():
    result = run("check", "--help")
    said = words(result.stdout)
    assert result.returncode == 0
    assert "Example: standoff check" in said and "0 free, 1 not free, 2 bad input" in said


@pytest.mark.parametrize(("patience", "shown"), [(3600.0, False), (0.1, True)])
def test_a_bar_shows_up_only_where_it_takes_long(monkeypatch, patience, shown):
    monkeypatch.setattr(progress, "PATIENCE", patience)
    page = io.StringIO()
    with progress.waiting(Console(file=page, force_terminal=True), "Checking") as done:
        done(0.5)
        end = time.monotonic() + 300.0
        while shown and "Checking" not in page.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    assert ("Checking" in page.getvalue()) == shown


def test_no_bar_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    page = io.StringIO()
    with progress.waiting(Console(file=page), "Checking"):
        time.sleep(0.2)
    assert page.getvalue() == ""


def test_a_bar_goes_away_when_the_work_fails(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    before = set(threading.enumerate())
    with (
        pytest.raises(ZeroDivisionError),
        progress.waiting(Console(file=io.StringIO(), force_terminal=True), "Checking"),
    ):
        time.sleep(0.2)
        1 / 0  # noqa: B018
    for thread in set(threading.enumerate()) - before:
        thread.join(300.0)
        assert not thread.is_alive()


def test_a_bar_and_the_word_on_compiling_get_along(monkeypatch):
    """Whichever comes first; before 14.1 rich raises where two want to draw."""
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    failed = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    console = Console(file=io.StringIO(), force_terminal=True)
    for late in (0.0, 0.2):
        announcer = progress._Announcer(console)
        with progress.waiting(console, "Checking"):
            time.sleep(late)
            announcer.on_start(None)
            time.sleep(0.2)
            announcer.stop()
    assert not failed
