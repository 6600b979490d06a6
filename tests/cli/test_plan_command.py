"""`standoff plan`: from where to where in, a proved path out."""

import io
import json
import os
import re
import shlex
import signal
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from rich.console import Console

import standoff as so
from standoff import cli
from standoff.paths.joints import check_turns, cut_turns
from standoff.paths.path_file import read_path, write_path
from standoff.view import plan as plan_view
from standoff.view import progress
from standoff.view.plan import effort
from tests.paths.test_check_for_real import in_folder
from tests.test_docs import DOCS, example
from tests.worlds.command_line import PNG, run, words
from tests.worlds.plan_cells import LEFT, RIGHT, gate, turner, two_sliders


@pytest.fixture
def folder(tmp_path):
    """The sliding ball between two walls with gaps, `cell.toml`."""
    gate(tmp_path).save(tmp_path / "cell.toml")
    return tmp_path


@pytest.fixture
def ctrl_c():
    """Ctrl-C interrupts, even where the tests were started in the background and it would not."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def command(folder, monkeypatch, capsys):
    """Runs the command within this process: exit status, stdout, stderr."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")

    def call(name, *args):
        monkeypatch.setattr(sys, "argv", ["standoff", name, *map(str, args)])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        shown = capsys.readouterr()
        return caught.value.code or 0, shown.out, shown.err

    return call


ENDS = ("--start", "-0.8,0", "--goal", "0.8,0")


def test_a_path_that_check_and_verify_hold(command, folder):
    status, shown, errors = command(
        "plan", "cell.toml", *ENDS, "--out", "made/path.csv", "--certificate", "proof.json",
        "--smooth", 300,
    )  # fmt: skip
    assert status == 0, errors
    assert shown.startswith("solved: ") and "(certified)" in shown
    assert re.search(r"shortened +from [\d.]+ to [\d.]+ \(\d+ %\), 300 shortcuts tried", shown)
    assert re.search(r"work +\d+ edges, \d+ \+ \d+ nodes, .*rrt-connect, seed 0", shown)
    assert "path: made/path.csv" in shown and "proof: proof.json" in shown
    status, shown, _ = command("check", "cell.toml", "made/path.csv")
    assert status == 0 and shown.startswith("free:")
    status, shown, _ = command("verify", "proof.json")
    assert status == 0 and "verified" in shown
    cell = so.Cell.load(folder / "cell.toml")
    path = read_path(folder / "made/path.csv", cell).waypoints
    proof = so.Certificate.load(folder / "proof.json")
    assert np.array_equal(path[0], LEFT) and np.array_equal(path[-1], RIGHT)
    assert np.array_equal(proof.coefficients[:, 0], path[:-1])


@pytest.mark.parametrize("method", ["rrt-connect", "sbl"])
def test_the_verdict_for_machines(command, method):
    status, shown, _ = command(
        "plan", "cell.toml", *ENDS, "--json", "--method", method, "--seed", 3, "--smooth", "0.05s"
    )
    said = json.loads(shown)
    assert status == 0 and said["solved"] is True and said["reason"] is None
    assert said["method"] == method and said["seed"] == 3 and said["verdict"] == "free"
    assert said["joints"] == ["s/x", "s/y"] and said["waypoints"][0] == [-0.8, 0.0]
    assert said["edges"] > 0 and len(said["nodes"]) == 2 and said["path"] is None
    assert said["smoothed"]["stopped"] == "timeout" and said["smoothed"]["after"] == said["length"]
    way = np.diff(said["waypoints"], axis=0)
    assert said["length"] == pytest.approx(np.linalg.norm(way, axis=1).sum())


def test_the_same_seed_writes_the_same_file(command, folder):
    for name in ("a", "b"):
        command("plan", "cell.toml", *ENDS, "--out", f"{name}.csv", "--seed", 5)
    assert (folder / "a.csv").read_bytes() == (folder / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("start", "goal"),
    [
        ("-0.8 0", "0.8;0"),
        ("[-0.8, 0]", "s/x=0.8"),
        ("x=-0.8, y = 0", "y=0,x=0.8"),
        ("start.csv", "goal.json"),
        ("named.csv", "object.json"),
        ("row.json", "goal.npy"),
    ],
)
def test_ways_to_say_where(command, folder, start, goal):
    (folder / "start.csv").write_text("-0.8,0\n")
    (folder / "named.csv").write_text("y,x\n0,-0.8\n")
    (folder / "goal.json").write_text("[[0.8, 0.0]]")
    (folder / "object.json").write_text('{"s/x": 0.8}')
    (folder / "row.json").write_text("[-0.8, 0]")
    np.save(folder / "goal.npy", RIGHT[None])
    status, shown, errors = command("plan", "cell.toml", "--start", start, "--goal", goal, "--json")
    assert status == 0, errors
    ends = np.array(json.loads(shown)["waypoints"])[[0, -1]]
    assert ends.tolist() == [LEFT.tolist(), RIGHT.tolist()]


