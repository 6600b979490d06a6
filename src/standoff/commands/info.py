"""``standoff info``."""

from __future__ import annotations

from typing import Annotated

from standoff.commands.app import out
from standoff.commands.arguments import CellSource, Model, command, option


@command(
    epilog="Example: [bold]standoff info cells/two_arms.toml[/bold], "
    "[bold]standoff info robot.urdf --srdf robot.srdf --geometry capsules[/bold], "
    "[bold]standoff info builtin:panda[/bold]"
)
def info(
    *,
    source: CellSource,
    model: Model,
    pairs: Annotated[bool, option("", "List each pair left to watch.", "--pairs")] = False,
) -> None:
    """Show what is in a cell or a robot: joints, bodies, allowed pairs, pairs left to watch."""
    from standoff.view.info import show

    show(model.cell(source), source, out, pairs=pairs)
