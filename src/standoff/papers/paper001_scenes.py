"""The scenes of paper 001, as cells: Fig. 1, 2, 6, 7 and 8, and its robots, rebuilt to its triangle
counts (docs/paper-001.md says what of them is the paper's, and what ours).

Robots and obstacles are meshes, as there: no primitive, no convex shortcut. Robots come as URDF and
OBJ files, so that other engines can read the very same ones. Joints, limits and lengths of the IRB
2400 are those of the built-in model; those of the "Fanuc 200", an S-200 whose data sheet was not to
be had, are round figures of its class.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from standoff.cell.cell import Cell
from standoff.errors import Error
from standoff.geometry.pose import Array, pose
from standoff.papers.paper001_obstacles import (
    LATTICE,
    Surfaces,
    cage,
    car_body,
    lattices,
    machine_tool,
    tori,
    workshop,
)
from standoff.papers.surfaces import Surface, block, joined, lathe, refined, rod
from standoff.robots.builtin import model_path
from standoff.robots.urdf import read_robot

LINKAGE_JOINTS = 20

#: Length and radius of one link of a skinny linkage, [m].
LINK_LENGTH = 0.1
LINK_RADIUS = 0.004

Vector = tuple[float, float, float]


@dataclass(frozen=True)
class Axis:
    """A revolute joint to the next link: where it is in the link before, its axis, its limits."""

    at: Vector
    about: Vector
    lower: float
    upper: float


@dataclass(frozen=True, eq=False)
class Chain:
    """Links one after the other, each but the first moved by an axis; one of None has no geometry.
    ``held`` is fixed to the last. Links that are ``never`` to meet need not be watched: links with
    two joints between them that cannot touch at any angle (the tests prove it)."""

    name: str
    links: Sequence[Surface | None]
    axes: Sequence[Axis]
    held: Surface | None = None
    never: Sequence[tuple[int, int]] = ()

    def save(self, folder: Path) -> Path:
        """Write the meshes, a URDF that names them and an SRDF into ``folder``; returns the URDF's
        path."""
        links = {f"link_{k}": surface for k, surface in enumerate(self.links)}
        parts = []
        for k, axis in enumerate(self.axes):
            placed = f'<origin xyz="{_text(axis.at)}"/><axis xyz="{_text(axis.about)}"/>'
            ends = f'lower="{float(axis.lower)!r}" upper="{float(axis.upper)!r}"'
            placed += f'<limit velocity="2" effort="0" {ends}/>'
            name = f"joint_{k + 1}"
            parts.append(_joint(name, "revolute", f"link_{k}", f"link_{k + 1}", placed))
        if self.held is not None:
            links["held"] = self.held
            parts.append(_joint("grip", "fixed", f"link_{len(self.axes)}", "held", ""))
        for name, surface in links.items():
            mesh = ""
            if surface is not None:
                file = f"{self.name}_{name}.obj"
                surface.save(folder / file)
                mesh = f'<collision><geometry><mesh filename="{file}"/></geometry></collision>'
            parts.append(f'<link name="{name}">{mesh}</link>')
        path = folder / f"{self.name}.urdf"
        path.write_text(f'<robot name="{self.name}">{"".join(parts)}</robot>', encoding="utf-8")
        never = "".join(
            f'<disable_collisions link1="link_{a}" link2="link_{b}" reason="Never"/>'
            for a, b in self.never
        )
        srdf = f'<robot name="{self.name}">{never}</robot>'
        path.with_suffix(".srdf").write_text(srdf, encoding="utf-8")
        return path


def _joint(name: str, kind: str, parent: str, child: str, rest: str) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{rest}</joint>'


def _text(vector: Vector) -> str:
    return " ".join(repr(float(x)) for x in vector)


def irb2400(*, rod_length: float = 0.0) -> Chain:
    """An IRB 2400 of 2,991 triangles; where ``rod_length`` is given, it carries a rod of 10 mm by
    its middle, across the flange (Fig. 2), which is not among them."""
    joints = read_robot(model_path("irb2400"), geometry="none").joints.values()
    axes = [
        Axis(tuple(j.origin[:3, 3]), tuple(j.axis), j.lower, j.upper)
        for j in joints
        if j.kind == "revolute"
    ]
    held = None
    if rod_length > 0.0:
        half = rod_length / 2.0
        held = rod((0.015, -half, 0.0), (0.015, half, 0.0), 0.005, 8)
    never = ((0, 2), (1, 3), (2, 4), (3, 5), (4, 6))
    return Chain("irb2400", _to_counts(_irb_links(), _IRB_COUNTS), axes, held, never)


#: Triangles of each link, from the foot to the flange.
_IRB_COUNTS = (545, 640, 450, 480, 520, 230, 126)


def _irb_links() -> list[Surface]:
    """All links point up or forward, as in the built-in model; each in the frame of its axis."""
    foot = joined(
        lathe([(0.30, 0.0), (0.30, 0.03), (0.21, 0.05), (0.20, 0.24)], 41, below=False),
        block((-0.42, -0.13, 0.02), (-0.15, 0.13, 0.16)),
    )
    turret = joined(
        lathe([(0.23, 0.25), (0.25, 0.30), (0.25, 0.42), (0.16, 0.50)], 40),
        block((-0.04, -0.17, 0.40), (0.19, -0.10, 0.70)),
        block((-0.04, 0.10, 0.40), (0.19, 0.17, 0.70)),
        lathe([(0.10, -0.30), (0.10, -0.16)], 24).turned("y").at(0.10, 0.0, 0.615),
        lathe([(0.09, 0.16), (0.09, 0.29)], 24).turned("y").at(0.10, 0.0, 0.615),
    )
    lower = joined(
        lathe([(0.12, -0.09), (0.12, 0.09)], 32).turned("y"),
        block((-0.09, -0.07, 0.0), (0.09, 0.07, 0.705)),
        lathe([(0.11, -0.09), (0.11, 0.09)], 32).turned("y").at(0.0, 0.0, 0.705),
        rod((-0.16, -0.06, -0.02), (-0.16, -0.06, 0.68), 0.022, 12),
    )
    elbow = joined(
        lathe([(0.12, -0.13), (0.12, 0.13)], 32).turned("y"),
        block((-0.16, -0.11, 0.02), (0.14, 0.11, 0.24)),
        lathe([(0.11, 0.12), (0.085, 0.20)], 32).turned("x").at(0.0, 0.0, 0.135),
        lathe([(0.05, -0.34), (0.05, -0.15)], 20).turned("x").at(0.0, 0.06, 0.135),
        lathe([(0.05, -0.34), (0.05, -0.15)], 20).turned("x").at(0.0, -0.06, 0.135),
    )
    forearm = joined(
        lathe([(0.082, 0.21), (0.080, 0.40), (0.068, 0.60), (0.075, 0.65)], 36).turned("x"),
        block((0.63, 0.050, -0.05), (0.755, 0.076, 0.05)),
        block((0.63, -0.076, -0.05), (0.755, -0.050, 0.05)),
        lathe([(0.05, 0.050), (0.05, 0.076)], 24).turned("y").at(0.755),
        lathe([(0.05, -0.076), (0.05, -0.050)], 24).turned("y").at(0.755),
    )
    wrist = joined(
        lathe([(0.040, -0.045), (0.046, -0.03), (0.046, 0.03), (0.040, 0.045)], 20).turned("y"),
        lathe([(0.036, 0.02), (0.034, 0.062)], 16).turned("x"),
    )
    flange = lathe([(0.032, -0.020), (0.036, -0.014), (0.036, 0.0)], 19).turned("x")
    return [foot, turret, lower, elbow, forearm, wrist, flange]


#: Joint limits of the arm for welding, [rad].
_FANUC_LIMITS = (2.62, 1.40, 1.40, 3.32, 2.30, 3.49)


def fanuc200() -> Chain:
    """A Fanuc of 2,502 triangles, the welding gun on its flange among them."""
    places = (
        ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
        ((0.20, 0.0, 0.81), (0.0, 1.0, 0.0)),
        ((0.0, 0.0, 0.60), (0.0, 1.0, 0.0)),
        ((0.0, 0.0, 0.13), (1.0, 0.0, 0.0)),
        ((0.55, 0.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.10, 0.0, 0.0), (1.0, 0.0, 0.0)),
    )
    axes = [
        Axis(at, about, -limit, limit)
        for (at, about), limit in zip(places, _FANUC_LIMITS, strict=True)
    ]
    never = ((0, 2), (1, 3), (2, 4), (3, 5))
    return Chain("fanuc200", _to_counts(_fanuc_links(), _FANUC_COUNTS), axes, None, never)


#: Triangles of each link, from the foot to the flange with the gun.
_FANUC_COUNTS = (408, 470, 330, 392, 360, 170, 372)


def _fanuc_links() -> list[Surface]:
    foot = joined(
        block((-0.28, -0.28, 0.0), (0.28, 0.28, 0.04)),
        lathe([(0.24, 0.02), (0.22, 0.30), (0.21, 0.42)], 36),
    )
    column = joined(
        lathe([(0.22, 0.43), (0.22, 0.55), (0.15, 0.64)], 36),
        block((0.05, -0.17, 0.54), (0.30, -0.09, 0.90)),
        block((0.05, 0.09, 0.54), (0.30, 0.17, 0.90)),
        lathe([(0.09, 0.16), (0.09, 0.34)], 24).turned("y").at(0.20, 0.0, 0.81),
    )
    lower = joined(
        lathe([(0.11, -0.08), (0.11, 0.08)], 24).turned("y"),
        block((-0.07, -0.065, 0.0), (0.07, 0.065, 0.60)),
        lathe([(0.10, -0.08), (0.10, 0.08)], 24).turned("y").at(0.0, 0.0, 0.60),
    )
    elbow = joined(
        lathe([(0.11, -0.12), (0.11, 0.12)], 28).turned("y"),
        block((-0.22, -0.10, 0.03), (0.12, 0.10, 0.23)),
        lathe([(0.09, 0.10), (0.075, 0.17)], 28).turned("x").at(0.0, 0.0, 0.13),
    )
    forearm = joined(
        lathe([(0.072, 0.18), (0.065, 0.35), (0.060, 0.46)], 28).turned("x"),
        block((0.44, 0.046, -0.045), (0.59, 0.068, 0.045)),
        block((0.44, -0.068, -0.045), (0.59, -0.046, 0.045)),
    )
    wrist = joined(
        lathe([(0.044, -0.044), (0.044, 0.044)], 20).turned("y"),
        lathe([(0.034, 0.02), (0.034, 0.075)], 16).turned("x"),
    )
    # The torch: a bracket on the flange, a barrel off axis 6, a neck bent by 45 degrees, a nozzle,
    # and the wire that comes out of it.
    slant = np.array([math.sqrt(0.5), 0.0, -math.sqrt(0.5)])
    neck = np.array([0.22, 0.0, 0.06])
    gun = joined(
        lathe([(0.036, -0.015), (0.036, 0.0)], 20).turned("x"),
        block((0.0, -0.018, -0.02), (0.04, 0.018, 0.08)),
        rod((0.01, 0.0, 0.06), neck, 0.022, 16),
        rod(neck, neck + 0.09 * slant, 0.008, 12),
        rod(neck + 0.09 * slant, neck + 0.15 * slant, 0.011, 14),
        rod(neck + 0.15 * slant, neck + 0.17 * slant, 0.001, 5),
    )
    return [foot, column, lower, elbow, forearm, wrist, gun]


def linkage() -> Chain:
    """Twenty skinny links of 16 triangles each, straight up where all joints are 0; the axes lie
    across, by turns along y and x, so that the arm can bend anywhere. Its foot is a place on the
    base plate, which is the scene's."""
    gap = 0.5 * LINK_RADIUS
    link = refined(rod((0.0, 0.0, gap), (0.0, 0.0, LINK_LENGTH - gap), LINK_RADIUS, 5), 16)
    axes = [
        Axis(
            (0.0, 0.0, LINK_LENGTH if k else 0.0),
            (1.0, 0.0, 0.0) if k % 2 else (0.0, 1.0, 0.0),
            -_BEND,
            _BEND,
        )
        for k in range(LINKAGE_JOINTS)
    ]
    return Chain("linkage", [None, *[link] * LINKAGE_JOINTS], axes)


