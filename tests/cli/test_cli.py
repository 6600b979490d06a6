"""The command as people type it."""

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import standoff
from standoff.errors import Error
from standoff.streams.record.mcap import McapWriter
from standoff.streams.sources.bag import Bag
from standoff.view.apart import _floored
from standoff.view.progress import status_line
from tests.worlds.command_line import ROOT, run
from tests.worlds.robot_files import EXAMPLES, example


def test_version():
    result = run("--version")
    assert result.returncode == 0 and result.stdout == f"standoff {standoff.__version__}\n"


@pytest.mark.parametrize(
    "command",
    [
        *[(), ("info",), ("apart",), ("demo",), ("interfere",), ("papers",), ("plan",)],
        *[("verify",), ("compile",)],
    ],
)
def test_help_has_an_example(command):
    result = run(*command, "--help")
    assert result.returncode == 0
    assert "Usage" in result.stdout
    if command:
        assert f"Example: standoff {command[0]}" in " ".join(result.stdout.split())


def test_info_on_the_shipped_cell_shows_all_there_is():
    result = run("info", "cells/two_arms.toml", "--pairs")
    assert result.returncode == 0, result.stderr
    for text in (
        "2 robots",
        "left/panda_joint1",
        "-2.8973",
        "rad",
        "mimics",
        "halfspace",
        "given each cycle",
        "stands still",
        "adjacent",
        "SRDF",
        "rigidly joined",
        "while it is held",
        "it rolls on the floor",
        "Pairs left to watch",
    ):
        assert text in result.stdout, text
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("model", standoff.robots.MODELS)
def test_info_on_each_shipped_model(model):
    result = run("info", f"builtin:{model}")
    assert result.returncode == 0, result.stderr
    assert "Joints" in result.stdout and "capsule" in result.stdout


def test_info_counts_what_the_library_counts():
    cell = standoff.Cell.load(ROOT / "cells" / "two_arms.toml")
    shown = run("info", "cells/two_arms.toml").stdout
    assert int(re.search(r"left to watch: (\d+)", shown).group(1)) == cell.pairs.count()
    assert int(re.search(r"Allowed pairs: (\d+)", shown).group(1)) == len(cell.allowed())


def test_help_has_its_units():
    """Brackets are markup to rich, unless they are escaped."""
    for command in ("apart", "check", "verify"):
        assert "[m]" in run(command, "--help").stdout


def test_apart_takes_a_real_robot_and_how_it_is_modelled(tmp_path):
    urdf, made = example(EXAMPLES["panda"]), tmp_path / "panda.toml"
    result = run("apart", urdf, "--geometry", "capsules", "--clearance", 0.01, "--allow", made)
    assert result.returncode == 0, result.stderr
    assert "45 watched pairs: 20 stay more than 10 mm apart" in result.stdout
    assert "e+" not in result.stdout
    cell = standoff.Cell.load(made)
    assert cell.pairs.count() == 25 and not cell.stale
    assert all("more than 10 mm apart" in why for why in cell.user_pairs.values())
    assert "25 watched pairs: 0 stay" in run("apart", made, "--clearance", 0.01).stdout


def test_apart_shows_three_lists_and_writes_a_cell(tmp_path):
    made = tmp_path / "panda.toml"
    result = run("apart", "builtin:panda", "--allow", made, "--budget", 1000)
    assert result.returncode == 0, result.stderr
    for text in ("44 watched pairs", "Proved apart", "Can touch", "Open", "panda_joint6", "1,000"):
        assert text in result.stdout, text
    proved = int(re.search(r"(\d+) can never touch", result.stdout).group(1))
    assert standoff.Cell.load(made).pairs.count() == 44 - proved < 44
    shown = run("info", made).stdout
    assert "proved apart within the joint limits by" in " ".join(shown.split())


@pytest.mark.parametrize(
    ("value", "shown"),
    [(10.0, "10"), (100.0, "100"), (12.345, "12.3"), (1999.9, "1990"), (0.0123456, "0.0123")],
)
def test_what_was_proved_is_rounded_down_and_plain(value, shown):
    assert _floored(value) == shown


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("apart", "gone.toml"), ["CellError", "gone.toml"]),
        (("apart", "builtin:panda", "--clearance", "-1"), ["clearance", "-1"]),
        (("apart", "builtin:panda", "--budget", "0"), ["budget", "0"]),
        (("apart", "builtin:panda", "--allow", "README.md/x.toml"), ["README.md"]),
        (("apart", "builtin:panda", "--clearance", "nan"), ["clearance", "nan"]),
        (("apart", "two_arms", "--geometry", "mesh"), ["two_arms", "--geometry mesh"]),
        (("apart", "builtin:panda", "--allow", "x.png"), ["x.png", ".toml"]),
        (("info", "gone.toml"), ["CellError", "gone.toml"]),
        (("papers", "1992"), ["1992", "000"]),
        (("papers", "000", "--out", "README.md/plots"), ["Error: cannot write", "README.md/plots"]),
        (("papers", "000", "--only", "speed"), ["speed", "cycle", "growing", "region"]),
        (("info", "gone.urdf"), ["RobotError", "gone.urdf"]),
        (("info", "builtin:pnada"), ["panda"]),
        (("info", "builtin:panda", "--geometry", "voxels"), ["voxels", "capsules"]),
        (("info", "README.md"), ["README.md"]),
        (("info", "cells/two_arms.toml", "--srdf", "nope.srdf"), ["two_arms.toml", "--srdf"]),
        (("info", "cells/two_arms.toml", "--geometry", "mesh"), ["two_arms.toml", "--geometry"]),
    ],
)
def test_bad_input_gets_one_message_and_status_2(args, words):
    result = run(*args)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr


