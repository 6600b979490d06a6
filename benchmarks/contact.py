"""What does a step of contact cost? Standoff beside MuJoCo and Coal.

    python benchmarks/contact.py [--quick]

Two questions, each with the peer in the same run, in turns:

1. The six bodies of paper 003 with a hand that moves one of them: a whole `Scene.step` from Python,
   the force on the hand read back, beside MuJoCo's `mj_collision` at the same poses. Poses and
   velocities are given by name, or as one array each, as MuJoCo takes them. MuJoCo's boxes and
   sphere are its own, its cylinder and cone convex meshes of the same vertices. What it takes to
   set poses, to run kinematics and to read the contacts back is timed as well: its whole step. The
   floor is our whole step over `mj_collision` alone. MuJoCo gives contacts here and no forces.
2. Two prisms of 500 vertices each at seeded poses from just apart to a tenth deep, each anew
   without history: `Scene.step` beside Coal's `collide` of two convex hulls with contacts enabled
   (it gives one), called from Python.

Where the time goes: the parts of our step, and what its compiled part counted.
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Callable, Sequence

import coal
import mujoco
import numpy as np
from rich.console import Console
from rich.table import Table

from standoff.contact import Body, Scene
from standoff.papers.paper003_bodies import (
    FOLLOWER,
    LETTERS,
    Stage,
    points_of,
    prism,
    scene,
    shape,
    stage,
    ways,
)
from standoff.papers.paper003_hand import Clocked

#: Of the prisms of the second question: vertices, and their diameter [m], of which they go a tenth
#: deep.
VERTICES, SIZE = 500, 0.2

#: What of our step is timed, by how it is given its poses.
BY_NAME = ("step, poses by name", "… and velocities by name", "… and dt instead")
AS_ARRAYS = ("step, poses as one array", "… and velocities as one")

#: Floor and goal of a ratio for which there is none.
UNSAID = (np.nan, np.nan)

SixTimes = tuple[dict[str, np.ndarray], dict[str, np.ndarray], np.ndarray]

console = Console(width=110)


class Mujoco:
    """The six bodies on free joints, or the obstacles fixed to the world."""

    def __init__(self, where: Stage, *, standing: bool) -> None:
        assets, bodies = [], []
        self.model: mujoco.MjModel
        for name, letter in LETTERS.items():
            points = points_of(letter)
            if letter == "e":
                geom = f'type="sphere" size="{where.shapes[name].radius}"'
            elif letter in "ab":
                half = points.reshape(-1, 3).max(axis=0)
                geom = f'type="box" size="{_text(half)}"'
            else:
                corners = np.unique(points.reshape(-1, 3), axis=0)
                assets.append(f'<mesh name="{name}" vertex="{_text(corners.ravel())}"/>')
                geom = f'type="mesh" mesh="{name}"'
            place = where.places.get(name, np.eye(4))
            free = "" if standing and name != FOLLOWER else "<freejoint/>"
            at = f'pos="{_text(place[:3, 3])}" quat="{_text(_quaternion(place))}"'
            bodies.append(f'<body name="{name}" {at}>{free}<geom {geom}/></body>')
        self.model = mujoco.MjModel.from_xml_string(
            f"<mujoco><asset>{''.join(assets)}</asset>"
            f"<worldbody>{''.join(bodies)}</worldbody></mujoco>"
        )
        self.data = mujoco.MjData(self.model)
        self.qpos = self.data.qpos

    def settle(self, state: np.ndarray) -> None:
        """Set poses, and all that depends on them alone."""
        self.qpos[:] = state
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)

    def collide(self) -> None:
        mujoco.mj_collision(self.model, self.data)

    def read(self) -> object:
        """The contacts, as copies: what `Scene.step` gives back as well."""
        if not self.data.ncon:
            return None
        found = self.data.contact
        return found.geom.copy(), found.dist.copy(), found.pos.copy(), found.frame.copy()

    def state(self, place: np.ndarray) -> np.ndarray:
        """The joints' values with the follower at a pose."""
        state = self.model.qpos0.copy()
        state[-7:] = (*place[:3, 3], *_quaternion(place))
        return state


def _text(numbers: np.ndarray) -> str:
    return " ".join(map(repr, np.asarray(numbers, float).tolist()))


def _quaternion(place: np.ndarray) -> np.ndarray:
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(place[:3, :3]).ravel())
    return quaternion


