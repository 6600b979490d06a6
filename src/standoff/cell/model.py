"""A cell as numbers and tables that all engines share: links and bodies, frames, primitives.

One `Model` belongs to one revision of a cell and never changes. Every engine (monitor, path check,
predictor) starts from it; its `Tables` are the primitives as kernels take them. What follows from a
shape and its place alone (row, bounding sphere, box) is computed once and kept with the
`Primitive`, so that a second engine on the same cell only gathers it.

**A change costs what changed.** The next model keeps the primitives of all bodies that did not
change, as the very same objects, and `Model.since` says which ones came and went since an earlier
model: an engine that keeps tables of its own patches them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from standoff.cell.body import Body
from standoff.geometry.narrowphase import layout
from standoff.geometry.pose import Array
from standoff.geometry.shape import Geometry, IntArray, Shape, frozen
from standoff.geometry.table import pack
from standoff.robots.mounted import MountedRobot
from standoff.robots.tree import Tree
from standoff.tolerances import BOX_ROUNDING, EPS

#: Changes that a lineage of models remembers; who is further behind lays out everything anew.
_REMEMBERED = 4096


@dataclass(frozen=True, eq=False)
class Primitive:
    """One shape of a body, fixed to a frame.

    Attributes:
        body: name of the link or body.
        part: which of the body's shapes it is.
        frame: that carries it; 0 is the world.
        pose: in that frame, 4 x 4.
    """

    body: str
    part: int
    frame: int
    shape: Shape
    pose: Array

    @cached_property
    def row(self) -> Array:
        """The row of `geometry.narrowphase.layout`: pose in the frame, size."""
        row = np.empty(layout.ROW_COLUMNS)
        row[: layout.SIZE] = self.pose[:3].reshape(12)
        row[layout.SIZE :] = self.shape.size_row
        return row

    @cached_property
    def box(self) -> Array:
        """Low and high corner around the shape in its frame, rounded outwards, [m]."""
        low, high = self.shape.bounds()
        half = 0.5 * (high - low)
        turn, at = self.pose[:3, :3], self.pose[:3, 3]
        middle = turn @ (low + half) + at
        grown = np.abs(turn) @ half
        size = np.abs(middle).sum() + np.abs(at).sum() + grown.sum()
        grown += BOX_ROUNDING * EPS * size
        return np.concatenate([middle - grown, middle + grown])

    @cached_property
    def own_box(self) -> tuple[Array, Array, float]:
        """Centre and half extents of a bounded shape in its own axes, and its farthest point from
        its origin; somewhat wide for cylinders, [m]."""
        points, radius = self.shape.core()
        low, high = points.min(axis=0) - radius, points.max(axis=0) + radius
        reach = float(np.sqrt((points**2).sum(axis=1)).max()) + radius
        return 0.5 * (low + high), 0.5 * (high - low), reach

    @cached_property
    def ball(self) -> Array:
        """Centre in the frame and radius of a ball around the shape, [m]; the centre is in the hull
        of the shape's core, so that it moves no farther than the core does. A half space has an
        infinite ball."""
        return placed_ball(self.shape, self.pose)


def ball(shape: Shape) -> tuple[Array, float]:
    """The ball of `Primitive.ball` in the shape's own frame."""
    if not shape.bounded:
        return np.zeros(3), math.inf
    size = shape.size_row
    centre = np.zeros(3)
    if shape.kind == layout.SPHERE:
        radius = float(size[0])
    elif shape.kind == layout.CAPSULE:
        radius = float(size[0] + size[1])
    elif shape.kind == layout.BOX:
        radius = float(np.linalg.norm(size[:3]))
    elif shape.kind == layout.CYLINDER:
        radius = math.hypot(size[0], size[1])
    else:
        centre, radius = _around(shape.outline(_SIDES))
        radius += shape.swept_radius
    return centre, radius + BOX_ROUNDING * EPS * (radius + float(np.abs(centre).sum()))


