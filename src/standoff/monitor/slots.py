"""Which primitive has which slot, while primitives come and go.

A primitive that stays keeps its slot, so that the index changes only where the cell did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from standoff.shapes.pose import Array
from standoff.shapes.shape import Shape


@dataclass(frozen=True, eq=False)
class Primitive:
    """One shape of a body.

    Attributes:
        body: number of its body; frame: that it is fixed to, 0 for what stands still.
        local: its pose in that frame, 4 x 4.
        key: what makes it the same primitive as one of an earlier revision.
    """

    body: int
    frame: int
    shape: Shape
    local: Array
    key: tuple[str, int, bool]

    def same(self, other: Primitive) -> bool:
        """Whether it may keep what is known of ``other``."""
        return self.shape is other.shape and bool((self.local == other.local).all())


@dataclass(frozen=True, eq=False)
class Slots:
    """Slots below ``movers`` are for what moves, the others for what stands still."""

    movers: int
    total: int
    taken: dict[tuple[str, int, bool], tuple[int, Primitive]] = field(default_factory=dict)

    @classmethod
    def with_room(cls, primitives: list[Primitive]) -> Slots:
        """Room for some more than there are."""
        moving = sum(p.frame != 0 for p in primitives)
        still = len(primitives) - moving
        movers = moving + max(16, moving // 8)
        return cls(movers, movers + still + max(16, still // 16))

    def assigned(self, primitives: list[Primitive]) -> Assigned | None:
        """Slots for these primitives instead; None where there are too few."""
        wanted = {p.key: p for p in primitives}
        stay = {
            key: (slot, wanted[key])
            for key, (slot, old) in self.taken.items()
            if key in wanted and wanted[key].same(old)
        }
        gone = [slot for key, (slot, _) in self.taken.items() if key not in stay]
        used = {slot for slot, _ in stay.values()}
        free_movers = _free(range(self.movers), used)
        free_still = _free(range(self.movers, self.total), used)
        fresh: list[int] = []
        for p in primitives:
            if p.key in stay:
                continue
            slot = next(free_movers if p.frame != 0 else free_still, None)
            if slot is None:
                return None
            stay[p.key] = slot, p
            fresh.append(slot)
        where = [stay[p.key][0] for p in primitives]
        return Assigned(replace(self, taken=stay), where, gone, fresh)


@dataclass(frozen=True, eq=False)
class Assigned:
    """Slots for the primitives of another revision.

    Attributes:
        slots: who has which.
        where: the slot of each primitive.
        gone: slots that were given up.
        fresh: slots newly taken.
    """

    slots: Slots
    where: list[int]
    gone: list[int]
    fresh: list[int]


def _free(slots: Iterable[int], used: set[int]) -> Iterator[int]:
    return (slot for slot in slots if slot not in used)
