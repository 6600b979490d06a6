"""The world: robots at their bases, bodies, and who may touch whom."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol
from weakref import ref

import numpy as np
from numpy.typing import ArrayLike

from standoff.cell.allowed import USER, AllowedPair, Pair, Pairs, ordered, robot_pairs
from standoff.cell.body import Attachment, Body, moving_poses
from standoff.cell.model import Model, Note
from standoff.cell.nearest_pair import Nearest
from standoff.cell.proved import proof_digest, proof_limits
from standoff.cell.queries import (
    Clearance,
    jacobian,
    least_clearance,
    nearest,
    random_configuration,
)
from standoff.cell.state import State
from standoff.cell.stream import StreamRule, checked_rule
from standoff.defaults import USUAL_APART_BUDGET
from standoff.errors import CellError, RobotError, UnknownNameError
from standoff.geometry.mesh import Mesh
from standoff.geometry.pose import Array, as_pose, inverse, rigid
from standoff.geometry.shape import Shape, frozen
from standoff.names import as_path, check_name, check_text, listed
from standoff.robots.description import Robot
from standoff.robots.mounted import MountedRobot, read_mounted
from standoff.robots.simplify import Choice, GeometryName
from standoff.robots.tree import Mount, Tree
from standoff.scalars import flag

if TYPE_CHECKING:
    from standoff.paths.apart import Apart


class Compiled(NamedTuple):
    """One revision of a cell, as engines take it.

    Attributes:
        moving: the bodies whose poses are given each cycle, by name.
    """

    revision: int
    model: Model
    pairs: Pairs
    robots: tuple[str, ...]
    moving: Mapping[str, Body]


class Watcher(Protocol):
    """Receives the state of a cell, reading by reading; a `Monitor` is one."""

    def last_state(self) -> tuple[Mapping[str, float], Mapping[str, Array]] | None:
        """Joints and poses of moving bodies at the last reading, by name; None before the first."""


class Cell:
    """Robots, static and moving bodies, and the pairs that may touch.

    Names: a robot ``left``, its links ``left/link3``, a body ``table``. Poses are 4 x 4, row-major,
    in the world frame, metres. Every change either happens whole or raises and leaves the cell as
    it was; ``revision`` counts the changes, so that whoever watches a cell notices them.

    `add_robot` refuses a robot without any collision geometry. Monitor, path checker, planner and
    predictor refuse a cell without a pair to watch. ``unwatched="allow"`` accepts both: what is not
    watched is never reported.
    """

    def __init__(self, unwatched: Literal["refuse", "allow"] = "refuse") -> None:
        if unwatched not in ("refuse", "allow"):
            raise CellError("unwatched", value=unwatched, allowed="'refuse' or 'allow'")
        self.allows_unwatched = unwatched == "allow"
        self._robots: dict[str, MountedRobot] = {}
        self._bodies: dict[str, Body] = {}
        self._held: dict[str, Body] = {}  # those of them that links hold
        self._user: dict[Pair, str] = {}
        self._proofs: dict[Pair, str] = {}
        self._streams: tuple[StreamRule, ...] = ()
        self._tree: tuple[dict[str, MountedRobot], Tree] | None = None
        self._positions: dict[str, float] = {}
        self._pairs: tuple[int, Pairs] | None = None
        self._model: tuple[int, Model] | None = None
        self._nearest: tuple[int, Nearest] | None = None
        # What changed since the model was made; None: the robots, and so everything.
        self._journal: list[Note] | None = None
        self._own: tuple[tuple[Robot, ...], Mapping[Pair, str]] | None = None
        self._lock = threading.RLock()
        self._revision = 0
        self._watchers: tuple[ref[Watcher], ...] = ()

    def add_robot(
        self,
        urdf_path: str | Path,
        name: str | None = None,
        base: ArrayLike | None = None,
        srdf: str | Path | None = None,
        geometry: GeometryName = "auto",
        *,
        capsules_per_link: int = 2,
        search_paths: Iterable[str | Path] = (),
    ) -> str:
        """Add a robot from a URDF (or ``.xacro``) file, or ``builtin:panda`` and its like.

        Args:
            name: how its links are called, ``name/link``; the robot's own name by default.
            base: pose of its root link in the world.
            srdf: file whose ``disable_collisions`` become allowed pairs. A builtin model brings
                its own.
            geometry: ``auto`` (as written; a convex mesh as a polyhedron), ``mesh`` (as written),
                ``primitives`` (as written, each mesh covered by capsules), ``capsules`` (each
                link covered by up to ``capsules_per_link`` capsules), ``visual`` (as ``auto``, of
                the visual shapes of each link that has any).
            search_paths: folders in which packages of ``package://`` are looked for.

        Returns:
            The name under which the robot was added.

        Raises:
            RobotError: a robot without any collision geometry, unless the cell was made with
                ``unwatched="allow"``. Links with a visual alone are a Python warning.
        """
        at = as_pose(base, "base")
        if name is not None:
            self._new_name(name, "robot")
        choice = Choice(geometry, capsules_per_link)
        folders = tuple(as_path(p, "search_paths") for p in listed(search_paths, "search_paths"))
        file = as_path(urdf_path, "urdf_path")
        beside = None if srdf is None else as_path(srdf, "srdf")
        mounted = read_mounted(file, beside, choice, folders)
        chosen = mounted.robot.name if name is None else name
        self._new_name(chosen, "robot")
        Tree([Mount(chosen, mounted.robot, at)])  # raises where its joints make no tree
        bare = not any(link.elements for link in mounted.robot.links.values())
        if bare and not self.allows_unwatched:
            raise RobotError(
                "a robot without collision geometry cannot be watched",
                file=mounted.robot.file or None,
                allowed="links with <collision> elements; geometry='visual' (--geometry visual) "
                "uses the visual shapes instead; Cell(unwatched='allow') (--unwatched, or "
                'unwatched = "allow" in a cell file) accepts a robot that is not watched',
            )
        self._set_robots({**self._robots, chosen: replace(mounted, base=frozen(at))})
        if mounted.robot.unwatched:
            names = ", ".join(mounted.robot.unwatched)
            warnings.warn(
                f"robot {chosen!r}: links without collision geometry are not watched: {names}; "
                "geometry='visual' (--geometry visual) uses their visual shapes",
                stacklevel=2,
            )
        return chosen

    def remove_robot(self, name: str) -> None:
        """Take a robot out, with the pairs the user allowed for it; refused while it holds
        a body."""
        self._find(name, self._robots, "robot")
        prefix = f"{name}/"
        held = [b.name for b, grip in self._grips() if grip.link.startswith(prefix)]
        if held:
            raise CellError(f"robot {name!r} still holds bodies", value=held, allowed="none held")
        self._forget(lambda other: other.startswith(prefix))
        self._streams = tuple(rule for rule in self._streams if rule.robot != name)
        self._set_robots({n: r for n, r in self._robots.items() if n != name})

    def add_body(
        self, name: str, shape: Shape, pose: ArrayLike | None = None, moving: bool = False
    ) -> None:
        """Add a body. A static one stays at ``pose``; the pose of a moving one is given each
        cycle, and ``pose`` is where it is until then. A half space cannot move."""
        self._new_name(name, "body")
        if not isinstance(shape, Shape):
            raise CellError(f"body {name!r} has no shape", value=shape, allowed="a shape")
        moving = flag(f"moving of {name!r}", moving, CellError)
        if moving:
            _may_move(name, shape)
        at = frozen(as_pose(pose, f"pose of {name!r}"))
        self._put(Body(name, shape, at, moving))

    def move_body(self, name: str, pose: ArrayLike) -> None:
        """Put a static body somewhere else. A moving one gets its pose with each reading, a held
        one from its link."""
        body = self._find(name, self._bodies, "body")
        if body.moving or body.attachment is not None:
            state = f"held by {body.attachment.link!r}" if body.attachment else "moving"
            raise CellError(f"body {name!r} is {state}", allowed="a static body")
        self._put(replace(body, pose=frozen(as_pose(pose, f"pose of {name!r}"))))

    def remove_body(self, name: str) -> None:
        """Take a body out, with the pairs the user allowed for it."""
        self._find(name, self._bodies, "body")
        self._forget(lambda other: other == name)
        with self._lock:
            del self._bodies[name]
            self._held.pop(name, None)
            self._changed(Note(name, dropped=True))

    def attach(
        self,
        body: str,
        link: str,
        *,
        q: Any = None,
        pose: ArrayLike | None = None,
        touch: Iterable[str] = (),
    ) -> None:
        """Let ``link`` carry ``body``, at the pose it has to the link at this instant.

        The body keeps its allowed pairs and, until it is detached, may touch the link that holds
        it, whatever is rigidly joined to that, and the names in ``touch``. It does not inherit
        the pairs of the link: what a gripper may touch, its load may not.

        Args:
            q: the configuration at this instant; the last one given to `set_state` by default.
            pose: the pose in the link's frame, where it is to be another than that of now.

        Raises:
            CellError: a monitor of this cell has had another reading than `set_state`, and the pose
                of the load would be computed from old joint positions (neither ``q`` nor ``pose``
                is given), or from an old pose of a moving body (``pose`` is not).
        """
        held = self._find(body, self._bodies, "body")
        self._find(link, self._links(), "link")
        if held.attachment is not None:
            raise CellError(
                f"body {body!r} is held already", value=held.attachment.link, allowed="detach first"
            )
        _may_move(body, held.shape)
        names = tuple(n for name in listed(touch, "touch") for n in self._members(name))
        if pose is None:
            self._check_state(held, q)
            relative = inverse(self.tree.link_pose(self._at(q), link)) @ held.pose
        else:
            relative = as_pose(pose, f"pose of {body!r} in {link!r}")
        grip = Attachment(link, frozen(rigid(relative)), names)
        self._put(replace(held, attachment=grip))

    def detach(self, body: str, *, q: Any = None) -> None:
        """Leave a held body where it is at this instant; a moving one is given its pose again.
        ``q`` is as in `attach`; without it, another reading of a monitor is an error, too."""
        held = self._find(body, self._bodies, "body")
        if held.attachment is None:
            raise CellError(f"body {body!r} is not held", allowed="a body that was attached")
        self._check_state(held, q)
        here = frozen(rigid(self.pose(body, q)))
        self._put(replace(held, pose=here, attachment=None))

    def swap_geometry(
        self, link: str, geometry: GeometryName, *, capsules_per_link: int = 2
    ) -> None:
        """Change the model of one link between coarse and fine while everything runs.

        ``geometry`` as in `add_robot`. Allowed pairs stay as they are, but for those that were
        proved apart with the model before: they are watched again, until it is back.
        """
        self._find(link, self._links(), "link")
        robot, _, name = link.partition("/")
        swapped = self._robots[robot].swap(name, Choice(geometry, capsules_per_link))
        with self._lock:
            # No dict of robots ever changes, so that copies and snapshots may share it.
            tree, self._robots = self.tree, {**self._robots, robot: swapped}
            self._tree = self._robots, tree
            self._changed(Note(link))

    def allow(self, a: str, b: str, reason: str = USER, *, proof: str | None = None) -> None:
        """Never report ``a`` against ``b``. Each is a link, a body, or a robot (all its links).

        Args:
            proof: the `proof_digest` of a pair that was proved apart. It is allowed for as long as
                that is its digest, and watched while it is not.
        """
        why = check_text(reason, "reason")
        pairs = self._named(a, b)
        if proof is not None:
            check_text(proof, "proof")
            if len(pairs) > 1:
                raise CellError("a proof is of two links or bodies", value=(a, b))
        with self._lock:
            for pair in pairs:
                self._user[pair] = why
                self._proofs.pop(pair, None)
                if proof is not None:
                    self._proofs[pair] = proof
            self._changed()

    def forbid(self, a: str, b: str) -> None:
        """Watch ``a`` against ``b`` again: takes back what `allow` said. Other reasons stay."""
        with self._lock:
            for pair in self._named(a, b):
                self._user.pop(pair, None)
                self._proofs.pop(pair, None)
            self._changed()

    def prove_apart(
        self,
        pairs: Iterable[Pair] | None = None,
        *,
        clearance: float = 0.0,
        budget: int = USUAL_APART_BUDGET,
        progress: Callable[[float], object] | None = None,
    ) -> Apart:
        """Which watched pairs can never touch within the joint limits, which can, which stay open;
        see `paths.apart.prove_apart`. ``result.allow(cell)`` allows those that were proved."""
        from standoff.paths.apart import prove_apart

        return prove_apart(self, pairs, clearance=clearance, budget=budget, progress=progress)

    def map_stream(
        self,
        source: str = "*",
        robot: str | None = None,
        rename: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        *,
        angles: str = "rad",
        lengths: str = "m",
        scale: Mapping[str, float] | None = None,
        offset: Mapping[str, float] | None = None,
    ) -> None:
        """Say how sources of joint states name the joints of this cell, and in which units; see
        `StreamRule`. Of several rules that fit a source the first counts. Without any, names match
        with or without the robot before them."""
        rule = checked_rule(
            source, robot, rename, ignore, angles, lengths, scale, offset,
            names=self.tree.names,
            others=[*self._bodies, *self._links()],
        )  # fmt: skip
        self._streams = (*self._streams, rule)
        self._changed()

    @property
    def streams(self) -> tuple[StreamRule, ...]:
        """The rules given to `map_stream`, in their order."""
        return self._streams

    def set_state(self, q: Any = None, poses: Any = None) -> None:
        """Remember where everything is now: the joints, and the poses of the moving bodies (an
        array in the order of `moving`, or a dict by name that may leave some out). A named state
        (see `states`) leaves the joints that it does not name as they are."""
        with self._lock:
            joints = self._at(q)
            moving = self.moving
            known = [self._bodies[name].pose for name in moving]
            for name, pose in zip(moving, moving_poses(moving, known, poses), strict=True):
                self._bodies[name] = replace(self._bodies[name], pose=frozen(pose))
            self._positions = dict(zip(self.joints, joints.tolist(), strict=True))

    def state(self, q: Any = None) -> State:
        """Where all frames are at ``q``, or at the last state given; moving bodies where they were
        last."""
        with self._lock:
            model = self.model
            poses = np.array([self._bodies[name].pose for name in model.moving])
            return State(model, self._at(q), poses.reshape(-1, 4, 4))

    def fk(self, q: Any = None) -> dict[str, Array]:
        """World poses (4 x 4) of all links by name, ``left/link3``, at ``q`` or at the last state
        given; `pose` is that of a single link or body."""
        with self._lock:
            tree, at = self.tree, self._at(q)
        frames = tree.forward(at)
        places = {name: tree.link(name) for name in tree.links}
        return {name: frames[frame] @ offset for name, (frame, offset) in places.items()}

    def jacobian(self, link: str, q: Any = None) -> Array:
        """The geometric Jacobian (6, joints) of the origin of a link, in world axes, at ``q`` or at
        the last state given: ``jacobian(link, q) @ dq`` is its velocity [m/s], then its angular
        velocity [rad/s]."""
        with self._lock:
            self._find(link, self._links(), "link")
            return jacobian(self.tree, link, self._at(q))

    def distance(self, a: str, b: str, q: Any = None) -> Clearance:
        """How far two links or bodies are apart, at ``q`` or at the last state given, whether the
        pair is watched or not. A robot's name stands for all its links."""
        with self._lock:
            state, ours, theirs = self.state(q), self._members(a), self._members(b)
        return nearest(state, ours, theirs)

    def clearance(self, q: Any = None) -> Clearance:
        """The nearest of all watched pairs, at ``q`` or at the last state given."""
        with self._lock:  # two threads would write to the tables of one finder
            revision, kept = self._revision, self._nearest
            if kept is None or kept[0] != revision:
                kept = self._nearest = revision, Nearest(self)
            return least_clearance(self.state(q), kept[1])

    def configuration(self, q: Any, what: str = "q") -> Array:
        """``q`` as one flat array in the order of `joints`; from an array, a dict by name, or the
        name of a named state (see `states`), which leaves the joints that it does not name where
        the cell has them. ``what`` it is called in errors."""
        return self.tree.configuration(q, what, self.q if isinstance(q, str) else None)

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Groups of the robots' SRDFs, ``left/arm``, and the moving joints of each."""
        return dict(self.tree.names.groups)

    @property
    def states(self) -> Mapping[str, Mapping[str, float]]:
        """Named states of the robots' SRDFs with values by joint, [rad] or [m]: ``left/ready``, or
        ``left/arm/ready`` where several groups of a robot have a state of one name."""
        return {name: dict(values) for name, values in self.tree.names.states.items()}

    @property
    def q(self) -> Array:
        """The last configuration given; at first 0, or the limit nearest to 0."""
        start = np.clip(0.0, self.tree.lower, self.tree.upper).tolist()
        known = self._positions
        return np.array([known.get(n, s) for n, s in zip(self.joints, start, strict=True)])

    @property
    def joints(self) -> tuple[str, ...]:
        """Names in the order of ``q``, e.g. ``left/joint1``. Mimic joints follow their masters
        and have no place in ``q``."""
        return self.tree.joints

    @property
    def limits(self) -> tuple[Array, Array]:
        """Lowest and highest position of each joint, in the order of `joints`, [rad] or [m];
        infinite for continuous joints."""
        return self.tree.lower.copy(), self.tree.upper.copy()

    def random(self, rng: Any = None) -> Array:
        """A configuration drawn evenly within `limits`; a joint without limits within half a turn,
        or 1 m, of 0. ``rng``: a `numpy.random.Generator`, or a seed."""
        return random_configuration(self.tree, rng)

    @property
    def moving(self) -> tuple[str, ...]:
        """Names of the bodies whose poses are given each cycle, in the order they were added."""
        return tuple(b.name for b in self._bodies.values() if b.moving and not b.attachment)

    @property
    def robots(self) -> Mapping[str, MountedRobot]:
        """The robots by name, in the order they were added."""
        return dict(self._robots)

    @property
    def bodies(self) -> Mapping[str, Body]:
        """The bodies by name, in the order they were added."""
        return dict(self._bodies)

    @property
    def tree(self) -> Tree:
        """The flat joint tree of all robots together."""
        # Another thread may change the robots meanwhile; then it is built anew.
        robots, kept = self._robots, self._tree
        if kept is None or kept[0] is not robots:
            kept = robots, Tree([Mount(name, m.robot, m.base) for name, m in robots.items()])
            self._tree = kept
        return kept[1]

    @property
    def pairs(self) -> Pairs:
        """Which pairs are watched, and why the others are not."""
        # Another thread may change the cell meanwhile; then they are worked out anew.
        revision, kept = self._revision, self._pairs
        if kept is None or kept[0] != revision:
            with self._lock:
                revision, model = self._revision, self.model
                stale = {
                    p: self._user[p] for p, digest in self._proofs.items()
                    if digest != proof_digest(model.tree, model, *p)
                }  # fmt: skip
                user = {p: why for p, why in self._user.items() if p not in stale}
                kept = revision, Pairs(model, self._own_pairs(), user, dict(self._held), stale)
                self._pairs = kept
        return kept[1]

    @property
    def model(self) -> Model:
        """The cell as numbers: the one layout that all engines start from. Made for each revision
        when it is first asked for; only what changed since the last one is laid out."""
        with self._lock:
            kept, journal = self._model, self._journal
            if kept is not None and kept[0] == self._revision:
                return kept[1]
            made = None
            if kept is not None and journal is not None:
                made = kept[1]
                if journal:
                    made = made.changed(journal, self._robots, self._bodies)
            if made is None:
                made = Model.build(self.tree, self._robots, self._bodies)
            self._model, self._journal = (self._revision, made), []
            return made

    def _own_pairs(self) -> Mapping[Pair, str]:
        """What the robots' own files allow, kept for as long as the robots are the same."""
        robots = tuple(mounted.robot for mounted in self._robots.values())
        if self._own is None or self._own[0] != robots:
            found: dict[Pair, str] = {}
            for name, mounted in self._robots.items():
                found.update(robot_pairs(name, mounted.robot))
            self._own = robots, found
        return self._own[1]

    @property
    def unwatched(self) -> tuple[str, ...]:
        """Links that have a visual and no collision geometry, such as ``left/link3``."""
        return tuple(
            f"{name}/{link}" for name, m in self._robots.items() for link in m.robot.unwatched
        )

    @property
    def unwatched_robots(self) -> tuple[str, ...]:
        """Robots without a watched pair, or one that was proved apart: each of their links may
        touch whatever it can meet."""
        entries, watches = self.model.entries, self.pairs.watches
        live = self._proofs.keys() - self.stale.keys()
        proved = {body for pair in live for body in pair}
        return tuple(
            name
            for name, m in self._robots.items()
            if not any(
                x in proved or watches(x)
                for link in m.robot.links
                if (x := f"{name}/{link}") in entries
            )
        )

    @property
    def open_meshes(self) -> tuple[str, ...]:
        """Links and bodies with an open mesh that counts as solid where its winding number is at
        least 1/2; see `Mesh`."""
        found = zip(self.model.names, self.model.parts, strict=True)
        return tuple(
            name for name, parts in found
            if any(isinstance(shape, Mesh) and shape.open_solid for shape, _ in parts)
        )  # fmt: skip

    def check_watched(self) -> None:
        """Raise a `CellError` where there is no pair to watch, unless the cell was made with
        ``unwatched="allow"``: without a pair every answer would be SAFE. Pairs that are
        allowed because they were proved apart count as watched, since the joint limits of the proof
        are. A robot without a watched pair is a Python warning."""
        if self.allows_unwatched:
            return
        if not self._proofs and self.pairs.count() == 0:
            raise CellError(
                "no pair to watch: every two bodies are allowed to touch, or do not move relative "
                "to each other",
                value=list(self.model.names),
                allowed="at least one pair that moves and is not allowed to touch; "
                "Cell(unwatched='allow') (--unwatched, or unwatched = \"allow\" in a cell file) "
                "accepts a cell in which nothing is watched",
            )
        for name in self.unwatched_robots:
            warnings.warn(
                f"robot {name!r} is not watched: no pair with one of its links is left to watch; "
                "`standoff info` lists the allowed pairs",
                stacklevel=3,
            )

    def reason(self, a: str, b: str) -> str | None:
        """Why ``a`` and ``b`` may touch; None where the pair is watched."""
        links = self._links()
        for name in (a, b):
            if isinstance(name, str) and name in links and name not in self.model.index:
                raise CellError(f"link {name!r} has no collision geometry to watch")
            self._find(name, self.model.index, "name")
        return self.pairs.reason(a, b)

    def allowed(self) -> list[AllowedPair]:
        """The pairs that may touch with their reasons, sorted, but for what stands still."""
        return self.pairs.allowed()

    @property
    def user_pairs(self) -> Mapping[Pair, str]:
        """The pairs given to `allow`, with their reasons; also those whose proof is stale."""
        return dict(self._user)

    @property
    def proofs(self) -> Mapping[Pair, str]:
        """The pairs given to `allow` with a proof, and the digest of each."""
        return dict(self._proofs)

    @property
    def stale(self) -> Mapping[Pair, str]:
        """Pairs that were allowed because of a proof and are no longer what was proved, with the
        reason that was given; they are watched again."""
        return self.pairs.stale

    @property
    def proof_limits(self) -> tuple[Array, Array]:
        """Lowest and highest position of each joint, in the order of `joints`, up to which the
        pairs that are allowed because of a proof are known to be apart, [rad] or [m]; infinite
        where no proof counts on the joint."""
        live = self._proofs.keys() - self.stale.keys()
        return proof_limits(self.tree, self.model, live)

    def proof_digest(self, a: str, b: str) -> str:
        """What a proof about two links or bodies rests on, as one digest: it changes with any of
        their shapes, the joints between them and their limits. Empty where there is no proof to be
        had."""
        for name in (a, b):
            self._find(name, self.model.index, "name")
        return proof_digest(self.tree, self.model, a, b)

    def pose(self, name: str, q: Any = None) -> Array:
        """World pose of a link or body, at ``q`` or at the last state given."""
        known = {**self._links(), **self._bodies}
        body = self._find(name, known, "name")
        if not isinstance(body, Body):
            return self.tree.link_pose(self._at(q), name)
        if body.attachment is None:
            return body.pose.copy()
        return self.tree.link_pose(self._at(q), body.attachment.link) @ body.attachment.pose

    def save(self, path: str | Path) -> None:
        """Write the cell as TOML. `load` gives an equal cell back; paths are kept relative."""
        from standoff.cell.files import save

        save(self, as_path(path, "path"))

    @staticmethod
    def load(path: str | Path) -> Cell:
        """Read a cell file."""
        from standoff.cell.files import load

        return load(as_path(path, "path"))

    @property
    def revision(self) -> int:
        """How many changes there have been."""
        return self._revision

    def compile(self) -> Compiled:
        """Work out all that engines start from, so that whoever watches the cell finds it ready:
        after a change, in the thread that made it. What is returned belongs to one revision, also
        where other threads change the cell meanwhile."""
        with self._lock:
            pairs = self.pairs
            moving = {name: self._bodies[name] for name in pairs.model.moving}
            return Compiled(self._revision, pairs.model, pairs, tuple(self._robots), moving)

    def snapshot(self) -> Cell:
        """The cell as it is now, which nobody changes: for whoever lays it out while another thread
        may change it. What changes meanwhile has a later `revision`."""
        with self._lock:
            return self._copy()

    def _copy(self) -> Cell:
        _ = self.pairs
        result = Cell.__new__(Cell)
        result.__dict__.update(self.__dict__)
        result._lock, result._journal = threading.RLock(), []
        result._bodies, result._held = dict(self._bodies), dict(self._held)
        result._user, result._nearest = dict(self._user), None
        result._proofs, result._watchers = dict(self._proofs), ()
        return result

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: without what is worked out from the rest, and with nothing that a
        change of either would change in the other."""
        with self._lock:
            state = {
                **self.__dict__,
                "_bodies": dict(self._bodies),
                "_held": dict(self._held),
                "_user": dict(self._user),
                "_proofs": dict(self._proofs),
                "_pairs": None,
                "_model": None,
                "_nearest": None,
                "_journal": None,
                "_own": None,
                "_watchers": (),
            }
        del state["_lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return (
            f"<Cell of {len(self._robots)} robots, {len(self.joints)} joints, "
            f"{len(self._bodies)} bodies>"
        )

    def watched_by(self, watcher: Watcher) -> None:
        """From now on its last reading counts as the newest state. Keeps a weak reference."""
        alive = (r for r in self._watchers if r() is not None)
        self._watchers = (*alive, ref(watcher))

    def _check_state(self, body: Body, q: Any) -> None:
        """Raise where a monitor has had a reading that the cell has not: of the joints,
        where ``q`` is not given, or of the body."""
        loose = body.moving and body.attachment is None
        for watcher in (r() for r in self._watchers):
            state = None if watcher is None else watcher.last_state()
            if state is None:
                continue
            joints, poses = state
            place = poses.get(body.name) if loose else None
            old = q is None and any(
                joints.get(name, x) != x for name, x in zip(self.joints, self.q.tolist())
            )
            if old or not (place is None or np.allclose(place, body.pose)):
                what = "joints that the cell has are" if old else "pose that the cell has is"
                otherwise = "q= of that reading" if old else "pose= in the frame of the link"
                raise CellError(
                    f"body {body.name!r}: the {what} not of the last reading of its monitor",
                    allowed=f"Monitor.attach and Monitor.detach; {otherwise}; or Cell.set_state "
                    "with that reading first",
                )

    def _at(self, q: Any) -> Array:
        return self.q if q is None else self.configuration(q)

    def _grips(self) -> list[tuple[Body, Attachment]]:
        return [(b, b.attachment) for b in self._held.values() if b.attachment is not None]

    def _links(self) -> dict[str, str]:
        """Full names of all links, with the robot of each."""
        return {f"{r}/{link}": r for r, m in self._robots.items() for link in m.robot.links}

    def _new_name(self, name: Any, what: str) -> None:
        check_name(name, what, self._robots, self._bodies)

    @staticmethod
    def _find(name: Any, known: Any, what: str) -> Any:
        if not isinstance(name, str) or name not in known:
            raise UnknownNameError(str(name), known, what=what)
        return known[name] if isinstance(known, Mapping) else name

    def _members(self, name: Any) -> list[str]:
        """The links and bodies behind a name: all links of a robot, or the one itself."""
        if isinstance(name, str) and name in self._robots:
            return [f"{name}/{link}" for link in self._robots[name].robot.links]
        self._find(name, [*self._robots, *self._links(), *self._bodies], "name")
        return [name]

    def _named(self, a: str, b: str) -> list[Pair]:
        """All pairs of links and bodies behind two names."""
        found = [ordered(x, y) for x in self._members(a) for y in self._members(b) if x != y]
        if not found:
            raise CellError("a pair needs two different names", value=(a, b))
        return found

    def _forget(self, gone: Callable[[str], bool]) -> None:
        self._user = {p: why for p, why in self._user.items() if not any(map(gone, p))}
        self._proofs = {p: digest for p, digest in self._proofs.items() if p in self._user}
        meant = {name for rule in self._streams for name in rule.rename.values()}
        self._streams = tuple(rule.without(filter(gone, meant)) for rule in self._streams)
        for body, grip in self._grips():
            touch = tuple(name for name in grip.touch if not gone(name))
            self._keep(replace(body, attachment=replace(grip, touch=touch)))

    def _set_robots(self, robots: dict[str, MountedRobot]) -> None:
        """The tree of all robots is built when it is next asked for, so that adding many robots
        takes time in proportion to their number."""
        gone = self._robots.keys() - robots.keys()
        if gone:
            known = self._positions.items()
            self._positions = {n: at for n, at in known if n.partition("/")[0] not in gone}
        with self._lock:
            self._robots = robots
            self._journal = None
            self._changed()

    def _put(self, body: Body) -> None:
        """A new body, or another one in place of the one of its name."""
        with self._lock:
            self._keep(body)
            self._changed(Note(body.name))

    def _keep(self, body: Body) -> None:
        body = replace(body, since=self._revision + 1)
        self._bodies[body.name] = body
        self._held.pop(body.name, None)
        if body.attachment is not None:
            self._held[body.name] = body

    def _changed(self, *notes: Note) -> None:
        with self._lock:
            if self._journal is not None:
                self._journal += notes
            self._pairs = None
            self._revision += 1


def _may_move(name: str, shape: Shape) -> None:
    if not shape.bounded:
        raise CellError(
            f"body {name!r} is a {type(shape).__name__} and cannot move", allowed="static only"
        )
