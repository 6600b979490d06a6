"""The tables of a monitor, kept in step with its cell."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from standoff.cell import Body, Cell
from standoff.index import Index
from standoff.index.arena import Arena
from standoff.kernels.index import layout as x
from standoff.kernels.monitor import layout as m
from standoff.kernels.pairs import general
from standoff.monitor.indexes import new_index
from standoff.monitor.limits import measure_reaches
from standoff.monitor.movers import check_defaults, farthest_step, mover_rows
from standoff.monitor.options import Options
from standoff.monitor.reading import Reading
from standoff.monitor.report import Naming
from standoff.monitor.scene import Scene, make_rules, read_scene
from standoff.monitor.slots import Primitive, Slots
from standoff.monitor.tables import Tables, fill_tables
from standoff.monitor.way import Way
from standoff.shapes.pose import Array

#: The box of a mover that has no place yet: it meets nothing.
_NOWHERE = (math.inf,) * 3 + (-math.inf,) * 3


class Watch:
    """What a monitor knows between two readings. `_sync` takes a change of the cell over: whole, or
    not at all where it raises.

    Attributes:
        cell: what is watched.
        index: which primitives may touch.
        period: time between two readings, [s].
    """

    def __init__(self, cell: Cell, options: Options) -> None:
        self.cell = cell
        self.period = options.period
        self._options = options
        self._reading = Reading(options.period)
        self._slots: Slots | None = None
        self._joints: tuple[str, ...] = ()
        self._bodies: Mapping[str, Body] = {}
        #: Names that were in the cell once: rules may go on naming them.
        self._seen: frozenset[str] = frozenset()
        self.index: Index
        self._arena: Arena
        self._scene: Scene
        self._naming: Naming
        self._revision: int
        self._general: int
        check_defaults(cell, options)
        self._sync()

    def _use(self, arena: Arena) -> None:
        """Take these tables, with what each cycle needs of them at hand."""
        self._arena, self._hits = arena, arena["hits"]
        self._reading.read_from(arena)
        index = self.index.arena
        self._tables = (self._general, arena.F, arena.W, index.F, index.W)

    def _count(self, column: int) -> int:
        return int(self._arena["counts"][0, column])

    def _taken(self) -> list[tuple[int, Primitive]]:
        assert self._slots is not None
        return list(self._slots.taken.values())

    def _sync(self) -> None:
        """Bring all tables up to date with the cell; the index changes where the cell did."""
        cell, options = self.cell, self._options
        # Whatever can raise comes first, and changes nothing.
        scene = read_scene(cell, options.zones, self._seen)
        rules = make_rules(cell, scene, options.zones, options.thresholds)
        reaches = measure_reaches(cell, scene.primitives)
        rows = mover_rows(cell, scene, options, self._seen, rules.least, reaches)
        smallest = options.smallest
        if smallest is None:
            smallest = farthest_step(rows, options.period)
        general_address = 0 if scene.closed else general.address()

        known = self._known()
        assigned = None if self._slots is None else self._slots.assign(scene.primitives)
        anew = assigned is None
        if assigned is None:
            self._slots = Slots.with_room(scene.primitives)
            assigned = self._slots.assign(scene.primitives)
        assert assigned is not None and self._slots is not None
        where, gone, fresh = assigned
        way = Way(cell, reaches, self._slots, where, self._last_joints())
        tables = fill_tables(cell, scene, rules, self._slots, where, rows, way)
        arena = tables.arena
        self._carry_over(known, arena)
        arena["counts"][0, m.UPDATE_MODE] = options.update
        self._reading.adopt(cell, arena)
        self._joints, self._bodies = cell.joints, cell.bodies
        self._scene, self._seen = scene, self._seen | scene.named
        self._naming = (scene.names, len(scene.primitives) == len(scene.names))
        self._general = general_address
        if anew:
            self.index = new_index(
                cell,
                options,
                self._slots.total,
                tables.boxes[self._slots.movers :],
                reaches,
                smallest,
            )
            gone = []
        self._change_index(tables, gone, fresh)
        # A node may be smaller than the farthest move: a cell of a fine grid, or one of a tree made
        # when all moved less.
        arena["scales"][0, m.SMALLEST] = min(smallest, self.index.smallest)
        self._use(arena)
        self._no_poses = np.zeros((0, 4, 4))
        self._expected = None if cell.moving else self._no_poses
        self._joints_shape, self._poses_shape = (len(cell.joints),), (len(cell.moving), 4, 4)
        self._revision = cell.revision

    def _change_index(self, tables: Tables, gone: list[int], fresh: list[int]) -> None:
        """Take out who is gone, put in who is new: movers with no place yet, the first cycle puts
        them where they are."""
        assert self._slots is not None
        movers = self._slots.movers
        for slot in gone:
            if self.index.arena["items"][slot, x.STATE] != x.ABSENT:
                self.index.remove(slot)
        if fresh:
            at = np.array(fresh, dtype=np.int64)
            boxes = tables.boxes[at]
            boxes[at < movers] = _NOWHERE
            self.index.insert_many(at, boxes)
        # Pairs are found anew for all that moves, as if all of it were new.
        self.index.arena["items"][:movers, x.MOVED] = 1
        self.index.arena["items"][movers:, x.MOVED] = 0

    def _last_joints(self) -> dict[str, float] | None:
        """The joints of the last reading by name; None where the way from there does not count."""
        if not self._options.between:
            return None
        if not self._joints:
            return {}
        return dict(zip(self._joints, self._arena["way"][m.TO]))

    def _known(self) -> dict[tuple[str, int, bool], tuple[Primitive, Array, Array, float]]:
        """Where each mover is and was."""
        if self._slots is None:
            return {}
        arena = self._arena
        return {
            p.key: (
                p,
                arena["rows"][slot, :12].copy(),
                arena["before"][slot].copy(),
                float(arena["motion"][slot, m.KNOWN]),
            )
            for slot, p in self._taken()
            if p.frame != 0
        }

    def _carry_over(
        self,
        known: Mapping[tuple[str, int, bool], tuple[Primitive, Array, Array, float]],
        arena: Arena,
    ) -> None:
        """The primitives that stayed the same go on from where they were."""
        for slot, p in self._taken():
            if p.key in known and p.same(known[p.key][0]):
                _, now, before, seen = known[p.key]
                arena["rows"][slot, :12], arena["before"][slot] = now, before
                arena["motion"][slot, m.KNOWN] = seen
