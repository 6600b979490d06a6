"""What nearly happened: a page at the end of a watch, with all of it in one file.

Names come from outside: each is made printable, then escaped. The page runs no script, loads
nothing, and forbids both to the browser. Its plots are SVG that stands in it.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np

from standoff.errors import Error, reason_of
from standoff.streams.history import Columns, History
from standoff.streams.report import State
from standoff.streams.shown import shown
from standoff.view.plots import MISSING, have_matplotlib, new_figure

BANDS = {State.WARNING: "tab:red", State.STALE: "tab:orange", State.FAULT: "tab:purple"}

#: Pairs that get a row of their own.
_PAIRS = 12

#: Up to so many values each is a dot, too: one between two that are missing makes no line.
_FEW = 500


def clearance_svg(history: History) -> str:
    """Clearance and speed scale over time; states other than SAFE are bands behind them."""
    seen = history.columns()
    figure, (near, speed) = new_figure(2, width=11.0, height=5.0)
    time = seen.time - history.first
    # Columns that no report fell into are no gap in the line; those of a drop-out are.
    drawn = ~np.isnan(seen.clearance) | (seen.states >> State.STALE & 1 == 1)
    dots = "." if drawn.sum() < _FEW else ""
    measured = 1e3 * _finite(seen.clearance)
    sure = np.where(seen.clearance <= history.sure, measured, np.nan)
    # Beyond the smallest threshold the smallest of what was measured need not be the smallest.
    near.plot(time[drawn], measured[drawn], lw=0.8, ls=":", color="0.5", label="at most")
    near.plot(
        time[drawn], sure[drawn], lw=1.2, marker=dots, ms=3, color="tab:blue", label="exactly"
    )
    near.axhline(1e3 * history.sure, lw=0.8, ls="--", color="tab:blue", label="smallest threshold")
    near.set_ylabel("nearest pair [mm]")
    if not np.isfinite(seen.clearance).any():
        near.set_yticks([])
        near.text(0.5, 0.5, "nothing came near", ha="center", transform=near.transAxes)
    known = ~np.isnan(seen.scale)
    speed.step(time[known], 100.0 * seen.scale[known], lw=1.0, color="tab:green", where="post")
    speed.set_ylabel("speed scale [%]")
    speed.set_ylim(-5.0, 105.0)
    speed.set_xlabel("time since the start [s]")
    for axis in (near, speed):
        axis.set_xlim(0.0, max(float(time[-1]) + seen.step, seen.step))
        for state, colour in BANDS.items():
            label = state.name
            for start, end in _bands(seen, state):
                axis.axvspan(
                    start - history.first, end - history.first, color=colour, alpha=0.25, lw=0.6,
                    label=label,
                )  # fmt: skip
                label = "_"  # one entry of the legend for all of them
    if near.get_legend_handles_labels()[1]:
        near.legend(fontsize=8, loc="upper right", framealpha=0.9)
    return _svg(figure)


def encounters_svg(history: History) -> str:
    """The closest pairs, one row each: when they were too close, darker where nearer."""
    episodes = history.pairs.worst()
    closest = sorted(history.pairs.totals.values(), key=lambda t: (t.value, -t.length))[:_PAIRS]
    row = {total.key: k for k, total in enumerate(closest)}
    figure, (axis,) = new_figure(1, width=11.0, height=0.9 + 0.32 * len(closest))
    span = max(history.last - history.first, math.ulp(1.0))
    values = [s.value for s in episodes if math.isfinite(s.value)]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    for episode in episodes:
        if episode.key not in row:
            continue
        near = (high - episode.value) / (high - low) if high > low else 1.0
        start, wide = episode.start - history.first, max(episode.length, span / 500.0)
        shade = 0.35 + 0.65 * near if math.isfinite(near) else 1.0
        axis.barh(row[episode.key], wide, 0.7, left=start, color="tab:red", alpha=shade)
    # A dollar sign in a name is no formula.
    names = [f"{shown(a, 40)} – {shown(b, 40)}" for a, b in row]
    axis.set_yticks(range(len(names)), names, fontsize=8)
    for label in axis.get_yticklabels():
        label.set_parse_math(False)
    axis.invert_yaxis()
    axis.set_xlim(0.0, 1.01 * span)
    axis.set_xlabel("time since the start [s]")
    return _svg(figure)


def _bands(seen: Columns, state: State) -> Iterator[tuple[float, float]]:
    """From when to when a state is the worst of its columns."""
    higher = 0xFF & ~((1 << (state + 1)) - 1)
    here = (seen.states & (1 << state) != 0) & (seen.states & higher == 0)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], here.astype(np.int8), [0]])))
    for k, end in edges.reshape(-1, 2).tolist():
        yield float(seen.time[k]), float(seen.time[end - 1] + seen.step)


def _finite(values: Any) -> Any:
    return np.where(np.isfinite(values), values, np.nan)


def _svg(figure: Any) -> str:
    """The element alone, the same for the same figure: names as text, no date, no declaration."""
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "standoff"}), catch_warnings():
        # The browser has the letters that this machine's font has not.
        filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        figure.savefig(out, format="svg", metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    return re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)


#: Rows of a table; the worst come first.
_ROWS = 50

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 68em; padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 2em; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .25em .7em .25em 0; border-bottom: 1px solid #ddd; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td { overflow-wrap: anywhere; }
svg { width: 100%; height: auto; }
.SAFE { color: #1b7f3b; } .WARNING { color: #c22; } .STALE { color: #a66f00; }
.FAULT { color: #93c; } .dim { color: #666; }
"""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def save_near_misses(history: History, path: Path, facts: Mapping[str, str]) -> None:
    """Write the page.

    Args:
        history: of the watch; it is finished by this.
        path: of the HTML file; the folder is made where it is missing.
        facts: what was watched, name and value: the cell, the sources, the buffer.

    Raises:
        Error: it cannot be written there.
    """
    page = near_miss_page(history, facts)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise Error(f"cannot be written: {reason_of(error)}", file=path) from error


