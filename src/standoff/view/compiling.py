"""Says so when kernels are being compiled, whoever asked for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numba.core import event
from rich.console import Console
from rich.errors import LiveError
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
