"""Paper 003, the virtual scene: a hand moves the FOLLOWER among obstacles, and feels them; and the
scene as a picture.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from standoff.contact import Features, Scene
from standoff.contact.result import Contact, Cost
from standoff.geometry.pose import Array
from standoff.papers.paper003_bodies import (
    DEPTH,
    FOLLOWER,
    LETTERS,
    OBSTACLES,
    Stage,
    body,
    points_of,
    scene,
    stage,
)
from standoff.papers.paper003_levels import Bench
from standoff.papers.toolkit import UNSAID, Result, cells, heads
from standoff.view.plots import new_figure, save
from standoff.view.render import Camera, halved, looking, outlines, render, triangles

#: A step took the paper so long, and may take so long for a hand, [ms].
PAPER, NEEDED = 20.0, 100.0


_WHOLE = "whole step"


class Clocked:
    """A scene whose steps are timed part by part."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    def run(self, poses: Sequence[Mapping[str, Array]], dt: float) -> dict[str, Array]:
        """The parts of each step, [µs]: poses into the tables, the compiled call, results out."""
        scene, clock = self.scene, time.perf_counter_ns
        scene.step(poses[0])
        times = np.empty((len(poses), 3))
        for row, given in zip(times, poses):
            begin = clock()
            scene._take(given, None, dt)
            placed = clock()
            scene._run()
            done = clock()
            scene._result()
            row[:] = placed - begin, done - placed, clock() - done
        names = ("  poses into tables", "  compiled: both stages, forces", "  results out")
        return dict(zip(names, times.T / 1e3))


@dataclass(frozen=True, eq=False)
class Tour:
    """What the hand met.

    Attributes:
        where: the scene.
        time: of each step, [s].
        force, moment: on the follower, (steps, 3), [N], [N m].
        contacts: of each step.
        costs: what each step took.
        took: whole steps from Python, and their parts, [µs].
    """

    where: Stage
    time: Array
    force: Array
    moment: Array
    contacts: list[tuple[Contact, ...]]
    costs: list[Cost]
    took: dict[str, Array]


def hand(bench: Bench) -> Result:
    """Who was met, and how hard."""
    found = toured(bench)
    rows = []
    strength = np.linalg.norm(found.force, axis=1)
    dt = float(found.time[1] - found.time[0])
    for name in OBSTACLES:
        mine = [[c for c in step if name in (c.a, c.b)] for step in found.contacts]
        met = [k for k, some in enumerate(mine) if some]
        kinds = sorted({c.kind for some in mine for c in some})
        deepest = max((c.depth for some in mine for c in some), default=0.0)
        hardest = max((strength[k] for k in met), default=0.0)
        rows.append((
            f"({LETTERS[name]}) {name}", f"{dt * len(met):.2f}", str(max(map(len, mine))),
            " ".join(kinds), *cells((1e3 * deepest, hardest), ".1f"),
        ))  # fmt: skip

    def plot(path: Path) -> None:
        figure, (axis, below) = new_figure(2, height=5.5)
        for column, name in enumerate("xyz"):
            axis.plot(found.time, found.force[:, column], lw=1.0, label=name)
        axis.plot(found.time, strength, lw=1.6, color="0.15", label="in all")
        axis.set_ylabel("force on the follower [N]")
        axis.legend(fontsize=8, ncols=4)
        below.step(found.time, [len(some) for some in found.contacts], where="mid", lw=1.2)
        below.set_ylabel("contacts")
        below.set_xlabel("time [s]")
        for k, name in enumerate(OBSTACLES):
            middle = (k + 0.5) * found.where.duration / len(OBSTACLES)
            axis.annotate(name, (middle, strength.max()), ha="center", va="bottom", fontsize=8)
        axis.set_ylim(top=1.15 * strength.max())
        save(figure, path)

    return Result(
        "The virtual scene: a scripted hand takes the FOLLOWER to each obstacle",
        heads("obstacle | in contact [s] | contacts at most | kinds | deepest [mm] | force [N]"),
        rows,
        (
            f"{len(found.time):,} steps, {1e3 * dt:.1f} ms apart; the hand pushes {1e3 * DEPTH:.0f}"
            " mm deep into each obstacle, sliding across as it does. Kinds: the obstacle's feature "
            "first (Vertex, Edge, Face, Sphere).",
        ),
        {"tour": found},
        plot,
    )


def cost(bench: Bench) -> Result:
    """What a step takes, by stage."""
    found = toured(bench)
    touching = np.array([len(some) > 0 for some in found.contacts])
    rows = []
    for name, took in found.took.items():
        times = np.median(took[~touching]), np.median(took[touching]), np.percentile(took, 99)
        paper = f"{1e3 * PAPER:,.0f}" if name == _WHOLE else UNSAID
        rows.append((f"{name} [µs]", *cells(times, ".1f"), paper))
    for name in Cost.__dataclass_fields__:
        count = np.array([getattr(c, name) for c in found.costs])
        means = cells((count[~touching].mean(), count[touching].mean()), ".1f")
        rows.append((name.replace("_", " "), *means, f"{np.percentile(count, 99):.0f}", UNSAID))
    whole = float(np.median(found.took[_WHOLE][touching]))
    return Result(
        "The virtual scene: what a step of six bodies takes, by stage",
        ("", "nothing touches", "in contact", "99 %", "paper"),
        rows,
        (
            "Times: median of the steps in which nothing touches, and of the others. Whole: poses "
            "and dt given to Scene.step, forces read back. Counts: their means.",
            f"A step in contact is {1e3 * PAPER / whole:,.0f} times as fast as the paper's, which "
            f"ran at 50 MHz; a hand needs less than {NEEDED:.0f} ms.",
        ),
        {"tour": found},
        partial(picture, found.where, _moments(found)),
    )


