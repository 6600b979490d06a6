"""What a monitor watches, numbered and in tables: laid out once, then changed where the cell was.

Bodies have numbers in the order of the cell's model, zones those after them; no number is given
twice, so that the names in an earlier `Cycle` stay right. A primitive that stays keeps its slot.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import numpy as np

from standoff.broadphase import Index
from standoff.broadphase.index import EDGE_ROUNDING, ROOT_MARGIN
from standoff.broadphase.kernels import tables as x
from standoff.cell import Cell
from standoff.cell.cell import Compiled
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
from standoff.monitor.rules import Exceptions, Rules
from standoff.motion.kernels.bound import BODY_FRAME, CHAIN0
from standoff.robots.tree import Tree

#: The box of a mover that has no place yet: it meets nothing.
_NOWHERE = (math.inf,) * 3 + (-math.inf,) * 3

#: Geometry that no primitive has any more is kept up to so many entries, [-], and as many as there
#: are in use: 8 MB. Beyond that all is laid out anew.
_MOST_WASTE = 1_000_000


@dataclass(frozen=True, eq=False)
class Patch:
    """What a change of the cell comes to; nothing is changed yet.

    Attributes:
        numbers: of the bodies that are new or another; slots: of their primitives.
        records: of those of them that move.
        free: slots that nobody has then, those for movers first; the lowest is taken next.
    """

    now: Compiled
    change: Change
    numbers: Mapping[str, int]
    slots: Mapping[Primitive, int]
    records: Mapping[Primitive, Any]
    free: tuple[list[int], list[int]]


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
        now = cell.compile()
        self.model, self.torn = now.model, False
        self._options, self._robots = options, now.robots
        self._robot_number = {name: k for k, name in enumerate(now.robots)}
        self.seen = seen or frozenset()
        self._number_bodies(cell, now, first=seen is None)
        self._movers = Movers(now.model.tree, options, {*now.robots, *cell.bodies, *self.seen})
        self._rules = Rules(options.thresholds, options.zones, now.robots)
        self._take_slots(now)
        tables = self._lay_out(now, options.between)
        self.tables = tables
        self._base = np.zeros(self._room)
        for number, entry in enumerate(now.model.entries.values()):
            body = tables.bodies[number]
            body.frame, body.robot = entry.frame, self._robot_of(now, entry.name)
        self._least = np.array([self._rules.least(int(r)) for r in tables.bodies.robot])
        records = self._records(now, now.model.entries)
        for p, record in records.items():
            self._put_mover(p, self._slots[p], record, self._kept(p, before))
        self._exceptions = Exceptions()
        self._exceptions_used = 0
        self._change_rules(now, set())
        self._adapt(now)
        self._boxes(np.arange(len(tables.owner)))
        self.index = self._new_index(cell)
        tables.index = self.index.tables
        self._adapt_steps()
        if before is not None and options.between:
            joints = dict(zip(before.model.tree.joints, before.tables.between.now))
            tables.between.now[:] = [joints.get(n, np.nan) for n in now.model.tree.joints]

    # -- numbers, slots, names -------------------------------------------------------------------

    def _number_bodies(self, cell: Cell, now: Compiled, first: bool) -> None:
        """The zones come last, behind room for bodies that are still to come."""
        zones = self._options.zones
        names = list(now.model.names)
        self._number = dict(now.model.index)
        taken = {*now.robots, *cell.bodies, *names}
        for zone in zones:
            if zone.name in taken and first:
                raise DuplicateNameError("name of a zone is taken", value=zone.name)
            taken.add(zone.name)
        self._next = len(names)
        behind = self._next + max(64, self._next // 16)
        names += [""] * (behind - len(names)) + [zone.name for zone in zones]
        self._zones = range(behind, len(names))
        self._several = {n for n, e in now.model.entries.items() if len(e.primitives) > 1}
        self._zone_parts = [
            (Primitive(zone.name, part, 0, shape, pose), number)
            for number, zone in zip(self._zones, zones)
            for part, (shape, pose) in enumerate(zone.parts())
        ]
        self._zones_single = len(self._zone_parts) == len(zones)
        self._names = names
        self._note_names()

    @property
    def naming(self) -> Naming:
        """Names by number, and whether each body has a single primitive."""
        return self._names, self._zones_single and not self._several

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

    def _robot_of(self, now: Compiled, name: str) -> int:
        return self._robot_number.get(self._owner(now, name), m.NO_ROBOT)

    def _take_slots(self, now: Compiled) -> None:
        """Room for some more primitives than there are."""
        frames = now.model.tables.frame
        moving = int((frames != 0).sum())
        still = len(frames) - moving + len(self._zone_parts)
        self._room = moving + max(16, moving // 8)
        total = self._room + still + max(16, still // 16)
        self._where = np.empty(len(frames), dtype=np.int64)
        self._where[frames != 0] = np.arange(moving)
        self._where[frames == 0] = self._room + np.arange(len(frames) - moving)
        self._slots = dict(zip(now.model.primitives, self._where.tolist()))
        taken = self._room + still
        self._free = list(range(moving, self._room)), list(range(taken, total))
        self._total, self._taken = total, taken

    # -- tables ----------------------------------------------------------------------------------

    def _lay_out(self, now: Compiled, between: bool) -> m.MonitorTables:
        """All tables, those of what stands still filled."""
        model, tree = now.model, now.model.tree
        given, movers, at = model.tables, self._room, self._where
        geometry = given.geometry
        solids = Solids(
            points=np.ascontiguousarray(geometry.points),
            faces=np.ascontiguousarray(geometry.faces),
            nodes=np.ascontiguousarray(geometry.nodes),
            ints=np.ascontiguousarray(geometry.ints),
        )
        self._solids_used = {n: len(solids.arrays[n]) for n in solids.arrays}
        self._waste = 0
        # The shape as well, so that no other one gets its number.
        self._shapes: dict[int, tuple[Shape, IntArray, list[int]]] = {}
        for k in np.flatnonzero(given.refs[:, layout.POINTS] > 0).tolist():
            shape = model.primitives[k].shape
            kept = self._shapes.setdefault(id(shape), (shape, given.refs[k].copy(), [0]))
            kept[2][0] += 1
        self._kinds = Counter((p.shape.kind, p.frame != 0) for p in model.primitives)
        placed = Bodies(rows=self._total, refs=self._total, solids=solids)
        placed.rows[at], placed.refs[at] = given.rows, given.refs
        owner = np.zeros(self._total, dtype=np.int64)
        owner[at] = given.owner
        slot = self._room + len(at) - int((given.frame != 0).sum())
        for p, number in self._zone_parts:
            _, placed.refs[slot : slot + 1], _ = pack([p.shape])
            placed.rows[slot], owner[slot] = p.row, number
            self._kinds[p.shape.kind, False] += 1
            slot += 1
        hits = np.zeros(64, m.HIT)
        turns = tree.scratch()
        tables = m.MonitorTables(
            placed=placed, owner=owner,
            scratch=PairScratch(),
            movers=movers, local=movers, before=movers, extended=movers,
            basis=np.full((movers, 6), np.inf), fresh=1,
            bodies=len(self._names), thresholds=self._rules.values,
            pairs=max(64, 8 * movers), found=self._total, out=1,
            hits=hits, hit_words=hits.view(np.int64).reshape(-1, m.HIT_COLUMNS),
            faults=len(tree.joints) + movers + 1, limits=len(tree.joints),
            tree=np.array(tree.reals), linkage=np.array(tree.ints), turns=turns,
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

    def _kept(self, p: Primitive, before: Scene | None) -> tuple[Any, ...] | None:
        """What was known of a primitive before everything was laid out anew."""
        if before is None or before.torn:
            return None
        entry = before.model.entries.get(p.body)
        if entry is None or p.part >= len(entry.primitives):
            return None
        old = entry.primitives[p.part]
        return before.known(old) if _goes_on(old, p) else None

    def known(self, p: Primitive) -> tuple[Any, ...]:
        """What is known of a mover from the readings so far: poses, basis, and the rest."""
        t, k = self.tables, self._slots[p]
        own = t.movers[k]
        return (
            t.placed.rows[k, : layout.SIZE].copy(), t.before[k].copy(), t.basis[k].copy(),
            int(own.known), float(own.bank),
        )  # fmt: skip

    def _put_mover(
        self, p: Primitive, slot: int, record: Any, known: tuple[Any, ...] | None
    ) -> None:
        t = self.tables
        t.placed.rows[slot], t.placed.refs[slot] = p.row, self._ref(p.shape)
        t.owner[slot] = self._number[p.body]
        t.local[slot] = p.row[: layout.SIZE]
        t.movers[slot], self._base[slot] = record, record["c0"]
        t.before[slot], t.basis[slot] = 0.0, np.inf
        if known is not None:
            rows, t.before[slot], t.basis[slot], own, bank = known
            t.placed.rows[slot, : layout.SIZE] = rows
            t.movers[slot].known, t.movers[slot].bank = own, bank
        if self._options.between:
            between, links = t.between, self._movers.carried(p)
            between.rows[slot] = t.placed.rows[slot]
            between.carried[slot] = 0
            if links is not None:
                first, count = slot * self._movers.depth, len(links.chain)
                between.carried[slot, [BODY_FRAME, CHAIN0]] = p.frame, first
                between.chain[first : first + count] = links.chain
                between.reach[first : first + count] = links.reach

    def _ref(self, shape: Shape) -> IntArray:
        """The refs of a shape, whose geometry is in the tables, or is put there."""
        if shape.geometry is EMPTY:
            plain: IntArray = pack([shape])[1][0]
            return plain
        kept = self._shapes.get(id(shape))
        if kept is None:
            used, solids = self._solids_used, self.tables.placed.solids
            _, refs, geometry = pack([shape])
            row = refs[0]
            row[[layout.POINT0, layout.FACE0, layout.NODE0, layout.INT0]] += [
                used["points"], used["faces"], used["nodes"], used["ints"]
            ]  # fmt: skip
            for name in used:
                part = getattr(geometry, name)
                first, end = used[name], used[name] + len(part)
                if end > len(solids.arrays[name]):
                    solids.grow(name, max(2 * first, end))
                solids.arrays[name][first:end] = part
                used[name] = end
            kept = self._shapes[id(shape)] = shape, row, [0]
        return kept[1]

    def _boxes(self, slots: IntArray) -> Array:
        """Where the primitives of these slots are, for what stands still."""
        placed = self.tables.placed
        found = np.empty((len(slots), 6))
        rows, refs = placed.rows[slots], placed.refs[slots]
        bound_all(rows, refs, placed.solids.points, found)
        return found

    # -- the index -------------------------------------------------------------------------------

    def _new_index(self, cell: Cell) -> Index:
        """An index around all that is watched, with what stands still; movers have no place yet,
        the first cycle puts them where they are."""
        kind, tables = self._options.index, self.tables
        at = np.concatenate([self._where, np.arange(self._room, self._taken)])
        at = np.unique(at)
        boxes = self._boxes(at)
        boxes[at < self._room] = _NOWHERE
        low, edge = kind.cube or self._root_cube(cell, boxes)
        step = farthest_step(tables.movers, self._options.period)
        index = kind.build(self._total, low, edge, step=step)
        if len(at):
            index.insert_many(at, boxes)
        index.tables.items[self._room :, x.MOVED] = 0
        return index

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

    def _adapt_steps(self) -> None:
        """A node may be smaller than the farthest move: a cell of a fine grid, or one of a tree
        made when all moved less."""
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

    def _change_rules(self, now: Compiled, fresh: set[int]) -> set[int]:
        """Bring the exceptions up to date. Returns the bodies that have other ones than before;
        those of ``fresh`` have theirs looked at in any case."""
        t = self.tables
        found = self._rules.exceptions(
            now.pairs,
            self._number.get,
            self._members,
            self._zones,
            lambda: np.flatnonzero(t.bodies.frame != 0).tolist(),
        )
        changed = self._exceptions.differ(found)
        for k in changed | fresh:
            by_kind = self._rules.least(int(t.bodies[k].robot))
            self._least[k] = max(by_kind, found.least.get(k, 0.0))
        self._exceptions = found
        if changed:
            # Stretches that are too short are written anew behind the others.
            rows = found.of(changed)
            if self._exceptions_used > 1024 + 8 * len(found.rules):
                rows = found.of({k for pair in found.rules for k in pair})
                self._exceptions_used = 0
                t.bodies.first = t.bodies.last = 0
            for k, own in rows.items():
                self._put_exceptions(t.bodies[k], own)
        return changed

    def _put_exceptions(self, body: Any, rows: Sequence[tuple[int, int]]) -> None:
        t, count = self.tables, len(rows)
        if count > body.last - body.first:
            body.first = self._exceptions_used
            self._exceptions_used += count
            if self._exceptions_used > len(t.exceptions):
                t.grow("exceptions", max(64, 2 * self._exceptions_used))
        body.last = body.first + count
        if count:
            t.exceptions[body.first : body.last] = rows

    def _adapt(self, now: Compiled) -> None:
        """What every mover has of others: the least extension, and the buffer for what is held."""
        t = self.tables
        owner = t.owner[: self._room]
        added = np.zeros(len(self._robots) + 1)  # the last one: for NO_ROBOT, -1
        for name, more in self._options.grasped.items():
            body = now.pairs.held.get(name)
            if body is not None and body.attachment is not None:
                robot = body.attachment.link.partition("/")[0]
                added[self._robot_number[robot]] += more
        t.movers.c0 = self._base + added[t.bodies.robot[owner]]
        t.movers.least = self._least[owner]
        closed = all(
            dispatch.has_closed_form(a, b)
            for (a, moves), n in self._kinds.items() if moves and n
            for (b, _), k in self._kinds.items() if k
        )  # fmt: skip
        t.plan.general = 0 if closed else dispatch.general_address()

    # -- changes ---------------------------------------------------------------------------------

    def planned(self, now: Compiled) -> Patch | None:
        """What it takes to watch another revision; None where all has to be laid out anew: the
        joints are others, or there is no room."""
        change = None if self.torn else now.model.since(self.model)
        if change is None or self._waste > _MOST_WASTE:
            return None
        names = dict.fromkeys(p.body for p in change.fresh)
        numbers = self._numbers_for(now, names)
        if numbers is None:
            return None
        assigned = self._slots_for(change, numbers)
        if assigned is None:
            return None
        slots, free = assigned
        return Patch(now, change, numbers, slots, self._records(now, names), free)

    def _slots_for(
        self, change: Change, numbers: Mapping[str, int]
    ) -> tuple[dict[Primitive, int], tuple[list[int], list[int]]] | None:
        """Slots of what is new, and those that are free then. What is as it was keeps its slot,
        whatever carries it. None: no room."""
        free = self._free[0].copy(), self._free[1].copy()
        old = {(p.body, p.part, p.frame != 0): p for p in change.gone}
        slots = {}
        for p in change.fresh:
            before = old.get((p.body, p.part, p.frame != 0))
            if before is not None and before.shape is p.shape and (before.pose == p.pose).all():
                slots[p] = self._slots[before]
        held = set(slots.values())
        for p in change.gone:
            if self._slots[p] not in held:
                heappush(free[p.frame == 0], self._slots[p])
        for p in sorted(change.fresh, key=lambda p: (numbers[p.body], p.part)):
            if p not in slots:
                if not free[p.frame == 0]:
                    return None
                slots[p] = heappop(free[p.frame == 0])
        return slots, free

    def _numbers_for(self, now: Compiled, names: Mapping[str, None]) -> dict[str, int] | None:
        """Numbers of bodies that are new or another. New ones stand at the end of the model: one
        whose number is not above that of the body before it, has come back. None: no room."""
        found: dict[str, int] = {}
        last, end = -1, []
        for name in reversed(now.model.entries):
            if name not in names:
                last = self._number[name]
                break
            end.append(name)
        following = self._next
        for name in reversed(end):
            number = self._number.get(name, -1)
            if number <= last:
                number, following = following, following + 1
            found[name] = last = number
        for name in names:
            if name not in found:
                found[name] = self._number[name]
        return found if following <= self._zones.start else None

    def speeds(self, patch: Patch | None = None) -> dict[str, float]:
        """The highest speed of each body that moves, by name, [m/s]; after a patch."""
        found: dict[str, float] = {}
        gone = set() if patch is None else set(patch.change.gone)
        limits = self.tables.movers.limit
        known = [(p, limits[k]) for p, k in self._slots.items() if k < self._room and p not in gone]
        if patch is not None:
            known += [(p, r["limit"]) for p, r in patch.records.items()]
        for p, limit in known:
            found[p.body] = max(found.get(p.body, 0.0), float(limit))
        return found

    def adopt(self, patch: Patch) -> None:
        """Watch that revision from now on."""
        now, change, t = patch.now, patch.change, self.tables
        self.torn = True
        old = {(p.body, p.part): p for p in change.gone}
        kept, stay = {}, {}  # what is known of movers; those that stay where they are in the index
        for p in patch.records:
            before = old.get((p.body, p.part))
            if before is not None and _goes_on(before, p):
                kept[p] = self.known(before)
                if self._slots[before] == patch.slots[p]:
                    stay[p] = before
        shapes = [p.shape for p in change.gone]
        self._take_out(patch, set(stay.values()))
        self.model = now.model
        for name, number in patch.numbers.items():
            self._number[name], self._names[number] = number, name
            self._next = max(self._next, number + 1)
            entry, body = now.model.entries[name], t.bodies[number]
            body.frame, body.robot = entry.frame, self._robot_of(now, name)
            if len(entry.primitives) > 1:
                self._several.add(name)
        self._note_names()
        for p, slot in patch.slots.items():
            self._put_primitive(p, slot, patch, kept.get(p))
        self._forget_shapes(shapes)
        changed = self._change_rules(now, set(patch.numbers.values()))
        self._adapt(now)
        if len(t.frames) != now.model.frames:
            frames = np.zeros((now.model.frames, 12))
            frames[: t.plan.tree_frames] = t.frames[: t.plan.tree_frames]
            t.frames = frames
        self._put_in([s for p, s in patch.slots.items() if p not in stay])
        stirred = {patch.slots[p] for p in stay}
        if changed:
            owner = t.owner[: self._room]
            stirred |= set(np.flatnonzero(np.isin(owner, list(changed), kind="sort")).tolist())
        t.index.items[list(stirred), x.MOVED] = 1
        self._adapt_steps()
        self.torn = False

    def _put_primitive(
        self, p: Primitive, slot: int, patch: Patch, known: tuple[Any, ...] | None
    ) -> None:
        t = self.tables
        self._slots[p] = slot
        self._kinds[p.shape.kind, p.frame != 0] += 1
        if p in patch.records:
            self._put_mover(p, slot, patch.records[p], known)
        else:
            t.placed.rows[slot], t.placed.refs[slot] = p.row, self._ref(p.shape)
            t.owner[slot] = patch.numbers[p.body]
        if id(p.shape) in self._shapes:
            self._shapes[id(p.shape)][2][0] += 1

    def _take_out(self, patch: Patch, stay: set[Primitive]) -> None:
        """Primitives and bodies that are gone, with their pairs."""
        t, change = self.tables, patch.change
        taken = set(patch.slots.values())
        gone = [self._slots[p] for p in change.gone]
        pairs = t.pairs[: t.answer.pairs]
        left = pairs[~(np.isin(pairs.a, gone, kind="sort") | np.isin(pairs.b, gone, kind="sort"))]
        t.pairs[: len(left)], t.answer.pairs = left, len(left)
        for p in change.gone:
            slot = self._slots.pop(p)
            self._kinds[p.shape.kind, p.frame != 0] -= 1
            if p not in stay and t.index.items[slot, x.STATE] != x.ABSENT:
                self.index.remove(slot)
            if slot not in taken and p.frame != 0:
                t.movers[slot], self._base[slot] = np.zeros((), m.MOVER), 0.0
        self._free = patch.free
        for name in {p.body for p in change.gone}:
            self._several.discard(name)
            number = self._number[name]
            if patch.numbers.get(name) != number:
                body = t.bodies[number]
                body.frame, body.robot, body.last = 0, m.NO_ROBOT, body.first
                del self._number[name]

    def _put_in(self, slots: list[int]) -> None:
        """New primitives into the index; who may meet what stands still is to look for it."""
        if not slots:
            return
        at = np.array(slots, dtype=np.int64)
        boxes = self._boxes(at)
        boxes[at < self._room] = _NOWHERE
        self.index.insert_many(at, boxes)
        items = self.tables.index.items
        items[at[at >= self._room], x.MOVED] = 0
        for slot in at[at >= self._room].tolist():
            near = self.index.near(slot)
            items[near[near < self._room], x.MOVED] = 1

    def _forget_shapes(self, shapes: Iterable[Shape]) -> None:
        """Geometry that no primitive has any more is forgotten, and its room is lost."""
        for shape in shapes:
            kept = self._shapes.get(id(shape))
            if kept is not None:
                kept[2][0] -= 1
                if kept[2][0] == 0:
                    del self._shapes[id(shape)]
                    g = shape.geometry
                    self._waste += 3 * len(g.points) + 16 * len(g.nodes) + len(g.ints)


def _goes_on(old: Primitive, new: Primitive) -> bool:
    """Whether what is known of the one holds for the other: both move, and are the same shape."""
    return old.frame != 0 and new.frame != 0 and old.shape is new.shape
