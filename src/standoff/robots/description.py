"""A robot as read from its files: links and joints, and what its SRDF says of them. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from standoff.geometry.pose import Array
from standoff.geometry.shape import Shape

JointKind = Literal["revolute", "continuous", "prismatic", "fixed"]


@dataclass(frozen=True)
class Mimic:
    """This joint moves as ``multiplier * master + offset``; the master mimics nobody."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint from ``parent`` to ``child``.

    Attributes:
        origin: 4 x 4 pose of the joint's frame in the parent link at position 0, [m].
        axis: unit vector in the joint's own frame (unused when fixed).
        lower, upper: limits, [rad] or [m]; infinite for a continuous joint, 0 for a fixed one.
        velocity: speed limit, [rad/s] or [m/s]; infinite where the file gives none, 0 for a
            fixed joint.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    origin: Array
    axis: Array
    lower: float
    upper: float
    velocity: float
    mimic: Mimic | None = None


@dataclass(frozen=True, eq=False)
class Element:
    """One collision element of a link: a shape at ``origin`` (4 x 4) in the link's frame."""

    shape: Shape
    origin: Array
    name: str = ""


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid body with any number of collision elements."""

    name: str
    elements: tuple[Element, ...] = ()


@dataclass(frozen=True)
class GroupState:
    """A named state of an SRDF.

    Attributes:
        group: the group that it belongs to; empty where the file names none.
        values: by joint, [rad] or [m]; maybe of mimic joints, too, and not of every joint.
    """

    name: str
    group: str
    values: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Robot:
    """A tree of links, parents before children; no joint's child is the root.

    Attributes:
        links: by name, root first, every parent before its children: depth first, the joints
            of one parent in the file's order.
        joints: by name, in the order in which their child links stand in ``links``.
        root: name of the link without a parent.
        disabled: pairs (sorted names) the SRDF disables, with the reason it gives.
        file: where it came from, for messages; empty when made in memory.
        notes: what the files say that was passed over or taken in one of several ways, a
            sentence each, for whoever checks the model.
        unwatched: links with a visual and no collision geometry.
        groups: the moving joints of each group of the SRDF, in the order of ``joints``.
        states: the named states of the SRDF.
    """

    name: str
    links: Mapping[str, Link]
    joints: Mapping[str, Joint]
    root: str
    disabled: Mapping[tuple[str, str], str] = field(default_factory=dict)
    file: str = ""
    notes: tuple[str, ...] = ()
    unwatched: tuple[str, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    states: tuple[GroupState, ...] = ()
