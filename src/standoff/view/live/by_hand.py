"""A page on which a cell is driven by hand, from a program."""

from __future__ import annotations

import threading
from collections.abc import Callable

from rich.console import Console

from standoff.cell import Cell
from standoff.monitor.monitor import Monitor
from standoff.view.live.commands import Serving
from standoff.view.live.server import LOOPBACK, USUAL_PORT


def drive_by_hand(
    cell: Cell,
    monitor: Callable[[float], Monitor] | None = None,
    *,
    title: str = "cell",
    host: str = LOOPBACK,
    port: int = USUAL_PORT,
    stop: threading.Event | None = None,
) -> None:
    """Serve what ``standoff view CELL`` does, print the address, and return at Ctrl-C.

    Args:
        cell: it is at its own state at first.
        monitor: makes the monitor of the page, which is given a reading every so many seconds;
            `Monitor` with its usual buffers by default. Links of one robot may be closer than
            those by the way it is built, and warn.
        title: of the page.
        host: who may open the page; this machine by default.
        port: or the next free one where it is taken.
        stop: ends it, too, when it is set.

    Raises:
        MissingPackageError: viser is not installed.
    """
    out, notes = Console(emoji=False), Console(stderr=True, emoji=False)
    serving = Serving(out, notes, host=host, port=port, stop=stop)
    serving.cell(cell, title, monitor)