#: How far a joint of a linkage bends either way, [rad].
_BEND = 1.5


def _to_counts(links: Sequence[Surface], counts: Sequence[int]) -> list[Surface]:
    return [refined(link, count) for link, count in zip(links, counts, strict=True)]


@dataclass(frozen=True, eq=False)
class Scene:
    """One scene.

    Attributes:
        chain, around: make the robot, and what stands about it.
        bases: where robots stand, by name.
    """

    chain: Callable[[], Chain]
    around: Callable[[], Surfaces]
    bases: Mapping[str, Array]


def scene(figure: str, folder: Path | None = None) -> Cell:
    """The cell of a figure; robot files go into the folder given, or into one that is removed.

    Raises:
        Error: no such scene.
    """
    if figure not in SCENES:
        raise Error("unknown scene", value=figure, allowed=", ".join(SCENES))
    of, cell = SCENES[figure], Cell()
    with tempfile.TemporaryDirectory() as own:
        file = of.chain().save(Path(own) if folder is None else folder)
        for name, base in of.bases.items():
            srdf = file.with_suffix(".srdf")
            cell.add_robot(file, name=name, base=base, srdf=srdf, geometry="mesh")
    for name, surface in of.around().items():
        cell.add_body(name, surface.mesh())
    if "plate" in cell.bodies:
        for name in cell.robots:
            cell.allow(f"{name}/link_1", "plate", "stands on it")
    return cell


