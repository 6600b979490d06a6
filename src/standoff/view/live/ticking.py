"""The beat of a page."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

#: From one reading to the next, [s]: twenty a second.
TICK = 0.05


def beat(step: Callable[[], object], stop: threading.Event | None = None) -> None:
    """Call ``step`` every TICK until ``stop`` is set or Ctrl-C comes; a step that takes longer puts
    the next one off, and none is made up for."""
    over = threading.Event() if stop is None else stop
    due = time.monotonic()
    while not over.is_set():
        step()
        due = max(due + TICK, time.monotonic())
        over.wait(max(0.0, due - time.monotonic()))
