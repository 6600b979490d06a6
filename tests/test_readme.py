"""The README does what it says: its snippets run as they stand, its commands as people do."""

import contextlib
import fcntl
import io
import json
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import urllib.request
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import standoff as so
from standoff.paths.path_file import write_path
from standoff.streams.zenoh_session import Link, open_session
from tests.cli.test_interfere_command import write_stl
from tests.worlds import stream_bags
from tests.worlds.command_line import STANDOFF
from tests.worlds.mesh_shapes import box_arrays

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()

#: Commands that are not run here, and why.
ELSEWHERE = {
    "make test": "it is what runs this",
    "pip install .": "it installs; `.ci/run` installs in this way, by the Makefile",
    "pip install '.[plot,view,streams,contact]'": "it installs; the extras are there, see below",
    "pip install '.[streams]'": "likewise",
    "standoff papers 000": "takes minutes; with --quick it is run by test_paper000.py",
}

#: Commands that have a test of their own below.
ALONE = (
    "make demo",
    "standoff watch cell.toml --from zenoh:cell/joint_states",
    "standoff view cell.toml",
)


def snippets(kind):
    return re.findall(rf"```{kind}\n(.*?)```", README, re.S)


def commands_of(block):
    return [line.partition("#")[0].strip() for line in block.splitlines() if line.strip()]


def commands():
    return [command for block in snippets("sh") for command in commands_of(block)]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What each snippet prints, one after the other, and the names they leave behind."""
    names, said = {}, []
    with contextlib.chdir(tmp_path_factory.mktemp("readme")):
        for code in snippets("python"):
            into = io.StringIO()
            with contextlib.redirect_stdout(into):
                exec(code, names)
            said.append(into.getvalue())
    return said, names


def test_the_first_snippet_is_ten_lines_and_prints_what_the_readme_says(printed):
    first = snippets("python")[0]
    assert len([line for line in first.splitlines() if line.strip()]) == 10
    assert printed[0][0] == snippets("text")[0]


def test_the_other_snippets_say_what_the_words_around_them_promise(printed):
    said, names = printed
    check, plan, stop, predict, contact, interfere = said[1:]
    assert names["verdict"].kind == "collision" and "post" in check
    assert 0.0 < names["verdict"].free_until < names["verdict"].t
    assert names["plan"].solved and names["shorter"].verdict.free and plan.endswith("True\n")
    assert "post" in stop and "into the stop" in stop
    assert re.match(r"\[\[\d \d\]", predict) and names["predictor"].alarmed().size
    assert contact == "4 [ 0.  0. 40.]\n"
    assert interfere == "plate post 5.0 mm deep\n"
    for code in snippets("python")[1:]:
        assert len(code.strip().splitlines()) <= 5


def write_bag(path, names, ready):
    """A bag of ROS 1: the first joint turns slowly, 100 readings a second, for half a second."""
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    kind = store.types["sensor_msgs/msg/JointState"]
    header, stamp = store.types["std_msgs/msg/Header"], store.types["builtin_interfaces/msg/Time"]
    none = np.zeros(0)
    with Writer(path) as bag:
        topic = bag.add_connection("/joint_states", kind.__msgtype__, typestore=store)
        for k in range(50):
            at = stamp(sec=100, nanosec=10_000_000 * k)
            q = ready + 0.002 * k * np.eye(len(ready))[0]
            message = kind(header(k, at, ""), names, q, none, none)
            raw = store.serialize_ros1(message, kind.__msgtype__)
            bag.write(topic, 100 * 10**9 + 10_000_000 * k, raw)


def write_ros2_bag(path, names, ready):
    """A folder of ROS 2 with the same motion."""
    store, messages = stream_bags.store_of("sqlite"), []
    for k in range(50):
        at, q = 100 * 10**9 + 10_000_000 * k, ready + 0.002 * k * np.eye(len(ready))[0]
        message = stream_bags.joint_state(store, names, q, stamp=divmod(at, 10**9))
        messages.append((at, "/joint_states", stream_bags.JOINT_STATE, message))
    stream_bags.write_bag(path, "sqlite", messages)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The files that the commands name, small ones."""
    here = tmp_path_factory.mktemp("commands")
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("table", so.Box((0.6, 1.6, 0.04)), so.pose((0.65, 0.0, 0.1)))
    ready = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 2.3, 0.785, 0.02])
    cell.set_state(ready)
    cell.save(here / "cell.toml")
    write_path(here / "path.csv", cell, [ready, ready + 0.3 * np.eye(8)[0]])
    goal = dict(zip(cell.joints, (ready + 0.5 * np.eye(8)[0]).tolist()))
    (here / "goal.json").write_text(json.dumps({"waypoints": [goal]}))
    for robot in ("robot", "left", "right"):
        (here / f"{robot}.urdf").write_text(so.robots.model_path("panda").read_text())
    (here / "robot.srdf").write_text(so.robots.model_path("panda").with_suffix(".srdf").read_text())
    verdict = so.PathChecker(cell).segment(ready, ready + 0.1)
    verdict.certificate().save(here / "proof.json", cell=cell)
    write_bag(here / "run.bag", [name.partition("/")[2] for name in cell.joints], ready)
    write_ros2_bag(here / "my_bag", [name.partition("/")[2] for name in cell.joints], ready)
    write_stl(here / "a.stl", *box_arrays(90.0, 90.0, 90.0))
    write_stl(here / "b.stl", *box_arrays(90.0, 90.0, 90.0, centre=(80.0, 80.0, 80.0)))
    return here


