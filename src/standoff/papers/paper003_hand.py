"""Paper 003, the virtual scene: a hand moves the FOLLOWER among obstacles, and feels them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from standoff.contact.result import Contact, Cost
from standoff.geometry.pose import Array
from standoff.papers.bench003 import Bench, Clocked
from standoff.papers.picture003 import picture
from standoff.papers.result import UNSAID, Result
from standoff.papers.scene003 import DEPTH, FOLLOWER, LETTERS, OBSTACLES, Stage, scene, stage
from standoff.view.plots import new_figure, save

#: A step took the paper so long, and may take so long for a hand, [ms].
PAPER, NEEDED = 20.0, 100.0


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
        rows.append(
            (
                f"({LETTERS[name]}) {name}",
                f"{dt * len(met):.2f}",
                str(max(map(len, mine))),
                " ".join(kinds),
                f"{1e3 * deepest:.1f}",
                f"{max((strength[k] for k in met), default=0.0):.1f}",
            )
        )

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
        ("obstacle", "in contact [s]", "contacts at most", "kinds", "deepest [mm]", "force [N]"),
        tuple(rows),
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
        rows.append(
            (
                f"{name} [µs]",
                f"{np.median(took[~touching]):.1f}",
                f"{np.median(took[touching]):.1f}",
                f"{np.percentile(took, 99):.1f}",
                f"{1e3 * PAPER:,.0f}" if name == _WHOLE else UNSAID,
            )
        )
    for name in Cost.__dataclass_fields__:
        count = np.array([getattr(c, name) for c in found.costs])
        rows.append(
            (
                name.replace("_", " "),
                f"{count[~touching].mean():.1f}",
                f"{count[touching].mean():.1f}",
                f"{np.percentile(count, 99):.0f}",
                UNSAID,
            )
        )
    whole = float(np.median(found.took[_WHOLE][touching]))
    return Result(
        "The virtual scene: what a step of six bodies takes, by stage",
        ("", "nothing touches", "in contact", "99 %", "paper"),
        tuple(rows),
        (
            "Times: median of the steps in which nothing touches, and of the others. Whole: poses "
            "and dt given to Scene.step, forces read back. Counts: their means.",
            f"A step in contact is {1e3 * PAPER / whole:,.0f} times as fast as the paper's, which "
            f"ran at 50 MHz; a hand needs less than {NEEDED:.0f} ms.",
        ),
        {"tour": found},
        lambda path: picture(found.where, _moments(found), path),
    )


_WHOLE = "whole step"


def toured(bench: Bench) -> Tour:
    """The tour; made once."""
    kept = bench.told.get("tour")
    if isinstance(kept, Tour):
        return kept
    bench.tell("the virtual scene", 0.0)
    where = stage()
    poses = list(where.tour(bench.hand))
    dt = where.duration / bench.hand
    at = dt * (np.arange(bench.hand, dtype=np.float64) + 0.5)
    force, moment = np.zeros((bench.hand, 3)), np.zeros((bench.hand, 3))
    contacts, costs = [], []
    played = scene(where)
    whole = np.empty(bench.hand)
    for k, there in enumerate(poses):
        start = time.perf_counter_ns()
        step = played.step({FOLLOWER: there}, dt=dt if k else None)
        forces = step.forces
        whole[k] = time.perf_counter_ns() - start
        force[k], moment[k] = forces[FOLLOWER], step.moments[FOLLOWER]
        contacts.append(step.contacts)
        costs.append(step.cost)
        if k % 100 == 0:
            bench.tell("the virtual scene", 0.5 * k / bench.hand)
    took = {_WHOLE: whole / 1e3}
    parts = Clocked(scene(where)).run([{FOLLOWER: there} for there in poses], dt)
    took |= parts
    found = Tour(
        where, np.asarray(at, dtype=np.float64), force, moment, contacts, costs, took
    )  # fmt: skip
    bench.told["tour"] = found
    return found


def _moments(found: Tour) -> list[tuple[Array, tuple[Contact, ...]]]:
    """On each visit the follower's pose when the force is largest, and the contacts there."""
    strength = np.linalg.norm(found.force, axis=1)
    moments = []
    for some in np.array_split(np.arange(len(strength)), len(OBSTACLES)):
        k = int(some[np.argmax(strength[some])])
        moments.append((found.where.hand(found.time[k]), found.contacts[k]))
    return moments
