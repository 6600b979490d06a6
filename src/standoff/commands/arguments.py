"""Arguments and options that several commands have, each group of them declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from rich.console import Console

from standoff.commands.app import app, notes, out

if TYPE_CHECKING:
    from standoff.cell.cell import Cell
    from standoff.view.live.commands import Serving


def command(epilog: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As `app.command`, but a parameter that is a dataclass stands for its fields: each of them is
    an option of the command, in their order."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        hints = get_type_hints(function, include_extras=True)
        groups: dict[str, type] = {}
        options: list[inspect.Parameter] = []
        for name, parameter in inspect.signature(function).parameters.items():
            kind = hints[name]
            if is_dataclass(kind) and isinstance(kind, type):
                groups[name] = kind
                inner = get_type_hints(kind, include_extras=True)
                options += [_option(f.name, inner[f.name], f.default) for f in fields(kind)]
            else:
                options.append(_option(name, kind, parameter.default))

        @functools.wraps(function)
        def run(**values: Any) -> None:
            for name, kind in groups.items():
                values[name] = kind(**{f.name: values.pop(f.name) for f in fields(kind)})
            function(**values)

        run.__signature__ = inspect.Signature(options)  # type: ignore[attr-defined]
        run.__annotations__ = {option.name: option.annotation for option in options}
        return app.command(epilog=epilog)(run)

    return register


def _option(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    kind = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, default=default, annotation=annotation)


def option(metavar: str, help: str, *flags: str) -> Any:
    """An option: what stands for its value (empty: its type does, or it has none), what it is, and
    how it is written where its name does not say."""
    return typer.Option(*flags, metavar=metavar or None, help=help)


CellSource = Annotated[
    str,
    typer.Argument(
        metavar="CELL",
        help="A cell file (.toml), a shipped cell (testbed, two_arms), a robot alone (.urdf, "
        ".xacro) or a shipped model (builtin:panda).",
    ),
]
Clearance = Annotated[float, option("M", r"Free is what stays farther apart than this, \[m].")]
Tolerance = Annotated[float, option("M", r"Nearer than this to the clearance is too close, \[m].")]

Certificate = Annotated[Path | None, option("FILE", "Write the proof there, as JSON.")]
View = Annotated[bool, option("", "Then show it on a live page.", "--view")]


@dataclass(frozen=True)
class Model:
    """How a robot that is named by its own file is to be modelled."""

    srdf: Annotated[
        Path | None, option("", "SRDF of a robot alone: the pairs it disables are allowed.")
    ] = None
    geometry: Annotated[
        str, option("", "auto, primitives, capsules, mesh or visual; for a robot's own file.")
    ] = "auto"
    capsules_per_link: Annotated[
        int, option("", "At most this many capsules where capsules are laid.")
    ] = 2
    search_path: Annotated[
        list[Path] | None, option("", "Folder to look for package:// in; repeatable.")
    ] = None
    unwatched: Annotated[
        bool,
        option("", "Accept a robot's own file of which nothing can be watched.", "--unwatched"),
    ] = False

    def cell(self, source: str) -> Cell:
        """The cell of ``source``, with a line on ``notes`` where kernels are compiled for it."""
        from standoff.view.files import open_cell
        from standoff.view.progress import announced

        with announced(notes):
            return open_cell(
                source, self.srdf, self.geometry, self.capsules_per_link, self.search_path,
                self.unwatched,
            )  # fmt: skip


@dataclass(frozen=True)
class PageAddress:
    """Where a live page is served."""

    host: Annotated[str, option("ADDRESS", "Who may see the page; this machine by default.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, option("N", "Of the page; the next free one where it is taken.")] = 8080

    def serving(self, said: Console = out) -> Serving:
        """A page to be served from here; says so at once where viser is missing."""
        from standoff.view.live.commands import Serving
        from standoff.view.live.server import need_viser

        need_viser()
        return Serving(said, notes, host=self.host, port=self.port)
