"""What a monitor watches: the cell's bodies and the zones, numbered together.

Which primitive has which slot, while primitives come and go.

A primitive that stays keeps its slot, so that the index changes only where the cell did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from standoff.cell import Cell
from standoff.errors import DuplicateNameError, UnknownNameError
from standoff.geometry.narrowphase.dispatch import has_closed_form
from standoff.geometry.pose import Array
from standoff.geometry.shape import IntArray, Shape
from standoff.monitor.buffers import Thresholds
from standoff.monitor.kernels import layout as m
from standoff.monitor.zones import KeepIn, KeepOut

Zone = KeepIn | KeepOut


@dataclass(frozen=True, eq=False)
class Scene:
    """One revision of a cell as the monitor sees it.

    Attributes:
        names: of all bodies, the zones after those of the cell.
        frame: of each body; robot: number of the robot it belongs to, or NO_ROBOT.
        owner: name of the robot, or of the body itself.
        primitives: of all bodies.
        robots: their names.
        gone: names that were in the cell once and are no more.
        zones: how many of the bodies, at their end, are zones.
    """

    names: tuple[str, ...]
    index: Mapping[str, int]
    frame: tuple[int, ...]
    robot: tuple[int, ...]
    owner: tuple[str, ...]
    primitives: list[Primitive]
    robots: tuple[str, ...]
    gone: frozenset[str]
    zones: int

    @property
    def named(self) -> frozenset[str]:
        """All names that rules may use."""
        return frozenset((*self.names, *self.robots))

    @property
    def closed(self) -> bool:
        """Whether the distance of every pair that can be watched has a closed form."""
        kinds = {(p.shape.kind, p.frame != 0) for p in self.primitives}
        return all(has_closed_form(a, b) for a, moves in kinds if moves for b, _ in kinds)

    def members(self, name: str) -> list[int]:
        """The bodies behind a name: those of a robot, or the one itself; none where it is gone."""
        if name in self.index:
            zones = range(len(self.names) - self.zones, len(self.names))
            return [self.index[name], *(k for k in zones if self.names[k] == name)]
        if name in self.robots:
            number = self.robots.index(name)
            return [b for b, r in enumerate(self.robot) if r == number]
        if name in self.gone:
            return []
        raise UnknownNameError(name, [*self.robots, *self.names], what="name")


def read_scene(cell: Cell, zones: Sequence[Zone], seen: frozenset[str] | None = None) -> Scene:
    """Number everything. ``seen`` are names of earlier revisions, None at first: those that are
    gone may still be named, and a body that comes later with the name of a zone ends no watch."""
    world = cell.world
    robots = tuple(cell.robots)
    number = {name: k for k, name in enumerate(robots)}
    held = {
        body.name: body.attachment.link.partition("/")[0]
        for body in cell.bodies.values()
        if body.attachment is not None
    }
    names = [*world.names, *(zone.name for zone in zones)]
    index = {name: k for k, name in reversed([*enumerate(names)])}
    taken = {*robots, *cell.bodies, *world.names}
    for zone in zones:
        if zone.name in taken and seen is None:
            raise DuplicateNameError("name of a zone is taken", value=zone.name)
        taken.add(zone.name)
    owner = [held.get(name, name.partition("/")[0]) for name in world.names]
    primitives = [
        Primitive(body, frame, shape, pose, (name, part, frame != 0))
        for body, (name, frame, parts) in enumerate(zip(world.names, world.frame, world.parts))
        for part, (shape, pose) in enumerate(parts)
    ]
    primitives += [
        Primitive(len(world.names) + k, 0, shape, pose, (zone.name, -1 - part, False))
        for k, zone in enumerate(zones)
        for part, (shape, pose) in enumerate(zone.parts())
    ]
    return Scene(
        names=tuple(names),
        index=index,
        frame=(*world.frame, *(0 for _ in zones)),
        robot=(*(number.get(name, m.NO_ROBOT) for name in owner), *(m.NO_ROBOT for _ in zones)),
        owner=(*owner, *(zone.name for zone in zones)),
        primitives=primitives,
        robots=robots,
        gone=(seen or frozenset()).difference(names, robots),
        zones=len(zones),
    )


@dataclass(frozen=True, eq=False)
class Rules:
    """Who may touch whom, and who has a threshold of its own; see `monitor.kernels.layout`.

    Attributes:
        bodies, exceptions, thresholds: the tables.
        least: for each body the largest threshold it is in, [m].
    """

    bodies: IntArray
    exceptions: IntArray
    thresholds: Array
    least: Array


def make_rules(cell: Cell, scene: Scene, zones: Sequence[Zone], thresholds: Thresholds) -> Rules:
    """Exceptions are kept for the bodies that have some: the tables grow with their number, and not
    with the number of pairs."""
    kinds = (thresholds.self_, thresholds.robot_robot, thresholds.robot_scene)
    values = [np.nan if value is None else value for value in kinds]
    of_robots = max((v for v in values if not np.isnan(v)), default=0.0)
    # A link is extended for all that it may meet; one that stands still is not extended at all, so
    # that whatever moves about it is.
    of_scene = 0.0 if thresholds.robot_scene is None else thresholds.robot_scene
    least = np.where(np.array(scene.robot) != m.NO_ROBOT, of_robots, of_scene).astype(float)
    found: dict[tuple[int, int], int] = {}
    # Those that name a robot first: whoever names its links one by one means them more.
    for (a, b), value in sorted(
        thresholds.pairs.items(), key=lambda item: -sum(name in scene.robots for name in item[0])
    ):
        for x in scene.members(a):
            for y in scene.members(b):
                if x != y:
                    found[min(x, y), max(x, y)] = len(values)
                    least[x], least[y] = max(least[x], value), max(least[y], value)
        values.append(value)
    for z, zone in enumerate(zones, len(scene.names) - len(zones)):
        if zone.only is not None:
            meant = {b for name in zone.only for b in scene.members(name)}
            for k, frame in enumerate(scene.frame):
                if frame != 0 and k not in meant:
                    found[min(k, z), max(k, z)] = m.ALLOWED
    for a, b in cell.pairs.reasons:
        if a in scene.index and b in scene.index:
            x, y = scene.index[a], scene.index[b]
            found[min(x, y), max(x, y)] = m.ALLOWED
    both = [(a, b, rule) for (a, b), rule in found.items()]
    both += [(b, a, rule) for a, b, rule in both]
    table = np.array(sorted(both), dtype=np.int64).reshape(-1, 3)
    ends = np.searchsorted(table[:, 0], np.arange(len(scene.names) + 1))
    bodies = np.stack(
        [np.array(scene.frame), np.array(scene.robot), ends[:-1], ends[1:]], axis=1
    ).reshape(-1, 4)
    return Rules(
        bodies=bodies.astype(np.int64),
        exceptions=np.ascontiguousarray(table[:, 1:]),
        thresholds=np.array(values).reshape(-1, 1),
        least=least,
    )


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
