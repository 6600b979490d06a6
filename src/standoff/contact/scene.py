"""Bodies in one scene, stepped: contacts, forces and moments."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from standoff.compiled.arenas import Arena
from standoff.contact.body import Body
from standoff.contact.kernels import layout, nearest
from standoff.contact.kernels.between import take_rates
from standoff.contact.kernels.step import FULL, PASSED_UNIT, step
from standoff.contact.material import Material
from standoff.contact.result import CONTACT_BYTES, FOUND_BYTES, ContactStep, Owners
from standoff.contact.tables import ROOM, Given, Intake, arena_of, bytes_of
from standoff.errors import CellError, DuplicateNameError, PoseError, UnknownNameError
from standoff.geometry.narrowphase.convex import CONVEX_IWORK, CONVEX_WORK
from standoff.geometry.pose import Array, as_pose, vector
from standoff.geometry.shape import Shape
from standoff.tolerances import CONTACT_FASTEST


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

    - Bodies that start deep inside each other part the shortest way; one wholly inside the other is
      found by a point test.
    - Resting contact: a vertex keeps its face from step to step, also when it has sunk through a
      thin plate, until it is no longer behind the face or beside it.
    - Faces flush on each other, a vertex on a vertex: contacts at one point with one normal are
      one, the deepest. Parallel edges do not cross; the vertices at their ends are in contact.
    - No vertex inside and no edges that cross (a nail through a board), or only such as are less
      deep than the way out: one contact of the bodies as a whole makes up for what is lacking.
    - Bodies that pass through each other between two steps are in ``passed``, and those in contact
      at the first that left another way than along their normal; see ``continuous``.
    - A body that was added after a step has no way behind it until its own first step.

    Args:
        continuous: look at the motion between two steps of pairs that moved by more than half the
            inner radius of the thinner one. Slower motion cannot pass through, though it may graze.
        pulls: whether damping may make a normal force negative, as the paper's (1) has it; here it
            ends at 0 unless asked for.
    """

    def __init__(self, *, continuous: bool = True, pulls: bool = False) -> None:
        self._continuous, self._pulls = bool(continuous), bool(pulls)
        self._bodies: dict[str, Body] = {}
        self._materials: dict[str, Material] = {}
        self._numbers: dict[str, int] = {}
        self._moving: dict[str, bool] = {}
        self._arena: Arena | None = None
        self._room, self._passed_room = ROOM, ROOM
        self._rel = np.zeros(12)
        self._work, self._iwork = np.zeros(CONVEX_WORK), np.zeros(CONVEX_IWORK, dtype=np.int64)
        self._address: int | None = None
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
                ``"auto"`` for a shape.
        """
        if not isinstance(name, str) or not name:
            raise CellError("no name of a body", element="Scene.add", value=name)
        if name in self._bodies:
            raise DuplicateNameError("name is taken", element="Scene.add", value=name)
        material = Material.checked(name, stiffness, damping, friction, coulomb)
        if math.isinf(material.stiffness):
            rigid = [n for n, m in self._materials.items() if math.isinf(m.stiffness)]
            if any(moving or self._moving[n] for n in rigid):
                raise CellError(
                    f"both {name!r} and {rigid[0]!r} would be rigid",
                    element=f"{name}.stiffness",
                    value=stiffness,
                    allowed="an infinite stiffness for bodies that never meet another such",
                )
        place = as_pose(pose, f"{name}.pose")
        body = shape if isinstance(shape, Body) else Body(shape, levels="auto")
        if levels is not None:
            body = body.with_levels(levels)
        body.trees  # noqa: B018 - what is wrong with it is raised here
        places, history = self._places(), self._history()
        self._bodies[name], self._materials[name] = body, material
        self._moving[name] = bool(moving)
        self._rebuild(places | {name: place}, history)
        return body

    def remove(self, name: str) -> None:
        """Takes a body out; the contacts of all others go on."""
        self._known(name)
        places, history = self._places(), self._history()
        for table in (self._bodies, self._materials, self._moving):
            del table[name]
        self._rebuild(places, history)

    def forget(self) -> None:
        """Begin anew, as if there had been no step: for bodies that were put elsewhere."""
        if self._arena is not None:
            state = self._arena["state"]
            state[layout.OLD_COUNT, 0] = state[layout.HAS_BEFORE, 0] = 0
            self._arena["was_there"].fill(0)
            self._arena["parted"].fill(0)

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
            dt = _seconds(dt)
        if self._arena is None:
            return self._nothing(poses, velocities)
        try:
            self._take(poses, velocities, dt)
            told: int = step(*(self._tables or self._ready()))
            while told < 0:
                if told == FULL:
                    self._grow()
                else:
                    self._mend(FULL - 1 - told)
                told = self._run()
        except BaseException:
            self._arena["given"][:] = self._arena["held"]
            raise
        if told == 0:
            return ContactStep(self._owners, self._cost.tobytes())
        return self._result(told)

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
        if dt is None or not self._state[layout.HAS_BEFORE, 0]:
            self._twists.table.fill(0.0)
        else:
            take_rates(self._F, self._W, dt)
        if velocities is not None:
            self._twists.take(velocities)

    def _run(self) -> int:
        told: int = step(*(self._tables or self._ready()))
        return told

    def _ready(self) -> tuple[Any, ...]:
        """What the kernel is called with; made at the first step, as it takes a compiler."""
        if self._address is None:
            self._address = nearest.address()
        self._tables = (self._address, self._F, self._W, self._rel, self._work, self._iwork)
        return self._tables

    def _mend(self, number: int) -> None:
        """What the kernel did not take: the nearest rigid motion, or why there is none."""
        if number >= len(self.names):
            raise PoseError(
                "a force that is not finite",
                element=self.names[number - len(self.names)],
                value=self._forces[number - len(self.names)].tolist(),
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
        assert self._arena is not None
        held = self._arena["held"][number].reshape(4, 4)
        if not self._moving[name] and not np.array_equal(poses[number], held):
            raise PoseError(
                "another pose for a body that stands still",
                element=f"poses[{name!r}]",
                value=poses[number].tolist(),
                allowed=f"the pose that Scene.add({name!r}, ...) was given, none, or moving=True",
            )

    def _result(self, told: int) -> ContactStep:
        """What the kernel left, copied: the next step writes over it."""
        count, passed = told % PASSED_UNIT, told // PASSED_UNIT
        touching = (
            self._forces.copy(),
            self._contacts[: count * CONTACT_BYTES].tobytes(),
            self._found[: count * FOUND_BYTES].tobytes(),
            self._passed[:passed].tobytes() if passed else b"",
        )
        return ContactStep(self._owners, self._cost.tobytes(), touching)

    def _grow(self) -> None:
        assert self._arena is not None
        self._room = max(self._room, 2 * int(self._state[layout.COUNT, 0]))
        self._passed_room = max(self._passed_room, 2 * int(self._state[layout.PASSED_COUNT, 0]))
        names = ("contacts", "old", "found", "earlier")
        rows = dict.fromkeys(names, self._room) | {"passed": self._passed_room}
        self._use(self._arena.grown(rows))

    def _use(self, arena: Arena) -> None:
        """Views of the tables that each step reads or writes: looking them up would take as long
        as finding out that nothing touches."""
        self._arena, self._F, self._W = arena, arena.F, arena.W
        names = self.names
        self._poses = Intake(arena["given"].reshape(-1, 4, 4), names, "poses", as_pose)
        self._twists = Intake(arena["twists"], names, "velocities", _twist)
        self._state, self._cost, self._forces = arena["state"], arena["cost"], arena["forces"]
        self._contacts, self._found = bytes_of(arena["contacts"]), bytes_of(arena["found"])
        self._passed, self._tables = arena["passed"], ()
        self._at_rest = False
        self._owners = Owners(names, arena["pieces"][:, layout.BODY].copy(), self._numbers)

    def _rebuild(self, places: Mapping[str, Array], history: dict[str, Any]) -> None:
        self._numbers = {name: number for number, name in enumerate(self._bodies)}
        if not self._bodies:
            self._arena = None
            return
        arena = arena_of(tuple(self._bodies.values()), self._room, self._passed_room)
        for number, (name, material) in enumerate(self._materials.items()):
            arena["material"][number, 1:] = (*material.row, float(self._moving[name]))
            arena["held"][number] = arena["given"][number] = places[name].reshape(-1)
        arena["state"][layout.CONTINUOUS, 0] = self._continuous
        arena["state"][layout.PULLS, 0] = self._pulls
        self._use(arena)
        self._remember(arena, history)

    def _places(self) -> dict[str, Array]:
        """By name the pose last given."""
        if self._arena is None:
            return {}
        return dict(zip(self._bodies, self._arena["held"].reshape(-1, 4, 4).copy()))

    def _history(self) -> dict[str, Any]:
        """What the last step left, by names: bodies come and go."""
        arena = self._arena
        if arena is None or not arena["state"][layout.HAS_BEFORE, 0]:
            return {}
        count = int(arena["state"][layout.OLD_COUNT, 0])
        return {
            "before": {
                name: place
                for name, place, there in zip(
                    self._bodies, arena["before"].copy(), arena["was_there"][:, 0].tolist()
                )
                if there
            },
            "old": arena["old"][:count].copy(),
            "earlier": arena["earlier"][:count].copy(),
            "pieces": self._piece_numbers(),
        }

    def _remember(self, arena: Arena, history: dict[str, Any]) -> None:
        if not history:
            return
        now = self._piece_numbers()
        numbers = {k: now[owner] for owner, k in history["pieces"].items() if owner in now}
        earlier = history["earlier"]
        stays = [k for k, row in enumerate(earlier) if row[0] in numbers and row[1] in numbers]
        arena["old"][: len(stays)] = history["old"][stays]
        for k, row in enumerate(stays):
            pair = [numbers[int(piece)] for piece in earlier[row, :2]]
            arena["earlier"][k] = (*pair, *earlier[row, 2:])
        for name, place in history["before"].items():
            if name in self._numbers:
                arena["before"][self._numbers[name]] = place
                arena["was_there"][self._numbers[name], 0] = 1
        arena["state"][layout.OLD_COUNT, 0] = len(stays)
        arena["state"][layout.HAS_BEFORE, 0] = 1

    def _piece_numbers(self) -> dict[tuple[str, int], int]:
        owners = [(name, k) for name, body in self._bodies.items() for k in range(len(body.pieces))]
        return {owner: number for number, owner in enumerate(owners)}

    def _known(self, name: str) -> str:
        if not isinstance(name, str) or name not in self._bodies:
            raise UnknownNameError(name, self._bodies, what="body")
        return name


def _seconds(dt: Any) -> float:
    number = isinstance(dt, (int, float, np.integer, np.floating)) and not isinstance(dt, bool)
    if not number or not 0.0 < dt < math.inf:
        raise PoseError("no time", element="dt", value=dt, allowed="seconds above 0")
    return float(dt)


def _twist(value: ArrayLike, element: str) -> Array:
    return vector(value, 6, element)


_NOBODY = Owners((), np.zeros(0, dtype=np.int64), {})
_NO_COST = bytes(8 * layout.COST_ROWS)