def timed(work: Callable[[], object]) -> int:
    start = time.perf_counter_ns()
    work()
    return time.perf_counter_ns() - start


def six_bodies(steps: int, rounds: int, *, standing: bool) -> SixTimes:
    """Times of each step by what is timed, [µs], of all rounds the lowest of each step; the parts
    of our step, once; and in which steps there is contact. The poses of all bodies that may move
    are given in each step."""
    where = stage()
    tour = list(where.tour(steps))
    places = dict(where.places)
    given = [({} if standing else places) | {FOLLOWER: place} for place in tour]
    ours = scene(where, standing=standing)
    peer = Mujoco(where, standing=standing)
    states = [peer.state(place) for place in tour]
    for poses in given:  # tables grow, caches fill
        ours.step(poses)
    still = np.zeros(6)
    twists = dict.fromkeys(given[0], still)
    arrays = [np.array([(places | {FOLLOWER: place})[n] for n in ours.names]) for place in tour]
    names = (
        *BY_NAME, *AS_ARRAYS,
        "MuJoCo: poses and kinematics", "MuJoCo: mj_collision", "MuJoCo: contacts read back",
        "step, the compiled call alone",
    )  # fmt: skip
    best = {name: np.full(steps, np.inf) for name in names}
    agree = both = 0
    mine: list[bool] = []
    for turn in range(rounds):
        ways: list[tuple[Sequence[object], object, float | None]] = [
            (given, None, None), (given, twists, None), (given, None, 10.0 / steps),
            (arrays, None, None), (arrays, np.zeros((len(ours.names), 6)), None),
        ]  # fmt: skip
        for name, (poses, velocities, dt) in zip(names, ways):
            ours.forget()
            for k, each in enumerate(poses):
                took = timed(lambda: ours.step(each, velocities, dt).forces[FOLLOWER])  # noqa: B023
                best[name][k] = min(best[name][k], took)
        ours.forget()
        for k, poses in enumerate(given):
            ours._take(poses, None)
            best[names[-1]][k] = min(best[names[-1]][k], timed(ours._run))
        touched = []
        ours.forget()
        for k, state in enumerate(states):
            best[names[5]][k] = min(best[names[5]][k], timed(lambda: peer.settle(state)))  # noqa: B023
            best[names[6]][k] = min(best[names[6]][k], timed(peer.collide))
            best[names[7]][k] = min(best[names[7]][k], timed(peer.read))
            if turn == 0:
                touched.append(peer.data.ncon > 0)
        if turn == 0:
            mine = [len(ours.step(poses)) > 0 for poses in given]
            agree = int(np.sum(np.array(mine) == touched))
            both = int(np.sum(mine))
    console.print(f"in contact in {both} of {steps} steps; MuJoCo says the same in {agree}")
    found = {name: times / 1e3 for name, times in best.items()}
    parts = Clocked(scene(where, standing=standing)).run(given, 10.0 / steps)
    return found, parts, np.array(mine)


class Coal:
    """Two convex hulls."""

    def __init__(self, corners: np.ndarray) -> None:
        points = coal.StdVec_Vec3s()
        for corner in corners:
            points.append(corner)
        self.hull = coal.Convex.convexHull(points, False, "")
        self.request = coal.CollisionRequest()
        self.request.enable_contact = True
        self.request.num_max_contacts = 1
        self.result = coal.CollisionResult()
        self.here = coal.Transform3s()

    def collide(self, there: coal.Transform3s) -> int:
        self.result.clear()
        return coal.collide(self.hull, self.here, self.hull, there, self.request, self.result)