_ALONE = {"robot": np.eye(4)}
_FEET = {"left": pose((-0.06, 0.0, 0.0)), "right": pose((0.06, 0.0, 0.0))}
_BOTH_SIDES = {
    f"{side}_{k}": pose((x, sign * 1.75, 0.0), rpy=(0.0, 0.0, -sign * math.pi / 2.0))
    for k, x in enumerate((-1.9, 0.0, 1.9))
    for side, sign in (("left", 1.0), ("right", -1.0))
}


def _under_holes(*places: int) -> dict[str, Array]:
    """The feet of linkages, each under another hole of the lattices."""
    corners = [(LATTICE * i, LATTICE * j) for i in places for j in places]
    return {f"linkage_{k}": pose((x, y, 0.0)) for k, (x, y) in enumerate(corners)}


def _on_plate(around: Callable[[], Surfaces], half: float) -> Surfaces:
    """With what linkages stand on."""
    return {**around(), "plate": block((-half, -half, -0.03), (half, half, -0.001))}


def _one(around: Callable[[], Surfaces]) -> Surfaces:
    """The whole cage as one mesh, as the paper proposes in section 4.1."""
    return {"cage": joined(*around().values())}


_CAGE_6A = partial(cage, width=1.8, height=2.0, spacing=0.45, wire=0.015)
_CAGE_6B = partial(cage, width=1.6, height=1.8, spacing=0.4, wire=0.010)
_IN_LATTICES = partial(_on_plate, lattices, 0.4)


