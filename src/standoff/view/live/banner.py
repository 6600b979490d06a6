"""The state at a glance: one coloured sign, what is nearest, and what is wrong with the input."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from standoff.paths.nearest import NearPair
from standoff.view.live.seen import Alarm, Latch, Seen, State
from standoff.view.live.sign import LASTING, Sign, heading, sign_html
from standoff.view.live.style import STATES, length, minus, safe

if TYPE_CHECKING:
    import viser


#: Faults, or reasons, that are spelled out.
_FAULTS = 3


class Banner:
    """The sign at the head of the panel.

    The panel's own title says it, too, so that it is seen while the panel is folded; but for SAFE,
    since a title cannot be taken back by a browser that hears nothing any more.

    Args:
        lasting: how long it stands without being renewed, [s].
    """

    def __init__(self, gui: viser.GuiApi, title: str, lasting: float = LASTING) -> None:
        self._gui, self._title = gui, title
        self._sign = Sign(gui, banner_html(None, None), lasting)
        self._label = ""
        self._latch = Latch()
        self._shown: tuple[Seen, NearPair | None] | None = None

    def show(self, seen: Seen, nearest: NearPair | None) -> None:
        """The state of one reading."""
        if seen.alarms is None:
            self._latch.note({seen.state, "WARNING"} if seen.marks else {seen.state})
        self._shown = seen, nearest
        self.renew()
        self._head("" if seen.state == "SAFE" else seen.state)

    def renew(self) -> None:
        """What was shown still holds; but for how long ago it warned."""
        if self._shown is None:
            self._sign.renew()
            return
        seen, nearest = self._shown
        alarms = self._latch.alarms if seen.alarms is None else seen.alarms
        self._sign.show(banner_html(seen, nearest, alarms))

    def fail(self, error: Exception) -> None:
        """Nothing that was shown holds."""
        self._shown = None
        self._sign.fail(error)
        self._head("FAULT")

    def _head(self, state: str) -> None:
        label = f"{state} · {self._title}" if state else self._title
        if label != self._label:
            self._gui.set_panel_label(label)
            self._label = label


def banner_html(seen: Seen | None, nearest: NearPair | None, alarms: Sequence[Alarm] = ()) -> str:
    """The sign as HTML; names are escaped. ``alarms``: what warned up to now."""
    if seen is None:
        return _sign("STALE", STATES["STALE"], "waiting for the first reading", [])
    now = time.monotonic()
    facts = [f"<span data-alarm>{alarm.text(now)}</span>" for alarm in alarms]
    if nearest is not None:
        facts.append(
            f"nearest: <b>{minus(length(nearest.distance))}</b> · "
            f"{safe(nearest.a)} – {safe(nearest.b)}"
        )
    if seen.time is not None:
        facts.append(f"time: {minus(f'{seen.time:.2f}')} s")
    what, told = ("why", seen.reasons) if seen.reasons else ("fault", seen.faults)
    for text in told[:_FAULTS]:
        facts.append(f"{what}: {safe(text)}")
    if len(told) > _FAULTS:
        facts.append(f"and {len(told) - _FAULTS} {'reasons' if seen.reasons else 'faults'} more")
    return _sign(seen.state, STATES[seen.state], safe(seen.word) or _word(seen), facts)


#: Beside a state for which nothing else is given.
_WORDS: dict[State, str] = {
    "SAFE": "nothing is too close",
    "WARNING": "something is too close",
    "FAULT": "input that cannot be trusted",
    "STALE": "waiting for a reading in time",
    "NOT WATCHED": "no monitor was asked",
    "NOT CERTIFIED": "nothing is proved of this instant",
    "ENDED": "",
}


def _word(seen: Seen) -> str:
    count = len(seen.marks) + seen.more
    if count and seen.state in ("WARNING", "FAULT"):
        return f"{count} pair{'s' * (count > 1)} too close{'' if seen.now else _not_now(seen)}"
    return _WORDS[seen.state]


def _not_now(seen: Seen) -> str:
    return f", {seen.marks[0].when}" if len(seen.marks) == 1 else ", none of them now"


def _sign(state: str, colour: str, word: str, facts: list[str]) -> str:
    lines = "".join(
        f'<div style="overflow:hidden;text-overflow:ellipsis;white-space:nowrap">{fact}</div>'
        for fact in facts
    )
    return sign_html(
        f'data-standoff="{state}"', colour,
        f'{heading(state, word)}<div style="font-size:0.85em;line-height:1.45">{lines}</div>',
    )  # fmt: skip
