"""The command ``standoff``."""

from __future__ import annotations

import importlib
import io
import sys
import traceback
import warnings
from contextlib import suppress

from standoff.commands.app import app, notes
from standoff.errors import Error
from standoff.streams.shown import shown_lines
from standoff.view.pipes import Forgiving

#: The commands in the order of the help, each in a file of this name.
COMMANDS = (
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