@pytest.mark.parametrize("block", snippets("sh"), ids=lambda block: commands_of(block)[0])
def test_every_command_does_what_it_says(folder, block):
    """One after the other: some read what one before them wrote."""
    for command in commands_of(block):
        if command not in ELSEWHERE and command not in ALONE:
            run_command(folder, command)


def run_command(folder, command):
    name, *rest = shlex.split(command)
    if name == "python":
        assert (ROOT / rest[0]).is_file()
        words = [sys.executable, ROOT / rest[0], *rest[1:]]
    else:
        assert name == "standoff"
        words = [STANDOFF, *rest]
    run = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=600)
    wanted = 1 if rest[0] == "interfere" else 0  # the two cubes overlap
    assert run.returncode == wanted, command + run.stdout + run.stderr
    assert run.stdout.strip()
    for option, file in pairwise(rest):
        if option in ("--plot", "--certificate", "--out", "--picture", "--report", "--to"):
            assert (folder / file).exists()


def test_make_demo_shows_the_demo(tmp_path):
    """In a folder where everything has been installed."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "standoff").symlink_to(STANDOFF)
    (tmp_path / ".venv" / "base").touch()
    run = subprocess.run(
        ["make", "-f", ROOT / "Makefile", "demo"],
        cwd=tmp_path, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert "front_table" in run.stdout and (tmp_path / "clearance.png").is_file()


@contextlib.contextmanager
def started(command, folder):
    """A command that runs until Ctrl-C, and what it has said so far."""
    said = []
    process = subprocess.Popen(
        [STANDOFF, *shlex.split(command)[1:]],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        # Who runs in the background, as tests may, is deaf to Ctrl-C, and so is who it starts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    reader = threading.Thread(target=lambda: said.extend(iter(process.stdout.readline, "")))
    reader.start()
    try:
        yield process, said
        process.send_signal(signal.SIGINT)
        process.wait(300)
    finally:
        process.kill()
        reader.join()
        process.stdout.close()


def waited_for(pattern, process, said, meanwhile=lambda: None):
    """The match of a pattern in what a command says."""
    for _ in range(6000):
        if found := re.search(pattern, "".join(said)):
            return found
        assert process.poll() is None, said
        meanwhile()
        time.sleep(0.02)
    raise AssertionError(said)


def test_the_command_view_serves_a_page_until_ctrl_c(folder):
    pytest.importorskip("viser")
    with started("standoff view cell.toml", folder) as (process, said):
        address = waited_for(r"http://127\.0\.0\.1:\d+", process, said)[0]
        with urllib.request.urlopen(address, timeout=300) as page:
            assert page.status == 200 and b"<html" in page.read().lower()
    assert process.returncode == 0, said


@pytest.fixture
def zenoh_port():
    """Zenoh's usual port, which suites on one machine use by turns."""
    with open(Path(tempfile.gettempdir()) / "standoff-zenoh-port", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield 7447


def test_the_command_watch_hears_a_robot_over_zenoh_until_ctrl_c(folder, zenoh_port):
    pytest.importorskip("zenoh")
    with socket.socket() as s:
        if s.connect_ex(("127.0.0.1", zenoh_port)) == 0:
            pytest.skip("somebody else listens at Zenoh's usual port")
    cell = so.Cell.load(folder / "cell.toml")
    joints = dict(zip(cell.joints, cell.q.tolist(), strict=True))

    def say():
        session.put("cell/joint_states", json.dumps({"time": time.time(), "joints": joints}))

    session = open_session(Link(connect=(f"tcp/127.0.0.1:{zenoh_port}",)))
    command = "standoff watch cell.toml --from zenoh:cell/joint_states"
    try:
        with started(command, folder) as (process, said):
            waited_for(r"SAFE|WARNING", process, said, say)
    finally:
        session.close()
    assert re.search(r"\d+ cycles in .* interrupted", "".join(said)), said
    assert process.returncode in (0, 1, 3, 4), said  # a busy machine may make it STALE


def test_what_is_left_out_is_there_to_be_left_out():
    assert set(ELSEWHERE) | set(ALONE) <= set(commands())


def test_the_extras_and_targets_it_names_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    named = re.findall(r"pip install '\.\[(.*?)\]'", README)
    assert named and set(",".join(named).split(",")) <= set(project["optional-dependencies"])
    makefile = (ROOT / "Makefile").read_text()
    for target in set(re.findall(r"\bmake (\w+)", "\n".join(snippets("sh")))) | {"docs"}:
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_every_file_it_points_to_is_there():
    for link in re.findall(r"\]\((?!http|#)([^)\s]+)\)", README):
        assert (ROOT / link.partition("#")[0]).is_file(), link


def test_the_picture_of_the_first_screen_moves():
    (link,) = re.findall(r"!\[.*?\]\((.*?)\)", README)
    with Image.open(ROOT / link) as picture:
        assert picture.n_frames > 20 and picture.width >= 600
    assert (ROOT / link).stat().st_size < 1_000_000


#: Where each figure of the README's table comes from: its row and column there (1: ours, 2: the
#: peers'), what stands around it, and the section, row and column of docs/benchmarks.md; of a
#: median and a percentile which of the two.
MONITOR, EDGES, PLANNING, CONTACT = "The monitor", "Edges of a path", "Planning", "Contact"
OURS, MEDIAN = "Standoff, RRT-Connect", "median / 95 % [ms]"
DEFAULT = "OMPL, 0.01 of extent (its default)"
FIGURES = [
    ("one cycle of the monitor, two arms of 7 capsules among 21 boxes", [
        (1, "** µs**", MONITOR, "21 boxes", "Standoff", 0),
        (2, "MuJoCo **", MONITOR, "21 boxes", "MuJoCo 4.0.0", 0),
        (2, "Coal **", MONITOR, "21 boxes", "Coal", 0),
    ]),
    ("… among 10,000 boxes", [
        (1, "** µs**", MONITOR, "10,000 boxes", "Standoff", 0),
        (2, "MuJoCo **", MONITOR, "10,000 boxes", "MuJoCo 4.0.0", 0),
        (2, "Coal **", MONITOR, "10,000 boxes", "Coal", 0),
    ]),
    ("… its 99.9th percentile, 21 boxes", [
        (1, "** µs", MONITOR, "21 boxes", "Standoff", 1),
        (2, "MuJoCo **", MONITOR, "21 boxes", "MuJoCo 4.0.0", 1),
        (2, "Coal **", MONITOR, "21 boxes", "Coal", 1),
    ]),
    ("a motion of 1 to 3 rad of a Panda proved free, in a batch", [
        (1, "** µs**", EDGES, "capsules, free", "Standoff", 0),
        (2, "HPP, which proves it too, **", EDGES, "capsules, free", "HPP", 0),
        (2, "MuJoCo, which samples it, **", EDGES, "capsules, free", "MuJoCo", 0),
    ]),
    ("a path of a Panda, median of ** problems", [
        (0, "median of ** problems", PLANNING, OURS, "capsules: solved", 0),
        (1, "** ms**, all proved", PLANNING, OURS, MEDIAN, 0),
        (2, "at 0.01 rad, ** ms", PLANNING, "OMPL, 0.01 rad", MEDIAN, 0),
        (2, "** solved", PLANNING, "OMPL, 0.01 rad", "capsules: solved", 0),
        (2, "at its default ** ms", PLANNING, DEFAULT, MEDIAN, 0),
        (2, "** of", PLANNING, DEFAULT, "refuted", 0),
        (2, "of ** paths", PLANNING, DEFAULT, "capsules: solved", 0),
    ]),
    ("contacts and forces of six bodies, poses and velocities as arrays", [
        (1, "** µs", CONTACT, "… poses and velocities as one array each", "all six may move", 0),
        (2, "MuJoCo **", CONTACT, "MuJoCo 4.0.0: `mj_collision`", "all six may move", 0),
    ]),
]  # fmt: skip
NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def measured(section, row, column, which):
    """A figure of the document; a name that rows or columns share is that of the first."""
    text = (ROOT / "docs" / "benchmarks.md").read_text()
    (body,) = re.findall(rf"^## {re.escape(section)}\b.*?\n(.*?)(?=^## |\Z)", text, re.S | re.M)
    heads = []
    for line in body.splitlines():
        found = cells_of(line) if line.startswith("|") else []
        if column in found:
            heads = found
        elif heads and found and found[0] == row:
            return re.findall(NUMBER, found[heads.index(column)])[which]
    raise AssertionError(f"{section}: no {row!r}, {column!r}")


def wrong_figures(readme):
    """Figures of the table that are not what was measured, and those that nothing is said of."""
    (table,) = re.findall(r"\n\| \| Standoff \| peers.*?\n\|[-|]+\n((?:\|.*\n)+)", readme)
    rows = [cells_of(line) for line in table.splitlines()]
    wrong = [] if len(rows) == len(FIGURES) else ["rows"]
    for row, (name, figures) in zip(rows, FIGURES, strict=False):
        if not re.fullmatch(re.escape(name).replace(r"\*\*", NUMBER), row[0]):
            wrong.append(row[0])
        left = list(row)
        for column, around, *where in figures:
            before, after = around.split("**", 1)
            pattern = rf"{re.escape(before)}(?<![\d.])({NUMBER}){re.escape(after)}(?!\d)"
            said = re.findall(pattern, row[column])
            if said != [measured(*where)]:
                wrong.append((row[0], around, said, measured(*where)))
            left[column] = re.sub(pattern, lambda m: m[0].replace(m[1], ""), left[column])
        # What a method is called by is no figure.
        wrong += re.findall(NUMBER, left[1]) + re.findall(NUMBER, left[2].replace("0.01 rad", ""))
    return wrong


def test_the_figures_of_the_table_are_those_of_the_benchmarks():
    assert wrong_figures(README) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("**4.0 µs** | MuJoCo 7.9, Coal 57", "**1.1 µs** | MuJoCo 93, Coal 356"),
        ("MuJoCo 7.9, Coal 57", "MuJoCo 57, Coal 7.9"),
        ("**9.7 µs**", "**0.19 µs**"),
        ("49 of 395", "9 of 396"),
        ("**2.1 ms**, all", "**2 ms**, all"),
        ("38 µs | MuJoCo 61", "6 µs | MuJoCo 293"),
        ("3.5 µs", "3 µs"),
        ("poses and velocities as arrays | 3.5", "poses and velocities by name | 3.5"),
        ("MuJoCo 1.26", "MuJoCo 1.26, Coal 8.0"),
    ],
)
def test_another_figure_of_the_benchmarks_in_its_place_in_the_table_is_seen(old, new):
    assert old in README
    assert wrong_figures(README.replace(old, new, 1))
