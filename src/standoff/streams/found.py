"""What is wrong in one cycle, and what is still wrong from cycles before."""

from __future__ import annotations

from collections.abc import Iterator, Set

from standoff.streams.clocks import NOBODY, Who
from standoff.streams.report import Reason
from standoff.streams.rules import AFTER_GOOD, AT_ONCE, NEXT_GOOD, POSE_TOLD, RULES

Key = tuple[str, str]


class Found:
    """The troubles of one cycle.

    Attributes:
        reasons: by kind and element; of one that is found twice, the first text.
        whos: what each is about.
    """

    __slots__ = ("reasons", "whos")

    def __init__(self) -> None:
        self.reasons: dict[Key, Reason] = {}
        self.whos: dict[Key, set[Who]] = {}

    def add(self, kind: str, element: str, text: str, whos: Set[Who]) -> None:
        """Note one; ``kind`` is one of `RULES`."""
        key = (kind, element)
        if key not in self.reasons:
            self.reasons[key] = Reason(RULES[kind].state, kind, element, text)
            self.whos[key] = set()
        self.whos[key] |= whos

    def drop(self, kind: str, element: str) -> None:
        """It is over in the same cycle."""
        self.reasons.pop((kind, element), None)
        self.whos.pop((kind, element), None)

    @property
    def blamed(self) -> set[Who]:
        """What there is a trouble with."""
        return {who for whos in self.whos.values() for who in whos}


class Held:
    """Troubles that go on until their rule says that they are over."""

    __slots__ = ("_held", "_recover")

    def __init__(self, recover: int) -> None:
        self._recover = recover
        #: The reason, and the good readings still to come of each that it is about.
        self._held: dict[Key, tuple[Reason, dict[Who, int]]] = {}

    def __bool__(self) -> bool:
        return bool(self._held)

    def __contains__(self, key: Key) -> bool:
        return key in self._held

    def __iter__(self) -> Iterator[Reason]:
        return (reason for reason, _ in self._held.values())

    def count(self, kind: str) -> int:
        """How many of a kind there are."""
        return sum(key[0] == kind for key in self._held)

    def take(self, found: Found, good: Set[Who]) -> None:
        """Take over what was found in a cycle, and count its good readings for the rest."""
        for key, (reason, left) in list(self._held.items()):
            if key in found.reasons:
                continue
            ends = RULES[reason.kind].ends
            if ends == AT_ONCE:
                del self._held[key]
            elif ends in (AFTER_GOOD, NEXT_GOOD, POSE_TOLD):
                for who in [who for who in left if who in good]:
                    left[who] -= 1
                    if left[who] <= 0:
                        del left[who]
                if not left:
                    del self._held[key]
        for key, reason in found.reasons.items():
            about = {*found.whos[key], *(self._held[key][1] if key in self._held else ())}
            self._held[key] = reason, dict.fromkeys(about, self._needed(reason.kind))

    def unsettled(self, who: Who) -> bool:
        """Whether there is a trouble with this one that not one good reading has put right yet."""
        counts = [(reason.kind, left[who]) for reason, left in self._held.values() if who in left]
        return any(n == self._needed(kind) for kind, n in counts if kind != "grasp")

    def troubled(self, whos: Set[Who]) -> bool:
        """Whether there is a trouble with any of these."""
        return any(not whos.isdisjoint(left) for _, left in self._held.values())

    def relent(self, body: str) -> None:
        """Cell and stream agree again on who has a body; where it is has still to be told."""
        if ("grasp", body) in self._held:
            reason, left = self._held["grasp", body]
            left.pop(NOBODY, None)
            self._held["grasp", body] = reason, left | {body: self._recover}

    def _needed(self, kind: str) -> int:
        """Good readings that end a trouble of a kind; 0 where none does."""
        ends = RULES[kind].ends
        return {AFTER_GOOD: self._recover, POSE_TOLD: self._recover, NEXT_GOOD: 1}.get(ends, 0)

    def forget(self, body: str) -> None:
        """What was wrong with how a body was told of does not matter any more; where it is does."""
        for key, (reason, left) in list(self._held.items()):
            if reason.kind != "grasp" and left.pop(body, None) is not None and not left:
                del self._held[key]

    def end(self, kind: str, element: str) -> None:
        """This one is over."""
        self._held.pop((kind, element), None)
