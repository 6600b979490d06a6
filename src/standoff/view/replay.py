"""The command ``replay``: a record once more."""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console

from standoff.streams.history import History
from standoff.streams.record.about import DamagedError
from standoff.streams.record.replay import Replay
from standoff.streams.shown import shown_lines
from standoff.view.files import check_distinct, check_writable, warn_open_meshes
from standoff.view.near_miss import save_near_misses
from standoff.view.progress import announced, waiting
from standoff.view.watch_words import between_words, missing_inputs, show
from standoff.view.words import not_watched, plain


def replay(record: Path, out: Console, notes: Console, *, verify: bool, report: Path | None) -> int:
    """Run it, say what came of it, and the exit status."""
    try:
        return _replay(record, out, notes, verify=verify, report=report)
    except DamagedError as error:
        plain(out, shown_lines(str(error)))
        return 3


def _replay(
    record: Path, out: Console, notes: Console, *, verify: bool, report: Path | None
) -> int:
    check_writable(report, ".html", what="a report")
    check_distinct((report,), (record,))
    with announced(notes):
        again = Replay(record)
        warn_open_meshes(again.cell)
    history = None if report is None else History(sure=again.engine.options.sure)
    start = time.perf_counter()
    with announced(notes), waiting(notes, "replaying") as progress:
        done = again.run(verify=verify, progress=progress, history=history)
    spent = time.perf_counter() - start
    show(done.summary, out, again.engine.options, missing_inputs(again.engine.received))
    rate = done.summary.cycles / spent if spent > 0.0 else 0.0
    out.print(f"  replayed in {spent:.2f} s, {rate:,.0f} cycles a second", highlight=False)
    if done.torn:
        out.print(f"  the record ends early: {done.torn}", markup=False, highlight=False)
    if done.damaged:
        out.print("  [bold red]damaged[/]: ", end="")
        plain(out, done.damaged)
    if done.gap:
        out.print(
            f"  [bold yellow]{done.gap:,} cycles are not in the record[/]: the disk was full; "
            "what came after them is not replayed",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
    if history is not None and report is not None:
        history.finish()
        between = between_words(again.engine.options)
        facts = {"record": str(record), "between readings": between, **not_watched(again.cell)}
        save_near_misses(history, report, facts)
        plain(out, f"  report: {report}")
    if not verify:
        return 3 if done.damaged or done.gap else done.summary.status
    if done.difference is not None:
        out.print("[bold red]differs[/]: ", end="")
        plain(out, str(done.difference))
        return 1
    if not done.verified:
        out.print(
            f"[bold yellow]not verified[/]: {done.compared:,} cycles are the same, of "
            f"{done.summary.cycles:,} that could be run",
            highlight=False,
        )
        return 3
    out.print(
        f"[green]the same[/], bit for bit, in all {done.compared:,} cycles of it", highlight=False
    )
    return 0