def test_names_from_a_file_cannot_drive_the_terminal(tmp_path):
    """Markup and escape codes in a robot's names are shown, not obeyed."""
    urdf = tmp_path / "evil.urdf"
    urdf.write_text('<robot name="[red]x[nope]"><link name="[bold]a[blink]"/></robot>')
    result = run("info", urdf, "--unwatched")
    assert result.returncode == 0, result.stderr
    assert "[red]x[nope]" in result.stdout


@pytest.mark.parametrize("command", ["info", "watch", "check", "error"])
def test_names_that_look_like_markup_are_shown_as_they_are(tmp_path, command):
    """Codes of emoji too."""
    arm, box, cell = ":x:[red]", ":fire:[bold]", tmp_path / ":x:.toml"
    cell.write_text(
        f'standoff = 1\n[[robot]]\nname = "{arm}"\nurdf = "builtin:arm7"\n'
        f'[[body]]\nname = "{box}"\nshape = {{ box = {{ size = [9.0, 9.0, 0.1] }} }}\n'
    )
    joints = ",".join(f"{arm}/joint{k}" for k in range(1, 8))
    rows = tmp_path / ":x:[red].csv"
    rows.write_text("".join(f"{line}\n" for line in (
        f"time,{joints}", *(f"{0.1 * k:.1f},0,0,0,0,0,0,0" for k in range(4)))))  # fmt: skip
    if command == "info":
        shown = run("info", cell, "--pairs").stdout
        assert arm in shown and box in shown
    elif command == "error":
        result = run("info", tmp_path / ":x:[red].toml")
        assert ":x:[red].toml" in re.sub(r"\n", "", result.stderr)
    else:
        extra = ["--from", rows, "--to", "plain"] if command == "watch" else [rows]
        result = run(command, cell, *extra)
        assert f"{arm}/" in result.stdout and box in result.stdout


def test_every_console_leaves_codes_of_emoji_alone():
    for file in (Path(standoff.__file__).parent).rglob("*.py"):
        for made in re.findall(r"\bConsole\([^)]*\)", file.read_text()):
            assert "emoji=False" in made, file


@pytest.mark.parametrize("texts", [("[red]a :x:",), ("first", "[/red]b :fire:")])
def test_a_line_that_comes_and_goes_shows_names_as_they_are(texts):
    out = Console(force_terminal=True, file=io.StringIO(), emoji=False)
    with status_line(out) as tell:
        for text in texts:
            tell(text)
    assert texts[-1] in out.file.getvalue()


def test_names_from_a_bag_cannot_drive_the_terminal(tmp_path):
    nasty = "/a\x1b]0;x\x07\x1b[31m\u202e\nSAFE"
    writer = McapWriter(tmp_path / "esc.mcap", "x")
    writer.channel(nasty, "cdr", writer.schema("sensor_msgs/msg/JointState", "ros2msg", b""))
    writer.close()
    with pytest.raises(Error) as error:
        Bag(tmp_path / "esc.mcap", ["/nosuch"])
    assert str(error.value).isprintable() and "\\x1b[31m\\u202e\\x0aSAFE" in str(error.value)
    result = run("watch", "testbed", "--from", f"bag:{tmp_path}/\x1b[31m\u202e.bag")
    assert result.returncode == 2 and "\\x1b[31m\\u202e" in result.stderr
    assert "\x1b" not in result.stderr and "\u202e" not in result.stderr


def test_a_terminal_without_unicode_gets_question_marks_and_no_traceback():
    result = run("info", "cells/two_arms.toml", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert result.returncode == 0, result.stderr
    assert "left/panda_joint1" in result.stdout


def test_a_command_that_compiles_says_so_and_only_the_first_time(tmp_path):
    first = run(
        "info",
        "builtin:irb2400",
        "--geometry",
        "capsules",
        "--capsules-per-link",
        "1",
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    again = run(
        "info",
        "builtin:irb2400",
        "--geometry",
        "capsules",
        "--capsules-per-link",
        "1",
        NUMBA_CACHE_DIR=str(tmp_path),
    )
    assert first.returncode == again.returncode == 0
    assert "compiling kernels" in first.stderr and "once" in first.stderr
    assert "compiling" not in again.stderr
    assert first.stdout == again.stdout


def test_compile_fills_the_cache_and_says_how_long_it_took():
    for jobs, fresh in (("3", r"\d+"), ("1", "0")):
        result = run("compile", "--jobs", jobs)
        assert result.returncode == 0, result.stderr
        said = rf"\d+ kernels ready in [\d.]+ s \({fresh} compiled"
        assert re.search(said, result.stdout), result.stdout


def test_the_package_is_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "standoff", "--version"], capture_output=True, text=True, timeout=300
    )
    assert (result.returncode, result.stdout) == (0, run("--version").stdout), result.stderr
