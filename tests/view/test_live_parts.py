"""The parts of the live page, without a browser."""

from __future__ import annotations

import asyncio
import io
import math
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

import standoff as so
from standoff.cell.nearest_pair import NearPair
from standoff.cell.shipped import shipped_cell
from standoff.cli import app
from standoff.paths.path_file import PathFile
from standoff.view.check import check
from standoff.view.live import server
from standoff.view.live.cell_page import standing
from standoff.view.live.commands import Serving
from standoff.view.live.page import LivePage, by_name, received, send
from standoff.view.live.path_page import PathPage
from standoff.view.live.seen import Mark, Seen, seen
from standoff.view.live.server import address, close, open_server, welcome
from standoff.view.live.sign import Sign, banner_html
from standoff.view.live.style import AMBER, STATES
from standoff.view.live.ticking import enduring
from standoff.view.live.timeline import Timeline
from tests.worlds.turntable import WALL, turntable, way

ROOT = Path(__file__).parents[2]


@pytest.fixture
def served():
    pytest.importorskip("viser", reason="viser is not installed: no live page")
    server = open_server("x", port=0)
    yield server
    close(server)


@pytest.mark.parametrize(
    ("clearance", "tolerance", "deviation", "kind"),
    [
        (0.0171, 0.005, 0.0, "too_close"),
        (0.017, 0.01, 0.0, "too_close"),
        (0.0, 0.001, 0.0, "free"),
        (0.02, 0.001, 0.0, "too_close"),
        (0.0171, 0.001, 0.2, None),  # which of those that are not free, is the checker's affair
    ],
)
def test_the_offending_instant_is_what_the_verdict_says(
    tmp_path, served, clearance, tolerance, deviation, kind
):
    """The nearest that the plate comes to the wall is 17.2 mm, an eighth of a turn on."""
    cell = turntable(tmp_path)
    cell.add_body("wall", WALL, pose=so.pose((0.35, 0.0, 0.0)))
    checked = check(
        cell, way(0.0, 1.5), Console(quiet=True),
        clearance=clearance, tolerance=tolerance, deviation=deviation,
    )  # fmt: skip
    page = PathPage(served, "x", checked)
    page.step()
    assert checked.verdict.kind == kind or (kind is None and not checked.verdict.free)
    if checked.verdict.free:
        assert page._offending is None
        page.player.jump(page.player.motion.time(math.pi / 4 / 1.5))
        assert page.step().state == "SAFE"
        return
    page.player.jump(page._offending)
    reading = page.step()
    assert reading.state == "WARNING"
    assert {reading.marks[0].a, reading.marks[0].b} == set(checked.verdict.pair)
    assert "pair too close" in page.page.banner._sign._html.content


def test_the_offending_instant_is_the_first(served):
    """And the curve tells of what the arm comes near, not of its own wrist."""
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="arm")
    cell.add_body("post", so.Box((0.05, 0.05, 0.8)), so.pose((0.5, 0.25, 0.4)))
    ready = np.array([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0])
    rows = np.array([ready + k * np.eye(8)[0] for k in (0.0, 0.2, 1.0, -1.0)])
    path = PathFile("way", rows, tuple("abcd"))
    checked = check(cell, path, Console(quiet=True), tolerance=0.001)
    assert checked.verdict.kind == "collision"
    page = PathPage(served, "x", checked)
    motion = page.player.motion
    until = motion.time(checked.verdict.free_until)
    assert until < page._offending <= until + 0.01 < motion.time(checked.place)
    assert page._later == pytest.approx(motion.time(checked.place))
    for when in (page._offending, page._later):
        page.player.jump(when)
        reading = page.step()
        assert reading.state == "WARNING"
        assert "post" in {reading.marks[0].a, reading.marks[0].b}
    # The wrist's 7.6 mm are in a curve of their own.
    line = page._line
    before = line.times < until
    assert np.median(line.own) < 0.01 < line.distances[before][0]
    assert line.distances[before][-1] < 0.01
    assert line.svg().count("<polyline") == 2


