"""The command ``watch``: what it opens, runs and says in the end."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType

from rich.console import Console

from standoff.cell.cell import Cell
from standoff.errors import Error, StreamError, reason_of
from standoff.streams.files import PEEK_PERIODS, Peeked
from standoff.streams.history import History
from standoff.streams.on_warning import OnWarning
from standoff.streams.open_stream import (
    check_not_own_topics,
    check_one_reader,
    open_sink,
    open_source,
    sink_of,
    source_of,
)
from standoff.streams.options import WatchOptions
from standoff.streams.protocols import Live, Recorded, Sink
from standoff.streams.realtime import in_real_time
from standoff.streams.report import Report, Summary
from standoff.streams.runner import Onlooker, Watch
from standoff.streams.sinks.terminal import NearestPair, TerminalLines
from standoff.streams.zenoh_session import Link
from standoff.view.files import check_distinct, check_writable
from standoff.view.live import LivePage
from standoff.view.near_miss import save_near_misses
from standoff.view.progress import announced, waiting
from standoff.view.watch_words import (
    between_words,
    missing_inputs,
    print_stop_hint,
    print_unused_names,
    print_unused_rules,
    show,
)
from standoff.view.words import not_watched, plain

#: Sinks whose lines people read.
_FOR_PEOPLE = ("terminal", "plain")

#: A page that gets nothing from its watch for so long says STALE, [s].
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
    what it would receive of its own.

    Raises:
        Error: it says what is allowed.
    """
    if not sources:
        raise StreamError("nothing to watch", element="--from", allowed="one source at least")
    check_writable(report, ".html", what="a report")
    check_one_reader(sources)
    check_not_own_topics(sources, sinks)
    read = [path for text in sources for path in source_of(text).files]
    written = [path for text in sinks for path in sink_of(text).files]
    check_distinct((*written, report), (source, *read))


@dataclass(frozen=True)
class Request:
    """What was asked for.

    Attributes:
        source: of the cell, as the user named it; sources, sinks: likewise.
        period: of the slowest source, [s]; None where nobody says.
        speed: of files, see `Watch`.
        link: how Zenoh reaches others.
        on_warning: a command to run; report: the page on near misses.
        plain: no colours, nothing in place.
        page: where a live page is served, where one is wanted.
    """

    source: str
    sources: Sequence[str]
    sinks: Sequence[str]
    options: WatchOptions
    period: float | None
    speed: float
    link: Link | None
    on_warning: str | None
    report: Path | None
    plain: bool
    page: PageAddress | None = None
    realtime: bool = False


def watch(cell: Cell, request: Request, out: Console, notes: Console) -> Summary:
    """Open everything, watch until it ends, and say what came of it."""
    print_stop_hint(request.options, notes)
    history = None if request.report is None else History(sure=request.options.sure)
    with ExitStack() as opened:
        streams: list[Recorded | Live] = []
        for text in request.sources:
            streams.append(open_source(text, link=request.link))
            opened.callback(streams[-1].close)
        print_unused_rules(cell, streams, notes)
        files = not any(isinstance(stream, Live) for stream in streams)
        peeked = [Peeked(s) if isinstance(s, Recorded) else s for s in streams]
        options = _period(peeked, request.period, request.options, cell)
        with announced(notes), ExitStack() as shows:
            fast = files and math.isinf(request.speed)
            progress = shows.enter_context(waiting(notes, "watching")) if fast else None
            console = notes if fast and out.is_terminal else out
            sinks, onlookers = _outputs(cell, request, options, console, fast, shows)
            if request.page is not None:
                pace = request.speed if files else math.inf
                page = shows.enter_context(_page(request.page, request.source, options, pace=pace))
                notes.print(f"The page is at {page.address}", highlight=False, markup=False)
                onlookers.append(_shown_on(page, cell))
            running = Watch(
                cell, peeked, sinks, options, speed=request.speed, history=history,
                onlookers=onlookers,
            )  # fmt: skip
            if request.realtime:
                _ask_for_realtime(files, notes, shows)
            with _ending(running):
                summary = running.run(progress)
    print_unused_names(
        [publishers.mapping for publishers in running.engine.received.publishers], notes
    )
    taken = any(sink_of(text).standard for text in request.sinks)
    _sum_up(running, request, history, notes if taken else out)
    return summary


def _outputs(
    cell: Cell, request: Request, options: WatchOptions, console: Console, fast: bool,
    shows: ExitStack,
) -> tuple[list[Sink], list[Onlooker]]:  # fmt: skip
    """The sinks, and what else gets every report."""
    sinks: list[Sink] = []
    onlookers: list[Onlooker] = []
    for text in request.sinks or ["plain" if request.plain else "terminal"]:
        kind = sink_of(text).kind
        if kind in _FOR_PEOPLE:
            nearest = NearestPair(cell)
            onlookers.append(nearest.follow)
            # Beside a bar, lines go where the bar is, or they would go through it.
            plain = request.plain or fast or kind == "plain"
            sinks.append(TerminalLines(console, plain=plain, sure=options.sure, nearest=nearest))
        else:
            sinks.append(open_sink(text, link=request.link))
        shows.callback(_closed, sinks[-1])
    if request.on_warning is not None:
        sinks.append(OnWarning(request.on_warning))
    return sinks, onlookers


def _sum_up(running: Watch, request: Request, history: History | None, said: Console) -> None:
    """What came of it: the report on near misses, and the words."""
    summary, options, report = running.summary, running.engine.options, request.report
    written = False
    if history is not None and report is not None:
        history.finish()
        facts = {
            "cell": request.source, "sources": ", ".join(request.sources),
            "buffer": f"{1e3 * options.buffer:g} mm", "STALE after": f"{options.age:g} s",
            "between readings": between_words(options), **not_watched(running.engine.cell),
        }  # fmt: skip
        # Before anything is said: whoever reads that may be gone, and the page is still wanted.
        with _noted(summary, f"report:{report}"):
            save_near_misses(history, report, facts)
            written = True
    with _noted(summary, "standard output"):
        show(summary, said, options, missing_inputs(running.engine.received))
        if written:
            plain(said, f"  report: {report}")


@contextmanager
def _noted(summary: Summary, name: str) -> Iterator[None]:
    """An output that cannot be written has failed like a sink, and hides no verdict."""
    try:
        yield
    except (OSError, Error) as error:
        summary.sinks[name] = reason_of(error)


def _ask_for_realtime(files: bool, notes: Console, shows: ExitStack) -> None:
    refused = ["files do not need it"] if files else shows.enter_context(in_real_time())
    for why in refused:
        plain(notes, f"--realtime: {why}")


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
