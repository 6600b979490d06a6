"""The tables of a monitor, filled from one revision of a cell."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from standoff.cell import Cell
from standoff.index.arena import Arena
from standoff.kernels import layout
from standoff.kernels.boxes import bound_all
from standoff.kernels.monitor import layout as m
from standoff.kernels.pairs import dispatch
from standoff.monitor.scene import Rules, Scene
from standoff.monitor.slots import Slots
from standoff.monitor.way import Way
from standoff.shapes.pose import Array
from standoff.shapes.shape import Shape
from standoff.shapes.table import pack


@dataclass(frozen=True, eq=False)
class Tables:
    """The arena, and the boxes of all primitives where ``local`` puts them, by slot: the boxes of
    what stands still, and of no meaning for what moves."""

    arena: Arena
    boxes: Array


def fill_tables(
    cell: Cell,
    scene: Scene,
    rules: Rules,
    slots: Slots,
    where: list[int],
    rows_of_movers: Array,
    way: Way,
) -> Tables:
    """Lay all tables out and fill them; ``where`` is the slot of each primitive,
    ``rows_of_movers`` its row in the table of movers (not used where it stands still), and ``way``
    what the motion between readings needs."""
    tree = cell.tree
    rows, refs, geometry = pack([p.shape for p in scene.primitives])
    at = np.array(where, dtype=np.int64)
    local = np.array([p.local[:3].reshape(12) for p in scene.primitives]).reshape(-1, 12)
    rows[:, : layout.SIZE] = local
    turns = tree.scratch()
    joints = len(tree.joints)
    faults = joints + slots.movers + 1
    frames = tree.frames + len(cell.moving)
    arena = Arena(
        {
            "rows": (slots.total, layout.ROW_COLUMNS),
            "local": (slots.movers, 12),
            "before": (slots.movers, 12),
            "motion": (slots.movers, m.MOTION_COLUMNS),
            "extended": (slots.movers, 6),
            "frames": (frames, 12),
            "limits": (joints, 3),
            "tree": (tree.frames, 16),
            "turns": turns.shape,
            "points": geometry.points.shape,
            "solids": geometry.nodes.shape,
            "thresholds": rules.thresholds.shape,
            "hits": (64, m.HIT_COLUMNS),
            "faults": (faults, 4),
            "work": (1, dispatch.WORK),
            "fresh": (1, 6),
            "basis": (slots.movers, 6),
            "scales": (1, m.SCALE_COLUMNS),
            **way.real_shapes,
        },
        {
            "refs": (slots.total, layout.REF_COLUMNS),
            "frame": (slots.movers, 1),
            "owner": (slots.total, 1),
            "bodies": rules.bodies.shape,
            "exceptions": rules.exceptions.shape,
            "linkage": (tree.frames, 4),
            "faces": geometry.faces.shape,
            "ints": (1, len(geometry.ints)),
            "pairs": (max(64, 8 * slots.movers), 3),
            "found": (1, slots.total),
            "iwork": (1, dispatch.IWORK),
            "counts": (1, m.COUNT_COLUMNS),
            **way.whole_shapes,
        },
    )
    arena["rows"][at] = rows
    arena["refs"][at] = refs
    arena["owner"][at, 0] = [p.body for p in scene.primitives]
    moving = at < slots.movers
    arena["local"][at[moving]] = local[moving]
    arena["frame"][at[moving], 0] = np.array([p.frame for p in scene.primitives])[moving]
    arena["motion"][at[moving]] = rows_of_movers[moving]
    arena["basis"][:] = np.inf
    arena["limits"][:, 0], arena["limits"][:, 1] = tree.lower, tree.upper
    arena["tree"][:], arena["linkage"][:] = tree.reals, tree.ints
    arena["turns"][:] = turns
    arena["points"][:], arena["solids"][:] = geometry.points, geometry.nodes
    arena["faces"][:], arena["ints"][0] = geometry.faces, geometry.ints
    arena["thresholds"][:] = rules.thresholds
    arena["bodies"][:], arena["exceptions"][:] = rules.bodies, rules.exceptions
    arena["counts"][0, m.MOVERS] = slots.movers
    arena["counts"][0, m.TREE_FRAMES] = tree.frames
    way.fill(arena)
    boxes = np.empty((len(rows), 6))
    bound_all(rows, refs, np.ascontiguousarray(geometry.points), boxes)
    by_slot = np.full((slots.total, 6), np.nan)
    by_slot[at] = boxes
    return Tables(arena, by_slot)


def own_box(shape: Shape) -> tuple[Array, Array, float]:
    """Centre and half extents of a bounded shape in its own axes, and its farthest point from its
    origin; somewhat wide for cylinders, [m]."""
    points, radius = shape.core()
    low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
    reach = float(np.sqrt((points**2).sum(axis=1)).max()) + radius
    return 0.5 * (low + high), 0.5 * (high - low), reach
