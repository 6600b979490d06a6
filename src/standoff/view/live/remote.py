"""The process of a `LivePage`: readings come in by standard input, and are shown."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import IO, TYPE_CHECKING

import numpy as np

from standoff.broadphase import Index
from standoff.cell.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array
from standoff.monitor.monitor import Monitor
from standoff.tolerances import COORDINATE_LIMIT
from standoff.view.live.cell_page import CellPage, standing
from standoff.view.live.page import Opening, received
from standoff.view.live.seen import Seen
from standoff.view.live.server import address, close, open_server
from standoff.view.live.sign import Banner
from standoff.view.live.ticking import TICK, beat, enduring

if TYPE_CHECKING:
    import viser


#: The shortest time that a sign stands in the browser, [s].
_LEAST = 1.0


class Mailbox:
    """The latest cell and the latest reading of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cell: Cell | None = None
        self._seen: Seen | None = None
        self.arrived = 0.0
        self.over = threading.Event()

    def fill(self, stream: IO[bytes]) -> None:
        """Take what comes until nothing more does."""
        try:
            for message in received(stream):
                with self._lock:
                    if isinstance(message, Cell):
                        self._cell, self._seen = message, None
                    else:
                        self._seen, self.arrived = message, time.monotonic()
        finally:
            self.over.set()

    def latest(self) -> tuple[Cell | None, Seen | None]:
        """Both, fitting each other."""
        with self._lock:
            return self._cell, self._seen


class Watcher:
    """Shows what is in the mailbox."""

    def __init__(self, server: viser.ViserServer, opening: Opening, mailbox: Mailbox) -> None:
        self._server, self._opening, self._mailbox = server, opening, mailbox
        self._page: CellPage | None = None
        self._shown: Seen | None = None
        self._ruler: Monitor | None = None
        self._stale = self._failed = False
        self._good: tuple[Array, Array] | None = None

    def step(self) -> None:
        """Show the latest reading, where there is one that was not shown."""
        cell, seen = self._mailbox.latest()
        if cell is None or seen is None:
            return
        if self._page is None:
            if self._failed:
                self._clear()
            # A browser draws when it can: below a second its sign would flicker.
            page = CellPage(
                self._server, cell, self._opening.title, buffers=self._buffers, index=self._index,
                lasting=max(self._opening.stale, _LEAST), octree="Octree cells, the page's own",
            )  # fmt: skip
            page.options()
            self._page = page
        elif self._page.cell is not cell:
            self._page.replace(cell)
            self._ruler = None
        assert self._page is not None
        late = time.monotonic() - self._mailbox.arrived > self._opening.stale
        if seen is self._shown and late == self._stale and not self._failed:
            self._page.again(seen)
            return
        self._shown, self._stale = seen, late
        if late:
            seen = replace(seen, state="STALE", reasons=(_silence(self._opening.stale),))
        seen = self._usable(cell, seen)
        self._good = seen.q, seen.poses
        self._page.show(seen)
        self._failed = False

    def fail(self, error: Exception) -> None:
        """A step failed."""
        self._failed = True
        if self._page is None:
            self._clear()
            Banner(self._server.gui, self._opening.title).fail(error)
        else:
            self._page.banner.fail(error)

    def _clear(self) -> None:
        self._server.gui.reset()
        self._server.scene.reset()

    def _buffers(self) -> Mapping[str, float]:
        assert self._page is not None
        given, model = self._opening.buffers, self._page.cell.model
        if given is None or isinstance(given, (int, float)):
            width = 0.0 if given is None else float(given)
            return {n: width for n, frame in zip(model.names, model.frame) if frame}
        return {name: width for name, width in given.items() if name in model.index}

    def _index(self) -> Index | None:
        """An octree over the shapes and buffers that are shown, made here when somebody wants to
        see one. That of the monitor is in another process, and may have other options."""
        assert self._page is not None and self._shown is not None
        if self._ruler is None:
            wide = max(self._buffers().values(), default=0.0)
            self._ruler = Monitor(self._page.cell, buffer=wide, period=TICK)
        seen = self._usable(self._page.cell, self._shown)
        self._ruler.update(seen.q, seen.poses if len(seen.poses) else None)
        return self._ruler.index

    def _usable(self, cell: Cell, seen: Seen) -> Seen:
        """With joints and poses that can be drawn: where some are missing or no numbers, those
        that were shown last. The state says so."""
        before_q, before = cell.q, standing(cell)
        if self._good is not None:
            last_q, last = self._good
            before_q = last_q if last_q.shape == before_q.shape else before_q
            before = last if last.shape == before.shape else before
        q = seen.q if seen.q.shape == before_q.shape else before_q
        q = np.where(np.isfinite(q), q, before_q)
        poses = seen.poses if seen.poses.shape == before.shape else before
        # No number is within the limit where it is none.
        known = (np.abs(poses) <= COORDINATE_LIMIT).all(axis=(1, 2), keepdims=True)
        poses = np.ascontiguousarray(np.where(known, poses, before))
        return replace(seen, q=np.ascontiguousarray(q), poses=poses)


def _silence(stale: float) -> str:
    return f"waiting for the watch: no reading for more than {stale:g} s"


def main() -> None:
    """Serve until standard input is closed."""
    stream = sys.stdin.buffer
    opening = next(received(stream))
    try:
        server = open_server(opening.title, opening.host, opening.port)
    except Error as error:
        print(f"no {error}", flush=True)
        return
    print(f"at {address(server)}", flush=True)
    mailbox = Mailbox()
    threading.Thread(target=mailbox.fill, args=(stream,), daemon=True).start()
    beat(enduring(Watcher(server, opening, mailbox)), mailbox.over)
    close(server)


if __name__ == "__main__":
    main()