def test_several_goals_any_of_which_will_do(command):
    args = ("--goal", "0.3,0.5", "--goal", "0.8,0.1", "--goal", "x=-0.8,y=0.3")
    status, shown, _ = command("plan", "cell.toml", "--start", "-0.8,0", *args)
    assert status == 0 and re.search(r"goal +number 3 of 3", shown)


def test_joints_that_stay(command, folder):
    """Values for the planned joints alone, names without their robot, a robot for its joints."""
    two_sliders(folder).save(folder / "two.toml")
    base = ("plan", "two.toml", "--start", "a/x=-0.5,a/y=0.6,b/x=0.5,b/y=0.5", "--json")
    status, shown, errors = command(*base, "--joints", "a/x,a/y", "--goal", "-0.5,-0.6")
    assert status == 0, errors
    said = json.loads(shown)
    assert said["planned"] == ["a/x", "a/y"]
    assert {tuple(q[2:]) for q in said["waypoints"]} == {(0.5, 0.5)}
    status, shown, _ = command(*base, "--joints", "a", "--goal", "a/y=-0.6")
    assert status == 0 and json.loads(shown)["planned"] == ["a/x", "a/y"]
    status, _, errors = command(*base, "--joints", "x", "--goal", "a/y=-0.6")
    assert status == 2 and "several robots" in errors and "a/x or b/x" in errors


def test_groups_and_named_states_of_an_srdf(command):
    base = ("plan", "builtin:panda", "--joints", "panda_arm", "--json")
    status, shown, errors = command(*base, "--start", "1.2,0.3,0,-2,0,2.3,0.8", "--goal", "ready")
    assert status == 0, errors
    said = json.loads(shown)
    assert said["planned"] == [f"panda/panda_joint{k}" for k in range(1, 8)]
    assert said["waypoints"][-1] == [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 0.0]
    status, shown, errors = command(
        "plan", "builtin:panda", "--start", "panda/ready", "--goal", "panda_joint1=0.4"
    )
    assert status == 0 and "panda_finger_joint1" in shown.partition("note")[2], errors
    for args, wanted in (
        (("--start", "ready", "--goal", "raedy"), ["--goal", "panda/ready, panda/open"]),
        (("--goal", "ready", "--joints", "arm"), ["--joints", "groups: panda/panda_arm"]),
    ):
        status, _, errors = command("plan", "builtin:panda", *args)
        assert status == 2 and all(word in errors for word in wanted)
    status, shown, _ = command("info", "builtin:panda")
    assert status == 0 and "Groups" in shown and "panda/panda_arm" in shown
    assert "Named states" in shown and "panda/ready" in shown


@pytest.mark.parametrize("end", ["start", "goal"])
def test_an_end_that_is_not_free_names_the_pair(command, end):
    ends = {"start": "-0.8,0", "goal": "0.8,0", end: "-0.3,0"}
    args = [arg for name, q in ends.items() for arg in (f"--{name}", q)]
    status, shown, _ = command("plan", "cell.toml", *args, "--out", "p.csv")
    assert status == 1
    said = f"not solved: the {end} is not free: s/ball and first below overlap by 100 mm"
    assert shown.startswith(said)
    assert re.search(rf"what helps +another --{end}", shown) and "p.csv" not in shown
    assert not os.path.exists("p.csv")
    status, shown, _ = command("plan", "cell.toml", *args, "--json")
    said = json.loads(shown)
    assert status == 1 and said["reason"] == end and said["pair"] == ["s/ball", "first below"]
    assert said["distance"] == pytest.approx(-0.1) and said["waypoints"] == []


def test_a_start_that_is_too_close_says_what_was_asked_for(command):
    status, shown, _ = command(
        "plan", "cell.toml", "--start", "-0.42,0", "--goal", "0.8,0", "--clearance", 0.03
    )
    assert status == 1
    assert "s/ball and first below are 20 mm apart, and a clearance of 30 mm" in shown


