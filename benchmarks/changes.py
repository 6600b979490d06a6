"""What does a change of the cell cost whoever watches it, checks paths in it or plans in it?

    python benchmarks/changes.py [--quick]

Each row changes the cell and times the next answer: the change itself, the layout and the answer.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
from peers.planning_robots import Robots
from rich.console import Console
from rich.table import Table

import standoff as so

HOME = [0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0]
#: Row: floor and goal in milliseconds.
FLOORS = {
    "update after a grasp": (2.0, 0.5),
    "the same with a stop certificate": (10.0, 2.0),
    "update after one of many statics moved": (20.0, 2.0),
    "planner on a changed cell until its search begins": (5.0, 1.0),
    "path checker on a cell that is monitored": (5.0, 1.0),
    "cell of many Pandas": (10000.0, 3000.0),
}


def two_pandas(boxes: int = 20, **options: object) -> tuple[so.Cell, np.ndarray]:
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_robot("builtin:panda", name="right", base=so.pose((0.0, -1.2, 0.0)))
    rng = np.random.default_rng(1)
    for k in range(boxes):
        at = (*rng.uniform(0.8, 2.0, 2), rng.uniform(0.0, 1.0))
        cell.add_body(f"box{k}", so.Box((0.05, 0.05, 0.05)), so.pose(at))
    return cell, np.tile(HOME, 2)


def timed(change: Callable[[int], object], answer: Callable[[], object], turns: int) -> float:
    """Median of the time from before the change until the answer, [ms]; a first turn is not
    counted."""
    found = []
    for k in range(turns + 1):
        start = time.perf_counter()
        change(k)
        answer()
        found.append(1e3 * (time.perf_counter() - start))
    return statistics.median(found[1:])


def grasp(turns: int, stopping: so.Stopping | None = None) -> float:
    cell, q = two_pandas()
    monitor = so.Monitor(cell, buffer=0.01, stopping=stopping)
    dq = np.zeros(len(q))

    def answer() -> object:
        return monitor.update(q) if stopping is None else monitor.update(q, dq=dq)

    answer()
    link = "left/panda_hand"
    pose = so.pose((0.0, 0.0, 0.2))

    def change(k: int) -> None:
        if k % 2 == 0:
            cell.attach("box3", link, pose=pose)
        else:
            cell.detach("box3", q=q)

    return timed(change, answer, turns)


def statics(turns: int, count: int) -> float:
    cell, q = two_pandas(0)
    rng = np.random.default_rng(2)
    side = 100.0
    box = so.Box((0.05, 0.05, 0.05))
    for k, (x, y, z) in enumerate(rng.uniform(-side, side, (count, 3))):
        cell.add_body(f"b{k}", box, so.pose((x, y, z + 2.0 + side)))
    monitor = so.Monitor(cell, buffer=0.01)
    monitor.update(q)

    def change(k: int) -> None:
        move(cell, f"b{k}", box, so.pose((50.0 + k, 0.0, 50.0)))

    return timed(change, lambda: monitor.update(q), turns)


def move(cell: so.Cell, name: str, shape: so.Shape, pose: np.ndarray) -> None:
    if hasattr(cell, "move_body"):
        cell.move_body(name, pose)
    else:
        cell.remove_body(name)
        cell.add_body(name, shape, pose)


def mesh_panda() -> tuple[so.Cell, np.ndarray]:
    urdf, srdf = Robots().files("panda")
    cell = so.Cell()
    cell.add_robot(urdf, name="arm", srdf=srdf)
    for k in range(20):
        cell.add_body(f"box{k}", so.Box((0.05, 0.05, 0.05)), so.pose((1.0 + 0.1 * k, 0.0, 0.3)))
    return cell, np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.57, 0.78, 0.02])


def planner(turns: int) -> float:
    cell, q = mesh_panda()
    plan = so.Planner(cell)
    plan.plan(q, q, seed=0)
    box = so.Box((0.05, 0.05, 0.05))

    def change(k: int) -> None:
        move(cell, "box3", box, so.pose((1.3, 0.01 * k, 0.3)))

    return timed(change, lambda: plan.plan(q, q, seed=0), turns)


def checker(turns: int) -> float:
    cell, q = two_pandas()
    so.Monitor(cell, buffer=0.01).update(q)
    checkers = []
    return timed(lambda k: checkers.append(so.PathChecker(cell)),
                 lambda: checkers[-1].segment(q, q), turns)  # fmt: skip


def pandas(count: int) -> float:
    start = time.perf_counter()
    cell = so.Cell()
    for k in range(count):
        cell.add_robot("builtin:panda", name=f"r{k}", base=so.pose((2.0 * (k % 32), k // 32, 0.0)))
    _ = cell.tree, cell.model
    return 1e3 * (time.perf_counter() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer turns, fewer bodies")
    quick = parser.parse_args().quick
    turns, many, robots = (7, 10_000, 100) if quick else (31, 100_000, 1000)
    stop = so.Stopping(deceleration=5.0, reaction=0.02)
    rows = {
        "update after a grasp": lambda: grasp(turns),
        "the same with a stop certificate": lambda: grasp(turns, stop),
        "update after one of many statics moved": lambda: statics(min(turns, 9), many),
        "planner on a changed cell until its search begins": lambda: planner(turns),
        "path checker on a cell that is monitored": lambda: checker(turns),
        "cell of many Pandas": lambda: pandas(robots),
    }
    table = Table("change", "[ms]", "floor", "goal")
    console = Console()
    for name, row in rows.items():
        with console.status(name):
            table.add_row(name, f"{row():.2f}", *(f"{x:g}" for x in FLOORS[name]))
    console.print(table)


if __name__ == "__main__":
    main()
