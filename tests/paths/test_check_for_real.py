"""`standoff check` from end to end: the page about it, its example, and what they promise."""

import json
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

import standoff as so
from tests.cli.test_check import DOWN, UP, panda_and_table, write_path
from tests.test_docs import DOCS
from tests.worlds.command_line import PNG, ROOT, STANDOFF, run


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The folder in which the page's example has been run."""
    folder = tmp_path_factory.mktemp("page")
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "checking-paths.md").read_text(), re.S)
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return folder


def commands():
    (block,) = re.findall(r"```sh\n(.*?)```", (DOCS / "checking-paths.md").read_text(), re.S)
    return [shlex.split(line) for line in block.splitlines()]


def in_folder(folder, args):
    """The arguments with the files where they are; commands run at the top of the repository."""
    return [str(folder / a) if re.fullmatch(r"[\w.]+\.(toml|csv|png|json)", a) else a for a in args]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_the_commands_of_the_page_do_as_it_says(page, command):
    assert command[0] == "standoff"
    result = run(*in_folder(page, command[1:]))
    assert "Traceback" not in result.stderr
    free = "over.csv" in command
    assert result.returncode == (0 if free else 1), result.stderr
    if "--json" in command:
        assert json.loads(result.stdout)["verdict"] == "free"
    elif free:
        assert result.stdout.startswith("free:")
    else:
        assert re.match(r"(collision|too close): .*arm/panda_.*post", result.stdout)
        assert (page / "clearance.png").read_bytes().startswith(PNG)
    if "--certificate" in command:
        proof = so.Certificate.load(page / "proof.json")
        verified = so.verify(so.Cell.load(page / "cell.toml"), proof)
        assert verified.verified and verified.kind == "free", verified.reason
        assert proof.clearance == 0.005


def test_the_shown_configuration_is_where_it_says(page):
    result = run("check", page / "cell.toml", page / "straight.csv", "--json", "--first")
    said = json.loads(result.stdout)
    rows = np.loadtxt(page / "straight.csv", delimiter=",", skiprows=1)
    t = said["t"]
    assert list(said["q"].values()) == pytest.approx((1 - t) * rows[0] + t * rows[1])
    gap = np.array(said["point_a"]) - np.array(said["point_b"])
    assert np.linalg.norm(gap) == pytest.approx(abs(said["distance"]), abs=1e-6)
    assert said["distance"] <= said["clearance"] + said["tolerance"]
    assert 0.0 < said["free_until"] <= t
    assert "post" in said["pair"]


def test_a_path_that_starts_in_collision(tmp_path):
    panda_and_table().save(tmp_path / "cell.toml")
    path = write_path(tmp_path / "p.csv", DOWN, UP)
    result = run("check", tmp_path / "cell.toml", path)
    assert result.returncode == 1
    assert result.stdout.startswith("collision: the path starts in collision: arm/panda_")
    assert "table" in result.stdout.splitlines()[0]
    assert re.search(r"where +segment 0, t = 0 \(from waypoint 0 to 1", result.stdout)
    said = json.loads(run("check", tmp_path / "cell.toml", path, "--json").stdout)
    assert said["t"] == said["segment"] == said["free_until"] == 0 and said["distance"] < 0.0
    assert list(said["q"].values()) == DOWN


@pytest.mark.parametrize(("name", "status"), [("over", 0), ("straight", 1)])
def test_a_reader_that_goes_away_changes_no_verdict(page, name, status):
    """As ``head`` does: no traceback, and the exit status is that of the verdict."""
    reading, writing = os.pipe()
    os.close(reading)
    result = subprocess.run(
        [STANDOFF, "check", page / "cell.toml", page / f"{name}.csv"],
        stdout=writing, stderr=subprocess.PIPE, text=True, cwd=ROOT, timeout=300,
    )  # fmt: skip
    os.close(writing)
    assert result.returncode == status and "Broken" not in result.stderr, result.stderr
    assert "Traceback" not in result.stderr and "Exception" not in result.stderr


@pytest.mark.parametrize(
    "options",
    [("--clearance", "nan"), ("--tolerance", "-1"), ("--deviation", "-0.1"), ("--budget", "0")],
)
def test_options_that_make_no_sense(tmp_path, options):
    panda_and_table().save(tmp_path / "cell.toml")
    path = write_path(tmp_path / "p.csv", UP, UP)
    result = run("check", tmp_path / "cell.toml", path, *options)
    assert result.returncode == 2 and "Traceback" not in result.stderr
    assert options[0].strip("-") in result.stderr


def test_the_example_runs_and_leaves_its_files(tmp_path):
    example = ROOT / "examples" / "01_check_a_path.py"
    result = subprocess.run(
        [sys.executable, example, tmp_path], capture_output=True, text=True, timeout=300
    )
    assert result.returncode == 0, result.stderr
    said = result.stdout
    assert re.search(r"straight: (collision|too_close)\n  arm/panda_\w+ and post", said)
    assert "over: free" in said and "nearest of" in said
    assert so.Cell.load(tmp_path / "cell.toml").joints
    assert (tmp_path / "over.csv").is_file()