def test_time_that_runs_out_proves_nothing(command, folder):
    cell = gate(folder)
    cell.add_body("sheet", so.Box((0.001, 2.6, 0.4)))
    cell.save(folder / "shut.toml")
    status, shown, _ = command("plan", "shut.toml", *ENDS, "--timeout", 0.2)
    assert status == 1 and "within the timeout" in shown and "proves nothing" in shown
    assert "longer --timeout" in shown


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--goal", "0.8"), ["--goal", "wrong number of values", "got 1", "s/x, s/y"]),
        (("--goal", "0.8,zero"), ["--goal", "'zero'", "finite number"]),
        (("--goal", "0.8,nan"), ["--goal", "'nan'"]),
        (("--goal", "z=0.8"), ["--goal", "unknown joint 'z'", "did you mean"]),
        (("--goal", "x=1,x=2"), ["--goal", "twice"]),
        (("--goal", "gone.csv"), ["--goal", "gone.csv", "No such file"]),
        (("--goal", "80,0"), ["--goal", "s/x", "beyond its limits", "--no-limits"]),
        (("--goal", "800,0"), ["look like millimetres"]),
        (("--start", "two.csv", "--goal", "0.8,0"), ["--start", "several", "got 2"]),
        (("--goal", "timed.csv"), ["timed.csv", "without times"]),
        (("--start", "0,0"), ["no goal", "--goal"]),
        (("--goal", "0.8,0", "--joints", ","), ["--joints", "no joint to plan"]),
        (("--goal", "0.8,0", "--smooth", "1_0s"), ["--smooth", "1_0s"]),
        (("--problem", "none.json"), ["none.json", "no problems"]),
        (("--goal", "0.8,0", "--joints", "elbow"), ["--joints", "elbow", "did you mean"]),
        (("--goal", "0.8,0.1", "--joints", "x"), ["s/y", "not planned"]),
        (("--goal", "0.8,0", "--method", "prm"), ["prm", "rrt-connect, sbl"]),
        (("--goal", "0.8,0", "--smooth", "lots"), ["--smooth", "lots", "1.5s"]),
        (("--goal", "0.8,0", "--timeout", "0"), ["timeout", "more than 0"]),
        (("--goal", "0.8,0", "--seed", "-1"), ["seed", "-1"]),
        (("--goal", "0.8,0", "--out", "p.pdf"), ["p.pdf", ".csv or .json"]),
        (("--goal", "0.8,0", "--out", "cell.toml/p.csv"), ["cannot write a path", "cell.toml"]),
        (("--goal", "0.8,0", "--certificate", "cell.toml"), ["over its own input"]),
        (("--goal", "0.8,0", "--out", "p.json", "--certificate", "p.json"), ["two things in one"]),
        (("--goal", "0.8,0", "--picture", "p.jpg"), ["p.jpg", ".png"]),
        (("--problem", "p.json", "--goal", "0,0"), ["--problem", "without --start"]),
        (("--problem", "gone.json"), ["gone.json"]),
        (("--goal", "0,0", "--index", "3"), ["--index", "with --problem"]),
    ],
)  # fmt: skip
def test_bad_input_gets_one_message_and_status_2(command, folder, args, said):
    (folder / "two.csv").write_text("-0.8,0\n0.8,0\n")
    (folder / "timed.csv").write_text("time,x,y\n0,-0.8,0\n1,0.8,0\n")
    (folder / "none.json").write_text(
        '{"robot": "s", "set": "none", "quaternion": "xyzw", "problems": []}'
    )
    status, shown, errors = command("plan", "cell.toml", *args)
    assert status == 2 and shown == "" and "Traceback" not in errors
    for word in said:
        assert word in errors, errors


def test_limits_are_left_alone_on_demand(command):
    status, shown, errors = command(
        "plan", "cell.toml", "--start", "-1.1,0", "--goal", "-0.8,0", "--no-limits", "--json"
    )
    assert status == 0, errors
    assert json.loads(shown)["waypoints"][0] == [-1.1, 0.0]


def test_the_start_is_where_the_cell_is_unless_it_is_said(command, folder):
    cell = gate(folder)
    cell.set_state(LEFT)
    cell.save(folder / "here.toml")
    status, shown, _ = command("plan", "here.toml", "--goal", "-0.8,0.5")
    assert status == 0 and re.search("note .*the start is where the cell has the joints", shown)
    status, shown, _ = command("plan", "here.toml", "--start", "y=0.2", "--goal", "-0.8,0.5")
    assert status == 0 and re.search("note .*start where the cell has them: s/x", shown)


