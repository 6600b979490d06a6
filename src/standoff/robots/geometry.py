"""The collision elements of a link: each ``<collision>`` becomes one shape in the link's frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from standoff.errors import MeshError, PoseError, ShapeError
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array, pose
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.geometry.shape import Shape
from standoff.robots.description import Element
from standoff.robots.packages import Packages
from standoff.robots.xml import Node, short

#: Largest coordinate, size or mesh scale a robot's file may give, [m] or [-]. Beyond it the file
#: is wrong (millimetres cubed, a slipped exponent), and squares would lose the small lengths.
MAX_ROBOT_LENGTH = 1e6

#: How far a sphere may be from the end face of a cylinder, and its radius from the cylinder's,
#: for the three to be read as one capsule, [m]. Files that write a quarter turn as 1.57 are 6e-5 m
#: off at the ends of a cylinder of 0.15 m; the capsule grows by as much, so it holds all three.
CAPSULE_PARTS_TOLERANCE = 1e-4


_SIZES = {
    "box": ("size",),
    "sphere": ("radius",),
    "cylinder": ("radius", "length"),
    "capsule": ("radius", "length"),
    "mesh": ("filename", "scale"),
}


@dataclass
class Meshes:
    """The mesh files of one robot; each file at each scale is loaded once."""

    packages: Packages
    loaded: dict[tuple[Path, tuple[float, ...]], Mesh] = field(default_factory=dict)

    def load(self, node: Node) -> Mesh:
        scale = node.numbers("scale", 3, (1.0, 1.0, 1.0))
        if not all(0.0 < abs(s) <= MAX_ROBOT_LENGTH for s in scale):
            raise node.error(
                "not a possible scale", scale, f"not 0, at most {MAX_ROBOT_LENGTH:g}", part="scale"
            )
        path = self.packages.resolve(node)
        key = (path, scale)
        if key not in self.loaded:
            try:
                self.loaded[key] = Mesh.load(path, scale)
            except MeshError as error:
                raise node.relocated(error) from error
            for problem in self.loaded[key].problems:
                node.note(f"{path.name}: {problem}")
        return self.loaded[key]


def collision_elements(link: Node, meshes: Meshes, tag: str = "collision") -> tuple[Element, ...]:
    """The elements of a link in the file's order, capsules put together from their parts."""
    return _with_capsules([_element(collision, meshes) for collision in link.all(tag)])


def origin(node: Node) -> Array:
    """The pose of the optional ``<origin>`` of a node, frozen."""
    child = node.optional("origin")
    if child is None:
        result = np.eye(4)
    else:
        child.expect(("xyz", "rpy", "quat_xyzw"))
        xyz = child.numbers("xyz", 3, (0.0, 0.0, 0.0))
        if max(map(abs, xyz)) > MAX_ROBOT_LENGTH:
            raise child.error("too far", xyz, f"at most {MAX_ROBOT_LENGTH:g} m", part="xyz")
        if "quat_xyzw" in child.attributes:
            if "rpy" in child.attributes:
                raise child.error("rpy and quat_xyzw at once", allowed="one of them")
            try:
                result = pose(xyz, quaternion_xyzw=child.numbers("quat_xyzw", 4))
            except PoseError as error:
                raise child.relocated(error) from error
        else:
            result = pose(xyz, rpy=child.numbers("rpy", 3, (0.0, 0.0, 0.0)))
    result.setflags(write=False)
    return result


def _element(collision: Node, meshes: Meshes) -> Element:
    collision.expect(
        ("name",), ("geometry", "origin"), ("material", "verbose", "contact_coefficients")
    )
    geometry = collision.only("geometry")
    shapes = geometry.children
    for shape in shapes:
        if shape.foreign:  # <drake:ellipsoid>: to pass it over would be to lose a body
            raise shape.error(f"unknown shape <{short(shape.tag)}>", allowed=", ".join(_SIZES))
    geometry.expect(("name",), _SIZES)
    if len(shapes) != 1:
        raise (shapes[1] if shapes else geometry).error(
            f"{len(shapes)} shapes in one <geometry>", allowed=f"exactly one of {', '.join(_SIZES)}"
        )
    return Element(
        _shape(shapes[0], meshes), origin(collision), collision.attributes.get("name", "")
    )


def _shape(node: Node, meshes: Meshes) -> Shape:
    node.expect(_SIZES[node.tag])
    if node.tag == "mesh":
        return meshes.load(node)
    try:
        if node.tag == "box":
            return Box([_bounded(node, "size", s) for s in node.numbers("size", 3)])
        radius = _bounded(node, "radius", node.number("radius"))
        if node.tag == "sphere":
            return Sphere(radius)
        length = _bounded(node, "length", node.number("length"))
        return Cylinder(radius, length) if node.tag == "cylinder" else Capsule(radius, length)
    except ShapeError as error:
        raise node.relocated(error) from error


def _bounded(node: Node, name: str, value: float) -> float:
    if value > MAX_ROBOT_LENGTH:
        raise node.error("too large", value, f"at most {MAX_ROBOT_LENGTH:g} m", part=name)
    return value


def _with_capsules(elements: list[Element]) -> tuple[Element, ...]:
    """Read a cylinder with a sphere of its radius on each end as the one capsule it means.

    The capsule holds all three: with ``g`` the gap between a sphere's centre and the cylinder's
    end, both at most the tolerance off, its radius is the largest of the cylinder's and ``g`` plus
    the sphere's. A sphere may close two cylinders, as at the elbow of a bent tube.
    """
    spheres = [i for i, element in enumerate(elements) if isinstance(element.shape, Sphere)]
    centres = np.array([elements[i].origin[:3, 3] for i in spheres]).reshape(-1, 3)
    radii = np.array([elements[i].shape.swept_radius for i in spheres])

    def cap(radius: float, end: Array) -> tuple[int, float] | None:
        """The sphere of ``radius`` about ``end``, and the radius about ``end`` that holds it."""
        off = np.maximum(np.linalg.norm(centres - end, axis=1), np.abs(radii - radius))
        for k in np.flatnonzero(off <= CAPSULE_PARTS_TOLERANCE)[:1].tolist():
            return spheres[k], float(radii[k] + np.linalg.norm(centres[k] - end))
        return None

    result, swallowed = list(elements), set()
    for i, element in enumerate(elements):
        cylinder = element.shape
        if not isinstance(cylinder, Cylinder):
            continue
        half = element.origin[:3, 2] * (cylinder.length / 2)
        caps = [cap(cylinder.radius, element.origin[:3, 3] + sign * half) for sign in (-1.0, 1.0)]
        if caps[0] is None or caps[1] is None or caps[0][0] == caps[1][0]:
            continue
        radius = max(cylinder.radius, caps[0][1], caps[1][1])
        result[i] = Element(Capsule(radius, cylinder.length), element.origin, element.name)
        swallowed |= {caps[0][0], caps[1][0]}
    return tuple(element for i, element in enumerate(result) if i not in swallowed)
