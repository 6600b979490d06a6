"""What is wrong in one cycle, and what is still wrong from cycles before."""

from __future__ import annotations

from collections.abc import Iterator

from standoff.streams.report import Reason
from standoff.streams.rules import AFTER_GOOD, AT_ONCE, NEXT_GOOD, RULES, SINK_BACK

Key = tuple[str, str]


class Found:
    """The troubles of one cycle.

    Attributes:
        reasons: by kind and element; of one that is found twice, the first text.
        sources: the numbers of those that each came with.
    """

    __slots__ = ("reasons", "sources")

    def __init__(self) -> None:
        self.reasons: dict[Key, Reason] = {}
        self.sources: dict[Key, set[int]] = {}

    def add(self, kind: str, element: str, text: str, sources: set[int]) -> None:
        """Note one; ``kind`` is one of `RULES`."""
        key = (kind, element)
        if key not in self.reasons:
            self.reasons[key] = Reason(RULES[kind].state, kind, element, text)
            self.sources[key] = set()
        self.sources[key] |= sources

    @property
    def blamed(self) -> set[int]:
        """The sources that had a trouble."""
        return {source for sources in self.sources.values() for source in sources}


class Held:
    """Troubles that go on until their rule says that they are over."""

    __slots__ = ("_held", "_recover")

    def __init__(self, recover: int) -> None:
        self._recover = recover
        #: The reason, good readings still to come, and of which sources.
        self._held: dict[Key, tuple[Reason, int, set[int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def __iter__(self) -> Iterator[Reason]:
        return (reason for reason, _, _ in self._held.values())

    def take(self, found: Found, good: set[int]) -> None:
        """Take over what was found in a cycle, and count its good readings for the rest."""
        for key, (reason, left, sources) in list(self._held.items()):
            if key in found.reasons:
                continue
            ends = RULES[reason.kind].ends
            if ends == AT_ONCE:
                del self._held[key]
            elif ends != SINK_BACK and sources & good:
                if left <= 1:
                    del self._held[key]
                else:
                    self._held[key] = reason, left - 1, sources
        needed = {AFTER_GOOD: self._recover, NEXT_GOOD: 1}
        for key, reason in found.reasons.items():
            sources = found.sources[key] | (self._held[key][2] if key in self._held else set())
            self._held[key] = reason, needed.get(RULES[reason.kind].ends, 0), sources

    def end(self, kind: str, element: str) -> None:
        """This one is over."""
        self._held.pop((kind, element), None)
