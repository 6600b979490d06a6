"""The commands ``watch`` and ``replay``, as one types them."""

import errno
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

import standoff as so
from standoff.cli import app
from standoff.errors import Error, StreamError
from standoff.papers.testbed import BUFFER
from standoff.streams.open_stream import check_not_own_topics, sink_of
from standoff.streams.record.replay import Replay
from tests.oracles.all_distances import all_distances
from tests.worlds.watch_worlds import new_cell, sliders, task


def write_csv(path, Q, columns=slice(None), period=0.05):
    with path.open("w") as file:
        print("time", *new_cell().joints[columns], sep=",", file=file)
        for k, q in enumerate(Q):
            print(1.0 + period * k, *map(float, q[columns]), sep=",", file=file)
    return str(path)


def called(*arguments):
    return CliRunner().invoke(app, [str(a) for a in arguments])


def test_from_a_file_to_a_verdict_and_back(tmp_path):
    source = write_csv(tmp_path / "run.csv", task(2))
    result = called(
        "watch", "testbed", "--from", source, "--buffer", BUFFER, "--to", "plain",
        "--to", f"mcap:{tmp_path / 'run.mcap'}", "--to", tmp_path / "run.jsonl",
        "--report", tmp_path / "near.html",
    )  # fmt: skip
    assert result.exit_code == 1, result.output
    assert "first warning at 8.450 s: left/link7 – front_table" in result.output
    assert "150 cycles" in result.output and "WARNING" in result.output
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert lines[-1]["state"] == "WARNING" and lines[-1]["warnings"][0]["b"] == "front_table"
    assert "<html" in (tmp_path / "near.html").read_text()
    again = called("replay", tmp_path / "run.mcap", "--verify")
    assert again.exit_code == 0, again.output
    assert "the same, bit for bit, in all 150 cycles" in again.output
    assert called("replay", tmp_path / "run.mcap").exit_code == 1


def test_two_files_each_with_an_arm(tmp_path):
    left = write_csv(tmp_path / "left.csv", task(1)[:200], slice(0, 7))
    right = write_csv(tmp_path / "right.csv", task(1)[:200:2], slice(7, 14), period=0.1)
    result = called("watch", "testbed", "--from", left, "--from", right, "--max-age", 0.3)
    assert result.exit_code == 0, result.output
    assert "SAFE all along" in result.output


def test_half_of_the_joints_are_not_enough(tmp_path):
    left = write_csv(tmp_path / "left.csv", task(1)[:50], slice(0, 7))
    result = called("watch", "testbed", "--from", left)
    assert result.exit_code == 3 and "--rest" in result.output
    assert "no values for: right/joint1, right/joint2" in result.output
    assert "unknown names" not in result.output
    assert called("watch", "testbed", "--from", left, "--rest").exit_code == 0


def test_names_of_another_robot_are_told(tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("time,w0,w1,w2,w3,w4\n" + "".join(f"{k},0,0,0,0,0\n" for k in range(9)))
    result = called("watch", "testbed", "--from", other)
    assert result.exit_code == 3
    assert "has unknown names: w0, w1, w2, w3 and 1 more" in result.output
    assert "no values for: left/joint1, left/joint2, left/joint3, left/joint4 and 10 more" in (
        result.output
    )


def test_while_all_is_well_the_nearest_pair_is_shown(tmp_path):
    Q = task(1)[:60]
    source = write_csv(tmp_path / "run.csv", Q)
    result = called("watch", "testbed", "--from", source, "--buffer", BUFFER, "--to", "plain")
    lines = [line for line in result.output.splitlines() if line.startswith("SAFE ")]
    assert len(lines) >= 3
    cell = new_cell()
    for line in lines:
        k = round((float(line.split()[1]) - 1.0) / 0.05)
        apart = {
            (a, b): distance
            for (a, b), distance in all_distances(cell, cell.tree.forward(Q[k])).items()
            if a.partition("/")[0] != b.partition("/")[0]
            and not ("link1" in a + b and "pedestal" in a + b)
        }
        told = line.partition("nearest ")[2].partition("  ")[0]
        names, _, far = told.removesuffix(" mm").rpartition(" ")
        least = 1e3 * min(apart.values())
        if names.endswith(" ≤"):  # the machine was too busy to look again
            names = names.removesuffix(" ≤")
            assert float(far) >= least - 0.06
        else:
            assert float(far) == pytest.approx(least, abs=0.06)
        a, b = names.split(" – ")
        of_it = apart.get((a, b), apart.get((b, a)))
        assert 1e3 * of_it == pytest.approx(float(far), abs=0.06)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ([], "nothing to watch"),
        (["--from", "nonsense"], "not a source"),
        (["--from", "csv:none.csv"], "none.csv"),
        (["--from", "csv:none.csv", "--speed", "fast"], "speed"),
        (["--from", "csv:none.csv", "--buffer", "-1"], "buffer"),
    ],
)
def test_what_makes_no_sense_is_said_so(arguments, words):
    result = called("watch", "testbed", *arguments)
    assert isinstance(result.exception, Error) and words in str(result.exception)