def test_a_problem_with_its_obstacles(command, folder):
    content = {
        "robot": "panda", "set": "one", "quaternion": "xyzw", "problems": [{
            "index": 7,
            "start": {**{f"panda_joint{k + 1}": x for k, x in enumerate(
                (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785))}, "panda_finger_joint1": 0.02},
            "goals": [{f"panda_joint{k + 1}": x for k, x in enumerate(
                (1.2, -0.5, 0.1, -2.0, 0.0, 1.6, 0.785))}],
            "obstacles": [{"id": "can", "type": "cylinder", "dim": [0.6, 0.03],
                           "pos": [0.25, 0.17, 0.4], "quat": [0, 0, 0, 1]}],
        }],
    }  # fmt: skip
    (folder / "set.json").write_text(json.dumps(content))
    status, shown, errors = command(
        "plan", "builtin:panda", "--problem", "set.json", "--index", 7, "--out", "p.csv",
        "--certificate", "proof.json", "--save-cell", "with.toml",
    )  # fmt: skip
    assert status == 0, errors
    assert (
        "problem 7 of set.json" in shown and "panda/panda_arm (7 joints); the others stay" in shown
    )
    assert "can" in so.Cell.load(folder / "with.toml").bodies
    assert command("check", "with.toml", "p.csv")[0] == 0
    assert command("verify", "proof.json")[0] == 0
    status, _, errors = command("plan", "builtin:panda", "--problem", "set.json", "--index", 8)
    assert status == 2 and "8" in errors


def test_turns_by_more_than_half_are_cut_so_that_check_need_not_ask(command, folder):
    """A smoother may go straight by most of a turn; the file then has waypoints in between."""
    turner(folder).save(folder / "turner.toml")
    q = np.array([[0.5], [5.8], [6.0]])
    tree = so.Cell.load(folder / "turner.toml").tree
    cut = cut_turns(q, tree)
    assert cut[:, 0].tolist() == [0.5, 3.15, 5.8, 6.0]
    check_turns(cut, tree, folder, ["here"] * len(cut))
    assert cut_turns(cut, tree) is cut
    status, _, errors = command(
        "plan", "turner.toml", "--start", "turn=0.3", "--goal", "turn=6.0", "--out", "p.csv",
        "--smooth", 200,
    )  # fmt: skip
    assert status == 0, errors
    assert command("check", "turner.toml", "p.csv")[0] == 0


def test_paths_are_written_to_the_bit(folder):
    cell = so.Cell.load(folder / "cell.toml")
    q = np.random.default_rng(2).uniform(-1.0, 1.0, (7, 2)) / 3.0
    for name in ("p.csv", "p.json"):
        write_path(folder / name, cell, q)
        assert np.array_equal(read_path(folder / name, cell).waypoints, q)
    with pytest.raises(so.errors.PathError, match=r"\.npy"):
        write_path(folder / "p.npy", cell, q)
    with pytest.raises(so.errors.PathError, match="cannot be written"):
        write_path(folder / "gone" / "p.csv", cell, q)


def test_the_picture(command, folder):
    pytest.importorskip("matplotlib")
    status, shown, errors = command("plan", "cell.toml", *ENDS, "--picture", "made/strip.png")
    assert status == 0, errors
    assert (folder / "made/strip.png").read_bytes().startswith(PNG)
    assert "picture: made/strip.png" in shown


def test_without_matplotlib_a_word_and_the_path_all_the_same(command, folder, monkeypatch):
    monkeypatch.setattr("standoff.view.plots.have_matplotlib", lambda: False)
    status, shown, _ = command("plan", "cell.toml", *ENDS, "--picture", "p.png", "--out", "p.csv")
    assert status == 0 and "standoff[plot]" in shown and "solved" in shown
    assert not (folder / "p.png").exists() and (folder / "p.csv").exists()


def test_as_many_values_as_an_arm_or_two_have(command, folder):
    """At full precision they are longer than the name of a file can be."""
    cell = so.Cell()
    for k in range(8):
        cell.add_robot(folder / "slider.urdf", name=f"slider{k}", base=so.pose((3.0 * k, 0, 0)))
    cell.save(folder / "many.toml")
    ends = np.random.default_rng(0).uniform(-0.8, 0.8, (2, 16))
    typed = [",".join(map(repr, q.tolist())) for q in ends]
    named = ",".join(f"{name}={x!r}" for name, x in zip(cell.joints, ends[1].tolist()))
    assert len(typed[0]) > 255
    for goal in (typed[1], named):
        status, _, errors = command(
            "plan", "many.toml", "--start", typed[0], "--goal", goal, "--out", "p.csv"
        )
        assert status == 0, errors
        assert np.array_equal(
            read_path("p.csv", so.Cell.load("many.toml")).waypoints[[0, -1]], ends
        )