def test_names_are_escaped_in_the_banner():
    evil = '<script>alert("1")</script>'
    point = np.zeros(3)
    reading = Seen(
        np.zeros(0), np.zeros((0, 4, 4)), "FAULT", 1.0, 0.01,
        (Mark(evil, "b", 0.01, 0.03, point, point),), 0, (evil,),
    )  # fmt: skip
    text = banner_html(reading, NearPair(evil, "b", 0.01, point, point))
    assert "<script" not in text and "&lt;script&gt;" in text
    assert 'data-standoff="FAULT"' in text


def test_a_state_follows_from_the_cycle():
    cell = so.Cell()
    cell.add_body("box", so.Box((1.0, 1.0, 1.0)))
    cell.add_body("ball", so.Sphere(0.1), moving=True)
    monitor = so.Monitor(cell)
    q, far = np.zeros(0), so.pose((3.0, 0.0, 0.0))[None]
    assert seen(q, far, monitor.update(q, far)).state == "SAFE"
    near = so.pose((0.6, 0.0, 0.0))[None]
    jumped = seen(q, near, monitor.update(q, near))
    assert jumped.state == "FAULT" and jumped.faults
    warned = seen(q, near, monitor.update(q, near))
    assert warned.state == "WARNING"
    assert {warned.marks[0].a, warned.marks[0].b} == {"box", "ball"}
    assert seen(q, near, None, state="STALE").state == "STALE"


def test_without_a_cycle_nothing_is_safe():
    reading = seen(np.zeros(0), np.zeros((0, 4, 4)))
    assert reading.state == "NOT WATCHED"
    text = banner_html(reading, None)
    assert "NOT WATCHED" in text and "SAFE" not in text and STATES["SAFE"] not in text
    assert STATES["NOT WATCHED"] in text


@pytest.mark.parametrize(
    "hosts, origins, listening, answered",
    [
        (["127.0.0.1:8080"], [], "127.0.0.1", True),
        (["127.0.0.1:8080"], ["http://127.0.0.1:8080"], "127.0.0.1", True),
        (["localhost:9000"], ["http://localhost:9000"], "127.0.0.1", True),
        (["localhost"], ["https://localhost"], "127.0.0.1", True),
        (["[::1]:8080"], ["http://[::1]:8080"], "::1", True),
        (["10.0.0.7:8080"], ["http://10.0.0.7:8080"], "0.0.0.0", True),
        (["robot.lan:8080"], ["http://robot.lan:8080"], "robot.lan", True),
        (["127.0.0.1:8080"], ["http://evil.example"], "127.0.0.1", False),
        (["127.0.0.1:8080"], ["http://127.0.0.1:9999"], "127.0.0.1", False),
        (["127.0.0.1:8080"], ["http://localhost:8080"], "127.0.0.1", False),
        (["127.0.0.1:8080"], ["null"], "127.0.0.1", False),
        (["127.0.0.1:8080"], ["http://127.0.0.1:8080", "http://evil.example"], "0.0.0.0", False),
        (["127.0.0.1:8080"], ["http://127.0.0.1:8080@evil.example"], "127.0.0.1", False),
        (["evil.example:8080"], ["http://evil.example:8080"], "127.0.0.1", False),
        (["evil.example:8080"], ["http://evil.example:8080"], "0.0.0.0", False),
        (["evil.example:8080"], [], "127.0.0.1", False),
        (["10.0.0.7:8080"], ["http://10.0.0.7:8080"], "127.0.0.1", False),
        (["127.0.0.1.evil.example"], [], "127.0.0.1", False),
        (["127.0.0.1:x"], [], "127.0.0.1", False),
        (["127.0.0.1", "evil.example"], [], "127.0.0.1", False),
        ([], [], "127.0.0.1", False),
    ],
)
def test_who_is_sent_by_a_foreign_page_is_not_answered(hosts, origins, listening, answered):
    assert welcome(hosts, origins, "127.0.0.1", listening) is answered