def placed_ball(shape: Shape, pose: Array) -> Array:
    """The ball of a shape that is at ``pose``: centre and radius in one row."""
    centre, radius = ball(shape)
    return np.array([*(pose[:3, :3] @ centre + pose[:3, 3]), radius])


def ball_of_balls(balls: Array) -> tuple[Array, float]:
    """A ball around balls (n, 4); its centre is in the hull of theirs."""
    centre, _ = _around(balls[:, :3])
    reach = np.sqrt(((balls[:, :3] - centre) ** 2).sum(axis=1)) + balls[:, 3]
    return centre, float(reach.max()) * (1.0 + BOX_ROUNDING * EPS)


#: Sides of the polytope around a curved shape whose ball is sought; it is 0.5 % wider.
_SIDES = 32

#: Steps towards the smallest ball around many points; 100 leave it 1 % too large at most.
_STEPS = 100


def _around(points: Array) -> tuple[Array, float]:
    """A ball around points, near the smallest: from their mean, step after step towards the
    farthest, so that the centre stays in their hull."""
    centre = points.mean(axis=0)
    for step in range(1, _STEPS + 1):
        away = points - centre
        farthest = int(np.argmax(np.einsum("ij,ij->i", away, away)))
        centre = centre + away[farthest] / (step + 1)
    return centre, float(np.sqrt(((points - centre) ** 2).sum(axis=1).max()))


@dataclass(frozen=True, eq=False)
class Entry:
    """A link or body with geometry."""

    name: str
    frame: int
    primitives: tuple[Primitive, ...]

    @cached_property
    def parts(self) -> tuple[tuple[Shape, Array], ...]:
        """The shapes, with their poses in the frame."""
        return tuple((p.shape, p.pose) for p in self.primitives)

    @cached_property
    def sizes(self) -> tuple[float, ...]:
        """For each primitive, the farthest point of the whole body from that one's origin, [m]."""
        reach = np.array([p.own_box[2] for p in self.primitives])
        if len(reach) == 1:
            return (float(reach[0]),)
        origins = np.array([p.pose[:3, 3] for p in self.primitives])
        far = (np.linalg.norm(origins - o, axis=1) + reach for o in origins)
        return tuple(float(each.max()) for each in far)


class Change(NamedTuple):
    """What one model has that the one before it had not, and the other way round."""

    gone: tuple[Primitive, ...]
    fresh: tuple[Primitive, ...]


@dataclass(frozen=True, eq=False)
class Tables:
    """The primitives of a model as kernels take them; columns: `geometry.narrowphase.layout`.

    Attributes:
        owner: body number of each primitive.
        frame: frame of each primitive.
        local: pose of each primitive in its frame, three rows of four.
        rows, refs, geometry: the primitives. The pose columns of ``rows`` are those of
            ``local``: right for what stands still, to be written each cycle for the rest.
    """

    owner: IntArray
    frame: IntArray
    local: Array
    rows: Array
    refs: IntArray
    geometry: Geometry


