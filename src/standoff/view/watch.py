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
from standoff.constants import PEEK_PERIODS
from standoff.errors import StreamError
from standoff.streams.history import History
from standoff.streams.mapping import Mapping, fits
from standoff.streams.nearest_pair import NearestPair
from standoff.streams.on_warning import OnWarning
from standoff.streams.open_sink import open_sink, sink_file, sink_kind
from standoff.streams.open_source import check_one_reader, open_source, source_files
from standoff.streams.options import WatchOptions
from standoff.streams.peek import Peeked
from standoff.streams.realtime import ask_for_realtime
from standoff.streams.report import Report, State
from standoff.streams.runner import Onlooker, Watch
from standoff.streams.senses import Senses
from standoff.streams.shown import shown
from standoff.streams.sink import Sink
from standoff.streams.sinks.terminal import COLOURS, TerminalLines
from standoff.streams.source import Live, Recorded
from standoff.streams.summary import Summary
from standoff.streams.zenoh_session import Link
from standoff.view.compiling import announced
from standoff.view.live import LivePage
from standoff.view.near_miss import save_near_misses
from standoff.view.targets import check_distinct, check_writable

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
    """What can be refused before anything is opened: nothing to read, what is not to be written.

    Raises:
        Error: it says what is allowed.
    """
    if not sources:
        raise StreamError("nothing to watch", element="--from", allowed="one source at least")
    if report is not None:
        check_writable(report, ".html", what="a report")
    check_one_reader(sources)
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
    _tell_of_steps(options, notes)
    with ExitStack() as opened:
        streams: list[Recorded | Live] = []
        for text in sources:
            streams.append(open_source(text, link=link))
            opened.callback(streams[-1].close)
        _tell_of_rules(cell, streams, notes)
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

            for text in sinks or ["plain" if plain else "terminal"]:
                targeted.append(_sink(text, link, plain, fast, out, notes, options.sure, cell))
                shows.callback(_closed, targeted[-1])
            if on_warning is not None:
                targeted.append(OnWarning(on_warning))
            onlooker = None
            if page is not None:
                opened_page = shows.enter_context(_page(page, source, options))
                notes.print(f"The page is at {opened_page.address}", highlight=False, markup=False)
                onlooker = _shown_on(opened_page, cell)
            running = Watch(
                cell, peeked, targeted, options, speed=speed, history=history, onlooker=onlooker
            )
            if realtime:
                _ask_for_realtime(files, notes)
            with _ending(running):
                summary = running.run(progress)
    _tell_of_names([voices.mapping for voices in running.engine.senses.voices], notes)
    said = notes if any(sink_kind(text) == ("jsonl", "-") for text in sinks) else out
    show(summary, said, rest=options.rest, unheard=_unheard(running.engine.senses))
    if history is not None and report is not None:
        history.finish()
        facts = {
            "cell": source, "sources": ", ".join(sources), "buffer": f"{1e3 * options.buffer:g} mm",
            "STALE after": f"{options.age:g} s",
        }  # fmt: skip
        save_near_misses(history, report, facts)
        said.print(f"  report: {report}", markup=False, highlight=False, soft_wrap=True)
    return summary


def _ask_for_realtime(files: bool, notes: Console) -> None:
    why = "files do not need it" if files else ask_for_realtime()
    if why:
        notes.print(f"No real-time scheduling: {why}", markup=False, highlight=False)


def _tell_of_steps(options: WatchOptions, notes: Console) -> None:
    """A pair whose threshold is no more than where robots stop is not slowed down before."""
    if options.sure <= options.stop:
        own = options.self_ is not None and options.self_ == options.sure
        who = "Links of one robot" if own else "Pairs with something that stands still"
        same = options.sure == options.stop
        stop = "also the stop distance" if same else f"below the stop of {1e3 * options.stop:g} mm"
        notes.print(
            f"{who} warn at {1e3 * options.sure:g} mm, which is {stop}, so they stop without "
            f"slowing down first; --stop below {1e3 * options.sure:g} mm changes that",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip


def _tell_of_rules(cell: Cell, streams: Sequence[Recorded | Live], notes: Console) -> None:
    """A rule that is for none of the sources does nothing, which nobody may have meant."""
    names = [stream.name for stream in streams]
    for rule in cell.streams:
        if not any(fits(rule, name) for name in names):
            notes.print(
                f"[[stream]] source = {shown(repr(rule.source))} of the cell file is for none of "
                f"{shown(', '.join(names))}",
                markup=False, highlight=False, soft_wrap=True,
            )  # fmt: skip


def _tell_of_names(mappings: Sequence[Mapping], notes: Console) -> None:
    """Names that a rule has and no message of its sources had."""
    idle: dict[int, tuple[str, set[str]]] = {}
    for mapping in mappings:
        rule = mapping.rule
        _, left = idle.setdefault(id(rule), (rule.source, {*mapping.idle}))
        left &= mapping.idle
    for source, names in idle.values():
        if names:
            notes.print(
                f"[[stream]] source = {shown(repr(source))} of the cell file speaks of names that "
                f"did not come: {shown(', '.join(sorted(names)))}",
                markup=False, highlight=False, soft_wrap=True,
            )  # fmt: skip


def _unheard(senses: Senses) -> list[str]:
    """Whom nobody spoke of, and whom the sources spoke of instead."""
    lines = [f"never heard of: {_some(senses.unheard())}"]
    for voices, name in zip(senses.voices, senses.sources):
        strangers = [*voices.strangers]
        if strangers:
            lines.append(
                f"{shown(name)} speaks of {_some(strangers)}, which the cell has not; "
                "`rename` in a [[stream]] of the cell file says what they are"
            )
    return lines


def _some(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown(name) for name in names[:most]) + more


def _page(page: PageAddress, source: str, options: WatchOptions) -> LivePage:
    host, port = page
    return LivePage(host=host, port=port, title=Path(source).stem, buffers=options.buffer)


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
    with suppress(OSError):
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
    cell: Cell,
) -> Sink:
    kind, _ = sink_kind(text)
    if kind in ("terminal", "plain"):
        # Beside a bar, lines go where the bar is, or they would go through it.
        console = notes if fast and out.is_terminal else out
        plain = plain or fast or kind == "plain"
        return TerminalLines(console, plain=plain, sure=sure, nearest=NearestPair(cell))
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


