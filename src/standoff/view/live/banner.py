"""The state at a glance: one coloured sign, what is nearest, and what is wrong with the input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from standoff.view.live.nearest_line import NearPair
from standoff.view.live.palette import STATES
from standoff.view.live.seen import Seen
from standoff.view.live.text import length, minus, safe

if TYPE_CHECKING:
    import viser

#: Faults that are spelled out.
_FAULTS = 3


class Banner:
    """The sign at the head of the panel. The panel's own title says it, too, so that it is seen
    while the panel is folded."""

    def __init__(self, gui: viser.GuiApi, title: str) -> None:
        self._gui, self._title = gui, title
        self._html = gui.add_html(banner_html(None, None))
        self._label = ""

    def show(self, seen: Seen, nearest: NearPair | None) -> None:
        """The state of one reading."""
        self._html.content = banner_html(seen, nearest)
        label = f"{seen.state} · {self._title}"
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
    if count:
        return f"{count} pair{'s' * (count > 1)} too close"
    return "input that cannot be trusted" if seen.faults else "nothing is too close"


def _sign(state: str, colour: str, word: str, facts: list[str]) -> str:
    lines = "".join(
        f'<div style="overflow:hidden;text-overflow:ellipsis;white-space:nowrap">{fact}</div>'
        for fact in facts
    )
    return (
        f'<div data-standoff="{state}" style="background:{colour};color:white;border-radius:6px;'
        'margin:0.35em 0.6em;padding:0.55em 0.8em;font-family:inherit">'
        f'<div style="font-size:1.5em;font-weight:700;letter-spacing:0.06em">{state}'
        f'<span style="font-size:0.6em;font-weight:500;letter-spacing:0;margin-left:0.9em">{word}'
        f'</span></div><div style="font-size:0.85em;line-height:1.45">{lines}</div></div>'
    )
