"""The beat of a page."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Protocol

#: From one reading to the next, [s]: twenty a second.
TICK = 0.05


class Stepping(Protocol):
    """A page that is kept going."""

    def step(self) -> object:
        """One reading."""
        ...

    def fail(self, error: Exception) -> None:
        """Say FAULT: a step failed."""
        ...


def beat(step: Callable[[], object], stop: threading.Event | None = None) -> None:
    """Call ``step`` every TICK until ``stop`` is set or Ctrl-C comes; a step that takes longer puts
    the next one off, and none is made up for."""
    over = threading.Event() if stop is None else stop
    due = time.monotonic()
    while not over.is_set():
        step()
        due = max(due + TICK, time.monotonic())
        over.wait(max(0.0, due - time.monotonic()))


def enduring(page: Stepping) -> Callable[[], None]:
    """The step of a page as one that does not fail: what goes wrong is a FAULT on the page, and the
    next step is tried. Where it went wrong is written to standard error, once in a row."""
    said = ""

    def step() -> None:
        nonlocal said
        try:
            page.step()
            said = ""
        except Exception as error:  # whatever it is: an ended page warns nobody
            if repr(error) != said:
                said = repr(error)
                traceback.print_exc(file=sys.stderr)
            page.fail(error)

    return step
