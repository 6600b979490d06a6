"""What a watch says beside its reports: hints at the beginning, and what happened in the end."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console

from standoff.cell.cell import Cell
from standoff.streams.mapping import Mapping, fits
from standoff.streams.options import WatchOptions
from standoff.streams.protocols import Live, Recorded
from standoff.streams.received import Received
from standoff.streams.report import State, Summary
from standoff.streams.shown import shown
from standoff.streams.sinks.terminal import COLOURS
from standoff.view.words import plain


def print_stop_hint(options: WatchOptions, notes: Console) -> None:
    """A pair whose threshold is no more than where robots stop is not slowed down before."""
    if options.sure <= options.stop:
        own = options.self_collision is not None and options.self_collision == options.sure
        who = "Links of one robot" if own else "Pairs with something that stands still"
        same = options.sure == options.stop
        stop = "also the stop distance" if same else f"below the stop of {1e3 * options.stop:g} mm"
        plain(
            notes,
            f"{who} warn at {1e3 * options.sure:g} mm, which is {stop}, so they stop without "
            f"slowing down first; --stop below {1e3 * options.sure:g} mm changes that",
        )


def print_unused_rules(cell: Cell, streams: Sequence[Recorded | Live], notes: Console) -> None:
    """A rule that is for none of the sources does nothing, which nobody may have meant."""
    names = [stream.name for stream in streams]
    for rule in cell.streams:
        if not any(fits(rule, name) for name in names):
            plain(
                notes,
                f"[[stream]] source = {shown(repr(rule.source))} of the cell file is for none of "
                f"{shown(', '.join(names))}",
            )


def print_unused_names(mappings: Sequence[Mapping], notes: Console) -> None:
    """Names that a rule has and no message of its sources had."""
    idle: dict[int, tuple[str, set[str]]] = {}
    for mapping in mappings:
        rule = mapping.rule
        _, left = idle.setdefault(id(rule), (rule.source, {*mapping.idle}))
        left &= mapping.idle
    for source, names in idle.values():
        if names:
            plain(
                notes,
                f"[[stream]] source = {shown(repr(source))} of the cell file has names that no "
                f"message had: {shown(', '.join(sorted(names)))}",
            )


def missing_inputs(received: Received) -> list[str]:
    """The joints and bodies without a value, and the names of the sources that fit nothing."""
    not_received = [*received.not_received(), *received.resting()]
    lines = [f"no values for: {_some(not_received)}"] if not_received else []
    for publishers, name in zip(received.publishers, received.sources):
        unknown_names = [*publishers.unknown_names]
        if unknown_names:
            lines.append(
                f"{shown(name)} has unknown names: {_some(unknown_names)}; in a [[stream]] of the "
                "cell file, `rename` maps them to joints and `ignore` leaves them out"
            )
        if publishers.unknown_bodies:
            lines.append(
                f"{shown(name)} has poses of bodies that the cell does not have, which are not "
                f"watched: {_some([*publishers.unknown_bodies])}"
            )
    return lines


def _some(names: Sequence[str], most: int = 4) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shown(name) for name in names[:most]) + more


def between_words(options: WatchOptions) -> str:
    """Whether the motion from reading to reading was certified."""
    return "certified" if options.between else "not certified, only the readings are checked"


def show(
    summary: Summary, console: Console, options: WatchOptions, not_received: Sequence[str] = ()
) -> None:
    """What happened, in a few lines; ``not_received`` are lines on what never came."""
    who = "from some source" if options.rest else "for some joint or moving body"
    _show_cycles(summary, console, who)
    console.print(f"  between readings: {between_words(options)}", highlight=False)
    _show_pairs(summary, console)
    others = {kind: n for kind, n in summary.kinds.items() if kind != "warning"}
    if others:
        listed = ", ".join(f"{kind} in {_cycles(n)}" for kind, n in sorted(others.items()))
        console.print(f"  not SAFE because: {listed}", highlight=False, soft_wrap=True)
    if not summary.started:
        text = f"  [bold yellow]no values {who}[/]: nothing was watched"
        if not options.rest:
            text += "; --rest leaves joints without values where the cell has them"
        console.print(text, highlight=False, soft_wrap=True)
    for line in not_received:
        plain(console, f"  {line}")
    _show_outputs(summary, console)
    console.print(f"  {_verdict(summary)}", highlight=False)


def _show_cycles(s: Summary, console: Console, who: str) -> None:
    """How many cycles there were, in which state."""
    if s.blind:
        console.print(
            f"[{COLOURS[State.STALE]}]not watched[/] for {s.unwatched:.2f} s, in {s.blind:,} of "
            f"{_cycles(s.cycles)}: no values yet {who}",
            highlight=False, soft_wrap=True,
        )  # fmt: skip
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


def _show_pairs(s: Summary, console: Console) -> None:
    """Which pairs came near."""
    if math.isfinite(s.nearest):
        near = f"{1e3 * s.nearest:z.1f} mm at {s.nearest_at:.3f} s"
        plain(console, f"  nearest pair: {_pair(s.nearest_pair)}, {near}")
    if s.contacts:
        first = min(s.contact_pairs.values())
        pairs = [_pair(pair) for pair in sorted(s.contact_pairs, key=s.contact_pairs.__getitem__)]
        lasted = f"{_cycles(s.contacts)}, {s.touching:.2f} s, first at {first:.3f} s"
        plain(console, f"  CONTACT in {lasted}: {_some(pairs)}")
    if s.first_warning is not None:
        text = next(r.text for r in s.first_warning.reasons if r.kind == "warning")
        plain(console, f"  first warning at {s.first_warning.time:.3f} s: {shown(text)}")
    if s.own_links:
        # No --self is below an overlap.
        overlap = s.own_links.intersection(s.contact_pairs)
        for links, how in (
            (s.own_links - overlap, "are nearer than the buffer all the time, perhaps by design: "
             "--self says how near links of one robot may be"),
            (overlap, "are nearer than the buffer all the time, and were in contact: [[allow]] in "
             "the cell file leaves out a pair that touches by design"),
        ):  # fmt: skip
            if links:
                plain(console, f"  own links {_some([*map(_pair, sorted(links))])} {how}")


def _show_outputs(s: Summary, console: Console) -> None:
    """What was slow, and what sinks did not take."""
    if s.slow:
        console.print(
            f"  {s.slow:,} cycles took longer than their period, the slowest "
            f"{1e3 * s.slowest:.1f} ms",
            highlight=False,
        )
    for name, count in s.lost.items():
        console.print(f"  {shown(name)}: {count} reports are lost", markup=False, highlight=False)
    for name, text in s.sinks.items():
        plain(console, f"  {shown(name)}: {shown(text)}")


def _pair(names: tuple[str, str]) -> str:
    return " – ".join(map(shown, names))


def _cycles(count: int) -> str:
    return "1 cycle" if count == 1 else f"{count:,} cycles"


def _verdict(s: Summary) -> str:
    if s.status == 0:
        return f"[{COLOURS[State.SAFE]}]SAFE all along[/]"
    words = []
    if s.contacts:
        words.append(f"[{COLOURS[State.WARNING]}]contact in {_cycles(s.contacts)}[/]")
    if s.warned:
        words.append(f"[{COLOURS[State.WARNING]}]warnings in {_cycles(s.warned)}[/]")
    if not s.started:
        words.append(f"[{COLOURS[State.STALE]}]nothing was watched[/]")
    elif s.began_late:
        words.append(f"[{COLOURS[State.STALE]}]not watched for {s.unwatched:.2f} s[/]")
    if s.troubled:
        words.append(f"[{COLOURS[State.FAULT]}]STALE or at FAULT in {_cycles(s.troubled)}[/]")
    if any(s.lost.values()):
        words.append(f"[{COLOURS[State.FAULT]}]reports were lost[/]")
    if s.sinks:
        words.append(f"[{COLOURS[State.FAULT]}]an output failed[/]")
    return " and ".join(words)
