"""A coloured sign that the browser itself takes back when it is not renewed.

A page whose program is frozen, ended or out of reach cannot be told so. The sign therefore fades by
an animation of its own, which begins anew whenever the sign is written anew.
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

#: A sign is renewed so often in the time that it stands.
_RENEWALS = 4

_FADING = (
    "<style>@keyframes standoff-grey{from,to{background:" + STATES["STALE"] + "}}"
    "@keyframes standoff-gone{from,to{visibility:hidden;opacity:0}}"
    "@keyframes standoff-stale{from,to{visibility:visible}}</style>"
)
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
        beat = int(time.monotonic() * _RENEWALS / self._lasting)
        return lasting_html(self._inner, self._lasting, beat)


def heading(state: str, word: str) -> str:
    """The first line of a sign: the state, and a word on it."""
    return f'<div style="{_BIG}">{state}<span style="{_SMALL}">{word}</span></div>'


def sign_html(attribute: str, colour: str, inner: str) -> str:
    """A coloured field; what is inside is escaped by who made it."""
    return (
        f'<div {attribute} style="background:{colour};color:white;border-radius:6px;'
        "padding:0.55em 0.8em;font-family:inherit;"
        f'animation:standoff-grey 1ms linear var(--lasting) forwards">'
        '<div style="animation:standoff-gone 1ms linear var(--lasting) forwards">'
        f"{inner}</div></div>"
    )


def lasting_html(sign: str, lasting: float, beat: int) -> str:
    """The sign, covered by STALE after ``lasting`` [s] unless ``beat`` has become another: the
    browser makes all of it anew where any of its text changes, and starts its animations again."""
    return (
        f'{_FADING}<div data-beat="{beat}" style="position:relative;margin:0.35em 0.6em;'
        f'--lasting:{lasting:g}s">{sign}<div data-late style="position:absolute;top:0;left:0;'
        "color:white;padding:0.55em 0.8em;visibility:hidden;"
        'animation:standoff-stale 1ms linear var(--lasting) forwards">'
        f"{heading('STALE', 'the page hears nothing any more')}</div></div>"
    )
