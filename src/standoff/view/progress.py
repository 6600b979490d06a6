"""Lines and bars for what takes long: compiling, working, searching, and a way to stop it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from numba.core import event
from rich.console import Console
from rich.errors import LiveError
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.status import Status
from rich.text import Text

from standoff.compiled.jit import CACHE_DIR

ONCE = "compiling kernels that this command needs, once on this machine; kept in {where}"


def cache_name() -> str:
    """The cache folder as a person would write it."""
    home = Path.home()
    inside = CACHE_DIR.is_relative_to(home)
    return os.path.join("~", CACHE_DIR.relative_to(home)) if inside else str(CACHE_DIR)


class _Announcer(event.Listener):
    """Shows a line from the first compile on; Numba reports compiles, and not loads from cache.
    Where it is no line that comes and goes, it is printed once."""

    _printed = False

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status: Status | None = None

    def on_start(self, event: Any) -> None:
        if self._status is None:
            message = ONCE.format(where=cache_name())
            if not self._console.is_terminal and not _Announcer._printed:
                _Announcer._printed = True
                self._console.print(f"standoff: {message}", soft_wrap=True, markup=False)
            text = Text(message[0].upper() + message[1:] + " …")
            self._status = Status(text, console=self._console)
            if self._console.is_terminal:
                with suppress(LiveError):  # a bar is there already, and rich draws one at a time
                    self._status.start()

    def on_end(self, event: Any) -> None:
        """One compile ended; others may follow, so the line stays until the command is done."""

    def stop(self) -> None:
        if self._status is not None:
            self._status.stop()


@contextmanager
def announced(console: Console) -> Iterator[None]:
    """Within this context no kernel compiles in silence."""
    announcer = _Announcer(console)
    with event.install_listener("numba:compile", announcer):
        try:
            yield
        finally:
            announcer.stop()


#: What takes less is not worth a bar, [s].
PATIENCE = 1.0


@contextmanager
def waiting(console: Console, what: str) -> Iterator[Callable[[float], None]]:
    """Within this context a bar shows up after PATIENCE, on a terminal; the function it gives is
    told how much is done, from 0 to 1, and until then the bar only swings. It shows the
    time so far, and what is left at this pace.

    The bar is drawn by a thread of its own, so it moves while compiled code runs.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]so far, about"),
        TimeRemainingColumn(),
        TextColumn("[dim]left"),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=None)

    def done(part: float) -> None:
        bar.update(task, total=1.0, completed=part)

    def start() -> None:
        # Before 14.1 rich draws one thing at a time: the word on compiling goes on alone.
        with suppress(LiveError):
            bar.start()

    timer = threading.Timer(PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield done
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


@contextmanager
def drawn_by_hand(console: Console) -> Iterator[Callable[[str, float], None]]:
    """Within this context the function it gives draws a bar: what is under way, and how far it is,
    from 0 to 1. It is never drawn in between: a thread that does so by itself would be measured,
    too, by whoever measures here."""
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn()
    with Progress(
        *columns, TimeElapsedColumn(), console=console, transient=True, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=1.0)

        def tell(what: str, part: float) -> None:
            bar.update(task, description=what, completed=part)
            bar.refresh()

        yield tell


@contextmanager
def status_line(console: Console) -> Iterator[Callable[[str], None]]:
    """Within this context the function it gives shows a text on the last line, on a terminal."""
    status: Status | None = None

    def show(text: str) -> None:
        nonlocal status
        if not console.is_terminal:
            return
        if status is not None:
            status.update(Text(text))
            return
        status = Status(Text(text), console=console)
        # Before 14.1 rich draws one thing at a time: what is there already goes on alone.
        with suppress(LiveError):
            status.start()

    try:
        yield show
    finally:
        if status is not None:
            status.stop()


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Within this context the first Ctrl-C only makes the function it gives say True, so that what
    was found until then can be kept; the second one interrupts as ever."""
    asked = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        asked.set()
        signal.signal(signal.SIGINT, before)

    elsewhere = threading.current_thread() is not threading.main_thread()
    if elsewhere or before in (None, signal.SIG_IGN):
        yield asked.is_set
        return
    signal.signal(signal.SIGINT, stop)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
