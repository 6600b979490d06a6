"""A search on a terminal: a line on how far it has come, and a way to stop it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from rich.console import Console
from rich.errors import LiveError
from rich.status import Status
from rich.text import Text


@contextmanager
def telling(console: Console) -> Iterator[Callable[[str], None]]:
    """Within this context the function it gives shows a text on the last line, on a terminal."""
    status: Status | None = None

    def tell(text: str) -> None:
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
        yield tell
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
