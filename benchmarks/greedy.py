"""What does a greedy distance cost beside a collision test, and how good is its bound?

    python benchmarks/greedy.py [--poses 1000] [--rounds 15]

Two equal tori at random poses, half of them colliding. Coal tests for collision with trees of OBB
and of OBBRSS, from a plain Python loop, its objects and transforms built before: what a Python user
pays for a call. Its lower bound, which comes with the answer, stands beside ours. Ours is one
compiled call for all poses, with δ = 0: the walk alone, the bound as paper 001 has it, and the
bound raised by a few splits. Contenders take turns, and the ratio is the median over the rounds.

At last, what a mesh of 35,000 triangles takes in memory, and its tree to build and to read.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import coal
import numpy as np
from rich.console import Console
from rich.table import Table

from standoff.geometry import mesh_tree
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import batch, dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, PairScratch
from standoff.geometry.table import pack
from standoff.papers.kernels.greedy import greedy_distances, greedy_scratch

#: Segments round the ring and the tube of the two tori: 2,500 and 35,000 triangles.
TORI = {"2.5k": (50, 25), "35k": (250, 70)}
RING, TUBE = 0.5, 0.2
#: Half extent of the cube of positions in which half of the poses collide, [m].
REACH = 1.12
#: What is wanted of a bound, and how many splits may be spent on it.
OURS = {"walk alone": (0.0, 0), "paper's bound": (math.inf, 0), "8 splits": (math.inf, 8)}
PEERS = {"Coal OBB": coal.BVHModelOBB, "Coal OBBRSS": coal.BVHModelOBBRSS}

FLOOR, GOAL = 2.0, 1.0
TREE_SECONDS, TREE_BYTES = 1.0, 250


def torus(around: int, across: int) -> Mesh:
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = 2 * np.pi * u / around, 2 * np.pi * v / across
    r = RING + TUBE * np.cos(b)
    points = np.stack([r * np.cos(a), r * np.sin(a), TUBE * np.sin(b)], axis=-1).reshape(-1, 3)

    def at(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        return ((i % around) * across + j % across).ravel()

    corners = at(u, v), at(u + 1, v), at(u + 1, v + 1), at(u, v + 1)
    halves = [np.stack([corners[k] for k in t], axis=1) for t in ((0, 1, 2), (0, 2, 3))]
    return Mesh(points, np.concatenate(halves))


def random_poses(rng: np.random.Generator, count: int) -> np.ndarray:
    """(n, 2, 3, 4): rotations by Gram-Schmidt; the first at the origin, the second anywhere."""
    poses = np.zeros((count, 2, 3, 4))
    x, y = rng.normal(size=(2, count, 2, 3))
    x /= np.linalg.norm(x, axis=-1, keepdims=True)
    y -= (x * y).sum(-1, keepdims=True) * x
    y /= np.linalg.norm(y, axis=-1, keepdims=True)
    poses[..., :3] = np.stack([x, y, np.cross(x, y)], axis=-1)
    poses[:, 1, :, 3] = rng.uniform(-REACH, REACH, (count, 3))
    return poses


@dataclass(frozen=True)
class Scene:
    """A mesh with itself, as kernels take it."""

    mesh: Mesh
    poses: np.ndarray

    def bodies(self) -> tuple[Bodies, np.ndarray]:
        _, refs, g = pack([self.mesh])
        rows = np.zeros((2 * len(self.poses), layout.ROW_COLUMNS))
        rows[:, : layout.SIZE] = self.poses.reshape(-1, 12)
        pairs = np.arange(len(rows)).reshape(-1, 2)
        refs = np.repeat(refs, len(rows), axis=0)
        return Bodies(rows=rows, refs=refs, solids=g.solids), pairs


def exact(scene: Scene) -> np.ndarray:
    """Distances, 0 where they meet; one torus inside another counts as apart, as for all here."""
    out = np.zeros((len(scene.poses), layout.OUT_COLUMNS))
    bodies, pairs = scene.bodies()
    scratch = PairScratch()
    batch.distances(dispatch.general_address(), bodies.address, pairs, scratch.address, out)
    return np.abs(out[:, 0])


def ours(scene: Scene, wanted: float, effort: int, chosen: np.ndarray) -> Callable[[], np.ndarray]:
    """Bounds of the chosen poses, not above 0 where they meet."""
    bodies, pairs = scene.bodies()
    pairs = np.ascontiguousarray(pairs[chosen])
    bounds = np.zeros(len(pairs))
    visits = np.zeros((len(pairs), 2), dtype=np.int64)
    scratch = greedy_scratch()
    scratch.ask.wanted, scratch.ask.effort = wanted, effort

    def call() -> np.ndarray:
        greedy_distances(bodies.address, pairs, scratch.address, bounds, visits)
        return bounds.copy()

    return call


def coals(scene: Scene, model: type, chosen: np.ndarray) -> Callable[[], list[float]]:
    points, faces = scene.mesh.vertices, scene.mesh.faces
    tree = model()
    tree.beginModel(len(faces), len(points))
    tree.addVertices(np.array(points))
    for a, b, c in faces:
        tree.addTriangle(points[a], points[b], points[c])
    tree.endModel()
    at = [
        [coal.Transform3s(np.array(p[side, :, :3]), np.array(p[side, :, 3])) for side in (0, 1)]
        for p in scene.poses[chosen]
    ]
    request, result = coal.CollisionRequest(), coal.CollisionResult()
    request.enable_contact = False
    collide = coal.collide

    def call() -> list[float]:
        bounds = []
        for a, b in at:
            result.clear()
            hit = collide(tree, a, tree, b, request, result)
            bounds.append(0.0 if hit else result.distance_lower_bound)
        return bounds

    return call


def compared(name: str, scene: Scene, rounds: int, table: Table) -> list[tuple[str, float]]:
    """Rows of the table, and our time over Coal's OBB."""
    distance = exact(scene)
    groups = {"": np.ones(len(distance), dtype=bool), "hit": distance == 0.0, "free": distance > 0}
    calls = {
        (who, part): make(chosen)
        for part, chosen in groups.items()
        for who, make in (
            *((w, lambda c, m=m: coals(scene, m, c)) for w, m in PEERS.items()),
            *((w, lambda c, o=o: ours(scene, *o, c)) for w, o in OURS.items()),
        )
    }
    times: dict[tuple[str, str], list[float]] = {key: [] for key in calls}
    bounds = {}
    for _ in range(rounds + 1):
        for key, call in calls.items():
            start = time.perf_counter()
            bounds[key] = np.array(call())
            times[key].append((time.perf_counter() - start) / groups[key[1]].sum() * 1e6)
    # The first round compiles, and warms the caches.
    median = {key: float(np.median(found[1:])) for key, found in times.items()}
    free = groups["free"]
    claims = []
    for who in (*PEERS, *OURS):
        assert ((bounds[who, ""] > 0.0) == free).all(), who
        assert (bounds[who, "free"] <= distance[free] * (1.0 + 1e-9)).all(), who
        ratio = float(np.median(np.array(times[who, ""][1:]) / times["Coal OBB", ""][1:]))
        quality = bounds[who, "free"] / distance[free]
        table.add_row(
            name if who == "Coal OBB" else "",
            who,
            *(f"{median[who, part]:.2f}" for part in groups),
            f"{ratio:.2f}",
            f"{quality.mean():.2f}",
            f"{np.median(quality):.2f}",
        )
        if who in OURS:
            claims.append((f"{name}, {who}: our time over Coal's OBB collide", ratio))
    return claims


