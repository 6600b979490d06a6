"""The table of what moves: buffers, limits and extents of each primitive."""

from __future__ import annotations

from typing import Any

import numpy as np

from standoff.cell import Cell
from standoff.constants import AHEAD, RESERVE_FRACTION, USUAL_BUFFER
from standoff.errors import MonitorError
from standoff.kernels.monitor import layout as m
from standoff.monitor.buffers import DEFAULT, by_name, coefficients, speed_limit
from standoff.monitor.limits import Reaches
from standoff.monitor.options import Options
from standoff.monitor.scene import Scene
from standoff.monitor.separation import Coefficients, Separation
from standoff.monitor.tables import own_box
from standoff.shapes.pose import Array


def check_names(cell: Cell, options: Options) -> None:
    """Refuse now what would only be found out when the first body moves that it is for."""
    names = {*cell.robots, *cell.bodies}
    buffers = by_name(options.buffer, "buffer", names)
    speeds = by_name(options.max_speed, "max_speed", names)
    for name in {DEFAULT, *buffers, *speeds}:
        given = buffers.get(name, buffers.get(DEFAULT, USUAL_BUFFER))
        _coefficients(given, name, options.period)
        speed_limit(speeds.get(name, speeds.get(DEFAULT)), given, 0.0, name)


def mover_rows(
    cell: Cell,
    scene: Scene,
    options: Options,
    known: frozenset[str],
    least: Array,
    reaches: Reaches,
) -> Array:
    """A row of the motion table (see `kernels.monitor.layout`) for each primitive of the scene; 0
    for what stands still. ``known`` are the names that options may use."""
    names = {*scene.robots, *cell.bodies, *known}
    buffers = by_name(options.buffer, "buffer", names)
    speeds = by_name(options.max_speed, "max_speed", names)
    held = _held(cell, options)
    rows = np.zeros((len(scene.primitives), m.MOTION_COLUMNS))
    sizes = _whole_sizes(scene)
    for k, p in enumerate(scene.primitives):
        if p.frame == 0:
            continue
        owner, body = scene.owner[p.body], scene.names[p.body]
        given = buffers.get(body, buffers.get(owner, buffers.get(DEFAULT, USUAL_BUFFER)))
        c0, c1, c2 = _coefficients(given, owner, options.period)
        asked = speeds.get(body, speeds.get(owner, speeds.get(DEFAULT)))
        limit = speed_limit(asked, given, float(reaches.fastest[k]), owner)
        centre, half, reach = own_box(p.shape)
        reserve = options.reserve
        if reserve is None:
            reserve = RESERVE_FRACTION * float(half.mean())
        rows[k] = (
            c0 + held.get(owner, 0.0), c1, c2, least[p.body], limit, 0.0, 0.0, 0.0, 0.0,
            reserve, reach, *centre, *half, limit * options.period,
            given.gain if isinstance(given, Separation) else 0.0, sizes[k],
        )  # fmt: skip
    return rows


def _whole_sizes(scene: Scene) -> Array:
    """For each primitive that moves, the farthest point of its whole body from its own origin."""
    reach = np.array([own_box(p.shape)[2] if p.frame != 0 else 0.0 for p in scene.primitives])
    members: dict[int, list[int]] = {}
    for k, p in enumerate(scene.primitives):
        if p.frame != 0:
            members.setdefault(p.body, []).append(k)
    sizes = reach.copy()
    for own in members.values():
        if len(own) > 1:
            origins = np.array([scene.primitives[k].local[:3, 3] for k in own])
            for k, origin in zip(own, origins):
                sizes[k] = (np.linalg.norm(origins - origin, axis=1) + reach[own]).max()
    return sizes


def farthest_step(rows: Array, period: float) -> float:
    """No face of a registered box moves as far outwards in a cycle at a steady buffer, [m]: the
    farthest move, and the reserve put on anew."""
    steps = rows[:, m.LIMIT] * period + AHEAD * rows[:, m.RESERVE]
    return float(steps.max(initial=0.0))


def highest_speeds(scene: Scene, rows: Array) -> dict[str, float]:
    """The highest speed of each body that moves, by name, [m/s]."""
    found: dict[str, float] = {}
    for p, row in zip(scene.primitives, rows):
        if p.frame != 0:
            name = scene.names[p.body]
            found[name] = max(found.get(name, 0.0), float(row[m.LIMIT]))
    return found


def _held(cell: Cell, options: Options) -> dict[str, float]:
    """What bodies add to the buffers of the robots that hold them."""
    found: dict[str, float] = {}
    for name, added in options.grasped.items():
        body = cell.bodies.get(name)
        if body is not None and body.attachment is not None:
            robot = body.attachment.link.partition("/")[0]
            found[robot] = found.get(robot, 0.0) + added
    return found


def _coefficients(given: Any, owner: str, period: float) -> Coefficients:
    if isinstance(given, Separation) and period > given.period_time:
        raise MonitorError(
            "readings come less often than the separation allows",
            element=f"buffer of {owner}",
            value=period,
            allowed=f"a period of up to {given.period_time:g} s",
        )
    return coefficients(given, f"buffer of {owner}")