def _before_machine() -> Surfaces:
    return {name: part.at(0.60) for name, part in machine_tool().items()}


#: Every scene by its figure; "-one": one mesh for the whole cage; "8-nine": nine linkages, 180
#: joints.
SCENES: Mapping[str, Scene] = {
    # Two skinny arms on a base plate, each through three thin tori.
    "1": Scene(linkage, partial(_on_plate, tori, 0.3), _FEET),
    # An IRB 2400 that carries a rod 1.2 m long and 10 mm thin, by itself.
    "2": Scene(partial(irb2400, rod_length=1.2), dict, _ALONE),
    # An IRB 2400, and a Fanuc with its welding gun, in a cage of wires, each a body of its own.
    "6a": Scene(irb2400, _CAGE_6A, _ALONE),
    "6b": Scene(fanuc200, _CAGE_6B, _ALONE),
    "6a-one": Scene(irb2400, partial(_one, _CAGE_6A), _ALONE),
    "6b-one": Scene(fanuc200, partial(_one, _CAGE_6B), _ALONE),
    # A Fanuc with its welding gun before a machine tool that it reaches into.
    "7a": Scene(fanuc200, _before_machine, _ALONE),
    "7b": Scene(irb2400, workshop, _ALONE),
    # Six IRB 2400, three on either side of a car body.
    "7c": Scene(irb2400, lambda: {"car": car_body().at(z=0.35)}, _BOTH_SIDES),
    # Skinny linkages straight up through two lattices, each through another hole.
    "8": Scene(linkage, _IN_LATTICES, _under_holes(0)),
    "8-nine": Scene(linkage, _IN_LATTICES, _under_holes(-1, 0, 1)),
}