def tree_figures() -> tuple[float, float, float]:
    """Seconds to build and to read the larger torus's tree, and bytes a triangle of all."""
    large = torus(*TORI["35k"])
    points, faces = large.vertices, large.faces
    build, read = [], []
    with tempfile.TemporaryDirectory() as folder:
        mesh_tree.CACHE_DIR = Path(folder)
        for seconds in (build, *[read] * 5):
            mesh = Mesh(points, faces)
            start = time.perf_counter()
            g = mesh.geometry
            seconds.append(time.perf_counter() - start)
    size = sum(a.nbytes for a in (g.points, g.faces, g.nodes, g.ints)) / len(faces)
    return build[0], min(read), size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    console = Console(width=120)
    table = Table(title=f"Two tori, {arguments.poses:,} poses, one query [µs]")
    for column in ("tori", "engine"):
        table.add_column(column)
    for column in ("mean", "colliding", "free", "× Coal OBB", "bound / distance", "median"):
        table.add_column(column, justify="right")
    claims = []
    for name, sides in TORI.items():
        scene = Scene(torus(*sides), random_poses(np.random.default_rng(0), arguments.poses))
        claims += compared(name, scene, arguments.rounds, table)
    console.print(table)
    for what, value in claims:
        marks = f"floor {FLOOR:g} {_mark(value <= FLOOR)}, goal {GOAL:g} {_mark(value <= GOAL)}"
        console.print(f"{what} {value:.2f}: {marks}", highlight=False)
    build, read, size = tree_figures()
    console.print(
        f"a tree of 35,000 triangles: built in {build:.3f} s (floor {TREE_SECONDS:g} s "
        f"{_mark(build < TREE_SECONDS)}), read in {read:.4f} s; {size:.0f} bytes a triangle with "
        f"its mesh (floor {TREE_BYTES} {_mark(size <= TREE_BYTES)})",
        highlight=False,
    )


def _mark(kept: bool) -> str:
    return "✓" if kept else "✗"


if __name__ == "__main__":
    main()
