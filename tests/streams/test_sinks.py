"""Where reports go: what each sink shows of them, when, and that names do no harm."""

import io
import itertools
import json
import math
import os
import subprocess
import sys

import pytest
from rich.console import Console

from standoff.errors import Error, StreamError
from standoff.streams import report_json
from standoff.streams.open_stream import open_sink, sink_of
from standoff.streams.report import Reason, State, Summary
from standoff.streams.report_json import report_line, state_line, warnings_line
from standoff.streams.shown import shown
from standoff.streams.sinks.json_lines import JsonLines
from standoff.streams.sinks.terminal import TerminalLines
from tests.worlds.stream_reports import hit, report

#: A name that clears the screen, breaks the line, turns writing round, and looks like markup.
NASTY = "\x1b[2J\n\r\x07\u202e[bold red]x[/bold red]:warning:<script>alert(1)</script>\ud800"


def quiet(n, step=0.01, **more):
    return [report(k + 1, step * k, **more) for k in range(n)]


@pytest.mark.parametrize("text", ["plain", "left/hand – über 日本", ""])
def test_what_can_be_printed_stays(text):
    assert shown(text) == text


def test_what_cannot_be_printed_is_written_out():
    out = shown(NASTY)
    assert out.isprintable() and out.startswith("\\x1b[2J\\x0a\\x0d\\x07\\u202e[bold red]")
    assert out.encode() and "\\ud800" in out
    assert len(shown("\x00" * 10_000)) == 200 and len(shown("x" * 10_000, 30)) == 30


def test_json_lines_has_each_warning_and_a_line_a_second(tmp_path):
    path = tmp_path / "new" / "run.jsonl"
    sink = JsonLines(str(path))
    warned = [150, 151, 203]
    for r in quiet(500):
        if r.number in warned:
            r = report(r.number, r.time, hit(0.01, 0, 1), changed=r.number != 151)
        sink.put(r)
        if r.number in warned:  # a reader sees it at once
            assert json.loads(path.read_text().splitlines()[-1])["number"] == r.number
    sink.flush()
    sink.close()
    sink.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["number"] for line in lines if line["state"] == "WARNING"] == warned
    times = [line["time"] for line in lines]
    assert times[0] == 0.0 and max(b - a for a, b in itertools.pairwise(times)) <= 1.0 + 1e-9
    assert len(lines) < 12
    warning = next(line for line in lines if line["warnings"])["warnings"][0]
    assert (warning["a"], warning["b"], warning["distance"]) == ("a", "b", 0.01)
    assert lines[0]["clearance"] is None  # infinite: JSON has no word for it
    with pytest.raises(StreamError, match="closed"):
        sink.put(report(1, 0.0))


def test_json_lines_can_have_every_cycle(tmp_path):
    sink = JsonLines(str(tmp_path / "all.jsonl"), every=0.0)
    for r in quiet(100):
        sink.put(r)
    sink.close()
    assert len((tmp_path / "all.jsonl").read_text().splitlines()) == 100


def test_json_lines_of_numbers_that_json_lacks_and_of_nasty_names(tmp_path):
    path = tmp_path / "x.jsonl"
    sink = JsonLines(str(path))
    bad = (Reason(State.FAULT, "unknown", NASTY, NASTY),)
    sink.put(
        report(
            1, 0.0, hit(math.nan, 0, 1, closing=math.inf), names=(NASTY, "b"), reasons=bad,
            ages={NASTY: math.inf},
        )
    )  # fmt: skip
    sink.close()
    raw = path.read_bytes()
    assert raw.count(b"\n") == 1 and raw.isascii() and b"\x1b" not in raw
    line = json.loads(raw, parse_constant=pytest.fail)
    assert line["warnings"][0]["a"] == NASTY and line["reasons"][0]["text"] == NASTY
    assert line["ages"] == {NASTY: None} and line["warnings"][0]["distance"] is None


