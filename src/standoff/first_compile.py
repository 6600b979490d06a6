"""Says so, from Python as well, when kernels are being compiled: one line on standard error.

The first call on a machine compiles for up to a minute, and silence would look like a hang.
Commands have a line of their own (`view.compiling`); where anybody else listens, nothing is said.
"""

from __future__ import annotations

import sys
from typing import Any

from numba.core import event

from standoff.kernels.jit import CACHE_DIR

_KIND = "numba:compile"

#: Numba's events, which bring no types.
_events: Any = event


class _Teller(event.Listener):
    """Tells of the first compile of this process; Numba reports compiles, not loads from cache."""

    def __init__(self) -> None:
        self._told = False

    def on_start(self, event: Any) -> None:
        others = [one for one in _events._registered[_KIND] if one is not self]
        if self._told or others:
            return
        self._told = True
        print(
            "standoff: compiling kernels for this machine; this happens once, the result is kept "
            f"in {CACHE_DIR} (`standoff compile` does it ahead of time)",
            file=sys.stderr,
        )

    def on_end(self, event: Any) -> None:
        """Others may follow."""


_events.register(_KIND, _Teller())