def test_a_target_that_is_a_source_is_refused(tmp_path):
    source = write_csv(tmp_path / "run.csv", task(1)[:5])
    result = called("watch", "testbed", "--from", f"csv:{source}", "--to", f"mcap:{source}")
    assert "its own input" in str(result.exception)
    assert (tmp_path / "run.csv").read_text().startswith("time")


@pytest.mark.parametrize(
    "bad", [("--on-warning", "no-such-program"), ("--to", "zenoh:"), ("--to", "zenoh:a//b")]
)
def test_a_watch_that_is_refused_spoils_no_file(tmp_path, bad):
    """Also not one that stands before what is wrong."""
    source = write_csv(tmp_path / "run.csv", task(1)[:5])
    record, lines = tmp_path / "old.mcap", tmp_path / "old.jsonl"
    sinks = ("--to", f"mcap:{record}", "--to", f"jsonl:{lines}")
    for path in (record, lines):
        path.write_bytes(b"x" * 1_000_000)
    result = called("watch", "testbed", "--from", source, *sinks, *bad)
    assert isinstance(result.exception, Error), result.output
    for path in (record, lines):
        assert path.read_bytes() == b"x" * 1_000_000
    assert called("watch", "testbed", "--from", source, *sinks).exit_code == 0
    assert called("replay", record, "--verify").exit_code == 0
    assert all(json.loads(line) for line in lines.read_text().splitlines())


def test_a_watch_of_nothing_leaves_nothing_of_before(tmp_path):
    """Lines of another run would be taken for those of this one."""
    source = write_csv(tmp_path / "run.csv", [])
    lines = tmp_path / "old.jsonl"
    lines.write_text("{}\n" * 100)
    assert called("watch", "testbed", "--from", source, "--to", lines).exit_code == 3
    assert lines.read_text() == ""


def test_help_has_examples_and_the_exit_status():
    for command in ("watch", "replay"):
        text = called(command, "--help").output
        assert "Example" in text and "Exit status" in text


def test_a_watch_is_looked_at_while_it_runs(tmp_path, monkeypatch):
    """What the page is told: every state the watch was in, and the joints with it."""
    pytest.importorskip("viser")
    from standoff.view.live import LivePage

    told, pages, whys = [], [], []
    before = LivePage.show

    def show(page, cell, q, poses, cycle, **rest):
        told.append((rest["state"], q.copy(), rest["time"]))
        whys.append((rest["state"], rest["reasons"], rest["spent"]))
        if not pages:
            pages.append(urllib.request.urlopen(page.address, timeout=300.0).status)
        before(page, cell, q, poses, cycle, **rest)

    monkeypatch.setattr(LivePage, "show", show)
    Q = task(2)[-30:]
    source = write_csv(tmp_path / "run.csv", Q, period=0.02)
    result = called(
        "watch", "testbed", "--from", source, "--buffer", BUFFER, "--view", "--port", 0,
        "--max-speed", 100,
    )  # fmt: skip
    assert result.exit_code == 1 and pages == [200], result.output
    assert "The page is at http://127.0.0.1:" in result.output
    assert [state for state, _, _ in told][-1] == "WARNING"
    assert {"SAFE", "WARNING"} <= {state for state, _, _ in told}
    assert (told[-1][1] == Q[-1]).all() and told[-1][2] == 1.0 + 0.02 * 29
    # What it says of its reasons, and how long its cycles took; pairs have a list of their own.
    assert any(0.0 < spent < 1e7 for _, _, spent in whys)
    for state, reasons, _ in whys:
        assert bool(reasons) == (state not in ("SAFE", "WARNING"))


