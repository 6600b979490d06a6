"""Which model stands for a link: as its file gives it, or covered by capsules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from standoff.errors import Error, RobotError
from standoff.geometry.covering import Covering, cover_shapes
from standoff.geometry.mesh import Mesh
from standoff.geometry.polyhedron import Polyhedron
from standoff.robots.description import Element, Link, Robot
from standoff.scalars import whole

GeometryName = Literal["auto", "primitives", "capsules", "mesh", "visual"]


@dataclass(frozen=True)
class Choice:
    """How links are modelled.

    Attributes:
        geometry: ``auto``: as written, convex meshes as polyhedra; ``mesh``: as written;
            ``primitives``: as written, each mesh covered by capsules; ``capsules``: the whole
            link covered by capsules; ``visual``: as ``auto``, of the visual shapes of each link
            that has any.
        capsules_per_link: how many capsules at most where capsules are laid.
    """

    geometry: GeometryName = "auto"
    capsules_per_link: int = 2


def check_choice(choice: Choice) -> None:
    """Raise where a choice names no model."""
    names = get_args(GeometryName)
    if not isinstance(choice.geometry, str) or choice.geometry not in names:
        raise RobotError(
            "unknown geometry", value=choice.geometry, allowed=", ".join(map(repr, names))
        )
    whole("capsules_per_link", choice.capsules_per_link, RobotError, 1, 16)


def simplify(link: Link, choice: Choice, robot: Robot) -> tuple[Link, Covering | None]:
    """The link with the geometry chosen, and the covering where capsules were laid around all of
    it. A link without geometry stays as it is."""
    if not link.elements or choice.geometry == "mesh":
        return link, None
    covering = None
    try:
        if choice.geometry == "capsules":
            covering = _cover(link.elements, choice.capsules_per_link)
            elements = _capsules(covering, link.name)
        else:
            elements = tuple(e for element in link.elements for e in _element(element, choice))
    except Error as error:
        raise RobotError(
            f"link cannot be modelled as {choice.geometry!r}: {error}",
            file=robot.file,
            element=f"link {link.name!r}",
        ) from error
    return replace(link, elements=elements), covering


def _element(element: Element, choice: Choice) -> tuple[Element, ...]:
    """One element as ``auto`` or ``primitives`` has it."""
    if not isinstance(element.shape, Mesh):
        return (element,)
    if choice.geometry == "primitives":
        return _capsules(_cover((element,), choice.capsules_per_link), element.name)
    if element.shape.closed and element.shape.is_convex:
        return (replace(element, shape=Polyhedron(element.shape.vertices)),)
    return (element,)


def _capsules(covering: Covering, name: str) -> tuple[Element, ...]:
    return tuple(Element(capsule, pose, name) for capsule, pose in covering.capsules)


def _cover(elements: tuple[Element, ...], count: int) -> Covering:
    return cover_shapes([(e.shape, e.origin) for e in elements], count=count)
