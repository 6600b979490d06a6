"""A coloured sign that the browser itself takes back when it is not renewed.

A page whose program is frozen, ended or out of reach cannot be told so. The sign therefore is STALE
unless the browser has heard a new beat on it within the time that a beat lasts. The beat is a number
that the element around the sign has as a property, and a change of which is a transition that holds
the number before for that time: as long as the two differ, the sign is alive. An element that has
just been made has no number before, whatever the sign says; so that a sign that was folded away, and
is made anew from what was heard last, is STALE until the next beat. No script takes part in it, and a
browser that does not know one of the rules never sees the sign alive.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from standoff.view.live.palette import STATES
from standoff.view.live.text import safe

if TYPE_CHECKING:
    import viser

#: How long a sign stands without being renewed, [s].
LASTING = 2.0

#: A sign is renewed so often in the time that it stands, and at least every so many seconds: a page
#: that is opened, or unfolded, waits for a beat.
_RENEWALS, _SELDOM = 4, 0.25

#: Beats are counted up to here, so that all of them are exact in single precision.
_BEATS = 1_000_000

# Animations that stand at their beginning while --silent is 0, and beyond their end where it is 1.
_FADING = (
    '@property --heard{syntax:"<number>";inherits:true;initial-value:0}'
    "@keyframes standoff-grey{to{background:" + STATES["STALE"] + "}}"
    "@keyframes standoff-gone{from{visibility:inherit}to{visibility:hidden;opacity:0}}"
    "@keyframes standoff-stale{from{visibility:hidden}to{visibility:inherit}}"
)
_PHASE = "1s linear calc(-2s * var(--silent,1)) 1 both paused"
_BIG = "font-size:1.5em;font-weight:700;letter-spacing:0.06em"
_SMALL = "font-size:0.6em;font-weight:500;letter-spacing:0;margin-left:0.9em"


class Sign:
    """A sign in a panel.

    Args:
        lasting: it is STALE where it was not renewed for so long, [s].
    """

    def __init__(self, gui: viser.GuiApi, html: str, lasting: float = LASTING) -> None:
        self._lasting, self._inner = lasting, html
        self._html = gui.add_html(self._text())

    def show(self, html: str) -> None:
        """Write ``html``, as `sign_html` gives it, where it is another or is to be renewed."""
        self._inner = html
        self.renew()

    def renew(self) -> None:
        """What it says still holds."""
        self._html.content = self._text()

    def fail(self, error: Exception) -> None:
        """A step failed: nothing that was said before holds."""
        fact = f'<div style="font-size:0.85em;line-height:1.45">fault: {safe(str(error))}</div>'
        head = heading("FAULT", "the page's own step failed")
        self.show(sign_html('data-standoff="FAULT"', STATES["FAULT"], head + fact))

    def _text(self) -> str:
        beat = int(time.monotonic() / min(self._lasting / _RENEWALS, _SELDOM))
        return lasting_html(self._inner, self._lasting, beat % _BEATS)


def heading(state: str, word: str) -> str:
    """The first line of a sign: the state, and a word on it."""
    return f'<div style="{_BIG}">{state}<span style="{_SMALL}">{word}</span></div>'


def sign_html(attribute: str, colour: str, inner: str) -> str:
    """A coloured field; what is inside is escaped by who made it."""
    return (
        f'<div {attribute} style="background:{colour};color:white;border-radius:6px;'
        "padding:0.55em 0.8em;font-family:inherit;"
        f'animation:standoff-grey {_PHASE}">'
        f'<div style="animation:standoff-gone {_PHASE}">{inner}</div></div>'
    )


def lasting_html(sign: str, lasting: float, beat: int) -> str:
    """The sign, covered by STALE unless ``beat`` has become another within ``lasting`` [s] in the
    element that this is the content of."""
    own = f'[data-beat="{beat}"]'
    rules = (
        f"div:has(>{own}){{--lasting:{lasting:g}s;--heard:{beat};"
        "transition:--heard var(--lasting) step-end}"
        # 1 where the number that is held is the beat's own, 0 where it is another.
        f"div:has(>{own})>{own}{{--silent:calc(1 - "
        f"min(1, max(var(--heard) - {beat}, {beat} - var(--heard))))}}"
    )
    return (
        f"<style>{_FADING}{rules}</style>"
        f'<div data-beat="{beat}" style="position:relative;margin:0.35em 0.6em">{sign}'
        '<div data-late style="position:absolute;top:0;left:0;color:white;padding:0.55em 0.8em;'
        f'animation:standoff-stale {_PHASE}">'
        f"{heading('STALE', 'nothing is heard from the program of this page')}</div></div>"
    )