def show(
    summary: Summary, console: Console, *, rest: bool = False, unheard: Sequence[str] = ()
) -> None:
    """What happened, in a few lines; ``rest`` is the option of the watch, ``unheard`` what to say
    where not everybody was heard of."""
    s = summary
    length = s.ended - s.began if s.cycles else 0.0
    console.print(
        f"{_cycles(s.cycles)} in {length:.2f} s of the watch"
        + (", interrupted" if s.interrupted else ""),
        highlight=False,
    )
    parts = [
        f"[{COLOURS[state]}]{state.name}[/] {count:,}" for state, count in s.states.items() if count
    ]
    if parts:
        console.print("  " + "  ".join(parts), highlight=False)
    if math.isfinite(s.nearest):
        console.print(
            f"  nearest pair: {1e3 * s.nearest:.1f} mm at {s.nearest_at:.3f} s", highlight=False
        )
    if s.first_warning is not None:
        first = s.first_warning
        text = next(r.text for r in first.reasons if r.kind == "warning")
        console.print(
            f"  first warning at {first.time:.3f} s: {shown(text)}",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
    if s.own_links:
        pairs = [f"{a} – {b}" for a, b in sorted(s.own_links)]
        console.print(
            f"  own links {_some(pairs)} are nearer than the buffer all the time, perhaps by "
            "design: --self says how near links of one robot may be",
            markup=False, highlight=False, soft_wrap=True,
        )  # fmt: skip
    others = {kind: n for kind, n in s.kinds.items() if kind != "warning"}
    if others:
        listed = ", ".join(f"{kind} in {n:,}" for kind, n in sorted(others.items()))
        console.print(f"  not SAFE because: {listed} cycles", highlight=False, soft_wrap=True)
    if not s.started:
        who = "source" if rest else "joint"
        text = f"  [bold yellow]not every {who} was ever heard of[/]: nothing was watched"
        if not rest:
            text += "; --rest leaves joints that nobody speaks of where the cell has them"
        console.print(text, highlight=False, soft_wrap=True)
        for line in unheard:
            console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)
    if s.slow:
        console.print(
            f"  {s.slow:,} cycles took longer than their period, the slowest "
            f"{1e3 * s.slowest:.1f} ms",
            highlight=False,
        )
    for name, count in s.lost.items():
        console.print(f"  {shown(name)}: {count} reports are lost", markup=False, highlight=False)
    for name, text in s.sinks.items():
        console.print(f"  {shown(name)}: {shown(text)}", markup=False, highlight=False)
    console.print(f"  {_verdict(s)}", highlight=False)


def _cycles(count: int) -> str:
    return "1 cycle" if count == 1 else f"{count:,} cycles"


def _verdict(s: Summary) -> str:
    if s.status == 0:
        return f"[{COLOURS[State.SAFE]}]SAFE all along[/]"
    words = []
    if s.warned:
        words.append(f"[{COLOURS[State.WARNING]}]warnings in {_cycles(s.warned)}[/]")
    if not s.started:
        words.append(f"[{COLOURS[State.STALE]}]nothing was watched[/]")
    if s.troubled:
        words.append(f"[{COLOURS[State.FAULT]}]STALE or at FAULT in {_cycles(s.troubled)}[/]")
    if any(s.lost.values()):
        words.append(f"[{COLOURS[State.FAULT]}]reports were lost[/]")
    return " and ".join(words)
