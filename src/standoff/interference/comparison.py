"""Do these parts interfere? One question, three methods, none of which misses an overlap."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, cast

from numpy.typing import ArrayLike

from standoff.errors import InterferenceError, UnknownNameError
from standoff.geometry.mesh import Mesh
from standoff.interference.exact import ExactMethod
from standoff.interference.findings import Comparison, Gap, Gaps, Overlap, WorldBoxes
from standoff.interference.mesh_faults import nearly_enclosed
from standoff.interference.parts import Part, PartLike, amount, parts_of
from standoff.interference.projection import Outline, ProjectionMethod
from standoff.interference.region_meets import OctreeMethod
from standoff.scalars import function

#: Pairs of names, or a function that says of two names whether they are such a pair.
Allowed = Iterable[tuple[str, str]] | Callable[[str, str], bool]

_ALLOWED = "pairs of names, or a function of two names"

#: What may be asked for.
METHODS = ("exact", "projection", "octree")


def find(
    parts: Mapping[str, PartLike],
    method: str = "exact",
    *,
    clearance: float = 0.0,
    planes: int | ArrayLike = 3,
    outline: str = "hull",
    resolution: float | None = None,
    allowed: Allowed = (),
    progress: Callable[[int, int], object] | None = None,
) -> list[Overlap]:
    """The pairs of parts that overlap, or that the method could not tell apart, in the order of
    the parts; arguments as for `compare`. Empty: all pairs are proved to be apart."""
    return list(
        compare(
            parts, method, clearance=clearance, planes=planes, outline=outline,
            resolution=resolution, allowed=allowed, progress=progress,
        ).overlaps
    )  # fmt: skip


def compare(
    parts: Mapping[str, PartLike],
    method: str = "exact",
    *,
    clearance: float = 0.0,
    planes: int | ArrayLike = 3,
    outline: str = "hull",
    resolution: float | None = None,
    allowed: Allowed = (),
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Every pair of parts: an overlap or a gap, each with its evidence.

    A solid, convex or a closed mesh, includes its inside: a part wholly within another overlaps
    it, one in a cavity does not. An open mesh is a surface; but where a part lies inside of what it
    nearly encloses, as a pin in a housing that lacks a triangle, they overlap, and not for certain:
    the mesh may be meant as a solid. Touching counts as overlap.

    Pairs whose world boxes are farther apart than the clearance are gaps by that alone, whatever
    the method; only the others are judged by it.

    Args:
        parts: shapes by name, each alone (at the origin) or with its pose: ``(shape, pose)``.
        method: "exact" by the shapes themselves; "projection" by their shadows on planes; "octree"
            by the cubes that they fill. The latter two may raise false alarms: what they call an
            overlap is certain only where it says so.
        clearance: pairs as near as this count as overlaps, [m].
        planes: of "projection": how many planes, or their normals (k, 3).
        outline: of "projection": "hull" or "true", with concavities and holes.
        resolution: of "octree": the side of the smallest cube at most, [m]; chosen from the sizes
            of the parts where None.
        allowed: pairs of names that may overlap, or a function that says so of two names. They are
            not judged, and are gaps if their boxes are apart and left out otherwise.
        progress: called with how many pairs were judged, and of how many.

    Raises:
        InterferenceError: something that is no part, a method that is not known, a clearance below
            0 or not finite.
    """
    placed = parts_of(parts)
    if not isinstance(method, str) or method not in METHODS:
        raise InterferenceError("unknown method", value=method, allowed=", ".join(METHODS))
    reach = amount("clearance", clearance, "m")
    may_overlap = _allowed(placed, allowed)
    report = function("progress", progress, InterferenceError, "(done, total)")
    if len(placed) < 2:
        none = Gaps(placed, WorldBoxes(placed), method, {}, ())
        return Comparison((), none, {"pairs": 0, "allowed": 0, "far apart": 0})
    judge = _method_of(method, placed, reach, planes, outline, resolution)
    return _compared(placed, method, judge, reach, may_overlap, report)


def _compared(
    placed: list[Part],
    method: str,
    judge: Method,
    reach: float,
    may_overlap: Callable[[str, str], bool],
    report: Callable[[int, int], object],
) -> Comparison:
    """All pairs: those near each other, and not allowed to overlap, are judged; a gap within what
    an open mesh nearly encloses is an overlap that is not certain."""
    boxes = WorldBoxes(placed)
    near: list[tuple[int, int]] = []
    without: list[tuple[int, int]] = []
    for i, j in boxes.near(reach).tolist():
        left_out = may_overlap(placed[i].name, placed[j].name)
        (without if left_out else near).append((i, j))
    allowed_pairs = len(without)
    overlaps: list[Overlap] = []
    gaps: dict[tuple[int, int], Gap] = {}
    for k, (i, j) in enumerate(near):
        report(k, len(near))
        found = judge.judge(i, j)
        doubt = nearly_enclosed(placed[i], placed[j]) if isinstance(found, Gap) else None
        if doubt is not None:
            where = boxes.shared(i, j, reach)
            found = Overlap(found.a, found.b, method, False, None, *where, doubt)
        if isinstance(found, Gap):
            gaps[i, j] = found
        else:
            overlaps.append(found)
            without.append((i, j))
    report(len(near), len(near))
    pairs = len(placed) * (len(placed) - 1) // 2
    far = pairs - allowed_pairs - len(near)
    tests = {"pairs": pairs, "allowed": allowed_pairs, "far apart": far, **judge.tests}
    return Comparison(tuple(overlaps), Gaps(placed, boxes, method, gaps, without), tests)


def _method_of(
    method: str,
    parts: Sequence[Part],
    clearance: float,
    planes: int | ArrayLike,
    outline: str,
    resolution: float | None,
) -> Method:
    """The method of that name. Open meshes are judged by their surfaces, and then by what they
    nearly enclose."""
    surfaces = {id(p.shape): p.shape.as_surface() for p in parts if isinstance(p.shape, Mesh)}
    parts = [replace(part, shape=surfaces.get(id(part.shape), part.shape)) for part in parts]
    if method == "exact":
        return ExactMethod(parts, clearance=clearance)
    if method == "projection":
        kind = cast(Outline, outline)
        return ProjectionMethod(parts, planes=planes, outline=kind, clearance=clearance)
    return OctreeMethod(parts, resolution=resolution, clearance=clearance)


def _allowed(parts: list[Part], given: Allowed) -> Callable[[str, str], bool]:
    if callable(given):
        return given
    names = {part.name for part in parts}
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InterferenceError("not pairs", element="allowed", value=given, allowed=_ALLOWED)
    pairs = set()
    for pair in given:
        if isinstance(pair, (str, bytes)) or not isinstance(pair, Collection) or len(pair) != 2:
            raise InterferenceError("not a pair", element="allowed", value=pair, allowed=_ALLOWED)
        a, b = pair
        for name in (a, b):
            if not isinstance(name, str) or name not in names:
                raise UnknownNameError(str(name), names, what="part", element="allowed")
        pairs |= {(a, b), (b, a)}
    return lambda a, b: (a, b) in pairs


class Method(Protocol):
    """Judges pairs of the parts it was made for. A real overlap is never called a gap."""

    @property
    def tests(self) -> dict[str, int]:
        """How often each kind of test was made, by its name."""
        ...

    def judge(self, i: int, j: int) -> Overlap | Gap:
        """What is found out about parts ``i`` and ``j``."""
        ...
