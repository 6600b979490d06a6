"""The state at a glance: one coloured sign, what is nearest, and what is wrong with the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from standoff.paths.nearest_now import NearPair
from standoff.view.live.palette import STATES
from standoff.view.live.seen import Seen
from standoff.view.live.sign import LASTING, Sign, heading, sign_html
from standoff.view.live.text import length, minus, safe

if TYPE_CHECKING:
    import viser

#: Faults that are spelled out.
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

    def show(self, seen: Seen, nearest: NearPair | None) -> None:
        """The state of one reading."""
        self._sign.show(banner_html(seen, nearest))
        self._head("" if seen.state == "SAFE" else seen.state)

    def renew(self) -> None:
        """What was shown still holds."""
        self._sign.renew()

    def fail(self, error: Exception) -> None:
        """Nothing that was shown holds."""
        self._sign.fail(error)
        self._head("FAULT")

    def _head(self, state: str) -> None:
        label = f"{state} · {self._title}" if state else self._title
        if label != self._label:
            self._gui.set_panel_label(label)
            self._label = label


def banner_html(seen: Seen | None, nearest: NearPair | None) -> str:
    """The sign as HTML; names are escaped."""
    if seen is None:
        return _sign("STALE", STATES["STALE"], "waiting for the first reading", [])
    facts = []
    if nearest is not None:
        facts.append(
            f"nearest: <b>{minus(length(nearest.distance))}</b> · "
            f"{safe(nearest.a)} – {safe(nearest.b)}"
        )
    if seen.time is not None:
        facts.append(f"time: {minus(f'{seen.time:.2f}')} s")
    for fault in seen.faults[:_FAULTS]:
        facts.append(f"fault: {safe(fault)}")
    if len(seen.faults) > _FAULTS:
        facts.append(f"and {len(seen.faults) - _FAULTS} faults more")
    return _sign(seen.state, STATES[seen.state], _word(seen), facts)


def _word(seen: Seen) -> str:
    count = len(seen.marks) + seen.more
    if seen.state == "STALE":
        return "no reading came in time"
    if seen.state == "NOT WATCHED":
        return "no monitor was asked"
    if count:
        return f"{count} pair{'s' * (count > 1)} too close"
    return "input that cannot be trusted" if seen.faults else "nothing is too close"


def _sign(state: str, colour: str, word: str, facts: list[str]) -> str:
    lines = "".join(
        f'<div style="overflow:hidden;text-overflow:ellipsis;white-space:nowrap">{fact}</div>'
        for fact in facts
    )
    return sign_html(
        f'data-standoff="{state}"', colour,
        f'{heading(state, word)}<div style="font-size:0.85em;line-height:1.45">{lines}</div>',
    )  # fmt: skip