def test_a_step_that_fails_is_a_fault_and_the_next_is_tried(capsys):
    told = []
    outcomes = iter([None, RuntimeError("broken"), RuntimeError("broken"), None])

    def step():
        outcome = next(outcomes)
        if outcome is not None:
            raise outcome

    page = SimpleNamespace(step=step, fail=lambda error: told.append(str(error)))
    again = enduring(page)
    for _ in range(4):
        again()
    assert told == ["broken", "broken"]
    assert capsys.readouterr().err.count("Traceback") == 1


def test_a_sign_is_stale_by_itself_unless_it_is_renewed():
    """Its text changes while it is renewed: the browser starts its animation again."""
    written = []
    html = SimpleNamespace()
    gui = SimpleNamespace(add_html=lambda text: html)
    sign = Sign(gui, "<div>SAFE</div>", 0.4)
    for _ in range(5):
        sign.renew()
        written.append(html.content)
        time.sleep(0.11)
    assert len(set(written)) >= 3
    assert 'data-lasting="0.4"' in written[0] and "STALE" in written[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"buffers": "x"},
        {"buffers": {"a/link1": "x"}},
        {"buffers": {1: 0.1}},
        {"buffers": -0.1},
        {"buffers": math.nan},
        {"buffers": True},
        {"host": None},
        {"host": ""},
        {"port": "8080"},
        {"port": True},
        {"title": 3},
        {"stale": "x"},
        {"stale": math.nan},
    ],
)
def test_what_a_page_cannot_be_opened_with_is_an_error(wrong, monkeypatch):
    pytest.importorskip("viser", reason="viser is not installed: no live page")
    monkeypatch.setattr(subprocess, "Popen", None)  # none of it gets as far as that
    with pytest.raises(so.Error, match=next(iter(wrong))):
        LivePage(**wrong)


def test_joints_and_poses_are_taken_by_name():
    np.testing.assert_array_equal(by_name(("a", "b"), {"b": 2}, (), "q"), (math.nan, 2.0))
    np.testing.assert_array_equal(by_name(("a", "b"), [1, 2], (), "q"), (1.0, 2.0))
    given = by_name(("cart", "box"), {"box": np.eye(4)}, (4, 4), "poses")
    assert np.isnan(given[0]).all() and np.array_equal(given[1], np.eye(4))
    for wrong in ("abc", {"c": 1.0}, {"a": "x"}, {"a": [1.0]}, [["x"]], {"a"}):
        with pytest.raises(so.Error, match="q"):
            by_name(("a", "b"), wrong, (), "q")
    for wrong in ("abc", {"cart": np.eye(3)}, {"c": np.eye(4)}, [[object()]]):
        with pytest.raises(so.Error, match="poses"):
            by_name(("cart",), wrong, (4, 4), "poses")


def test_a_timeline_is_drawn_within_its_frame():
    times = np.linspace(0.0, 4.0, 50)
    line = Timeline(4.0, times, 0.1 * np.cos(times), 0.01, [(0.0, 1.0), (1.0, 1.4)], 1.6)
    text = line.svg()
    assert text.count("<rect") == 3 and "<circle" in text and "nan" not in text
    empty = Timeline(1.0, np.array([0.0]), np.array([math.inf]), 0.0, [], None)
    assert "inf" not in empty.svg()


def test_what_goes_over_the_wire_comes_back_and_a_torn_end_is_an_end():
    stream = io.BytesIO()
    cell = so.Cell.load(shipped_cell("testbed"))
    so.Monitor(cell).update(cell.q)  # its pairs are worked out now, and are not sent
    for message in (1, "two", cell):
        send(stream, message)
    stream.seek(0)
    first, second, third = received(stream)
    assert (first, second) == (1, "two")
    assert third.joints == cell.joints and third.pairs.count() == cell.pairs.count()
    torn = io.BytesIO(stream.getvalue()[:-5])
    assert len(list(received(torn))) == 2


