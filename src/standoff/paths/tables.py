"""A cell as the path check takes it: all that stays the same from motion to motion.

What does not depend on clearances is a `Layout`; `Tables` add the pairs and the settings. Both stay
with the models of the cell: whoever asks for the same ones gets them, and after a change of the
cell only that is made anew which changed. Movers, the pairs among them and their joint maps are the
same for as long as no mover came or went.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np

from standoff.cell.allowed import Pair, ordered
from standoff.cell.cell import Cell
from standoff.cell.model import Model, Primitive, ball_of_balls
from standoff.compiled.by_address import address_of
from standoff.geometry.narrowphase import dispatch, layout
from standoff.geometry.narrowphase.bodies import Bodies, Solids
from standoff.geometry.narrowphase.dispatch import has_closed_form
from standoff.geometry.pose import Array
from standoff.geometry.primitives import Sphere
from standoff.geometry.shape import IntArray, Shape, frozen
from standoff.geometry.table import pack
from standoff.motion.motion_bound import MotionBound, MovingBody, few_points
from standoff.paths.joint_maps import JointMap, joint_map, merged
from standoff.paths.joints import LIMIT_ROUNDING
from standoff.paths.kernels import path_tables as p
from standoff.robots.kernels import kinematics
from standoff.robots.tree import Tree

#: Name of the body that a link sphere belongs to.
NOBODY = ""

#: Tables with settings of their own that one cell keeps.
_KEPT = 16

#: Link spheres and joint maps that one cell keeps.
_PARTS = 100_000

#: Columns of the nodes of solids.
NODES = Solids.nodes.columns or 0

#: Statics in a leaf at most: their balls are tested four at a time, so that many cost as much as a
#: few more boxes.
LEAF = 64


class Movers:
    """Everything that moves in a cell.

    Attributes:
        given: the primitives of the cell that move, by frame.
        primitives: these, and the link spheres after them.
        single: how many are no link spheres.
        jointed: which are carried by joints; the others glide.
        bound: reaches of these.
        rows, bodies, cores, balls: of all, for `PathCell`; the row after the last is the world's.
    """

    def __init__(self, tree: Tree, given: tuple[Primitive, ...], known: dict[Any, Any]) -> None:
        self.tree, self.given = tree, given
        self.primitives: tuple[Primitive, ...] = (*given, *_link_spheres(tree, given, known))
        self.single = len(given)
        jointed = [k for k, x in enumerate(self.primitives) if x.frame < tree.frames]
        moving = {k: _moving_body(x, known) for k, x in enumerate(self.primitives)}
        self.jointed = len(jointed)
        self.bound = MotionBound(tree, [moving[k] for k in jointed])
        self.balls = np.array([x.ball for x in self.primitives]).reshape(-1, 4)
        self._lay_out({k: row for row, k in enumerate(jointed, start=1)}, moving)

    def _lay_out(self, jointed: Mapping[int, int], moving: Mapping[int, MovingBody]) -> None:
        tree, bound, movers = self.tree, self.bound, self.primitives
        self.rows = np.zeros(len(movers), p.MOVER)
        self.bodies: IntArray = np.zeros((len(movers) + 1, 4), dtype=np.int64)
        cores, count = [bound.points], len(bound.points)
        of_frame: dict[int, list[int]] = {}
        for m, x in enumerate(self.given):
            of_frame.setdefault(x.frame, []).append(m)
        for k, x in enumerate(movers):
            radius, row = float(x.shape.core()[1]), self.rows[k]
            those = of_frame[x.frame] if x.body == NOBODY else [k]
            row["frame"] = x.frame
            row["first_member"], row["past_members"] = those[0], those[-1] + 1
            row["meshed"] = any(movers[m].shape.kind == layout.MESH for m in those)
            if k in jointed:
                at = jointed[k]
                self.bodies[k] = bound.bodies[at]
                row["joints"] = tree.ints[x.frame, kinematics.DEPTH]
                row["core"] = bound.size[at]
                row["farthest"] = bound.extent[x.frame] + bound.size[at] + radius
            else:
                points = few_points(moving[k].points)
                self.bodies[k] = x.frame, 0, count, len(points)
                row["core"] = float(np.linalg.norm(moving[k].points, axis=1).max(initial=0.0))
                row["farthest"] = row["core"] + radius
                cores.append(points)
                count += len(points)
        self.cores = np.ascontiguousarray(np.concatenate(cores))


def _moving_body(x: Primitive, known: dict[Any, Any]) -> MovingBody:
    """A primitive as the motion bound takes it; one that is ``known`` is not worked out again."""
    found: MovingBody | None = known.get(x)
    if found is None:
        name = f"{x.body}, part {x.part} on frame {x.frame}"
        found = known[x] = MovingBody.of_shape(name, x.frame, x.shape, x.pose)
    return found


def _link_spheres(
    tree: Tree, single: Sequence[Primitive], known: dict[Any, Any]
) -> list[Primitive]:
    """A ball around all primitives that one joint carries, for each; it belongs to no body. Those
    that are ``known`` are not worked out again."""
    of_frame: dict[int, list[Primitive]] = {}
    for x in single:
        if x.frame < tree.frames:
            of_frame.setdefault(x.frame, []).append(x)
    found = []
    for frame, members in sorted(of_frame.items()):
        key = tuple(members)
        ball = known.get(key)
        if ball is None:
            centre, radius = ball_of_balls(np.array([x.ball for x in members]))
            pose = np.eye(4)
            pose[:3, 3] = centre
            ball = known[key] = Primitive(NOBODY, 0, frame, Sphere(radius), frozen(pose))
        found.append(ball)
    return found


def known_parts(model: Model) -> dict[Any, Any]:
    """What was worked out for some primitives of a cell alone, by these: link spheres, joint
    maps."""
    known: dict[Any, Any] = model.kept.setdefault("parts", {})
    if len(known) > _PARTS:
        known.clear()
    return known


class Packing:
    """The geometry of shapes, to which that of others is added; what is not used any more stays
    until so much is unused that all is packed anew."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self._known: dict[int, tuple[Shape, IntArray]] = {}
        self._solids = Solids()
        # A monitor and a planner, each on its own thread, may follow one change of a cell.
        self._lock = Lock()
        self.bodies(shapes)

    def bodies(self, shapes: Sequence[Shape]) -> tuple[IntArray, Solids]:
        """A row for each shape, and the geometry that the rows are of; new ones are added."""
        with self._lock:
            more = list({id(s): s for s in shapes if id(s) not in self._known}.values())
            if more:
                self._add(more)
            found = [self._known[id(s)][1] for s in shapes]
            refs = np.array(found, dtype=np.int64).reshape(-1, layout.REF_COLUMNS)
            return refs, self._solids

    def _add(self, more: Sequence[Shape]) -> None:
        _, refs, geometry = pack(more)
        old = self._solids
        first = [len(old.points), len(old.faces), len(old.nodes), len(old.ints)]
        refs[:, [layout.POINT0, layout.FACE0, layout.NODE0, layout.INT0]] += first
        self._known.update({id(s): (s, ref) for s, ref in zip(more, refs)})
        width = geometry.points.shape[1]
        if geometry.points.size or geometry.nodes.size:
            # Whoever has the former solids keeps them.
            self._solids = Solids(
                points=np.concatenate([old.points.reshape(-1, width), geometry.points]),
                faces=np.concatenate([old.faces.reshape(-1, 3), geometry.faces]),
                nodes=np.concatenate([old.nodes.reshape(-1, NODES), geometry.nodes]),
                ints=np.concatenate([old.ints, geometry.ints]),
            )

    def sparse(self, shapes: Sequence[Shape]) -> bool:
        """Whether most of what was packed is not in use."""
        return len(self._known) > 2 * len({id(s) for s in shapes}) + LEAF


