"""Bodies in one scene, stepped: contacts, forces and moments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.compiled.by_address import address_of
from standoff.contact.body import Body
from standoff.contact.kernels.scene_tables import COST, STEP, ScratchTables, StateTables
from standoff.contact.kernels.step import FULL, NO_FORCE, NOTHING, TOUCHING, step, take_rates
from standoff.contact.packing import (
    Given,
    Intake,
    bytes_of,
    scene_tables,
    scratch_tables,
    state_tables,
)
from standoff.contact.result import CONTACT_BYTES, ContactStep, Owners
from standoff.errors import CellError, DuplicateNameError, PoseError, UnknownNameError
from standoff.geometry.narrowphase.dispatch import general_address
from standoff.geometry.pose import Array, as_pose, vector
from standoff.geometry.shape import Shape
from standoff.scalars import amount, number
from standoff.tolerances import CONTACT_FASTEST

#: Rows of the tables of contacts and of passed pairs to begin with; they grow.
ROOM = 256

#: Where in the counts of a step is what it found. They are read as plain numbers: a field of a
#: record takes a microsecond, as long as a whole step of six bodies that do not touch.
_CONTACTS, _PASSED, _HAS_BEFORE = (
    list(STEP.fields or ()).index(name) for name in ("contacts", "passed", "has_before")
)


class Scene:
    """Bodies that touch each other.

    Each step finds the elemental contacts of paper 003: vertices on faces, edges on edges, and
    spheres on features; force (1) at each, and the sums on every body. Contacts exist exactly when
    two bodies overlap; touching without overlap (a depth of 0) is no contact. Two bodies that both
    stand still are not tried against each other, and take no other pose than their first.

    The direction in which two bodies part is that of last step's contacts, as long as these hold
    and have not grown to four times the shortest way out beside it; for a new pair it is the
    shortest way out, or, where the bodies were so fast that this leads out elsewhere, the normal at
    their first touch. Every contact pushes that way. Faces between pieces of one body are no way
    out, and a piece that comes in beside others is pushed the way they are.

    Contacts at one point with one normal are one, the deepest; docs/contact.md lists the other
    special cases. A body that was added after a step has no way behind it until its own first step.

    Args:
        continuous: look at the motion between two steps of pairs that moved by more than half the
            inner radius of the thinner one. Slower motion cannot pass through, though it may graze.
        pulls: whether damping may make a normal force negative, as the paper's (1) has it; here it
            ends at 0 unless asked for.
    """

    def __init__(self, *, continuous: bool = True, pulls: bool = False) -> None:
        self._continuous, self._pulls = bool(continuous), bool(pulls)
        self._bodies: dict[str, Body] = {}
        self._materials: dict[str, tuple[float, float, float, float]] = {}
        self._numbers: dict[str, int] = {}
        self._moving: dict[str, bool] = {}
        self._pieces: list[tuple[str, int]] = []
        self._state: StateTables | None = None
        self._room, self._passed_room = ROOM, ROOM
        self._at_rest = False
        self._tables: tuple[Any, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The bodies, in the order in which they were added."""
        return tuple(self._bodies)

    def body(self, name: str) -> Body:
        """A body by its name."""
        self._known(name)
        return self._bodies[name]

    def add(
        self,
        name: str,
        shape: Shape | Body,
        *,
        pose: ArrayLike | None = None,
        moving: bool = True,
        stiffness: float = 1e4,
        damping: float = 0.0,
        friction: float = 0.0,
        coulomb: float | None = None,
        levels: Any = None,
    ) -> Body:
        """A body with its material; returns the `Body`.

        Args:
            pose: of the shape's own frame, 4 x 4; it stays until `step` gives another.
            moving: False for a body that stands still where ``pose`` says; `step` refuses another.
                Any body may be left out there.
            stiffness: [N/m], each contact; infinite for a rigid body. Two bodies are springs in
                series, K = Ka Kb / (Ka + Kb), so one of them may be rigid and not both.
            damping: [N s/m] of that spring; of a pair, each with the square of the share of the
                approach that its spring takes up: (Kb / (Ka + Kb))² Ba + (Ka / (Ka + Kb))² Bb.
            friction: viscous, [N s/m]; of a pair the mean.
            coulomb: the force across is at most this times the normal force, [-]; of a pair the
                mean, or the one that is given. Up to there contacts stick: with it there is a
                spring with its damper across the normal, as stiff as the one along it, beside the
                viscous friction.
            levels: depth of the octrees, see `Body`; ``None`` leaves those of a `Body`, and is
                0 for a shape.
        """
        if not isinstance(name, str) or not name:
            raise CellError("no name of a body", element="Scene.add", value=name)
        if name in self._bodies:
            raise DuplicateNameError("name is taken", element="Scene.add", value=name)
        material = _material(name, stiffness, damping, friction, coulomb)
        if math.isinf(material[0]):
            rigid = [n for n, m in self._materials.items() if math.isinf(m[0])]
            if any(moving or self._moving[n] for n in rigid):
                raise CellError(
                    f"both {name!r} and {rigid[0]!r} would be rigid",
                    element=f"{name}.stiffness",
                    value=stiffness,
                    allowed="an infinite stiffness for bodies that never meet another such",
                )
        place = as_pose(pose, f"{name}.pose")
        body = shape if isinstance(shape, Body) else Body(shape)
        if levels is not None:
            body = body.with_levels(levels)
        body.trees  # noqa: B018 - what is wrong with it is raised here
        self._bodies[name], self._materials[name] = body, material
        self._moving[name] = bool(moving)
        self._rebuild({name: place})
        return body

    def remove(self, name: str) -> None:
        """Takes a body out; the contacts of all others go on."""
        self._known(name)
        for table in (self._bodies, self._materials, self._moving):
            del table[name]
        self._rebuild({})

    def forget(self) -> None:
        """Begin anew, as if there had been no step: for bodies that were put elsewhere."""
        if self._state is not None:
            self._state.step.old = self._state.step.has_before = 0
            self._state.was_there.fill(0)
            self._state.parted["pair"] = 0

    def step(
        self,
        poses: Given | None = None,
        velocities: Given | None = None,
        dt: float | None = None,
    ) -> ContactStep:
        """One step.

        Args:
            poses: by name, 4 x 4, of the shapes' own frames; who is left out stays. Or all of them
                as one array, (n, 4, 4) in the order of `names`, which takes less time.
            velocities: by name six numbers: velocity of the *centroid* [m/s] and angular velocity
                [rad/s], world axes; 0 for who is left out. Or all of them as one array, (n, 6).
            dt: seconds since the last step; where given, bodies without a velocity get the one
                that follows from their last pose.

        Raises before anything is changed:
            UnknownNameError: a name that no body bears.
            PoseError: a pose that is none, or another one for a body that stands still, a velocity
                that is not six numbers of at most 1e9, an array of another shape, a force that is
                not finite.
        """
        if dt is not None:
            dt = number("dt", dt, PoseError, above=0.0, unit="s", problem="no time")
        if self._state is None:
            return self._nothing(poses, velocities)
        try:
            self._take(poses, velocities, dt)
            outcome: int = step(*(self._tables or self._ready()))
            while outcome != NOTHING and outcome != TOUCHING:
                if outcome == FULL:
                    self._grow()
                else:
                    self._mend(outcome)
                outcome = self._run()
        except BaseException:
            self._state.given[:] = self._state.held
            raise
        if outcome == NOTHING:
            return ContactStep(self._owners, self._cost.tobytes())
        return self._result()

    def _nothing(self, poses: Given | None, velocities: Given | None) -> ContactStep:
        """A step of an empty scene."""
        for given, argument in ((poses, "poses"), (velocities, "velocities")):
            if isinstance(given, Mapping):
                for name in given:
                    self._known(name)
            elif given is not None and np.size(given) > 0:
                raise PoseError("no bodies", element=argument, value=np.shape(given))
        return ContactStep(_NOBODY, _NO_COST)

    def _take(self, poses: Given | None, velocities: Given | None, dt: float | None = None) -> None:
        """Poses and velocities into their tables."""
        if poses is not None:
            self._poses.take(poses)
        if velocities is not None and dt is None:
            self._at_rest = False
            self._twists.take(velocities, True)
        elif dt is not None or not self._at_rest:
            self._take_rates(velocities, dt)

    def _take_rates(self, velocities: Given | None, dt: float | None) -> None:
        """Velocities that are not given, from the last poses or 0."""
        self._at_rest = dt is None
        if dt is None or not self._counts[_HAS_BEFORE]:
            self._twists.table.fill(0.0)
        else:
            take_rates(*(self._tables or self._ready())[:2], dt)
        if velocities is not None:
            self._twists.take(velocities)

    def _run(self) -> int:
        outcome: int = step(*(self._tables or self._ready()))
        return outcome

    def _ready(self) -> tuple[Any, ...]:
        """What the kernel is called with; made at the first step, as it takes a compiler."""
        assert self._state is not None
        self._scratch.pair.touch_at = address_of("contact.kernels.piece_pair.touch_pair")
        self._scratch.pair.distance_at = general_address()
        self._tables = (self._scene.address, self._state.address, self._scratch.address)
        return self._tables

    def _mend(self, outcome: int) -> None:
        """What the kernel did not take: the nearest rigid motion, or why there is none."""
        assert self._state is not None
        number = int(self._state.step.refused)
        if outcome == NO_FORCE:
            raise PoseError(
                "a force that is not finite",
                element=self.names[number],
                value=self._state.forces[number].tolist(),
                allowed="velocities, stiffness, damping and friction whose products are finite",
            )
        name, poses = self.names[number], self._poses.table
        poses[number] = as_pose(poses[number], f"poses[{name!r}]")
        twist = vector(self._twists.table[number], 6, f"velocities[{name!r}]")
        if np.abs(twist).max() > CONTACT_FASTEST:
            raise PoseError(
                "too fast",
                element=f"velocities[{name!r}]",
                value=twist.tolist(),
                allowed=f"up to {CONTACT_FASTEST:g} m/s and rad/s",
            )
        held = self._state.held[number].reshape(4, 4)
        if not self._moving[name] and not np.array_equal(poses[number], held):
            raise PoseError(
                "another pose for a body that stands still",
                element=f"poses[{name!r}]",
                value=poses[number].tolist(),
                allowed=f"the pose that Scene.add({name!r}, ...) was given, none, or moving=True",
            )

    def _result(self) -> ContactStep:
        """What the kernel left, copied: the next step writes over it."""
        passed = self._counts[_PASSED]
        touching = (
            self._forces.copy(),
            self._contacts[: self._counts[_CONTACTS] * CONTACT_BYTES].tobytes(),
            self._passed[:passed].tobytes() if passed else b"",
        )
        return ContactStep(self._owners, self._cost.tobytes(), touching)

    def _grow(self) -> None:
        """Room for twice as many contacts, pairs that passed and pairs of near bodies as there are,
        where there was not enough."""
        state, sweep = self._state, self._scratch.sweep
        assert state is not None
        self._room = max(self._room, 2 * self._counts[_CONTACTS])
        self._passed_room = max(self._passed_room, 2 * self._counts[_PASSED])
        if sweep.state.pairs > len(sweep.pairs):
            for name in ("pairs", "unsorted"):
                sweep.grow(name, 2 * int(sweep.state.pairs))
        for name, rows in (
            ("contacts", self._room), ("old", self._room), ("passed", self._passed_room)
        ):  # fmt: skip
            if rows > len(state.arrays[name]):
                state.grow(name, rows)
        self._view(state)

    def _view(self, state: StateTables) -> None:
        """Views of the tables that each step reads or writes: looking them up would take as long
        as finding out that nothing touches."""
        names = self.names
        self._state = state
        self._poses = Intake(state.given.reshape(-1, 4, 4), names, "poses", as_pose)
        self._twists = Intake(state.twists, names, "velocities", _twist)
        self._counts = state.arrays["step"].view(np.int64).data
        self._cost, self._forces = state.arrays["cost"].view(np.ndarray), state.forces
        self._contacts, self._passed = bytes_of(state.contacts), state.passed
        self._at_rest = False

    def _rebuild(self, placed: Mapping[str, Array]) -> None:
        """New tables, as bodies come and go: for bodies that stay with what the last step left,
        and others as ``placed``."""
        former, numbers, pieces = self._state, self._numbers, self._pieces
        self._numbers = {name: number for number, name in enumerate(self._bodies)}
        self._pieces = [(name, k) for name, b in self._bodies.items() for k in range(len(b.pieces))]
        self._tables = ()
        if not self._bodies:
            self._state = None
            return
        self._scene = scene_tables(tuple(self._bodies.values()))
        self._scratch: ScratchTables = scratch_tables(self._scene)
        state = state_tables(self._scene, self._room, self._passed_room)
        state.step.continuous, state.step.pulls = self._continuous, self._pulls
        for body, name in zip(self._scene.bodies, self._bodies):
            body.moves = self._moving[name]
            body.stiffness, body.damping, body.friction, body.coulomb = self._materials[name]
        self._scratch.sweep.moves[:] = self._scene.bodies["moves"]
        for name, place in placed.items():
            state.held[self._numbers[name]] = place.reshape(-1)
        if former is not None:
            stay = [name for name in self._numbers if name in numbers]
            here, there = ([n[name] for name in stay] for n in (self._numbers, numbers))
            state.held[here] = former.held[there]
            if former.step.has_before:
                state.before[here] = former.before[there]
                state.was_there[here] = former.was_there[there]
                self._remember(state, former, pieces)
        state.given[:] = state.held
        self._owners = Owners(self.names, self._scene.pieces["body"].copy(), self._numbers)
        self._view(state)

    def _remember(
        self, state: StateTables, former: StateTables, pieces: list[tuple[str, int]]
    ) -> None:
        """The contacts of the last step, of pieces that are still there; ``pieces`` are those of
        then."""
        now = {owner: number for number, owner in enumerate(self._pieces)}
        number = np.array([now.get(owner, -1) for owner in pieces])
        old = former.old[: former.step.old].copy()
        old["a"], old["b"] = number[old["a"]], number[old["b"]]
        old = old[(old["a"] >= 0) & (old["b"] >= 0)]
        state.old[: len(old)] = old
        state.step.old, state.step.has_before = len(old), 1

    def _known(self, name: str) -> str:
        if not isinstance(name, str) or name not in self._bodies:
            raise UnknownNameError(name, self._bodies, what="body")
        return name


def _material(
    name: str, stiffness: Any, damping: Any, friction: Any, coulomb: Any
) -> tuple[float, float, float, float]:
    """Stiffness, damping, friction and Coulomb's coefficient, negative for None, checked."""
    hard = number(
        f"{name}.stiffness", stiffness, CellError,
        above=0.0, most=math.inf, allowed="[N/m], above 0; infinite: rigid",
    )  # fmt: skip
    soft = amount(f"{name}.damping", damping, CellError, "N s/m")
    viscous = amount(f"{name}.friction", friction, CellError, "N s/m")
    if coulomb is None:
        return hard, soft, viscous, -1.0
    what = "not negative; None: no limit"
    sticks = number(f"{name}.coulomb", coulomb, CellError, least=0.0, allowed=what)
    return hard, soft, viscous, sticks


def _twist(value: ArrayLike, element: str) -> Array:
    return vector(value, 6, element)


_NOBODY = Owners((), np.zeros(0, dtype=np.int64), {})
_NO_COST = bytes(COST.itemsize)