@pytest.mark.parametrize("source", ["cells/two_arms.toml", "builtin:panda"])
def test_a_cell_to_look_at_is_safe_where_it_is_not_too_close(source, monkeypatch):
    """Links beside each other on a robot are nearer than the usual buffer, wherever it stands."""
    pytest.importorskip("viser", reason="viser is not installed: no live page")
    shown = []
    monkeypatch.setattr(Serving, "cell", lambda self, *given: shown.append(given))
    name = str(ROOT / source) if source.endswith(".toml") else source
    result = CliRunner().invoke(app, ["view", name])
    assert result.exit_code == 0, result.output
    ((cell, _, make),) = shown
    q = cell.q
    if source == "builtin:panda":  # at 0 it is folded into itself
        q[[3, 5]] = -math.pi / 2, math.pi / 2
    poses = standing(cell)
    cycle = make(0.05).update(q, poses if len(poses) else None)
    assert seen(q, poses, cycle).state == "SAFE", cycle.warnings


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["contact", "nosuch.csv"], ["PATH", "contact", "nosuch.csv"]),
        (["contact", "--count", "3"], ["--count", "contact"]),
        (["swarm", "--buffer", "0.03"], ["--buffer", "swarm", "--count"]),
        (["testbed", "--clearance", "0.1"], ["--clearance", "without a path", "--buffer"]),
        (["testbed", "path.csv", "--self", "0.1"], ["--self", "path", "--clearance"]),
        (["testbed", "path.csv", "--count", "3"], ["--count", "path"]),
    ],
)
def test_what_does_not_apply_to_a_page_is_refused(given, words, monkeypatch):
    pytest.importorskip("viser", reason="viser is not installed: no live page")
    for name in ("cell", "path", "contact", "swarm"):
        monkeypatch.setattr(Serving, name, lambda self, *given: None)
    result = CliRunner().invoke(app, ["view", *given])
    assert isinstance(result.exception, so.Error)
    assert "does not apply" in str(result.exception)
    for word in words:
        assert word in str(result.exception)


def test_commands_do_not_import_viser():
    code = "import sys, standoff.cli, standoff.view.live.commands; sys.exit('viser' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_without_viser_the_way_to_get_it_is_named(monkeypatch):
    monkeypatch.setattr(server, "find_spec", lambda name: None)
    for open_it in (lambda: open_server("x"), LivePage):
        with pytest.raises(so.errors.MissingPackageError, match=r"pip install 'standoff\[view\]'"):
            open_it()


