"""What a monitor watches, numbered and in tables: laid out once, then changed where the cell was.

Bodies have numbers in the order of the cell's model, zones those after them; no number is given
twice, so that the names in an earlier `Cycle` stay right. A primitive that stays keeps its slot.
The first layout is a change, too: from a cell with nothing in it. After a change every mover looks
for its pairs anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from standoff.broadphase import Index
from standoff.broadphase.index import EDGE_ROUNDING, ROOT_MARGIN
from standoff.broadphase.kernels import tables as x
from standoff.cell.cell import Cell, Compiled
from standoff.cell.model import Change, Primitive
from standoff.compiled.by_address import address_of
from standoff.errors import DuplicateNameError, UnknownNameError
from standoff.geometry.narrowphase import dispatch, layout
from standoff.geometry.narrowphase.aabb import bound_all
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch, Solids
from standoff.geometry.pose import Array
from standoff.geometry.shape import EMPTY, IntArray, Shape
from standoff.geometry.table import pack
from standoff.monitor.kernels import tables as m
from standoff.monitor.kernels.between import INSTANT_ROWS
from standoff.monitor.movers import Movers, farthest_step
from standoff.monitor.options import Options
from standoff.monitor.report import Naming
from standoff.monitor.rules import Rules
from standoff.motion.kernels.bound import BODY_FRAME, CHAIN0
from standoff.robots.tree import Tree

#: The box of a mover that has no place yet: it meets nothing.
_NOWHERE = (math.inf,) * 3 + (-math.inf,) * 3

#: Numbers of geometry that changes may add, [-]: 8 MB. Beyond that all is laid out anew, without
#: what no primitive has any more.
_MOST_ADDED = 1_000_000

#: Where the geometry of a body begins, in the order of `_SOLIDS`.
_OFFSETS = (layout.POINT0, layout.FACE0, layout.NODE0, layout.INT0)
_SOLIDS = ("points", "faces", "nodes", "ints")

#: What is known of a mover from the readings so far: where it is and was, and ``known`` and
#: ``bank`` of its record.
Known = tuple[Array, Array, int, float]


@dataclass(frozen=True, eq=False)
class Patch:
    """What a change of the cell comes to; nothing is changed yet.

    Attributes:
        gone: primitives that are watched no more.
        numbers: of the bodies that are new or another; slots: of their primitives.
        records: of those of them that move.
        free: slots that nobody has then, ascending, those for movers first.
    """

    now: Compiled
    gone: Sequence[Primitive]
    numbers: Mapping[str, int]
    slots: Mapping[Primitive, int]
    records: Mapping[Primitive, Any]
    free: Sequence[list[int]]


class Scene:
    """The tables of a monitor and its index.

    Args:
        cell: that nobody changes meanwhile.
        seen: names of earlier revisions, None at first: those that are gone may still be named, and
            a body that comes later with the name of a zone ends no watch.
        before: what was watched until now; what stays goes on from where it was, whatever carries
            it now.

    Attributes:
        torn: a change was not carried out to its end; all has to be laid out anew.
    """

    def __init__(
        self,
        cell: Cell,
        options: Options,
        seen: frozenset[str] | None = None,
        before: Scene | None = None,
    ) -> None:
        now, zones = cell.compile(), options.zones
        self.torn = False
        self._options, self._robots = options, now.robots
        self._robot_number = {name: k for k, name in enumerate(now.robots)}
        self.seen = seen or frozenset()
        self._movers = Movers(now.model.tree, options, {*now.robots, *cell.bodies, *self.seen})
        self._rules = Rules(options.thresholds, zones, now.robots)
        if seen is None:
            self._check_zones({*now.robots, *cell.bodies, *now.model.names})
        # Room for some more bodies and primitives than there are; the zones' come last and first.
        parts = {
            Primitive(zone.name, part, 0, shape, pose): k
            for k, zone in enumerate(zones)
            for part, (shape, pose) in enumerate(zone.parts())
        }
        bodies, primitives = len(now.model.entries), now.model.primitives
        moving = sum(p.frame != 0 for p in primitives)
        self._room = moving + max(16, moving // 8)
        still = len(parts) + len(primitives) - moving
        total = self._room + still + max(16, still // 16)
        first = self._room + len(parts)
        self._free: Sequence[list[int]] = [*range(self._room)], [*range(first, total)]
        self._next, behind = 0, bodies + max(64, bodies // 16)
        self._names = [""] * behind + [zone.name for zone in zones]
        self._zones = range(behind, len(self._names))
        self._number: dict[str, int] = {}
        self._slots: dict[Primitive, int] = {}
        self._single = len(parts) == len(zones)
        self._shapes: dict[int, tuple[Shape, IntArray]] = {}
        self._solids_used = dict.fromkeys(_SOLIDS, 0)
        self._kinds: set[tuple[int, bool]] = set()
        self._exceptions: dict[tuple[int, int], int] = {}
        self._base, self._added = np.zeros(self._room), 0
        self.tables = tables = self._lay_out(now, total, options.between)
        slots = dict(zip(parts, range(self._room, first)))
        self._put(slots, [self._zones[k] for k in parts.values()])
        patch = self._patch(now, Change((), primitives))
        assert patch is not None
        kept = {} if before is None or before.torn else before.known(patch.records)
        self._write(patch, kept)
        every = np.array([*slots.values(), *patch.slots.values()], dtype=np.int64)
        self.index = self._new_index(cell, every)
        tables.index = self.index.tables
        self._put_in(every)
        self._added = 0
        if before is not None and options.between:
            joints = dict(zip(before.model.tree.joints, before.tables.between.now))
            tables.between.now[:] = [joints.get(n, np.nan) for n in now.model.tree.joints]

    # -- names -----------------------------------------------------------------------------------

    def _check_zones(self, taken: set[str]) -> None:
        for zone in self._options.zones:
            if zone.name in taken:
                raise DuplicateNameError("name of a zone is taken", value=zone.name)
            taken.add(zone.name)

    @property
    def naming(self) -> Naming:
        """Names by number, and whether each body surely has a single primitive."""
        return self._names, self._single

    def _note_names(self) -> None:
        """Remember the names that options use and that there are."""
        there = (
            name for name in self._options.mentioned
            if name in self._number or name in self._robot_number or self._zone_numbers(name)
        )  # fmt: skip
        self.seen |= frozenset(there)

    def _zone_numbers(self, name: str) -> list[int]:
        return [k for k in self._zones if self._names[k] == name]

    def _members(self, name: str) -> list[int]:
        """The bodies behind a name: those of a robot, or the one itself; none where it is gone."""
        zones = self._zone_numbers(name)
        if name in self._number:
            return [self._number[name], *zones]
        if zones:
            return zones
        if name in self._robot_number:
            of_robot = self.tables.bodies.robot == self._robot_number[name]
            found: list[int] = np.flatnonzero(of_robot).tolist()
            return found
        if name in self.seen:
            return []
        known = [*self._robots, *self.model.names]
        raise UnknownNameError(name, known, what="name")

    def _owner(self, now: Compiled, name: str) -> str:
        """The robot of a link or of what it holds, or the body itself."""
        held = now.pairs.held.get(name)
        if held is not None and held.attachment is not None:
            return held.attachment.link.partition("/")[0]
        return name.partition("/")[0]

    # -- tables ----------------------------------------------------------------------------------

    def _lay_out(self, now: Compiled, total: int, between: bool) -> m.MonitorTables:
        """All tables, for so many primitives, with nothing in them yet."""
        model, tree, movers = now.model, now.model.tree, self._room
        solids = Solids(**{name: getattr(EMPTY, name) for name in _SOLIDS})
        hits = np.zeros(64, m.HIT)
        tables = m.MonitorTables(
            placed=Bodies(rows=total, refs=total, solids=solids), owner=total,
            scratch=PairScratch(),
            movers=movers, local=movers, before=movers, extended=movers,
            basis=np.full((movers, 6), np.inf), fresh=1,
            bodies=len(self._names), thresholds=self._rules.values,
            pairs=max(64, 8 * movers), found=total, out=1,
            hits=hits, hit_words=hits.view(np.int64).reshape(-1, m.HIT_COLUMNS),
            faults=len(tree.joints) + movers + 1, limits=len(tree.joints),
            tree=np.array(tree.reals), linkage=np.array(tree.ints), turns=tree.scratch(),
            frames=model.frames, between=self._between(tree, solids, between),
        )  # fmt: skip
        tables.bodies.robot = m.NO_ROBOT
        tables.limits.lower, tables.limits.upper = tree.lower, tree.upper
        plan = tables.plan
        plan.movers, plan.tree_frames = movers, tree.frames
        if between:
            plan.sweep = address_of("monitor.kernels.sweep.sweep_movers")
            plan.judge = address_of("monitor.kernels.between.judge_between")
        return tables

    def _between(self, tree: Tree, solids: Solids, asked: bool) -> m.BetweenTables:
        two = Bodies(rows=2, refs=2, solids=solids)
        if not asked:
            return m.BetweenTables(two=two)
        joints, frames, movers = len(tree.joints), tree.frames, self._room
        links = movers * self._movers.depth
        result = m.BetweenTables(
            before=joints, now=np.full(joints, np.nan), low=joints, high=joints, change=joints,
            size=joints, joints=joints, frame_change=frames, frame_size=frames,
            rows=movers, start_frames=frames, frames=frames, motions=movers, carried=movers,
            chain=links, reach=links, wide=links, two=two, instants=INSTANT_ROWS,
        )  # fmt: skip
        # The world itself, which no walk down the tree writes.
        result.start_frames[0] = result.frames[0] = np.eye(4)[:3].reshape(12)
        return result

    def _records(self, now: Compiled, names: Iterable[str]) -> dict[Primitive, Any]:
        """Of all primitives of these bodies that move."""
        found = {}
        for name in names:
            entry = now.model.entries[name]
            if entry.frame != 0:
                owner = self._owner(now, name)
                for p, whole in zip(entry.primitives, entry.sizes):
                    found[p] = self._movers.record(p, owner, whole)
        return found

    def speeds(self, now: Compiled) -> dict[str, float]:
        """The highest speed of each moving body, by name, [m/s]."""
        records = self._records(now, now.model.moving)
        return {p.body: float(record["limit"]) for p, record in records.items()}

    def known(self, fresh: Iterable[Primitive]) -> dict[Primitive, Known]:
        """What is known of movers that are of the same shape as before, whatever carries them."""
        t, found = self.tables, {}
        for p in fresh:
            entry = self.model.entries.get(p.body)
            if entry is not None and entry.frame != 0 and p.part < len(entry.primitives):
                old = entry.primitives[p.part]
                if old.shape is p.shape:
                    k = self._slots[old]
                    own, row = t.movers[k], t.placed.rows[k, : layout.SIZE].copy()
                    found[p] = row, t.before[k].copy(), int(own.known), float(own.bank)
        return found

    def _put(self, slots: Mapping[Primitive, int], numbers: Sequence[int]) -> None:
        """Write what primitives are, and where in their frames."""
        if not slots:
            return
        t, at = self.tables, [*slots.values()]
        t.placed.rows[at], t.owner[at] = [p.row for p in slots], numbers
        t.placed.refs[at] = self._refs([p.shape for p in slots])
        self._kinds |= {(p.shape.kind, p.frame != 0) for p in slots}

    def _put_mover(self, p: Primitive, slot: int, record: Any, known: Known | None) -> None:
        t = self.tables
        t.local[slot] = p.row[: layout.SIZE]
        t.movers[slot], self._base[slot] = record, record["c0"]
        t.before[slot], t.basis[slot] = 0.0, np.inf
        if known is not None:
            own = t.movers[slot]
            t.placed.rows[slot, : layout.SIZE], t.before[slot], own.known, own.bank = known
        if self._options.between:
            between, links = t.between, self._movers.carried(p)
            between.rows[slot] = t.placed.rows[slot]
            between.carried[slot] = 0
            if links is not None:
                first, count = slot * self._movers.depth, len(links.chain)
                between.carried[slot, [BODY_FRAME, CHAIN0]] = p.frame, first
                between.chain[first : first + count] = links.chain
                between.reach[first : first + count] = links.reach

    def _refs(self, shapes: Sequence[Shape]) -> IntArray:
        """The refs of shapes, whose geometry is in the tables, or is put there."""
        solids, used = self.tables.placed.solids, self._solids_used
        fresh = [shape for shape in shapes if id(shape) not in self._shapes]
        _, refs, geometry = pack(fresh)
        refs[:, _OFFSETS] += [*used.values()]
        for name in _SOLIDS:
            part = getattr(geometry, name)
            first, end = used[name], used[name] + len(part)
            if end > len(solids.arrays[name]):
                solids.grow(name, max(2 * first, end))
            solids.arrays[name][first:end] = part
            used[name] = end
            self._added += part.size
        # The shape as well, so that no other one gets its number.
        known = {**self._shapes, **{id(s): (s, row) for s, row in zip(fresh, refs)}}
        self._shapes = {k: v for k, v in known.items() if v[0].geometry is not EMPTY}
        return np.array([known[id(shape)][1] for shape in shapes])

    # -- the index -------------------------------------------------------------------------------

    def _boxes(self, slots: IntArray) -> Array:
        """Where the primitives of these slots are, for what stands still; movers have no place yet,
        the next cycle puts them where they are."""
        placed = self.tables.placed
        found = np.empty((len(slots), 6))
        bound_all(placed.rows[slots], placed.refs[slots], placed.solids.points, found)
        found[slots < self._room] = _NOWHERE
        return found

    def _new_index(self, cell: Cell, slots: IntArray) -> Index:
        """An empty index around all that is watched."""
        kind = self._options.index
        low, edge = kind.cube or self._root_cube(cell, self._boxes(slots))
        step = farthest_step(self.tables.movers, self._options.period)
        return kind.build(len(self.tables.owner), low, edge, step=step)

    def _root_cube(self, cell: Cell, boxes: Array) -> tuple[Array, float]:
        """Low corner and edge of a cube around all that stands still, all that the joints reach and
        where the moving bodies are now."""
        still = boxes[np.isfinite(boxes).all(axis=1)]
        corners = [still[:, :3], still[:, 3:]]
        far = self._movers.farthest(p for p in self.model.primitives if p.frame != 0)
        if far:
            corners.append(np.array([[-far] * 3, [far] * 3]))
        for name in self.model.moving:
            _, _, reach = self.model.entries[name].primitives[0].own_box
            at = cell.bodies[name].pose[:3, 3]
            corners.append(np.array([at - 2.0 * reach, at + 2.0 * reach]))
        points = np.concatenate(corners)
        if not len(points):
            return np.full(3, -0.5), 1.0
        low, high = points.min(axis=0), points.max(axis=0)
        edge = float((high - low).max()) * (1.0 + 2.0 * ROOT_MARGIN) or 1.0
        return 0.5 * (low + high) - 0.5 * edge, edge

    def _put_in(self, slots: IntArray) -> None:
        """Primitives into the index; it is for movers to find what stands still."""
        at = np.sort(slots)
        self.index.insert_many(at, self._boxes(at))
        self.tables.index.items[at[at >= self._room], x.MOVED] = 0
        # A node may be smaller than the farthest move: a cell of a fine grid, or one of a tree made
        # when all moved less.
        smallest = self._options.index.least
        if smallest is None:
            smallest = farthest_step(self.tables.movers, self._options.period)
        edge = (1.0 - EDGE_ROUNDING) * self.index.smallest
        self.tables.plan.smallest = min(smallest, edge)

    def make_room(self) -> None:
        """Longer tables for what a cycle found no room for."""
        t = self.tables
        if t.answer.pairs_full:
            t.grow("pairs", 2 * len(t.pairs))
        if t.answer.hits_full:
            hits = np.zeros(2 * int(t.answer.hits), m.HIT)
            t.hits, t.hit_words = hits, hits.view(np.int64).reshape(-1, m.HIT_COLUMNS)

    # -- rules -----------------------------------------------------------------------------------

    def _change_rules(self, now: Compiled) -> None:
        """Who may touch whom, and which pairs have a threshold of their own."""
        t = self.tables
        moving = np.flatnonzero(t.bodies.frame != 0).tolist()
        rules, least = self._rules.exceptions(
            now.pairs, self._number.get, self._members, self._zones, moving
        )
        self._least = np.zeros(len(t.bodies))
        self._least[list(least)] = list(least.values())
        if rules == self._exceptions:
            return
        self._exceptions = rules
        pairs = np.array([(*pair, rule) for pair, rule in rules.items()], dtype=np.int64)
        pairs = pairs.reshape(-1, 3)
        rows = np.concatenate([pairs, pairs[:, [1, 0, 2]]])
        rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
        counts = np.bincount(rows[:, 0], minlength=len(t.bodies))
        t.bodies.last = np.cumsum(counts)
        t.bodies.first = t.bodies.last - counts
        t.exceptions = np.ascontiguousarray(rows[:, 1:])

    def _adapt(self, now: Compiled) -> None:
        """What every mover has of others: the least extension, and the buffer for what is held."""
        t = self.tables
        owner = t.owner[: self._room]
        robot = t.bodies.robot[owner]
        added = np.zeros(len(self._robots) + 1)  # the last one: for NO_ROBOT, -1
        for name, more in self._options.grasped.items():
            if name in now.pairs.held:
                added[self._robot_number[self._owner(now, name)]] += more
        t.movers.c0 = self._base + added[robot]
        t.movers.least = np.maximum(self._rules.least(robot), self._least[owner])
        closed = all(
            dispatch.has_closed_form(a, b)
            for a, moves in self._kinds if moves for b, _ in self._kinds
        )  # fmt: skip
        t.plan.general = 0 if closed else dispatch.general_address()

    # -- changes ---------------------------------------------------------------------------------

    def planned(self, now: Compiled) -> Patch | None:
        """What it takes to watch another revision; None where all has to be laid out anew: the
        joints are others, or there is no room."""
        change = None if self.torn else now.model.since(self.model)
        if change is None or self._added > _MOST_ADDED:
            return None
        return self._patch(now, change)

    def _patch(self, now: Compiled, change: Change) -> Patch | None:
        names = dict.fromkeys(p.body for p in change.fresh)
        numbers = self._numbers_for(now, names)
        # What is as it was keeps its slot, whatever carries it.
        old = {(p.body, p.part, p.frame != 0): p for p in change.gone}
        slots: dict[Primitive, int] = {}
        for p in change.fresh:
            before = old.get((p.body, p.part, p.frame != 0))
            if before is not None and before.shape is p.shape and (before.pose == p.pose).all():
                slots[p] = self._slots[before]
        held, free = set(slots.values()), []
        for still in (False, True):
            fresh = [p for p in change.fresh if (p.frame == 0) == still and p not in slots]
            fresh.sort(key=lambda p: (numbers[p.body], p.part))
            gone = {self._slots[p] for p in change.gone if (p.frame == 0) == still} - held
            room = sorted([*self._free[still], *gone])
            if len(fresh) > len(room):
                return None
            slots.update(zip(fresh, room))
            free.append(room[len(fresh) :])
        if max(numbers.values(), default=0) >= self._zones.start:
            return None
        return Patch(now, change.gone, numbers, slots, self._records(now, names), free)

    def _numbers_for(self, now: Compiled, names: Iterable[str]) -> dict[str, int]:
        """Numbers of bodies that are new or another. New ones stand at the end of the model: one
        whose number is not above that of the body before it, has come back."""
        found = {name: self._number.get(name, -1) for name in names}
        last, end = -1, []
        for name in reversed(now.model.entries):
            if name not in found:
                last = self._number[name]
                break
            end.append(name)
        following = self._next
        for name in reversed(end):
            if found[name] <= last:
                found[name], following = following, following + 1
            last = found[name]
        return found

    def adopt(self, patch: Patch) -> None:
        """Watch that revision from now on."""
        kept = self.known(patch.records)
        self.torn = True
        self._take_out(patch)
        self._write(patch, kept)
        self._put_in(np.array([*patch.slots.values()], dtype=np.int64))
        self.torn = False

    def _take_out(self, patch: Patch) -> None:
        """Primitives and bodies that are gone; all pairs, which every mover looks for anew."""
        t = self.tables
        t.answer.pairs, t.index.items[: self._room, x.MOVED] = 0, 1
        for p in patch.gone:
            slot = self._slots.pop(p)
            self.index.remove(slot)
            if p.frame != 0:
                t.movers[slot], self._base[slot] = np.zeros((), m.MOVER), 0.0
        for name in {p.body for p in patch.gone}:
            body = t.bodies[self._number.pop(name)]
            body.frame, body.robot = 0, m.NO_ROBOT

    def _write(self, patch: Patch, kept: Mapping[Primitive, Known]) -> None:
        """What is new, and what follows for all others; the index is left as it is."""
        now, t = patch.now, self.tables
        self.model, self._free = now.model, patch.free
        entries, at = now.model.entries, [*patch.numbers.values()]
        self._number |= patch.numbers
        for name, number in patch.numbers.items():
            self._names[number] = name
        t.bodies.frame[at] = [entries[name].frame for name in patch.numbers]
        owners = (self._owner(now, name) for name in patch.numbers)
        t.bodies.robot[at] = [self._robot_number.get(owner, m.NO_ROBOT) for owner in owners]
        self._single &= all(len(entries[name].primitives) == 1 for name in patch.numbers)
        self._next = max([self._next, *(number + 1 for number in at)])
        self._note_names()
        self._slots.update(patch.slots)
        self._put(patch.slots, [self._number[p.body] for p in patch.slots])
        for p, record in patch.records.items():
            self._put_mover(p, patch.slots[p], record, kept.get(p))
        self._change_rules(now)
        self._adapt(now)
        if len(t.frames) != now.model.frames:
            frames = np.zeros((now.model.frames, 12))
            frames[: t.plan.tree_frames] = t.frames[: t.plan.tree_frames]
            t.frames = frames
