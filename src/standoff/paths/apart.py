"""Which pairs of a cell can never touch within the joint limits: proved, refuted or open."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from standoff.cell.allowed import Pair, ordered
from standoff.cell.cell import Cell
from standoff.cell.unit_checks import warn_gaps
from standoff.defaults import USUAL_APART_BUDGET
from standoff.errors import PathError, UnknownNameError
from standoff.geometry.distance import distance
from standoff.geometry.narrowphase.layout import FLAGS, MESH, OPEN_SOLID
from standoff.geometry.pose import Array
from standoff.paths.apart_problem import Problem
from standoff.paths.kernels import apart_tables as p
from standoff.paths.kernels.apart import search_apart
from standoff.paths.options import length
from standoff.paths.path_search import Progress
from standoff.scalars import function, instance, whole

__all__ = ["Apart", "CanTouch", "ProvedApart", "StaysOpen", "prove_apart"]

#: Boxes between two looks at the outside world, for progress and for an interrupt.
_SLICE = 1000


def prove_apart(
    cell: Cell,
    pairs: Iterable[Pair] | None = None,
    *,
    clearance: float = 0.0,
    budget: int = USUAL_APART_BUDGET,
    progress: Progress | None = None,
) -> Apart:
    """Which pairs can never touch, whatever their joints do within the limits: by branch and bound
    over boxes of joint values.

    A pair is *apart* where a bound on the motion keeps it farther apart than ``clearance`` on every
    box, at each configuration in it and not at samples; *touching* where a configuration was found
    at which it is not farther apart than that, within rounding; *open* where neither came out. Only
    the joints between the two bodies matter, all joints of two robots. A continuous joint goes all
    the way around; a mimic joint follows its master, whatever limits it has itself. Attached bodies
    count where they are attached now, and static ones where they are. Nothing can be proved of
    bodies that move freely, nor of joints without limits.

    The joints' limits are the cell's, and ENCODER_TOLERANCE beyond: a proof says nothing about a
    robot that leaves them.

    Args:
        pairs: names of two links or bodies each; all pairs that are watched by default.
        clearance: >= 0, [m].
        budget: boxes that the search may look at for each pair before it stays open; for one with
            meshes as many of their convex hulls first.
        progress: called now and then with the share of the work that is done.

    Raises:
        PathError: a parameter that makes no sense, or a pair that cannot move.
        UnknownNameError: a name nobody bears, or a link without geometry.
    """
    instance("cell", cell, PathError, Cell)
    report = function("progress", progress, PathError, "the share that is done")
    gap = length(clearance, "clearance", least=0.0)
    warn_gaps(cell, {"clearance": gap})
    most = whole("budget", budget, PathError, 1)
    if pairs is None:
        cell.check_watched()
    asked = list(cell.pairs.watched()) if pairs is None else _named(cell, pairs)
    found: list[ProvedApart | CanTouch | StaysOpen] = []
    for k, (a, b) in enumerate(asked):

        def advance(share: float, done: int = k) -> None:
            report((done + share) / len(asked))

        found.append(_prove(cell, a, b, gap, most, advance))
        advance(1.0)
    return Apart(
        clearance=gap,
        apart=tuple(x for x in found if isinstance(x, ProvedApart)),
        touching=tuple(x for x in found if isinstance(x, CanTouch)),
        open=tuple(x for x in found if isinstance(x, StaysOpen)),
    )


def _prove(
    cell: Cell, a: str, b: str, clearance: float, budget: int, progress: Progress
) -> ProvedApart | CanTouch | StaysOpen:
    tree, model = cell.tree, cell.model
    for name in (a, b):
        if model.frame_of(name) >= tree.frames:
            return StaysOpen(a, b, f"{name} moves freely: its pose is given each cycle")
    problem = Problem(model, a, b, clearance)
    if problem.endless is not None:
        return StaysOpen(a, b, problem.endless)
    status, begun = p.SPENT, 0.0
    if any(x.shape.kind == MESH for name in (a, b) for x in model.entries[name].primitives):
        # A distance of hulls takes microseconds, one of meshes milliseconds, and most pairs that
        # are apart are so with their hulls.
        hulls = Problem(model, a, b, clearance, outer=True)
        status = _search(hulls, budget, lambda share: progress(0.5 * share))
        begun = 0.5
    if status == p.APART:
        problem = hulls
    else:
        status = _search(
            problem, budget, lambda share: progress(begun + (1.0 - begun) * share)
        )  # fmt: skip
    found = problem.tables.header
    if status == p.APART:
        digest = cell.proof_digest(a, b)
        return ProvedApart(a, b, clearance, float(found.separation), int(found.boxes), digest)
    q, joints = cell.q, tuple(tree.joints[i] for i in problem.joints)
    q[list(problem.joints)] = problem.tables.joints.nearest
    if status == p.TOUCHING:
        value, point_a, point_b = _witness(cell, a, b, q)
        return CanTouch(a, b, q, joints, value + 0.0, point_a, point_b)
    reason = f"the budget of {budget:,} boxes is spent"
    if status == p.STUCK:
        reason = "it comes nearer to the clearance than rounding can tell"
        if (problem.tables.bodies.refs[:, FLAGS] & OPEN_SOLID).any():
            reason = "their convex hulls meet, and one is an open mesh that counts as solid"
    nearest, boxes = float(found.nearest), int(found.boxes)
    if not math.isfinite(nearest):
        return StaysOpen(a, b, reason, boxes=boxes)
    return StaysOpen(a, b, reason, boxes=boxes, nearest=nearest, q=q, joints=joints)


def _search(problem: Problem, budget: int, progress: Progress) -> int:
    header = problem.tables.header
    while True:
        header.budget = min(budget, int(header.boxes) + _SLICE)
        status = int(search_apart(problem.tables.address))
        if status == p.FULL:
            problem.grow()
        elif status != p.SPENT or header.budget >= budget:
            return status
        else:
            progress(int(header.boxes) / budget)


def _witness(cell: Cell, a: str, b: str, q: Array) -> tuple[float, Array, Array]:
    """The nearest two parts at a configuration: distance, and a point of each body."""
    state = cell.state(q)
    placed = [state.placed(name) for name in (a, b)]
    nearest = min(
        (distance(x, at, y, there) for x, at in placed[0] for y, there in placed[1]),
        key=lambda d: d.distance,
    )
    return nearest.distance, nearest.point_a, nearest.point_b


def _named(cell: Cell, pairs: Any) -> list[Pair]:
    """The pairs asked for, each once."""
    if isinstance(pairs, (str, bytes)) or not isinstance(pairs, Iterable):
        raise PathError("not pairs", element="pairs", value=pairs, allowed='[("a", "b"), ...]')
    found: dict[Pair, Pair] = {}
    for pair in pairs:
        if not (isinstance(pair, (tuple, list)) and len(pair) == 2):
            raise PathError("not a pair", element="pairs", value=pair, allowed='("a", "b")')
        a, b = pair
        for name in (a, b):
            if not isinstance(name, str) or name not in cell.model.index:
                raise UnknownNameError(str(name), cell.model.names, what="name", element="pairs")
        if cell.model.frame_of(a) == cell.model.frame_of(b):
            raise PathError(
                "nothing between the two moves", element="pairs", value=(a, b),
                allowed="two that move against each other",
            )  # fmt: skip
        found.setdefault(ordered(a, b), (a, b))
    return list(found.values())


@dataclass(frozen=True)
class ProvedApart:
    """Two bodies that are never as near as the clearance: the answer that is `apart`.

    Attributes:
        clearance: that was asked for, [m].
        distance: they are at least so far apart, [m]; more than the clearance.
        boxes: of joint values that the proof looked at.
        proof: the `Cell.proof_digest` of what was proved.
    """

    a: str
    b: str
    clearance: float
    distance: float
    boxes: int
    proof: str

    apart: ClassVar[bool] = True

    @property
    def reason(self) -> str:
        """Why the pair may be allowed."""
        gap = f"more than {1e3 * self.clearance:g} mm " if self.clearance > 0.0 else ""
        count = f"{self.boxes:,} box" + ("" if self.boxes == 1 else "es")
        return f"proved {gap}apart within the joint limits by {count}"


@dataclass(frozen=True, eq=False)
class CanTouch:
    """Two bodies that come as near as the clearance, or touch, and where.

    Attributes:
        q: a configuration within the limits, in the order of ``cell.joints``; joints that do not
            move the two against each other are where the cell has them.
        joints: names of those that do.
        distance: at ``q``, the first configuration found, and not the smallest that there is, [m];
            negative where they overlap, above 0 where they only come as near as the clearance.
        point_a, point_b: where, in the world.
    """

    a: str
    b: str
    q: Array
    joints: tuple[str, ...]
    distance: float
    point_a: Array
    point_b: Array
    apart: ClassVar[bool] = False

    def __bool__(self) -> bool:
        return self.apart


@dataclass(frozen=True, eq=False)
class StaysOpen:
    """Two bodies of which nothing is known, and why; they are to be watched.

    Attributes:
        boxes: that were looked at.
        nearest: the smallest distance that was found, [m], at ``q``; None where none was measured.
        joints: names of the joints that move the two against each other.
    """

    a: str
    b: str
    reason: str
    boxes: int = 0
    nearest: float | None = None
    q: Array | None = None
    joints: tuple[str, ...] = ()
    apart: ClassVar[bool] = False

    def __bool__(self) -> bool:
        return self.apart


@dataclass(frozen=True, eq=False)
class Apart:
    """All pairs that were asked about, in the order in which they are watched. True where all are
    `proved` apart.

    Attributes:
        clearance: that apart means, [m].
    """

    clearance: float
    apart: tuple[ProvedApart, ...]
    touching: tuple[CanTouch, ...]
    open: tuple[StaysOpen, ...]

    @property
    def proved(self) -> bool:
        """Whether every pair that was asked about is proved apart."""
        return not self.touching and not self.open

    def __bool__(self) -> bool:
        return self.proved

    def allow(self, cell: Cell) -> None:
        """Allow every pair that was proved apart, with the proof as the reason.

        Each is allowed for as long as it is what was proved: a change of a shape, of a joint
        between the two or of its limits has it watched again. An allowed pair is not looked at,
        however near it comes beyond the clearance of the proof. Beyond `Cell.proof_limits` the
        monitor has a fault, and a path checker refuses the motion.

        Raises:
            PathError: a pair of this cell is not what was proved; nothing is allowed then.
        """
        for pair in self.apart:
            known = {pair.a, pair.b} <= set(cell.model.index)
            if not known or cell.proof_digest(pair.a, pair.b) != pair.proof:
                raise PathError("not what was proved apart", value=(pair.a, pair.b))
        for pair in self.apart:
            cell.allow(pair.a, pair.b, pair.reason, proof=pair.proof)

    def __repr__(self) -> str:
        return (
            f"<Apart: {len(self.apart)} pairs proved, {len(self.touching)} can touch, "
            f"{len(self.open)} open>"
        )
