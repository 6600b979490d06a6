"""A progress bar for what may take long: shown only once it has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rich.console import Console
from rich.errors import LiveError
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

#: What takes less is not worth a bar, [s].
PATIENCE = 1.0


@contextmanager
def waiting(console: Console, what: str) -> Iterator[Callable[[float], None]]:
    """Within this context a bar shows up after PATIENCE, on a terminal; the function it gives is
    told how much is done, from 0 to 1, and until then the bar only swings. It shows the
    time so far, and what is left at this pace.

    The bar is drawn by a thread of its own, so it moves while compiled code runs.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("[dim]so far, about"),
        TimeRemainingColumn(),
        TextColumn("[dim]left"),
    )
    bar = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=None)

    def done(part: float) -> None:
        bar.update(task, total=1.0, completed=part)

    def start() -> None:
        # Before 14.1 rich draws one thing at a time: the word on compiling goes on alone.
        with suppress(LiveError):
            bar.start()

    timer = threading.Timer(PATIENCE, start)
    timer.daemon = True
    timer.start()
    try:
        yield done
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