def test_a_state_beyond_its_limits_is_not_called_a_goal(command, folder):
    cell = gate(folder)
    cell.set_state([-0.8, 1.5])
    cell.save(folder / "beyond.toml")
    status, _, errors = command("plan", "beyond.toml", "--goal", "x=-0.7")
    assert status == 2 and "the cell" in errors and "--goal" not in errors
    status, _, errors = command("plan", "beyond.toml", "--goal", "x=-0.7", "--joints", "x")
    assert status == 0, errors


def test_effort():
    assert effort("2000").steps == 2000
    assert effort(" 1.5s").seconds == 1.5
    for text in ("", "-1", "1.5", "s", "0s", "infs", "nans", "1e3"):
        with pytest.raises(so.errors.PlanError, match="--smooth"):
            effort(text)


def test_a_line_tells_how_far_it_is_where_somebody_looks():
    page = io.StringIO()
    with progress.status_line(Console(file=page, force_terminal=True)) as tell:
        tell("1 + 2 nodes [bold]")
        tell("3 + 4 nodes")
        end = time.monotonic() + 300.0
        while "nodes" not in page.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    assert "nodes" in page.getvalue()
    page = io.StringIO()
    with progress.status_line(Console(file=page)) as tell:
        tell("3 + 4 nodes")
    assert page.getvalue() == ""


def test_the_first_interrupt_asks_and_the_second_one_ends(ctrl_c):
    before = signal.getsignal(signal.SIGINT)
    with progress.interruptible() as stopped:
        assert not stopped()
        signal.raise_signal(signal.SIGINT)
        assert stopped()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    found = []

    def elsewhere():
        with progress.interruptible() as stopped:
            found.append(stopped())

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [False]


def interrupted(monkeypatch, times=1):
    """Ctrl-C a second after the command listens for it for the so many-th time: before, it would
    end the tests."""
    before, left = plan_view.interruptible, [times]

    @contextmanager
    def interruptible():
        left[0] -= 1
        with before() as stopped:
            timer = threading.Timer(1.0, signal.raise_signal, (signal.SIGINT,))
            if not left[0]:
                timer.start()
            yield stopped
            if not left[0]:
                timer.join()

    monkeypatch.setattr(plan_view, "interruptible", interruptible)


def test_an_interrupt_ends_a_search_with_a_word(ctrl_c, command, folder, monkeypatch):
    cell = gate(folder)
    cell.add_body("sheet", so.Box((0.001, 2.6, 0.4)))
    cell.save(folder / "shut.toml")
    interrupted(monkeypatch)
    status, shown, _ = command("plan", "shut.toml", *ENDS, "--timeout", 300)
    assert status == 1 and shown.startswith("not solved: stopped before a path was found")


def test_an_interrupt_while_it_shortens_keeps_the_path(ctrl_c, command, folder, monkeypatch):
    interrupted(monkeypatch, times=2)
    status, shown, _ = command("plan", "cell.toml", *ENDS, "--smooth", "300s", "--out", "p.csv")
    assert status == 0 and "ended by cancelled" in shown
    assert command("check", "cell.toml", "p.csv")[0] == 0


def test_help_has_an_example_and_the_exit_status():
    result = run("plan", "--help")
    said = words(result.stdout)
    assert result.returncode == 0
    assert "0 solved, 1 not solved, 2 bad input" in said
    example = re.search(r"Example: standoff (plan builtin:.*? --goal \S+)", said)[1]
    assert run(*example.split()).returncode == 0


def test_the_commands_of_the_page_do_as_it_says(tmp_path):
    """In the cell of the page's example."""
    pytest.importorskip("matplotlib")
    _, names = example("planning.md")
    cell = names["cell"]
    cell.set_state(names["start"])
    cell.save(tmp_path / "cell.toml")
    (block,) = re.findall(r"```sh\n(.*?)```", (DOCS / "planning.md").read_text(), re.S)
    lines = [shlex.split(line) for line in block.splitlines()]
    assert [line[1] for line in lines] == ["plan", "check", "verify", "plan"]
    for line in lines:
        result = run(*in_folder(tmp_path, line[1:]))
        assert result.returncode == 0, result.stderr
    assert (tmp_path / "strip.png").read_bytes().startswith(PNG)
    said = json.loads(result.stdout)
    assert said["planned"] == ["panda/panda_joint1", "panda/panda_joint2"]