class Model:
    """Everything that can be watched, numbered.

    Frames: 0 is the world, then the moving joints of the tree, then the moving bodies in the order
    of ``cell.moving``. Bodies on one frame cannot move against each other.

    Attributes:
        tree: the joints.
        entries: links with geometry, then bodies, by name; the place of each is its body number.
        counts: how many of them each frame carries, by frame.
        frames: how many frames there are.
        moving: names of the bodies that have a frame of their own.
        kept: tables that engines made of a model of this lineage, the newest of each kind. All
            models of the lineage share it, so that an engine finds what another one made, and
            patches what was made of an earlier model.
    """

    def __init__(
        self,
        tree: Tree,
        entries: dict[str, Entry],
        counts: Counter[int],
        moving: tuple[str, ...],
        log: list[Change],
        kept: dict[Any, Any],
    ) -> None:
        self.kept = kept
        self.tree, self.entries, self.counts, self.moving = tree, entries, counts, moving
        self.frames = tree.frames + len(moving)
        # The changes of a whole lineage of models; this one stands where ``_at`` of them are made.
        self._log, self._at = log, len(log)

    @classmethod
    def build(
        cls, tree: Tree, robots: Mapping[str, MountedRobot], bodies: Mapping[str, Body]
    ) -> Model:
        """Number the links of the robots, then the bodies."""
        moving = _moving(None, (), bodies)
        entries: dict[str, Entry] = {}
        for robot, mounted in robots.items():
            for link in mounted.robot.links:
                entry = _link_entry(tree, f"{robot}/{link}", robots)
                if entry is not None:
                    entries[entry.name] = entry
        places = _own_frames(tree, moving)
        for name, body in bodies.items():
            entries[name] = _body_entry(tree, body, places.get(name, 0))
        return cls.of(tree, entries.values(), moving)

    @classmethod
    def of(cls, tree: Tree, entries: Iterable[Entry], moving: tuple[str, ...] = ()) -> Model:
        """A model of these entries, the first of its lineage."""
        named, counts = {entry.name: entry for entry in entries}, Counter[int]()
        for entry in named.values():
            counts[entry.frame] += 1
        return cls(tree, named, counts, moving, [], {})

    def changed(
        self,
        journal: Iterable[Note],
        robots: Mapping[str, MountedRobot],
        bodies: Mapping[str, Body],
    ) -> Model | None:
        """The model after the changes of a journal; None where it takes a layout from the
        beginning: a link that got its first shape or lost its last, more changes than are
        remembered, or a change of a model that is not the newest."""
        if len(self._log) != self._at or self._at >= _REMEMBERED:
            return None
        tree, moving = self.tree, _moving(self, journal, bodies)
        # Those behind one that came or went get another frame.
        places, before = _own_frames(tree, moving), _own_frames(tree, self.moving)
        shifted = [name for name, frame in places.items() if before.get(name, frame) != frame]
        entries, counts = self.entries.copy(), self.counts.copy()
        gone: dict[Primitive, None] = {}
        fresh: dict[Primitive, None] = {}
        for name, dropped in (*journal, *((name, False) for name in shifted)):
            old = entries.get(name)
            if old is not None:
                counts[old.frame] -= 1
                _take_away(old.primitives, gone, fresh)
            if dropped:
                entries.pop(name, None)
                continue
            if old is None and name not in bodies and "/" not in name:
                continue  # a body that a later note takes out
            new = self._entry(name, robots, bodies, places.get(name, 0))
            if new is None or (old is None and name not in bodies):
                return None
            counts[new.frame] += 1
            fresh.update(dict.fromkeys(new.primitives))
            entries[name] = new
        self._log.append(Change(tuple(gone), tuple(fresh)))
        return Model(tree, entries, counts, moving, self._log, self.kept)

    def _entry(
        self, name: str, robots: Mapping[str, MountedRobot], bodies: Mapping[str, Body], own: int
    ) -> Entry | None:
        """A body, or a link with geometry."""
        if name in bodies:
            return _body_entry(self.tree, bodies[name], own)
        return _link_entry(self.tree, name, robots)

    def since(self, before: Model) -> Change | None:
        """Which primitives came and went since ``before``; None where that is not known: the
        joints are others, or it is too long ago."""
        if before._log is not self._log or before._at > self._at:
            return None
        gone: dict[Primitive, None] = {}
        fresh: dict[Primitive, None] = {}
        for change in self._log[before._at : self._at]:
            _take_away(change.gone, gone, fresh)
            fresh.update(dict.fromkeys(change.fresh))
        return Change(tuple(gone), tuple(fresh))

    def frame_of(self, name: str) -> int:
        """The frame a link or body is fixed to."""
        return self.entries[name].frame

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of all entries; the place of each is its body number."""
        return tuple(self.entries)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Body number by name."""
        return {name: k for k, name in enumerate(self.entries)}

    @cached_property
    def frame(self) -> tuple[int, ...]:
        """Frame of each body."""
        return tuple(entry.frame for entry in self.entries.values())

    @cached_property
    def parts(self) -> tuple[tuple[tuple[Shape, Array], ...], ...]:
        """Shapes of each body with their poses in its frame."""
        return tuple(entry.parts for entry in self.entries.values())

    @cached_property
    def primitives(self) -> tuple[Primitive, ...]:
        """All primitives, body by body."""
        return tuple(p for entry in self.entries.values() for p in entry.primitives)

    @cached_property
    def groups(self) -> Mapping[int, tuple[str, ...]]:
        """Names by the frame they are fixed to, in order."""
        found: dict[int, list[str]] = {}
        for name, entry in self.entries.items():
            found.setdefault(entry.frame, []).append(name)
        return {frame: tuple(names) for frame, names in found.items()}

    @cached_property
    def tables(self) -> Tables:
        """The flat tables; the trees of meshes are built here, when first asked for."""
        rows, refs, geometry = pack([p.shape for p in self.primitives])
        rows[:] = np.array([p.row for p in self.primitives]).reshape(-1, layout.ROW_COLUMNS)
        index = self.index
        return Tables(
            owner=np.array([index[p.body] for p in self.primitives], dtype=np.int64),
            frame=np.array([p.frame for p in self.primitives], dtype=np.int64),
            local=rows[:, : layout.SIZE].copy(),
            rows=rows,
            refs=refs,
            geometry=geometry,
        )