def test_the_page_of_a_watch_is_told_who_is_waited_for(tmp_path, monkeypatch):
    pytest.importorskip("viser")
    from standoff.view.live import LivePage

    told = []
    monkeypatch.setattr(LivePage, "show", lambda page, *given, **rest: told.append(rest))
    file, arms = tmp_path / "half.jsonl", new_cell().joints
    half = json.dumps(dict.fromkeys(arms[:7], 0.0))
    file.write_text("".join(f'{{"time": {0.05 * k}, "joints": {half}}}\n' for k in range(5)))
    called("watch", "testbed", "--from", file, "--view", "--port", 0)
    stale = [rest for rest in told if rest["state"] == "STALE"]
    assert stale and all(f"waiting for {arms[7]}" in rest["reasons"][0] for rest in stale)


def test_no_sink_writes_over_what_is_read_or_over_another(tmp_path):
    """Whichever way source and sink are written, and whatever links lead to the file."""
    source = tmp_path / "v.jsonl"
    joints = json.dumps(dict(zip(new_cell().joints, task(1)[0].tolist())))
    text = "".join(f'{{"time": {0.05 * k}, "joints": {joints}}}\n' for k in range(5))
    source.write_text(text)
    (tmp_path / "soft.jsonl").symlink_to(source)
    (tmp_path / "hard.jsonl").hardlink_to(source)
    folder = tmp_path / "bag"
    folder.mkdir()
    (folder / "bag_0.mcap").write_bytes(b"\x89MCAP0\r\n")
    for given, sinks in (
        (source, [source]), (source, [f"jsonl:{source}"]), (f"jsonl:{source}", [source]),
        (source, [f"jsonl:{source}?every=0"]), (source, [f"mcap:{source}"]),
        (source, [tmp_path / "soft.jsonl"]), (source, [tmp_path / "hard.jsonl"]),
        (source, [f"jsonl:{tmp_path}/a", f"mcap:{tmp_path}/a"]),
        (folder, [folder / "bag_0.mcap"]),
        (f"bag:{folder / 'bag_0.mcap'}?topic=/a", [f"mcap:{folder / 'bag_0.mcap'}"]),
    ):  # fmt: skip
        result = called(
            "watch", "testbed", "--from", given, *(a for s in sinks for a in ("--to", s))
        )
        assert isinstance(result.exception, Error), (given, sinks, result.output)
        words = str(result.exception)
        assert "over its own input" in words or "two things in one file" in words, words
    assert source.read_text() == text and (folder / "bag_0.mcap").stat().st_size == 8


def test_rules_of_the_cell_file_are_told_where_they_do_nothing(tmp_path):
    source = write_csv(tmp_path / "run.csv", task(1)[:5])
    cell = new_cell()
    cell.map_stream("csv:*", ignore=["nobody*"])
    cell.map_stream("zenoh:*")
    cell.save(tmp_path / "cell.toml")
    result = called("watch", tmp_path / "cell.toml", "--from", source)
    assert "'zenoh:*' of the cell file is for none of" in result.output
    assert "names that no message had: nobody*" in result.output
    cell = new_cell()
    cell.map_stream("csv:*", scale={"left/jiont1": -1.0})
    cell.save(tmp_path / "cell.toml")
    result = called("watch", tmp_path / "cell.toml", "--from", source)
    assert result.exit_code == 3 and "scale of 'left/jiont1'" in result.output


