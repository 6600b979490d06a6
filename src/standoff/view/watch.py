"""The command ``watch``: what it opens, runs and says in the end."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from standoff.cell import Cell
from standoff.errors import Error, StreamError
from standoff.streams.history import History
from standoff.streams.nearest_pair import NearestPair
from standoff.streams.on_warning import OnWarning
from standoff.streams.open_sink import open_sink, sink_file, sink_kind, to_stdout
from standoff.streams.open_source import check_one_reader, open_source, source_files
from standoff.streams.options import WatchOptions
from standoff.streams.own_topics import check_not_heard
from standoff.streams.peek import PEEK_PERIODS, Peeked
from standoff.streams.realtime import in_real_time
from standoff.streams.report import Report
from standoff.streams.runner import Onlooker, Watch
from standoff.streams.sink import Sink
from standoff.streams.sinks.terminal import TerminalLines
from standoff.streams.source import Live, Recorded
from standoff.streams.summary import Summary
from standoff.streams.zenoh_session import Link
from standoff.view.compiling import announced
from standoff.view.live import LivePage
from standoff.view.near_miss import save_near_misses
from standoff.view.targets import check_distinct, check_writable
from standoff.view.watch_words import (
    between_words,
    never_heard,
    show,
    tell_of_names,
    tell_of_rules,
    tell_of_steps,
)
from standoff.view.words import not_watched

#: Sinks whose lines people read.
_FOR_PEOPLE = ("terminal", "plain")

#: A page that hears nothing from its watch for so long says STALE, [s].
PAGE_STALE = 1.0

#: Host and port of a live page.
PageAddress = tuple[str, int]


def speed_of(text: str) -> float:
    """``max``, or how many times as fast as it was recorded.

    Raises:
        StreamError: neither.
    """
    try:
        speed = math.inf if text == "max" else float(text)
    except ValueError:
        speed = math.nan
    if not speed > 0.0:
        raise StreamError("speed", element="--speed", value=text, allowed="max, or 1, 0.5, 10 …")
    return speed


def check_asked(
    source: str, sources: Sequence[str], sinks: Sequence[str], report: Path | None
) -> None:
    """What can be refused before anything is opened: nothing to read, what is not to be written,
    what would be heard of itself.

    Raises:
        Error: it says what is allowed.
    """
    if not sources:
        raise StreamError("nothing to watch", element="--from", allowed="one source at least")
    if report is not None:
        check_writable(report, ".html", what="a report")
    check_one_reader(sources)
    check_not_heard(sources, sinks)
    read = [path for text in sources for path in source_files(text)]
    check_distinct((*map(sink_file, sinks), report), (source, *read))


def watch(
    cell: Cell,
    source: str,
    sources: Sequence[str],
    sinks: Sequence[str],
    options: WatchOptions,
    out: Console,
    notes: Console,
    *,
    period: float | None,
    speed: float,
    link: Link | None,
    on_warning: str | None,
    report: Path | None,
    plain: bool,
    page: PageAddress | None = None,
    realtime: bool = False,
) -> Summary:
    """Open everything, watch until it ends, and say what came of it."""
    check_asked(source, sources, sinks, report)
    tell_of_steps(options, notes)
    with ExitStack() as opened:
        streams: list[Recorded | Live] = []
        for text in sources:
            streams.append(open_source(text, link=link))
            opened.callback(streams[-1].close)
        tell_of_rules(cell, streams, notes)
        files = not any(isinstance(stream, Live) for stream in streams)
        peeked = [Peeked(s) if isinstance(s, Recorded) else s for s in streams]
        options = _period(peeked, period, options, cell)
        fast = files and math.isinf(speed)
        targeted: list[Sink] = []
        history = None if report is None else History(sure=options.sure)
        with announced(notes), ExitStack() as shows:
            progress = None
            if fast:
                bar = shows.enter_context(progress_bar(notes))
                task = bar.add_task("watching", total=1.0)

                def progress(done: float) -> None:
                    bar.update(task, completed=done)

            onlookers: list[Onlooker] = []
            for text in sinks or ["plain" if plain else "terminal"]:
                nearest = NearestPair(cell) if sink_kind(text)[0] in _FOR_PEOPLE else None
                if nearest is not None:
                    onlookers.append(nearest.follow)
                made = _sink(text, link, plain, fast, out, notes, options.sure, nearest)
                targeted.append(made)
                shows.callback(_closed, targeted[-1])
            if on_warning is not None:
                targeted.append(OnWarning(on_warning))
            if page is not None:
                opened_page = shows.enter_context(
                    _page(page, source, options, pace=speed if files else math.inf)
                )
                notes.print(f"The page is at {opened_page.address}", highlight=False, markup=False)
                onlookers.append(_shown_on(opened_page, cell))
            running = Watch(
                cell, peeked, targeted, options, speed=speed, history=history, onlookers=onlookers
            )
            if realtime:
                _ask_for_realtime(files, notes, shows)
            with _ending(running):
                summary = running.run(progress)
    tell_of_names([voices.mapping for voices in running.engine.senses.voices], notes)
    said = notes if any(map(to_stdout, sinks)) else out
    written = False
    if history is not None and report is not None:
        history.finish()
        facts = {
            "cell": source, "sources": ", ".join(sources), "buffer": f"{1e3 * options.buffer:g} mm",
            "STALE after": f"{options.age:g} s",
            "between readings": between_words(running.engine.options), **not_watched(cell),
        }  # fmt: skip
        # Before anything is said: whoever reads that may be gone, and the page is still wanted.
        with _noted(summary, f"report:{report}"):
            save_near_misses(history, report, facts)
            written = True
    with _noted(summary, "standard output"):
        show(summary, said, running.engine.options, never_heard(running.engine.senses))
        if written:
            said.print(f"  report: {report}", markup=False, highlight=False, soft_wrap=True)
    return summary


@contextmanager
def _noted(summary: Summary, name: str) -> Iterator[None]:
    """An output that cannot be written has failed like a sink, and hides no verdict."""
    try:
        yield
    except (OSError, Error) as error:
        summary.sinks[name] = getattr(error, "strerror", None) or str(error)


def _ask_for_realtime(files: bool, notes: Console, shows: ExitStack) -> None:
    refused = ["files do not need it"] if files else shows.enter_context(in_real_time())
    for why in refused:
        notes.print(f"--realtime: {why}", markup=False, highlight=False, soft_wrap=True)


def _page(page: PageAddress, source: str, options: WatchOptions, *, pace: float) -> LivePage:
    host, port = page
    stale = _page_stale(options, pace)
    title = Path(source).stem
    return LivePage(host=host, port=port, title=title, buffers=options.buffer, stale=stale)


def _page_stale(options: WatchOptions, pace: float) -> float:
    """How long a page may hear nothing, [s] of the clock. A live watch looks all the time, and one
    that reads a file as fast as it can does, too; one that plays it is silent as long as the file
    is allowed to be."""
    if math.isinf(pace):
        return PAGE_STALE
    return max(PAGE_STALE, options.longest_age / pace)


def _shown_on(page: LivePage, cell: Cell) -> Onlooker:
    def show(report: Report) -> None:
        # Pairs that are too close have a list of their own.
        reasons = [reason.text for reason in report.reasons if reason.kind != "warning"]
        page.show(
            cell, report.q, report.poses, report.cycle, state=report.state.name, time=report.time,
            spent=1e6 * report.took, reasons=reasons,
        )  # fmt: skip

    return show


def _closed(sink: Sink) -> None:
    with suppress(OSError, Error):
        sink.close()


def progress_bar(notes: Console) -> Progress:
    """How much has been read, drawn on ``notes`` and gone when it is."""
    columns = (
        TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=notes, transient=True)


def _sink(
    text: str,
    link: Link | None,
    plain: bool,
    fast: bool,
    out: Console,
    notes: Console,
    sure: float,
    nearest: NearestPair | None,
) -> Sink:
    kind, _ = sink_kind(text)
    if kind in _FOR_PEOPLE:
        # Beside a bar, lines go where the bar is, or they would go through it.
        console = notes if fast and out.is_terminal else out
        plain = plain or fast or kind == "plain"
        return TerminalLines(console, plain=plain, sure=sure, nearest=nearest)
    return open_sink(text, link=link)


def _period(
    sources: Sequence[Peeked | Live], period: float | None, options: WatchOptions, cell: Cell
) -> WatchOptions:
    """As given; else as often as the files speak of each joint and body; else what lets no silence
    that is allowed look like a jump where there are several sources."""
    if period is not None:
        return replace(options, period=period)
    low, high = PEEK_PERIODS
    found: dict[str, float] = {}
    for source in sources:
        if isinstance(source, Peeked):
            for name, usual in source.periods(cell).items():
                # Where several tell of it, the one that speaks least often is held to no more.
                found[name] = max(min(max(usual, low), high), found.get(name, low))
    if found:
        return replace(options, period=max(found.values()), periods=found)
    files = any(isinstance(source, Peeked) for source in sources)
    if files or len(sources) == 1:
        return options
    return replace(options, period=options.age, max_age=options.age)


@contextmanager
def _ending(running: Watch) -> Iterator[None]:
    """Ctrl-C and a polite request end the watch in order; a second Ctrl-C at once."""

    def end(number: int, frame: FrameType | None) -> None:
        running.stop()
        running.summary.interrupted = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
