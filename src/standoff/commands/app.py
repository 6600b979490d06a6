"""The command itself, and where it prints."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console

import standoff

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Keeps robots apart: certified collision monitoring, path checking and prediction.",
)
#: Names are shown as they are: ``:x:`` in one is no emoji.
out = Console(emoji=False)
notes = Console(stderr=True, emoji=False)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"standoff {standoff.__version__}")
        raise typer.Exit


@app.callback()
def _standoff(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
