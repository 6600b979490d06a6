"""A robot cell as a predictor sees it: spheres with bounds on their speeds and accelerations.

The bounds follow from those of the joints by the motion bound of `motion.kernels.bound`; see
docs/prediction.md.

The spheres follow from a shape and its place in its frame alone, so they are kept with the
`Primitive` of the cell's model: another predictor of the same cell, or of one that was changed
elsewhere, finds them again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell.body import moving_poses
from standoff.cell.cell import Cell
from standoff.cell.model import Model, Primitive
from standoff.cell.state import State
from standoff.errors import PredictError, ShapeError, UnknownNameError
from standoff.geometry.covering import cover_shapes
from standoff.geometry.distance import distance
from standoff.geometry.mesh import Mesh
from standoff.geometry.narrowphase import layout
from standoff.geometry.polyhedron import Polyhedron
from standoff.geometry.pose import IDENTITY, Array
from standoff.geometry.primitives import Box, Capsule, Cylinder, Sphere
from standoff.geometry.shape import SMALLEST_SIZE, IntArray, Shape, surface_points
from standoff.motion.motion_bound import MotionBound, MovingBody
from standoff.predict.kernels.spheres import Spheres, place_spheres
from standoff.predict.options import numbers
from standoff.robots.kernels import kinematics
from standoff.robots.tree import Tree
from standoff.scalars import amount
from standoff.tolerances import BOX_ROUNDING, ENCODER_TOLERANCE, EPS, PATH_ROUNDING, SPEED_ROUNDING

#: Spheres that a cell is covered by at most, [-]: the pairs of so many take 200 MB, and as much
#: again those of them that need no watching.
MOST_SPHERES = 5_000

#: How much thicker than the capsule that they hold spheres may be, [-]: 15 % puts them 1.1 radii
#: apart. And the largest radius of spheres on what moves and on what stands still, where nothing
#: else is said, [m]: half of an arm's thickness or so, and a compromise for tables and walls.
SPHERE_GROWTH = 1.15
SPHERE_RADIUS = 0.1
STATIC_SPHERE_RADIUS = 0.25


#: What `spheres_of_primitive` found, by the largest radius that was asked for.
_KEPT: WeakKeyDictionary[Primitive, dict[tuple[float, bool], tuple[Array, Array]]] = (
    WeakKeyDictionary()
)

#: One number for all joints, one for each in the order of ``cell.joints``, or a dict by name.
PerJoint = ArrayLike | Mapping[str, float]


@dataclass(frozen=True, eq=False)
class CellSpheres:
    """Spheres that hold the links and bodies of a cell; made by `cell_spheres`.

    Attributes:
        names: link or body that each sphere belongs to.
        radii: [m].
        max_acceleration, max_speed: bounds on the motion of each centre, [m/s²] and [m/s]; 0 for
            what stands still.
        off: (k, 2) pairs of spheres that need no watching: those on one rigid body, those that both
            stand still, and those of pairs that the cell allows to touch.
        left_out: bodies that are not covered, as asked for.
        joint_speed: the speeds that the bounds count on, in the order of ``cell.joints``.
        cell: what they were made of, and ``revision``: when; see `changed`.
    """

    names: tuple[str, ...]
    radii: Array
    max_acceleration: Array
    max_speed: Array
    off: IntArray
    left_out: tuple[str, ...]
    joint_speed: Array
    cell: Cell = field(repr=False)
    revision: int
    _model: Model = field(repr=False)
    _tables: Spheres = field(repr=False)
    _resting: Array = field(repr=False)
    _limits: tuple[Array, Array] = field(repr=False)

    def place(
        self, q: Any, dq: Any, poses: Any = None, twists: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """Centres and velocities of all spheres in the world, (n, 3) each, [m] and [m/s].

        Args:
            q, dq: joint values and speeds, arrays or dicts by joint.
            poses: of the cell's moving bodies, as for a monitor; None: as they were at the start.
            twists: their angular velocities and the velocities of their origins, (m, 6), world
                frame; None: they rest.
        """
        moving = self._model.moving
        at = moving_poses(moving, list(self._resting), poses)
        state = State(self._model, q, at, dq, _twists(twists, len(moving)))
        x, v = np.empty((len(self.radii), 3)), np.empty((len(self.radii), 3))
        place_spheres(self._tables.address, state.rows, state.twists, x, v)
        return x, v

    def not_given(self, poses: Any, twists: Any) -> dict[str, IntArray]:
        """Moving bodies with no pose or no twist among those given, with their spheres."""
        without = [n for n in self._model.moving if isinstance(poses, Mapping) and n not in poses]
        if poses is None or twists is None:
            without = [*self._model.moving]
        found = {name: np.flatnonzero(np.array(self.names) == name) for name in without}
        return {name: mine for name, mine in found.items() if len(mine)}  # none: it is left out

    @property
    def changed(self) -> bool:
        """Whether the cell is no longer what the spheres hold: a body was added, moved, attached,
        a pair allowed. They have to be made anew then."""
        return self.cell.revision != self.revision

    def broken(self, q: Any, dq: Any) -> tuple[str, ...]:
        """Joints that are beyond what the bounds count on: faster than `joint_speed`, or beyond the
        limits, by more than ENCODER_TOLERANCE, where they slide something along, or where pairs
        that are allowed were proved apart within them. (Reaches hold for any angle.)"""
        tree, (low, high) = self._model.tree, self._limits
        joints, speeds = tree.configuration(q), tree.values(dq, "dq", kind="velocity")
        beyond = (joints < low) | (joints > high)
        beyond |= np.abs(speeds) > (1.0 + SPEED_ROUNDING) * self.joint_speed
        return tuple(name for name, bad in zip(tree.joints, beyond, strict=True) if bad)


def cell_spheres(
    cell: Cell,
    max_joint_acceleration: PerJoint,
    *,
    max_joint_speed: PerJoint | None = None,
    moving: Mapping[str, tuple[float, float]] | None = None,
    radius: float = SPHERE_RADIUS,
    static_radius: float = STATIC_SPHERE_RADIUS,
    leave_out: Iterable[str] = (),
) -> CellSpheres:
    """Cover the links and bodies of a cell by spheres, and bound how they move.

    Args:
        max_joint_acceleration: largest of each joint, [rad/s²] or [m/s²]. A URDF has none.
        max_joint_speed: largest of each joint, [rad/s] or [m/s]; by default that of the URDF.
        moving: for each moving body the largest speed, [m/s], and acceleration, [m/s²], of any of
            its points.
        radius: of the spheres on what moves, at most, where the shapes are thin enough, [m].
        static_radius: of those on what stands still, [m].
        leave_out: bodies that are not to be watched. A half space has no spheres and must be among
            them.

    Raises:
        PredictError: a joint without a speed, a moving body without bounds, a half space that is
            not left out, no pair left to watch, a number that makes no sense.
        UnknownNameError: a body that is not there.
    """
    cell.check_watched()
    revision, model = cell.revision, cell.model
    tree = model.tree
    acceleration = _per_joint(max_joint_acceleration, tree, "max_joint_acceleration")
    speed = _joint_speed(max_joint_speed, tree)
    sizes = {
        True: amount("static_radius", static_radius, PredictError, "m", zero=False),
        False: amount("radius", radius, PredictError, "m", zero=False),
    }
    out = _left_out(model, leave_out)
    _check_left(cell, out)
    given = _given_bounds(model, moving)
    owner, frame, centre, radii = _covered(model, out, sizes)
    fastest, sharpest, blur = _bounds(tree, frame, centre, speed, acceleration)
    for i in np.flatnonzero(frame >= tree.frames):
        fastest[i], sharpest[i] = _of_mover(model.names[owner[i]], given)
    resting = np.array([cell.bodies[name].pose for name in model.moving]).reshape(-1, 4, 4)
    arrays = radii + blur, sharpest, fastest, _off(model, cell.pairs.reasons, owner, frame)
    for array in (*arrays, speed, resting):  # not what the kernel takes: it would compile anew
        array.setflags(write=False)
    return CellSpheres(
        tuple(model.names[i] for i in owner), *arrays, out, speed, cell, revision,
        model, Spheres(frame=frame, centre=centre), resting, _limits(cell, tree),
    )  # fmt: skip


def _limits(cell: Cell, tree: Tree) -> tuple[Array, Array]:
    """As far as each joint may be for all to hold: where it slides something along, and where pairs
    that are allowed were proved apart."""
    low, high = cell.proof_limits
    sliding = tree.ints[:, kinematics.JOINT_KIND] == kinematics.PRISMATIC
    slides = np.zeros(len(tree.joints), dtype=bool)
    slides[tree.ints[sliding, kinematics.INDEX]] = True
    low[slides] = np.maximum(low, tree.lower - ENCODER_TOLERANCE)[slides]
    high[slides] = np.minimum(high, tree.upper + ENCODER_TOLERANCE)[slides]
    return low, high


def _per_joint(value: PerJoint, tree: Tree, what: str) -> Array:
    if not isinstance(value, Mapping) and np.ndim(value) == 0:
        one = amount(what, value, PredictError, "rad/s or m/s, squared for the latter")
        value = np.full(len(tree.joints), one)
    return tree.values(value, what, negative=False)


def _joint_speed(value: PerJoint | None, tree: Tree) -> Array:
    if value is not None:
        return _per_joint(value, tree, "max_joint_speed")
    without = [n for n, v in zip(tree.joints, tree.velocity, strict=True) if not np.isfinite(v)]
    if without:
        raise PredictError(
            "joints without a speed limit in their file",
            element="max_joint_speed",
            value=without,
            allowed="one for each joint, [rad/s] or [m/s]",
        )
    return tree.velocity.copy()


def _left_out(model: Model, names: Any) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise PredictError(
            "not names", element="leave_out", value=names, allowed="a list of links or bodies"
        )
    out = tuple(names)
    for name in out:
        if name not in model.entries:
            raise UnknownNameError(str(name), model.index, what="link or body")
    return out


def _check_left(cell: Cell, out: tuple[str, ...]) -> None:
    """Refuse to leave out what every watched pair has one of: no step would have an alarm."""
    left = (not {a, b} & {*out} for a, b in cell.pairs.watched())
    if out and cell.pairs.count() > 0 and not cell.allows_unwatched and not any(left):
        raise PredictError(
            "no pair is left to watch", element="leave_out", value=out,
            allowed="bodies without which a pair is left, or Cell(unwatched='allow')",
        )  # fmt: skip


def _given_bounds(model: Model, moving: Any) -> Mapping[str, Any]:
    if moving is not None and not isinstance(moving, Mapping):
        raise PredictError(
            "not by name", element="moving", value=moving,
            allowed="{body: (speed [m/s], acceleration [m/s²])}",
        )  # fmt: skip
    for name in moving or {}:
        if name not in model.moving:
            raise UnknownNameError(str(name), model.moving, what="moving body")
    return dict(moving or {})


def _covered(
    model: Model, out: tuple[str, ...], sizes: Mapping[bool, float]
) -> tuple[IntArray, IntArray, Array, Array]:
    """Body and frame of each sphere, its centre in that frame, its radius."""
    owner: list[int] = []
    centres, radii = [np.zeros((0, 3))], [np.zeros(0)]
    for p in model.primitives:
        if p.body in out:
            continue
        if not p.shape.bounded:
            raise PredictError(
                "no spheres hold a body without bounds", element=p.body, value=p.shape,
                allowed=f"leave_out=({p.body!r},), or a box in its place",
            )  # fmt: skip
        # The bounds of a moving body are for its own points, and so for their hull.
        centre, radius = spheres_of_primitive(
            p, sizes[p.frame == 0], inside=p.frame >= model.tree.frames
        )
        owner += [model.index[p.body]] * len(radius)
        centres.append(centre)
        radii.append(radius)
    bodies = np.array(owner, dtype=np.int64)
    if len(bodies) > MOST_SPHERES:
        named, counts = np.unique(bodies, return_counts=True)
        most = int(counts.argmax())
        raise PredictError(
            "too many spheres", element=model.names[named[most]],
            value=f"{len(bodies)}, {counts[most]} of them here",
            allowed=f"{MOST_SPHERES}: larger ones (static_radius, radius), or leave_out",
        )  # fmt: skip
    frames = np.array(model.frame, dtype=np.int64)[bodies]
    return bodies, frames, np.ascontiguousarray(np.concatenate(centres)), np.concatenate(radii)


def _bounds(
    tree: Tree, frame: IntArray, centre: Array, speed: Array, acceleration: Array
) -> tuple[Array, Array, Array]:
    """Largest speed and acceleration of each centre that joints move, 0 for the others; and what
    rounding can hide of where it is."""
    jointed = np.flatnonzero((frame > 0) & (frame < tree.frames))
    bodies = [MovingBody(str(i), int(frame[i]), centre[i : i + 1]) for i in jointed]
    bound = MotionBound(tree, bodies)
    low, high = tree.lower - ENCODER_TOLERANCE, tree.upper + ENCODER_TOLERANCE
    motion = bound.curve(low, high, speed, acceleration)
    fastest, sharpest = np.zeros(len(frame)), np.zeros(len(frame))
    blur = PATH_ROUNDING * np.abs(centre).sum(axis=1)
    for i, body in zip(jointed, bodies, strict=True):
        pair = bound.pair(body.name)
        fastest[i], sharpest[i] = motion.length(pair), motion.curvature(pair)
        blur[i] += PATH_ROUNDING * bound.extent[frame[i]]
        if not np.isfinite([fastest[i], sharpest[i], blur[i]]).all():
            raise PredictError(
                "a link that can get endlessly far or fast",
                element=tree.frame_joint[frame[i]],
                value=(float(fastest[i]), float(sharpest[i])),
                allowed="joints with limits, finite speeds and accelerations",
            )
    return fastest, sharpest, blur


def _of_mover(name: str, given: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    if name not in given:
        raise PredictError(
            "a moving body without bounds",
            element=f"moving[{name!r}]",
            allowed="its largest speed [m/s] and acceleration [m/s²]",
        )
    try:
        speed, acceleration = given[name]
    except (TypeError, ValueError) as error:
        raise PredictError(
            "not two numbers",
            element=f"moving[{name!r}]",
            value=given[name],
            allowed="speed [m/s], acceleration [m/s²]",
        ) from error
    return (
        amount(f"speed of moving[{name!r}]", speed, PredictError, "m/s"),
        amount(f"acceleration of moving[{name!r}]", acceleration, PredictError, "m/s²"),
    )


def _off(
    model: Model, reasons: Mapping[tuple[str, str], str], owner: IntArray, frame: IntArray
) -> IntArray:
    """Pairs of spheres on one frame, or of bodies that may touch."""
    spheres = [np.flatnonzero(owner == i) for i in range(len(model.names))]
    found = [np.zeros((0, 2), dtype=np.int64)]
    for one_frame in np.unique(frame):
        same = np.flatnonzero(frame == one_frame)
        first, second = np.triu_indices(len(same), 1)
        found.append(np.stack([same[first], same[second]], axis=1))
    for a, b in reasons:
        i, j = model.index[a], model.index[b]
        if model.frame[i] != model.frame[j]:
            both = np.meshgrid(spheres[i], spheres[j], indexing="ij")
            pairs = np.stack([side.ravel() for side in both], axis=1)
            found.append(np.sort(pairs, axis=1))
    return np.concatenate(found)


def _twists(twists: ArrayLike | None, count: int) -> Array:
    if twists is None:
        return np.zeros((count, 6))
    allowed = f"({count}, 6) finite numbers: angular, then linear velocity of each moving body"
    given = numbers("twists", twists, allowed)
    if given.shape != (count, 6) or not np.isfinite(given).all():
        raise PredictError("wrong shape", element="twists", value=given.shape, allowed=allowed)
    return given


#: Points around the polytope within a curved shape, in which spheres are to have their centres.
_AROUND = 24

#: Capsules that a shape which is none is covered by first.
_CAPSULES = 2


def spheres_of_primitive(
    primitive: Primitive, largest: float, *, inside: bool
) -> tuple[Array, Array]:
    """`spheres_of` a primitive in its frame, `drawn_in` where they are to have their centres
    inside; kept for as long as the primitive is."""
    kept = _KEPT.setdefault(primitive, {})
    if (largest, inside) not in kept:
        shape, pose = primitive.shape, primitive.pose
        found = spheres_of(shape, pose, largest)
        kept[largest, inside] = drawn_in(shape, pose, *found) if inside else found
    return kept[largest, inside]


def spheres_of(shape: Shape, pose: Array, largest: float) -> tuple[Array, Array]:
    """Centres (n, 3) in the frame that ``pose`` is given in, and radii, [m], of spheres that hold a
    bounded shape; none has more than ``largest``, or SPHERE_GROWTH times that of the shape's own
    capsules where these are thicker. Boxes are split into cells, cylinders into slices; polyhedra
    and meshes are covered by two capsules first."""
    if isinstance(shape, Box):
        centres, radii = _of_box(shape, largest)
    elif isinstance(shape, Sphere | Capsule):
        length = shape.length if isinstance(shape, Capsule) else 0.0
        centres, radii = _of_capsule(shape.radius, length, largest)
    elif isinstance(shape, Cylinder):
        centres, radii = _of_cylinder(shape.radius, shape.length, largest)
    else:
        found = []
        for capsule, local in cover_shapes([(shape, IDENTITY)], count=_CAPSULES).capsules:
            along, radii = _of_capsule(capsule.radius, capsule.length, largest)
            found.append((along @ local[:3, :3].T + local[:3, 3], radii))
        centres = np.concatenate([c for c, _ in found])
        radii = np.concatenate([r for _, r in found])
    placed = centres @ pose[:3, :3].T + pose[:3, 3]
    lengths = radii + np.abs(centres).sum(axis=1) + np.abs(pose[:3, 3]).sum()
    return placed, radii + BOX_ROUNDING * EPS * lengths


def drawn_in(shape: Shape, pose: Array, centres: Array, radii: Array) -> tuple[Array, Array]:
    """The same spheres with their centres within the convex hull of the shape, and as much larger
    as the centres had to move."""
    if isinstance(shape, Polyhedron | Mesh):
        points = shape.core()[0]
    elif layout.is_general(shape.kind):
        points = surface_points(shape, _AROUND)
    else:
        return centres, radii
    points = points @ pose[:3, :3].T + pose[:3, 3]
    try:
        hull: Polyhedron | None = Polyhedron(points)
    except ShapeError:  # flat
        hull = None
    probe = Sphere(SMALLEST_SIZE)
    placed, grown = centres.copy(), radii.copy()
    for k, centre in enumerate(centres):
        nearest = points[np.linalg.norm(points - centre, axis=1).argmin()]
        if hull is not None:
            at = np.eye(4)
            at[:3, 3] = centre
            found = distance(probe, at, hull, None)
            if found.value <= -SMALLEST_SIZE:
                continue
            if found.exact:
                nearest = found.point_b
        placed[k] = nearest
        grown[k] += float(np.linalg.norm(centre - nearest)) * (1.0 + BOX_ROUNDING * EPS)
    return placed, grown


def _of_capsule(radius: float, length: float, largest: float) -> tuple[Array, Array]:
    """Spheres of one radius ``rho`` in a row. The outermost are ``rho - r`` from the ends of the
    axis, so that they hold the caps; neighbours are ``2 sqrt(rho² - r²)`` apart at most, so that
    they meet no nearer to the axis than ``r``."""
    rho = max(largest, SPHERE_GROWTH * radius)
    half = 0.5 * length - (rho - radius)
    if half <= 0.0:
        return np.zeros((1, 3)), np.array([radius + 0.5 * length])
    count = 1 + math.ceil(half / math.sqrt((rho - radius) * (rho + radius)))
    centres = np.zeros((count, 3))
    centres[:, 2] = np.linspace(-half, half, count)
    return centres, np.full(count, rho)


def _of_cylinder(radius: float, length: float, largest: float) -> tuple[Array, Array]:
    """Spheres in a row, one around each of several slices of equal height."""
    rho = max(largest, SPHERE_GROWTH * radius)
    count = math.ceil(0.5 * length / math.sqrt((rho - radius) * (rho + radius)))
    half = 0.5 * length / count
    centres = np.zeros((count, 3))
    centres[:, 2] = (2.0 * np.arange(count) + 1.0 - count) * half
    return centres, np.full(count, math.hypot(radius, half))


def _of_box(box: Box, largest: float) -> tuple[Array, Array]:
    """One sphere around each cell. An axis is split until cells are as wide as a cube in a sphere
    of the ``largest`` radius."""
    size = np.asarray(box.size, dtype=float)
    counts = np.maximum(1, np.ceil(size * (math.sqrt(3.0) / (2.0 * largest)))).astype(int)
    cell = size / counts
    axes = [(np.arange(n) + 0.5) * c - 0.5 * s for n, c, s in zip(counts, cell, size)]
    centres = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    return centres, np.full(len(centres), 0.5 * float(np.linalg.norm(cell)))
