"""The command ``standoff``."""

from __future__ import annotations

import importlib
import io
import os
import sys
import traceback
import warnings
from contextlib import suppress
from typing import Any, TextIO

from standoff.commands.app import app, notes
from standoff.errors import Error
from standoff.streams.shown import shown_lines


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


#: The commands in the order of the help, each in a file of this name.
COMMANDS = (
    "init",
    "info",
    "apart",
    "check",
    "plan",
    "interfere",
    "demo",
    "view",
    "papers",
    "verify",
    "watch",
    "replay",
    "compile",
)
for _name in COMMANDS:
    importlib.import_module(f"standoff.commands.{_name}")

#: Exit status where Standoff itself failed, which says nothing about what was asked: not 1, which
#: is an answer to most commands. The number is that of sysexits.h for an error in the software.
CRASHED = 70


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """One line, without the place in the code that says nothing to whoever runs a command."""
    notes.print("[bold yellow]Warning[/bold yellow]: ", end="")
    notes.print(shown_lines(str(message)), markup=False, highlight=False, soft_wrap=True)


def main() -> None:
    """Entry point: errors of ours are printed as one message, status 2. Whatever nobody thought of
    gets its traceback and status 70."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without × or – gets a ?
    warnings.showwarning = _show_warning
    before = sys.stdout, sys.stderr
    patient = Forgiving(sys.stdout), Forgiving(sys.stderr)
    sys.stdout, sys.stderr = patient
    try:
        app()
    except (Error, OSError) as error:
        notes.print(f"[bold red]{type(error).__name__}[/bold red]: ", end="")
        notes.print(shown_lines(str(error)), markup=False, highlight=False, soft_wrap=True)
        sys.exit(2)
    except Exception as error:
        for line in traceback.format_exception(error):
            notes.print(shown_lines(line), end="", markup=False, highlight=False, soft_wrap=True)
        notes.print(
            "[bold red]An error in standoff itself[/bold red]: nothing is known of what was asked"
        )
        sys.exit(CRASHED)
    finally:
        for stream in patient:
            with suppress(OSError):  # it was raised where it was written
                stream.flush()
        sys.stdout, sys.stderr = before


if __name__ == "__main__":
    main()
