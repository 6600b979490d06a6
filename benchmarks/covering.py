"""How tight are one, two and three capsules around the links of a Panda and a UR5?

The collision meshes come from `example-robot-data`. For each link and number of capsules: volume of
their union over the volume of the link's convex hull, how many were used, and the time it took.

    python benchmarks/covering.py
"""

from __future__ import annotations

import time
from importlib.metadata import distribution
from pathlib import Path

import numpy as np

from standoff.geometry.covering import cover_shapes
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron

COUNTS = (1, 2, 3)
DATA = "cmeel.prefix/share/example-robot-data/robots"
ROBOTS = {
    "Panda": "panda_description/meshes/collision",
    "UR5": "ur_description/meshes/ur5/collision",
}


def links(folder: str) -> list[tuple[str, Mesh]]:
    root = distribution("example-robot-data").locate_file(f"{DATA}/{folder}")
    paths = sorted(Path(str(root)).glob("*.stl"))
    return [(path.stem, Mesh.load(path)) for path in paths]


def main() -> None:
    begin = time.perf_counter()
    first = Polyhedron(np.random.default_rng(0).normal(size=(20, 3)))
    cover_shapes([(first, np.eye(4))], count=2)
    print(f"first call, compiling where the cache is empty: {time.perf_counter() - begin:.1f} s\n")
    head = "".join(f"{f'{k} capsules':>24}" for k in COUNTS)
    print(f"{'robot':7}{'link':10}{'vertices':>9}{head}")
    for robot, folder in ROBOTS.items():
        volumes, hulls, seconds = np.zeros(3), np.zeros(3), np.zeros(3)
        for name, mesh in links(folder):
            cells = []
            for k, count in enumerate(COUNTS):
                begin = time.perf_counter()
                result = cover_shapes([(mesh, np.eye(4))], count=count)
                took = time.perf_counter() - begin
                volumes[k] += result.volume
                hulls[k] += result.hull_volume
                seconds[k] += took
                used = f"({len(result.capsules)})"
                cells.append(f"{result.ratio:>12.3f} {used} {took * 1e3:>5.0f} ms")
            print(f"{robot:7}{name:10}{len(mesh.vertices):>9}" + "".join(cells))
        total = [f"{v / h:>12.3f}     {s:>5.2f} s " for v, h, s in zip(volumes, hulls, seconds)]
        print(f"{robot:7}{'all':19}" + "".join(total) + "\n")


if __name__ == "__main__":
    main()