def toured(bench: Bench) -> Tour:
    """The tour; made once."""
    return bench.once("tour", lambda: _tour(bench))


def _tour(bench: Bench) -> Tour:
    bench.report("the virtual scene", 0.0)
    where = stage()
    poses = [{FOLLOWER: there} for there in where.tour(bench.hand)]
    dt = where.duration / bench.hand
    at: Array = dt * (np.arange(bench.hand, dtype=np.float64) + 0.5)
    played = scene(where)
    felt, whole = [], np.empty(bench.hand)
    for k, there in enumerate(poses):
        start = time.perf_counter_ns()
        step = played.step(there, dt=dt if k else None)
        forces = step.forces
        whole[k] = time.perf_counter_ns() - start
        felt.append((forces[FOLLOWER], step.moments[FOLLOWER], step.contacts, step.cost))
        if k % 100 == 0:
            bench.report("the virtual scene", 0.5 * k / bench.hand)
    took = {_WHOLE: whole / 1e3, **Clocked(scene(where)).run(poses, dt)}
    force, moment, contacts, costs = zip(*felt)
    return Tour(where, at, np.array(force), np.array(moment), [*contacts], [*costs], took)


def _moments(found: Tour) -> list[tuple[Array, tuple[Contact, ...]]]:
    """On each visit the follower's pose when the force is largest, and the contacts there."""
    strength = np.linalg.norm(found.force, axis=1)
    moments = []
    for some in np.array_split(np.arange(len(strength)), len(OBSTACLES)):
        k = int(some[np.argmax(strength[some])])
        moments.append((found.where.hand(found.time[k]), found.contacts[k]))
    return moments


#: Pixels of the longer side before two by two become one; the rim about the bodies, [m].
_PIXELS, _RIM = 1800, 0.03
#: How long the arrow of a contact is, [m].
_ARROW = 0.09
_COLOURS = np.array(
    [[0.55, 0.65, 0.85], [0.60, 0.78, 0.62], [0.90, 0.72, 0.50], [0.80, 0.62, 0.80],
     [0.86, 0.82, 0.52]]
)  # fmt: skip


def picture(where: Stage, moments: Sequence[tuple[Array, tuple[Contact, ...]]], path: Path) -> None:
    """Draw the obstacles, and the follower at some moments with an arrow along each contact's
    normal, of the same length as in the paper's Fig. 2, on the follower."""
    from matplotlib.figure import Figure

    solids = []
    for name in OBSTACLES:
        place = where.places[name]
        solids.append(triangles(where.shapes[name]) @ place[:3, :3].T + place[:3, 3])
    wires = [_wires(place) for place, _ in moments]
    camera = _camera(np.concatenate([each.reshape(-1, 3) for each in (*solids, *wires)]))
    owner = np.repeat(np.arange(len(solids)), [len(each) for each in solids])
    layer = render(camera, np.concatenate(solids), owner, _COLOURS[owner])
    image = np.where(layer.covered[..., None], layer.colour, 1.0)
    image[outlines(layer)] = 0.25
    small = halved(image)
    height, width = small.shape[:2]
    figure = Figure(figsize=(9.0, 9.0 * height / width))
    axis = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axis.imshow(np.clip(small, 0.0, 1.0))
    axis.set_axis_off()
    for (_, contacts), lines in zip(moments, wires):
        for line in camera.project(lines) / 2.0:
            axis.plot(line[:, 0], line[:, 1], color="0.1", lw=1.3, alpha=0.8)
        for contact in contacts:
            push = contact.normal if contact.a == FOLLOWER else -contact.normal
            tail, head = camera.project(np.stack([contact.point, contact.point + _ARROW * push]))
            axis.annotate(
                "", head[:2] / 2.0, tail[:2] / 2.0,
                arrowprops={"arrowstyle": "-|>", "color": "red", "lw": 1.8},
            )  # fmt: skip
    for name, solid in zip(OBSTACLES, solids):
        x, y = camera.project(solid.reshape(-1, 3)).min(axis=0)[:2] / 2.0
        axis.text(x, y, name, fontsize=9, color="0.2")
    axis.set_xlim(0, width)
    axis.set_ylim(height, 0)
    save(figure, path)


def _wires(place: Array) -> Array:
    """(n, 2, 3): the edges of the follower at a pose, in the world."""
    follower = body(points_of(LETTERS[FOLLOWER]), 0)
    (piece,) = follower.pieces
    assert isinstance(piece, Features)
    corners = piece.vertices + follower.centroid
    ends = corners[piece.edges[:, :2]]
    return np.asarray(ends @ place[:3, :3].T + place[:3, 3])


def _camera(points: Array) -> Camera:
    axes = looking(-1.1, 0.75)
    seen = points @ axes.T
    low, high = seen.min(axis=0)[:2] - _RIM, seen.max(axis=0)[:2] + _RIM
    scale = _PIXELS / float((high - low).max())
    columns, rows = (np.ceil((high - low) * scale)).astype(int).tolist()
    return Camera(axes, low, scale, (rows, columns))