class Layout:
    """A model as the path check takes it, whatever clearances are asked for.

    Attributes:
        statics: primitives in the order of the boxes, the unbounded last.
        boxes: around the bounded ones; counted from the first static.
        bodies, balls: of movers and statics.
    """

    movers: Movers
    statics: tuple[Primitive, ...]
    boxes: BoxTree
    packing: Packing
    bodies: Bodies
    balls: Array

    def __init__(self, model: Model, before: Layout | None) -> None:
        self.model, tree = model, model.tree
        moving = sorted((x for x in model.primitives if x.frame != 0), key=lambda x: x.frame)
        given = tuple(moving)
        self.still = tuple(x for x in model.primitives if x.frame == 0)
        if before is None or before.movers.tree is not tree or before.movers.given != given:
            self.movers = Movers(tree, given, known_parts(model))
            self._place_statics(None)
            return
        self.movers = before.movers
        if before.still != self.still:
            self._place_statics(before)
            return
        self.statics, self.boxes, self.packing = before.statics, before.boxes, before.packing
        self.bodies, self.balls = before.bodies, before.balls

    def _place_statics(self, before: Layout | None) -> None:
        """The tree of boxes, and everything in its order; ``before`` has the same movers."""
        bounded = [x for x in self.still if x.shape.bounded]
        self.boxes = box_tree(np.array([x.box for x in bounded]).reshape(-1, 6))
        self.statics = (
            *(bounded[k] for k in self.boxes.order),
            *(x for x in self.still if not x.shape.bounded),
        )
        primitives = self.primitives
        shapes = [x.shape for x in primitives]
        kept = before is not None and not before.packing.sparse(shapes)
        self.packing = before.packing if before is not None and kept else Packing(shapes)
        rows = np.array([x.row for x in primitives]).reshape(-1, layout.ROW_COLUMNS)
        refs, solids = self.packing.bodies(shapes)
        self.bodies = Bodies(rows=rows, refs=refs, solids=solids)
        still = np.array([x.ball for x in self.statics]).reshape(-1, 4)
        self.balls = np.concatenate([self.movers.balls, still])

    @classmethod
    def of(cls, model: Model) -> Layout:
        """That of a model, kept with it."""
        before: Layout | None = model.kept.get(Layout)
        if before is None or before.model is not model:
            before = model.kept[Layout] = Layout(model, before)
        return before

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """Movers, link spheres, statics."""
        return self.movers.primitives + self.statics

    @cached_property
    def of_body(self) -> dict[str, list[int]]:
        """Places of the primitives of each body, by its name."""
        found: dict[str, list[int]] = {}
        for k, x in enumerate(self.primitives):
            if x.body != NOBODY:
                found.setdefault(x.body, []).append(k)
        return found

    @cached_property
    def kinds(self) -> set[int]:
        """Of all shapes."""
        return {x.shape.kind for x in self.primitives}