def near_miss_page(history: History, facts: Mapping[str, str]) -> str:
    """The page itself."""
    history.finish()
    parts = [
        _summary(history, facts),
        "<h2>Clearance over time</h2>",
        _plots(history),
        _contacts(history),
        _pairs(history),
        _encounters(history),
        _causes(history),
    ]
    body = "\n".join(part for part in parts if part)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>Near misses</title><style>{_STYLE}</style></head>\n<body>\n"
        f"<h1>Near misses</h1>\n{body}\n</body></html>\n"
    )


def _summary(history: History, facts: Mapping[str, str]) -> str:
    rows = [(_text(name), _text(value, 2000)) for name, value in facts.items()]
    if history.cycles:
        span = history.last - history.first
        if history.blind:
            text = f"{_seconds(history.unwatched)} of {_seconds(span)}, {history.blind:,} cycles"
            rows.insert(0, ('<span class="STALE">not watched</span>', text))
        rows.append(("cycles", f"{history.cycles:,} in {_seconds(span)}"))
        if history.back:
            times = f"ran back {history.back:,} times" if history.back > 1 else "ran back once"
            rows.append(("time", f"{times}; on this page it counts on from there"))
        for state, lasted in history.lasted.items():
            share = 100.0 * lasted / span if span > 0.0 else 0.0
            word = f'<span class="{state.name}">{state.name}</span>'
            rows.append((word, f"{_seconds(lasted)} ({share:.4g} %)"))
        lowest = f"no pair came within its threshold, {_mm(history.sure)} or more"
        if not history.known:
            lowest = "unknown while STALE or at FAULT; otherwise " + lowest
        if math.isfinite(history.lowest):
            lowest = f"{_mm(history.lowest)} at {_at(history, history.lowest_at)}"
        rows.append(("smallest clearance", lowest))
        touched = len(history.contacts.totals)
        if touched:
            text = f"{touched:,} pair{'s' if touched > 1 else ''} touched or overlapped, see below"
            rows.append(('<span class="WARNING">contact</span>', text))
    else:
        rows.append(("cycles", "none"))
    cells = "".join(f"<tr><th>{name}</th><td>{value}</td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def _plots(history: History) -> str:
    if not history.cycles:
        return ""
    if not have_matplotlib():
        return f'<p class="dim">{escape(MISSING)}</p>'
    out = clearance_svg(history)
    if history.pairs.totals:
        out += "\n<h2>Who, when, how near</h2>\n" + encounters_svg(history)
    return out


def _contacts(history: History) -> str:
    totals = sorted(history.contacts.totals.values(), key=lambda t: (t.value, -t.length))
    rows = [
        (
            _text(t.key[0]), _text(t.key[1]), _mm(-t.value), _at(history, t.first),
            f"{t.episodes:,}", f"{t.cycles:,}", _seconds(t.length),
        )
        for t in totals[:_ROWS]
    ]  # fmt: skip
    head = "a | b | overlap, at least | first at | contacts | cycles | total time"
    return _section("Contacts", head, rows, len(totals))


def _pairs(history: History) -> str:
    totals = sorted(history.pairs.totals.values(), key=lambda t: (t.value, -t.length))
    if not totals:
        text = "No pair was too close."
        if not history.known:
            doubt = history.lasted[State.STALE] + history.lasted[State.FAULT]
            text = f"No warning. For {_seconds(doubt)} the state was STALE or FAULT."
        return f"<h2>Closest pairs</h2><p>{text if history.cycles else 'Nothing was watched.'}</p>"
    rows = [
        (
            _text(t.key[0]), _text(t.key[1]), _mm(t.value), _at(history, t.at), f"{t.episodes:,}",
            f"{t.cycles:,}", _seconds(t.length), _speed(t.fastest),
        )
        for t in totals[:_ROWS]
    ]  # fmt: skip
    head = "a | b | nearest | at | encounters | cycles | total time | fastest approach"
    return _section("Closest pairs", head, rows, len(totals))


def _encounters(history: History) -> str:
    rows = [
        (
            _text(s.key[0]), _text(s.key[1]), _mm(s.value), _at(history, s.start),
            _seconds(s.length), f"{s.cycles:,}", _speed(s.speed), _speed(s.fastest),
        )
        for s in history.pairs.worst()[:_ROWS]
    ]  # fmt: skip
    head = "a | b | nearest | from | for | cycles | closing speed then | fastest approach"
    count = sum(total.episodes for total in history.pairs.totals.values()) + history.pairs.others
    return _section("Encounters", head, rows, count)


def _causes(history: History) -> str:
    episodes = sorted(history.causes.worst(), key=lambda s: s.start)
    if not episodes:
        return "<h2>Faults and drop-outs</h2><p>None.</p>"
    rows = [
        (
            f'<span class="{s.key[0].name}">{s.key[0].name}</span>', _text(s.key[1]),
            _text(s.key[2]), _at(history, s.start), _seconds(s.length), f"{s.cycles:,}",
        )
        for s in episodes[:_ROWS]
    ]  # fmt: skip
    totals = history.causes.totals.values()
    count = sum(total.episodes for total in totals) + history.causes.others
    head = "state | kind | who | from | for | cycles"
    return _section("Faults and drop-outs", head, rows, count, texts=3)


def _section(
    title: str, head: str, rows: Sequence[tuple[str, ...]], count: int, texts: int = 2
) -> str:
    """A table of the first of ``count`` rows, nothing where there is none. The first ``texts``
    columns are words, the others numbers; all cells are HTML already."""
    if not rows:
        return ""

    def line(tag: str, cells: Sequence[str]) -> str:
        opened = [f"<{tag}>"] * texts + [f'<{tag} class="n">'] * (len(cells) - texts)
        return "<tr>" + "".join(f"{o}{c}</{tag}>" for o, c in zip(opened, cells)) + "</tr>"

    table = line("th", head.split(" | ")) + "".join(line("td", row) for row in rows)
    left = count - len(rows)
    more = f'<p class="dim">and {left:,} more</p>' if left > 0 else ""
    return f"<h2>{title}</h2><table>{table}</table>{more}"


def _text(name: str, longest: int = 200) -> str:
    return escape(shown(name, longest))


def _mm(distance: float) -> str:
    return "unknown" if math.isnan(distance) else f"{1e3 * distance:z.1f} mm"


def _at(history: History, time: float) -> str:
    """Seconds since the watch began."""
    return f"{time - history.first:.3f} s"


def _seconds(length: float) -> str:
    if length < 120.0:
        return f"{length:.3f} s"
    hours, rest = divmod(length, 3600.0)
    minutes = f"{rest / 60.0:.1f} min"
    return f"{hours:,.0f} h {minutes}" if hours else minutes


def _speed(speed: float) -> str:
    return f"{speed:.3f} m/s" if math.isfinite(speed) else "unknown"
