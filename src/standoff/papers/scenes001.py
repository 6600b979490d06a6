"""The scenes of paper 001, as cells: Fig. 1, 2, 6, 7 and 8, rebuilt to its triangle counts.

The paper shows them in pictures and says how many triangles they have; where things stand is our
choice, such that random configurations are free and colliding in a fair mix. Robots and obstacles
are meshes, as there: no primitive, no convex shortcut. Robots come as URDF and OBJ files, so that
other engines can read the very same ones.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from standoff.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array, pose
from standoff.papers.car001 import CAR_TRIANGLES, car_body
from standoff.papers.meshes001 import Surface, block, joined
from standoff.papers.obstacles001 import (
    LATTICE,
    MACHINE_TRIANGLES,
    WORKSHOP_TRIANGLES,
    Surfaces,
    cage,
    lattices,
    machine_tool,
    tori,
    workshop,
)
from standoff.papers.robots001 import (
    FANUC_TRIANGLES,
    IRB_TRIANGLES,
    LINKAGE_TRIANGLES,
    Chain,
    fanuc200,
    irb2400,
    linkage,
)


@dataclass(frozen=True)
class Scene:
    """One scene.

    Attributes:
        figure: its number in the paper, with a mark where it is a variant of ours.
        title: what is to be seen.
        robots: how many there are, and ``robot`` the triangles of each.
        obstacles: the triangles of all obstacles, as the paper gives them; None where it does not.
        build: makes the cell; robot files go into the folder given, or into one that is removed.
    """

    figure: str
    title: str
    robots: int
    robot: int
    obstacles: int | None
    build: Callable[[Path | None], Cell]


def scene(figure: str, folder: Path | None = None) -> Cell:
    """The cell of a figure.

    Raises:
        Error: no such scene.
    """
    if figure not in SCENES:
        raise Error("unknown scene", value=figure, allowed=", ".join(SCENES))
    return SCENES[figure].build(folder)


def _cell(
    folder: Path | None, chain: Chain, bases: Mapping[str, Array], obstacles: Surfaces
) -> Cell:
    """Robots of one kind at their bases, and what stands about them."""
    cell = Cell()
    with tempfile.TemporaryDirectory() as own:
        file = chain.save(Path(own) if folder is None else folder)
        for name, base in bases.items():
            srdf = file.with_suffix(".srdf")
            cell.add_robot(file, name=name, base=base, srdf=srdf, geometry="mesh")
    for name, surface in obstacles.items():
        cell.add_body(name, surface.mesh())
    return cell


def fig1(folder: Path | None = None) -> Cell:
    """Two skinny arms on a base plate, each through three thin tori."""
    feet = {"left": pose((-0.06, 0.0, 0.0)), "right": pose((0.06, 0.0, 0.0))}
    return _standing(_cell(folder, linkage(), feet, {**tori(), "plate": _plate(0.3)}))


def fig2(folder: Path | None = None) -> Cell:
    """An IRB 2400 that carries a rod 1.2 m long and 10 mm thin, by itself."""
    return _cell(folder, irb2400(rod_length=1.2), {"robot": np.eye(4)}, {})


def fig6a(folder: Path | None = None) -> Cell:
    """An IRB 2400 in a cage of wires, each a body of its own."""
    return _cell(folder, irb2400(), {"robot": np.eye(4)}, _cage_6a())


def fig6b(folder: Path | None = None) -> Cell:
    """A Fanuc with its welding gun in a cage of wires, each a body of its own."""
    return _cell(folder, fanuc200(), {"robot": np.eye(4)}, _cage_6b())


def fig6a_one(folder: Path | None = None) -> Cell:
    """The same with one mesh for the whole cage, as the paper proposes in section 4.1."""
    one = {"cage": joined(*_cage_6a().values())}
    return _cell(folder, irb2400(), {"robot": np.eye(4)}, one)


def fig6b_one(folder: Path | None = None) -> Cell:
    """The same with one mesh for the whole cage."""
    one = {"cage": joined(*_cage_6b().values())}
    return _cell(folder, fanuc200(), {"robot": np.eye(4)}, one)


def fig7a(folder: Path | None = None) -> Cell:
    """A Fanuc with its welding gun before a machine tool that it reaches into."""
    machine = {name: part.at(0.60) for name, part in machine_tool().items()}
    return _cell(folder, fanuc200(), {"robot": np.eye(4)}, machine)


def fig7b(folder: Path | None = None) -> Cell:
    """An IRB 2400 in a workshop."""
    return _cell(folder, irb2400(), {"robot": np.eye(4)}, workshop())


def fig7c(folder: Path | None = None) -> Cell:
    """Six IRB 2400, three on either side of a car body."""
    bases = {}
    for k, x in enumerate((-1.9, 0.0, 1.9)):
        bases[f"left_{k}"] = pose((x, 1.75, 0.0), rpy=(0.0, 0.0, -math.pi / 2.0))
        bases[f"right_{k}"] = pose((x, -1.75, 0.0), rpy=(0.0, 0.0, math.pi / 2.0))
    return _cell(folder, irb2400(), bases, {"car": car_body().at(z=0.35)})


def fig8(folder: Path | None = None) -> Cell:
    """A skinny linkage straight up through two lattices."""
    return _standing(_cell(folder, linkage(), _holes(1), {**lattices(), "plate": _plate(0.4)}))


def fig8_nine(folder: Path | None = None) -> Cell:
    """Nine of them, 180 joints, each through other holes."""
    return _standing(_cell(folder, linkage(), _holes(9), {**lattices(), "plate": _plate(0.4)}))


def _cage_6a() -> Surfaces:
    return cage(width=1.8, height=2.0, spacing=0.45, wire=0.015)


def _cage_6b() -> Surfaces:
    return cage(width=1.6, height=1.8, spacing=0.4, wire=0.010)


def _holes(count: int) -> dict[str, Array]:
    """The feet of one linkage or of nine, each under another hole of the lattices."""
    places = [(0.0, 0.0)]
    if count > 1:
        places = [(LATTICE * i, LATTICE * j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    return {f"linkage_{k}": pose((x, y, 0.0)) for k, (x, y) in enumerate(places[:count])}


def _plate(half: float) -> Surface:
    """What linkages stand on."""
    return block((-half, -half, -0.03), (half, half, -0.001))


def _standing(cell: Cell) -> Cell:
    """The first link of every linkage may touch the plate it turns on."""
    for name in cell.robots:
        cell.allow(f"{name}/link_1", "plate", "stands on it")
    return cell


#: Every scene by its figure; "-one": one mesh for the whole cage; "8-nine": nine linkages.
SCENES: Mapping[str, Scene] = {
    s.figure: s
    for s in (
        Scene("1", "two skinny arms in three tori", 2, LINKAGE_TRIANGLES, None, fig1),
        Scene("2", "IRB 2400 with a rod", 1, IRB_TRIANGLES, None, fig2),
        Scene("6a", "IRB 2400 in a cage", 1, IRB_TRIANGLES, None, fig6a),
        Scene("6b", "Fanuc with gun in a cage", 1, FANUC_TRIANGLES, None, fig6b),
        Scene("6a-one", "6a, the cage one mesh", 1, IRB_TRIANGLES, None, fig6a_one),
        Scene("6b-one", "6b, the cage one mesh", 1, FANUC_TRIANGLES, None, fig6b_one),
        Scene("7a", "Fanuc at a machine tool", 1, FANUC_TRIANGLES, MACHINE_TRIANGLES, fig7a),
        Scene("7b", "IRB 2400 in a workshop", 1, IRB_TRIANGLES, WORKSHOP_TRIANGLES, fig7b),
        Scene("7c", "six IRB 2400 and a car", 6, IRB_TRIANGLES, CAR_TRIANGLES, fig7c),
        Scene("8", "a linkage in lattices", 1, LINKAGE_TRIANGLES, None, fig8),
        Scene("8-nine", "nine linkages in lattices", 9, LINKAGE_TRIANGLES, None, fig8_nine),
    )
}