def _take_away(
    primitives: Iterable[Primitive], gone: dict[Primitive, None], fresh: dict[Primitive, None]
) -> None:
    """What came only since then is not gone: it has not been there."""
    for p in primitives:
        if p in fresh:
            del fresh[p]
        else:
            gone[p] = None


class Note(NamedTuple):
    """One line of a journal: a body or a link is new or another, or was taken out."""

    name: str
    dropped: bool = False


def _moving(
    before: Model | None, journal: Iterable[Note], bodies: Mapping[str, Body]
) -> tuple[str, ...]:
    """Names of the bodies that have a frame of their own, in order; looked up in all of the bodies
    only where the journal has one that came, went or is another now."""

    def own(name: str) -> bool:
        body = bodies.get(name)
        return body is not None and body.moving and body.attachment is None

    known = () if before is None else before.moving
    if before is not None and not any(n in known or own(n) for n, _ in journal):
        return known
    return tuple(name for name in bodies if own(name))


def _own_frames(tree: Tree, moving: Sequence[str]) -> dict[str, int]:
    """The frames of bodies that move by themselves: behind those of the joints."""
    return {name: tree.frames + k for k, name in enumerate(moving)}


def _link_entry(tree: Tree, name: str, robots: Mapping[str, MountedRobot]) -> Entry | None:
    """A link of a robot; None where it is none, or has no geometry."""
    robot, _, link = name.partition("/")
    found = robots[robot].robot.links.get(link) if robot in robots else None
    if found is None or not found.elements:
        return None
    frame, offset = tree.link(name)
    return entry_of(name, frame, [(e.shape, offset @ e.origin) for e in found.elements])


def _body_entry(tree: Tree, body: Body, own: int) -> Entry:
    """A body: on the link that holds it, on a frame of its ``own``, or (0) in the world."""
    if body.attachment is not None:
        frame, offset = tree.link(body.attachment.link)
        return entry_of(body.name, frame, [(body.shape, offset @ body.attachment.pose)])
    return entry_of(body.name, own, [(body.shape, np.eye(4) if own else body.pose)])


def entry_of(name: str, frame: int, placed: Sequence[tuple[Shape, Array]]) -> Entry:
    """A link or body on a frame, of shapes with their poses in it."""
    primitives = (
        Primitive(name, k, frame, shape, frozen(pose)) for k, (shape, pose) in enumerate(placed)
    )
    return Entry(name, frame, tuple(primitives))
