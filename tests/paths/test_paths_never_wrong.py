"""No verdict is wrong: random segments of four robots, each judged by the oracle and by Coal.

200,000 of them with `make soak`; the suite runs a seeded tenth.
"""

import math
import os
from collections import Counter

import numpy as np
import pytest

import standoff as so
from tests.oracles.motion import Sampler
from tests.worlds.path_worlds import OBSTACLES, ROBOTS, PathWorld

SOAK = bool(os.environ.get("STANDOFF_SOAK"))
#: Segments in all, and the worlds of each robot among each kind of obstacles.
SEGMENTS, SEEDS = (200_000, range(10)) if SOAK else (20_000, range(1))
SHARE = math.ceil(SEGMENTS / (len(ROBOTS) * len(OBSTACLES) * len(SEEDS)))
CLEARANCES = (0.0, 0.002, 0.006)
TOLERANCE = 1e-3
#: What the kernels and Coal may differ by, [m]: Coal's GJK stops at 1e-6.
COAL = 2e-6


def complain(world, clearance, qa, qb, verdict, why):
    """All that is needed to see the same again."""
    return (
        f"{why}\n{world.robot}, {world.obstacles}, seed {world.seed}, clearance {clearance}\n"
        f"qa = {qa.tolist()}\nqb = {qb.tolist()}\n{verdict}"
    )


def judge(world, clearance, qa, qb, verdict):
    """What is wrong with a verdict, or None."""
    oracle = world.oracle
    if verdict.kind == "free":
        found = oracle.touches(qa, qb, clearance)
        if found.distances < 0:
            return "the oracle gave up"
        if found.distance <= clearance:
            return f"called free, but {oracle.names(found.pair)} are at {found}"
        return None
    if verdict.kind == "undecided":
        return None
    q = qa + verdict.t * (qb - qa)
    if not np.allclose(verdict.q, q, rtol=0.0, atol=1e-12 * (1.0 + np.abs(q).max())):
        return "its configuration is not on the segment"
    if world.cell.reason(*verdict.pair) is not None:
        return "its pair may touch"
    distance = oracle.witness_distance(verdict.q, *verdict.pair)
    if verdict.kind == "collision":
        # A body inside a closed mesh has a distance in Coal, whose meshes are surfaces.
        if distance > COAL and not oracle.between(verdict.q, *verdict.pair) <= 0.0:
            return f"called a collision, but Coal has {distance}"
    elif verdict.kind == "too_close":
        if distance > clearance + TOLERANCE + COAL:
            return f"called too close, but Coal has {distance}"
        if distance < -COAL:
            return f"called too close, but Coal has them overlap by {distance}"
    else:
        return f"a kind of its own: {verdict.kind}"
    return None


def judge_until(world, clearance, qa, qb, verdict):
    """What is wrong with the part of a motion that is said to be free, or None."""
    until = verdict.free_until
    if verdict.kind == "free":
        return None if until == 1.0 else f"free, but only until {until}"
    if not 0.0 <= until <= 1.0:
        return f"free until {until}"
    if until == 0.0:
        return None
    if verdict.distance <= clearance and not until < verdict.t:
        return f"free until {until}, after the witness"
    found = world.oracle.touches(qa, qa + until * (qb - qa), clearance)
    if found.distance <= clearance:
        return f"free until {until}, but {world.oracle.names(found.pair)} are at {found}"
    return None


@pytest.mark.soak
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("obstacles", OBSTACLES)
@pytest.mark.parametrize("robot", ROBOTS)
def test_no_segment_is_called_free_that_touches_nor_colliding_that_does_not(robot, obstacles, seed):
    world = PathWorld(robot, obstacles, seed)
    starts, ends = world.segments(SHARE)
    kinds = Counter()
    complaints = []
    parts = np.array_split(np.arange(SHARE), len(CLEARANCES))
    for clearance, part in zip(CLEARANCES, parts):
        checker = so.PathChecker(world.cell, clearance=clearance, tolerance=TOLERANCE)
        batch = checker.segments(starts[part], ends[part])
        for k, free in zip(part, batch):
            verdict = checker.segment(starts[k], ends[k])
            kinds[verdict.kind, clearance] += 1
            wrong = judge(world, clearance, starts[k], ends[k], verdict)
            if verdict.free != free:
                wrong = f"a batch says {'free' if free else 'not free'}"
            if wrong is None and k % 10 == 0:
                wrong = judge_until(world, clearance, starts[k], ends[k], verdict)
            if wrong is not None:
                complaints.append(complain(world, clearance, starts[k], ends[k], verdict, wrong))
    print(robot, obstacles, seed, dict(kinds))
    sorts = Counter(complaint.partition(", ")[0] for complaint in complaints)
    assert not complaints, f"{dict(sorts)}, such as\n" + "\n\n".join(complaints[:5])
    # A checker that calls everything too close, or nothing, would pass all of the above.
    plain = {kind: n for (kind, clearance), n in kinds.items() if clearance == 0.0}
    share = sum(plain.values())
    assert min(plain.get("free", 0), plain.get("collision", 0)) > share // 50, kinds
    assert plain.get("too_close", 0) < share // 5, kinds
    assert sum(n for (kind, _), n in kinds.items() if kind == "undecided") <= SHARE // 100, kinds


@pytest.mark.parametrize(("robot", "obstacles"), [("panda", "thin"), ("irb2400", "mesh")])
def test_the_oracle_sees_no_less_than_coal_at_400_instants(robot, obstacles):
    world = PathWorld(robot, obstacles, 300)
    sampler = Sampler(world.cell)
    seen = 0
    for qa, qb in zip(*world.segments(12, grazing=False)):
        found = sampler.nearest(qa, qb, within=0.05)
        coal = min((value for value, _ in found.values()), default=math.inf)
        nearest = world.oracle.nearest(qa, qb)
        assert nearest.distances >= 0
        if coal > 0.0:
            assert nearest.distance <= coal + COAL
            seen += coal < math.inf
        else:
            assert world.oracle.touches(qa, qb).distance <= 0.0
            assert nearest.distance <= 0.0
            seen += 1
    assert seen > 3