def test_the_text_of_a_report_says_all_of_it_to_the_bit():
    made = report(
        7, 1e9 + 0.1, hit(-0.1 / 3.0, 0, 1), hit(0.2, 2, 3, closing=-1e-300), changed=True,
        ages={"csv:x": 0.1 + 0.2, "b": math.inf},
    )  # fmt: skip
    state = {
        "number": 7, "time": 1e9 + 0.1, "state": "WARNING", "changed": True,
        "clearance": -0.1 / 3.0, "scale": 0.0, "ages": {"csv:x": 0.1 + 0.2, "b": None},
        "reasons": [
            {"state": "WARNING", "kind": "warning", "element": r.element, "text": r.text}
            for r in made.reasons
        ],
    }  # fmt: skip
    warnings = [
        {
            "a": w.a, "b": w.b, "distance": w.distance, "threshold": w.threshold,
            "approaching": w.approaching, "closing_speed": w.closing_speed,
            "time_to_contact": None if math.isinf(w.time_to_contact) else w.time_to_contact,
            "point_a": w.point_a.tolist(), "point_b": w.point_b.tolist(),
            "normal": w.normal.tolist(), "when": w.when,
        }
        for w in made.cycle.warnings
    ]  # fmt: skip
    assert len(warnings) == 2
    assert json.loads(state_line(made)) == state
    assert json.loads(report_line(made)) == {**state, "warnings": warnings}
    assert json.loads(warnings_line(made)) == {
        "number": 7, "time": 1e9 + 0.1, "warnings": warnings,
    }  # fmt: skip
    without = report(8, 2.0, no_cycle=True)
    assert json.loads(report_line(without))["warnings"] == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_is_an_error_of_each_line_and_no_end():
    sink = JsonLines("/dev/full")
    for r in quiet(3, step=2.0):
        with pytest.raises(OSError):
            sink.put(r)
    sink.flush()
    sink.close()


def test_a_line_cut_short_spoils_no_other(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    sink = JsonLines(str(path))
    write, full = os.write, [False]

    def short(file, data):
        if full[0]:
            raise OSError(28, "No space left on device")
        full[0] = True
        return write(file, data[:20])

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(OSError):
        sink.put(report(1, 0.0, changed=True))
    monkeypatch.undo()
    sink.put(report(2, 0.1, changed=True))
    sink.close()
    first, second = path.read_text().splitlines()
    assert len(first) == 20 and json.loads(second)["number"] == 2


def test_json_lines_on_standard_output_come_at_once():
    code = (
        "import sys\nfrom tests.worlds.stream_reports import report\n"
        "from standoff.streams.open_stream import open_sink\n"
        "sink = open_sink('jsonl:-')\nsink.put(report(1, 0.0))\n"
        "sys.stdin.read()\nsink.close()\nprint('end')"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert json.loads(run.stdout.readline())["state"] == "SAFE"  # it still runs
    rest, _ = run.communicate("")
    assert rest == "end\n" and run.returncode == 0


def test_a_record_of_no_possible_name_is_refused_as_json_lines_are():
    """It was a ValueError of the operating system's call."""
    for where in ("a\0b.mcap", "a\ud800b.mcap"):
        with pytest.raises(StreamError, match="cannot be written"):
            open_sink(f"mcap:{where}")


@pytest.mark.parametrize("where", ["{}/a/file/x.jsonl", "{}", "\0"])
def test_json_lines_that_cannot_be_written_are_refused_at_once(tmp_path, where):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_text("")
    with pytest.raises(StreamError):
        JsonLines(where.format(tmp_path))


def lines_of(reports, *, terminal=False, plain=False, width=200):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=width, color_system="truecolor")
    sink = TerminalLines(console, plain=plain)
    for r in reports:
        sink.put(r)
    sink.close()
    sink.close()
    return out.getvalue()


def test_plain_lines_are_one_a_change_and_one_a_second():
    reports = quiet(301)
    reports[120] = report(121, 1.2, hit(0.0123, 0, 1, closing=0.25), changed=True)
    reports[121] = report(122, 1.21, changed=True)
    text = lines_of(reports)
    rows = text.splitlines()
    assert [row.split()[0] for row in rows] == ["SAFE", "SAFE", "WARNING", "SAFE", "SAFE"]
    assert "clearance 12.3 mm" in rows[2] and "a – b approaching at 0.25 m/s" in rows[2]
    assert "input 10 ms" in rows[2] and "speed 0 %" in rows[2]
    assert "\x1b" not in text


def test_a_terminal_has_one_line_in_place_and_one_for_each_change():
    reports = quiet(50)
    reports[20] = report(21, 0.2, hit(0.01, 0, 1), changed=True)
    text = lines_of(reports, terminal=True)
    assert "\x1b[1;31mWARNING" in text and text.count("WARNING") >= 2  # above, and in place
    assert "\r\x1b[2K" in text  # renewed where it was
    assert lines_of(reports, terminal=True, plain=True) == lines_of(reports)


def test_a_flickering_state_does_not_flood_a_terminal():
    reports = [
        report(k + 1, 0.001 * k, *([hit(0.01, 0, 1)] if k % 2 else []), changed=True)
        for k in range(3000)
    ]
    rows = lines_of(reports).splitlines()
    assert len(rows) <= 3 * 10 + 1
    assert any("changes before it, the worst WARNING" in row for row in rows)


@pytest.mark.parametrize("terminal", [False, True])
def test_a_name_commands_no_terminal(terminal):
    bad = (Reason(State.FAULT, "unknown", NASTY, f"unknown joint {NASTY}"),)
    r = report(
        1, 0.0, hit(0.01, 0, 1), names=(NASTY, "b"), state=State.FAULT, reasons=bad, changed=True,
        ages={NASTY: 1.0},
    )  # fmt: skip
    text = lines_of([r], terminal=terminal, width=1000)
    assert "\x1b[2J" not in text and "\x07" not in text and "\u202e" not in text
    assert "[bold red]x[/bold red]:warning:" in text  # neither markup nor an emoji
    assert "\\x1b[2J" in text
    if not terminal:
        assert text.count("\n") == 1


def test_why_a_state_is_what_it_is_is_shown_and_many_reasons_are_counted():
    many = tuple(Reason(State.STALE, "waiting", f"j{k}", f"waiting for j{k}") for k in range(9))
    r = report(1, 0.0, state=State.STALE, reasons=many, no_cycle=True, ages={"x": math.inf})
    (row,) = lines_of([r]).splitlines()
    assert row.startswith("STALE") and "waiting for j2" in row and "and 6 more" in row
    assert "input never" in row


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("jsonl:-", ("jsonl", "-")),
        ("jsonl:out/of:way.txt", ("jsonl", "out/of:way.txt")),
        ("run.JSONL", ("jsonl", "run.JSONL")),
        ("run.mcap", ("mcap", "run.mcap")),
        ("mcap:x", ("mcap", "x")),
        ("zenoh:cell/standoff", ("zenoh", "cell/standoff")),
        ("terminal", ("terminal", "")),
        ("plain", ("plain", "")),
    ],
)
def test_sinks_as_the_command_line_writes_them(text, kind):
    asked = sink_of(text)
    assert (asked.kind, asked.where) == kind


