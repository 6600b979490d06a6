"""The plots of the page about near misses, as SVG that stands in it."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator
from typing import Any
from warnings import catch_warnings, filterwarnings

import numpy as np

from standoff.streams.history import Columns, History
from standoff.streams.report import State
from standoff.streams.shown import shown
from standoff.view.plots import new_figure

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
    told = ~np.isnan(seen.clearance) | (seen.states >> State.STALE & 1 == 1)
    dots = "." if told.sum() < _FEW else ""
    measured = 1e3 * _finite(seen.clearance)
    sure = np.where(seen.clearance <= history.sure, measured, np.nan)
    # Beyond the smallest threshold the smallest of what was measured need not be the smallest.
    near.plot(time[told], measured[told], lw=0.8, ls=":", color="0.5", label="at most")
    near.plot(time[told], sure[told], lw=1.2, marker=dots, ms=3, color="tab:blue", label="exactly")
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
    spells = history.pairs.worst()
    closest = sorted(history.pairs.totals.values(), key=lambda t: (t.value, -t.length))[:_PAIRS]
    row = {total.key: k for k, total in enumerate(closest)}
    figure, (axis,) = new_figure(1, width=11.0, height=0.9 + 0.32 * len(closest))
    span = max(history.last - history.first, math.ulp(1.0))
    values = [s.value for s in spells if math.isfinite(s.value)]
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    for spell in spells:
        if spell.key not in row:
            continue
        near = (high - spell.value) / (high - low) if high > low else 1.0
        start, wide = spell.start - history.first, max(spell.length, span / 500.0)
        shade = 0.35 + 0.65 * near if math.isfinite(near) else 1.0
        axis.barh(row[spell.key], wide, 0.7, left=start, color="tab:red", alpha=shade)
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
