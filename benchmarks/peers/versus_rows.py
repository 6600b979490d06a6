"""What `versus.py` measures, by Standoff's public names alone, so that older commits have them.

In ``benchmarks/``, ``python -m peers.versus_rows ROW`` prints the microseconds of a call for each
line of its input.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from itertools import cycle

import numpy as np

#: Makes what is measured: a call without arguments.
Row = Callable[[], Callable[[], object]]

#: How long a turn takes at least, [s].
TURN = 0.3


def monitor(scene: str) -> Row:
    def make() -> Callable[[], object]:
        from peers.scene import build
        from peers.standoff_engine import Standoff

        made = build(scene)
        engine, numbers = Standoff(made), cycle(range(made.loop))
        return lambda: engine.cycle(next(numbers))

    return make


def _edges(kind: str) -> tuple[object, np.ndarray, np.ndarray]:
    import standoff as so
    from peers import paths_scene

    scene = getattr(paths_scene, kind)(200)
    return so.PathChecker(scene.cell), scene.starts, scene.ends


def segment(kind: str) -> Row:
    def make() -> Callable[[], object]:
        checker, starts, ends = _edges(kind)
        numbers = cycle(range(len(starts)))

        def one() -> object:
            k = next(numbers)
            return checker.segment(starts[k], ends[k])

        return one

    return make


def batch() -> Callable[[], object]:
    checker, starts, ends = _edges("capsules")
    return lambda: checker.segments(starts, ends, threads=1)


def _panda_cell() -> object:
    from peers import paths_scene

    return paths_scene.meshes(1).cell


def layout() -> Callable[[], object]:
    """A planner on a changed cell until its search begins."""
    import standoff as so

    cell = _panda_cell()
    planner = so.Planner(cell)
    cell.add_body("part", so.Box((0.05, 0.05, 0.05)), so.pose((0.9, 0.9, 0.9)))
    numbers = cycle((0.90, 0.91))

    def one() -> None:
        cell.remove_body("part")
        cell.add_body("part", so.Box((0.05, 0.05, 0.05)), so.pose((0.9, next(numbers), 0.9)))
        planner.prepare()

    return one


def grasp() -> Callable[[], object]:
    """The update after a grasp: two Pandas among 20 boxes."""
    import standoff as so

    rng = np.random.default_rng(5)
    cell = so.Cell()
    cell.add_robot("builtin:panda", name="left")
    cell.add_robot("builtin:panda", name="right", base=so.pose((0.0, -1.2, 0.0)))
    for k in range(20):
        at = (*rng.uniform(1.0, 2.0, 2), rng.uniform(0.0, 1.0))
        cell.add_body(f"box{k}", so.Box((0.1, 0.1, 0.1)), so.pose(at))
    watch = so.Monitor(cell)
    q = np.tile([0.0, 0.0, 0.0, -1.57, 0.0, 1.57, 0.0, 0.0], 2)
    held = [False]

    def one() -> object:
        if held[0]:
            cell.detach("box0", q=q)
        else:
            cell.attach("box0", "left/panda_hand", q=q)
        held[0] = not held[0]
        return watch.update(q)

    return one


def plan() -> Callable[[], object]:
    import standoff as so

    cell = so.Cell()
    cell.add_robot("builtin:panda", name="panda")
    for k, (x, y) in enumerate(((0.45, 0.25), (0.45, -0.25), (0.1, 0.55), (0.6, 0.0))):
        cell.add_body(f"post{k}", so.Capsule(0.02, 0.7), so.pose((x, y, 0.35)))
    planner = so.Planner(cell, clearance=0.001)
    start = np.array([-1.2, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8, 0.02])
    goal = np.array([1.9, 0.4, 0.0, -2.0, 0.0, 2.4, 0.8, 0.02])
    seeds = cycle(range(20))
    return lambda: planner.plan(start, goal, seed=next(seeds), timeout=30.0)


def predictor(count: int) -> Row:
    def make() -> Callable[[], object]:
        import standoff as so

        rng = np.random.default_rng(6)
        side = 0.7 * count ** (1 / 3)
        x, v = rng.uniform(0, side, (count, 3)), 0.1 * rng.normal(size=(count, 3))
        # Older commits call this schedule otherwise, or have it as their default.
        newer = getattr(getattr(so, "predict", None), "DynamicUrgency", None)
        schedule = newer or getattr(so, "Urgency", None)
        how = {"schedule": schedule()} if schedule else {}
        predict = so.Predictor(np.full(count, 0.05), max_acceleration=1.0, period=0.01, **how)
        places = cycle([x + 0.01 * k * v for k in (*range(100), *range(100, 0, -1))])
        return lambda: predict.step(next(places), v)

    return make


def contact() -> Callable[[], object]:
    import standoff as so

    scene = so.contact.Scene()
    scene.add("table", so.Box((1.0, 1.0, 0.1)), moving=False, stiffness=2e4, damping=50.0)
    poses = {}
    for k in range(5):
        scene.add(f"box{k}", so.Box((0.1, 0.1, 0.1)), stiffness=2e4, damping=50.0)
        poses[f"box{k}"] = so.pose((0.18 * k - 0.36, 0.0, 0.099))
    return lambda: scene.step(poses)


def _star(rng: np.random.Generator) -> object:
    import standoff as so

    hull = so.Polyhedron(rng.normal(size=(60, 3)) * 0.2)
    return so.Mesh(hull.vertices, hull.faces)


def distance(meshes: bool) -> Row:
    def make() -> Callable[[], object]:
        import standoff as so

        rng = np.random.default_rng(7)
        a, b = (_star(rng), _star(rng)) if meshes else (so.Box((0.2, 0.3, 0.4)), so.Capsule(0.1, 1))
        turns = [so.pose((0.7, 0.1, 0.2), rpy=rng.uniform(-3, 3, 3)) for _ in range(50)]
        poses = cycle(turns)
        return lambda: so.distance(a, None, b, next(poses))

    return make


def interference() -> Callable[[], object]:
    import standoff as so

    rng = np.random.default_rng(8)
    parts = {
        f"part{k}": (_star(rng), so.pose(rng.uniform(-0.5, 0.5, 3), rpy=rng.uniform(-3, 3, 3)))
        for k in range(12)
    }
    find = getattr(so.interference, "find", so.interference)  # an older name
    return lambda: find(parts)


ROWS: dict[str, Row] = {
    "monitor, 21 boxes": monitor("boxes-21"),
    "monitor, 10,000 boxes": monitor("boxes-10000"),
    "monitor, 1,000 movers": monitor("movers-1000"),
    "segment, capsules": segment("capsules"),
    "segment, meshes": segment("meshes"),
    "batch of 200 edges": batch,
    "planner on a changed cell": layout,
    "update after a grasp": grasp,
    "plan": plan,
    "predictor, 1,000 bodies": predictor(1_000),
    "contact, six bodies": contact,
    "distance, primitives": distance(meshes=False),
    "distance, meshes": distance(meshes=True),
    "interference, 12 meshes": interference,
}


def measure(call: Callable[[], object]) -> float:
    """The median over blocks of calls, microseconds of processor time a call: what else runs on the
    machine does not count."""
    clock, blocks, size, end = time.process_time, [], 1, time.process_time() + TURN
    while clock() < end or len(blocks) < 3:
        start = clock()
        for _ in range(size):
            call()
        took = clock() - start
        blocks.append(took / size)
        if took < 0.002:
            size, blocks = 2 * size, []
    return float(np.median(blocks)) * 1e6


def first_update() -> None:
    """A new process until its first answer."""
    monitor("boxes-21")()()


def main(name: str) -> None:
    if name == "compile":
        subprocess.run([sys.executable, "-m", "standoff", "compile"], check=True)
        return
    if name == "first":
        first_update()
        return
    call = ROWS[name]()
    for _ in sys.stdin:
        print(measure(call), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
