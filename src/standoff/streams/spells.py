"""How often, how long and how badly something held: in bounded memory, however long it goes on."""

from __future__ import annotations

import heapq
import math
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

#: Spells (of a pair that is too close, of a fault) that a history keeps, the worst of them, [-],
#: and different ones of which it counts each apart, [-]: what is beyond is counted together.
HISTORY_SPELLS = 500
HISTORY_KINDS = 2000

#: Spells of the same that are less far apart are one, [s]: it flickered.
SPELL_GAP = 0.25


Key = TypeVar("Key", bound=Hashable)


@dataclass
class Spell(Generic[Key]):
    """Something that held from ``start`` to ``end``, [s]; gaps below SPELL_GAP are no end.

    Attributes:
        value: the lowest of its values, and ``at`` when that was, ``speed`` then.
        fastest: the largest of its speeds.
        cycles: in how many cycles it held.
    """

    key: Key
    start: float
    end: float
    value: float = math.inf
    at: float = math.nan
    speed: float = math.nan
    fastest: float = -math.inf
    cycles: int = 0

    @property
    def length(self) -> float:
        """[s]; 0 where it was one cycle."""
        return self.end - self.start


@dataclass
class Total(Generic[Key]):
    """All spells of one key together."""

    key: Key
    spells: int = 0
    cycles: int = 0
    length: float = 0.0
    value: float = math.inf
    at: float = math.nan
    fastest: float = -math.inf
    first: float = math.nan


@dataclass
class Spells(Generic[Key]):
    """Spells by key. Of those that are over, the worst are kept: lowest value first, longest of the
    equal ones. The totals count all of them, for as many different keys as fit; ``others`` is how
    many spells had no room among these."""

    most: int = HISTORY_SPELLS
    most_keys: int = HISTORY_KINDS
    totals: dict[Key, Total[Key]] = field(default_factory=dict)
    others: int = 0
    _open: dict[Key, Spell[Key]] = field(default_factory=dict)
    _kept: list[tuple[float, float, int, Spell[Key]]] = field(default_factory=list)
    _number: int = 0

    def take(self, time: float, held: Iterable[tuple[Key, float, float]]) -> None:
        """What holds in a cycle: its key, value and speed (NaN where there is none)."""
        for key, value, speed in held:
            spell = self._open.get(key)
            if spell is None:
                if len(self._open) >= self.most_keys:
                    self.others += 1
                    continue
                spell = self._open[key] = Spell(key, time, time)
            spell.end = time
            spell.cycles += 1
            if value < spell.value or spell.cycles == 1:
                spell.value, spell.at, spell.speed = value, time, speed
            if speed > spell.fastest:
                spell.fastest = speed
        if self._open:
            over = [s for s in self._open.values() if time - s.end > SPELL_GAP]
            for spell in over:
                self._end(spell)

    def extend(self, last: float, time: float) -> None:
        """What held in the last cycle still does: nothing else was said until now."""
        for spell in self._open.values():
            if spell.end == last:
                spell.end = time

    def finish(self) -> None:
        """The watch is over, and with it each spell."""
        for spell in list(self._open.values()):
            self._end(spell)

    def worst(self) -> list[Spell[Key]]:
        """Those kept, the worst first, those that go on among them."""
        spells = [spell for *_, spell in self._kept] + list(self._open.values())
        return sorted(spells, key=lambda s: (_finite(s.value), -s.length, s.start))

    def _end(self, spell: Spell[Key]) -> None:
        del self._open[spell.key]
        total = self.totals.get(spell.key)
        if total is None and len(self.totals) < self.most_keys:
            total = self.totals[spell.key] = Total(spell.key, first=spell.start)
        if total is None:
            self.others += 1
        else:
            total.spells += 1
            total.cycles += spell.cycles
            total.length += spell.length
            total.fastest = max(total.fastest, spell.fastest)
            if spell.value < total.value or total.spells == 1:
                total.value, total.at = spell.value, spell.at
        # A heap with the mildest on top: the highest value, the shortest of the equal ones.
        self._number += 1
        entry = (-_finite(spell.value), spell.length, -self._number, spell)
        if len(self._kept) < self.most:
            heapq.heappush(self._kept, entry)
        else:
            heapq.heappushpop(self._kept, entry)


def _finite(value: float) -> float:
    """An unknown distance counts as the worst."""
    return -math.inf if math.isnan(value) else value
