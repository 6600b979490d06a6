"""A page at the end of a slow link: what comes late is not the state of now."""

from __future__ import annotations

import queue
import socket
import threading
import time
from contextlib import contextmanager, suppress
from urllib.parse import urlparse

import numpy as np
import pytest

import standoff as so
from standoff.view.live import LivePage
from standoff.view.live.sign import _DRIFT, lasting_html, sign_html
from tests.view.test_live_page import says
from tests.worlds.live_pages import Tab, chromium

#: How late everything comes on the slow link, [s].
LAG = 4.0


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


class Link:
    """A way to a server on which all that it says may come late, in order, and none of it is lost.

    Attributes:
        lag: by how much, [s].
    """

    def __init__(self, port: int) -> None:
        self.lag, self._port = 0.0, port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                far = socket.create_connection(("127.0.0.1", self._port))
                late: queue.Queue[tuple[float, bytes]] = queue.Queue()
                for run in (
                    lambda a=near, b=far: self._read(a, b.sendall),
                    lambda a=far, q=late: self._read(a, lambda d: q.put((time.monotonic(), d))),
                    lambda a=near, q=late: self._deliver(a, q),
                ):
                    threading.Thread(target=run, daemon=True).start()

    def _read(self, come: socket.socket, go) -> None:
        with suppress(OSError):
            while data := come.recv(65536):
                go(data)
            go(b"")

    def _deliver(self, to: socket.socket, late: queue.Queue[tuple[float, bytes]]) -> None:
        with suppress(OSError):
            while True:
                heard, data = late.get()
                while (left := heard + self.lag - time.monotonic()) > 0.0:
                    time.sleep(min(left, 0.02))
                if not data:
                    break
                to.sendall(data)
            to.close()

    def close(self) -> None:
        self._door.close()


@contextmanager
def watched(page: LivePage):
    """Readings that are SAFE, with something new to say in each."""
    cell = so.Cell()
    cell.add_body("wall", so.Box((0.4, 0.4, 0.4)))
    cell.add_body("cart", so.Sphere(0.15), pose=so.pose((1.0, 0.0, 0.2)), moving=True)
    monitor = so.Monitor(cell, period=0.02)
    stop = threading.Event()

    def watch() -> None:
        k = 0
        while not stop.wait(0.05):
            k += 1
            poses = so.pose((1.0 + 0.01 * np.sin(0.1 * k), 0.0, 0.2))[None]
            page.show(cell, {}, poses, monitor.update(np.zeros(0), poses), time=0.05 * k)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_a_page_that_hears_everything_late_is_stale(browser):
    """All that comes is new to the browser, and old."""
    with LivePage(port=0, title="watch", stale=2.0) as page, watched(page):
        link = Link(urlparse(page.address).port)
        with Tab(browser, link.address) as tab:
            tab.rest()
            says(tab, "SAFE")
            link.lag = LAG
            says(tab, "STALE")
            script = "() => document.querySelector('[data-beat]').dataset.beat"
            before = tab.page.evaluate(script)
            tab.page.wait_for_function(f"before => ({script})() !== before", arg=before)
            for _ in range(20):  # and it goes on coming
                read = tab.page.locator("[data-beat]").inner_text()
                assert "STALE" in read and "SAFE" not in read
                tab.page.wait_for_timeout(100)
            assert tab.page.evaluate(script) != before
            link.lag = 0.0
            says(tab, "SAFE")
            assert not tab.errors
        link.close()


#: A clock of the browser that a test sets, [ms].
CLOCK = "() => {window.clock = 1e5; performance.now = () => window.clock}"


class TestBeats:
    """The sign alone, told of any times."""

    @pytest.fixture(autouse=True)
    def _page(self, browser):
        self.page = browser.new_page()
        self.page.set_content("<div id='home'></div>")
        self.page.evaluate(CLOCK)
        self.write(1000)
        self.page.wait_for_function("() => document.getElementById('home').last")
        yield
        self.page.close()

    def write(self, beat: float) -> None:
        sign = sign_html('data-standoff="SAFE"', "#1d8a4a", "SAFE")
        script = "html => {document.getElementById('home').innerHTML = html}"
        self.page.evaluate(script, lasting_html(sign, 2.0, round(beat)))

    def alive(self, now: float, beat: float) -> bool:
        """After a sign that was written at ``beat`` comes at ``now``, both by their clocks, [s]."""
        self.page.evaluate("now => {window.clock = now}", 1e3 * now)
        self.write(1e3 * beat)
        return bool(self.page.evaluate("() => !!document.querySelector('[data-alive]')"))

    def test_what_is_later_than_the_promptest_is_older(self):
        assert self.alive(104.0, 5000.0)
        assert self.alive(105.0, 5005.0)  # the first had come late by four seconds
        assert self.alive(108.0, 5006.1)
        assert not self.alive(109.0, 5006.9)
        assert not self.alive(190.0, 5087.0)
        assert self.alive(191.0, 5091.0)

    def test_what_comes_with_an_old_beat_lives_no_longer_than_that(self):
        assert self.alive(100.0, 5000.0) and self.alive(101.5, 5000.0)
        assert not self.alive(102.1, 5000.0)

    def test_a_program_that_was_started_anew_has_another_clock(self):
        assert self.alive(100.0, 5000.0)
        assert self.alive(110.0, 3.0) and self.alive(111.0, 4.0)
        assert not self.alive(115.0, 5.0)

    def test_clocks_that_drift_apart_do_not_make_it_stale(self):
        """For a day, by half of what is allowed, looked at every ten minutes."""
        beat = 5000.0
        for k in range(144):
            beat += 600.0 - 300.0 / _DRIFT
            assert self.alive(100.0 + 600.0 * k, beat)
        assert not self.alive(100.0 + 600.0 * 144, beat + 597.0)
