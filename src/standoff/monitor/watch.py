"""The tables of a monitor, kept in step with its cell."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from standoff.broadphase import Index
from standoff.broadphase.index import EDGE_ROUNDING
from standoff.broadphase.kernels import layout as x
from standoff.cell import Body, Cell
from standoff.compiled.arenas import Arena
from standoff.geometry.narrowphase import dispatch
from standoff.monitor.kernels import layout as m
from standoff.monitor.options import Options
from standoff.monitor.reading import Reading
from standoff.monitor.report import Naming
from standoff.monitor.scene import Primitive, Scene, Slots, make_rules, read_scene
from standoff.monitor.stops import Stops
from standoff.monitor.tables import (
    Tables,
    Way,
    check_names,
    farthest_step,
    fill_tables,
    highest_speeds,
    measure_reaches,
    mover_rows,
    new_index,
)

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
        self._reading = Reading(options.period, options.latest)
        self._stops: Stops | None = None
        if options.stopping is not None:
            self._stops = Stops(options.stopping, options.latest)
        self._slots: Slots | None = None
        self._started = False
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
        check_names(cell, options)
        self._sync()

    def _use(self, arena: Arena) -> None:
        """Take these tables, with what each cycle needs of them at hand."""
        self._arena = arena
        self._hits = memoryview(arena["hits"]).cast("B")
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
        # What changes from here on, by another thread, is taken over the next time.
        cell, options = self.cell.snapshot(), self._options
        # Whatever can raise comes first, and changes nothing.
        if not options.zones:  # of a body alone, its zones are watched
            cell.check_watched()
        scene = read_scene(cell, options.zones, self._seen if self._started else None)
        rules = make_rules(cell, scene, options.zones, options.thresholds)
        reaches = measure_reaches(cell, scene.primitives)
        rows = mover_rows(cell, scene, options, self._seen, rules.least, reaches)
        smallest = options.smallest
        if smallest is None:
            smallest = farthest_step(rows, options.period)
        general_address = 0 if scene.closed else dispatch.general_address()
        stop = None
        if self._stops is not None:
            stop = self._stops.laid_out(cell, highest_speeds(scene, rows))

        assigned = None if self._slots is None else self._slots.assigned(scene.primitives)
        anew = assigned is None
        if assigned is None:
            assigned = Slots.with_room(scene.primitives).assigned(scene.primitives)
        assert assigned is not None
        slots, where = assigned.slots, assigned.where
        way = Way(cell, reaches, slots, where, self._last_joints())
        tables = fill_tables(cell, scene, rules, slots, where, rows, way)
        arena = tables.arena
        arena["counts"][0, m.UPDATE_MODE] = options.update
        self._carry_over(slots, arena)
        index = self.index if not anew else None
        if index is None:
            still = tables.boxes[slots.movers :]
            index = new_index(cell, options, slots.total, still, reaches, smallest)

        # From here on it is done. Who interrupts it finds the watch without slots: everything is
        # then laid out anew.
        self._slots = None
        self.index = index
        self._change_index(tables, slots.movers, [] if anew else assigned.gone, assigned.fresh)
        self._reading.adopt(cell, arena)
        if self._stops is not None and stop is not None:
            self._stops.adopt(stop)
        self._joints, self._bodies = cell.joints, cell.bodies
        self._scene, self._seen = scene, self._seen | (scene.named & options.mentioned)
        self._naming = (scene.names, len(scene.primitives) == len(scene.names))
        self._general = general_address
        # A node may be smaller than the farthest move: a cell of a fine grid, or one of a tree made
        # when all moved less.
        edge = (1.0 - EDGE_ROUNDING) * self.index.smallest
        arena["scales"][0, m.SMALLEST] = min(smallest, edge)
        self._use(arena)
        self._no_poses = np.zeros((0, 4, 4))
        self._expected = None if cell.moving else self._no_poses
        self._joints_shape, self._poses_shape = (len(cell.joints),), (len(cell.moving), 4, 4)
        self._slots, self._revision, self._started = slots, cell.revision, True

    def _change_index(self, tables: Tables, movers: int, gone: list[int], fresh: list[int]) -> None:
        """Take out who is gone, put in who is new: movers with no place yet, the first cycle puts
        them where they are."""
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

    def _carry_over(self, slots: Slots, arena: Arena) -> None:
        """What stays goes on from where it was, whatever carries it now."""
        if self._slots is None:
            return
        old = self._arena
        for key, (slot, p) in slots.taken.items():
            if p.frame != 0 and key in self._slots.taken:
                before, then = self._slots.taken[key]
                if then.shape is p.shape:
                    arena["rows"][slot, :12] = old["rows"][before, :12]
                    arena["before"][slot] = old["before"][before]
                    arena["basis"][slot] = old["basis"][before]
                    arena["motion"][slot, m.KNOWN] = old["motion"][before, m.KNOWN]
                    arena["motion"][slot, m.BANK] = old["motion"][before, m.BANK]
