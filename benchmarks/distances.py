"""How long does one distance take? Ours in one compiled call, Coal and python-fcl from Python.

    python benchmarks/distances.py [--pairs 100000] [--repeats 5]

Every engine sees the same shapes at the same poses, in the same run: bodies as in a robot cell,
half of the pairs within half a metre of each other, half up to two metres away. The peers' objects,
transforms and requests are built before the clock starts, and the loop over them is a plain Python
one: what a Python user pays for a call. Coal is timed twice: with a result of its own for each
pair, as one needs to keep the witnesses (the floors are ratios to this), and with one result that
is cleared and used again. Rounds of the engines take turns, and the median round counts.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import coal
import fcl
import numpy as np
from rich.console import Console
from rich.table import Table

from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.primitives import Box, Capsule, Cylinder, HalfSpace, Sphere
from standoff.geometry.shape import Shape
from standoff.geometry.table import pack

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.oracles.coal import geometry, transform

#: Different shapes of each kind; the pairs draw from them.
POOL = 64


def polyhedron(rng: np.random.Generator) -> Polyhedron:
    """The hull of 20 points on an ellipsoid of 0.1 to 0.5 m."""
    points = rng.normal(size=(20, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return Polyhedron(points * rng.uniform(0.05, 0.25, 3))


def torus(rng: np.random.Generator) -> Mesh:
    """A closed mesh of 192 triangles, 0.2 to 0.5 m across."""
    u, v = np.meshgrid(np.arange(12), np.arange(8), indexing="ij")
    a, b = 2 * np.pi * u / 12, 2 * np.pi * v / 8
    ring, tube = rng.uniform(0.1, 0.18), rng.uniform(0.03, 0.07)
    r = ring + tube * np.cos(b)
    points = np.stack([r * np.cos(a), r * np.sin(a), tube * np.sin(b)], axis=-1).reshape(-1, 3)

    def at(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return ((i % 12) * 8 + j % 8).ravel()

    corners = at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)
    halves = [np.stack([corners[k] for k in t], axis=1) for t in ((0, 1, 2), (0, 2, 3))]
    return Mesh(points, np.concatenate(halves))


def fcl_mesh(shape: Shape) -> object:
    model = fcl.BVHModel()
    points, faces = shape.geometry.points, shape.geometry.faces
    model.beginModel(len(points), len(faces))
    model.addSubModel(points, faces)
    model.endModel()
    return model


@dataclass(frozen=True)
class Kind:
    """A kind of shape: how to draw one, and what python-fcl calls it."""

    draw: Callable[[np.random.Generator], Shape]
    fcl: Callable[[Shape], object] | None


KINDS = {
    "sphere": Kind(
        lambda rng: Sphere(rng.uniform(0.05, 0.2)),
        lambda s: fcl.Sphere(s.radius),
    ),
    "capsule": Kind(
        lambda rng: Capsule(rng.uniform(0.04, 0.1), rng.uniform(0.1, 0.5)),
        lambda s: fcl.Capsule(s.radius, s.length),
    ),
    "box": Kind(
        lambda rng: Box(rng.uniform(0.1, 0.5, 3)),
        lambda s: fcl.Box(*s.size),
    ),
    "cylinder": Kind(
        lambda rng: Cylinder(rng.uniform(0.04, 0.1), rng.uniform(0.1, 0.5)),
        lambda s: fcl.Cylinder(s.radius, s.length),
    ),
    "polyhedron": Kind(polyhedron, None),
    "mesh": Kind(torus, fcl_mesh),
    "halfspace": Kind(lambda rng: HalfSpace(), None),
}

#: Pairs to measure, with the floor on the ratio to Coal where one is set.
PAIRS = [
    ("sphere", "sphere", None),
    ("sphere", "capsule", None),
    ("sphere", "box", None),
    ("capsule", "capsule", 25.0),
    ("capsule", "box", 15.0),
    ("box", "box", 5.0),
    ("capsule", "halfspace", None),
    ("box", "halfspace", None),
    ("capsule", "cylinder", None),
    ("box", "cylinder", None),
    ("cylinder", "cylinder", None),
    ("capsule", "polyhedron", None),
    ("box", "polyhedron", None),
    ("polyhedron", "polyhedron", None),
    ("capsule", "mesh", None),
    ("box", "mesh", None),
    ("mesh", "mesh", None),
]

#: Pairs with a mesh take some 50 µs in every engine, so a tenth as many are measured.
MESH_SHARE = 10


@dataclass(frozen=True)
class Scene:
    """Shapes of two kinds, and for each pair which of them and where."""

    kinds: tuple[str, str]
    shapes: tuple[list[Shape], list[Shape]]
    chosen: np.ndarray  # (n, 2)
    poses: np.ndarray  # (n, 2, 3, 4)


def scene(rng: np.random.Generator, kind_a: str, kind_b: str, n: int) -> Scene:
    poses = np.zeros((n, 2, 3, 4))
    # Gram-Schmidt on random vectors: a rotation each, right-handed by the cross product.
    x, y = rng.normal(size=(2, n, 2, 3))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    y -= (x * y).sum(-1, keepdims=True) * x
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    poses[..., :3] = np.stack([x, y, np.cross(x, y)], axis=-1)
    away = rng.normal(size=(n, 3))
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    far = rng.random(n) < 0.5
    away *= np.where(far, rng.uniform(0.5, 2.0, n), rng.uniform(0.0, 0.5, n))[:, None]
    poses[:, 0, :, 3] = rng.uniform(-1.5, 1.5, (n, 3))
    poses[:, 1, :, 3] = poses[:, 0, :, 3] + away
    shapes = tuple([KINDS[kind].draw(rng) for _ in range(POOL)] for kind in (kind_a, kind_b))
    return Scene((kind_a, kind_b), shapes, rng.integers(POOL, size=(n, 2)), poses)


def ours(scene: Scene) -> Callable[[], np.ndarray]:
    """All pairs in one compiled call. Geometry of the shapes is concatenated, as in a cell."""
    n = len(scene.poses)
    sizes, refs, geometry = pack([*scene.shapes[0], *scene.shapes[1]])
    which = (scene.chosen + np.array([0, POOL])).ravel()
    rows = sizes[which]
    rows[:, : layout.SIZE] = scene.poses.reshape(2 * n, 12)
    bodies = Bodies(rows=rows, refs=refs[which], solids=geometry.solids)
    pairs = np.arange(2 * n).reshape(n, 2)
    out = np.zeros((n, layout.OUT_COLUMNS))
    scratch = PairScratch()

    def call() -> np.ndarray:
        address = dispatch.general_address()
        assert batch.distances(address, bodies.address, pairs, scratch.address, out) == -1
        return out[:, 0]

    return call


def coals(scene: Scene, *, reuse: bool) -> Callable[[], list[float]]:
    """Coal's `distance` with a result of its own for each pair, as one has to if the witnesses are
    to be kept; or, leaner, with one result that is cleared and used again."""
    objects = [[geometry(s) for s in pool] for pool in scene.shapes]
    calls = [
        (
            objects[0][i],
            transform(p[0]),
            objects[1][j],
            transform(p[1]),
        )
        for (i, j), p in zip(scene.chosen, scene.poses)
    ]
    request, result = coal.DistanceRequest(True, True), coal.DistanceResult()
    distance, Result = coal.distance, coal.DistanceResult

    def fresh() -> list[float]:
        return [distance(a, at_a, b, at_b, request, Result()) for a, at_a, b, at_b in calls]

    def reused() -> list[float]:
        values = []
        for a, at_a, b, at_b in calls:
            result.clear()
            values.append(distance(a, at_a, b, at_b, request, result))
        return values

    return reused if reuse else fresh


def fcls(scene: Scene) -> Callable[[], list[float]] | None:
    kinds = [KINDS[k].fcl for k in scene.kinds]
    if None in kinds:
        return None
    objects = [[kind(s) for s in pool] for kind, pool in zip(kinds, scene.shapes)]
    calls = [
        tuple(
            fcl.CollisionObject(
                objects[side][c[side]], fcl.Transform(p[side, :, :3], p[side, :, 3])
            )
            for side in (0, 1)
        )
        for c, p in zip(scene.chosen, scene.poses)
    ]
    request = fcl.DistanceRequest(enable_nearest_points=True)
    distance, Result = fcl.distance, fcl.DistanceResult

    def call() -> list[float]:
        return [distance(a, b, request, Result()) for a, b in calls]

    return call


def cut(scene: Scene, n: int) -> Scene:
    return Scene(scene.kinds, scene.shapes, scene.chosen[:n], scene.poses[:n])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100_000, help="pairs of each kind")
    parser.add_argument("--fcl-pairs", type=int, default=10_000, help="of these, for python-fcl")
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()

    table = Table(
        title=f"One signed distance with witnesses, {arguments.pairs:,} pairs of each kind"
    )
    table.add_column("pair")
    for column in ("overlap", r"standoff \[ns]", "worst", r"Coal \[ns]", "× Coal", "floor"):
        table.add_column(column, justify="right")
    for column in (r"reused result \[ns]", "×", r"fcl \[ns]", "× fcl", "Coal off by > 1e-6"):
        table.add_column(column, justify="right")
    rng = np.random.default_rng(0)
    for kind_a, kind_b, floor in PAIRS:
        table.add_row(*measured(rng, kind_a, kind_b, floor, arguments))
    Console(width=160).print(table)


def differ(theirs: np.ndarray, mine: np.ndarray) -> np.ndarray:
    """Where two engines disagree by more than 1e-6 m; where both see a mesh overlap, they agree."""
    return (np.abs(theirs - mine) > 1e-6) & ~((theirs <= 0.0) & (mine <= 0.0) & (mine > -1e-6))


def measured(
    rng: np.random.Generator,
    kind_a: str,
    kind_b: str,
    floor: float | None,
    arguments: argparse.Namespace,
) -> list[str]:
    """One row of the table."""
    count = arguments.pairs // (MESH_SHARE if "mesh" in (kind_a, kind_b) else 1)
    both = scene(rng, kind_a, kind_b, count)
    few = cut(both, arguments.fcl_pairs)
    calls = {
        "standoff": (ours(both), len(both.poses)),
        "coal": (coals(both, reuse=False), len(both.poses)),
        "reused": (coals(both, reuse=True), len(both.poses)),
        "fcl": (fcls(few), len(few.poses)),
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    values = {}
    for _ in range(arguments.repeats + 1):
        for name, (call, count) in calls.items():
            if call is not None:
                start = time.perf_counter()
                values[name] = np.array(call())
                times[name].append((time.perf_counter() - start) / count * 1e9)
    # The first round compiles, and warms the caches.
    median = {name: float(np.median(rounds[1:] or [np.nan])) for name, rounds in times.items()}
    ratio = {name: median[name] / median["standoff"] for name in median}
    kept = "" if floor is None else f"{floor:g} {'✓' if ratio['coal'] >= floor else '✗'}"
    return [
        f"{kind_a}, {kind_b}",
        f"{np.mean(values['standoff'] <= 0):.0%}",
        f"{median['standoff']:.1f}",
        f"{max(times['standoff'][1:]):.1f}",
        f"{median['coal']:.0f}",
        f"{ratio['coal']:.0f}",
        kept,
        f"{median['reused']:.0f}",
        f"{ratio['reused']:.0f}",
        f"{median['fcl']:.0f}" if times["fcl"] else "",
        f"{ratio['fcl']:.0f}" if times["fcl"] else "",
        f"{np.mean(differ(values['coal'], values['standoff'])):.2%}",
    ]


if __name__ == "__main__":
    main()
