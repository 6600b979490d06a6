"""Says so, from Python as well, when kernels are being compiled: a line on standard error.

Each part of the library compiles when it is first used, for up to a minute and more, and silence
would look like a hang. Commands have a line of their own (`view.progress`); where another listener
is registered, nothing is said.
"""

from __future__ import annotations

import math
import sys
import time
from typing import Any

from numba.core import event

from standoff.compiled.jit import CACHE_DIR

_KIND = "numba:compile"

#: A compile that starts so long after the last one ended is announced anew, [s].
_PAUSE = 3.0

#: Folders whose kernels all parts have in common.
_SHARED = ("geometry", "robots", "motion", "broadphase")

#: Numba's events, which bring no types.
_events: Any = event


class _Announcer(event.Listener):
    """Says when compiling starts; Numba reports compiles, and not loads from the cache.

    Kernels that one kernel calls are compiled while it is, and the next one follows at once: all
    of these are one line.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._ended = -math.inf

    def on_start(self, event: Any) -> None:
        self._depth += 1
        paused = self._depth == 1 and time.monotonic() - self._ended > _PAUSE
        if paused and all(one is self for one in _events._registered[_KIND]):
            first = self._ended == -math.inf
            where = f", kept in {CACHE_DIR} (`standoff compile` does all but papers' ahead of time)"
            print(
                f"standoff: compiling kernels{_part(event)}, once on this machine"
                f"{where if first else ''}",
                file=sys.stderr,
            )

    def on_end(self, event: Any) -> None:
        """Others may follow."""
        self._depth -= 1
        self._ended = time.monotonic()


def _part(event: Any) -> str:
    """`` of paths`` for `standoff.paths.kernels.…`; nothing for what all parts have in common."""
    dispatcher = (event.data or {}).get("dispatcher")
    module = getattr(getattr(dispatcher, "py_func", None), "__module__", "")
    parts = module.split(".")
    shared = parts[2:3] != ["kernels"] or parts[1] in _SHARED
    return "" if shared else f" of {parts[1]}"


_events.register(_KIND, _Announcer())
