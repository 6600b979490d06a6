"""A path over time as a picture: clearance, what is certified, the offending instant, now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from standoff.geometry.pose import Array
from standoff.view.live.style import minus

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _FLOOR = 440, 170, 46, 8, 12, 118
_BAND, _THICK = 128, 12
_GREEN, _RED, _GREY, _BLUE, _PALE = "#1d8a4a", "#c92a2a", "#cbd0d8", "#266ebe", "#9db8d8"


@dataclass(frozen=True, eq=False)
class Timeline:
    """What is drawn.

    Attributes:
        duration: [s].
        times, distances: of the curve, [s] and [m].
        wanted: the clearance that was asked for, [m].
        certified: intervals of time that are proved free, [s].
        offending: when it is first not free, [s]; None where it is.
        own: of the curve of links of one robot, [m]; None where it is not drawn.
        later: when the verdict's own place is passed, [s], where that is another.
    """

    duration: float
    times: Array
    distances: Array
    wanted: float
    certified: Sequence[tuple[float, float]]
    offending: float | None
    own: Array | None = None
    later: float | None = None

    def svg(self) -> str:
        """The picture, but for the line of now: it may be large, and does not change."""
        return (
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" data-timeline="1" '
            'style="font:10px sans-serif;display:block">'
            + "".join([*self._axes(), *self._curve(), *self._band()])
            + "</svg>"
        )

    def now(self, now: float) -> str:
        """A line at ``now`` [s], which lies on the picture where it comes right below it."""
        x = self._x(now)
        return (
            '<div style="position:relative;height:0">'
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="100%" data-now="1" '
            'style="position:absolute;bottom:0;left:0;pointer-events:none">'
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 4}" y2="{_BAND + _THICK + 4}" '
            'stroke="#111827" stroke-width="1.4"/></svg></div>'
        )

    def legend(self, verdict: str) -> str:
        """What its colours mean, of those that are in it; ``verdict`` in words."""
        parts = {
            "blue: nearest pair, sampled": bool(np.isfinite(self.distances).any()),
            "pale: nearest links of one robot, sampled": self.own is not None,
            "green: certified free": True,
            "grey: not certified": True,
            "red: offending instant, the first": self.offending is not None,
            f"ring: {verdict}": self.later is not None,
        }
        return " · ".join(text for text, drawn in parts.items() if drawn)

    def _x(self, time: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * min(max(time / self.duration, 0.0), 1.0)

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Lowest and highest distance drawn, [mm]."""
        every = self.distances if self.own is None else np.append(self.distances, self.own)
        finite = every[np.isfinite(every)]
        values = [0.0, 1e3 * self.wanted, *(1e3 * finite).tolist()]
        low, high = min(values), max(values)
        room = 0.06 * max(high - low, 1.0)
        return low - (room if low < 0.0 else 0.0), high + room

    def _y(self, mm: float) -> float:
        low, high = self._range
        return _FLOOR - (_FLOOR - _TOP) * (mm - low) / (high - low)

    def _axes(self) -> list[str]:
        low, high = self._range
        found = []
        for mm in _ticks(low, high):
            y = self._y(mm)
            found.append(
                f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
                f'stroke="#e5e7eb"/><text x="{_LEFT - 5}" y="{y + 3:.1f}" text-anchor="end" '
                f'fill="#667">{minus(f"{mm:g}")}</text>'
            )
        for time in _ticks(0.0, self.duration):
            x = self._x(time)
            found.append(
                f'<text x="{x:.1f}" y="{_HEIGHT - 4}" text-anchor="middle" '
                f'fill="#667">{time:g} s</text>'
            )
        found.append(f'<text x="2" y="{_TOP - 2}" fill="#667">mm</text>')
        y = self._y(1e3 * self.wanted)
        found.append(
            f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="{_RED}" stroke-dasharray="4 3"/>'
        )
        return found

    def _curve(self) -> list[str]:
        own = [] if self.own is None else self._line(self.own, _PALE, 1.1)
        return [*own, *self._line(self.distances, _BLUE, 1.6)]

    def _line(self, distances: Array, colour: str, width: float) -> list[str]:
        points = [
            f"{self._x(float(t)):.1f},{self._y(1e3 * float(d)):.1f}"
            for t, d in zip(self.times, distances, strict=True)
            if np.isfinite(d)
        ]
        if not points:
            return []
        return [
            f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" '
            f'stroke-width="{width}"/>'
        ]

    def _band(self) -> list[str]:
        wide = _WIDTH - _LEFT - _RIGHT
        found = [f'<rect x="{_LEFT}" y="{_BAND}" width="{wide}" height="{_THICK}" fill="{_GREY}"/>']
        for k, (start, end) in enumerate(self.certified):
            x, end_x = self._x(start), self._x(end)
            shade = 1.0 if k % 2 == 0 else 0.82
            found.append(
                f'<rect x="{x:.2f}" y="{_BAND}" width="{max(end_x - x, 0.2):.2f}" '
                f'height="{_THICK}" fill="{_GREEN}" fill-opacity="{shade}"/>'
            )
        if self.later is not None:
            x = self._x(self.later)
            found.append(
                f'<circle cx="{x:.1f}" cy="{_BAND + _THICK / 2}" r="4" fill="white" '
                f'stroke="{_RED}" stroke-width="2"/>'
            )
        if self.offending is not None:
            x = self._x(self.offending)
            found.append(
                f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP}" y2="{_BAND + _THICK}" '
                f'stroke="{_RED}" stroke-width="2"/>'
                f'<circle cx="{x:.1f}" cy="{_BAND + _THICK / 2}" r="5" fill="{_RED}"/>'
            )
        return found


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two, about four of them."""
    span = high - low
    if not span > 0.0:
        return [low]
    rough = span / 4.0
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda m: abs(m * power - rough)))
    first = np.ceil(low / step)
    return [float(k * step) for k in np.arange(first, np.floor(high / step) + 1)]
