"""Joint values of a source that look like degrees or millimetres: one fault for the source, which
names what mends it, in place of one for each joint and link.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from standoff.monitor.report import Fault
from standoff.streams.faults import Found, Ongoing
from standoff.streams.publishers import Subject
from standoff.streams.received import Received

#: So many joints of one reading have to look alike, [-]: one alone may be a reading that is spoilt,
#: and its own fault says what it looks like.
_ALIKE: Final = 2

#: What a rule of the cell file says of a source, by the unit that its values are in.
_MENDS: Final = {"degrees": 'angles = "deg"', "millimetres": 'lengths = "mm"'}


class OtherUnits:
    """Of the sources of one watch. Nothing is converted, and the cell is at FAULT as before."""

    def __init__(self, received: Received, ongoing: Ongoing) -> None:
        self._received, self._ongoing = received, ongoing
        #: What is said of a source, by its number, from the first time on.
        self._texts: dict[int, str] = {}

    def __bool__(self) -> bool:
        return bool(self._texts)

    def merge(self, faults: Sequence[Fault], found: Found) -> None:
        """Put the faults of a cycle that follow from the unit of a source together."""
        now = self._doubted(faults)
        for source, text in self._texts.items():
            name = self._received.sources[source]
            if source in now or ("limits", name) in self._ongoing:
                joints = self._received.published_by(source)
                about: set[Subject] = set()
                for kind, element in [*found.reasons]:
                    subjects = found.subjects[kind, element]
                    if kind in ("limits", "jump") and not joints.isdisjoint(subjects):
                        about |= subjects
                        found.drop(kind, element)
                if about:
                    found.add("limits", name, text, about)

    def told(self, keys: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Warnings and contacts, by kind and pair, without those of robots whose joints look like
        another unit at present: that they come and go is no news."""
        robots = {
            joint.partition("/")[0] + "/"
            for source in self._texts
            if ("limits", self._received.sources[source]) in self._ongoing
            for j, joint in enumerate(self._received.joints)
            if j in self._received.published_by(source)
        }
        if not robots:
            return keys
        return frozenset(
            (kind, pair)
            for kind, pair in keys
            if kind not in ("warning", "contact")
            or not any(name.startswith((*robots,)) for name in pair.split(" – "))
        )

    def _doubted(self, faults: Sequence[Fault]) -> set[int]:
        """The sources of which joints look like another unit in this cycle."""
        hinted = [fault for fault in faults if fault.hint and fault.kind == "limits"]
        doubted = set()
        for source, name in enumerate(self._received.sources):
            joints = self._received.published_by(source)
            theirs = [
                f for f in hinted if not joints.isdisjoint(self._received.subjects_of(f.element))
            ]
            if len(theirs) >= _ALIKE:
                doubted.add(source)
                unit = next(unit for unit in _MENDS if unit in theirs[0].hint)
                self._texts.setdefault(
                    source,
                    f"{name}: joint values look like {unit}, such as {theirs[0].element} = "
                    f"{theirs[0].value:g} (allowed: {theirs[0].allowed}); {_MENDS[unit]} in a "
                    "[[stream]] of the cell file converts them",
                )
        return doubted
