"""A real Baxter at work, watched end to end: what the recordings lack is seen, and so is how near
the robot came to itself. Without the recordings, a made-up one of the same robot."""

import csv
import itertools
import json
import math

import numpy as np
import pytest
from typer.testing import CliRunner

import standoff as so
from standoff.cli import app
from tests.worlds.robot_files import EXAMPLES, example, shared

BUFFER, AGE = 0.05, 0.1

#: Real robots are faster than their URDF says, for a moment.
SPEED = 3.0


def watched(urdf, srdf, recording, folder, *more):
    """Exit status, lines of JSON and the page of a watch."""
    lines, page = folder / "run.jsonl", folder / "near.html"
    arguments = [
        "watch", urdf, "--srdf", srdf, "--from", f"csv:{recording}", "--buffer", BUFFER,
        "--max-speed", SPEED, "--to", f"jsonl:{lines}", "--report", page, *more,
    ]  # fmt: skip
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    told = [json.loads(line) for line in lines.read_text().splitlines()]
    return result.exit_code, told, page.read_text(encoding="utf-8")


def gaps(times):
    """From when to when nothing was said for longer than AGE."""
    return [(a, b) for a, b in itertools.pairwise(times) if b - a > AGE]


def check_stale(told, times):
    """STALE from AGE after the last word on until the first good reading has passed, and at no
    other time."""
    stale = [line["time"] for line in told if line["state"] == "STALE"]
    expected = gaps(times)
    assert expected
    for last, first in expected:
        assert any(math.isclose(t, last + AGE, abs_tol=1e-6) for t in stale)
        assert first in stale
    for t in stale:
        assert any(last + AGE - 1e-6 <= t <= first for last, first in expected), t
    if times[-1] > expected[-1][1]:  # the real ones end with the reading after the drop-out
        assert told[-1]["time"] > expected[-1][1] and told[-1]["state"] in ("SAFE", "WARNING")


@pytest.mark.parametrize(("number", "lacks"), [(1, 0.13), (2, 0.64)])
def test_drop_outs_and_clearance_of_a_real_recording(tmp_path, number, lacks):
    urdf, srdf = shared("baxter/baxter.urdf"), shared("baxter/baxter.srdf")
    recording = shared("").parent / "logs" / "baxter" / f"baxterArmMotion{number}"
    if not (urdf.exists() and recording.exists()):
        pytest.skip("Baxter and its recordings are not in the folder of STANDOFF_DATA")
    with recording.open() as file:
        names, *rows = csv.reader(file)
    Q = np.array(rows, float)
    times = Q[:, 0].tolist()
    status, told, page = watched(urdf, srdf, recording, tmp_path)
    ((last, first),) = gaps(times)
    assert first - last == pytest.approx(lacks, abs=0.01)
    assert (
        told[-1]["number"] == len(rows) + 1
    )  # a cycle in the drop-out, where the silence was too long
    check_stale(told, times)
    assert status == 4
    assert {line["state"] for line in told} == {"SAFE", "WARNING", "STALE"}
    assert page.count("<svg") == 2 and "drop-outs" in page and "silent" in page
    # The smallest clearance is that of the whole robot, all pairs measured by themselves.
    near = min((line for line in told if line["clearance"] is not None),
               key=lambda line: line["clearance"])  # fmt: skip
    cell = so.Cell()
    cell.add_robot(str(urdf), name="baxter", srdf=str(srdf))
    row = Q[times.index(near["time"])]
    joints = dict(zip(names, row.tolist()))
    cell.set_state([joints[name.partition("/")[2]] for name in cell.joints])
    whole = so.Monitor(cell, buffer=5.0, index="naive").update(cell.q)
    assert near["clearance"] == pytest.approx(whole.pairs[0][2], abs=1e-9)
    assert (near["warnings"][0]["a"], near["warnings"][0]["b"]) == whole.pairs[0][:2]


def test_drop_outs_of_a_made_up_recording_of_the_same_robot(tmp_path):
    urdf = example(EXAMPLES["baxter"])
    srdf = example("baxter_description/srdf/baxter_manipulation.srdf")
    cell = so.Cell()
    cell.add_robot(str(urdf), name="baxter", srdf=str(srdf))
    times = [0.01 * k for k in range(300) if not (100 < k < 113 or 200 < k < 264)]
    arms = [name for name in cell.joints if "left_" in name or "right_" in name]
    recording = tmp_path / "arms.csv"
    with recording.open("w") as file:
        print("time", *(name.partition("/")[2] for name in arms), sep=",", file=file)
        for t in times:
            q = np.clip(
                0.3 * np.sin(t + np.arange(len(cell.joints))), cell.tree.lower, cell.tree.upper
            )
            values = dict(zip(cell.joints, q.tolist()))
            print(t, *(values[name] for name in arms), sep=",", file=file)
    status, told, page = watched(urdf, srdf, recording, tmp_path, "--rest", "--self", 0.001)
    assert [round(b - a, 6) for a, b in gaps(times)] == [0.13, 0.64]
    check_stale(told, times)
    assert status in (3, 4) and not [line for line in told if line["state"] == "FAULT"]
    assert page.count("STALE") > 2
