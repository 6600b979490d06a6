"""``standoff view``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from standoff.commands.app import notes
from standoff.commands.arguments import Clearance, Model, PageAddress, Tolerance, command, option
from standoff.defaults import USUAL_BUFFER
from standoff.errors import Error

if TYPE_CHECKING:
    from standoff.view.live.commands import Serving

#: How near links of one robot may come on a page that is driven by hand, [m]. Beside each other
#: they are nearer than any buffer by the way they are built, a Panda's hand and wrist 8 mm.
PAGE_SELF = 0.005


#: What applies besides the page's own options, by what is shown.
_ROBOT = {"srdf", "geometry", "capsules_per_link", "search_path", "unwatched"}
_APPLIES = {
    "contact": set[str](),
    "swarm": {"count"},
    "a path": {"file", "clearance", "tolerance", *_ROBOT},
    "a cell without a path": {"buffer", "self_collision", *_ROBOT},
}


@command(
    epilog="Example: [bold]standoff view cells/two_arms.toml[/bold], "
    "[bold]standoff view builtin:panda path.csv[/bold], [bold]standoff view contact[/bold], "
    "[bold]standoff view swarm[/bold]. Ctrl-C ends it."
)
def view(
    *,
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="CELL",
            help="A cell as for [bold]info[/bold]; or contact or swarm, scenes of their own.",
        ),
    ],
    file: Annotated[
        Path | None, typer.Argument(metavar="PATH", help="A path to play, as for check.")
    ] = None,
    buffer: Annotated[
        float, option("M", r"Buffer of what moves, \[m], without a path.")
    ] = USUAL_BUFFER,
    self_collision: Annotated[
        float, option("M", r"For links of one robot instead, \[m], without a path.", "--self")
    ] = PAGE_SELF,
    clearance: Clearance = 0.0,
    tolerance: Tolerance = 0.001,
    count: Annotated[int, option("N", "Balls of the swarm.")] = 200,
    model: Model,
    page: PageAddress,
) -> None:
    """Show a cell on a live page: drive it by hand, or play a path with its verdict."""
    from standoff.monitor.buffers import Thresholds
    from standoff.monitor.monitor import Monitor
    from standoff.paths.path_file import read_path
    from standoff.view.check import check
    from standoff.view.files import check_order
    from standoff.view.live.commands import is_scene

    scene = is_scene(source)
    _refuse(context, source if scene else "a cell without a path" if file is None else "a path")
    rule = Thresholds(self_collision=self_collision)
    serving = page.serving()
    if scene:
        return _serve_scene(serving, source, count)
    if file is not None:
        check_order(source, file)
    cell = model.cell(source)
    if file is None:
        serving.cell(
            cell, source,
            lambda period: Monitor(cell, buffer=buffer, thresholds=rule, period=period),
        )  # fmt: skip
    else:
        path = read_path(file, cell)
        checked = check(cell, path, notes, clearance=clearance, tolerance=tolerance)
        serving.path(checked, source)


def _serve_scene(serving: Serving, name: str, count: int) -> None:
    from standoff.papers.paper003_bodies import hand_scene
    from standoff.papers.paper004_worlds import swarm
    from standoff.view.progress import announced

    if name == "contact":
        with announced(notes):
            hand = hand_scene()
        serving.contact(*hand)
    else:
        serving.swarm(swarm(count))


def _refuse(context: typer.Context, shown: str) -> None:
    """What was typed is obeyed or refused, never passed over."""
    applies = {"source", "host", "port"} | _APPLIES[shown]
    for parameter in context.command.params:
        name = str(parameter.name)
        source = context.get_parameter_source(name)
        # The enumeration is click's, or the one that typer brings along.
        if name in applies or source is None or source.name != "COMMANDLINE":
            continue
        called = "PATH" if name == "file" else max(parameter.opts, key=len)
        raise Error(
            f"{called} does not apply to {shown}",
            value=str(context.params[name]),
            allowed=", ".join(_names(context, applies - {"source"})),
        )


def _names(context: typer.Context, applies: set[str]) -> list[str]:
    """Arguments and options as they are typed."""
    found = [parameter for parameter in context.command.params if parameter.name in applies]
    return ["PATH" if o.name == "file" else max(o.opts, key=len) for o in found]