def test_a_watch_that_never_began_says_so_and_nothing_that_does_not_help(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("time,somebody\n0,1\n1,2\n")
    result = called("watch", "testbed", "--from", path)
    assert result.exit_code == 3 and "nothing was watched" in result.output.splitlines()[-1]
    assert "in 0 cycles" not in result.output and "--rest" in result.output
    result = called("watch", "testbed", "--from", path, "--rest")
    assert result.exit_code == 3 and "no values from some source" in result.output
    assert "in 0 cycles" not in result.output and "--rest" not in result.output


def test_what_is_asked_is_looked_at_before_a_cell_is_opened(tmp_path):
    for asked in ([], ["--from", "csv:-", "--from", "jsonl:-"]):
        result = called("watch", "no_such_cell.toml", *asked)
        assert "--from" in str(result.exception), result.exception


def test_the_ramps_of_the_speed_scale_can_be_given(tmp_path):
    source = write_csv(tmp_path / "run.csv", task(2))
    record = tmp_path / "run.mcap"
    result = called(
        "watch", "testbed", "--from", source, "--buffer", BUFFER, "--to", record, "--stop", 0.01,
        "--retreat-stop", 0.002, "--retreat-slow", 0.02, "--slow", 0.03, "--hysteresis", 0.001,
    )  # fmt: skip
    assert result.exit_code == 1, result.output
    options = Replay(record).engine.options
    assert (options.retreat_stop, options.retreat_slow, options.hysteresis) == (0.002, 0.02, 0.001)
    assert "without slowing down first" not in result.output
    result = called("watch", "testbed", "--from", source, "--self", 0.001)
    assert "without slowing down first" in result.output


def test_own_links_that_are_near_by_design_get_a_hint(tmp_path):
    source = write_csv(tmp_path / "run.csv", task(1)[:20])
    close = called("watch", "testbed", "--from", source, "--buffer", 0.2)
    assert close.exit_code == 1 and "are nearer than the buffer all the time" in close.output
    hint = next(line for line in close.output.splitlines() if "own links" in line)
    assert "left/" in hint and "table" not in hint and "--self" in hint
    apart = called("watch", "testbed", "--from", source, "--buffer", 0.2, "--self", 0.001)
    assert "own links" not in apart.output


@pytest.mark.parametrize(
    ("source", "sink", "heard"),
    [
        ("zenoh:cell/**", "zenoh:cell/standoff", "cell/standoff/warnings and cell/standoff/state"),
        ("zenoh:**", "zenoh:cell", "cell/warnings and cell/state"),
        ("zenoh:arm?topic=cell/*/state", "zenoh:cell/standoff", "cell/standoff/state"),
        ("zenoh:?topic=cell/standoff/warnings", "zenoh:cell/standoff", "cell/standoff/warnings"),
        ("zenoh:cell/**?listen=tcp/127.0.0.1:0", "zenoh:cell/a?listen=tcp/127.0.0.1:0", "cell/a"),
        ("zenoh:cell/**/**", "zenoh:cell/standoff", "cell/standoff/state"),
    ],
)
def test_a_watch_that_would_hear_itself_is_refused(source, sink, heard):
    """Its own report is no message, so it was a fault, and the next report, without end."""
    pytest.importorskip("zenoh")
    with pytest.raises(StreamError, match="hear itself") as refused:
        check_not_own_topics(["zenoh:arm", source], ["plain", sink])
    assert heard in str(refused.value) and sink in str(refused.value)
    result = called("watch", "testbed", "--from", source, "--to", sink)
    assert isinstance(result.exception, StreamError) and heard in str(result.exception)


def test_a_watch_may_listen_beside_where_it_speaks():
    check_not_own_topics(
        ["zenoh:cell/joint_states", "zenoh:cell/*/joint_states", "zenoh:cell/*", "run.csv"],
        ["zenoh:cell/standoff", "run.jsonl", "terminal", "mcap:out?.mcap"],
    )


def test_options_of_a_sink_do_not_bring_the_summary_into_its_lines():
    assert sink_of("jsonl:-?every=5").standard and sink_of("jsonl:-").standard
    assert not sink_of("jsonl:a.jsonl?every=5").standard and not sink_of("plain").standard


def test_a_report_that_cannot_be_written_hides_no_verdict(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("standoff.view.watch.save_near_misses", full)
    source = write_csv(tmp_path / "run.csv", task(2))
    result = called(
        "watch", "testbed", "--from", source, "--buffer", BUFFER, "--report", tmp_path / "a.html"
    )
    assert result.exit_code == 4, result.output
    assert "No space left" in result.output and "an output failed" in result.output


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("where", ["> /dev/full", "2> >(true)", "2>&1 | head -1"])
def test_whatever_becomes_of_its_own_output_the_page_is_written(tmp_path, where):
    source = write_csv(tmp_path / "run.csv", task(1)[:50])
    page = tmp_path / "near.html"
    command = f"{sys.executable} -m standoff watch testbed --from {source} --to plain"
    shell = f"set -o pipefail; {command} --report {page} {where}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert done.returncode == (3 if "full" in where else 0), done
    assert "<html" in page.read_text()


def test_a_watch_until_the_last_joint_is_heard_of_is_not_safe_all_along(tmp_path):
    """1,200 of 1,300 cycles nothing was watched, with an arm inside a post: status 0."""
    cell = sliders("a", "b")
    cell.save(tmp_path / "cell.toml")
    rows = ["time,a/x,b/x"]
    rows += [f"{1 + 0.01 * k:.2f},{1.935 - 0.01 * max(k - 1000, 0):.3f}," for k in range(1200)]
    rows += [f"{13 + 0.01 * k:.2f},-0.055,0" for k in range(100)]
    source, page, record = (tmp_path / name for name in ("run.csv", "near.html", "run.mcap"))
    source.write_text("\n".join(rows))
    result = called(
        "watch", tmp_path / "cell.toml", "--from", source, "--to", record, "--to", "plain",
        "--report", page,
    )  # fmt: skip
    assert result.exit_code == 3, result.output
    again = called("replay", record, "--report", tmp_path / "again.html")
    assert again.exit_code == 3
    for said in (result.output, again.output):
        assert "SAFE all along" not in said
        end = said[said.index("not watched for 12.00 s, in 1,200 of 1,300 cycles") :]
        assert end.splitlines()[1].startswith("1,300 cycles in 12.99 s")
        assert "  not watched for 12.00 s\n" in end
    for text in (page.read_text(), (tmp_path / "again.html").read_text()):
        assert "No pair was too close" not in text
        assert text.index("not watched") < text.index("cycles</th>")


def test_robots_that_begin_one_after_the_other_are_watched_in_time(tmp_path):
    cell = sliders("a", "b")
    cell.save(tmp_path / "cell.toml")
    for name, offset in (("a", 0.0), ("b", 0.004)):
        rows = [f"time,{name}/x"] + [f"{1 + offset + 0.01 * k:.3f},0" for k in range(50)]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows))
    files = [text for name in "ab" for text in ("--from", tmp_path / f"{name}.csv")]
    result = called("watch", tmp_path / "cell.toml", *files)
    assert result.exit_code == 0, result.output
    assert "not watched for 0.00 s, in 1 of 100 cycles" in result.output


