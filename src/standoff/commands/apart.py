"""``standoff apart``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from standoff.commands.app import notes, out
from standoff.commands.arguments import CellSource, Model, command, option
from standoff.defaults import USUAL_APART_BUDGET


@command(
    epilog="Example: [bold]standoff apart cells/two_arms.toml[/bold], "
    "[bold]standoff apart builtin:panda --clearance 0.01 --allow panda.toml[/bold], "
    "[bold]standoff apart robot.urdf --srdf robot.srdf --geometry capsules[/bold]"
)
def apart(
    *,
    source: CellSource,
    clearance: Annotated[
        float, option("M", r"How far apart a pair must stay to be proved, \[m].")
    ] = 0.0,
    budget: Annotated[
        int, option("N", "Boxes of joint values to look at for a pair, at most.")
    ] = USUAL_APART_BUDGET,
    allow: Annotated[
        Path | None, option("OUT.toml", "Write the cell with the proved pairs allowed.")
    ] = None,
    model: Model,
) -> None:
    """Prove which watched pairs can never touch within the joint limits, and show which can."""
    from standoff.view.apart import proved, show, show_allowed
    from standoff.view.files import check_writable

    check_writable(allow, ".toml", what="a cell")
    cell = model.cell(source)
    result = proved(cell, clearance, budget, notes)
    show(result, cell, out)
    if allow is not None:
        result.allow(cell)
        cell.save(allow)
        show_allowed(result, allow, out)
