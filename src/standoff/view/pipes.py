"""An output whose reader may go away, as ``head`` does, without ending what is being done."""

from __future__ import annotations

import os
from typing import Any, TextIO


class Forgiving:
    """A text stream that goes on into nothing once nobody reads it any more, so that the exit
    status is still that of the verdict. Another error (a full disk) is raised once, and it goes on
    into nothing likewise."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write, or drop it."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._let_go(error)
            return len(text)

    def flush(self) -> None:
        """Flush, or drop what is left."""
        try:
            self._stream.flush()
        except OSError as error:
            self._let_go(error)

    def _let_go(self, error: OSError) -> None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, self._stream.fileno())
        os.close(nothing)
        if not isinstance(error, BrokenPipeError):
            raise error
