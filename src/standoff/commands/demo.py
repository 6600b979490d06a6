"""``standoff demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from standoff.commands.app import notes, out
from standoff.commands.arguments import PageAddress, View, command, option


@command(epilog="Example: [bold]standoff demo --plot clearance.png[/bold]")
def demo(
    *,
    plot: Annotated[Path, option("", "Where the clearance over time goes, a PNG.")] = Path(
        "clearance.png"
    ),
    live: View = False,
    page: PageAddress,
) -> None:
    """Watch two arms do the three tasks of paper 000: who comes too close to what, and when."""
    from standoff.papers.testbed import BUFFER, PERIOD, TASKS, testbed_cell, testbed_monitor
    from standoff.view.demo import Recording, save_plot, show, watch
    from standoff.view.files import check_png

    check_png(plot)
    if live:
        page.serving()  # or say so now, and not after the watch
    cell = testbed_cell()
    moving = sum(frame != 0 for frame in cell.model.frame)
    out.print(
        f"Two arms of 7 joints, {moving} capsules, among {len(cell.model.names) - moving} boxes; "
        f"{cell.pairs.count()} pairs to watch, a buffer of {1e3 * BUFFER:.1f} mm on all that moves",
        highlight=False,
        soft_wrap=True,
    )
    tasks = [Recording(task.name, task.title, task.joints(cell)) for task in TASKS]
    watched = watch(lambda: testbed_monitor(cell), tasks, notes)
    out.print()
    show(watched, out)
    save_plot(watched, lambda width: testbed_monitor(cell, buffer=width), BUFFER, plot, out, notes)
    if live:
        from standoff.view.live.motion import recorded

        motions = [recorded(f"task {t.name}, {t.title}", t.joints, PERIOD) for t in tasks]
        page.serving().motions(motions, "demo", lambda period: testbed_monitor(cell, period=period))