def panda_table(path, names):
    rows = ["time," + ",".join(names)]
    home = {"finger": 0.02, "joint4": -1.57, "joint6": 1.57}
    q = [next((x for word, x in home.items() if word in name), 0.0) for name in names]
    rows += [",".join(map(str, [round(1 + 0.01 * k, 2), *q])) for k in range(50)]
    path.write_text("\n".join(rows))
    return path


def test_joints_that_rest_because_they_are_misnamed_are_no_safe_watch(tmp_path):
    """7 of 8 joints came as fr3_*: SAFE all along, and their names never mentioned."""
    names = [*(f"fr3_joint{k}" for k in range(1, 8)), "panda_finger_joint1"]
    source, record = panda_table(tmp_path / "run.csv", names), tmp_path / "run.mcap"
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    cell.set_state([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.02])
    cell.save(tmp_path / "cell.toml")
    asked = ("watch", tmp_path / "cell.toml", "--self", 0.006, "--rest", "--from")
    result = called(*asked, source, "--to", record, "--to", "plain")
    assert result.exit_code == 3, result.output
    first = result.output.splitlines()[0]
    assert first.startswith("FAULT") and "fr3_joint1" in first and "panda_joint1" in first
    assert "has unknown names: fr3_joint1, fr3_joint2, fr3_joint3, fr3_joint4" in result.output
    assert "no values for: panda/panda_joint1" in result.output
    again = called("replay", record)
    assert again.exit_code == 3 and "has unknown names: fr3_joint1" in again.output
    # Joints that rest without a name that could mean them, and names of mimic joints, are fine.
    half = panda_table(tmp_path / "half.csv", ["panda_joint1", "panda_finger_joint2"])
    result = called(*asked, half)
    assert result.exit_code == 0 and "unknown names" not in result.output, result.output
    cell.map_stream("csv:*", ignore=["fr3_*"])
    cell.save(tmp_path / "cell.toml")
    assert called(*asked, source).exit_code == 0


def test_a_recording_at_2_hz_that_passes_through_a_post_is_not_safe(tmp_path):
    sliders("a").save(tmp_path / "cell.toml")
    rows = [f"{1 + 0.5 * k},{x}" for k, x in enumerate([0.7, 1.5, 2.5, 3.3, 3.3])]
    (tmp_path / "run.csv").write_text("\n".join(["time,a/x", *rows]))
    record, page = tmp_path / "run.mcap", tmp_path / "near.html"
    asked = ("watch", tmp_path / "cell.toml", "--from", tmp_path / "run.csv", "--report", page)
    for given, status, words in (
        ((), 1, "certified"), (("--between",), 1, "certified"),
        (("--no-between",), 0, "not certified"),
    ):  # fmt: skip
        result = called(*asked, *given, "--to", record)
        again = called("replay", record, "--report", tmp_path / "again.html")
        verified = called("replay", record, "--verify")
        assert result.exit_code == status == again.exit_code and verified.exit_code == 0
        for said in (result, again, verified):
            assert f"between readings: {words}" in said.output
        for text in (page.read_text(), (tmp_path / "again.html").read_text()):
            assert f"between readings</th><td>{words}" in text


