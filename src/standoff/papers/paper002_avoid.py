"""Paper 002, section IV: collision avoidance by growing what moves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from standoff.geometry.distance import distance
from standoff.geometry.pose import Array, pose
from standoff.geometry.primitives import Box, Capsule
from standoff.interference.parts import Part
from standoff.interference.projection import ProjectionWatch
from standoff.interference.region_watch import STATIC, RegionWatch
from standoff.interference.safe_motion import safe_interval
from standoff.papers.paper002_parts import Bench, turned
from standoff.papers.toolkit import Result, cells, heads, lines

#: Speed [m/s], way to stop [m] and interval between looks [s] of what moves.
SPEED, BRAKING, INTERVAL = 1.0, 0.1, 0.1

#: Edge of the cube that is watched, and the finest nodes, [m].
EDGE, CELL = 4.0, 0.05

#: Distances measured from one look to the next.
_PARTS = 8

#: Degrees between the directions of two bodies: 180 is head on.
ANGLES = (180, 150, 120, 90, 60, 30, 0)


def separation(bench: Bench) -> Result:
    """The safe distance of two moving objects, by their directions."""
    bench.report("separation", 0.0)
    rows, needed, worst = [], [], []
    for angle in ANGLES:
        turn = math.radians(angle)
        a, b = np.array([1.0, 0.0, 0.0]), np.array([math.cos(turn), math.sin(turn), 0.0])
        found = safe_interval((SPEED,) * 2, (BRAKING,) * 2, interval=0.0, directions=(a, b))
        later = safe_interval((SPEED,) * 2, (BRAKING,) * 2, interval=INTERVAL, directions=(a, b))
        needed.append(found.threshold / BRAKING)
        # Two points anywhere, each of which stops anywhere on its way: how much nearer they get.
        s = BRAKING * np.linspace(0.0, 1.0, 51)
        shift = s[:, None, None] * a - s[None, :, None] * b
        worst.append(float(np.sqrt((shift**2).sum(axis=2)).max()) / BRAKING)
        paper = "2 d" if angle == 180 else "larger"
        rows.append((
            f"{angle}°", paper, f"{needed[-1]:.3f} d", f"{worst[-1]:.3f} d",
            f"{1e3 * later.threshold:.0f}", f"{1e3 * later.reach:.0f}",
        ))  # fmt: skip
    curves = {"needed": needed, "2 d": [2.0] * len(ANGLES)}
    labels = ("angle between the directions [°]", "safe distance / d")
    return Result(
        "IV: the safe distance of two objects that both need d to stop",
        (
            "directions", "paper", "ours", "worst of 51 × 51 stops",
            f"with T = {INTERVAL:g} s [mm]", "of which D, each [mm]",
        ),
        rows,
        (
            "d on the way of either; T = 0 in the first columns. The paper has 2 d head on and "
            "'larger otherwise', which is a slip: two bodies that go ways s and t get nearer by no "
            "more than |s u - t v|, and that is greatest head on. At right angles it is √2 d, side "
            "by side d, as the other may have stopped. Then for looks 0.1 s apart at 1 m/s, "
            f"d = {1e3 * BRAKING:.0f} mm.",
        ),
        {"needed": needed, "worst": worst},
        lines(ANGLES, curves, labels),
    )  # fmt: skip


@dataclass(frozen=True)
class Encounter:
    """Two bodies on their way past each other and a post, and where they begin."""

    shapes: tuple[Box, Capsule]
    starts: tuple[Array, Array]
    velocities: tuple[Array, Array]

    def poses(self, ways: tuple[float, float]) -> dict[str, Array]:
        """Where they are after so many metres of their ways."""
        placed = {}
        for name, start, v, way in zip("ab", self.starts, self.velocities, ways):
            place = start.copy()
            place[:3, 3] += way * v / max(float(np.linalg.norm(v)), np.finfo(float).tiny)
            placed[name] = place
        return placed


POST = Part("post", Box((0.3, 0.3, 2.0)), np.eye(4))


def encounter(rng: np.random.Generator) -> Encounter:
    """Bodies that aim near each other or the post at full speed, farther apart than any growth."""
    shapes = Box(rng.uniform(0.1, 0.4, 3)), Capsule(rng.uniform(0.03, 0.1), rng.uniform(0.1, 0.4))
    room = 2.0 * (BRAKING + SPEED * INTERVAL) + 2.0 * CELL * math.sqrt(3.0)
    while True:
        starts = tuple(pose(rng.uniform(-1.2, 1.2, 3), turned(rng)) for _ in range(2))
        goals = rng.normal(size=(2, 3)) * 0.4
        ways = [goal - start[:3, 3] for goal, start in zip(goals, starts)]
        velocities = tuple(SPEED * w / np.linalg.norm(w) for w in ways)
        made = Encounter(shapes, (starts[0], starts[1]), (velocities[0], velocities[1]))
        if min(gaps(made, (0.0, 0.0)).values()) > room:
            return made


def gaps(made: Encounter, ways: tuple[float, float]) -> dict[tuple[str, str], float]:
    """The distances of all pairs after so much of their ways."""
    at = made.poses(ways)
    a, b = ((shape, at[name]) for shape, name in zip(made.shapes, "ab"))
    post = (POST.shape, POST.pose)
    return {
        ("a", "b"): distance(*a, *b).distance,
        ("a", STATIC): distance(*a, *post).distance,
        ("b", STATIC): distance(*b, *post).distance,
    }


class Watches:
    """One encounter under one growth, by octrees or by projections."""

    def __init__(self, made: Encounter, interval: float, by: str) -> None:
        self._made, self._by = made, by
        self.region = RegionWatch(
            {POST.name: (POST.shape, POST.pose)}, root=((0.0, 0.0, 0.0), EDGE), resolution=CELL,
            interval=interval, speeds=SPEED, braking=BRAKING,
        )  # fmt: skip
        parts = [POST, *(Part(n, s, np.eye(4)) for n, s in zip("ab", made.shapes))]
        self.planes = ProjectionWatch(parts, ["a", "b"], grown=BRAKING + SPEED * interval, planes=9)

    def warned(self, at: dict[str, Array]) -> set[tuple[str, str]]:
        """The pairs that are too close."""
        if self._by == "octree":
            moving = {n: (s, at[n]) for n, s in zip("ab", self._made.shapes)}
            return set(self.region.check(moving).warnings)
        found = set()
        for one in self.planes.check(at):
            names = {one.a, one.b} - {POST.name}
            a, b = sorted(names) if len(names) == 2 else (names.pop(), STATIC)
            found.add((a, b))
        return found


@dataclass(frozen=True)
class Outcome:
    """How an encounter ended: whether it warned, whether anything touched with the warning heeded
    and without, and how near things came when all stood still."""

    warned: bool
    touched: bool
    would_touch: bool
    least: float


def run(made: Encounter, interval: float, by: str, horizon: float = 2.4) -> Outcome:
    """Look every `INTERVAL`, grown for looks every ``interval``; whoever is warned about brakes,
    as late as it can: at full speed over the whole braking distance."""
    watch = Watches(made, interval, by)
    free = SPEED * horizon
    stops = {"a": free, "b": free}
    warned, least = False, math.inf
    step = SPEED * INTERVAL
    for look in range(int(horizon / INTERVAL)):
        ways = tuple(min(look * step, stops[n]) for n in "ab")
        for pair in watch.warned(made.poses((ways[0], ways[1]))):
            warned = True
            for name in pair:
                if name:
                    here = min(look * step, stops[name])
                    stops[name] = min(stops[name], here + BRAKING)
        for part in range(1, _PARTS + 1):
            now = (look + part / _PARTS) * step
            ways = tuple(min(now, stops[n]) for n in "ab")
            least = min(least, *gaps(made, (ways[0], ways[1])).values())
    nearest = min(
        min(gaps(made, (w, w)).values()) for w in np.arange(0.0, free, step / _PARTS).tolist()
    )
    return Outcome(warned, least <= 0.0, nearest <= 0.0, least)


def avoidance(bench: Bench) -> Result:
    """Runs of moving bodies, looked at now and then."""
    rng = np.random.default_rng(12)
    made = [encounter(rng) for _ in range(bench.runs)]
    ways = {
        "octree, grown by d + D": (INTERVAL, "octree"),
        "projections, grown by d + D": (INTERVAL, "projection"),
        "octree, grown by d alone": (0.0, "octree"),
        "projections, grown by d alone": (0.0, "projection"),
    }
    rows, figures = [], {}
    for k, (name, (interval, by)) in enumerate(ways.items()):
        found = []
        for n, one in enumerate(made):
            bench.report(f"avoidance: {name}", (k + n / len(made)) / len(ways))
            found.append(run(one, interval, by))
        unwarned = sum(o.would_touch and not o.warned for o in found)
        touched = sum(o.touched for o in found)
        needless = sum(o.warned and not o.would_touch for o in found)
        least = [o.least for o in found if o.warned]
        figures[name] = (
            sum(o.would_touch for o in found), unwarned, touched, needless, min(least), len(found)
        )  # fmt: skip
        counts = cells((len(found), figures[name][0], unwarned, touched, needless))
        nearest = f"{1e3 * max(min(least), 0.0):.1f}", f"{1e3 * float(np.median(least)):.0f}"
        rows.append((name, "none" if interval else "D is needed", *counts, *nearest))
    late = [f[2] for name, f in figures.items() if name.endswith("alone")]
    return Result(
        "IV: a box, a capsule and a post, looked at every 0.1 s",
        heads(
            "grown | paper: collisions | runs | would touch | never warned | touched | "
            "warned, would not | nearest [mm] | median [mm]"
        ),
        rows,
        (
            f"Both go straight at {SPEED:g} m/s; who is warned about takes the whole of d = "
            f"{1e3 * BRAKING:.0f} mm, at full speed, to stop. Each is grown by d and by D = v T = "
            f"{1e3 * SPEED * INTERVAL:.0f} mm. 'Touched': with the warnings heeded. With D nothing "
            f"touches; without it {' and '.join(map(str, late))} runs do, as the look that should "
            "have warned came up to 0.1 s late. 'Warned, would not': they would have passed "
            "each other, which growing in all directions cannot see. Distances are taken "
            f"{_PARTS} times between two looks.",
        ),
        {"found": figures},
    )