class TestServer:
    """What needs viser, and no browser."""

    @pytest.fixture(autouse=True)
    def _viser(self):
        pytest.importorskip("viser", reason="viser is not installed: no live page")

    def test_it_listens_on_loopback_alone_and_shares_nothing(self):
        server = open_server("x", port=0)
        try:
            assert server.get_host() == "127.0.0.1"
            assert address(server) == f"http://127.0.0.1:{server.get_port()}"
            assert server.request_share_url() is None
            listening = [
                line.split()[1].partition(":")[0]
                for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
                if line.split()[1].endswith(f":{server.get_port():04X}") and line.split()[3] == "0A"
            ]
            assert listening == ["0100007F"]
        finally:
            close(server)

    def test_a_port_that_is_taken_gives_the_next(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            server = open_server("x", port=port)
            try:
                assert server.get_port() != port
            finally:
                close(server)

    @pytest.mark.parametrize("host, port", [("no such host", 0), ("127.0.0.1", 70000)])
    def test_where_nobody_can_listen_is_an_error(self, host, port):
        with pytest.raises(so.Error):
            open_server("x", host, port)

    def test_a_foreign_page_gets_no_web_socket_and_no_files(self):
        import viser
        from websockets.exceptions import InvalidStatus
        from websockets.sync.client import connect

        server = open_server("x", port=0)
        try:
            url, words = f"ws://127.0.0.1:{server.get_port()}", [f"viser-v{viser.__version__}"]
            own = address(server)
            with connect(url, origin=own, subprotocols=words, max_size=None) as door:
                assert door.recv(timeout=300)
            with pytest.raises(InvalidStatus, match="403"):
                connect(url, origin="http://evil.example", subprotocols=words)
            rebound = urllib.request.Request(own, headers={"Host": "evil.example"})
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(rebound, timeout=300)
        finally:
            close(server)

    def test_a_viser_that_cannot_be_guarded_is_not_served(self, monkeypatch):
        from standoff.view.live import server as module

        monkeypatch.setattr(module, "guarded", lambda host: nullcontext(lambda: False))
        with pytest.raises(so.Error, match="guarded"):
            open_server("x", port=0)

    def test_a_swarm_is_green_only_where_every_step_kept_up(self):
        from standoff.papers.paper004_worlds import swarm
        from standoff.view.live.swarm_page import SwarmPage

        server = open_server("x", port=0)
        try:
            page = SwarmPage(server, swarm(5))
            promises = iter([True, True, False, True, True, *[True] * 5])
            alarms = iter([0, 0, 0, 0, 0, 0, 2, 0, 0, 0])

            def step(x, v, *, time):
                return SimpleNamespace(tests=1, count=next(alarms), keeping_up=next(promises))

            page.predictor = SimpleNamespace(step=step)
            page.step()
            text = page._sign._html.content
            assert AMBER in text and STATES["SAFE"] not in text and "not keeping up" in text
            page.step()
            text = page._sign._html.content
            assert STATES["WARNING"] in text and "2 pairs alarmed" in text
            page.fail(RuntimeError("<b>"))
            text = page._sign._html.content
            assert 'data-standoff="FAULT"' in text and "&lt;b&gt;" in text
        finally:
            close(server)

    def test_what_is_to_be_shown_is_chosen_while_it_is_stale_too(self):
        from standoff.view.live.page import Opening
        from standoff.view.live.remote import Mailbox, Watcher

        cell = so.Cell()
        cell.add_body("box", so.Box((0.4, 0.4, 0.4)))
        cell.add_body("ball", so.Sphere(0.1), pose=so.pose((1.0, 0.0, 0.0)), moving=True)
        server = open_server("x", port=0)
        try:
            mailbox = Mailbox()
            watcher = Watcher(server, Opening("", 0, "x", 0.05, 0.01), mailbox)
            pose = so.pose((0.9, 0.0, 0.0))[None]
            stream = io.BytesIO()
            send(stream, cell)
            send(stream, seen(np.zeros(0), pose))
            stream.seek(0)
            mailbox.fill(stream)
            time.sleep(0.02)
            watcher.step()
            watcher.step()
            page = watcher._page
            assert 'data-standoff="STALE"' in page.banner._sign._html.content
            assert server.scene.get_handle_by_name("/octree") is None
            page.show_octree.value = True
            watcher.step()
            assert server.scene.get_handle_by_name("/octree") is not None
            page.show_octree.value = False
            watcher.step()
            assert server.scene.get_handle_by_name("/octree") is None
            watcher.fail(RuntimeError("broken"))
            assert 'data-standoff="FAULT"' in page.banner._sign._html.content
            watcher.step()
            assert 'data-standoff="STALE"' in page.banner._sign._html.content
        finally:
            close(server)

    def test_only_what_moved_is_sent(self):
        from standoff.view.live.nodes import CellNodes

        cell = so.Cell.load(shipped_cell("testbed"))
        server = open_server("x", port=0)
        try:
            nodes = CellNodes(server.scene, cell)
            q, none = cell.q, np.zeros((0, 4, 4))
            nodes.place(q, none)
            assert nodes.sent == 14
            nodes.place(q, none)
            assert nodes.sent == 0
            q[cell.joints.index("left/joint6")] += 0.1
            nodes.place(q, none)
            assert nodes.sent == 2  # the sixth link and the seventh
        finally:
            close(server)

    def test_a_handle_asks_while_it_is_dragged_and_follows_otherwise(self):
        from standoff.view.live.handles import Handle

        server = open_server("x", port=0)
        try:
            asked = []
            handle = Handle(server.scene, 0, "cart", 0.2, asked.append)
            handle.visible = True
            handle.follow(so.pose((1.0, 0.0, 0.0)))
            np.testing.assert_allclose(handle._control.position, (1.0, 0.0, 0.0))
            (dragged,) = handle._control._impl_aux.update_cb

            def drag(phase: str) -> None:
                asyncio.run(dragged(SimpleNamespace(phase=phase, target=handle._control)))

            drag("start")
            handle._control.position = (2.0, 0.0, 0.0)
            drag("update")
            handle.follow(so.pose((1.1, 0.0, 0.0)))
            np.testing.assert_allclose(handle._control.position, (2.0, 0.0, 0.0))
            for far in (1e12, math.inf, math.nan):
                handle._control.position = (far, 0.0, 0.0)
                drag("update")
            assert len(asked) == 2  # what is no pose within the limits is not asked for
            handle._control.position = (2.0, 0.0, 0.0)
            drag("end")
            np.testing.assert_allclose(asked[-1], so.pose((2.0, 0.0, 0.0)))
            handle.follow(so.pose((1.2, 0.0, 0.0)))
            np.testing.assert_allclose(handle._control.position, (1.2, 0.0, 0.0))
        finally:
            close(server)

    def test_the_example_of_the_document_runs(self, capsys):
        text = (Path(__file__).parents[2] / "docs" / "live-page.md").read_text()
        (code,) = re.findall(r"```python\n(.*?)```", text, re.S)
        names = {}
        exec(code, names)
        assert capsys.readouterr().out.startswith("http://127.0.0.1:")
        assert not names["cycle"].faults

    @pytest.mark.parametrize("live", [["view"], ["check", "--view"]])
    def test_a_command_serves_its_page_until_it_is_interrupted(self, live, tmp_path):
        """And its exit status is what it would have been."""
        cell = so.Cell.load(shipped_cell("testbed"))
        path = tmp_path / "path.csv"
        rows = [cell.q, cell.q + 0.01]
        path.write_text("\n".join(",".join(map(str, row)) for row in rows) + "\n")
        command, *options = live
        run = subprocess.Popen(
            [sys.executable, "-m", "standoff.cli", command, "testbed", path, *options, "--port=0"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            # Who runs in the background of a shell does not hear of Ctrl-C.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )  # fmt: skip
        try:
            said = iter(run.stdout.readline, "")
            line = next(line for line in said if "page is at" in line)
            url = re.search(r"http://127\.0\.0\.1:\d+", line)[0]
            with urllib.request.urlopen(url, timeout=300) as answer:
                assert b"<html" in answer.read().lower()
            run.send_signal(signal.SIGINT)
            run.communicate(timeout=300)
            assert run.returncode == 0
        finally:
            run.kill()

    def test_showing_returns_at_once_even_where_the_page_is_gone(self):
        cell = so.Cell()
        cell.add_body("ball", so.Sphere(0.1), moving=True)
        page = LivePage(port=0)
        poses = np.eye(4)[None]
        page.show(cell, np.zeros(0), poses)
        with pytest.raises(so.Error, match="WARNING"):
            page.show(cell, np.zeros(0), poses, state="FINE")
        page.show(cell, {}, {"ball": np.eye(4)})
        for wrong in (
            lambda: page.show(cell, "abc"),
            lambda: page.show(cell, {"a/joint1": 0.0}),
            lambda: page.show(cell, np.zeros(0), "abc"),
            lambda: page.show("cell", np.zeros(0)),
            lambda: page.show(cell, np.zeros(0), poses, "cycle"),
            lambda: page.show(cell, np.zeros(0), poses, time="noon"),
        ):
            with pytest.raises(so.Error):
                wrong()
        page._process.kill()
        page._process.wait()
        for _ in range(20):
            page.show(cell, np.zeros(0), poses)
            time.sleep(0.01)
        assert not page.alive
        page.close()