def test_a_body_that_the_cell_does_not_have_is_named(tmp_path):
    """Its poses came, nothing was said of it, and the cell was SAFE all along."""
    sliders("a").save(tmp_path / "cell.toml")
    pose = {"position": [0, 0, 0]}
    lines = [
        {"time": 1 + 0.01 * k, "joints": {"a/x": 1.0}, "poses": {"person": pose, "dog": pose}}
        for k in range(5)
    ]
    (tmp_path / "run.jsonl").write_text("\n".join(map(json.dumps, lines)))
    asked = ("watch", tmp_path / "cell.toml", "--from", tmp_path / "run.jsonl")
    said = "the cell does not have, which are not watched: "
    result = called(*asked)
    assert result.exit_code == 0 and f"{said}person, dog" in result.output
    with (tmp_path / "cell.toml").open("a") as file:
        file.write('\n[[stream]]\nsource = "*"\nignore = ["person"]\n')
    assert f"{said}dog\n" in called(*asked).output


def test_no_advice_on_self_is_given_for_links_in_contact(tmp_path):
    """Links that overlapped by 54 mm all along were "perhaps by design: --self says …"."""
    asked = ("watch", "builtin:panda", "--from", tmp_path / "run.jsonl", "--rest", "--self")
    line = json.dumps({"time": 1.0, "joints": {"panda_finger_joint1": 0.02}})
    (tmp_path / "run.jsonl").write_text(line)
    result = called(*asked, "0.005")  # at 0 everywhere it is folded into itself
    own = [line for line in result.output.splitlines() if "own links" in line]
    assert own and all("[[allow]]" in line and "--self" not in line for line in own)


def test_a_contact_of_one_reading_lasts_to_the_next_in_the_report_too(tmp_path):
    """The summary said 0.50 s, the report 0.000 s."""
    sliders("a").save(tmp_path / "cell.toml")
    (tmp_path / "run.csv").write_text("time,a/x\n1.0,1.8\n1.5,1.95\n2.0,1.8\n2.5,1.8\n")
    page = tmp_path / "near.html"
    result = called(
        "watch", tmp_path / "cell.toml", "--from", tmp_path / "run.csv", "--report", page,
        "--no-between",
    )  # fmt: skip
    assert "CONTACT in 1 cycle, 0.50 s" in result.output
    rows = page.read_text().partition("<h2>Contacts</h2>")[2].partition("</table>")[0]
    assert "0.500 s" in rows and "0.000 s" not in rows


def test_a_contact_is_called_one(tmp_path):
    """A forearm inside a hand was "0.0 mm, parting", and the nearest had no names."""
    sliders("a").save(tmp_path / "cell.toml")
    way = [1.88, 1.89, 1.9, 1.91, 1.92, 1.93, 1.92, 1.91, 1.9, 1.89, 1.88]  # at 1.9 they touch
    rows = [f"{1 + 0.1 * k:.1f},{x}" for k, x in enumerate(way)]
    (tmp_path / "run.csv").write_text("\n".join(["time,a/x", *rows]))
    page = tmp_path / "near.html"
    result = called(
        "watch", tmp_path / "cell.toml", "--from", tmp_path / "run.csv", "--report", page,
        "--to", "plain", "--to", tmp_path / "run.jsonl", "--no-between",
    )  # fmt: skip
    assert result.exit_code == 1
    told = next(line for line in result.output.splitlines() if "CONTACT, overlap" in line)
    assert "mm or more  a/hand – wall approaching" in told
    assert "nearest pair: a/hand – wall, -30.0 mm at 1.500 s" in result.output
    said = next(line for line in result.output.splitlines() if "CONTACT in" in line)
    cycles = int(said.split()[2])
    assert 5 <= cycles <= 7 and f"0.{cycles}0 s, first at 1." in said and "a/hand – wall" in said
    assert f"contact in {cycles} cycles" in result.output.splitlines()[-2]
    text = page.read_text()
    assert "<h2>Contacts</h2>" in text and "30.0 mm" in text and "touched or overlapped" in text
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    for line in lines:
        close = any(w["distance"] <= 0.0 for w in line["warnings"])
        assert close == any("in contact" in r["text"] for r in line["reasons"])