@dataclass(frozen=True, eq=False)
class Settings:
    """What a check asks of a cell; ``clearances`` go before ``clearance`` for their pairs of
    bodies. Where ``gliding`` does not count, pairs without a joint between them are left out: two
    bodies that glide, or one that does and one that stands."""

    clearance: float
    tolerance: float
    clearances: Mapping[Pair, float]
    deviation: Array
    gliding: bool = True

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal settings."""
        own = tuple(sorted(self.clearances.items()))
        return self.clearance, self.tolerance, own, self.deviation.tobytes(), self.gliding


class Tables:
    """`PathCell` of a layout and settings, and what it was made from.

    Attributes:
        cell: for the kernels.
        primitives: movers, link spheres, then statics in the order of the boxes.
        movers: how many, link spheres included.
        stepper: the address of `step`.
        frames: of joints and gliding bodies.
        gliding: the moving bodies, which glide.
        tube: whether joints may be off their path.
        opened: whether there are open meshes that count as solid.
        spare: scratch for these tables that nobody uses now.
    """

    listed: Listed

    def __init__(self, cell: Cell, settings: Settings, before: Tables | None) -> None:
        _, self.model, self.pairs, *_ = cell.compile()
        self.layout, self.settings = Layout.of(self.model), settings
        movers = self.layout.movers
        self.primitives, self.movers = self.layout.primitives, len(movers.primitives)
        self.tree, self.bound, self.boxes = movers.tree, movers.bound, self.layout.boxes
        self.frames, self.gliding = self.model.frames, self.model.moving
        self.joints = len(self.tree.joints)
        self.stepper = address_of("paths.kernels.search.step")
        self.spare: list[Any] = []
        self.tube = bool(settings.deviation.any())
        self.opened = any(x.shape.flags & layout.OPEN_SOLID for x in self.primitives)
        standing = self._standing()
        listing = self._listing(standing)
        if before is not None and before.listed.listing == listing:
            self.listed = before.listed
        else:
            self.listed = Listed(self.layout, settings, listing)
        self.cell = self._lay_out(standing)
        if before is not None and before.listed is self.listed:
            while before.spare:
                self.spare.append(self._adapted(before.spare.pop()))

    def _adapted(self, scratch: Any) -> Any:
        """Scratch of former tables whose movers and links are the same."""
        scratch.bodies.refs, scratch.bodies.solids = self.cell.bodies.refs, self.cell.bodies.solids
        return scratch

    def name_order(self, a: str, b: str) -> bool:
        """Whether ``a`` stands after ``b`` in the cell."""
        return self.model.index[a] > self.model.index[b]

    def _standing(self) -> list[tuple[str, str, bool]]:
        """A body that moves and one that stands, which are not tested against each other as all
        others are: they may touch (True), or have a clearance of their own."""
        reasons, entries, found = self.pairs.reasons, self.model.entries, []
        for names in {**reasons, **self.settings.clearances}:
            if any(name not in entries for name in names):
                continue
            a, b = names
            if entries[a].frame == 0:
                a, b = b, a
            fa, fb = entries[a].frame, entries[b].frame
            if fa != 0 and fb == 0 and (self.settings.gliding or fa < self.tree.frames):
                found.append((a, b, names in reasons))
        return found

    def _listing(self, standing: Iterable[tuple[str, str, bool]]) -> Any:
        """All that the list of links depends on, beside the settings."""
        entries, moving = self.model.entries, []
        for a, b in self.pairs.reasons:
            if a in entries and b in entries and entries[a].frame != 0 and entries[b].frame != 0:
                moving.append((a, b))
        apart = tuple((a, b) for a, b, touch in standing if not touch)
        # Links with what stands name it by its place.
        return self.layout.movers, frozenset(moving), apart, apart and self.layout.statics

    def _lay_out(self, standing: Iterable[tuple[str, str, bool]]) -> p.PathCell:
        layout_, listed, settings = self.layout, self.listed, self.settings
        movers, tree, counted = layout_.movers, self.tree, len(layout_.movers.primitives)
        rows, skipped = self._skips(movers.rows, standing)
        balls = layout_.balls
        still = np.ascontiguousarray(balls[counted:].T)
        boxes = self.boxes.nodes.copy()
        leaves = boxes["left"] < 0
        boxes["first"][leaves] += counted
        boxes["past"][leaves] += counted
        cell = p.PathCell(
            tree=tree.reals, linkage=tree.ints, movers=rows, motion_bodies=movers.bodies,
            carried=movers.bound.bodies, chain=movers.bound.chain, reach=movers.bound.reach,
            cores=movers.cores, local=layout_.bodies.rows[:counted, : layout.SIZE].copy(),
            bodies=layout_.bodies, balls=balls.view(p.BALL).reshape(-1),
            static_x=still[0], static_y=still[1], static_z=still[2], static_radius=still[3],
            boxes=boxes, links=listed.links, sphere_pairs=listed.sphere_pairs, skipped=skipped,
            deviation=settings.deviation, maps=listed.maps, sums=listed.sums,
            map_low=listed.ranges[0], map_high=listed.ranges[1],
        )  # fmt: skip
        cell.settings.clearance = settings.clearance
        cell.settings.tolerance = settings.tolerance
        self._count(cell.counts)
        return cell

    def _skips(
        self, movers: np.ndarray[Any, Any], standing: Iterable[tuple[str, str, bool]]
    ) -> tuple[np.ndarray[Any, Any], IntArray]:
        """The rows of movers with the statics that each does not test."""
        skipped: dict[int, list[int]] = {}
        for a, b, _ in standing:
            for x in self.layout.of_body[a]:
                skipped.setdefault(x, []).extend(self.layout.of_body[b])
        rows, flat = movers.copy(), list[int]()
        for mover in range(self.layout.movers.single):
            rows["first_skip"][mover] = len(flat)
            flat += skipped.get(mover, [])
            rows["past_skips"][mover] = len(flat)
        return rows, np.array(flat, dtype=np.int64)

    def _count(self, counts: Any) -> None:
        movers, tree, kinds = self.layout.movers, self.tree, self.layout.kinds
        depth = tree.ints[:, kinematics.DEPTH]
        sliding = (tree.ints[:, kinematics.JOINT_KIND] == kinematics.PRISMATIC).any()
        # Those that glide lead by themselves, and what has a clearance of its own with a static.
        pairs = self.listed.sphere_pairs
        spheres = (pairs["a"] >= movers.single).all() and (pairs["b"] >= movers.single).all()
        meeting = movers.single
        if not self.settings.gliding:
            meeting = sum(x.frame < tree.frames for x in movers.given)
        meshed = layout.MESH in kinds
        closed = all(has_closed_form(a, b) for a in kinds for b in kinds)
        counts.movers, counts.single, counts.meeting = self.movers, movers.single, meeting
        counts.statics, counts.bounded = len(self.layout.statics), len(self.boxes.order)
        counts.frames, counts.deepest, counts.slides = tree.frames, depth.max(initial=0), sliding
        counts.unmapped, counts.opened = self.listed.unmapped, self.opened
        counts.sparing = movers.jointed == self.movers and spheres
        counts.general = 0 if closed else dispatch.general_address()
        counts.walker = address_of("paths.kernels.mesh_walk.mesh_walk") if meshed else 0
        counts.nester = dispatch.nested_address() if meshed else 0


def build_tables(cell: Cell, settings: Settings) -> Tables:
    """The tables of a cell as it is now, kept with its model."""
    kept, key = cell.model.kept, settings.key
    before: Tables | None = kept.get(key)
    if before is None or before.model is not cell.model or before.pairs is not cell.pairs:
        made = Tables(cell, settings, before)
        kept.pop(key, None)
        kept[key] = made
        while len(kept) > _KEPT:
            kept.pop(next(k for k in list(kept) if isinstance(k, tuple)), None)
        return made
    return before


class Listed:
    """The pairs that are listed one by one, and the joint maps of those among movers.

    Attributes:
        listing: what the list was made from.
        links: two movers, or a mover and a static with a clearance of their own, so that those of
            one sphere pair stand together.
        sphere_pairs: those that can never come too close within ``ranges`` stand last.
        unmapped: how many the others are.
        ranges, maps, sums: where the maps hold (2, joints), and the maps.
    """

    def __init__(self, of: Layout, settings: Settings, listing: Any) -> None:
        self.listing = listing
        self._layout, self._settings = of, settings
        self._tree, self._model, self._primitives = of.movers.tree, of.model, of.primitives
        movers, allowed, standing, _ = listing
        spheres = enumerate(movers.primitives[movers.single :], start=movers.single)
        self._spheres = {x.frame: k for k, x in spheres}
        members: dict[tuple[int, int, int, int, float], list[tuple[int, int]]] = {}
        for names in self._moving_pairs(allowed):
            clearance = settings.clearances.get(ordered(*names), settings.clearance)
            self._link(names, clearance, members)
        for names in standing:
            self._link(names, settings.clearances[ordered(*names)], members)
        links: list[tuple[int, int, int, int, float]] = []
        pairs: list[tuple[int, ...]] = []
        for (first, second, common, depth, clearance), those in members.items():
            meshed = any(not self._primitives[k].shape.convex for pair in those for k in pair)
            end = len(links) + len(those)
            pairs.append((first, second, common, depth, len(links), end, int(meshed)))
            links += [(x, y, common, depth, clearance) for x, y in those]
        self.links = np.array(links, p.LINK)
        self._map(pairs, [self._joint_map(links[pair[4] : pair[5]]) for pair in pairs])

    def _moving_pairs(self, allowed: frozenset[Pair]) -> Iterable[tuple[str, str]]:
        """The watched pairs of bodies that both move."""
        entries, index, tree = self._model.entries, self._model.index, self._tree
        moving = sorted({x.body for x in self._layout.movers.given}, key=lambda name: index[name])
        for i, a in enumerate(moving):
            for b in moving[i + 1 :]:
                fa, fb = entries[a].frame, entries[b].frame
                both_glide = min(fa, fb) >= tree.frames
                if both_glide and not self._settings.gliding:
                    continue
                if fa != fb and ordered(a, b) not in allowed:
                    yield a, b

    def _link(self, names: tuple[str, str], clearance: float, members: dict[Any, Any]) -> None:
        """List all primitives of two bodies, the first of which moves."""
        tree, primitives, of_body = self._tree, self._primitives, self._layout.of_body
        for x in of_body[names[0]]:
            for y in of_body[names[1]]:
                fa, fb = primitives[x].frame, primitives[y].frame
                gap = clearance
                if not (primitives[x].shape.convex and primitives[y].shape.convex):
                    gap = max(clearance, 0.0)
                common = tree.common(fa, fb) if max(fa, fb) < tree.frames else 0
                first, second = self._spheres.get(fa, x), self._spheres.get(fb, y)
                if fb == 0:
                    first, second = x, y
                depth = int(tree.ints[common, kinematics.DEPTH])
                members.setdefault((first, second, common, depth, gap), []).append((x, y))

    def _map(self, pairs: list[tuple[int, ...]], found: list[JointMap | None]) -> None:
        """Order the sphere pairs and lay out their joint maps."""
        never = [m is not None and m.empty for m in found]
        order = np.argsort(never, kind="stable")
        self.sphere_pairs = np.array(pairs, p.SPHERE_PAIR)[order]
        self.unmapped = len(found) - sum(never)
        self.ranges: Array = np.empty((2, len(self._tree.joints)))
        self.ranges[0], self.ranges[1] = -np.inf, np.inf
        maps, sums, total = [], [np.zeros(0, dtype=np.int64)], 0
        for place, k in enumerate(order):
            made = found[k]
            if made is None:
                continue
            at = list(made.joints)
            self.ranges[0, at] = np.maximum(self.ranges[0, at], made.low - LIMIT_ROUNDING)
            self.ranges[1, at] = np.minimum(self.ranges[1, at], made.high + LIMIT_ROUNDING)
            if made.empty:
                continue
            row = np.zeros((), p.MAP)
            side, count, width = made.cells.shape[0], len(at), made.high - made.low
            row["pair"], row["mapped"], row["first_sum"], row["side"] = place, count, total, side
            row["joints"][:count], row["low"][:count] = at, made.low
            fine = np.divide(side, width, out=np.zeros(count), where=width > 0.0)
            row["scale"][:count] = fine
            maps.append(row)
            sums.append(made.sums.ravel())
            total += len(sums[-1])
        self.maps = np.array(maps, p.MAP)
        self.sums: IntArray = np.concatenate(sums)

    def _joint_map(self, those: list[tuple[int, int, int, int, float]]) -> JointMap | None:
        """The map of the pairs of primitives of one sphere pair; None without one."""
        # With deviations a map could prove what no certificate can list.
        if self._settings.deviation.any():
            return None
        primitives, entries = self._primitives, self._model.entries
        first, second, _, _, clearance = those[0]
        if max(primitives[first].frame, primitives[second].frame) >= self._tree.frames:
            return None
        # What is nearer than the tolerance may be called too close, map or not.
        clearance = max(clearance, 0.0) + self._settings.tolerance
        known, maps = known_parts(self._model), []
        for a, b in dict.fromkeys((primitives[x].body, primitives[y].body) for x, y, *_ in those):
            key = clearance, *entries[a].primitives, *entries[b].primitives
            if key not in known:
                known[key] = joint_map(self._model, a, b, clearance)
            maps.append(known[key])
        return merged(maps)


@dataclass(frozen=True, eq=False)
class BoxTree:
    """A binary tree of boxes, halved along the longest side of the middles.

    Attributes:
        order: the statics in the order of the leaves.
        nodes: records of `path_tables.BOX`, the root first; statics are counted in ``order``.
    """

    order: IntArray
    nodes: np.ndarray[Any, Any]

    def span(self, node: int) -> tuple[int, int]:
        """First and past the last place in ``order`` of what is under a node."""
        return int(self.nodes["first"][node]), int(self.nodes["past"][node])


def box_tree(boxes: Array) -> BoxTree:
    """The tree of so many boxes (n, 6)."""
    order = np.arange(len(boxes), dtype=np.int64)
    made: list[tuple[Any, ...]] = []
    middles = boxes[:, :3] + boxes[:, 3:]

    def build(first: int, last: int) -> int:
        inside = order[first:last]
        at = len(made)
        corners = *boxes[inside, :3].min(axis=0), *boxes[inside, 3:].max(axis=0)
        made.append((*corners, -1, -1, first, last))
        if last - first > LEAF:
            spread = np.ptp(middles[inside], axis=0)
            along = middles[inside, int(np.argmax(spread))]
            order[first:last] = inside[np.argsort(along, kind="stable")]
            cut = (first + last) // 2
            made[at] = (*corners, build(first, cut), build(cut, last), first, last)
        return at

    if len(boxes):
        build(0, len(boxes))
    return BoxTree(order, np.array(made, p.BOX))