@pytest.mark.parametrize(
    "text", ["", ":", "run.txt", "ros:x", "jsonl:", "zenoh:", "zenoh:a//b", "zenoh:a/**", "mcap:",
             "zenoh:a?b", "terminal:x", "zenoh:/a"]
)  # fmt: skip
def test_what_is_no_sink_is_refused_with_what_is(text):
    with pytest.raises(StreamError) as error:
        open_sink(text)
    assert isinstance(error.value, Error)


def test_a_record_is_a_sink_too(tmp_path):
    sink = open_sink(f"mcap:{tmp_path / 'x.bin'}")
    assert type(sink).__name__ == "Recorder" and sink.path == tmp_path / "x.bin"
    sink.close()


def described(value, schema, where="update"):
    """Whether every field of a value is in its schema, with its type."""
    kinds = {
        "object": dict, "array": list, "number": (int, float), "integer": int, "string": str,
        "boolean": bool,
    }  # fmt: skip
    assert isinstance(value, kinds[schema["type"]]), where
    if isinstance(value, dict):
        for key, part in value.items():
            assert key in schema["properties"], f"{where}.{key}"
            described(part, schema["properties"][key], f"{where}.{key}")
    elif isinstance(value, list):
        for part in value:
            described(part, schema["items"], f"{where}[]")


def test_the_schema_of_markers_has_every_field_of_them():
    update = report_json.scene_update(report(1, 2.5, hit(0.01, 0, 1)))
    assert len(update["entities"]) == 1
    described(update, report_json.SCHEMAS["foxglove.SceneUpdate"])


def test_a_clearance_is_told_only_where_it_is_the_smallest():
    """Of pairs beyond their thresholds some are measured and some are not."""
    console = Console(file=io.StringIO(), width=200)
    lines = TerminalLines(console, plain=True, sure=0.03)
    safe = report(1, 1.0, clearance=0.0712, changed=True, took=0.00042)
    near = report(2, 2.0, hit(0.0523, 0, 1), hit(0.06, 1, 2), clearance=0.02, changed=True)
    unknown = report(3, 3.0, state=State.STALE, no_cycle=True, changed=True)
    summary = Summary()
    for one in (safe, near, unknown):
        lines.put(one)
        summary.add(one)
    rows = console.file.getvalue().splitlines()
    assert "clearance > 30.0 mm" in rows[0] and "cycle 0.42 ms" in rows[0]
    assert "clearance 52.3 mm" in rows[1] and "cycle" not in rows[1]
    assert "clearance" not in rows[2]
    assert [json.loads(report_line(one))["clearance"] for one in (safe, near, unknown)] == [
        None,
        0.0523,
        None,
    ]
    assert (summary.nearest, summary.nearest_at) == (0.0523, 2.0)
