"""What stands about the robots of paper 001: cages of wires, a machine tool, a workshop, thin tori,
lattices, a car body. Made by formula, with a fixed seed where anything is random; the paper gives
the triangle counts of the large ones, and only pictures of the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from standoff.geometry.pose import Array
from standoff.papers.surfaces import (
    Mask,
    Surface,
    block,
    joined,
    lathe,
    refined,
    rod,
    sheet,
    torus,
)

MACHINE_TRIANGLES = 34171
WORKSHOP_TRIANGLES = 74681

Surfaces = dict[str, Surface]


def cage(width: float, height: float, spacing: float, wire: float) -> Surfaces:
    """Wires of radius ``wire`` in four walls and a roof, with openings ``spacing`` wide; each is a
    solid of 28 triangles."""
    half = width / 2.0
    across = np.linspace(-half, half, round(width / spacing) + 1)
    levels = np.linspace(0.0, height, round(height / spacing) + 1)
    ends: dict[str, tuple[tuple[float, float, float], tuple[float, float, float]]] = {}
    for k, a in enumerate(across):
        a = float(a)
        for side in (-half, half):
            mark = "low" if side < 0.0 else "high"
            ends[f"upright_x_{mark}_{k}"] = (side, a, 0.0), (side, a, height)
            if 0 < k < len(across) - 1:
                ends[f"upright_y_{mark}_{k}"] = (a, side, 0.0), (a, side, height)
        if 0 < k < len(across) - 1:
            ends[f"roof_x_{k}"] = (-half, a, height), (half, a, height)
            ends[f"roof_y_{k}"] = (a, -half, height), (a, half, height)
    for k, z in enumerate(levels[1:]):
        z = float(z)
        ends[f"ring_x_low_{k}"] = (-half, -half, z), (-half, half, z)
        ends[f"ring_x_high_{k}"] = (half, -half, z), (half, half, z)
        ends[f"ring_y_low_{k}"] = (-half, -half, z), (half, -half, z)
        ends[f"ring_y_high_{k}"] = (-half, half, z), (half, half, z)
    return {name: rod(a, b, wire, 8) for name, (a, b) in ends.items()}


def tori() -> Surfaces:
    """Three thin tori, one above the other, each tilted and a little off the axis: both arms go
    through all three."""
    ring = torus(0.16, 0.006, 126, 25)
    found = {}
    for k, (tilt, turn) in enumerate(((0.25, 0.4), (-0.3, 2.1), (0.35, 4.0))):
        c, s = math.cos(tilt), math.sin(tilt)
        lean = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
        x, y = 0.03 * math.cos(turn), 0.03 * math.sin(turn)
        found[f"torus_{k}"] = Surface(ring.vertices @ lean, ring.faces).at(x, y, 0.8 + 0.35 * k)
    return found


#: How far apart the bars of a lattice are, and where the lattices are, [m].
LATTICE = 0.2
LEVELS = (1.3, 1.6)


def lattices() -> Surfaces:
    """Two levels of thin bars, far enough up for what a linkage shrinks to when it is let go; the
    nine holes about the middle are where linkages go through."""
    found = {}
    lines = LATTICE * (np.arange(6) - 2.5)
    end = float(lines[-1])
    for k, z in enumerate(LEVELS):
        bars = [rod((-end, y, z), (end, y, z), 0.003, 6) for y in lines]
        bars += [rod((x, -end, z), (x, end, z), 0.003, 6) for x in lines]
        found[f"lattice_{k}"] = joined(*bars)
    return found


def machine_tool() -> Surfaces:
    """A lathe of 34,171 triangles, open towards -x: its hood is a surface of sheet metal, the rest
    are solids. The spindle runs along y."""
    bed = joined(
        block((0.0, -0.80, 0.0), (0.95, 0.80, 0.62)),
        block((-0.12, -0.80, 0.0), (0.0, 0.80, 0.50)),
        *[block((0.15 + 0.2 * k, -0.75, 0.62), (0.22 + 0.2 * k, 0.75, 0.68)) for k in range(3)],
    )
    chuck = joined(
        lathe([(0.20, -0.80), (0.20, -0.60), (0.15, -0.58)], 96).turned("y"),
        lathe([(0.16, -0.58), (0.16, -0.46), (0.14, -0.45)], 96).turned("y"),
        *[_jaw(angle) for angle in (0.4, 0.4 + 2.0 * math.pi / 3.0, 0.4 + 4.0 * math.pi / 3.0)],
    ).at(0.40, 0.0, 1.0)
    piece = _shaft(
        (0.05, 0.05, 0.075, 0.075, 0.045, 0.045, 0.09, 0.09, 0.03, 0.03),
        (-0.48, -0.35, -0.35, -0.22, -0.22, -0.02, -0.02, 0.03, 0.03, 0.22),
        96,
    ).at(0.40, 0.0, 1.0)
    tail = joined(
        block((0.22, 0.42, 0.68), (0.58, 0.72, 1.12)),
        _shaft((0.06, 0.06, 0.05, 0.012), (0.36, 0.52, 0.34, 0.22), 72, rising=False).at(0.4, 0, 1),
    )
    turret = joined(
        block((0.62, -0.15, 0.68), (0.90, 0.25, 0.95)),
        lathe([(0.14, -0.10), (0.15, -0.08), (0.15, 0.04), (0.14, 0.06)], 12)
        .turned("y")
        .at(0.74, 0.05, 1.05),
        *[_tool(2.0 * math.pi / 8.0 * k) for k in range(8)],
    )
    # Coolant hoses that hang over the work, and the rail before it that the door runs on.
    hoses = joined(
        *[rod((0.30, y, 1.45), (0.38, y + 0.1, 1.12), 0.004, 12) for y in (-0.3, -0.1, 0.15)],
        *[rod((x, -0.84, z), (x, 0.84, z), 0.005, 12) for x, z in ((-0.10, 0.58), (0.22, 1.62))],
        *[rod((-0.10, y, 0.48), (-0.10, y, 0.58), 0.005, 8) for y in (-0.8, 0.0, 0.8)],
    )
    parts = {
        "bed": (bed, 4800),
        "chuck": (chuck, 6900),
        "piece": (piece, 7900),
        "tailstock": (tail, 4000),
        "turret": (turret, 4800),
        "hoses": (hoses, 1000),
    }
    return _counted(parts, "hood", _hood(), MACHINE_TRIANGLES)


def _counted(
    parts: Mapping[str, tuple[Surface, int]], last: str, rest: Surface, total: int
) -> Surfaces:
    """Each part refined to its count, and the last one to what is missing of all."""
    found = {name: refined(surface, count) for name, (surface, count) in parts.items()}
    missing = total - sum(surface.count for surface in found.values())
    return {**found, last: refined(rest, missing)}


def _shaft(
    radii: tuple[float, ...], heights: tuple[float, ...], sides: int, *, rising: bool = True
) -> Surface:
    """A turned part along y. Steps are given by equal heights, which a hair sets apart."""
    order = range(len(radii)) if rising else range(len(radii) - 1, -1, -1)
    profile = [(radii[k], heights[k]) for k in order]
    apart = [profile[0]]
    for (_, low), (r, z) in pairwise(profile):
        apart.append((r, z + 0.001 if z == low else z))
    return lathe(apart, sides).turned("y")


def _jaw(angle: float) -> Surface:
    """One jaw of the chuck, about the y axis."""
    jaw = block((0.055, -0.46, -0.025), (0.13, -0.38, 0.025))
    c, s = math.cos(angle), math.sin(angle)
    return Surface(jaw.vertices @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]), jaw.faces)


def _tool(angle: float) -> Surface:
    """One tool of the turret, pointing outwards."""
    c, s = math.cos(angle), math.sin(angle)
    start, end = np.array([0.14 * c, 0.0, 0.14 * s]), np.array([0.24 * c, 0.0, 0.24 * s])
    centre = np.array([0.74, 0.03, 1.05])
    return rod(tuple(centre + start), tuple(centre + end), 0.005, 16)


def _hood() -> Surface:
    """Back, roof and two sides of sheet metal, each a grid of triangles without thickness."""
    low, high = np.array([-0.05, -0.86, 0.50]), np.array([1.02, 0.86, 1.70])
    back = _plane(low, high, 0, float(high[0]))
    roof = _plane(np.array([0.25, low[1], 0.0]), high, 2, float(high[2]))
    left = _plane(np.array([0.25, 0.0, low[2]]), high, 1, float(low[1]))
    right = _plane(np.array([0.25, 0.0, low[2]]), high, 1, float(high[1]))
    return joined(back, roof, left, right)


def _plane(low: Array, high: Array, axis: int, at: float) -> Surface:
    """A rectangle across an axis, two triangles."""
    u, v = (k for k in range(3) if k != axis)
    corners = np.full((4, 3), at)
    corners[:, u] = low[u], high[u], high[u], low[u]
    corners[:, v] = low[v], low[v], high[v], high[v]
    return Surface(corners, np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int64))


def workshop(seed: int = 7) -> Surfaces:
    """A workshop of 74,681 triangles about a robot at the origin: floor, benches with parts on
    them, a shelf, a drill, a conveyor with boxes, pipes. The floor is a surface, the rest solid."""
    rng = np.random.default_rng(seed)
    parts = {
        "bench_left": (_bench(rng, 14).at(0.25, 1.25), 15000),
        "bench_right": (_bench(rng, 14).at(0.1, -1.35), 15000),
        "conveyor": (_conveyor(rng).at(1.30, 0.0), 15600),
        "shelf": (_shelf(rng).at(-1.25, 0.1), 17600),
        "drill": (_drill().at(1.0, 1.05), 5200),
        "pipes": (_pipes(), 5200),
    }
    floor = _plane(np.array([-2.2, -2.2, 0.0]), np.array([2.2, 2.2, 0.0]), 2, -0.01)
    return _counted(parts, "floor", floor, WORKSHOP_TRIANGLES)


def _bench(rng: np.random.Generator, items: int) -> Surface:
    """A table 1.4 m long with things on it, about its own middle."""
    legs = [
        block((x - 0.03, y - 0.03, 0.0), (x + 0.03, y + 0.03, 0.72))
        for x in (-0.65, 0.65)
        for y in (-0.27, 0.27)
    ]
    things = []
    for k in range(items):
        x, y = -0.62 + 1.24 * (k + 0.5) / items, float(rng.uniform(-0.22, 0.22))
        size = float(rng.uniform(0.02, 0.045))
        tall = float(rng.uniform(0.05, 0.28))
        if k % 3:
            profile = [(size, 0.0), (size, 0.6 * tall), (0.6 * size, 0.7 * tall), (size, tall)]
            things.append(lathe(profile, 48).at(x, y, 0.76))
        else:
            things.append(torus(size, 0.3 * size, 32, 16).at(x, y, 0.76 + 0.3 * size))
    return joined(block((-0.7, -0.32, 0.72), (0.7, 0.32, 0.76)), *legs, *things)


def _conveyor(rng: np.random.Generator) -> Surface:
    """Rollers along y, on two rails, with boxes on them."""
    rollers = [
        rod((-0.28, y, 0.55), (0.28, y, 0.55), 0.035, 40) for y in np.linspace(-0.9, 0.6, 19)
    ]
    rails = [block((x - 0.02, -1.0, 0.45), (x + 0.02, 0.7, 0.60)) for x in (-0.31, 0.31)]
    boxes = []
    for y in (-0.7, -0.2, 0.35):
        w, h = rng.uniform(0.10, 0.2), rng.uniform(0.10, 0.35)
        boxes.append(block((-w, y - 0.12, 0.59), (w, y + 0.12, 0.59 + h)))
    legs = [
        block((x - 0.02, y, 0.0), (x + 0.02, y + 0.04, 0.46))
        for x in (-0.31, 0.31)
        for y in (-1, 0.66)
    ]
    return joined(*rollers, *rails, *boxes, *legs)


def _shelf(rng: np.random.Generator) -> Surface:
    """Four boards between uprights, with cans and rings on them; open towards +x and -x."""
    boards = [block((-0.2, -0.8, z), (0.2, 0.8, z + 0.02)) for z in (0.2, 0.75, 1.3, 1.85)]
    uprights = [
        block((x - 0.02, y - 0.02, 0.0), (x + 0.02, y + 0.02, 1.95))
        for x in (-0.18, 0.18)
        for y in (-0.78, 0.0, 0.78)
    ]
    cans = []
    for z in (0.22, 0.77, 1.32):
        for k in range(7):
            y = -0.66 + 0.22 * k
            radius, tall = rng.uniform(0.04, 0.08), rng.uniform(0.1, 0.3)
            cans.append(lathe([(radius, 0.0), (radius, tall)], 40).at(0.0, y, z))
    rings = [torus(0.09, 0.025, 40, 20).at(0.0, y, 1.895) for y in (-0.5, 0.0, 0.5)]
    return joined(*boards, *uprights, *cans, *rings)


def _drill() -> Surface:
    """A drill press, the spindle along z."""
    return joined(
        block((-0.2, -0.25, 0.0), (0.2, 0.25, 0.08)),
        lathe([(0.05, 0.06), (0.05, 1.35)], 48).at(0.12),
        block((-0.28, -0.12, 1.20), (0.22, 0.12, 1.50)),
        block((-0.25, -0.15, 0.70), (0.12, 0.15, 0.74)),
        lathe([(0.006, 0.82), (0.03, 0.95), (0.03, 1.02), (0.045, 1.04), (0.045, 1.25)], 48).at(
            -0.18
        ),
    )


def _pipes() -> Surface:
    """Pipes below the ceiling and down one corner."""
    runs = [rod((-1.8, y, 2.05), (1.8, y, 2.05), 0.03, 32) for y in (-0.5, -0.38, 0.6)]
    drops = [rod((x, y, 0.0), (x, y, 2.05), 0.03, 32) for x, y in ((-1.0, -0.9), (0.85, -0.75))]
    return joined(*runs, *drops)


CAR_TRIANGLES = 19668

#: Half length, half width and thickness of the sheet, [m].
_HALF_LENGTH = 2.1
_HALF_WIDTH = 0.82
_SHEET = 0.004

#: Height of the roof line along the car from its nose (-1) to its tail (1), [m].
_STATIONS = (-1.0, -0.95, -0.45, -0.12, 0.05, 0.45, 0.72, 0.95, 1.0)
_HEIGHTS = (0.35, 0.62, 0.74, 1.22, 1.28, 1.26, 0.88, 0.80, 0.45)

_ALONG, _AROUND = 84, 44


def car_body() -> Surface:
    """Along x, the nose at -2.1 m, standing on z = 0: sides, hood and roof of one sheet with
    openings for windows, doors and wheels, a floor pan, and two beams across."""
    u = np.linspace(-1.0, 1.0, _ALONG + 1)
    v = np.linspace(0.0, 1.0, _AROUND + 1)
    shell = sheet(_skin(u, v), _SHEET, _openings(u, v))
    pan = np.stack(
        np.meshgrid(np.linspace(-1.9, 1.9, 25), np.linspace(-0.7, 0.7, 13), indexing="ij"), axis=-1
    )
    floor = np.concatenate([pan, 0.22 + 0.0 * pan[..., :1]], axis=-1)
    whole = joined(
        shell,
        sheet(floor, _SHEET),
        block((-0.75, -0.78, 0.55), (-0.69, 0.78, 0.62)),
        block((0.95, -0.72, 0.50), (1.01, 0.72, 0.57)),
    )
    return refined(whole, CAR_TRIANGLES)


def _skin(u: Array, v: Array) -> Array:
    """The outside: at each station along ``u`` an arch over ``v``, from one sill over the roof to
    the other, a superellipse that is squarer below than above."""
    points = np.empty((len(u), len(v), 3))
    for i, s in enumerate(u):
        top = float(np.interp(s, _STATIONS, _HEIGHTS)) - 0.22
        narrow = 1.0 - 0.18 * abs(s) ** 3
        for j, w in enumerate(v):
            angle = math.pi * (1.0 - w)
            c, t = math.cos(angle), math.sin(angle)
            y = math.copysign(abs(c) ** 0.55, c) * _HALF_WIDTH * narrow
            points[i, j] = _HALF_LENGTH * s, y, 0.22 + top * t**0.75
    return points


def _openings(u: Array, v: Array) -> Mask:
    """Which cells of the sheet are there."""
    s = 0.5 * (u[1:] + u[:-1])[:, None]
    w = 0.5 * (v[1:] + v[:-1])[None, :]
    side = np.minimum(w, 1.0 - w)
    wheel = (np.minimum(abs(s + 0.62), abs(s - 0.62)) < 0.16) & (side < 0.06)
    window = (s > -0.05) & (s < 0.5) & (abs(s - 0.22) > 0.03) & (side > 0.19) & (side < 0.30)
    door = (s > -0.05) & (s < 0.19) & (side < 0.16) & (side > 0.03)
    windscreen = (s > -0.38) & (s < -0.14) & (side > 0.28)
    rear = (s > 0.5) & (s < 0.7) & (side > 0.30)
    kept: Mask = ~(wheel | window | door | windscreen | rear)
    return kept
