"""A coloured sign that the browser itself takes back when it is not renewed.

A page whose program is frozen, ended or out of reach cannot be told so. The sign therefore is STALE
by itself, and alive only for some time from the moment at which its beat was written, of which the
browser must have seen it become another. A sign that was folded away and is made anew, from what
was heard last, has seen no such change: it is STALE until the next beat. Where the browser runs no
scripts it always is.

A beat is the time at which it was written. On a slow link old beats trickle out of full buffers,
all of them new to the browser: what one is later than the promptest that ever came is its age. The
two clocks need not agree; a link that was slow from the first message on cannot be told from clocks
that differ.

The banner of a cell is such a sign: the state at a glance, what is nearest, and what is wrong with
the input.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from standoff.cell.nearest_pair import NearPair
from standoff.view.live.seen import Alarm, Latch, Seen, State
from standoff.view.live.style import STATES, length, minus, safe

if TYPE_CHECKING:
    import viser


#: How long a sign stands without being renewed, [s].
LASTING = 2.0

#: Two clocks drift apart by no more than a second in so many: a page that is open for days would
#: become STALE without it. A lag that grows more slowly than that is missed.
_DRIFT = 10_000

#: A sign is renewed so often in the time that it stands, and at least every so many seconds: a page
#: that is opened, or unfolded, waits for a beat.
_RENEWALS, _SELDOM = 4, 0.25

_FADING = (
    "[data-beat]:not([data-alive]) [data-sign]{background:" + STATES["STALE"] + "!important}"
    "[data-beat]:not([data-alive]) [data-said]{visibility:hidden;opacity:0}"
    "[data-beat] [data-late]{visibility:hidden}"
    "[data-beat]:not([data-alive]) [data-late]{visibility:visible}"
    "[data-alive] [data-sign]{animation:standoff-grey 1ms linear var(--left) forwards}"
    "[data-alive] [data-said]{animation:standoff-gone 1ms linear var(--left) forwards}"
    "[data-alive] [data-late]{animation:standoff-stale 1ms linear var(--left) forwards}"
    "@keyframes standoff-grey{from,to{background:" + STATES["STALE"] + "}}"
    "@keyframes standoff-gone{from,to{visibility:hidden;opacity:0}}"
    "@keyframes standoff-stale{from,to{visibility:visible}}"
)

# The element around a sign stays while its content is written anew, and is another once it was
# folded away. Whoever is first in it waits for what comes later, which is looked at before it is
# drawn: a new beat is alive for what its age leaves, and what comes with the same beat only for the
# rest of its time. A beat before the last is from another program, or from a clock that was set.
_LISTENING = (
    "const home=this.parentNode;if(!home||home.last)return;"
    "const age=(beat,now)=>{let c=window.standoffClock;"
    "if(!c||beat<c.beat)c=window.standoffClock={least:Infinity,now};"
    f"c.least=Math.min(c.least+(now-c.now)/{_DRIFT},now-beat);c.beat=beat;c.now=now;"
    "return now-beat-c.least};"
    "const sign=()=>home.querySelector('[data-beat]');"
    "home.last={beat:sign().dataset.beat,at:-Infinity};"
    "new MutationObserver(()=>{const s=sign(),h=home.last,now=performance.now();if(!s)return;"
    "if(s.dataset.beat!==h.beat){h.beat=s.dataset.beat;h.at=now-age(+h.beat,now)}"
    "const left=1000*s.dataset.lasting-(now-h.at);"
    "if(left>0){s.style.setProperty('--left',left+'ms');s.dataset.alive=1}"
    "}).observe(home,{childList:true})"
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
        self._beat = time.monotonic()
        self._html = gui.add_html(self._text())

    def show(self, html: str) -> None:
        """Write ``html``, as `sign_html` gives it, where it is another or is to be renewed."""
        if html != self._inner:  # it is sent anyway: with the time of now
            self._inner, self._beat = html, time.monotonic()
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
        now = time.monotonic()
        if now - self._beat >= min(self._lasting / _RENEWALS, _SELDOM):
            self._beat = now
        return lasting_html(self._inner, self._lasting, round(1e3 * self._beat))


def heading(state: str, word: str) -> str:
    """The first line of a sign: the state, and a word on it."""
    return f'<div style="{_BIG}">{state}<span style="{_SMALL}">{word}</span></div>'


def sign_html(attribute: str, colour: str, inner: str) -> str:
    """A coloured field; what is inside is escaped by who made it."""
    return (
        f'<div {attribute} data-sign style="background:{colour};color:white;border-radius:6px;'
        f'padding:0.55em 0.8em;font-family:inherit"><div data-said>{inner}</div></div>'
    )


def lasting_html(sign: str, lasting: float, beat: int) -> str:
    """The sign, covered by STALE unless the browser has seen ``beat`` become another, and that is
    not older than ``lasting`` [s]; ``beat``: when it was written, by any clock that does not jump,
    [ms]."""
    return (
        f'<style onload="{_LISTENING}">{_FADING}</style>'
        f'<div data-beat="{beat}" data-lasting="{lasting:g}" '
        f'style="position:relative;margin:0.35em 0.6em">{sign}<div data-late '
        'style="position:absolute;top:0;left:0;color:white;padding:0.55em 0.8em">'
        f"{heading('STALE', 'nothing is received from the program of this page')}</div></div>"
    )


#: Faults, or reasons, that are spelled out.
_FAULTS = 3


class Banner:
    """The sign at the head of the panel.

    The panel's own title says it, too, so that it is seen while the panel is folded; but for SAFE,
    since a title cannot be taken back by a browser that gets nothing any more.

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
    what, texts = ("why", seen.reasons) if seen.reasons else ("fault", seen.faults)
    for text in texts[:_FAULTS]:
        facts.append(f"{what}: {safe(text)}")
    if len(texts) > _FAULTS:
        facts.append(f"and {len(texts) - _FAULTS} {'reasons' if seen.reasons else 'faults'} more")
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