def prisms(poses: int, rounds: int) -> tuple[dict[str, np.ndarray], list[object]]:
    """Times at each pose, [µs], and what our steps counted."""
    points = prism(VERTICES)
    solid = shape(points)
    deep = 20
    places = ways(solid, solid, SIZE, poses // deep, deep, 7).reshape(-1, 4, 4)
    console.print(f"building two prisms of {VERTICES} vertices", style="dim")
    body = Body.from_grid(points)
    ours = Scene()
    ours.add("a", body, moving=False)
    ours.add("b", body)
    peer = Coal(points.reshape(-1, 3))
    theres = [coal.Transform3s(place[:3, :3], place[:3, 3]) for place in places]
    names = ("Scene.step", "compiled part of it", "Coal: collide")
    best = {name: np.full(len(places), np.inf) for name in names}
    costs = []
    agree = overlapping = 0
    for turn in range(rounds):
        for k, (place, there) in enumerate(zip(places, theres)):
            ours.forget()
            took = timed(lambda: ours.step({"b": place}).forces["b"])  # noqa: B023
            best[names[0]][k] = min(best[names[0]][k], took)
            if turn == 0:
                ours.forget()
                step = ours.step({"b": place})
                costs.append(step.cost)
                hit = peer.collide(there) > 0
                agree += (len(step) > 0) == hit
                overlapping += hit
            ours.forget()
            took = timed(ours._run)
            best[names[1]][k] = min(best[names[1]][k], took)
        for k, there in enumerate(theres):
            best[names[2]][k] = min(best[names[2]][k], timed(lambda: peer.collide(there)))  # noqa: B023
    console.print(f"Coal: overlap at {overlapping} of {len(places)} poses; ours agree at {agree}")
    return {name: times / 1e3 for name, times in best.items()}, costs


def show(title: str, times: dict[str, np.ndarray]) -> None:
    table = Table(title=title)
    for column in ("[µs]", "median", "mean", "99 %"):
        table.add_column(column, justify="left" if column == "[µs]" else "right")
    for name, each in times.items():
        table.add_row(
            name, f"{np.median(each):.2f}", f"{each.mean():.2f}", f"{np.percentile(each, 99):.2f}"
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps, poses and rounds")
    quick = parser.parse_args().quick
    steps, poses, rounds = (300, 200, 5) if quick else (1000, 1000, 15)
    gc.disable()  # its pauses are Python's, and hit whoever is under the clock
    console.print(f"MuJoCo {mujoco.__version__}, Coal {coal.__version__}")
    claims = []
    for standing, how in ((False, "all six may move"), (True, "the obstacles stand still")):
        times, parts, touching = six_bodies(steps, rounds, standing=standing)
        show(f"Six bodies, {how}", times)
        show("… in contact", {name: each[touching] for name, each in times.items()})
        show("… where a step with dt goes", parts)
        ours, flat = times[BY_NAME[1]], times[AS_ARRAYS[1]]
        theirs = times["MuJoCo: mj_collision"]
        around = ("MuJoCo: poses and kinematics", "MuJoCo: contacts read back")
        whole = theirs + sum(times[name] for name in around)
        alone = times["step, the compiled call alone"]
        title = f"six bodies, {how}"
        for which, name in ((slice(None), title), (touching, f"{title}, in contact")):
            step, peer, its, lean = ours[which], theirs[which], whole[which], flat[which]
            # The floor is that of all steps; the other rows say where the time is.
            floor = (3.0, 1.0) if isinstance(which, slice) else UNSAID
            claims.append((f"{name}: by name over mj_collision", step, peer, floor))
            claims.append((f"{name}: arrays over mj_collision", lean, peer, floor))
            claims.append((f"{name}: by name over its whole step", step, its, UNSAID))
            claims.append((f"{name}: arrays over its whole step", lean, its, UNSAID))
            claims.append((f"{name}: compiled over mj_collision", alone[which], peer, UNSAID))
    times, costs = prisms(poses, rounds)
    show(f"Two prisms of {VERTICES} vertices", times)
    console.print(
        "counts a step, mean: "
        + ", ".join(
            f"{name.replace('_', ' ')} {np.mean([getattr(c, name) for c in costs]):,.1f}"
            for name in type(costs[0]).__dataclass_fields__
        )
    )
    ours, theirs = times["Scene.step"], times["Coal: collide"]
    claims.append((f"two prisms of {VERTICES}: over Coal's collide", ours, theirs, (5.0, 1.0)))

    table = Table(title="Floors and goals: our time over the peer's")
    for column in ("", "of means", "of medians", "floor", "goal", "met"):
        table.add_column(column, justify="left" if not column else "right")
    for name, mine, other, (floor, goal) in claims:
        ratio, middle = mine.mean() / other.mean(), np.median(mine) / np.median(other)
        met = "goal" if ratio <= goal else "floor" if ratio <= floor else "no"
        said = ("", "", "") if np.isnan(floor) else (f"{floor:g}", f"{goal:g}", met)
        table.add_row(name, f"{ratio:.2f}", f"{middle:.2f}", *said)
    console.print(table)


if __name__ == "__main__":
    main()
